#include "hooks-runtime/pbs_module/attribute_rows.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "hooks-runtime/pbs_module/quick_order.hpp"

namespace annals::hooks::py {
namespace {

using attributes::value_type;
using protocol::ObjectKind;

struct text_row {
  ObjectKind kind;
  const char* attribute;
  const char* type;
};
const text_row text_rows[] = {
    {ObjectKind::JOB, "Checkpoint", "checkpoint"},
    {ObjectKind::JOB, "depend", "depend"},
    {ObjectKind::JOB, "Error_Path", "path"},
    {ObjectKind::JOB, "Output_Path", "path"},
    {ObjectKind::JOB, "exec_host", "exec_host"},
    {ObjectKind::JOB, "exec_vnode", "exec_vnode"},
    {ObjectKind::JOB, "exec_vnode_acct", "exec_vnode"},
    {ObjectKind::JOB, "exec_vnode_orig", "exec_vnode"},
    {ObjectKind::JOB, "group_list", "group_list"},
    {ObjectKind::JOB, "Join_Path", "join_path"},
    {ObjectKind::JOB, "Keep_Files", "keep_files"},
    {ObjectKind::JOB, "Mail_Points", "mail_points"},
    {ObjectKind::JOB, "Mail_Users", "email_list"},
    {ObjectKind::JOB, "schedselect", "select"},
    {ObjectKind::JOB, "Shell_Path_List", "path_list"},
    {ObjectKind::JOB, "stagein", "staging_list"},
    {ObjectKind::JOB, "stageout", "staging_list"},
    {ObjectKind::JOB, "User_List", "user_list"},
    {ObjectKind::JOB, "array_state_count", "state_count"},
    {ObjectKind::JOB, "array_indices_remaining", "range"},
    {ObjectKind::JOB, "array_indices_submitted", "range"},
    {ObjectKind::JOB, "sandbox", "sandbox"},
    {ObjectKind::JOB, "project", "project"},
    {ObjectKind::VNODE, "pbs_version", "version"},
    {ObjectKind::QUEUE, "route_destinations", "route_destinations"},
    {ObjectKind::QUEUE, "state_count", "state_count"},
    {ObjectKind::SERVER, "state_count", "state_count"},
    {ObjectKind::SERVER, "pbs_version", "version"},
    {ObjectKind::SERVER, "job_sort_formula", "job_sort_formula"},
    {ObjectKind::SERVER, "node_group_key", "node_group_key"},
    {ObjectKind::SERVER, "license_count", "license_count"},
    {ObjectKind::RESERVATION, "resv_nodes", "exec_vnode"},
    {ObjectKind::RESERVATION, "group_list", "group_list"},
    {ObjectKind::RESERVATION, "User_List", "user_list"},
    {ObjectKind::RESERVATION, "Authorized_Users", "acl"},
    {ObjectKind::RESERVATION, "Authorized_Groups", "acl"},
    {ObjectKind::RESERVATION, "Authorized_Hosts", "acl"},
    {ObjectKind::RESERVATION, "Mail_Points", "mail_points"},
    {ObjectKind::RESERVATION, "Mail_Users", "email_list"},
    {ObjectKind::RESERVATION, "schedselect", "select"},
};

// Objects without a table in events/attributes (pbs guide, "hooks: management"); what of PBS's reservations the table does not
// have, and reads as None; a duration that is an integer of seconds elsewhere, and an index that is a text; what the MoM alone knows of a
// job.
struct own_row {
  ObjectKind kind;
  const char* name;
  value_type type;
};
const own_row own_rows[] = {
    {ObjectKind::JOB, "array_index", value_type::integer},
    {ObjectKind::JOB, "failed_mom_list", value_type::string_array},
    {ObjectKind::JOB, "succeeded_mom_list", value_type::string_array},
    {ObjectKind::RESERVATION, "reserve_duration", value_type::duration},
    {ObjectKind::RESERVATION, "reserve_ID", value_type::string},
    {ObjectKind::RESERVATION, "User_List", value_type::string_array},
    {ObjectKind::RESERVATION, "group_list", value_type::string_array},
    {ObjectKind::RESERVATION, "hashname", value_type::string},
    {ObjectKind::RESERVATION, "hop_count", value_type::integer},
    {ObjectKind::RESERVATION, "Priority", value_type::integer},
    {ObjectKind::RESERVATION, "reserve_standing", value_type::integer},
    {ObjectKind::RESERVATION, "credential_id", value_type::string},
    {ObjectKind::MANAGEMENT, "cmd", value_type::integer},
    {ObjectKind::MANAGEMENT, "objtype", value_type::integer},
    {ObjectKind::MANAGEMENT, "objname", value_type::string},
    {ObjectKind::MANAGEMENT, "request_time", value_type::date},
    {ObjectKind::MANAGEMENT, "reply_code", value_type::integer},
    {ObjectKind::MANAGEMENT, "reply_auxcode", value_type::integer},
    {ObjectKind::MANAGEMENT, "reply_choice", value_type::integer},
    {ObjectKind::MANAGEMENT, "reply_text", value_type::string},
    {ObjectKind::SERVER_ATTRIBUTE, "name", value_type::string},
    {ObjectKind::SERVER_ATTRIBUTE, "resource", value_type::string},
    {ObjectKind::SERVER_ATTRIBUTE, "value", value_type::string},
    {ObjectKind::SERVER_ATTRIBUTE, "op", value_type::integer},
    {ObjectKind::SERVER_ATTRIBUTE, "flags", value_type::integer},
    {ObjectKind::SERVER_ATTRIBUTE, "sisters", value_type::string_array},
};

constexpr auto J = ObjectKind::JOB;
constexpr auto N = ObjectKind::VNODE;
constexpr auto Q = ObjectKind::QUEUE;
constexpr auto S = ObjectKind::SERVER;
constexpr auto R = ObjectKind::RESERVATION;
const word_constant words[] = {
    {J, "job_state", "T", "JOB_STATE_TRANSIT", 0},
    {J, "job_state", "Q", "JOB_STATE_QUEUED", 1},
    {J, "job_state", "H", "JOB_STATE_HELD", 2},
    {J, "job_state", "W", "JOB_STATE_WAITING", 3},
    {J, "job_state", "R", "JOB_STATE_RUNNING", 4},
    {J, "job_state", "E", "JOB_STATE_EXITING", 5},
    {J, "job_state", "X", "JOB_STATE_EXPIRED", 6},
    {J, "job_state", "B", "JOB_STATE_BEGUN", 7},
    {J, "job_state", "M", "JOB_STATE_MOVED", 8},
    {J, "job_state", "F", "JOB_STATE_FINISHED", 9},
    {J, "job_state", "S", "JOB_STATE_SUSPEND", 400},
    {J, "job_state", "U", "JOB_STATE_SUSPEND_USERACTIVE", 410},
    {N, "sharing", "default_shared", "ND_DEFAULT_SHARED", 1},
    {N, "sharing", "default_excl", "ND_DEFAULT_EXCL", 2},
    {N, "sharing", "ignore_excl", "ND_IGNORE_EXCL", 3},
    {N, "sharing", "force_excl", "ND_FORCE_EXCL", 4},
    {N, "sharing", "default_exclhost", "ND_DEFAULT_EXCLHOST", 5},
    {N, "sharing", "force_exclhost", "ND_FORCE_EXCLHOST", 6},
    {N, "ntype", "PBS", "ND_PBS", 0},
    {Q, "queue_type", "Execution", "QTYPE_EXECUTION", 1},
    {Q, "queue_type", "Route", "QTYPE_ROUTE", 2},
    {J, "queue_type", "E", "", 1},
    {J, "queue_type", "R", "", 2},
    {S, "server_state", "Active", "SV_STATE_ACTIVE", 3},
    {S, "server_state", "Hot_Start", "SV_STATE_HOT", 2},
    {S, "server_state", "Idle", "SV_STATE_IDLE", 1},
    {S, "server_state", "Terminating", "SV_STATE_SHUTIMM", 5},
    {S, "server_state", "Terminating_Delayed", "SV_STATE_SHUTDEL", 4},
    {S, "server_state", "Terminating_Signal", "SV_STATE_SHUTSIG", 6},
    {R, "reserve_state", "RESV_NONE", "RESV_STATE_NONE", 0},
    {R, "reserve_state", "RESV_UNCONFIRMED", "RESV_STATE_UNCONFIRMED", 1},
    {R, "reserve_state", "RESV_CONFIRMED", "RESV_STATE_CONFIRMED", 2},
    {R, "reserve_state", "RESV_WAIT", "RESV_STATE_WAIT", 3},
    {R, "reserve_state", "RESV_TIME_TO_RUN", "RESV_STATE_TIME_TO_RUN", 4},
    {R, "reserve_state", "RESV_RUNNING", "RESV_STATE_RUNNING", 5},
    {R, "reserve_state", "RESV_FINISHED", "RESV_STATE_FINISHED", 6},
    {R, "reserve_state", "RESV_BEING_DELETED", "RESV_STATE_BEING_DELETED", 7},
    {R, "reserve_state", "RESV_DELETED", "RESV_STATE_DELETED", 8},
    {R, "reserve_state", "RESV_DELETING_JOBS", "RESV_STATE_DELETING_JOBS", 9},
    {R, "reserve_state", "RESV_DEGRADED", "RESV_STATE_DEGRADED", 10},
    {R, "reserve_state", "RESV_BEING_ALTERED", "RESV_STATE_BEING_ALTERED", 11},
    {R, "reserve_state", "RESV_IN_CONFLICT", "RESV_STATE_IN_CONFLICT", 12},
};

std::optional<schema::ObjectKind> table_kind(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::JOB:
      return schema::ObjectKind::JOB;
    case ObjectKind::VNODE:
      return schema::ObjectKind::NODE;
    case ObjectKind::QUEUE:
      return schema::ObjectKind::QUEUE;
    case ObjectKind::SERVER:
      return schema::ObjectKind::SERVER;
    case ObjectKind::SCHEDULER:
      return schema::ObjectKind::SCHEDULER;
    case ObjectKind::RESERVATION:
      return schema::ObjectKind::RESERVATION;
    case ObjectKind::MANAGEMENT:
    case ObjectKind::SERVER_ATTRIBUTE:
      break;
  }
  return std::nullopt;
}

bool holds_resources(const attribute_row& row, std::string_view name) {
  return row.type == value_type::resource_list ||
         (row.type == value_type::limits && name.find("_res") != std::string_view::npos);
}

struct by_name {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return quick_order(a, b) < 0; }
};

