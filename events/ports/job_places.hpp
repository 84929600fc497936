// The port to what a job has on a host besides its processes, where its program does not run: the user's account, the node
// file, directories. The real one is actors/mom/host/real_job_places; the simulation has its own.
// Everything is idempotent per key. No call blocks; the answers come on a thread of the host.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "events/values/program_key.hpp"

namespace annals::ports {

struct job_place {
  values::run_key key;
  std::string job_id;
  std::string user, group;                // group empty: the user's own
  std::string node_file, node_file_text;  // $PBS_NODEFILE
  bool node_file_is_read = true;          // by processes of the job, at any moment
  std::string tmpdir;                     // made 700 for the user
  std::string private_jobdir_root;        // sandbox=PRIVATE: where a directory is made; "~" for the home; empty: none
  std::string private_jobdir;             // its name
  bool run_goes_on = false;               // on other hosts, which may share that directory: it is theirs
};

class job_places {
 public:
  virtual ~job_places() = default;
  struct events {
    std::function<void(const values::run_key& key, std::int32_t code, const std::string& text)>
        ready;  // code 0: it is there;
                // else as ports::start_failed: -10 no such user, -3 may be tried again
    std::function<void(const values::run_key& key)> removed;
    std::function<void(const values::run_key& key, std::uint32_t number, const std::string& error)> updated;  // error empty: it is new
  };
  virtual void listen(events e) = 0;
  virtual void set_up(const job_place& place) = 0;
  // The node file, anew. Of a job that is set up, or whose program runs here; answered with the number.
  virtual void update(const job_place& place, std::uint32_t number) = 0;
  virtual void tear_down(const job_place& place) = 0;
};

}  // namespace annals::ports
