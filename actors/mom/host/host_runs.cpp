#include "actors/mom/host/host_runs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace annals::mom {

void host_run::close_files() {
  if (files >= 0) close(files);
  files = -1;
}

host_runs::~host_runs() {
  for (auto& [key, r] : runs_) {
    r.close_files();
    for (const int fd : {r.pidfd, r.file})
      if (fd >= 0) close(fd);
  }
}

bool host_runs::in_file(const values::program_key& key) const {
  struct stat st {};
  return names_a_file(key) && lstat(files_.run(key).c_str(), &st) == 0;
}

host_run* host_runs::find(const values::program_key& key) {
  const auto at = runs_.find(key);
  return at == runs_.end() ? nullptr : &at->second;
}

host_run* host_runs::look_up(const values::program_key& key) { return known(key) ? &load(key) : nullptr; }

host_run& host_runs::load(const values::program_key& key) {
  if (auto* const r = find(key)) return *r;
  return add(key, parts_of(read_file(files_.run(key)).value_or(""), print(key)));
}

host_run& host_runs::add(const values::program_key& key, run_file_parts parts) {
  host_run& r = runs_[key];
  r.key = key;
  r.journal_at = parts.journal_at;
  r.mark = std::move(parts.mark);
  r.order = std::move(parts.order).value_or(shepherd_order{});
  r.order.environment = {};
  return r;
}

void host_runs::drop(const values::program_key& key) {
  const auto at = runs_.find(key);
  if (at->second.file >= 0) close(at->second.file);
  runs_.erase(at);
}

void host_runs::read_journal(host_run& r) const {
  if (r.file < 0) r.file = open(files_.run(r.key).c_str(), O_RDONLY | O_CLOEXEC);
  if (r.file >= 0) r.journal = parse_journal(read_from(r.file, r.journal_at), r.mark);
}

bool host_runs::job_has_others(const host_run& r) const {
  return shares(r, [](const values::program_key&) { return true; });
}

bool host_runs::run_has_others(const host_run& r) const {
  return shares(r, [&](const values::program_key& other) { return other.run() == r.key.run(); });
}

template <class Which>
bool host_runs::shares(const host_run& r, Which&& which) const {
  const auto& job = r.key.run().job;
  for (auto at = runs_.lower_bound(values::run_key{job, 0}); at != runs_.end() && at->first.run().job == job; ++at)
    if (at->first != r.key && which(at->first) && !at->second.forgetting) return true;
  return false;
}

}  // namespace annals::mom
