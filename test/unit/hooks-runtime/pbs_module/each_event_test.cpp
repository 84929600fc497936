// Every event of the catalogue, in a real worker: each of its parameters is there with its type, and what a script may
// write is what the catalogue says and nothing else (pbs guide, "hooks: events").
#include <boost/test/unit_test.hpp>

#include <map>

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
                                      {"Output_Path", "", "'h:/o'"},
                                      {"Variable_List", "", "'A=1'"},
                                      {"queue", "", "'long'"},
                                      {"comment", "", "'c'"},
                                      {"Job_Owner", "", "'root@h'"},
                                      {"ctime", "", "5"},
                                      {"exec_vnode", "", "'(n1:ncpus=1)'"},
                                      {"create_resv_from_job", "", "True"}};
const std::vector<attempt> on_vnodes = {
    {"state", "", "pbs.ND_OFFLINE"}, {"comment", "", "'c'"}, {"resources_available", "ncpus", "2"}};
const std::vector<attempt> on_reservations = {{"Reserve_Name", "", "'r'"}, {"Resource_List", "ncpus", "2"}};

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
    case parameter_kind::text:
    case parameter_kind::number:
    case parameter_kind::texts:
    case parameter_kind::pairs:
      break;
  }
  return nullptr;
}

bool is_dict(parameter_kind kind) {
  return kind == parameter_kind::jobs || kind == parameter_kind::vnodes || kind == parameter_kind::reservations;
}

const char* python_type(parameter_kind kind) {
  switch (kind) {
    case parameter_kind::job:
      return "pbs.job";
    case parameter_kind::vnode:
      return "pbs.vnode";
    case parameter_kind::reservation:
      return "pbs.resv";
    case parameter_kind::management:
      return "pbs.management";
    case parameter_kind::vnodes:
    case parameter_kind::jobs:
    case parameter_kind::reservations:
      return "dict";
    case parameter_kind::text:
      return "str";
    case parameter_kind::number:
      return "int";
    case parameter_kind::texts:
      return "list";
    case parameter_kind::pairs:
      return "pbs.pbs_env";
  }
  return "";
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
  } else if (what.kind == parameter_kind::text) {
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

// A script that tries every write and logs "parameter.attribute yes|no".
std::string script_for(const hooks::hook_event& event) {
  std::string out =
      "import pbs\ne = pbs.event()\ndef attempt(name, write):\n    try: write(); said = 'yes'\n"
      "    except (pbs.BadAttributeValueError, pbs.EventIncompatibleError): said = 'no'\n    pbs.logmsg(1, name + ' ' "
      "+ said)\n";
  for (const auto& p : event.parameters) {
    const std::string name = p.name;
    out += "assert type(e." + name + ") is " + python_type(p.kind) + ", type(e." + name + ")\n";
    const std::string object = "e." + name + (is_dict(p.kind) ? "['x']" : "");
    if (const auto* attempts = attempts_on(p.kind))
      for (const auto& a : *attempts)
        out += "attempt('" + name + "." + a.attribute + "', lambda: " +
               (*a.resource ? object + "." + a.attribute + ".__setitem__('" + a.resource + "', " + a.value + ")"
                            : "setattr(" + object + ", '" + a.attribute + "', " + a.value + ")") +
               ")\n";
    else if (p.kind != parameter_kind::management)
      out += "attempt('" + name + "', lambda: setattr(e, '" + name + "', e." + name + "))\n";
  }
  // Every other parameter of any event is unknown to this one.
  for (const auto& other : hooks::hook_events())
    for (const auto& p : other.parameters)
      if (!hooks::find_parameter(event, p.name))
        out += std::string("try: e.") + p.name +
               "\nexcept pbs.EventIncompatibleError: pass\nelse: raise AssertionError('" + p.name + "')\n";
  return out + "e.reject('done')\n";
}

std::map<std::string, bool> expected(const hooks::hook_event& event) {
  std::map<std::string, bool> out;
  for (const auto& p : event.parameters) {
    const std::string name = p.name;
    if (const auto* attempts = attempts_on(p.kind))
      for (const auto& a : *attempts)
        out[name + "." + a.attribute] = hooks::may_write(p, a.attribute, true) == hooks::set_answer::yes;
    else if (p.kind != parameter_kind::management)
      out[name] = p.set == hooks::may_set::whole;
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(each_event)

BOOST_AUTO_TEST_CASE(scripts_read_and_write_what_the_catalogue_says) {
  hook_runs runs;
  for (const auto& event : hooks::hook_events()) {
    auto order = hook_runs::order_of({.source = script_for(event), .event = event.name});
    order.request = schema::make<hooks::protocol::Request>([&](hooks::protocol::Request::Builder b) {
      b.setEvent(event.bit);
      b.setHookName("h1");
      auto parameters = b.initParameters(static_cast<unsigned>(event.parameters.size()));
      for (unsigned i = 0; i < parameters.size(); ++i) fill(event.parameters[i], parameters[i]);
    });
    std::promise<hooks::sealed_reply> got;
    runs.pool().run(order, [&](hooks::sealed_reply r) { got.set_value(std::move(r)); });
    const auto reply = got.get_future().get();
    BOOST_TEST(message_of(reply) == "done", event.name << ": " << schema::str(reply.get().getTraceback()));
    std::map<std::string, bool> said;
    for (const auto line : reply.get().getLog()) {
      const std::string text = schema::str(line.getMessage());
      if (const auto blank = text.rfind(' '); text.ends_with(" yes") || text.ends_with(" no"))
        said[text.substr(0, blank)] = text.ends_with(" yes");
    }
    for (const auto& [what, may] : expected(event))
      BOOST_TEST((said.contains(what) && said[what] == may),
                 event.name << ": " << what << (may ? " may be set" : " may not be set"));
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
