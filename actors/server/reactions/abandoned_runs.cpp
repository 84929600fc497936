// A run that a host was made to give up unheard (JobVnodesReleased: abandoned) may go on there: a host that is there learns at once
// that it is no longer wanted, another with its next hello. Owed until the host comes up anew, which it does only without the run, or
// is removed. A forced delete may forget the job in the same breath, and its host is to hear of it: that the job is forgotten ends
// the debt after a moment only. A host that has not heard of it by then tells the run in its next hello, as one that nobody knows.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "actors/server/reactions/all.hpp"
#include "events/values/job_id.hpp"

namespace annals::reactions {

namespace {

constexpr std::int64_t kept_when_forgotten_ns = 60'000'000'000;

class abandoned final : public stored_reaction<abandoned> {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    const auto stream = record.get().getStream();
    if (event.isHost()) return fold_host(stream, event.getHost());
    return event.isJob() && fold_job(stream, record, event.getJob());
  }

  void clock_went_back(std::int64_t to_ns) override {
    for (auto& r : runs_) r.forgotten_ns = std::min(r.forgotten_ns, to_ns);
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::erase_if(runs_, [&](const auto& r) { return r.forgotten_ns != 0 && at.now_ns - r.forgotten_ns >= kept_when_forgotten_ns; });
    std::vector<order_ptr> orders;
    for (const auto& r : runs_)
      orders.push_back(make_order({.cause = r.sequence,
                                   .target = "run " + std::to_string(r.run) + " of job " + std::to_string(r.serial) + " on " + r.host,
                                   .what = discard_run{r.host, r.serial, r.run, values::id_of_number(r.number, at.settings.server_name)},
                                   .given = order::repeat::until_accepted}));
    return orders;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.names_, self.numbers_, self.runs_);
  }

 private:
  struct unheard_run {
    std::uint64_t sequence, serial, number;
    std::uint32_t run;
    std::string host;
    std::int64_t forgotten_ns = 0;  // when its job was; 0: it is not
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.sequence, self.serial, self.number, self.run, self.host, self.forgotten_ns);
    }
  };

  bool fold_job(std::uint64_t serial, const log::record& record, schema::JobEvent::Reader event) {
    if (event.isForgotten())
      for (auto& r : runs_)
        if (r.serial == serial) r.forgotten_ns = record.get().getWallNs();
    if (event.isQueued()) numbers_[serial] = event.getQueued().getNumber();
    if (event.isEnded()) numbers_.erase(serial);
    if (!event.isVnodesReleased()) return false;
    const auto e = event.getVnodesReleased();
    if (e.getWhy() != schema::ReleaseReason::ABANDONED) return false;
    for (auto host : e.getHosts()) runs_.push_back({record.sequence(), serial, numbers_[serial], e.getRun(), schema::str(host)});
    return e.getHosts().size() > 0;
  }

  bool fold_host(std::uint64_t stream, schema::HostEvent::Reader event) {
    if (event.isAdded()) names_[stream] = schema::str(event.getAdded().getName());
    if (!event.isCameUp() && !event.isRemoved()) return false;
    const auto name = names_.find(stream);
    if (name == names_.end()) return false;
    const bool differs = std::erase_if(runs_, [&](const auto& r) { return r.host == name->second; }) > 0;
    if (event.isRemoved()) names_.erase(name);
    return differs;
  }

  std::map<std::uint64_t, std::string> names_;                // of hosts, by stream
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;  // of jobs that have not ended, by serial
  std::vector<unheard_run> runs_;                             // in the order of the log
};

}  // namespace

std::unique_ptr<reaction> abandoned_runs() { return std::make_unique<abandoned>(); }

}  // namespace annals::reactions
