#include "actors/mom/host/stage_order.hpp"

#include "actors/mom/host/order_words.hpp"
#include "events/values/staging_list.hpp"

namespace annals::mom {
namespace {

std::vector<ports::staged_file> staged_files(schema::StartRun::Reader start, std::string_view name, const mom_settings& settings) {
  std::vector<ports::staged_file> files;
  for (auto& p : values::parse_staging_list(attribute(start, name)).value_or(std::vector<values::staged_path>{})) {
    const auto there = target_at(p.host, p.there, settings);
    files.push_back({std::move(p.here), there.host, there.path, there.local});
  }
  return files;
}

}  // namespace

ports::stage_in_order stage_in_for(schema::StartRun::Reader start, const mom_settings& settings) {
  ports::stage_in_order order;
  const auto ref = start.getRef().getJob();
  order.job_id.assign(ref.cStr(), ref.size());
  order.user.assign(start.getEuser().cStr(), start.getEuser().size());
  order.private_jobdir = private_jobdir_for(start);
  if (!order.private_jobdir.empty()) order.jobdir = settings.config.jobdir_root;
  order.files = staged_files(start, "stagein", settings);
  return order;
}

ports::delivery_order delivery_for(schema::StartRun::Reader start, const mom_settings& settings, int exit_status, bool run_again) {
  ports::delivery_order order;
  order.user.assign(start.getEuser().cStr(), start.getEuser().size());
  if (!run_again) {
    order.files = deliveries_for(start, settings, exit_status);
    order.out = staged_files(start, "stageout", settings);
  }
  order.used = staged_files(start, "stagein", settings);
  return order;
}

}  // namespace annals::mom
