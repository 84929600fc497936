// The constants of the pbs module. Numbers that a site can see elsewhere (events, log classes, substates, reservation
// states) are PBS's, and so are those that scripts keep or compare. The REVERSE_ tables give a number's name.
#include <algorithm>
#include <cctype>

#include "events/values/node_state.hpp"
#include "hooks-runtime/catalog/events.hpp"
#include "hooks-runtime/pbs_module/attribute_rows.hpp"
#include "hooks-runtime/pbs_module/module.hpp"
#include "hooks-runtime/protocol/log_levels.hpp"

namespace annals::hooks::py {
namespace {

namespace state = values::node_state;

struct constant {
  const char* name;
  long value;
};

const constant constants[] = {
    {"LOG_DEBUG", log_level::log_debug},
    {"LOG_WARNING", log_level::log_warning},
    {"LOG_ERROR", log_level::log_error},
    {"EVENT_ERROR", log_level::error},
    {"EVENT_SYSTEM", log_level::system},
    {"EVENT_ADMIN", log_level::admin},
    {"EVENT_JOB", log_level::job},
    {"EVENT_JOB_USAGE", log_level::job_usage},
    {"EVENT_SECURITY", log_level::security},
    {"EVENT_SCHED", log_level::sched},
    {"EVENT_DEBUG", log_level::debug},
    {"EVENT_DEBUG2", log_level::debug2},
    {"EVENT_RESV", log_level::resv},
    {"EVENT_DEBUG3", log_level::debug3},
    {"EVENT_DEBUG4", log_level::debug4},
    {"EVENT_FORCE", log_level::force},

    {"ND_FREE", state::free},
    {"ND_OFFLINE", state::offline},
    {"ND_DOWN", state::down},
    {"ND_STALE", state::stale},
    {"ND_JOBBUSY", state::job_busy},
    {"ND_JOB_EXCLUSIVE", state::job_exclusive},
    {"ND_RESV_EXCLUSIVE", state::resv_exclusive},
    {"ND_BUSY", state::busy},
    {"ND_PROV", state::provisioning},
    {"ND_WAIT_PROV", state::wait_provisioning},
    {"ND_UNRESOLVABLE", state::unresolvable},
    {"ND_SLEEP", state::sleep},
    {"ND_MAINTENANCE", state::maintenance},
    {"ND_STATE_UNKNOWN", state::unknown},
    {"ND_STATE_OFFLINE_BY_MOM", state::offlined_by_mom},
    // No vnode of ours is ever in one of these; scripts look for them in masks.
    {"ND_STATE_DELETED", 0x4},
    {"ND_STATE_NEEDS_HELLOSVR", 0x200},
    {"ND_STATE_INIT", state::initializing},
    {"ND_INITIALIZING", state::initializing},
    {"ND_STATE_MARKEDDOWN", 0x8000},
    {"ND_STATE_NEED_ADDRS", 0x10000},
    {"ND_STATE_NEED_CREDENTIALS", 0x80000},
    {"ND_STATE_VNODE_UNAVAILABLE", 0x6412f},

    {"JOB_SUBSTATE_UNKNOWN", -1},
    {"JOB_SUBSTATE_TRANSIN", 0},
    {"JOB_SUBSTATE_TRANSICM", 1},
    {"JOB_SUBSTATE_TRNOUT", 2},
    {"JOB_SUBSTATE_TRNOUTCM", 3},
    {"JOB_SUBSTATE_QUEUED", 10},
    {"JOB_SUBSTATE_PRESTAGEIN", 11},
    {"JOB_SUBSTATE_SYNCRES", 13},
    {"JOB_SUBSTATE_STAGEIN", 14},
    {"JOB_SUBSTATE_STAGEGO", 15},
    {"JOB_SUBSTATE_STAGECMP", 16},
    {"JOB_SUBSTATE_HELD", 20},
    {"JOB_SUBSTATE_SYNCHOLD", 21},
    {"JOB_SUBSTATE_DEPNHOLD", 22},
    {"JOB_SUBSTATE_WAITING", 30},
    {"JOB_SUBSTATE_STAGEFAIL", 37},
    {"JOB_SUBSTATE_PRERUN", 41},
    {"JOB_SUBSTATE_RUNNING", 42},
    {"JOB_SUBSTATE_SUSPEND", 43},
    {"JOB_SUBSTATE_SCHSUSP", 45},
    {"JOB_SUBSTATE_EXITING", 50},
    {"JOB_SUBSTATE_STAGEOUT", 51},
    {"JOB_SUBSTATE_STAGEDEL", 52},
    {"JOB_SUBSTATE_EXITED", 53},
    {"JOB_SUBSTATE_ABORT", 54},
    {"JOB_SUBSTATE_KILLSIS", 56},
    {"JOB_SUBSTATE_RUNEPILOG", 57},
    {"JOB_SUBSTATE_OBIT", 58},
    {"JOB_SUBSTATE_TERM", 59},
    {"JOB_SUBSTATE_RERUN", 60},
    {"JOB_SUBSTATE_RERUN1", 61},
    {"JOB_SUBSTATE_RERUN2", 62},
    {"JOB_SUBSTATE_RERUN3", 63},
    {"JOB_SUBSTATE_EXPIRED", 69},
    {"JOB_SUBSTATE_BEGUN", 70},
    {"JOB_SUBSTATE_PROVISION", 71},
    {"JOB_SUBSTATE_WAITING_JOIN_JOB", 72},
    {"JOB_SUBSTATE_TERMINATED", 91},
    {"JOB_SUBSTATE_FINISHED", 92},
    {"JOB_SUBSTATE_FAILED", 93},
    {"JOB_SUBSTATE_MOVED", 94},
    {"JOB_SUBSTATE_DELJOB", 153},

    {"MGR_CMD_NONE", -1},
    {"MGR_CMD_CREATE", 0},
    {"MGR_CMD_DELETE", 1},
    {"MGR_CMD_SET", 2},
    {"MGR_CMD_UNSET", 3},
    {"MGR_CMD_LIST", 4},
    {"MGR_CMD_PRINT", 5},
    {"MGR_CMD_ACTIVE", 6},
    {"MGR_CMD_IMPORT", 7},
    {"MGR_CMD_EXPORT", 8},
    {"MGR_CMD_LAST", 9},
    {"MGR_OBJ_NONE", -1},
    {"MGR_OBJ_SERVER", 0},
    {"MGR_OBJ_QUEUE", 1},
    {"MGR_OBJ_JOB", 2},
    {"MGR_OBJ_NODE", 3},
    {"MGR_OBJ_RESV", 4},
    {"MGR_OBJ_RSC", 5},
    {"MGR_OBJ_SCHED", 6},
    {"MGR_OBJ_HOST", 7},
    {"MGR_OBJ_HOOK", 8},
    {"MGR_OBJ_PBS_HOOK", 9},
    {"MGR_OBJ_LAST", 12},
    {"MGR_OBJ_SITE_HOOK", 8},
    // As Common.AttributeOp has them: `op` of management.attribs compares with these.
    {"BATCH_OP_SET", 0},
    {"BATCH_OP_UNSET", 1},
    {"BATCH_OP_INCR", 2},
    {"BATCH_OP_DECR", 3},
    {"BATCH_OP_EQ", 4},
    {"BATCH_OP_NE", 5},
    {"BATCH_OP_GE", 6},
    {"BATCH_OP_GT", 7},
    {"BATCH_OP_LE", 8},
    {"BATCH_OP_LT", 9},
    {"BATCH_OP_DFLT", 10},
    {"BRP_CHOICE_NULL", 1},
    {"BRP_CHOICE_Queue", 2},
    {"BRP_CHOICE_RdytoCom", 3},
    {"BRP_CHOICE_Commit", 4},
    {"BRP_CHOICE_Select", 5},
    {"BRP_CHOICE_Status", 6},
    {"BRP_CHOICE_Text", 7},
    {"BRP_CHOICE_Locate", 8},
    {"BRP_CHOICE_RescQuery", 9},
    {"BRP_CHOICE_PreemptJobs", 10},
    {"BRP_CHOICE_Delete", 11},
    {"ATR_VFLAG_SET", 1},
    {"ATR_VFLAG_MODIFY", 2},
    {"ATR_VFLAG_DEFLT", 4},
    {"ATR_VFLAG_MODCACHE", 8},
    {"ATR_VFLAG_INDIRECT", 16},
    {"ATR_VFLAG_TARGET", 32},
    {"ATR_VFLAG_HOOK", 64},
    {"ATR_VFLAG_IN_EXECVNODE_FLAG", 128},
};

struct reverse_table {
  const char* name;
  std::string_view prefix;  // of the constants that are in it
};
const reverse_table reverse_tables[] = {
    {"REVERSE_ATR_VFLAGS", "ATR_VFLAG_"},
    {"REVERSE_BATCH_OPS", "BATCH_OP_"},
    {"REVERSE_BRP_CHOICES", "BRP_CHOICE_"},
    {"REVERSE_HOOK_EVENT", "HOOK_EVENT_"},
    {"REVERSE_JOB_STATE", "JOB_STATE_"},
    {"REVERSE_JOB_SUBSTATE", "JOB_SUBSTATE_"},
    {"REVERSE_MGR_CMDS", "MGR_CMD_"},
    {"REVERSE_MGR_OBJS", "MGR_OBJ_"},
    {"REVERSE_NODE_STATE", "ND_STATE_"},
    {"REVERSE_RESV_STATE", "RESV_STATE_"},
};

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

bool add(PyObject* module, const std::string& name, long value) {
  return PyModule_AddIntConstant(module, name.c_str(), value) == 0;
}

// Of constants with the same number the first has its name in the table.
bool add_reverse_table(PyObject* module, const reverse_table& table) {
  ref names(PyDict_New());
  if (!names) return false;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(PyModule_GetDict(module), &at, &key, &value);)
    if (view_of(key).starts_with(table.prefix) && !PyDict_SetDefault(names.get(), value, key)) return false;
  return PyModule_AddObjectRef(module, table.name, names.get()) == 0;
}

bool add_numbers(PyObject* module) {
  for (const constant& c : constants) {
    if (!add(module, c.name, c.value)) return false;
    // Each state of a vnode has two names: ND_OFFLINE and ND_STATE_OFFLINE.
    const std::string_view name = c.name;
    if (name.starts_with("ND_") && !name.starts_with("ND_STATE_") &&
        !add(module, "ND_STATE_" + std::string(name.substr(3)), c.value))
      return false;
  }
  for (const word_constant& w : word_constants())
    if (*w.constant && !add(module, w.constant, w.number)) return false;
  for (const hook_event& e : hook_events())
    if (!add(module, upper(e.name), static_cast<long>(e.bit)) ||
        !add(module, "HOOK_EVENT_" + upper(e.name), static_cast<long>(e.bit)))
      return false;
  return add(module, "MOM_EVENTS", static_cast<long>(mom_events())) &&
         add(module, "HOOK_EVENT_MOM_EVENTS", static_cast<long>(mom_events()));
}

}  // namespace

bool add_constants(PyObject* module) {
  if (!add_numbers(module)) return false;
  return std::ranges::all_of(reverse_tables, [&](const reverse_table& t) { return add_reverse_table(module, t); });
}

}  // namespace annals::hooks::py
