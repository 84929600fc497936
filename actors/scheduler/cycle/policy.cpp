#include "actors/scheduler/cycle/policy.hpp"

#include <array>
#include <optional>
#include <utility>

#include "events/values/string_list.hpp"

namespace annals::cycle {

using values::equal_any_case;
using values::trimmed;

namespace {

// Accepted; what they would change is not part of this release.
constexpr std::array accepted_names = {
    "strict_ordering",
    "backfill_prime",
    "prime_exempt_anytime_queues",
    "prime_spill",
    "primetime_prefix",
    "nonprimetime_prefix",
    "job_sort_key",
    "provision_policy",
    "smp_cluster_dist",
    "preemptive_sched",
    "dedicated_prefix",
    "server_dyn_res",
    "peer_queue",
};

struct obsolete_name {
  const char* name;
  const char* advice;
};  // texts as PBS has them, the doubled word included
constexpr obsolete_name obsolete_names[] = {
    {"help_starving_jobs", "use eligible_time in job_sort_formula"},
    {"max_starve", "use eligible_time in job_sort_formula"},
    {"strict_fifo", "strict_ordering"},
    {"preempt_prio", "nothing - set via qmgr"},
    {"log_filter", "nothing - set log_events via qmgr"},
    {"half_life", "fairshare_decay_time and fairshare_decay_factor instead"},
    {"backfill", "server's backfill_depth=0"},
    {"sort_queues", ""},
};

struct config_line {
  std::string_view name, value, when;
};

std::string_view next_word(std::string_view& rest) {
  rest = trimmed(rest);
  std::string_view word;
  if (!rest.empty() && rest[0] == '"') {
    const auto end = rest.find('"', 1);
    word = rest.substr(1, end == std::string_view::npos ? end : end - 1);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  } else {
    word = rest.substr(0, rest.find_first_of(" \t"));
    rest.remove_prefix(word.size());
  }
  return word;
}

std::optional<config_line> split(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  config_line c;
  c.name = trimmed(line.substr(0, colon));
  auto rest = line.substr(colon + 1);
  c.value = next_word(rest);
  c.when = next_word(rest);
  return c;
}

// The clock has no prime time in this release: what is said for prime time holds always, what is for other times never.
bool holds(const config_line& c) {
  return c.when.empty() || equal_any_case(c.when, "all") || equal_any_case(c.when, "prime");
}

void read_flag(bool& flag, std::string_view value) {
  if (equal_any_case(value, "true") || value == "1") flag = true;
  if (equal_any_case(value, "false") || value == "0") flag = false;  // anything else changes nothing, silently
}

std::optional<node_sort_key> read_node_sort_key(std::string_view value) {
  node_sort_key key;
  key.resource = next_word(value);
  const auto direction = next_word(value);
  const auto measure = next_word(value);
  if (key.resource.empty() || !(direction == "HIGH" || direction == "LOW")) return std::nullopt;
  key.high_first = direction == "HIGH";
  if (measure == "assigned") key.by = node_sort_key::measure::assigned;
  else if (measure == "unused") key.by = node_sort_key::measure::unused;
  else if (!measure.empty() && measure != "total") return std::nullopt;
  return key;
}

// The line's name is none of ours: what to say about it, nothing when it is accepted.
std::string complaint_about(std::string_view name, int line) {
  for (const char* known : accepted_names)
    if (name == known) return {};
  for (const auto& o : obsolete_names) {
    if (name != o.name) continue;
    std::string text = "Obsolete config name " + std::string(name);
    return *o.advice ? text + ", instead use " + o.advice : text;
  }
  return "Error reading line " + std::to_string(line) + ": Unknown config parameter";
}

void read_line(parsed_policy& out, std::string_view text, int line) {
  const auto c = split(text);
  if (!c) {
    out.complaints.push_back("Error reading line " + std::to_string(line) + ": Unknown config parameter");
  } else if (c->name == "by_queue") {
    if (holds(*c)) read_flag(out.value.by_queue, c->value);
  } else if (c->name == "round_robin") {
    if (holds(*c)) read_flag(out.value.round_robin, c->value);
  } else if (c->name == "resources") {
    for (auto& r : values::split_trimmed(c->value))
      if (!r.empty()) out.value.checked_resources.push_back(std::move(r));
  } else if (c->name == "node_sort_key") {
    auto key = read_node_sort_key(c->value);
    if (!key) out.complaints.push_back("Error reading line " + std::to_string(line) + ": Invalid node_sort_key");
    else if (holds(*c)) out.value.node_sort_keys.push_back(std::move(*key));
  } else if (const auto kind = read_fairshare_line(out.value.sharing, c->name, c->value, holds(*c)); kind != line_kind::not_ours) {
    if (kind == line_kind::wrong)
      out.complaints.push_back("Error reading line " + std::to_string(line) + ": Invalid " + std::string(c->name));
  } else if (auto complaint = complaint_about(c->name, line); !complaint.empty()) {
    out.complaints.push_back(std::move(complaint));
  }
}

// Nothing but blanks and comments.
bool says_nothing(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line[0] != '#') return false;
  }
  return true;
}

// Where the line of resource_group begins; npos: there is none.
std::size_t find_groups(std::string_view text) {
  const std::string_view mark = resource_group_line;
  for (auto at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    const auto end = at + mark.size();
    if ((at == 0 || text[at - 1] == '\n') && (end == text.size() || text[end] == '\n')) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string policy_text(std::string_view sched_config, std::string_view resource_group) {
  std::string text(sched_config);
  if (says_nothing(resource_group)) return text;
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text + resource_group_line + '\n' + std::string(resource_group);
}

parsed_policy parse_policy(std::string_view whole) {
  parsed_policy out;
  int line = 0;
  const auto groups_at = find_groups(whole);
  auto sched_config = whole.substr(0, groups_at);
  while (!sched_config.empty()) {
    const auto end = sched_config.find('\n');
    const auto text = trimmed(sched_config.substr(0, end));
    sched_config.remove_prefix(end == std::string_view::npos ? sched_config.size() : end + 1);
    ++line;
    if (!text.empty() && text[0] != '#') read_line(out, text, line);
  }
  std::string_view groups;
  if (groups_at != std::string_view::npos) groups = whole.substr(groups_at + std::string_view(resource_group_line).size());
  if (!groups.empty()) groups.remove_prefix(1);  // the line's end
  auto& sharing = out.value.sharing;
  sharing.tree = std::make_shared<const share_tree>(groups, sharing.unknown_shares, &out.group_complaints);
  return out;
}

}  // namespace annals::cycle
