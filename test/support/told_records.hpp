// The records of a log that is told event by event, each a second after the one before: for folds that need no log.
#pragma once

#include <cstdint>
#include <map>

#include "events/log/record.hpp"

namespace annals::test {

struct told_records {
  std::uint64_t sequence = 0;  // of the last one
  std::int64_t ahead_s = 0;    // so far is the clock
  std::uint64_t cause = 0;     // of those that follow
  std::int64_t wall_ns = 0;    // of those that follow; 0: a second each

  template <class Fill>
  log::record next(std::uint64_t stream, const Fill& fill) {
    return log::record(schema::make<schema::Record>([&](schema::Record::Builder r) {
                         r.setSequence(++sequence);
                         r.setStream(stream);
                         r.setStreamVersion(++versions_[stream]);
                         r.setWriterEpoch(1);
                         r.setCause(cause);
                         r.setWallNs(wall_ns > 0 ? wall_ns : (static_cast<std::int64_t>(sequence) + ahead_s) * 1'000'000'000);
                         fill(r.initEvent());
                       }),
                       {});
  }

 private:
  std::map<std::uint64_t, std::uint64_t> versions_;
};

}  // namespace annals::test
