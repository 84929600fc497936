// Signals by name or number, as qsig takes them: TERM, SIGTERM, 15, NULL. Source: pbs guide, qsig.
#pragma once

#include <optional>
#include <string_view>

namespace annals::values {

// Nothing: there is no such signal. 0 (NULL) only asks whether there is somebody to take one. A number is read as far as its digits go; one
// that no signal has is for the host to refuse.
std::optional<int> parse_signal(std::string_view text);

}  // namespace annals::values
