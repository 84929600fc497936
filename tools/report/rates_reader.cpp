// Reads a file of prices: strict, since what is misread is money.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "events/values/moment.hpp"
#include "tools/report/limits.hpp"
#include "tools/report/rates.hpp"

namespace annals::reporting {
namespace {

using words = std::vector<std::string_view>;

words words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  words all;
  for (auto at = line.find_first_not_of(blanks); at != std::string_view::npos; at = line.find_first_not_of(blanks, at)) {
    if (line[at] == '#') break;
    const auto end = std::min(line.find_first_of(blanks, at), line.size());
    all.push_back(line.substr(at, end - at));
    at = end;
  }
  return all;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Digits that fit by their number.
std::int64_t number_of(std::string_view digits) {
  std::int64_t n = 0;
  for (const char c : digits) n = 10 * n + (c - '0');
  return n;
}

// "0.02" in 10^-9.
std::optional<std::int64_t> nano_of(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  const auto part = point == std::string_view::npos ? std::string_view("0") : text.substr(point + 1);
  if (!is_digits(whole) || !is_digits(part)) return std::nullopt;
  if (whole.size() > limits::price_digits_max || part.size() > limits::price_decimals_max) return std::nullopt;
  std::string digits(whole);
  digits += part;
  digits.append(limits::price_decimals_max - part.size(), '0');
  return number_of(digits);
}

std::optional<unsigned> shift_of(std::string_view unit) {
  constexpr std::string_view units[] = {"kb", "mb", "gb", "tb", "pb"};
  for (unsigned i = 0; i < std::size(units); ++i)
    if (unit == units[i]) return 10 * (i + 1);
  return std::nullopt;
}

// A file says the same whenever it is read: "today" is no time of it.
std::optional<std::int64_t> time_of(std::string_view text) {
  constexpr std::string_view forms[] = {"dddd-dd-dd", "dddd-dd-ddTdd:dd", "dddd-dd-ddTdd:dd:dd"};
  const auto has = [&](std::string_view form) {
    return text.size() == form.size() && std::equal(text.begin(), text.end(), form.begin(), [](char c, char f) {
             return f == 'd' ? c >= '0' && c <= '9' : c == f;
           });
  };
  if (std::none_of(std::begin(forms), std::end(forms), has)) return std::nullopt;
  const auto read = values::parse_moment(text, 0);
  return read ? std::optional(read->wall_ns) : std::nullopt;
}

class reader {
 public:
  std::variant<rates, rates_error> read(std::string_view text) {
    if (text.size() > limits::rates_bytes_max) return fail_at(0, "", "the file has more than 1 MB");
    while (!text.empty() && !wrong_) {
      ++line_;
      const auto end = std::min(text.find('\n'), text.size());
      take_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!wrong_ && found_.currency.empty()) return fail_at(0, "", "there is no line \"currency NAME DECIMALS\"");
    if (!wrong_) check_overlaps();
    if (wrong_) return *wrong_;
    return std::move(found_);
  }

 private:
  static rates_error fail_at(unsigned line, std::string_view word, const std::string& why) { return {line, std::string(word), why}; }
  void fail(std::string_view word, const std::string& why) {
    if (!wrong_) wrong_ = fail_at(line_, word, why);
  }

  void take_line(std::string_view line) {
    const auto all = words_of(line);
    if (all.empty()) return;
    const auto rest = std::span(all).subspan(1);
    if (all.front() == "currency") return take_currency(rest);
    if (all.front() == "price") return take_price(rest);
    fail(all.front(), "a line begins with currency or price");
  }

  void take_currency(std::span<const std::string_view> rest) {
    if (!found_.currency.empty()) return fail("currency", "there is a currency already");
    if (rest.size() < 2) return fail("", "currency is followed by a name and how many decimals it has, as \"currency EUR 2\"");
    if (rest.size() > 2) return fail(rest[2], "nothing comes behind the decimals");
    const auto name = rest[0];
    const bool is_name = name.size() <= limits::currency_bytes_max &&
                         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); });
    if (!is_name) return fail(name, "a currency is named by at most 16 letters");
    if (rest[1].size() != 1 || !is_digits(rest[1]) || number_of(rest[1]) > limits::currency_decimals_max)
      return fail(rest[1], "a currency has 0 to 6 decimals");
    found_.currency = name;
    found_.decimals = static_cast<unsigned>(number_of(rest[1]));
  }

  void take_price(std::span<const std::string_view> rest) {
    if (found_.currency.empty()) return fail("price", "a line \"currency NAME DECIMALS\" comes before the first price");
    if (rest.size() < 2) return fail("", "price is followed by a resource and an amount, as \"price ncpus 0.02\"");
    price p;
    p.line = line_;
    p.resource = rest[0];
    if (!is_resource_name(rest[0])) return fail(rest[0], "this is no name of a resource");
    const auto nano = nano_of(rest[1]);
    if (!nano) return fail(rest[1], "an amount is at most 6 digits, and behind a point at most 9, as 0.02");
    p.nano = *nano;
    std::set<std::string_view> said;
    for (rest = rest.subspan(2); !rest.empty() && !wrong_; rest = rest.subspan(2)) {
      if (!said.insert(rest[0]).second) return fail(rest[0], "it stands there twice");
      if (rest.size() < 2 && is_condition(rest[0])) return fail("", "something comes behind " + std::string(rest[0]));
      take_condition(p, rest[0], rest.size() < 2 ? std::string_view() : rest[1]);
    }
    if (wrong_) return;
    if (p.from_ns >= p.until_ns) return fail("until", "it must be later than from");
    if (found_.prices.size() == limits::prices_max) return fail("price", "there are more than 10000 prices");
    found_.prices.push_back(std::move(p));
  }

  static bool is_condition(std::string_view word) { return word == "per" || word == "queue" || word == "from" || word == "until"; }

  void take_condition(price& p, std::string_view word, std::string_view value) {
    if (word == "queue") {
      p.queue = value;
      return;
    }
    if (word == "per") {
      const auto shift = shift_of(value);
      if (!shift) return fail(value, "a price is per kb, mb, gb, tb or pb");
      p.of_size = true;
      p.shift = *shift;
      return;
    }
    if (word != "from" && word != "until") return fail(word, "per, queue, from or until comes here");
    const auto at = time_of(value);
    if (!at) return fail(value, "a time is YYYY-MM-DD or YYYY-MM-DDTHH:MM[:SS]");
    (word == "from" ? p.from_ns : p.until_ns) = *at;
  }

  // No two prices of the same are valid at once.
  void check_overlaps() {
    std::map<std::pair<std::string_view, std::string_view>, std::vector<const price*>> same;
    for (const auto& p : found_.prices) same[{p.resource, p.queue}].push_back(&p);
    for (auto& [of, all] : same) {
      std::sort(all.begin(), all.end(), [](const price* a, const price* b) { return a->from_ns < b->from_ns; });
      for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i]->from_ns >= all[i - 1]->until_ns) continue;
        const auto [first, second] = std::minmax(all[i - 1]->line, all[i]->line);
        line_ = second;
        return fail(of.first, "line " + std::to_string(first) + " has a price of it for a part of the same time");
      }
    }
  }

  unsigned line_ = 0;
  rates found_;
  std::optional<rates_error> wrong_;
};

}  // namespace

std::variant<rates, rates_error> parse_rates(std::string_view text) { return reader().read(text); }

}  // namespace annals::reporting
