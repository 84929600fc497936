// The one rule that makes an assignment smaller: which of its chunks a run keeps when it is to have what keep_select says and some
// vnodes have failed. Pure; used for job.release_nodes() of hooks and pbs_release_nodes -k. Governed by
// docs/design/0033-allocations-and-holdings.md.
//
// What is kept
// - For each chunk of keep_select there is one chunk of the allocation that has at least what it asks. Chunks are kept or let go as a
//   whole, in the order of the allocation; one with a vnode that has failed goes. For hooks needed_vnodes.hpp then takes vnodes away.
// - Which chunk it is: one with exactly the amounts that are asked, best with no others, before one that has more; of those that have more
//   the ones with the fewest vnodes; of those that are left the first of the allocation (the smallest sum of their numbers), for
//   pbs_release_nodes -k the last.
// - The first host: job.release_nodes() gives the first chunk of the allocation, which is there, to the first chunk of keep_select, and
//   to no other. pbs_release_nodes -k keeps all chunks that are there, beside what keep_select asks (RD-09).
// - A vnode that place=exclhost added has a chunk of its own without resources: it stays with its host.
//
// The rule looks at amounts that are used up on vnodes, as the catalogue or else the exec_vnode says (ncpus, mem, custom ones), and at the
// other resources of the chunks and their vnodes (chunk_words.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/attributes/resources.hpp"
#include "events/model/vnodes/allocation.hpp"
#include "events/model/vnodes/chunk_words.hpp"
#include "events/values/resource_list.hpp"
#include "events/values/result.hpp"
#include "events/values/select.hpp"

namespace annals::model {

// What must not be kept: vnodes, and all that is on a host.
struct unusable {
  std::vector<std::string> vnodes, hosts;
};

enum class first_host { answers_first,  // its first chunk is the first of keep_select
                        stays_beside };

struct reduction {
  static constexpr std::uint32_t no_chunk = allocation::no_chunk;
  std::string released;                  // exec_vnode of what goes; empty: all of it stays
  allocation left;                       // without it
  std::vector<std::uint32_t> satisfies;  // for each chunk that is left the number of the chunk it was kept for; or no_chunk
};

struct not_reduced {
  std::string chunk;                       // the first that can't be satisfied, whatever the ones before it get: "ncpus=1 mem=3gb"
  std::string need;                        // keep_select
  std::string have;                        // exec_vnode of the run
  bool of_first = false;                   // chunk is the first of keep_select, for which only the first of the run will do
  std::string available;                   // what the first of the run's chunks has that none before it gets: "mem=2097152kb ncpus=2"
  std::vector<std::string> lines() const;  // for the log
};

// `resources`: the custom ones that are known.
values::result<reduction, not_reduced> reduce(const allocation& has, const values::select_spec& keep_select, const unusable& failed,
                                              const attributes::resource_catalogue& resources = {}, const run_words& words = {},
                                              first_host first = first_host::answers_first);

// Without all that it has of these vnodes, whatever was asked. Nothing: one of them is no part of it, or is on the primary host.
struct dropped {
  std::string released;
  allocation left;
};
std::optional<dropped> drop(const allocation& has, const std::vector<std::string>& vnodes);

}  // namespace annals::model
