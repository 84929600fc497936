// Cap'n Proto messages from outside: what from_bytes() lets pass, Cap'n Proto's own readers read to the end without an
// exception and without reading more than the message allows.
#include <capnp/any.h>

#include <cstdint>
#include <cstdlib>

#include "events/schema/message.hpp"

static void read_all(capnp::AnyPointer::Reader pointer);

static void read_all(capnp::AnyStruct::Reader s) {
  for (auto pointer : s.getPointerSection()) read_all(pointer);
}

static void read_all(capnp::AnyPointer::Reader pointer) {
  if (pointer.isNull()) return;
  if (pointer.isStruct()) return read_all(pointer.getAs<capnp::AnyStruct>());
  if (!pointer.isList()) std::abort();  // a capability can't have passed
  const auto list = pointer.getAs<capnp::AnyList>();
  if (list.getElementSize() == capnp::ElementSize::INLINE_COMPOSITE)
    for (auto element : list.as<capnp::List<capnp::AnyStruct>>()) read_all(element);
  if (list.getElementSize() == capnp::ElementSize::POINTER)
    for (auto element : list.as<capnp::List<capnp::AnyPointer>>()) read_all(element);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size / 8 * 8));
  const auto message = annals::schema::sealed_message::from_bytes(bytes, {1 << 20, 32});
  if (!message) return 0;
  capnp::FlatArrayMessageReader reader(
      kj::arrayPtr(reinterpret_cast<const capnp::word*>(message->bytes().data()), message->bytes().size() / 8),
      capnp::ReaderOptions{1 << 21, 32});
  read_all(reader.getRoot<capnp::AnyPointer>());  // a kj::Exception ends the process
  return 0;
}
