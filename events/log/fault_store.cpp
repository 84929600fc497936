#include "events/log/fault_store.hpp"

#include <utility>

#include "events/model/outcome.hpp"

namespace annals::log {
namespace {

const ports::store_status full{ports::store_error::disk_full, "no space left on the event log's disk"};
const ports::store_status unknown{ports::store_error::uncertain, "whether the event log has the batch is not known yet"};
const ports::store_status unsynced{ports::store_error::sync_failed, "the sync of the event log failed"};

}  // namespace

void fault_store::crash() {
  disk_.sweep();
  seen_.assign(disk_);
  fail_next_sync_ = tear_next_append_ = broken_ = false;
  uncertain_ = 0;
}

ports::store_status fault_store::take(std::uint64_t epoch) {
  if (broken_) return unsynced;
  if (full_) return full;
  if (auto ok = seen_.take(epoch); !ok) return ok;
  return disk_.take(epoch);
}

// Nothing is drawn where nothing can happen: a seed without this fault stays what it was.
bool fault_store::drawn(double rate) { return rate > 0 && std::uniform_real_distribution<>(0, 1)(random_) < rate; }

ports::store_status fault_store::keep(const ports::write_batch& batch) {
  if (auto ok = disk_.append(batch); !ok) return ok;
  return seen_.append(batch);
}

ports::store_status fault_store::append(const ports::write_batch& batch) {
  if (broken_) return unsynced;
  if (full_) return full;
  if (std::exchange(tear_next_append_, false)) {
    tear(batch);
    broken_ = true;
    return unsynced;
  }
  if (drawn(uncertain_rate_)) ++uncertain_;
  if (uncertain_ > 0) {
    --uncertain_;
    if (random_() % 2 == 0)
      if (auto kept = keep(batch); !kept) return kept;
    return unknown;
  }
  const bool fails = drawn(sync_failure_rate_);
  if (std::exchange(fail_next_sync_, false) || fails) {
    if (random_() % 2 == 0) disk_.append(batch);
    broken_ = true;
    return unsynced;
  }
  auto kept = keep(batch);
  if (kept) ++appends_;
  return kept;
}

void fault_store::tear(const ports::write_batch& batch) {
  ANNALS_INVARIANT(!batch.records.empty(), "a batch that is torn has records");
  ports::write_batch part;
  part.epoch = batch.epoch;
  part.records.assign(batch.records.begin(),
                      batch.records.begin() + 1 + static_cast<std::ptrdiff_t>(random_() % batch.records.size()));
  auto& last = part.records.back().bytes;
  last.resize(random_() % last.size());
  disk_.append(part);
}

void fault_store::flip_bit(std::uint64_t sequence) {
  for (auto* store : {&seen_, &disk_}) {
    std::mt19937_64 same = random_;
    std::vector<std::byte> bytes;
    store->read(sequence, [&](std::uint64_t, ports::byte_span found) {
      bytes.assign(found.begin(), found.end());
      return false;
    });
    bytes[same() % bytes.size()] ^= std::byte{1} << (same() % 8);
    store->overwrite(sequence, std::move(bytes));
  }
  random_.discard(2);
}

// Pieces are not synced: only finishing a blob puts it on the disk.
ports::store_status fault_store::put_blob_piece(std::string_view hash, std::uint32_t number, ports::byte_span bytes) {
  if (full_) return full;
  return seen_.put_blob_piece(hash, number, bytes);
}

ports::store_status fault_store::finish_blob(std::string_view hash, std::uint32_t pieces) {
  if (broken_) return unsynced;
  if (full_) return full;
  if (auto ok = seen_.finish_blob(hash, pieces); !ok) return ok;
  if (auto whole = seen_.read_blob(hash); whole && !disk_.read_blob(hash)) {
    disk_.put_blob_piece(hash, 0, *whole);
    disk_.finish_blob(hash, 1);
  }
  return {};
}

ports::store_status fault_store::put_cache(std::string_view key, ports::byte_span value) {
  if (full_) return full;
  return seen_.put_cache(key, value);
}

// Whether what was kept survives is drawn per call, as a cache may be lost at any time.
ports::store_status fault_store::keep_cache() {
  if (full_) return full;
  if (random_() % 2 == 0) return {};
  disk_.drop_cache("");
  seen_.scan_cache(
      "", [&](std::string_view key, ports::byte_span value) { return static_cast<bool>(disk_.put_cache(key, value)); });
  return {};
}

ports::store_status fault_store::drop_cache(std::string_view prefix) {
  disk_.drop_cache(prefix);
  return seen_.drop_cache(prefix);
}

}  // namespace annals::log
