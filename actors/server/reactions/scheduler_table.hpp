// The scheduler objects as the log says they are: a fold that a reaction and the gateway share.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "events/log/record.hpp"
#include "events/model/scheduler/scheduler.hpp"

namespace annals::reactions {

class scheduler_table {
 public:
  void fold(const log::record& record);  // of a scheduler's stream
  // By stream: in the order of creation.
  const std::map<std::uint64_t, model::scheduler_state>& schedulers() const { return schedulers_; }
  const model::scheduler_state* find(std::string_view name) const;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.schedulers_);
  }

 private:
  std::map<std::uint64_t, model::scheduler_state> schedulers_;
};

}  // namespace annals::reactions
