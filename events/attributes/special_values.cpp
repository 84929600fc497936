#include "events/attributes/special_values.hpp"

#include <algorithm>
#include <initializer_list>

#include "events/attributes/ids.hpp"
#include "events/values/duration.hpp"
#include "events/values/job_texts.hpp"
#include "events/values/number.hpp"
#include "events/values/staging_list.hpp"
#include "events/values/string_list.hpp"

namespace annals::attributes {
namespace {

using text = std::string_view;
using maybe = std::optional<std::string>;
using namespace values;

maybe one_of(text value, std::initializer_list<text> words) {
  for (const text word : words)
    if (word == value) return std::string(word);
  return std::nullopt;
}

template <std::int64_t min, std::int64_t max>
maybe number_within(text value) {
  const auto number = parse_integer(value);
  if (!number || *number < min || *number > max) return std::nullopt;
  return std::to_string(*number);
}

// -1024 to 1023 (pbs guide, "job attributes": Priority).
constexpr auto priority = number_within<-1024, 1023>;
constexpr auto not_negative = number_within<0, INT64_MAX>;
constexpr auto at_least_one = number_within<1, INT64_MAX>;
constexpr auto job_sequence_limit = number_within<9'999'999, 999'999'999'999>;

// A time to wait. The longest is 68 years: an order to a MoM has 32 bits for it, and a server counts in nanoseconds.
constexpr std::int64_t wait_seconds_max = INT32_MAX;
constexpr auto wait_seconds_from_1 = number_within<1, wait_seconds_max>;
constexpr auto wait_seconds = number_within<0, wait_seconds_max>;
// Where PBS takes a value below 0, whose meaning is that of 1.
constexpr auto wait_seconds_or_below_0 = number_within<INT64_MIN, wait_seconds_max>;
constexpr auto moment = number_within<INT64_MIN, INT64_MAX / 1'000'000'000>;

maybe wait_duration(text value) {
  const auto seconds = parse_duration(value);
  if (!seconds || *seconds > wait_seconds_max) return std::nullopt;
  return print_duration(*seconds);
}

maybe answer_time(text value) {
  const auto seconds = parse_duration(value);
  return seconds && *seconds >= 1 ? wait_duration(value) : std::nullopt;
}

// The digits as given, without leading zeros: 022 is shown as 22.
maybe umask_digits(text value) {
  if (value.find_first_not_of("0123456789") != text::npos || !parse_integer(value)) return std::nullopt;
  const auto first = value.find_first_not_of('0');
  return first == text::npos ? "0" : std::string(value.substr(first));
}

// A list whose entries have a form. An empty one unsets the attribute.
template <bool (*is_good)(text)>
maybe list_of(text value) {
  auto list = join_list(split_trimmed(value));
  if (!list.empty() && !is_good(list)) return std::nullopt;
  return list;
}
constexpr auto mail_users = list_of<is_mail_users>;
constexpr auto shells = list_of<is_shell_list>;
constexpr auto users = list_of<is_user_list>;

maybe job_name(text value) {
  if (!is_job_name(value) || value.size() > job_name_chars_max) return std::nullopt;
  return std::string(value);
}

// n s c c=<minutes> w w=<minutes>, and u for "not specified".
maybe checkpoint(text value) {
  if (auto word = one_of(value, {"n", "s", "c", "w", "u"})) return word;
  if (value.substr(0, 2) != "c=" && value.substr(0, 2) != "w=") return std::nullopt;
  const text digits = value.substr(2);
  const auto minutes = parse_integer(digits);
  if (!minutes || *minutes <= 0 || digits.front() == '+') return std::nullopt;
  return std::string(value.substr(0, 2)) + std::to_string(*minutes);
}

maybe join_path(text value) { return one_of(value, {"oe", "eo", "n"}); }

// o and e with d anywhere beside them, or n; d alone says nothing.
maybe keep_files(text value) {
  if (value == "n") return "n";
  if (value.find_first_not_of("oed") != text::npos || value.find_first_of("oe") == text::npos) return std::nullopt;
  return std::string(value);
}

maybe remove_files(text value) {
  if (value.empty() || value.find_first_not_of("oe") != text::npos) return std::nullopt;
  return std::string(value);
}

// a b e j, letters may repeat; or n alone.
maybe mail_points(text value) {
  if (value == "n") return "n";
  if (value.empty() || value.find_first_not_of("abej") != text::npos) return std::nullopt;
  return std::string(value);
}

maybe reservation_mail_points(text value) {
  return is_reservation_mail_points(value) ? maybe(value) : std::nullopt;
}

maybe project(text value) {
  if (value.find_first_of("[/") != text::npos) return std::nullopt;
  return std::string(value.empty() ? "_pbs_project_default" : value);
}

// Blanks at the ends of a variable's value are the job's business. Only escapes can be written in more than one way.
maybe variables(text value) {
  if (value.find('\\') == text::npos) return std::string(value);
  return join_list(split_list(value));
}

// "path@host:path,..." (pbs guide: stagein). An empty one unsets the attribute.
maybe staged_files(text value) {
  if (!trimmed(value).empty() && !parse_staging_list(value)) return std::nullopt;
  return std::string(value);
}

maybe node_failures(text value) { return one_of(value, {"none", "job_start", "all"}); }

// Any leading part of the two words, in any case.
maybe queue_type(text value) {
  for (const text word : {"Execution", "Route"})
    if (!value.empty() && value.size() <= word.size() && equal_any_case(value, word.substr(0, value.size())))
      return std::string(word);
  return std::nullopt;
}

maybe job_run_wait(text value) { return one_of(value, {"none", "runjob_hook", "execjob_hook"}); }
maybe backfill_fuzzy(text value) { return one_of(value, {"off", "low", "medium", "high"}); }
maybe preempt_sort(text value) { return one_of(value, {"min_time_since_start"}); }

// "SCR 80 SC 50 S": methods, each at most once, then a percentage and the methods from there on, and so on.
maybe preempt_order(text value) {
  std::size_t words = 0;
  for (text rest = trimmed(value); !rest.empty(); ++words) {
    const text word = rest.substr(0, rest.find(' '));
    rest = trimmed(rest.substr(word.size()));
    if (words % 2 == 1) {
      const auto percent = parse_integer(word);
      if (!percent || *percent < 0 || *percent > 100) return std::nullopt;
      continue;
    }
    for (std::size_t i = 0; i < word.size(); ++i)
      if (text("SCRD").find(word[i]) == text::npos || word.find(word[i], i + 1) != text::npos) return std::nullopt;
  }
  if (words % 2 == 0) return std::nullopt;
  return std::string(value);
}

// Levels, highest first; several conditions of one level are joined by '+'.
maybe preempt_levels(text value) {
  for (const std::string& level : split_trimmed(value)) {
    for (text rest = level;;) {
      const auto plus = rest.find('+');
      if (!one_of(trimmed(rest.substr(0, plus)),
                  {"express_queue", "normal_jobs", "fairshare", "server_softlimits", "queue_softlimits"}))
        return std::nullopt;
      if (plus == text::npos) break;
      rest = rest.substr(plus + 1);
    }
  }
  if (trimmed(value).empty()) return std::nullopt;
  return std::string(value);
}

// user@host, the host may be a pattern: managers and operators are never meant for any host by accident.
maybe people_at_hosts(text value) {
  auto names = split_trimmed(value);
  for (const std::string& name : names) {
    const auto at = name.find('@');
    if (at == std::string::npos || at == 0 || at + 1 == name.size()) return std::nullopt;
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return join_list(names);
}

constexpr std::string_view default_partition = "pbs-default";
// A new scheduler shows "None" (MS-05): what is printed of it can be set again. It is no partition, of a queue and of a vnode neither.
maybe partition_name(text value) {
  if (value == default_partition) return std::nullopt;
  return std::string(value == "None" ? "" : value);
}

// A scheduler's directory does not depend on where its process was started. Empty: it is unset.
maybe whole_path(text value) {
  if (!value.empty() && value.front() != '/') return std::nullopt;
  return std::string(value);
}
constexpr auto port = number_within<1, 65535>;

using kind = schema::ObjectKind;
constexpr auto bad = pbs_error::bad_value;

constexpr special_value all_special_values[] = {
    {kind::JOB, job::Checkpoint, checkpoint, bad, false},
    {kind::JOB, job::Execution_Time, moment, bad, false},
    {kind::JOB, job::Job_Name, job_name, bad, false},
    {kind::JOB, job::Join_Path, join_path, bad, false},
    {kind::JOB, job::Keep_Files, keep_files, bad, false},
    {kind::JOB, job::Mail_Points, mail_points, bad, false},
    {kind::JOB, job::Mail_Users, mail_users, bad, false},
    {kind::JOB, job::Priority, priority, bad, false},
    {kind::JOB, job::Remove_Files, remove_files, bad, false},
    {kind::JOB, job::Shell_Path_List, shells, bad, false},
    {kind::JOB, job::stagein, staged_files, bad, false},
    {kind::JOB, job::stageout, staged_files, bad, false},
    {kind::JOB, job::umask, umask_digits, bad, false},
    {kind::JOB, job::User_List, users, bad, false},
    {kind::JOB, job::Variable_List, variables, bad, false},
    {kind::JOB, job::run_count, not_negative, bad, false},
    {kind::JOB, job::project, project, bad, true},
    {kind::JOB, job::tolerate_node_failures, node_failures, bad, false},
    {kind::JOB, job::max_run_subjobs, not_negative, bad, false},
    {kind::RESERVATION, reservation::Mail_Points, reservation_mail_points, bad, false},
    {kind::RESERVATION, reservation::Mail_Users, mail_users, bad, false},
    {kind::RESERVATION, reservation::Reserve_Name, job_name, bad, false},
    {kind::QUEUE, queue::queue_type, queue_type, bad, false},
    {kind::QUEUE, queue::Priority, priority, bad, false},
    {kind::QUEUE, queue::kill_delay, wait_seconds, bad, false},
    {kind::QUEUE, queue::backfill_depth, not_negative, bad, false},
    {kind::QUEUE, queue::partition, partition_name, pbs_error::default_partition, false},
    {kind::SERVER, server::managers, people_at_hosts, pbs_error::bad_host, false},
    {kind::SERVER, server::operators, people_at_hosts, pbs_error::bad_host, false},
    {kind::SERVER, server::scheduler_iteration, wait_seconds_or_below_0, bad, false},
    {kind::SERVER, server::node_fail_requeue, wait_seconds_or_below_0, bad, false},
    {kind::SERVER, server::resend_term_delay, wait_seconds, bad, false},
    {kind::SERVER, server::reserve_retry_time, wait_seconds_from_1, bad, false},
    {kind::SERVER, server::max_concurrent_provision, at_least_one, bad, false},
    {kind::SERVER, server::backfill_depth, not_negative, bad, false},
    {kind::SERVER, server::job_requeue_timeout, answer_time, bad, false},
    {kind::SERVER, server::job_history_duration, wait_duration, bad, false},
    {kind::SERVER, server::sync_mom_hookfiles_timeout, wait_seconds, bad, false},
    {kind::SERVER, server::max_job_sequence_id, job_sequence_limit, pbs_error::bad_max_job_sequence_id, false},
    {kind::SERVER, server::max_vnodes_per_host, at_least_one, bad, false},
    {kind::NODE, node::partition, partition_name, pbs_error::default_partition, false},
    {kind::SCHEDULER, scheduler::partition, partition_name, pbs_error::default_partition, false},
    {kind::SCHEDULER, scheduler::sched_priv, whole_path, bad, false},
    {kind::SCHEDULER, scheduler::sched_log, whole_path, bad, false},
    {kind::SCHEDULER, scheduler::sched_port, port, bad, false},
    {kind::SCHEDULER, scheduler::scheduler_iteration, wait_seconds_or_below_0, bad, false},
    {kind::SCHEDULER, scheduler::job_run_wait, job_run_wait, bad, false},
    {kind::SCHEDULER, scheduler::opt_backfill_fuzzy, backfill_fuzzy, bad, false},
    {kind::SCHEDULER, scheduler::preempt_order, preempt_order, bad, false},
    {kind::SCHEDULER, scheduler::preempt_prio, preempt_levels, bad, false},
    {kind::SCHEDULER, scheduler::preempt_sort, preempt_sort, bad, false},
};

}  // namespace

const special_value* special_value_of(const attribute& what) {
  for (const special_value& row : all_special_values)
    if (row.id == what.id && find(row.kind, row.id) == &what) return &row;
  return nullptr;
}

}  // namespace annals::attributes
