// Access lists: who may use the server and its queues. Source: pbs guide, acl_users, acl_hosts and acl_groups of server and queue.
#pragma once

#include <optional>
#include <string_view>

#include "events/model/context.hpp"
#include "events/model/outcome.hpp"
#include "events/model/settings.hpp"

namespace annals::model {

// Does a list of entries [+|-]name[@host] let `name` in? The longest entry that fits decides, whatever its place in the list; if
// none fits, no. * stands for every name or host, *.domain for those of the domain.
bool acl_allows(std::string_view list, std::string_view name, std::string_view host);

// May who asks make any request of the server (acl_user_enable, acl_users; acl_host_enable, acl_hosts)? 15007. Managers and operators,
// root of the server's host among them, are let in without being listed: a list that leaves its author out can be mended. The
// server's own host is always let in, and with acl_host_moms_enable so are the hosts that run jobs.
std::optional<rejection> server_refusal(const requester& by, const settings& settings);

}  // namespace annals::model
