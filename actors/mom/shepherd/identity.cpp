#include "actors/mom/shepherd/identity.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace annals::shepherd {

identity make_identity(bool change, std::uint32_t uid, std::uint32_t gid, const std::vector<std::uint32_t>& groups) {
  return {change, uid, gid, groups.data(), groups.size()};
}

bool become(const identity& who) {
  if (!who.change) return true;
  return syscall(SYS_setgroups, who.group_count, who.groups) == 0 &&
         syscall(SYS_setresgid, who.gid, who.gid, who.gid) == 0 &&
         syscall(SYS_setresuid, who.uid, who.uid, who.uid) == 0;
}

acting_as::acting_as(const identity& who) {
  if (!who.change) return;
  changed_ = true;
  good_ = syscall(SYS_setgroups, who.group_count, who.groups) == 0 && syscall(SYS_setresgid, -1, who.gid, -1) == 0 &&
          syscall(SYS_setresuid, -1, who.uid, -1) == 0;
}

acting_as::~acting_as() {
  if (!changed_) return;
  const gid_t ours = getgid();
  const bool back = syscall(SYS_setresuid, -1, getuid(), -1) == 0 && syscall(SYS_setresgid, -1, ours, -1) == 0 &&
                    syscall(SYS_setgroups, 1, &ours) == 0;
  if (!back) _exit(70);  // a shepherd that can't be itself again must not go on
}

}  // namespace annals::shepherd
