// Who may set and who sees an attribute (check.hpp).
#include "events/attributes/check.hpp"

namespace annals::attributes {
namespace {

using schema::Role;
namespace pbs_error = values::pbs_error;

bool is_daemon(Role role) { return role == Role::SERVER || role == Role::SCHEDULER || role == Role::MOM; }
bool is_manager(Role role) { return role == Role::MANAGER || role == Role::ROOT || is_daemon(role); }
bool is_operator(Role role) { return role == Role::OPERATOR || is_manager(role); }

bool allows(setter who, Role role, bool owner) {
  switch (who) {
    case setter::owner:
      return owner || is_operator(role);
    case setter::operator_:
      return is_operator(role);
    case setter::manager:
      return is_manager(role);
    case setter::root:
      return role == Role::ROOT || is_daemon(role);
    case setter::nobody:
    case setter::internal:
      return is_daemon(role);
  }
  return false;
}

// Two resources are refused in words of their own (RS-22, RS-23).
refusal not_allowed(const resource& what, std::string_view full_name) {
  if (what.builtin && what.name == "select_reliable_startup")
    return {pbs_error::unauthorized, "Only PBS managers and operators are allowed to set 'select_reliable_startup'"};
  if (what.builtin && what.name == "rjselect")
    return {pbs_error::unauthorized, "not allowed to set 'rjselect' unless PBS operator or manager"};
  return values::refuse(pbs_error::read_only_attribute, full_name);
}

}  // namespace

std::optional<refusal> may_ask_for(const resource& what, Role role, std::string_view full_name) {
  const bool closed = (what.flags & (invisible | read_only)) && !is_operator(role);
  const bool follows_from_others = what.set_by == setter::internal;
  if (!closed && !follows_from_others && allows(what.set_by, role, true)) return std::nullopt;
  return not_allowed(what, full_name);
}

std::optional<refusal> may_set(const attribute& what, std::string_view resource, Role role, bool owner, bool running,
                               bool creating, const resource_catalogue& resources) {
  const struct resource* r = resource.empty() ? nullptr : resources.find(resource);
  // An attribute that only the owner or an operator could set, asked for by somebody else.
  if (what.set_by == setter::owner && !allows(setter::owner, role, owner))
    return values::refuse(pbs_error::unauthorized);
  const bool closed_resource = r && (((r->flags & (invisible | read_only)) && !is_operator(role)) || r->set_by == setter::internal);
  if (!allows(what.set_by, role, owner) || closed_resource)
    return values::refuse(pbs_error::read_only_attribute, full_name(what, resource));
  if (r && what.type == value_type::resource_list && what.set_by == setter::owner)
    if (auto why = may_ask_for(*r, role, full_name(what, resource))) return why;
  if ((what.flags & at_creation) && !creating && !is_daemon(role)) return values::refuse(pbs_error::bad_value);
  const bool fixed = !(what.flags & while_running) || (r && !r->while_running);
  if (running && fixed && !is_daemon(role))
    return values::refuse(pbs_error::cannot_modify_running, full_name(what, resource));
  return std::nullopt;
}

bool may_see(const attribute& what, Role role, bool show_hidden) {
  if (what.flags & never_shown) return false;
  if ((what.flags & hidden) && !show_hidden) return false;
  return !(what.flags & manager_reads) || is_operator(role);
}

}  // namespace annals::attributes
