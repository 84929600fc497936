#include "actors/replica/replica.hpp"

#include <future>

#include "actors/replica/read_ahead.hpp"

namespace annals::actors {

void replica::fold(const log::record& next) {
  for (auto* lane : {&first_, &second_})
    for (const auto& f : *lane) f.fold(next);
  sequence_ = next.sequence();
}

// The memory of the first lane is most, and the heap of a process's first thread grows in larger steps than those of others.
ports::store_status replica::catch_up(const log::log_reader& from, const std::function<void(const log::record&)>& before,
                                      std::uint64_t up_to) {
  read_ahead rest([&](const log::log_reader::visitor& give) {
    return from.read(sequence_ + 1, [&](const log::record_ptr& r) {
      if (r->sequence() > up_to) return false;
      if (before) before(*r);
      for (const auto& f : second_) f.fold(*r);
      return give(r);
    });
  });
  std::uint64_t last = sequence_;
  const auto read = rest.fold_all([&](const log::record& r) {
    for (const auto& f : first_) f.fold(r);
    last = r.sequence();
  });
  sequence_ = last;
  return read;
}

replica::states replica::store() const {
  states all;
  for (const auto* lane : {&first_, &second_})
    for (const auto& f : *lane) {
      stored::writer to;
      f.store(to);
      all.emplace_back(f.name, to.take());
    }
  return all;
}

void replica::restore(std::uint64_t sequence, const find_state& find) {
  const auto restore_lane = [&](const std::vector<named_fold>& lane) {
    for (const auto& f : lane) {
      const auto state = find(f.name);
      if (!state) throw stored::state_unreadable("there is no state of " + f.name);
      stored::reader bytes(*state);
      f.restore(bytes);
      if (!bytes.at_end()) throw stored::state_unreadable("the state of " + f.name + " has bytes behind its end");
    }
  };
  auto second = std::async(std::launch::async, [&] { restore_lane(second_); });
  restore_lane(first_);
  second.get();
  sequence_ = sequence;
}

}  // namespace annals::actors
