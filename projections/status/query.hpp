// Answers to stat and select requests, from one status. Pure: the caller sends the replies.
#pragma once

#include <memory>

#include "events/log/log_reader.hpp"
#include "events/log/snapshots.hpp"
#include "events/model/context.hpp"
#include "projections/status/answer_in_parts.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

// `now_ns`: for what grows with time (eligible_time); at least the time of the last record is taken.
void answer_stat(const status& from, std::uint64_t request_id, schema::Stat::Reader asked, const model::requester& by,
                 const send_reply& send, std::int64_t now_ns = 0);
// The same at a moment of the past (asked.at): folded from the log, with the help of the index if there is one
// (projections/status/past.hpp). Who may see what follows from the settings of that moment.
void answer_stat_at(const log::log_reader& reader, const log::snapshot_store* index, std::uint64_t request_id,
                    schema::Stat::Reader asked, const model::requester& by, const send_reply& send);

// To a select, and to a stat of the jobs, vnodes or hosts of the present. Null: to any other question, which is answered as a whole, as one
// for a history that is not kept.
std::unique_ptr<answer_in_parts> begin_answer(const status& from, const schema::sealed<schema::Request>& request,
                                              const model::requester& by);

// A job's attributes as it shows them at this time.
attributes::attribute_set job_row(const status& from, const model::job_state& job, std::int64_t now_s);
// Whether rows of jobs have the select that was asked for, which is hidden otherwise.
bool shows_select_requested(const status& from);
// The attributes of what is not kept as one set.
attributes::attribute_set queue_row(const status& from, const model::queue_state& queue);
attributes::attribute_set server_row(const status& from);
attributes::attribute_set shown_server_row(const status& from);  // Active is Idle there while scheduling is off
// "free", "offline,job-exclusive": the words of the vnode's state as pbsnodes prints them.
std::string vnode_state_text(const status& from, const model::host_state& host, const model::vnode_state& vnode);
// Without the word for a reservation that has it alone: schedulers know these themselves.
std::string vnode_state_by_jobs(const status& from, const model::host_state& host, const model::vnode_state& vnode);
attributes::attribute_set vnode_row(const status& from, const model::host_state& host, const model::vnode_state& vnode);

}  // namespace annals::projections
