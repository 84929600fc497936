// Entries of the index of subjobs' output, which are files of users: any bytes are an entry that prints as it was read, or none.
#include <cstdlib>

#include "events/values/output_index.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::text_of(data, size);
  if (const auto record = values::parse_output_entry(bytes)) {
    fuzz::require(values::print_output_entry(*record) == bytes, "it prints otherwise", bytes);
    // What a reader adds up.
    fuzz::require(record->offset + values::output_headline(*record).size() + record->length + 1 > record->offset, "it wraps", bytes);
  }
  // A path with the word, as users give it, names a file that has no word any more, or one in a directory.
  const auto place = values::output_place_of(bytes, bytes, "12[].q1", 3);
  fuzz::require(place.path.find(values::array_index_word) == std::string::npos, "the word is left", bytes);
  return 0;
}
