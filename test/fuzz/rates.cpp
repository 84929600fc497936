// Files of prices: any bytes are prices that don't contradict each other and cost something, or an error that names a line of the file.
#include <algorithm>

#include "test/fuzz/round_trip.hpp"
#include "tools/report/rates.hpp"

using namespace annals;
using reporting::amount_kind;

namespace {

void check_price(const reporting::rates& all, const reporting::price& p, std::string_view text) {
  const auto queue = p.queue.empty() ? std::string_view("a b") : std::string_view(p.queue);  // no queue has a blank
  const auto last_ns = p.until_ns - 1;
  for (const auto at_ns : {p.from_ns, last_ns}) fuzz::require(all.find(p.resource, queue, at_ns) == &p, "a price is not found", text);
  const auto kind = p.of_size ? amount_kind::size : amount_kind::number;
  const auto once = reporting::charge(all, p, kind, 3600), twice = reporting::charge(all, p, kind, 7200);
  fuzz::require(once >= 0 && twice >= once, "more costs less", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto read = reporting::parse_rates(text);
  if (const auto* wrong = std::get_if<reporting::rates_error>(&read)) {
    fuzz::require(!wrong->why.empty() && wrong->line <= 1 + std::count(text.begin(), text.end(), '\n'), "an error names no line", text);
    return 0;
  }
  const auto& all = std::get<reporting::rates>(read);
  for (const auto& p : all.prices) check_price(all, p, text);
  return 0;
}
