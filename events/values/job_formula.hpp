// job_sort_formula: which job comes first. An expression as PBS takes it (pbs guide: job sort formula): numbers, names, + - * / // % **,
// comparisons, and or not, "a if c else b", parentheses, and functions of numbers. Read once, computed often; it can do nothing but
// arithmetic. Its meaning is Python's, except that every number is a double.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace annals::values {

class job_formula {
 public:
  static constexpr std::size_t chars_max = 4096;  // longer is no formula that a person wrote
  static constexpr int depth_max = 64;            // of what stands in each other: reading one may not use up the stack

  enum class trouble : std::uint8_t { format,
                                      keyword };  // a name that means nothing
  job_formula() = default;                        // no formula: always 0
  // Nothing: `why`, if wanted, says why. `is_name`: whether a name stands for a number; functions are known.
  static std::optional<job_formula> parse(std::string_view text, const std::function<bool(std::string_view)>& is_name,
                                          trouble* why = nullptr);

  // Each once, in the order in which they stand in the text.
  const std::vector<std::string>& names() const { return names_; }
  struct result {
    double value = 0;
    const char* error = nullptr;  // Python's words, "division by zero"; then the value is 0
  };
  // `of_names`: a number for each of names().
  result value(std::span<const double> of_names) const;
  bool operator==(const job_formula&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.names_, self.steps_, self.stack_);
  }

 private:
  friend class job_formula_reader;
  struct step {
    std::uint8_t what = 0;  // of job_formula.cpp
    double number = 0;
    std::uint32_t at = 0;  // a name's or function's number, where to go on, how many arguments
    std::uint32_t arguments = 0;
    bool operator==(const step&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.what, self.number, self.at, self.arguments);
    }
  };
  std::vector<std::string> names_;
  std::vector<step> steps_;  // operands before what is done with them
  std::uint32_t stack_ = 0;  // how much of it the steps need at most
};

// The words that are no resource: queue_priority, job_priority, eligible_time, ... (pbs guide: terms of the job sort formula).
std::span<const std::string_view> job_formula_words();
// Whether it is one of those that tell an entity's shares and usage, such as fairshare_perc.
bool is_fairshare_word(std::string_view word);

}  // namespace annals::values
