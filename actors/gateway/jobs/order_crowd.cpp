#include "actors/gateway/jobs/order_crowd.hpp"

#include <chrono>
#include <deque>

#include "actors/runtime/run_this.hpp"

namespace annals::actors {

namespace {

// Half of what the reaction gives at once (actors/server/reactions/dependencies.cpp): when so many are out, more are owed.
constexpr std::size_t out_max = 2048;
constexpr std::chrono::milliseconds look_again{2};

class counted_reply final : public reply_to {
 public:
  counted_reply(std::shared_ptr<std::atomic<std::size_t>> out, reply_ptr to) : out_(std::move(out)), to_(std::move(to)) { ++*out_; }
  ~counted_reply() override { --*out_; }
  void done(std::uint64_t sequence, const std::string& text) override { to_->done(sequence, text); }
  void refused(std::uint64_t sequence, const model::rejection& why) override { to_->refused(sequence, why); }

 private:
  const std::shared_ptr<std::atomic<std::size_t>> out_;
  const reply_ptr to_;
};

bool names_depend(capnp::List<schema::Attribute>::Reader attributes) {
  for (auto a : attributes)
    if (a.getName() == "depend") return true;
  return false;
}

}  // namespace

reply_ptr order_crowd::counted(reply_ptr to) { return std::make_shared<counted_reply>(out_, std::move(to)); }

bool order_crowd::holds_up(schema::Request::Reader request) const {
  if (*out_ < out_max) return false;
  if (request.isQueueJob()) return names_depend(request.getQueueJob().getAttributes());
  return request.isAlterJob() && names_depend(request.getAlterJob().getChanges());
}

void order_crowd::keep(const wire::connection_ptr& from, std::function<void()> work) {
  kept_.push_back({from, std::move(work)});
  if (kept_.size() == 1) look_soon();
}

void order_crowd::closed(const wire::connection_ptr& who) {
  std::erase_if(kept_, [&](const kept& k) { return k.from == who; });
}

void order_crowd::look_soon() {
  board_.self()->delayed_send(board_.self(), look_again, run_this{[this] { go_on(); }});
}

// One by one: each may give hundreds of orders.
void order_crowd::go_on() {
  if (!kept_.empty() && *out_ < out_max) {
    const auto next = std::move(kept_.front());
    kept_.pop_front();
    next.work();
  }
  if (!kept_.empty()) look_soon();
}

}  // namespace annals::actors
