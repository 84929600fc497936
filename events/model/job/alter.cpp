// qalter: which attributes of a job may be changed, by whom, in which state. Source: pbs guide, qalter.
#include <algorithm>

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/select_rules.hpp"
#include "events/model/job/failed_starts.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/refuse.hpp"
#include "events/values/hold_set.hpp"
#include "events/values/number.hpp"

namespace annals::model {

namespace ids = attributes::job;
namespace pbs_error = values::pbs_error;

namespace {

// One change on its way into JobAltered. `derived`: nobody asked for it, it follows from another one.
struct new_value {
  const attributes::attribute* row;
  std::string resource, value;
  bool unset;
  bool derived = false;
};

// Replacing away, or setting, a hold that one may not touch is refused.
bool may_replace_holds(std::uint8_t before, std::uint8_t after, const requester& by) {
  const std::uint8_t touched = before ^ after;
  if ((touched & values::hold_set::operator_) && !by.is_operator()) return false;
  return !((touched & (values::hold_set::system | values::hold_set::bad_password)) && !by.is_manager());
}

// An owner may lower walltime and cput of a running job, never raise them.
bool raises_limit(const job_state& job, const new_value& v, const settings& settings) {
  const auto* r = settings.resources.find(v.resource);
  if (!r || v.unset) return false;
  const auto order = attributes::compare_values(r->type, v.value, job.attribute(ids::Resource_List, v.resource));
  return order && *order > 0;
}

// Starts that were counted can't be taken back by the owner.
bool lowers_run_count(const job_state& job, const new_value& v) {
  const auto before = counted_starts(job);
  return values::parse_integer(v.value).value_or(0) < before;
}

bool is_null_device(std::string_view path) { return path == "/dev/null" || path.ends_with(":/dev/null"); }

// The program of a running job writes into a file of its host, which goes at its end where the path says. One that writes to its final
// place, or nowhere, has that open already.
bool redirects_too_late(const job_state& job, const new_value& v) {
  const bool is_output = v.row->id == ids::Output_Path;
  if (!job.running() || (!is_output && v.row->id != ids::Error_Path)) return false;
  const auto path = job.attribute(v.row->id), kept = job.attribute(ids::Keep_Files);
  if (path == v.value) return false;
  const bool direct = kept.find('d') != kept.npos && kept.find(is_output ? 'o' : 'e') != kept.npos;
  return direct || is_null_device(path) || is_null_device(v.value);
}

values::result<new_value, rejection> checked(const job_state& job, schema::Attribute::Reader change, const attributes::asker& by,
                                             const stamp& now, const settings& settings) {
  const auto* row = attributes::find(schema::ObjectKind::JOB, schema::text(change.getName()));
  if (!row) return as_rejection(values::refuse(pbs_error::undefined_attribute, schema::text(change.getName())));
  new_value v{row, schema::str(change.getResource()), schema::str(change.getValue()),
              change.getOp() == schema::AttributeOp::UNSET || change.getValue().size() == 0};
  const bool owner = job.owner() == now.by.at_host() || job.owner_name() == now.by.user;
  const requester setter{now.by.user, now.by.host, by.role_to_set(row->name, v.resource)};
  if (auto why = attributes::may_set(*row, v.resource, setter.role, owner, job.running(), false, settings.resources))
    return as_rejection(*why);
  if (row->id == ids::depend && job.array && !job.array->began.empty())
    return as_rejection(values::refuse(pbs_error::cannot_modify_running, row->name));
  if (row->id == ids::max_run_subjobs && !job.array) return refuse(pbs_error::not_an_array);
  if (row->id == ids::max_run_subjobs && (v.unset || values::parse_integer(v.value).value_or(-1) < 0)) return refuse(pbs_error::bad_value);
  if (v.unset) return v;
  if (row->id == ids::Resource_List && !job.running()) return v;  // checked as a whole by complete()
  auto text = attributes::check_value(*row, v.resource, v.value, settings.resources);
  if (!text) return as_rejection(text.error());
  v.value = *text;
  if (redirects_too_late(job, v)) return as_rejection(values::refuse(pbs_error::cannot_modify_running, row->name));
  if (row->id == ids::Rerunable && job.attribute(ids::interactive) == "True") v.value = "False";  // whatever is asked for
  if (row->id == ids::Hold_Types &&
      !may_replace_holds(job.holds, values::parse_hold_set(v.value).value_or(values::hold_set{}).bits, setter))
    return refuse(pbs_error::unauthorized);
  if (row->id == ids::Resource_List && job.running() && !setter.is_operator() && raises_limit(job, v, settings))
    return refuse(pbs_error::unauthorized);
  if (row->id == ids::run_count && !setter.is_operator() && lowers_run_count(job, v)) return refuse(pbs_error::unauthorized);
  if (row->id == ids::depend) {
    auto full = depend_for(v.value, settings);
    if (!full) return full.error();
    v.value = std::move(*full);
  }
  if (row->id == ids::Keep_Files)
    if (auto why = indexed_output_refusal(job.attribute(ids::indexed_output), v.value)) return *why;
  if (row->id == ids::User_List && !may_run_as(v.value, job.owner_name())) return refuse(pbs_error::bad_user);
  if (row->id == ids::eligible_time && !settings.server_flag(attributes::server::eligible_time_enable))
    return refuse(pbs_error::eligible_time_off);
  return v;
}

// A new group_list may choose another group to run with. The groups are those of who asks.
std::optional<rejection> regroup(std::vector<new_value>& changes, const std::vector<std::string>& groups, const settings& settings) {
  const auto list = std::find_if(changes.begin(), changes.end(), [](const new_value& v) { return v.row->id == ids::group_list; });
  if (list == changes.end()) return std::nullopt;
  const auto group = group_to_run_as(list->unset ? "" : list->value, groups, settings.host_name);
  if (!group) return refuse(pbs_error::bad_group);
  changes.push_back({attributes::find(schema::ObjectKind::JOB, ids::egroup), "", *group, false, true});
  return std::nullopt;
}

// Managers may go beyond resources_max; so may hooks, where all that is asked for is theirs.
bool limits_count(const attributes::resource_list& asked, const attributes::asker& by) {
  return std::ranges::any_of(asked, [&](const auto& member) { return by.role_for(member.first) < schema::Role::MANAGER; });
}

// Members of a running job are checked one by one; those of a shrink-to-fit job together, too.
std::optional<rejection> run_refusal(const job_state& job, const attributes::resource_list& asked,
                                     const attributes::request_defaults& defaults, const attributes::asker& by,
                                     const settings& settings) {
  if (!asked.contains("min_walltime") && !asked.contains("max_walltime") && !asked.contains("soft_walltime")) return std::nullopt;
  auto list = attributes::resources_of(job.attributes, ids::Resource_List);
  for (const auto& [name, value] : asked)
    if (value.empty()) list.erase(name);
    else list.insert_or_assign(name, value);
  auto why = attributes::walltimes_refusal(list);
  if (!why && limits_count(asked, by)) why = attributes::within_limits(asked, defaults, settings.resources);
  return why ? std::optional(as_rejection(*why)) : std::nullopt;
}

// The request of a job that does not run, as it is after the changes: sums, select and schedselect follow from them.
std::optional<rejection> complete(const job_state& job, std::vector<new_value>& changes, const attributes::asker& by,
                                  const settings& settings) {
  attributes::resource_list asked;
  for (const auto& v : changes)
    if (v.row->id == ids::Resource_List) asked[v.resource] = v.unset ? "" : v.value;
  if (asked.empty()) return std::nullopt;
  if (job.array && (asked.contains("min_walltime") || asked.contains("max_walltime"))) return refuse(pbs_error::shrink_in_array);
  const auto* queue = settings.queue(job.queue());
  const auto defaults = attributes::defaults_of(settings.server, queue ? queue->attributes : attributes::attribute_set());
  if (job.running()) return run_refusal(job, asked, defaults, by, settings);
  const auto before = attributes::resources_of(job.attributes, ids::Resource_List);
  auto done = attributes::alter_request(before, asked, defaults, settings.resources, by);
  if (!done) return as_rejection(done.error());
  if (limits_count(asked, by))
    if (auto why = attributes::within_limits(done->resources, defaults, settings.resources)) return as_rejection(*why);

  std::erase_if(changes, [](const new_value& v) { return v.row->id == ids::Resource_List; });
  const auto* row = attributes::find(schema::ObjectKind::JOB, ids::Resource_List);
  for (const auto& [name, value] : done->resources) {
    const auto old = before.find(name);
    if (asked.contains(name) || old == before.end() || old->second != value)
      changes.push_back({row, name, value, false, !asked.contains(name)});
  }
  for (const auto& [name, value] : before)
    if (!done->resources.contains(name)) changes.push_back({row, name, "", true, !asked.contains(name)});
  if (job.attribute(ids::schedselect) != done->schedselect)
    changes.push_back({attributes::find(schema::ObjectKind::JOB, ids::schedselect), "", done->schedselect, false, true});
  return std::nullopt;
}

// What it waits for now holds it, and what it waited for does so no longer. Other holds that the request sets stay as it sets them.
void hold_for_others(const job_state& job, std::vector<new_value>& changes) {
  const auto depend = std::find_if(changes.begin(), changes.end(), [](const new_value& v) { return v.row->id == ids::depend; });
  if (depend == changes.end()) return;
  const bool waits = !depend->unset && waits_for_others(depend->value);
  const auto asked = std::find_if(changes.begin(), changes.end(), [](const new_value& v) { return v.row->id == ids::Hold_Types; });
  const auto before = asked == changes.end() ? job.holds : values::parse_hold_set(asked->value).value_or(values::hold_set{}).bits;
  auto after = before;
  if (waits) after |= values::hold_set::system;
  else if (held_for_others(job)) after &= static_cast<std::uint8_t>(~values::hold_set::system);
  if (after == before) return;
  const auto text = values::print(values::hold_set{after});
  if (asked != changes.end()) asked->value = text;
  else changes.push_back({attributes::find(schema::ObjectKind::JOB, ids::Hold_Types), "", text, false, true});
}

}  // namespace

bool concerns_run(std::string_view attribute) {
  return attribute == "Error_Path" || attribute == "Job_Name" || attribute == "Output_Path" || attribute == "Resource_List";
}

outcome decide_alter(const job_state& job, const client_request& request, const stamp& now, const settings& settings) {
  const auto command = request.request.get().getAlterJob();
  if (job.ended()) return refuse(pbs_error::job_has_finished);
  if (!now.by.is_operator() && job.owner() != now.by.at_host() && job.owner_name() != now.by.user)
    return refuse(pbs_error::unauthorized);
  // A hook on a host may still hold it, or set when it runs again.
  if (job.phase == job_phase::exiting && !now.by.is_daemon()) return refuse(pbs_error::bad_state);
  const attributes::asker by(now.by.role, request.by_hooks);
  std::vector<new_value> changes;
  for (auto change : command.getChanges()) {
    auto v = checked(job, change, by, now, settings);
    if (!v) return v.error();
    changes.push_back(std::move(*v));
  }
  if (auto why = regroup(changes, request.groups, settings)) return *why;
  if (auto why = complete(job, changes, by, settings)) return *why;
  hold_for_others(job, changes);
  if (changes.empty()) return no_change;
  const bool tells = job.running() && std::ranges::any_of(changes, [](const new_value& v) { return concerns_run(v.row->name); });
  if (tells)
    if (auto why = has_too_many_requests(job)) return *why;
  return std::vector<event>{make_event([&](auto e) {
    auto altered = e.initJob().initAltered();
    if (tells) altered.setRequest(job.last_request + 1);
    auto list = altered.initChanges(static_cast<unsigned>(changes.size()));
    for (unsigned i = 0; i < changes.size(); ++i) {
      list[i].setName(changes[i].row->name);
      list[i].setResource(changes[i].resource);
      list[i].setValue(changes[i].unset ? "" : changes[i].value);
      list[i].setOp(changes[i].unset ? schema::AttributeOp::UNSET : schema::AttributeOp::SET);
      list[i].setDerived(changes[i].derived);
    }
  })};
}

// A MoM is believed about the runs on its host while they are there: of an earlier run its hooks say nothing any more.
outcome decide_hook_changes(const job_state& job, const hook_changes& c, const stamp& now, const settings& settings) {
  const bool there = c.run == job.run && (job.running() || job.phase == job_phase::exiting) &&
                     std::find(job.hosts.begin(), job.hosts.end(), c.host) != job.hosts.end();
  return there && !job.drops(c.host) ? decide_request(job, c.what, now, settings) : no_change;  // it no longer speaks for the job
}

}  // namespace annals::model
