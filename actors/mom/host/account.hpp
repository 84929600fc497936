// Users of this machine, as the password and group files (or what stands behind them) tell.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
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
};

// Looks accounts up and remembers them for a minute: directories may take seconds to answer. Not for several threads.
class accounts {
 public:
  // `group`: empty for the user's own. A MoM that is not root knows only its own user.
  std::variant<account, no_account> find(const std::string& user, const std::string& group);

 private:
  struct remembered {
    std::variant<account, no_account> what;
    std::chrono::steady_clock::time_point until;
  };
  std::map<std::string, remembered> known_;
};

}  // namespace annals::mom
