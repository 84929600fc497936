// Hooks as files, as site tools know them: <name>.HK the settings that are no defaults, <name>.PY the script, <name>.CF the
// configuration. The server's are a copy of what the log says; a MoM's are how it knows its hooks after a restart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/resources.hpp"

namespace annals::hooks {

// "hook_name=h1\nevent=queuejob,modifyjob\norder=5\n"
std::string settings_text(std::string_view name, const attributes::attribute_set& settings);
struct read_settings {
  std::string name;
  attributes::attribute_set settings;
};
// Lines that are not understood are left out; nothing: it names no hook.
std::optional<read_settings> parse_settings(std::string_view text);

// The site's resources, a line for each: "foo_i type=long flag=h". What is no such line is left out.
inline constexpr const char* resources_file = "resourcedef";
std::string resources_text(const attributes::resource_catalogue& resources);
attributes::resource_catalogue parse_resources(std::string_view text);

class hook_directory {
 public:
  // mode: of the files. The directory is there already.
  hook_directory(std::string path, unsigned mode) : path_(std::move(path)), mode_(mode) {}
  const std::string& path() const { return path_; }

  // True: it was written, which it is only when it holds something else. An empty text removes the file.
  // `problem` says what the system said when that failed.
  bool write(const std::string& file, std::string_view text, std::string& problem) const;
  std::optional<std::string> read(const std::string& file) const;
  void remove(const std::string& hook) const;  // its three files
  std::vector<std::string> hooks() const;      // names of what has a .HK

 private:
  std::string path_;
  unsigned mode_;
};

}  // namespace annals::hooks
