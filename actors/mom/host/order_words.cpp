#include "actors/mom/host/order_words.hpp"

#include <algorithm>
#include <utility>

#include "events/schema/message.hpp"
#include "events/values/string_list.hpp"

namespace annals::mom {

std::string attribute(schema::StartRun::Reader start, std::string_view name, std::string_view resource) {
  for (const auto a : start.getAttributes())
    if (schema::text(a.getName()) == name && schema::text(a.getResource()) == resource) return schema::str(a.getValue());
  return {};
}

bool is_this_host(const mom_settings& settings, std::string_view host) {
  if (host.empty() || values::equal_any_case(host, settings.host)) return true;
  return std::any_of(settings.host_aliases.begin(), settings.host_aliases.end(),
                     [&](const auto& alias) { return values::equal_any_case(host, alias); });
}

target target_at(std::string host, std::string path, const mom_settings& settings) {
  target t{std::move(host), std::move(path)};
  if (auto mapped = local_path(settings.config.usecp, t.host.empty() ? settings.host : t.host, t.path)) {
    t.path = *mapped;
    t.local = true;
  } else {
    t.local = is_this_host(settings, t.host) || t.path == "/dev/null";
  }
  return t;
}

}  // namespace annals::mom