std::optional<attribute_row> found_row(ObjectKind kind, std::string_view name) {
  attribute_row row;
  const auto* own = std::ranges::find_if(own_rows, [&](const own_row& r) { return r.kind == kind && name == r.name; });
  if (own != std::end(own_rows)) {
    row.type = own->type;
  } else {
    const auto table = table_kind(kind);
    row.checked = table ? attributes::find(*table, name) : nullptr;
    if (!row.checked || name != row.checked->name) return std::nullopt;
    row.type = row.checked->type;
  }
  row.is_map = holds_resources(row, name);
  row.is_variables = name == "Variable_List";
  row.is_list = kind == ObjectKind::JOB && (name == "failed_mom_list" || name == "succeeded_mom_list");
  row.is_command = kind == ObjectKind::JOB && (name == "executable" || name == "Submit_arguments");
  if ((name == "queue" && kind != ObjectKind::QUEUE) || (name == "default_queue" && kind == ObjectKind::SERVER))
    row.names_object = ObjectKind::QUEUE;
  if (name == "server" && (kind == ObjectKind::JOB || kind == ObjectKind::RESERVATION))
    row.names_object = ObjectKind::SERVER;
  if (name == "resv" && kind == ObjectKind::VNODE) row.names_object = ObjectKind::RESERVATION;
  row.has_words =
      std::ranges::any_of(words, [&](const word_constant& w) { return w.kind == kind && name == w.attribute; });
  for (const text_row& t : text_rows)
    if (t.kind == kind && name == t.attribute) row.text = text_type_of(t.type);
  return row;
}

