// Routing queues: a job in one waits for the server to move it to the first of route_destinations that takes it. Governed by
// docs/design/0056-routing-queues.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/model/job/job.hpp"

namespace annals::model {

// So many times the server routes a job between two moves by a person: routing queues may lead to each other.
inline constexpr std::int64_t route_hops_max = 20;
// Between two tries, if the queue has no route_retry_time (pbs guide).
inline constexpr std::int64_t route_retry_seconds = 30;

bool is_routing(const attributes::attribute_set& queue);
bool in_routing_queue(const job_state& job);
// How often the server has routed it since a person put it somewhere.
std::int64_t hops_of(const job_state& job);

// Whether a destination that refused with this code refuses for good. Else it may take the job later: it is full, or not enabled.
bool refuses_for_good(std::uint32_t code);
// The queue that a destination names: "queue", "queue@server", "@server"; or why there is none.
values::result<std::string, rejection> queue_named(std::string_view destination, const settings& settings);
// True: the destination is the queue `from` itself, or leads to nothing but routing queues that lead to each other or back to `from`. The
// server does not move jobs there.
bool leads_nowhere(std::string_view from, std::string_view destination, const settings& settings);
// Why the server leaves a job of these holds, which waits or not, in this routing queue for now.
std::optional<rejection> not_to_be_routed(const attributes::attribute_set& queue, bool is_held, bool waits);
// What is left of route_lifetime at `now_s` for a job that came at `since_s`, in seconds; nothing: there is no limit.
std::optional<std::int64_t> lifetime_left(const attributes::attribute_set& queue, std::int64_t since_s, std::int64_t now_s);

// Why a job that comes into a routing queue is refused: none of its destinations can ever take it. Those that lead nowhere do not count:
// if there are no others the job waits there.
std::optional<rejection> unroutable(const job_state& job, const stamp& now, const settings& settings);
// The server asks a job that no destination took: it ends if none ever will, or if its time in the queue is over.
outcome decide_unrouted(const job_state& job, const stamp& now, const settings& settings);
// The move to one destination (move.cpp).
outcome decide_move_to(const job_state& job, std::string_view destination, const stamp& now, const settings& settings);

}  // namespace annals::model
