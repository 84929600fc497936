// "select by-how-much": the rest of the first item and each other item never shrink, and the result is a select again.
#include "hooks-runtime/pbs_module/increment.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto blank = text.find(' ');
  if (blank == std::string_view::npos) return 0;
  const auto select = values::parse_select(text.substr(0, blank));
  const auto by = hooks::parse_increment(text.substr(blank + 1));
  if (!select || !by) return 0;
  for (const bool first : {false, true}) {
    const auto grown = hooks::increment_chunks(*select, *by, first);
    if (!grown) continue;
    fuzz::require(grown->chunks.size() == select->chunks.size(), "items were lost", text);
    for (std::size_t i = 0; i < grown->chunks.size(); ++i)
      fuzz::require(grown->chunks[i].count >= select->chunks[i].count, "an item shrank", text);
    fuzz::require(grown->chunk_count() <= values::select_chunks_max, "more chunks than a select may have", text);
    const std::string printed = values::print_with_counts(*grown);
    const auto again = values::parse_select(printed);
    fuzz::require(static_cast<bool>(again) && *again == *grown, "the result is no select", printed);
  }
  return 0;
}
