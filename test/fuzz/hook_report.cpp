// What a MoM finds in its outbox of hook reports after a restart: files that a crash cut off or a full disk left short. What is
// taken can be read to its end, and is kept as the same bytes.
#include <capnp/pretty-print.h>

#include <algorithm>

#include "actors/mom/hooks/hook_outbox.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto report = actors::read_hook_report(std::as_bytes(std::span(data, size)));
  if (!report) return 0;
  fuzz::require(report->get().isHookReport(), "something else than a report", "the report");
  (void)capnp::prettyPrint(report->get().getHookReport()).flatten();
  const auto again = actors::read_hook_report(report->bytes());
  fuzz::require(again && std::ranges::equal(again->bytes(), report->bytes()), "the report differs", "the report");
  return 0;
}
