// The port to a cache of this machine: named values (snapshots) that may be lost at any time, and that nobody else sees.
// One thread writes; any thread reads. Governed by docs/design/0036-the-store-in-three.md.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "events/ports/store_status.hpp"

namespace annals::ports {

class local_cache {
 public:
  virtual ~local_cache() = default;

  // keep_cache() makes what was put survive a kill.
  virtual store_status put_cache(std::string_view key, byte_span value) = 0;
  virtual store_status keep_cache() = 0;
  virtual std::optional<std::vector<std::byte>> get_cache(std::string_view key) const = 0;
  // Calls visit for each cache entry whose key begins with prefix.
  virtual void scan_cache(std::string_view prefix,
                          const std::function<bool(std::string_view key, byte_span value)>& visit) const = 0;
  virtual store_status drop_cache(std::string_view prefix) = 0;
};

}  // namespace annals::ports
