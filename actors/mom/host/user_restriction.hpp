// $restrict_user: who has no job on this host may have no processes here (pbs guide, "MoM"). Root, the system's users and users that are
// named may; and nothing below a MoM or a shepherd is looked at, whoever's host of one machine that is (the mini-cluster has several).
//
// A process is held by a pidfd before it is known whose jobs are here, so that a user whose job comes meanwhile is not hit, and no
// process that has got a number anew.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::mom {

struct user_restriction {
  bool on = false;
  std::uint32_t system_uid_max = 999;   // $restrict_user_maxsysid: numbers of the system's users end here
  std::vector<std::string> exceptions;  // $restrict_user_exceptions: names
  bool operator==(const user_restriction&) const = default;
};

// What /proc/PID/status tells of a process.
struct process_status {
  std::int64_t pid = 0, parent = 0;
  std::uint32_t uid = 0;  // the real one: a program that takes root's rights is still its user's
  std::string name;       // with special characters escaped
  bool ended = false;     // it waits to be reaped
};
// Nothing: not such a text.
std::optional<process_status> parse_status(std::int64_t pid, std::string_view text);

// Those of users above the limit, in the order of `all`, without what is below `mom` or below a shepherd of root.
std::vector<process_status> processes_of_users(const std::vector<process_status>& all, std::uint32_t system_uid_max, std::int64_t mom);

// The accounts of this machine. Nothing: there is none, or nobody could say.
struct user_names {
  std::function<std::optional<std::string>(std::uint32_t uid)> name_of;
  std::function<std::optional<std::uint32_t>(const std::string& name)> number_of;
};
user_names system_user_names();

class restricted_users {
 public:
  explicit restricted_users(user_names names = system_user_names(), std::string proc = "/proc");
  ~restricted_users();
  restricted_users(const restricted_users&) = delete;
  restricted_users& operator=(const restricted_users&) = delete;

  // Takes hold of processes that must end unless their users have jobs here, at most limits::restricted_processes_max. False: there are
  // none. One of a number without an account is of no user.
  bool look(const user_restriction& rule);
  struct ended_process {
    std::int64_t pid;
    std::string user;
  };
  // SIGKILL for what is held, but of these users; nothing is held any more.
  std::vector<ended_process> end_all_but_of(const std::vector<std::string>& users_with_jobs);

 private:
  struct held_process {
    int pidfd;
    std::int64_t pid;
    std::uint32_t uid;
    std::string user;
  };
  std::vector<process_status> read_all() const;
  std::optional<process_status> read(std::int64_t pid) const;
  void let_go();

  const user_names names_;
  const std::string proc_;
  std::vector<held_process> held_;
  std::int64_t last_pid_ = 0;  // where the last look ended that found more than can be held
};

}  // namespace annals::mom
