#include "events/log/memory_event_store.hpp"

#include <mutex>

#include "events/log/batch_place.hpp"
#include "events/log/record.hpp"
#include "events/model/outcome.hpp"

namespace annals::log {
namespace {

std::shared_ptr<const std::vector<std::byte>> share(ports::byte_span bytes) {
  return std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
}

}  // namespace

void memory_event_store::assign(const memory_event_store& other) {
  contents copy;
  {
    std::shared_lock lock(other.mutex_);
    copy = other.data_;
  }
  {
    std::unique_lock lock(mutex_);
    data_ = std::move(copy);
  }
  growth_.happened();
}

void memory_event_store::overwrite(std::uint64_t sequence, std::vector<std::byte> bytes) {
  std::unique_lock lock(mutex_);
  auto found = data_.events.find(sequence);
  ANNALS_INVARIANT(found != data_.events.end(), "a record that is overwritten exists");
  found->second = share(bytes);
}

std::uint64_t memory_event_store::epoch() const {
  std::shared_lock lock(mutex_);
  return data_.epoch;
}

ports::store_status memory_event_store::take(std::uint64_t epoch) {
  std::lock_guard one_at_a_time(writer_);
  std::unique_lock lock(mutex_);
  if (epoch <= data_.epoch) return fenced_by(data_.epoch, epoch);
  data_.epoch = epoch;
  return {};
}

ports::store_status memory_event_store::append(const ports::write_batch& batch) {
  std::lock_guard one_at_a_time(writer_);
  const auto place = place_in(*this, epoch(), batch);
  if (place.already || !place.status) return place.status;
  put(batch);
  growth_.happened();
  return {};
}

void memory_event_store::put(const ports::write_batch& batch) {
  std::unique_lock lock(mutex_);
  for (const auto& r : batch.records) {
    data_.events.emplace_hint(data_.events.end(), r.sequence, share(r.bytes));
    data_.streams[{r.stream, r.stream_version}] = r.sequence;
  }
  for (const auto& b : batch.blobs) {
    data_.blobs[b.hash] = share(b.bytes);
    data_.orphans.erase(b.hash);
  }
  data_.memos.erase(data_.memos.begin(), data_.memos.lower_bound(batch.forget_memos_below));
  for (const auto& m : batch.memos) data_.memos[m.key] = m.value;
  for (const auto& hash : batch.adopted) data_.orphans.erase(hash);
}

std::uint64_t memory_event_store::last_sequence() const {
  std::shared_lock lock(mutex_);
  return data_.events.empty() ? 0 : data_.events.rbegin()->first;
}

std::uint64_t memory_event_store::wait_beyond(std::uint64_t sequence, std::chrono::milliseconds timeout) const {
  return growth_.wait_beyond(sequence, timeout, [this] { return last_sequence(); });
}

std::uint64_t memory_event_store::last_version(std::uint64_t stream) const {
  std::shared_lock lock(mutex_);
  auto after = data_.streams.upper_bound({stream, UINT64_MAX});
  if (after == data_.streams.begin()) return 0;
  const auto& [key, sequence] = *std::prev(after);
  return key.first == stream ? key.second : 0;
}

std::uint64_t memory_event_store::last_stream() const {
  std::shared_lock lock(mutex_);
  return data_.streams.empty() ? 0 : data_.streams.rbegin()->first.first;
}

// The lock is not held while visiting, so that a visitor may ask the store.
ports::store_status memory_event_store::read(std::uint64_t from, const visitor& visit) const {
  while (true) {
    bytes_ptr bytes;
    {
      std::shared_lock lock(mutex_);
      auto found = data_.events.lower_bound(from);
      if (found == data_.events.end()) return {};
      from = found->first;
      bytes = found->second;
    }
    if (!visit(from++, *bytes)) return {};
  }
}

ports::store_status memory_event_store::read_stream(std::uint64_t stream, std::uint64_t from_version,
                                                    const visitor& visit) const {
  while (true) {
    bytes_ptr bytes;
    std::uint64_t sequence = 0;
    {
      std::shared_lock lock(mutex_);
      auto found = data_.streams.lower_bound({stream, from_version});
      if (found == data_.streams.end() || found->first.first != stream) return {};
      from_version = found->first.second + 1;
      sequence = found->second;
      auto event = data_.events.find(sequence);
      if (event == data_.events.end())
        return {ports::store_error::damaged, "record " + std::to_string(sequence) + " is missing"};
      bytes = event->second;
    }
    if (!visit(sequence, *bytes)) return {};
  }
}

ports::store_status memory_event_store::read_index(const index_visitor& visit, ports::index_place from) const {
  decltype(contents::streams) copy;
  {
    std::shared_lock lock(mutex_);
    copy = data_.streams;
  }
  for (auto at = copy.lower_bound({from.stream, from.version}); at != copy.end(); ++at)
    if (!visit(at->first.first, at->first.second, at->second)) break;
  return {};
}

ports::store_status memory_event_store::sequences_of(std::span<const ports::index_place> places,
                                                     std::vector<std::uint64_t>& out) const {
  std::shared_lock lock(mutex_);
  out.clear();
  for (const auto& p : places) {
    const auto at = data_.streams.find({p.stream, p.version});
    out.push_back(at == data_.streams.end() ? 0 : at->second);
  }
  return {};
}

std::optional<std::vector<std::byte>> memory_event_store::read_blob(std::string_view hash,
                                                                    ports::store_status* why) const {
  std::shared_lock lock(mutex_);
  auto found = data_.blobs.find(hash);
  if (found == data_.blobs.end()) return std::nullopt;
  if (content_hash(*found->second) != hash) {
    if (why) *why = {ports::store_error::damaged, "the content of a blob does not match its hash"};
    return std::nullopt;
  }
  return *found->second;
}

ports::store_status memory_event_store::put_blob_piece(std::string_view hash, std::uint32_t number,
                                                       ports::byte_span bytes) {
  std::unique_lock lock(mutex_);
  data_.pieces[std::string(hash)][number] = share(bytes);
  return {};
}

ports::store_status memory_event_store::finish_blob(std::string_view hash, std::uint32_t pieces) {
  std::unique_lock lock(mutex_);
  auto came = data_.pieces.extract(std::string(hash));
  ANNALS_INVARIANT(!came.empty() && came.mapped().size() == pieces, "a finished blob has all its pieces");
  const bool known = data_.blobs.contains(hash);
  std::vector<std::byte> whole;
  for (const auto& [number, bytes] : came.mapped()) whole.insert(whole.end(), bytes->begin(), bytes->end());
  data_.blobs[std::string(hash)] = share(whole);
  if (!known) data_.orphans.emplace(hash);
  return {};
}

std::optional<std::string> memory_event_store::read_memo(std::string_view key) const {
  std::shared_lock lock(mutex_);
  auto found = data_.memos.find(key);
  return found == data_.memos.end() ? std::nullopt : std::optional(found->second);
}

ports::store_status memory_event_store::put_cache(std::string_view key, ports::byte_span value) {
  std::unique_lock lock(mutex_);
  data_.cache[std::string(key)] = share(value);
  return {};
}

ports::store_status memory_event_store::keep_cache() { return {}; }

std::optional<std::vector<std::byte>> memory_event_store::get_cache(std::string_view key) const {
  std::shared_lock lock(mutex_);
  auto found = data_.cache.find(key);
  return found == data_.cache.end() ? std::nullopt : std::optional(*found->second);
}

void memory_event_store::scan_cache(
    std::string_view prefix, const std::function<bool(std::string_view key, ports::byte_span value)>& visit) const {
  decltype(contents::cache) copy;
  {
    std::shared_lock lock(mutex_);
    copy = data_.cache;
  }
  for (auto i = copy.lower_bound(prefix); i != copy.end() && i->first.starts_with(prefix); ++i)
    if (!visit(i->first, *i->second)) break;
}

ports::store_status memory_event_store::drop_cache(std::string_view prefix) {
  std::unique_lock lock(mutex_);
  std::erase_if(data_.cache, [&](const auto& entry) { return entry.first.starts_with(prefix); });
  return {};
}

void memory_event_store::sweep() {
  std::unique_lock lock(mutex_);
  for (const auto& hash : data_.orphans) data_.blobs.erase(hash);
  data_.orphans.clear();
  data_.pieces.clear();
}

}  // namespace annals::log
