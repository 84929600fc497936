// A job with create_resv_from_job gets a reservation of what it has when it starts, as its owner could ask for with pbs_rsub --job. From
// then on the job is the reservation's (reservation_queues.cpp). Source: pbs guide, "job-specific start reservation".
#include <map>
#include <set>

#include "actors/server/reactions/all.hpp"

namespace annals::reactions {

namespace {

class of_jobs final : public stored_reaction<of_jobs> {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    if (event.isReservation()) return fold_reservation(event.getReservation());
    if (!event.isJob()) return false;
    const auto serial = record.get().getStream();
    const auto job = event.getJob();
    if (job.isQueued()) note(serial, job.getQueued().getAttributes());
    else if (job.isAltered()) note(serial, job.getAltered().getChanges());
    else if (job.isMoved()) note(serial, job.getMoved().getChanges());
    else if (job.isStarted()) return started(serial, record.sequence());
    else if (job.isRequeued()) return started_.erase(serial) > 0;
    else if (job.isEnded()) return ended(serial);
    else return false;
    return started_.contains(serial);
  }

  std::vector<order_ptr> owed(const moment&) override {
    std::vector<order_ptr> orders;
    for (const auto& [serial, since] : started_)
      if (!reserved_.contains(serial))
        orders.push_back(make_order({.cause = since,
                                     .target = "job " + std::to_string(serial),
                                     .what = reserve_for_job{serial},
                                     .given = order::repeat::until_accepted,
                                     .again_ns = 3600 * second_ns}));  // what its owner may not now he seldom may later
    return orders;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.wanted_, self.reserved_, self.started_);
  }

 private:
  void note(std::uint64_t serial, capnp::List<schema::Attribute>::Reader attributes) {
    for (const auto a : attributes) {
      const bool set = a.getOp() != schema::AttributeOp::UNSET;
      if (a.getName() == "create_resv_from_job") put(wanted_, serial, set && a.getValue() == "True");
      if (a.getName() == "reserve_ID") put(reserved_, serial, set && a.getValue().size() > 0);
    }
  }

  static void put(std::set<std::uint64_t>& where, std::uint64_t serial, bool is_there) {
    if (is_there) where.insert(serial);
    else where.erase(serial);
  }

  bool started(std::uint64_t serial, std::uint64_t sequence) {
    if (!wanted_.contains(serial)) return false;
    started_[serial] = sequence;
    return true;
  }

  bool ended(std::uint64_t serial) {
    wanted_.erase(serial);
    reserved_.erase(serial);
    return started_.erase(serial) > 0;
  }

  bool fold_reservation(schema::ReservationEvent::Reader event) {
    if (!event.isSubmitted() || event.getSubmitted().getKind() != schema::ReservationKind::FROM_JOB) return false;
    return started_.erase(event.getSubmitted().getJob()) > 0;
  }

  std::set<std::uint64_t> wanted_;                  // serials of jobs that are to have one
  std::set<std::uint64_t> reserved_;                // of jobs that are in one
  std::map<std::uint64_t, std::uint64_t> started_;  // of wanted ones that run without: the record of their start
};

}  // namespace

std::unique_ptr<reaction> job_reservations() { return std::make_unique<of_jobs>(); }

}  // namespace annals::reactions
