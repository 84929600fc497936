#include "tools/client/task_input.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

namespace annals::client {

namespace {

// A name that needs no file: its first byte is zero.
struct door_address {
  explicit door_address(const std::string& name) {
    address.sun_family = AF_UNIX;
    const auto length = std::min(name.size(), sizeof address.sun_path - 1);
    std::memcpy(address.sun_path + 1, name.data(), length);
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
  sockaddr_un address{};
  socklen_t size = 0;
};

[[noreturn]] void failed(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

std::string random_name() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) failed("getrandom");
  std::string name = "pbs_tmrsh-";
  constexpr const char* digits = "0123456789abcdef";
  for (const auto byte : bytes) {
    name += digits[byte >> 4];
    name += digits[byte & 15];
  }
  return name;
}

wire::unique_fd new_socket() {
  wire::unique_fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) failed("socket");
  return fd;
}

bool is_ours(int peer) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == ::geteuid();
}

// One byte, and a descriptor beside it.
struct parcel {
  parcel() {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
  }
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
};

}  // namespace

input_door::input_door() : name_(random_name()), door_(new_socket()) {
  const door_address address(name_);
  if (::bind(door_.get(), address.get(), address.size) != 0 || ::listen(door_.get(), 1) != 0) failed("a socket for the input");
}

bool input_door::hand_over() {
  const wire::unique_fd peer(::accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!peer || !is_ours(peer.get())) return false;
  parcel p;
  auto* beside = CMSG_FIRSTHDR(&p.message);
  beside->cmsg_level = SOL_SOCKET;
  beside->cmsg_type = SCM_RIGHTS;
  beside->cmsg_len = CMSG_LEN(sizeof(int));
  constexpr int input = 0;
  std::memcpy(CMSG_DATA(beside), &input, sizeof input);
  if (::sendmsg(peer.get(), &p.message, MSG_NOSIGNAL) != 1) return false;
  const wire::unique_fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (nothing) ::dup2(nothing.get(), 0);
  return true;
}

wire::unique_fd fetch_input(const std::string& name) {
  const auto door = new_socket();
  const door_address address(name);
  if (::connect(door.get(), address.get(), address.size) != 0) failed("pbs_tmrsh is gone");
  errno = EPERM;
  if (!is_ours(door.get())) failed("the input");
  parcel p;
  if (::recvmsg(door.get(), &p.message, MSG_CMSG_CLOEXEC) != 1) failed("pbs_tmrsh is gone");
  const auto* beside = CMSG_FIRSTHDR(&p.message);
  errno = EPROTO;
  if (!beside || beside->cmsg_type != SCM_RIGHTS) failed("the input");
  int input = -1;
  std::memcpy(&input, CMSG_DATA(beside), sizeof input);
  return wire::unique_fd(input);
}

}  // namespace annals::client
