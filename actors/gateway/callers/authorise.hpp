// Who a client is and what he may do: from the kernel's word, or for a command of a job from its MoM's and the log's, and the lists of
// managers and operators.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "actors/link/wire/wire.hpp"
#include "events/model/context.hpp"
#include "events/model/settings.hpp"

namespace annals::actors {

// server_uid: the user the server runs as; he is root of his private cluster. On other hosts a number makes nobody root.
model::requester requester_of(const wire::identity& peer, const model::settings& settings, std::uint32_t server_uid);
// The names of all groups of a user, that of `gid` first; the number of one that has none. gid `nobody`: that of his
// account, if he has one here. May block: a directory service is asked.
using look_up_groups = std::function<std::vector<std::string>(const std::string& user, std::uint32_t gid)>;
std::vector<std::string> groups_by_name_service(const std::string& user, std::uint32_t gid);

}  // namespace annals::actors
