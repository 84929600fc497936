#include "events/log/record.hpp"

#include <bit>
#include <cstring>

#include "events/log/checksum.hpp"
#include "events/schema/small_message.hpp"

namespace annals::log {
namespace {

constexpr std::size_t crc_at = 0, format_at = 4, previous_at = 8, message_at = 40;
constexpr std::uint32_t frame_format = 1;
constexpr std::uint16_t record_format = 1;  // Record.formatVersion: how the fields of the record are meant

static_assert(std::endian::native == std::endian::little, "numbers of the frame are copied as they are");

std::uint32_t number_at(schema::byte_span bytes, std::size_t offset) {
  std::uint32_t n;
  std::memcpy(&n, bytes.data() + offset, sizeof n);
  return n;
}

void put_number(std::byte* to, std::uint32_t n) { std::memcpy(to, &n, sizeof n); }

chain_hash hash_of_frame(schema::byte_span frame) { return sha256(frame.subspan(previous_at)); }

void fill(schema::Record::Builder r, const record_meta& meta, const model::event& event) {
  r.setSequence(meta.sequence);
  r.setStream(meta.stream);
  r.setStreamVersion(meta.version);
  r.setFormatVersion(record_format);
  r.setWriterEpoch(meta.epoch);
  r.setWallNs(meta.wall_ns);
  r.setRawNs(meta.raw_ns);
  auto who = r.initWho();
  who.setUser(meta.by.user);
  who.setHost(meta.by.host);
  who.setRole(meta.by.role);
  if (!meta.command_id.empty())
    r.setCommandId(kj::arrayPtr(reinterpret_cast<const kj::byte*>(meta.command_id.data()), meta.command_id.size()));
  r.setCause(meta.cause);
  r.setSteppedAt(meta.stepped_at);
  r.setEvent(event.get());
  if (meta.hooks.empty()) return;
  auto hooks = r.initHooks(static_cast<unsigned>(meta.hooks.size()));
  for (unsigned i = 0; i < meta.hooks.size(); ++i) hooks.setWithCaveats(i, meta.hooks[i].get());
}

// In one segment: many read a record, and a pointer into another segment costs a reader three times as much.
schema::sealed<schema::Record> build(const record_meta& meta, const model::event& event) {
  std::size_t bytes = event.bytes().size() + meta.by.user.size() + meta.by.host.size() + 256;
  for (const auto& h : meta.hooks) bytes += h.bytes().size();
  if (bytes <= schema::small_message_bytes)
    return schema::make_small<schema::Record>([&](schema::Record::Builder r) { fill(r, meta, event); });
  capnp::MallocMessageBuilder builder(static_cast<unsigned>(bytes / sizeof(capnp::word)));
  fill(builder.initRoot<schema::Record>(), meta, event);
  return schema::sealed<schema::Record>(schema::sealed_message::from_builder(builder));
}

}  // namespace

chain_hash record::hash() const {
  // The frame is not kept; its hashed part is put together again: previous hash and message.
  sha256_stream s;
  s.add(previous_);
  s.add(message_.bytes());
  return s.finish();
}

framed_message frame(schema::byte_span message, const chain_hash& previous) {
  framed_message out;
  out.bytes.resize(message_at + message.size());
  put_number(out.bytes.data() + format_at, frame_format);
  std::memcpy(out.bytes.data() + previous_at, previous.data(), previous.size());
  std::memcpy(out.bytes.data() + message_at, message.data(), message.size());
  put_number(out.bytes.data() + crc_at, crc32c(schema::byte_span(out.bytes).subspan(format_at)));
  out.hash = hash_of_frame(out.bytes);
  return out;
}

namespace {

encoded_record framed(schema::sealed<schema::Record> message, const chain_hash& previous) {
  auto whole = frame(message.bytes(), previous);
  return {std::move(whole.bytes), std::make_shared<const record>(std::move(message), previous), whole.hash};
}

}  // namespace

encoded_record encode(const record_meta& meta, const model::event& event, const chain_hash& previous) {
  return framed(build(meta, event), previous);
}

encoded_record encode_behind(const record& r, std::uint64_t version, const chain_hash& previous) {
  capnp::MallocMessageBuilder builder(static_cast<unsigned>(r.message().size() / sizeof(capnp::word) + 1));
  builder.setRoot(r.get());
  builder.getRoot<schema::Record>().setStreamVersion(version);
  return framed(schema::sealed<schema::Record>(schema::sealed_message::from_builder(builder)), previous);
}

std::variant<record_ptr, damage> decode(schema::byte_span bytes) {
  if (bytes.size() <= message_at) return damage{"only " + std::to_string(bytes.size()) + " bytes"};
  if (number_at(bytes, crc_at) != crc32c(bytes.subspan(format_at))) return damage{"wrong checksum"};
  if (const auto format = number_at(bytes, format_at); format != frame_format)
    return damage{"frame format " + std::to_string(format) + ", this program knows " + std::to_string(frame_format)};
  std::string why;
  auto message = schema::sealed_message::from_bytes(bytes.subspan(message_at), {}, &why);
  if (!message) return damage{"no Cap'n Proto message: " + why};
  chain_hash previous;
  std::memcpy(previous.data(), bytes.data() + previous_at, previous.size());
  auto out = std::make_shared<const record>(schema::sealed<schema::Record>(std::move(*message)), previous);
  try {
    // Skipping an event of a later program would be a lie about history.
    if (!schema::is_known(out->event()))
      return damage{schema::event_name(out->event()) + " is not known to this program; it was written by a newer one"};
  } catch (const kj::Exception& e) {  // sound as a message, but not of this shape
    return damage{std::string("no record: ") + e.getDescription().cStr()};
  }
  return out;
}

std::string content_hash(schema::byte_span bytes) {
  const auto digest = sha256(bytes);
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace annals::log
