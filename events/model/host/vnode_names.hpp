// Which names a host may give to vnodes beside its own. Its root is not the cluster's: a name that another host may come to have is
// not its to take. Pure.
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

}  // namespace annals::model
