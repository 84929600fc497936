// What the files of a run's rules share; nobody else includes it.
#pragma once

#include <functional>

#include "events/model/run/run.hpp"

namespace annals::model {

template <class Fill>
std::vector<event> one(Fill&& fill) { return {make_event(std::forward<Fill>(fill))}; }

const run_transition* row_of(run_phase from, schema::RunEvent::Which event);  // nullptr: it may not happen
event refused_event(int code, const std::string& text);
event left_event();
void add_step(run_state& run, const event_place& at, schema::RunEvent::Reader step);  // to be told to the server
// Nobody wants anything of it, and nothing of it is here but the run's own files.
bool leaves_at_once(const run_state& run);
event starting_event();

// staging.cpp: files that come before the program.
bool wants_files(schema::StartRun::Reader order);
std::vector<event> begin_run(schema::StartRun::Reader order);  // asks the sisters, or starts the program
outcome on_files_staged(const run_state& run, const files_staged& c);
void apply_to_staging(run_state& run, const event_place& at, schema::FilesStagedIn::Reader e);

// tolerance.cpp: failures of other hosts that the job bears.
tolerance tolerance_of(schema::StartRun::Reader order);
bool bears(const run_state& run, std::int32_t code);  // that a host refuses with this error

// launch.cpp: between the last host's joining and the program's start.
bool joins_are_over(const run_state& run);
outcome on_joins_over(const run_state& run, const joins_over& c);
outcome on_prologue_over(const run_state& run, const prologue_over& c);
outcome on_launch_wait_over(const run_state& run);
// `is_out`: those that are waited for no more after the events so far.
void start_if_all_ready(const run_state& run, const std::function<bool(const sister_state&)>& is_out, std::vector<event>& out);
void owe_to_launch(const run_state& run, std::vector<run_effect>& owed);

// reduced.cpp: a run that goes on with less.
bool can_be_reduced(const run_state& run);
void reduce_run(const run_state& run, const allocation_change& change, std::vector<event>& out);
void release_as_told(const run_state& run, const allocation_change& change, std::vector<event>& out);
void put_change(run_state& run, shown_value change);
void apply_reduction(run_state& run, const event_place& at, schema::AllocationReduced::Reader e);

// sisters.cpp: the other hosts of a run.
using start_step = schema::SisterStep::StartStep;
event failed_event(const std::string& host, std::int32_t code, const std::string& text, start_step what = start_step::JOIN_JOB);
event refused_for(const std::string& host, std::int32_t code, const std::string& why, start_step what);  // the run, by that host
// The job bears that the host failed: it goes on.
outcome bear(const run_state& run, const sister_state& s, std::int32_t code, const std::string& text,
             start_step what = start_step::JOIN_JOB);
std::vector<event> ask_sisters(schema::StartRun::Reader order);
outcome on_sister_joined(const run_state& run, const sister_joined& c);
outcome on_sister_refused(const run_state& run, const sister_refused& c);
outcome on_sister_left(const run_state& run, const sister_left& c);
outcome on_sister_silent(const run_state& run, const host_usage& last_known);
outcome on_sisters_absent(const run_state& run, const sisters_absent& c);
outcome give_up_tasks_of(const run_state& run, const std::string& host, std::int64_t away_since_ns);
outcome on_sisters_used(const run_state& run, const sisters_used& c);
outcome on_join_wait_over(const run_state& run);
outcome on_sister_away(const run_state& run, const sister_away& c);
outcome on_sister_back(const run_state& run, const sister_back& c);
outcome on_ticket_lapsed(const run_state& run, const stamp& now);
outcome renew_ticket(const run_state& run, schema::StartRun::Reader order);
void apply_to_sisters(run_state& run, const event_place& at, schema::RunEvent::Reader event);

// tasks.cpp: programs beside the run's own.
outcome on_ask_task(const run_state& run, const ask_task& c);
void end_tasks_of(const run_state& run, const std::string& host, std::vector<event>& out);  // it is lost, and they with it
event program_killed(const ports::program_ended& what);                                     // by the kernel: the server is told why
outcome on_task_told(const run_state& run, const task_told& c);
void apply_to_tasks(run_state& run, const event_place& at, schema::RunEvent::Reader event);
void owe_to_tasks(const run_state& run, std::vector<run_effect>& owed);
void owe_to_sisters(const run_state& run, std::vector<run_effect>& owed);

// timers.cpp: what a run waits for, and how long.
outcome on_kill_sent(const run_state& run, const kill_sent& c);
outcome on_timer(const run_state& run, const timer_fired& c, const stamp& now);
void owe_timers(const run_state& run, const run_waits& waits, std::vector<run_effect>& owed);

}  // namespace annals::model
