// What a verification reads of the RocksDB store besides records: the index at many places, blobs piece by piece, and the
// tables that nobody reads through. It reads past the block cache: nobody wants these blocks again soon.
#include <cstring>

#include "events/log/checksum.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/rocksdb_tables.hpp"

namespace annals::log {

namespace {

rocksdb::ReadOptions once() {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  return options;
}

// In the order in which they are read; blobs are read as events name them.
constexpr table rest_tables[] = {uploads, memos, cache};

}  // namespace

ports::store_status rocksdb_tables::sequences_of(std::span<const ports::index_place> places,
                                                 std::vector<std::uint64_t>& out) const {
  out.assign(places.size(), 0);
  std::unique_ptr<rocksdb::Iterator> i(db_->NewIterator(once(), in(streams)));
  for (std::size_t n = 0; n < places.size(); ++n) {
    const auto key = key_of(places[n].stream, places[n].version);
    // Mostly the place behind the one before: a step costs a tenth of a search.
    if (n > 0 && i->Valid() && i->key().compare(key) < 0) i->Next();
    if (n == 0 || !i->Valid() || i->key() != rocksdb::Slice(key)) i->Seek(key);
    if (!i->status().ok()) return status_of(i->status(), "reading the index of stream " + std::to_string(places[n].stream));
    if (i->Valid() && i->key() == rocksdb::Slice(key)) out[n] = number_in(i->value());
  }
  return {};
}

std::optional<ports::store_status> rocksdb_tables::check_blob(std::string_view hash, std::uint64_t* size) const {
  rocksdb::PinnableSlice head;
  const auto s = db_->Get(once(), in(blobs), rocksdb::Slice(hash.data(), hash.size()), &head);
  if (s.IsNotFound()) return std::nullopt;
  if (!s.ok()) return status_of(s, "reading a blob");
  sha256_stream content;
  std::uint64_t bytes = 0;
  const auto add = [&](ports::byte_span piece) {
    content.add(piece);
    bytes += piece.size();
  };
  if (!head.empty() && head[0] == inline_blob) add(span(head).subspan(1));
  const bool pieces = head.size() == 5 && head[0] == blob_in_pieces;
  const auto count = pieces ? static_cast<std::uint32_t>(number_in(rocksdb::Slice(head.data(), head.size()), 1)) : 0;
  for (std::uint32_t n = 0; n < count; ++n) {
    rocksdb::PinnableSlice piece;
    if (auto got = db_->Get(once(), in(blobs), piece_key(hash, n), &piece); !got.ok())
      return status_of(got, "reading piece " + std::to_string(n) + " of a blob");
    add(span(piece));
  }
  const auto digest = content.finish();
  if (std::memcmp(digest.data(), hash.data(), std::min(digest.size(), hash.size())) == 0 && hash.size() == digest.size()) {
    if (size) *size = bytes;
    return ports::store_status{};
  }
  return ports::store_status{ports::store_error::damaged, "event log " + path_ +
                                                              ": the content of a blob does not match its hash" + what_to_run};
}

rocksdb::Status rocksdb_tables::check_blocks() const {
  auto options = once();
  options.verify_checksums = true;
  return db_->VerifyChecksum(options);
}

// A position is the number of the table and the key that was read last.
ports::store_status rocksdb_tables::read_rest(std::string& position, std::size_t bytes,
                                              const ports::event_store::memo_visitor& memo_visit) const {
  std::size_t which = position.empty() ? 0 : static_cast<std::size_t>(position[0] - '0');
  std::string last = position.empty() ? "" : position.substr(1);
  std::size_t read = 0;
  for (; which < std::size(rest_tables); ++which, last.clear()) {
    std::unique_ptr<rocksdb::Iterator> i(db_->NewIterator(once(), in(rest_tables[which])));
    for (i->Seek(last); i->Valid() && read < bytes; i->Next()) {
      if (rest_tables[which] == memos) memo_visit(i->key().ToStringView(), i->value().ToStringView());
      read += i->key().size() + i->value().size();
      last = i->key().ToString() + '\0';
    }
    position = std::to_string(which) + last;
    if (!i->status().ok()) {
      // Behind a block that can't be read there is no telling how far it goes: the next table.
      position = which + 1 < std::size(rest_tables) ? std::to_string(which + 1) : "";
      constexpr const char* names[] = {"uploads", "memos", "cache"};
      return status_of(i->status(), std::string("reading the table ") + names[which]);
    }
    if (i->Valid()) return {};
  }
  position.clear();
  return {};
}

}  // namespace annals::log
