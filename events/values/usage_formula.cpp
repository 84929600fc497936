#include "events/values/usage_formula.hpp"

#include <algorithm>
#include <cmath>

#include "events/values/duration.hpp"
#include "events/values/letters.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::values {

double number_of(std::string_view value) {
  if (const auto number = parse_real(value)) return *number;
  if (const auto seconds = parse_duration(value)) return static_cast<double>(*seconds);
  if (const auto size = parse_size(value)) return static_cast<double>(size->to_kb());
  return 0;
}

// sum := product { (+|-) product }, product := factor { (*|/) factor }, factor := number | name | ( sum ) | (-|+) factor
class formula_reader {
 public:
  explicit formula_reader(std::string_view text) : rest_(text) {}

  std::optional<usage_formula> read() {
    if (!sum() || !at_end()) return std::nullopt;
    return std::move(out_);
  }

 private:
  using action = usage_formula::action;

  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void put(action what) { out_.steps_.push_back({what, 0, 0}); }

  bool sum() {
    if (!product()) return false;
    for (;;) {
      const bool plus = take('+');
      if (!plus && !take('-')) return true;
      if (!product()) return false;
      put(plus ? action::add : action::subtract);
    }
  }

  bool product() {
    if (!factor()) return false;
    for (;;) {
      const bool times = take('*');
      if (!times && !take('/')) return true;
      if (!factor()) return false;
      put(times ? action::multiply : action::divide);
    }
  }

  bool factor() {
    if (++depth_ > usage_formula::depth_max) return false;
    const bool good = inner();
    --depth_;
    return good;
  }

  bool inner() {
    if (take('(')) return sum() && take(')');
    if (take('+')) return factor();
    if (take('-')) {
      if (!factor()) return false;
      put(action::negate);
      return true;
    }
    skip_blanks();
    if (rest_.empty()) return false;
    return is_letter(rest_.front()) ? name() : number();
  }

  bool name() {
    const auto end = std::find_if(rest_.begin(), rest_.end(), [](char c) { return !is_letter(c) && !is_digit(c); });
    const std::string word(rest_.begin(), end);
    rest_.remove_prefix(word.size());
    auto& names = out_.names_;
    auto at = std::find(names.begin(), names.end(), word);
    if (at == names.end()) at = names.insert(names.end(), word);
    out_.steps_.push_back({action::name, 0, static_cast<std::uint32_t>(at - names.begin())});
    return true;
  }

  bool number() {
    const auto end = std::find_if(rest_.begin(), rest_.end(), [](char c) { return !is_digit(c) && c != '.'; });
    const std::string_view word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    const auto value = word.empty() ? std::nullopt : parse_real(word);
    if (!value) return false;
    rest_.remove_prefix(word.size());
    out_.steps_.push_back({action::number, *value, 0});
    return true;
  }

  std::string_view rest_;
  usage_formula out_;
  int depth_ = 0;
};

std::optional<usage_formula> usage_formula::parse(std::string_view text) {
  if (text.size() > chars_max) return std::nullopt;
  return formula_reader(text).read();
}

double usage_formula::value(std::span<const double> of_names) const {
  std::vector<double> stack;
  stack.reserve(steps_.size());
  const auto join = [&](auto with) {
    const double right = stack.back();
    stack.pop_back();
    stack.back() = with(stack.back(), right);
  };
  for (const auto& s : steps_) {
    switch (s.what) {
      case action::number: stack.push_back(s.number); break;
      case action::name: stack.push_back(of_names[s.name]); break;
      case action::add: join([](double a, double b) { return a + b; }); break;
      case action::subtract: join([](double a, double b) { return a - b; }); break;
      case action::multiply: join([](double a, double b) { return a * b; }); break;
      case action::divide: join([](double a, double b) { return a / b; }); break;
      case action::negate: stack.back() = -stack.back(); break;
    }
  }
  const double result = stack.empty() ? 0 : stack.back();
  return std::isfinite(result) && result > 0 ? result : 0;
}

}  // namespace annals::values
