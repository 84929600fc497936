// /proc/PID/mountinfo: any text is read; what is chosen from it is mounted, can be written, and goes through an order unchanged.
#include <algorithm>

#include "actors/mom/host/cgroup_mounts.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto mounts = mom::parse_mountinfo(text);
  mom::cgroup_root have;
  for (const auto& root : mom::choose_roots(mounts)) {
    const bool mounted =
        std::any_of(mounts.begin(), mounts.end(), [&](const auto& m) { return m.path == root.path && m.v2 == root.v2 && m.writable; });
    fuzz::require(mounted, "a root that nobody mounted", text);
    fuzz::require(mom::parse_root(mom::print_root(root)) == root, "a root is not read as it was printed", text);
    for (const auto flag : {&mom::cgroup_root::v2, &mom::cgroup_root::memory, &mom::cgroup_root::cpu, &mom::cgroup_root::freezer}) {
      fuzz::require(!(have.*flag && root.*flag), "two hierarchies do the same", text);
      have.*flag = have.*flag || root.*flag;
    }
  }
  (void)mom::parse_root(text);
  return 0;
}
