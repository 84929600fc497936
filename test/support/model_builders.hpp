// Builders for tests of the model: requests, reports, a site, and job_story, which tells a job's life command by command.
// "given" is what a story went through, "when" a command, "then" the names of the events it led to, or the refusal.
#pragma once

#include <capnp/dynamic.h>
#include <capnp/schema.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/attributes/ids.hpp"
#include "events/model/host/host.hpp"
#include "events/model/job/job.hpp"
#include "events/model/ledger.hpp"
#include "events/model/run/run.hpp"
#include "events/model/settings.hpp"
#include "events/schema/daemon/from_mom.capnp.h"

namespace annals::test {

using schema::HoldType;

inline model::requester user(std::string name = "user1") { return {std::move(name), "borg", schema::Role::USER}; }
inline model::requester operator_() { return {"oper", "borg", schema::Role::OPERATOR}; }
inline model::requester manager() { return {"mgr", "borg", schema::Role::MANAGER}; }
inline model::requester root() { return {"root", "borg", schema::Role::ROOT}; }
inline model::requester the_server() { return {"root", "borg", schema::Role::SERVER}; }
inline model::requester the_scheduler() { return {"Scheduler", "borg", schema::Role::SCHEDULER}; }

// The events of one kind of stream: how many there are, what the schema calls them, and each of them bare.
template <class Kind>
int count_of() { return static_cast<int>(capnp::Schema::from<Kind>().getUnionFields().size()); }

template <class Kind>
std::string name_of_kind(typename Kind::Which which) {
  for (auto field : capnp::Schema::from<Kind>().getUnionFields())
    if (field.getProto().getDiscriminantValue() == static_cast<std::uint16_t>(which)) return field.getProto().getName().cStr();
  return "?";
}
inline std::string name_of(schema::JobEvent::Which w) { return name_of_kind<schema::JobEvent>(w); }
inline std::string name_of(schema::RunEvent::Which w) { return name_of_kind<schema::RunEvent>(w); }

// Whether a transition table lists the event in any phase.
template <class Rows, class Which>
bool has_row(const Rows& transitions, Which event) {
  return std::ranges::any_of(transitions, [&](const auto& row) { return row.event == event; });
}

// Empty; for a run's step, with an empty step.
template <class Builder>
void fill_bare(Builder kind, std::uint16_t which) {
  capnp::DynamicStruct::Builder any = capnp::toDynamic(kind);
  for (auto field : any.getSchema().getUnionFields())
    if (field.getProto().getDiscriminantValue() == which) any.clear(field);
}

// "held released", "" for no change, "15007 Unauthorized Request " for a refusal.
inline std::string said(const model::outcome& o) {
  if (!o.accepted()) return std::to_string(o.why().code) + " " + o.why().text;
  std::string names;
  for (const auto& e : o.events()) names += (names.empty() ? "" : " ") + schema::event_name(e.get());
  return names;
}

struct setting {
  std::string name, resource, value;
  schema::AttributeOp op = schema::AttributeOp::SET;
};
using given_values = std::vector<setting>;

template <class List>
void fill(List&& list, const given_values& from) {
  for (unsigned i = 0; i < from.size(); ++i) {
    list[i].setName(from[i].name);
    list[i].setResource(from[i].resource);
    list[i].setValue(from[i].value);
    list[i].setOp(from[i].op);
  }
}

using request = schema::sealed<schema::Request>;
template <class Fill>
request make_request(Fill&& f) { return schema::make<schema::Request>(std::forward<Fill>(f)); }

inline request manage(schema::ManageVerb verb, schema::ObjectKind kind, const std::string& name, const given_values& s = {}) {
  return make_request([&](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(verb);
    m.setKind(kind);
    m.setName(name);
    fill(m.initChanges(static_cast<unsigned>(s.size())), s);
  });
}

// -- a job's commands ----------------------------------------------------------------------------------------------------

inline model::submit_job submission(std::uint64_t number, const given_values& s = {}, const std::string& queue = "") {
  model::submit_job c;
  c.request = make_request([&](schema::Request::Builder r) {
    auto q = r.initQueueJob();
    q.setQueue(queue);
    fill(q.initAttributes(static_cast<unsigned>(s.size())), s);
  });
  c.number = number;
  c.euser = "user1";
  c.egroup = "group1";
  return c;
}
inline model::client_request hold(std::initializer_list<HoldType> types) {
  return {make_request([&](schema::Request::Builder r) {
    auto list = r.initHoldJob().initHolds(static_cast<unsigned>(types.size()));
    unsigned i = 0;
    for (auto t : types) list.set(i++, t);
  })};
}
inline model::client_request release(std::initializer_list<HoldType> types) {
  return {make_request([&](schema::Request::Builder r) {
    auto list = r.initReleaseJob().initHolds(static_cast<unsigned>(types.size()));
    unsigned i = 0;
    for (auto t : types) list.set(i++, t);
  })};
}
inline model::client_request remove(bool force = false, bool purge = false) {
  return {make_request([&](schema::Request::Builder r) {
    auto d = r.initDeleteJob();
    d.setForce(force);
    d.setPurgeHistory(purge);
  })};
}
inline model::client_request rerun(bool force = false) {
  return {make_request([&](schema::Request::Builder r) { r.initRerunJob().setForce(force); })};
}
inline model::client_request signal(const std::string& name) {
  return {make_request([&](schema::Request::Builder r) { r.initSignalJob().setSignal(name); })};
}
inline model::client_request message(const std::string& text, bool to_errors = true, bool to_output = false) {
  return {make_request([&](schema::Request::Builder r) {
    auto m = r.initMessageJob();
    m.setText(text);
    m.setToErrors(to_errors);
    m.setToOutput(to_output);
  })};
}
inline model::client_request move(const std::string& destination) {
  return {make_request([&](schema::Request::Builder r) { r.initMoveJob().setDestination(destination); })};
}
inline model::client_request alter(const given_values& s) {
  return {make_request([&](schema::Request::Builder r) { fill(r.initAlterJob().initChanges(static_cast<unsigned>(s.size())), s); })};
}
inline model::proposed_run propose(const std::string& exec_vnode = "(borg:ncpus=1)", const std::string& host = "borg") {
  return {schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
            auto p = m.initRun();
            p.setExecVnode(exec_vnode);
            std::string slots = host + "/0";  // an entry for each chunk
            for (auto n = std::count(exec_vnode.begin(), exec_vnode.end(), '('); n > 1; --n) slots += "+" + host + "/0";
            p.setExecHost(slots);
            p.initHosts(1).set(0, host);
          }),
          "default"};
}

