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
  vnode_words words = {};  // of its vnodes, as far as they are known
};
struct planned_release {
  allocation_change change;
  allocation left;
};

enum class select_form { of_vnodes,   // a chunk for each that is left, with the sums of its vnodes (RD-13)
                         as_asked };  // chunks as the job asked them, equal ones together

// Without these vnodes. Nothing: one of them is no part of it or is on its first host, or what is left has a select that is too long.
std::optional<planned_release> without(const std::vector<std::string>& vnodes, const release_from& from,
                                       const attributes::resource_catalogue& resources, const std::string& by,
                                       select_form form = select_form::of_vnodes);
// With chunks that have what keep_select says. What stays are chunks of the job, of those that hooks keep the vnodes that are needed
// (needed_vnodes.hpp), and all counts are of these; keep_select says which they are, and how many processes each gets (RS-127). `by`: as in
// allocation_change.
values::result<planned_release, not_reduced> kept_by(const values::select_spec& keep_select, const release_from& from, first_host first,
                                                     const attributes::resource_catalogue& resources, const std::string& by);

// The chunks that are left of a run, in its order, as the job asked them: with the amounts that its vnodes still have.
struct select_of_left {
  values::select_spec select;
  std::vector<std::uint32_t> satisfies;  // as allocation_change's
};
// `kept_for`: of each chunk of `left` its number in `keep_select`, or no_chunk. `had`: what it is left of. Nothing: it can't be read.
std::optional<select_of_left> chunks_left(const allocation& left, const std::vector<std::uint32_t>& kept_for,
                                          const values::select_spec& keep_select, const allocation& had, const shown_request& shown);

}  // namespace annals::model
