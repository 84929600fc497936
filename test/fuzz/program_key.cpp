// Names of files in mom_priv/jobs and of cgroups, as keys: what is read is printed as the same bytes, can be the name of a file, and its
// run can be told from its text alone.
#include "events/values/program_key.hpp"

#include "events/values/program_text.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto key = values::parse_program_key(text);
  if (!key) return 0;
  fuzz::require(values::print(*key) == text, "a key prints as other bytes", text);
  fuzz::require(values::is_well_formed(*key), "a key that was read is not well-formed", text);
  fuzz::require(values::print(key->run()) == values::run_text_of(text), "the run of a key is not that of its text", text);
  fuzz::require(text.find('/') == std::string_view::npos && text.front() != '.', "a key is no file name", text);
  fuzz::require((*key <=> *key) == 0, "a key comes before itself", text);
  return 0;
}
