// What a run used: a value for each resource, on each of its hosts, and what the job shows of them all
// (docs/design/0035-usage-per-host.md). Values are in the canonical text of their resource's type, as those of every attribute.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/resources.hpp"
#include "events/ports/process_host.hpp"
#include "events/schema/common.capnp.h"

namespace annals::model {

// resources_used of a run, of a host's part of it, or of a task. A value: copies share what they hold until one changes.
class usage_set {
 public:
  void set(std::string_view resource, std::string_view value);  // replaces
  std::optional<std::string_view> get(std::string_view resource) const;
  bool empty() const { return values_.empty(); }
  attributes::attribute_set::iterator begin() const { return values_.begin(); }  // entries in the order of their resources' names
  attributes::attribute_set::iterator end() const { return values_.end(); }
  bool operator==(const usage_set&) const = default;

  // The value as a number: of a duration, a size (rounded up) and an integer; 0 where there is none.
  std::uint64_t seconds(std::string_view resource) const;
  std::uint64_t kb(std::string_view resource) const;
  std::uint64_t count(std::string_view resource) const;

 private:
  attributes::attribute_set values_;
};

// What a MoM measures: cput, cpupercent, mem, vmem, ncpus and walltime.
usage_set measured_usage(const ports::run_usage& from);
// Whether anything was measured. Nobody measures the end of a run that is lost.
bool was_measured(const usage_set& usage);

usage_set read_usage(schema::Usage::Reader from);
void write_usage(const usage_set& from, schema::Usage::Builder to);

// What one host of a run used, as far as is known.
struct host_usage {
  std::string host;
  usage_set usage;
  std::int64_t measured_ns = 0;  // 0: never measured
  bool operator==(const host_usage&) const = default;
};
host_usage read_host_usage(schema::HostUsage::Reader from);
void write_host_usage(const host_usage& from, schema::HostUsage::Builder to);
// What came from another machine: only values that their resources can have.
std::vector<host_usage> checked_hosts(capnp::List<schema::HostUsage>::Reader from, const attributes::resource_catalogue& resources);

// Another host's part beside what is known: amounts add up. walltime and ncpus are the primary's own, and so is what is no
// amount (pbs guide: resources_used).
void add_usage(usage_set& sum, const usage_set& more, const attributes::resource_catalogue& resources);
// What the job shows of what its hosts used; the primary comes first. The only place where the one is made of the other.
usage_set job_total(std::span<const host_usage> hosts, const attributes::resource_catalogue& resources);

// Of tasks of one host that have ended: cput adds up; they may have run one after another, so of mem, vmem and cpupercent the
// highest of one counts.
void add_ended_task(usage_set& sum, const usage_set& task);
// Of all tasks of one host: of memory the highest of those that ended and of the sums seen of those alive.
usage_set tasks_usage(usage_set ended, const ports::run_usage& alive, const ports::run_usage& highest);

}  // namespace annals::model
