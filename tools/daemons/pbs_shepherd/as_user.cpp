#include "tools/daemons/pbs_shepherd/as_user.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "actors/mom/host/user_request.hpp"
#include "tools/daemons/pbs_shepherd/copying.hpp"
#include "tools/daemons/pbs_shepherd/identity.hpp"
#include "tools/daemons/pbs_shepherd/removing.hpp"
#include "tools/daemons/pbs_shepherd/text_file.hpp"

namespace annals::shepherd {
namespace {

void append(const mom::append_task& task) {
  // The file is there since the run began; a link in its place is somebody's trick.
  const int fd = open(task.file.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] const auto n = write(fd, task.text.data(), task.text.size());
  close(fd);
}

void answer(const mom::user_answer& a) {
  const std::string bytes = mom::print_answer(a);
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t n = write(1, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;  // the MoM is gone; a later one asks again
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

int as_user() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const auto bytes = read_text(0);
  const auto request = mom::parse_request(bytes);
  if (!request) return 1;
  if (!become(make_identity(request->change_user, request->uid, request->gid, request->groups))) return 1;
  for (const auto& task : request->appends) append(task);
  for (const auto& path : request->removals) remove_tree(path);
  if (!request->copies.empty()) answer(copy_files(*request));
  return 0;
}

}  // namespace annals::shepherd
