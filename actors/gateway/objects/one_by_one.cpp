#include "actors/gateway/objects/one_by_one.hpp"

#include <caf/send.hpp>

#include "actors/runtime/run_this.hpp"

namespace annals::actors {

// Ends the turn with the answer, or when it is dropped without one: a scheduler that is gone waits for none.
class one_by_one::in_turn final : public reply_to {
 public:
  in_turn(one_by_one& of, reply_ptr to) : gateway_(of.self_), of_(&of), to_(std::move(to)) {}
  ~in_turn() override { end(); }
  void done(std::uint64_t sequence, const std::string& text) override {
    to_->done(sequence, text);
    end();
  }
  void refused(std::uint64_t sequence, const model::rejection& why) override {
    to_->refused(sequence, why);
    end();
  }

 private:
  void end() {
    if (std::exchange(ended_, true)) return;
    caf::anon_send(gateway_, run_this{[of = of_] {
                     of->busy_ = false;
                     of->begin_next();
                   }});
  }

  const caf::actor gateway_;
  one_by_one* const of_;  // part of that actor
  const reply_ptr to_;
  bool ended_ = false;
};

void one_by_one::put(reply_ptr reply, request what) {
  waiting_.emplace_back(std::move(reply), std::move(what));
  begin_next();
}

void one_by_one::begin_next() {
  if (busy_ || waiting_.empty()) return;
  busy_ = true;
  const auto [reply, what] = std::move(waiting_.front());
  waiting_.pop_front();
  what(std::make_shared<in_turn>(*this, reply));
}

}  // namespace annals::actors
