// What decide() answers: the events that a command leads to, or why it is refused. And invariant(), for our own mistakes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "events/schema/event.hpp"
#include "events/schema/message.hpp"

namespace annals::model {

using event = schema::sealed<schema::Event>;

// A refusal as PBS says it. `code` is the PBS error number (15001, ...; events/values/pbs_error.hpp), `text` what the
// command prints after its own name, including trailing blanks where PBS has them.
struct rejection {
  std::uint32_t code = 0;
  std::string text;
  bool upload_again = false;  // what the request refers to was not uploaded here: the client does that, then asks again
  bool operator==(const rejection&) const = default;
};

class outcome {
 public:
  outcome(rejection why) : refused_(true), why_(std::move(why)) {}    // NOLINT: a rejection is an outcome
  outcome(std::vector<event> events) : events_(std::move(events)) {}  // NOLINT: so are events; none: no change
  bool accepted() const { return !refused_; }
  const rejection& why() const { return why_; }
  const std::vector<event>& events() const { return events_; }
  std::vector<event>& events() { return events_; }
  // Events of a stream that begins with them, written together with events(): a subjob's, by its array.
  std::vector<event> born;
  // Text of the `done` reply, where a command has one (the new job's id).
  std::string reply;

 private:
  bool refused_ = false;
  rejection why_;
  std::vector<event> events_;
};

inline const std::vector<event> no_change{};

// One event, filled in: make_event([](schema::Event::Builder e) { e.initJob().initHeld()...; })
template <class Fill>
event make_event(Fill&& fill) { return schema::make<schema::Event>(std::forward<Fill>(fill)); }

// Stops the process, also in release builds: a server that is wrong about itself must not write history.
[[noreturn]] void invariant_failed(const char* what, const char* file, int line);

}  // namespace annals::model

#define ANNALS_INVARIANT(condition, what)                                          \
  do {                                                                             \
    if (!(condition)) ::annals::model::invariant_failed(what, __FILE__, __LINE__); \
  } while (false)
