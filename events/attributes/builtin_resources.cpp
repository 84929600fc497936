// The resources every site has (pbs guide, "builtin resources"), one row each.
#include <vector>

#include "events/attributes/resources.hpp"

namespace annals::attributes {
namespace {

constexpr std::uint16_t counted = summed | consumable | host_level;
constexpr auto chunk = asked_in::chunk;
constexpr auto job_wide = asked_in::job_wide;
constexpr auto nowhere = asked_in::nowhere;

struct row {
  const char* name;
  value_type type;
  std::uint16_t flags;
  asked_in where;
  setter set_by;
  bool while_running;
  const char* meaning;
};

constexpr row rows[] = {
    {"ncpus", value_type::integer, counted | sent_to_mom, chunk, setter::owner, false, "processors"},
    {"mem", value_type::size, counted, chunk, setter::owner, false, "physical memory"},
    {"vmem", value_type::size, counted, chunk, setter::owner, false, "virtual memory"},
    {"naccelerators", value_type::integer, counted, chunk, setter::owner, false, "accelerators"},
    {"accelerator", value_type::boolean, host_level, chunk, setter::owner, false, "has an accelerator"},
    {"accelerator_model", value_type::string, host_level, chunk, setter::owner, false, "model of the accelerator"},
    {"accelerator_memory", value_type::size, counted, chunk, setter::owner, false, "memory of accelerators"},
    {"accelerator_group", value_type::string_array, host_level, chunk, setter::owner, false, "groups of accelerators"},
    {"hbmem", value_type::size, counted, chunk, setter::owner, false, "high bandwidth memory"},
    {"arch", value_type::string, host_level, chunk, setter::owner, false, "architecture, reported by the MoM"},
    {"host", value_type::string, host_level, chunk, setter::owner, false, "short name of the host, compared in any case"},
    {"vnode", value_type::string, host_level, chunk, setter::owner, false, "name of the vnode"},
    {"vntype", value_type::string_array, host_level, chunk, setter::owner, false, "type of the vnode"},
    {"aoe", value_type::string_array, host_level, chunk, setter::owner, false, "provisioned operating environment"},
    {"eoe", value_type::string_array, host_level, chunk, setter::owner, false, "energy environment"},
    {"mpiprocs", value_type::integer, summed | host_level, chunk, setter::owner, false,
     "MPI ranks: lines in the node file; 1 when not given and ncpus is not 0"},
    {"ompthreads", value_type::integer, host_level, chunk, setter::owner, false, "OMP_NUM_THREADS; ncpus when not given"},
    {"nchunk", value_type::integer, host_level, nowhere, setter::operator_, false, "number of chunks, in default_chunk"},
    {"walltime", value_type::duration, 0, job_wide, setter::owner, true, "real time; none is 5 years"},
    {"cput", value_type::duration, 0, job_wide, setter::owner, true, "CPU time of all processes"},
    {"pcput", value_type::duration, 0, job_wide, setter::owner, false, "CPU time of one process"},
    {"pmem", value_type::size, 0, job_wide, setter::owner, false, "physical memory of one process"},
    {"pvmem", value_type::size, 0, job_wide, setter::owner, false, "virtual memory of one process"},
    {"file", value_type::size, 0, job_wide, setter::owner, false, "largest file"},
    {"nice", value_type::integer, 0, job_wide, setter::owner, false, "nice value of the job's processes"},
    {"min_walltime", value_type::duration, 0, job_wide, setter::owner, true, "shortest walltime of a shrink-to-fit job"},
    {"max_walltime", value_type::duration, 0, job_wide, setter::owner, true, "longest walltime of a shrink-to-fit job"},
    {"soft_walltime", value_type::duration, 0, job_wide, setter::manager, true, "walltime the scheduler plans with"},
    {"select", value_type::string, 0, job_wide, setter::owner, false, "the chunks"},
    {"select_reliable_startup", value_type::string, 0, job_wide, setter::operator_, false,
     "the chunks with spare ones: replaces select, and failures are tolerated"},
    {"rjselect", value_type::string, 0, job_wide, setter::operator_, false,
     "older form: replaces select for the scheduler alone, and failures are tolerated at the start"},
    {"select_requested", value_type::string, 0, job_wide, setter::internal, false,
     "the select that was asked for, completed; of jobs without spare chunks hooks see it, and qstat with show_hidden_attribs"},
    {"place", value_type::string, 0, job_wide, setter::owner, false, "how chunks are placed"},
    {"nodes", value_type::string, 0, job_wide, setter::owner, false, "old form of select, converted"},
    {"nodect", value_type::integer, summed, nowhere, setter::manager, false, "number of chunks"},
    {"cpupercent", value_type::integer, 0, nowhere, setter::nobody, false, "CPU use in percent, as measured"},
    {"energy", value_type::real, 0, nowhere, setter::nobody, false, "energy, as measured"},
    {"start_time", value_type::duration, 0, nowhere, setter::nobody, false, "expected start, in estimated"},
    {"exec_vnode", value_type::string, 0, nowhere, setter::nobody, false, "expected vnodes, in estimated"},
    {"software", value_type::string, 0, job_wide, setter::owner, false, "free text"},
    {"site", value_type::string, 0, job_wide, setter::owner, false, "free text"},
    {"partition", value_type::string, 0, nowhere, setter::operator_, false, "legacy"},
    {"nodemask", value_type::string, 0, nowhere, setter::operator_, false, "legacy"},
    {"pe_mask", value_type::string, 0, nowhere, setter::operator_, false, "legacy"},
    {"hpm", value_type::string, 0, nowhere, setter::operator_, false, "legacy"},
    {"ssinodes", value_type::integer, 0, nowhere, setter::operator_, false, "legacy"},
    {"resc", value_type::string, 0, nowhere, setter::operator_, false, "legacy"},
    {"preempt_targets", value_type::string_array, 0, job_wide, setter::owner, false,
     "jobs that may be preempted: Queue=name, Resource_List.name=value or NONE"},
    {"pstate", value_type::string, 0, job_wide, setter::owner, false, "processor state"},
    {"pgov", value_type::string, 0, job_wide, setter::owner, false, "processor frequency governor"},
    {"pcap_node", value_type::integer, 0, job_wide, setter::owner, false, "power cap of a node"},
    {"pcap_accelerator", value_type::integer, 0, job_wide, setter::owner, false, "power cap of an accelerator"},
};

}  // namespace

std::span<const resource> builtin_resources() {
  static const std::vector<resource> made = [] {
    std::vector<resource> out;
    for (const row& r : rows) out.push_back({r.name, r.type, r.flags, r.where, r.set_by, r.while_running, true, r.meaning});
    return out;
  }();
  return made;
}

}  // namespace annals::attributes
