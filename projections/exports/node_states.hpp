// The table `node_states`: each vnode, and from when to when jobs were kept from it, and by what.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "events/log/record.hpp"
#include "events/model/host/host.hpp"
#include "projections/exports/row.hpp"

namespace annals::exports {

class node_states {
 public:
  // `host`: as a host's event left it; nullptr: it is gone.
  void fold(const log::record& record, const model::host_state* host, const row_taker& take);

 private:
  struct shown {
    std::string state, reason;
    value ncpus, mem;
    bool operator==(const shown&) const = default;
  };
  struct interval {
    shown what;
    std::string host;
    std::uint64_t since_sequence = 0;
    std::int64_t since_ns = 0;
  };
  using intervals = std::map<std::string, interval, std::less<>>;
  static shown look(const model::host_state& host, const model::vnode_state& vnode);
  static void close(const std::string& vnode, const interval& of, const log::record& by, const row_taker& take);
  static void begin(intervals& of, const std::string& vnode, shown what, const std::string& host, const log::record& by,
                    const row_taker& take);

  std::unordered_map<std::uint64_t, intervals> of_host_;  // by stream
};

}  // namespace annals::exports
