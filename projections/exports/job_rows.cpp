#include "projections/exports/job_rows.hpp"

#include <functional>
#include <iterator>
#include <map>

#include "events/attributes/ids.hpp"
#include "events/model/exit_codes.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/schema/event.hpp"
#include "events/values/number.hpp"
#include "projections/exports/told.hpp"
#include "projections/usage/usage.hpp"

namespace annals::exports {

namespace ids = attributes::job;
using attributes::value_type;
using projections::occasion;
using job_event = schema::JobEvent::Which;

namespace {

constexpr std::int64_t second = 1'000'000'000;

constexpr std::string_view phase_names[] = {"none", "queued", "held", "waiting", "assigned",
                                            "started", "suspended", "exiting", "finished", "finished"};
static_assert(std::size(phase_names) == model::job_phase_count);

std::int64_t seconds_of(const model::job_state& job, attributes::attribute_id id) {
  const auto text = job.attributes.get(id);
  return text ? values::parse_integer(*text).value_or(0) : 0;
}
std::int64_t ns_of(const model::job_state& job, attributes::attribute_id id) { return seconds_of(job, id) * second; }

void put_number(row_builder& r, const char* column, const model::job_state& job, attributes::attribute_id id,
                value_type type = value_type::integer, std::string_view resource = {}) {
  const auto text = job.attributes.get(id, resource);
  r.any(column, text ? integer_of(type, *text) : value());
}

void put_asked_columns(row_builder& r, const model::job_state& job, attributes::attribute_id list, const char* select, const char* place,
                       const char* ncpus, const char* nodect, const char* mem, const char* walltime) {
  r.text_unless_empty(select, job.attributes.get(list, "select").value_or(""));
  r.text_unless_empty(place, job.attributes.get(list, "place").value_or(""));
  put_number(r, ncpus, job, list, value_type::integer, "ncpus");
  put_number(r, nodect, job, list, value_type::integer, "nodect");
  put_number(r, mem, job, list, value_type::size, "mem");
  put_number(r, walltime, job, list, value_type::duration, "walltime");
}

// From job_name to the reservation's name.
void put_whose(row_builder& r, const occasion& o) {
  const auto& job = o.job;
  r.text("job_name", job.attribute(ids::Job_Name))
      .text("user_name", job.attribute(ids::euser))
      .text("group_name", job.attribute(ids::egroup));
  if (const auto account = job.attributes.get(ids::Account_Name)) r.text("account", *account);
  r.text("project", job.attribute(ids::project)).text("queue", job.queue());
}

void put_reservation(row_builder& r, const occasion& o) {
  const auto id = o.job.attributes.get(ids::reserve_ID);
  if (id) r.text("reservation_id", *id).text("reservation_name", o.reservation_name);
}

void put_times(row_builder& r, const model::job_state& job) {
  r.at_unless_0("created_at", ns_of(job, ids::ctime)).at_unless_0("queued_at", ns_of(job, ids::qtime));
  r.at_unless_0("eligible_at", ns_of(job, ids::etime));
  put_number(r, "eligible_s", job, ids::eligible_time, value_type::duration);
}

std::string_view server_of(const model::job_state& job) {
  const std::string_view id = job.id;
  const auto dot = id.find('.');
  return dot == std::string_view::npos ? std::string_view() : id.substr(dot + 1);
}

// Gives the text of each resource that the event says was used, by its name.
class used_texts {
 public:
  explicit used_texts(const std::function<void(const projections::take_resource&)>& each) {
    each([this](std::string_view resource, std::string_view text) { texts_.emplace(resource, text); });
  }
  void put(row_builder& r, const char* column, std::string_view resource, value_type type) const {
    const auto at = texts_.find(resource);
    r.any(column, at == texts_.end() ? value() : integer_of(type, at->second));
  }
  void put_columns(row_builder& r) const {
    put(r, "used_cput_s", "cput", value_type::duration);
    put(r, "used_cpupercent", "cpupercent", value_type::integer);
    put(r, "used_mem_bytes", "mem", value_type::size);
    put(r, "used_vmem_bytes", "vmem", value_type::size);
    put(r, "used_ncpus", "ncpus", value_type::integer);
    put(r, "used_walltime_s", "walltime", value_type::duration);
  }

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

// A run that goes on shows what was told of it; one that is over shows what its record says.
used_texts used_by(const model::job_state& job, bool is_over) {
  return used_texts([&](const projections::take_resource& take) {
    if (is_over || job.attributes.has(ids::resources_used)) projections::each_used(job, take);
  });
}

bool changes_what_is_asked(job_event event) {
  return event == job_event::ALTERED || event == job_event::MOVED || event == job_event::REDUCED || event == job_event::ASSIGNED ||
         event == job_event::REQUEUED;
}

// Events that leave the rows of the job and its run as they were.
bool shows_nothing(job_event event) {
  return event == job_event::RUN_STEP || event == job_event::MESSAGED || event == job_event::REQUEST_DONE ||
         event == job_event::OUTPUT_DELIVERED;
}

}  // namespace

bool shown_in_rows(attributes::attribute_id id) {
  return id == ids::Job_Owner || id == ids::Priority || projections::shown_in_records(id);
}

// -- resources ------------------------------------------------------------------------------------------------------------------

void job_rows::put_resource(const occasion& o, const resource_list& of, std::string_view resource, const std::string_view* text,
                            const row_taker& take) {
  row_builder r(table_id::run_resources, o.at.wall_ns);
  r.count("job", o.at.stream).integer("run", of.run).text("list", of.list).integer("part", of.part).text("resource", resource);
  auto typed = resources_.read(resource, text ? *text : std::string_view());
  r.text("type", typed.type);
  if (text) r.any("integer_value", std::move(typed.integer)).any("real_value", std::move(typed.real)).text("text_value", *text);
  take(r.count("sequence", o.at.sequence).done(of.final));
}

// Makes the rows of all that the job asks for, and of all that its run has of it. Before an event that changes them they are taken back.
void job_rows::put_asked(const occasion& o, bool taken_back, bool final, const row_taker& take) {
  for (const auto& e : o.job.attributes)
    if (e.id == ids::Resource_List) put_resource(o, {"asked", 0, 0, final}, e.resource, taken_back ? nullptr : &e.value, take);
  const auto& s = story(o);
  if (!s.open) return;
  projections::each_asked_whole(o.job, [&](std::string_view resource, std::string_view text) {
    put_resource(o, {"asked", s.run, 0, false}, resource, taken_back ? nullptr : &text, take);
  });
}

void job_rows::put_assigned(const occasion& o, const resource_list& of, const row_taker& take) {
  projections::each_assigned(
      o, [&](std::string_view resource, std::string_view text) { put_resource(o, of, resource, &text, take); });
}

// -- the job --------------------------------------------------------------------------------------------------------------------

void job_rows::put_job(const occasion& o, std::string_view state, const row_taker& take) {
  const auto& job = o.job;
  const auto& s = story(o);
  const bool ends = o.event.isEnded();
  row_builder r(table_id::jobs, o.at.wall_ns);
  r.count("job", o.at.stream).text("job_id", job.id).count("number", values::array_of(job.number));
  if (job.is_subjob())
    r.text("array_id", values::array_id(values::array_of(job.number), server_of(job))).integer("array_index", values::index_of(job.number));
  put_whose(r, o);
  r.text("owner", job.attribute(ids::Job_Owner));
  put_number(r, "priority", job, ids::Priority);
  put_reservation(r, o);
  r.text_unless_empty("depend", job.attributes.get(ids::depend).value_or(""));
  r.text_unless_empty("array_indices", job.attributes.get(ids::array_indices_submitted).value_or(""));
  put_times(r, job);
  r.text("state", state).integer("runs", job.run);
  put_number(r, "run_count", job, ids::run_count);
  r.at_unless_0("started_at", job.array ? s.array_began_ns / second * second : ns_of(job, ids::stime));
  if (ends) r.at("ended_at", o.at.wall_ns);
  if (ends && o.event.getEnded().getHasExitStatus()) r.integer("exit_status", o.event.getEnded().getExitStatus());
  r.at_unless_0("delete_requested_at", s.delete_requested_ns).text_unless_empty("deleted_by", s.deleted_by);
  r.text_unless_empty("abort_reason", s.abort_reason);
  put_asked_columns(r, job, ids::Resource_List, "select_asked", "place_asked", "ncpus", "nodect", "mem_bytes", "walltime_s");
  take(r.count("sequence", o.at.sequence).done(ends || state == "returned"));
}

// The event is taken into the array's state when its row is made, but for its end.
void job_rows::put_array(const occasion& o, const row_taker& take) {
  const auto& array = *o.job.array;
  const bool ends = o.event.isEnded();
  const auto subjobs = array.indices().count(), remaining = array.remaining.count();
  const auto running = static_cast<std::uint32_t>(array.running.size());
  row_builder r(table_id::arrays, o.at.wall_ns);
  r.count("job", o.at.stream).text("job_id", o.job.id).text("indices", values::print(array.indices())).integer("subjobs", subjobs);
  r.integer("remaining", remaining).integer("running", running);
  r.integer("ended", std::int64_t{subjobs} - remaining - running).integer("failed", array.failed.count());
  r.at_unless_0("started_at", story(o).array_began_ns / second * second);
  if (ends) r.at("ended_at", o.at.wall_ns).integer("exit_status", o.event.getEnded().getExitStatus());
  take(r.count("sequence", o.at.sequence).done(ends));
}

void job_rows::end_job(const occasion& o, const row_taker& take) {
  put_asked(o, false, true, take);
  put_job(o, "finished", take);
  if (o.job.array) put_array(o, take);
}

// -- its run --------------------------------------------------------------------------------------------------------------------

void job_rows::put_run(const occasion& o, const end_of_run& end, const row_taker& take) {
  const auto& job = o.job;
  const auto& s = story(o);
  const auto stime = ns_of(job, ids::stime), etime = ns_of(job, ids::etime);
  row_builder r(table_id::runs, o.at.wall_ns);
  r.count("job", o.at.stream).integer("run", s.run).text("job_id", job.id);
  put_whose(r, o);
  put_reservation(r, o);
  put_times(r, job);
  r.at("assigned_at", s.assigned_ns).at_unless_0("started_at", stime).at_unless_0("program_at", s.program_ns);
  r.at_unless_0("exited_at", s.exited_ns);
  if (end.final) {
    const auto obit = ns_of(job, ids::obittime);
    r.at("ended_at", obit != 0 ? obit : o.at.seconds() * second).at("closed_at", o.at.wall_ns);
  }
  r.text("outcome", end.outcome);
  if (end.final)
    r.integer("exit_status", o.event.isRequeued() ? o.event.getRequeued().getExitStatus() : o.event.getEnded().getExitStatus());
  if (s.start_failed) r.integer("failure_code", s.failure_code).text("failure_text", s.failure_text);
  put_number(r, "run_count", job, ids::run_count);
  put_number(r, "session", job, ids::session_id);
  r.text_unless_empty("scheduler", s.scheduler).integer("hosts", s.hosts);
  const bool whole = job.has_phases();
  r.text("exec_host", job.attribute(whole ? ids::exec_host_orig : ids::exec_host));
  r.text("exec_vnode", job.attribute(whole ? ids::exec_vnode_orig : ids::exec_vnode));
  r.text("last_exec_host", job.attribute(ids::exec_host)).text("last_exec_vnode", job.attribute(ids::exec_vnode));
  if (stime != 0 && etime != 0) r.integer("wait_s", (stime - etime) / second);
  r.integer("suspensions", s.suspensions).integer("suspended_s", s.suspended_until(o.at.wall_ns)).boolean("restarted", s.restarted);
  put_asked_columns(r, job, whole ? ids::Resource_List_orig : ids::Resource_List, "select_asked", "place_asked", "asked_ncpus",
                    "asked_nodect", "asked_mem_bytes", "asked_walltime_s");
  used_by(job, end.final).put_columns(r);
  take(r.count("sequence", o.at.sequence).done(end.final));
}

void job_rows::close_run(const occasion& o, const char* outcome, const row_taker& take) {
  auto& s = story(o);
  if (!s.open) return;
  if (s.suspended_since_ns != 0) put_suspension(o, o.at.wall_ns, take);
  put_run(o, {s.start_failed ? "start_failed" : outcome, true}, take);
  projections::each_asked_whole(o.job, [&](std::string_view resource, std::string_view text) {
    put_resource(o, {"asked", s.run, 0, true}, resource, &text, take);
  });
  projections::each_used(o.job, [&](std::string_view resource, std::string_view text) {
    put_resource(o, {"used", s.run, 0, true}, resource, &text, take);
  });
  s.open = false;
}

void job_rows::put_phase(const occasion& o, bool ended, const row_taker& take) {
  const auto& s = story(o);
  row_builder r(table_id::phases, o.at.wall_ns);
  r.count("job", o.at.stream).integer("run", s.run).integer("phase", s.phase).text("job_id", o.job.id);
  r.at_unless_0("began_at", s.phase_since_ns != 0 ? s.phase_since_ns : ns_of(o.job, ids::stime));
  if (ended) r.at("ended_at", o.at.wall_ns);
  r.text("exec_host", o.job.attribute(ids::exec_host)).text("exec_vnode", o.job.attribute(ids::exec_vnode));
  if (ended) {
    const used_texts used([&](const projections::take_resource& each) { projections::each_used_in_phase(o, each); });
    used.put_columns(r);
    projections::each_used_in_phase(o, [&](std::string_view resource, std::string_view text) {
      put_resource(o, {"phase_used", s.run, s.phase, true}, resource, &text, take);
    });
    for (const auto& e : o.job.attributes)
      if (e.id == ids::Resource_List) put_resource(o, {"phase_asked", s.run, s.phase, true}, e.resource, &e.value, take);
  } else put_assigned(o, {"phase_assigned", s.run, s.phase, true}, take);
  take(r.count("sequence", o.at.sequence).done(ended));
}

void job_rows::put_suspension(const occasion& o, std::int64_t ended_ns, const row_taker& take) {
  const auto& s = story(o);
  row_builder r(table_id::suspensions, o.at.wall_ns);
  r.count("job", o.at.stream).integer("run", s.run).integer("suspension", s.suspensions).text("job_id", o.job.id);
  r.at("began_at", s.suspended_since_ns).at_unless_0("ended_at", ended_ns).text_unless_empty("requested_by", s.suspended_by);
  take(r.text_unless_empty("released", s.released).count("sequence", o.at.sequence).done(ended_ns != 0));
}

void job_rows::put_provisioning(const occasion& o, const char* status, const row_taker& take) {
  auto& s = story(o);
  if (!status) s.provisions_since_ns = o.at.wall_ns;
  std::string vnodes;
  for (const auto& v : model::vnodes_to_provision(o.job.allocated.exec_vnode()))
    vnodes += (vnodes.empty() ? "" : "+") + v.vnode + ":aoe=" + v.aoe;
  row_builder r(table_id::provisionings, o.at.wall_ns);
  r.count("job", o.at.stream).integer("run", o.job.run).text("job_id", o.job.id).text("vnodes", vnodes);
  r.at_unless_0("began_at", s.provisions_since_ns);
  if (status) r.at("ended_at", o.at.wall_ns).text("status", status);
  take(r.count("sequence", o.at.sequence).done(status != nullptr));
}

// -- what it used on its hosts --------------------------------------------------------------------------------------------------

void job_rows::put_hosts_report(const occasion& o, std::string_view host, schema::Usage::Reader usage, std::int64_t measured_ns,
                                const row_taker& take) {
  const auto used = model::read_usage(usage);
  if (!projections::tells_something(used)) return;
  auto& s = story(o);
  auto [at, is_first] = s.told.try_emplace(std::string(host));
  auto& before = at->second;
  const auto seconds = [&](std::string_view resource) {
    const auto n = integer_of(value_type::duration, used.get(resource).value_or(""));
    return is_null(n) ? std::int64_t{0} : std::get<std::int64_t>(n);
  };
  const auto amount = [&](row_builder& r, const char* column, std::string_view resource, value_type type) {
    const auto text = used.get(resource);
    r.any(column, text ? integer_of(type, *text) : value());
  };
  row_builder r(table_id::host_usage, o.at.wall_ns);
  r.count("job", o.at.stream).integer("run", s.run).text("host", host).count("sequence", o.at.sequence);
  r.at("began_at", is_first ? s.assigned_ns : before.at_ns).at("ended_at", o.at.wall_ns).at_unless_0("measured_at", measured_ns);
  const auto cput = seconds("cput"), walltime = seconds("walltime");
  r.integer("cput_s", cput - before.cput_s).integer("walltime_s", walltime - before.walltime_s);
  r.integer("total_cput_s", cput).integer("total_walltime_s", walltime);
  before = {o.at.wall_ns, cput, walltime};
  amount(r, "cpupercent", "cpupercent", value_type::integer);
  amount(r, "mem_bytes", "mem", value_type::size);
  amount(r, "vmem_bytes", "vmem", value_type::size);
  amount(r, "ncpus", "ncpus", value_type::integer);
  take(r.done(true));
  static const auto measured = model::measured_usage({});
  for (const auto& e : used) {
    if (measured.get(e.resource)) continue;
    row_builder other(table_id::host_usage_resources, o.at.wall_ns);
    auto typed = resources_.read(e.resource, e.value);
    other.count("job", o.at.stream).integer("run", s.run).text("host", host).count("sequence", o.at.sequence).text("resource", e.resource);
    other.text("type", typed.type).any("integer_value", std::move(typed.integer)).any("real_value", std::move(typed.real));
    take(other.text("text_value", e.value).done(true));
  }
}

// What is not told per host was used on the run's first one.
void job_rows::put_host_usage(const occasion& o, const row_taker& take) {
  const auto tell = [&](auto e) {
    for (const auto h : e.getHosts()) put_hosts_report(o, schema::text(h.getHost()), h.getUsage(), h.getMeasuredNs(), take);
    const auto first = story(o).first_host;
    if (e.getHosts().size() == 0 && !first.empty()) put_hosts_report(o, first, e.getUsage(), 0, take);
  };
  if (!story(o).open) return;
  if (o.event.isUsageReported()) tell(o.event.getUsageReported());
  if (o.event.isExited()) tell(o.event.getExited());
}

// -- the records of accounting, and the rest --------------------------------------------------------------------------------------

void job_rows::before(const occasion& o, const row_taker& take) {
  if (changes_what_is_asked(o.event.which())) put_asked(o, true, false, take);
}

void job_rows::recorded(char letter, const occasion& o, const row_taker& take) {
  auto& s = story(o);
  switch (letter) {
    case 'S':
      if (!o.job.array) put_assigned(o, {"assigned", s.run, 0, true}, take);
      break;
    case 's': put_assigned(o, {"reduced_assigned", s.run, 0, true}, take); break;
    case 'T': s.restarted = true; break;
    case 'u':
    case 'e': put_phase(o, true, take); break;
    case 'z':
      for (const auto& e : o.job.attributes)
        if (e.id == ids::resources_used) put_resource(o, {"suspended_used", s.run, s.suspensions + 1, true}, e.resource, &e.value, take);
      break;
    case 'D':
      s.delete_requested_ns = o.at.wall_ns;
      s.deleted_by = o.at.by.at_host();
      break;
    case 'A':
      s.abort_reason.clear();
      if (o.event.isEnded()) projections::abort_text(s.abort_reason, o);
      else projections::stop_text(s.abort_reason, o);
      break;
    case 'c': put_phase(o, false, take); break;
    case 'P': put_provisioning(o, nullptr, take); break;
    case 'p': put_provisioning(o, o.event.isStartFailed() ? "FAILURE" : "SUCCESS", take); break;
    default: break;  // Q, a and r are told with the job, E, R and C with the end of the run
  }
}

void job_rows::leaving(const occasion& o, const row_taker& take) {
  auto& s = story(o);
  switch (o.event.which()) {
    case job_event::RESUMED:
      if (s.suspended_since_ns != 0) put_suspension(o, o.at.wall_ns, take);
      break;
    case job_event::REQUEUED:
      close_run(o, o.event.getRequeued().getExitStatus() == model::exit_checkpointed ? "checkpointed" : "requeued", take);
      break;
    case job_event::ENDED:
      close_run(o, "ended", take);
      end_job(o, take);
      stories_.erase(o.at.stream);
      return;
    default: break;
  }
  s.take(o.at, o.event);
}

void job_rows::after(const occasion& o, const row_taker& take) {
  auto& s = story(o);
  const auto event = o.event.which();
  if (event == job_event::VNODES_RELEASED && o.event.getVnodesReleased().getWhy() == schema::ReleaseReason::SUSPENDED)
    put_suspension(o, 0, take);
  put_host_usage(o, take);
  tell_job_requests(o.at, o.event, o.job, take);
  if (event == job_event::QUEUED || changes_what_is_asked(event)) put_asked(o, false, false, take);
  if (shows_nothing(event)) return;
  const bool is_returned = event == job_event::REQUEUED && o.job.is_subjob();
  if (event != job_event::USAGE_REPORTED) put_job(o, is_returned ? "returned" : phase_names[static_cast<std::size_t>(o.job.phase)], take);
  if (o.job.array) put_array(o, take);
  if (s.open) put_run(o, {}, take);
}

}  // namespace annals::exports
