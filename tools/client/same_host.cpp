#include "tools/client/same_host.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <memory>
#include <set>
#include <string_view>

#include "tools/client/pbs_conf.hpp"

namespace annals::client {

namespace {

using node_number = std::optional<std::uint32_t>;
using address = std::string;  // its bytes: 4 or 16
using addresses = std::set<address>;

address address_of(const sockaddr* a) {
  if (!a) return {};
  if (a->sa_family == AF_INET)
    return {reinterpret_cast<const char*>(&reinterpret_cast<const sockaddr_in*>(a)->sin_addr), sizeof(in_addr)};
  if (a->sa_family != AF_INET6) return {};
  const auto& six = reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr;
  const address bytes(reinterpret_cast<const char*>(&six), sizeof six);
  return IN6_IS_ADDR_V4MAPPED(&six) ? bytes.substr(sizeof six - sizeof(in_addr)) : bytes;
}

// Of a name or of an address as text; none: it can't be resolved.
addresses addresses_of(const std::string& host, int flags = 0) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  addresses out;
  for (const auto* at = found; at; at = at->ai_next) out.insert(address_of(at->ai_addr));
  out.erase(address());
  return out;
}

// Those of the loopback device are the same on each machine: they do not tell hosts apart.
bool is_loopback(const address& a) {
  static const address one(reinterpret_cast<const char*>(&in6addr_loopback), sizeof(in6_addr));
  return a == one || (a.size() == sizeof(in_addr) && a.front() == 127);
}

addresses of_this_machine() {
  ifaddrs* found = nullptr;
  if (::getifaddrs(&found) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(found, &::freeifaddrs);
  addresses out;
  for (const auto* at = found; at; at = at->ifa_next) out.insert(address_of(at->ifa_addr));
  out.erase(address());
  return out;
}

bool share_one(const addresses& a, const addresses& b) {
  return std::any_of(a.begin(), a.end(), [&](const address& one) { return !is_loopback(one) && b.contains(one); });
}

std::string short_name(const std::string& host) { return host.substr(0, host.find('.')); }

node_number by_whole_name(const std::string& name, const std::vector<std::string>& hosts) {
  const auto at = std::find(hosts.begin(), hosts.end(), name);
  return at == hosts.end() ? node_number() : static_cast<std::uint32_t>(at - hosts.begin());
}

node_number by_name(const std::string& name, const std::vector<std::string>& hosts) {
  if (const auto node = by_whole_name(name, hosts)) return node;
  for (std::uint32_t node = 0; node < hosts.size(); ++node)
    if (short_name(hosts[node]) == short_name(name)) return node;
  return {};
}

// By the names that the configuration and the system have for this host; a cluster within one machine has only the node that
// the MoM gave to the task.
node_number node_of_this_host(const std::vector<std::string>& hosts) {
  const auto conf = read_pbs_conf();
  std::array<char, HOST_NAME_MAX + 1> system{};
  ::gethostname(system.data(), system.size() - 1);
  for (const std::string& name : {conf.pbs_mom_node_name, conf.pbs_leaf_name, std::string(system.data())})
    if (const auto node = name.empty() ? node_number() : by_name(name, hosts)) return node;
  const char* text = std::getenv("PBS_NODENUM");
  const std::string_view digits = text ? text : "";
  std::uint32_t node = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), node);
  if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size() || node >= hosts.size()) return {};
  return node;
}

}  // namespace

std::optional<std::uint32_t> host_meant(const std::string& given, const std::vector<std::string>& hosts) {
  if (const auto node = by_whole_name(given, hosts)) return node;  // also of a host whose name is a number
  auto meant = addresses_of(given, AI_NUMERICHOST);
  if (meant.empty()) {
    if (const auto node = by_name(given, hosts)) return node;
    if (given == "localhost") return node_of_this_host(hosts);
    meant = addresses_of(given);
  }
  if (meant.empty()) return {};
  if (std::any_of(meant.begin(), meant.end(), is_loopback)) return node_of_this_host(hosts);
  std::set<std::string> seen;
  for (std::uint32_t node = 0; node < hosts.size(); ++node)
    if (seen.insert(hosts[node]).second && share_one(meant, addresses_of(hosts[node]))) return node;
  return share_one(meant, of_this_machine()) ? node_of_this_host(hosts) : node_number();
}

}  // namespace annals::client
