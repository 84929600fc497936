#include "actors/server/reactions_actor.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>

#include "actors/runtime/messages.hpp"
#include "actors/server/messages.hpp"

namespace annals::actors {

struct order_refused {
  reactions::order_name name;
};

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::order_refused)

namespace annals::actors {

namespace {

using wake_atom = caf::atom_constant<caf::atom("wake")>;
// Looked at every hour at least, for a clock that was set meanwhile.
constexpr std::int64_t longest_wait_ns = 3600'000'000'000;

class order_reply final : public reply_to {
 public:
  order_reply(caf::actor to, reactions::order_name name) : to_(std::move(to)), name_(std::move(name)) {}
  void done(std::uint64_t, const std::string&) override {}  // what came of it the log says
  void refused(std::uint64_t, const model::rejection&) override { caf::anon_send(to_, order_refused{name_}); }

 private:
  caf::actor to_;
  reactions::order_name name_;
};

class runner {
 public:
  runner(caf::event_based_actor* self, reactions_parts parts) : self_(self), parts_(std::move(parts)) {}

  void on_committed(const committed& c) {
    for (const auto& r : *c.records) parts_.reactions->fold(*r);
    give();
  }
  void on_begin() {
    begun_ = true;
    give();
  }
  void on_refused(const order_refused& r) {
    if (parts_.reactions->refused(r.name, parts_.clock->now_ns())) set_timer(parts_.clock->now_ns());
  }
  void on_disk(const disk_state& d) {
    if (d.full) return;
    parts_.reactions->try_again();
    give();
  }
  void on_timer(std::int64_t due_ns) {
    if (due_ns != timer_ns_) return;  // an older timer
    timer_ns_ = 0;
    give();
  }

 private:
  void give() {
    if (!begun_) return;
    const auto now = parts_.clock->now_ns();
    give_orders all;
    for (auto& o : parts_.reactions->due(now))
      all.orders.push_back({std::move(o.what), std::move(o.command_id), std::make_shared<order_reply>(self_, std::move(o.name))});
    if (!all.orders.empty()) self_->send(parts_.gateway, std::move(all));
    set_timer(now);
  }

  void set_timer(std::int64_t now) {
    const auto next = parts_.reactions->next_ns(now);
    if (!next || *next == timer_ns_) return;
    timer_ns_ = *next;
    const auto wait = std::clamp<std::int64_t>(*next - now, 0, longest_wait_ns);
    self_->delayed_send(self_, std::chrono::nanoseconds(wait), wake_atom::value, timer_ns_);
  }

  caf::event_based_actor* self_;
  reactions_parts parts_;
  bool begun_ = false;
  std::int64_t timer_ns_ = 0;  // what the timer waits for; 0: it is not set
};

}  // namespace

caf::behavior reactions_actor(caf::event_based_actor* self, reactions_parts parts) {
  auto r = std::make_shared<runner>(self, std::move(parts));
  return {
      [r](const committed& c) { r->on_committed(c); },
      [r](begin_work) { r->on_begin(); },
      [r](const order_refused& o) { r->on_refused(o); },
      [r](const disk_state& d) { r->on_disk(d); },
      [r](wake_atom, std::int64_t due_ns) { r->on_timer(due_ns); },
  };
}

}  // namespace annals::actors
