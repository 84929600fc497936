// The verification in the background: it finds what breaks while the store serves, tells it and keeps it, and goes on after
// a kill where it was.
#include "actors/server/log_checker.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

#include "events/log/event_log.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;

namespace {

struct set_clock : ports::clock {
  std::atomic<std::int64_t> ns = 1'700'000'000'000'000'000;
  std::int64_t now_ns() const override { return ns; }
};

// What was noted, for a test that waits for it.
struct notes_taker {
  std::mutex guard;
  std::condition_variable came;
  std::vector<std::string> texts;
  void operator()(const std::string& text) {
    std::lock_guard held(guard);
    texts.push_back(text);
    came.notify_all();
  }
  std::string first() {
    std::unique_lock held(guard);
    BOOST_REQUIRE(came.wait_for(held, std::chrono::seconds(60), [&] { return !texts.empty(); }));
    return texts.front();
  }
};

struct fixture {
  const test::temporary_directory own;
  const std::string file = own.at("views/log_check");
  set_clock clock;
  notes_taker taken;

  void fill(ports::event_store& store, std::uint64_t records, std::size_t bytes = 8) {
    log::event_log log(store, clock);
    std::vector<log::record_ptr> done;
    for (std::uint64_t n = 0; n < records; ++n) {
      std::string name(bytes, ' ');
      for (char& c : name) c = static_cast<char>('!' + std::rand() % 90);
      log::append a;
      a.by = {"alice", "front", schema::Role::USER};
      a.events.push_back(model::make_event([&](schema::Event::Builder e) { e.initQueue().initCreated().setName(name); }));
      BOOST_REQUIRE(std::holds_alternative<log::staged>(log.stage(std::move(a))));
      if (n % 100 == 99 || n + 1 == records) BOOST_REQUIRE(static_cast<bool>(log.commit(done)));
    }
  }
  actors::log_checker_parts parts(ports::event_store& store) {
    return {.store = &store,
            .clock = &clock,
            .file = file,
            .log = "/home/log",
            .note = std::ref(taken),
            .core_percent = 100,
            .busy_percent = 100};
  }
  std::unique_ptr<ports::event_store> opened_store() {
    log::store_options options;
    options.memtable_bytes = 256 << 10;
    auto opened = log::open_event_store(own.at("log"), options);
    BOOST_REQUIRE(opened.index() == 0);
    return std::get<0>(std::move(opened));
  }
  std::filesystem::path largest_table() {  // it holds records
    std::filesystem::path table;
    std::uintmax_t most = 0;
    for (const auto& entry : std::filesystem::directory_iterator(own.at("log"))) {
      std::error_code gone;  // RocksDB may remove files meanwhile
      const auto size = entry.path().extension() == ".sst" ? entry.file_size(gone) : 0;
      if (gone || size <= most) continue;
      table = entry.path();
      most = size;
    }
    BOOST_REQUIRE(!table.empty());
    return table;
  }
  static void flip_in_the_middle(const std::filesystem::path& table) {
    const auto at = static_cast<std::streamoff>(std::filesystem::file_size(table) / 2);
    std::fstream f(table, std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(at);
    const char c = static_cast<char>(f.get() ^ 0x10);
    f.seekp(at);
    f.put(c);
  }
  static void finish(actors::log_checking& c) {
    while (c.wait() == std::chrono::nanoseconds(0)) c.step([] { return true; });
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(log_checker_suite, fixture)

BOOST_AUTO_TEST_CASE(a_byte_that_flips_while_the_store_serves_is_told_and_stays_in_the_notes) {
  fill(*opened_store(), 900, 600);
  const auto reopened = opened_store();  // it has written what fills a table, and has too few of them to merge
  auto& store = *reopened;
  flip_in_the_middle(largest_table());
  actors::log_checker checker(parts(store));
  const auto line = taken.first();
  BOOST_TEST(line.find("the event log is damaged: ") == 0u, line);
  BOOST_TEST(line.find("record ") != std::string::npos, line);
  BOOST_TEST(line.find("run `pbs_audit verify`") != std::string::npos, line);
  BOOST_TEST(static_cast<bool>(store.put_cache("x", {})));  // it goes on serving
  checker.stop();
  const auto notes = log::read_check_notes(file);
  BOOST_REQUIRE(notes);
  BOOST_TEST((notes->last ? notes->last->fault_count : notes->present->fault_count) > 0u);
}

BOOST_AUTO_TEST_CASE(after_a_kill_it_goes_on_where_it_was) {
  log::memory_event_store store;
  fill(store, 3 * limits::check_slice_records);
  {
    actors::log_checking first(parts(store));
    first.step([] { return true; });
    clock.ns += 60'000'000'000;  // as often as the notes are kept
    first.step([] { return true; });
  }
  actors::log_checking second(parts(store));
  BOOST_REQUIRE(second.notes().present);
  BOOST_TEST(second.notes().present->next == 2 * limits::check_slice_records + 1);
  finish(second);
  BOOST_REQUIRE(second.notes().last);
  BOOST_TEST(second.notes().last->records == 3 * limits::check_slice_records);
  BOOST_TEST(second.notes().last->fault_count == 0u);
  BOOST_TEST(taken.texts.empty());
}

BOOST_AUTO_TEST_CASE(the_next_one_begins_a_day_later) {
  log::memory_event_store store;
  fill(store, 10);
  actors::log_checking checking(parts(store));
  finish(checking);
  BOOST_TEST((checking.wait() == limits::check_interval));
  actors::log_checking restarted(parts(store));
  BOOST_TEST((restarted.wait() == limits::check_interval));
  clock.ns += std::chrono::nanoseconds(limits::check_interval).count();
  BOOST_TEST((restarted.wait() == std::chrono::nanoseconds(0)));
  store.overwrite(4, {});
  finish(restarted);
  BOOST_TEST(restarted.notes().last->fault_count == 1u);
  BOOST_REQUIRE(taken.texts.size() == 1u);
  BOOST_TEST(taken.texts[0].find("the event log is damaged: record 4 (stream 4, version 1): only 0 bytes; run `pbs_audit verify`") == 0u,
             taken.texts[0]);
}

BOOST_AUTO_TEST_CASE(notes_of_another_log_or_of_one_that_was_put_back_do_not_count) {
  log::memory_event_store store, other;
  fill(store, 2 * limits::check_slice_records);
  {
    actors::log_checking first(parts(store));
    first.step([] { return true; });
    first.keep();
  }
  clock.ns += 1;
  fill(other, 10);
  actors::log_checking of_other(parts(other));
  BOOST_TEST(!of_other.notes().present);
  finish(of_other);
  BOOST_TEST(of_other.notes().last->records == 10u);

  log::memory_event_store before;  // a copy from before the last thousand records
  BOOST_REQUIRE(store.read(1, [&](std::uint64_t sequence, ports::byte_span bytes) {
    ports::write_batch b;
    b.records.push_back({sequence, sequence, 1, {bytes.begin(), bytes.end()}});
    BOOST_REQUIRE(static_cast<bool>(before.append(b)));
    return sequence < limits::check_slice_records - 1000;
  }));
  actors::log_checking begun(parts(store));
  begun.step([] { return true; });
  begun.keep();
  actors::log_checking put_back(parts(before));
  BOOST_TEST(!put_back.notes().present);
}

BOOST_AUTO_TEST_CASE(it_stops_at_once_and_keeps_what_was_reached) {
  log::memory_event_store store;
  fill(store, 3 * limits::check_slice_records);
  auto slow = parts(store);
  slow.core_percent = slow.busy_percent = 1;  // it rests a hundred times as long as it works
  actors::log_checker checker(slow);
  checker.stop();
  const auto notes = log::read_check_notes(file);
  BOOST_REQUIRE(notes);
  BOOST_TEST(!notes->last);
}

BOOST_AUTO_TEST_SUITE_END()
