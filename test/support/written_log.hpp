// A log in memory, and who writes it: for tests of those who read it.
#pragma once

#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/log/event_log.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/model/outcome.hpp"
#include "test/support/stepped_system.hpp"

namespace annals::test {

struct written_log {
  still_clock clock;
  log::memory_event_store store;
  std::optional<log::event_log> writer{std::in_place, store, clock};

  using records = std::shared_ptr<std::vector<log::record_ptr>>;
  // Of a new stream, or of the one that is there. `fill` makes the event.
  template <class Fill>
  records write(const Fill& fill, std::uint64_t stream = 0) {
    log::append a;
    a.stream = stream;
    a.expected_version = writer->last_version(stream);
    a.events.push_back(model::make_event(fill));
    auto committed = std::make_shared<std::vector<log::record_ptr>>();
    BOOST_REQUIRE(std::holds_alternative<log::staged>(writer->stage(std::move(a))));
    BOOST_REQUIRE(static_cast<bool>(writer->commit(*committed)));
    return committed;
  }
  records write_queue(const std::string& name) {
    return write([&](schema::Event::Builder e) { e.initQueue().initCreated().setName(name); });
  }
  records write_start(const std::string& uuid = std::string(16, 'u')) {
    return write([&](schema::Event::Builder e) {
      auto s = e.initServer().initStarted();
      s.setServerName("borg");
      s.setHostName("borg");
      s.setLogUuid({reinterpret_cast<const kj::byte*>(uuid.data()), uuid.size()});
    });
  }
};

// "1=<bytes>\n2=...": all of a log.
inline std::string bytes_of_all(const ports::record_log& log) {
  std::string all;
  (void)log.read(1, [&](std::uint64_t sequence, ports::byte_span bytes) {
    all += std::to_string(sequence) + "=" + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) + "\n";
    return true;
  });
  return all;
}

}  // namespace annals::test
