// Where a batch stands in a log that is to take it. Private to the stores of events/log.
#pragma once

#include "events/ports/record_log.hpp"

namespace annals::log {

// With status `none` the batch follows what the log has and is to be written, or is there already, the same to the last byte.
struct batch_place {
  bool already = false;
  ports::store_status status;  // fenced: of another epoch, or the log has other records there
};

// `epoch`: the highest that was taken.
batch_place place_in(const ports::record_log& log, std::uint64_t epoch, const ports::write_batch& batch);

ports::store_status fenced_by(std::uint64_t epoch, std::uint64_t own);

}  // namespace annals::log
