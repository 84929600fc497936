// Every attribute of hooks (pbs guide: hook attributes), in the order of display. Their rules stand in events/model/hook/hook.cpp:
// hooks refuse values in words of their own.
#include "events/attributes/ids.hpp"
#include "events/attributes/tables.hpp"

namespace annals::attributes {

const attribute hook_attributes[] = {
    // id, name, type, who sets it, flags, default, meaning
    {hook::type, "type", value_type::string, setter::manager, at_creation, "site", "site; hooks that PBS brings along are pbs"},
    {hook::enabled, "enabled", value_type::string, setter::manager, none, "true", "whether it runs"},
    {hook::event, "event", value_type::string_array, setter::manager, none, "", "the events it runs at"},
    {hook::user, "user", value_type::string, setter::manager, none, "pbsadmin",
     "pbsadmin, or pbsuser for the job's owner (execjob_prologue, execjob_epilogue, execjob_preterm)"},
    {hook::alarm, "alarm", value_type::integer, setter::manager, none, "30", "seconds a run may take"},
    {hook::freq, "freq", value_type::integer, setter::manager, none, "120",
     "seconds between runs of periodic and exechost_periodic hooks"},
    {hook::order, "order", value_type::integer, setter::manager, none, "1", "1 to 1000; of several hooks the lowest runs first"},
    {hook::debug, "debug", value_type::string, setter::manager, none, "false", "whether the files of its runs are kept in hooks/tmp"},
    {hook::fail_action, "fail_action", value_type::string_array, setter::manager, none, "none",
     "none, offline_vnodes, clear_vnodes_upon_recovery, scheduler_restart_cycle"},
};
const std::size_t hook_attribute_count = std::size(hook_attributes);

}  // namespace annals::attributes
