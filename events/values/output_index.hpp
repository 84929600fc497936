// The output of the subjobs of an array in one file per host (indexed_output): records, and their index beside it. A record is a line
// that names it, the bytes of one stream, and a newline; its entry in FILE.index is a line of 64 bytes, written when the record is.
// So a record without an entry was cut short, and an entry whose record does not begin with its line is of a file that is no more.
// docs/design/0065-indexed-output.md.
//
// This file is compiled into the shepherd as well: standard library only, and as little of it as possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::values {

struct output_record {
  std::uint64_t array = 0;               // number: 12 of 12[3]
  std::uint32_t index = 0, run = 0;      // of the subjob; the record of its last run counts, and of that the last one
  char stream = 'o';                     // o or e
  std::uint64_t offset = 0, length = 0;  // where its line begins, and the bytes of output behind that
  bool operator==(const output_record&) const = default;
};

constexpr std::size_t output_entry_bytes = 64;
// Nothing: a number is too large for an entry.
std::optional<std::string> print_output_entry(const output_record& record);
std::optional<output_record> parse_output_entry(std::string_view line);

// The line a record begins with: "==> 12[3] run 1 o 120 <==\n". Follows from the entry, but for the offset.
std::string output_headline(const output_record& record);

// Ends the name of a file's index.
constexpr std::string_view output_index_suffix = ".index";

// In Output_Path and Error_Path of an array, and of its subjobs with indexed_output.
constexpr std::string_view array_index_word = "^array_index^";
std::string with_array_index(std::string path, std::uint32_t index);

// The file of an array, without its host: of what Output_Path says, or Error_Path if that is /dev/null. The last word of its name goes with
// a dot before it ("STDIN.o12" of "/a/STDIN.o12.^array_index^"); elsewhere it is replaced.
struct output_place {
  std::string path;   // as in the attribute, "host:" before it too. Empty: there is none
  std::string inner;  // the file's name if `path` is a directory: "12[].borg.OU"
};
output_place output_place_of(std::string_view output_path, std::string_view error_path, std::string_view array_id, std::uint32_t index);

// The path behind "host:"; all of it if there is none.
std::string_view path_behind_host(std::string_view text);

}  // namespace annals::values
