// The one rule that makes an assignment smaller: which of its vnodes a run keeps when it is to have what keep_select says and some
// vnodes have failed. Pure; used for job.release_nodes() of hooks. Governed by docs/design/0033-allocations-and-holdings.md.
//
// What is kept
// - For each chunk of keep_select there is one chunk of the allocation, or some of its vnodes, that has at least what it asks; what a
//   vnode was assigned is kept or let go as a whole. None of it has failed. The order stays that of the allocation.
// - The first chunk of keep_select gets the first chunk of the allocation, which is on the primary, and no other.
// - It is the smallest such set: it has the fewest vnodes; of those the least ncpus, then the least mem, then the least of the other
//   counted resources, compared one after the other by name (`price_amounts_max` in all); of those the chunks that come first: the
//   smallest sum of their numbers. In a chunk whose vnodes differ so much that there are too many combinations the smallest one of
//   those that were looked at is taken (reduce_tries_max). That never makes anything impossible.
// - A vnode that place=exclhost added has a chunk of its own without resources: it stays with its host.
//
// What is looked at: resources that are used up on vnodes, as the catalogue or else the exec_vnode says (ncpus, mem, custom ones). Other
// words of a chunk (host, arch, mpiprocs, ompthreads, strings, booleans) can't be seen from an exec_vnode: they are not checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/attributes/resources.hpp"
#include "events/model/vnodes/allocation.hpp"
#include "events/values/resource_list.hpp"
#include "events/values/result.hpp"
#include "events/values/select.hpp"

namespace annals::model {

// Combinations of vnodes that are looked at for the first chunk, and for the others together: each about 50 ms.
inline constexpr std::size_t reduce_tries_max = 500'000;

// What must not be kept: vnodes, and all that is on a host.
struct unusable {
  std::vector<std::string> vnodes, hosts;
};

struct reduction {
  static constexpr std::uint32_t no_chunk = allocation::no_chunk;
  std::string released;                  // exec_vnode of what goes; empty: all of it stays
  allocation left;                       // without it
  std::vector<std::uint32_t> satisfies;  // for each chunk that is left the number of the chunk it was kept for; or no_chunk
  std::string schedselect;               // keep_select with a count at each chunk
  values::resource_list sums;            // of keep_select, in its own spelling: ncpus, mem, nodect ...
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
                                              const attributes::resource_catalogue& resources = {});

// Without all that it has of these vnodes, whatever was asked. Nothing: one of them is no part of it, or is on the primary host.
struct dropped {
  std::string released;
  allocation left;
};
std::optional<dropped> drop(const allocation& has, const std::vector<std::string>& vnodes);

// A job's Resource_List when its run was reduced: select and its sums are those of keep_select, everything else as it was.
values::resource_list resources_after(values::resource_list before, const reduction& reduced);

}  // namespace annals::model
