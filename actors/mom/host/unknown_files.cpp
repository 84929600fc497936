#include "actors/mom/host/unknown_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "actors/mom/host/spool_names.hpp"

namespace annals::mom {
namespace {

namespace fs = std::filesystem;

// `stem`: the id of a job, or the key of one of its programs.
bool is_known(std::string_view stem, const std::set<std::string>& jobs) {
  const auto key = values::parse_program_key(stem);
  return jobs.contains(std::string(stem)) || (key && jobs.contains(key->run().job));
}

// Removes each entry that is no known job's: `stem` tells whose a name is, empty if it is not for us to say.
void sweep(const std::string& directory, const std::set<std::string>& jobs, const std::function<std::string_view(std::string_view)>& stem) {
  std::error_code unreadable;
  std::vector<std::string> gone;
  for (const auto& entry : fs::directory_iterator(directory, unreadable)) {
    const auto name = entry.path().filename().string();
    if (const auto whose = stem(name); !whose.empty() && std::isdigit(static_cast<unsigned char>(whose.front())) && !is_known(whose, jobs))
      gone.push_back(entry.path());
  }
  for (const auto& path : gone) ::remove(path.c_str());  // a link itself, and of directories an empty one only
}

std::string_view script_stem(std::string_view name) {
  for (const std::string_view end : {".SC", ".SC.new", ".copy", ".copy.new"})
    if (name.size() > end.size() && name.ends_with(end)) return name.substr(0, name.size() - end.size());
  return {};
}

std::string_view node_file_stem(std::string_view name) {
  if (name.front() == '.') return {};  // kept to be used again
  return name.ends_with(".new") ? name.substr(0, name.size() - 4) : name;
}

// "12.borg" of "pbs.12.borg.<mark>-...".
std::string_view tmpdir_stem(std::string_view name, const std::string& mark) {
  const auto at = name.rfind('.' + mark + '-');
  return name.starts_with("pbs.") && at != std::string_view::npos && at > 4 ? name.substr(4, at - 4) : std::string_view{};
}

// In a directory without a sticky bit whoever may write there can put another user's directory under a name of ours.
bool keeps_names(const std::string& directory) {
  struct stat st {};
  return stat(directory.c_str(), &st) == 0 && S_ISDIR(st.st_mode) && (!(st.st_mode & 022) || (st.st_mode & S_ISVTX));
}

}  // namespace

std::string mom_mark(const std::string& log_uuid) {
  std::string mark;
  for (std::size_t i = 0; i < 4 && i < log_uuid.size(); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(log_uuid[i]));
    mark += digits;
  }
  return mark;
}

void remove_unknown(const run_files& files, const std::set<std::string>& jobs) {
  sweep(files.spool(), jobs, output_stem);
  sweep(files.jobs(), jobs, script_stem);
  sweep(files.aux(), jobs, node_file_stem);
}

std::map<owner, std::vector<std::string>> unknown_tmpdirs(const std::string& tmpdir, const std::string& mark,
                                                          const std::set<std::string>& jobs) {
  std::map<owner, std::vector<std::string>> found;
  if (tmpdir.empty() || mark.empty() || !keeps_names(tmpdir)) return found;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(tmpdir, unreadable)) {
    const auto name = entry.path().filename().string();
    const auto job = tmpdir_stem(name, mark);
    struct stat st {};
    if (job.empty() || jobs.contains(std::string(job)) || lstat(entry.path().c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) continue;
    if (geteuid() == 0 || st.st_uid == geteuid()) found[{st.st_uid, st.st_gid}].push_back(entry.path());
  }
  return found;
}

}  // namespace annals::mom
