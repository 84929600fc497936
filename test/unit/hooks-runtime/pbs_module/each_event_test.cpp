// Every event, in a real worker: its parameters are there with their types, and a script may write what PBS says and
// nothing else. What is expected stands here word by word, not in the catalogue (pbs guide, "hooks: events",
// "results").
#include <boost/test/unit_test.hpp>

#include <map>
#include <set>

#include "test/support/hook_runs.hpp"

using namespace annals;
using namespace annals::test;
using hooks::parameter_kind;

namespace {

// What is tried on each kind of object, with a value that is good.
struct attempt {
  const char* attribute;
  const char* resource;
  const char* value;
};
const std::vector<attempt> on_jobs = {{"Priority", "", "3"},
                                      {"Job_Name", "", "'x'"},
                                      {"Hold_Types", "", "pbs.hold_types('s')"},
                                      {"Execution_Time", "", "1800000000"},
                                      {"Resource_List", "ncpus", "2"},
                                      {"resources_used", "cput", "5"},
                                      {"run_count", "", "2"},
                                      {"project", "", "'p'"},
                                      {"depend", "", "pbs.depend('afterok:1')"},
                                      {"Error_Path", "", "'h:/e'"},
                                      {"Output_Path", "", "'h:/o'"},
                                      {"Variable_List", "", "'A=1'"},
                                      {"queue", "", "'long'"},
                                      {"comment", "", "'c'"},
                                      {"Job_Owner", "", "'root@h'"},
                                      {"ctime", "", "5"},
                                      {"session_id", "", "5"},
                                      {"exec_vnode", "", "'(n1:ncpus=1)'"},
                                      {"create_resv_from_job", "", "True"}};
const std::vector<attempt> on_vnodes = {
    {"state", "", "pbs.ND_OFFLINE"}, {"comment", "", "'c'"}, {"resources_available", "ncpus", "2"}};
const std::vector<attempt> on_reservations = {
    {"Reserve_Name", "", "'r'"}, {"Resource_List", "ncpus", "2"}, {"reserve_state", "", "2"}, {"partition", "", "'p'"}};
const std::vector<attempt> on_management = {{"cmd", "", "1"}, {"objname", "", "'x'"}};

const std::vector<attempt>* attempts_on(parameter_kind kind) {
  switch (kind) {
    case parameter_kind::job:
    case parameter_kind::jobs:
      return &on_jobs;
    case parameter_kind::vnode:
    case parameter_kind::vnodes:
      return &on_vnodes;
    case parameter_kind::reservation:
    case parameter_kind::reservations:
      return &on_reservations;
    case parameter_kind::management:
      return &on_management;
    case parameter_kind::queue:
    case parameter_kind::text:
    case parameter_kind::number:
    case parameter_kind::texts:
    case parameter_kind::pairs:
      break;
  }
  return nullptr;
}

// -- what PBS says ---------------------------------------------------------------------------------------------------

constexpr const char* of_users =
    "Priority Job_Name Hold_Types Execution_Time Resource_List run_count project depend Error_Path Output_Path "
    "Variable_List comment create_resv_from_job";
constexpr const char* of_submitters =
    "Priority Job_Name Hold_Types Execution_Time Resource_List run_count project depend Error_Path Output_Path "
    "Variable_List comment create_resv_from_job queue";
constexpr const char* of_runs =
    "Hold_Types Execution_Time project Error_Path Output_Path Resource_List Variable_List depend create_resv_from_job";
constexpr const char* of_looks = "Hold_Types Execution_Time project depend Resource_List Variable_List comment";
constexpr const char* of_starts = "Execution_Time Hold_Types resources_used run_count Variable_List";
constexpr const char* of_hosts = "Execution_Time Hold_Types resources_used run_count";
constexpr const char* of_vnodes = "state comment resources_available";
constexpr const char* of_reservations = "Reserve_Name Resource_List";
constexpr const char* all_of_it = "*";  // the parameter itself
constexpr const char* read_only = "";   // an object with nothing to write, or a plain value

struct in_event {
  const char *name, *type, *writable;
};
struct expected_event {
  const char* name;
  std::uint32_t bit;
  std::vector<in_event> parameters;
};
const in_event vnodes{"vnode_list", "dict", of_vnodes}, seen_vnodes{"vnode_list", "dict", read_only},
    failed{"vnode_list_fail", "dict", of_vnodes}, seen_job{"job", "pbs.job", read_only},
    host_job{"job", "pbs.job", of_hosts}, starting_job{"job", "pbs.job", of_starts}, seen_resv{"resv", "pbs.resv", read_only};

const std::vector<expected_event> pbs_says = {
    {"queuejob", 0x1, {{"job", "pbs.job", of_submitters}}},
    {"postqueuejob", 0x8000000, {{"job", "pbs.job", of_looks}}},
    {"modifyjob", 0x2, {{"job", "pbs.job", of_users}, {"job_o", "pbs.job", read_only}}},
    {"movejob", 0x8, {{"job", "pbs.job", "queue"}, {"src_queue", "pbs.queue", read_only}}},
    {"runjob", 0x10, {{"job", "pbs.job", of_runs}, {"vnode_list", "dict", "state"}}},
    {"jobobit", 0x800000, {seen_job}},
    {"resvsub", 0x4, {{"resv", "pbs.resv", of_reservations}}},
    {"modifyresv", 0x4000000, {{"resv", "pbs.resv", of_reservations}, {"resv_o", "pbs.resv", read_only}}},
    {"resv_confirm", 0x2000000, {seen_resv}},
    {"resv_begin", 0x1000000, {seen_resv}},
    {"resv_end", 0x10000, {seen_resv}},
    {"management", 0x200000, {{"management", "pbs.management", read_only}}},
    {"modifyvnode", 0x400000, {{"vnode", "pbs.vnode", read_only}, {"vnode_o", "pbs.vnode", read_only}}},
    {"provision", 0x20, {{"aoe", "str", read_only}, {"vnode", "str", read_only}}},
    {"periodic", 0x8000, {vnodes, {"resv_list", "dict", read_only}}},
    {"execjob_begin", 0x40, {starting_job, vnodes}},
    {"execjob_prologue", 0x80, {starting_job, vnodes, failed}},
    {"execjob_launch",
     0x800,
     {host_job,
      vnodes,
      failed,
      {"progname", "str", all_of_it},
      {"argv", "list", all_of_it},
      {"env", "pbs.pbs_env", all_of_it}}},
    {"execjob_attach", 0x4000, {seen_job, {"pid", "int", read_only}, seen_vnodes}},
    {"execjob_preterm", 0x400, {host_job, vnodes}},
    {"execjob_epilogue", 0x100, {host_job, vnodes}},
    {"execjob_end", 0x200, {host_job, vnodes}},
    {"execjob_abort", 0x40000, {host_job, vnodes}},
    {"execjob_resize", 0x20000, {seen_job, seen_vnodes}},
    {"execjob_postsuspend", 0x80000, {seen_job, seen_vnodes}},
    {"execjob_preresume", 0x100000, {seen_job, seen_vnodes}},
    {"exechost_startup", 0x2000, {vnodes}},
    {"exechost_periodic", 0x1000, {vnodes, {"job_list", "dict", "resources_used"}}},
};

parameter_kind kind_in(const expected_event& event, const std::string& name) {
  const auto* found = hooks::find_parameter(*hooks::find_event(event.name), name);
  BOOST_REQUIRE_MESSAGE(found, event.name << " has no " << name);
  return found->kind;
}

bool is_dict(parameter_kind kind) {
  return kind == parameter_kind::jobs || kind == parameter_kind::vnodes || kind == parameter_kind::reservations;
}

void fill(const hooks::parameter& what, hooks::protocol::Parameter::Builder p) {
  using hooks::protocol::ObjectKind;
  p.setName(what.name);
  const auto kind = what.kind == parameter_kind::job || what.kind == parameter_kind::jobs       ? ObjectKind::JOB
                    : what.kind == parameter_kind::vnode || what.kind == parameter_kind::vnodes ? ObjectKind::VNODE
                    : what.kind == parameter_kind::management                                   ? ObjectKind::MANAGEMENT
                                                                                                : ObjectKind::RESERVATION;
  if (is_dict(what.kind)) {
    auto one = p.initObjects(1)[0];
    one.setKind(kind);
    one.setName("x");
  } else if (what.kind == parameter_kind::text || what.kind == parameter_kind::queue) {
    p.setText("t");
  } else if (what.kind == parameter_kind::number) {
    p.setNumber(7);
  } else if (what.kind == parameter_kind::texts) {
    p.initTexts(1).set(0, "a");
  } else if (what.kind == parameter_kind::pairs) {
    p.initPairs(0);
  } else {
    auto one = p.initObject();
    one.setKind(kind);
    one.setName("x");
  }
}

// A script that tries every write and logs "parameter.attribute|yes", or what it was refused with.
std::string script_for(const expected_event& event) {
  std::string out =
      "import pbs\ne = pbs.event()\ndef attempt(name, write):\n    try: write(); said = 'yes'\n"
      "    except (pbs.BadAttributeValueError, pbs.EventIncompatibleError) as x: said = str(x)\n"
      "    pbs.logmsg(1, name + '|' + said)\n";
  std::set<std::string> names;
  for (const auto& p : event.parameters) {
    const std::string name = *names.insert(p.name).first;
    const auto kind = kind_in(event, name);
    out += "assert type(e." + name + ") is " + p.type + ", type(e." + name + ")\n";
    const std::string object = "e." + name + (is_dict(kind) ? "['x']" : "");
    if (const auto* attempts = attempts_on(kind))
      for (const auto& a : *attempts)
        out += "attempt('" + name + "." + a.attribute + "', lambda: " +
               (*a.resource ? object + "." + a.attribute + ".__setitem__('" + a.resource + "', " + a.value + ")"
                            : "setattr(" + object + ", '" + a.attribute + "', " + a.value + ")") +
               ")\n";
    else
      out += "attempt('" + name + "', lambda: setattr(e, '" + name + "', e." + name + "))\n";
  }
  // Every other parameter of any event is unknown to this one.
  for (const auto& other : pbs_says)
    for (const auto& p : other.parameters)
      if (names.insert(p.name).second)
        out += std::string("try: e.") + p.name +
               "\nexcept pbs.EventIncompatibleError: pass\nelse: raise AssertionError('" + p.name + "')\n";
  return out + "e.reject('done')\n";
}

const char* word_of(parameter_kind kind) {
  return kind == parameter_kind::reservation ? "resv" : kind == parameter_kind::vnodes ? "vnode"
                                                                                       : "job";
}

// "yes", or PBS's refusal.
std::map<std::string, std::string> expected(const expected_event& event) {
  const std::string launch =
      "Can only set progname, argv, env event parameters as well as job, resource, vnode under execjob_launch hook.";
  std::map<std::string, std::string> out;
  for (const auto& p : event.parameters) {
    const std::string name = p.name;
    const auto kind = kind_in(event, name);
    const std::string writable = p.writable;
    const auto* attempts = attempts_on(kind);
    if (!attempts)
      out[name] = writable == all_of_it ? "yes" : "event attribute '" + name + "' is readonly";
    else
      for (const auto& a : *attempts) {
        const std::string attribute = a.attribute;
        out[name + "." + attribute] = (" " + writable + " ").find(" " + attribute + " ") != std::string::npos ? "yes"
                                      : std::string_view(event.name) == "execjob_launch"                      ? launch
                                      : writable == read_only
                                          ? "attribute '" + attribute + "' is part of a readonly object"
                                          : std::string(word_of(kind)) + " attribute '" + attribute + "' is readonly";
      }
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(each_event)

BOOST_AUTO_TEST_CASE(the_events_are_those_of_pbs) {
  BOOST_TEST(hooks::hook_events().size() == pbs_says.size());
  for (const auto& event : pbs_says) {
    const auto* row = hooks::find_event(event.name);
    BOOST_REQUIRE_MESSAGE(row, event.name);
    BOOST_TEST(row->bit == event.bit, event.name);
    BOOST_TEST(row->parameters.size() == event.parameters.size(), event.name);
  }
}

BOOST_AUTO_TEST_CASE(scripts_read_and_write_what_pbs_says_and_are_refused_in_its_words) {
  hook_runs runs;
  for (const auto& event : pbs_says) {
    const auto& row = *hooks::find_event(event.name);
    auto order = hook_runs::order_of({.source = script_for(event), .event = event.name});
    order.request = schema::make<hooks::protocol::Request>([&](hooks::protocol::Request::Builder b) {
      b.setEvent(row.bit);
      b.setHookName("h1");
      auto parameters = b.initParameters(static_cast<unsigned>(row.parameters.size()));
      for (unsigned i = 0; i < parameters.size(); ++i) fill(row.parameters[i], parameters[i]);
    });
    std::promise<hooks::sealed_reply> got;
    runs.pool().run(order, [&](hooks::sealed_reply r) { got.set_value(std::move(r)); });
    const auto reply = got.get_future().get();
    BOOST_TEST(message_of(reply) == "done", event.name << ": " << schema::str(reply.get().getTraceback()));
    std::map<std::string, std::string> said;
    for (const auto line : reply.get().getLog()) {
      const std::string text = schema::str(line.getMessage());
      if (const auto bar = text.find('|'); bar != std::string::npos) said[text.substr(0, bar)] = text.substr(bar + 1);
    }
    for (const auto& [what, answer] : expected(event))
      BOOST_TEST(said[what] == answer, event.name << ": " << what << ": " << said[what]);
  }
}

BOOST_AUTO_TEST_CASE(a_rejection_is_told_by_every_event) {
  hook_runs runs;
  for (const auto& event : hooks::hook_events())
    BOOST_TEST(summary(runs.run(
                   {.source = "import pbs\nassert pbs.event().type == pbs.event().type > 0\npbs.event().reject('no')\n",
                    .event = event.name})) == "reject 'no'",
               event.name);
}

BOOST_AUTO_TEST_SUITE_END()
