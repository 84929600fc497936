// The names of files that hold a day of a table, and the file that says how far they go.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tools/export/target.hpp"

namespace annals::exporting {

// As a form is named by --format and in position.json: "csv", "jsonl", "ur2".
const char* name_of(file_form form);
std::optional<file_form> form_named(std::string_view name);

// "2026-11-30.csv.gz"
std::string file_of_day(const std::string& day, const file_choice& choice);
// The day of such a name, whatever its form; nothing: it is the name of another file.
std::optional<std::string> day_of_file(std::string_view name);

// What stands in position.json.
struct file_position {
  int version = 0;
  file_choice choice;
  position at;
  std::string day;                             // the latest one that has files; empty: none has
  std::map<std::string, std::uint64_t> bytes;  // of that day's files, by table, without what ends a file
};
std::string print_file_position(const file_position& p);
std::optional<file_position> read_file_position(std::string_view json);

}  // namespace annals::exporting
