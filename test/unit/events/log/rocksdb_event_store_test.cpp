// The suite of event_store_suite.hpp over RocksDB, then what only a store on disk has: locks, readers beside it,
// faults.
#include "events/log/rocksdb_event_store.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "events/log/disk_hooks.hpp"
#include "events/log/rocksdb_tables.hpp"
#include "test/unit/events/log/event_store_suite.hpp"

using namespace annals;
using namespace annals::log;

namespace {

std::unique_ptr<ports::event_store> opened(const std::string& path, const store_options& options = {}) {
  auto result = open_event_store(path, options);
  if (auto* failed = std::get_if<ports::store_status>(&result)) BOOST_FAIL(failed->text);
  return std::get<std::unique_ptr<ports::event_store>>(std::move(result));
}

// Name, size and time of change. RocksDB's threads add and remove files meanwhile.
auto files_in(const std::string& directory) {
  std::map<std::string, std::pair<std::uintmax_t, std::filesystem::file_time_type>> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::error_code gone;
    const auto size = std::filesystem::file_size(entry.path(), gone);
    const auto changed = gone ? std::filesystem::file_time_type() : std::filesystem::last_write_time(entry.path(), gone);
    if (!gone) files[entry.path()] = {size, changed};
  }
  return files;
}

// The files as a kill at this moment leaves them: the process gets no chance to write anything more into the copy. A copy is not made
// in one moment: one that RocksDB's threads have changed files behind is made again.
void copy_as_killed(const std::string& from, const std::string& to) {
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);;) {
    const auto before = files_in(from);
    std::error_code changed;
    std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, changed);
    if (!changed && files_in(from) == before) return;
    std::filesystem::remove_all(to);
    BOOST_REQUIRE_MESSAGE(std::chrono::steady_clock::now() < end, from << " does not come to rest: " << changed.message());
  }
}

struct backend {
  own_directory directory;
  int life = 0;
  std::string path() const { return directory.path + "/log" + std::to_string(life); }
  std::unique_ptr<ports::event_store> rocks = opened(path());
  ports::event_store& store() { return *rocks; }
  void reopen() {
    const auto before = path();
    ++life;
    copy_as_killed(before, path());
    rocks.reset();
    rocks = opened(path());
  }
};

struct fixture : backend {
  using suite = event_store_suite<backend>;
  std::uint64_t next = 1;
  std::mt19937 noise{1};
  ports::store_status add(std::size_t bytes = 200) {
    std::string text(bytes, '\0');
    for (char& c : text) c = static_cast<char>(noise());  // what can't be compressed away
    auto ok = store().append(suite::batch({suite::record(next, 1, next, text)}));
    if (ok) ++next;
    return ok;
  }
};

void flip_byte(const std::string& file, std::streamoff at) {
  std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
  f.seekg(at);
  const char c = static_cast<char>(f.get() ^ 0x10);
  f.seekp(at);
  f.put(c);
}

std::vector<std::string> files_ending(const std::string& directory, const std::string& ending) {
  std::vector<std::string> out;
  for (const auto& [path, is] : files_in(directory))
    if (path.ends_with(ending) && is.first > 0) out.push_back(path);
  return out;
}

using suite = event_store_suite<backend>;

