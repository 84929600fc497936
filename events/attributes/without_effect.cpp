#include "events/attributes/without_effect.hpp"

#include <algorithm>
#include <span>

#include "events/attributes/ids.hpp"

namespace annals::attributes {
namespace {

struct effectless_row {
  attribute_id id;
  std::string_view part;
};

constexpr std::string_view kerberos = "Kerberos", licences = "licence server", credentials = "credential that is required of jobs",
                           costs = "cost of resources", restarts = "restart of the interpreter", rpp = "RPP", power = "power provisioning",
                           placement = "list of resources for placement sets besides node_group_key";

constexpr effectless_row of_the_server[] = {
    {server::require_cred_enable, credentials},
    {server::require_cred, credentials},
    {server::default_node, "default node"},
    {server::node_pack, "packing of nodes by the server"},
    {server::system_cost, costs},
    {server::resources_cost, costs},
    {server::rpp_retry, rpp},
    {server::rpp_highwater, rpp},
    {server::rpp_max_pkt_check, rpp},
    {server::pbs_license_info, licences},
    {server::pbs_license_min, licences},
    {server::pbs_license_max, licences},
    {server::pbs_license_linger_time, licences},
    {server::python_restart_max_hooks, restarts},
    {server::python_restart_max_objects, restarts},
    {server::python_restart_min_interval, restarts},
    {server::reserve_retry_init, "first pause of its own"},
    {server::resv_post_processing_time, "time that is kept after a reservation's end"},
    {server::acl_krb_realm_enable, kerberos},
    {server::acl_krb_realms, kerberos},
    {server::acl_krb_submit_realms, kerberos},
    {server::cred_renew_enable, kerberos},
    {server::cred_renew_tool, kerberos},
    {server::cred_renew_period, kerberos},
    {server::cred_renew_cache_period, kerberos},
    {server::pnames, placement},
    {server::max_job_sequence_id, "number after which those of jobs begin again"},
};

constexpr effectless_row of_queues[] = {
    {queue::alt_router, "router of a site"},
    {queue::checkpoint_min, "least time between checkpoints"},
    {queue::require_cred_enable, credentials},
    {queue::require_cred, credentials},
};

constexpr effectless_row of_vnodes[] = {
    {node::pnames, placement},
    {node::no_tasks, "vnode without tasks"},
    {node::vnode_pool, "pool of vnodes"},
    {node::power_provisioning, power},
    {node::poweroff_eligible, power},
};

constexpr effectless_row of_jobs[] = {
    {job::no_stdio_sockets, "socket for a job's output"},
    {job::sched_hint, "hint for the scheduler"},
    {job::cred, kerberos},
    {job::credential_id, kerberos},
    {job::node_set, "set of nodes besides select"},
    {job::forward_x11_cookie, "X11 forwarding but that of qsub -X"},
    {job::forward_x11_port, "X11 forwarding but that of qsub -X"},
    {job::ptime, "time of a preemption but the scheduler's own"},
    {job::gui, "Windows"},
};

constexpr effectless_row of_reservations[] = {
    {reservation::reserve_timezone, "time zone but that of PBS_TZID"},
};

constexpr effectless_row of_schedulers[] = {
    {scheduler::sched_cycle_length, "a limit of the time of a cycle"},
    {scheduler::throughput_mode, "waiting for a run within a cycle"},
    {scheduler::job_run_wait, "waiting for a run within a cycle"},
    {scheduler::opt_backfill_fuzzy, "fuzzy backfilling"},
    {scheduler::sched_user, "a user for the scheduler: it runs as who starts it"},
    {scheduler::attr_update_period, "a pause between what is said of jobs: only what changed is said"},
};

std::span<const effectless_row> rows_of(schema::ObjectKind kind) {
  switch (kind) {
    case schema::ObjectKind::SERVER: return of_the_server;
    case schema::ObjectKind::QUEUE: return of_queues;
    case schema::ObjectKind::NODE: return of_vnodes;
    case schema::ObjectKind::SCHEDULER: return of_schedulers;
    case schema::ObjectKind::JOB: return of_jobs;
    case schema::ObjectKind::RESERVATION: return of_reservations;
    default: return {};
  }
}

}  // namespace

std::string_view missing_for(schema::ObjectKind kind, attribute_id id) {
  const auto rows = rows_of(kind);
  const auto at = std::ranges::find(rows, id, &effectless_row::id);
  return at == rows.end() ? std::string_view() : at->part;
}

}  // namespace annals::attributes
