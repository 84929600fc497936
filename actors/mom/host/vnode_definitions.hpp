// Vnode definition files, what they say: vnodes of this host and their attributes. Pure. Source: pbs guide, "Version 2
// configuration files".
//
//     $configversion 2
//     n1: resources_available.ncpus = 0
//     n1[0]: resources_available.ncpus = 4
//     n1[0]: sharing = default_excl
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annals::mom {

struct defined_vnode {
  std::string name;
  std::map<std::pair<std::string, std::string>, std::string> attributes;  // value by name and resource ("resources_available", "ncpus")
  bool operator==(const defined_vnode&) const = default;
};

// In the order in which they were first named.
class defined_vnodes {
 public:
  void set(std::string_view vnode, std::string_view name, std::string_view resource, std::string_view value);
  void add(const defined_vnodes& more);  // what both say is as `more` has it
  const defined_vnode* find(std::string_view name) const;
  const std::vector<defined_vnode>& all() const { return all_; }
  std::size_t attribute_count() const;
  std::size_t text_bytes() const;  // of names, resources and values
  bool operator==(const defined_vnodes&) const = default;

 private:
  std::vector<defined_vnode> all_;
  std::map<std::string, std::size_t, std::less<>> place_;
};

struct definition_problem {
  unsigned line = 0;  // from 1
  std::string text;   // "missing ':'"
  bool operator==(const definition_problem&) const = default;
};

// Of a file that has errors nothing counts: half of its vnodes would be another host. A file that does not begin with
// $configversion holds settings, which stand in mom_priv/config here: its first line is named, and nothing of it counts.
struct parsed_definitions {
  defined_vnodes vnodes;
  std::vector<definition_problem> errors;
  std::optional<definition_problem> without_effect;
  std::optional<definition_problem> other_version;  // an error, too; its text is the line: "$configversion 3"
};
parsed_definitions parse_vnode_definitions(std::string_view text);

// All vnodes of a host are for one job alone together, or none is. Empty: they are.
std::string mixed_exclhost(std::string_view host, const defined_vnodes& vnodes);

// What the server will leave out, as far as that is known without its own resources: an unknown attribute, a bad value.
struct doubtful_definition {
  std::string vnode, attribute;  // "n1[0]", "resources_available.ncpus"
  std::string why;
};
std::vector<doubtful_definition> doubtful(const defined_vnodes& vnodes);

}  // namespace annals::mom
