// The messages of all actors of a MoM, compiled once.
#include "actors/mom/hooks/hook_points.hpp"
#include "actors/mom/host_event.hpp"
#include "actors/mom/mom_messages.hpp"
#include "actors/mom/parts/part_actor.hpp"
#include "actors/mom/runs/run_actor.hpp"
#include "actors/mom/runs/sister_dialer.hpp"
#include "actors/mom/tasks/task_interface.hpp"

ANNALS_MOM_MESSAGES(ANNALS_MESSAGE_COMPILED)
ANNALS_TASK_MESSAGES(ANNALS_MESSAGE_COMPILED)
ANNALS_HOOK_POINT_MESSAGES(ANNALS_MESSAGE_COMPILED)
ANNALS_HOST_EVENT_MESSAGES(ANNALS_MESSAGE_COMPILED)
ANNALS_SISTER_DIALER_MESSAGES(ANNALS_MESSAGE_COMPILED)
ANNALS_RUN_MESSAGES(ANNALS_MESSAGE_COMPILED)
ANNALS_PART_MESSAGES(ANNALS_MESSAGE_COMPILED)
