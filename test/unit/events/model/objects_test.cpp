// The server object with its resources, queues and scheduler objects: what administrators may set, and what is refused.
#include <boost/test/unit_test.hpp>

#include "events/model/queue/queue.hpp"
#include "events/model/scheduler/scheduler.hpp"
#include "events/model/server/server.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using schema::ManageVerb;
using schema::ObjectKind;

namespace {

// Any of the three, told alike.
template <class State, class Command>
struct object_story {
  State state;
  model::settings settings = small_settings();
  std::uint64_t sequence = 0;

  std::string when(const Command& c, const model::requester& by = manager()) {
    const auto o = model::decide(state, c, {1'000'000'000'000, by}, settings);
    if (o.accepted())
      for (const auto& e : o.events()) model::apply(state, {++sequence, 1, sequence, 1'000'000'000'000, by}, e.get());
    return said(o);
  }
};
using server_story = object_story<model::server_state, model::server_command>;
using queue_story = object_story<model::queue_state, request>;
using scheduler_story = object_story<model::scheduler_state, model::scheduler_command>;

request server_set(const given_values& s) { return manage(ManageVerb::SET, ObjectKind::SERVER, "", s); }
request queue(ManageVerb verb, const given_values& s = {}, const std::string& name = "q2") {
  return manage(verb, ObjectKind::QUEUE, name, s);
}
request scheduler(ManageVerb verb, const given_values& s = {}, const std::string& name = "s2") {
  return manage(verb, ObjectKind::SCHEDULER, name, s);
}
request resource(ManageVerb verb, const given_values& s = {}) { return manage(verb, ObjectKind::RESOURCE, "tape", s); }

server_story started_server() {
  server_story s;
  s.when(model::server_up{"1", "borg", "borg", "UTC", std::string(16, 'u')});
  return s;
}

constexpr auto increment = schema::AttributeOp::INCREMENT;
constexpr auto decrement = schema::AttributeOp::DECREMENT;

}  // namespace

BOOST_AUTO_TEST_SUITE(server)

BOOST_AUTO_TEST_CASE(the_first_start_writes_the_defaults_and_later_ones_do_not) {
  server_story s;
  BOOST_TEST(s.when(model::server_up{"1", "borg", "borg", "UTC", ""}) == "started changed");
  BOOST_TEST(s.state.attributes.get(attributes::server::default_chunk, "ncpus").value_or("") == "1");
  BOOST_TEST(s.when(model::server_up{"2", "borg", "borg", "UTC", ""}) == "started");
  BOOST_TEST(s.state.attributes.get(attributes::server::pbs_version).value_or("") == "2");
  BOOST_TEST(s.when(model::server_down{"quick"}) == "stopped");
}

BOOST_AUTO_TEST_CASE(a_server_that_winds_up_says_so_until_its_next_start) {
  auto s = started_server();
  const auto winding_up = [&] {
    model::settings now;
    now.server = s.state.attributes;
    return std::pair(model::winding_up(now), model::waits_for_jobs(now));
  };
  BOOST_TEST(s.when(model::wind_up{true}, user()) == "15007 Unauthorized Request ");
  BOOST_TEST((winding_up() == std::pair(false, false)));
  BOOST_TEST(s.when(model::wind_up{true}) == "changed");
  BOOST_TEST(s.when(model::wind_up{true}) == "");
  BOOST_TEST((winding_up() == std::pair(true, true)));
  BOOST_TEST(s.when(model::wind_up{false}) == "changed");
  BOOST_TEST((winding_up() == std::pair(true, false)));
  BOOST_TEST(s.when(model::server_up{"1", "borg", "borg", "UTC", ""}) == "started");
  BOOST_TEST((winding_up() == std::pair(false, false)));
}

