#include "actors/mom/host/account.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace annals::mom {
namespace {

constexpr auto remembered_for = std::chrono::seconds(60);
constexpr std::size_t entry_bytes_max = 1u << 20;  // a group with ten thousand members fits

struct lookup {
  bool found = false;
  int error = 0;
};  // neither: there is no such entry

// Whether it means that there is no such entry (getpwnam_r(3), ERRORS), rather than that nobody could look.
bool says_absent(int error) { return error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM; }

// Calls getpwnam_r and its relatives with a buffer that grows until the entry fits.
template <class Entry, class Lookup>
lookup look_up(Entry& entry, std::vector<char>& buffer, Lookup&& call) {
  for (std::size_t size = 4096; size <= entry_bytes_max; size *= 4) {
    buffer.resize(size);
    Entry* found = nullptr;
    const int error = call(&entry, buffer.data(), buffer.size(), &found);
    if (error != ERANGE) return {error == 0 && found, says_absent(error) ? 0 : error};
  }
  return {false, ERANGE};
}

no_account missing(const std::string& what, const lookup& l) {
  return {what + (l.error ? std::string(": ") + std::strerror(l.error) : ""), l.error != 0};
}

std::vector<std::uint32_t> groups_of(const char* user, gid_t gid) {
  std::vector<gid_t> groups(64);
  int n = static_cast<int>(groups.size());
  while (getgrouplist(user, gid, groups.data(), &n) < 0) groups.resize(static_cast<std::size_t>(n = n > 0 ? n : 65536));
  groups.resize(static_cast<std::size_t>(n));
  return {groups.begin(), groups.end()};
}

account from_entry(const passwd& entry) {
  account a;
  a.name = entry.pw_name;
  a.uid = entry.pw_uid;
  a.gid = entry.pw_gid;
  a.home = entry.pw_dir && *entry.pw_dir ? entry.pw_dir : "/";
  a.shell = entry.pw_shell && *entry.pw_shell ? entry.pw_shell : "/bin/sh";
  return a;
}

// Ourselves, when we are not root; a user without an entry (a container) is what the environment says.
std::variant<account, no_account> own_account(const std::string& user, const name_service& names) {
  passwd entry{};
  std::vector<char> buffer;
  account a;
  const auto us = look_up(entry, buffer, [&](auto... args) { return names.user_by_number(geteuid(), args...); });
  if (us.found) {
    a = from_entry(entry);
  } else if (us.error) {
    return missing("No Password Entry for User " + user, us);
  } else {
    const char* const name = std::getenv("USER");
    a.name = name && *name ? name : std::to_string(geteuid());
    a.uid = geteuid();
    a.home = "/";
    a.shell = "/bin/sh";
  }
  a.gid = getegid();
  a.groups = {a.gid};
  if (const char* home = std::getenv("HOME"); home && *home == '/') a.home = home;
  if (user != a.name) return no_account{"this MoM runs as " + a.name + " and can't start a job of " + user};
  return a;
}

std::variant<account, no_account> other_account(const std::string& user, const std::string& group, const name_service& names) {
  passwd entry{};
  std::vector<char> buffer;
  if (const auto l = look_up(entry, buffer, [&](auto... args) { return names.user_by_name(user.c_str(), args...); }); !l.found)
    return missing("No Password Entry for User " + user, l);
  account a = from_entry(entry);
  a.change_user = true;
  if (!group.empty()) {
    struct group found {};
    std::vector<char> group_buffer;
    if (const auto l = look_up(found, group_buffer, [&](auto... args) { return names.group_by_name(group.c_str(), args...); }); !l.found)
      return missing("No Group Entry for Group " + group, l);
    a.gid = found.gr_gid;
    a.group = group;
  }
  a.groups = groups_of(a.name.c_str(), a.gid);
  return a;
}

}  // namespace

std::optional<std::string> name_of_user(std::uint32_t uid) {
  passwd entry{};
  std::vector<char> buffer;
  const auto found = look_up(entry, buffer, [&](auto... args) { return getpwuid_r(uid, args...); }).found;
  return found ? std::optional<std::string>(entry.pw_name) : std::nullopt;
}

std::optional<std::uint32_t> number_of_user(const std::string& name) {
  passwd entry{};
  std::vector<char> buffer;
  const auto found = look_up(entry, buffer, [&](auto... args) { return getpwnam_r(name.c_str(), args...); }).found;
  return found ? std::optional<std::uint32_t>(entry.pw_uid) : std::nullopt;
}

std::variant<account, no_account> accounts::find(const std::string& user, const std::string& group) {
  const auto now = std::chrono::steady_clock::now();
  const std::string key = user + '\n' + group;
  const auto known = known_.find(key);
  if (known != known_.end() && known->second.until > now) return known->second.what;
  auto what = geteuid() == 0 ? other_account(user, group, names_) : own_account(user, names_);
  if (const auto* const none = std::get_if<no_account>(&what); none && none->ask_again) {
    const bool was_there = known != known_.end() && std::holds_alternative<account>(known->second.what);
    return was_there ? known->second.what : what;
  }
  known_[key] = {what, now + remembered_for};
  return what;
}

}  // namespace annals::mom
