// Schedulers that are to run, run (MS-86): one that is not connected is owed its start, where its sched_host says or, if that is out of
// reach, on the server's host (MS-59, MS-60). One that ended is started again at once; if it does not live, after longer and longer
// pauses. One that runs where it is not to run, or whose object is gone, is owed its end. A scheduler that somebody started by hand is
// connected, and nothing is owed. Governed by docs/design/0041-running-schedulers.md.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "actors/server/reactions/all.hpp"
#include "actors/server/reactions/scheduler_table.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/model/limits.hpp"
#include "events/model/scheduler/places.hpp"
#include "events/model/server/server.hpp"

namespace annals::reactions {

namespace {

namespace ids = attributes::scheduler;
using which = schema::SchedulerEvent::Which;

// A scheduler that survived the server asks for it at least every 5 s.
constexpr std::int64_t comeback_ns = 10 * second_ns;

// Of the n-th end in a row, from 0.
std::int64_t pause_ns(unsigned n) {
  if (n == 0) return 0;
  return std::min<std::int64_t>(std::int64_t{1} << std::min(n - 1, 30u), limits::scheduler_pause_s_max) * second_ns;
}

// An administrator who changes one of these wants to see what comes of it.
bool are_about_running(capnp::List<schema::Attribute>::Reader changes) {
  constexpr std::string_view all[] = {"scheduling", "partition", "sched_host", "sched_priv", "sched_log", "sched_port"};
  for (const auto change : changes)
    if (std::ranges::find(all, schema::text(change.getName())) != std::end(all)) return true;
  return false;
}

std::string text_of(const model::scheduler_state& scheduler, attributes::attribute_id id) {
  return std::string(scheduler.attributes.get(id).value_or(""));
}

std::uint16_t port_of(const model::scheduler_state& scheduler) {
  return static_cast<std::uint16_t>(attributes::integer_of(scheduler.attributes, ids::sched_port).value_or(0));
}

class running final : public stored_reaction<running> {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    if (event.isScheduler()) return fold_scheduler(record, event.getScheduler());
    if (event.isHost()) return fold_host(record.get().getStream(), event.getHost());
    return schema::is(event, schema::ServerEvent::STARTED) && begin_anew(record);
  }

  void clock_went_back(std::int64_t to_ns) override {
    missed_ns_ = std::min(missed_ns_, to_ns + comeback_ns);
    for (auto& [stream, life] : lives_) {
      life.came_ns = std::min(life.came_ns, to_ns);
      life.not_before_ns = std::min(life.not_before_ns, to_ns + pause_ns(life.ends));
    }
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    if (model::winding_up(at.settings)) return orders;
    for (const auto& [stream, scheduler] : table_.schedulers()) {
      const auto& life = lives_.at(stream);
      if (life.here) {
        if (is_to_move(scheduler, at.settings)) orders.push_back(stop(scheduler, life.since, at.settings));
        continue;
      }
      if (life.is_missing && at.now_ns >= missed_ns_) orders.push_back(miss(scheduler, life));
      if (is_to_start(scheduler, life) && at.now_ns >= life.not_before_ns) orders.push_back(start(scheduler, life, at.settings));
    }
    for (const auto& [scheduler, since] : leaving_) orders.push_back(stop(scheduler, since, at.settings));
    std::ranges::stable_sort(orders, {}, [](const order_ptr& o) { return o->cause; });
    return orders;
  }

  std::optional<std::int64_t> next_ns(const moment& at) const override {
    std::optional<std::int64_t> next;
    const auto earlier = [&](std::int64_t ns) {
      if (ns > at.now_ns) next = std::min(next.value_or(ns), ns);
    };
    for (const auto& [stream, life] : lives_) {
      if (life.here) continue;
      if (life.is_missing) earlier(missed_ns_);
      if (is_to_start(table_.schedulers().at(stream), life)) earlier(life.not_before_ns);
    }
    return next;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.table_, self.lives_, self.hosts_, self.leaving_, self.missed_ns_);
  }

