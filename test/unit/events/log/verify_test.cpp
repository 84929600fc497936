#include "events/log/log_reader.hpp"

#include "events/log/memory_event_store.hpp"
#include "test/unit/events/log/log_fixture.hpp"

using namespace annals;
using namespace annals::log;

namespace {

// Writes records as told, sound or not, with a chain that fits.
struct forger {
  memory_event_store store;
  chain_hash head{};
  std::uint64_t sequence = 0;

  record_meta at(std::uint64_t stream, std::uint64_t version) {
    record_meta m;
    m.sequence = sequence + 1;
    m.stream = stream;
    m.version = version;
    m.epoch = 1;
    m.wall_ns = 100;
    return m;
  }
  void put(const record_meta& m, const model::event& event = named_event("q")) {
    auto encoded = encode(m, event, head);
    head = encoded.hash;
    ports::write_batch b;
    b.records.push_back({++sequence, m.stream, m.version, std::move(encoded.bytes)});
    BOOST_REQUIRE(store.append(b));
  }
  std::string faults(std::uint64_t from = 1) {
    std::string out;
    for (const auto& f : verify(store, from).faults) out += f + "\n";
    return out;
  }
};

model::event naming(const std::string& hash, std::uint64_t size = 10) {
  return model::make_event([&](schema::Event::Builder e) {
    auto script = e.initJob().initQueued().initScript();
    script.setHash(kj::arrayPtr(reinterpret_cast<const kj::byte*>(hash.data()), hash.size()));
    script.setSize(size);
  });
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(verification, forger)

BOOST_AUTO_TEST_CASE(a_sound_log_has_no_faults_and_a_head) {
  put(at(1, 1));
  put(at(2, 1));
  put(at(1, 2));
  const auto report = verify(store);
  BOOST_TEST(report.ok());
  BOOST_TEST(report.records == 3u);
  BOOST_TEST((report.head == head));
  BOOST_TEST(verify(memory_event_store{}).ok());
}

BOOST_AUTO_TEST_CASE(a_rewritten_record_breaks_the_chain_behind_it) {
  put(at(1, 1));
  const chain_hash before = head;
  put(at(1, 2), named_event("original"));
  put(at(1, 3));
  auto m = at(1, 2);
  m.sequence = 2;
  store.overwrite(2, encode(m, named_event("rewritten"), before).bytes);  // its checksum fits
  BOOST_TEST(faults() ==
             "record 3 (stream 1, version 3): its chain hash does not match record 2: one of the two was changed\n");
}

BOOST_AUTO_TEST_CASE(each_damaged_record_is_one_fault_with_its_place) {
  for (std::uint64_t v = 1; v <= 5; ++v) put(at(4, v));
  store.overwrite(2, bytes_of("nonsense"));
  store.overwrite(4, {});
  BOOST_TEST(faults() ==
             "record 2 (stream 4, version 2): only 8 bytes\nrecord 4 (stream 4, version 4): only 0 bytes\n");
}

BOOST_AUTO_TEST_CASE(a_gap_in_the_versions_of_a_stream_is_a_fault) {
  put(at(1, 1));
  put(at(1, 3));
  BOOST_TEST(faults() == "record 2 (stream 1, version 3): its stream has no version 2\n");
}

BOOST_AUTO_TEST_CASE(a_version_written_twice_is_a_fault_of_record_and_index) {
  put(at(1, 1));
  put(at(1, 1));
  BOOST_TEST(faults() ==
             "record 1 (stream 1, version 1): the index of streams has record 2 in its place\n"
             "the index of streams has 1 entries for 2 records\n");
}

BOOST_AUTO_TEST_CASE(a_record_in_anothers_place_is_a_fault) {
  put(at(1, 1));
  auto m = at(1, 2);
  m.sequence = 7;
  put(m);
  BOOST_TEST(faults() == "record 2 (stream 1, version 2): it says it is record 7\n");
  BOOST_TEST(names_in(store).find("record 2 is damaged: it is record 7 in a wrong place") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(time_and_epoch_that_go_back_are_faults) {
  put(at(1, 1));
  auto m = at(1, 2);
  m.wall_ns = 99;
  m.epoch = 0;
  put(m);
  BOOST_TEST(faults() ==
             "record 2 (stream 1, version 2): its time is before that of the record before it\n"
             "record 2 (stream 1, version 2): its writer epoch is before that of the record before it\n");
}

BOOST_AUTO_TEST_CASE(a_blob_that_is_named_and_missing_is_a_fault) {
  const auto script = blob_of("#!/bin/sh\n");
  put(at(1, 1), naming(script.hash));
  BOOST_TEST(faults() == "record 1 (stream 1, version 1): the blob it names is missing\n");
}

BOOST_AUTO_TEST_CASE(a_blob_of_another_size_than_its_event_names_is_a_fault) {
  const auto script = blob_of("#!/bin/sh\n");
  ports::write_batch b;
  b.blobs.push_back(script);
  BOOST_REQUIRE(store.append(b));
  put(at(1, 1), naming(script.hash));
  BOOST_TEST(faults() == "");
  put(at(2, 1), naming(script.hash, 99'999'999'999));
  BOOST_TEST(faults() == "record 2 (stream 2, version 1): the blob it names has 10 bytes, not 99999999999\n");
}

BOOST_AUTO_TEST_CASE(a_start_does_not_ask_for_blobs) {
  put(at(1, 1), naming(blob_of("#!/bin/sh\n").hash));
  BOOST_TEST(verify_records(store, 1).ok());
  put(at(1, 3));
  BOOST_TEST(!verify_records(store, 1).ok());
}

BOOST_AUTO_TEST_CASE(a_blob_whose_content_was_changed_is_a_fault) {
  auto script = blob_of("#!/bin/sh\n");
  put(at(1, 1), naming(script.hash));
  ports::write_batch b;
  b.blobs.push_back({script.hash, bytes_of("#!/bin/rm\n")});
  BOOST_REQUIRE(store.append(b));
  BOOST_TEST(faults().find("does not match its hash") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_part_can_be_verified_from_anywhere) {
  for (std::uint64_t v = 1; v <= 5; ++v) put(at(1, v));
  store.overwrite(2, bytes_of("nonsense"));
  BOOST_TEST(faults(3) == "");
  BOOST_TEST(faults(2) != "");
}

BOOST_AUTO_TEST_CASE(it_stops_when_told) {
  for (std::uint64_t v = 1; v <= 5; ++v) put(at(1, v));
  const auto report = verify(store, 1, [](std::uint64_t sequence) { return sequence < 3; });
  BOOST_TEST(report.records == 2u);
  BOOST_TEST(report.ok());
}

BOOST_AUTO_TEST_SUITE_END()
