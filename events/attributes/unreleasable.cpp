#include "events/attributes/unreleasable.hpp"

#include <algorithm>

#include "events/values/string_list.hpp"

namespace annals::attributes {

unreleasable why_unreleasable(std::string_view vntype, std::string_view arch) {
  const auto types = values::split_list(vntype);
  if (std::ranges::any_of(types, [](const auto& t) { return t.starts_with("cray_"); })) return unreleasable::cray;
  return arch == "linux_cpuset" ? unreleasable::cpuset : unreleasable::no;
}

}  // namespace annals::attributes
