// The amounts of reservations whose window is open now, by vnode. An event costs as much as the place that opens or closes with it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "events/model/reservation/reservation.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/model/vnodes/holdings.hpp"

namespace annals::model {

class open_windows {
 public:
  struct holder {
    std::uint64_t who = 0;  // serial
    amounts has;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.who, self.has);
    }
  };

  void changed(const reservation_state& r);  // by an event that it has applied
  // Null: nobody has anything of it.
  const std::vector<holder>* of(std::string_view vnode) const;
  bool empty() const { return places_.empty(); }
  // Serials and places, rising.
  const std::map<std::uint64_t, std::string>& places() const { return places_; }
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.places_, self.by_vnode_);
  }

 private:
  void leave(std::uint64_t who, const std::string& place);

  std::map<std::uint64_t, std::string> places_;  // exec_vnode
  std::map<std::string, std::vector<holder>, std::less<>> by_vnode_;
};

// It has a vnode of this sharing for itself.
bool has_alone(const reservation_state& r, std::string_view sharing);
// The amounts that its jobs hold there. `queue_of` gives the queue of a job, by serial. The job that the reservation was made of counts
// before it is in its queue.
template <class QueueOf>
amounts held_in(const reservation_state& r, const vnode_use& use, const QueueOf& queue_of) {
  const bool of_job = r.kind == schema::ReservationKind::FROM_JOB;
  amounts sum;
  for (const auto& j : use.jobs)
    if ((of_job && j.job == r.job) || queue_of(j.job) == r.id) sum.add(j.held, +1);
  return sum;
}

}  // namespace annals::model
