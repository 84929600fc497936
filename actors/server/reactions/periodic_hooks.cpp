// When periodic hooks run: each when its freq is over since its last run began; the first time since it was turned on, or since the
// server's start if that was later. One that is still running is not begun anew: its next run is owed when HookRan is there, at once
// if its time has come. What a hook is shown and what becomes of its wishes: actors/gateway/hooks/hook_routes.cpp. Source: pbs guide, freq.
// Governed by docs/design/0023-hooks.md.
#include <algorithm>
#include <map>

#include "actors/server/reactions/all.hpp"
#include "actors/server/reactions/hook_table.hpp"
#include "events/attributes/ids.hpp"

namespace annals::reactions {

namespace {

class periodic final : public stored_reaction<periodic> {
 public:
  bool fold(const log::record& record) override {
    if (schema::is(record.event(), schema::ServerEvent::STARTED)) return begin_anew(record);
    if (!record.event().isHook()) return false;
    if (!hooks_.fold(record)) return fold_run(record);
    const auto stream = record.get().getStream();
    const auto hook = hooks_.hooks().find(stream);
    if (hook == hooks_.hooks().end()) last_.erase(stream);
    else if (is_on(hook->second)) last_.try_emplace(stream, turn{record.get().getWallNs(), record.sequence()});
    return true;
  }

  void clock_went_back(std::int64_t to_ns) override {
    for (auto& [stream, last] : last_) last.began_ns = std::min(last.began_ns, to_ns);
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    for (const auto& [stream, last] : last_)
      if (const auto& hook = hooks_.hooks().at(stream); is_on(hook) && at.now_ns >= due_ns(hook, last))
        orders.push_back(make_order({.cause = last.sequence,
                                     .target = hook.name,
                                     .what = run_periodic_hook{hook.name},
                                     .given = order::repeat::until_accepted,
                                     .again_ns = freq_ns(hook)}));
    std::ranges::stable_sort(orders, {}, [](const order_ptr& o) { return o->cause; });
    return orders;
  }

  std::optional<std::int64_t> next_ns(const moment& at) const override {
    std::optional<std::int64_t> next;
    for (const auto& [stream, last] : last_) {
      const auto& hook = hooks_.hooks().at(stream);
      if (const auto due = due_ns(hook, last); is_on(hook) && at.now_ns < due) next = std::min(next.value_or(due), due);
    }
    return next;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.hooks_, self.last_);
  }

 private:
  // What the next run is counted from: the last one, or what turned the hook on.
  struct turn {
    std::int64_t began_ns;
    std::uint64_t sequence;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.began_ns, self.sequence);
    }
  };

  static bool is_on(const model::hook_state& hook) { return hook.runs_at("periodic"); }
  static std::int64_t freq_ns(const model::hook_state& hook) { return hook.number(attributes::hook::freq) * second_ns; }
  static std::int64_t due_ns(const model::hook_state& hook, const turn& last) { return last.began_ns + freq_ns(hook); }

  bool begin_anew(const log::record& record) {
    last_.clear();
    for (const auto& [stream, hook] : hooks_.hooks())
      if (is_on(hook)) last_[stream] = {record.get().getWallNs(), record.sequence()};
    return !last_.empty();
  }

  // The time that a run took is a worker's word: it did not begin before it was due.
  bool fold_run(const log::record& record) {
    const auto last = last_.find(record.get().getStream());
    if (last == last_.end() || record.get().getCause() != last->second.sequence) return false;
    const auto run = record.event().getHook().getRan().getRun();
    const auto ended = record.get().getWallNs();
    const auto due = due_ns(hooks_.hooks().at(last->first), last->second);
    const auto began = ended - static_cast<std::int64_t>(std::min<std::uint64_t>(run.getDurationUs(), day_us)) * 1000;
    last->second = {std::max(began, std::min(due, ended)), record.sequence()};
    return true;
  }

  static constexpr std::uint64_t day_us = 86'400'000'000;  // longer than any run: no arithmetic on what a worker says overflows

  hook_table hooks_;
  std::map<std::uint64_t, turn> last_;  // by the hook's stream; one that is turned off keeps its last
};

}  // namespace

std::unique_ptr<reaction> periodic_hooks() { return std::make_unique<periodic>(); }

}  // namespace annals::reactions
