#include "tools/report/exact.hpp"

#include <algorithm>

namespace annals::reporting {

exact plus(exact a, exact b) {
  exact sum;
  if (__builtin_add_overflow(a, b, &sum)) throw too_large();
  return sum;
}

exact times(exact a, exact b) {
  exact product;
  if (__builtin_mul_overflow(a, b, &product)) throw too_large();
  return product;
}

exact rounded(exact a, exact by) {
  const exact whole = a / by, rest = a % by;
  const exact size = rest < 0 ? -rest : rest;
  if (size < by - size) return whole;
  return whole + (a < 0 ? -1 : 1);
}

std::string print(exact n) {
  __extension__ typedef unsigned __int128 without_sign;
  auto left = n < 0 ? -static_cast<without_sign>(n) : static_cast<without_sign>(n);
  std::string text;
  do {
    text += static_cast<char>('0' + static_cast<int>(left % 10));
    left /= 10;
  } while (left != 0);
  if (n < 0) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

std::string print_decimal(exact n, unsigned decimals, bool short_form) {
  auto text = print(n);
  if (decimals == 0) return text;
  const std::size_t sign = n < 0 ? 1 : 0;
  if (text.size() - sign <= decimals) text.insert(sign, decimals + 1 - (text.size() - sign), '0');
  text.insert(text.size() - decimals, 1, '.');
  if (!short_form) return text;
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

exact power_of_ten(unsigned exponent) {
  exact power = 1;
  while (exponent-- > 0) power = times(power, 10);
  return power;
}

}  // namespace annals::reporting
