// Messages between the hosts of a job about its tasks: who asked, the answers, what tasks write. The run's actor and the parts' actors read
// and write them here. docs/design/0020-jobs-across-hosts.md.
#pragma once

#include <cstdint>
#include <string>

#include "actors/mom/tasks/task_interface.hpp"
#include "events/model/vnodes/allocation.hpp"
#include "events/schema/daemon/shared.capnp.h"
#include "events/schema/sister.capnp.h"

namespace annals::actors {

// Who asked for something about tasks: an actor here (host empty), or one on a sister, through its part there. `output`: it
// wants what the task writes.
struct task_origin {
  task_asker asker;
  std::string host;
  bool output = false;
  bool is(const task_origin& other) const { return host == other.host && asker == other.asker; }
};

// A piece of what a task writes, on its way: `offset` bytes of the stream went before it.
struct output_piece {
  std::uint32_t task;
  bool errors;  // standard error
  std::uint64_t offset;
  std::string bytes;
};

inline std::string text_of(capnp::Data::Reader d) { return {reinterpret_cast<const char*>(d.begin()), d.size()}; }
inline capnp::Data::Reader data_of(const std::string& s) { return {reinterpret_cast<const kj::byte*>(s.data()), s.size()}; }
void write_answer(const task_answer& from, schema::Answer::Builder to);
task_answer read_answer(schema::Answer::Reader from);
// The caller names the run, and in a piece for an asker the question.
void write_piece(const output_piece& from, schema::TaskOutput::Builder to);
output_piece read_piece(schema::TaskOutput::Reader from);
void write_taken(const task_output_taken& from, schema::OutputTaken::Builder to);
task_output_taken read_taken(schema::OutputTaken::Reader from);
// Its user and its nodes, which are numbered as in the node file of a run that has this.
void describe_job(schema::StartRun::Reader order, const model::allocation& numbered, job_found& found);

}  // namespace annals::actors
