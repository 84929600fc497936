#include "tools/replay/job_history.hpp"

#include <algorithm>

#include "events/values/exec_vnode.hpp"
#include "events/values/job_id.hpp"
#include "events/values/number.hpp"

namespace annals::replay {

job_history* histories::find(std::uint64_t serial) {
  const auto at = by_job.find(serial);
  return at == by_job.end() ? nullptr : &jobs[at->second];
}

std::uint32_t histories::subjob(std::uint64_t array, std::uint32_t index) {
  const auto [at, is_new] = subjobs[array].try_emplace(index, static_cast<std::uint32_t>(jobs.size()));
  if (!is_new) return at->second;
  const auto of = jobs[by_job.at(array)];
  auto& subjob = jobs.emplace_back();
  subjob.id = of.id;
  subjob.id.insert(subjob.id.find('[') + 1, std::to_string(index));
  subjob.user = of.user;
  subjob.queue = of.queue;
  subjob.queued_ns = of.queued_ns;
  return at->second;
}

std::int64_t cpus_of(std::string_view exec_vnode) {
  const auto spec = values::parse_exec_vnode(exec_vnode);
  std::int64_t cpus = 0;
  if (!spec) return cpus;
  for (const auto& chunk : spec->chunks)
    for (const auto& part : chunk.parts)
      for (const auto& r : part.resources)
        if (r.name == "ncpus") cpus += values::parse_integer(r.value).value_or(0);
  return cpus;
}

namespace {

class reading {
 public:
  reading(std::string scheduler, histories& into) : scheduler_(std::move(scheduler)), into_(into) {}

  void take(const log::record& record) {
    into_.last_sequence = record.sequence();
    into_.ended_ns = record.get().getWallNs();
    if (into_.began_ns == 0) into_.began_ns = into_.ended_ns;
    const auto event = record.event();
    if (event.isJob()) take_job(record, event.getJob());
    if (!event.isScheduler()) return;
    const auto e = event.getScheduler();
    if (e.isCreated() && schema::text(e.getCreated().getName()) == scheduler_) stream_ = record.get().getStream();
    if (e.isCycleBegan() && record.get().getStream() == stream_) {
      const auto hash = schema::bytes_of(e.getCycleBegan().getPolicy().getHash());
      into_.policy.assign(reinterpret_cast<const char*>(hash.data()), hash.size());
    }
  }

  // Runs that still go on when the log ends.
  void finish() {
    for (const auto& [serial, open] : open_) charge(*into_.find(serial), open, into_.ended_ns);
  }

 private:
  struct open_run {
    std::int64_t assigned_ns = 0, started_ns = 0, cpus = 0;
    std::int64_t suspended_ns = 0, suspended_since_ns = 0;
  };

  std::uint32_t name(std::string_view text) {
    const auto [at, is_new] = name_ids_.try_emplace(std::string(text), static_cast<std::uint32_t>(into_.names.size()));
    if (is_new) into_.names.emplace_back(text);
    return at->second;
  }

  // Without the time that it was suspended.
  static std::int64_t ran(const open_run& run, std::int64_t from_ns, std::int64_t until_ns) {
    const auto suspended = run.suspended_ns + (run.suspended_since_ns > 0 ? until_ns - run.suspended_since_ns : 0);
    return std::max<std::int64_t>(until_ns - from_ns - suspended, 0);
  }

  static void stop_or_go_on(open_run& run, bool stop, std::int64_t now) {
    if (stop) run.suspended_since_ns = now;
    else if (run.suspended_since_ns > 0) run.suspended_ns += now - std::exchange(run.suspended_since_ns, 0);
  }

  static void charge(job_history& job, const open_run& run, std::int64_t until_ns) {
    job.cpu_ns += run.cpus * ran(run, run.started_ns > 0 ? run.started_ns : run.assigned_ns, until_ns);
  }

  void take_job(const log::record& record, schema::JobEvent::Reader event) {
    const auto serial = record.get().getStream();
    const auto now = record.get().getWallNs();
    using which = schema::JobEvent::Which;
    if (event.isQueued()) return begin(serial, now, event.getQueued());
    auto* job = into_.find(serial);
    if (!job) return;
    switch (event.which()) {
      case which::QUEUED: break;  // begun above
      case which::ASSIGNED:
        open_[serial] = {now, 0, cpus_of(schema::text(event.getAssigned().getExecVnode())), 0, 0};
        job->shrunk_ns = static_cast<std::int64_t>(event.getAssigned().getWalltimeSeconds()) * 1'000'000'000;
        break;
      case which::STARTED:
        open_[serial].started_ns = now;
        if (job->first_start_ns == 0) job->first_start_ns = open_[serial].assigned_ns > 0 ? open_[serial].assigned_ns : now;
        break;
      case which::SIGNALLED:
        if (const auto e = event.getSignalled(); e.getLoadHost().size() > 0 && e.getRequest() != 0)
          stop_or_go_on(open_[serial], e.getStopped(), now);
        break;
      case which::SUSPENDED:
        if (event.getSuspended().getRequest() != 0) stop_or_go_on(open_[serial], true, now);
        break;
      case which::RESUMED:
        if (event.getResumed().getRequest() != 0) stop_or_go_on(open_[serial], false, now);
        break;
      case which::EXITED: {
        const auto run = open_.find(serial);
        if (run == open_.end() || run->second.started_ns == 0) break;
        job->ran_ns = ran(run->second, run->second.started_ns, now);
        job->exited_sequence = record.sequence();
        break;
      }
      case which::REQUEUED:
      case which::ENDED:
        if (const auto run = open_.find(serial); run != open_.end()) {
          charge(*job, run->second, now);
          open_.erase(run);
        }
        if (event.isEnded()) job->ended_ns = now;
        else job->ran_ns = -1;  // it was cut off
        break;
      default: break;
    }
  }

  void begin(std::uint64_t serial, std::int64_t now, schema::JobQueued::Reader e) {
    if (values::is_subjob(e.getNumber())) return begin_subjob(serial, e.getNumber());
    if (e.getIndices().size() > 0) arrays_[e.getNumber()] = serial;
    into_.by_job.emplace(serial, static_cast<std::uint32_t>(into_.jobs.size()));
    auto& job = into_.jobs.emplace_back();
    job.serial = serial;
    job.id = schema::str(e.getId());
    job.user = name(schema::text(e.getEuser()));
    job.queue = name(schema::text(e.getQueue()));
    job.queued_ns = now;
  }

  void begin_subjob(std::uint64_t serial, std::uint64_t number) {
    const auto at = into_.subjob(arrays_.at(values::array_of(number)), values::index_of(number));
    into_.by_job[serial] = at;
    into_.jobs[at].serial = serial;
  }

  const std::string scheduler_;
  histories& into_;
  std::unordered_map<std::uint64_t, std::uint64_t> arrays_;  // number -> serial
  std::uint64_t stream_ = 0;
  std::unordered_map<std::uint64_t, open_run> open_;
  std::unordered_map<std::string, std::uint32_t> name_ids_;
};

}  // namespace

ports::store_status read_histories(const log::log_reader& reader, std::uint64_t last, const std::string& scheduler,
                                   const std::function<bool()>& go_on, histories& into) {
  reading r(scheduler, into);
  const auto read = reader.read(1, [&](const log::record_ptr& record) {
    if (record->sequence() > last) return false;
    r.take(*record);
    return go_on();
  });
  r.finish();
  return read;
}

}  // namespace annals::replay
