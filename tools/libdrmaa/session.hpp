// The session that drmaa_init opens: a connection to the server, and the jobs submitted in it, each until its end was reported.
//
// How jobs end is learned by asking the server about all that are not known to have ended, by one of the waiting threads at a time, which
// tells the others. The server must keep finished jobs (job_history_enable), since a job may end between two questions.
//
// Thread-safe. When the session is closed, calls that wait end with DRMAA_ERRNO_NO_ACTIVE_SESSION.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tools/libdrmaa/error.hpp"
#include "tools/libdrmaa/submission.hpp"

struct batch_status;

namespace annals::drmaa {

// How a job ended, as the `stat` of drmaa_wait has it.
struct job_end {
  enum class kind { exited,
                    signaled,
                    aborted,
                    unknown };  // the server has forgotten it
  kind how = kind::unknown;
  int number = 0;                  // the exit status, or the signal
  std::vector<std::string> usage;  // "walltime=00:00:02"

  int stat() const { return (static_cast<int>(how) << 8) | number; }
  static kind kind_of(int stat) { return static_cast<kind>(stat >> 8); }
  static int number_of(int stat) { return stat & 255; }
};

class session {
 public:
  // Throws error. contact: the server's name; empty: the default server.
  explicit session(const std::string& contact);
  ~session();
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  const std::string& contact() const { return contact_; }
  void close();

  // These throw error.
  std::string run(const job_template& t);
  std::vector<std::string> run_bulk(const job_template& t, const bulk_range& range);
  void control(const std::string& id, int action);  // of one job or DRMAA_JOB_IDS_SESSION_ALL
  int state(const std::string& id);                 // DRMAA_PS_

  using clock = std::chrono::steady_clock;
  using deadline = std::optional<clock::time_point>;  // none: for ever
  struct ended_job {
    std::string id;
    job_end end;
  };
  // Of one job or DRMAA_JOB_IDS_SESSION_ANY; the job belongs to the session no longer.
  ended_job wait(const std::string& id, deadline until);
  void synchronize(const std::vector<std::string>& ids, deadline until, bool dispose);

 private:
  struct job {
    std::optional<job_end> end;
  };

  template <class Work>
  auto ask_server(Work&& work);
  std::string submit(prepared_job what);
  void add(const std::vector<std::string>& ids);
  struct job_now {
    int state = 0;  // DRMAA_PS_
    bool has_user_hold = false;
  };
  job_now look_at(const std::string& id);
  void control_one(const std::string& id, int action);
  std::vector<std::string> ids_of(const std::string& id);
  template <class Find>
  auto wait_until(deadline until, Find&& find);
  std::uint64_t begin_asking();
  void ask_in_turn();
  void ask_about_jobs(std::unique_lock<std::mutex>& held);
  void learn(const std::vector<std::string>& asked, const batch_status* answered);

  std::string contact_;
  int connect_;
  std::mutex asking_;  // the connection, and the text of its last error
  std::mutex guard_;   // all below
  std::condition_variable changed_;
  std::map<std::string, job, std::less<>> jobs_;
  bool closed_ = false;
  // Questions about all jobs, which a thread asks: a server that does not answer keeps no caller beyond his time. The number of the last
  // one that was begun, and of the last one that is over; why that one failed.
  std::uint64_t asked_ = 0, answered_ = 0;
  std::optional<error> trouble_;
  std::thread asker_;
};

}  // namespace annals::drmaa
