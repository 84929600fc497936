#include "actors/mom/tasks/attached.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "actors/mom/host/process_table.hpp"
#include "actors/mom/tasks/tm_requests.hpp"

namespace annals::actors {

namespace {

constexpr char format[] = "ANNALS_ATTACHED=%lld %lld %llu";

bool is_of_user(std::int64_t pid, const std::string& user) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16384> memory{};
  return getpwnam_r(user.c_str(), &entry, memory.data(), memory.size(), &found) == 0 && found && mom::user_of(pid) == found->pw_uid;
}

// The program that a process executes, also when an upgrade has put another one in its place; empty: not to be known.
std::string program_of(std::int64_t pid) {
  std::array<char, 4096> path{};
  const auto n = readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), path.data(), path.size());
  std::string_view program(path.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  constexpr std::string_view replaced = " (deleted)";
  if (program.ends_with(replaced)) program.remove_suffix(replaced.size());
  return std::string(program);
}

bool is_of_a_job(const mom::process_table& table, std::int64_t pid, const std::string& shepherd) {
  for (const auto* p = table.find(pid); p && p->parent > 1; p = table.find(p->parent))
    if (program_of(p->parent) == shepherd) return true;
  return false;
}

}  // namespace

std::string print_attached(const ports::attached_session& s) {
  char text[128];
  std::snprintf(text, sizeof text, format, static_cast<long long>(s.pid), static_cast<long long>(s.session),
                static_cast<unsigned long long>(s.start_ticks));
  return text;
}

std::optional<ports::attached_session> attached_of(const std::vector<std::string>& argv, const std::vector<std::string>& environment) {
  long long pid = 0, session = 0;
  unsigned long long ticks = 0;
  if (!argv.empty() || environment.size() != 1 || std::sscanf(environment.front().c_str(), format, &pid, &session, &ticks) != 3) return {};
  return ports::attached_session{pid, session, ticks};
}

attach_refusal look_up_session(std::int64_t pid, const std::string& user, const std::string& shepherd, ports::attached_session& found) {
  const auto table = mom::process_table::now();
  const auto* p = pid > 0 ? table.find(pid) : nullptr;
  if (!p || p->state == 'Z') return {tm_error::no_process, "no such process"};
  if (!is_of_user(pid, user)) return {tm_error::owner, "the process is not the job's user's"};
  // As of who came into the host's processes from outside. It is no session of a job.
  if (p->session <= 1) return {tm_error::system, "the process has no session of its own here: setsid and pbs_attach -s begin one"};
  if (is_of_a_job(table, pid, shepherd)) return {tm_error::session, "the process belongs to a job"};
  found = {pid, p->session, p->start_ticks};
  return {};
}

}  // namespace annals::actors
