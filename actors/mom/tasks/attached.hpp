// A session that a user attaches to a job becomes a task of it (pbs guide: pbs_attach). Where a task has a program to start, it
// has none, and its only variable says which process it is: that is what the logs keep of it.
// docs/design/0022-task-manager.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/ports/process_host.hpp"

namespace annals::actors {

// Why a session does not become a task once more.
inline constexpr std::string_view session_is_attached = "the session is attached already";

// The only entry of such a task's environment: "ANNALS_ATTACHED=pid session ticks".
std::string print_attached(const ports::attached_session& session);
// Nothing: it is an ordinary task.
std::optional<ports::attached_session> attached_of(const std::vector<std::string>& argv, const std::vector<std::string>& environment);

// What the machine and the name service, which may take its time, say of a process to be attached to a job of `user`; or a number of tm.h
// and why not. `shepherd`: its descendants belong to a job already.
struct attach_refusal {
  std::uint32_t code = 0;
  std::string text;
};
attach_refusal look_up_session(std::int64_t pid, const std::string& user, const std::string& shepherd, ports::attached_session& found);

}  // namespace annals::actors
