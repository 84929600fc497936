#include "events/log/batch_place.hpp"

#include <algorithm>

#include "events/model/outcome.hpp"

namespace annals::log {
namespace {

// Whether the log has just these records, up to its end or beyond.
bool has_all(const ports::record_log& log, const std::vector<ports::stored_record>& records) {
  auto next = records.begin();
  const auto read = log.read(records.front().sequence, [&](std::uint64_t sequence, ports::byte_span bytes) {
    if (sequence != next->sequence || !std::ranges::equal(bytes, next->bytes)) return false;
    return ++next != records.end();
  });
  return read && next == records.end();
}

}  // namespace

ports::store_status fenced_by(std::uint64_t epoch, std::uint64_t own) {
  return {ports::store_error::fenced, "the event log has another writer, of epoch " + std::to_string(epoch) + "; this one, of epoch " +
                                          std::to_string(own) + ", writes no more"};
}

batch_place place_in(const ports::record_log& log, std::uint64_t epoch, const ports::write_batch& batch) {
  if (batch.epoch < epoch) return {false, fenced_by(epoch, batch.epoch)};
  ANNALS_INVARIANT(batch.epoch == epoch, "a writer takes its epoch before it writes");
  if (batch.records.empty()) return {};
  const auto first = batch.records.front().sequence, last = log.last_sequence();
  for (std::size_t i = 1; i < batch.records.size(); ++i)
    ANNALS_INVARIANT(batch.records[i].sequence == first + i, "sequences are appended without a gap");
  if (first > last) {
    ANNALS_INVARIANT(first == last + 1 || batch.after_loss, "sequences are appended without a gap");
    return {};
  }
  if (has_all(log, batch.records)) return {true, {}};
  return {false,
          {ports::store_error::fenced,
           "the event log has another record #" + std::to_string(first) + " than was to be written: another writer has written to it"}};
}

}  // namespace annals::log
