// Whether a scheduler is to run, and where (docs/design/0041-running-schedulers.md).
#include <boost/test/unit_test.hpp>

#include "events/attributes/ids.hpp"
#include "events/model/scheduler/places.hpp"
#include "events/model/scheduler/scheduler.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
namespace ids = attributes::scheduler;

namespace {

model::scheduler_state one(const std::string& name, const char* host = "") {
  model::scheduler_state s;
  s.exists = true;
  s.name = name;
  if (*host != '\0') s.attributes.set(ids::sched_host, host);
  return s;
}

// What became of a command, and the state after it.
std::string told(model::scheduler_state& s, const model::scheduler_command& command) {
  static std::uint64_t sequence = 0;
  const auto settings = test::small_settings();
  const auto o = model::decide(s, command, {1'000'000'000'000, test::the_server()}, settings);
  if (o.accepted())
    for (const auto& e : o.events()) model::apply(s, {++sequence, 1, sequence, 1'000'000'000'000, test::the_server()}, e.get());
  return test::said(o);
}

const auto nobody = [](const std::string&) { return false; };
const auto everybody = [](const std::string&) { return true; };

}  // namespace

BOOST_AUTO_TEST_SUITE(places_of_schedulers)

BOOST_AUTO_TEST_CASE(a_host_is_the_same_with_and_without_its_domain) {
  BOOST_TEST(model::same_host("n1", "n1"));
  BOOST_TEST(model::same_host("n1", "n1.example.com"));
  BOOST_TEST(model::same_host("n1.example.com", "n1"));
  BOOST_TEST(!model::same_host("n1.example.com", "n1.example.org"));
  BOOST_TEST(!model::same_host("n1", "n10"));
  BOOST_TEST(!model::same_host("", "n1"));
  BOOST_TEST(!model::same_host("", ".n1"));
}

BOOST_AUTO_TEST_CASE(one_runs_that_schedules_and_has_something_to_schedule) {  // MS-20, MS-36, MS-86
  auto s = one("s1");
  BOOST_TEST(!model::is_to_run(s));
  s.attributes.set(ids::scheduling, "True");
  BOOST_TEST(!model::is_to_run(s));
  BOOST_TEST(model::lacks_partition(s));
  s.attributes.set(ids::partition, "P1");
  BOOST_TEST(model::is_to_run(s));
  BOOST_TEST(!model::lacks_partition(s));
  s.exists = false;
  BOOST_TEST(!model::is_to_run(s));
  auto first = one("default");
  BOOST_TEST(!model::is_to_run(first));
  first.attributes.set(ids::scheduling, "True");
  BOOST_TEST(model::is_to_run(first));
}

BOOST_AUTO_TEST_CASE(it_is_started_on_its_host_or_on_the_servers) {  // MS-07, MS-59, MS-60
  BOOST_TEST(model::start_host(one("s1"), "borg", everybody) == "borg");
  BOOST_TEST(model::start_host(one("s1", "borg.example.com"), "borg", nobody) == "borg");
  BOOST_TEST(model::start_host(one("s1", "n1"), "borg", everybody) == "n1");
  BOOST_TEST(model::start_host(one("s1", "n1"), "borg", nobody) == "borg");
}

BOOST_AUTO_TEST_CASE(one_without_a_partition_shows_that_until_it_runs) {  // MS-49
  auto s = one("s1");
  s.attributes.set(ids::scheduling, "True");
  const auto comment = [&] { return std::string(s.attributes.get(ids::comment).value_or("-")); };
  const std::string missing = "Scheduler does not contain a partition";
  BOOST_TEST(told(s, model::scheduler_not_started{"pbs_sched: " + missing, ""}) == "startFailed changed");
  BOOST_TEST(comment() == missing);
  BOOST_TEST(told(s, model::scheduler_not_started{"pbs_sched: " + missing, ""}) == "startFailed");
  s.attributes.set(ids::partition, "P1");
  BOOST_TEST(told(s, model::scheduler_came{"borg", "1", 7, 15050}) == "started changed");
  BOOST_TEST(comment() == "-");
  s.attributes.erase(ids::partition);
  BOOST_TEST(told(s, model::scheduler_gone{"it ended"}) == "stopped changed");
  BOOST_TEST(comment() == missing);
  s.attributes.set(ids::comment, "the site's");
  BOOST_TEST(told(s, model::scheduler_not_started{"pbs_sched: " + missing, ""}) == "startFailed");
}

