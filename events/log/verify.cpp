// Verification of a log at one go.
#include <algorithm>

#include "events/log/log_check.hpp"
#include "events/log/log_reader.hpp"

namespace annals::log {

namespace {

verify_report run(const ports::record_log& log, const ports::blob_store* blobs, std::uint64_t from,
                  const std::function<bool(std::uint64_t)>& progress) {
  auto begin = log_check::whole(log);
  begin.from = begin.next = std::max<std::uint64_t>(from, 1);
  log_check check(log, blobs, std::move(begin), faults_max);
  bool stopped = false;
  const auto go_on = [&](std::uint64_t sequence) {
    stopped = progress && !progress(sequence);
    return !stopped;
  };
  while (check.step(go_on) && !stopped && check.state().faults.size() < faults_max) continue;
  const auto& s = check.state();
  return {s.records, s.blobs, s.head_known ? s.head : chain_hash{}, s.faults, s.lost_count, s.lost};
}

}  // namespace

verify_report verify(const ports::event_store& store, std::uint64_t from,
                     const std::function<bool(std::uint64_t)>& progress) {
  return run(store, &store, from, progress);
}

verify_report verify_records(const ports::record_log& log, std::uint64_t from) { return run(log, nullptr, from, {}); }

}  // namespace annals::log
