#include "actors/gateway/jobs/presumed_defaults.hpp"

#include "events/attributes/ids.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

std::optional<schema::sealed<schema::Reply>> other_defaults(schema::Request::Reader request, const model::settings& settings,
                                                            std::uint64_t sequence) {
  const auto job = request.getQueueJob();
  if (!job.hasDefaults()) return {};
  const auto defaults = settings.server.get(attributes::server::default_qsub_arguments).value_or("");
  if (schema::text(job.getDefaults()) == defaults) return {};
  return schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(request.getId());
    r.setSequence(sequence);
    auto why = r.initRejected();
    why.setCode(values::pbs_error::try_again);
    why.setText("Please retry: default_qsub_arguments have changed");
    why.setDefaults(std::string(defaults));
  });
}

}  // namespace annals::actors
