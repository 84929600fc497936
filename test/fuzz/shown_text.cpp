// What is printed of any bytes: no character that is never shown comes out, and what is not one stays.
#include <algorithm>
#include <functional>
#include <string>

#include "events/values/shown_text.hpp"
#include "test/fuzz/round_trip.hpp"
#include "tools/client/print/json.hpp"
#include "tools/client/print/layout.hpp"

using namespace annals;

namespace {

// Characters of the list in a text, but line ends.
std::size_t unshown_in(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const auto length = values::unshown_length(text);
    count += length > 0 && text[0] != '\n';
    text.remove_prefix(std::max<std::size_t>({length, values::utf8_length(text), 1}));
  }
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto printed_by = [&](const std::function<void(std::string&)>& put) {
    std::string out;
    put(out);
    fuzz::require(unshown_in(out) == 0, "it is printed as it is", text);
    return out;
  };
  const auto shown = printed_by([&](auto& out) { values::put_shown(out, text); });
  const auto lines = printed_by([&](auto& out) { values::put_lines(out, text); });
  printed_by([&](auto& out) { values::put_hex(out, text); });
  printed_by([&](auto& out) { values::put_masked(out, text, '?'); });
  printed_by([&](auto& out) { out = values::json_escaped(text); });
  printed_by([&](auto& out) { client::put_json_string(out, text); });
  printed_by([&](auto& out) { client::put_left(out, text, 12); });
  printed_by([&](auto& out) { client::put_right(out, text, 12); });
  fuzz::require((shown == text) == !values::has_controls(text), "has_controls", text);
  fuzz::require((lines == text) == !values::has_unshown_lines(text), "has_unshown_lines", text);
  fuzz::require(shown.find('\n') == std::string::npos, "a line end", text);
  const auto front = values::front_of(text, size / 2);
  fuzz::require(front.size() <= size / 2 && front.size() + 3 >= size / 2, "front_of", text);
  return 0;
}
