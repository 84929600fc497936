// Values of stagein and stageout: "path@host:path,..." (pbs guide: qsub -W stagein, stageout).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::values {

// A path on the execution host and one where the file is stored. Neither is empty; the host is a name or an address that
// no program takes for an option.
struct staged_path {
  std::string here, host, there;
  bool operator==(const staged_path&) const = default;
};

// Nothing: an entry is not of that form, or there is none. Commas in paths are written "\,".
std::optional<std::vector<staged_path>> parse_staging_list(std::string_view text);
std::string print(const std::vector<staged_path>& list);

}  // namespace annals::values
