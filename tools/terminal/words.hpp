// Terminal words as requests (events/schema/client.capnp).
#pragma once

#include <chrono>
#include <string_view>

#include "events/schema/client.capnp.h"
#include "events/schema/message.hpp"
#include "tools/terminal/streams.hpp"

namespace annals::terminal {

using moment = std::chrono::steady_clock::time_point;

template <class Fill>
schema::sealed_message word(Fill fill) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) { fill(r.initTerminal()); });
}

inline std::string_view bytes_of(capnp::Data::Reader data) { return {reinterpret_cast<const char*>(data.begin()), data.size()}; }
inline capnp::Data::Reader data_of(std::string_view bytes) { return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()}; }

inline void fill(schema::TerminalBytes::Builder b, const sent_bytes::piece& piece) {
  b.setAt(piece.at);
  b.setBytes(data_of(piece.bytes));
}

}  // namespace annals::terminal
