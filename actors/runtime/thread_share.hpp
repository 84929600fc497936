// How the calling thread shares the processors. Linux (6.12 and later) lets a thread that wakes up with a short slice go before
// one that has been using a long one, and any Linux one that is nicer than others after them: who hands on a submission in
// 20 us need not wait milliseconds for who prints 10,000 jobs. Where the system refuses, nothing changes.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace annals::actors {

struct thread_share {
  std::uint64_t slice_ns;  // 0: the system's own
  int nice;                // as setpriority(2) has it
};
// The shortest slice that Linux accepts.
constexpr thread_share prompt_share{100'000, 0};
// Back to this one from a nicer one the system lets root alone.
constexpr thread_share usual_share{0, 0};
// A tenth of what others get when they want the same processor; all of it when nobody does.
constexpr thread_share yielding_share{0, 10};

// Threads that this one makes inherit it.
inline void set_thread_share(thread_share share) {
  // sched_setattr(2); the headers of the kernel and of the C library that describe it can't be used together.
  struct {
    std::uint32_t size = 48, policy = 0 /* SCHED_OTHER */;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime_ns = 0, deadline_ns = 0, period_ns = 0;
  } attributes;
  static_assert(sizeof attributes == 48);
  attributes.nice = share.nice;
  attributes.runtime_ns = share.slice_ns;
  (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace annals::actors
