#include "tools/client/job_script.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "events/model/limits.hpp"

namespace annals::client {

namespace {

std::variant<std::string, complaint> read_all(int fd) {
  std::string bytes;
  char piece[64 << 10];
  while (true) {
    const ssize_t n = read(fd, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return complaint{"qsub: script file:: " + std::string(std::strerror(errno)), 1, false};
    if (n == 0) return bytes;
    bytes.append(piece, static_cast<std::size_t>(n));
    if (bytes.size() > limits::blob_bytes_max) {
      const values::refusal why = values::refuse(pbs_error::script_too_large);
      return complaint{refusal_line("qsub", why.code, why.text), exit_status(why.code), false};
    }
  }
}

}  // namespace

std::variant<std::string, complaint> read_job_script(const program_source& source) {
  if (source.from == program_source::kind::standard_input) {
    if (isatty(STDIN_FILENO)) std::puts("Job script will be read from standard input. Submit with CTRL+D.");
    return read_all(STDIN_FILENO);
  }
  const int fd = open(source.file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return complaint{"qsub: script file:: " + std::string(std::strerror(errno)), 1, false};
  struct stat facts;
  if (fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode)) {
    close(fd);
    return complaint{"qsub: script not a file", 1, false};
  }
  auto bytes = read_all(fd);
  close(fd);
  return bytes;
}

}  // namespace annals::client
