// The walltime of a run of a shrink-to-fit job: what its scheduler proposes becomes the job's walltime until the run is over
// (docs/design/0051-shrink-to-fit.md).
#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/refuse.hpp"
#include "events/schema/daemon/from_scheduler.capnp.h"
#include "events/values/duration.hpp"
#include "events/values/walltime_range.hpp"

namespace annals::model {

namespace ids = attributes::job;

namespace {

std::optional<std::int64_t> seconds_of(const job_state& job, std::string_view resource) {
  return values::parse_duration(job.attribute(ids::Resource_List, resource));
}

bool is_walltime(std::string_view name, std::string_view resource) { return name == "Resource_List" && resource == "walltime"; }

}  // namespace

values::result<std::uint64_t, rejection> walltime_for_run(const job_state& job, const proposed_run& proposed) {
  const auto wanted = proposed.message.get().getRun().getWalltimeSeconds();
  const auto range =
      values::walltime_range_of(seconds_of(job, "min_walltime"), seconds_of(job, "max_walltime"), seconds_of(job, "walltime"));
  const bool limited = range && job.attributes.get(ids::Resource_List, "max_walltime");
  if (wanted == 0) return limited ? static_cast<std::uint64_t>(range->longest) : 0;
  if (!range || wanted > INT64_MAX || !range->contains(static_cast<std::int64_t>(wanted)))
    return refuse(values::pbs_error::altered_during_cycle);
  return wanted;
}

void give_walltime(job_state& job, std::uint64_t seconds) {
  shown_value asked{"Resource_List", "walltime", std::nullopt};
  if (const auto own = job.attributes.get(ids::Resource_List, "walltime")) asked.value.emplace(*own);
  job.asked.push_back(std::move(asked));
  job.attributes.set(ids::Resource_List, "walltime", values::print_duration(static_cast<std::int64_t>(seconds)));
}

void keep_altered_walltime(job_state& job, schema::Attribute::Reader change) {
  if (is_walltime(schema::text(change.getName()), schema::text(change.getResource())))
    std::erase_if(job.asked, [](const shown_value& v) { return is_walltime(v.name, v.resource); });
}

}  // namespace annals::model
