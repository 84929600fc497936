// Reads what comes over the TM socket: every bound is checked here, before anything is done. Pure.
// docs/design/0022-task-manager.md.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "events/schema/tm.capnp.h"

namespace annals::actors {

// The numbers of tm.h.
namespace tm_error {
constexpr std::uint32_t system = 17000, unknown_command = 17003, bad_environment = 17005, not_found = 17006, bad_init = 17007,
                        session = 17008, user = 17009, owner = 17010, no_process = 17011;
}

struct tm_open {
  std::string job, cookie;
};
struct tm_spawn {
  std::uint32_t node;
  std::vector<std::string> argv, environment;
  bool output;
};
struct tm_signal {
  std::uint32_t task;
  std::int32_t signal;
};
struct tm_tasks {};
struct tm_watch {
  std::uint32_t task;
};
struct tm_resources {
  std::uint32_t node;
};
struct tm_publish {
  std::uint32_t task;
  std::string name, value;
};
struct tm_subscribe {
  std::uint32_t task;
  std::string name;
};
struct tm_output_taken {
  std::uint32_t task;
  bool errors;
  std::uint64_t up_to;
};
struct tm_attach {
  std::string job, cookie;
  std::int64_t pid;
};
struct tm_wrong {
  std::uint32_t code;
  std::string text;
};  // a request that is refused as it stands

using tm_request = std::variant<tm_wrong, tm_open, tm_spawn, tm_signal, tm_tasks, tm_watch, tm_resources, tm_publish, tm_subscribe,
                                tm_output_taken, tm_attach>;

// Throws kj::Exception for a message that can't be read.
tm_request read_tm_request(schema::TmRequest::Reader request);

}  // namespace annals::actors
