// The store that a simulated process writes its log to.
#pragma once

#include <functional>

#include "events/log/fault_store.hpp"
#include "test/sim/world.hpp"

namespace annals::sim {

// A store as the process sees it: nothing is written once the process is dead, and a crash may be asked for at an append.
class watched_store : public ports::event_store {
 public:
  watched_store(log::fault_store& real, life alive, std::function<void()> appended)
      : real_(real), alive_(std::move(alive)), appended_(std::move(appended)) {}
  std::uint64_t epoch() const override { return real_.epoch(); }
  ports::store_status take(std::uint64_t e) override {
    if (!*alive_) return {ports::store_error::sync_failed, "the process is dead"};
    return real_.take(e);
  }
  ports::store_status append(const ports::write_batch& batch) override {
    if (!*alive_) return {ports::store_error::sync_failed, "the process is dead"};
    auto status = real_.append(batch);
    if (status) appended_();
    return status;
  }
  std::uint64_t last_sequence() const override { return real_.last_sequence(); }
  std::uint64_t wait_beyond(std::uint64_t s, std::chrono::milliseconds timeout) const override { return real_.wait_beyond(s, timeout); }
  std::uint64_t last_version(std::uint64_t s) const override { return real_.last_version(s); }
  std::uint64_t last_stream() const override { return real_.last_stream(); }
  ports::store_status read(std::uint64_t from, const visitor& v) const override { return real_.read(from, v); }
  ports::store_status read_stream(std::uint64_t s, std::uint64_t v0, const visitor& v) const override {
    return real_.read_stream(s, v0, v);
  }
  ports::store_status read_index(const index_visitor& v, ports::index_place from = {}) const override { return real_.read_index(v, from); }
  ports::store_status sequences_of(std::span<const ports::index_place> p, std::vector<std::uint64_t>& out) const override {
    return real_.sequences_of(p, out);
  }
  std::optional<std::vector<std::byte>> read_blob(std::string_view h, ports::store_status* why) const override {
    return real_.read_blob(h, why);
  }
  ports::store_status put_blob_piece(std::string_view h, std::uint32_t n, ports::byte_span b) override {
    return real_.put_blob_piece(h, n, b);
  }
  ports::store_status finish_blob(std::string_view h, std::uint32_t p) override { return real_.finish_blob(h, p); }
  std::optional<std::string> read_memo(std::string_view k) const override { return real_.read_memo(k); }
  ports::store_status put_cache(std::string_view k, ports::byte_span v) override { return real_.put_cache(k, v); }
  ports::store_status keep_cache() override { return real_.keep_cache(); }
  std::optional<std::vector<std::byte>> get_cache(std::string_view k) const override { return real_.get_cache(k); }
  void scan_cache(std::string_view p, const std::function<bool(std::string_view, ports::byte_span)>& v) const override {
    real_.scan_cache(p, v);
  }
  ports::store_status drop_cache(std::string_view p) override { return real_.drop_cache(p); }

 protected:
  log::fault_store& real_;
  life alive_;
  std::function<void()> appended_;
};

}  // namespace annals::sim
