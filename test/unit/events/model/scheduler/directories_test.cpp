// Directories of schedulers: each has its own, and an object says of its own what is wrong with them. And other things that may not differ.
#include <boost/test/unit_test.hpp>

#include "events/model/scheduler/scheduler.hpp"
#include "events/model/server/server.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using schema::ManageVerb;
using schema::ObjectKind;
namespace ids = attributes::scheduler;

namespace {

// Schedulers as actors and the ledger have them: by stream.
struct schedulers {
  model::ledger ledger;
  model::settings settings = small_settings();
  std::map<std::uint64_t, model::scheduler_state> states;
  model::server_state server;
  std::uint64_t sequence = 0;

  schedulers() {
    settings.home = "/home";
    when(1,
         manage(ManageVerb::CREATE, ObjectKind::SCHEDULER, "default",
                {{"sched_priv", "", "/home/sched_priv"}, {"sched_log", "", "/home/sched_log"}, {"scheduling", "", "True"}}),
         root());
  }

  // "" or the refusal.
  std::string when(std::uint64_t stream, const model::scheduler_command& c, const model::requester& by = root()) {
    return take(stream, states[stream], model::decide(states[stream], c, {1'000'000'000'000, by}, settings), by);
  }
  template <class State>
  std::string take(std::uint64_t stream, State& state, const model::outcome& o, const model::requester& by) {
    if (!o.accepted()) return said(o);
    auto then = ledger;
    for (const auto& e : o.events()) {
      const model::event_place at{sequence + 1, stream, sequence + 1, 1'000'000'000'000, by};
      if (const auto why = then.check(at, e.get())) return std::to_string(why->code) + " " + why->text;
      then.apply(at, e.get());
    }
    ledger = then;
    for (const auto& e : o.events()) model::apply(state, {++sequence, stream, sequence, 1'000'000'000'000, by}, e.get());
    return "";
  }
  std::string create(std::uint64_t stream, const std::string& name, const given_values& s = {}, const model::requester& by = root()) {
    return when(stream, manage(ManageVerb::CREATE, ObjectKind::SCHEDULER, name, s), by);
  }
  std::string set(std::uint64_t stream, const char* attribute, const std::string& value, const model::requester& by = root()) {
    return when(stream, manage(ManageVerb::SET, ObjectKind::SCHEDULER, states[stream].name, {{attribute, "", value}}), by);
  }
  std::string unset(std::uint64_t stream, const char* attribute) {
    return when(stream, manage(ManageVerb::UNSET, ObjectKind::SCHEDULER, states[stream].name,
                               {{attribute, "", "", schema::AttributeOp::UNSET}}));
  }
  std::string set_server(const char* attribute, const std::string& value, schema::AttributeOp op = schema::AttributeOp::SET) {
    const auto verb = op == schema::AttributeOp::SET ? ManageVerb::SET : ManageVerb::UNSET;
    const auto o = model::decide(server, manage(verb, ObjectKind::SERVER, "", {{attribute, "", value, op}}), {1'000'000'000'000, manager()},
                                 settings);
    return take(1000, server, o, manager());
  }
  std::string get(std::uint64_t stream, attributes::attribute_id id) {
    return std::string(states[stream].attributes.get(id).value_or("-"));
  }
  // What its scheduler says.
  using trouble = schema::SchedDirectories::PrivTrouble;
  void says(std::uint64_t stream, trouble priv, bool logs, const std::string& uses_logs = {}) {
    BOOST_TEST(when(stream, model::scheduler_said{schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
                      auto d = m.initDirectories();
                      d.setPrivTrouble(priv);
                      d.setLogTrouble(logs);
                      d.setLogs(uses_logs);
                    })},
                    the_server()) == "");
  }
};

constexpr const char* priv_taken = "15216 Another scheduler has same value for its sched_priv directory";
constexpr const char* log_taken = "15215 Another scheduler has same value for its sched_log directory";
constexpr const char* fixed = "15223 Operation is not permitted on default scheduler";

}  // namespace

BOOST_AUTO_TEST_SUITE(directories)

