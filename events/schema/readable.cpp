#include "events/schema/readable.hpp"

namespace annals::schema {
namespace {

void read(capnp::DynamicStruct::Reader message);

void read(const capnp::DynamicValue::Reader& value) {
  switch (value.getType()) {
    case capnp::DynamicValue::TEXT: (void)value.as<capnp::Text>(); break;
    case capnp::DynamicValue::DATA: (void)value.as<capnp::Data>(); break;
    case capnp::DynamicValue::STRUCT: read(value.as<capnp::DynamicStruct>()); break;
    case capnp::DynamicValue::LIST:
      for (const auto element : value.as<capnp::DynamicList>()) read(element);
      break;
    default: break;
  }
}

void read(capnp::DynamicStruct::Reader message) {
  for (auto field : message.getSchema().getNonUnionFields()) read(message.get(field));
  KJ_IF_MAYBE (field, message.which()) read(message.get(*field));
}

}  // namespace

bool is_readable(capnp::DynamicStruct::Reader message) {
  try {
    read(message);
  } catch (const kj::Exception&) {
    return false;
  }
  return true;
}

}  // namespace annals::schema
