// exechost_* hooks, and the talk with the server. The points of a run stand in hook_points.cpp.
#include "actors/mom/hooks/mom_hooks.hpp"

#include <caf/send.hpp>

#include "actors/mom/hooks/hook_objects.hpp"
#include "actors/runtime/run_this.hpp"

namespace annals::actors {

namespace {

// exechost_startup begins before there is a link: what its hooks ask waits for one. A link to a server that is there is made within a
// second; a host whose server is down comes up all the same.
constexpr std::int64_t startup_link_ns = 5'000'000'000;

}  // namespace

mom_hooks::mom_hooks(caf::event_based_actor* self, mom_hooks_parts parts, installed_hooks::tell_server tell)
    : self_(self),
      parts_(std::move(parts)),
      installed_(parts_, tell, [this] { wait_anew(); }),
      vnodes_(parts_),
      reports_(parts_, installed_, vnodes_, jobs_, tell),
      questions_(tell) {}

void mom_hooks::begin() {
  if (!parts_.runner) return;
  installed_.read_files();
  server_is_gone();
  run_startup();
}

void mom_hooks::read_again() {
  if (!parts_.runner) return;
  installed_.read_again();
  run_startup();
}

void mom_hooks::server_is_here() {
  questions_.server_is_here();
  installed_.server_is_here();
  reports_.tell_again();
}

void mom_hooks::server_is_gone() {
  questions_.server_is_gone();
  installed_.server_is_gone();
}

// -- this host -----------------------------------------------------------------------------------------------------------

std::shared_ptr<const hooks::chain_parts> mom_hooks::chain_parts() const {
  auto c = std::make_shared<hooks::chain_parts>();
  c->runner = parts_.runner;
  c->post = [to = caf::actor(self_)](std::function<void()> work) { caf::anon_send(to, run_this{std::move(work)}); };
  if (!parts_.notes) return c;
  c->note = [notes = parts_.notes](std::uint32_t bits, std::string_view cls, std::string_view object, std::string_view text) {
    notes->write(bits, cls, object, text);
  };
  c->wants = [notes = parts_.notes](std::uint32_t bits) { return notes->wants(bits); };
  c->says_as = "pbs_python";
  return c;
}

std::function<void(hooks::sealed_question, hooks::hook_run::answer_to)> mom_hooks::ask_server() {
  return [this, mom = caf::actor(self_)](const hooks::sealed_question& question, const hooks::hook_run::answer_to& to) {
    caf::anon_send(mom, run_this{[this, question, to] { questions_.ask(question, to, starting_up_ && waits_for_link()); }});
  };
}

// The server hears of the host when its hooks have said what it has, so that no vnode comes and goes with a restart.
void mom_hooks::run_startup() {
  if (installed_.at(*hooks::find_event("exechost_startup")).empty()) return vnodes_.clear();
  starting_up_ = true;
  link_until_ns_ = parts_.clock->now_ns() + startup_link_ns;
  run_host_event("exechost_startup", {}, [this](hooks::chain_result& result) { started_up(result); });
}

// One that would wait longer than any began while the clock was ahead.
bool mom_hooks::waits_for_link() const {
  const auto left_ns = link_until_ns_ - parts_.clock->now_ns();
  return left_ns > 0 && left_ns <= startup_link_ns;
}

void mom_hooks::started_up(const hooks::chain_result& result) {
  starting_up_ = false;
  vnodes_.take_made(result);
  parts_.say_hello();
}

void mom_hooks::run_host_event(const char* name, const std::string& only, std::function<void(hooks::chain_result&)> then) {
  const auto* event = hooks::find_event(name);
  auto chosen = installed_.at(*event, only);
  if (chosen.empty()) return;
  hooks::occasion at;
  at.event = event;
  at.by = {"pbs_mom", parts_.host, schema::Role::MOM};
  at.ask = ask_server();
  at.parameters.push_back({"vnode_list", makes_vnodes(*event) ? vnodes_.own() : vnodes_.all()});
  if (hooks::find_parameter(*event, "job_list")) {
    std::vector<hooks::hook_object> jobs;
    for (const auto& [key, job] : jobs_) put_used(key, jobs.emplace_back(job_object(job, parts_.port)));
    at.parameters.push_back({"job_list", std::move(jobs)});
  }
  std::set<values::run_key> shown;  // a job that is run again meanwhile has another
  for (const auto& [key, job] : jobs_) shown.insert(key);
  hooks::run_chain(chain_parts(), std::move(chosen), std::move(at),
                   [this, event, shown, then = std::move(then)](hooks::chain_result& result) {
                     if (then) then(result);
                     for (const auto& [key, job] : jobs_) {
                       if (!shown.contains(key)) continue;
                       hook_usage_set used;
                       for (const auto& c : result.changes)
                         if (c.parameter == "job_list" && c.attribute == "resources_used" && job.job.order().getRef().getJob() == c.object)
                           used.changes.push_back(keep_used(key, c));
                       if (!used.changes.empty()) caf::anon_send(job.who, std::move(used));
                     }
                     reports_.report(*event, {}, result);
                   });
}

model::usage_change mom_hooks::keep_used(const values::run_key& key, const hooks::hook_change& change) {
  model::usage_change kept{schema::str(change.resource)};
  if (change.has_value) kept.value = schema::str(change.after);
  used_[key][kept.resource] = kept.value;
  return kept;
}

void mom_hooks::put_used(const values::run_key& key, hooks::hook_object& job) const {
  if (const auto at = used_.find(key); at != used_.end())
    for (const auto& [resource, value] : at->second) {
      if (value) job.put("resources_used", resource, *value);
      else job.remove("resources_used", resource);
    }
}

void mom_hooks::on_second() {
  const auto now = parts_.clock->now_ns();
  let_start(false);
  if (!waits_for_link()) questions_.wait_no_longer();
  reports_.tell_again_if_late(now);
  for (const auto& hook : installed_.due(now)) run_host_event("exechost_periodic", hook);
}

}  // namespace annals::actors
