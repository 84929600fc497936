// job_sort_formula of the server and of schedulers: where both have one it is the same (MS-120). Part of the ledger, as they span streams.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "events/model/context.hpp"
#include "events/model/outcome.hpp"

namespace annals::model {

class sort_formulas {
 public:
  std::optional<rejection> check(schema::ServerEvent::Reader event) const;
  std::optional<rejection> check(schema::SchedulerEvent::Reader event) const;
  void apply(schema::ServerEvent::Reader event);
  void apply(const event_place& at, schema::SchedulerEvent::Reader event);
  bool operator==(const sort_formulas&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.of_server_, self.of_scheduler_);
  }

 private:
  std::string of_server_;                              // empty: none
  std::map<std::uint64_t, std::string> of_scheduler_;  // by stream; no empty ones
};

}  // namespace annals::model
