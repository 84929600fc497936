// `unset` of every attribute that a new object has a value of, on every kind of object that qmgr sets (the recordings: defaults and hooks).
#include <boost/test/unit_test.hpp>

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

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
// Words with a blank between them, by what becomes of these attributes.
using outcomes = std::vector<std::pair<std::string, std::string>>;

template <class Each>
void each_word(const std::string& words, Each&& each) {
  std::istringstream in(words);
  for (std::string word; in >> word;) each(word);
}

// The row is of an object that a story has made: asks for unset, and says what it led to.
template <class Ask, class Get>
std::string after_unset(const attributes::attribute& row, Ask&& ask, Get&& get) {
  const std::string before = get(row.id);
  const std::string answer = ask(given_values{{row.name, "", "", schema::AttributeOp::UNSET}});
  if (answer.starts_with("15")) return answer.substr(0, 5);
  const std::string now = get(row.id);
  if (now == "(none)") return gone;
  return answer.empty() && now == before ? stays : now == row.default_value ? again
                                                                            : now;
}

// Every row with a first value, and no other, is expected.
template <class Ask, class Get>
void check_every_default(ObjectKind kind, const outcomes& said, Ask&& ask, Get&& get) {
  expectation expected, seen;
  for (const auto& [what, names] : said) each_word(names, [&, &to = what](const std::string& name) { expected[name] = to; });
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

// "name=value ..." are set first, so that `again` is seen.
template <class Story>
void change(Story& s, ObjectKind kind, const std::string& object, const std::string& assignments) {
  each_word(assignments, [&](const std::string& one) {
    const auto at = one.find('=');
    const auto answer = s.when(manage(ManageVerb::SET, kind, object, {{one.substr(0, at), "", one.substr(at + 1)}}));
    BOOST_TEST(!answer.starts_with("15"), one << ": " << answer);
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(unset)

BOOST_AUTO_TEST_CASE(of_the_server) {
  object_story<model::server_state, model::server_command> s;
  s.when(model::server_up{"1", "borg", "borg", "UTC", std::string(16, 'u')});
  change(s, ObjectKind::SERVER, "",
         "scheduling=False log_events=1 mailer=/bin/other mail_from=x query_other_jobs=False scheduler_iteration=5 resv_enable=False "
         "node_fail_requeue=5 max_array_size=5 resend_term_delay=7 eligible_time_enable=True max_concurrent_provision=7");
  check_every_default(
      ObjectKind::SERVER,
      {{again,
        "scheduling log_events mailer mail_from query_other_jobs scheduler_iteration resv_enable max_array_size pbs_license_min "
        "pbs_license_max pbs_license_linger_time eligible_time_enable max_concurrent_provision clear_topjob_estimates_enable"},
       {gone, "default_queue node_fail_requeue resend_term_delay max_job_sequence_id"},
       {read_only, "server_state total_jobs state_count license_count power_provisioning"}},
      [&](const given_values& v) { return s.when(manage(ManageVerb::UNSET, ObjectKind::SERVER, "", v)); },
      [&](attributes::attribute_id id) { return value_of(s.state.attributes, id); });
}

BOOST_AUTO_TEST_CASE(of_a_queue) {
  object_story<model::queue_state, request> s;
  s.when(manage(ManageVerb::CREATE, ObjectKind::QUEUE, "q1", {{"queue_type", "", "e"}}));
  const auto ask = [&](const given_values& v) { return s.when(manage(ManageVerb::UNSET, ObjectKind::QUEUE, "q1", v)); };
  const auto get = [&](attributes::attribute_id id) { return value_of(s.state.attributes, id); };
  check_every_default(ObjectKind::QUEUE, {{read_only, "total_jobs state_count"}}, ask, get);
  // enabled and started have no first value, as its transcripts say.
  change(s, ObjectKind::QUEUE, "q1", "enabled=True started=True Priority=3");
  for (const char* name : {"enabled", "started", "Priority"}) {
    const auto* row = attributes::find(ObjectKind::QUEUE, name);
    BOOST_REQUIRE(row);
    BOOST_TEST(after_unset(*row, ask, get) == gone, name);
  }
}

BOOST_AUTO_TEST_CASE(of_schedulers) {
  for (const std::string name : {"default", "sc1"}) {
    const bool is_default = name == "default";
    object_story<model::scheduler_state, model::scheduler_command> s;
    s.when(manage(ManageVerb::CREATE, ObjectKind::SCHEDULER, name));
    change(s, ObjectKind::SCHEDULER, name,
           std::string("scheduling=") + (is_default ? "False" : "True") +
               " sched_cycle_length=00:05:00 scheduler_iteration=5 preempt_queue_prio=7 preempt_order=R log_events=1"
               " server_dyn_res_alarm=7");
    check_every_default(
        ObjectKind::SCHEDULER,
        {{again,
          "sched_cycle_length throughput_mode job_run_wait scheduler_iteration preempt_queue_prio preempt_prio preempt_order "
          "preempt_sort log_events server_dyn_res_alarm"},
         {is_default ? "True" : again, "scheduling"},
         {read_only, "state"}},
        [&](const given_values& v) { return s.when(manage(ManageVerb::UNSET, ObjectKind::SCHEDULER, name, v)); },
        [&](attributes::attribute_id id) { return value_of(s.state.attributes, id); });
  }
}

BOOST_AUTO_TEST_CASE(of_a_vnode) {
  object_story<model::host_state, model::host_command> s;
  s.when(manage(ManageVerb::CREATE, ObjectKind::NODE, "borg"));
  change(s, ObjectKind::NODE, "borg", "resv_enable=False");
  check_every_default(
      ObjectKind::NODE,
      {{stays, "Port"}, {read_only, "pbs_version sharing"}, {no_node_value, "ntype state"}, {gone, "resv_enable"}},
      [&](const given_values& v) { return s.when(manage(ManageVerb::UNSET, ObjectKind::NODE, "borg", v)); },
      [&](attributes::attribute_id id) {
        const auto* vnode = s.state.vnode("borg");
        BOOST_REQUIRE(vnode);
        if (id == attributes::node::Port) return std::to_string(s.state.port);  // the host's
        return value_of(vnode->attributes, id);
      });
}

BOOST_AUTO_TEST_CASE(of_what_a_vnode_only_shows) {
  object_story<model::host_state, model::host_command> s;
  s.when(manage(ManageVerb::CREATE, ObjectKind::NODE, "borg"));
  const auto ask = [&](ManageVerb verb, const setting& change) { return s.when(manage(verb, ObjectKind::NODE, "borg", {change})); };
  BOOST_TEST(ask(ManageVerb::UNSET, {"license", "", "", schema::AttributeOp::UNSET}).starts_with("15002 "));
  BOOST_TEST(ask(ManageVerb::SET, {"license", "", "l"}).starts_with("15002 "));
  BOOST_TEST(ask(ManageVerb::UNSET, {"pcpus", "", "", schema::AttributeOp::UNSET}).starts_with("15003 "));
}

BOOST_AUTO_TEST_CASE(of_a_hook) {
  object_story<model::hook_state, model::hook_command> s;
  const auto ask = [&](ManageVerb verb, const given_values& v) {
    return s.when(model::manage_hook{manage(verb, ObjectKind::HOOK, "h1", v), {}});
  };
  BOOST_TEST(ask(ManageVerb::CREATE, {}) == "created");
  each_word("enabled=false event=execjob_prologue,exechost_periodic alarm=7 freq=7 order=7 debug=true fail_action=offline_vnodes",
            [&](const std::string& one) {
              const auto at = one.find('=');
              BOOST_TEST(ask(ManageVerb::SET, {{one.substr(0, at), "", one.substr(at + 1)}}) == "changed", one);
            });
  check_every_default(
      ObjectKind::HOOK, {{again, "type enabled user alarm freq order debug fail_action"}},
      [&](const given_values& v) { return ask(ManageVerb::UNSET, v); },
      [&](attributes::attribute_id id) { return value_of(s.state.attributes, id); });
  BOOST_TEST(ask(ManageVerb::UNSET, {{"event", "", "", schema::AttributeOp::UNSET}}) == "changed");
  BOOST_TEST(value_of(s.state.attributes, attributes::hook::event) == "");
}

BOOST_AUTO_TEST_SUITE_END()
