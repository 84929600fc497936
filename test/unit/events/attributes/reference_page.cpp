// The reference page of attributes and resources, made from the tables.
#include <sstream>
#include <string>

#include "events/attributes/resources.hpp"
#include "events/attributes/table.hpp"
#include "test/support/reference_page.hpp"

using namespace annals::attributes;
using annals::schema::ObjectKind;

namespace {

const char* type_name(value_type type) {
  switch (type) {
    case value_type::boolean:
      return "boolean";
    case value_type::integer:
      return "integer";
    case value_type::real:
      return "float";
    case value_type::size:
      return "size";
    case value_type::duration:
      return "duration";
    case value_type::date:
      return "date";
    case value_type::string:
      return "string";
    case value_type::character:
      return "character";
    case value_type::string_array:
      return "string list";
    case value_type::resource_list:
      return "resource list";
    case value_type::limits:
      return "limits";
    case value_type::acl:
      return "access list";
    case value_type::hold_set:
      return "hold types";
    case value_type::node_state:
      return "node state";
  }
  return "";
}

const char* setter_name(setter who) {
  switch (who) {
    case setter::owner:
      return "owner";
    case setter::operator_:
      return "operator";
    case setter::manager:
      return "manager";
    case setter::root:
      return "root";
    case setter::nobody:
      return "nobody";
    case setter::internal:
      return "internal";
  }
  return "";
}

const char* place_name(asked_in where) {
  switch (where) {
    case asked_in::chunk:
      return "in a chunk";
    case asked_in::job_wide:
      return "of the job";
    case asked_in::nowhere:
      return "";
  }
  return "";
}

std::string notes(const attribute& a) {
  std::string out;
  const auto add = [&](bool is, const char* text) {
    if (is) out += (out.empty() ? "" : "; ") + std::string(text);
  };
  add(a.flags & while_running, "also while running");
  add(a.flags & at_creation, "at creation only");
  add(a.flags & manager_reads, "shown to operators and managers");
  add(a.flags & hidden, "shown with show_hidden_attribs");
  add(a.flags & never_shown, "never shown");
  return out;
}

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
  return text;
}

void write_table(std::ostream& out, const char* title, ObjectKind kind) {
  out << "\n## " << title
      << "\n\n| Attribute | Type | Set by | Notes | Default | Meaning |\n|---|---|---|---|---|---|\n";
  for (const attribute& a : table_of(kind)) {
    const std::string shown = *a.default_value ? "`" + std::string(a.default_value) + "`" : "";
    out << "| `" << a.name << "` | " << type_name(a.type) << " | " << setter_name(a.set_by) << " | " << notes(a)
        << " | " << shown << " | " << cell(a.meaning) << " |\n";
  }
}

std::string page() {
  std::ostringstream out;
  out << "# Attributes and resources\n\nMade from the tables in `events/attributes`; do not edit. To make it again:\n"
         "`build/test/unit/events/attributes/reference_page --write docs/attributes.md`\n\n"
         "\"Set by\" names the least right that is needed: the owner of a job, an operator, a manager, or root of\n"
         "the server's host. Attributes stand in the order of display.\n";
  write_table(out, "Jobs", ObjectKind::JOB);
  write_table(out, "Server", ObjectKind::SERVER);
  write_table(out, "Queues", ObjectKind::QUEUE);
  write_table(out, "Vnodes", ObjectKind::NODE);
  write_table(out, "Schedulers", ObjectKind::SCHEDULER);
  write_table(out, "Reservations", ObjectKind::RESERVATION);
  write_table(out, "Hooks", ObjectKind::HOOK);
  out << "\n## Builtin resources\n\nFlags: h host level, q counted at queue and server, n used up on a vnode, m told to the MoM.\n\n"
         "| Resource | Type | Flags | Asked for | Set by | Notes | Meaning |\n|---|---|---|---|---|---|---|\n";
  for (const resource& r : builtin_resources())
    out << "| `" << r.name << "` | " << resource_type_name(r.type) << " | " << resource_flags_text(r.flags) << " | "
        << place_name(r.where) << " | " << setter_name(r.set_by) << " | " << (r.while_running ? "also while running" : "") << " | "
        << cell(r.meaning) << " |\n";
  return out.str();
}

}  // namespace

int main(int argc, char** argv) { return annals::test::write_or_compare(page(), argc, argv); }
