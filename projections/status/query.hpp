// Answers to stat and select requests, from one status. Pure: the caller sends the replies.
#pragma once

#include <functional>
#include <memory>

#include "events/log/log_reader.hpp"
#include "events/log/snapshots.hpp"
#include "events/model/context.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

class queue_sums;  // projections/status/queue_sums.hpp

// Objects per reply: enough to make the frame's cost small, few enough that the client can print while we go on.
constexpr unsigned objects_per_reply = 256;
// A job with a select of thousands of chunks has a row of megabytes: a reply has so many bytes and one row more, which no frame limit cuts
// off.
constexpr std::size_t reply_rows_bytes = 1u << 20;

using send_reply = std::function<void(const schema::sealed<schema::Reply>&)>;

// `now_ns`: for what grows with time (eligible_time); at least the time of the last record is taken.
void answer_stat(const status& from, std::uint64_t request_id, schema::Stat::Reader asked, const model::requester& by,
                 const send_reply& send, std::int64_t now_ns = 0);
// The same at a moment of the past (asked.at): folded from the log, with the help of the index if there is one
// (projections/status/past.hpp). Who may see what follows from the settings of that moment.
void answer_stat_at(const log::log_reader& reader, const log::snapshot_store* index, std::uint64_t request_id,
                    schema::Stat::Reader asked, const model::requester& by, const send_reply& send);

// The answer to a question whose list may be very long, in parts: each is of the moment at which it is made, and events may be folded
// between two of them. Who may see what follows from the settings at the beginning.
class answer_in_parts {
 public:
  virtual ~answer_in_parts() = default;
  // Goes on until about so many rows have been made or read (projections/status/effort.hpp). False: the answer is complete.
  virtual bool go_on(const status& from, const send_reply& send, std::int64_t now_ns, std::size_t rows) = 0;
};
// To a select, and to a stat of the jobs, vnodes or hosts of the present. Null: to any other question, which is answered as a whole, as one
// for a history that is not kept.
std::unique_ptr<answer_in_parts> begin_answer(const status& from, const schema::sealed<schema::Request>& request,
                                              const model::requester& by);

// A job's attributes as it shows them at this time.
attributes::attribute_set job_row(const status& from, const model::job_state& job, std::int64_t now_s);
// Packed rows (events/attributes/attribute_set.hpp) of what is not kept as one set.
std::string queue_row(const status& from, const model::queue_state& queue, const queue_sums& all);
std::string server_row(const status& from);
std::string shown_server_row(const status& from);  // Active is Idle there while scheduling is off
// "free", "offline,job-exclusive": the words of the vnode's state as pbsnodes prints them.
std::string vnode_state_text(const status& from, const model::host_state& host, const model::vnode_state& vnode);
// Without the word for a reservation that has it alone: schedulers know these themselves.
std::string vnode_state_by_jobs(const status& from, const model::host_state& host, const model::vnode_state& vnode);
std::string vnode_row(const status& from, const model::host_state& host, const model::vnode_state& vnode);

}  // namespace annals::projections
