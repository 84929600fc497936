// Round trip of job ids: the server to ask ("@host") is not printed.
#include "events/values/job_id.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  fuzz::round_trip(
      text,
      [](std::string_view t) {
        auto id = values::parse_job_id(t);
        if (id) id->at.clear();
        return id;
      },
      [](const auto& v) { return values::print(v); });
  if (const auto full = values::id_for(text, "borg"))
    fuzz::require(values::id_for(*full, "borg") == *full, "a full id is its own full id", text);
  return 0;
}
