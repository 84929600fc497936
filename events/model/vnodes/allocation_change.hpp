// How a run goes on with less than it had: what a release comes to, from the rule to the events that tell of it. Governed by
// docs/design/0033-allocations-and-holdings.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/model/vnodes/allocation.hpp"
#include "events/schema/daemon/shared.capnp.h"
#include "events/schema/event.capnp.h"
#include "events/values/resource_list.hpp"
#include "events/values/select.hpp"

namespace annals::attributes {
class resource_catalogue;
}

namespace annals::model {

struct reduction;

// An attribute of a job, or a resource of one, as it shows it.
struct shown_value {
  std::string name, resource;        // "Resource_List", "ncpus"
  std::optional<std::string> value;  // nothing: it does not show it
  bool operator==(const shown_value&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.name, self.resource, self.value);
  }
};

struct allocation_change {
  std::string released, exec_vnode, exec_host;  // what goes; what is left
  std::vector<std::uint32_t> satisfies;         // of each chunk that is left: its chunk of keep_select
  std::string keep_select;                      // the chunks that are left
  std::vector<shown_value> changes;             // of schedselect and Resource_List
  std::string by;                               // event of the hook: "execjob_launch"; or "rjselect", or "pbs_release_nodes"
  bool operator==(const allocation_change&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.released, self.exec_vnode, self.exec_host, self.satisfies, self.keep_select, self.changes, self.by);
  }
};

// The job is given the chunks of rjselect, and its run is reduced to what its select asks for by itself (RS-26, RS-28): its select is
// shown as it was asked for all the time (RS-41).
bool has_rjselect(const values::resource_list& resources);

// What a job shows when its run was reduced to this select, where it is not what it showed before.
struct shown_request {
  values::resource_list resources;  // Resource_List
  std::string schedselect;
};
std::vector<shown_value> shown_after(const shown_request& before, const values::select_spec& now,
                                     const attributes::resource_catalogue& resources);

// The chunks of what is left answer those of `now`, in their order: which of them is in `answers`.
allocation_change change_of(const reduction& reduced, std::vector<std::uint32_t> answers, const shown_request& before,
                            const values::select_spec& now, const attributes::resource_catalogue& resources, std::string by);

// Which item of the select each chunk of what a run has was given for; its number of items: none, place=exclhost added it.
std::vector<std::size_t> items_by_chunk(const allocation& has, const values::select_spec& select);

// A chunk of the select for each chunk of what a run has, in its order; without cpus for one that place=exclhost added.
values::select_spec select_by_chunk(const allocation& has, const values::select_spec& select);

// The events that have one, in the run's log and in the job's stream; the latter does not say by whom.
void write(const allocation_change& change, schema::AllocationReduced::Builder to);
void write(const allocation_change& change, schema::JobReduced::Builder to);
allocation_change read_reduction(schema::AllocationReduced::Reader change);
allocation_change read_reduction(schema::JobReduced::Reader change);
// Of a program that runs, or whose files are staged out now: a phase of its accounting ends (RD-73, RD-85).
inline bool ends_phase(schema::JobReduced::Reader e) { return e.getRequest() > 0 || e.getStageOut(); }
void write_changes(const std::vector<shown_value>& changes, capnp::List<schema::Attribute>::Builder to);
shown_value read_change(schema::Attribute::Reader change);
// The attributes of an order, but for what was changed since.
void write_changed(capnp::List<schema::Attribute>::Reader before, const std::vector<shown_value>& changes, schema::StartRun::Builder to);

// What a run has after this change, its chunks numbered as the change says. Nothing: it does not follow from what it has.
std::optional<allocation> after(const allocation& has, schema::AllocationReduced::Reader change);

}  // namespace annals::model
