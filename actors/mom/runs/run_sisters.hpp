// A run's other hosts: the links to them, and the primary's half of the talk with its sisters. What this life of the process knows of each
// is here; what every life must know stands in the state. docs/design/0020-jobs-across-hosts.md.
#pragma once

#include <csignal>
#include <cstdint>
#include <map>
#include <string>

#include "actors/mom/runs/run_context.hpp"
#include "actors/runtime/effect_runner.hpp"

namespace annals::actors {

class run_sisters {
 public:
  explicit run_sisters(const run_context& run) : run_(run) {}

  struct contact {
    bool open = false;
    bool has_it = false;        // it has said over this link that the job is there
    std::uint32_t updated = 0;  // it knows of so many reductions, as it has told this life
    std::int64_t away_since_ns = 0;
    std::int64_t linked_ns = 0;  // when its link opened last; 0: never
  };
  /// The first time, the link to it is asked for.
  contact& contact_of(const std::string& host);
  /// Takes in that the link opened or was closed. Returns false if that is no news.
  bool on_link(const sister_link& l);
  /// The link is there: it has to hear what was said while it was not.
  void tell_again(const std::string& host) const;
  /// It has said over its link that the job is there.
  void on_joined(const std::string& host);
  /// It knows of so many reductions of the run.
  void on_updated(const std::string& host, std::uint32_t number);
  /// Tells the state of hosts that have been out of reach for a second. A link that breaks, or does not come, for less is no event.
  void look(std::int64_t now_ns) const;

  // Effects on another host, which there is a link to.
  /// Not yet: a fresh ticket is needed first.
  begun ask(const std::string& host) const;
  void ask_prologue(const std::string& host) const;
  void tell_update(const std::string& host) const;
  void keep(const std::string& host);
  void release(const std::string& host) const;
  void tell_kill(const model::kill_on& kill) const;
  /// To every process of the run on every host.
  void signal_everywhere(int signal, schema::SignalPart::What what = schema::SignalPart::What::SIGNAL) const;

  /// Whether every host that stays knows what the run has now.
  bool hosts_are_updated();
  /// Before the program: whether hosts that stay have to be waited for, as long as PBS does; one that is late is told in the end, and
  /// before any task is started there (RS-97).
  bool waits_for_updates();
  void note_updates_missed();

 private:
  const model::run_state& state() const { return run_.state; }
  void signal_on(const std::string& host, int signal, schema::SignalPart::What what = schema::SignalPart::What::SIGNAL) const;

  const run_context& run_;
  std::map<std::string, contact> contacts_;  // by host
  bool update_wait_told_ = false, update_end_told_ = false;
};

}  // namespace annals::actors
