#include "actors/runtime/messages.hpp"

ANNALS_RUNTIME_MESSAGES(ANNALS_MESSAGE_COMPILED)
