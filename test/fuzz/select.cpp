// select specifications: round trip, the completed form, the old nodes form, and what becomes of a request with them.
#include "events/attributes/select_rules.hpp"
#include "events/values/select.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

namespace {

// A completed request asked again changes nothing any more.
void completes_once(std::string_view text) {
  attributes::request_defaults defaults;
  defaults.server_chunk = {{"ncpus", "1"}};
  const attributes::resource_catalogue resources;
  const auto done =
      attributes::complete_request({{"select", std::string(text)}}, defaults, resources, schema::Role::USER);
  if (!done) return;
  const auto again =
      attributes::complete_request({{"select", done->schedselect}}, defaults, resources, schema::Role::USER);
  fuzz::require(static_cast<bool>(again), "schedselect is refused", done->schedselect);
  fuzz::require(again->schedselect == done->schedselect, "schedselect changes", done->schedselect);
  for (const auto& [name, value] : done->resources)
    if (name != "select") fuzz::require(again->resources.at(name) == value, "the sums change", text);
}

// Spare chunks are asked for by the same text; a change of something else leaves them as they are.
void stays_with_spares(std::string_view text) {
  const attributes::request_defaults defaults;
  const attributes::resource_catalogue resources;
  for (const char* name : {"select_reliable_startup", "rjselect"}) {
    const auto done = attributes::complete_request({{"select", "1:ncpus=1:mem=1gb"}, {name, std::string(text)}}, defaults, resources,
                                                   schema::Role::MANAGER);
    if (!done) continue;
    const auto again =
        attributes::alter_request(done->resources, {{"walltime", "60"}, {"site", ""}}, defaults, resources, schema::Role::USER);
    fuzz::require(static_cast<bool>(again), "what was completed can't be altered", text);
    fuzz::require(again->schedselect == done->schedselect, "schedselect changes", text);
    for (const auto& [member, value] : done->resources) fuzz::require(again->resources.at(member) == value, "a member changes", text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  fuzz::round_trip(text, values::parse_select, [](const auto& v) { return values::print(v); });
  if (const auto converted = values::convert_nodes(text)) {
    const std::string printed = values::print_with_counts(converted->select);
    fuzz::require(static_cast<bool>(values::parse_select(printed)), "converted nodes are no select", printed);
  }
  completes_once(text);
  stays_with_spares(text);
  return 0;
}
