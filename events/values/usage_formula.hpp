// fairshare_usage_res: what a job's use of the cluster is worth. A resource ("cput") or a job_formula over resources: "ncpus*walltime",
// "(cput + 0.1*mem)/2", "sqrt(ncpus)*walltime". Read once, computed often.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/job_formula.hpp"

namespace annals::values {

// A resource's value as a number: seconds of a duration, kb of a size, the number itself; 0 for any other text.
double number_of(std::string_view value);

class usage_formula {
 public:
  static constexpr std::size_t chars_max = 1024;  // longer is no formula that a person wrote

  usage_formula() = default;  // no formula: always 0
  // Returns nothing for a text that is no formula. Every name may be a resource.
  static std::optional<usage_formula> parse(std::string_view text);

  // Names of resources, each once, in the order in which they stand in the text.
  const std::vector<std::string>& names() const { return formula_.names(); }
  // `of_names`: a number for each of names(). A result that is negative, infinite or no number at all (a division by zero) is 0.
  double value(std::span<const double> of_names) const;
  // The same; `value_of(name)` answers the number of a resource.
  template <class ValueOf>
  double value_with(ValueOf&& value_of) const {
    std::vector<double> numbers;
    numbers.reserve(names().size());
    for (const auto& name : names()) numbers.push_back(value_of(std::string_view(name)));
    return value(numbers);
  }
  bool operator==(const usage_formula&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.formula_);
  }

 private:
  job_formula formula_;
};

}  // namespace annals::values
