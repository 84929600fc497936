// Vnode definition files: any text is read; what is wrong is reported with the number of a line that exists, and what is taken, written
// again, means the same.
#include "actors/mom/host/vnode_definitions.hpp"

#include <algorithm>

#include "test/fuzz/round_trip.hpp"

using namespace annals;

namespace {

std::string print(const mom::defined_vnodes& vnodes) {
  std::string text = "$configversion 2\n";
  for (const auto& v : vnodes.all())
    for (const auto& [what, value] : v.attributes)
      text += v.name + ": " + what.first + (what.second.empty() ? "" : ".") + what.second + " = " + value + "\n";
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto lines = static_cast<unsigned>(std::count(text.begin(), text.end(), '\n') + 1);
  const auto parsed = mom::parse_vnode_definitions(text);
  for (const auto& e : parsed.errors) fuzz::require(e.line >= 1 && e.line <= lines && !e.text.empty(), "an error without a line", text);
  for (const auto& v : parsed.vnodes.all())
    fuzz::require(!v.name.empty() && parsed.vnodes.find(v.name) == &v, "a vnode is not found", text);
  const auto again = mom::parse_vnode_definitions(print(parsed.vnodes));
  fuzz::require(again.errors.empty() && again.vnodes == parsed.vnodes, "written again it means something else", text);
  mom::mixed_exclhost("n1", parsed.vnodes);
  for (const auto& d : mom::doubtful(parsed.vnodes)) fuzz::require(!d.why.empty(), "a doubt without a reason", text);
  return 0;
}
