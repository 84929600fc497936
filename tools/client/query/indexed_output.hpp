// Reading what subjobs wrote, where an array keeps it in one file per host (events/values/output_index.hpp). Everything in these files is
// the user's, and may be cut short, changed or of another array: what does not fit together is passed over.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "events/values/output_index.hpp"

namespace annals::client {

// The files "<base>.<host>" that have an index, by name.
std::vector<std::string> indexed_files(const std::string& base);
// `file` itself if it has an index, else as indexed_files.
std::vector<std::string> indexed_files_at(const std::string& file);

// Which record. An array of none: of any, and then the last in its file counts.
struct wanted_output {
  std::optional<std::uint64_t> array;
  std::uint32_t index = 0;
  char stream = 'o';
};
struct found_output {
  std::string file;
  values::output_record record;
};
// The record of the last run, and the last one of that.
std::optional<found_output> find_output(const std::vector<std::string>& files, const wanted_output& wanted);

// Calls `each` for every whole record of a file, as they were written. Needs the same little memory for any file.
void for_each_output(const std::string& file, const std::function<void(const values::output_record&)>& each);

// Writes the bytes of output to standard output. False: errno says why not all of it.
bool print_output(const found_output& found);
// As it is; false: there is no such plain file, or as above.
bool print_file(const std::string& path);

}  // namespace annals::client