// What an object's own name is called; nullptr: it has none.
const char* name_of_name(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::JOB:
      return "id";
    case ObjectKind::RESERVATION:
      return "resvid";
    case ObjectKind::VNODE:
    case ObjectKind::QUEUE:
    case ObjectKind::SERVER:
    case ObjectKind::SCHEDULER:
      return "name";
    case ObjectKind::MANAGEMENT:
    case ObjectKind::SERVER_ATTRIBUTE:
      break;
  }
  return nullptr;
}

}  // namespace

const attribute_row* attribute_row_of(ObjectKind kind, std::string_view name) {
  // Only what there is: a script can't make it grow.
  static std::map<std::string, attribute_row, by_name> known[static_cast<int>(ObjectKind::SCHEDULER) + 1];
  auto& rows = known[static_cast<int>(kind)];
  if (const auto at = rows.find(name); at != rows.end()) return &at->second;
  const auto row = found_row(kind, name);
  return row ? &rows.emplace(name, *row).first->second : nullptr;
}

std::vector<std::string_view> attribute_names(ObjectKind kind) {
  std::vector<std::string_view> names;
  if (const char* own = name_of_name(kind)) names.emplace_back(own);
  if (const auto table = table_kind(kind))
    for (const auto& row : attributes::table_of(*table)) names.emplace_back(row.name);
  for (const own_row& row : own_rows)
    if (row.kind == kind) names.emplace_back(row.name);
  return names;
}

std::optional<int> number_of_word(ObjectKind kind, std::string_view attribute, std::string_view word) {
  for (const word_constant& w : words)
    if (w.kind == kind && attribute == w.attribute && word == w.word) return w.number;
  return std::nullopt;
}

const char* word_of_number(ObjectKind kind, std::string_view attribute, long number) {
  for (const word_constant& w : words)
    if (w.kind == kind && attribute == w.attribute && number == w.number) return w.word;
  return nullptr;
}

std::span<const word_constant> word_constants() { return words; }

const char* kind_word(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::JOB:
      return "job";
    case ObjectKind::VNODE:
      return "vnode";
    case ObjectKind::QUEUE:
      return "queue";
    case ObjectKind::SERVER:
      return "server";
    case ObjectKind::RESERVATION:
      return "resv";
    case ObjectKind::MANAGEMENT:
      return "management";
    case ObjectKind::SERVER_ATTRIBUTE:
      return "server_attribute";
    case ObjectKind::SCHEDULER:
      return "scheduler";
  }
  return "object";
}

}  // namespace annals::hooks::py