BOOST_AUTO_TEST_CASE(settings_are_set_added_to_and_taken_from) {
  auto s = started_server();
  BOOST_TEST(s.when(server_set({{"managers", "", "a@borg"}})) == "changed");
  BOOST_TEST(s.when(server_set({{"managers", "", "b@borg", increment}})) == "changed");
  BOOST_TEST(s.state.attributes.get(attributes::server::managers).value_or("") == "a@borg,b@borg");
  BOOST_TEST(s.when(server_set({{"managers", "", "a@borg", decrement}})) == "changed");
  BOOST_TEST(s.state.attributes.get(attributes::server::managers).value_or("") == "b@borg");
  BOOST_TEST(s.when(manage(ManageVerb::UNSET, ObjectKind::SERVER, "", {{"managers", "", "", schema::AttributeOp::UNSET}})) == "changed");
  BOOST_TEST(!s.state.attributes.has(attributes::server::managers));
}

BOOST_AUTO_TEST_CASE(what_a_new_server_has_it_has_again_when_it_is_unset) {
  auto s = started_server();
  BOOST_TEST(s.when(server_set({{"mailer", "", "/bin/other"}, {"node_fail_requeue", "", "5"}}), root()) == "changed");
  BOOST_TEST(s.when(manage(ManageVerb::UNSET, ObjectKind::SERVER, "",
                           {{"mailer", "", "", schema::AttributeOp::UNSET}, {"node_fail_requeue", "", "", schema::AttributeOp::UNSET}}),
                    root()) == "changed");
  BOOST_TEST(s.state.attributes.get(attributes::server::mailer).value_or("") == "/usr/sbin/sendmail");
  BOOST_TEST(!s.state.attributes.has(attributes::server::node_fail_requeue));
}

BOOST_AUTO_TEST_CASE(a_manager_does_not_choose_what_the_server_executes) {
  auto s = started_server();
  const std::string closed = "15003 Cannot set attribute, read only or insufficient permission  mailer";
  BOOST_TEST(s.when(server_set({{"mailer", "", "/home/x/m.sh"}})) == closed);
  BOOST_TEST(s.when(server_set({{"comment", "", "x"}, {"mailer", "", "/home/x/m.sh"}})) == closed);
  BOOST_TEST(s.when(manage(ManageVerb::UNSET, ObjectKind::SERVER, "", {{"mailer", "", "", schema::AttributeOp::UNSET}})) == closed);
  BOOST_TEST(s.state.attributes.get(attributes::server::mailer).value_or("") == "/usr/sbin/sendmail");
  BOOST_TEST(!s.state.attributes.has(attributes::server::comment));
  // Nor does he give it options.
  BOOST_TEST(s.when(server_set({{"mail_from", "", "adm@example.com"}})) == "changed");
  for (const char* sender : {"-oQ/tmp", "-X", "a\nb", "a\x1b[2Jb"})
    BOOST_TEST(s.when(server_set({{"mail_from", "", sender}})).starts_with("15014 "), sender);
  BOOST_TEST(s.state.attributes.get(attributes::server::mail_from).value_or("") == "adm@example.com");
}

// As transcripts of a PBS show it.
BOOST_AUTO_TEST_CASE(jobs_ask_for_a_cpu_by_default_until_all_defaults_are_unset) {
  auto s = started_server();
  const auto unset = [&](const char* resource) {
    return s.when(manage(ManageVerb::UNSET, ObjectKind::SERVER, "", {{"resources_default", resource, "", schema::AttributeOp::UNSET}}));
  };
  BOOST_TEST(s.when(server_set({{"resources_default", "ncpus", "4"}})) == "changed");
  BOOST_TEST(unset("ncpus") == "changed");
  BOOST_TEST(s.state.attributes.get(attributes::server::resources_default, "ncpus").value_or("") == "1");
  BOOST_TEST(unset("") == "changed");
  BOOST_TEST(!s.state.attributes.has(attributes::server::resources_default));
}

BOOST_AUTO_TEST_CASE(users_change_nothing) {
  auto s = started_server();
  BOOST_TEST(!s.when(server_set({{"job_history_enable", "", "True"}}), user()).starts_with("server"));
  BOOST_TEST(s.when(resource(ManageVerb::CREATE), user()) == "15007 Unauthorized Request ");
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused) {
  auto s = started_server();
  BOOST_TEST(s.when(server_set({{"default_queue", "", "nosuch"}})).starts_with("15018 "));
  BOOST_TEST(s.when(server_set({{"default_queue", "", "workq"}})) == "changed");
  BOOST_TEST(s.when(server_set({{"managers", "", "nobody"}})).starts_with("15008 "));
  BOOST_TEST(s.when(server_set({{"no_such", "", "1"}})).starts_with("15002 "));
  BOOST_TEST(s.when(server_set({{"scheduler_iteration", "", "soon"}})).starts_with("15014 "));
  BOOST_TEST(s.when(manage(ManageVerb::CREATE, ObjectKind::SERVER, "")).starts_with("15004 "));
}

