// Sums of resources that are assigned to the jobs of each queue and of the server: what jobs that hold vnodes asked for, and what they have
// let go that is not free yet. They are kept up with events, so that an answer costs the same however many jobs run.
//
// Promises: an event of a job costs what that job asked for; the sums are those of the jobs that are counted, whatever happened before.
// Governed by docs/design/0008-status.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "events/attributes/resources.hpp"
#include "events/model/job/job.hpp"
#include "events/model/vnodes/holdings.hpp"

namespace annals::projections {

// Values of resources as jobs wrote them, and how many times each one is counted. What is taken away again leaves no trace, as the rounding
// of a sum would.
class counted_resources {
 public:
  // `by` is negative for what is no longer counted. It must have been counted so many times.
  void count(std::string_view resource, std::string_view value, std::int64_t by);
  void take_away(const counted_resources& part);
  bool empty() const { return values_.empty(); }
  // By resource, those that the catalogue knows.
  std::map<std::string, std::string, std::less<>> sums(const attributes::resource_catalogue& catalogue) const;

 private:
  using counts = std::map<std::string, std::uint64_t, std::less<>>;  // by value
  std::map<std::string, counts, std::less<>> values_;                // by resource
};

class assigned_resources {
 public:
  // After an event of the job. `holds`: it has something of vnodes, so it is counted.
  void changed(const model::job_state& job, bool holds, const attributes::resource_catalogue& catalogue);
  void gone(std::uint64_t job);
  // After a job has taken this exec_vnode.
  void taken(std::string_view exec_vnode, const model::holdings& holdings);
  // All of it anew: after a change of what is counted, or of who holds what. `find_job` gives a job by its serial, or null.
  template <class FindJob>
  void make_anew(const model::holdings& holdings, const attributes::resource_catalogue& catalogue, const FindJob& find_job) {
    *this = {};
    holdings.each_job([&](std::uint64_t serial) {
      if (const model::job_state* job = find_job(serial)) changed(*job, true, catalogue);
    });
    holdings.each_used([&](const std::string&, const model::vnode_use& use) { note_used(use.assigned); });
  }

  // What the jobs of a queue have, or of all queues (""). Null: nothing.
  const counted_resources* of(std::string_view queue) const;
  // Resources that were ever assigned on a vnode there is, or was; true: it is a size.
  const std::map<std::string, bool, std::less<>>& ever_used() const { return ever_used_; }

 private:
  struct counted_job {
    std::string queue;
    std::vector<std::pair<std::string, std::string>> values;  // by resource; one may stand there twice
    bool operator==(const counted_job&) const = default;
  };
  static counted_job read(const model::job_state& job, const attributes::resource_catalogue& catalogue);
  void count(const counted_job& job, std::int64_t by);
  void note_used(const model::amounts& assigned);

  std::unordered_map<std::uint64_t, counted_job> jobs_;             // by serial
  std::map<std::string, counted_resources, std::less<>> by_queue_;  // "" is all
  std::map<std::string, bool, std::less<>> ever_used_;
};

}  // namespace annals::projections
