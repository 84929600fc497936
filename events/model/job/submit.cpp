// A submission: which queue, with which attributes, defaults applied; or why not. Source: pbs guide, qsub, defaults, limits.
#include <algorithm>
#include <array>

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/select_rules.hpp"
#include "events/model/access.hpp"
#include "events/model/job/routing.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/refuse.hpp"
#include "events/values/hold_set.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

namespace ids = attributes::job;
namespace pbs_error = values::pbs_error;

namespace {

// What the submission has so far; becomes JobQueued.
struct draft {
  std::string queue;
  attributes::attribute_set attributes;
  attributes::resource_list asked;
  std::uint8_t holds = 0;
  std::int64_t execution_time = 0;
  std::string egroup;
};

std::optional<rejection> queue_closed(std::string_view name, const settings& settings) {
  const auto* queue = settings.queue(name);
  if (!queue) return refuse(pbs_error::unknown_queue);
  if (queue->attributes.get(attributes::queue::enabled) != "True") return refuse(pbs_error::queue_not_enabled);
  return std::nullopt;
}

std::optional<rejection> choose_queue(draft& d, schema::QueueJob::Reader q, const settings& settings) {
  d.queue = schema::str(q.getQueue());
  if (d.queue.empty()) d.queue = settings.server.get(attributes::server::default_queue).value_or("");
  if (d.queue.empty()) return refuse(pbs_error::no_default_queue);
  return queue_closed(d.queue, settings);
}

bool root_may_submit(const settings& settings, const stamp& now) {
  const auto roots = settings.server.get(attributes::server::acl_roots);
  if (!roots) return false;
  return acl_allows(*roots, now.by.host, "*") || acl_allows(*roots, "root", now.by.host);
}

std::optional<rejection> may_use(const draft& d, const submit_job& command, const stamp& now, const settings& settings) {
  if (command.euser == "root" && !root_may_submit(settings, now)) return refuse(pbs_error::bad_user);
  if (auto why = only_routed(d.queue, now.by, settings)) return why;
  return queue_refusal(d.queue, command.egroup, now.by, settings);
}

std::optional<rejection> take_attribute(draft& d, schema::Attribute::Reader given, const attributes::asker& by, const settings& settings) {
  const auto* row = attributes::find(schema::ObjectKind::JOB, schema::text(given.getName()));
  if (!row) return as_rejection(values::refuse(pbs_error::undefined_attribute, schema::text(given.getName())));
  const auto resource = schema::text(given.getResource());
  const auto value = schema::text(given.getValue());
  if (row->id == ids::Resource_List) {
    d.asked[std::string(resource)] = std::string(value);
    return std::nullopt;
  }
  if (auto why = attributes::may_set(*row, resource, by.role_to_set(row->name, resource), true, false, true, settings.resources))
    return as_rejection(*why);
  auto checked = attributes::check_value(*row, resource, value, settings.resources);
  if (!checked) return as_rejection(checked.error());
  switch (row->id) {
    case ids::Hold_Types: d.holds = values::parse_hold_set(*checked).value_or(values::hold_set{}).bits; break;
    case ids::Execution_Time: d.execution_time = values::parse_integer(*checked).value_or(0); break;
    case ids::depend: {
      const auto full = depend_for(*checked, settings);
      if (!full) return full.error();
      d.attributes.set(row->id, *full);
      break;
    }
    default: d.attributes.set(row->id, resource, *checked);
  }
  return std::nullopt;
}

// The value of NAME=value in Variable_List.
std::string variable(const attributes::attribute_set& a, std::string_view name) {
  const auto list = a.get(ids::Variable_List).value_or("");
  for (const auto& v : values::split_list(list))
    if (v.size() > name.size() && v.starts_with(name) && v[name.size()] == '=') return v.substr(name.size() + 1);
  return {};
}

void complete_paths(draft& d, std::uint64_t number, const std::string& host) {
  std::string base = variable(d.attributes, "PBS_O_WORKDIR");
  if (base.empty()) base = variable(d.attributes, "PBS_O_HOME");
  const auto name = std::string(d.attributes.get(ids::Job_Name).value_or("STDIN"));
  const auto* index = d.attributes.has(ids::array_indices_submitted) ? ".^array_index^" : "";
  const auto fill = [&](attributes::attribute_id id, const char* letter) {
    if (!d.attributes.has(id)) d.attributes.set(id, host + ":" + base + "/" + name + letter + std::to_string(number) + index);
  };
  fill(ids::Error_Path, ".e");
  fill(ids::Output_Path, ".o");
}

void complete_variables(draft& d, const std::string& host) {
  std::string list(d.attributes.get(ids::Variable_List).value_or(""));
  if (!list.empty()) list += ',';
  d.attributes.set(ids::Variable_List, list + "PBS_O_QUEUE=" + d.queue + ",PBS_O_HOST=" + host);
}

std::optional<rejection> complete_resources(draft& d, const attributes::asker& by, const settings& settings) {
  const auto defaults = attributes::defaults_of(settings.server, settings.queue(d.queue)->attributes);
  auto done = attributes::complete_request(d.asked, defaults, settings.resources, by);
  if (!done) return as_rejection(done.error());
  if (auto why = attributes::within_limits(done->resources, defaults, settings.resources)) return as_rejection(*why);
  attributes::set_resources(d.attributes, ids::Resource_List, done->resources);
  d.attributes.set(ids::schedselect, done->schedselect);
  return std::nullopt;
}

void fill_holds(std::uint8_t bits, schema::JobQueued::Builder q) {
  std::vector<schema::HoldType> set;
  for (unsigned h = 0; h < 4; ++h)
    if (bits & 1u << h) set.push_back(static_cast<schema::HoldType>(h));
  auto list = q.initHolds(static_cast<unsigned>(set.size()));
  for (unsigned i = 0; i < set.size(); ++i) list.set(i, set[i]);
}

void copy(std::string_view from, capnp::Text::Builder to) { std::copy(from.begin(), from.end(), to.begin()); }

unsigned count_of(const attributes::attribute_set& all) {
  unsigned n = 0;
  for ([[maybe_unused]] const auto& entry : all) ++n;
  return n;
}

std::optional<rejection> choose_group(draft& d, const submit_job& command, const settings& settings) {
  const auto list = d.attributes.get(ids::group_list);
  if (!list) return std::nullopt;
  const auto group = group_to_run_as(*list, command.groups, settings.host_name);
  if (!group) return refuse(pbs_error::bad_group);
  d.egroup = *group;
  return std::nullopt;
}

// A job that none of a routing queue's destinations can ever take is not let in.
std::optional<rejection> cannot_be_routed(const event& queued, const stamp& now, const settings& settings) {
  job_state job;
  apply(job, {0, 0, 0, now.wall_ns, now.by}, queued.get().getJob());
  return unroutable(job, now, settings);
}

event queued_event(const draft& d, const submit_job& command, const std::string& id, const stamp& now) {
  // Room for all of it: everybody reads this event, and a pointer into another segment costs each of them more.
  capnp::MallocMessageBuilder builder(static_cast<unsigned>(d.attributes.packed().size() / sizeof(capnp::word)) +
                                      9 * count_of(d.attributes) + 96);
  auto q = builder.initRoot<schema::Event>().initJob().initQueued();
  q.setId(id);
  q.setNumber(command.number);
  q.setOwner(now.by.at_host());
  q.setEuser(command.euser);
  q.setEgroup(d.egroup);
  q.setQueue(d.queue);
  fill_attributes(d.attributes, q);
  auto script = q.initScript();
  script.setHash({reinterpret_cast<const kj::byte*>(command.script_hash.data()), command.script_hash.size()});
  script.setSize(command.script_size);
  fill_holds(d.holds, q);
  q.setExecutionTime(d.execution_time > now.seconds() ? d.execution_time : 0);  // a past time is dropped silently
  q.setQueueRank(now.wall_ns / 1000);
  if (const auto indices = d.attributes.get(ids::array_indices_submitted)) q.setIndices(std::string(*indices));
  return event(schema::sealed_message::from_builder(builder));
}

bool is_too_large(std::uint64_t script_size, const settings& settings) {
  const auto set = settings.server.get(attributes::server::jobscript_max_size);
  const auto most = set ? values::parse_size(*set) : std::nullopt;
  return most && values::compare({script_size}, *most) > 0;
}

}  // namespace

