// Cap'n Proto's packing: a message without most of its zeros, for what is kept for long and read seldom.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "events/schema/message.hpp"

namespace annals::schema {

std::string packed(const sealed_message& message);
// Nothing: the bytes are no packed message of at most bytes_max.
std::optional<sealed_message> unpacked(byte_span bytes, std::size_t bytes_max);

}  // namespace annals::schema
