#include "actors/gateway/hooks/open_decisions.hpp"

#include <algorithm>
#include <utility>

namespace annals::actors {

class open_decisions::counted final : public reply_to {
 public:
  counted(std::shared_ptr<open_decisions> among, std::uint64_t number, reply_ptr given)
      : among_(std::move(among)), number_(number), given_(std::move(given)) {}
  ~counted() override { among_->close(number_, 0); }
  void done(std::uint64_t sequence, const std::string& text) override {
    given_->done(sequence, text);
    among_->close(number_, sequence);
  }
  void refused(std::uint64_t sequence, const model::rejection& why) override {
    given_->refused(sequence, why);
    among_->close(number_, sequence);
  }

 private:
  const std::shared_ptr<open_decisions> among_;
  const std::uint64_t number_;
  const reply_ptr given_;
};

reply_ptr open_decisions::until(reply_ptr given) {
  std::uint64_t number = 0;
  {
    const std::lock_guard held(guard_);
    number = ++last_;
    open_.insert(number);
  }
  return std::make_shared<counted>(shared_from_this(), number, std::move(given));
}

void open_decisions::when_closed(after then) {
  std::uint64_t sequence = 0;
  {
    const std::lock_guard held(guard_);
    if (!open_.empty()) return waiting_.push_back({last_, std::move(then)});
    sequence = sequence_;
  }
  then(sequence);
}

void open_decisions::close(std::uint64_t number, std::uint64_t sequence) {
  std::vector<after> over;
  {
    const std::lock_guard held(guard_);
    if (open_.erase(number) == 0) return;
    sequence = sequence_ = std::max(sequence_, sequence);
    const auto oldest = open_.empty() ? last_ + 1 : *open_.begin();
    const auto ended = std::ranges::stable_partition(waiting_, [&](const waits& w) { return w.last >= oldest; });
    for (auto& w : ended) over.push_back(std::move(w.then));
    waiting_.erase(ended.begin(), waiting_.end());
  }
  for (const auto& then : over) then(sequence);
}

}  // namespace annals::actors
