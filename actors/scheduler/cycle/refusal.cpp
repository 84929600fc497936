#include "actors/scheduler/cycle/refusal.hpp"

namespace annals::cycle {

std::string key_of(const why_data& why) {
  std::string key(1, '\0');
  key += static_cast<char>('0' + static_cast<int>(why.kind));
  const auto add = [&](const std::string& field) { (key += '\0') += field; };
  for (const auto* field : {&why.resource, &why.asked, &why.free, &why.total, &why.limit, &why.owner, &why.count}) add(*field);
  for (const auto& vnode : why.vnodes) add(vnode);
  return key;
}

}  // namespace annals::cycle
