// The journal from the shepherd's side: made once, locked for life, appended to.
#pragma once

#include <string>
#include <string_view>

namespace annals::shepherd {

class journal_file {
 public:
  // Makes DIRECTORY/run exclusively and locks it. False: somebody else has or had this run, or it was called off.
  bool claim(const char* directory);
  // One write. False: the disk refused.
  bool append(std::string_view line) const;
  bool sync() const;                       // the lines and, the first time that matters, the name
  bool sync_directory(const char* directory) const;

 private:
  int fd_ = -1;
};

}  // namespace annals::shepherd
