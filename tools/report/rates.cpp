#include "tools/report/rates.hpp"

#include <algorithm>
#include <numeric>

#include "events/values/shown_text.hpp"
#include "tools/report/limits.hpp"

namespace annals::reporting {
namespace {

exact common_divisor(exact a, exact b) {
  while (b != 0) {
    const exact rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace

const price* rates::find(std::string_view resource, std::string_view queue, std::int64_t at_ns) const {
  const price* of_all = nullptr;
  for (const auto& p : prices) {
    if (p.resource != resource || at_ns < p.from_ns || at_ns >= p.until_ns) continue;
    if (p.queue.empty()) of_all = &p;
    else if (p.queue == queue) return &p;
  }
  return of_all;
}

std::vector<std::string> rates::resources() const {
  std::vector<std::string> names;
  for (const auto& p : prices)
    if (std::find(names.begin(), names.end(), p.resource) == names.end()) names.push_back(p.resource);
  return names;
}

std::string rates_error::print() const {
  const auto where = line == 0 ? std::string() : "line " + std::to_string(line) + ": ";
  std::string shown;
  values::put_shown(shown, word);
  return where + (shown.empty() ? "" : "\"" + shown + "\": ") + why;
}

// amount / scale * seconds / 3600 * price / 10^9, in units of which the currency has 10^decimals.
exact charge(const rates& by, const price& p, amount_kind kind, exact held_s) {
  if ((kind == amount_kind::size) != p.of_size)
    throw rates_trouble("line " + std::to_string(p.line) + ": " + p.resource +
                        (p.of_size ? " is a number: its price has no per" : " is a size: its price is per kb, mb, gb, tb or pb"));
  exact numerator = times(p.nano, power_of_ten(by.decimals));
  exact denominator = times(seconds_of_hour, power_of_ten(limits::price_decimals_max));
  denominator = times(denominator, p.of_size ? exact{1} << p.shift : amount_scale);
  const auto divisor = common_divisor(numerator, denominator);
  return rounded(times(held_s, numerator / divisor), denominator / divisor);
}

}  // namespace annals::reporting
