#include "actors/mom/host/user_restriction.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>

#include "actors/mom/host/account.hpp"
#include "actors/mom/host/child_process.hpp"
#include "events/model/limits.hpp"

namespace annals::mom {
namespace {

constexpr std::string_view shepherd_name = "pbs_shepherd";

// What stands behind "\nLABEL:\t" up to the end of its line. Nothing: there is no such line.
std::optional<std::string_view> line_of(std::string_view text, std::string_view label) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    if (line.starts_with(label) && line.substr(label.size()).starts_with(":\t")) return line.substr(label.size() + 2);
    at = end + 1;
  }
  return std::nullopt;
}

template <class Number>
std::optional<Number> number_in(std::optional<std::string_view> text) {
  Number n{};
  if (!text || std::from_chars(text->data(), text->data() + text->size(), n).ec != std::errc()) return std::nullopt;
  return n;
}

}  // namespace

std::optional<process_status> parse_status(std::int64_t pid, std::string_view text) {
  const auto name = line_of(text, "Name"), state = line_of(text, "State");
  const auto parent = number_in<std::int64_t>(line_of(text, "PPid"));
  const auto uid = number_in<std::uint32_t>(line_of(text, "Uid"));
  if (!name || !state || !parent || !uid) return std::nullopt;
  return process_status{pid, *parent, *uid, std::string(*name), state->starts_with('Z') || state->starts_with('X')};
}

std::vector<process_status> processes_of_users(const std::vector<process_status>& all, std::uint32_t system_uid_max, std::int64_t mom) {
  std::map<std::int64_t, const process_status*> by_pid;
  for (const auto& p : all) by_pid[p.pid] = &p;
  const auto is_below_us = [&](const process_status& p) {
    const auto* at = &p;
    for (std::size_t depth = 0; depth <= all.size(); ++depth) {  // parents that changed while the table was read may go in a circle
      if (at->pid == mom || (at->uid == 0 && at->name == shepherd_name)) return true;
      const auto parent = by_pid.find(at->parent);
      if (parent == by_pid.end()) return false;
      at = parent->second;
    }
    return true;
  };
  std::vector<process_status> found;
  for (const auto& p : all)
    if (p.uid != 0 && p.uid > system_uid_max && !p.ended && !is_below_us(p)) found.push_back(p);
  return found;
}

user_names system_user_names() { return {name_of_user, number_of_user}; }

restricted_users::restricted_users(user_names names, std::string proc) : names_(std::move(names)), proc_(std::move(proc)) {}
restricted_users::~restricted_users() { let_go(); }

void restricted_users::let_go() {
  for (const auto& h : held_) close(h.pidfd);
  held_.clear();
}

std::optional<process_status> restricted_users::read(std::int64_t pid) const {
  char buffer[2048];  // what is looked for stands in the first lines
  const int fd = open((proc_ + '/' + std::to_string(pid) + "/status").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  const auto n = ::read(fd, buffer, sizeof buffer);
  close(fd);
  return n > 0 ? parse_status(pid, {buffer, static_cast<std::size_t>(n)}) : std::nullopt;
}

// None where /proc numbers processes in another way than we do: it is of another PID namespace.
std::vector<process_status> restricted_users::read_all() const {
  std::vector<process_status> all;
  std::error_code error;
  if (std::filesystem::read_symlink(proc_ + "/self", error) != std::to_string(getpid())) return all;
  for (const auto& entry : std::filesystem::directory_iterator(proc_, error)) {
    const auto name = entry.path().filename().string();
    const auto pid = number_in<std::int64_t>(name);
    if (!pid || std::to_string(*pid) != name) continue;
    if (auto p = read(*pid)) all.push_back(std::move(*p));
  }
  std::ranges::sort(all, {}, &process_status::pid);
  return all;
}

bool restricted_users::look(const user_restriction& rule) {
  let_go();
  auto found = processes_of_users(read_all(), rule.system_uid_max, getpid());
  std::set<std::uint32_t> excepted;
  for (const auto& name : rule.exceptions)
    if (const auto uid = names_.number_of(name)) excepted.insert(*uid);
  std::map<std::uint32_t, std::optional<std::string>> users;
  for (const auto& p : found)
    if (!users.contains(p.uid)) users[p.uid] = names_.name_of(p.uid);
  std::erase_if(found, [&](const auto& p) {
    const auto& user = users[p.uid];
    return !user || excepted.contains(p.uid) || std::ranges::find(rule.exceptions, *user) != rule.exceptions.end();
  });
  // Behind those that were held last: processes that may stay do not keep others from being looked at.
  const bool too_many = found.size() > limits::restricted_processes_max;
  if (too_many) std::rotate(found.begin(), std::ranges::upper_bound(found, last_pid_, {}, &process_status::pid), found.end());
  for (const auto& p : found) {
    if (held_.size() == limits::restricted_processes_max) break;
    const int pidfd = open_pidfd(static_cast<pid_t>(p.pid));
    if (pidfd < 0) continue;
    const auto now = read(p.pid);  // it is still the one that we hold
    if (now && now->uid == p.uid) held_.push_back({pidfd, p.pid, p.uid, *users[p.uid]});
    else close(pidfd);
  }
  last_pid_ = too_many && !held_.empty() ? held_.back().pid : 0;
  return !held_.empty();
}

std::vector<restricted_users::ended_process> restricted_users::end_all_but_of(const std::vector<std::string>& users_with_jobs) {
  std::set<std::uint32_t> allowed;
  if (!held_.empty())
    for (const auto& name : users_with_jobs)
      if (const auto uid = names_.number_of(name)) allowed.insert(*uid);
  std::vector<ended_process> ended;
  for (const auto& h : held_) {
    if (allowed.contains(h.uid) || std::ranges::find(users_with_jobs, h.user) != users_with_jobs.end()) continue;
    if (syscall(SYS_pidfd_send_signal, h.pidfd, SIGKILL, nullptr, 0) == 0) ended.push_back({h.pid, h.user});
  }
  let_go();
  return ended;
}

}  // namespace annals::mom
