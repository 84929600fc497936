#include "tools/libdrmaa/job_template.hpp"

#include <algorithm>
#include <ctime>
#include <regex>

#include "events/values/date_time.hpp"
#include "tools/libdrmaa/error.hpp"

namespace annals::drmaa {

namespace {

constexpr const char* names[] = {DRMAA_REMOTE_COMMAND, DRMAA_JS_STATE, DRMAA_WD, DRMAA_JOB_CATEGORY, DRMAA_NATIVE_SPECIFICATION,
                                 DRMAA_BLOCK_EMAIL, DRMAA_START_TIME, DRMAA_JOB_NAME, DRMAA_INPUT_PATH, DRMAA_OUTPUT_PATH,
                                 DRMAA_ERROR_PATH, DRMAA_JOIN_FILES, DRMAA_WCT_HLIMIT};
constexpr const char* vector_names[] = {DRMAA_V_ARGV, DRMAA_V_ENV, DRMAA_V_EMAIL};

void check_name(std::span<const char* const> known, std::string_view name) {
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw error{DRMAA_ERRNO_INVALID_ARGUMENT, "no attribute of job templates here: " + std::string(name)};
}

struct rule {
  const char* name;
  bool (*good)(std::string_view value);
  const char* form;
};

bool is_not_empty(std::string_view v) { return !v.empty(); }
bool is_path(std::string_view v) { return parse_path(v).has_value(); }
bool is_time(std::string_view v) { return parse_start_time(v, std::time(nullptr)).has_value(); }

constexpr rule formats[] = {
    {DRMAA_INPUT_PATH, is_path, "[host]:path"},
    {DRMAA_OUTPUT_PATH, is_path, "[host]:path"},
    {DRMAA_ERROR_PATH, is_path, "[host]:path"},
    {DRMAA_START_TIME, is_time, "[[[[CC]YY/]MM/]DD] hh:mm[:ss] [{-|+}UU:uu]"},
    {DRMAA_WCT_HLIMIT, [](std::string_view v) { return !v.empty() && v.find_first_not_of("0123456789:") == v.npos; }, "[[hh:]mm:]ss"},
};
constexpr rule choices[] = {
    {DRMAA_REMOTE_COMMAND, is_not_empty, "a program"},
    {DRMAA_WD, [](std::string_view v) { return v.starts_with('/') || v.starts_with(DRMAA_PLACEHOLDER_HD); }, "/directory"},
    {DRMAA_JOB_CATEGORY, is_not_empty, "the name of a queue"},
    {DRMAA_JOB_NAME, is_not_empty, "a name"},
    {DRMAA_JS_STATE, [](std::string_view v) { return v == DRMAA_SUBMISSION_STATE_ACTIVE || v == DRMAA_SUBMISSION_STATE_HOLD; },
     DRMAA_SUBMISSION_STATE_ACTIVE " or " DRMAA_SUBMISSION_STATE_HOLD},
    {DRMAA_JOIN_FILES, [](std::string_view v) { return v == "y" || v == "n"; }, "y or n"},
    {DRMAA_BLOCK_EMAIL, [](std::string_view v) { return v == "0" || v == "1"; }, "0 or 1"},
};

void check(std::span<const rule> rules, int code, std::string_view name, std::string_view value) {
  for (const auto& r : rules)
    if (name == r.name && !r.good(value)) throw error{code, std::string(name) + ": \"" + std::string(value) + "\" is not " + r.form};
}

}  // namespace

std::span<const char* const> attribute_names() { return names; }
std::span<const char* const> vector_attribute_names() { return vector_names; }

void job_template::set(std::string_view name, std::string_view value) {
  check_name(names, name);
  check(formats, DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT, name, value);
  check(choices, DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, name, value);
  values_.insert_or_assign(std::string(name), std::string(value));
}

void job_template::set(std::string_view name, std::vector<std::string> values) {
  check_name(vector_names, name);
  for (const auto& v : values) {
    const auto equals = v.find('=');
    if (name == DRMAA_V_ENV && (equals == v.npos || equals == 0))
      throw error{DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT, DRMAA_V_ENV ": \"" + v + "\" is not NAME=value"};
  }
  vectors_.insert_or_assign(std::string(name), std::move(values));
}

const std::string& job_template::get(std::string_view name) const {
  check_name(names, name);
  const auto* value = find(name);
  if (!value) throw error{DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, std::string(name) + " is not set"};
  return *value;
}

const std::vector<std::string>& job_template::get_vector(std::string_view name) const {
  check_name(vector_names, name);
  const auto* values = find_vector(name);
  if (!values) throw error{DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, std::string(name) + " is not set"};
  return *values;
}

const std::string* job_template::find(std::string_view name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? nullptr : &at->second;
}

const std::vector<std::string>* job_template::find_vector(std::string_view name) const {
  const auto at = vectors_.find(name);
  return at == vectors_.end() ? nullptr : &at->second;
}

bool job_template::is(std::string_view name, std::string_view value) const {
  const auto* set = find(name);
  return set && *set == value;
}

std::optional<host_path> parse_path(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == text.npos || colon + 1 == text.size()) return std::nullopt;
  return host_path{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

std::optional<std::int64_t> parse_start_time(std::string_view text, std::int64_t now) {
  static const std::regex form(R"((?:(?:(?:(\d\d)?(\d\d)/)?(\d\d)/)?(\d\d) )?(\d\d):(\d\d)(?::(\d\d))?(?: ([-+])(\d\d):(\d\d))?)");
  std::match_results<std::string_view::const_iterator> parts;
  if (!std::regex_match(text.begin(), text.end(), parts, form)) return std::nullopt;
  std::string digits;
  for (std::size_t i = 1; i <= 6; ++i) digits += parts[i].str();
  if (parts[7].matched) digits += "." + parts[7].str();
  auto time = values::parse_date_time(digits, now);
  if (!time || !parts[8].matched) return time;
  const auto local = static_cast<std::time_t>(*time);
  std::tm there{};
  localtime_r(&local, &there);
  const long behind_utc_s = (std::stol(parts[9].str()) * 60 + std::stol(parts[10].str())) * 60;
  return *time + there.tm_gmtoff - (parts[8].str() == "-" ? -behind_utc_s : behind_utc_s);
}

}  // namespace annals::drmaa
