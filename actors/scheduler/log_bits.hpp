// The bits of log lines (PBS guide: logs) that the scheduler itself writes, outside its cycle.
#pragma once

#include <cstdint>

namespace annals::actors {

constexpr std::uint32_t event_error = 0x1, event_admin = 0x4, event_sched = 0x40, event_debug = 0x80, event_debug2 = 0x100,
                        event_debug3 = 0x400;

}  // namespace annals::actors
