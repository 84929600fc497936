#include "events/log/snapshots.hpp"

#include <cstring>
#include <string>

#include "events/log/checksum.hpp"
#include "events/log/log_reader.hpp"

namespace annals::log {
namespace {

constexpr std::uint32_t layout = 1;
constexpr std::string_view key_prefix = "snapshot/";

// What stands before the payload; the checksum covers everything behind itself.
struct header {
  std::uint32_t crc = 0;
  std::uint32_t layout = 0;
  std::uint32_t format = 0;
  std::uint32_t unused = 0;
  std::uint64_t sequence = 0;
  chain_hash at{};
};
static_assert(sizeof(header) == 56 && std::is_trivially_copyable_v<header>, "written as it is");

std::string key_of_snapshot(std::string_view name) { return std::string(key_prefix) + std::string(name); }

}  // namespace

ports::store_status snapshot_store::save(std::string_view name, std::uint32_t format, std::uint64_t sequence,
                                         const chain_hash& at, ports::byte_span payload) {
  const header h{0, layout, format, 0, sequence, at};
  std::vector<std::byte> value(sizeof h + payload.size());
  std::memcpy(value.data(), &h, sizeof h);
  if (!payload.empty()) std::memcpy(value.data() + sizeof h, payload.data(), payload.size());
  const auto crc = crc32c(ports::byte_span(value).subspan(sizeof h.crc));
  std::memcpy(value.data(), &crc, sizeof crc);
  return store_.cache->put_cache(key_of_snapshot(name), value);
}

std::optional<snapshot> snapshot_store::open(std::uint32_t format, ports::byte_span value) const {
  header h;
  if (value.size() < sizeof h) return std::nullopt;
  std::memcpy(&h, value.data(), sizeof h);
  if (h.crc != crc32c(value.subspan(sizeof h.crc)) || h.layout != layout || h.format != format) return std::nullopt;
  if (!in_this_log(h.sequence, h.at)) return std::nullopt;
  const auto payload = value.subspan(sizeof h);
  return snapshot{h.sequence, {payload.begin(), payload.end()}};
}

bool snapshot_store::in_this_log(std::uint64_t sequence, const chain_hash& at) const {
  if (sequence == 0) return at == chain_hash{};
  if (sequence != known_sequence_) {
    known_sequence_ = 0;
    (void)log_reader(*store_.log).read(sequence, [&](const record_ptr& r) {
      known_sequence_ = sequence;
      known_hash_ = r->hash();
      return false;
    });
  }
  return sequence == known_sequence_ && at == known_hash_;
}

std::optional<snapshot> snapshot_store::load(std::string_view name, std::uint32_t format) const {
  const auto value = store_.cache->get_cache(key_of_snapshot(name));
  return value ? open(format, *value) : std::nullopt;
}

void snapshot_store::load_all(std::string_view prefix, std::uint32_t format, const visitor& visit) const {
  store_.cache->scan_cache(key_of_snapshot(prefix), [&](std::string_view key, ports::byte_span value) {
    const auto sound = open(format, value);
    return !sound || visit(key.substr(key_prefix.size()), *sound);
  });
}

ports::store_status snapshot_store::drop(std::string_view prefix) {
  return store_.cache->drop_cache(key_of_snapshot(prefix));
}

}  // namespace annals::log
