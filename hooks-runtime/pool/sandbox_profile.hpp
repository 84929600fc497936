// What a worker may do, by the event's profile and the hook's configuration file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hooks-runtime/catalog/events.hpp"
#include "hooks-runtime/protocol/hook.capnp.h"

namespace annals::hooks {

struct sandbox_rules {
  bool network = false, processes = false, signals = false, capabilities = false, process_memory = false;
  std::vector<std::string> writable_paths;  // as written: the worker says what is wrong with one
  bool operator==(const sandbox_rules&) const = default;
};

// The profile, widened by {"annals_sandbox": {"network": true, "processes": true, "writable_paths": ["/srv/x"]}} in a configuration
// that is JSON; on hosts by {"process_memory": true}, since all else is theirs in any case.
// Only whoever may import the hook can write that file, so it is no way around anything.
sandbox_rules rules_of(sandbox_profile profile, const std::optional<std::string>& configuration);

}  // namespace annals::hooks
