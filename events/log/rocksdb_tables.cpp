#include "events/log/rocksdb_tables.hpp"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>

#include "events/log/log_reader.hpp"
#include "events/log/record.hpp"
#include "events/log/wal_order.hpp"

namespace annals::log {
namespace {

constexpr const char* table_names[] = {"events", "streams", "blobs", "uploads", "memos", "cache"};
static_assert(std::size(table_names) == table_count);

// Scans of history read on ahead of the visitor in pieces of this size.
constexpr std::size_t readahead_bytes = 2u << 20;
// The write-ahead log is replayed at the next start, at some 120 MB/s: no more of it than costs 0.1 s.
constexpr std::size_t wal_bytes_max = 12u << 20;
// While nothing is written, what costs some milliseconds is enough to write it to tables.
constexpr std::size_t quiet_wal_bytes = 512u << 10, quiet_wal_files = 8;

// A file of records has what was written until a quiet moment, and is never made larger: a long log has thousands. To open one takes 0.2 ms
// and some kilobytes, so who writes opens few, and others when somebody reads there. Who reads beside a writer opens all: the writer may
// remove a file that is not open.
constexpr int open_files_of_writer = 512;

// RocksDB's own log file goes through a writer that, in a build with assertions (as Debian's is), aborts the process when a
// file is written again after an error: a full disk would end the daemon. What matters comes back as statuses.
class no_log : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

rocksdb::Options database_options(rocksdb::Env* env) {
  rocksdb::Options o;
  o.env = env;
  o.create_if_missing = true;
  o.create_missing_column_families = true;
  o.paranoid_checks = true;
  // Only a record that a crash cut off at the end may be dropped: it was never acknowledged. Damage anywhere else
  // refuses to open, instead of losing history silently.
  o.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  o.max_total_wal_size = wal_bytes_max;
  o.avoid_flush_during_recovery = true;
  // wal_compression stays off: until RocksDB 7.10.2 a compressed write-ahead log of large batches may not be read back.
  o.max_open_files = -1;
  o.max_file_opening_threads = 1;  // more threads would be made anew for each family
  o.max_bgerror_resume_count = 0;  // the store decides when to go on after a full disk
  o.info_log = std::make_shared<no_log>();
  // An idle server does not wake up for RocksDB's statistics.
  o.stats_dump_period_sec = 0;
  o.stats_persist_period_sec = 0;
  return o;
}

// RocksDB has no code for it: its text says so of a lock of this process and of another's. That the file of the lock could not be opened,
// or that a name on the way to it has the word, is something else.
bool says_locked(const std::string& status) {
  return status.find("lock hold by current process") != std::string::npos || status.find("hile lock file: ") != std::string::npos;
}

}  // namespace

std::string key_of(std::uint64_t n) {
  std::string out(8, '\0');
  for (int i = 7; i >= 0; --i, n >>= 8) out[static_cast<std::size_t>(i)] = static_cast<char>(n & 0xff);
  return out;
}

std::string key_of(std::uint64_t stream, std::uint64_t version) { return key_of(stream) + key_of(version); }

std::uint64_t number_in(rocksdb::Slice key, std::size_t at) {
  std::uint64_t n = 0;
  for (std::size_t i = at; i < at + 8 && i < key.size(); ++i) n = (n << 8) | static_cast<unsigned char>(key[i]);
  return n;
}

std::string piece_key(std::string_view hash, std::uint32_t number) {
  return std::string(hash) + key_of(number).substr(4);
}

rocksdb::Slice slice(ports::byte_span bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
ports::byte_span span(const rocksdb::Slice& s) { return std::as_bytes(std::span(s.data(), s.size())); }

rocksdb_tables::rocksdb_tables(std::string path, const store_options& options)
    : path_(std::move(path)),
      wanted_(options),
      disk_(std::make_shared<watched_disk>(options.hooks)),
      env_(rocksdb::NewCompositeEnv(disk_)),
      options_(database_options(env_.get())) {}

rocksdb_tables::~rocksdb_tables() { close(); }

void rocksdb_tables::close() {
  for (auto* handle : handles_) db_->DestroyColumnFamilyHandle(handle);
  handles_.clear();
  db_.reset();
}

const char* rocksdb_tables::name_of(table t) { return table_names[t]; }

rocksdb::Options rocksdb_tables::options_of_files() const { return {options_, families()[blobs + 1].options}; }

rocksdb::Status rocksdb_tables::open_over_damage() {
  auto options = options_;
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  rocksdb::DB* db = nullptr;
  auto s = rocksdb::DB::Open(options, path_, families(), &handles_, &db);
  db_.reset(db);
  return s;
}

std::vector<rocksdb::ColumnFamilyDescriptor> rocksdb_tables::families() const {
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = rocksdb::NewLRUCache(wanted_.block_cache_bytes);
  blocks.block_size = 16u << 10;
  blocks.format_version = 5;
  rocksdb::ColumnFamilyOptions common;
  common.compression = rocksdb::kLZ4Compression;
  common.write_buffer_size = wanted_.memtable_bytes / 4;
  common.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));

