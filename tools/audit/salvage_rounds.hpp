// `pbs_audit salvage FROM TO` as a whole: what may be done, the copy, and the proof that a server can start on it. A record
// that no server can take in is left out, and all is done again.
#pragma once

#include <string>

#include "tools/audit/salvage.hpp"

namespace annals::audit {

struct salvage_end {
  std::string trouble;  // it could not be done; nothing is left behind
  std::string account;  // text, when it was done
  salvage_result result;
};

salvage_end salvage_in_rounds(const std::string& from, const std::string& to, std::int64_t now_ns);

}  // namespace annals::audit
