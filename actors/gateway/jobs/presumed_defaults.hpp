// qsub puts default_qsub_arguments into what it submits. It does not ask for them before: it presumes that there are none, and is
// told when there are others. So a submission is one question, and is made with the defaults that are true when it is taken.
#pragma once

#include <optional>

#include "events/model/settings.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

// The answer to a submission that was made with other defaults than there are. Nothing: it can go on.
std::optional<schema::sealed<schema::Reply>> other_defaults(schema::Request::Reader request, const model::settings& settings,
                                                            std::uint64_t sequence);

}  // namespace annals::actors
