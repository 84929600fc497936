// The error of a call, on its way to pbs_errno.
#pragma once

#include <cstdint>
#include <string>

namespace annals::ifl {

struct failure {
  std::uint32_t code;
  std::string text;  // empty: PBS's own for the number
};

}  // namespace annals::ifl
