// The usage of a run: its hosts tell the first host, which tells the server, now and then and whenever the server asks what was used until
// now; what was measured is held against the job's limits. docs/design/0035-usage-per-host.md, docs/design/0039-ramp-down.md.
#pragma once

#include <caf/message_handler.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/mom/hooks/job_hooks.hpp"
#include "actors/mom/runs/run_context.hpp"
#include "actors/mom/runs/run_sisters.hpp"
#include "events/model/usage.hpp"

namespace annals::actors {

template <class List>
void fill_hosts(const std::vector<model::host_usage>& from, List&& to) {
  for (unsigned i = 0; i < from.size(); ++i) model::write_host_usage(from[i], to[i]);
}

class usage_collector {
 public:
  usage_collector(const run_context& run, const job_hooks& hooks, run_sisters& sisters) : run_(run), hooks_(hooks), sisters_(sisters) {}
  /// The server asks.
  caf::message_handler handlers();

  /// Measures, once a second: a limit that is met becomes a command, periodic hooks hear of it, and the server if it is time.
  void poll();
  /// Usage that a sister has told.
  void take(const std::string& host, schema::HostUsage::Reader told);
  /// The same; if it answers what is asked now, the host is no longer asked.
  void take_answer(const std::string& host, schema::PartUsage::Reader told);
  /// The host is gone, or has answered: what it told last counts.
  void no_longer_asked(const std::string& host);
  /// Usage that the host has told last, in this life or an earlier one.
  const model::host_usage& last_of(const std::string& host) { return told_by(host).last; }

  /// Words that can't be made one have a line in the log, once for each resource and host (RU-15).
  void note_words_not_shown(const std::vector<model::host_usage>& hosts);
  bool merges_words() const { return run_.parts.settings->config.used_strings == model::words_form::merge; }

 private:
  struct told_usage {
    model::host_usage last;
    bool words_cut = false;  // and more words than a run may tell
  };
  const model::run_state& state() const { return run_.state; }
  told_usage& told_by(const std::string& host);
  // Returns nullopt while the host has not found the program.
  std::optional<model::usage_set> own_usage() const;
  std::vector<model::host_usage> by_host(const model::usage_set& own);  // the primary first, with its own
  model::usage_set job_total(const std::vector<model::host_usage>& hosts) const;
  // With what was measured on this host: limits are not a matter of its hooks.
  model::usage_set measured_total(std::vector<model::host_usage> hosts, const model::usage_set& own);
  bool is_time_to_tell(const model::usage_set& usage);
  void tell(const std::vector<model::host_usage>& hosts, model::usage_set total, std::uint64_t question);  // 0: nobody has asked
  void ask(std::uint64_t question);
  bool may_have_used(const model::sister_state& s, const std::set<std::string_view>& with_tasks);
  void tell_what_was_asked_for(std::uint64_t question);
  void keep_usage_of_sisters();  // for a life after this one

  const run_context& run_;
  const job_hooks& hooks_;
  run_sisters& sisters_;
  std::map<std::string, told_usage> told_by_;  // by host
  model::usage_set told_;                      // last usage the server was told
  std::int64_t told_ns_ = 0;
  struct usage_question {
    std::uint64_t number = 0;       // 0: nobody asks
    std::set<std::string> missing;  // hosts that have not told theirs
  };
  usage_question usage_question_;
  // Resources and hosts of which the log says that their words can't be made one with others.
  std::set<std::pair<std::string, std::string>> words_not_shown_;
};

}  // namespace annals::actors
