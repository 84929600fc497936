#include "actors/mom/host/run_removal.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "actors/mom/host/run_cgroups.hpp"
#include "actors/mom/host/run_output.hpp"
#include "actors/mom/host/unknown_files.hpp"

namespace annals::mom {
namespace {

// Those that were made for the run and are still there.
std::vector<std::string> directories_of(const host_run& r) {
  std::vector<std::string> directories;
  struct stat st {};
  if (r.order.make_jobdir && !r.keep_jobdir && lstat(r.order.jobdir.c_str(), &st) == 0) directories.push_back(r.order.jobdir);
  const auto& made = r.journal.made;
  if (made && lstat(r.order.tmpdir.c_str(), &st) == 0 && S_ISDIR(st.st_mode) && st.st_dev == made->device && st.st_ino == made->inode)
    directories.push_back(r.order.tmpdir);
  return directories;
}

}  // namespace

void run_removal::remove(host_run& r) {
  if (r.removing) return;
  if (!runs_.job_has_others(r)) remove_job_files(r);
  if (!runs_.run_has_others(r)) {
    user_request request = as_owner(r.order, {});
    request.removals = directories_of(r);
    r.removing = !request.removals.empty() && user_work_.ask({r.key, work::removal}, request, [this, key = r.key](const auto&) {
      news_.guarded([&] {
        if (auto* const there = runs_.find(key)) remove_run_file(*there);
      });
    });
    if (r.removing) return;
  }
  remove_run_file(r);
}

// Script, node file and output. With keep_jobdir not all was delivered: what is in the spool is its owner's to take.
void run_removal::remove_job_files(const host_run& r) {
  const auto& o = r.order;
  if (!o.script.empty()) unlink(o.script.c_str());
  if (!o.node_file.empty()) node_store_.remove(o.node_file);
  for (const auto& file : {o.stdout_file, o.stderr_file}) {
    if (!files_.is_spool_file(file, o.job_id, o.key)) continue;
    if (r.keep_jobdir) files_.retain(file);
    else unlink(file.c_str());
  }
}

void run_removal::remove_run_file(host_run& r) {
  cgroup_of(r.order).remove();
  // No lock is needed: a shepherd that comes now reads that the run is over.
  run_store_.remove(files_.run(r.key));
  gone_(r);
}

void run_removal::remove_unknown_but(const std::set<std::string>& jobs, const std::string& tmpdir, const std::string& mark) {
  remove_unknown(files_, jobs);
  for (auto& [owner, paths] : unknown_tmpdirs(tmpdir, mark, jobs)) {
    user_request request;
    request.change_user = geteuid() == 0;
    request.uid = owner.uid;
    request.gid = owner.gid;
    request.groups = {owner.gid};
    request.removals = std::move(paths);
    user_work_.run(request);
  }
}

}  // namespace annals::mom
