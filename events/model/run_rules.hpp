// What the files of a run's rules share; nobody else includes it.
#pragma once

#include "events/model/run.hpp"

namespace annals::model {

template <class Fill>
std::vector<event> one(Fill&& fill) { return {make_event(std::forward<Fill>(fill))}; }

event refused_event(int code, const std::string& text);
event left_event();
bool leaves_at_once(const run_state& run);      // nobody wants anything of it, and nothing of it is here but the run's own files
event starting_event();

// run_staging.cpp: files that come before the program.
bool wants_files(schema::StartRun::Reader order);
std::vector<event> begin_run(schema::StartRun::Reader order);      // asks the sisters, or starts the program
outcome on_files_staged(const run_state& run, const files_staged& c);
bool apply_to_staging(run_state& run, const event_place& at, schema::Event::Reader event);   // false: not about it

// run_sisters.cpp: the other hosts of a run.
std::vector<event> ask_sisters(schema::StartRun::Reader order);
outcome on_sister_joined(const run_state& run, const sister_joined& c);
outcome on_sister_refused(const run_state& run, const sister_refused& c);
outcome on_sister_left(const run_state& run, const sister_left& c);
outcome on_sister_silent(const run_state& run, const sister_silent& c);
outcome on_sisters_used(const run_state& run, const sisters_used& c);
outcome on_join_wait_over(const run_state& run);
bool apply_to_sisters(run_state& run, const event_place& at, schema::Event::Reader event);   // false: not about them

// run_tasks.cpp: programs beside the run's own.
outcome on_ask_task(const run_state& run, const ask_task& c);
outcome on_task_told(const run_state& run, const task_told& c);
bool apply_to_tasks(run_state& run, schema::Event::Reader event);                            // false: not about them
void owe_to_tasks(const run_state& run, std::vector<run_effect>& owed);
void owe_to_sisters(const run_state& run, std::vector<run_effect>& owed);

}  // namespace annals::model
