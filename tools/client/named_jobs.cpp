#include "tools/client/named_jobs.hpp"

#include <algorithm>

#include "events/values/job_id.hpp"

namespace annals::client {

bool named_jobs::add(std::string_view server, std::string_view id) {
  const auto job = values::parse_job_id(id);
  if (!job) return true;
  const bool is_array = job->form != values::id_form::job;
  auto& before = jobs_[{std::string(server), job->number, is_array}];
  if (before.whole) return false;
  if (job->form == values::id_form::job || job->form == values::id_form::array) return before.whole = true;
  const auto asked = values::parse_index_range(job->indices);
  if (!asked) return true;
  const auto is_named = [&](std::uint32_t index) {
    return std::ranges::any_of(before.subjobs, [&](const auto& range) { return range.has(index); });
  };
  bool all = true;
  for (std::uint32_t n = 0; all && n < asked->count(); ++n) all = is_named(asked->first + n * asked->step);
  if (!all) before.subjobs.push_back(*asked);
  return !all;
}

}  // namespace annals::client
