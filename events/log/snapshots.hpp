// Snapshots: named states at a position of the log, so that a start need not replay from the beginning. A cache: losing
// them, or all of them, changes nothing but time. Written by followers of the log, never by actors.
//
// A snapshot carries format version, log sequence, the chain hash of that record, and a checksum. It is offered only
// while all of these match: another program version, another log or a damaged value make it as if it were not there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "events/log/record.hpp"
#include "events/ports/event_store.hpp"

namespace annals::log {

struct snapshot {
  std::uint64_t sequence = 0;  // of the last event that is in it
  std::vector<std::byte> payload;
};

// One thread writes and loads.
class snapshot_store {
 public:
  explicit snapshot_store(ports::storage store) : store_(store) {}  // its log and its cache

  // `at` is the chain hash of record `sequence` (for sequence 0, zeros). Replaces what had this name.
  ports::store_status save(std::string_view name, std::uint32_t format, std::uint64_t sequence, const chain_hash& at,
                           ports::byte_span payload);
  // What was saved survives a kill of the process from here on. Once per round of saves, not per save.
  ports::store_status keep() { return store_.cache->keep_cache(); }

  std::optional<snapshot> load(std::string_view name, std::uint32_t format) const;
  // Calls visit for every sound snapshot whose name begins with prefix, until it answers false.
  using visitor = std::function<bool(std::string_view name, const snapshot& s)>;
  void load_all(std::string_view prefix, std::uint32_t format, const visitor& visit) const;

  ports::store_status drop(std::string_view prefix);  // "" drops all

 private:
  std::optional<snapshot> open(std::uint32_t format, ports::byte_span value) const;
  bool in_this_log(std::uint64_t sequence, const chain_hash& at) const;

  ports::storage store_;
  mutable std::uint64_t known_sequence_ = 0;  // the last record looked up: many snapshots share a position
  mutable chain_hash known_hash_{};
};

}  // namespace annals::log
