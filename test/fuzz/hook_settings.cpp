// The .HK files of mom_priv/hooks, and the resourcedef beside them, as a MoM reads them at its start: whatever they hold, what was
// understood is written and read again as the same.
#include "hooks-runtime/chain/hook_files.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto resources = hooks::parse_resources(text);
  fuzz::require(hooks::parse_resources(hooks::resources_text(resources)) == resources, "the resources differ", text);
  const auto read = hooks::parse_settings(text);
  if (!read) return 0;
  fuzz::require(!read->name.empty(), "a hook without a name", text);
  const auto printed = hooks::settings_text(read->name, read->settings);
  const auto again = hooks::parse_settings(printed);
  fuzz::require(again && again->name == read->name && again->settings == read->settings, "the settings differ", text);
  return 0;
}
