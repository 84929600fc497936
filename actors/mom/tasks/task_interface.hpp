// What a task of a job may ask of its job, on whatever host it runs: start a task, signal one, list them, wait for the end
// of one. Whoever speaks TM on a host asks the MoM's actor for the job (find_job), then the job's actor there; the run's
// actor on the primary and the part's on a sister understand the same messages. Answers come to the asker with its own
// question number, one for each question, in any order; none comes when the MoM dies, as for TM itself.
// docs/design/0020-jobs-across-hosts.md.
#pragma once

#include <caf/actor.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/runtime/message_type.hpp"

namespace annals::actors {

struct task_asker {
  caf::actor who;
  std::uint64_t question = 0;
  bool operator==(const task_asker&) const = default;
};

// -- to the MoM's actor --------------------------------------------------------------------------------------------------------

// The job with this cookie (PBS_JOBCOOKIE) on this host; an empty cookie is any. Answered with job_found. No job: `actor`
// is empty.
struct find_job {
  task_asker asker;
  std::string job, cookie;
};
struct job_found {
  std::uint64_t question = 0;
  caf::actor actor;
  std::string user;                // whose job it is: nobody else may ask for it
  std::vector<std::string> nodes;  // host of each line of the node file: TM's node numbers, from 0
  std::uint64_t job_serial = 0;
  std::uint32_t run = 0;
};

// -- to the job's actor --------------------------------------------------------------------------------------------------------

// Answered with `spawned` when it runs (or has run), with `failed` when it could not be started.
struct ask_spawn {
  task_asker asker;
  std::string host;
  std::uint32_t node = 0;                      // PBS_NODENUM of the task
  std::vector<std::string> argv, environment;  // NAME=value, on top of the job's
  bool output = false;                         // the asker wants what it writes, as task_output; else it goes to the job's files
};
struct ask_signal {
  task_asker asker;
  std::uint32_t task = 0;
  int signal = 0;
};  // answered with `done` when its host has sent it
struct ask_tasks {
  task_asker asker;
};  // answered with `tasks`
// Answered with `over` when it has ended and all that it wrote was taken; with `failed` when it was lost with its host.
struct ask_end {
  task_asker asker;
  std::uint32_t task = 0;
};
// Values that tasks leave for others, by the task and a name. They live as long as the primary's MoM.
struct ask_publish {
  task_asker asker;
  std::uint32_t task = 0;
  std::string name, value;
};  // answered with `done`
struct ask_subscribe {
  task_asker asker;
  std::uint32_t task = 0;
  std::string name;
};  // with `bytes`, once it is there
struct ask_host {
  task_asker asker;
  std::string host;
};  // with `bytes`: system and resources of a node
// Who asked is gone: nothing more comes for this question, and what its task writes goes to the job's files.
struct ask_forget {
  task_asker asker;
};

// What a task wrote, to who asked for it; the next piece of the stream comes when this one was taken. One that was taken
// already may come again.
struct task_output {
  std::uint64_t question = 0;  // of the spawn
  std::uint32_t task = 0;
  bool errors = false;  // standard error
  std::uint64_t offset = 0;
  std::string bytes;
};
struct task_output_taken {
  std::uint32_t task = 0;
  bool errors = false;
  std::uint64_t up_to = 0;
};  // to the job's actor

struct task_of_run {
  std::uint32_t task = 0;
  std::string host;
  std::uint32_t node = 0;
  bool over = false;
  std::int32_t exit_status = 0;
};
struct task_answer {
  enum class kind : std::uint8_t { done,
                                   failed,
                                   spawned,
                                   tasks,
                                   over,
                                   bytes } what = kind::done;
  std::string error = {};        // failed: why
  std::uint32_t task = 0;        // spawned: its number
  std::int32_t exit_status = 0;  // over
  std::vector<task_of_run> tasks = {};
  std::uint64_t question = 0;
  std::string bytes = {};
};
inline task_answer task_failure(std::string why) { return {task_answer::kind::failed, std::move(why), 0, 0, {}, 0, {}}; }
// A host that can't be asked: whether it has done what it was asked, or how its task has ended, is not known.
inline constexpr std::string_view no_contact = "lost communication with ";
inline task_answer host_failure(const std::string& host) { return task_failure(std::string(no_contact) + host); }
inline bool is_host_failure(const task_answer& a) { return a.what == task_answer::kind::failed && a.error.starts_with(no_contact); }
inline task_answer task_bytes(std::string bytes) { return {task_answer::kind::bytes, {}, 0, 0, {}, 0, std::move(bytes)}; }

}  // namespace annals::actors

#define ANNALS_TASK_MESSAGES(MESSAGE)        \
  MESSAGE(annals::actors::find_job)          \
  MESSAGE(annals::actors::job_found)         \
  MESSAGE(annals::actors::ask_spawn)         \
  MESSAGE(annals::actors::ask_signal)        \
  MESSAGE(annals::actors::ask_tasks)         \
  MESSAGE(annals::actors::ask_end)           \
  MESSAGE(annals::actors::ask_publish)       \
  MESSAGE(annals::actors::ask_subscribe)     \
  MESSAGE(annals::actors::ask_host)          \
  MESSAGE(annals::actors::ask_forget)        \
  MESSAGE(annals::actors::task_output)       \
  MESSAGE(annals::actors::task_output_taken) \
  MESSAGE(annals::actors::task_answer)
ANNALS_TASK_MESSAGES(ANNALS_MESSAGE)  // compiled in compiled_messages.cpp
