// The port to hooks: what a daemon needs in order to run one script. The real one is the worker pool (worker_pool.hpp);
// tests and the simulation have fake_hook_runner.hpp. A run never fails to be answered: scripts that raise, hang, die
// or lie end in a Reply with verdict error or alarm, and nothing of a run goes further than its Reply.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "events/schema/message.hpp"
#include "hooks-runtime/catalog/events.hpp"
#include "hooks-runtime/protocol/hook.capnp.h"

namespace annals::hooks {

using sealed_request = schema::sealed<protocol::Request>;
using sealed_reply = schema::sealed<protocol::Reply>;
using sealed_question = schema::sealed<protocol::Question>;
using sealed_answer = schema::sealed<protocol::Answer>;

// A script and its configuration file. Shared by every run of it; equal hashes are the same hook.
struct hook_code {
  std::string name;
  std::string source;
  std::optional<std::string> configuration;
  std::string hash;  // 32 bytes; from code_hash()
};
// SHA-256 of source, a zero byte, configuration.
std::string code_hash(std::string_view source, const std::optional<std::string>& configuration);

struct resource_type {
  std::string name, type;  // "long", "float", "size", "string", "string_array", "boolean", "duration"
  bool operator==(const resource_type&) const = default;
};

// A hook that is on and has a script. Without a hash: the script was not read yet, so nobody runs it yet.
struct known_hook {
  std::string name, hash;
  auto operator<=>(const known_hook&) const = default;
};

// One run: which script, with what, as whom.
struct hook_run {
  sealed_request request;  // Request.nonce is left 0; alarmMillis is obeyed
  std::shared_ptr<const hook_code> code;
  std::string run_as;  // user name; empty: the daemon's own user. Needs root, else the run ends in error
  // Answers a script's question (pbs.server().job("12") ...) at Request.sequence. Called on any thread; may
  // answer at once or later, on any thread, once. Unset: every question is answered with "none".
  using answer_to = std::function<void(sealed_answer)>;
  using asker = std::function<void(sealed_question, answer_to)>;
  asker ask;
  // Hears of each line of the log when the script says it; the reply has the same lines first, in the same order. Called on any thread,
  // and before `done`. It must not come back to the runner. May be unset.
  std::function<void(protocol::LogLine::Reader)> said;
  // The caller has nothing else to do for a moment: it may be kept for hook_attendance_max, and `done` be called from
  // within run(). A core that sleeps takes 20 us to wake up, half of what most hooks need.
  bool attended = false;
  // What the caller has to do anyway, for the time the script takes: called on his thread, and only if he attends the run and
  // the request went out at once, so it is not large. It must not come back to the runner.
  std::function<void()> meanwhile;
};

using run_done = std::function<void(sealed_reply)>;

class hook_runner {
 public:
  virtual ~hook_runner() = default;
  // Returns at once. `done` is called exactly once, on any thread, from within run() only if that is attended.
  virtual void run(hook_run order, run_done done) = 0;
  // Says whether the script compiles: empty, or the compiler's message. `done` as in run().
  virtual void compile(std::shared_ptr<const hook_code> code, std::function<void(std::string)> done) = 0;
  // The custom resources of the site; workers that know others are replaced.
  virtual void know_resources(std::vector<resource_type> custom) = 0;
  // All hooks that this daemon may run from now on. What is kept for others ends; a run of such a hook is still done.
  virtual void know_hooks(std::set<known_hook> hooks) = 0;
};

}  // namespace annals::hooks
