// A verification in pieces: its state kept and gone on with, and the file it is kept in.
#include "events/log/log_check.hpp"

#include <filesystem>
#include <fstream>

#include "events/log/check_notes.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/unit/events/log/log_fixture.hpp"

using namespace annals;
using namespace annals::log;

namespace {

struct long_log {
  memory_event_store store;
  set_clock clock;
  event_log log{store, clock};
  std::uint64_t version = 0;

  explicit long_log(std::uint64_t records) {
    std::vector<record_ptr> done;
    while (version < records) {
      BOOST_REQUIRE(std::holds_alternative<staged>(log.stage(append_to(version == 0 ? 0 : 1, version))));
      ++version;
      if (version % 500 == 0 || version == records) BOOST_REQUIRE(log.commit(done));
    }
  }
};

check_state done(const ports::event_store& store, check_state from, std::size_t faults_max = 100) {
  log_check check(store, &store, std::move(from), faults_max);
  while (check.step()) continue;
  return check.state();
}

// As if the process were killed after each piece and another went on from the file.
check_state done_with_kills(const ports::event_store& store, const std::string& file, int& pieces) {
  keep_check_notes(file, {.log = name_of_log(store), .last = {}, .began_ns = 1, .present = log_check::whole(store)});
  for (pieces = 1;; ++pieces) {
    auto notes = read_check_notes(file);
    BOOST_REQUIRE(notes);
    BOOST_REQUIRE(notes->present);
    log_check check(store, &store, *notes->present, 100);
    const bool more = check.step();
    if (!more) return check.state();
    notes->present = check.state();
    BOOST_TEST(keep_check_notes(file, *notes) == "");
    BOOST_TEST((read_check_notes(file) == notes));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(verification_in_pieces)

BOOST_AUTO_TEST_CASE(killed_after_each_piece_it_finds_the_same) {
  const own_directory d;
  long_log l(2 * limits::check_slice_records + 100);
  l.store.overwrite(limits::check_slice_records, bytes_of("nonsense"));
  l.store.overwrite(2 * limits::check_slice_records + 7, {});
  int pieces = 0;
  const auto killed = done_with_kills(l.store, d.at("views/log_check"), pieces);
  const auto at_once = done(l.store, log_check::whole(l.store));
  BOOST_TEST((killed == at_once));
  BOOST_TEST(pieces == 5);  // three of records, the index, the other tables
  BOOST_TEST(killed.fault_count == 2u);
  BOOST_REQUIRE(killed.faults.size() == 2u);
  BOOST_TEST(killed.faults[0] == "record " + std::to_string(limits::check_slice_records) + " (stream 1, version " +
                                     std::to_string(limits::check_slice_records) + "): only 8 bytes");
}

BOOST_AUTO_TEST_CASE(a_chain_that_breaks_between_two_pieces_is_found_by_another_process) {
  const own_directory d;
  long_log l(limits::check_slice_records + 10);
  const auto last = limits::check_slice_records;
  chain_hash before{};
  record_meta meta;
  BOOST_REQUIRE(l.store.read(last, [&](std::uint64_t, ports::byte_span bytes) {
    const auto decoded = decode(bytes);
    const auto& r = *std::get<record_ptr>(decoded);
    before = r.previous();
    meta.sequence = meta.version = last;
    meta.stream = 1;
    meta.epoch = 1;
    meta.wall_ns = r.get().getWallNs();
    return false;
  }));
  l.store.overwrite(last, encode(meta, named_event("rewritten"), before).bytes);
  int pieces = 0;
  const auto found = done_with_kills(l.store, d.at("views/log_check"), pieces);
  BOOST_REQUIRE(found.faults.size() == 1u);
  BOOST_TEST(found.faults[0].find("its chain hash does not match record " + std::to_string(last)) != std::string::npos, found.faults[0]);
}

BOOST_AUTO_TEST_CASE(findings_beyond_what_is_kept_are_counted) {
  long_log l(30);
  for (std::uint64_t s = 1; s <= 30; ++s) l.store.overwrite(s, {});
  const auto found = done(l.store, log_check::whole(l.store), 10);
  BOOST_TEST(found.faults.size() == 10u);
  BOOST_TEST(found.fault_count == 30u);
}

// More of them than are remembered until a record says that they are lost; and one more that no record speaks of.
BOOST_AUTO_TEST_CASE(blobs_that_a_salvage_lost_are_told_and_no_faults) {
  const own_directory d;
  long_log l(1);
  const auto hash_of = [](std::uint64_t n) { return std::string(24, 'h') + std::to_string(10'000'000 + n); };
  const auto bytes = [](const std::string& hash) {
    return capnp::Data::Reader(reinterpret_cast<const kj::byte*>(hash.data()), hash.size());
  };
  append named, lost;
  const auto blobs = limits::check_missing_blobs_max + 5;
  for (std::uint64_t n = 0; n <= blobs; ++n)
    named.events.push_back(
        model::make_event([&](schema::Event::Builder e) { e.initHook().initImported().initContent().setHash(bytes(hash_of(n))); }));
  for (std::uint64_t n = 1; n <= blobs; ++n)
    lost.events.push_back(model::make_event([&](schema::Event::Builder e) { e.initLog().initBlobLost().setHash(bytes(hash_of(n))); }));
  std::vector<record_ptr> committed;
  for (auto* a : {&named, &lost}) BOOST_REQUIRE(std::holds_alternative<staged>(l.log.stage(std::move(*a))));
  BOOST_REQUIRE(l.log.commit(committed));
  int pieces = 0;
  const auto found = done_with_kills(l.store, d.at("views/log_check"), pieces);
  BOOST_REQUIRE(found.fault_count == 1u);
  BOOST_TEST(found.faults[0] == "record 2 (stream 2, version 1): the blob it names is missing");
  BOOST_TEST(found.lost_count == blobs);
  BOOST_REQUIRE(found.lost.size() == 100u);
  BOOST_TEST(done(l.store, log_check::whole(l.store)).lost_count == blobs);
}

BOOST_AUTO_TEST_CASE(what_was_written_after_its_beginning_is_left_to_the_next_one) {
  long_log l(20);
  auto begin = log_check::whole(l.store);
  std::vector<record_ptr> committed;
  BOOST_REQUIRE(std::holds_alternative<staged>(l.log.stage(append_to(1, 20))));
  BOOST_REQUIRE(std::holds_alternative<staged>(l.log.stage(append_to(0, 0))));
  BOOST_REQUIRE(l.log.commit(committed));
  const auto found = done(l.store, begin);
  BOOST_TEST(found.fault_count == 0u, (found.faults.empty() ? std::string() : found.faults.front()));
  BOOST_TEST(found.records == 20u);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_torn_or_changed_counts_as_none) {
  const own_directory d;
  const auto file = d.at("log_check");
  BOOST_TEST(!read_check_notes(file));
  check_notes notes{.log = "0a",
                    .last = check_result{1,
                                         2,
                                         3,
                                         4,
                                         5,
                                         1,
                                         {"record 1 (stream 2, version 3): wrong\nchecksum"},
                                         1,
                                         {"blob 0a, named by record 2, is lost since a salvage"}},
                    .began_ns = 7,
                    .present = check_state{}};
  notes.present->missing_blobs = {{std::string("\0\xff", 2), 9}};
  notes.present->lost_count = 2;
  notes.present->lost = {"blob 0b, named by record 3, is lost since a salvage"};
  notes.present->head_known = true;
  notes.present->rest = std::string("1a\0", 3);
  BOOST_TEST(keep_check_notes(file, notes) == "");
  notes.last->faults[0] = "record 1 (stream 2, version 3): wrong?checksum";
  BOOST_TEST((read_check_notes(file) == notes));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  BOOST_TEST(!read_check_notes(file));
  auto text = print(notes);
  text[25] ^= 1;
  BOOST_TEST(!parse_check_notes(text));
  BOOST_TEST(keep_check_notes("/proc/none/log_check", notes).find("cannot write /proc/none/log_check.new") == 0u);
}

BOOST_AUTO_TEST_CASE(the_file_stands_beside_the_log) {
  BOOST_TEST(check_notes_file("/home/server_priv/log") == "/home/server_priv/views/log_check");
  BOOST_TEST(check_notes_file("/home/server_priv/log/") == "/home/server_priv/views/log_check");
}

BOOST_AUTO_TEST_SUITE_END()
