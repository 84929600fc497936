// pbs_hostn: the name by which this host's resolver knows a host (pbs guide: pbs_hostn).
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tools/client/options.hpp"
#include "tools/client/printed.hpp"

namespace {

using namespace annals::client;

constexpr option options[] = {
    {'v', nullptr, "also aliases and addresses, with the name of each address"},
};
constexpr command pbs_hostn = {"pbs_hostn",
                               "Usage: pbs_hostn [-v] hostname\n"
                               "\t -v turns on verbose output\n"
                               "       pbs_hostn --version\n",
                               options};

const char* reason(int error) {
  switch (error) {
    case HOST_NOT_FOUND: return "Host Not Found";
    case TRY_AGAIN: return "Try Again";
    case NO_RECOVERY: return "No Recovery";
    case NO_DATA: return "No Data";
    default: return "Unknown Error";
  }
}

// gethostbyname() answers IPv4 addresses, and the next call overwrites what it points to: taken over at once.
struct host {
  std::string name;
  std::vector<std::string> aliases;
  std::vector<in_addr> addresses;
};

host taken_over(const hostent& found) {
  host h{found.h_name, {}, {}};
  for (char** alias = found.h_aliases; *alias != nullptr; ++alias) h.aliases.emplace_back(*alias);
  for (char** bytes = found.h_addr_list; *bytes != nullptr; ++bytes) {
    in_addr address{};
    std::memcpy(&address, *bytes, sizeof address);
    h.addresses.push_back(address);
  }
  return h;
}

std::string name_of(const in_addr& address) {
  const hostent* found = gethostbyaddr(&address, sizeof address, AF_INET);
  return found ? found->h_name : "";
}

void print_address(const in_addr& address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &address, text.data(), text.size());
  std::printf("     address length:  %zu bytes\n", sizeof address);
  print_text("     address:            %-12s(%d dec)  name:  %s\n", text.data(), static_cast<int>(address.s_addr),
             name_of(address).c_str());
}

void print_all(const host& h) {
  print_text("primary name: %s (from gethostbyname())\n", h.name.c_str());
  if (h.aliases.empty()) std::puts("aliases:            -none-");
  for (const auto& alias : h.aliases) print_text("aliases:            %s\n", alias.c_str());
  for (const auto& address : h.addresses) print_address(address);
}

// An unknown host is an answer like another one: status 0.
int run(const char* name, bool all) {
  const hostent* found = gethostbyname(name);
  if (found == nullptr) {
    print_error("no name entry found for %s\n ** h_errno is %d %s\n", name, h_errno, reason(h_errno));
    return 0;
  }
  const host h = taken_over(*found);
  if (all) print_all(h);
  else print_text("%s\n", h.name.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"--version"} || arguments == std::vector<std::string>{"--help"})
    (void)parse_options_or_exit(pbs_hostn, argc, argv);
  const auto line = parse_options(pbs_hostn, arguments);
  if (line.problems.empty() && line.words.size() == 1) return run(line.words.front().c_str(), line.has('v'));
  for (const auto& p : line.problems) print_error("%s\n", p.c_str());
  usage(pbs_hostn);
  return 1;
}
