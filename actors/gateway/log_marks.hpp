// MoMs as witnesses of the server's log: each is told now and then how far it is durable, in words the server has signed, and
// says them again with its hello. A log that lacks what a MoM was told is not the one that gave it. Part of the gateway's actor.
// Governed by docs/design/0028-lost-logs.md.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/run_ticket.hpp"
#include "events/log/losses.hpp"

namespace annals::actors {

class log_marks {
 public:
  explicit log_marks(actor_registry& board) : board_(board) {}

  // The mark beside the log has moved. tell_all: sends to every MoM that is here.
  using teller = std::function<void(const schema::sealed<schema::ToMom>&)>;
  void on_marked(const log_marked& m, const teller& tell_all);
  void on_timer(const teller& tell_all);
  const schema::sealed<schema::ToMom>& newest() const { return newest_; }  // false: there is none

  // True: the log is what this MoM knows. Else it was said, and the server is about to stop.
  bool agrees(schema::MomHello::Reader hello, const std::string& host) const;

  // A run that the log does not know, and that may have been given in a part that was lost: it is not the server's to kill.
  bool may_be_lost(const std::string& host, schema::RunRef::Reader run);
  bool is_kept(const std::string& host, schema::RunRef::Reader run) const;
  void on_exited(const std::string& host, schema::RunExited::Reader e) const;
  void on_left(const std::string& host, schema::RunRef::Reader run);

 private:
  struct kept_run {
    std::string host;
    std::uint64_t serial;
    std::uint32_t run;
    auto operator<=>(const kept_run&) const = default;
  };
  void tell(const teller& tell_all);
  bool was_assigned(std::uint64_t serial, std::uint32_t run) const;
  void error(const std::string& host, const std::string& text) const;

  actor_registry& board_;
  std::optional<log::log_mark> mark_, told_;
  schema::sealed<schema::ToMom> newest_;
  bool timer_runs_ = false;
  std::set<kept_run> kept_;
};

}  // namespace annals::actors
