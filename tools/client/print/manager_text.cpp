#include "tools/client/print/manager_text.hpp"

#include <strings.h>
#include <algorithm>

#include "events/attributes/ids.hpp"
#include "tools/client/print/full.hpp"

namespace annals::client {
namespace {

using attributes::value_type;
using schema::ObjectKind;

std::string_view list_word(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::SERVER:
      return "Server";
    case ObjectKind::QUEUE:
      return "Queue";
    case ObjectKind::NODE:
      return "Node";
    case ObjectKind::SCHEDULER:
      return "Sched";
    case ObjectKind::RESOURCE:
      return "Resource";
    case ObjectKind::HOOK:
      return "Hook";
    case ObjectKind::RESERVATION:
    case ObjectKind::JOB:
    case ObjectKind::HOST:
      break;
  }
  return "Object";
}

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// Lists of names stand one element per command.
bool is_name_list(const label& l) { return l.type == value_type::acl || l.type == value_type::string_array; }

// At its commas, with the blanks that it has.
std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (auto comma = text.find(','); comma != std::string_view::npos; comma = text.find(',')) {
    pieces.push_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  pieces.push_back(text);
  return pieces;
}

}  // namespace

std::string_view manager_word(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::SERVER:
      return "server";
    case ObjectKind::QUEUE:
      return "queue";
    case ObjectKind::NODE:
      return "node";
    case ObjectKind::SCHEDULER:
      return "sched";
    case ObjectKind::RESOURCE:
      return "resource";
    case ObjectKind::HOOK:
      return "hook";
    case ObjectKind::RESERVATION:
    case ObjectKind::JOB:
    case ObjectKind::HOST:
      break;
  }
  return "object";
}

std::string quoted(std::string_view value) {
  if (value.find_first_of(" \t,'\"#;\\") == std::string_view::npos && !value.empty()) return std::string(value);
  const char quote = value.find('"') == std::string_view::npos ? '"' : '\'';
  return quote + std::string(value) + quote;
}

std::vector<std::string_view> split_list(std::string_view list, bool limits) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const auto bracket = limits ? list.find(']') : std::string_view::npos;
    const auto comma = list.find(',', bracket == std::string_view::npos ? 0 : bracket);
    std::string_view part = list.substr(0, comma);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (!part.empty()) parts.push_back(part);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return parts;
}

bool is_reservation_queue(std::string_view name) {
  return name.size() > 1 && std::string_view("RSM").find(name[0]) != std::string_view::npos &&
         name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

manager_printer::manager_printer(ObjectKind kind, std::span<const std::string> asked)
    : kind_(kind), names_(kind), asked_(asked.begin(), asked.end()) {}

// Asked attributes come in the reverse of the order asked, each with all its resources, as PBS has it.
template <class Each>
void manager_printer::each_asked(const object_view& object, Each&& each) const {
  const auto each_of = [&](std::string_view only) {
    for_each_attribute(object.packed, [&](const attributes::entry& e) {
      const label* l = names_.find(e.id);
      if (l && (only.empty() || same_name(only, l->name))) each(*l, e);
    });
  };
  if (asked_.empty()) each_of({});
  for (auto name = asked_.rbegin(); name != asked_.rend(); ++name) {
    const std::string_view plain = std::string_view(*name).substr(0, name->find('.'));
    const bool again = std::any_of(asked_.rbegin(), name, [&](const std::string& n) {
      return same_name(std::string_view(n).substr(0, n.find('.')), plain);
    });
    if (!again) each_of(plain);
  }
}

void manager_printer::list(std::string& out, const object_view& object) const {
  constexpr std::size_t width = 79;
  out.append(list_word(kind_)).append(" ").append(object.name).push_back('\n');
  each_asked(object, [&](const label& l, const attributes::entry& e) {
    const bool limits = l.type == value_type::limits;
    const bool levels = kind_ == ObjectKind::SCHEDULER && e.id == attributes::scheduler::preempt_prio;
    const std::vector<std::string_view> parts = limits || is_name_list(l) ? split_list(e.value, limits)
                                                : levels                  ? pieces_of(e.value)
                                                                          : std::vector<std::string_view>{e.value};
    const std::size_t line = out.size();
    const auto begin = [&] {
      out.append("    ");
      put_attribute_name(out, l, e.resource);
      out.append(" = ");
    };
    // A list goes on in a new line at its first element that does not fit, and then has one element per line.
    const bool jobs = kind_ == ObjectKind::NODE && e.id == attributes::node::jobs;
    begin();
    if (e.value.empty()) out.append("\"\"");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size();
      if (i > 0 && limits) out.push_back('\n'), begin();
      std::string_view part = parts[i];
      if (i > 0 && !limits && !jobs && out.size() - line + part.size() + (last ? 0 : 1) > width) {
        out.append("\n\t");
        part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
      }
      out.append(part);
      if (!last && !limits) out.append(jobs ? ", " : ",");
    }
    out.push_back('\n');
  });
  out.push_back('\n');
}

