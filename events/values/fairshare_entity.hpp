// fairshare_entity: for whom a job's usage counts. Source: pbs guide, "fairshare".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::values {

enum class fairshare_entity : std::uint8_t { euser,
                                             egroup,
                                             account_name,
                                             queue,
                                             egroup_euser };

// "euser", "egroup", "Account_Name", "queue", "egroup:euser", in letters of any case.
std::optional<fairshare_entity> parse_fairshare_entity(std::string_view text);
const char* fairshare_entity_text(fairshare_entity form);

// What a job's entity is made of.
struct entity_parts {
  std::string_view euser, egroup, account_name, queue;
};
// "smith", "physics:smith". A job that has nothing of the kind, as one without Account_Name, is one of "(none)".
std::string entity_of(fairshare_entity form, const entity_parts& job);

}  // namespace annals::values
