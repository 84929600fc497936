// Which vnodes of a chunk stay when hooks keep it for a smaller one (RS-88). Pure. docs/design/0033-allocations-and-holdings.md.
#pragma once

#include <vector>

#include "events/attributes/resources.hpp"
#include "events/model/vnodes/allocation.hpp"
#include "events/values/select.hpp"

namespace annals::model {

// Which parts of a run stay, counted through all its chunks. `asked`: of each chunk what it is kept for; nullptr: it stays as it is.
// - A chunk that has more than is asked of a resource loses vnodes as long as it has enough: first the vnodes with the least of what is
//   asked, of equal ones the last.
// - A part that has 0 of everything goes, too.
// - One part of each chunk stays.
std::vector<bool> needed_vnodes(const allocation& has, const std::vector<const values::select_chunk*>& asked,
                                const attributes::resource_catalogue& resources);

}  // namespace annals::model