void fill_attributes(const attributes::attribute_set& from, schema::JobQueued::Builder to) {
  auto list = to.initAttributes(count_of(from));
  unsigned i = 0;
  for (const auto& entry : from) {
    auto a = list[i++];
    a.setName(attributes::find(schema::ObjectKind::JOB, entry.id)->name);
    if (!entry.resource.empty()) copy(entry.resource, a.initResource(static_cast<unsigned>(entry.resource.size())));
    copy(entry.value, a.initValue(static_cast<unsigned>(entry.value.size())));
  }
}

std::optional<rejection> only_routed(std::string_view name, const requester& by, const settings& settings) {
  const auto* queue = settings.queue(name);
  const bool is_closed = queue && queue->attributes.get(attributes::queue::from_route_only) == "True" && !by.is_manager();
  return is_closed ? std::optional(refuse(pbs_error::queue_access_denied)) : std::nullopt;
}

std::string reservation_of_queue(std::string_view queue, const settings& settings) {
  const auto* known = settings.queue(queue);
  return known && known->reservation != 0 ? std::string(queue) + "." + settings.server_name : std::string();
}

std::optional<rejection> queue_refusal(std::string_view name, std::string_view group, const requester& by, const settings& settings) {
  if (auto why = queue_closed(name, settings)) return why;
  const auto& queue = settings.queue(name)->attributes;
  const bool of_reservation = settings.queue(name)->reservation != 0;
  using namespace attributes::queue;
  if (queue.get(acl_user_enable) == "True" && !acl_allows(queue.get(acl_users).value_or(""), by.user, by.host))
    return refuse(of_reservation ? pbs_error::unauthorized : pbs_error::queue_access_denied);
  if (queue.get(acl_group_enable) == "True" && !acl_allows(queue.get(acl_groups).value_or(""), group, "*"))
    return refuse(of_reservation ? pbs_error::unauthorized : pbs_error::queue_access_denied);
  if (queue.get(acl_host_enable) == "True" && !acl_allows(queue.get(acl_hosts).value_or(""), by.host, "*"))
    return refuse(pbs_error::bad_host);
  return std::nullopt;
}

