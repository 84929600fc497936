// What rows of a job show that its state does not keep: a fold of the job's stream beside it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "events/model/context.hpp"
#include "events/model/usage.hpp"
#include "events/schema/event.hpp"

namespace annals::exports {

// What a host had told of a run when it told it last.
struct host_so_far {
  std::int64_t at_ns = 0;
  std::int64_t cput_s = 0, walltime_s = 0;
};

struct run_story {
  // of the job
  std::int64_t delete_requested_ns = 0;
  std::string deleted_by, abort_reason;
  std::int64_t array_began_ns = 0;
  // of its run
  bool open = false;
  std::uint32_t run = 0;
  std::int64_t assigned_ns = 0, program_ns = 0, exited_ns = 0;
  std::string scheduler;
  std::uint32_t hosts = 0;
  std::string first_host;
  bool start_failed = false;
  std::int32_t failure_code = 0;
  std::string failure_text;
  bool restarted = false;
  std::int64_t provisions_since_ns = 0;  // 0: it waits for no environment
  // of its phases
  std::uint32_t phase = 1;
  std::int64_t phase_since_ns = 0;  // 0: with the run
  // of its suspensions
  std::uint32_t suspensions = 0;
  std::int64_t suspended_since_ns = 0;  // 0: it is not suspended
  std::int64_t suspended_s = 0;         // by those that are over
  std::string suspended_by, released;
  std::map<std::string, host_so_far, std::less<>> told;  // by host

  void take(const model::event_place& at, schema::JobEvent::Reader event);

  std::int64_t suspended_until(std::int64_t ns) const;  // seconds in all
};

}  // namespace annals::exports
