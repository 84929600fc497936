#include "actors/server/messages.hpp"

#include "actors/server/aggregates.hpp"

ANNALS_SERVER_MESSAGES(ANNALS_MESSAGE_COMPILED)
ANNALS_SERVER_COMMANDS(ANNALS_MESSAGE_COMPILED)
