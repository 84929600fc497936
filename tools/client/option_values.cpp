#include "tools/client/option_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "events/values/number.hpp"
#include "events/values/string_list.hpp"
#include "tools/client/job_ids.hpp"

namespace annals::client {

namespace {

bool digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool only(std::string_view text, std::string_view letters) {
  return text.find_first_not_of(letters) == std::string_view::npos;
}

// A job of a dependency: an id that no subjob or range has.
bool is_dependency_target(std::string_view text) {
  const auto bracket = text.find('[');
  if (bracket != std::string_view::npos && text.substr(bracket, 2) != "[]") return false;
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

bool is_dependency(std::string_view text) {
  static constexpr std::string_view types[] = {"after", "afterok", "afternotok", "afterany", "before",
                                               "beforeok", "beforenotok", "beforeany", "runone"};
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view type = text.substr(0, colon);
  const std::string_view rest = text.substr(colon + 1);
  if (type == "on") return !rest.empty();  // the server judges the count
  if (std::find(std::begin(types), std::end(types), type) == std::end(types)) return false;
  for (const std::string_view job : values::split_quoted(rest, ':'))
    if (!is_dependency_target(job)) return false;
  return !rest.empty();
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

bool is_checkpoint(std::string_view text) {
  if (text == "n" || text == "s" || text == "c" || text == "w") return true;
  return (text.starts_with("c=") || text.starts_with("w=")) && digits(text.substr(2));
}

bool is_keep_files(std::string_view text) {
  return text == "n" || (only(text, "oed") && text.find_first_of("oe") != std::string_view::npos);
}

bool is_mail_points(std::string_view text) { return text == "n" || (!text.empty() && only(text, "abej")); }

bool is_priority(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int value = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
  return bad == std::errc() && end == text.data() + text.size() && value >= -1024 && value <= 1023;
}

bool is_count(std::string_view text) { return digits(text); }

bool is_staging_list(std::string_view text) {
  for (const std::string_view entry : values::split_quoted(text)) {
    const auto at = entry.find('@');
    if (at == 0 || at == std::string_view::npos || entry.find(':', at) == std::string_view::npos) return false;
  }
  return !text.empty();
}

bool is_dependency_list(std::string_view text) {
  for (const std::string_view entry : values::split_quoted(text))
    if (!is_dependency(entry)) return false;
  return !text.empty();
}

bool is_sandbox(std::string_view text) {
  return std::ranges::any_of(std::array{"PRIVATE", "HOME", "O_WORKDIR"},
                             [&](const char* word) { return values::equal_any_case(text, word); });
}

bool is_true_or_false(std::string_view text) {
  const auto truth = values::parse_boolean(text);
  return truth && !values::equal_any_case(text, *truth ? "yes" : "no") && !values::equal_any_case(text, *truth ? "y" : "n");
}

std::optional<object_format> parse_object_format(std::string_view text) {
  if (values::equal_any_case(text, "json")) return object_format::json;
  if (values::equal_any_case(text, "dsv")) return object_format::dsv;
  return std::nullopt;
}

bool is_boolean_attribute(std::string_view name) {
  return name == "block" || name == "release_nodes_on_stageout" || name == "create_resv_from_job" ||
         name == "no_stdio_sockets" || name == "topjob_ineligible" || name == "indexed_output";
}

bool is_array_range(std::string_view text) {
  text = text.substr(0, text.find('%'));
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return false;
  const std::string_view first = text.substr(0, dash);
  std::string_view last = text.substr(dash + 1);
  if (const auto colon = last.find(':'); colon != std::string_view::npos) {
    const std::string_view step = last.substr(colon + 1);
    if (!digits(step) || number(step) == 0) return false;
    last = last.substr(0, colon);
  }
  return digits(first) && digits(last) && number(first) < number(last);
}

std::string without_leading_zeros(std::string_view text) {
  if (!digits(text)) return std::string(text);
  const auto first = text.find_first_not_of('0');
  return first == std::string_view::npos ? "0" : std::string(text.substr(first));
}

}  // namespace annals::client
