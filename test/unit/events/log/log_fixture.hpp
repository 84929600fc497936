// What the tests of the event log share: a clock that is set, a directory of one's own, small events and appends.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "events/log/event_log.hpp"
#include "test/support/temporary_directory.hpp"

namespace annals::log {

// So that Boost.Test prints a status that was not as expected.
inline std::ostream& boost_test_print_type(std::ostream& out, const ports::store_status& s) {
  return out << static_cast<int>(s.error) << " " << s.text;
}

struct set_clock : ports::clock {
  std::int64_t ns = 1'700'000'000'000'000'000;
  std::int64_t now_ns() const override { return ns; }
  void add_seconds(std::int64_t s) { ns += s * 1'000'000'000; }
};

using own_directory = test::temporary_directory;

inline model::event named_event(const std::string& name) {
  return model::make_event([&](schema::Event::Builder e) { e.initQueue().initCreated().setName(name); });
}

inline append append_to(std::uint64_t stream, std::uint64_t version, std::vector<std::string> names = {"workq"}) {
  append a;
  a.stream = stream;
  a.expected_version = version;
  for (const auto& name : names) a.events.push_back(named_event(name));
  a.by = {"alice", "front", schema::Role::USER};
  return a;
}

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
inline std::string text_of(ports::byte_span bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline ports::blob blob_of(std::string_view content) {
  auto bytes = bytes_of(content);
  auto hash = content_hash(bytes);
  return {std::move(hash), std::move(bytes)};
}

// "1:a 2:b ": sequence and queue name of each record from `from` on; at damage the text of the error.
inline std::string names_in(const ports::event_store& store, std::uint64_t from = 1) {
  std::string out;
  const auto ok = log_reader(store).read(from, [&](const record_ptr& r) {
    out += std::to_string(r->sequence()) + ":" + schema::str(r->event().getQueue().getCreated().getName()) + " ";
    return true;
  });
  return ok ? out : out + ok.text;
}

}  // namespace annals::log
