// Whether a scheduler is to run, and where it is started when it does not. The server's move to another host asks the same questions:
// docs/design/0041-running-schedulers.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "events/model/outcome.hpp"
#include "events/model/scheduler/scheduler_state.hpp"
#include "events/schema/client.capnp.h"

namespace annals::model {

// A host is called "n1" here and "n1.example.com" there; two full names are the same host only if they are equal.
bool same_host(std::string_view a, std::string_view b);

// scheduling is True.
bool is_on(const scheduler_state& scheduler);

// scheduling is True, and it has something to schedule: it is the default one, or has a partition (MS-36, MS-86).
bool is_to_run(const scheduler_state& scheduler);

// scheduling is True, and there is nothing that it could schedule (MS-49).
bool lacks_partition(const scheduler_state& scheduler);
inline constexpr std::string_view no_partition = "Scheduler does not contain a partition";

// Its sched_host is set and not the server's host. A server that takes its place back brings such a scheduler home (MS-61).
bool is_elsewhere(const scheduler_state& scheduler, std::string_view server_host);

// The host on which a scheduler that does not run is started: its sched_host, or the server's host if none is set or that one can't be
// reached (MS-07, MS-59, MS-60). reachable: whether the MoM of a host can be told to start it.
std::string start_host(const scheduler_state& scheduler, const std::string& server_host,
                       const std::function<bool(const std::string& host)>& reachable);

// A request that gives a scheduler a host where nobody could start it: it is neither the server's host nor that of a node.
std::optional<rejection> unknown_host(schema::Manage::Reader asked, std::string_view server_host,
                                      const std::function<bool(std::string_view host)>& is_node);

// A process on a host that its scheduler has left, because that was out of reach, is not heard: it may have lived on there.
bool may_come_from(const scheduler_state& scheduler, std::string_view host, std::string_view server_host);

// Why a scheduler is gone that the server told to end (SchedulerStopped): no trouble of its own.
inline constexpr std::string_view told_to_end = "told to end";

}  // namespace annals::model
