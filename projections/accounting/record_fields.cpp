#include "projections/accounting/record_fields.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/model/vnodes/sharing.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"
#include "projections/accounting/record_text.hpp"

namespace annals::projections {

namespace ids = attributes::job;
using which = schema::JobEvent::Which;

namespace {

void put_if(std::string& line, std::string_view name, const model::job_state& job, attributes::attribute_id id) {
  if (const auto v = job.attributes.get(id)) put(line, name, *v);
}

void put_time(std::string& line, std::string_view name, const model::job_state& job, attributes::attribute_id id) {
  put(line, name, job.attributes.get(id).value_or("0"));
}

void put_all(std::string& line, std::string_view name, const model::job_state& job, attributes::attribute_id id) {
  for (const auto& e : job.attributes)
    if (e.id == id) put(line, name, e.resource, e.value);
}

// What hooks set may have quotes of its own: it stands in others (RU-14). JSON objects of several hosts that were made one have
// theirs already.
void put_one_used(std::string& line, std::string_view resource, std::string_view value) {
  const bool in_single_quotes = value.size() > 1 && value.front() == '\'' && value.back() == '\'';
  const bool has_double = value.find('"') != std::string_view::npos, has_single = value.find('\'') != std::string_view::npos;
  if (in_single_quotes) put_in(line, "resources_used", resource, value);
  else if (has_double && !has_single) put_in(line, "resources_used", resource, value, "'");
  else put(line, "resources_used", resource, value, has_double || has_single);
}

void put_used(std::string& line, const model::job_state& job) {
  for (const auto& e : job.attributes)
    if (e.id == ids::resources_used) put_one_used(line, e.resource, e.value);
}

// An amount without what there was of it before; nothing: it is none. What became less, as a hook has it, was not used twice.
std::optional<std::string> without(std::string_view before, std::string_view now) {
  const auto is_time = [](std::string_view text) { return text.find(':') != std::string_view::npos && values::parse_duration(text); };
  if (is_time(now)) {
    const auto more = *values::parse_duration(now) - values::parse_duration(before).value_or(0);
    return values::print_duration(std::max<std::int64_t>(more, 0));
  }
  bool are_amounts = false, is_before = false;
  auto more = model::read_amount(now, &are_amounts);
  const auto less = model::read_amount(before, &is_before);
  if (!are_amounts || !is_before) return std::nullopt;
  more.value = std::max(more.value - less.value, 0.0);
  return more.print();
}

double cpus_of(std::string_view exec_vnode) {
  double cpus = 0;
  for (const auto& part : model::parts_of(exec_vnode))
    if (const auto at = part.asked.find("ncpus"); at != part.asked.end()) cpus += at->second.value;
  return cpus;
}

// The run's host counts the cpus that it began with. A hook may have set another number, which stays.
std::string cpus_of_phase(const model::job_state& job, std::string_view told) {
  const auto first = job.attribute(job.has_phases() ? ids::exec_vnode_orig : ids::exec_vnode);
  if (told != values::print_real(cpus_of(first))) return std::string(told);
  return values::print_real(cpus_of(job.attribute(ids::exec_vnode)));
}

// A release tells the walltime until it (JobReduced).
std::string walltime_of(const occasion& o, std::string_view told) {
  const auto until = o.event.which() == which::REDUCED ? o.event.getReduced().getWalltime() : 0;
  return until > 0 ? values::print_duration(until) : std::string(told);
}

// Amounts that add up over time count from phase to phase. Cpus, memory and words are those of the phase (RD-77, RD-84).
std::string used_in_phase(const occasion& o, std::string_view resource, std::string_view told) {
  const auto& job = o.job;
  if (resource == "ncpus") return cpus_of_phase(job, told);
  if (resource == "mem" || resource == "vmem" || resource == "cpupercent")
    return std::string(job.used_in_phase.get(resource).value_or(told));
  const auto now = resource == "walltime" ? walltime_of(o, told) : std::string(told);
  const auto before = job.attributes.get(ids::resources_used_acct, resource);
  const auto more = before ? without(*before, now) : std::nullopt;
  return more.value_or(now);
}

void put_used_in_phase(std::string& line, const occasion& o) {
  each_used_in_phase(o, [&](std::string_view resource, std::string_view value) { put_one_used(line, resource, value); });
}

// What every record of a job begins with.
void put_base(std::string& line, const occasion& o) {
  const auto& job = o.job;
  put(line, "user", job.attribute(ids::euser));
  put(line, "group", job.attribute(ids::egroup));
  if (const auto account = job.attributes.get(ids::Account_Name)) put(line, "account", {}, *account, true);
  put(line, "project", job.attribute(ids::project));
  put(line, "jobname", job.attribute(ids::Job_Name));
  put(line, "queue", job.queue());
  if (const auto reservation = job.attributes.get(ids::reserve_ID)) {
    put(line, "resvname", o.reservation_name);
    put(line, "resvID", *reservation);
  }
  put_time(line, "ctime", job, ids::ctime);
  put_time(line, "qtime", job, ids::qtime);
  put_time(line, "etime", job, ids::etime);  // 0: not eligible
}

void put_assignment(std::string& line, const model::job_state& job) {
  put(line, "exec_host", job.attribute(ids::exec_host));
  put(line, "exec_vnode", job.attribute(ids::exec_vnode));
  put_all(line, "Resource_List", job, ids::Resource_List);
}

void put_place(std::string& line, const model::job_state& job) {
  put_time(line, "start", job, ids::stime);
  put_assignment(line, job);
}

// RD-83: with what it had at first.
void put_whole_place(std::string& line, const model::job_state& job) {
  if (!job.has_phases()) return put_place(line, job);
  put_time(line, "start", job, ids::stime);
  put(line, "exec_host", job.attribute(ids::exec_host_orig));
  put(line, "exec_vnode", job.attribute(ids::exec_vnode_orig));
  put_all(line, "Resource_List", job, ids::Resource_List_orig);
}

// RD-75
void put_phase(std::string& line, const occasion& o) {
  const auto& job = o.job;
  put_base(line, o);
  put_time(line, "start", job, ids::stime);
  put_time(line, "session", job, ids::session_id);
  put(line, "run_count", job.attribute(ids::run_count));
  put_assignment(line, job);
}

// A sum as PBS writes it: of sizes in the smallest of their units (RS-40: three times 8gb are 24gb).
class assigned_sum {
 public:
  void add(const model::amount& part) {
    if (part.is_size) add(values::size_value{static_cast<std::uint64_t>(part.value), 10});
    else number_ += part.value;
  }
  void add_available(std::string_view text) {
    if (const auto size = is_size_ ? values::parse_size(text) : std::nullopt) add(*size);
    else if (!is_size_) number_ += model::read_amount(text).value;
  }
  void be_size(bool is_size) { is_size_ |= is_size; }
  std::string print() const { return size_ ? values::print_size(*size_) : model::amount{number_, is_size_}.print(); }

