#include "events/model/access.hpp"

#include "events/attributes/ids.hpp"
#include "events/model/refuse.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

namespace {

bool fits(std::string_view pattern, std::string_view text) {
  return pattern == "*" || pattern == text || (pattern.starts_with("*.") && text.ends_with(pattern.substr(1)));
}

}  // namespace

bool acl_allows(std::string_view list, std::string_view name, std::string_view host) {
  bool allowed = false;
  std::size_t longest = 0;
  for (const auto& entry : values::split_list(list)) {
    std::string_view e = entry;
    const bool deny = e.starts_with('-');
    if (deny || e.starts_with('+')) e.remove_prefix(1);
    const auto at = e.find('@');
    const auto on = at == std::string_view::npos ? std::string_view("*") : e.substr(at + 1);
    if (e.size() <= longest || !fits(e.substr(0, at), name) || !fits(on, host)) continue;
    longest = e.size();
    allowed = !deny;
  }
  return allowed;
}

namespace {

// Whoever asks from another host than the server's does so in a job there, through its MoM.
bool host_is_let_in(const requester& by, const settings& settings) {
  using namespace attributes::server;
  if (settings.server.get(acl_host_enable) != "True" || by.host == settings.host_name) return true;
  if (settings.server.get(acl_host_moms_enable) == "True") return true;
  return acl_allows(settings.server.get(acl_hosts).value_or(""), by.host, "*");
}

bool user_is_let_in(const requester& by, const settings& settings) {
  using namespace attributes::server;
  if (settings.server.get(acl_user_enable) != "True") return true;
  return acl_allows(settings.server.get(acl_users).value_or(""), by.user, by.host);
}

}  // namespace

std::optional<rejection> server_refusal(const requester& by, const settings& settings) {
  if (by.is_operator() || (host_is_let_in(by, settings) && user_is_let_in(by, settings))) return std::nullopt;
  return refuse(values::pbs_error::unauthorized);
}

}  // namespace annals::model
