#include "hooks-runtime/worker/sandbox.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "events/schema/message.hpp"
#include "hooks-runtime/worker/landlock.hpp"
#include "hooks-runtime/worker/system_calls.hpp"
#include "hooks-runtime/worker/view.hpp"

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

// The hook's scratch directory and what its configuration names, without links. Throws what is wrong with it.
std::vector<std::string> writable_places(protocol::Sandbox::Reader rules, const scratch_directory& scratch) {
  std::vector<std::string> out;
  if (!scratch.trouble.empty()) throw std::runtime_error(scratch.trouble);
  if (!scratch.path.empty()) out.push_back(scratch.path);
  for (const auto listed : rules.getWritable()) {
    const std::string path = schema::str(listed), in_words = "annals_sandbox: writable_paths: " + path + ": ";
    if (!path.starts_with('/')) throw std::runtime_error(in_words + "not an absolute path");
    std::error_code trouble;
    out.push_back(std::filesystem::canonical(path, trouble).string());
    if (trouble) throw std::runtime_error(in_words + trouble.message());
  }
  return out;
}

// Of the server's hooks: what they see and where they write.
std::string close_files(protocol::Sandbox::Reader rules, const scratch_directory& scratch) {
  view_rules view;
  for (const auto directory : rules.getHidden()) view.hidden.push_back(schema::str(directory));
  for (const auto directory : rules.getSeen()) {
    std::error_code is_not_there;
    auto path = std::filesystem::canonical(schema::str(directory), is_not_there).string();
    if (!is_not_there) view.seen.push_back(std::move(path));
  }
  try {
    view.writable = writable_places(rules, scratch);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  if (std::string trouble = put_on_view(view); !trouble.empty()) return trouble;
  view.writable.emplace_back("/dev/null");
  if (std::string trouble = put_on_landlock(view.writable, rules.getSignals()); !trouble.empty()) return trouble;
  return scratch.path.empty() || ::chdir(scratch.path.c_str()) == 0 ? std::string() : failed(scratch.path);
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

// Of hooks on hosts: what other processes keep in memory. The kernel lets nobody look into a process that has a capability more
// than he has, so root gives up the one that would allow it all the same, for itself and for what it starts. Landlock does it
// for those who have none to give up, but takes the mounts from root.
std::string close_memory_of_others() {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct has[2]{};
  if (::syscall(SYS_capget, &head, has) != 0) return failed("capget");
  constexpr std::uint32_t looks_into_others = CAP_TO_MASK(CAP_SYS_PTRACE);
  if (!(has[0].permitted & looks_into_others)) return put_on_landlock({"/"}, true);
  if (::prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0) != 0) return failed("capset");
  has[0].permitted &= ~looks_into_others;
  has[0].effective &= ~looks_into_others;
  has[0].inheritable &= ~looks_into_others;
  return ::syscall(SYS_capset, &head, has) == 0 ? std::string() : failed("capset");
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

std::string put_on_sandbox(protocol::Bind::Reader bind, const scratch_directory& scratch, int to_guard) {
  const auto rules = bind.getSandbox();
  const bool on_host = rules.getCapabilities();
  if (std::string trouble = set_limits(bind.getLimits(), rules.getProcesses()); !trouble.empty()) return trouble;
  // Root may filter without giving up set-user-id programs, which health checks of hosts use.
  const bool keep_privileges = is_root() && on_host;
  if (!keep_privileges && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
  std::string trouble;
  if (!on_host) trouble = close_files(rules, scratch);
  else if (!rules.getProcessMemory()) trouble = close_memory_of_others();
  if (!trouble.empty()) return trouble;
  if (!on_host && !drop_capabilities()) return failed("capset");
  trouble = filter_system_calls(rules, bind.getLimits().getProcesses(), to_guard);
  return trouble.empty() ? become(schema::str(bind.getRunAs())) : trouble;
}

}  // namespace annals::hooks
