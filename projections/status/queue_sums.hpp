// Sums of what the running jobs of each queue ask for and of what they have let go that is not free yet, and the queues that have vnodes
// of their own: counted once for all queues of an answer.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/resources.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

// Sums of the resources that are counted at queue and server, as jobs wrote them.
class asked_sums {
 public:
  explicit asked_sums(const attributes::resource_catalogue& catalogue) : catalogue_(&catalogue) {}
  void add(const model::job_state& job);
  void add_zero(const std::string& resource, bool is_size);  // unless there is a sum of it
  void add(const model::reservation_state& r);
  void add(const asked_sums& more);
  void rise_to(const asked_sums& least);  // of each resource at least so much
  void put(attributes::attribute_set& row, attributes::attribute_id id) const;

 private:
  void add(std::string_view resource, std::string_view value);
  void add_let_go(const model::job_state& job);

  const attributes::resource_catalogue* catalogue_;
  std::map<std::string, std::string> sums_;
};

// Jobs that have something of vnodes, in the order of their submission.
void each_running_job(const status& from, const std::function<void(const model::job_state& job)>& visit);

// Sums what all running jobs asked for, and the reservations whose window is open. A reservation counts with what it asked for, or with
// what its jobs did where that is more.
asked_sums sums_of_all(const status& from);

class queue_sums {
 public:
  explicit queue_sums(const status& from);
  const asked_sums* asked_in(std::string_view queue) const;  // null: nothing
  bool has_vnodes(std::string_view queue) const { return with_vnodes_.contains(queue); }

 private:
  std::map<std::string, asked_sums, std::less<>> asked_;  // by queue
  std::set<std::string, std::less<>> with_vnodes_;
};

}  // namespace annals::projections
