#include "events/values/job_formula.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "events/values/letters.hpp"
#include "events/values/number.hpp"

namespace annals::values {

namespace {

enum action : std::uint8_t {
  push_number,
  push_name,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  negate,
  invert,  // not
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  call,
  jump,
  jump_if_false,          // takes the value off
  jump_if_false_or_drop,  // and: the value stays where it decides
  jump_if_true_or_drop,   // or
  copy_below,             // of a chain of comparisons a < b < c: b goes below what compares it with a
  drop_below,
};

constexpr const char *by_zero = "division by zero", *domain = "math domain error", *range = "math range error";

using arguments = std::span<const double>;
struct function {
  std::string_view name;
  std::uint32_t least, most;  // arguments
  double (*of)(arguments a, const char*& error);
};

template <double (*F)(double)>
double plain(arguments a, const char*&) { return F(a[0]); }

double logarithm(double x, const char*& error) {
  if (x > 0) return std::log(x);
  error = domain;
  return 0;
}

double raised(double base, double exponent, const char*& error) {
  if (base == 0 && exponent < 0) return error = "0.0 cannot be raised to a negative power", 0;
  const double value = std::pow(base, exponent);
  if (std::isnan(value)) error = domain;
  return value;
}

constexpr std::uint32_t arguments_max = 32;
constexpr function functions[] = {
    {"max", 2, arguments_max, [](arguments a, const char*&) { return *std::max_element(a.begin(), a.end()); }},
    {"min", 2, arguments_max, [](arguments a, const char*&) { return *std::min_element(a.begin(), a.end()); }},
    {"pow", 2, 2, [](arguments a, const char*& error) { return raised(a[0], a[1], error); }},
    {"sqrt", 1, 1, [](arguments a, const char*& error) { return a[0] < 0 ? (error = domain, 0.0) : std::sqrt(a[0]); }},
    {"exp", 1, 1, plain<std::exp>},
    {"log", 1, 2,
     [](arguments a, const char*& error) {
       const double value = logarithm(a[0], error);
       if (a.size() == 1) return value;
       const double base = logarithm(a[1], error);
       if (base == 0 && !error) error = by_zero;
       return error ? 0 : value / base;
     }},
    {"log10", 1, 1, [](arguments a, const char*& error) { return a[0] > 0 ? std::log10(a[0]) : (error = domain, 0.0); }},
    {"log2", 1, 1, [](arguments a, const char*& error) { return a[0] > 0 ? std::log2(a[0]) : (error = domain, 0.0); }},
    {"abs", 1, 1, plain<std::fabs>},
    {"fabs", 1, 1, plain<std::fabs>},
    {"floor", 1, 1, plain<std::floor>},
    {"ceil", 1, 1, plain<std::ceil>},
    {"trunc", 1, 1, plain<std::trunc>},
    {"int", 1, 1, plain<std::trunc>},
    {"float", 1, 1, [](arguments a, const char*&) { return a[0]; }},
    {"round", 1, 1, plain<std::nearbyint>},
    {"fmod", 2, 2, [](arguments a, const char*& error) { return a[1] == 0 ? (error = domain, 0.0) : std::fmod(a[0], a[1]); }},
};
constexpr std::uint32_t no_function = std::size(functions);

std::uint32_t function_named(std::string_view name) {
  return static_cast<std::uint32_t>(std::ranges::find(functions, name, &function::name) - std::begin(functions));
}

// fair_share_perc is the older word for fairshare_perc.
constexpr std::array<std::string_view, 8> words = {"queue_priority", "job_priority", "eligible_time", "fairshare_perc",
                                                   "fairshare_tree_usage", "fairshare_factor", "accrue_type", "fair_share_perc"};

bool is_language(std::string_view word) {
  constexpr std::string_view own[] = {"if", "else", "and", "or", "not", "True", "False"};
  return std::ranges::find(own, word) != std::end(own);
}

}  // namespace

std::span<const std::string_view> job_formula_words() { return words; }

bool is_fairshare_word(std::string_view word) {
  constexpr std::string_view own[] = {"fairshare_perc", "fair_share_perc", "fairshare_tree_usage", "fairshare_factor"};
  return std::ranges::find(own, word) != std::end(own);
}

// condition := either [ if either else condition ]   either := both { or both }   both := negated { and negated }
// negated := not negated | comparison   comparison := sum { (< <= > >= == !=) sum }   sum := product { (+ -) product }
// product := signed { (* / // %) signed }   signed := (- +) signed | raised   raised := factor [ ** signed ]
// factor := number | name | function ( condition { , condition } ) | ( condition )
class job_formula_reader {
 public:
  job_formula_reader(std::string_view text, const std::function<bool(std::string_view)>& is_name) : rest_(text), is_name_(is_name) {}

