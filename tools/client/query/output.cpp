#include "tools/client/query/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace annals::client {

void output::flush() {
  std::string_view rest = text_;
  while (!rest.empty() && !failed_) {
    const ssize_t n = write(STDOUT_FILENO, rest.data(), rest.size());
    if (n >= 0)
      rest.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EINTR)
      failed_ = true;
  }
  text_.clear();
}

}  // namespace annals::client
