// Whether a message can be read to its end. sealed_message::from_bytes has looked at the encoding only: a number may still stand
// where the schema has a text, and reading that throws. Who passes messages of others on asks first.
#pragma once

#include <capnp/dynamic.h>

#include "events/schema/message.hpp"

namespace annals::schema {

bool is_readable(capnp::DynamicStruct::Reader message);

template <class T>
bool is_readable(const sealed<T>& message) { return is_readable(capnp::DynamicStruct::Reader(message.get())); }

}  // namespace annals::schema
