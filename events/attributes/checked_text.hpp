// A text that was checked, in its canonical form; or the refusal with PBS's number and text.
#pragma once

#include <string>

#include "events/values/pbs_error.hpp"
#include "events/values/result.hpp"

namespace annals::attributes {

using values::refusal;
using checked_text = values::result<std::string, refusal>;

}  // namespace annals::attributes
