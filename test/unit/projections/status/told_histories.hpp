// Logs in which much happens, for tests of whole folds: record by record, and as the store has them.
#pragma once

#include <random>
#include <vector>

#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/made_history.hpp"
#include "test/unit/projections/status/array_story.hpp"

namespace annals::test {

inline std::vector<log::record_ptr> records_of(const log::memory_event_store& store) {
  std::vector<log::record_ptr> all;
  ANNALS_INVARIANT(static_cast<bool>(log::log_reader(store).read(1, [&](const log::record_ptr& r) {
                     all.push_back(r);
                     return true;
                   })),
                   "a history can be read");
  return all;
}

// The scheduler counts fairshare usage, which is set, decayed and forgotten; policies change.
inline void tell_of_fairshare(made_history& history, std::mt19937& random) {
  const auto scheduler = history.now.schedulers().at("default").serial;
  const auto user = "user" + std::to_string(random() % 4);
  switch (random() % 5) {
    case 0:
      history.write(scheduler, [&](auto e) {
        const model::fairshare_policy policy{random() % 4 > 0, "euser", random() % 2 ? "cput*1.1+walltime/3" : "walltime", 50, 0.77};
        model::write_fairshare_policy(policy, e.initScheduler().initFairsharePolicy());
      });
      return;
    case 1: history.write(scheduler, [](auto e) { e.initScheduler().setFairshareDecayed(); }); return;
    case 2: history.write(scheduler, [&](auto e) { e.initScheduler().initFairshareTrimmed(1).set(0, user); }); return;
    default:
      history.write(scheduler, [&](auto e) {
        auto s = e.initScheduler().initFairshareSet();
        s.setEntity(user);
        s.setUsage(static_cast<double>(random() % 1000) / 7);
      });
  }
}

// An array of whose subjobs some run, one again, and some are deleted; it ends, and is forgotten.
inline void tell_of_array(made_history& history, std::uint64_t number) {
  const auto vnode = history.now.hosts().begin()->second.vnodes.front().name;
  array_story a([&](std::uint64_t stream, const array_story::fill& fill) { return history.write(stream, fill); }, number, "borg", vnode);
  a.submit("1-8:2");
  history.cycle();
  for (const std::uint32_t index : {3u, 1u}) {
    a.begin(index);
    a.start(index);
    a.end(index);
    a.leave(index);
    history.cycle();
  }
  a.begin(5);
  a.requeue(5);
  a.leave(5, true);
  history.cycle();
  a.begin(5);
  a.end(5);
  a.leave(5);
  a.remove("7");
  a.end_stream(a.array);
  for (int i = 0; i < 20; ++i) history.step();
  for (const std::uint32_t index : {1u, 3u, 5u}) a.forget(a.streams[index]);
  a.forget(a.array);
}

// All of it, and hooks, and a clock that goes back.
inline void tell_of_everything(made_history& history, unsigned seed, int steps) {
  std::mt19937 random(seed);
  history.begin();
  const auto hook = history.write(0, [](auto e) { e.initHook().initCreated().setName("h1"); });
  for (int i = 0; i < steps; ++i) {
    history.step();
    if (random() % 8 == 0) tell_of_fairshare(history, random);
    if (random() % 12 == 0) history.write(hook, [](auto e) { e.initHook().initRan().setSubject("borg"); });
    if (random() % 6 == 0) history.pass(static_cast<std::int64_t>(random() % 90));
    if (i % 70 == 20) history.pass(604'800);
    if (i % 70 == 25) history.pass(-604'800);
    if (i % 90 == 30) tell_of_array(history, 1'000'000 + static_cast<std::uint64_t>(i));
  }
}

}  // namespace annals::test
