// `unset` of every attribute that a new object has a value of, on every kind of object that qmgr sets (golden: unset.txt, hooks.txt).
#include <boost/test/unit_test.hpp>

#include <map>

#include "events/attributes/table.hpp"
#include "events/model/hook/hook.hpp"
#include "events/model/queue/queue.hpp"
#include "events/model/scheduler/scheduler.hpp"
#include "events/model/server/server.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using schema::ManageVerb;
using schema::ObjectKind;

namespace {

// `again`: it has its first value at once; `gone`: it has none.
constexpr const char *again = "again", *gone = "gone", *read_only = "15003", *no_node_value = "15067", *stays = "stays";
using expectation = std::map<std::string, std::string>;

// The row is of an object that a story has made: asks for unset, and says what it led to.
template <class Ask, class Get>
std::string after_unset(const attributes::attribute& row, Ask&& ask, Get&& get) {
  const std::string before = get(row.id);
  const std::string answer = ask(given_values{{row.name, "", "", schema::AttributeOp::UNSET}});
  if (answer.starts_with("15")) return answer.substr(0, 5);
  const std::string now = get(row.id);
  if (now == "(none)") return gone;
  return answer.empty() && now == before ? stays : now == row.default_value ? again : now;
}

// Every row with a first value, and no other, is expected.
template <class Ask, class Get>
void check_every_default(ObjectKind kind, const expectation& expected, Ask&& ask, Get&& get) {
  expectation seen;
  for (const auto& row : attributes::table_of(kind))
    if (*row.default_value != '\0') seen[row.name] = after_unset(row, ask, get);
  for (const auto& [name, what] : expected) BOOST_TEST(seen[name] == what, name << ": " << seen[name] << ", expected " << what);
  for (const auto& [name, what] : seen) BOOST_TEST(expected.contains(name), name << " is " << what << " and not in the list");
}

std::string value_of(const attributes::attribute_set& set, attributes::attribute_id id) {
  return std::string(set.get(id).value_or("(none)"));
}

// Any object: its commands decided and applied.
template <class State, class Command>
struct object_story {
  State state;
  model::settings settings = small_settings();
  std::uint64_t sequence = 0;