BOOST_AUTO_TEST_CASE(no_two_schedulers_have_the_same) {  // MS-13, MS-17, MS-18
  schedulers s;
  BOOST_TEST(s.create(2, "sc1") == "");
  BOOST_TEST(s.create(3, "sc2") == "");
  BOOST_TEST(s.set(3, "sched_priv", "/home/sched_priv_sc1") == priv_taken);
  BOOST_TEST(s.set(3, "sched_priv", "/home/./sched_priv_sc1/") == priv_taken);
  BOOST_TEST(s.set(3, "sched_priv", "/home/sched_priv") == priv_taken);
  BOOST_TEST(s.set(3, "sched_log", "/home/sched_log_sc1") == log_taken);
  BOOST_TEST(s.set(3, "sched_log", "/home/sched_log") == log_taken);
  BOOST_TEST(s.create(4, "sc3", {{"sched_log", "", "/home/sched_log_sc1"}}) == log_taken);
  BOOST_TEST(s.get(3, ids::sched_priv) == "/home/sched_priv_sc2");
  // One that is free again, one of the other kind, and one's own may be had.
  BOOST_TEST(s.set(2, "sched_priv", "/other") == "");
  BOOST_TEST(s.set(3, "sched_priv", "/home/sched_priv_sc1") == "");
  BOOST_TEST(s.set(3, "sched_priv", "/home/sched_priv_sc1") == "");
  BOOST_TEST(s.set(3, "sched_log", "/other") == "");
  BOOST_TEST(s.when(2, manage(ManageVerb::DELETE, ObjectKind::SCHEDULER, "sc1")) == "");
  BOOST_TEST(s.set(3, "sched_priv", "/other") == "");
}

BOOST_AUTO_TEST_CASE(the_older_name_of_a_log_directory_is_the_same_directory) {  // MS-09, MS-17
  BOOST_TEST(model::other_log_name("/home/sched_log") == "/home/sched_logs");
  BOOST_TEST(model::other_log_name("/home/sched_logs") == "/home/sched_log");
  BOOST_TEST(model::other_log_name("/home/sched_log_a") == "/home/sched_logs_a");
  BOOST_TEST(model::other_log_name("/home/sched_logs_a") == "/home/sched_log_a");
  for (const char* none : {"/home/sched_logger", "/home/logs", "/home/sched_log/x", ""}) BOOST_TEST(model::other_log_name(none) == "");
  schedulers s;
  s.create(2, "sc1");
  s.create(3, "sc2");
  BOOST_TEST(s.set(3, "sched_log", "/home/sched_logs_sc1") == log_taken);
  BOOST_TEST(s.set(3, "sched_log", "/home/sched_logs") == log_taken);
  BOOST_TEST(s.set(2, "sched_log", "/home/sched_logs_sc1") == "");
}

// A scheduler that is root's reads programs' names there, and writes its log.
BOOST_AUTO_TEST_CASE(only_root_says_where_they_are) {
  schedulers s;
  BOOST_TEST(s.create(2, "sc1", {}, manager()) == "");
  BOOST_TEST(s.get(2, ids::sched_priv) == "/home/sched_priv_sc1");
  BOOST_TEST(s.get(2, ids::sched_log) == "/home/sched_log_sc1");
  for (const std::string attribute : {"sched_priv", "sched_log"}) {
    const auto closed = "15003 Cannot set attribute, read only or insufficient permission  " + attribute;
    BOOST_TEST(s.set(2, attribute.c_str(), "/tmp/x", manager()) == closed);
    BOOST_TEST(s.create(3, "sc2", {{attribute.c_str(), "", "/tmp/x"}}, manager()) == closed);
  }
  BOOST_TEST(s.create(3, "sc2", {{"state", "", "idle"}}, manager()).starts_with("15003 "));  // as in `set`
  BOOST_TEST(s.set(2, "sched_priv", "/srv/sc1") == "");
  // Nor does a name lead out of PBS_HOME.
  for (const char* name : {"a/../../etc", "../x", "/etc", "a b", "a\nb", ""})
    BOOST_TEST(s.create(3, name, {}, manager()) == "15172 Invalid object name", name);
}

