#include "events/values/dependency.hpp"

#include <algorithm>
#include <array>

#include "events/values/job_id.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::values {

namespace {

constexpr std::array<std::string_view, 10> kind_names = {"after", "afterok", "afternotok", "afterany", "before",
                                                         "beforeok", "beforenotok", "beforeany", "runone", "on"};
constexpr int mirror_distance = 4;  // from after to before
static_assert(kind_names.size() == static_cast<std::size_t>(dependency_type::on) + 1);

std::optional<dependency_type> type_of(std::string_view name) {
  const auto at = std::find(kind_names.begin(), kind_names.end(), name);
  if (at == kind_names.end()) return std::nullopt;
  return static_cast<dependency_type>(at - kind_names.begin());
}

bool is_target(std::string_view text) {
  const auto id = parse_job_id(text);
  return id && (id->form == id_form::job || id->form == id_form::array);
}

bool add_entry(std::string_view entry, std::vector<dependency>& to) {
  const auto colon = entry.find(':');
  if (colon == std::string_view::npos) return false;
  const auto type = type_of(entry.substr(0, colon));
  const auto rest = entry.substr(colon + 1);
  if (!type || rest.empty()) return false;
  if (*type == dependency_type::on) {
    const auto count = parse_integer(rest);
    if (!count || *count < 1 || *count > UINT32_MAX) return false;
    to.push_back({*type, {}, static_cast<std::uint32_t>(*count)});
    return true;
  }
  for (const auto job : split_quoted(rest, ':')) {
    if (!is_target(job)) return false;
    to.push_back({*type, std::string(job)});
  }
  return true;
}

}  // namespace

std::string_view name_of(dependency_type type) { return kind_names[static_cast<std::size_t>(type)]; }

dependency_type mirror_of(dependency_type type) {
  return static_cast<dependency_type>(static_cast<int>(type) + (is_after(type) ? mirror_distance : -mirror_distance));
}

std::optional<std::vector<dependency>> parse_dependencies(std::string_view text) {
  std::vector<dependency> all;
  for (const auto entry : split_quoted(text))
    if (!add_entry(entry, all)) return std::nullopt;
  if (all.empty()) return std::nullopt;
  return all;
}

std::string print(const std::vector<dependency>& all) {
  std::array<std::string, kind_names.size()> jobs;  // by type: ":1.b@b:3.b@b"
  std::vector<dependency_type> order;
  for (const auto& d : all) {
    auto& text = jobs[static_cast<std::size_t>(d.type)];
    if (text.empty()) order.push_back(d.type);
    text += ':';
    if (d.type == dependency_type::on) text += std::to_string(d.count);
    else text += d.job;
  }
  std::string out;
  for (const auto type : order) {
    if (!out.empty()) out += ',';
    out += name_of(type);
    out += jobs[static_cast<std::size_t>(type)];
  }
  return out;
}

}  // namespace annals::values
