// What the writing and the reading RocksDB store share: the column families with their options and keys, and every
// reading function. Private to events/log.
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "events/log/record_chunk.hpp"
#include "events/log/store_options.hpp"
#include "events/log/watched_disk.hpp"
#include "events/ports/event_store.hpp"

namespace annals::log {

// Big-endian keys: byte order is number order.
std::string key_of(std::uint64_t n);
std::string key_of(std::uint64_t stream, std::uint64_t version);
std::uint64_t number_in(rocksdb::Slice key, std::size_t at = 0);

// A blob's entry is its hash, then either 'I' and the content, or 'P' and the number of pieces (32 bits, big-endian); a
// piece's key is the hash and the number of the piece.
std::string piece_key(std::string_view hash, std::uint32_t number);
constexpr char inline_blob = 'I', blob_in_pieces = 'P';

enum table : std::size_t { events,
                           streams,
                           blobs,
                           uploads,
                           memos,
                           cache,
                           table_count };

rocksdb::Slice slice(ports::byte_span bytes);
ports::byte_span span(const rocksdb::Slice& s);

// Bytes that opening again and going on may write: recovery no more than the memtables hold, then a new write-ahead
// log.
constexpr std::size_t room_needed(const store_options& o) { return 2 * o.memtable_bytes; }

class rocksdb_tables {
 public:
  rocksdb_tables(std::string path, const store_options& options);
  ~rocksdb_tables();
  rocksdb_tables(const rocksdb_tables&) = delete;
  rocksdb_tables& operator=(const rocksdb_tables&) = delete;

  rocksdb::Status open_to_write();
  rocksdb::Status open_to_read();  // writes nothing: for a disk that is full
  // For a store that holds nothing but write-ahead logs of another: what can't be read of them is skipped.
  rocksdb::Status open_over_damage();
  void close();
  bool is_open() const { return db_ != nullptr; }
  // `scratch`: a private directory for RocksDB's own log of this reader.
  rocksdb::Status open_beside(const std::string& scratch);
  // Reads the last sequence anew.
  ports::store_status load_last();

  // Whether the next opening would find much in write-ahead logs, or many of them: each opening leaves one.
  bool is_slow_to_open() const;
  void begin_flush() const;  // of all tables; RocksDB's threads do it

  // Whether the disk has room for what opening and going on need. Leaves nothing.
  ports::store_status try_for_room() const;

  // What a failure means to the caller; `doing` says what was attempted.
  ports::store_status status_of(const rocksdb::Status& s, const std::string& doing) const;

  // Kept in RocksDB's default column family, which has nothing else.
  static constexpr const char* epoch_key = "epoch";
  std::uint64_t epoch() const;

  std::uint64_t last_sequence() const { return last_sequence_; }
  std::uint64_t last_version(std::uint64_t stream) const;
  std::uint64_t last_stream() const;
  ports::store_status read(std::uint64_t from, const ports::event_store::visitor& visit) const;
  ports::store_status read_stream(std::uint64_t stream, std::uint64_t from_version,
                                  const ports::event_store::visitor& visit) const;
  ports::store_status read_index(const ports::event_store::index_visitor& visit, ports::index_place from) const;
  ports::store_status sequences_of(std::span<const ports::index_place> places, std::vector<std::uint64_t>& out) const;
  rocksdb::Status check_blocks() const;  // of every file, without knowing what they hold
  std::optional<ports::store_status> check_blob(std::string_view hash, std::uint64_t* size) const;
  ports::store_status read_rest(std::string& position, std::size_t bytes,
                                const ports::event_store::memo_visitor& memo_visit) const;
  std::optional<std::vector<std::byte>> read_blob(std::string_view hash, ports::store_status* why) const;
  std::optional<std::string> get(table from, std::string_view key) const;
  void scan_cache(std::string_view prefix,
                  const std::function<bool(std::string_view key, ports::byte_span value)>& visit) const;

  static const char* name_of(table t);
  rocksdb::Options options_of_files() const;  // to read a file of any table by itself
  rocksdb::DB& db() const { return *db_; }
  rocksdb::ColumnFamilyHandle* in(table t) const { return handles_[t + 1]; }  // [0] is RocksDB's default: the epoch
  const std::string& path() const { return path_; }
  const store_options& wanted() const { return wanted_; }
  // A look-up (epoch, version, memo) has no way to say that it failed; taking its answer for "not there" could do a command
  // twice. So the failure is kept here and the next append answers with it.
  ports::store_status failed_lookup() const;

  std::atomic<std::uint64_t> last_sequence_{0};

 private:
  std::vector<rocksdb::ColumnFamilyDescriptor> families() const;
  rocksdb::Status check_wals() const;  // before each opening: RocksDB would end the process
  // Opens the chunk the iterator stands at.
  ports::store_status open_chunk(const rocksdb::Iterator& at, unpacked_chunk& chunk) const;
  ports::store_status find_chunk(std::uint64_t sequence, unpacked_chunk& chunk) const;
  void note_lookup(const rocksdb::Status& s, const char* doing) const;
  ports::store_status read_pieces(std::string_view hash, std::uint32_t count, std::vector<std::byte>& out) const;

  std::string path_;
  store_options wanted_;
  std::shared_ptr<watched_disk> disk_;
  std::unique_ptr<rocksdb::Env> env_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  mutable std::mutex lookup_mutex_;
  mutable ports::store_status failed_lookup_;
};

}  // namespace annals::log
