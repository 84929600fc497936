// What targets of pbs_export keep of their position: any bytes are one that prints as it was read, or none.
#include <cstdlib>
#include <string_view>

#include "projections/exports/exports.hpp"
#include "tools/export/file_names.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  exports::fold_notes notes, again;
  if (exports::read_notes(bytes, notes))
    if (!exports::read_notes(exports::print_notes(notes), again) || notes != again) std::abort();
  if (const auto position = exporting::read_file_position(bytes)) {
    const auto printed = exporting::print_file_position(*position);
    const auto read = exporting::read_file_position(printed);
    if (!read || exporting::print_file_position(*read) != printed) std::abort();
  }
  (void)exporting::day_of_file(bytes);
  return 0;
}
