// What stands on the server and on the default scheduler alike (MS-26, MS-66): mirrored_scheduling.cpp sets it on the other, and who set it
// is answered when both have it (actors/sessions/mirror_waits.hpp).
#pragma once

#include <array>

#include "events/attributes/ids.hpp"

namespace annals::reactions {

struct mirrored_attribute {
  const char* name;
  attributes::attribute_id on_server, on_scheduler;
  const char* at_first;  // what a new server has of it
};
constexpr std::array<mirrored_attribute, 2> mirrored_attributes{
    {{"scheduling", attributes::server::scheduling, attributes::scheduler::scheduling, "True"},
     {"scheduler_iteration", attributes::server::scheduler_iteration, attributes::scheduler::scheduler_iteration, "600"}}};

}  // namespace annals::reactions
