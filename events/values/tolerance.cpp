#include "events/values/tolerance.hpp"

namespace annals::values {

void tolerance_words::take(std::string_view attribute, std::string_view resource, std::string_view value) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].attribute == attribute && names[i].resource == resource) values_[i] = value;
}

tolerance tolerance_words::bears() const {
  if (word() == "all") return tolerance::all;
  return word() == "job_start" ? tolerance::job_start : tolerance::none;
}

std::string_view tolerance_words::word() const {
  const auto& [attribute, reliable_startup, rjselect] = values_;
  if (!attribute.empty()) return attribute;
  if (!reliable_startup.empty()) return "all";
  return rjselect.empty() ? "" : "job_start";
}

std::string_view tolerance_words::implied_by() const {
  if (!values_[0].empty()) return {};
  for (std::size_t i = 1; i < names.size(); ++i)
    if (!values_[i].empty()) return names[i].resource;
  return {};
}

}  // namespace annals::values
