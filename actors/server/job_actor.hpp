// One job. The rules are in events/model; here are the debts of its state: orders to its host, the timer of its
// execution time, and leave from memory when it owes nothing.
#pragma once

#include "actors/server/aggregates.hpp"
#include "actors/server/messages.hpp"

namespace annals::actors {

struct job_parts {
  shell_parts shell;
  caf::actor gateway;                       // routes to hosts, keeps track of who is in memory
};

class job_actor : public shell<job_aggregate> {
 public:
  // number: of the id; stream 0: not submitted yet.
  job_actor(caf::actor_config& cfg, job_parts parts, std::uint64_t number, std::uint64_t stream, model::site_ptr site);

 protected:
  void on_change() override;
  void after_turn() override;
  caf::message_handler more_handlers() override;

 private:
  void pay(const model::start_run& debt);
  void pay(const model::signal_run& debt);
  void pay(const model::tell_run& debt);
  void pay(const model::discard_run& debt);
  void pay(const model::wake_at& debt);
  void withdraw_rest(const std::vector<std::string>& still_owed);
  bool owes() const { return !owed_.empty() || timer_ns_ != 0; }

  job_parts parts_;
  std::uint64_t number_;
  std::map<std::string, std::string> owed_;   // key -> host, of what hosts are owed now
  std::int64_t timer_ns_ = 0;                 // when the execution time's timer fires; 0: none
  bool told_idle_ = false;
};

}  // namespace annals::actors
