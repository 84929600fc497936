// Why a job does not run: what its comment says, and the same as data (qstat --why).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "events/schema/event/scheduler.capnp.h"

namespace annals::cycle {

// So many vnodes a reason names: enough to look at, and a reason of a large cluster stays small.
constexpr std::size_t why_vnodes_max = 4;
// A cycle looks at so many vnodes more, beside those that it looks at for places, to explain why jobs have none: some ms. A reason behind
// that tells only what the first host lacks that was asked, and names no limit of a vnode.
constexpr std::size_t why_looks_max = 100'000;

// As schema::Why, which says what the fields mean.
struct why_data {
  schema::Why::Kind kind = schema::Why::Kind::OTHER;
  std::string resource, asked, free, total;
  std::vector<std::string> vnodes;
  std::string limit, owner, count;
};

// The same for equal data only; begins with a 0, so that it may stand behind a text.
std::string key_of(const why_data& why);

struct refusal {
  bool never = false;
  std::string text;  // as the comment has it, without "Not Running: "
  std::string log;   // empty: the same
  why_data data = {};
  std::string behind = {};  // id of the job or reservation that the job waits behind; empty: none
};

}  // namespace annals::cycle
