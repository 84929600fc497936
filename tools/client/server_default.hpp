// What an administrator gives every user of a command: default_qsub_arguments, default_qdel_arguments.
#pragma once

#include <string>

#include "events/attributes/table.hpp"
#include "tools/client/session.hpp"

namespace annals::client {

// The server's attribute of this id. Empty: it has none, or does not say.
std::string server_default(session& server, attributes::attribute_id id);

}  // namespace annals::client
