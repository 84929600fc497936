#include "events/log/record.hpp"

#include <cstring>

#include "events/log/checksum.hpp"
#include "test/unit/events/log/log_fixture.hpp"

using namespace annals;
using namespace annals::log;

namespace {

record_meta some_meta() {
  record_meta m;
  m.sequence = 17;
  m.stream = 3;
  m.version = 2;
  m.epoch = 5;
  m.wall_ns = 1'700'000'000'000'000'001;
  m.raw_ns = m.wall_ns - 1;
  m.by = {"alice", "front", schema::Role::MANAGER};
  m.command_id = "0123456789abcdef";
  m.cause = 9;
  return m;
}

chain_hash some_hash() {
  chain_hash h;
  h.fill(std::byte{7});
  return h;
}

std::string damage_in(schema::byte_span bytes) {
  const auto decoded = decode(bytes);
  const auto* bad = std::get_if<damage>(&decoded);
  return bad ? bad->text : "";
}

// Bytes with a checksum that fits, so that only what is behind it is judged.
std::vector<std::byte> resealed(std::vector<std::byte> bytes) {
  const auto crc = crc32c(byte_view(bytes).subspan(4));
  std::memcpy(bytes.data(), &crc, 4);
  return bytes;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(record_format)

BOOST_AUTO_TEST_CASE(what_is_encoded_is_decoded) {
  const auto encoded = encode(some_meta(), named_event("workq"), some_hash());
  const auto decoded = decode(encoded.bytes);
  const auto& r = *std::get<record_ptr>(decoded);
  BOOST_TEST(r.sequence() == 17u);
  BOOST_TEST(r.get().getStream() == 3u);
  BOOST_TEST((r.kind() == schema::StreamKind::QUEUE));
  BOOST_TEST(r.get().getStreamVersion() == 2u);
  BOOST_TEST(r.get().getFormatVersion() == 1u);
  BOOST_TEST(r.get().getWriterEpoch() == 5u);
  BOOST_TEST(r.get().getWallNs() == 1'700'000'000'000'000'001);
  BOOST_TEST(r.get().getRawNs() == 1'700'000'000'000'000'000);
  BOOST_TEST(schema::text(r.get().getWho().getUser()) == "alice");
  BOOST_TEST(schema::text(r.get().getWho().getHost()) == "front");
  BOOST_TEST((r.get().getWho().getRole() == schema::Role::MANAGER));
  BOOST_TEST(text_of(schema::bytes_of(r.get().getCommandId())) == "0123456789abcdef");
  BOOST_TEST(r.get().getCause() == 9u);
  BOOST_TEST(schema::text(r.event().getQueue().getCreated().getName()) == "workq");
  BOOST_TEST((r.previous() == some_hash()));
}

BOOST_AUTO_TEST_CASE(the_hash_is_that_of_the_bytes_behind_offset_8) {
  const auto encoded = encode(some_meta(), named_event("workq"), some_hash());
  BOOST_TEST((encoded.hash == sha256(byte_view(encoded.bytes).subspan(8))));
  BOOST_TEST((encoded.decoded->hash() == encoded.hash));
  const auto decoded = decode(encoded.bytes);
  BOOST_TEST((std::get<record_ptr>(decoded)->hash() == encoded.hash));
}

BOOST_AUTO_TEST_CASE(every_flipped_bit_is_found) {
  const auto encoded = encode(some_meta(), named_event("workq"), some_hash());
  for (std::size_t at = 0; at < encoded.bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto bytes = encoded.bytes;
      bytes[at] ^= std::byte{1} << bit;
      BOOST_REQUIRE_EQUAL(damage_in(bytes), "wrong checksum");
    }
}

BOOST_AUTO_TEST_CASE(every_truncation_is_found) {
  const auto encoded = encode(some_meta(), named_event("workq"), some_hash());
  for (std::size_t size = 0; size < encoded.bytes.size(); ++size)
    BOOST_REQUIRE(!damage_in(schema::byte_span(encoded.bytes).first(size)).empty());
}

BOOST_AUTO_TEST_CASE(a_frame_of_another_format_is_refused_by_name) {
  auto bytes = encode(some_meta(), named_event("workq"), some_hash()).bytes;
  bytes[4] = std::byte{2};
  BOOST_TEST(damage_in(resealed(bytes)).find("frame format 2") == 0u);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_message_are_refused) {
  auto bytes = encode(some_meta(), named_event("workq"), some_hash()).bytes;
  for (std::size_t i = 40; i < bytes.size(); ++i) bytes[i] = std::byte{0xff};
  BOOST_TEST(damage_in(resealed(bytes)).find("no Cap'n Proto message") == 0u);
}

BOOST_AUTO_TEST_CASE(an_event_this_program_does_not_know_is_damage) {
  auto encoded = encode(some_meta(), named_event("workq"), some_hash());
  // The union's tag of queueCreated, replaced by one that no schema of today has: found as the only place where it
  // helps.
  bool found = false;
  for (std::size_t at = 40; at + 1 < encoded.bytes.size() && !found; at += 2) {
    auto bytes = encoded.bytes;
    const std::uint16_t unknown = 60'000;
    std::memcpy(bytes.data() + at, &unknown, 2);
    found = damage_in(resealed(bytes)).find("event 60000 is not known") != std::string::npos;
  }
  BOOST_TEST(found);
}

BOOST_AUTO_TEST_SUITE_END()
