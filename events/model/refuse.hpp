// Refusals by their PBS number, with PBS's text unless another is given.
#pragma once

#include <string>

#include "events/model/outcome.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::model {

inline rejection refuse(std::uint32_t code) { return {code, std::string(values::pbs_error_text(code))}; }
inline rejection refuse(std::uint32_t code, std::string text) { return {code, std::move(text)}; }
inline rejection as_rejection(const values::refusal& r) { return {r.code, r.text}; }

}  // namespace annals::model
