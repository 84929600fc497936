// One message of a cycle's reasons (schema::CycleReasons): texts with their data each once, and which job has which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/cycle.hpp"
#include "events/schema/daemon/from_scheduler.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

class reasons_piece {
 public:
  // `of` must outlive this.
  reasons_piece(const cycle::result& of, std::uint64_t cycle_number) : of_(&of), cycle_(cycle_number) {}

  // False: it would be larger than limits::cycle_reasons_bytes_max.
  bool add(const cycle::job_reason& reason);
  bool empty() const { return jobs_.empty(); }
  schema::sealed<schema::FromScheduler> seal() const;

 private:
  // Which of the result's texts or blockers go into this message, and where they stand in it.
  struct taken {
    std::unordered_map<std::uint32_t, std::uint32_t> places;
    std::vector<std::uint32_t> list;
    bool has(std::uint32_t what) const { return places.contains(what); }
    std::uint32_t take(std::uint32_t what);
  };
  struct entry {
    std::uint64_t job;
    std::uint32_t text, behind;
  };

  // Message, event and list headers.
  static constexpr std::size_t frame_bytes = 256;
  const cycle::result* of_;
  std::uint64_t cycle_;
  std::size_t bytes_ = frame_bytes;
  taken texts_, blockers_;
  std::vector<entry> jobs_;
};

}  // namespace annals::actors
