// One state of the accounting files, as a slot of the checkpoint keeps it: a line
//   "annals-accounting 1 <generation> <log> <sequence> <YYYYMMDD or -> <length> <16 hex digits: SHA-256 of what stands before>\n"
// filled up with blanks to 512 bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::projections {

struct checkpoint_mark {
  std::uint64_t generation = 0;  // the newer of two marks counts
  std::string log;               // names the log that is folded; one word
  std::uint64_t sequence = 0;    // every line of the records up to here is in the files
  std::string day;               // of the file that is written, YYYYMMDD; empty: none yet
  std::uint64_t length = 0;      // of that file
  bool operator==(const checkpoint_mark&) const = default;
};

constexpr std::size_t checkpoint_slot_bytes = 512;

std::string print(const checkpoint_mark& m);
// Nothing: a torn or foreign slot.
std::optional<checkpoint_mark> parse_checkpoint_slot(std::string_view slot);
// Of the slots of a checkpoint; nothing: none is sound.
std::optional<checkpoint_mark> newest_mark(std::string_view slots);

// "20261121": the name of a day's file.
bool is_day(std::string_view name);

}  // namespace annals::projections
