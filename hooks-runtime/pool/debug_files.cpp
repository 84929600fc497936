#include "hooks-runtime/pool/debug_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "hooks-runtime/protocol/message_file.hpp"

namespace annals::hooks {
namespace {

// A request may hold a user's environment: for the daemon's user only. Never through a link, never over another file.
void write_new(const std::string& path, const std::string& text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return;
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(fd, text.data() + at, text.size() - at);
    if (n <= 0) break;
    at += static_cast<std::size_t>(n);
  }
  ::close(fd);
}

std::string name_of(protocol::Request::Reader request) {
  const hook_event* event = find_event(request.getEvent());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::string name = std::string("hook_") + (event ? event->name : "unknown") + "_" +
                     schema::str(request.getHookName()) + "_" +
                     std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  std::ranges::replace(name, '/', '_');
  return name;
}

}  // namespace

debug_files::debug_files(const std::string& directory, protocol::Request::Reader request) {
  if (directory.empty() || !request.getHook().getDebug()) return;
  path_ = directory + "/" + name_of(request);
  write_new(path_ + ".in", json_of<protocol::Request>(request));
}

void debug_files::answered(const sealed_answer& answer) {
  if (!path_.empty() && answer && answer.get().isObject()) answers_.push_back(answer);
}

void debug_files::ended(protocol::Reply::Reader reply) {
  if (path_.empty()) return;
  write_new(path_ + ".out", json_of<protocol::Reply>(reply));
  const auto site = schema::make<protocol::SiteData>([&](protocol::SiteData::Builder b) {
    auto objects = b.initObjects(static_cast<unsigned>(answers_.size()));
    for (unsigned i = 0; i < objects.size(); ++i) objects.setWithCaveats(i, answers_[i].get().getObject());
  });
  write_new(path_ + ".data", json_of<protocol::SiteData>(site.get()));
}

}  // namespace annals::hooks