  auto history = common;
  history.compression = rocksdb::kNoCompression;  // chunks are compressed already
  history.write_buffer_size = wanted_.memtable_bytes;
  // Looked up by keys that mostly are not there (a fresh command id, a new blob): the filter answers without the disk.
  blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  auto looked_up = common;
  looked_up.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  looked_up.memtable_whole_key_filtering = true;      // and without a search of what is not yet on the disk
  looked_up.memtable_prefix_bloom_size_ratio = 0.01;  // eight bits for a key of command ids in a full one

  std::vector<rocksdb::ColumnFamilyDescriptor> out{{rocksdb::kDefaultColumnFamilyName, common}};
  for (std::size_t t = 0; t < table_count; ++t)
    out.emplace_back(table_names[t], t == events ? history : t == blobs || t == memos ? looked_up
                                                                                      : common);
  return out;
}

rocksdb::Status rocksdb_tables::check_wals() const {
  const auto wrong = misplaced_wals(path_);
  return wrong.empty() ? rocksdb::Status::OK() : rocksdb::Status::Corruption(print(wrong.front()));
}

rocksdb::Status rocksdb_tables::open_to_write() {
  if (auto s = check_wals(); !s.ok()) return s;
  rocksdb::DB* db = nullptr;
  auto options = options_;
  options.max_open_files = open_files_of_writer;
  auto s = rocksdb::DB::Open(options, path_, families(), &handles_, &db);
  db_.reset(db);
  return s;
}

rocksdb::Status rocksdb_tables::open_to_read() {
  if (auto s = check_wals(); !s.ok()) return s;
  rocksdb::DB* db = nullptr;
  auto options = options_;
  options.create_if_missing = false;  // else it makes the directory
  auto s = rocksdb::DB::OpenForReadOnly(options, path_, families(), &handles_, &db);
  db_.reset(db);
  return s;
}

bool rocksdb_tables::is_slow_to_open() const {
  rocksdb::VectorLogPtr files;
  if (!db_->GetSortedWalFiles(files).ok()) return false;
  std::size_t bytes = 0;
  for (const auto& file : files) bytes += file->SizeFileBytes();
  return bytes >= quiet_wal_bytes || files.size() >= quiet_wal_files;
}

void rocksdb_tables::begin_flush() const {
  rocksdb::FlushOptions beside;
  beside.wait = false;
  (void)db_->Flush(beside, handles_);
}

ports::store_status rocksdb_tables::try_for_room() const {
  const std::string probe = path_ + "/room.probe", zeros(1u << 20, '\0');
  std::unique_ptr<rocksdb::WritableFile> file;
  auto s = env_->NewWritableFile(probe, &file, {});
  for (std::size_t n = 0; s.ok() && n < room_needed(wanted_); n += zeros.size()) s = file->Append(zeros);
  if (s.ok()) s = file->Sync();
  if (file) (void)file->Close();
  (void)env_->DeleteFile(probe);
  return status_of(s, "looking for room on the disk");
}

rocksdb::Status rocksdb_tables::open_beside(const std::string& scratch) {
  if (auto s = check_wals(); !s.ok()) return s;
  rocksdb::DB* db = nullptr;
  auto s = rocksdb::DB::OpenAsSecondary(options_, path_, scratch, families(), &handles_, &db);
  db_.reset(db);
  return s;
}

