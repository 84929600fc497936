// MoMs as witnesses of the server's log: each is told now and then how far it is durable, in words the server has signed, and
// says them again with its hello. A log that lacks what a MoM was told is not the one that gave it. Part of the gateway's actor.
// Governed by docs/design/0028-lost-logs.md.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/jobs/run_ticket.hpp"
#include "events/log/losses.hpp"
#include "events/schema/daemon/from_mom.capnp.h"

namespace annals::actors {

// What the log has of what a hello says, and whether its mark can be believed.
struct hello_findings {
  std::string ignored;                                            // why its mark is not heard; empty: it is, or there is none
  std::optional<log::witness> witness;                            // knows what the log lacks
  std::string lacking;                                            // that, in words
  std::set<std::pair<std::uint64_t, std::uint32_t>> never_given;  // runs (serial, run) that their jobs never had in the log
};

class log_marks {
 public:
  explicit log_marks(actor_registry& board) : board_(board) {}

  // The mark beside the log has moved. tell_all: sends to every MoM that is here.
  using teller = std::function<void(const schema::sealed<schema::ToMom>&)>;
  void on_marked(const log_marked& m, const teller& tell_all);
  void on_timer(const teller& tell_all);
  const schema::sealed<schema::ToMom>& newest() const { return newest_; }  // false: there is none

  // What has to be read and checked before a hello can be heard, by a helper: it may take its time. Empty: nothing.
  std::function<hello_findings()> to_read(const schema::sealed<schema::FromMom>& hello, const std::string& host) const;
  // True: the log is what this MoM knows. Else it was said, and the server is about to stop.
  bool agrees(const hello_findings& found, const std::string& host) const;

  // A run that the log does not know, and that may have been given in a part that was lost: it is not the server's to kill.
  bool may_be_lost(const std::string& host, schema::RunRef::Reader run, const hello_findings& found);
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
  void error(const std::string& host, const std::string& text) const;

  actor_registry& board_;
  std::optional<log::log_mark> mark_, told_;
  schema::sealed<schema::ToMom> newest_;
  bool timer_runs_ = false;
  std::set<kept_run> kept_;
};

}  // namespace annals::actors
