// What a run used: a value for each resource, on each of its hosts, and what the job shows of them all
// (docs/design/0035-usage-per-host.md). Values are in the canonical text of their resource's type, as those of every attribute.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/resources.hpp"
#include "events/model/used_words.hpp"
#include "events/ports/process_host.hpp"
#include "events/schema/common.capnp.h"

namespace annals::model {

// resources_used of a run, of a host's part of it, or of a task. A value: copies share what they hold until one changes.
class usage_set {
 public:
  void set(std::string_view resource, std::string_view value);  // replaces
  void erase(std::string_view resource) { values_.erase(attributes::job::resources_used, resource); }
  std::optional<std::string_view> get(std::string_view resource) const;
  bool empty() const { return values_.empty(); }
  attributes::attribute_set::iterator begin() const { return values_.begin(); }  // entries in the order of their resources' names
  attributes::attribute_set::iterator end() const { return values_.end(); }
  bool operator==(const usage_set&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.values_);
  }

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

// What a hook on a host has set of it. Nothing: the hook takes its value away, and what is measured counts again.
struct usage_change {
  std::string resource;
  std::optional<std::string> value = {};
  bool operator==(const usage_change&) const = default;
};
// Of changes those that a host may keep beside what hooks have set there so far, in canonical text; the names of the others: no
// value of their resource, or more words than limits::hook_words_bytes_max.
struct kept_changes {
  std::vector<usage_change> kept;
  std::vector<std::string> refused;
};
kept_changes changes_to_keep(const usage_set& set_so_far, std::vector<usage_change> wanted,
                             const attributes::resource_catalogue& resources);
// Those that make a difference, of changes in canonical text.
std::vector<usage_change> news_in(std::vector<usage_change> changes, usage_set set_so_far);
void write_changes(const std::vector<usage_change>& from, capnp::List<schema::Attribute>::Builder to);
void apply_changes(usage_set& set_by_hooks, capnp::List<schema::Attribute>::Reader changes);
// What is measured on a host, with what hooks have set there in its place (RU-04).
usage_set with_hooks(usage_set measured, const usage_set& set_by_hooks);

// What a host told, without words beyond so many bytes (limits::run_words_bytes_max); true: some are left out.
bool cut_words(usage_set& usage, std::size_t bytes_max, const attributes::resource_catalogue& resources);

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

// Another part beside what is known: amounts add up. walltime and ncpus are the primary's own, and so is what is no
// amount (pbs guide: resources_used).
void add_usage(usage_set& sum, const usage_set& more, const attributes::resource_catalogue& resources);
// What the job shows of what its hosts used, in the order of exec_host; the primary comes first. The only place where the one is made
// of the other. Amounts add up, words are joined (used_words.hpp); what is a boolean is the primary's.
usage_set job_total(std::span<const host_usage> hosts, const attributes::resource_catalogue& resources,
                    words_form form = words_form::by_node);
// The first host of a run lost its power and measured too little: it gets what the job is known to have used beyond what all tell now.
void raise_primary(std::vector<host_usage>& hosts, const usage_set& known, const attributes::resource_catalogue& resources);
// The words of one host, for which the job does not show the resource: "resources_used.foo cannot be accumulated: value 'x' from mom n1 not
// JSON-format: why not" (RU-15).
struct word_not_shown {
  std::string resource, host, why;
};
// By resource, and of each its hosts in their order.
std::vector<word_not_shown> unmergeable_words(std::span<const host_usage> hosts, const attributes::resource_catalogue& resources);

// Of tasks of one host that have ended: cput adds up; they may have run one after another, so of mem, vmem and cpupercent the
// highest of one counts.
void add_ended_task(usage_set& sum, const usage_set& task);
// Of all tasks of one host: of memory the highest of those that ended and of the sums seen of those alive.
usage_set tasks_usage(usage_set ended, const ports::run_usage& alive, const ports::run_usage& highest);

}  // namespace annals::model
