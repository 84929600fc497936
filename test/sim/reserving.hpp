// What users do with reservations in the simulated world: they submit some of each kind, send jobs to them, change and delete them, and
// ask again whatever was not answered.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "events/schema/client.capnp.h"
#include "events/schema/message.hpp"
#include "test/sim/job_words.hpp"
#include "test/sim/reserved_checks.hpp"

namespace annals::sim {

enum class reserving : std::uint8_t { anything,
                                      advance,
                                      standing,
                                      as_soon_as_possible,
                                      from_job,
                                      maintenance };

class reservation_users {
 public:
  reservation_users(int reservations, reserving what, std::mt19937_64& random);
  // What somebody asks now; nothing: nobody does. `jobs`: ids of those that were submitted. The queue that is to
  // get a new job is left to `take_job_for`.
  std::optional<schema::sealed<schema::Request>> ask(std::uint64_t request, std::int64_t now_ns, const std::vector<std::string>& jobs,
                                                     const reserved_vnodes& known, int moms);
  std::string take_job_for() { return std::exchange(job_for_, {}); }
  bool on_reply(schema::Reply::Reader r);  // true: it was ours
  void link_broken();
  bool done() const;  // all is submitted and answered
  // What was acknowledged is in the log.
  std::string check(const reserved_vnodes& known) const;

 private:
  struct wish {
    reserving what = reserving::advance;
    std::string command_id;
    std::vector<asked_value> words;
    std::string host = {};  // of maintenance
    bool sent = false, refused = false;
    int tries = 0;
    std::string acknowledged;
    int jobs = 0, changes = 0;  // that are still to be asked for
    bool remove = false;        // somebody deletes it
    bool removal_acknowledged = false;
  };
  bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(random_) < p; }
  std::int64_t pick(std::int64_t low, std::int64_t high) { return std::uniform_int_distribution<std::int64_t>(low, high)(random_); }
  void draw(wish& w, std::int64_t now_s, const std::vector<std::string>& jobs, int moms);
  schema::sealed<schema::Request> submission(std::uint64_t request, const wish& w) const;
  schema::sealed<schema::Request> change(std::uint64_t request, const wish& w, std::int64_t now_s);
  std::string drawn_id();

  std::mt19937_64& random_;
  std::vector<wish> wishes_;
  std::map<std::uint64_t, std::size_t> submitted_, removed_;  // request -> wish
  std::string job_for_;
};

}  // namespace annals::sim
