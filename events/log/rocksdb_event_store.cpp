#include "events/log/rocksdb_event_store.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "events/log/batch_place.hpp"
#include "events/log/growth.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/record_chunk.hpp"
#include "events/log/rocksdb_reading.hpp"
#include "events/model/outcome.hpp"

namespace annals::log {
namespace {

using ports::store_error;
using ports::store_status;

rocksdb::Slice slice(std::string_view s) { return {s.data(), s.size()}; }

rocksdb::WriteOptions synced() {
  rocksdb::WriteOptions o;
  o.sync = true;
  return o;
}

// Snapshots skip the write-ahead log: they are flushed when a round of them is complete.
rocksdb::WriteOptions unlogged() {
  rocksdb::WriteOptions o;
  o.disableWAL = true;
  return o;
}

class writer : public rocksdb_reading<ports::event_store> {
 public:
  explicit writer(std::unique_ptr<rocksdb_tables> tables) : rocksdb_reading(std::move(tables)) {}

  // Removes uploads that no event adopted: their clients went away, or the process did.
  store_status sweep() {
    std::vector<std::string> abandoned;
    std::unique_ptr<rocksdb::Iterator> i(tables_->db().NewIterator({}, tables_->in(uploads)));
    for (i->SeekToFirst(); i->Valid(); i->Next()) abandoned.push_back(i->key().ToString());
    if (!i->status().ok()) return tables_->status_of(i->status(), "looking for abandoned uploads");
    if (abandoned.empty()) return {};
    return write(synced(), "removing abandoned uploads", [&](auto& out) {
      for (const auto& hash : abandoned) {
        out.Delete(in(blobs), hash);
        out.DeleteRange(in(blobs), hash, piece_key(hash, UINT32_MAX));
        out.Delete(in(uploads), hash);
      }
    });
  }

  store_status take(std::uint64_t epoch) override {
    std::lock_guard one_writer(writer_mutex_);
    if (const auto now = this->epoch(); epoch <= now) return fenced_by(now, epoch);
    return write(synced(), "taking the log", [&](auto& out) { out.Put(rocksdb_tables::epoch_key, key_of(epoch)); });
  }

  store_status append(const ports::write_batch& batch) override {
    std::lock_guard one_writer(writer_mutex_);
    const auto taken = epoch();
    if (auto failed = locked()->failed_lookup(); !failed) return failed;
    const auto place = place_in(*this, taken, batch);
    if (place.already || !place.status) return place.status;
    std::unique_lock one_at_a_time(blob_mutex_, std::defer_lock);
    if (!batch.blobs.empty() || !batch.adopted.empty()) one_at_a_time.lock();
    const auto written = write(
        synced(), "writing records",
        [&](auto& out) {
          put_records(out, batch);
          for (const auto& b : batch.blobs) put_inline(out, b);
          if (!batch.forget_memos_below.empty()) out.DeleteRange(in(memos), "", batch.forget_memos_below);
          for (const auto& m : batch.memos) out.Put(in(memos), m.key, m.value);
          for (const auto& hash : batch.adopted) out.Delete(in(uploads), hash);
        },
        batch.records.empty() ? nullptr : &batch.records.back());
    if (written) growth_.happened();
    return written;
  }

  std::uint64_t wait_beyond(std::uint64_t sequence, std::chrono::milliseconds timeout) const override {
    return growth_.wait_beyond(sequence, timeout, [this] { return last_sequence(); });
  }

  // RocksDB's own threads write down what else the next opening would read from the write-ahead log. What fails there, the
  // next write says.
  void use_quiet() override {
    std::shared_lock lock(gate_);
    if (!full_ && tables_->is_slow_to_open()) tables_->begin_flush();
  }

  store_status put_blob_piece(std::string_view hash, std::uint32_t number, ports::byte_span bytes) override {
    std::lock_guard one_at_a_time(blob_mutex_);
    return write({}, "writing a piece of a blob", [&](auto& out) {
      if (!tables_->get(blobs, hash)) out.Put(in(uploads), slice(hash), "");
      out.Put(in(blobs), piece_key(hash, number), log::slice(bytes));
    });
  }

  store_status finish_blob(std::string_view hash, std::uint32_t pieces) override {
    std::lock_guard one_at_a_time(blob_mutex_);
    return write(synced(), "finishing a blob", [&](auto& out) {
      out.Put(in(blobs), slice(hash), blob_in_pieces + key_of(pieces).substr(4));
    });
  }

  store_status put_cache(std::string_view key, ports::byte_span value) override {
    return write(unlogged(), "writing a snapshot",
                 [&](auto& out) { out.Put(in(cache), slice(key), log::slice(value)); });
  }

  store_status keep_cache() override {
    if (auto ok = be_ready(); !ok) return ok;
    std::shared_lock lock(gate_);
    return noted(tables_->status_of(tables_->db().Flush({}, in(cache)), "keeping snapshots"));
  }

  store_status drop_cache(std::string_view prefix) override {
    return write(unlogged(), "dropping snapshots", [&](auto& out) {
      tables_->scan_cache(prefix, [&](std::string_view key, ports::byte_span) {
        out.Delete(in(cache), slice(key));
        return true;
      });
    });
  }

