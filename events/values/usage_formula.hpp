// fairshare_usage_res: what a job's use of the cluster is worth. A resource ("cput") or arithmetic over resources
// ("ncpus*walltime", "(cput + 0.1*mem)/2"): numbers, names, + - * / and parentheses. Read once, computed often.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace annals::values {

// A resource's value as a number: seconds of a duration, kb of a size, the number itself; 0 for any other text.
double number_of(std::string_view value);

class usage_formula {
 public:
  static constexpr std::size_t chars_max = 1024;  // longer is no formula that a person wrote
  static constexpr int depth_max = 64;            // of parentheses and signs: reading one may not use up the stack

  usage_formula() = default;  // no formula: always 0
  // Nothing: the text is no formula.
  static std::optional<usage_formula> parse(std::string_view text);

  // Names of resources, each once, in the order in which they stand in the text.
  const std::vector<std::string>& names() const { return names_; }
  // `of_names`: a number for each of names(). A result that is negative, infinite or no number at all (a division by zero) is 0.
  double value(std::span<const double> of_names) const;
  // The same; `value_of(name)` answers the number of a resource.
  template <class ValueOf>
  double value_with(ValueOf&& value_of) const {
    std::vector<double> numbers;
    numbers.reserve(names_.size());
    for (const auto& name : names_) numbers.push_back(value_of(std::string_view(name)));
    return value(numbers);
  }
  bool operator==(const usage_formula&) const = default;

 private:
  friend class formula_reader;
  enum class action : std::uint8_t { number,
                                     name,
                                     add,
                                     subtract,
                                     multiply,
                                     divide,
                                     negate };
  struct step {
    action what = action::number;
    double number = 0;       // of number
    std::uint32_t name = 0;  // of name: which
    bool operator==(const step&) const = default;
  };
  std::vector<std::string> names_;
  std::vector<step> steps_;  // operands before what is done with them
};

}  // namespace annals::values