  std::optional<job_formula> read() {
    if (!condition() || !at_end()) return std::nullopt;
    out_.stack_ = static_cast<std::uint32_t>(deepest_);
    return std::move(out_);
  }
  bool met_unknown_name() const { return unknown_; }

 private:
  // One more level of what stands in each other.
  struct level {
    explicit level(int& depth) : depth_(depth) { ++depth_; }
    ~level() { --depth_; }
    int& depth_;
  };

  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }
  std::string_view next_word() {
    skip_blanks();
    const auto end = std::ranges::find_if(rest_, [](char c) { return !is_letter(c) && !is_digit(c); });
    return rest_.empty() || !is_letter(rest_.front()) ? std::string_view() : rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  }
  bool take_word(std::string_view word) {
    if (next_word() != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  // `grows`: by how much the step changes the height of the stack.
  std::size_t put(action what, int grows, std::uint32_t at = 0, double number = 0, std::uint32_t count = 0) {
    out_.steps_.push_back({what, number, at, count});
    height_ += grows;
    deepest_ = std::max(deepest_, height_);
    return out_.steps_.size() - 1;
  }
  void goes_on_here(std::size_t jump_at) { out_.steps_[jump_at].at = static_cast<std::uint32_t>(out_.steps_.size()); }

  // The condition of "a if c else b" is read after a: a is put behind it.
  bool condition() {
    const level here(depth_);
    if (depth_ > job_formula::depth_max) return false;
    const auto begin = out_.steps_.size();
    if (!either()) return false;
    if (!take_word("if")) return true;
    const std::vector<job_formula::step> then(out_.steps_.begin() + static_cast<std::ptrdiff_t>(begin), out_.steps_.end());
    out_.steps_.resize(begin);
    --height_;
    if (!either()) return false;
    const auto to_else = put(jump_if_false, -1);
    const auto moved = static_cast<std::uint32_t>(out_.steps_.size() - begin);
    for (auto s : then) {
      if (s.what == jump || s.what == jump_if_false || s.what == jump_if_false_or_drop || s.what == jump_if_true_or_drop) s.at += moved;
      out_.steps_.push_back(s);
    }
    const auto to_end = put(jump, 0);
    goes_on_here(to_else);
    if (!take_word("else") || !condition()) return false;
    goes_on_here(to_end);
    return true;
  }

  bool either() {
    if (!both()) return false;
    while (take_word("or")) {
      const auto decided = put(jump_if_true_or_drop, -1);
      if (!both()) return false;
      goes_on_here(decided);
    }
    return true;
  }

  bool both() {
    if (!negated()) return false;
    while (take_word("and")) {
      const auto decided = put(jump_if_false_or_drop, -1);
      if (!negated()) return false;
      goes_on_here(decided);
    }
    return true;
  }

  bool negated() {
    if (!take_word("not")) return comparison();
    const level here(depth_);
    if (depth_ > job_formula::depth_max || !negated()) return false;
    put(invert, 0);
    return true;
  }

  std::optional<action> comparator() {
    if (take("<=")) return less_equal;
    if (take(">=")) return greater_equal;
    if (take("==")) return equal;
    if (take("!=")) return not_equal;
    if (take("<")) return less;
    if (take(">")) return greater;
    return std::nullopt;
  }

  // a < b < c is a < b and b < c, with b computed once.
  bool comparison() {
    if (!sum()) return false;
    std::vector<std::size_t> decided;
    for (auto op = comparator(); op;) {
      if (!sum()) return false;
      const auto next = comparator();
      if (next) put(copy_below, 1);
      put(*op, -1);
      if (next) decided.push_back(put(jump_if_false_or_drop, -1));
      op = next;
    }
    if (decided.empty()) return true;
    const auto to_end = put(jump, 0);
    for (const auto at : decided) goes_on_here(at);
    put(drop_below, 0);  // where a comparison failed, the value for the next one still lies below the answer
    goes_on_here(to_end);
    return true;
  }

  bool sum() {
    if (!product()) return false;
    for (;;) {
      const bool plus = take("+");
      if (!plus && !take("-")) return true;
      if (!product()) return false;
      put(plus ? add : subtract, -1);
    }
  }

  bool product() {
    if (!signed_one()) return false;
    for (;;) {
      action what = multiply;
      if (take("//")) what = floor_divide;
      else if (take("/")) what = divide;
      else if (take("%")) what = modulo;
      else if (rest_.starts_with("**") || !take("*")) return true;
      if (!signed_one()) return false;
      put(what, -1);
    }
  }

  bool signed_one() {
    const level here(depth_);
    if (depth_ > job_formula::depth_max) return false;
    if (take("+")) return signed_one();
    if (!take("-")) return raised_one();
    if (!signed_one()) return false;
    put(negate, 0);
    return true;
  }

  bool raised_one() {
    if (!factor()) return false;
    if (!take("**")) return true;
    if (!signed_one()) return false;
    put(power, -1);
    return true;
  }

  bool factor() {
    if (take("(")) return condition() && take(")");
    const auto word = next_word();
    if (word.empty()) return number();
    if (word == "True" || word == "False") {
      rest_.remove_prefix(word.size());
      put(push_number, 1, 0, word == "True");
      return true;
    }
    if (is_language(word)) return false;
    rest_.remove_prefix(word.size());
    return take("(") ? function_call(function_named(word)) : name(word);
  }

  bool name(std::string_view word) {
    if (!is_name_(word)) return unknown_ = true, false;
    auto at = std::ranges::find(out_.names_, word);
    if (at == out_.names_.end()) at = out_.names_.insert(at, std::string(word));
    put(push_name, 1, static_cast<std::uint32_t>(at - out_.names_.begin()));
    return true;
  }

  bool function_call(std::uint32_t which) {
    if (which == no_function) return unknown_ = true, false;
    std::uint32_t count = 0;
    do {
      if (++count > functions[which].most || !condition()) return false;
    } while (take(","));
    if (count < functions[which].least || !take(")")) return false;
    put(call, 1 - static_cast<int>(count), which, 0, count);
    return true;
  }

  bool number() {
    std::size_t n = 0;
    while (n < rest_.size() && (is_digit(rest_[n]) || rest_[n] == '.')) ++n;
    if (n > 0 && n < rest_.size() && (rest_[n] == 'e' || rest_[n] == 'E')) {
      auto end = n + 1;
      if (end < rest_.size() && (rest_[end] == '+' || rest_[end] == '-')) ++end;
      while (end < rest_.size() && is_digit(rest_[end])) n = ++end;
    }
    const auto value = n == 0 ? std::nullopt : parse_real(rest_.substr(0, n));
    if (!value) return false;
    rest_.remove_prefix(n);
    put(push_number, 1, 0, *value);
    return true;
  }

  std::string_view rest_;
  const std::function<bool(std::string_view)>& is_name_;
  job_formula out_;
  int depth_ = 0, height_ = 0, deepest_ = 0;
  bool unknown_ = false;
};

namespace {

// A name that means nothing is told before anything else that is wrong.
bool names_unknown(std::string_view text, const std::function<bool(std::string_view)>& is_name) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '.')) ++end;
    const auto word = text.substr(at, end - at);
    if (end == at) {
      ++at;
      continue;
    }
    at = end;
    if (!is_letter(word.front())) continue;
    if (!is_language(word) && function_named(word) == no_function && !is_name(word)) return true;
  }
  return false;
}

