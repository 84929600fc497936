#include "actors/link/wire/socket_path.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "actors/link/wire/wire.hpp"

namespace annals::wire {

std::string with_errno(const std::string& what) { return what + ": " + std::generic_category().message(errno); }

socket_address::socket_address(const std::string& path) {
  address_.sun_family = AF_UNIX;
  std::string name = path;
  if (name.size() >= sizeof address_.sun_path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) throw wire_error(path + ": name of a socket is too long");
    directory_ = unique_fd(::open(path.substr(0, slash).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory_) throw wire_error(with_errno(path));
    name = "/proc/self/fd/" + std::to_string(directory_.get()) + path.substr(slash);
    if (name.size() >= sizeof address_.sun_path) throw wire_error(path + ": name of a socket is too long");
  }
  std::memcpy(address_.sun_path, name.c_str(), name.size() + 1);
}

}  // namespace annals::wire
