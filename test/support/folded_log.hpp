// A log in memory under a virtual clock, and a fold that follows it: for tests of folds that know what time it is.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "events/log/event_log.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/model/outcome.hpp"
#include "events/ports/clock.hpp"

namespace annals::test {

inline constexpr std::int64_t second = 1'000'000'000;

struct virtual_clock : ports::clock {
  std::int64_t ns = 1'795'222'000 * second;
  std::int64_t now_ns() const override { return ns; }
};

template <class Fold>
struct folded_log {
  virtual_clock clock;
  Fold fold;

  void later(std::int64_t seconds) { clock.ns += seconds * second; }

  // Stream 0 is a new one; its number is returned.
  std::uint64_t write(std::uint64_t stream, std::vector<model::event> events, std::uint64_t cause = 0, log::who by = {}) {
    log::append a;
    a.by = std::move(by);
    a.cause = cause;
    a.stream = stream;
    a.expected_version = log_.last_version(stream);
    a.events = std::move(events);
    const auto staged = log_.stage(std::move(a));
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log_.commit(records)));
    for (const auto& r : records) fold.fold(*r);
    return std::get<log::staged>(staged).stream;
  }
  std::uint64_t last_sequence() const { return log_.last_sequence(); }
  std::vector<log::record_ptr> records() const {
    std::vector<log::record_ptr> all;
    BOOST_REQUIRE(static_cast<bool>(log::log_reader(store_).read(1, [&](const log::record_ptr& r) {
      all.push_back(r);
      return true;
    })));
    return all;
  }
  // The fold takes in the whole log, as at a start.
  void replay() {
    for (const auto& r : records()) fold.fold(*r);
  }

 private:
  log::memory_event_store store_;
  log::event_log log_{store_, clock};
};

}  // namespace annals::test
