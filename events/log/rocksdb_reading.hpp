// The reading half of event_store, forwarded to rocksdb_tables; base of the store that writes and of the one that
// audits. Private to events/log.
#pragma once

#include <shared_mutex>

#include "events/log/rocksdb_tables.hpp"

namespace annals::log {

template <class Interface>
class rocksdb_reading : public Interface {
 public:
  using visitor = ports::event_store::visitor;
  using index_visitor = ports::event_store::index_visitor;

  std::uint64_t epoch() const override { return locked()->epoch(); }
  std::uint64_t last_sequence() const override { return locked()->last_sequence(); }
  std::uint64_t last_version(std::uint64_t stream) const override { return locked()->last_version(stream); }
  std::uint64_t last_stream() const override { return locked()->last_stream(); }
  ports::store_status read(std::uint64_t from, const visitor& visit) const override {
    return locked()->read(from, visit);
  }
  ports::store_status read_stream(std::uint64_t stream, std::uint64_t from_version,
                                  const visitor& visit) const override {
    return locked()->read_stream(stream, from_version, visit);
  }
  ports::store_status read_index(const index_visitor& visit, ports::index_place from = {}) const override {
    return locked()->read_index(visit, from);
  }
  ports::store_status sequences_of(std::span<const ports::index_place> places,
                                   std::vector<std::uint64_t>& out) const override {
    return locked()->sequences_of(places, out);
  }
  std::optional<ports::store_status> check_blob(std::string_view hash, std::uint64_t* size = nullptr) const override {
    return locked()->check_blob(hash, size);
  }
  ports::store_status read_rest(std::string& position, std::size_t bytes,
                                const ports::event_store::memo_visitor& memo_visit) const override {
    return locked()->read_rest(position, bytes, memo_visit);
  }
  std::optional<std::vector<std::byte>> read_blob(std::string_view hash, ports::store_status* why) const override {
    return locked()->read_blob(hash, why);
  }
  std::optional<std::string> read_memo(std::string_view key) const override { return locked()->get(memos, key); }
  std::optional<std::vector<std::byte>> get_cache(std::string_view key) const override {
    const auto value = locked()->get(cache, key);
    if (!value) return std::nullopt;
    const auto bytes = std::as_bytes(std::span(*value));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }
  void scan_cache(std::string_view prefix,
                  const std::function<bool(std::string_view key, ports::byte_span value)>& visit) const override {
    locked()->scan_cache(prefix, visit);
  }

 protected:
  explicit rocksdb_reading(std::unique_ptr<rocksdb_tables> tables) : tables_(std::move(tables)) {}

  // Who reads holds the gate; who replaces the tables closes it.
  struct held {
    std::shared_lock<std::shared_mutex> lock;
    const rocksdb_tables* tables;
    const rocksdb_tables* operator->() const { return tables; }
  };
  held locked() const {
    std::shared_lock lock(gate_);
    return {std::move(lock), tables_.get()};
  }

  mutable std::shared_mutex gate_;
  std::unique_ptr<rocksdb_tables> tables_;
};

}  // namespace annals::log
