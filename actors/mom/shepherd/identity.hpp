// Becoming the user. Raw system calls: the process has one thread, and between vfork and exec nothing else is allowed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace annals::shepherd {

struct identity {
  bool change = false;  // false: we are that user
  std::uint32_t uid = 0, gid = 0;
  const std::uint32_t* groups = nullptr;
  std::size_t group_count = 0;
};

identity make_identity(bool change, std::uint32_t uid, std::uint32_t gid, const std::vector<std::uint32_t>& groups);

// For ever, with all groups. False: errno says why.
bool become(const identity& who);

// For as long as the object lives: files are opened and made with the user's rights, not with ours.
class acting_as {
 public:
  explicit acting_as(const identity& who);
  ~acting_as();
  bool good() const { return good_; }
  acting_as(const acting_as&) = delete;
  acting_as& operator=(const acting_as&) = delete;

 private:
  bool changed_ = false, good_ = true;
};

}  // namespace annals::shepherd
