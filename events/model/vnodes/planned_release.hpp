// What a run goes on with when vnodes of it are released: those that are named go, or what a select asks for stays. The one rule for
// job.release_nodes() of hooks and for pbs_release_nodes. Governed by docs/design/0033-allocations-and-holdings.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "events/model/vnodes/allocation_change.hpp"
#include "events/model/vnodes/reduce.hpp"
#include "events/values/result.hpp"

namespace annals::model {

// What a release starts from.
struct release_from {
  allocation has;
  unusable failed;
  shown_request shown;
};
struct planned_release {
  allocation_change change;
  allocation left;
};

// Without these vnodes. Nothing: one of them is no part of it or is on its first host, or what is left has a select that is too long.
std::optional<planned_release> without(const std::vector<std::string>& vnodes, const release_from& from,
                                       const attributes::resource_catalogue& resources, const std::string& by);
// With what keep_select says. `by`: as in allocation_change.
values::result<planned_release, not_reduced> kept_by(const values::select_spec& keep_select, const release_from& from,
                                                     const attributes::resource_catalogue& resources, const std::string& by);
// With all of its first host, and what keep_select says beside it (pbs_release_nodes -k; RD-09).
values::result<planned_release, not_reduced> kept_beside_first_host(const values::select_spec& keep_select, const release_from& from,
                                                                    const attributes::resource_catalogue& resources, const std::string& by);

}  // namespace annals::model
