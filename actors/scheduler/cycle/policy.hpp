// The site's scheduling policy: what sched_config and the files beside it say (pbs guide: sched_config, fairshare, primetime and
// holidays, dedicated time). A value; the same text gives the same policy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/scheduler/cycle/dedicated_time.hpp"
#include "actors/scheduler/cycle/fairshare_settings.hpp"
#include "actors/scheduler/cycle/moment.hpp"
#include "actors/scheduler/cycle/policy_files.hpp"
#include "actors/scheduler/cycle/prime.hpp"
#include "actors/scheduler/cycle/time_zone.hpp"

namespace annals::cycle {

struct node_sort_key {
  enum class measure : std::uint8_t { total,
                                      assigned,
                                      unused };
  std::string resource;  // "sort_priority": the vnode's Priority
  bool high_first = true;
  measure by = measure::total;
  bool operator==(const node_sort_key&) const = default;
};

struct job_sort_key {
  std::string name;  // a resource, "job_priority" or "fairshare_perc"
  bool high_first = true;
  bool operator==(const job_sort_key&) const = default;
};

// What a site may say for prime time and for non-prime time apart (prime, non_prime, all, none behind the value).
struct timed_settings {
  bool by_queue = true;
  bool round_robin = false;
  bool strict_ordering = false;
  bool backfill_prime = false;
  bool preemptive_sched = true;
  bool fair_share = false;
  std::int64_t prime_spill = 0;               // seconds: with backfill_prime, how far a job may run into the other kind of time
  std::vector<job_sort_key> job_sort_keys;    // first is primary
  std::vector<node_sort_key> node_sort_keys;  // first is primary
  bool operator==(const timed_settings&) const = default;
};

// server_dyn_res: a resource of the server whose amount a program tells before each cycle.
struct dynamic_resource {
  std::string resource;
  std::string script;  // as it stands behind the "!"; its first word is the program
  bool operator==(const dynamic_resource&) const = default;
};

struct policy {
  timed_settings prime, non_prime;
  std::vector<std::string> checked_resources;  // the resources line; booleans and custom ones are always checked
  fairshare_settings sharing;
  bool avoids_provision = false;             // provision_policy: vnodes that have the environment come first
  bool prime_exempt_anytime_queues = false;  // backfill_prime is not for queues that may run at any time
  std::string primetime_prefix = "p_";       // of queues whose jobs run in that time only
  std::string nonprimetime_prefix = "np_";
  std::string dedicated_prefix = "ded";
  std::vector<dynamic_resource> dynamic_resources;
  holidays prime_days;
  dedicated_time dedicated;
  time_zone zone;
  bool operator==(const policy&) const = default;

  prime_status prime_status_at(moment now) const { return prime_at(prime_days, zone, now); }
  const timed_settings& in(const prime_status& time) const { return time.prime ? prime : non_prime; }
  const timed_settings& at(moment now) const { return in(prime_status_at(now)); }
};

struct parsed_policy {
  policy value;
  std::vector<std::string> complaints;            // log texts, class Fil, object sched_config, event 0040
  std::vector<group_complaint> group_complaints;  // of resource_group
  std::vector<int> dynamic_lines;                 // beside value.dynamic_resources: their lines in sched_config
  std::vector<file_complaint> holiday_complaints, dedicated_complaints;
};

// Never fails: a line that means nothing is a complaint, a parameter that is not there has its default. `text`: of policy_text.
parsed_policy parse_policy(std::string_view text);

}  // namespace annals::cycle
