// What must hold of reservations whatever fails: a slow recount from the server's log, event by event.
//
// Times are opened and closed when they are due, no earlier; no vnode is promised twice; jobs of a reservation run in its window and
// on what it has, all others beside it; when it has ended neither a queue nor a job of it is left.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "events/log/record.hpp"
#include "events/model/reservation/reservation.hpp"

namespace annals::sim {

class reserved_vnodes {
 public:
  void fold(const log::record& record);
  std::uint64_t sequence() const { return sequence_; }
  const std::string& fault() const { return fault_; }  // the first
  // Those that have not ended, by serial.
  const std::map<std::uint64_t, model::reservation_state>& reservations() const { return reservations_; }
  bool all_over() const { return reservations_.empty() && queues_.empty(); }
  std::string unfinished() const;
  // Serial of the reservation that this command made; 0: none.
  std::uint64_t made_by(const std::string& command_id) const;
  std::string id_of(std::uint64_t serial) const;
  bool was_deleted(std::uint64_t serial) const { return deleted_.contains(serial) || !reservations_.contains(serial); }
  // How often each thing happened: "confirmed", "began", ...
  const std::map<std::string, int>& happened() const { return happened_; }

 private:
  using cpus = std::map<std::string, int>;  // by vnode
  struct job {
    std::string queue;
    cpus held;
    bool ended = false;
  };
  void fold_reservation(const log::record& record);
  void fold_job(std::uint64_t stream, schema::JobEvent::Reader event);
  void check_promises(std::uint64_t of);
  void check_window(const model::reservation_state& before, const log::record& record);
  void check_end(const model::reservation_state& r);
  void check_run(std::uint64_t stream);
  void check_inside(std::uint64_t stream, const model::reservation_state& r);
  void check_beside(const std::string& vnode);
  bool belongs_to(std::uint64_t stream, const job& j, const model::reservation_state& r) const;
  const model::reservation_state* of_queue(const std::string& queue) const;
  void found(const std::string& fault);

  std::uint64_t sequence_ = 0;
  std::string fault_;
  std::map<std::uint64_t, model::reservation_state> reservations_;
  std::map<std::uint64_t, std::string> queues_;  // of reservations, by stream
  std::map<std::uint64_t, job> jobs_;
  std::map<std::string, std::uint64_t> by_command_;
  std::map<std::uint64_t, std::string> ids_;
  std::set<std::uint64_t> deleted_;
  std::map<std::string, int> happened_;
};

}  // namespace annals::sim
