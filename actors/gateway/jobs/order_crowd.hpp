// Orders that tell jobs what becomes of others (-W depend). One submission may give hundreds of them; while thousands are out, what would
// give more of them waits, so that they do not come faster than they are done. Part of the gateway's actor. Governed by
// docs/design/0054-dependencies.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "actors/gateway/actor_registry.hpp"

namespace annals::actors {

class order_crowd {
 public:
  explicit order_crowd(actor_registry& board) : board_(board) {}

  // The order is out until this is answered, or let go.
  reply_ptr counted(reply_ptr to);
  // The request names jobs that it depends on, and has to wait.
  bool holds_up(schema::Request::Reader request) const;
  // Done when fewer orders are out, the oldest first.
  void keep(const wire::connection_ptr& from, std::function<void()> work);
  void closed(const wire::connection_ptr& who);  // nothing of it is done

 private:
  void look_soon();
  void go_on();

  struct kept {
    wire::connection_ptr from;
    std::function<void()> work;
  };
  actor_registry& board_;
  const std::shared_ptr<std::atomic<std::size_t>> out_ = std::make_shared<std::atomic<std::size_t>>(0);
  std::deque<kept> kept_;
};

}  // namespace annals::actors
