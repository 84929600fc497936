// How a MoM tells of a vnode that its load is too high: beside the vnode's attributes, under a name that none of them has.
#pragma once

#include "events/schema/common.capnp.h"
#include "events/schema/message.hpp"

namespace annals::model {

constexpr const char* busy_report = "busy";

inline bool says_busy(schema::Attribute::Reader reported) {
  return schema::text(reported.getName()) == busy_report && schema::text(reported.getValue()) == "True";
}

}  // namespace annals::model
