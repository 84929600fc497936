// Several hooks at one event: one after another in their order, each seeing what the one before it changed, until one stops
// the request. Both daemons use it; it knows neither actors nor disks. Governed by docs/design/0023-hooks.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "events/model/hook/hook.hpp"
#include "events/model/outcome.hpp"
#include "hooks-runtime/chain/payload.hpp"

namespace annals::hooks {

// A hook that is to run: its settings and its script.
struct chain_hook {
  std::string name;
  attributes::attribute_set settings;
  std::shared_ptr<const hook_code> code;
  model::hook_content script, configuration;  // as blobs: what the event keeps
};
// Hooks of one event in the order in which they run: by `order`, then as they were created (the order given).
void sort_by_order(std::vector<chain_hook>& hooks);

struct chain_parts {
  hook_runner* runner = nullptr;
  // Brings work back to the thread of the daemon that owns the chain; called from any thread.
  std::function<void(std::function<void()>)> post;
  // A line of the daemon's log: event bits, class, object, text; called from any thread.
  std::function<void(std::uint32_t, std::string_view, std::string_view, std::string_view)> note;
  // Whether lines with one of these bits are written, for those that cost something to make. Unset: no.
  std::function<bool(std::uint32_t)> wants;
  // The object of what a script says with pbs.logmsg: the daemon, as in PBS. Empty: the hook.
  std::string says_as = {};
};

struct occasion {
  const hook_event* event = nullptr;
  model::requester by;
  std::string owner;           // user=pbsuser runs as this one
  std::uint64_t sequence = 0;  // of what is shown; questions are answered at this position, or a later one
  bool primary = true;
  hook_parameters parameters;
  // Answers a script's question; unset: every question is answered with nothing.
  hook_run::asker ask;
  // Instead of `ask`: puts down, for each run apart, the position at which it answers, which is recorded. 0: nothing was answered yet.
  using answered_at = std::shared_ptr<std::atomic<std::uint64_t>>;
  using run_asker = std::function<void(const sealed_question&, const hook_run::answer_to&, const answered_at&)>;
  run_asker ask_of_run;
  // A hook has accepted, and what it changed is in the parameters: called before the next one runs, on any thread. May be unset.
  std::function<void(protocol::Reply::Reader, hook_parameters&)> after_accept;
  // Whether the thread that starts the chain has nothing else to do now; asked on that thread only. Unset: never.
  std::function<bool()> idle;
};

struct chain_result {
  bool stopped = false;                               // a hook rejected, raised or met its alarm, and the event may be refused
  model::rejection why;                               // what the client is told
  std::vector<schema::sealed<schema::HookRun>> runs;  // in order; the last one stopped it
  std::vector<sealed_reply> replies;                  // of the same runs; `changes` are views of them
  hook_parameters parameters;                         // as the hooks left them
  std::vector<hook_change> changes;                   // of hooks that accepted, and of the one that stopped it where that counts
  std::vector<std::string> failed;                    // hooks that raised or met their alarm
  std::vector<std::string> as_owner;                  // hooks that ran as the job's owner, who could have written their replies
};
using chain_done = std::function<void(chain_result&)>;

// Runs them; `done` is called once: through parts.post, or before this returns when no hook had to be waited for.
void run_chain(std::shared_ptr<const chain_parts> parts, std::vector<chain_hook> hooks, occasion at, chain_done done);

// What the client is told of a run that did not accept.
model::rejection refusal_of(const hook_event& event, std::string_view hook, protocol::Reply::Reader reply);

}  // namespace annals::hooks
