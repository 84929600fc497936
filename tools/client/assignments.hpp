// Lists of name=value as options carry them: -l, -W and -v. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::client {

struct assignment {
  std::string name;
  std::string value;
  bool operator==(const assignment&) const = default;
};

// -l "ncpus=2,mem=1gb": split at commas outside quotes; a name without '=' has an empty value (the server refuses it).
// Quotes around a whole value are taken away, except those of select. The targets of preempt_targets belong together: "preempt_targets=
// queue=a,queue=b". Nothing: an entry without a name, or an empty one.
std::optional<std::vector<assignment>> parse_resource_list(std::string_view text);

// -W "umask=022, stageout = a@h:/b,c@h:/d": a comma belongs to the value unless a name and '=' follow. Blanks may stand
// before a name and around its '='. Nothing: no '=', no name, a second '=' outside quotes, or a blank or comma behind a value.
std::optional<std::vector<assignment>> parse_attribute_list(std::string_view text);

// -v 'A,B=1,C="x,y",D=g\,h': a name alone takes its value from `environment_value` (nothing: not set). Quotes and
// backslashes that protect are taken away. Nothing: an entry without a name, or a name that is not in the environment.
using environment_lookup = std::optional<std::string> (*)(const std::string& name);
std::optional<std::vector<assignment>> parse_variable_list(std::string_view text, environment_lookup environment_value);

// Puts `from` over `into`: the same name is replaced where it stands, a new one appended.
void merge_assignments(std::vector<assignment>& into, const std::vector<assignment>& from);

}  // namespace annals::client