 private:
  struct life {
    std::uint64_t since = 0;  // the record from which what is owed follows
    bool here = false;        // it has said hello to this life of the server
    bool is_missing = false;  // the log has it as connected, from before the server's start
    std::int64_t came_ns = 0, not_before_ns = 0;
    unsigned ends = 0;            // in a row: it did not live long
    std::size_t start_fails = 0;  // since it ran last
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.since, self.here, self.is_missing, self.came_ns, self.not_before_ns, self.ends, self.start_fails);
    }
  };

  // One without a partition says so in its log and ends (MS-49): once, until somebody changes what it is about.
  static bool is_to_start(const model::scheduler_state& scheduler, const life& life) {
    return model::is_to_run(scheduler) || (model::lacks_partition(scheduler) && life.start_fails == 0);
  }

  bool begin_anew(const log::record& record) {
    missed_ns_ = record.get().getWallNs() + comeback_ns;
    leaving_.clear();  // who comes back without an object is told to end
    for (auto& [stream, life] : lives_) life = {.since = record.sequence(), .is_missing = table_.schedulers().at(stream).connected};
    return true;
  }

  bool fold_scheduler(const log::record& record, schema::SchedulerEvent::Reader event) {
    const auto stream = record.get().getStream();
    const auto now = record.get().getWallNs();
    auto& life = lives_[stream];
    if (event.isDeleted() && life.here) {
      leaving_.emplace_back(table_.schedulers().at(stream), record.sequence());
      leaving_.back().first.exists = false;
    }
    table_.fold(record);
    if (!table_.schedulers().contains(stream)) {
      lives_.erase(stream);
      return true;
    }
    switch (event.which()) {
      case which::DELETED: break;
      case which::CHANGED:
        if (!are_about_running(event.getChanged().getChanges())) return false;
        life.not_before_ns = 0;
        life.ends = 0;
        life.start_fails = 0;
        break;
      case which::STARTED:
        life.here = true;
        life.is_missing = false;
        life.came_ns = now;
        life.start_fails = 0;
        break;
      case which::STOPPED:
        life.is_missing = false;
        if (!life.here) return true;
        life.here = false;
        if (model::lacks_partition(table_.schedulers().at(stream))) life.start_fails = 1;  // it has said so
        ended(life, now, schema::text(event.getStopped().getText()) == model::told_to_end);
        break;
      case which::START_FAILED:
        life.is_missing = false;
        life.ends = std::max(life.ends, 1u);
        life.not_before_ns = now + pause_ns(life.ends++);
        ++life.start_fails;
        break;
      case which::CREATED: break;
      default: return false;
    }
    life.since = record.sequence();
    return true;
  }

  static void ended(life& life, std::int64_t now, bool on_purpose) {
    if (on_purpose || now - life.came_ns >= limits::scheduler_steady_s * second_ns) life.ends = 0;
    life.not_before_ns = on_purpose ? 0 : now + pause_ns(life.ends++);
  }

  bool fold_host(std::uint64_t stream, schema::HostEvent::Reader event) {
    if (event.isAdded()) hosts_[stream] = {schema::str(event.getAdded().getName()), false};
    else if (event.isRemoved()) hosts_.erase(stream);
    else if (event.isCameUp()) hosts_[stream].up = true;
    else if (event.isWentDown()) hosts_[stream].up = false;
    else return false;
    return !table_.schedulers().empty();
  }

  // The name of its MoM; nothing: the host is no node, or down.
  std::optional<std::string> mom_of(const std::string& host) const {
    for (const auto& [stream, h] : hosts_)
      if (h.up && model::same_host(h.name, host)) return h.name;
    return std::nullopt;
  }

  // The default one is on the server's host, by whichever name (MS-47).
  static bool is_to_move(const model::scheduler_state& scheduler, const model::settings& settings) {
    if (scheduler.name == "default") return false;
    const auto host = text_of(scheduler, ids::sched_host);
    return !model::same_host(host.empty() ? settings.host_name : host, scheduler.runs_on);
  }

  order_ptr start(const model::scheduler_state& scheduler, const life& life, const model::settings& settings) const {
    start_scheduler what;
    what.name = scheduler.name;
    what.priv = text_of(scheduler, ids::sched_priv);
    what.logs = text_of(scheduler, ids::sched_log);
    what.port = port_of(scheduler);
    what.host = model::start_host(scheduler, settings.host_name, [&](const std::string& host) {
      return scheduler.name != "default" && life.start_fails < limits::scheduler_starts_elsewhere_max && mom_of(host);
    });
    what.elsewhere = what.host != settings.host_name;
    if (what.elsewhere) what.host = *mom_of(what.host);
    const auto again = (what.elsewhere ? 2 : 10) * second_ns;  // a MoM may come at any time
    return make_order({.cause = life.since, .target = what.name + " on " + what.host, .what = what, .again_ns = again});
  }

  static order_ptr stop(const model::scheduler_state& scheduler, std::uint64_t since, const model::settings& settings) {
    const bool elsewhere = scheduler.name != "default" && !model::same_host(scheduler.runs_on, settings.host_name);
    return make_order({.cause = since,
                       .target = "end of " + scheduler.name + " on " + scheduler.runs_on,
                       .what = stop_scheduler{scheduler.name, scheduler.runs_on, elsewhere, text_of(scheduler, ids::sched_priv)},
                       .given = scheduler.exists ? order::repeat::until_folded : order::repeat::until_accepted});
  }

  static order_ptr miss(const model::scheduler_state& scheduler, const life& life) {
    return make_order({.cause = life.since,
                       .target = "silence of " + scheduler.name,
                       .what = miss_scheduler{scheduler.name},
                       .given = order::repeat::until_accepted});
  }

  struct host {
    std::string name;
    bool up = false;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.name, self.up);
    }
  };

  scheduler_table table_;
  std::map<std::uint64_t, life> lives_;  // by the scheduler's stream
  std::map<std::uint64_t, host> hosts_;  // by stream
  // Deleted while they ran, and the record that said so.
  std::vector<std::pair<model::scheduler_state, std::uint64_t>> leaving_;
  std::int64_t missed_ns_ = 0;  // who has not come back by then is down
};

}  // namespace

std::unique_ptr<reaction> running_schedulers() { return std::make_unique<running>(); }

}  // namespace annals::reactions
