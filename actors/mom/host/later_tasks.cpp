#include "actors/mom/host/later_tasks.hpp"

namespace annals::mom {

void later_tasks::after(std::chrono::milliseconds delay, const work_name& name, event_loop::task again) {
  const auto number = ++last_number_;
  numbers_[name] = number;
  loop_.after(delay, [this, name, number, again = std::move(again)] {
    news_.guarded([&] {
      const auto at = numbers_.find(name);
      if (at == numbers_.end() || at->second != number) return;
      numbers_.erase(at);
      again();
    });
  });
}

}  // namespace annals::mom
