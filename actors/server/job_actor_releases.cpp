// Releases of vnodes of a running job (pbs_release_nodes): what they wait for before they are decided, and when they are answered.
// docs/design/0039-ramp-down.md.
#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "actors/server/job_actor.hpp"
#include "events/model/limits.hpp"
#include "events/schema/daemon/to_mom.capnp.h"

namespace annals::actors {

namespace {

using start_wait_atom = caf::atom_constant<caf::atom("startwait")>;
using usage_wait_atom = caf::atom_constant<caf::atom("usagewait")>;
using taking_wait_atom = caf::atom_constant<caf::atom("takingwait")>;

// Answers a release when the first host has taken it in. The actor holds it with the command, so it must not keep the actor alive.
class when_taken_in final : public reply_to {
 public:
  when_taken_in(const caf::actor& job, reply_ptr to) : job_(caf::actor_cast<caf::actor_addr>(job)), to_(std::move(to)) {}
  void done(std::uint64_t sequence, const std::string& text) override {
    if (const auto job = caf::actor_cast<caf::actor>(job_)) caf::anon_send(job, release_on_disk{to_, sequence, text});
    else to_->done(sequence, text);
  }
  void refused(std::uint64_t sequence, const model::rejection& why) override { to_->refused(sequence, why); }

 private:
  const caf::actor_addr job_;
  const reply_ptr to_;
};

// Null: it is another command.
const model::client_request* release_in(const model::job_command& command) {
  const auto* request = std::get_if<model::client_request>(&command);
  return request && request->request.get().isReleaseNodes() ? request : nullptr;
}

}  // namespace

caf::message_handler job_actor::release_handlers() {
  return {
      [this](start_wait_atom, std::uint64_t number) {
        if (auto waited = waiting_.extract(number)) ask_usage_before(std::move(waited.mapped()));
      },
      [this](const usage_answered& a) {
        if (!state().hosts.empty() && a.host == state().hosts.front()) usage_is_told(a.question);
        if (idle()) after_turn();
      },
      [this](usage_wait_atom, std::uint64_t question) { usage_is_told(question); },
      [this](release_on_disk& r) { on_release(r); },
      [this](taking_wait_atom, std::uint64_t number) {
        if (const auto late = not_taken_in_.extract(number))
          late.mapped().told.reply->done(late.mapped().told.sequence, "its first host has not said that the node file is new");
        if (idle()) after_turn();
      },
  };
}

// Whoever is inside a job knows that it runs, maybe before the server does (RD-06).
void job_actor::take(envelope_type e) {
  const auto* release = release_in(e.command);
  if (!release) return receive(std::move(e));
  if (!release->request.get().getReleaseNodes().getInJob()) return ask_usage_before(std::move(e));
  if (e.reply) e.reply = std::make_shared<when_taken_in>(caf::actor(this), std::move(e.reply));
  if (!state().comes_to_run()) return ask_usage_before(std::move(e));
  if (e.settings) set_settings(std::exchange(e.settings, nullptr));  // older than others by then
  waiting_.emplace(++waits_, std::move(e));
  delayed_send(this, std::chrono::seconds(limits::start_word_s), start_wait_atom::value, waits_);
}

// -- what was used until then ------------------------------------------------------------------------------------------------------

bool job_actor::would_be_taken(const envelope_type& e) const {
  return model::decide(state(), e.command, {parts().clock->now_ns(), e.by}, e.settings ? *e.settings : settings()).accepted();
}

// It ends a phase of accounting. Those that come meanwhile are decided with the same answer.
void job_actor::ask_usage_before(envelope_type e) {
  if (!would_be_taken(e)) return receive(std::move(e));
  if (e.settings) set_settings(std::exchange(e.settings, nullptr));
  for_usage_.push_back(std::move(e));
  if (for_usage_.size() > 1) return;
  usage_question_ = std::max(usage_question_ + 1, static_cast<std::uint64_t>(parts().clock->now_ns()));  // none of an earlier life
  send(parts_.gateway,
       post_to_host{state().hosts.front(), usage_key(state().serial), schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
                      auto u = m.initUsageNow();
                      auto ref = u.initRef();
                      ref.setJobSerial(state().serial);
                      ref.setRun(state().run);
                      ref.setJob(state().id);
                      u.setQuestion(usage_question_);
                    })});
  delayed_send(this, std::chrono::seconds(limits::usage_wait_s), usage_wait_atom::value, usage_question_);
}

void job_actor::usage_is_told(std::uint64_t question) {
  if (for_usage_.empty() || question != usage_question_) return;
  if (!state().hosts.empty()) send(parts_.gateway, withdraw_from_host{state().hosts.front(), usage_key(state().serial)});
  for (auto& e : std::exchange(for_usage_, {})) receive(std::move(e));
}

// -- the first host takes it in ----------------------------------------------------------------------------------------------------

// 0: there is none.
std::uint64_t job_actor::last_release() const {
  std::uint64_t last = 0;
  for (const auto& r : state().requests)
    if (r.what == model::run_request::kind::release) last = std::max(last, r.id);
  return last;
}

void job_actor::on_release(release_on_disk& r) {
  const auto request = last_release();
  if (request == 0) return r.reply->done(r.sequence, r.text);
  not_taken_in_.emplace(++waits_, untaken_release{request, std::move(r)});
  delayed_send(this, std::chrono::seconds(limits::node_file_word_s), taking_wait_atom::value, waits_);
}

void job_actor::look_at_releases() {
  std::erase_if(not_taken_in_, [this](auto& entry) {
    auto& [request, told] = entry.second;
    if (std::ranges::count(state().requests, request, &model::run_request::id) > 0) return false;
    told.reply->done(told.sequence, told.text);
    return true;
  });
  if (state().phase != model::job_phase::started) usage_is_told(usage_question_);
  if (state().comes_to_run()) return;
  for (auto& [number, e] : std::exchange(waiting_, {})) ask_usage_before(std::move(e));
}

}  // namespace annals::actors