bool may_run_as(std::string_view user_list, std::string_view user) {
  for (const auto& entry : values::split_list(user_list))
    if (entry.substr(0, entry.find('@')) != user) return false;
  return true;
}

std::optional<std::string> group_to_run_as(std::string_view group_list, const std::vector<std::string>& groups,
                                           std::string_view host) {
  std::string chosen;
  for (const auto& entry : values::split_list(group_list)) {
    const auto at = entry.find('@');
    if (at == std::string::npos && chosen.empty()) chosen = entry;
    if (at == std::string::npos || std::string_view(entry).substr(at + 1) != host) continue;
    chosen = entry.substr(0, at);
    break;
  }
  if (chosen.empty()) return groups.empty() ? std::nullopt : std::optional(groups.front());
  return std::find(groups.begin(), groups.end(), chosen) == groups.end() ? std::nullopt : std::optional(chosen);
}

outcome decide_submit(const submit_job& command, const stamp& now, const settings& settings) {
  const auto q = command.request.get().getQueueJob();
  const attributes::asker by(now.by.role, command.by_hooks);
  draft d;
  d.egroup = command.egroup;
  if (is_too_large(command.script_size, settings)) return refuse(pbs_error::script_too_large);
  if (auto why = choose_queue(d, q, settings)) return *why;
  if (auto why = may_use(d, command, now, settings)) return *why;
  for (auto given : q.getAttributes())
    if (auto why = take_attribute(d, given, by, settings)) return *why;
  if (const auto users = d.attributes.get(ids::User_List); users && !may_run_as(*users, command.euser))
    return refuse(pbs_error::bad_user);
  if (auto why = choose_group(d, command, settings)) return *why;
  if (auto why = complete_resources(d, by, settings)) return *why;
  if (waits_for_others(d.attributes.get(ids::depend).value_or(""))) d.holds |= values::hold_set::system;
  if (!d.attributes.has(ids::Job_Name)) d.attributes.set(ids::Job_Name, "STDIN");
  const bool interactive = d.attributes.get(ids::interactive) == "True";
  if (interactive) d.attributes.set(ids::Rerunable, "False");
  complete_paths(d, command.number, now.by.host);
  complete_variables(d, now.by.host);
  d.attributes.set(ids::Submit_Host, now.by.host);
  const bool is_route = is_routing(settings.queue(d.queue)->attributes);
  if (is_route) d.attributes.set(ids::queue_type, "R");
  if (const auto id = reservation_of_queue(d.queue, settings); !id.empty()) d.attributes.set(ids::reserve_ID, id);
  const auto indices = d.attributes.get(ids::array_indices_submitted);
  if (indices) {
    if (interactive) return refuse(pbs_error::invalid_request);
    if (auto why = array_refusal(*indices, d.queue, d.attributes, settings)) return *why;
    if (auto why = indexed_output_refusal(d.attributes.get(ids::indexed_output).value_or(""),
                                          d.attributes.get(ids::Keep_Files).value_or("")))
      return *why;
    d.attributes.set(ids::array, "True");
  } else if (d.attributes.has(ids::max_run_subjobs) || d.attributes.has(ids::array) || d.attributes.has(ids::indexed_output)) {
    return refuse(pbs_error::not_an_array);
  }
  const auto id = indices ? values::array_id(command.number, settings.server_name)
                          : values::id_of_number(command.number, settings.server_name);
  auto queued = queued_event(d, command, id, now);
  if (is_route)
    if (auto why = cannot_be_routed(queued, now, settings)) return *why;
  outcome result(std::vector<event>{std::move(queued)});
  result.reply = id;
  return result;
}

}  // namespace annals::model
