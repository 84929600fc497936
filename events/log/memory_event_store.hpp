// The event store in memory: for tests, the simulation, and as the model of what a store does. Values are shared, so
// copying one is cheap.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>

#include "events/log/growth.hpp"
#include "events/ports/event_store.hpp"

namespace annals::log {

class memory_event_store : public ports::event_store {
 public:
  memory_event_store() = default;
  // Becomes what the other is now.
  void assign(const memory_event_store& other);
  // Replaces the bytes of a record, for tests of damage. The sequence must exist.
  void overwrite(std::uint64_t sequence, std::vector<std::byte> bytes);

  std::uint64_t epoch() const override;
  ports::store_status take(std::uint64_t epoch) override;
  ports::store_status append(const ports::write_batch& batch) override;
  std::uint64_t last_sequence() const override;
  std::uint64_t wait_beyond(std::uint64_t sequence, std::chrono::milliseconds timeout) const override;
  std::uint64_t last_version(std::uint64_t stream) const override;
  std::uint64_t last_stream() const override;
  ports::store_status read(std::uint64_t from, const visitor& visit) const override;
  ports::store_status read_stream(std::uint64_t stream, std::uint64_t from_version,
                                  const visitor& visit) const override;
  ports::store_status read_index(const index_visitor& visit, ports::index_place from = {}) const override;
  ports::store_status sequences_of(std::span<const ports::index_place> places,
                                   std::vector<std::uint64_t>& out) const override;
  std::optional<std::vector<std::byte>> read_blob(std::string_view hash,
                                                  ports::store_status* why = nullptr) const override;
  ports::store_status put_blob_piece(std::string_view hash, std::uint32_t number, ports::byte_span bytes) override;
  ports::store_status finish_blob(std::string_view hash, std::uint32_t pieces) override;
  std::optional<std::string> read_memo(std::string_view key) const override;
  ports::store_status put_cache(std::string_view key, ports::byte_span value) override;
  ports::store_status keep_cache() override;
  std::optional<std::vector<std::byte>> get_cache(std::string_view key) const override;
  void scan_cache(std::string_view prefix,
                  const std::function<bool(std::string_view key, ports::byte_span value)>& visit) const override;
  ports::store_status drop_cache(std::string_view prefix) override;

  // What the next open of a store on disk does: blobs that no event adopted are gone.
  void sweep();

 private:
  void put(const ports::write_batch& batch);

  using bytes_ptr = std::shared_ptr<const std::vector<std::byte>>;
  struct contents {
    std::uint64_t epoch = 0;
    std::map<std::uint64_t, bytes_ptr> events;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> streams;
    std::map<std::string, bytes_ptr, std::less<>> blobs, cache;
    std::map<std::string, std::map<std::uint32_t, bytes_ptr>, std::less<>> pieces;  // not finished
    std::set<std::string> orphans;                                                  // finished, not adopted
    std::map<std::string, std::string, std::less<>> memos;
  };
  std::mutex writer_;  // who takes the log waits for what is being written
  mutable std::shared_mutex mutex_;
  contents data_;
  growth growth_;
};

}  // namespace annals::log
