#include "hooks-runtime/worker/system_calls.hpp"

#include <fcntl.h>
#include <seccomp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>

#include "hooks-runtime/worker/guard.hpp"

namespace annals::hooks {
namespace {

// What other processes keep in memory and hold open.
constexpr const char* of_others[] = {"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp"};
// The kernel's machinery: refused to every hook, on hosts too.
constexpr const char* never[] = {"bpf",
                                 "perf_event_open",
                                 "userfaultfd",
                                 "add_key",
                                 "request_key",
                                 "keyctl",
                                 "init_module",
                                 "finit_module",
                                 "delete_module",
                                 "kexec_load",
                                 "kexec_file_load",
                                 "iopl",
                                 "ioperm",
                                 "acct",
                                 "io_uring_setup",
                                 "io_uring_enter",
                                 "io_uring_register",
                                 "open_by_handle_at"};
// Root of a host may; a hook of the server has no business there.
constexpr const char* of_root[] = {"mount",
                                   "umount2",
                                   "move_mount",
                                   "open_tree",
                                   "fsopen",
                                   "fsmount",
                                   "fsconfig",
                                   "mount_setattr",
                                   "pivot_root",
                                   "chroot",
                                   "unshare",
                                   "setns",
                                   "reboot",
                                   "swapon",
                                   "swapoff",
                                   "quotactl",
                                   "settimeofday",
                                   "clock_settime",
                                   "clock_adjtime",
                                   "adjtimex",
                                   "sethostname",
                                   "setdomainname",
                                   "syslog",
                                   "personality",
                                   "sched_setaffinity",
                                   "sched_setscheduler",
                                   "sched_setparam",
                                   "sched_setattr",
                                   "setpriority",
                                   "ioprio_set",
                                   "migrate_pages",
                                   "move_pages"};
constexpr const char* starting[] = {"fork", "vfork", "clone", "clone3"};
constexpr const char* programs[] = {"execve", "execveat"};
constexpr const char* network[] = {"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4"};

// A file that is ready signals whom one of these named, with any signal.
constexpr std::uint32_t file_owners[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG};
constexpr std::uint32_t socket_owners[] = {FIOSETOWN, SIOCSPGRP};

class filter {
 public:
  filter() : context_(::seccomp_init(SCMP_ACT_ALLOW), ::seccomp_release) {}
  explicit operator bool() const { return context_ && trouble_ == 0; }

  void refuse(std::span<const char* const> names, std::uint32_t action) {
    for (const char* name : names) {
      const int number = ::seccomp_syscall_resolve_name(name);
      if (number != __NR_SCMP_ERROR)
        note(::seccomp_rule_add(context_.get(), action, number, 0));  // else: unknown to this machine
    }
  }
  // Refused unless its first argument is `allowed`.
  void refuse_unless(const char* name, std::uint64_t allowed) {
    note(::seccomp_rule_add(context_.get(), SCMP_ACT_ERRNO(EPERM), ::seccomp_syscall_resolve_name(name), 1,
                            SCMP_A0_64(SCMP_CMP_NE, allowed, 0)));
  }
  // Refused where its second argument, a number of 32 bits, is one of `commands`.
  void refuse_commands(const char* name, std::span<const std::uint32_t> commands) {
    for (const auto command : commands)
      note(::seccomp_rule_add(context_.get(), SCMP_ACT_ERRNO(EPERM), ::seccomp_syscall_resolve_name(name), 1,
                              SCMP_A1_64(SCMP_CMP_MASKED_EQ, 0xffffffffu, command)));
  }
  void note(int result) {
    if (result < 0 && trouble_ == 0) trouble_ = result;
  }
  scmp_filter_ctx get() const { return context_.get(); }
  std::string why() const { return std::string("seccomp: ") + std::strerror(trouble_ ? -trouble_ : ENOMEM); }

 private:
  std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
  int trouble_ = 0;
};

}  // namespace

std::string filter_system_calls(protocol::Sandbox::Reader rules, unsigned processes_max, int to_guard) {
  filter f;
  if (!f) return f.why();
  // No-new-privileges is the caller's decision.
  f.note(::seccomp_attr_set(f.get(), SCMP_FLTATR_CTL_NNP, 0));
  f.refuse(never, SCMP_ACT_ERRNO(EPERM));
  if (!rules.getProcessMemory()) f.refuse(of_others, SCMP_ACT_ERRNO(EPERM));
  if (!rules.getCapabilities()) f.refuse(of_root, SCMP_ACT_ERRNO(EPERM));
  if (!rules.getNetwork()) f.refuse(network, SCMP_ACT_ERRNO(EPERM));
  if (!rules.getSignals() && !rules.getProcesses()) {
    const auto self = static_cast<std::uint64_t>(::getpid());
    for (const char* name : {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"}) f.refuse_unless(name, self);
    constexpr const char* others[] = {"tkill", "pidfd_send_signal"};
    f.refuse(others, SCMP_ACT_ERRNO(EPERM));
  }
  if (!rules.getSignals()) {
    f.refuse_commands("fcntl", file_owners);
    f.refuse_commands("ioctl", socket_owners);
  }
  if (!rules.getCapabilities()) f.refuse_unless("prlimit64", 0);  // of the same user's processes, that is the daemon's
  if (!rules.getProcesses()) {
    f.refuse(starting, SCMP_ACT_ERRNO(EPERM));
    f.refuse(programs, SCMP_ACT_ERRNO(EPERM));
  } else {
    f.refuse(starting, SCMP_ACT_NOTIFY);
  }
  if (f) f.note(::seccomp_load(f.get()));
  if (!f) return f.why();
  if (!rules.getProcesses()) return {};
  const int listener = ::seccomp_notify_fd(f.get());
  const bool delivered = listener >= 0 && hand_over(to_guard, listener, processes_max);
  ::close(listener);
  return delivered ? std::string() : "the guard does not count processes";
}

}  // namespace annals::hooks
