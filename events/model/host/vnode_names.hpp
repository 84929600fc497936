// Which names hosts and vnodes may have, and which of them a host may give to vnodes beside its own. Its root is not the cluster's: a
// name that another host may come to have is not its to take. Pure.
#pragma once

#include <algorithm>
#include <string_view>

namespace annals::model {

// host[0], host#1, host_: the host's name, in full or short, then a character that no host's name has.
inline bool is_of_form(std::string_view vnode, std::string_view host, auto&& is_host) {
  const auto in_host_names = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  const auto end = std::ranges::find_if_not(vnode, in_host_names);
  if (end == vnode.end()) return vnode == host;
  const auto begins = vnode.substr(0, static_cast<std::size_t>(end - vnode.begin()));
  return begins == host || (begins == host.substr(0, host.find('.')) && !is_host(begins));
}

// An IPv4 address, also in a short form such as 127.1; no host's name is of digits and dots alone. That of IPv6 has a colon, which no
// node's name has, as exec_vnode could not hold it.
inline bool is_address(std::string_view name) {
  return name.find('.') != name.npos && name.find_first_not_of("0123456789.") == name.npos;
}
inline bool has_colon(std::string_view name) { return name.find(':') != name.npos; }

}  // namespace annals::model
