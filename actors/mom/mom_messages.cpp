#include "actors/mom/mom_messages.hpp"

#include "actors/mom/hooks/hook_points.hpp"
#include "actors/mom/mom_actor.hpp"
#include "actors/mom/parts/part_actor.hpp"
#include "actors/mom/runs/run_actor.hpp"
#include "actors/mom/tasks/task_interface.hpp"

ANNALS_MOM_MESSAGES(ANNALS_MESSAGE_COMPILED)
ANNALS_TASK_MESSAGES(ANNALS_MESSAGE_COMPILED)
ANNALS_HOOK_POINT_MESSAGES(ANNALS_MESSAGE_COMPILED)
ANNALS_MOM_ACTOR_MESSAGES(ANNALS_MESSAGE_COMPILED)
ANNALS_RUN_MESSAGES(ANNALS_MESSAGE_COMPILED)
ANNALS_PART_MESSAGES(ANNALS_MESSAGE_COMPILED)
