// What a process that acts as the user is asked to do about files that come to a run and go from it. Pure.
#pragma once

#include <string>
#include <vector>

#include "actors/mom/host/account.hpp"
#include "actors/mom/host/user_request.hpp"
#include "events/ports/process_host.hpp"

namespace annals::mom {

struct copy_settings {
  std::vector<std::string> cp, scp;  // programs and their first arguments
  std::vector<unsigned> pauses_s;    // before each try
  std::string undelivered;           // directory for output that can't be copied
  unsigned seconds_max = 0;          // for all copies of a request together
};

// `lock`: a file that only the MoM may make; two requests with the same one never work at the same time.
user_request stage_in_request(const copy_settings& how, const account& user, const ports::stage_in_order& order, const std::string& lock);
user_request unstage_request(const account& user, const ports::stage_in_order& order);
user_request delivery_request(const copy_settings& how, const account& user, const ports::delivery_order& order,
                              const std::string& jobdir, const std::string& lock);

}  // namespace annals::mom
