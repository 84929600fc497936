// ports::job_places on the real machine: directories are made and removed with the user's rights (pbs_shepherd as-user), on
// a thread of its own. docs/design/0020-jobs-across-hosts.md.
#pragma once

#include <memory>
#include <string>

#include "actors/mom/host/event_loop.hpp"
#include "events/ports/job_places.hpp"

namespace annals::mom {

class real_job_places final : public ports::job_places {
 public:
  // Throws std::system_error. `shepherd`: path of pbs_shepherd.
  real_job_places(const std::string& pbs_home, const std::string& shepherd, event_loop::complaint complain);
  ~real_job_places() override;
  void listen(events e) override;
  void set_up(const ports::job_place& place) override;
  void update(const ports::job_place& place, std::uint32_t number) override;
  void tear_down(const ports::job_place& place) override;

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace annals::mom