double divided(action what, double a, double b, const char*& error) {
  if (b == 0) return error = what == modulo ? "integer modulo by zero" : by_zero, 0;
  if (what == divide) return a / b;
  const double whole = std::floor(a / b);
  return what == floor_divide ? whole : a - b * whole;  // the sign is that of b
}

double compared(action what, double a, double b) {
  switch (what) {
    case less: return a < b;
    case less_equal: return a <= b;
    case greater: return a > b;
    case greater_equal: return a >= b;
    case equal: return a == b;
    default: return a != b;
  }
}

}  // namespace

std::optional<job_formula> job_formula::parse(std::string_view text, const std::function<bool(std::string_view)>& is_name, trouble* why) {
  trouble unused;
  if (!why) why = &unused;
  *why = trouble::format;
  if (text.size() > chars_max) return std::nullopt;
  if (names_unknown(text, is_name)) return *why = trouble::keyword, std::nullopt;
  job_formula_reader reader(text, is_name);
  auto formula = reader.read();
  if (!formula && reader.met_unknown_name()) *why = trouble::keyword;
  return formula;
}

job_formula::result job_formula::value(std::span<const double> of_names) const {
  constexpr std::size_t usual = 32;
  std::array<double, usual> small;
  std::vector<double> large(stack_ > usual ? stack_ : 0);
  double* const stack = stack_ > usual ? large.data() : small.data();
  std::size_t n = 0;  // of the stack in use
  const char* error = nullptr;
  for (std::size_t at = 0; at < steps_.size() && !error; ++at) {
    const step& s = steps_[at];
    switch (const auto what = static_cast<action>(s.what)) {
      case push_number: stack[n++] = s.number; break;
      case push_name: stack[n++] = of_names[s.at]; break;
      case add: --n, stack[n - 1] += stack[n]; break;
      case subtract: --n, stack[n - 1] -= stack[n]; break;
      case multiply: --n, stack[n - 1] *= stack[n]; break;
      case divide:
      case floor_divide:
      case modulo: --n, stack[n - 1] = divided(what, stack[n - 1], stack[n], error); break;
      case power: --n, stack[n - 1] = raised(stack[n - 1], stack[n], error); break;
      case negate: stack[n - 1] = -stack[n - 1]; break;
      case invert: stack[n - 1] = stack[n - 1] == 0; break;
      case less:
      case less_equal:
      case greater:
      case greater_equal:
      case equal:
      case not_equal: --n, stack[n - 1] = compared(what, stack[n - 1], stack[n]); break;
      case call:
        n -= s.arguments;
        stack[n] = functions[s.at].of({stack + n, s.arguments}, error);
        ++n;
        break;
      case jump: at = s.at - 1; break;
      case jump_if_false:
        if (stack[--n] == 0) at = s.at - 1;
        break;
      case jump_if_false_or_drop:
        if (stack[n - 1] == 0) at = s.at - 1;
        else --n;
        break;
      case jump_if_true_or_drop:
        if (stack[n - 1] != 0) at = s.at - 1;
        else --n;
        break;
      case copy_below:
        stack[n] = stack[n - 1];
        stack[n - 1] = stack[n - 2];
        stack[n - 2] = stack[n];
        ++n;
        break;
      case drop_below:
        stack[n - 2] = stack[n - 1];
        --n;
        break;
    }
  }
  const double value = error || n == 0 ? 0 : stack[n - 1];
  if (!error && !std::isfinite(value)) return {0, range};
  return {value, error};
}

}  // namespace annals::values
