// Where a job runs, by host: "p1/0*2+p2/1", one entry per chunk. Source: pbs guide, "exec_vnode, exec_host, node file".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::values {

struct host_slot {
  std::string host;
  std::uint32_t slot = 0;  // lowest number not used on that host
  std::uint32_t cpus = 1;  // printed as *C unless 1
  bool operator==(const host_slot&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.host, self.slot, self.cpus);
  }
};
using exec_host_spec = std::vector<host_slot>;

std::optional<exec_host_spec> parse_exec_host(std::string_view text);
std::string print(const exec_host_spec& spec);

// Hosts of an exec_host, each once, in order of first use; the first is the primary.
std::vector<std::string> hosts_of(const exec_host_spec& spec);

}  // namespace annals::values
