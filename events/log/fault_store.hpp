// An event store that fails as told: a wrapper over the memory store for the simulation and for tests. It keeps apart
// what the process sees and what is on "disk", so that a crash can lose what was not synced. Which of several outcomes
// a fault has is drawn from a seed.
#pragma once

#include <cstdint>
#include <random>

#include "events/log/memory_event_store.hpp"

namespace annals::log {

class fault_store : public ports::event_store {
 public:
  explicit fault_store(std::uint64_t seed) : random_(seed) {}

  // The process is gone and comes back: what was not synced is lost. The store is used on, as if opened again.
  void crash();
  // The next append fails in its sync. Whether the disk has it, all or nothing, is drawn; the process sees neither.
  void fail_next_sync() { fail_next_sync_ = true; }
  // The next append fails, and after crash() the disk has only the first part of it, its last record cut: what a store
  // must never do, to see that the log finds it.
  void tear_next_append() { tear_next_append_ = true; }
  // While full every write is refused and nothing of it is kept.
  void set_disk_full(bool full) { full_ = full; }
  // Flips one drawn bit of the record, on disk and as seen.
  void flip_bit(std::uint64_t sequence);
  // Adds to the drawn faults: with this probability (0 to 1) an append fails as fail_next_sync() makes it.
  void set_sync_failure_rate(double rate) { sync_failure_rate_ = rate; }

  // The next `times` appends are uncertain, as those of a log that is kept on several machines may be. Whether the log has
  // the batch then is drawn each time.
  void be_uncertain(unsigned times) { uncertain_ = times; }
  // With this probability (0 to 1) an append is uncertain, and so is its repetition.
  void set_uncertain_rate(double rate) { uncertain_rate_ = rate; }

  std::uint64_t appends() const { return appends_; }  // that succeeded

  std::uint64_t epoch() const override { return seen_.epoch(); }
  ports::store_status take(std::uint64_t epoch) override;
  ports::store_status append(const ports::write_batch& batch) override;
  std::uint64_t last_sequence() const override { return seen_.last_sequence(); }
  std::uint64_t wait_beyond(std::uint64_t sequence, std::chrono::milliseconds timeout) const override {
    return seen_.wait_beyond(sequence, timeout);
  }
  std::uint64_t last_version(std::uint64_t stream) const override { return seen_.last_version(stream); }
  std::uint64_t last_stream() const override { return seen_.last_stream(); }
  ports::store_status read(std::uint64_t from, const visitor& visit) const override { return seen_.read(from, visit); }
  ports::store_status read_stream(std::uint64_t stream, std::uint64_t from_version,
                                  const visitor& visit) const override {
    return seen_.read_stream(stream, from_version, visit);
  }
  ports::store_status read_index(const index_visitor& visit, ports::index_place from = {}) const override {
    return seen_.read_index(visit, from);
  }
  ports::store_status sequences_of(std::span<const ports::index_place> places,
                                   std::vector<std::uint64_t>& out) const override {
    return seen_.sequences_of(places, out);
  }
  std::optional<std::vector<std::byte>> read_blob(std::string_view hash,
                                                  ports::store_status* why = nullptr) const override {
    return seen_.read_blob(hash, why);
  }
  ports::store_status put_blob_piece(std::string_view hash, std::uint32_t number, ports::byte_span bytes) override;
  ports::store_status finish_blob(std::string_view hash, std::uint32_t pieces) override;
  std::optional<std::string> read_memo(std::string_view key) const override { return seen_.read_memo(key); }
  ports::store_status put_cache(std::string_view key, ports::byte_span value) override;
  ports::store_status keep_cache() override;
  std::optional<std::vector<std::byte>> get_cache(std::string_view key) const override { return seen_.get_cache(key); }
  void scan_cache(std::string_view prefix,
                  const std::function<bool(std::string_view key, ports::byte_span value)>& visit) const override {
    seen_.scan_cache(prefix, visit);
  }
  ports::store_status drop_cache(std::string_view prefix) override;

 private:
  bool drawn(double rate);
  ports::store_status keep(const ports::write_batch& batch);
  void tear(const ports::write_batch& batch);

  memory_event_store seen_, disk_;
  std::mt19937_64 random_;
  bool fail_next_sync_ = false, tear_next_append_ = false, full_ = false;
  bool broken_ = false;  // a sync failed: nothing more is written before crash()
  unsigned uncertain_ = 0;
  double sync_failure_rate_ = 0, uncertain_rate_ = 0;
  std::uint64_t appends_ = 0;
};

}  // namespace annals::log
