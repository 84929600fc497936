// Base64 (RFC 4648) as qmgr prints and reads hooks: each line is the encoding of up to 512 bytes and stands for itself.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace annals::values {

// One line for every 512 bytes, each ended by a newline; nothing for no bytes.
std::string base64_lines(std::span<const std::byte> bytes);

// The bytes of these lines; blanks and empty lines are skipped. Nothing: that is no base64.
std::optional<std::string> from_base64(std::string_view lines);

}  // namespace annals::values
