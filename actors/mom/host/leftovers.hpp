// Processes of a run whose shepherd was killed. Nobody is their known ancestor any more, so they are recognised by what
// they carry: the run's cgroup, session (while its leader lives) or the run's cookie in their environment.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/process_table.hpp"
#include "actors/mom/host/run_journal.hpp"

namespace annals::mom {

std::vector<std::int64_t> leftovers(const process_table& table, const shepherd_order& order,
                                    const std::optional<journal_started>& started);

// One round of SIGKILL for them. False: nothing was left.
bool kill_leftovers_of(const shepherd_order& order, const std::optional<journal_started>& started);

}  // namespace annals::mom
