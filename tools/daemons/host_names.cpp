#include "tools/daemons/host_names.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>

#include "tools/daemons/home.hpp"

namespace annals::daemons {
namespace {

std::string full_name_of(const std::string& host) {
  addrinfo want{};
  want.ai_flags = AI_CANONNAME;
  want.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &want, &found) != 0) return {};
  std::string name = found->ai_canonname ? found->ai_canonname : "";
  freeaddrinfo(found);
  return name;
}

std::string address_text(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address && address->sa_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  if (address && address->sa_family == AF_INET6)
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text, sizeof text);
  return text;
}

}  // namespace

std::vector<std::string> names_of_this_host() {
  const std::string host = own_host_name();
  std::vector<std::string> names{host, "localhost", full_name_of(host)};
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) == 0) {
    for (const ifaddrs* at = all; at; at = at->ifa_next) names.push_back(address_text(at->ifa_addr));
    freeifaddrs(all);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase(names, "");
  return names;
}

}  // namespace annals::daemons
