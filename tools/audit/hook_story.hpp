// What site hooks did: the runs that stand in the log, of one hook or at one job, and one run done again with today's code.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "events/ports/event_store.hpp"
#include "hooks-runtime/pool/hook_runner.hpp"

namespace annals::audit {

struct hook_story_end {
  std::uint64_t told = 0;
  bool sound = true;
};
// Runs of the hook of this name, or at this job (an id, with or without its server), in the order of the log.
hook_story_end tell_hook_story(const ports::event_store& store, const std::string& job_or_hook, bool json,
                               const std::function<bool(const std::string&)>& print);

// Where the hooks of a record ran. The runner made for it is told the custom resources that there were.
struct hook_place {
  bool on_mom = false;
  std::string host;
};
using make_runner = std::function<std::unique_ptr<hooks::hook_runner>(const hook_place&)>;

// Runs the hooks of the record at this sequence again, with what they were given then and the scripts the log has now, as the user
// they ran as; prints what differs. Questions are answered as of the position they were answered at then. no_hooks: it has none.
enum class rerun_end { same,
                       different,
                       no_hooks };
rerun_end rerun_hooks(const ports::event_store& store, std::uint64_t sequence, const make_runner& make,
                      const std::function<bool(const std::string&)>& print);

}  // namespace annals::audit
