#include "actors/scheduler/own_object.hpp"

#include "events/schema/message.hpp"
#include "events/values/number.hpp"

namespace annals::actors {

own_object read_own_object(capnp::List<schema::Attribute>::Reader attributes) {
  own_object own;
  for (const auto a : attributes) {
    const auto name = schema::text(a.getName());
    if (name == "sched_priv") own.priv = schema::str(a.getValue());
    if (name == "sched_log") own.logs = schema::str(a.getValue());
    if (name == "partition") own.partition = schema::str(a.getValue());
    if (name == "sched_port") own.port = static_cast<std::uint16_t>(values::parse_integer(schema::text(a.getValue())).value_or(0));
    if (name == "scheduling") own.scheduling = schema::text(a.getValue()) == "True";
  }
  return own;
}

}  // namespace annals::actors
