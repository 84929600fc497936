// What a scheduler says of jobs that wait: what is readable is kept, found again for every job that it names, and printed.
#include "events/schema/readable.hpp"
#include "projections/status/waiting.hpp"
#include "test/fuzz/round_trip.hpp"
#include "tools/client/print/why.hpp"

using namespace annals;

namespace {

std::string printed(const projections::waiting_reasons::entry& kept) {
  const auto why = schema::make<schema::JobWhy>([&](schema::JobWhy::Builder w) {
    w.setComment(kept.why->text);
    w.setData(kept.why->data());
    w.setBehind(std::string(kept.behind_id()));
    w.setSinceNs(kept.since_ns);
    w.setSaidNs(kept.said->wall_ns);
    w.setCycle(kept.said->cycle);
  });
  attributes::attribute_set row;
  row.set(60, "Q");  // job_state
  std::string text;
  client::put_why_text(text, {"1.borg", row.packed()}, *why);
  client::why_json json;
  json.put(text, {"1.borg", row.packed()}, *why);
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto message = schema::sealed_message::from_bytes(std::as_bytes(std::span(data, size / 8 * 8)), {1 << 20, 32});
  if (!message) return 0;
  const schema::sealed<schema::CycleReasons> reasons(*message);
  if (!schema::is_readable(reasons)) return 0;
  projections::waiting_reasons kept;
  for (int again = 0; again < 2; ++again) kept.fold(1, 1'795'222'000'000'000'000, *reasons, [](std::uint64_t job) { return job % 5 != 0; });
  for (const auto job : reasons.get().getJobs()) {
    const auto* entry = kept.find(job.getJob());
    const bool told = job.getJob() % 5 != 0 && job.getText() < reasons.get().getTexts().size();
    fuzz::require(!told || entry, "a reason is not kept", "the job");
    if (entry) fuzz::require(!printed(*entry).empty(), "a reason prints nothing", "the job");
  }
  return 0;
}
