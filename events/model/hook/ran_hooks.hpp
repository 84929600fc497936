// Site hooks that ran on a host for a run, as the MoM's log keeps them: a restart goes on behind the last one and need not
// run them again. docs/design/0023-hooks.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/model/outcome.hpp"
#include "events/schema/event.hpp"
#include "events/schema/message.hpp"

namespace annals::model {

struct ran_hooks {
  std::vector<schema::sealed<schema::HookRun>> runs;  // in the order they ran; without the worker's requests
  bool has(std::string_view event) const;             // "execjob_begin"
  void add(schema::HookRan::Reader e) { runs.push_back(schema::copy_of<schema::HookRun>(e.getRun())); }
};

// init(Event::Builder) gives the HookRan of the stream that keeps them.
template <class Init>
std::vector<event> hook_events(const std::vector<schema::sealed<schema::HookRun>>& runs, const std::string& job, Init&& init) {
  std::vector<event> out;
  for (const auto& r : runs)
    out.push_back(make_event([&](schema::Event::Builder e) {
      schema::HookRan::Builder h = init(e);
      h.setRun(r.get());
      h.setSubject(job);
    }));
  return out;
}

}  // namespace annals::model
