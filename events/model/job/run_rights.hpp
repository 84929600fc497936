// Who may have a job run and who may change its place in the order: schedulers by proposing, operators with qrun, its owner
// with qorder; and for whom its run may speak. Pure; the job's decide() asks, and who answers a request asks first, so that both say the
// same. Governed by docs/design/0034-the-gateway.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/model/job/job.hpp"
#include "events/values/job_id.hpp"
#include "events/values/job_indices.hpp"
#include "events/values/result.hpp"

namespace annals::model {

// The scheduler object whose job it is: that of the partition of its queue (MS-35), the default one for a queue without (MS-38). Empty:
// no scheduler has the partition.
std::string_view scheduler_of(const job_state& job, const settings& settings);

// Why this proposal to run the job is not for the proposer to make: a scheduler may propose its own jobs alone, a person must be
// one who may order runs (qrun -H). A suspended job goes on where it was, and its queue may have come to another partition meanwhile: any
// scheduler that places jobs may say so, and the ledger knows whose vnodes they are. 15007.
std::optional<rejection> proposal_refusal(const job_state& job, const proposed_run& proposed, const requester& by,
                                          const settings& settings);

// Why this scheduler may not have the job make room: it is not one of its own. 15007; of a job that is gone, that.
std::optional<rejection> preemption_refusal(const job_state& job, std::string_view scheduler, const settings& settings);

// Why qrun is refused before anybody looks for room. Null: there is no such job.
std::optional<rejection> run_by_hand_refusal(const job_state* job, const requester& by);
// qrun of subjobs ("12[3]", "12[5-9]"): those of them that have not begun. Null: there is no such array.
values::result<values::index_set, rejection> subjobs_to_run(const job_state* array, const values::job_id& id, const requester& by);
// The same of one job of qorder.
std::optional<rejection> reorder_refusal(const job_state* job, const requester& by);

// As whom a command speaks that is started in a run on one of its hosts: the user and the group that the run has. Nobody (no user): the
// job has no such run, or not on this host, or its program has ended. docs/design/0038-commands-of-jobs.md.
struct run_identity {
  std::string user, group;
};
run_identity identity_of_run(const job_state& job, std::uint32_t run, std::string_view host);

// Why this person may not sit at the job's terminal: it is an interactive job's, and its owner's alone.
std::optional<rejection> terminal_refusal(const job_state& job, const requester& by);

// What qorder makes of two jobs: each gets the other's rank.
struct exchanged_ranks {
  set_rank first, second;
};
values::result<exchanged_ranks, rejection> exchange_ranks(const job_state* first, const job_state* second, const requester& by);

}  // namespace annals::model
