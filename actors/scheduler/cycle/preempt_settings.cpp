#include "actors/scheduler/cycle/preempt_settings.hpp"

#include <algorithm>
#include <optional>

#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::cycle {

using values::trimmed;

namespace {

std::optional<std::uint8_t> condition_named(std::string_view word) {
  if (word == "express_queue") return express_queue;
  if (word == "fairshare") return over_fairshare;
  if (word == "server_softlimits") return over_server_limit;
  if (word == "queue_softlimits") return over_queue_limit;
  if (word == "normal_jobs") return 0;
  return std::nullopt;
}

std::string_view next_setting(std::string_view& rest) {
  rest = trimmed(rest);
  const auto word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(word.size());
  return word;
}

}  // namespace

preempt_settings::preempt_settings() {
  set_levels("express_queue, normal_jobs");
  set_order("SCR");
}

void preempt_settings::set_levels(std::string_view text) {
  std::vector<std::uint8_t> read;
  for (const std::string& level : values::split_trimmed(text)) {
    std::uint8_t conditions = 0;
    for (std::string_view rest = level; !rest.empty();) {
      const auto plus = rest.find('+');
      const auto named = condition_named(trimmed(rest.substr(0, plus)));
      if (!named) return;
      conditions |= *named;
      rest.remove_prefix(plus == std::string_view::npos ? rest.size() : plus + 1);
    }
    read.push_back(conditions);
  }
  if (!read.empty()) levels = std::move(read);
}

void preempt_settings::set_order(std::string_view rest) {
  std::vector<methods> read{{100, std::string(next_setting(rest))}};
  while (!trimmed(rest).empty()) {
    const auto percent = values::parse_integer(next_setting(rest));
    const auto letters = next_setting(rest);
    if (!percent || letters.empty()) return;
    read.push_back({*percent, std::string(letters)});
  }
  if (!read.front().letters.empty()) order = std::move(read);
}

std::size_t preempt_settings::level_of(std::uint8_t conditions) const {
  const auto same = std::find(levels.begin(), levels.end(), conditions);
  if (same != levels.end()) return static_cast<std::size_t>(same - levels.begin());
  const auto all_of_it =
      std::find_if(levels.begin(), levels.end(), [&](auto level) { return level != 0 && (level & conditions) == level; });
  if (all_of_it != levels.end()) return static_cast<std::size_t>(all_of_it - levels.begin());
  return static_cast<std::size_t>(std::find(levels.begin(), levels.end(), 0) - levels.begin());
}

bool preempt_settings::asks_for(preempt_condition c) const {
  return std::any_of(levels.begin(), levels.end(), [&](auto level) { return (level & c) != 0; });
}

const std::string& preempt_settings::methods_for(std::int64_t percent_left) const {
  const methods* found = &order.front();
  for (const auto& m : order)
    if (percent_left <= m.percent) found = &m;
  return found->letters;
}

}  // namespace annals::cycle