BOOST_AUTO_TEST_CASE(resources_are_created_changed_and_deleted) {
  auto s = started_server();
  BOOST_TEST(s.when(resource(ManageVerb::CREATE, {{"type", "", "long"}, {"flag", "", "nh"}})) == "resourceCreated");
  BOOST_REQUIRE(s.state.resources.find("tape"));
  BOOST_TEST(s.state.resources.find("tape")->has(attributes::consumable));
  BOOST_TEST(!s.when(resource(ManageVerb::CREATE, {{"type", "", "long"}})).starts_with("resource"));
  BOOST_TEST(s.when(resource(ManageVerb::SET, {{"flag", "", "h"}})) == "resourceChanged");
  BOOST_TEST(s.when(resource(ManageVerb::DELETE)) == "resourceDeleted");
  BOOST_TEST(!s.state.resources.find("tape"));
  BOOST_TEST(!s.when(resource(ManageVerb::DELETE)).starts_with("resource"));
  BOOST_TEST(!s.when(resource(ManageVerb::CREATE, {{"type", "", "nonsense"}})).starts_with("resource"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(queues)

BOOST_AUTO_TEST_CASE(a_queue_is_created_with_settings_changed_and_deleted) {
  queue_story q;
  BOOST_TEST(q.when(queue(ManageVerb::CREATE, {{"queue_type", "", "e"}, {"enabled", "", "true"}})) == "created changed");
  BOOST_TEST(q.state.attributes.get(attributes::queue::queue_type).value_or("") == "Execution");
  BOOST_TEST(q.state.attributes.get(attributes::queue::enabled).value_or("") == "True");
  BOOST_TEST(q.when(queue(ManageVerb::CREATE)).starts_with("15025 "));
  BOOST_TEST(q.when(queue(ManageVerb::SET, {{"Priority", "", "5"}})) == "changed");
  BOOST_TEST(q.when(queue(ManageVerb::DELETE), user()) == "15007 Unauthorized Request ");
  BOOST_TEST(q.when(queue(ManageVerb::DELETE)) == "deleted");
  BOOST_TEST(q.when(queue(ManageVerb::DELETE)).starts_with("15018 "));
}

// Block 242 of the recording unset: there it goes, and jobs that name no queue are refused.
BOOST_AUTO_TEST_CASE(the_default_queue_is_not_deleted) {
  queue_story q;
  q.when(queue(ManageVerb::CREATE, {{"queue_type", "", "e"}}));
  q.settings.server.set(attributes::server::default_queue, "q2");
  BOOST_TEST(q.when(queue(ManageVerb::DELETE)) == "15027 Cannot delete busy object: it is the server's default_queue");
  BOOST_TEST(q.when(queue(ManageVerb::DELETE), user()) == "15007 Unauthorized Request ");
  q.settings.server.set(attributes::server::default_queue, "workq");
  BOOST_TEST(q.when(queue(ManageVerb::DELETE)) == "deleted");
}

// Issue: `set queue Q kill_delay = -1` was taken, and qdel never killed.
BOOST_AUTO_TEST_CASE(no_change_of_a_queue_makes_its_kill_delay_a_time_that_is_none) {
  using enum schema::AttributeOp;
  queue_story q;
  const auto set = [&](const char* value, schema::AttributeOp op = SET) {
    return q.when(queue(ManageVerb::SET, {{"kill_delay", "", value, op}}));
  };
  BOOST_TEST(q.when(queue(ManageVerb::CREATE, {{"kill_delay", "", "5"}})) == "created changed");
  BOOST_TEST(set("-1") == "15014 Illegal attribute or resource value");
  BOOST_TEST(set("6", DECREMENT) == "15014 Illegal attribute or resource value");
  BOOST_TEST(set("2147483647", INCREMENT) == "15014 Illegal attribute or resource value");
  BOOST_TEST(q.state.attributes.get(attributes::queue::kill_delay).value_or("") == "5");
  BOOST_TEST(set("2", DECREMENT) == "changed");
  BOOST_TEST(q.state.attributes.get(attributes::queue::kill_delay).value_or("") == "3");
}

BOOST_AUTO_TEST_CASE(a_queue_without_type_is_not_enabled) {
  queue_story q;
  BOOST_TEST(q.when(queue(ManageVerb::CREATE)) == "created");
  BOOST_TEST(q.when(queue(ManageVerb::SET, {{"enabled", "", "True"}})).starts_with("15030 "));
}

BOOST_AUTO_TEST_CASE(a_queue_keeps_a_type) {
  queue_story q;
  BOOST_TEST(q.when(queue(ManageVerb::CREATE, {{"queue_type", "", "e"}})) == "created changed");
  BOOST_TEST(
      q.when(queue(ManageVerb::UNSET, {{"queue_type", "", "", schema::AttributeOp::UNSET}})).starts_with("15137 Queue type must be set"));
}

BOOST_AUTO_TEST_CASE(queue_names_have_a_limit_and_are_new) {
  BOOST_TEST(queue_story().when(queue(ManageVerb::CREATE, {}, std::string(15, 'q'))) == "created");
  BOOST_TEST(queue_story().when(queue(ManageVerb::CREATE, {}, std::string(16, 'q'))).starts_with("15028 "));
  BOOST_TEST(queue_story().when(queue(ManageVerb::CREATE, {}, "workq")).starts_with("15025 "));
  BOOST_TEST(!queue_story().when(queue(ManageVerb::CREATE, {}, "a.b")).starts_with("queue"));
  BOOST_TEST(queue_story().when(queue(ManageVerb::CREATE), operator_()) == "15007 Unauthorized Request ");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(schedulers)

BOOST_AUTO_TEST_CASE(a_new_scheduler_object_has_directories_of_its_own) {  // MS-01, MS-05, MS-09
  scheduler_story s;
  s.settings.home = "/var/spool/pbs";
  BOOST_TEST(s.when(scheduler(ManageVerb::CREATE)) == "created changed");
  BOOST_TEST(s.state.attributes.get(attributes::scheduler::sched_priv).value_or("") == "/var/spool/pbs/sched_priv_s2");
  BOOST_TEST(s.state.attributes.get(attributes::scheduler::sched_log).value_or("") == "/var/spool/pbs/sched_log_s2");
}

BOOST_AUTO_TEST_CASE(what_a_scheduler_must_have_it_has_again_when_it_is_unset) {
  scheduler_story s;
  BOOST_TEST(s.when(scheduler(ManageVerb::CREATE, {{"preempt_order", "", "R"}, {"log_events", "", "1"}, {"comment", "", "x"}})) ==
             "created changed");
  const auto unset = schema::AttributeOp::UNSET;
  BOOST_TEST(s.when(scheduler(ManageVerb::UNSET,
                              {{"preempt_order", "", "", unset}, {"log_events", "", "", unset}, {"comment", "", "", unset}})) == "changed");
  BOOST_TEST(s.state.attributes.get(attributes::scheduler::preempt_order).value_or("") == "SCR");
  BOOST_TEST(s.state.attributes.get(attributes::scheduler::log_events).value_or("") == "767");
  BOOST_TEST(!s.state.attributes.has(attributes::scheduler::comment));
}

BOOST_AUTO_TEST_CASE(a_scheduler_object_is_down_idle_and_scheduling) {  // MS-41 to MS-44
  scheduler_story s;
  const auto state = [&] { return std::string(s.state.attributes.get(attributes::scheduler::state).value_or("")); };
  const auto cycle = [](auto fill_it) { return model::scheduler_said{schema::make<schema::FromScheduler>(fill_it)}; };
  BOOST_TEST(s.when(model::scheduler_came{"borg", "1"}, the_server()).starts_with("15"));
  BOOST_TEST(s.when(scheduler(ManageVerb::CREATE)) == "created changed");
  BOOST_TEST(state() == "down");
  BOOST_TEST(s.when(model::scheduler_came{"borg", "1"}, the_server()) == "started");
  BOOST_TEST(state() == "idle");
  const auto began = cycle([](schema::FromScheduler::Builder m) { m.initCycleBegan().setNumber(1); });
  const auto ended = cycle([](schema::FromScheduler::Builder m) { m.initCycleEnded().setNumber(1); });
  BOOST_TEST(s.when(ended, the_server()) == "");
  BOOST_TEST(s.when(began, the_server()) == "cycleBegan");
  BOOST_TEST(state() == "scheduling");
  BOOST_TEST(s.when(began, the_server()) == "");
  const auto told = cycle([](schema::FromScheduler::Builder m) {
    m.initCycleBegan().setNumber(1);
    m.getCycleBegan().initDynamic(1)[0].setName("resources_available");
  });
  BOOST_TEST(s.when(told, the_server()) == "cycleBegan");  // with what its programs told
  BOOST_TEST(s.when(cycle([](schema::FromScheduler::Builder m) { m.initReasons(); }), the_server()) == "cycleReasons");
  const model::proposal_refused refused{
      schema::make<schema::FromScheduler>([](schema::FromScheduler::Builder m) { m.initRun().setJob(7); }), "no"};
  BOOST_TEST(s.when(refused, the_server()) == "proposalRefused");
  BOOST_TEST(s.when(ended, the_server()) == "cycleEnded");
  BOOST_TEST(state() == "idle");
  BOOST_TEST(s.when(told, the_server()) == "");
  BOOST_TEST(s.when(model::scheduler_gone{"link lost"}, the_server()) == "stopped");
  BOOST_TEST(state() == "down");
  BOOST_TEST(s.when(model::scheduler_gone{"link lost"}, the_server()) == "");
}

// What `qmgr -c "print sched"` says can be read by qmgr again.
BOOST_AUTO_TEST_CASE(what_is_printed_of_a_scheduler_may_be_set_again) {
  scheduler_story s;
  s.when(scheduler(ManageVerb::CREATE, {{"sched_priv", "", "/priv"}, {"sched_host", "", "borg"}, {"partition", "", "p1"}}, "default"),
         root());
  const auto set = [&](const char* name, const char* value, const model::requester& by = manager()) {
    return s.when(scheduler(ManageVerb::SET, {{name, "", value}}, "default"), by);
  };
  BOOST_TEST(set("sched_priv", "/priv") == "");
  BOOST_TEST(set("sched_host", "borg") == "");
  BOOST_TEST(set("partition", "p1") == "");
  for (const char* name : {"sched_priv", "sched_log", "sched_host", "partition", "sched_port"})
    BOOST_TEST(set(name, "7").starts_with("15223 "), name);
  BOOST_TEST(
      s.when(scheduler(ManageVerb::SET, {{"partition", "", "p1", schema::AttributeOp::INCREMENT}}, "default")).starts_with("15223 "));
  BOOST_TEST(set("state", "idle").starts_with("15003 "));  // that is the server's word alone
}

BOOST_AUTO_TEST_CASE(the_default_scheduler_object_stays) {  // MS-04, MS-46
  scheduler_story s;
  s.when(scheduler(ManageVerb::CREATE, {}, "default"));
  BOOST_TEST(!s.when(scheduler(ManageVerb::DELETE, {}, "default")).starts_with("scheduler"));
  scheduler_story other;
  other.when(scheduler(ManageVerb::CREATE));
  BOOST_TEST(other.when(scheduler(ManageVerb::DELETE), user()) == "15007 Unauthorized Request ");
  BOOST_TEST(other.when(scheduler(ManageVerb::DELETE)) == "deleted");
  BOOST_TEST(!scheduler_story().when(scheduler(ManageVerb::CREATE, {}, std::string(16, 's'))).starts_with("scheduler"));
}

BOOST_AUTO_TEST_SUITE_END()
