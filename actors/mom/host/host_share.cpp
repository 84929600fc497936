#include "actors/mom/host/host_share.hpp"

#include <algorithm>

#include "actors/mom/host/order_file.hpp"
#include "events/model/host/host_limits.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/size.hpp"

namespace annals::mom {
namespace {

// The sum over one chunk's vnodes; nothing if it asks for none.
std::optional<std::uint64_t> bytes_of(const values::exec_chunk& chunk, const char* resource) {
  std::optional<std::uint64_t> sum;
  for (const auto& part : chunk.parts) {
    const auto* const text = part.find(resource);
    const auto size = text ? values::parse_size(*text) : std::nullopt;
    if (size && size->to_kb() <= UINT64_MAX / 1024 / 1024) sum = sum.value_or(0) + size->to_kb() * 1024;
  }
  return sum;
}

std::uint64_t cpus_of(const values::exec_chunk& chunk) {
  std::uint64_t sum = 0;
  for (const auto& part : chunk.parts)
    if (const auto* const text = part.find("ncpus")) sum += whole_number(*text).value_or(0);
  return sum;
}

}  // namespace

ports::host_share share_of_host(const std::string& exec_vnode, const std::string& exec_host,
                                const std::function<bool(const std::string& host)>& is_here) {
  ports::host_share share;
  share.ncpus = 1;  // of an order that says nothing
  const auto vnodes = values::parse_exec_vnode(exec_vnode);
  const auto hosts = values::parse_exec_host(exec_host);
  if (!vnodes || !hosts || vnodes->chunks.size() != hosts->size()) return share;
  std::uint64_t ncpus = 0;
  std::size_t here = 0, with_memory = 0, with_vmem = 0;
  std::uint64_t memory = 0, vmem = 0;
  for (std::size_t i = 0; i < hosts->size(); ++i) {
    if (!is_here((*hosts)[i].host)) continue;
    const auto& chunk = vnodes->chunks[i];
    ++here;
    ncpus += cpus_of(chunk);
    if (const auto bytes = bytes_of(chunk, "mem")) memory += *bytes, ++with_memory;
    if (const auto bytes = bytes_of(chunk, "vmem")) vmem += *bytes, ++with_vmem;
  }
  share.ncpus = static_cast<std::uint32_t>(std::min<std::uint64_t>(ncpus, UINT32_MAX));
  if (here > 0 && with_memory == here) share.memory_bytes = std::max(memory, limits::cgroup_memory_bytes_min);
  if (here > 0 && with_vmem == here) share.vmem_bytes = std::max(vmem, limits::cgroup_memory_bytes_min);
  return share;
}

}  // namespace annals::mom
