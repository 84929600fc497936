// News of the process host of a MoM about a run or a task, on their way to its actor.
#pragma once

#include "actors/runtime/message_type.hpp"
#include "events/model/run/run.hpp"
#include "events/values/program_key.hpp"

namespace annals::actors {

struct host_event {
  values::program_key key;
  model::run_command command;
};

}  // namespace annals::actors

#define ANNALS_HOST_EVENT_MESSAGES(MESSAGE) MESSAGE(annals::actors::host_event)
ANNALS_HOST_EVENT_MESSAGES(ANNALS_MESSAGE)  // compiled in compiled_messages.cpp
