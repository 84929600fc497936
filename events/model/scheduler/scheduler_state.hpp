// The state of a scheduler object. scheduler.hpp has the rules.
#pragma once

#include <cstdint>
#include <string>

#include "events/attributes/attribute_set.hpp"
#include "events/model/scheduler/fairshare.hpp"

namespace annals::model {

struct scheduler_state {
  std::uint64_t serial = 0;
  std::uint64_t version = 0;
  bool exists = false;
  bool connected = false;
  std::string name;
  std::uint64_t cycle = 0;  // number of the last cycle that began
  bool in_cycle = false;
  bool partition_given = false;  // it has one, or had one
  std::string runs_on;           // the host it said hello from last
  bool start_failed = false;     // the last start, and none has come since
  bool found_unfit = false;      // the server found its directories so at a start; what a process says that was there before ends nothing
  std::string left_host;         // out of reach when it was started somewhere else; empty: none, or somebody has set sched_host since
  attributes::attribute_set attributes;
  fairshare_policy fairshare;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.serial, self.version, self.exists, self.connected, self.name, self.cycle, self.in_cycle, self.partition_given, self.runs_on,
       self.start_failed, self.found_unfit, self.left_host, self.attributes, self.fairshare);
  }
};

}  // namespace annals::model
