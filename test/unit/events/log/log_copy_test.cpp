// A copy takes the records of another log as they are, and nothing else.
#include "events/log/log_copy.hpp"

#include <optional>

#include "events/log/fault_store.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/unit/events/log/log_fixture.hpp"

using namespace annals;
using namespace annals::log;

namespace {

// A server's log, and a copy of it.
struct two_logs {
  set_clock clock;
  memory_event_store store;
  fault_store there{1};
  std::optional<event_log> writer{std::in_place, store, clock};
  std::optional<log_copy> copy{std::in_place, there};

  void write(append what) {
    std::vector<record_ptr> records;
    BOOST_REQUIRE(std::holds_alternative<staged>(writer->stage(std::move(what))));
    BOOST_REQUIRE(writer->commit(records));
  }
  void restart_writer() { writer.emplace(store, clock); }
  void restart_copy() { copy.emplace(there); }

  std::vector<std::byte> bytes_at(std::uint64_t sequence) const {
    std::vector<std::byte> bytes;
    (void)store.read(sequence, [&](std::uint64_t, ports::byte_span found) {
      bytes.assign(found.begin(), found.end());
      return false;
    });
    return bytes;
  }
  // What is wrong with the record; empty: it was taken.
  std::string take(schema::byte_span bytes) {
    const auto taken = copy->take(bytes);
    const auto* bad = std::get_if<damage>(&taken);
    return bad ? bad->text : std::string();
  }
  std::string take(std::uint64_t sequence) { return take(bytes_at(sequence)); }
  ports::store_status commit() {
    std::vector<record_ptr> records;
    return copy->commit(records);
  }
  // All that the copy does not have yet.
  void follow() {
    const auto read = store.read(copy->last_sequence() + 1, [&](std::uint64_t, ports::byte_span bytes) {
      BOOST_TEST(take(bytes) == "");
      return true;
    });
    BOOST_REQUIRE(read);
    BOOST_REQUIRE(commit());
  }
  std::string bytes_of_all(const ports::record_log& log) const {
    std::string all;
    (void)log.read(1, [&](std::uint64_t sequence, ports::byte_span bytes) {
      all += std::to_string(sequence) + "=" + text_of(bytes) + "\n";
      return true;
    });
    return all;
  }
  void is_equal() const {
    BOOST_TEST((bytes_of_all(there) == bytes_of_all(store)));
    const auto report = verify(there);
    BOOST_TEST((report.ok() ? "" : report.faults.front()) == "");
    BOOST_TEST(copy->last_sequence() == store.last_sequence());
    BOOST_TEST((copy->head() == report.head));
  }
};

append loss_behind(std::uint64_t sequence, std::uint64_t stream) {
  append a;
  a.events.push_back(model::make_event([&](schema::Event::Builder event) {
    auto e = event.initLog().initLossAccepted();
    e.setLastSequence(sequence);
    e.setLastStream(stream);
  }));
  return a;
}

append server_start() {
  append a;
  a.events.push_back(model::make_event([&](schema::Event::Builder event) {
    const std::string uuid(16, 'u');
    event.initServer().initStarted().setLogUuid({reinterpret_cast<const kj::byte*>(uuid.data()), uuid.size()});
  }));
  return a;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(copy_of_a_log, two_logs)

BOOST_AUTO_TEST_CASE(has_the_records_of_all_writers_byte_for_byte) {
  write(server_start());
  write(append_to(0, 0, {"a", "b"}));
  follow();
  restart_writer();
  write(append_to(0, 0, {"c"}));
  write(append_to(2, 2, {"d"}));
  restart_writer();
  restart_writer();
  write(append_to(0, 0, {"e"}));
  follow();
  is_equal();
  BOOST_TEST(copy->identity() == std::string(16, 'u'));
  BOOST_TEST(there.epoch() == writer->epoch());
  BOOST_TEST(there.last_version(2) == 3u);
}

BOOST_AUTO_TEST_CASE(goes_on_where_it_was) {
  write(server_start());
  write(append_to(0, 0, {"a"}));
  follow();
  BOOST_TEST(take(bytes_at(2)).find("record 2 came, and not record 3") != std::string::npos);
  there.crash();
  restart_copy();
  BOOST_TEST(copy->last_sequence() == 2u);
  BOOST_TEST(copy->identity() == std::string(16, 'u'));
  write(append_to(0, 0, {"b"}));
  follow();
  is_equal();
}

BOOST_AUTO_TEST_CASE(what_was_taken_is_there_when_it_was_committed) {
  write(append_to(0, 0, {"a", "b"}));
  BOOST_TEST(take(1) == "");
  BOOST_TEST(copy->taken_bytes() == bytes_at(1).size());
  BOOST_TEST(copy->last_sequence() == 0u);
  BOOST_TEST(there.last_sequence() == 0u);
  std::vector<record_ptr> records;
  BOOST_REQUIRE(copy->commit(records));
  BOOST_REQUIRE(records.size() == 1u);
  BOOST_TEST(records[0]->sequence() == 1u);
  BOOST_TEST(copy->taken_bytes() == 0u);
  BOOST_TEST(there.last_sequence() == 1u);
  BOOST_REQUIRE(copy->commit(records));
  BOOST_TEST(records.empty());
}

BOOST_AUTO_TEST_CASE(one_bit_that_was_changed_is_refused) {
  write(append_to(0, 0, {"a", "b"}));
  BOOST_TEST(take(1) == "");
  const auto sound = bytes_at(2);
  for (std::size_t at = 0; at < sound.size(); ++at) {
    auto changed = sound;
    changed[at] ^= std::byte{1} << (at % 8);
    BOOST_TEST_INFO(at);
    BOOST_TEST(take(changed).find("behind record 1: ") != std::string::npos);
  }
  BOOST_TEST(take(sound) == "");
  BOOST_REQUIRE(commit());
  is_equal();
}

BOOST_AUTO_TEST_CASE(another_history_is_refused_whose_checksums_are_right) {
  write(append_to(0, 0, {"a"}));
  follow();
  memory_event_store other;
  event_log others(other, clock);
  std::vector<record_ptr> records;
  for (const char* name : {"x", "y"}) {
    BOOST_REQUIRE(std::holds_alternative<staged>(others.stage(append_to(0, 0, {name}))));
    BOOST_REQUIRE(others.commit(records));
  }
  std::string why;
  (void)other.read(2, [&](std::uint64_t, ports::byte_span bytes) {
    why = take(bytes);
    return false;
  });
  BOOST_TEST(why == "record 2: its chain hash does not match record 1");
}

BOOST_AUTO_TEST_CASE(a_gap_is_refused_that_no_accepted_loss_explains) {
  write(append_to(0, 0, {"a", "b", "c"}));
  BOOST_TEST(take(1) == "");
  BOOST_TEST(take(3) == "record 3 came, and not record 2");
  BOOST_TEST(take(1) == "record 1 came, and not record 2");
  BOOST_TEST(take(2) == "");
  BOOST_TEST(take(3) == "");
  BOOST_REQUIRE(commit());
  is_equal();
}

BOOST_AUTO_TEST_CASE(an_accepted_loss_is_gone_over) {
  write(append_to(0, 0, {"a", "b"}));
  restart_writer();
  writer->skip_lost(1000, 500);
  write(loss_behind(2, 1));
  write(append_to(0, 0, {"c"}));
  follow();
  is_equal();
}

BOOST_AUTO_TEST_CASE(a_full_disk_keeps_nothing_and_the_same_is_taken_again) {
  write(append_to(0, 0, {"a"}));
  follow();
  write(append_to(0, 0, {"b"}));
  there.set_disk_full(true);
  BOOST_TEST(take(2) == "");
  BOOST_TEST((commit().error == ports::store_error::disk_full));
  BOOST_TEST(copy->last_sequence() == 1u);
  there.set_disk_full(false);
  follow();
  is_equal();
}

BOOST_AUTO_TEST_CASE(a_log_that_a_server_wrote_is_no_copy) {
  write(append_to(0, 0, {"a"}));
  BOOST_TEST(!is_copy(store));
  BOOST_CHECK_THROW(log_copy{store}, log_damaged);
  follow();
  BOOST_TEST(is_copy(there));
}

BOOST_AUTO_TEST_CASE(who_writes_to_a_copy_as_a_server_is_noticed) {
  write(append_to(0, 0, {"a"}));
  follow();
  event_log intruder(there, clock);
  write(append_to(0, 0, {"b"}));
  BOOST_TEST(take(2) == "");
  BOOST_TEST((commit().error == ports::store_error::fenced));
  BOOST_TEST(copy->last_sequence() == 1u);
}

BOOST_AUTO_TEST_CASE(blobs_that_are_not_in_a_copy_are_no_damage) {
  append a;
  const auto script = blob_of("#!/bin/sh\n");
  a.events.push_back(model::make_event([&](schema::Event::Builder event) {
    auto ref = event.initJob().initQueued().initScript();
    ref.setHash({reinterpret_cast<const kj::byte*>(script.hash.data()), script.hash.size()});
    ref.setSize(script.bytes.size());
  }));
  a.blobs.push_back(script);
  write(std::move(a));
  follow();
  is_equal();
  BOOST_TEST(!there.read_blob(script.hash));
}

BOOST_AUTO_TEST_SUITE_END()
