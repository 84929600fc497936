#include "events/values/fairshare_entity.hpp"

#include "events/values/string_list.hpp"

namespace annals::values {

namespace {

struct named_form {
  const char* name;
  fairshare_entity form;
};
constexpr named_form forms[] = {
    {"euser", fairshare_entity::euser},
    {"egroup", fairshare_entity::egroup},
    {"Account_Name", fairshare_entity::account_name},
    {"queue", fairshare_entity::queue},
    {"egroup:euser", fairshare_entity::egroup_euser},
};

}  // namespace

std::optional<fairshare_entity> parse_fairshare_entity(std::string_view text) {
  for (const auto& f : forms)
    if (equal_any_case(text, f.name)) return f.form;
  return std::nullopt;
}

const char* fairshare_entity_text(fairshare_entity form) {
  for (const auto& f : forms)
    if (f.form == form) return f.name;
  return "";
}

std::string entity_of(fairshare_entity form, const entity_parts& job) {
  std::string name;
  switch (form) {
    case fairshare_entity::euser: name = job.euser; break;
    case fairshare_entity::egroup: name = job.egroup; break;
    case fairshare_entity::account_name: name = job.account_name; break;
    case fairshare_entity::queue: name = job.queue; break;
    case fairshare_entity::egroup_euser: name = std::string(job.egroup) + ":" + std::string(job.euser); break;
  }
  return name.empty() ? "(none)" : name;
}

}  // namespace annals::values
