#include "tools/client/query/job_criteria.hpp"

#include "events/values/date_time.hpp"
#include "events/values/hold_set.hpp"
#include "tools/client/option_values.hpp"

namespace annals::client {
namespace {

using schema::CompareOp;

std::optional<CompareOp> operator_of(std::string_view word) {
  static constexpr struct {
    std::string_view word;
    CompareOp op;
  } all[] = {
      {"eq", CompareOp::EQ},
      {"ne", CompareOp::NE},
      {"ge", CompareOp::GE},
      {"gt", CompareOp::GT},
      {"le", CompareOp::LE},
      {"lt", CompareOp::LT},
  };
  for (const auto& o : all)
    if (o.word == word) return o.op;
  return std::nullopt;
}

std::string_view without_blanks_before(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

constexpr std::size_t operator_length = 4;  // ".gt."
bool starts_with_operator(std::string_view text) {
  return text.size() >= operator_length && text[0] == '.' && text[operator_length - 1] == '.';
}

}  // namespace

compared split_operator(std::string_view text) {
  text = without_blanks_before(text);
  if (!starts_with_operator(text)) return {CompareOp::EQ, text};
  return {operator_of(text.substr(1, 2)).value_or(CompareOp::EQ), without_blanks_before(text.substr(operator_length))};
}

std::optional<job_criterion> execution_time_criterion(std::string_view text, std::int64_t now) {
  const compared c = split_operator(text);
  const auto when = values::parse_date_time(c.value, now);
  if (!when) return std::nullopt;
  return job_criterion{"Execution_Time", "", c.op, std::to_string(*when)};
}

std::optional<job_criterion> time_criterion(std::string_view text, std::int64_t now) {
  static constexpr struct {
    char letter;
    const char* name;
    const char* resource;
  } times[] = {
      {'a', "Execution_Time", ""},
      {'c', "ctime", ""},
      {'e', "etime", ""},
      {'g', "eligible_time", ""},
      {'m', "mtime", ""},
      {'q', "qtime", ""},
      {'s', "stime", ""},
      {'t', "estimated", "start_time"},
  };
  text = without_blanks_before(text);
  if (text.empty()) return std::nullopt;
  const compared c = split_operator(text.substr(1));
  const auto when = values::parse_date_time(c.value, now);
  if (!when) return std::nullopt;
  for (const auto& t : times)
    if (t.letter == text[0]) return job_criterion{t.name, t.resource, c.op, std::to_string(*when)};
  return std::nullopt;
}

std::optional<job_criterion> checkpoint_criterion(std::string_view text) {
  const compared c = split_operator(text);
  if (c.value != "u" && !is_checkpoint(c.value)) return std::nullopt;
  return job_criterion{"Checkpoint", "", c.op, std::string(c.value)};
}

std::optional<job_criterion> hold_criterion(std::string_view text) {
  const auto holds = values::parse_hold_set(text);
  if (!holds) return std::nullopt;
  return job_criterion{"Hold_Types", "", CompareOp::EQ, values::print(*holds)};
}

std::optional<job_criterion> state_criterion(std::string_view text) {
  if (text.empty() || text.find_first_not_of("EFHMQRSTWXBU") != std::string_view::npos) return std::nullopt;
  return job_criterion{"job_state", "", CompareOp::EQ, std::string(text)};
}

std::optional<std::vector<job_criterion>> resource_criteria(std::string_view text) {
  std::vector<job_criterion> all;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view one = without_blanks_before(text.substr(0, comma));
    const auto dot = one.find('.');
    if (dot == 0 || dot == std::string_view::npos || !starts_with_operator(one.substr(dot))) return std::nullopt;
    const auto op = operator_of(one.substr(dot + 1, 2));
    const std::string_view name = one.substr(0, dot), value = one.substr(dot + operator_length);
    if (!op || value.empty() || name == "select" || name == "place") return std::nullopt;
    all.push_back({"Resource_List", std::string(name), *op, std::string(value)});
    if (comma == std::string_view::npos) return all;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace annals::client
