// Which host a name or an address means, as whoever types it for ssh expects: "localhost" and each address of this machine are this host,
// and a host has many names. docs/design/0022-task-manager.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace annals::client {

// The first of `hosts` (job's nodes, in their order) that `given` means: by its name, by the name's first part, by an address that both
// names have; or the one this process runs on. Nothing: none of them.
std::optional<std::uint32_t> host_meant(const std::string& given, const std::vector<std::string>& hosts);

}  // namespace annals::client
