// What the server's log says of jobs in a partition that no scheduler has: once, until one has it (MS-67). Lives in the query actor, whose
// projection it reads.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/record.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

// In both forms that scripts may look for.
std::vector<std::string> lines_of_unreachable(std::string_view partition);

class unserved_partitions {
 public:
  explicit unserved_partitions(const projections::status& from) : from_(from) {}
  // After the projection folded the record. The lines of the log.
  std::vector<std::string> folded(const log::record& record);

 private:
  void look(std::string_view queue, std::vector<std::string>& lines);
  void look_at_all(std::vector<std::string>& lines);
  bool is_unserved(std::string_view partition) const;

  const projections::status& from_;
  std::set<std::string, std::less<>> said_;
};

}  // namespace annals::actors
