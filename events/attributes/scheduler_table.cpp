// Every attribute of scheduler objects (pbs guide: scheduler attributes), in the order of display. Ids are never given to another
// attribute; a new row takes a number between its neighbours.
#include "events/attributes/ids.hpp"
#include "events/attributes/tables.hpp"

namespace annals::attributes {

const attribute scheduler_attributes[] = {
    // id, name, type, who sets it, flags, default, meaning
    {scheduler::sched_host, "sched_host", value_type::string, setter::manager, none, "",
     "host the scheduler runs on"},
    {scheduler::sched_cycle_length, "sched_cycle_length", value_type::duration, setter::operator_, none, "00:20:00",
     "longest duration of a cycle"},
    {scheduler::do_not_span_psets, "do_not_span_psets", value_type::boolean, setter::operator_, none, "",
     "whether a job that fits in no placement set stays queued"},
    {scheduler::only_explicit_psets, "only_explicit_psets", value_type::boolean, setter::operator_, none, "",
     "whether no placement set is made of vnodes without the resource"},
    {scheduler::sched_preempt_enforce_resumption, "sched_preempt_enforce_resumption", value_type::boolean, setter::manager, none, "",
     "whether preempted jobs are resumed before others run"},
    {scheduler::preempt_targets_enable, "preempt_targets_enable", value_type::boolean, setter::manager, none, "",
     "whether preempt_targets of jobs are honoured; True when unset"},
    {scheduler::job_sort_formula_threshold, "job_sort_formula_threshold", value_type::real, setter::manager, manager_reads, "",
     "jobs below this formula value are not run"},
    {scheduler::throughput_mode, "throughput_mode", value_type::boolean, setter::manager, none, "True",
     "deprecated form of job_run_wait"},
    {scheduler::job_run_wait, "job_run_wait", value_type::string, setter::manager, none, "runjob_hook",
     "what a run request waits for: none, runjob_hook or execjob_hook"},
    {scheduler::opt_backfill_fuzzy, "opt_backfill_fuzzy", value_type::string, setter::manager, none, "",
     "off, low, medium or high"},
    {scheduler::partition, "partition", value_type::string, setter::manager, none, "",
     "the partition it schedules"},
    {scheduler::sched_priv, "sched_priv", value_type::string, setter::root, none, "",
     "directory of sched_config, holidays, resource_group and fairshare usage"},
    {scheduler::sched_log, "sched_log", value_type::string, setter::root, none, "",
     "directory of its logs"},
    {scheduler::scheduling, "scheduling", value_type::boolean, setter::manager, none, "False",
     "whether it starts cycles"},
    {scheduler::scheduler_iteration, "scheduler_iteration", value_type::integer, setter::manager, none, "600",
     "seconds between cycles without a trigger"},
    {scheduler::sched_user, "sched_user", value_type::string, setter::root, none, "",
     "user the daemon runs as"},
    {scheduler::comment, "comment", value_type::string, setter::manager, none, "",
     "free text"},
    {scheduler::state, "state", value_type::string, setter::nobody, none, "down",
     "down, idle or scheduling"},
    {scheduler::preempt_queue_prio, "preempt_queue_prio", value_type::integer, setter::manager, none, "150",
     "queue priority from which a queue is an express queue"},
    {scheduler::preempt_prio, "preempt_prio", value_type::string, setter::manager, none, "express_queue, normal_jobs",
     "preemption levels, highest first"},
    {scheduler::preempt_order, "preempt_order", value_type::string, setter::manager, none, "SCR",
     "ways to preempt: S suspend, C checkpoint, R requeue, D delete; with percentages of the time left"},
    {scheduler::preempt_sort, "preempt_sort", value_type::string, setter::manager, none, "min_time_since_start",
     "which job is preempted first"},
    {scheduler::log_events, "log_events", value_type::integer, setter::operator_, none, "767",
     "mask of what is logged"},
    {scheduler::job_sort_formula, "job_sort_formula", value_type::string, setter::manager, none, "",
     "formula that orders jobs"},
    {scheduler::server_dyn_res_alarm, "server_dyn_res_alarm", value_type::integer, setter::manager, none, "30",
     "seconds a server_dyn_res script may take"},
    {scheduler::attr_update_period, "attr_update_period", value_type::integer, setter::manager, none, "",
     "seconds between updates of job attributes; unset: each cycle"},
    {scheduler::sched_port, "sched_port", value_type::integer, setter::manager, none, "",
     "port the scheduler listens at"},
    {scheduler::job_accumulation_time, "job_accumulation_time", value_type::integer, setter::manager, none, "",
     "seconds to wait after a submission before a cycle"},
};
const std::size_t scheduler_attribute_count = std::size(scheduler_attributes);

}  // namespace annals::attributes
