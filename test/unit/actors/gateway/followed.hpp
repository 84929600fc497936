// A directory that follows a log of its own. Whatever a test has told it, one that goes on from a checkpoint after any of these records is
// the same.
#pragma once

#include <boost/test/unit_test.hpp>

#include <exception>
#include <memory>

#include "actors/gateway/directory.hpp"
#include "events/log/event_log.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/goes_on_alike.hpp"
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

  ~followed() {
    if (std::uncaught_exceptions() > 0) return;
    try {
      std::vector<log::record_ptr> records;
      BOOST_REQUIRE(static_cast<bool>(log::log_reader(store).read(1, [&](const log::record_ptr& r) {
        records.push_back(r);
        return true;
      })));
      check_goes_on_alike(
          records, [] { return std::make_unique<actors::directory>(); }, [](auto&) { return 0; });
    } catch (const std::exception& e) {
      BOOST_ERROR(std::string("a directory was not restored: ") + e.what());
    }
  }
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
