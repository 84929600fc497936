// Which queue and which scheduler is in which partition, and what must hold of partitions between queues, vnodes and schedulers: a
// scheduler's partition is its own, and a vnode that serves one queue is in the queue's partition or, on its way there, in none. Part of
// the ledger, since each of them has a stream of its own. Source: MS-39, MS-74 to MS-76, MS-78.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "events/model/vnodes/given_up.hpp"
#include "events/model/vnodes/holdings.hpp"

namespace annals::model {

class partitions {
 public:
  // Whether the event may come next; `vnodes`: as they are before it.
  std::optional<rejection> check(const event_place& at, schema::QueueEvent::Reader event, const holdings& vnodes) const;
  std::optional<rejection> check(const event_place& at, schema::SchedulerEvent::Reader event) const;
  std::optional<rejection> check(schema::VnodeChanged::Reader event, const holdings& vnodes, const given_up_vnodes& suspended) const;
  void apply(const event_place& at, schema::QueueEvent::Reader event);
  void apply(const event_place& at, schema::SchedulerEvent::Reader event);

  std::string_view of_queue(std::string_view queue) const;  // "": in none
  bool operator==(const partitions&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.queues_, self.schedulers_, self.of_queue_);
  }

 private:
  struct member {
    std::string name, partition;
    bool operator==(const member&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.name, self.partition);
    }
  };
  using members = std::map<std::uint64_t, member>;  // by stream
  template <class Event>
  static void apply_to(members& of, const event_place& at, Event event);

  members queues_, schedulers_;
  std::map<std::string, std::string, std::less<>> of_queue_;  // of those that are in one, by the queue's name
};

}  // namespace annals::model
