#include "actors/gateway/callers/authorise.hpp"

#include <grp.h>
#include <pwd.h>

#include <vector>

#include "events/attributes/ids.hpp"
#include "events/values/string_list.hpp"

namespace annals::actors {

namespace {

// Entries user@host; the host may be *, or *.domain (pbs guide: managers).
bool listed(std::string_view acl, std::string_view user, std::string_view host) {
  for (const auto& entry : values::split_list(acl)) {
    const auto at = entry.find('@');
    if (at == std::string::npos || std::string_view(entry).substr(0, at) != user) continue;
    const auto on = std::string_view(entry).substr(at + 1);
    if (on == host || on == "*" || (on.starts_with("*.") && host.ends_with(on.substr(1)))) return true;
  }
  return false;
}

// Of a user whose number here nobody has told: what the name service says. Without an account there is none.
std::uint32_t primary_group(const std::string& user) {
  std::vector<char> buffer(16384);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found) == 0 && found) return found->pw_gid;
  return wire::identity::nobody;
}

std::string group_name(std::uint32_t gid) {
  std::vector<char> buffer(16384);
  group entry{};
  group* found = nullptr;
  if (getgrgid_r(gid, &entry, buffer.data(), buffer.size(), &found) == 0 && found) return found->gr_name;
  return std::to_string(gid);
}

}  // namespace

model::requester requester_of(const wire::identity& peer, const model::settings& settings, std::uint32_t server_uid) {
  const bool is_local = peer.what == wire::identity::kind::local;
  model::requester r{peer.name, is_local ? settings.host_name : peer.host, schema::Role::USER};
  const auto list = [&](attributes::attribute_id id) { return settings.server.get(id).value_or(std::string_view()); };
  if (is_local && (peer.uid == 0 || peer.uid == server_uid)) r.role = schema::Role::ROOT;
  else if (listed(list(attributes::server::managers), r.user, r.host)) r.role = schema::Role::MANAGER;
  else if (listed(list(attributes::server::operators), r.user, r.host)) r.role = schema::Role::OPERATOR;
  return r;
}

std::vector<std::string> groups_by_name_service(const std::string& user, std::uint32_t gid) {
  if (gid == wire::identity::nobody) gid = primary_group(user);
  if (gid == wire::identity::nobody) return {};
  std::vector<gid_t> ids(64);
  int count = static_cast<int>(ids.size());
  if (getgrouplist(user.c_str(), gid, ids.data(), &count) < 0) {  // it then says how many there are
    ids.resize(static_cast<std::size_t>(count));
    if (getgrouplist(user.c_str(), gid, ids.data(), &count) < 0) count = 0;
  }
  ids.resize(static_cast<std::size_t>(count));
  std::vector<std::string> names{group_name(gid)};
  for (const auto id : ids)
    if (id != gid) names.push_back(group_name(id));
  return names;
}

}  // namespace annals::actors