// Of an array: that this subjob of it is run.
inline model::proposed_run propose_subjob(std::uint32_t index, const std::string& host = "borg") {
  return {schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
            auto p = m.initRun();
            p.setExecVnode("(" + host + ":ncpus=1)");
            p.setExecHost(host + "/0");
            p.initHosts(1).set(0, host);
            p.setOfArray(true);
            p.setIndex(index);
          }),
          "default"};
}

// Of one cpu on each of these hosts, the first is the primary.
inline model::proposed_run propose_hosts(const std::vector<std::string>& hosts) {
  return {schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
            auto p = m.initRun();
            auto list = p.initHosts(static_cast<unsigned>(hosts.size()));
            std::string vnodes, slots;
            for (unsigned i = 0; i < hosts.size(); ++i) {
              list.set(i, hosts[i]);
              vnodes += (i ? "+(" : "(") + hosts[i] + ":ncpus=1)";
              slots += (i ? "+" : "") + hosts[i] + "/0";
            }
            p.setExecVnode(vnodes);
            p.setExecHost(slots);
          }),
          "default"};
}

struct measured {
  std::uint64_t cpu_s = 0, mem_kb = 0, wall_s = 0;
  std::uint32_t ncpus = 1;
};
inline ports::run_usage as_measured(const measured& m) {
  return {.cpu_seconds = m.cpu_s, .mem_kb = m.mem_kb, .vmem_kb = m.mem_kb * 2, .wall_seconds = m.wall_s, .ncpus = m.ncpus};
}
// Of a run on one host.
inline void fill(capnp::List<schema::HostUsage>::Builder hosts, const std::string& host, const measured& m) {
  model::write_host_usage({host, model::measured_usage(as_measured(m)), 1}, hosts[0]);
}
template <class Fill>
model::mom_report report(Fill&& f) { return {schema::make<schema::FromMom>(std::forward<Fill>(f)), "borg"}; }
inline void fill(schema::RunRef::Builder ref, const model::job_state& job, std::uint32_t run) {
  ref.setJobSerial(job.serial);
  ref.setRun(run);
  ref.setJob(job.id);
}

// -- the site ------------------------------------------------------------------------------------------------------------

inline model::settings small_settings() {
  model::settings s;
  s.server_name = s.host_name = "borg";
  s.server.set(attributes::server::default_queue, "workq");
  s.server.set(attributes::server::default_chunk, "ncpus", "1");
  s.server.set(attributes::server::resources_default, "ncpus", "1");
  s.server.set(attributes::server::job_history_enable, "True");
  auto& q = s.queues["workq"].attributes;
  q.set(attributes::queue::queue_type, "Execution");
  q.set(attributes::queue::enabled, "True");
  q.set(attributes::queue::started, "True");
  return s;
}

// -- one job's life ------------------------------------------------------------------------------------------------------

class job_story {
 public:
  model::job_state job;
  model::settings settings = small_settings();
  std::int64_t now_s = 1'795'222'000;
  std::uint64_t sequence = 0, serial = 7;
  std::vector<std::pair<model::event_place, model::event>> history;

