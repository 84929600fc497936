// How the starts of one job went, host by host: a fold of the job's stream. It answers for jobs that run and for jobs the server
// has forgotten, because the log keeps both.
//
// Times of hosts are by the clock of the run's first host, which tells of them; all others are the server's.
// docs/design/0020-jobs-across-hosts.md, docs/design/0037-failures-that-a-job-bears.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/record.hpp"
#include "events/values/tolerance.hpp"

namespace annals::audit {

enum class failed_when : std::uint8_t { before_start,   // it did not join, refused, or was lost before the program started
                                        while_running,  // lost later
                                        at_the_end };   // it did not let go of the job in time, or did not answer

struct host_failure {
  failed_when when = failed_when::before_start;
  std::int64_t at_ns = 0;
  std::int32_t code = 0;
  std::string text;
  bool borne = false;  // the job tolerates it
};

struct host_part {
  std::string host;
  bool asked = false;                   // to join; the first host never is
  std::int64_t joined_ns = 0;           // 0: it has not
  std::int64_t prologue_ns = 0;         // when its execjob_prologue hooks had let the job pass; 0: it has not said so
  std::int64_t let_go_ns = 0;           // the run goes on without it (job.release_nodes(), rjselect); 0: it was kept
  std::int64_t left_ns = 0;             // 0: it has not
  std::optional<host_failure> failure;  // the first one of this run
};

enum class start_end : std::uint8_t { on_its_way,
                                      started,
                                      failed,      // the first host said that it did not start
                                      lost,        // nobody said whether it started: its first host was lost
                                      given_up };  // nobody said whether it started, and nobody waited: qdel or qrerun by force

struct job_start {
  std::uint32_t run = 0;
  std::int64_t assigned_ns = 0;
  values::tolerance_words tolerates;  // as the run was assigned with it
  std::vector<host_part> hosts;       // first host first
  std::int64_t asked_ns = 0;          // when the others were asked to join; 0: they were not
  std::int64_t join_over_ns = 0;      // sister_join_job_alarm; 0: it did not ring
  start_end end = start_end::on_its_way;
  std::int64_t end_ns = 0;
  std::int32_t code = 0;  // of a start that failed
  std::string text;
  std::optional<std::int32_t> exit_status;  // of a program that has ended

  std::size_t borne() const;
  std::size_t let_go() const;
};

// A failure that a record tells of: of which host, in which run.
struct told_failure {
  std::string host;
  std::uint32_t run = 0;
  host_failure failure;
};

class job_starts {
 public:
  // Of this job's stream, in order. The failures that were not known before; each host fails once in a run.
  std::vector<told_failure> fold(const log::record& record);
  const std::string& id() const { return id_; }  // "12.borg"; empty before JobQueued
  const std::vector<job_start>& starts() const { return starts_; }

 private:
  void take_changes(capnp::List<schema::Attribute>::Reader changes);
  void begin(const log::record& record);
  void take_started(const log::record& record);
  void take_failed(const log::record& record);
  void take_exited(const log::record& record);
  void take_step(schema::RunStep::Reader step);
  void take_sister_failed(schema::SisterStep::Reader step, std::int64_t at_ns);
  void take_reduced(schema::AllocationReduced::Reader step, std::int64_t at_ns);
  void take_sister_left(schema::SisterLeft::Reader step, std::int64_t at_ns);

  void fail(host_part& part, host_failure failure);
  host_part* other_host(std::string_view host);  // not the first one; nullptr: none of this start

  std::string id_;
  values::tolerance_words tolerates_;
  std::vector<job_start> starts_;
  // Of the last start.
  bool end_asked_ = false, forced_ = false, files_failed_ = false;
  std::int64_t session_ = 0;
  std::vector<told_failure> told_;  // by the record that is being folded
};

}  // namespace annals::audit
