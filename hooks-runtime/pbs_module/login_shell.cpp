#include "hooks-runtime/pbs_module/login_shell.hpp"

#include <pwd.h>

#include <vector>

#include "events/schema/message.hpp"

namespace annals::hooks::py {
namespace {

std::string owner_of(protocol::Object::Reader job) {
  for (const auto a : job.getAttributes())
    if (schema::text(a.getName()) == "euser") return schema::str(a.getValue());
  return {};
}

std::string login_shell_of(const std::string& user) {
  passwd entry{}, *found = nullptr;
  std::vector<char> space(64 << 10);  // more than any entry that a name service has been seen to give
  const bool known = getpwnam_r(user.c_str(), &entry, space.data(), space.size(), &found) == 0 && found;
  return known && entry.pw_shell && *entry.pw_shell ? entry.pw_shell : "/bin/sh";
}

}  // namespace

std::string program_of(protocol::Request::Reader launch) {
  std::string named, owner;
  for (const auto p : launch.getParameters()) {
    if (p.isText() && schema::text(p.getName()) == "progname") named = schema::str(p.getText());
    if (p.isObject() && schema::text(p.getName()) == "job") owner = owner_of(p.getObject());
  }
  return named.empty() ? login_shell_of(owner) : named;
}

std::string login_name_of(const std::string& shell) { return '-' + shell.substr(shell.rfind('/') + 1); }

}  // namespace annals::hooks::py
