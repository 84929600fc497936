#include "events/attributes/unreleasable.hpp"

#include <algorithm>

#include "events/values/string_list.hpp"

namespace annals::attributes {

std::optional<std::string> why_unreleasable(std::string_view vnode, std::string_view vntype, std::string_view arch) {
  const auto types = values::split_list(vntype);
  const std::string not_on = "not currently supported on ";
  if (std::ranges::any_of(types, [](const auto& t) { return t.starts_with("cray_"); }))
    return not_on + "Cray X* series nodes: " + std::string(vnode);
  if (arch == "linux_cpuset") return not_on + "nodes whose resources are part of a cpuset: " + std::string(vnode);
  return std::nullopt;
}

}  // namespace annals::attributes
