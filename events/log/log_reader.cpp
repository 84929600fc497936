#include "events/log/log_reader.hpp"

#include <algorithm>
#include <variant>

#include "events/log/losses.hpp"

namespace annals::log {
namespace {

ports::store_status damaged(std::uint64_t sequence, const std::string& what) {
  return {ports::store_error::damaged,
          "event log: record " + std::to_string(sequence) + " is damaged: " + what + what_to_run};
}

// Decodes and checks that the record stands where it says it stands.
std::variant<record_ptr, damage> decode_at(std::uint64_t sequence, schema::byte_span bytes) {
  auto decoded = decode(bytes);
  if (auto* r = std::get_if<record_ptr>(&decoded); r && (*r)->sequence() != sequence)
    return damage{"it is record " + std::to_string((*r)->sequence()) + " in a wrong place"};
  return decoded;
}

}  // namespace

ports::store_status log_reader::read(std::uint64_t from, const visitor& visit) const {
  ports::store_status result;
  std::uint64_t expected = std::max<std::uint64_t>(from, 1);
  const auto read = records_->read(expected, [&](std::uint64_t sequence, schema::byte_span bytes) {
    const auto decoded = decode_at(sequence, bytes);
    const auto* sound = std::get_if<record_ptr>(&decoded);
    if (sequence != expected && !(sound && explains_gap(**sound, expected))) {
      result = damaged(expected, "it is missing; the next one is " + std::to_string(sequence));
      return false;
    }
    if (auto* bad = std::get_if<damage>(&decoded)) {
      result = damaged(sequence, bad->text);
      return false;
    }
    expected = sequence + 1;
    return visit(*sound);
  });
  return result ? read : result;
}

ports::store_status log_reader::read_stream(std::uint64_t stream, std::uint64_t from_version,
                                            const visitor& visit) const {
  ports::store_status result;
  std::uint64_t expected = std::max<std::uint64_t>(from_version, 1);
  const auto read = records_->read_stream(stream, expected, [&](std::uint64_t sequence, schema::byte_span bytes) {
    const auto decoded = decode_at(sequence, bytes);
    if (auto* bad = std::get_if<damage>(&decoded)) {
      result = damaged(sequence, bad->text);
      return false;
    }
    const auto& r = std::get<record_ptr>(decoded);
    if (r->get().getStream() != stream || r->get().getStreamVersion() != expected) {
      result = damaged(sequence, "it should be version " + std::to_string(expected) + " of stream " +
                                     std::to_string(stream) + ", but says version " +
                                     std::to_string(r->get().getStreamVersion()) + " of stream " +
                                     std::to_string(r->get().getStream()));
      return false;
    }
    ++expected;
    return visit(r);
  });
  return result ? read : result;
}

}  // namespace annals::log
