// Reading a log that may be damaged: what can't be read is reported with its sequence, and reading goes on behind it.
// (Everybody else stops at damage: only an auditor wants to see what is left.)
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "events/log/record.hpp"
#include "events/ports/event_store.hpp"

namespace annals::audit {

struct scan_visitor {
  std::function<bool(const log::record_ptr&)> record;                       // false: enough
  std::function<void(std::uint64_t sequence, const std::string&)> damaged;  // also of an event this program doesn't know
};

// Records from..to, in order. Answers whether all of them were sound (as far as it was let).
bool scan(const ports::event_store& store, std::uint64_t from, std::uint64_t to, const scan_visitor& visit);

}  // namespace annals::audit