// Writes a log with several table files. How many are left at the end depends on how fast RocksDB puts them together.
void write_tables(const std::string& path, std::uint64_t records) {
  store_options small;
  small.memtable_bytes = 64u << 10;
  const auto store = opened(path, small);
  std::mt19937_64 random(1);
  for (std::uint64_t n = 1; n <= records; ++n) {
    std::string noise(2'000, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    BOOST_REQUIRE(store->append(suite::batch({suite::record(n, 1, n, noise)})));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(store_on_rocksdb)

BOOST_AUTO_TEST_CASE(keeps_every_promise_of_an_event_store) { suite::keeps_every_promise(); }

BOOST_AUTO_TEST_CASE(a_second_writer_is_told_that_the_log_is_open) {
  backend b;
  auto second = open_event_store(b.path());
  const auto& status = std::get<ports::store_status>(second);
  BOOST_TEST((status.error == ports::store_error::locked), status.text);
}

BOOST_AUTO_TEST_CASE(a_lock_that_cant_be_opened_is_not_said_to_be_held) {
  own_directory d;
  std::filesystem::create_directories(d.path + "/blocks/LOCK");
  auto result = open_event_store(d.path + "/blocks");
  const auto& status = std::get<ports::store_status>(result);
  BOOST_TEST((status.error == ports::store_error::io), status.text);
  BOOST_TEST(status.text.ends_with("Is a directory"), status.text);
}

BOOST_AUTO_TEST_CASE(a_place_that_is_no_directory_is_an_error_with_its_name) {
  own_directory d;
  std::ofstream(d.path + "/file") << "x";
  auto result = open_event_store(d.path + "/file/log");
  const auto& status = std::get<ports::store_status>(result);
  BOOST_TEST((status.error == ports::store_error::io), status.text);
  BOOST_TEST(status.text.find("/file/log") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_auditor_reads_beside_the_writer_and_catches_up) {
  fixture f;
  BOOST_REQUIRE(f.add());
  auto opened_beside = open_for_audit(f.path());
  if (auto* failed = std::get_if<ports::store_status>(&opened_beside)) BOOST_FAIL(failed->text);
  auto& auditor = *std::get<std::unique_ptr<audit_store>>(opened_beside);
  BOOST_TEST(auditor.last_sequence() == 1u);
  for (int round = 0; round < 5; ++round) {  // small and large, so that files are flushed in between
    for (int i = 0; i < 20; ++i) BOOST_REQUIRE(f.add(round % 2 ? 400'000 : 100));
    BOOST_REQUIRE_EQUAL(auditor.catch_up().text, "");
    BOOST_TEST(auditor.last_sequence() == f.next - 1);
    BOOST_TEST((suite::all(auditor) == suite::all(f.store())));
    BOOST_TEST(auditor.last_version(1) == f.next - 1);
  }
  auto more = std::async(std::launch::async, [&, last = f.next - 1] { return auditor.wait_beyond(last, std::chrono::minutes(1)); });
  BOOST_REQUIRE(f.add());
  BOOST_TEST(more.get() == f.next - 1);
  BOOST_TEST(auditor.wait_beyond(f.next - 1, std::chrono::milliseconds(1)) == f.next - 1);  // none came
  BOOST_REQUIRE(f.add());                                                                   // before it waits
  BOOST_TEST(auditor.wait_beyond(f.next - 2, std::chrono::minutes(1)) == f.next - 1);
  BOOST_TEST((auditor.append({}).error == ports::store_error::io));
}

BOOST_AUTO_TEST_CASE(an_auditor_reads_a_copied_directory_it_may_not_write) {
  fixture f;
  for (int i = 0; i < 3; ++i) BOOST_REQUIRE(f.add());
  const auto copy = f.directory.path + "/copy";
  copy_as_killed(f.path(), copy);
  namespace fs = std::filesystem;
  for (const auto& entry : fs::directory_iterator(copy)) fs::permissions(entry.path(), fs::perms::owner_read);
  fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_exec);
  {
    auto opened_copy = open_for_audit(copy);
    if (auto* failed = std::get_if<ports::store_status>(&opened_copy)) BOOST_FAIL(failed->text);
    BOOST_TEST((suite::all(*std::get<std::unique_ptr<audit_store>>(opened_copy)) == suite::all(f.store())));
  }
  fs::permissions(copy, fs::perms::owner_all);
}

BOOST_AUTO_TEST_CASE(an_auditor_of_nothing_says_that_there_is_no_log) {
  own_directory d;
  auto result = open_for_audit(d.path);
  BOOST_TEST(std::get<ports::store_status>(result).text.find("no event log") != std::string::npos);
}

struct faulty : fixture {
  std::shared_ptr<disk_hooks> disk = std::make_shared<disk_hooks>();
  explicit faulty(std::size_t memtable_bytes = store_options{}.memtable_bytes) {
    rocks.reset();
    store_options options;
    options.memtable_bytes = memtable_bytes;
    options.hooks = disk;
    ++life;
    rocks = opened(path(), options);
  }
};

BOOST_AUTO_TEST_CASE(a_full_disk_refuses_writes_answers_reads_and_goes_on) {
  faulty f;
  for (int i = 0; i < 10; ++i) BOOST_REQUIRE(f.add());
  for (int round = 0; round < 3; ++round) {
    const auto before = suite::all(f.store());
    f.disk->quota = round == 2;  // a quota that is used up is a full disk
    f.disk->room = 20;
    for (std::size_t bytes : {10u, 5'000u, 200'000u}) {
      const auto refused = f.add(bytes);
      BOOST_TEST((refused.error == ports::store_error::disk_full), refused.text);
    }
    BOOST_TEST((suite::all(f.store()) == before));
    BOOST_TEST(
        (f.store().put_blob_piece(std::string(32, 'h'), 0, bytes_of("x")).error == ports::store_error::disk_full));
    f.disk->room = INT64_MAX;
    for (int i = 0; i < 10; ++i) BOOST_REQUIRE_EQUAL(f.add().text, "");
    BOOST_TEST(f.store().last_sequence() == f.next - 1);
    const auto after = suite::all(f.store());
    f.reopen();  // the copy has no hooks: what the files say
    BOOST_TEST((suite::all(f.store()) == after));
    f.rocks.reset();
    store_options options;
    options.hooks = f.disk;
    f.rocks = opened(f.path(), options);
  }
}

BOOST_AUTO_TEST_CASE(a_kill_on_a_full_disk_leaves_what_was_acknowledged) {
  faulty f;
  for (int i = 0; i < 10; ++i) BOOST_REQUIRE(f.add());
  const auto before = suite::all(f.store());
  f.disk->room = 20;
  BOOST_TEST((f.add(100'000).error == ports::store_error::disk_full));
  f.reopen();
  BOOST_TEST((suite::all(f.store()) == before));
  BOOST_REQUIRE_EQUAL(f.add().text, "");
  f.reopen();
  BOOST_TEST(f.store().last_sequence() == 11u);
}

BOOST_AUTO_TEST_CASE(a_disk_that_fills_up_during_a_flush_loses_nothing) {
  faulty f;
  for (int i = 0; i < 30; ++i) BOOST_REQUIRE(f.add(200'000));  // nearly a memtable
  f.disk->room = 20;
  while (f.add(200'000)) {
  }
  const auto before = suite::all(f.store());
  f.disk->room = INT64_MAX;
  for (int i = 0; i < 60; ++i) BOOST_REQUIRE_EQUAL(f.add(200'000).text, "");
  BOOST_TEST(suite::all(f.store()).starts_with(before));
  f.reopen();
  BOOST_TEST(f.store().last_sequence() == f.next - 1);
  BOOST_TEST(suite::all(f.store()).starts_with(before));
}

BOOST_AUTO_TEST_CASE(a_disk_that_fills_up_at_any_byte_loses_nothing) {
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      faulty f(128u << 10);
      std::mt19937_64 random(seed);
      for (int i = 0; i < 150; ++i) {
        if (random() % 8 == 0) f.disk->room = static_cast<std::int64_t>(random() % 100'000);
        if (random() % 16 == 0) f.disk->room = INT64_MAX;
        const auto status = f.add(random() % 8'000);
        BOOST_REQUIRE_MESSAGE(status || status.error == ports::store_error::disk_full, status.text);
        refused += !status;
        BOOST_REQUIRE(f.store().last_sequence() == f.next - 1);
        BOOST_REQUIRE(f.store().last_version(1) == f.next - 1);
        if (random() % 16 == 0) (void)f.store().keep_cache();
      }
      const auto before = suite::all(f.store());
      f.disk->room = INT64_MAX;
      f.reopen();
      BOOST_TEST((suite::all(f.store()) == before));
      BOOST_TEST(f.store().last_sequence() == f.next - 1);
    }
  }
  BOOST_TEST(refused > 30u);
}

BOOST_AUTO_TEST_CASE(a_failed_sync_is_told_from_other_failures_and_ends_writing) {
  faulty f;
  BOOST_REQUIRE(f.add());
  f.disk->fail_sync = true;
  BOOST_TEST((f.add().error == ports::store_error::sync_failed));
  f.disk->fail_sync = false;
  BOOST_TEST((f.add().error == ports::store_error::sync_failed));  // never retried in place
  f.reopen();
  BOOST_TEST(f.store().last_sequence() >= 1u);  // the record that failed may be there, or not
  BOOST_TEST(f.store().last_sequence() <= 2u);
}

BOOST_AUTO_TEST_CASE(every_append_is_one_sync) {
  faulty f;
  const auto before = f.disk->syncs.load();
  for (int i = 0; i < 5; ++i) BOOST_REQUIRE(f.add());
  BOOST_TEST(f.disk->syncs.load() == before + 5);
}

BOOST_AUTO_TEST_CASE(a_quiet_moment_shortens_the_next_opening_and_loses_nothing) {
  faulty f;
  const auto logged = [&] {
    std::uintmax_t bytes = 0;
    for (const auto& [path, is] : files_in(f.path()))
      if (path.ends_with(".log")) bytes += is.first;
    return bytes;
  };
  BOOST_TEST(static_cast<bool>(f.add()));
  f.store().use_quiet();  // so little is left where it is
  BOOST_TEST(files_ending(f.path(), ".sst").empty());
  for (int i = 0; i < 20; ++i) BOOST_TEST(static_cast<bool>(f.add(40'000)));
  f.store().use_quiet();
  BOOST_TEST(static_cast<bool>(f.add()));  // beside it
  for (auto removed = f.disk->removed.load(); logged() > 100'000; removed = f.disk->removed) f.disk->removed.wait(removed);
  f.reopen();
  BOOST_TEST(f.store().last_sequence() == 22u);
  BOOST_TEST(f.store().last_version(1) == 22u);
}

BOOST_AUTO_TEST_CASE(a_record_cut_off_at_the_end_was_never_acknowledged) {
  for (std::size_t size : {100u, 32'700u, 200'000u}) {  // within, at the edge of, and over the log's blocks
    fixture f;
    for (int i = 0; i < 3; ++i) BOOST_REQUIRE(f.add(size));
    const auto wal = files_ending(f.path(), ".log");
    BOOST_REQUIRE(wal.size() == 1u);
    const auto whole = std::filesystem::file_size(wal[0]);
    BOOST_REQUIRE(f.add(size));
    const auto all = std::filesystem::file_size(wal[0]);
    for (auto cut = whole; cut < all; cut += 1 + (all - whole) / 17) {
      const auto copy = f.directory.path + "/torn" + std::to_string(cut);
      copy_as_killed(f.path(), copy);
      std::filesystem::resize_file(files_ending(copy, ".log")[0], cut);
      for (std::uint64_t last = 3; last <= 5; ++last) {  // and writing goes on behind it
        auto store = opened(copy);
        BOOST_REQUIRE_EQUAL(store->last_sequence(), last);
        BOOST_REQUIRE(store->append(suite::batch({suite::record(last + 1, 1, last + 1, "next")})));
      }
      std::filesystem::remove_all(copy);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_flipped_bit_in_the_write_ahead_log_refuses_to_open) {
  fixture f;
  for (int i = 0; i < 20; ++i) BOOST_REQUIRE(f.add());
  const auto copy = f.directory.path + "/flipped";
  copy_as_killed(f.path(), copy);
  const auto wal = files_ending(copy, ".log")[0];
  flip_byte(wal, static_cast<std::streamoff>(std::filesystem::file_size(wal) / 2));
  auto result = open_event_store(copy);
  BOOST_REQUIRE(std::holds_alternative<ports::store_status>(result));
  const auto& status = std::get<ports::store_status>(result);
  BOOST_TEST((status.error == ports::store_error::damaged), status.text);
  BOOST_TEST(status.text.find("pbs_audit verify") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_older_write_ahead_log_in_place_of_a_newer_one_refuses_to_open) {
  fixture f;
  const auto wals_of = [](const std::string& path) {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().extension() == ".log") out.push_back(entry.path());
    std::ranges::sort(out);
    return out;
  };
  for (int life = 0; life < 3; ++life) {
    f.add();
    f.reopen();
  }
  f.add();
  const auto whole = wals_of(f.path());
  BOOST_REQUIRE(whole.size() >= 3u);
  for (std::size_t older = 0; older + 1 < whole.size(); ++older) {
    const auto copy = f.directory.path + "/exchanged" + std::to_string(older);
    copy_as_killed(f.path(), copy);
    const auto wals = wals_of(copy);
    std::filesystem::copy_file(wals[older], wals.back(), std::filesystem::copy_options::overwrite_existing);
    const auto refused = open_event_store(copy, {});
    const auto& status = std::get<ports::store_status>(refused);
    BOOST_TEST((status.error == ports::store_error::damaged), status.text);
    BOOST_TEST(status.text.find("write-ahead log " + std::filesystem::path(wals.back()).filename().string() + " is not behind ") !=
                   std::string::npos,
               status.text);
    BOOST_TEST(std::holds_alternative<ports::store_status>(open_for_audit(copy)));
    BOOST_TEST(std::holds_alternative<ports::store_status>(open_to_verify(copy)));
  }
}

namespace {

// A log with several table files, which its writer puts together when it is told to.
struct log_that_is_compacted {
  own_directory d;
  const std::string path = d.path + "/log";
  std::uint64_t last = 300;
  log_that_is_compacted() { write_tables(path, last); }
  void compact() const {
    rocksdb_tables writer(path, {});
    BOOST_REQUIRE(writer.open_to_write().ok());
    rocksdb::CompactRangeOptions all;
    all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;  // also what is in its place already
    for (std::size_t t = 0; t < table_count; ++t)
      BOOST_REQUIRE(writer.db().CompactRange(all, writer.in(static_cast<table>(t)), nullptr, nullptr).ok());
  }
};

// Reads all of it beside its records: every block of every file.
ports::store_status rest_of(const ports::event_store& store) {
  std::string position;
  return store.read_rest(position, SIZE_MAX, [](std::string_view, std::string_view) {});
}

}  // namespace

BOOST_AUTO_TEST_CASE(files_that_were_replaced_after_a_verification_has_begun_are_no_damage) {
  const log_that_is_compacted log;
  const auto began = open_to_verify(log.path);
  const auto& store = *std::get<0>(began);
  const auto before = files_ending(log.path, ".sst");
  log.compact();
  const auto after = files_ending(log.path, ".sst");
  // RocksDB may remove some of them later.
  BOOST_REQUIRE(std::ranges::any_of(before, [&](const auto& f) { return std::ranges::find(after, f) == after.end(); }));
  std::uint64_t records = 0;
  BOOST_TEST(static_cast<bool>(store.read(1, [&](std::uint64_t, ports::byte_span) { return ++records, true; })));
  BOOST_TEST(records == log.last);
  const auto rest = rest_of(store);
  BOOST_TEST(static_cast<bool>(rest), rest.text);
}

BOOST_AUTO_TEST_CASE(files_that_are_replaced_while_a_verification_opens_them_are_no_damage) {
  const log_that_is_compacted log;
  store_options watched;
  watched.hooks = std::make_shared<disk_hooks>();
  bool begun = false;
  watched.hooks->opening = [&](const std::string&) {
    if (!std::exchange(begun, true)) log.compact();
  };
  const auto opened = open_to_verify(log.path, watched);
  BOOST_REQUIRE(begun);
  if (const auto* why = std::get_if<ports::store_status>(&opened)) BOOST_FAIL(why->text);
  BOOST_TEST(std::get<0>(opened)->last_sequence() == log.last);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_missing_is_damage_whenever_it_went) {
  const log_that_is_compacted log;
  const auto began = open_to_verify(log.path);
  std::filesystem::remove(files_ending(log.path, ".sst").front());
  const auto rest = rest_of(*std::get<0>(began));
  BOOST_TEST((rest.error == ports::store_error::damaged));
  BOOST_TEST(rest.text.find("No such file") != std::string::npos, rest.text);
  const auto later = open_to_verify(log.path);
  BOOST_TEST((std::get<ports::store_status>(later).error == ports::store_error::damaged));
}

BOOST_AUTO_TEST_CASE(a_flipped_bit_in_a_table_file_is_reported_where_it_is) {
  own_directory d;
  const std::uint64_t last = 300;
  write_tables(d.path + "/log", last);
  const auto tables = files_ending(d.path + "/log", ".sst");
  const auto records = *std::ranges::max_element(tables, {}, [](const std::string& f) { return std::filesystem::file_size(f); });
  flip_byte(records, static_cast<std::streamoff>(std::filesystem::file_size(records) / 3));  // a data block
  auto store = opened(d.path + "/log");
  std::uint64_t seen = 0;
  const auto status = store->read(1, [&](std::uint64_t n, ports::byte_span) {
    seen = n;
    return true;
  });
  BOOST_TEST((status.error == ports::store_error::damaged), status.text);
  BOOST_TEST(seen < last);
  BOOST_TEST(status.text.find("record " + std::to_string(seen + 1)) != std::string::npos, status.text);
}

BOOST_AUTO_TEST_SUITE_END()
