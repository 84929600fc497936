// How a dialer's attempt failed that the peer hung up on before TLS was there: so a listener says that it has no place.
#pragma once

#include <string_view>

namespace annals::wire {

inline constexpr std::string_view cut_handshake = "TLS handshake failed: the peer has hung up";  // the end of the reason

}  // namespace annals::wire
