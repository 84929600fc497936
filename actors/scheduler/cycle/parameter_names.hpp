// The names that sched_config may use, as the parser has them: for tests that look whether each has an effect.
#pragma once

#include <string_view>
#include <vector>

namespace annals::cycle {

std::vector<std::string_view> parameter_names();
// Those of fairshare, which are among them.
std::vector<std::string_view> fairshare_parameter_names();
// What PBS understood once and now answers with what to say instead.
std::vector<std::string_view> obsolete_parameter_names();

}  // namespace annals::cycle
