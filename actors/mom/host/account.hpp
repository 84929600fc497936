// Users of this machine, as the password and group files (or what stands behind them) tell.
#pragma once

#include <grp.h>
#include <pwd.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace annals::mom {

struct account {
  std::string name, group;
  std::uint32_t uid = 0, gid = 0;
  std::vector<std::uint32_t> groups;  // all, gid first
  std::string home, shell;
  bool change_user = false;  // we are root: programs of this account need another identity than ours
  bool operator==(const account&) const = default;
};

// Why a user's job may not run here: what start_failed -10 says.
struct no_account {
  std::string why;
  bool ask_again = false;  // the name service could not say whether there is one
};

// Nothing: there is no such user, or the name service could not say.
std::optional<std::string> name_of_user(std::uint32_t uid);
std::optional<std::uint32_t> number_of_user(const std::string& name);

// Who knows users and groups. Each as its manual page has it.
struct name_service {
  decltype(&getpwnam_r) user_by_name = getpwnam_r;
  decltype(&getpwuid_r) user_by_number = getpwuid_r;
  decltype(&getgrnam_r) group_by_name = getgrnam_r;
};

// Looks accounts up and remembers them for a minute: directories may take seconds to answer. One that was found will do for
// longer while the name service is ill; that it is, is not remembered. Not for several threads.
class accounts {
 public:
  explicit accounts(name_service names = {}) : names_(names) {}

  // `group`: empty for the user's own. A MoM that is not root knows only its own user.
  std::variant<account, no_account> find(const std::string& user, const std::string& group);

 private:
  struct remembered {
    std::variant<account, no_account> what;
    std::chrono::steady_clock::time_point until;
  };
  const name_service names_;
  std::map<std::string, remembered> known_;
};

}  // namespace annals::mom
