#include "actors/sessions/hosts_to_reserve.hpp"

#include <set>
#include <string>

namespace annals::actors {

std::vector<model::host_to_reserve> hosts_to_reserve(const projections::status& now, schema::SubmitReservation::Reader asked) {
  std::vector<model::host_to_reserve> found;
  if (asked.getHosts().size() == 0) return found;
  std::set<std::string, std::less<>> names;
  for (auto host : asked.getHosts()) names.insert(schema::str(host));
  for (const auto& [serial, host] : now.hosts())
    if (names.contains(host.name)) found.push_back(model::to_reserve(host));
  return found;
}

}  // namespace annals::actors
