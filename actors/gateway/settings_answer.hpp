// What qsub asks before each submission, default_qsub_arguments: the gateway has it at hand, and no other thread is woken.
#pragma once

#include <optional>

#include "events/model/settings.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

// `request` is a stat. Nothing: it asks for something else, and the status actor answers.
std::optional<schema::sealed<schema::Reply>> answer_from_settings(schema::Request::Reader request, const model::settings& settings,
                                                                  std::uint64_t sequence);

}  // namespace annals::actors