BOOST_AUTO_TEST_CASE(older_names_of_attributes_are_taken) {  // MS-07, MS-28, MS-31
  schedulers s;
  s.create(2, "sc1");
  BOOST_TEST(s.set(2, "port", "15077") == "");
  BOOST_TEST(s.set(2, "host", "federer") == "");
  BOOST_TEST(s.set(2, "sched_logs", "/logs") == "");
  BOOST_TEST(s.get(2, ids::sched_port) == "15077");
  BOOST_TEST(s.get(2, ids::sched_host) == "federer");
  BOOST_TEST(s.get(2, ids::sched_log) == "/logs");
  for (const char* wrong : {"0", "65536", "-1", "x"}) BOOST_TEST(s.set(2, "sched_port", wrong).starts_with("15014"));
  for (const char* attribute : {"sched_priv", "sched_log"}) BOOST_TEST(s.set(2, attribute, "below/here").starts_with("15014"));
}

BOOST_AUTO_TEST_CASE(those_of_the_default_scheduler_stay) {  // MS-37, MS-47, MS-48
  schedulers s;
  for (const char* attribute : {"sched_priv", "sched_log", "sched_logs"}) BOOST_TEST(s.set(1, attribute, "/tmp") == fixed, attribute);
  for (const char* attribute : {"sched_host", "host", "partition"}) BOOST_TEST(s.set(1, attribute, "P1") == fixed, attribute);
  for (const char* attribute : {"sched_port", "port"}) BOOST_TEST(s.set(1, attribute, "15099") == fixed, attribute);
  BOOST_TEST(s.set(1, "sched_priv", "/tmp", operator_()) ==
             "15003 Cannot set attribute, read only or insufficient permission  sched_priv");
  for (const char* attribute : {"sched_priv", "partition"}) BOOST_TEST(s.unset(1, attribute) == "");
  BOOST_TEST(s.get(1, ids::sched_priv) == "/home/sched_priv");
  BOOST_TEST(s.get(1, ids::partition) == "pbs-default");
  BOOST_TEST(s.set(1, "comment", "hello") == "");
  // Of another one they may be set and unset.
  s.create(2, "sc1");
  BOOST_TEST(s.set(2, "sched_host", "federer") == "");
}

BOOST_AUTO_TEST_CASE(directories_that_are_unset_are_those_of_its_name_again) {  // as recorded; without one it could not be started
  schedulers s;
  s.create(2, "sc1");
  const auto shown = [&] { return s.get(2, ids::sched_priv) + " " + s.get(2, ids::sched_log); };
  const std::string first = "/home/sched_priv_sc1 /home/sched_log_sc1";
  BOOST_TEST(s.unset(2, "sched_priv") == "");
  BOOST_TEST(shown() == first);
  s.set(2, "sched_priv", "/p");
  s.set(2, "sched_log", "/l");
  BOOST_TEST(shown() == "/p /l");
  BOOST_TEST(s.unset(2, "sched_priv") == "");
  BOOST_TEST(s.unset(2, "sched_logs") == "");
  BOOST_TEST(shown() == first);
  s.set(2, "sched_priv", "/p");
  BOOST_TEST(s.set(2, "sched_priv", "") == "");
  BOOST_TEST(shown() == first);
  // Who may not set it may not unset it, and another one may have taken it meanwhile.
  s.set(2, "sched_priv", "/p");
  BOOST_TEST(s.when(2, manage(ManageVerb::UNSET, ObjectKind::SCHEDULER, "sc1", {{"sched_priv", "", "", schema::AttributeOp::UNSET}}),
                    manager()) == "15003 Cannot set attribute, read only or insufficient permission  sched_priv");
  s.create(3, "sc2");
  s.set(3, "sched_priv", "/home/sched_priv_sc1");
  BOOST_TEST(s.unset(2, "sched_priv") == priv_taken);
  BOOST_TEST(s.get(2, ids::sched_priv) == "/p");
}

