// What a MoM may want of the server in the name of a hook. A node is believed about its own vnodes and about the runs that it has
// now, and only as far as the event's row of the catalogue lets a script go: root on one node is not root on another.
// Governed by docs/design/0023-hooks.md.
#pragma once

#include <string_view>
#include <vector>

#include "actors/gateway/directory.hpp"
#include "events/schema/daemon/from_mom.capnp.h"

namespace annals::actors {

struct rightful_requests {
  bool job = false;            // the changes of the job
  bool ends_run = false;       // job.rerun(), job.delete()
  bool suspend_again = false;  // execjob_preresume said no
  bool resources = false;      // new resources (RU-06): only by an exechost_startup hook that the server has
  std::vector<schema::VnodeChanged::Reader> vnodes;
  std::vector<std::string_view> refused;  // vnodes, "job" and "resources": what it may not change
};
rightful_requests rightful(const directory& where, const std::string& host, schema::HookReport::Reader report);

}  // namespace annals::actors
