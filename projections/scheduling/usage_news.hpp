// The fairshare usages that a scheduler is told: all of them when each one changed, else those that did. Messages of their own,
// of the view's sequence, behind those of the other rows; so a scheduler that counts no usage is told nothing.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "events/schema/daemon/to_scheduler.capnp.h"
#include "projections/status/status.hpp"

namespace annals::projections {

class usage_news {
 public:
  usage_news(const status& from, std::string scheduler) : from_(from), scheduler_(std::move(scheduler)) {}

  // `before`: to which sequence the messages before moved the view; these move it to that of the status. `full`: the scheduler has
  // nothing yet.
  void append(std::vector<schema::sealed<schema::ToScheduler>>& out, std::uint64_t epoch, std::uint64_t before, bool full);

 private:
  const status& from_;
  std::string scheduler_;
  fairshare::told told_;
};

}  // namespace annals::projections
