// A directory that follows a log of its own.
#pragma once

#include <boost/test/unit_test.hpp>

#include "actors/gateway/directory.hpp"
#include "events/log/event_log.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/model_builders.hpp"

namespace annals::test {

struct fixed_clock : ports::clock {
  std::int64_t now_ns() const override { return 1'795'222'000'000'000'000; }
};

struct followed {
  fixed_clock clock;
  log::memory_event_store store;
  log::event_log log{store, clock};
  actors::directory where;

  std::uint64_t write(std::uint64_t stream, model::event event) {
    log::append a;
    a.stream = stream;
    a.expected_version = log.last_version(stream);
    a.events.push_back(std::move(event));
    const auto staged = log.stage(std::move(a));
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log.commit(records)));
    for (const auto& r : records) where.fold(*r);
    return std::get<log::staged>(staged).stream;
  }
  std::uint64_t job(std::uint64_t number) {
    return write(0, model::make_event([&](auto e) {
                   e.initJob().initQueued().setNumber(number);
                   e.getJob().getQueued().setId(std::to_string(number) + ".");
                 }));
  }
};

}  // namespace annals::test
