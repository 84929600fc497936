// $max_load with suspend: while a host's MoM says so, each run that has something there is stopped, and it goes on when none of its hosts
// says so any more. A host that is away is what it said last; of a run it has left it says nothing. What becomes of the job its own rules
// say (events/model/job/by_hand.cpp). Source: pbs guide, $max_load. Governed by docs/design/0066-load-of-hosts.md.
#include <algorithm>
#include <map>
#include <set>

#include "actors/server/reactions/all.hpp"
#include "events/model/host/busy.hpp"

namespace annals::reactions {

namespace {

class loads final : public stored_reaction<loads> {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    if (event.isJob()) return fold_job(record, event.getJob());
    return event.isHost() && fold_host(record, event.getHost());
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    const model::requester by{"", at.settings.host_name, schema::Role::SERVER};
    for (const auto serial : differing_) {
      const auto& run = runs_.at(serial);
      for (const auto& host : hosts_that_differ(run))
        orders.push_back(make_order({.cause = std::max(run.since, since(host)),
                                     .target = "job " + std::to_string(serial) + " on " + host,
                                     .what = tell_job{serial, model::host_load{run.number, host, suspends(run, host)}, by},
                                     .remembered = false}));
    }
    std::ranges::stable_sort(orders, {}, [](const order_ptr& o) { return o->cause; });
    return orders;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.names_, self.words_, self.runs_, self.on_, self.differing_);
  }

 private:
  struct run {
    std::uint32_t number = 0;
    std::uint64_t since = 0;         // sequence of what last changed its hosts
    bool goes_on = false;            // its program was started and has not ended
    std::set<std::string> hosts;     // that still have it
    std::set<std::string> stopping;  // as the job knows
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.number, self.since, self.goes_on, self.hosts, self.stopping);
    }
  };
  struct word {
    bool suspends = false;
    std::uint64_t since = 0;  // sequence of the record that said so
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.suspends, self.since);
    }
  };

  bool fold_job(const log::record& record, schema::JobEvent::Reader event) {
    const auto serial = record.get().getStream();
    if (event.isAssigned()) {
      forget(serial);
      auto& run = runs_[serial];
      run = {event.getAssigned().getRun(), record.sequence(), false, {}, {}};
      for (auto host : event.getAssigned().getHosts()) {
        run.hosts.insert(schema::str(host));
        on_[schema::str(host)].insert(serial);
      }
      return false;
    }
    const auto at = runs_.find(serial);
    if (at == runs_.end()) return false;
    auto& run = at->second;
    if (event.isStarted()) {
      run.goes_on = true;
      run.since = record.sequence();
    } else if (event.isExited() || event.isStartFailed()) {
      run.goes_on = false;
    } else if (event.isSignalled() && event.getSignalled().getLoadHost().size() > 0) {
      const auto host = schema::str(event.getSignalled().getLoadHost());
      if (event.getSignalled().getStopped()) run.stopping.insert(host);
      else run.stopping.erase(host);
    } else if (event.isVnodesReleased() && event.getVnodesReleased().getHosts().size() > 0) {
      run.since = record.sequence();
      for (auto host : event.getVnodesReleased().getHosts()) leave(serial, run, schema::str(host));
      if (run.hosts.empty()) {
        forget(serial);
        return true;
      }
    } else {
      return false;
    }
    return look_at(serial);
  }

  bool fold_host(const log::record& record, schema::HostEvent::Reader event) {
    const auto stream = record.get().getStream();
    if (event.isAdded()) names_[stream] = schema::str(event.getAdded().getName());
    const auto name = names_.find(stream);
    if (name == names_.end()) return false;
    bool says = false;
    if (event.isCameUp()) {
      for (auto vnode : event.getCameUp().getVnodes())
        for (auto a : vnode.getAttributes()) says |= model::says_suspend(a);
    } else if (!event.isRemoved()) {
      return false;
    }
    auto& known = words_[name->second];
    const bool news = std::exchange(known.suspends, says) != says;
    if (news) known.since = record.sequence();
    bool any = false;
    if (const auto jobs = on_.find(name->second); news && jobs != on_.end())
      for (const auto serial : jobs->second) any |= look_at(serial);
    if (event.isRemoved()) names_.erase(name);  // its last word, that it stops nobody, is still to be told
    return any;
  }

  std::uint64_t since(const std::string& host) const {
    const auto at = words_.find(host);
    return at == words_.end() ? 0 : at->second.since;
  }
  bool suspends(const run& run, const std::string& host) const {
    const auto at = words_.find(host);
    return at != words_.end() && at->second.suspends && run.hosts.contains(host);
  }
  std::set<std::string> hosts_that_differ(const run& run) const {
    std::set<std::string> found;
    for (const auto* hosts : {&run.hosts, &run.stopping})
      for (const auto& host : *hosts)
        if (suspends(run, host) != run.stopping.contains(host)) found.insert(host);
    return found;
  }
  // Whether anything of it has to be said, or had to be.
  bool look_at(std::uint64_t serial) {
    const auto& run = runs_.at(serial);
    if (!run.goes_on || hosts_that_differ(run).empty()) return differing_.erase(serial) > 0;
    differing_.insert(serial);
    return true;
  }
  void leave(std::uint64_t serial, run& run, const std::string& host) {
    run.hosts.erase(host);
    const auto at = on_.find(host);
    if (at == on_.end()) return;
    at->second.erase(serial);
    if (at->second.empty()) on_.erase(at);
  }
  void forget(std::uint64_t serial) {
    const auto at = runs_.find(serial);
    if (at == runs_.end()) return;
    for (const auto& host : std::set(at->second.hosts)) leave(serial, at->second, host);
    runs_.erase(at);
    differing_.erase(serial);
  }

  std::map<std::uint64_t, std::string> names_;         // of hosts, by stream
  std::map<std::string, word> words_;                  // by host
  std::map<std::uint64_t, run> runs_;                  // by the job's serial
  std::map<std::string, std::set<std::uint64_t>> on_;  // the runs of each host
  std::set<std::uint64_t> differing_;                  // runs that owe a word
};

}  // namespace

std::unique_ptr<reaction> host_loads() { return std::make_unique<loads>(); }

}  // namespace annals::reactions
