// What users type after --at and as qselect's values, and what stands in log files: anything is taken or refused.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tools/client/print/trace.hpp"
#include "tools/client/query/job_criteria.hpp"
#include "tools/client/query/moment.hpp"

using namespace annals::client;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::int64_t now = 1795216297;
  const std::string text(reinterpret_cast<const char*>(data), size);
  parse_moment(text);
  time_criterion(text, now);
  execution_time_criterion(text, now);
  checkpoint_criterion(text);
  hold_criterion(text);
  state_criterion(text);
  if (const auto all = resource_criteria(text); all && all->empty()) std::abort();
  std::vector<trace_entry> entries;
  for (const log_source source : {log_source::server, log_source::accounting})
    collect_trace(entries, text, "48.vm", source, {});
  const std::size_t lines = entries.size();
  std::string out;
  put_trace(out, "48.vm", std::move(entries), {.repeated_max = 3, .no_duplicates = true, .width = 30});
  if (lines > 0 && out.size() < 30) std::abort();
  return 0;
}
