// Order, sum and difference of canonical values of one type (check.hpp).
#include <algorithm>

#include "events/attributes/check.hpp"
#include "events/values/duration.hpp"
#include "events/values/limit_spec.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"
#include "events/values/string_list.hpp"

namespace annals::attributes {
namespace {

using namespace values;

template <class T>
std::optional<int> order(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a || !b) return std::nullopt;
  return *a < *b ? -1 : *b < *a ? 1
                                : 0;
}

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

using elements = std::vector<std::string>;

bool contains(const elements& list, const std::string& wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

elements joined(elements list, const elements& more) {
  for (const std::string& element : more)
    if (!contains(list, element)) list.push_back(element);
  return list;
}

elements without(elements list, const elements& gone) {
  list.erase(std::remove_if(list.begin(), list.end(), [&](const std::string& e) { return contains(gone, e); }),
             list.end());
  return list;
}

std::string limits_changed(std::string_view a, std::string_view b, bool add) {
  auto limits = parse_limits(a);
  limit_spec result = limits ? *limits : limit_spec{};
  if (const auto change = parse_limits(b, add)) {
    if (add)
      add_limits(result, *change);
    else
      remove_limits(result, *change);
  }
  return print(result);
}

// For the numeric types; a text that is no number counts as zero, since both came from canonical().
std::string number_changed(value_type type, std::string_view a, std::string_view b, bool add) {
  switch (type) {
    case value_type::size: {
      const size_value x = parse_size(a).value_or(size_value{}), y = parse_size(b).value_or(size_value{});
      return print_size(add ? values::add(x, y) : values::subtract(x, y));
    }
    case value_type::real: {
      const double x = parse_real(a).value_or(0), y = parse_real(b).value_or(0);
      return print_real(add ? x + y : x - y);
    }
    case value_type::duration: {
      const std::int64_t x = parse_duration(a).value_or(0), y = parse_duration(b).value_or(0);
      return print_duration(add ? saturated_sum(x, y) : std::max<std::int64_t>(x - y, 0));
    }
    default: {
      const std::int64_t x = parse_integer(a).value_or(0), y = parse_integer(b).value_or(0);
      return std::to_string(saturated_sum(x, add ? y : y == INT64_MIN ? INT64_MAX
                                                                      : -y));
    }
  }
}

}  // namespace

std::optional<int> compare_values(value_type type, std::string_view a, std::string_view b) {
  switch (type) {
    case value_type::integer:
    case value_type::date:
      return order(parse_integer(a), parse_integer(b));
    case value_type::real:
      return order(parse_real(a), parse_real(b));
    case value_type::duration:
      return order(parse_duration(a), parse_duration(b));
    case value_type::size: {
      const auto x = parse_size(a), y = parse_size(b);
      if (!x || !y) return std::nullopt;
      const auto c = compare(*x, *y);
      return c < 0 ? -1 : c > 0 ? 1
                                : 0;
    }
    default:
      return a < b ? -1 : b < a ? 1
                                : 0;
  }
}

std::string add_values(value_type type, std::string_view a, std::string_view b) {
  switch (type) {
    case value_type::string_array:
      return join_list(joined(split_list(a), split_list(b)));
    case value_type::acl:
      return *canonical(value_type::acl, join_list(joined(split_list(a), split_list(b))));
    case value_type::limits:
      return limits_changed(a, b, true);
    case value_type::integer:
    case value_type::date:
    case value_type::real:
    case value_type::size:
    case value_type::duration:
      return number_changed(type, a, b, true);
    case value_type::string:
      return std::string(a) + std::string(b);
    default:
      return std::string(b);
  }
}

std::string subtract_values(value_type type, std::string_view a, std::string_view b) {
  switch (type) {
    case value_type::string_array:
    case value_type::acl:
      return join_list(without(split_list(a), split_list(b)));
    case value_type::limits:
      return limits_changed(a, b, false);
    case value_type::integer:
    case value_type::date:
    case value_type::real:
    case value_type::size:
    case value_type::duration:
      return number_changed(type, a, b, false);
    case value_type::string: {
      std::string out(a);
      if (const auto at = b.empty() ? std::string::npos : out.find(b); at != std::string::npos) out.erase(at, b.size());
      return out;
    }
    default:
      return std::string(a);
  }
}

namespace {

std::string sum_of_sizes(std::span<const counted_value> values) {
  std::vector<counted_size> sizes;
  sizes.reserve(values.size());
  for (const auto& v : values) sizes.push_back({parse_size(v.value).value_or(size_value{}), v.count});
  return print_size(values::sum_of(sizes));
}

std::string sum_of_reals(std::span<const counted_value> values) {
  double sum = 0;
  for (const auto& v : values) sum += parse_real(v.value).value_or(0) * static_cast<double>(v.count);
  return print_real(sum);
}

// `read` gives the number of a text. Saturates.
template <class Read>
std::int64_t sum_of_integers(std::span<const counted_value> values, const Read& read) {
  __extension__ using wide = __int128;
  wide sum = 0;
  for (const auto& v : values) sum += wide{read(v.value)} * static_cast<wide>(v.count);
  return static_cast<std::int64_t>(std::clamp<wide>(sum, INT64_MIN, INT64_MAX));
}

}  // namespace

std::string sum_of_values(value_type type, std::span<const counted_value> values) {
  if (values.empty()) return {};
  if (values.size() == 1 && values.front().count == 1) return std::string(values.front().value);
  switch (type) {
    case value_type::size: return sum_of_sizes(values);
    case value_type::real: return sum_of_reals(values);
    case value_type::duration:
      return print_duration(sum_of_integers(values, [](auto text) -> std::int64_t { return parse_duration(text).value_or(0); }));
    default: return std::to_string(sum_of_integers(values, [](auto text) { return parse_integer(text).value_or(0); }));
  }
}

}  // namespace annals::attributes
