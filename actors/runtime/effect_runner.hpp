// Begins what a state owes the world, repeats what is unanswered, withdraws what is owed no more. It is the only place that
// remembers what was begun, and remembers it for this life of the process only: after a restart everything owed is begun again.
// It knows neither what the effects do nor what time it is. docs/design/0031-effect-runner.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "events/model/waits.hpp"

namespace annals::actors {

/// What an attempt to begin an effect led to. `not_yet`: something else comes first; it is tried again at the next reconcile.
enum class begun : bool { not_yet,
                          yes };

/// When an effect is begun. All times in nanoseconds; `at_ns` since 1970.
struct effect_time {
  std::int64_t at_ns = 0;      // not before this; 0: at once
  std::int64_t repeat_ns = 0;  // begun again whenever this has passed without an answer; 0: never by itself
  std::int64_t since_ns = 0;   // `at_ns` is the end of a wait that began then; 0: it is a moment
};

/// Effect: a value, named by a free function id_of(effect). The same name means the same effect, whatever else changed in it.
template <class Effect>
class effect_runner {
 public:
  using id = decltype(id_of(std::declval<const Effect&>()));
  struct verbs {
    std::function<begun(const Effect&)> begin;
    std::function<void(const Effect&)> withdraw = {};     // empty: what was begun ends by itself
    std::function<effect_time(const Effect&)> when = {};  // empty: at once, and never again by itself
  };

  explicit effect_runner(verbs v) : verbs_(std::move(v)) {}

  /// Withdraws what was begun and is not in `owed`, in the order in which it was owed, then begins in the order of `owed` what is due
  /// and was not begun, or was begun and has waited long enough for its answer. Two of one name in `owed` are one, the later. Not to be
  /// called by a verb.
  void reconcile(std::vector<Effect> owed, std::int64_t now_ns) {
    ++round_;
    const auto before = std::exchange(in_order_, {});
    in_order_.reserve(owed.size());
    for (auto& effect : owed) {
      auto name = id_of(effect);
      const auto at = entries_.try_emplace(std::move(name)).first;
      at->second.effect = std::move(effect);
      if (std::exchange(at->second.round, round_) != round_) in_order_.push_back(at);
    }
    withdraw_rest(before);
    for (const auto& at : in_order_) attempt(at->second, now_ns);
    due_ns_ = next_due(now_ns);
  }

  /// The answer came: it is not begun again in this life, whatever happens to the link it went over. The effect stays until it
  /// is no longer owed.
  void answered(const id& which) {
    if (const auto at = entries_.find(which); at != entries_.end()) at->second.answered = true;
  }

  /// Those for which `which(effect)` holds may have been lost (a link broke, somebody asked again): unless they are answered,
  /// the next reconcile begins them anew.
  template <class Which>
  void again(Which&& which) {
    for (auto& [name, e] : entries_)
      if (which(*e.effect)) e.begun = false;
  }
  void again_one(const id& which) {
    if (const auto at = entries_.find(which); at != entries_.end()) at->second.begun = at->second.answered = false;
  }

  /// When to reconcile next though nothing happens; nothing: not before something does.
  std::optional<std::int64_t> due_ns() const { return due_ns_; }
  bool empty() const { return entries_.empty(); }

 private:
  struct entry {
    std::optional<Effect> effect;
    std::uint64_t round = 0;  // the last reconcile that owed it
    bool begun = false, answered = false;
    std::int64_t begun_ns = 0;
    std::int64_t at_ns = 0;    // not before this
    std::int64_t anew_ns = 0;  // the clock went back behind the beginning of the wait, and it was begun anew then; 0: it did not
  };
  using entries = std::map<id, entry>;
  using order = std::vector<typename entries::iterator>;

  effect_time when(const entry& e) const { return verbs_.when ? verbs_.when(*e.effect) : effect_time{}; }

  void withdraw_rest(const order& before) {
    for (const auto& at : before) {
      if (at->second.round == round_) continue;
      const auto gone = std::move(at->second);
      entries_.erase(at);
      if (gone.begun && verbs_.withdraw) verbs_.withdraw(*gone.effect);
    }
  }

  void attempt(entry& e, std::int64_t now_ns) {
    if (e.answered) return;
    const auto time = when(e);
    e.at_ns = due_of(e, time, now_ns);
    if (e.at_ns > now_ns) {
      e.begun = false;  // the clock was set back since
      return;
    }
    const bool clock_set_back = now_ns < e.begun_ns;
    if (e.begun && (time.repeat_ns == 0 || (now_ns - e.begun_ns < time.repeat_ns && !clock_set_back))) return;
    e.begun = verbs_.begin(*e.effect) == begun::yes;
    e.begun_ns = now_ns;
  }

  // A wait that began while the clock was ahead lasts as long as it was to last, from the moment at which that is seen.
  static std::int64_t due_of(entry& e, const effect_time& time, std::int64_t now_ns) {
    if (!model::began_while_ahead(time.since_ns, now_ns)) {
      e.anew_ns = 0;
      return time.at_ns;
    }
    if (e.anew_ns == 0 || now_ns < e.anew_ns) e.anew_ns = now_ns;
    return std::min(time.at_ns, e.anew_ns + time.at_ns - time.since_ns);
  }

  std::optional<std::int64_t> next_due(std::int64_t now_ns) const {
    std::optional<std::int64_t> due;
    const auto sooner = [&](std::int64_t at) { due = due ? std::min(*due, at) : at; };
    for (const auto& [name, e] : entries_) {
      if (e.answered) continue;
      const auto time = when(e);
      if (e.at_ns > now_ns) sooner(e.at_ns);
      else if (e.begun && time.repeat_ns > 0) sooner(std::min(e.begun_ns, now_ns) + time.repeat_ns);
    }
    return due;
  }

  verbs verbs_;
  entries entries_;
  order in_order_;  // all of them, as they were owed last
  std::uint64_t round_ = 0;
  std::optional<std::int64_t> due_ns_;
};

}  // namespace annals::actors