ports::store_status rocksdb_tables::open_chunk(const rocksdb::Iterator& at, unpacked_chunk& chunk) const {
  const auto first = number_in(at.key());
  if (chunk.open(at.value().ToStringView(), first)) return {};
  return {ports::store_error::damaged,
          "event log " + path_ + ": records from " + std::to_string(first) + " on can't be unpacked" + what_to_run};
}

ports::store_status rocksdb_tables::load_last() {
  std::unique_ptr<rocksdb::Iterator> i(db_->NewIterator({}, in(events)));
  i->SeekToLast();
  if (!i->status().ok()) return status_of(i->status(), "reading the last record");
  last_sequence_ = 0;
  if (!i->Valid()) return {};
  unpacked_chunk chunk;
  if (auto ok = open_chunk(*i, chunk); !ok) return ok;
  last_sequence_ = chunk.end() - 1;
  return {};
}

ports::store_status rocksdb_tables::status_of(const rocksdb::Status& s, const std::string& doing) const {
  using ports::store_error;
  if (s.ok()) return {};
  const std::string text = "event log " + path_ + ": " + doing + ": " + s.ToString();
  if (disk_->sync_failed())
    return {store_error::sync_failed, text + "; what was written last is unknown until a restart"};
  if (s.IsNoSpace()) return {store_error::disk_full, text};
  if (s.IsCorruption() || s.IsNotFound()) return {store_error::damaged, text + what_to_run};
  if (s.IsIOError() && says_locked(s.ToString()))
    return {store_error::locked, "event log " + path_ + ": another process has it open"};
  return {store_error::io, text};
}

void rocksdb_tables::note_lookup(const rocksdb::Status& s, const char* doing) const {
  if (s.ok() || s.IsNotFound()) return;
  std::lock_guard lock(lookup_mutex_);
  failed_lookup_ = status_of(s, doing);
}

ports::store_status rocksdb_tables::failed_lookup() const {
  std::lock_guard lock(lookup_mutex_);
  return failed_lookup_;
}

std::uint64_t rocksdb_tables::epoch() const {
  std::string value;
  const auto s = db_->Get({}, epoch_key, &value);
  note_lookup(s, "looking up the epoch of the writer");
  return s.ok() ? number_in(value) : 0;
}

std::uint64_t rocksdb_tables::last_version(std::uint64_t stream) const {
  std::unique_ptr<rocksdb::Iterator> i(db_->NewIterator({}, in(streams)));
  i->SeekForPrev(key_of(stream, UINT64_MAX));
  note_lookup(i->status(), "looking up the version of a stream");
  return i->Valid() && number_in(i->key()) == stream ? number_in(i->key(), 8) : 0;
}

std::uint64_t rocksdb_tables::last_stream() const {
  std::unique_ptr<rocksdb::Iterator> i(db_->NewIterator({}, in(streams)));
  i->SeekToLast();
  note_lookup(i->status(), "looking up the last stream");
  return i->Valid() ? number_in(i->key()) : 0;
}

ports::store_status rocksdb_tables::read(std::uint64_t from, const ports::event_store::visitor& visit) const {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  if (last_sequence_ > from + 1000) options.readahead_size = readahead_bytes;
  std::unique_ptr<rocksdb::Iterator> i(db_->NewIterator(options, in(events)));
  unpacked_chunk chunk;
  std::uint64_t next = from;
  i->SeekForPrev(key_of(from));  // the chunk that `from` is in begins at or before it
  if (!i->Valid() && i->status().ok()) i->SeekToFirst();
  for (; i->Valid(); i->Next()) {
    if (auto ok = open_chunk(*i, chunk); !ok) return ok;
    for (auto sequence = std::max(from, number_in(i->key())); sequence < chunk.end(); ++sequence) {
      if (!visit(sequence, chunk.record(sequence))) return {};
      next = sequence + 1;
    }
  }
  return status_of(i->status(), "reading record " + std::to_string(next));
}

ports::store_status rocksdb_tables::find_chunk(std::uint64_t sequence, unpacked_chunk& chunk) const {
  std::unique_ptr<rocksdb::Iterator> i(db_->NewIterator({}, in(events)));
  i->SeekForPrev(key_of(sequence));
  if (!i->status().ok()) return status_of(i->status(), "reading record " + std::to_string(sequence));
  if (i->Valid())
    if (auto ok = open_chunk(*i, chunk); !ok) return ok;
  if (i->Valid() && chunk.has(sequence)) return {};
  return {ports::store_error::damaged,
          "event log " + path_ + ": record " + std::to_string(sequence) + " is missing" + what_to_run};
}

