// Messages that nodes and login hosts send to the server, and nodes to each other: what is_readable() lets pass is read to its end without
// an exception, and what is printed of a message that it refuses would have thrown.
#include <capnp/pretty-print.h>

#include "events/schema/comm.capnp.h"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/readable.hpp"
#include "events/schema/sister.capnp.h"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

template <class T>
void read_as(const schema::sealed_message& message) {
  const schema::sealed<T> typed(message);
  bool throws = false;
  try {
    (void)capnp::prettyPrint(typed.get()).flatten();
  } catch (const kj::Exception&) {
    throws = true;
  }
  fuzz::require(schema::is_readable(typed) == !throws, "is_readable and a reader disagree", "the message");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto message = schema::sealed_message::from_bytes(std::as_bytes(std::span(data, size / 8 * 8)), {1 << 20, 32});
  if (!message) return 0;
  read_as<schema::FromMom>(*message);
  read_as<schema::ToSister>(*message);
  read_as<schema::FromSister>(*message);
  read_as<schema::CommWord>(*message);
  return 0;
}
