// One job. The rules are in events/model; here is how its effects are begun: orders go to its hosts, the execution time wakes
// it. It leaves memory when it owes nothing. What a release waits for, and its answer: job_actor_releases.cpp.
#pragma once

#include <caf/atom.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "actors/runtime/effect_running_actor.hpp"
#include "actors/server/aggregates.hpp"
#include "actors/server/messages.hpp"

namespace annals::actors {

// To a job's actor that was made meanwhile: the log has more than it has read.
using read_on_atom = caf::atom_constant<caf::atom("readon")>;

struct job_parts {
  event_sourced_actor_parts base;
  caf::actor gateway;  // routes to hosts, keeps track of who is in memory
  caf::actor scripts;  // reads what travels in orders (script_reader.hpp)
};

// Compiled once, in job_actor.cpp.
extern template class event_sourced_actor<job_aggregate>;
extern template class effect_running_actor<job_aggregate, model::job_effect>;

class job_actor : public effect_running_actor<job_aggregate, model::job_effect> {
 public:
  // number: of the id; stream 0: not submitted yet.
  job_actor(caf::actor_config& cfg, job_parts parts, std::uint64_t number, std::uint64_t stream, model::settings_ptr settings);

 protected:
  void on_change() override;
  std::vector<model::job_effect> owed() override;
  begun begin(const model::job_effect& effect) override;
  void withdraw(const model::job_effect& effect) override;
  effect_time when(const model::job_effect& effect) const override;
  void after_turn() override;
  void take(envelope_type e) override;
  caf::message_handler other_handlers() override;

 private:
  bool has_script();  // that travels in its order; else it goes on when it is read
  void on_script(script_read& s);
  schema::sealed<schema::ToMom> message_of(const model::start_run& order) const;
  schema::sealed<schema::ToMom> message_of(const model::signal_run& order) const;
  schema::sealed<schema::ToMom> message_of(const model::tell_run& order) const;
  schema::sealed<schema::ToMom> message_of(const model::discard_run& order) const;
  void owe_again(const std::string& host);
  caf::message_handler release_handlers();
  bool would_be_taken(const envelope_type& e) const;
  void ask_usage_before(envelope_type e);
  void usage_is_told(std::uint64_t question);
  void look_at_releases();
  void on_release(release_on_disk& r);
  std::uint64_t last_release() const;
  bool owes() const { return !effects().empty() || !waiting_.empty() || !for_usage_.empty() || !not_taken_in_.empty(); }

  // A release of which the first host has not said yet that it is done.
  struct untaken_release {
    std::uint64_t request;
    release_on_disk told;
  };

  job_parts parts_;
  std::uint64_t number_;
  bool told_idle_ = false;
  bool script_asked_ = false;
  std::optional<std::vector<std::byte>> script_;    // from when it was read until its order goes out; empty: there is none to send
  std::map<std::uint64_t, envelope_type> waiting_;  // for its start, in the order they came
  std::vector<envelope_type> for_usage_;            // for what was used until now
  std::uint64_t usage_question_ = 0;                // the last one
  std::map<std::uint64_t, untaken_release> not_taken_in_;
  std::uint64_t waits_ = 0;
};

}  // namespace annals::actors
