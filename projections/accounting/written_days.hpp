// How long each day's accounting file is when its day is over, as a file beside the checkpoint: a line "YYYYMMDD length\n" per
// day, the last one of a day counts. By it a start sees files that are missing, or shorter or longer than what was written;
// it reads no day file, so a change that keeps the size is seen by `pbs_audit accounting` only.
// Governed by docs/design/0012-accounting.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace annals::projections {

using day_lengths = std::map<std::string, std::uint64_t>;

// Lines that are torn or nonsense are passed over: their days are not looked at.
day_lengths read_written_days(const std::filesystem::path& file);
// False, with errno: not written, or not durable.
bool add_written_day(const std::filesystem::path& file, const std::string& day, std::uint64_t length);
// Replaces the file. Throws std::filesystem::filesystem_error, or std::runtime_error.
void keep_written_days(const std::filesystem::path& file, const day_lengths& days);

// What is wrong with a day's file of which so much was written, and is now there (nothing: no file); "": nothing.
std::string length_fault(const std::string& day, std::uint64_t written, std::optional<std::uint64_t> there);
// Of a file that can be looked at.
std::optional<std::uint64_t> length_of(const std::filesystem::path& file);

}  // namespace annals::projections
