// How a MoM tells of a vnode that its load is too high, and whether that suspends the host's jobs: beside the vnode's attributes, under
// a name that none of them has.
#pragma once

#include "events/schema/common.capnp.h"
#include "events/schema/message.hpp"

namespace annals::model {

constexpr const char* busy_report = "busy";

constexpr const char* busy_only = "True";
constexpr const char* busy_suspends = "suspend";

inline bool says_suspend(schema::Attribute::Reader reported) {
  return schema::text(reported.getName()) == busy_report && schema::text(reported.getValue()) == busy_suspends;
}
inline bool says_busy(schema::Attribute::Reader reported) {
  return says_suspend(reported) || (schema::text(reported.getName()) == busy_report && schema::text(reported.getValue()) == busy_only);
}

}  // namespace annals::model
