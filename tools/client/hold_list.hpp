// The -h list of qhold and qrls, and the request it becomes.
#pragma once

#include <string>
#include <vector>

#include "events/schema/client.capnp.h"
#include "events/values/hold_set.hpp"

namespace annals::client {

inline std::vector<schema::HoldType> hold_types(values::hold_set holds) {
  std::vector<schema::HoldType> out;
  for (unsigned n = 0; n < 4; ++n)
    if (holds.has(static_cast<std::uint8_t>(1u << n))) out.push_back(static_cast<schema::HoldType>(n));
  return out;
}

inline void fill(schema::JobHolds::Builder request, const std::string& job, values::hold_set holds) {
  request.setJob(job);
  const auto types = hold_types(holds);
  auto list = request.initHolds(static_cast<unsigned>(types.size()));
  for (unsigned i = 0; i < types.size(); ++i) list.set(i, types[i]);
}

}  // namespace annals::client
