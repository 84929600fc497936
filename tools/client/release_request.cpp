#include "tools/client/release_request.hpp"

#include <charconv>
#include <limits>

#include "events/values/job_id.hpp"
#include "events/values/string_list.hpp"
#include "tools/client/client_limits.hpp"
#include "tools/client/option_values.hpp"

namespace annals::client {

namespace {

namespace pbs_error = values::pbs_error;

values::refusal too_much(const std::string& what, std::size_t limit) {
  return {pbs_error::bad_value, what + " above the limit of " + std::to_string(limit)};
}

std::uint32_t count_of(std::string_view digits) {
  std::uint32_t count = 0;
  const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return bad == std::errc() ? count : std::numeric_limits<std::uint32_t>::max();
}

}  // namespace

release_reading release_named(std::vector<std::string> names) {
  if (names.size() > limits::released_names_max)
    return too_much(std::to_string(names.size()) + " names are", limits::released_names_max);
  for (const auto& name : names)
    if (name.size() > limits::vnode_name_chars_max)
      return too_much("a name of " + std::to_string(name.size()) + " characters is", limits::vnode_name_chars_max);
  return release_request{std::move(names), {}, 0};
}

release_reading release_but(std::string_view keep) {
  constexpr std::string_view select = "select=";
  if (keep.starts_with(select)) {
    keep.remove_prefix(select.size());
    if (keep.size() > limits::keep_select_bytes_max)
      return too_much("a select of " + std::to_string(keep.size()) + " bytes is", limits::keep_select_bytes_max);
    return release_request{{}, std::string(values::trimmed(keep)), 0};
  }
  if (is_count(keep)) return release_request{{}, {}, count_of(keep)};
  return values::refusal{pbs_error::invalid_request, "only a \"select=\" string is valid in -k option"};
}

std::optional<values::refusal> why_not_several(std::string_view job_id) {
  const auto id = values::parse_job_id(job_id);
  if (!id || id->form == values::id_form::job || id->form == values::id_form::subjob) return std::nullopt;
  return values::refusal{pbs_error::no_support, "not supported for Array Jobs or multiple sub-jobs"};
}

void fill(schema::ReleaseNodes::Builder request, const std::string& job_id, const release_request& what) {
  request.setJob(job_id);
  if (!what.names.empty()) {
    auto names = request.initNamed(static_cast<unsigned>(what.names.size()));
    for (unsigned i = 0; i < names.size(); ++i) names.set(i, what.names[i]);
  } else if (what.keep_select) {
    request.setKeepSelect(*what.keep_select);
  } else if (what.keep_hosts > 0) {
    request.setKeepHosts(what.keep_hosts);
  } else {
    request.setAll();
  }
}

}  // namespace annals::client
