// The files that come to a run and go from it, copied by processes that act as the user. In guarded tasks only.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "actors/mom/host/account.hpp"
#include "actors/mom/host/copy_requests.hpp"
#include "actors/mom/host/host_news.hpp"
#include "actors/mom/host/host_options.hpp"
#include "actors/mom/host/later_tasks.hpp"
#include "actors/mom/host/recycled_files.hpp"
#include "actors/mom/host/run_files.hpp"
#include "actors/mom/host/user_work.hpp"

namespace annals::mom {

class run_copies {
 public:
  run_copies(const host_options& options, const run_files& files, accounts& users, user_work& work, later_tasks& later, host_news& news,
             recycled_files& locks)
      : options_(options), files_(files), accounts_(users), user_work_(work), later_(later), news_(news), locks_(locks) {}

  // Each ends in `staged_in` or `delivered`, unless the run is forgotten first. A repeat while it goes on changes nothing.
  void stage_in(const values::run_key& key, const ports::stage_in_order& order);
  void deliver(const values::run_key& key, const ports::delivery_order& order, const std::string& jobdir);
  // Removes what was staged in.
  void unstage(const values::run_key& key, const ports::stage_in_order& order);
  // Nothing will be copied any more.
  void forget(const values::run_key& key);

 private:
  using told = std::function<void(const values::run_key& key, const ports::delivery_result&)> host_news::events::*;
  using make_request = std::function<user_request(const account&)>;

  // `outputs`: the sources of the request's copies.
  void copy(const values::run_key& key, const std::string& user, std::size_t files, const std::vector<std::string>& outputs, told what,
            const make_request& make, event_loop::task again);
  void tell(const values::run_key& key, told what, const ports::delivery_result& result);
  copy_settings how() const;
  // Output that is here and small is tried once in a process that it shares with that of other runs.
  bool is_quick(const values::run_key& key, const user_request& request) const;
  void bring(const values::run_key& key, const user_request& request, user_work::heard then, std::function<void()> not_begun);

  const host_options& options_;
  const run_files& files_;
  accounts& accounts_;
  user_work& user_work_;
  later_tasks& later_;
  host_news& news_;
  recycled_files& locks_;
  std::set<values::run_key> unshared_;  // runs whose copy file no program of a user has had open
};

}  // namespace annals::mom
