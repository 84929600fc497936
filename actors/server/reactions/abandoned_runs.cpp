// A run that a host was made to give up unheard (JobVnodesReleased: abandoned) may go on there: a host that is there learns at once
// that it is no longer wanted, another with its next hello. Owed until the host comes up anew, which it does only without the run, is
// removed, or the job is forgotten.
#include <algorithm>
#include <map>

#include "actors/server/reactions/all.hpp"

namespace annals::reactions {

namespace {

class abandoned final : public reaction {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    const auto stream = record.get().getStream();
    if (event.isHost()) return fold_host(stream, event.getHost());
    if (!event.isJob()) return false;
    if (event.getJob().isForgotten()) return std::erase_if(runs_, [&](const auto& r) { return r.serial == stream; }) > 0;
    if (!event.getJob().isVnodesReleased()) return false;
    const auto e = event.getJob().getVnodesReleased();
    if (e.getWhy() != schema::ReleaseReason::ABANDONED) return false;
    for (auto host : e.getHosts()) runs_.push_back({record.sequence(), stream, e.getRun(), schema::str(host)});
    return e.getHosts().size() > 0;
  }

  std::vector<order_ptr> owed(const moment&) override {
    std::vector<order_ptr> orders;
    for (const auto& r : runs_)
      orders.push_back(make_order({.cause = r.sequence,
                                   .target = "run " + std::to_string(r.run) + " of job " + std::to_string(r.serial) + " on " + r.host,
                                   .what = discard_run{r.host, r.serial, r.run},
                                   .given = order::repeat::until_accepted}));
    return orders;
  }

 private:
  struct unheard_run {
    std::uint64_t sequence, serial;
    std::uint32_t run;
    std::string host;
  };

  bool fold_host(std::uint64_t stream, schema::HostEvent::Reader event) {
    if (event.isAdded()) names_[stream] = schema::str(event.getAdded().getName());
    if (!event.isCameUp() && !event.isRemoved()) return false;
    const auto name = names_.find(stream);
    if (name == names_.end()) return false;
    const bool differs = std::erase_if(runs_, [&](const auto& r) { return r.host == name->second; }) > 0;
    if (event.isRemoved()) names_.erase(name);
    return differs;
  }

  std::map<std::uint64_t, std::string> names_;  // of hosts, by stream
  std::vector<unheard_run> runs_;               // in the order of the log
};

}  // namespace

std::unique_ptr<reaction> abandoned_runs() { return std::make_unique<abandoned>(); }

}  // namespace annals::reactions
