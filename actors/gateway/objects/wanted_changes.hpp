// What hooks of the server want set of jobs and vnodes, as the requests that ask for it. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hooks-runtime/chain/chain.hpp"

namespace annals::actors {

using wanted_changes = std::vector<hooks::hook_change>;

// What one run wants set of one object. The changes last as long as the result.
struct asked_of {
  std::string object;
  bool of_job;
  std::size_t run;
  wanted_changes changes;
};
// subject: the job, where the event has one.
std::vector<asked_of> requests_of(const std::string& subject, const hooks::chain_result& result);

bool changes_nothing(const hooks::hook_change& c);
// Of the event's job, what is new.
wanted_changes changes_of_job(const hooks::chain_result& result);

// The text must last as long as the change.
hooks::hook_change comment_of(const std::string& text);

}  // namespace annals::actors