 private:
  rocksdb::ColumnFamilyHandle* in(table t) const { return tables_->in(t); }

  void put_records(rocksdb::WriteBatch& out, const ports::write_batch& batch) {
    auto records = std::span(batch.records);
    for (const auto& r : records) out.Put(in(streams), key_of(r.stream, r.stream_version), key_of(r.sequence));
    while (!records.empty()) {
      const auto n = chunk_length(records);
      out.Put(in(events), key_of(records.front().sequence), pack_chunk(records.first(n)));
      records = records.subspan(n);
    }
  }

  void put_inline(rocksdb::WriteBatch& out, const ports::blob& b) {
    out.Delete(in(uploads), b.hash);
    const auto there = tables_->get(blobs, b.hash);
    if (there && holds(*there, b.bytes)) return;  // a damaged one is written anew
    const rocksdb::Slice key(b.hash), value_parts[] = {rocksdb::Slice(&inline_blob, 1), log::slice(b.bytes)};
    out.Put(in(blobs), rocksdb::SliceParts(&key, 1), rocksdb::SliceParts(value_parts, 2));
  }

  static bool holds(const std::string& entry, ports::byte_span bytes) {
    return entry.size() == 1 + bytes.size() && entry[0] == inline_blob &&
           (bytes.empty() || std::memcmp(entry.data() + 1, bytes.data(), bytes.size()) == 0);
  }

  // `last`: the last record the batch holds, if it holds any.
  template <class Fill>
  store_status write(const rocksdb::WriteOptions& options, const char* doing, Fill&& fill,
                     const ports::stored_record* last = nullptr) {
    if (auto ok = be_ready(); !ok) return ok;
    std::shared_lock lock(gate_);
    if (auto failed = tables_->failed_lookup(); !failed) return failed;
    rocksdb::WriteBatch out;
    fill(out);
    if (out.Count() == 0) return {};
    auto status = noted(tables_->status_of(tables_->db().Write(options, &out), doing));
    if (status && last) tables_->last_sequence_ = last->sequence;
    return status;
  }

  store_status noted(store_status status) {
    if (status.error == store_error::disk_full) full_ = true;
    return status;
  }

  // After a full disk RocksDB refuses every write. Once there is room it is closed and opened again: the same path as
  // after a crash, which drops the torn end of the write-ahead log. (DB::Resume() turns a disk that is still full into
  // an error for good.) Until then reading goes on.
  store_status be_ready() {
    if (!full_) return {};
    std::lock_guard one(ready_mutex_);
    if (!full_) return {};
    if (auto room = tables_->try_for_room(); !room) return room;
    std::unique_lock lock(gate_);
    const auto last = tables_->last_sequence();
    const auto path = tables_->path();
    const auto options = tables_->wanted();
    auto open = [&](auto how) {
      tables_.reset();  // first: it holds the lock of the directory
      tables_ = std::make_unique<rocksdb_tables>(path, options);
      const auto s = (*tables_.*how)();
      return s.ok() ? tables_->load_last() : tables_->status_of(s, "opening again after a full disk");
    };
    const auto opened = open(&rocksdb_tables::open_to_write);
    if (!opened && !open(&rocksdb_tables::open_to_read))
      model::invariant_failed("the event log can be opened again after a full disk", __FILE__, __LINE__);
    if (opened && tables_->last_sequence() != last)
      return {store_error::damaged, "event log " + path + ": after a full disk its last record is " +
                                        std::to_string(tables_->last_sequence()) + ", not " + std::to_string(last) +
                                        what_to_run};
    if (opened) full_ = false;
    return opened;
  }

  // An event that names a blob and an upload of the same content: one after the other, or the upload would call it
  // its own, and the next sweep would take it.
  std::mutex blob_mutex_;
  std::mutex writer_mutex_;  // who takes the log waits for what is being written; before blob_mutex_
  std::atomic<bool> full_{false};
  std::mutex ready_mutex_;
  growth growth_;
};

store_status make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  const auto error = errno == ENOSPC || errno == EDQUOT ? store_error::disk_full : store_error::io;
  return {error, "event log " + path + ": can't make the directory: " + std::strerror(errno)};
}

}  // namespace

// CURRENT names the manifest, which names every other file.
bool has_event_store(const std::string& path) { return ::access((path + "/CURRENT").c_str(), F_OK) == 0; }

std::variant<std::unique_ptr<ports::event_store>, store_status> open_event_store(const std::string& path,
                                                                                 const store_options& options) {
  if (auto made = make_directory(path); !made) return made;
  auto tables = std::make_unique<rocksdb_tables>(path, options);
  if (auto s = tables->open_to_write(); !s.ok()) return tables->status_of(s, "opening");
  if (auto ok = tables->load_last(); !ok) return ok;
  auto store = std::make_unique<writer>(std::move(tables));
  if (auto ok = store->sweep(); !ok) return ok;
  return store;
}

}  // namespace annals::log
