// qterm -t immediate, -t delay: every job with a run is asked what becomes of it when the server stops, one that was assigned after that
// too; when the last run has left the server ends. What becomes of a job its own rules say (events/model/job/reports.cpp).
// Source: pbs guide, qterm.
#include <algorithm>
#include <map>
#include <set>

#include "actors/server/reactions/all.hpp"
#include "events/model/server/server.hpp"

namespace annals::reactions {

namespace {

class stop final : public stored_reaction<stop> {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    if (event.isJob()) return fold_job(record, event.getJob()) && asked_ != 0;
    if (!event.isServer()) return false;
    if (event.getServer().isStarted()) asked_ = 0;
    if (event.getServer().isChanged())
      for (auto c : event.getServer().getChanged().getChanges())
        if (schema::text(c.getName()) == "server_state") asked_ = record.sequence();
    return true;
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    if (!model::winding_up(at.settings)) return orders;
    const bool waits = model::waits_for_jobs(at.settings);
    if (runs_.empty()) {
      orders.push_back(make_order({.cause = asked_,
                                   .target = "server",
                                   .what = end_server{waits ? "delay" : "immediate"},
                                   .given = order::repeat::until_accepted}));
      return orders;
    }
    for (const auto& [serial, run] : runs_)
      orders.push_back(make_order({.cause = std::max(asked_, run.assigned),
                                   .target = "job " + std::to_string(serial),
                                   .what = tell_job{serial, model::server_stops{waits}, {"", at.settings.host_name, schema::Role::SERVER}},
                                   .given = order::repeat::until_accepted,
                                   .again_ns = second_ns}));
    return orders;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.asked_, self.runs_);
  }

 private:
  // A run holds vnodes from JobAssigned until the last of its hosts has released its vnodes.
  struct held_run {
    std::uint64_t assigned;       // sequence
    std::set<std::string> hosts;  // that still have it
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.assigned, self.hosts);
    }
  };

  bool fold_job(const log::record& record, schema::JobEvent::Reader event) {
    const auto serial = record.get().getStream();
    if (event.isAssigned()) {
      auto& run = runs_[serial] = {record.sequence(), {}};
      for (auto host : event.getAssigned().getHosts()) run.hosts.insert(schema::str(host));
      return true;
    }
    const auto run = runs_.find(serial);
    if (!event.isVnodesReleased() || run == runs_.end()) return false;
    for (auto host : event.getVnodesReleased().getHosts()) run->second.hosts.erase(schema::str(host));
    if (run->second.hosts.empty()) runs_.erase(run);
    return true;
  }

  std::uint64_t asked_ = 0;                 // sequence of the request to stop; 0: nobody has
  std::map<std::uint64_t, held_run> runs_;  // by the job's serial
};

}  // namespace

std::unique_ptr<reaction> orderly_stop() { return std::make_unique<stop>(); }

}  // namespace annals::reactions
