// What a server and a follower of its log say to each other, whatever bytes come: a copy takes the records that continue it and no others,
// so that what it has is a sound log; and a server answers whether its log continues a copy. Checksums are made to fit, so that what is
// behind them is reached.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "actors/feed/feed_position.hpp"
#include "actors/link/wire/wire_limits.hpp"
#include "events/log/checksum.hpp"
#include "events/log/log_copy.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"

using namespace annals;

namespace {

std::vector<std::byte> with_checksum(schema::byte_span record) {
  std::vector<std::byte> bytes(record.begin(), record.end());
  if (bytes.size() < 8) return bytes;
  const auto crc = log::crc32c(log::byte_view(bytes).subspan(4));
  std::memcpy(bytes.data(), &crc, sizeof crc);
  return bytes;
}

// As a follower does. It stops at the first record that does not belong there.
void follow(schema::FeedRecords::Reader said, log::memory_event_store& store) {
  log::log_copy copy(store);
  for (const auto record : said.getRecords()) {
    const auto taken = copy.take(with_checksum(schema::bytes_of(record)));
    const auto* bad = std::get_if<log::damage>(&taken);
    if (bad && bad->text.empty()) std::abort();  // it always says what is wrong
    if (bad) break;
  }
  std::vector<log::record_ptr> records;
  if (!copy.commit(records)) std::abort();
  if (store.last_sequence() != copy.last_sequence()) std::abort();
  if (!log::log_reader(store).read(1, [](const log::record_ptr&) { return true; })) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const schema::read_bounds bounds{2 * size / sizeof(std::uint64_t) + 64, limits::frame_nesting_max};
  const auto message = schema::sealed_message::from_bytes(bytes, bounds);
  if (!message) return 0;
  log::memory_event_store store;
  try {
    const auto to = message->root<schema::ToFollower>();
    if (to.isRecords()) follow(to.getRecords(), store);
  } catch (const kj::Exception&) {
    // A field of the wrong shape shows when it is read; it ends the connection.
  }
  try {
    const auto from = message->root<schema::FromFollower>();
    if (from.isHello()) (void)actors::why_log_does_not_continue(store, std::string(16, 'u'), from.getHello());
  } catch (const kj::Exception&) {
  }
  return 0;
}