  model::outcome ask(const model::job_command& command, const model::requester& by = user()) const {
    return model::decide(job, command, {now_s * 1'000'000'000, by}, settings);
  }
  // Decides and takes in what comes of it.
  std::string when(const model::job_command& command, const model::requester& by = user()) {
    const auto o = ask(command, by);
    if (o.accepted())
      for (const auto& e : o.events()) happens(e, by);
    return said(o);
  }
  void happens(const model::event& e, const model::requester& by = the_server()) {
    const model::event_place at{++sequence, serial, job.version + 1, now_s * 1'000'000'000, by};
    history.emplace_back(at, e);
    model::apply(job, at, e.get());
  }
  // From the run's primary host.
  template <class Fill>
  model::mom_report report(Fill&& f) const {
    auto said = test::report(std::forward<Fill>(f));
    if (!job.hosts.empty()) said.host = job.hosts.front();
    return said;
  }
  job_story& later(std::int64_t seconds) {
    now_s += seconds;
    return *this;
  }

  // What the MoM reports, of this run unless another is named.
  std::string starts(std::uint32_t run = 0, bool can_checkpoint = false) {
    return when(report([&](auto m) {
                  auto r = m.initRunStarted();
                  fill(r.initRef(), job, run ? run : job.run);
                  r.setSession(4711);
                  r.setCanCheckpoint(can_checkpoint);
                }),
                the_server());
  }
  std::string refuses(std::int32_t code, std::uint32_t run = 0, const std::string& text = "") {
    return when(report([&](auto m) {
                  auto r = m.initRunRefused();
                  fill(r.initRef(), job, run ? run : job.run);
                  r.setCode(code);
                  r.setText(text);
                }),
                the_server());
  }
  std::string uses(const measured& u, std::uint32_t run = 0) {
    return when(report([&](auto m) {
                  auto r = m.initRunUsage();
                  fill(r.initRef(), job, run ? run : job.run);
                  fill(r.initHosts(1), job.hosts.empty() ? "borg" : job.hosts.front(), u);
                  r.setSession(4711);
                  r.setJobdir("/home/user1");
                }),
                the_server());
  }
  // The MoM says that everything up to this request is done.
  std::string obeys(std::uint64_t request, std::uint32_t run = 0) {
    return when(report([&](auto m) {
                  auto d = m.initRequestDone();
                  fill(d.initRef(), job, run ? run : job.run);
                  d.setId(request);
                }),
                the_server());
  }
  std::string exits(std::int32_t code, const measured& u = {}, std::uint32_t run = 0) {
    return when(report([&](auto m) {
                  auto r = m.initRunExited();
                  fill(r.initRef(), job, run ? run : job.run);
                  r.setExitStatus(code);
                  fill(r.initHosts(1), job.hosts.empty() ? "borg" : job.hosts.front(), u);
                }),
                the_server());
  }
  // Tells the server of steps of the run, before the run is over.
  template <class Fill>
  std::string steps(Fill&& fill_step) {
    return when(report([&](auto m) {
                  auto r = m.initRunSteps();
                  fill(r.initRef(), job, job.run);
                  r.setFirst(job.steps);
                  fill_step(r.initSteps(1)[0].initStep());
                }),
                the_server());
  }
  std::string loses_to_the_kernel(const std::string& why) {
    return steps([&](schema::RunEvent::Builder step) {
      auto t = step.initTaskSettled();
      t.setTask(1);
      t.setStarted(true);
      t.setOver(true);
      t.setText(why);
    });
  }
  std::string leaves(bool delivered = true, std::uint32_t run = 0, const std::string& text = "") {
    return when(report([&](auto m) {
                  auto r = m.initRunLeft();
                  fill(r.initRef(), job, run ? run : job.run);
                  r.setDelivered(delivered);
                  r.setText(text);
                }),
                the_server());
  }

  std::string attribute(attributes::attribute_id id, std::string_view resource = {}) const {
    return std::string(job.attribute(id, resource));
  }
  std::string comment() const { return attribute(attributes::job::comment); }
  std::string state() const { return std::string(1, model::state_letter(job)) + " " + attribute(attributes::job::substate); }
};

// A job that has come to this phase in an ordinary way.
inline job_story given(model::job_phase phase, const given_values& s = {}) {
  using p = model::job_phase;
  job_story story;
  if (phase == p::none) return story;
  given_values all = s;
  if (phase == p::held) all.push_back({"Hold_Types", "", "u"});
  if (phase == p::waiting) all.push_back({"Execution_Time", "", std::to_string(story.now_s + 3600)});
  story.when(submission(12, all));
  if (phase >= p::assigned) story.when(propose(), the_scheduler());
  if (phase >= p::started) story.starts();
  if (phase == p::suspended) story.when(signal("suspend"), operator_());
  if (phase >= p::exiting) story.exits(0);
  if (phase >= p::finished) story.leaves();
  if (phase == p::forgotten) story.later(model::history_seconds(story.settings)).when(model::forget_job{}, the_server());
  return story;
}

inline const model::job_phase every_job_phase[] = {model::job_phase::none, model::job_phase::queued, model::job_phase::held,
                                                   model::job_phase::waiting, model::job_phase::assigned, model::job_phase::started,
                                                   model::job_phase::suspended, model::job_phase::exiting, model::job_phase::finished,
                                                   model::job_phase::forgotten};

}  // namespace annals::test
