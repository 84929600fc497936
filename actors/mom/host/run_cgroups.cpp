#include "actors/mom/host/run_cgroups.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

namespace annals::mom {
namespace {

namespace fs = std::filesystem;

std::set<std::string> directories_in(const std::string& path) {
  std::set<std::string> names;
  std::error_code gone;  // somebody else's run may end while we look
  for (fs::directory_iterator at(path, gone), end; !gone && at != end; at.increment(gone))
    if (std::error_code error; at->is_directory(error)) names.insert(at->path().filename());
  return names;
}

}  // namespace

std::string cgroup_parent(const std::string& host, const std::string& pbs_home) {
  struct stat st {};
  const bool there = stat(pbs_home.c_str(), &st) == 0;
  const std::string what = pbs_home + ' ' + std::to_string(there ? st.st_dev : 0) + ' ' + std::to_string(there ? st.st_ino : 0);
  std::uint32_t hash = 2166136261u;  // FNV-1a: the same in every life of the MoM
  for (const char c : what) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  char text[16];
  std::snprintf(text, sizeof text, "%08x", hash);
  return "annals/" + host + '-' + text;
}

void run_cgroups::write_into(shepherd_order& to, const ports::run_order& from) const {
  if (!from.share || roots_.empty()) return;
  to.cgroup_roots = roots_;
  to.cgroup_parent = parent_;
  to.cgroup_memory_bytes = from.share->memory_bytes;
  to.cgroup_vmem_bytes = from.share->vmem_bytes;
  to.cgroup_ncpus = from.share->ncpus;
  to.cgroup_cpu_quota = from.share->cpu_quota;
}

std::string run_cgroups::confine(const values::run_key& key, const ports::host_share& share) const {
  return job_cgroup(roots_, parent_, print(key)).limit({share.memory_bytes, share.vmem_bytes, share.ncpus, share.cpu_quota});
}

bool run_cgroups::sweep(const std::function<bool(const values::program_key& key)>& known) const {
  std::map<std::string, std::set<std::string>> runs;  // and the tasks that have a cgroup anywhere
  for (const auto& text : roots_)
    if (const auto root = parse_root(text))
      for (const auto& run : directories_in(root->path + '/' + parent_))
        runs[run].merge(directories_in(root->path + '/' + parent_ + '/' + run));
  bool clean = true;
  for (auto& [run, tasks] : runs) {
    if (tasks.empty()) tasks.insert(run);  // its maker died between the two
    for (const auto& name : tasks) {
      if (const auto key = values::parse_program_key(name); key && known(*key)) continue;
      clean = false;
      const job_cgroup left(roots_, parent_, name);
      left.kill();
      left.remove();
    }
  }
  return clean;
}

}  // namespace annals::mom
