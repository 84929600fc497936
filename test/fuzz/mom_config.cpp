// mom_priv/config: any text is read; what is wrong is reported with the number of a line that exists.
#include "actors/mom/host/mom_config.hpp"

#include <algorithm>

#include "actors/mom/host/environment.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto lines = static_cast<unsigned>(std::count(text.begin(), text.end(), '\n') + 1);
  const auto parsed = mom::parse_mom_config(text);
  for (const auto& problem : parsed.problems)
    fuzz::require(problem.line >= 1 && problem.line <= lines && !problem.text.empty(), "a problem without a line",
                  text);
  for (const auto& rule : parsed.config.usecp) {
    const auto path = mom::local_path({rule}, rule.host.front() == '*' ? rule.host.substr(1) : rule.host, rule.from);
    fuzz::require(path == rule.to, "a rule does not fit its own example", text);
  }
  for (const auto& entry : mom::parse_pbs_environment(text))
    fuzz::require(entry.find('=') != std::string::npos, "an entry without a value", text);
  return 0;
}
