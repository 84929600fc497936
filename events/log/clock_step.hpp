// What a log does when its clock is behind its last record, and how a moment is found in a log whose times may step back. The order of
// records is that of their sequences. Governed by docs/design/0061-clocks.md.
#pragma once

#include <cstdint>
#include <string>

#include "events/log/record.hpp"
#include "events/ports/record_log.hpp"

namespace annals::log {

enum class clock_state { goes_on,
                         held,       // behind by so little that the log holds its time for that long, and says nothing
                         went_back,  // a ClockSteppedBack is written, and time is the clock's again
                         wrong };    // behind by so much that it can't be the time: the log holds its own, and says so

clock_state time_behind(std::int64_t last_ns, std::int64_t now_ns);

// For daemon logs and listings.
std::string stepped_back_text(schema::ClockSteppedBack::Reader step);
std::string time_stands_text(std::int64_t last_ns, std::int64_t now_ns);

// Sequence of the last ClockSteppedBack, this record included; 0: none.
std::uint64_t stepped_after(const record& r);

// The last record whose time is not after `wall_ns`, 0 for none: of a moment that there is twice, the later one. Records that can't be
// read are passed over. Between two steps times never decrease, so a place is found by halving.
std::uint64_t last_not_after(const ports::record_log& log, std::int64_t wall_ns, ports::store_status& status);

}  // namespace annals::log
