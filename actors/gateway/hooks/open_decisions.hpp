// Decisions on their way to the log: of requests whose hooks have ended. A hook that asks is answered when those before it are written,
// so that it sees the job that the one before it allowed. Requests without hooks, and hooks that do not ask, pay nothing.
// Governed by docs/design/0023-hooks.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "actors/runtime/reply.hpp"

namespace annals::actors {

// Any thread.
class open_decisions : public std::enable_shared_from_this<open_decisions> {
 public:
  // The reply to what is decided now. The decision is open until the reply is given, or until nobody is left who could give it.
  reply_ptr until(reply_ptr given);
  // Calls `then` when all that are open now are no more, at once if none is: with a position of the log that has them all.
  using after = std::function<void(std::uint64_t sequence)>;
  void when_closed(after then);

 private:
  class counted;
  struct waits {
    std::uint64_t last;  // decision that counts
    after then;
  };
  void close(std::uint64_t number, std::uint64_t sequence);

  std::mutex guard_;
  std::set<std::uint64_t> open_;  // by number, in the order in which they began
  std::vector<waits> waiting_;
  std::uint64_t last_ = 0;      // number given
  std::uint64_t sequence_ = 0;  // of what is closed
};

}  // namespace annals::actors