BOOST_AUTO_TEST_CASE(scheduling_that_is_unset_is_what_it_was_at_first) {  // as recorded: True for the default one
  schedulers s;
  s.create(2, "sc1", {{"scheduling", "", "True"}});
  BOOST_TEST(s.set(1, "scheduling", "False") == "");
  BOOST_TEST(s.unset(1, "scheduling") == "");
  BOOST_TEST(s.unset(2, "scheduling") == "");
  BOOST_TEST(s.get(1, ids::scheduling) == "True");
  BOOST_TEST(s.get(2, ids::scheduling) == "False");
  BOOST_TEST(s.set(1, "scheduling", "").starts_with("15014"));
}

BOOST_AUTO_TEST_CASE(a_directory_that_can_not_be_used_is_a_comment_and_no_scheduling) {  // MS-14, MS-19, MS-50 to MS-52
  using trouble = schedulers::trouble;
  schedulers s;
  s.create(2, "sc1", {{"scheduling", "", "True"}});
  const auto shown = [&] { return s.get(2, ids::comment) + ", " + s.get(2, ids::scheduling); };
  s.says(2, trouble::NONE, false);
  BOOST_TEST(shown() == "-, True");
  s.says(2, trouble::NONE, true);
  BOOST_TEST(shown() == "Unable to change the sched_log directory, False");
  s.set(2, "scheduling", "True");
  s.says(2, trouble::UNREACHABLE, false);
  BOOST_TEST(shown() == "Unable to change the sched_priv directory, False");
  s.says(2, trouble::NOT_VALID, true);
  BOOST_TEST(shown() == "PBS failed validation checks for sched_priv directory, False");
  const auto before = s.sequence;
  s.says(2, trouble::NOT_VALID, true);
  BOOST_TEST(s.sequence == before);  // it is told again after each connection
  // When all is well the comment goes; scheduling is the site's to turn on.
  s.says(2, trouble::NONE, false);
  BOOST_TEST(shown() == "-, False");
  s.set(2, "comment", "READY_TO_USE");
  s.says(2, trouble::NONE, false);
  BOOST_TEST(shown() == "READY_TO_USE, False");
}

// A scheduler that outlived the server says where it works, and has not looked at the directory again.
BOOST_AUTO_TEST_CASE(what_the_server_found_at_a_start_stays_until_somebody_does_something) {
  using trouble = schedulers::trouble;
  for (const std::uint64_t stream : {1, 2}) {
    schedulers s;
    s.create(2, "sc1", {{"scheduling", "", "True"}});
    const auto shown = [&] { return s.get(stream, ids::comment) + ", " + s.get(stream, ids::scheduling); };
    const auto comes = [&] { s.when(stream, model::scheduler_came{"p1", "1", 7, 0}, the_server()); };
    const std::string found = "PBS failed validation checks for sched_priv directory";
    const auto fails = [&] { s.when(stream, model::scheduler_not_started{"its mode is 777", found}, the_server()); };
    fails();
    BOOST_TEST(shown() == found + ", False");
    comes();
    s.says(stream, trouble::NONE, false);
    BOOST_TEST(shown() == found + ", False");
    BOOST_TEST(s.set(stream, "scheduling", "False") == "");
    s.says(stream, trouble::NONE, false);
    BOOST_TEST(shown() == found + ", False");
    BOOST_TEST(s.set(stream, "scheduling", "True") == "");
    BOOST_TEST(shown() == "-, True");
    // A trouble that the scheduler itself reports ends when it reports none.
    s.says(stream, trouble::NOT_VALID, false);
    s.says(stream, trouble::NONE, false);
    BOOST_TEST(shown() == "-, False");
    if (stream == 1) continue;  // the default one's directories stay
    fails();
    BOOST_TEST(s.set(stream, "sched_priv", "/other") == "");
    comes();
    s.says(stream, trouble::NONE, false);
    BOOST_TEST(shown() == "-, False");
  }
}

BOOST_AUTO_TEST_CASE(an_object_shows_the_older_log_directory_where_only_that_is_there) {  // MS-09
  schedulers s;
  s.create(2, "sc1");
  s.says(2, schedulers::trouble::NONE, false, "/home/sched_log_sc1");
  BOOST_TEST(s.get(2, ids::sched_log) == "/home/sched_log_sc1");
  s.says(2, schedulers::trouble::NONE, false, "/home/sched_logs_sc1");
  BOOST_TEST(s.get(2, ids::sched_log) == "/home/sched_logs_sc1");
  s.says(2, schedulers::trouble::NONE, false, "/elsewhere");  // of before its object was changed
  BOOST_TEST(s.get(2, ids::sched_log) == "/home/sched_logs_sc1");
}

