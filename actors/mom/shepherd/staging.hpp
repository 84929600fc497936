// Files that are stored elsewhere: they come to a job, and go from it. Source: pbs guide, "MoM" (staging).
#pragma once

#include "actors/mom/shepherd/copy_program.hpp"

namespace annals::shepherd {

attempt stage_in(const mom::stage_task& task, const copy_request& copying);

// What was copied is in `copied`, to be removed when it is written down that it was.
attempt stage_out(const mom::stage_task& task, const copy_request& copying, std::vector<std::string>& copied);

// Removes a file that came, unless it lies where it is stored; directories stay.
void drop_staged(const mom::stage_task& task, const mom::user_request& request);

}  // namespace annals::shepherd
