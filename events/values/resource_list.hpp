// Named values: "ncpus=2,mem=1gb". A resource_list is ordered by name, as every listing of PBS prints it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::values {

struct named_value {
  std::string name;
  std::string value;
  bool operator==(const named_value&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.name, self.value);
  }
};

using resource_list = std::map<std::string, std::string, std::less<>>;

// A resource name starts with a letter and goes on with letters, digits, '_' and '-'.
bool is_resource_name(std::string_view name);

// "name=value,name=value" in the order given; commas and blanks outside quotes separate, quotes around values are taken
// away, a missing "=value" is an empty value ("walltime=" unsets). Names are not checked: the server says what is wrong
// with "+1". Nothing: an element that begins with '=' or has a quote in its name, or a quote left open.
std::optional<std::vector<named_value>> parse_named_values(std::string_view text);
// The same as a list; the last of several values of one name wins.
std::optional<resource_list> parse_resource_list(std::string_view text);
// "mem=1gb,ncpus=2"; values with commas or blanks are quoted.
std::string print(const resource_list& list);

}  // namespace annals::values