 private:
  void add(const values::size_value& size) { size_ = size_ ? values::add(*size_, size) : size; }

  double number_ = 0;
  bool is_size_ = false;
  std::optional<values::size_value> size_;
};

// What the job takes: what its chunks ask, or, of vnodes it has for itself, all there is of what they ask.
std::map<std::string, assigned_sum> assigned(const occasion& o) {
  const auto parts = model::parts_of(o.job.attribute(ids::exec_vnode));
  const auto place = o.job.attribute(ids::Resource_List, "place");
  std::map<std::string, assigned_sum> sum;
  for (const auto& part : parts)
    for (const auto& [resource, amount] : part.asked) sum[resource].be_size(amount.is_size);
  std::vector<std::string_view> whole;  // vnodes counted as a whole, each once
  for (const auto& part : parts) {
    const auto* vnode = o.vnode(part.vnode);
    const auto sharing = vnode ? vnode->attributes.get(attributes::node::sharing).value_or("") : std::string_view();
    if (!vnode || model::hold_of(place, sharing) != model::hold_kind::exclusive) {
      for (const auto& [resource, amount] : part.asked) sum[resource].add(amount);
    } else if (std::find(whole.begin(), whole.end(), part.vnode) == whole.end()) {
      whole.push_back(part.vnode);
      for (auto& [resource, total] : sum)
        if (const auto there = vnode->attributes.get(attributes::node::resources_available, resource)) total.add_available(*there);
    }
  }
  return sum;
}

// A subjob that had ended, and is its array's again, ends once more now.
std::string end_of_run(const occasion& o) {
  const auto now = std::to_string(o.at.seconds());
  return o.job.ended() ? now : std::string(o.job.attributes.get(ids::obittime).value_or(now));
}

std::int32_t exit_status(schema::JobEvent::Reader event) {
  return event.which() == which::REQUEUED ? event.getRequeued().getExitStatus() : event.getEnded().getExitStatus();
}

void put_usage(std::string& line, const model::job_state& job) {
  each_used(job, [&](std::string_view resource, std::string_view value) { put_one_used(line, resource, value); });
}

struct change {
  attributes::attribute_id id;
  std::string_view name, resource, value;
};

}  // namespace

namespace {

void put_provision(std::string& line, const occasion& o, const char* event) {
  put(line, "user", o.job.attribute(ids::euser));
  put(line, "group", o.job.attribute(ids::egroup));
  put(line, "jobname", o.job.attribute(ids::Job_Name));
  put(line, "queue", o.job.queue());
  std::string vnodes;
  for (const auto& v : model::vnodes_to_provision(o.job.allocated.exec_vnode()))
    vnodes += (vnodes.empty() ? "" : "+") + v.vnode + ":aoe=" + v.aoe;
  put(line, "prov_vnode", vnodes);
  put(line, "provision_event", event);
}

}  // namespace

// A job that could not be started used nothing of the cpus it was to get.
void each_used(const model::job_state& job, const take_resource& take) {
  if (!job.attributes.has(ids::resources_used)) {
    const auto ncpus = job.attributes.get(ids::Resource_List, "ncpus").value_or("0");
    for (const auto& [resource, none] : {std::pair<std::string_view, std::string_view>{"cpupercent", "0"},
                                         {"cput", "00:00:00"},
                                         {"mem", "0kb"},
                                         {"ncpus", ncpus},
                                         {"vmem", "0kb"},
                                         {"walltime", "00:00:00"}})
      take(resource, none);
    return;
  }
  for (const auto& e : job.attributes)
    if (e.id == ids::resources_used) take(e.resource, e.value);
}

void each_used_in_phase(const occasion& o, const take_resource& take) {
  for (const auto& e : o.job.attributes)
    if (e.id == ids::resources_used) take(e.resource, used_in_phase(o, e.resource, e.value));
}

void each_assigned(const occasion& o, const take_resource& take) {
  for (const auto& [resource, sum] : assigned(o)) take(resource, sum.print());
}

void each_asked_whole(const model::job_state& job, const take_resource& take) {
  const auto list = job.has_phases() ? ids::Resource_List_orig : ids::Resource_List;
  for (const auto& e : job.attributes)
    if (e.id == list) take(e.resource, e.value);
}

void provision_start_fields(std::string& line, const occasion& o) {
  put_provision(line, o, "START");
  put(line, "start_time", std::to_string(o.at.seconds()));
}

void provision_end_fields(std::string& line, const occasion& o) {
  put_provision(line, o, "END");
  put(line, "status", "SUCCESS");
  put(line, "end_time", std::to_string(o.at.seconds()));
}

void provision_failed_fields(std::string& line, const occasion& o) {
  put_provision(line, o, "END");
  put(line, "status", "FAILURE");
  put(line, "end_time", std::to_string(o.at.seconds()));
}

void queued_fields(std::string& line, const occasion& o) {
  put_base(line, o);
  put_if(line, "depend", o.job, ids::depend);
  put_if(line, "array_indices", o.job, ids::array_indices_submitted);
  if (o.job.running()) put_assignment(line, o.job);  // a reservation has taken it over
  else put_all(line, "Resource_List", o.job, ids::Resource_List);
}

void started_fields(std::string& line, const occasion& o) {
  put_base(line, o);
  put_place(line, o.job);
  each_assigned(o, [&](std::string_view resource, std::string_view value) { put(line, "resource_assigned", resource, value); });
}

// The session is not known yet. Both are for those who bill jobs with the resources of earlier PBS (RS-41 to RS-43).
void reduced_fields(std::string& line, const occasion& o) {
  started_fields(line, o);
  if (!o.job.attributes.get(ids::Resource_List, "select_requested")) return;
  put(line, "session", "0");
  put(line, "run_count", o.job.attribute(ids::run_count));
}

void run_fields(std::string& line, const occasion& o) {
  put_base(line, o);
  put_whole_place(line, o.job);
  put_time(line, "session", o.job, ids::session_id);
  put(line, "end", end_of_run(o));
  put(line, "Exit_status", std::to_string(exit_status(o.event)));
  put_usage(line, o.job);
  put_if(line, "eligible_time", o.job, ids::eligible_time);
  put(line, "run_count", o.job.attribute(ids::run_count));
}

// Its first subjob begins with this event.
void array_started_fields(std::string& line, const occasion& o) {
  put_base(line, o);
  put(line, "start", std::to_string(o.at.seconds()));
  put_if(line, "array_indices", o.job, ids::array_indices_submitted);
  put_all(line, "Resource_List", o.job, ids::Resource_List);
}

void array_ended_fields(std::string& line, const occasion& o) {
  put_base(line, o);
  put_time(line, "start", o.job, ids::stime);
  put_all(line, "Resource_List", o.job, ids::Resource_List);
  put(line, "session", "0");
  put(line, "end", end_of_run(o));
  put(line, "Exit_status", std::to_string(exit_status(o.event)));
  put_if(line, "eligible_time", o.job, ids::eligible_time);
  put(line, "run_count", "0");
}

void phase_fields(std::string& line, const occasion& o) {
  put_phase(line, o);
  put_used_in_phase(line, o);
}

void next_phase_fields(std::string& line, const occasion& o) {
  put_phase(line, o);
  each_assigned(o, [&](std::string_view resource, std::string_view value) { put(line, "resource_assigned", resource, value); });
}

// What it had used so far, and what it gives up if that is not everything.
void suspended_fields(std::string& line, const occasion& o) {
  put_used(line, o.job);
  const auto e = o.event.getVnodesReleased();
  if (e.getAmountsOnly()) put(line, "resources_released", schema::text(e.getExecVnode()));
}

void no_fields(std::string&, const occasion&) {}

void requestor_field(std::string& line, const occasion& o) { put(line, "requestor", o.at.by.at_host()); }

// What was asked for, in the order of the attributes; not what follows from it.
bool is_remark(const occasion& o, std::string_view attribute) {
  return attribute == "comment" && o.at.by.role >= schema::Role::SERVER;
}

void changed_fields(std::string& line, const occasion& o) {
  std::vector<change> changes;
  for (auto c : o.event.getAltered().getChanges()) {
    const auto* row = attributes::find(schema::ObjectKind::JOB, schema::text(c.getName()));
    if (!row || c.getDerived() || row->id == ids::forward_x11_cookie) continue;  // a key to the user's display
    if (is_remark(o, row->name)) continue;
    const auto resource = schema::text(c.getResource());
    const bool unset = c.getOp() == schema::AttributeOp::UNSET;
    // What has a default falls back to it.
    changes.push_back({row->id, row->name, resource,
                       unset ? o.job.attributes.get(row->id, resource).value_or("UNSET") : schema::text(c.getValue())});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const change& a, const change& b) {
    return a.id != b.id ? a.id < b.id : a.resource < b.resource;
  });
  for (const auto& c : changes) put(line, c.name, c.resource, c.value);
}

