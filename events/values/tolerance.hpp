// Which failures of its other hosts a job bears, and what of the job says so. Governed by docs/design/0037.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace annals::values {

enum class tolerance : std::uint8_t {
  none,
  job_start,  // until its program was started
  all,
};

// Attributes of a job, told in any order. tolerate_node_failures wins; a job with spare chunks bears failures by itself (RS-36).
class tolerance_words {
 public:
  struct name {
    std::string_view attribute, resource;
  };
  // Those that count, the strongest first.
  static constexpr std::array<name, 3> names = {
      {{"tolerate_node_failures", {}}, {"Resource_List", "select_reliable_startup"}, {"Resource_List", "rjselect"}}};

  // Notes it if it counts; an empty value: it is unset.
  void take(std::string_view attribute, std::string_view resource, std::string_view value);
  tolerance bears() const;
  std::string_view word() const;        // "all", "job_start", "none"; empty: nothing was said
  std::string_view implied_by() const;  // the resource that says it; empty: none does

 private:
  std::array<std::string, names.size()> values_;
};

}  // namespace annals::values