ports::store_status rocksdb_tables::read_stream(std::uint64_t stream, std::uint64_t from_version,
                                                const ports::event_store::visitor& visit) const {
  std::unique_ptr<rocksdb::Iterator> i(db_->NewIterator({}, in(streams)));
  unpacked_chunk chunk;
  for (i->Seek(key_of(stream, from_version)); i->Valid() && number_in(i->key()) == stream; i->Next()) {
    const auto sequence = number_in(i->value());
    if (!chunk.has(sequence))
      if (auto ok = find_chunk(sequence, chunk); !ok) return ok;
    if (!visit(sequence, chunk.record(sequence))) return {};
  }
  return status_of(i->status(), "reading the index of stream " + std::to_string(stream));
}

ports::store_status rocksdb_tables::read_index(const ports::event_store::index_visitor& visit,
                                               ports::index_place from) const {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  options.readahead_size = readahead_bytes;
  std::unique_ptr<rocksdb::Iterator> i(db_->NewIterator(options, in(streams)));
  for (i->Seek(key_of(from.stream, from.version)); i->Valid(); i->Next())
    if (!visit(number_in(i->key()), number_in(i->key(), 8), number_in(i->value()))) return {};
  return status_of(i->status(), "reading the index of streams");
}

ports::store_status rocksdb_tables::read_pieces(std::string_view hash, std::uint32_t count,
                                                std::vector<std::byte>& out) const {
  for (std::uint32_t n = 0; n < count; ++n) {
    rocksdb::PinnableSlice piece;
    if (auto s = db_->Get({}, in(blobs), piece_key(hash, n), &piece); !s.ok())
      return status_of(s, "reading piece " + std::to_string(n) + " of a blob");
    out.insert(out.end(), span(piece).begin(), span(piece).end());
  }
  return {};
}

std::optional<std::vector<std::byte>> rocksdb_tables::read_blob(std::string_view hash, ports::store_status* why) const {
  auto fail = [&](ports::store_status s) -> std::optional<std::vector<std::byte>> {
    if (why) *why = std::move(s);
    return std::nullopt;
  };
  rocksdb::PinnableSlice head;
  const auto s = db_->Get({}, in(blobs), rocksdb::Slice(hash.data(), hash.size()), &head);
  if (s.IsNotFound()) return std::nullopt;
  if (!s.ok()) return fail(status_of(s, "reading a blob"));
  std::vector<std::byte> out;
  if (!head.empty() && head[0] == inline_blob) {
    const auto content = span(head).subspan(1);
    out.assign(content.begin(), content.end());
  } else if (head.size() == 5 && head[0] == blob_in_pieces) {
    const auto count = static_cast<std::uint32_t>(number_in(rocksdb::Slice(head.data(), head.size()), 1));
    if (auto ok = read_pieces(hash, count, out); !ok) return fail(ok);
  }
  if (content_hash(out) != hash)
    return fail({ports::store_error::damaged,
                 "event log " + path_ + ": the content of a blob does not match its hash" + what_to_run});
  return out;
}

std::optional<std::string> rocksdb_tables::get(table from, std::string_view key) const {
  std::string value;
  const auto s = db_->Get({}, in(from), rocksdb::Slice(key.data(), key.size()), &value);
  if (from == memos) note_lookup(s, "looking up a command");
  return s.ok() ? std::optional(std::move(value)) : std::nullopt;
}

void rocksdb_tables::scan_cache(std::string_view prefix,
                                const std::function<bool(std::string_view key, ports::byte_span value)>& visit) const {
  std::unique_ptr<rocksdb::Iterator> i(db_->NewIterator({}, in(cache)));
  const rocksdb::Slice begin(prefix.data(), prefix.size());
  for (i->Seek(begin); i->Valid() && i->key().starts_with(begin); i->Next())
    if (!visit(i->key().ToStringView(), span(i->value()))) return;
}

}  // namespace annals::log
