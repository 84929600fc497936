#include "hooks-runtime/worker/sandbox.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/securebits.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "events/schema/message.hpp"
#include "hooks-runtime/worker/system_calls.hpp"

namespace annals::hooks {
namespace {

bool is_root() { return ::geteuid() == 0; }

std::string failed(const std::string& what) { return what + ": " + std::strerror(errno); }

bool write_file(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return done;
}

// A view of the file system of its own. Without root that takes a user namespace, in which it keeps its number.
bool own_mounts() {
  const std::string uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
  if (is_root()) {
    if (::unshare(CLONE_NEWNS) != 0) return false;
  } else {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    if (!write_file("/proc/self/setgroups", "deny") || !write_file("/proc/self/gid_map", gid + " " + gid + " 1") ||
        !write_file("/proc/self/uid_map", uid + " " + uid + " 1"))
      return false;
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

std::string hide(capnp::List<capnp::Text>::Reader directories) {
  for (const auto directory : directories) {
    struct stat there {};
    if (::stat(directory.cStr(), &there) != 0) continue;
    if (::mount("none", directory.cStr(), "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV, "size=4k,mode=700") != 0 &&
        is_root())
      return failed("can't cover " + schema::str(directory));
  }
  return {};
}

// What is written there asks for the user's number only and for no capability: the daemon's oom_score_adj, its cgroup's
// cgroup.kill, sysrq-trigger.
std::string keep_kernel_files() {
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  for (const char* where : {"/proc", "/sys"})
    if (::mount_setattr(AT_FDCWD, where, AT_RECURSIVE, &read_only, sizeof read_only) != 0 && errno != EINVAL &&
        errno != ENOSYS)  // not mounted; an older kernel
      return failed(std::string("can't make read-only ") + where);
  return {};
}

// As root this must succeed; without root it is done where the kernel lets users have namespaces.
std::string own_view(protocol::Sandbox::Reader rules) {
  if (rules.getCapabilities() && rules.getHidden().size() == 0) return {};
  if (!own_mounts()) return is_root() ? failed("no mounts of its own") : std::string();
  if (std::string trouble = hide(rules.getHidden()); !trouble.empty()) return trouble;
  return rules.getCapabilities() ? std::string() : keep_kernel_files();
}

// As of version 6 (Linux 6.12); headers that are older know the first member only.
struct landlock_rules {
  std::uint64_t files, network, scopes;
};
constexpr std::uint64_t scope_of_signals = 1 << 1;

// Whoever has put on any Landlock rule can't look into processes that have not (ptrace, /proc/PID/mem), be it the same
// user's, and signals only what it has started.
void close_other_processes(bool signals) {
  const auto version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  landlock_rules rules{LANDLOCK_ACCESS_FS_MAKE_BLOCK, 0, signals ? 0 : scope_of_signals};
  const auto size = version >= 6 ? sizeof rules : sizeof rules.files;
  const int fd = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, size, 0));
  if (fd < 0) return;  // an older kernel: system calls and capabilities have to do
  ::syscall(SYS_landlock_restrict_self, fd, 0);
  ::close(fd);
}

bool limit(int what, std::uint64_t most) {
  if (most == 0) return true;
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource>(what), &now) != 0) return false;
  const rlim_t wanted = std::min<rlim_t>(most, now.rlim_max);
  const rlimit set{wanted, wanted};
  return ::setrlimit(static_cast<__rlimit_resource>(what), &set) == 0;
}

#ifdef ANNALS_SANITIZED
constexpr bool may_bound_memory = false;  // the shadow of a sanitizer takes terabytes of addresses
#else
constexpr bool may_bound_memory = true;
#endif

// Processor time is bounded run by run (cpu_budget.hpp).
std::string set_limits(protocol::Limits::Reader l, bool starts_programs) {
  // Programs of a host (those for accelerators) map far more than they use: there only what can be written counts.
  const int memory = starts_programs ? RLIMIT_DATA : RLIMIT_AS;
  if ((may_bound_memory && !limit(memory, l.getMemoryBytes())) || !limit(RLIMIT_NOFILE, l.getOpenFiles()) ||
      !limit(RLIMIT_FSIZE, l.getFileBytes()))
    return failed("setrlimit");
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  // When memory runs out all the same, the kernel takes it from hooks before it takes it from daemons and jobs.
  write_file("/proc/self/oom_score_adj", "1000");
  ::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of write(), not a death
  ::signal(SIGPIPE, SIG_IGN);  // as in every Python
  return {};
}

bool drop_capabilities() {
  for (int c = 0; ::prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; ++c)
    if (::prctl(PR_CAPBSET_DROP, c, 0, 0, 0) != 0 && errno != EPERM) return false;
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2]{};
  return ::syscall(SYS_capset, &head, none) == 0;
}

std::string become(const std::string& user) {
  if (user.empty()) return {};
  const passwd* account = ::getpwnam(user.c_str());
  if (!account) return "no such user: " + user;
  if (!is_root())
    return ::getuid() == account->pw_uid ? std::string() : "only root runs hooks as another user: " + user;
  const uid_t uid = account->pw_uid;
  const gid_t gid = account->pw_gid;
  const std::string home = account->pw_dir;
  if (::initgroups(user.c_str(), gid) != 0 || ::setresgid(gid, gid, gid) != 0 || ::setresuid(uid, uid, uid) != 0)
    return failed("can't become " + user);
  // Changing the user makes a process unreadable to itself in /proc and forgets who is to be told of the guard's end.
  ::prctl(PR_SET_DUMPABLE, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return {};
}

}  // namespace

std::string put_on_sandbox(protocol::Bind::Reader bind, int to_guard) {
  const auto rules = bind.getSandbox();
  if (std::string trouble = set_limits(bind.getLimits(), rules.getProcesses()); !trouble.empty()) return trouble;
  if (std::string trouble = own_view(rules); !trouble.empty()) return trouble;
  // Root may filter without giving up set-user-id programs, which health checks of hosts use.
  const bool keep_privileges = is_root() && rules.getCapabilities();
  if (!keep_privileges && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
  if (!rules.getCapabilities()) {
    close_other_processes(rules.getSignals());
    if (!drop_capabilities()) return failed("capset");
  }
  if (std::string trouble = filter_system_calls(rules, bind.getLimits().getProcesses(), to_guard); !trouble.empty())
    return trouble;
  return become(schema::str(bind.getRunAs()));
}

}  // namespace annals::hooks
