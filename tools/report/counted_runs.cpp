#include "tools/report/counted_runs.hpp"

#include <charconv>
#include <span>

#include "projections/exports/value.hpp"
#include "tools/report/moments.hpp"

namespace annals::reporting {
namespace {

using fields = std::span<const std::optional<std::string_view>>;

// The columns of the query, in its order.
struct at {
  enum : std::size_t {
    job,
    run,
    user,
    group,
    project,
    account,
    queue,
    reservation,
    closed_at,
    outcome,
    wait_s,
    suspended_s,
    cput_s,
    mem_bytes,
    ncpus,
    walltime_s,
    phase,
    phase_ncpus,
    phase_mem_bytes,
    phase_walltime_s,
    resource,
    type,
    amount_text,
    job_id
  };
};

std::string list_of(const std::vector<std::string>& resources) {
  std::string list;
  for (const auto& r : resources) list += (list.empty() ? "'" : ",'") + r + "'";  // names have no quotes: is_resource_name
  return list.empty() ? "''" : list;
}

std::string bounds_of(const period& in) {
  std::string sql;
  if (in.from_ns != period().from_ns) sql += " and r.closed_at>='" + exports::print_moment({in.from_ns}) + "'";
  if (in.until_ns != period().until_ns) sql += " and r.closed_at<'" + exports::print_moment({in.until_ns}) + "'";
  return sql;
}

// A row for each resource of each phase of each run. A run without phases has what it asked for at its end.
std::string query(const exporting::row_source& from, const period& in, const std::vector<std::string>& resources) {
  const auto table = [&](const char* name) { return from.prefix() + exporting::sql_name(name); };
  return "select r.job,r.run,r.user_name,r.group_name,r.project,r.account,r.queue,r.reservation_id," +
         exporting::moment_text("r.closed_at", from.speaks()) +
         ",r.outcome,r.wait_s,r.suspended_s,r.used_cput_s,r.used_mem_bytes,r.used_ncpus,r.used_walltime_s,"
         "p.phase,p.used_ncpus,p.used_mem_bytes,p.used_walltime_s,u.resource,u.type,u.text_value,r.job_id from " +
         table("runs") + " r left join " + table("phases") +
         " p on p.job=r.job and p.run=r.run and p.ended_at is not null left join " + table("run_resources") +
         " u on u.job=r.job and u.run=r.run and u.list=case when p.phase is null then 'asked' else 'phase_asked' end"
         " and u.part=coalesce(p.phase,0) and u.text_value is not null and u.resource in (" +
         list_of(resources) + ") where r.closed_at is not null" + bounds_of(in) + " order by r.job,r.run,p.phase";
}

class run_maker {
 public:
  run_maker(const std::vector<std::string>& resources, const take_run& take) : resources_(resources), take_(take) {}

  bool add(fields row) {
    const auto job_of = number(row, at::job), run_of = number(row, at::run);
    if (!begun_ || job_of != now_.job || run_of != now_.run) {
      if (!finish()) return false;
      begin(row);
    }
    const auto its_phase = row[at::phase] ? number(row, at::phase) : 0;
    if (its_phase != phase_) {
      phase_ = its_phase;
      hold_measured(row, at::phase_ncpus, at::phase_mem_bytes, at::phase_walltime_s);
    }
    if (row[at::resource]) hold_asked(row);
    return true;
  }
  // The run that is not told yet. False: no more are wanted.
  bool finish() { return !begun_ || take_(now_); }

 private:
  void begin(fields row) {
    begun_ = true;
    now_ = {};
    now_.job = number(row, at::job);
    now_.run = number(row, at::run);
    for (std::size_t i = 0; i < whose_count; ++i)
      if (const auto text = row[at::user + i]) now_.of[i] = std::string(*text);
    const auto closed = parse_moment_text(row[at::closed_at].value_or(""));
    if (!closed) fail("closed_at");
    now_.closed_ns = *closed;
    now_.start_failed = row[at::outcome] == "start_failed";
    if (row[at::wait_s]) now_.wait_s = number(row, at::wait_s);
    now_.cput_s = number(row, at::cput_s);
    now_.walltime_s = number(row, at::walltime_s);
    now_.suspended_s = number(row, at::suspended_s);
    now_.mem_bytes = number(row, at::mem_bytes);
    now_.held.resize(resources_.size());
    phase_ = 0;
    walltime_s_ = now_.walltime_s;
    if (!row[at::phase]) hold_measured(row, at::ncpus, at::mem_bytes, at::walltime_s);
  }

  // What the run, or its next phase, used of cpus and memory.
  void hold_measured(fields row, std::size_t cpus, std::size_t memory, std::size_t seconds) {
    walltime_s_ = number(row, seconds);
    const auto core_s = times(number(row, cpus), walltime_s_);
    now_.core_s = plus(now_.core_s, core_s);
    now_.mem_byte_s = plus(now_.mem_byte_s, times(number(row, memory), walltime_s_));
    for (std::size_t i = 0; i < resources_.size(); ++i)
      if (resources_[i] == "ncpus") hold(i, {amount_kind::number, times(core_s, amount_scale)});
  }

  void hold_asked(fields row) {
    if (row[at::resource] == "ncpus") return;
    const auto is = amount_of(row[at::type].value_or(""), row[at::amount_text].value_or(""));
    if (!is)
      throw report_trouble(std::string(*row[at::resource]) + ", a " + std::string(row[at::type].value_or("")) + ", is no amount: job " +
                           std::string(row[at::job_id].value_or("")) + " has \"" + std::string(row[at::amount_text].value_or("")) + "\"");
    for (std::size_t i = 0; i < resources_.size(); ++i)
      if (resources_[i] == *row[at::resource]) hold(i, {is->kind, times(is->value, walltime_s_)});
  }

  void hold(std::size_t which, const amount& for_seconds) {
    auto& sum = now_.held[which];
    if (sum.kind && *sum.kind != for_seconds.kind) throw report_trouble(resources_[which] + " is a number and a size in one run");
    sum.kind = for_seconds.kind;
    sum.amount_s = plus(sum.amount_s, for_seconds.value);
  }

  std::int64_t number(fields row, std::size_t of) const {
    if (!row[of]) return 0;
    std::int64_t n = 0;
    const auto text = *row[of];
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (wrong != std::errc() || end != text.data() + text.size()) fail("a number");
    return n;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw report_trouble("a row of runs, job " + std::to_string(now_.job) + ", has no such value as pbs_export writes: " + what);
  }

  const std::vector<std::string>& resources_;
  const take_run& take_;
  counted_run now_;
  bool begun_ = false;
  std::int64_t phase_ = 0;       // 0: none
  std::int64_t walltime_s_ = 0;  // of the phase, or the run
};

}  // namespace

void each_run(exporting::row_source& from, const period& in, const std::vector<std::string>& resources, const take_run& take) {
  run_maker maker(resources, take);
  bool goes_on = true;
  from.each_row(query(from, in, resources), [&](fields row) { return goes_on = maker.add(row); });
  if (goes_on) (void)maker.finish();
}

}  // namespace annals::reporting
