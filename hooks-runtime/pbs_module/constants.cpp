// The constants of the pbs module. Numbers that a site can see elsewhere (events, log classes, substates, reservation
// states) are PBS's; of the others only the names matter.
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
    {"ND_INITIALIZING", state::initializing},
    {"ND_STATE_UNKNOWN", state::unknown},

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
    {"MGR_OBJ_SITE_HOOK", 8},
    // As Common.AttributeOp has them: `op` of management.attribs compares with these.
    {"BATCH_OP_SET", 0},
    {"BATCH_OP_UNSET", 1},
    {"BATCH_OP_INCR", 2},
    {"BATCH_OP_DECR", 3},
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

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

bool add(PyObject* module, const std::string& name, long value) {
  return PyModule_AddIntConstant(module, name.c_str(), value) == 0;
}

}  // namespace

bool add_constants(PyObject* module) {
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
  return add(module, "MOM_EVENTS", static_cast<long>(mom_events()));
}

}  // namespace annals::hooks::py
