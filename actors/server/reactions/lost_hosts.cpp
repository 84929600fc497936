// When the runs of a host that is down are given up: node_fail_requeue seconds after it went down, or after the server's start if
// that was later, for what a host did while nobody could hear it is not held against it. What becomes of each job its own rules
// say (events/model/job/reports.cpp). Source: pbs guide, node_fail_requeue.
#include <algorithm>
#include <map>

#include "actors/server/reactions/all.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"

namespace annals::reactions {

namespace {

// Nothing: unset or 0, runs wait for their host for ever. Less than 0 is 1.
std::optional<std::int64_t> patience_ns(const model::settings& settings) {
  const auto seconds = attributes::integer_of(settings.server, attributes::server::node_fail_requeue).value_or(0);
  if (seconds == 0) return std::nullopt;
  return std::max<std::int64_t>(seconds, 1) * second_ns;
}

class lost final : public stored_reaction<lost> {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    const auto stream = record.get().getStream();
    if (event.isJob()) return fold_job(stream, event.getJob());
    if (event.isHost()) return fold_host(record, event.getHost());
    if (!schema::is(event, schema::ServerEvent::STARTED)) return false;
    began_ns_ = record.get().getWallNs();
    return true;
  }

  void clock_went_back(std::int64_t to_ns) override {
    began_ns_ = std::min(began_ns_, to_ns);
    for (auto& [host, a] : absent_) a.since_ns = std::min(a.since_ns, to_ns);
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    const auto patience = patience_ns(at.settings);
    if (!patience) return orders;
    for (const auto& [host, a] : absent_)
      if (at.now_ns >= due_ns(a, *patience)) give_up(host, a.since, at.settings, orders);
    std::ranges::stable_sort(orders, {}, [](const order_ptr& o) { return o->cause; });
    return orders;
  }

  std::optional<std::int64_t> next_ns(const moment& at) const override {
    const auto patience = patience_ns(at.settings);
    std::optional<std::int64_t> next;
    if (patience)
      for (const auto& [host, a] : absent_)
        if (const auto due = due_ns(a, *patience); at.now_ns < due) next = std::min(next.value_or(due), due);
    return next;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.began_ns_, self.names_, self.absent_, self.runs_);
  }

 private:
  struct absence {
    std::int64_t since_ns;
    std::uint64_t since;  // sequence of HostWentDown
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.since_ns, self.since);
    }
  };

  // A run belongs to its primary from JobAssigned until that host's vnodes are released.
  bool fold_job(std::uint64_t serial, schema::JobEvent::Reader event) {
    if (event.isAssigned() && event.getAssigned().getHosts().size() > 0) {
      const auto primary = schema::str(event.getAssigned().getHosts()[0]);
      runs_[primary][serial] = event.getAssigned().getRun();
      return absent_.contains(primary);
    }
    if (!event.isVnodesReleased()) return false;
    bool differs = false;
    for (auto host : event.getVnodesReleased().getHosts()) {
      const auto of = runs_.find(schema::str(host));
      if (of == runs_.end() || of->second.erase(serial) == 0) continue;
      differs |= absent_.contains(of->first);
      if (of->second.empty()) runs_.erase(of);
    }
    return differs;
  }

  bool fold_host(const log::record& record, schema::HostEvent::Reader event) {
    const auto r = record.get();
    if (event.isAdded()) names_[r.getStream()] = schema::str(event.getAdded().getName());
    const auto name = names_.find(r.getStream());
    if (name == names_.end()) return false;
    if (event.isWentDown()) absent_.try_emplace(name->second, absence{r.getWallNs(), r.getSequence()});  // another reason is no later time
    if (event.isCameUp() || event.isRemoved()) absent_.erase(name->second);
    if (event.isRemoved()) names_.erase(name);
    return true;
  }

  std::int64_t due_ns(const absence& a, std::int64_t patience) const { return std::max(a.since_ns, began_ns_) + patience; }

  void give_up(const std::string& host, std::uint64_t since, const model::settings& settings, std::vector<order_ptr>& orders) const {
    const auto of = runs_.find(host);
    if (of == runs_.end()) return;
    const model::requester by{"root", settings.host_name, schema::Role::SERVER};
    for (const auto& [serial, run] : of->second)
      orders.push_back(make_order({.cause = since,
                                   .target = "job " + std::to_string(serial) + " run " + std::to_string(run),
                                   .what = tell_job{serial, model::run_lost{run, true, false}, by, host},
                                   .again_ns = 60 * second_ns}));
  }

  std::int64_t began_ns_ = 0;                                           // of the server's last start
  std::map<std::uint64_t, std::string> names_;                          // of hosts, by stream
  std::map<std::string, absence> absent_;                               // by host
  std::map<std::string, std::map<std::uint64_t, std::uint32_t>> runs_;  // by primary and the job's serial
};

}  // namespace

std::unique_ptr<reaction> lost_hosts() { return std::make_unique<lost>(); }

}  // namespace annals::reactions