void abort_text(std::string& line, const occasion& o) {
  const auto reason = schema::text(o.event.getEnded().getReason());
  if (reason.empty()) line += "Aborted by PBS Server ";
  else if (reason.starts_with("Dependency request for job rejected"))  // a job that is not there
    line += "Reject reply code=15001, aux=0, type=52, from @" + std::string(o.job.attribute(ids::server)) + " Unknown Job Id";
  else line += reason;
}

void stop_text(std::string& line, const occasion&) { line += "Aborted by PBS Server  on Server shutdown"; }

bool shown_in_records(attributes::attribute_id id) {
  static constexpr attributes::attribute_id shown[] = {
      ids::Job_Name, ids::resources_used, ids::queue, ids::Account_Name, ids::ctime, ids::depend, ids::exec_host,
      ids::exec_vnode, ids::qtime, ids::Resource_List, ids::stime, ids::obittime, ids::session_id, ids::euser, ids::egroup,
      ids::etime, ids::run_count, ids::eligible_time, ids::project, ids::exec_host_orig, ids::exec_vnode_orig,
      ids::Resource_List_orig, ids::resources_used_acct, ids::reserve_ID, ids::prov_vnode, ids::array_indices_submitted};
  return std::find(std::begin(shown), std::end(shown), id) != std::end(shown);
}

}  // namespace annals::projections