void manager_printer::print_heading(std::string& out) const {
  switch (kind_) {
    case ObjectKind::SERVER:
      out.append("#\n# Set server attributes.\n#\n");
      break;
    case ObjectKind::QUEUE:
      out.append("#\n# Create queues and set their attributes.\n#\n");
      break;
    case ObjectKind::NODE:
      out.append("#\n# Create nodes and set their properties.\n#\n");
      break;
    case ObjectKind::RESOURCE:
      out.append("#\n# Create resources and set their properties.\n#\n");
      break;
    case ObjectKind::HOOK:
      out.append("#\n# Create hooks and set their properties.\n#\n");
      break;
    default:
      break;
  }
}

// What is read-only can't be set again. The states of nodes and schedulers are exceptions of PBS: shown, but not when
// down.
bool manager_printer::is_printed(const object_view& object, const label& l, std::string_view value) const {
  const bool down =
      value.find("down") != std::string_view::npos || value.find("state-unknown") != std::string_view::npos;
  if (kind_ == ObjectKind::NODE && (l.name == "Mom" || l.name == "Port")) return false;
  if (l.name == "state") return kind_ == ObjectKind::NODE ? !down : !down && object.name == "default";
  return l.set_by != attributes::setter::nobody && l.set_by != attributes::setter::internal;
}

void manager_printer::print_attribute(std::string& out, const object_view& object, const label& l,
                                      const attributes::entry& e) const {
  const bool limits = l.type == value_type::limits;
  std::string set = "set ";
  set.append(manager_word(kind_));
  const bool nameless = kind_ == ObjectKind::SERVER || (kind_ == ObjectKind::SCHEDULER && object.name == "default");
  if (!nameless) set.append(" ").append(object.name);
  set.append(" ");
  put_attribute_name(set, l, e.resource);
  if (e.value.empty() || (!limits && !(is_name_list(l) && e.resource.empty()))) {
    out.append(set).append(" = ").append(quoted(e.value)).push_back('\n');
    return;
  }
  bool first = true;
  for (const std::string_view part : split_list(e.value, limits)) {
    out.append(set).append(first ? " = " : " += ").append(quoted(part)).push_back('\n');
    first = false;
  }
}

void manager_printer::print(std::string& out, const object_view& object, std::string* shared) const {
  if (kind_ != ObjectKind::SERVER) {
    const std::string_view word = manager_word(kind_);
    const std::string_view title = kind_ == ObjectKind::SCHEDULER ? "scheduler" : word;
    out.append("#\n# Create and define ").append(title).append(" ").append(object.name).append("\n#\ncreate ");
    out.append(word).append(" ").append(object.name);
    const std::string_view mom =
        kind_ == ObjectKind::NODE ? value_of(object, attributes::node::Mom) : std::string_view();
    if (!mom.empty() && mom != object.name) out.append(" Mom=").append(quoted(mom));
    out.push_back('\n');
  }
  each_asked(object, [&](const label& l, const attributes::entry& e) {
    const bool is_shared = shared && e.id == attributes::node::resources_available && e.value.starts_with('@');
    if (is_printed(object, l, e.value)) print_attribute(is_shared ? *shared : out, object, l, e);
  });
}

}  // namespace annals::client
