// pbs_iff: whether a server can be reached (pbs guide: pbs_iff). In PBS it also vouches for its parent's connection; here the server hears
// from the connection itself who is at the other end (docs/design/0003-links.md, 0063-login-hosts.md), so nothing needs to be set-uid.
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "tools/client/options.hpp"
#include "tools/client/printed.hpp"

namespace {

using namespace annals::client;

constexpr option options[] = {
    {'t', nullptr, "only try whether the server can be reached"},
};
constexpr command pbs_iff = {"pbs_iff",
                             "Usage: pbs_iff [-t] host port [parent_sock][parent_port]\n"
                             "       pbs_iff --version\n",
                             options};
constexpr int unreachable = 4, refused = 1;

bool connects(const addrinfo& to) {
  const int fd = socket(to.ai_family, to.ai_socktype | SOCK_CLOEXEC, to.ai_protocol);
  const bool connected = fd >= 0 && connect(fd, to.ai_addr, to.ai_addrlen) == 0;
  if (fd >= 0) close(fd);
  return connected;
}

bool is_port(const std::string& text) {
  std::uint16_t number = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

int try_server(const std::string& host, const std::string& port) {
  if (!is_port(port)) {
    print_error("pbs_iff: illegal port %s\n", port.c_str());
    return refused;
  }
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  if (getaddrinfo(host.c_str(), port.c_str(), &wanted, &found) != 0) {
    print_error("pbs_iff: unknown host %s\n", host.c_str());
    return refused;
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next)
    if (connects(*at)) return 0;
  std::fputs("pbs_iff: cannot connect to host\n", stderr);
  return unreachable;
}

int vouch() {
  std::fputs("pbs_iff: No support for requested service: the server hears who calls from the connection itself\n", stderr);
  return refused;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"--version"} || arguments == std::vector<std::string>{"--help"})
    (void)parse_options_or_exit(pbs_iff, argc, argv);
  const auto line = parse_options(pbs_iff, arguments);
  if (line.problems.empty() && line.has('t') && line.words.size() == 2) return try_server(line.words[0], line.words[1]);
  if (line.problems.empty() && !line.has('t') && (line.words.size() == 3 || line.words.size() == 4)) return vouch();
  usage(pbs_iff);
  return refused;
}
