// Runs the cycles of a log once more, each on the view that its scheduler had, with the recorded policy and time, and compares what comes
// out with what the log says. Governed by docs/design/0049-what-if.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/log/log_reader.hpp"
#include "tools/replay/recorded.hpp"

namespace annals::replay {

struct difference {
  std::uint64_t sequence = 0;  // of the CycleBegan
  std::string scheduler;
  std::uint64_t cycle = 0;
  std::string job;  // or reservation; empty: the cycle as a whole
  std::string recorded, now;
};
// More are counted, and not kept: who sees so many looks at the first.
constexpr std::size_t differences_kept_max = 10'000;

struct repeat_outcome {
  std::uint64_t cycles = 0, same = 0;
  std::uint64_t not_repeated = 0;  // their policy is not in the log, or they never ended
  std::uint64_t proposals = 0, reasons = 0, answers = 0;
  std::uint64_t differing = 0;  // decisions
  std::vector<difference> differences;
  std::string trouble;  // not empty: the log can't be read further
};

// scheduler: empty: all.
repeat_outcome repeat(const log::log_reader& reader, const range& within, const std::string& scheduler, const std::function<bool()>& go_on);

std::string repeat_text(const repeat_outcome& outcome, std::size_t differences_max = 100);
std::string repeat_json(const repeat_outcome& outcome);

}  // namespace annals::replay