  std::string when(const Command& c, const model::requester& by = root()) {
    const auto o = model::decide(state, c, {1'000'000'000'000, by}, settings);
    if (o.accepted())
      for (const auto& e : o.events()) model::apply(state, {++sequence, 1, sequence, 1'000'000'000'000, by}, e.get());
    return said(o);
  }
};

// The values that the table has are changed first where they may be, so that `again` is seen.
template <class Story>
void change_what_may_change(Story& s, ObjectKind kind, const std::string& name, const expectation& values) {
  for (const auto& [attribute, value] : values)
    BOOST_TEST(!s.when(manage(ManageVerb::SET, kind, name, {{attribute, "", value}})).starts_with("15"), attribute << " = " << value);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(unset)

BOOST_AUTO_TEST_CASE(of_the_server) {
  object_story<model::server_state, model::server_command> s;
  s.when(model::server_up{"1", "borg", "borg", "UTC", std::string(16, 'u')});
  change_what_may_change(s, ObjectKind::SERVER, "",
                         {{"scheduling", "False"}, {"log_events", "1"}, {"mailer", "/bin/other"}, {"mail_from", "x"},
                          {"query_other_jobs", "False"}, {"scheduler_iteration", "5"}, {"resv_enable", "False"},
                          {"node_fail_requeue", "5"}, {"max_array_size", "5"}, {"resend_term_delay", "7"},
                          {"eligible_time_enable", "True"}, {"max_concurrent_provision", "7"}});
  check_every_default(
      ObjectKind::SERVER,
      {{"scheduling", again}, {"log_events", again}, {"mailer", again}, {"mail_from", again}, {"query_other_jobs", again},
       {"scheduler_iteration", again}, {"resv_enable", again}, {"max_array_size", again}, {"pbs_license_min", again},
       {"pbs_license_max", again}, {"pbs_license_linger_time", again}, {"eligible_time_enable", again},
       {"max_concurrent_provision", again}, {"clear_topjob_estimates_enable", again}, {"default_queue", gone},
       {"node_fail_requeue", gone}, {"resend_term_delay", gone}, {"max_job_sequence_id", gone}, {"server_state", read_only},
       {"total_jobs", read_only}, {"state_count", read_only}, {"license_count", read_only}, {"power_provisioning", read_only}},
      [&](const given_values& v) { return s.when(manage(ManageVerb::UNSET, ObjectKind::SERVER, "", v)); },
      [&](attributes::attribute_id id) { return value_of(s.state.attributes, id); });
}

BOOST_AUTO_TEST_CASE(of_a_queue) {
  object_story<model::queue_state, request> s;
  s.when(manage(ManageVerb::CREATE, ObjectKind::QUEUE, "q1", {{"queue_type", "", "e"}}));
  const auto ask = [&](const given_values& v) { return s.when(manage(ManageVerb::UNSET, ObjectKind::QUEUE, "q1", v)); };
  const auto get = [&](attributes::attribute_id id) { return value_of(s.state.attributes, id); };
  check_every_default(ObjectKind::QUEUE, {{"total_jobs", read_only}, {"state_count", read_only}}, ask, get);
  // enabled and started have no first value, as its transcripts say.
  change_what_may_change(s, ObjectKind::QUEUE, "q1", {{"enabled", "True"}, {"started", "True"}, {"Priority", "3"}});
  for (const char* name : {"enabled", "started", "Priority"}) {
    const auto* row = attributes::find(ObjectKind::QUEUE, name);
    BOOST_REQUIRE(row);
    BOOST_TEST(after_unset(*row, ask, get) == gone, name);
  }
}

BOOST_AUTO_TEST_CASE(of_schedulers) {
  for (const std::string name : {"default", "sc1"}) {
    object_story<model::scheduler_state, model::scheduler_command> s;
    s.when(manage(ManageVerb::CREATE, ObjectKind::SCHEDULER, name));
    change_what_may_change(s, ObjectKind::SCHEDULER, name,
                           {{"sched_cycle_length", "00:05:00"}, {"scheduling", name == "default" ? "False" : "True"},
                            {"scheduler_iteration", "5"}, {"preempt_queue_prio", "7"}, {"preempt_order", "R"}, {"log_events", "1"},
                            {"server_dyn_res_alarm", "7"}});
    check_every_default(
        ObjectKind::SCHEDULER,
        {{"sched_cycle_length", again}, {"throughput_mode", again}, {"job_run_wait", again}, {"scheduler_iteration", again},
         {"preempt_queue_prio", again}, {"preempt_prio", again}, {"preempt_order", again}, {"preempt_sort", again},
         {"log_events", again}, {"server_dyn_res_alarm", again}, {"state", read_only},
         {"scheduling", name == "default" ? "True" : again}},
        [&](const given_values& v) { return s.when(manage(ManageVerb::UNSET, ObjectKind::SCHEDULER, name, v)); },
        [&](attributes::attribute_id id) { return value_of(s.state.attributes, id); });
  }
}

BOOST_AUTO_TEST_CASE(of_a_vnode) {
  object_story<model::host_state, model::host_command> s;
  s.when(manage(ManageVerb::CREATE, ObjectKind::NODE, "borg"));
  change_what_may_change(s, ObjectKind::NODE, "borg", {{"resv_enable", "False"}});
  check_every_default(
      ObjectKind::NODE,
      {{"Port", stays}, {"pbs_version", read_only}, {"ntype", no_node_value}, {"state", no_node_value}, {"resv_enable", gone},
       {"sharing", read_only}},
      [&](const given_values& v) { return s.when(manage(ManageVerb::UNSET, ObjectKind::NODE, "borg", v)); },
      [&](attributes::attribute_id id) {
        const auto* vnode = s.state.vnode("borg");
        BOOST_REQUIRE(vnode);
        if (id == attributes::node::Port) return std::to_string(s.state.port);  // the host's
        return value_of(vnode->attributes, id);
      });
}

BOOST_AUTO_TEST_CASE(of_a_hook) {
  object_story<model::hook_state, model::hook_command> s;
  const auto ask = [&](ManageVerb verb, const given_values& v) {
    return s.when(model::manage_hook{manage(verb, ObjectKind::HOOK, "h1", v), {}});
  };
  BOOST_TEST(ask(ManageVerb::CREATE, {}) == "created");
  for (const setting& change : {setting{"enabled", "", "false"}, {"event", "", "execjob_prologue,exechost_periodic"}, {"alarm", "", "7"},
                                {"freq", "", "7"}, {"order", "", "7"}, {"debug", "", "true"}, {"fail_action", "", "offline_vnodes"}})
    BOOST_TEST(ask(ManageVerb::SET, {change}) == "changed", change.name);
  check_every_default(
      ObjectKind::HOOK,
      {{"type", again}, {"enabled", again}, {"user", again}, {"alarm", again}, {"freq", again}, {"order", again}, {"debug", again},
       {"fail_action", again}},
      [&](const given_values& v) { return ask(ManageVerb::UNSET, v); },
      [&](attributes::attribute_id id) { return value_of(s.state.attributes, id); });
  BOOST_TEST(ask(ManageVerb::UNSET, {{"event", "", "", schema::AttributeOp::UNSET}}) == "changed");
  BOOST_TEST(value_of(s.state.attributes, attributes::hook::event) == "");
}

BOOST_AUTO_TEST_SUITE_END()
