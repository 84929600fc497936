#include "tools/client/query/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "events/values/shown_text.hpp"

namespace annals::client {

void output::flush() {
  std::string_view rest = text_;
  std::string changed;
  if (values::has_unshown_lines(rest)) {
    values::put_lines(changed, rest);
    rest = changed;
  }
  write_all(rest);
  text_.clear();
}

void output::put_content(std::string_view content) {
  if (isatty(STDOUT_FILENO)) {
    text_ += content;
  } else {
    flush();
    write_all(content);
  }
}

void output::write_all(std::string_view rest) {
  while (!rest.empty() && !failed_) {
    const ssize_t n = write(STDOUT_FILENO, rest.data(), rest.size());
    if (n >= 0)
      rest.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EINTR)
      failed_ = true;
  }
}

}  // namespace annals::client
