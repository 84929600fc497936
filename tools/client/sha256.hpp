// SHA-256 (FIPS 180-4) of the scripts a command uploads. Our own, because loading a crypto library doubles the start-up
// time of a command; the daemons use OpenSSL's.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace annals::client {

std::array<std::uint8_t, 32> sha256(std::string_view bytes);

}  // namespace annals::client
