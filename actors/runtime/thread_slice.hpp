// How long the calling thread may keep a processor before another takes its turn. Linux (6.12 and later) lets a thread that
// wakes up with a short slice go before one that has been using a long one: who hands on a submission in 20 us need not
// wait milliseconds for who prints 10,000 jobs. Its share of the processors stays the same. Elsewhere this has no effect.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>

namespace annals::actors {

// The shortest that Linux accepts.
constexpr std::chrono::microseconds short_slice{100};
constexpr std::chrono::nanoseconds ordinary_slice{0};

// Threads that this one makes inherit it.
inline void set_thread_slice(std::chrono::nanoseconds slice) {
  // sched_setattr(2); the headers of the kernel and of the C library that describe it can't be used together.
  struct {
    std::uint32_t size = 48, policy = 0 /* SCHED_OTHER */;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime_ns = 0, deadline_ns = 0, period_ns = 0;
  } attributes;
  static_assert(sizeof attributes == 48);
  attributes.runtime_ns = static_cast<std::uint64_t>(slice.count());
  (void)syscall(SYS_sched_setattr, 0, &attributes, 0);      // an older kernel refuses or ignores it
}

}  // namespace annals::actors
