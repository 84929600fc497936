// Where the files of a run are, and the few ways in which they are read and written.
// docs/design/0004-shepherd.md says who may write which.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/program_key.hpp"

namespace annals::mom {

class run_files {
 public:
  explicit run_files(std::string pbs_home) : home_(std::move(pbs_home)) {}
  std::string mom_priv() const { return home_ + "/mom_priv"; }
  std::string jobs() const { return home_ + "/mom_priv/jobs"; }
  std::string run(const values::program_key& key) const { return jobs() + '/' + print(key) + ".run"; }
  std::string copying(const values::run_key& key) const { return jobs() + '/' + print(key) + ".copy"; }  // held by who copies for it
  // Of those that have a file. `strange`: the paths of run files that no key names.
  std::vector<values::program_key> keys(std::vector<std::string>& strange) const;
  std::string aux() const { return home_ + "/aux"; }
  std::string spool() const { return home_ + "/spool"; }
  std::string undelivered() const { return home_ + "/undelivered"; }
  // Whether this is one of the spool files that we gave the run. Nothing else below spool is ours to touch: with -k d the
  // path of an output file is the user's own words.
  bool is_spool_file(const std::string& path, const std::string& job_id, const std::string& key) const;
  // Whether it is one of some run.
  bool is_output_in_spool(const std::string& path) const;

  // An output file that could neither be delivered nor be moved by its owner: to undelivered, whatever is there by that name.
  void retain(const std::string& spool_file) const;

  // spool, undelivered, aux and mom_priv/jobs, with the modes PBS gives them (pbs guide: PBS_HOME), but that nobody else may write to
  // spool. Throws std::system_error.
  void make_directories() const;

 private:
  std::string home_;
};

// No empty one, no '/', no NUL, no leading '.' and no more bytes than a file of a run may have.
bool is_file_name(std::string_view name);
// A key becomes a file name: it is well-formed, and short enough.
bool names_a_file(const values::program_key& key);

// The file from `offset` on; nothing if there is none (or it can't be read).
std::optional<std::string> read_file(const std::string& path, std::size_t offset = 0);
// What follows `offset` in an open file.
std::string read_from(int fd, std::size_t offset);
// A new file in the place of whatever stood there, complete or not at all. Returns errno, 0 for success.
int write_file(const std::string& path, std::string_view bytes, unsigned mode);
// What is in a file that nobody reads at this moment becomes this: no new file is made, which takes most of the time. Returns errno.
int overwrite_file(const std::string& path, std::string_view bytes);
// As write_file; it then belongs to this user (if we are root).
int write_file_for(const std::string& path, std::string_view bytes, unsigned mode, std::uint32_t uid,
                   std::uint32_t gid);

// A run file, held so that no shepherd can begin or go on with it: whoever has it may judge the run, append or remove.
class held_run {
 public:
  // Makes the file if `create`. Nothing: a living shepherd holds it, or there is none.
  static std::optional<held_run> take(const std::string& path, bool create);
  held_run(held_run&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  held_run& operator=(held_run&&) = delete;
  ~held_run();
  std::string text(std::size_t offset) const;
  bool append(std::string_view line) const;  // and syncs; false: the disk refused

 private:
  explicit held_run(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace annals::mom