BOOST_AUTO_TEST_CASE(a_partition_is_None_until_it_is_given) {  // MS-05, MS-55
  schedulers s;
  s.create(2, "sc1");
  const auto shown = [&](std::uint64_t stream) {
    return std::string(model::shown_attributes(s.states[stream]).get(ids::partition).value_or("-"));
  };
  BOOST_TEST(shown(1) == "pbs-default");
  BOOST_TEST(shown(2) == "None");
  BOOST_TEST(s.set(2, "partition", "None") == "");  // as it is printed
  BOOST_TEST(shown(2) == "None");
  BOOST_TEST(s.get(2, ids::partition) == "-");
  s.set(2, "partition", "P1");
  BOOST_TEST(shown(2) == "P1");
  s.unset(2, "partition");
  BOOST_TEST(shown(2) == "-");
}

BOOST_AUTO_TEST_CASE(the_port_is_where_it_listens) {  // MS-07, MS-31, MS-57
  schedulers s;
  s.create(2, "sc1");
  s.when(2, model::scheduler_came{"p1", "1", 7, 15050}, the_server());
  BOOST_TEST(s.get(2, ids::sched_port) == "15050");
  s.when(2, model::scheduler_came{"p1", "1", 8, 0}, the_server());
  BOOST_TEST(s.get(2, ids::sched_port) == "15050");
  // The default one has none unless it was started with one.
  s.when(1, model::scheduler_came{"p1", "1", 9, 15099}, the_server());
  BOOST_TEST(s.get(1, ids::sched_port) == "15099");
  s.when(1, model::scheduler_came{"p1", "1", 10, 0}, the_server());
  BOOST_TEST(s.get(1, ids::sched_port) == "-");
}

BOOST_AUTO_TEST_SUITE_END()

// Whichever of them is set last; nobody's formula is in another's way when the other has none (MS-120).
BOOST_AUTO_TEST_CASE(server_and_schedulers_have_one_formula) {
  schedulers s;
  const std::string conflict = "15226 Server's job_sort_formula value is incompatible with sched's";
  BOOST_TEST(s.create(2, "sc1") == "");
  BOOST_TEST(s.create(3, "sc2") == "");
  BOOST_TEST(s.set(2, "job_sort_formula", "walltime") == "");
  BOOST_TEST(s.set(3, "job_sort_formula", "mem") == "");
  BOOST_TEST(s.set_server("job_sort_formula", "walltime") == conflict);
  BOOST_TEST(s.unset(3, "job_sort_formula") == "");
  BOOST_TEST(s.set_server("job_sort_formula", "ncpus") == conflict);
  BOOST_TEST(s.set_server("job_sort_formula", "ncpus+") == "15123 Invalid Formula Format");
  BOOST_TEST(s.set_server("job_sort_formula", "walltime") == "");
  BOOST_TEST(s.set(1, "job_sort_formula", "mem") == conflict);
  BOOST_TEST(s.set(2, "job_sort_formula", "mem") == conflict);
  BOOST_TEST(s.create(4, "sc3", {{"job_sort_formula", "", "mem"}}) == conflict);
  BOOST_TEST(s.set(1, "job_sort_formula", "walltime") == "");
  BOOST_TEST(s.unset(1, "job_sort_formula") == "");
  BOOST_TEST(s.set(2, "job_sort_formula_threshold", "5") == "");
  BOOST_TEST(s.set_server("job_sort_formula", "mem") == conflict);
  BOOST_TEST(s.when(2, manage(ManageVerb::DELETE, ObjectKind::SCHEDULER, "sc1")) == "");
  BOOST_TEST(s.set_server("job_sort_formula", "mem") == "");
  BOOST_TEST(s.set(1, "job_sort_formula", "walltime") == conflict);
  BOOST_TEST(s.set_server("job_sort_formula", "", schema::AttributeOp::UNSET) == "");
  BOOST_TEST(s.set(1, "job_sort_formula", "walltime") == "");
}
