#include "actors/mom/host/vnode_definitions.hpp"

#include <algorithm>

#include "events/attributes/table.hpp"
#include "events/model/host/host_limits.hpp"
#include "events/model/host/reported_value.hpp"
#include "events/values/string_list.hpp"

namespace annals::mom {
namespace {

constexpr std::string_view version_word = "$configversion";

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; });
}

// As it can stand in an exec_vnode and in a list of nodes.
bool is_vnode_name(std::string_view name) {
  return name.size() <= limits::vnode_name_chars_max && name.front() != '#' && name.find_first_of(" \t()+:=,\"'") == std::string_view::npos;
}

// "n1[0]: resources_available.ncpus = 4". Empty: it is good.
std::string take_line(std::string_view line, defined_vnodes& to) {
  if (has_control(line)) return "a control character";
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return "missing ':'";
  const auto equals = line.find('=', colon);
  if (equals == std::string_view::npos) return "missing '='";
  const auto vnode = values::trimmed(line.substr(0, colon));
  const auto attribute = values::trimmed(line.substr(colon + 1, equals - colon - 1));
  const auto value = values::trimmed(line.substr(equals + 1));
  if (vnode.empty()) return "missing name of a vnode";
  if (!is_vnode_name(vnode)) return "bad name of a vnode";
  if (attribute.empty() || attribute.front() == '.') return "missing name of an attribute";
  if (attribute.back() == '.') return "missing name of a resource";
  if (attribute.find_first_of(" \t") != std::string_view::npos) return "bad name of an attribute";
  if (value.empty()) return "missing value";
  const auto dot = std::min(attribute.find('.'), attribute.size());
  const auto name = attribute.substr(0, dot);
  const auto* row = attributes::find(schema::ObjectKind::NODE, name);  // in any case of letters
  to.set(vnode, row ? row->name : name, attribute.substr(std::min(dot + 1, attribute.size())), value);
  return {};
}

// What the first line that says something says of the file.
bool is_of_version_2(std::string_view line, unsigned number, parsed_definitions& out) {
  if (!line.starts_with(version_word)) {
    out.without_effect = {number, "no " + std::string(version_word) + " 2: settings of a file in config.d have no effect"};
    return false;
  }
  const auto version = line.substr(version_word.size());
  if (version.find_first_of(" \t") == 0 && values::trimmed(version) == "2") return true;
  out.other_version = {number, std::string(line)};
  return false;
}

}  // namespace

void defined_vnodes::set(std::string_view vnode, std::string_view name, std::string_view resource, std::string_view value) {
  auto at = place_.find(vnode);
  if (at == place_.end()) {
    at = place_.emplace(vnode, all_.size()).first;
    all_.push_back({std::string(vnode), {}});
  }
  all_[at->second].attributes[{std::string(name), std::string(resource)}] = value;
}

void defined_vnodes::add(const defined_vnodes& more) {
  for (const auto& v : more.all_)
    for (const auto& [what, value] : v.attributes) set(v.name, what.first, what.second, value);
}

const defined_vnode* defined_vnodes::find(std::string_view name) const {
  const auto at = place_.find(name);
  return at == place_.end() ? nullptr : &all_[at->second];
}

std::size_t defined_vnodes::attribute_count() const {
  std::size_t count = 0;
  for (const auto& v : all_) count += v.attributes.size();
  return count;
}

std::size_t defined_vnodes::text_bytes() const {
  std::size_t bytes = 0;
  for (const auto& v : all_) {
    bytes += v.name.size();
    for (const auto& [what, value] : v.attributes) bytes += what.first.size() + what.second.size() + value.size();
  }
  return bytes;
}

parsed_definitions parse_vnode_definitions(std::string_view text) {
  parsed_definitions out;
  bool begun = false;
  for (unsigned number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = values::trimmed(text.substr(0, end - (end > 0 && text[end - 1] == '\r')));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (!begun) {
      if (line.front() == '#') continue;
      if (!is_of_version_2(line, number, out)) return out;
      begun = true;
    } else if (auto why = take_line(line, out.vnodes); !why.empty()) {
      out.errors.push_back({number, std::move(why)});
    }
  }
  return out;
}

std::string mixed_exclhost(std::string_view host, const defined_vnodes& vnodes) {
  const auto sharing_of = [](const defined_vnode* v) -> std::string {
    if (!v) return "<unset>";
    const auto at = v->attributes.find({"sharing", ""});
    return at == v->attributes.end() ? "<unset>" : at->second;
  };
  const auto natural = sharing_of(vnodes.find(host));
  for (const auto& v : vnodes.all()) {
    const auto sharing = sharing_of(&v);
    if (sharing != natural && (sharing.ends_with("_exclhost") || natural.ends_with("_exclhost")))
      return "It is erroneous to mix sharing=" + sharing + " for vnode " + v.name + " with sharing=" + natural +
             " which is set for other vnodes on host " + std::string(host);
  }
  return {};
}

std::vector<doubtful_definition> doubtful(const defined_vnodes& vnodes) {
  std::vector<doubtful_definition> out;
  const attributes::resource_catalogue builtin;
  for (const auto& v : vnodes.all())
    for (const auto& [what, value] : v.attributes) {
      const auto& [name, resource] = what;
      const auto checked = model::reported_value(name, resource, value, builtin);
      if (checked || (!resource.empty() && checked.error().code == values::pbs_error::unknown_resource)) continue;
      out.push_back({v.name, resource.empty() ? name : name + "." + resource, checked.error().text});
    }
  return out;
}

}  // namespace annals::mom
