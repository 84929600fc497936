#include "events/model/scheduler/directories.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "events/attributes/ids.hpp"
#include "events/model/refuse.hpp"
#include "events/model/scheduler/scheduler_state.hpp"

namespace annals::model {

namespace ids = attributes::scheduler;
namespace pbs_error = values::pbs_error;

namespace {

constexpr std::string_view no_log_change = "Unable to change the sched_log directory";
constexpr std::string_view no_priv_change = "Unable to change the sched_priv directory";
constexpr std::string_view priv_not_valid = "PBS failed validation checks for sched_priv directory";

std::string_view comment_on(schema::SchedDirectories::Reader told) {
  switch (told.getPrivTrouble()) {
    case schema::SchedDirectories::PrivTrouble::NOT_VALID: return priv_not_valid;
    case schema::SchedDirectories::PrivTrouble::UNREACHABLE: return no_priv_change;
    case schema::SchedDirectories::PrivTrouble::NONE: break;
  }
  return told.getLogTrouble() ? no_log_change : std::string_view();
}

struct names {
  std::string_view word, other;
};

// "/a/./b/" and "/a/b" are one directory. What links lead to is not known here: the lock in sched_priv knows.
std::string compared(std::string_view path) {
  auto text = std::filesystem::path(path).lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

std::string log_compared(std::string_view path) {
  auto text = compared(path);
  const std::string other = other_log_name(text);
  return other.empty() ? text : std::min(text, other);
}

}  // namespace

bool is_comment_on_directories(std::string_view comment) {
  return comment == no_log_change || comment == no_priv_change || comment == priv_not_valid;
}

std::string other_log_name(std::string_view path) {
  const auto name = path.rfind('/') + 1;  // of a path without one: 0
  for (const auto& [word, other] : {names{"sched_logs", "sched_log"}, names{"sched_log", "sched_logs"}}) {
    const auto file = path.substr(name);
    if (!file.starts_with(word)) continue;
    const auto rest = file.substr(word.size());
    if (!rest.empty() && rest.front() != '_') continue;
    return std::string(path.substr(0, name)).append(other).append(rest);
  }
  return {};
}

outcome decide_directories(const scheduler_state& scheduler, schema::SchedDirectories::Reader told) {
  std::vector<std::pair<std::string, std::string>> set;  // an empty value unsets
  const auto now = [&](attributes::attribute_id id) { return std::string(scheduler.attributes.get(id).value_or("")); };
  const auto comment = comment_on(told);
  if (!comment.empty()) {
    if (now(ids::comment) != comment) set.emplace_back("comment", comment);
    if (now(ids::scheduling) != "False") set.emplace_back("scheduling", "False");
  } else {
    if (is_comment_on_directories(now(ids::comment)) && !scheduler.found_unfit) set.emplace_back("comment", "");
    // It found the older one alone (MS-09).
    const auto logs = schema::str(told.getLogs());
    if (!logs.empty() && logs == other_log_name(now(ids::sched_log))) set.emplace_back("sched_log", logs);
  }
  if (set.empty()) return no_change;
  return std::vector<event>{make_event([&](auto e) {
    auto changes = e.initScheduler().initChanged().initChanges(static_cast<unsigned>(set.size()));
    for (unsigned i = 0; i < set.size(); ++i) {
      changes[i].setName(set[i].first);
      changes[i].setValue(set[i].second);
      if (set[i].second.empty()) changes[i].setOp(schema::AttributeOp::UNSET);
    }
  })};
}

void scheduler_directories::take(pair& into, schema::SchedulerEvent::Reader event) {
  if (!event.isChanged()) return;
  for (auto c : event.getChanged().getChanges()) {
    const auto value = c.getOp() == schema::AttributeOp::UNSET ? std::string_view() : schema::text(c.getValue());
    if (schema::text(c.getName()) == "sched_priv") into.priv = value.empty() ? "" : compared(value);
    if (schema::text(c.getName()) == "sched_log") into.logs = value.empty() ? "" : log_compared(value);
  }
}

std::optional<rejection> scheduler_directories::check(const event_place& at, schema::SchedulerEvent::Reader event) const {
  if (!event.isChanged()) return std::nullopt;
  const auto own = of_.find(at.stream);
  const pair before = own == of_.end() ? pair{} : own->second;
  pair then = before;
  take(then, event);
  for (const auto& [stream, other] : of_) {
    if (stream == at.stream) continue;
    if (then.priv != before.priv && !then.priv.empty() && then.priv == other.priv) return refuse(pbs_error::sched_priv_in_use);
    if (then.logs != before.logs && !then.logs.empty() && then.logs == other.logs) return refuse(pbs_error::sched_log_in_use);
  }
  return std::nullopt;
}

void scheduler_directories::apply(const event_place& at, schema::SchedulerEvent::Reader event) {
  if (event.isDeleted()) of_.erase(at.stream);
  if (event.isCreated()) of_[at.stream] = {};
  if (event.isChanged()) take(of_[at.stream], event);
}

}  // namespace annals::model
