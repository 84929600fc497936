// What of the cluster only some see. Resources with flag i, of jobs, vnodes, queues and everything else, are operators' and managers' to
// see. What of a job only its owner, operators and managers see: variables hold passwords and tokens. Others see of Variable_List what qsub
// puts in, PBS_O_*, and Submit_arguments up to the first -v, whose value may contain blanks. The server's show_other_variables True: all
// of it, as PBS shows it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/context.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

inline std::string_view user_of(std::string_view owner) { return owner.substr(0, owner.find('@')); }  // user@host

// What this requester may see of a status: worked out once for a question, asked of each job.
class viewer {
 public:
  viewer(const status& from, const model::requester& by);
  bool sees(const attributes::attribute& row) const;
  bool sees_resource(std::string_view name) const { return unseen_.empty() || !unseen_.contains(name); }
  bool sees(const model::job_state& job) const { return sees_others_ || user_of(job.owner()) == user_; }
  bool sees_jobs_of(std::string_view owner) const { return sees_others_ || user_of(owner) == user_; }  // user@host
  bool sees_all_of(const model::job_state& job) const { return sees_variables_ || job.owner_name() == user_; }

 private:
  const std::string user_;
  const schema::Role role_;
  bool shows_hidden_, sees_others_, sees_variables_;
  std::set<std::string, std::less<>> unseen_;  // resources
};

// Whether others see this attribute in another form than the owner, or not at all.
inline bool is_seen_otherwise_by_others(attributes::attribute_id id) {
  return id == attributes::job::Variable_List || id == attributes::job::Submit_arguments || id == attributes::job::forward_x11_cookie;
}
// The value of this attribute as others see it; most are seen whole. Nothing: it is not seen, as the key of an X display. `own` must
// outlive the answer, which may be `kept`.
std::optional<std::string_view> seen_by_others(attributes::attribute_id id, std::string_view own, std::string& kept);

}  // namespace annals::projections