BOOST_AUTO_TEST_CASE(a_host_where_nobody_could_start_it_is_refused) {  // MS-06
  const auto why = [](const char* name, const char* host) {
    const auto request = test::manage(schema::ManageVerb::SET, schema::ObjectKind::SCHEDULER, "s1", {{name, "", host}});
    const auto refused =
        model::unknown_host(request.get().getManage(), "borg", [](std::string_view node) { return model::same_host(node, "n1"); });
    return refused ? std::to_string(refused->code) + " " + refused->text : std::string();
  };
  const std::string unknown = "15008 Access from host not allowed, or unknown host: ";
  for (const char* attribute : {"sched_host", "host"})
    BOOST_TEST(why(attribute, "nosuchhost") == unknown + "nosuchhost is neither a node nor the server's host", attribute);
  for (const char* host : {"borg", "borg.example.com", "n1", "n1.example.com", ""}) BOOST_TEST(why("sched_host", host) == "", host);
  BOOST_TEST(why("comment", "nosuchhost") == "");
}

BOOST_AUTO_TEST_CASE(a_server_that_takes_its_place_back_brings_those_of_other_hosts_home) {  // MS-61
  BOOST_TEST(model::is_elsewhere(one("s1", "n1"), "borg"));
  BOOST_TEST(!model::is_elsewhere(one("s1", "borg"), "borg"));
  BOOST_TEST(!model::is_elsewhere(one("s1"), "borg"));
}

BOOST_AUTO_TEST_CASE(a_process_on_the_host_it_had_to_leave_is_not_heard) {  // MS-60
  auto s = one("s1", "n1");
  BOOST_TEST(told(s, model::scheduler_came{"n1", "1", 12, 15050}) == "started");
  BOOST_TEST(s.runs_on == "n1");
  BOOST_TEST(told(s, model::scheduler_gone{"link lost"}) == "stopped");
  BOOST_TEST(told(s, model::scheduler_came{"borg", "1"}) == "started");
  BOOST_TEST(s.attributes.get(ids::sched_host).value_or("") == "borg");  // it is where it was started
  BOOST_TEST(told(s, model::scheduler_gone{"link lost"}) == "stopped");
  BOOST_TEST(told(s, model::scheduler_came{"n1", "1"}).starts_with("15230"));
  BOOST_TEST(told(s, model::scheduler_came{"borg", "1"}) == "started");
  BOOST_TEST(told(s, test::manage(schema::ManageVerb::SET, schema::ObjectKind::SCHEDULER, "s1", {{"sched_host", "", "n1"}})) == "changed");
  BOOST_TEST(told(s, model::scheduler_came{"n1", "1"}) == "started");
}

BOOST_AUTO_TEST_CASE(the_default_one_is_on_the_servers_host_by_whichever_name) {
  auto s = one("default", "borg");
  BOOST_TEST(told(s, model::scheduler_came{"another-name", "1"}) == "started");
  BOOST_TEST(told(s, model::scheduler_came{"borg", "1"}) == "started");
  BOOST_TEST(told(s, model::scheduler_came{"another-name", "1"}) == "started");
}

BOOST_AUTO_TEST_CASE(a_start_that_failed_leaves_it_down_and_trouble_with_its_files_turns_it_off) {  // MS-14, MS-42, MS-52
  auto s = one("s1");
  s.attributes.set(ids::scheduling, "True");
  s.attributes.set(ids::partition, "P1");
  BOOST_TEST(told(s, model::scheduler_came{"borg", "1"}) == "started");
  BOOST_TEST(told(s, model::scheduler_not_started{"no such file", ""}) == "startFailed");
  BOOST_TEST(s.attributes.get(ids::state).value_or("") == "down");
  BOOST_TEST(s.attributes.get(ids::scheduling).value_or("") == "True");
  BOOST_TEST(told(s, model::scheduler_not_started{"no such directory", "PBS failed validation checks for sched_priv directory"}) ==
             "startFailed changed");
  BOOST_TEST(s.attributes.get(ids::scheduling).value_or("") == "False");
  BOOST_TEST(s.attributes.get(ids::comment).value_or("") == "PBS failed validation checks for sched_priv directory");
}

BOOST_AUTO_TEST_SUITE_END()
