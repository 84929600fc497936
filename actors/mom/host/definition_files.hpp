// The vnode definition files of a host, in mom_priv/config.d: one for each name that `pbs_mom -s` was given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "actors/mom/host/vnode_definitions.hpp"

namespace annals::mom {

// "gpus"; not "a/b", and nothing that begins with "PBS", which PBS keeps for itself.
bool is_definition_name(std::string_view name);

// Each throws std::runtime_error: what could not be done, with the file's name.
class definition_files {
 public:
  explicit definition_files(const std::string& mom_priv) : directory_(mom_priv + "/config.d") {}

  std::vector<std::string> names() const;  // sorted
  std::string path(std::string_view name) const { return directory_ + "/" + std::string(name); }
  std::string read(const std::string& name) const;
  void insert(const std::string& name, const std::string& text) const;   // a new one
  void replace(const std::string& name, const std::string& text) const;  // one that is there; at no moment is there none
  void remove(const std::string& name) const;

 private:
  std::string write_new(const std::string& text) const;

  std::string directory_;
};

// A file that definitions may be taken from, as far as its size goes.
std::string read_definition_text(const std::string& path);

struct file_problem {
  std::string path;
  definition_problem what;  // line 0: of all of them together, or of the whole file
};
struct read_definitions {
  defined_vnodes vnodes;
  std::vector<std::string> paths;  // that were read, in order
  std::vector<file_problem> errors, without_effect, other_versions;

  std::vector<std::string> failures() const;  // why nothing of it counts; empty: it does
};
// All of them, with what was defined before: until the MoM's next start nothing goes, as in PBS. With errors nothing of it counts.
read_definitions read_all(const definition_files& files, std::string_view host, const defined_vnodes& before);

// "/var/spool/pbs/mom_priv/config.d/gpus, line 2: missing ':'"
std::string text_of(const file_problem& p);

}  // namespace annals::mom
