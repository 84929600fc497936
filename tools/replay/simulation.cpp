#include "tools/replay/simulation.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>

#include "actors/scheduler/cycle/policy_names.hpp"
#include "actors/scheduler/cycle_driver.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/values/duration.hpp"
#include "events/values/job_id.hpp"
#include "projections/status/partition.hpp"
#include "tools/replay/simulated_arrays.hpp"
#include "tools/replay/simulated_log.hpp"

namespace annals::replay {

namespace {

namespace ids = attributes::job;
using which = schema::JobEvent::Which;

constexpr std::int64_t second_ns = 1'000'000'000;
// What happens so soon after another thing is placed by the same cycle, as by a server that is busy with the cycle before.
constexpr std::int64_t gather_ns = 10'000'000;

struct no_clock : ports::clock {  // only for how long a cycle takes, which is not looked at
  std::int64_t now_ns() const override { return 0; }
};

class simulating {
 public:
  simulating(const log::log_reader& reader, histories& recorded, const simulation_wanted& wanted, simulation_outcome& out)
      : reader_(reader),
        recorded_(recorded),
        wanted_(wanted),
        out_(out),
        log_(wanted.scheduler),
        arrays_(log_, recorded, wanted.scheduler),
        driver_({.name = wanted.scheduler},
                {.send = [this](const auto& m) { sent_.push_back(m); }, .log = [](auto, auto, auto, auto) {}, .clock = &clock_}) {
    out_.jobs.resize(recorded.jobs.size());
    driver_.set_policy(wanted.policy, std::string(32, '\0'));
  }

  void take(const log::record_ptr& record) {
    advance(record->get().getWallNs());
    const auto event = record->event();
    switch (event.which()) {
      case schema::Event::JOB: return take_job(*record, event.getJob());
      case schema::Event::SCHEDULER: return take_scheduler(*record, event.getScheduler());
      case schema::Event::RESERVATION: return take_reservation(*record, event.getReservation());
      case schema::Event::HOST:
        log_.fold(*record);
        count_capacity();
        return want_cycle();
      default: log_.fold(*record); return want_cycle();
    }
  }

  // The log's end: what runs then is charged up to it.
  void finish(std::int64_t end_ns) {
    advance(end_ns);
    count_capacity();
    for (const auto& [job, run] : running_) charge(run, end_ns);
    if (driver_.view().complete())
      out_.names_without_meaning = cycle::names_without_meaning(cycle::parse_policy(wanted_.policy).value, driver_.view().resources());
  }

 private:
  struct running_job {
    std::uint32_t at = 0;  // its place among the histories
    std::int64_t since_ns = 0, cpus = 0;
    std::uint64_t number = 0;    // of the start: an end of another one is none
    std::int64_t shrunk_ns = 0;  // the walltime it was given, of a shrink-to-fit job; 0: none
  };
  struct end_of_run {
    std::int64_t at_ns;
    std::uint64_t job, number;
    bool operator>(const end_of_run& other) const { return std::tie(at_ns, number) > std::tie(other.at_ns, other.number); }
  };

  // -- time --------------------------------------------------------------------------------------------------------------------

  void want_cycle() {
    if (cycle_at_ == 0) cycle_at_ = time_ns_ + gather_ns;
  }

  std::int64_t next_due() const {
    std::int64_t due = iteration_at_ > 0 ? iteration_at_ : INT64_MAX;
    if (cycle_at_ > 0) due = std::min(due, cycle_at_);
    if (!ends_.empty()) due = std::min(due, ends_.top().at_ns);
    return due;
  }

  void advance(std::int64_t to_ns) {
    for (auto due = next_due(); due < to_ns; due = next_due()) {
      time_ns_ = std::max(time_ns_, due);
      if (!ends_.empty() && ends_.top().at_ns <= due) end_due();
      else cycle();
    }
    time_ns_ = std::max(time_ns_, to_ns);
  }

  void end_due() {
    const auto end = ends_.top();
    ends_.pop();
    const auto run = running_.find(end.job);
    if (run == running_.end() || run->second.number != end.number) return;
    end_run(end.job, true);
    want_cycle();
  }

  void count_capacity() {
    out_.capacity_cpu_ns += capacity_ * (time_ns_ - capacity_since_ns_);
    capacity_since_ns_ = time_ns_;
    capacity_ = 0;
    for (const auto& [serial, host] : log_.now().hosts())
      for (const auto& v : host.vnodes) {
        if (!model::base_state(host, v).empty() ||
            projections::partition_of_scheduler(log_.now(), wanted_.scheduler) != log_.now().holdings().partition_of(v.name))
          continue;
        if (const auto cpus = v.attributes.get(attributes::node::resources_available, "ncpus"))
          capacity_ += model::read_amount(*cpus).value;
      }
  }

  // -- what was recorded ---------------------------------------------------------------------------------------------------------

  void take_job(const log::record& record, schema::JobEvent::Reader event) {
    const auto serial = record.get().getStream();
    if (event.isQueued()) {
      if (values::is_subjob(event.getQueued().getNumber())) return;  // when one begins is decided here
      log_.fold(record);
      if (const auto job = log_.now().job(serial)) note_who_takes_part(*job);
      return want_cycle();
    }
    const auto job = log_.now().job(serial);
    if (!job) return;
    if (job->array && (event.isEnded() || event.isDeleteRequested()))
      return drop_subjobs(serial, values::index_set::all(job->array->indices()));
    if (event.isSubjobsAsked() && !event.getSubjobsAsked().getRerun())
      return drop_subjobs(serial, values::index_set::parse(schema::text(event.getSubjobsAsked().getIndices()), job->array->indices()));
    if (event.isEnded()) return take_end(record, *job);
    if (!happens_to(*job, event.which())) return;
    log_.fold(record);
    want_cycle();
  }

  // Of an array its subjobs are what is compared.
  void note_who_takes_part(const model::job_state& job) {
    const bool takes_part =
        projections::partition_of_queue(log_.now(), job.queue()) == projections::partition_of_scheduler(log_.now(), wanted_.scheduler);
    if (!job.array) out_.jobs[recorded_.by_job.at(job.serial)].takes_part = takes_part;
    else
      for (const auto& [index, at] : recorded_.subjobs[job.serial]) out_.jobs[at].takes_part = takes_part;
  }

  void drop_subjobs(std::uint64_t array, const std::optional<values::index_set>& asked) {
    if (!asked) return;
    for (const auto stream : arrays_.drop(array, *asked, time_ns_)) end_run(stream, true);
    arrays_.end_if_over(array, time_ns_);
    want_cycle();
  }

  // The end of a job that ran is decided by how long it runs; that of one which never did, by who deleted it.
  void take_end(const log::record& record, const model::job_state& job) {
    const auto* history = recorded_.find(job.serial);
    if (!history || history->ran_ns >= 0) return;
    if (running_.contains(job.serial)) end_run(job.serial, true);
    else if (model::may_happen(job.phase, which::ENDED)) {
      out_.jobs[recorded_.by_job.at(job.serial)].ended_ns = record.get().getWallNs();
      log_.fold(record);
    }
    want_cycle();
  }

  // Reservations are where and when they were. Their jobs go with their time.
  void take_reservation(const log::record& record, schema::ReservationEvent::Reader event) {
    log_.fold(record);
    want_cycle();
    if (!event.isOccurrenceEnded() && !event.isDeleteRequested()) return;
    const auto at = log_.now().reservations().find(record.get().getStream());
    if (at == log_.now().reservations().end()) return;
    std::vector<std::uint64_t> its;
    for (const auto& [job, run] : running_)
      if (const auto state = log_.now().job(job); state && state->queue() == at->second.id) its.push_back(job);
    std::sort(its.begin(), its.end());
    for (const auto job : its) end_run(job, true);
  }

  void take_scheduler(const log::record& record, schema::SchedulerEvent::Reader event) {
    using scheduler_which = schema::SchedulerEvent::Which;
    switch (event.which()) {
      case scheduler_which::CREATED:
      case scheduler_which::CHANGED:
      case scheduler_which::DELETED:
      case scheduler_which::FAIRSHARE_SET:
      case scheduler_which::FAIRSHARE_DECAYED:
      case scheduler_which::FAIRSHARE_TRIMMED: break;
      default: return;  // of cycles and connections, and how usage was counted: that is the policy's now
    }
    log_.fold(record);
    count_capacity();  // whose vnodes are its own
    if (event.isCreated() && schema::text(event.getCreated().getName()) == wanted_.scheduler) stream_ = record.get().getStream();
    want_cycle();
  }

  // -- cycles --------------------------------------------------------------------------------------------------------------------

  void cycle() {
    cycle_at_ = 0;
    iteration_at_ = time_ns_ + log_.iteration_ns(wanted_.scheduler);
    if (!log_.scheduling_on(wanted_.scheduler)) return;
    show_view();
    tell([&](schema::ToScheduler::Builder m) {
      auto c = m.initCycle();
      c.setNumber(++out_.cycles);
      c.setTrigger("simulation");
      c.setViewSequence(driver_.view().sequence());
      c.setWallNs(time_ns_);
    });
    for (const auto& m : std::exchange(sent_, {}))
      if (m.get().isRun()) start(m);
  }

  // Follows what the driver asks for before the cycle: it may want the whole view, and have usage counted in another way.
  void show_view() {
    bool whole = !std::exchange(greeted_, true);
    if (whole) driver_.connected();
    do {
      whole |= take_sent();
      auto& view = log_.view_at(time_ns_);
      for (const auto& m : whole ? view.full_view() : view.take_delta()) driver_.received(m.get());
      whole = false;
    } while (!sent_.empty());
  }

  // True: the driver wants the whole view.
  bool take_sent() {
    bool whole = false;
    for (const auto& m : std::exchange(sent_, {})) {
      whole |= m.get().isFullView();
      if (!m.get().isFairshare()) continue;
      const auto policy = m.get().getFairshare();
      log_.write(stream_, time_ns_, [&](schema::Event::Builder e) { e.initScheduler().setFairsharePolicy(policy); });
    }
    return whole;
  }

  template <class Fill>
  void tell(Fill&& fill) { driver_.received(*schema::make<schema::ToScheduler>(std::forward<Fill>(fill))); }

  // -- runs ----------------------------------------------------------------------------------------------------------------------

  void start(const actors::cycle_driver::message& proposal) {
    const auto run = proposal.get().getRun();
    for (const auto victim : run.getVictims()) make_room(victim);
    const auto job = log_.now().job(run.getJob());
    if (!job || job->phase != model::job_phase::queued) return withdraw(run);
    auto serial = std::optional(job->serial);
    if (job->array) serial = arrays_.begin(proposal, *job, time_ns_);
    else assign(*job, run);
    if (serial) began_to_run(*serial, run);
    else withdraw(run);
  }

  void assign(const model::job_state& job, schema::ProposeRun::Reader run) {
    const auto place = std::string(job.attribute(ids::Resource_List, "place"));
    write(job.serial, [&](auto e) {
      auto a = e.initAssigned();
      a.setRun(job.run + 1);
      a.setExecVnode(run.getExecVnode());
      a.setExecHost(run.getExecHost());
      a.setScheduler(wanted_.scheduler);
      a.setHosts(run.getHosts());
      a.setPlace(place);
      a.setWalltimeSeconds(run.getWalltimeSeconds());
    });
  }

  void began_to_run(std::uint64_t serial, schema::ProposeRun::Reader run) {
    const auto at = arrays_.place_of(serial);
    if (at >= out_.jobs.size()) out_.jobs.resize(at + 1, {.takes_part = true});  // a subjob that never ran
    write(serial, [&](auto e) { e.initStarted().setRun(log_.now().job(serial)->run); });
    auto& now = out_.jobs[at];
    if (now.first_start_ns == 0) now.first_start_ns = time_ns_;
    const auto shrunk_ns = static_cast<std::int64_t>(run.getWalltimeSeconds()) * second_ns;
    running_[serial] = {at, time_ns_, cpus_of(schema::text(run.getExecVnode())), ++starts_, shrunk_ns};
    const auto runs_ns = left_of(*log_.now().job(serial), at, shrunk_ns);
    if (runs_ns < INT64_MAX - time_ns_) ends_.push({time_ns_ + runs_ns, serial, starts_});
  }

  void withdraw(schema::ProposeRun::Reader run) {
    tell([&](schema::ToScheduler::Builder m) { m.initRefused().setJob(run.getJob()); });
  }

  // How long it runs from now on. One that was shrunk and used up its time would have gone on.
  std::int64_t left_of(const model::job_state& job, std::uint32_t at, std::int64_t shrunk_ns) const {
    const auto& history = recorded_.jobs[at];
    const auto limit = shrunk_ns > 0 ? shrunk_ns : INT64_MAX;
    if (const auto kept = left_.find(at); kept != left_.end()) return std::min(kept->second, limit);
    const bool was_cut_off = history.shrunk_ns > 0 && history.ran_ns >= history.shrunk_ns;
    if (history.ran_ns >= 0 && !(was_cut_off && shrunk_ns > 0)) return std::min(history.ran_ns, limit);
    const auto walltime = values::parse_duration(job.attribute(ids::Resource_List, "walltime"));
    return walltime ? static_cast<std::int64_t>(*walltime) * second_ns : INT64_MAX;
  }

  // Preempted: what a suspended one has done is kept, as if it went on where it was; a requeued one begins anew.
  void make_room(schema::PreemptVictim::Reader victim) {
    const auto run = running_.find(victim.getJob());
    const auto job = log_.now().job(victim.getJob());
    if (run == running_.end() || !job) return;
    using how = schema::PreemptVictim::How;
    if (victim.getHow() == how::SUSPEND)
      if (const auto left = left_of(*job, run->second.at, run->second.shrunk_ns); left < INT64_MAX)
        left_[run->second.at] = std::max<std::int64_t>(left - (time_ns_ - run->second.since_ns), 0);
    if (victim.getHow() != how::DELETE) write(victim.getJob(), [](auto e) { e.initRerunRequested().setPreempted(true); });
    end_run(victim.getJob(), victim.getHow() == how::DELETE);
    want_cycle();
  }

  void end_run(std::uint64_t serial, bool for_good) {
    const auto job = log_.now().job(serial);
    const auto run_at = running_.find(serial);
    const auto number = job->run;
    const auto held = job->allocated.exec_vnode();
    const auto hosts = job->allocated.hosts();
    const auto at = run_at->second.at;
    charge(run_at->second, time_ns_);
    running_.erase(run_at);
    write(serial, [&](auto e) {
      auto x = e.initExited();
      x.setRun(number);
      x.setReported(true);
      put_usage(x, recorded_.jobs[at]);
    });
    write(serial, [&](auto e) {
      auto v = e.initVnodesReleased();
      v.setRun(number);
      v.setExecVnode(held);
      auto list = v.initHosts(static_cast<unsigned>(hosts.size()));
      for (unsigned i = 0; i < list.size(); ++i) list.set(i, hosts[i]);
    });
    if (for_good) {
      out_.jobs[at].ended_ns = time_ns_;
      left_.erase(at);
      write(serial, [&](auto e) { e.initEnded(); });
    } else {
      write(serial, [&](auto e) { e.initRequeued().setRun(number); });
    }
    arrays_.leave(serial, number, !for_good, time_ns_);
  }

  void charge(const running_job& run, std::int64_t until_ns) {
    out_.jobs[run.at].cpu_ns += run.cpus * (until_ns - run.since_ns);
  }

  // What it really used, when somebody counts it.
  void put_usage(schema::JobExited::Builder to, const job_history& history) {
    if (history.exited_sequence == 0 || !log_.now().shares().policy(wanted_.scheduler).on) return;
    (void)reader_.read(history.exited_sequence, [&](const log::record_ptr& r) {
      if (r->event().isJob() && r->event().getJob().isExited()) to.setUsage(r->event().getJob().getExited().getUsage());
      return false;
    });
  }

  template <class Fill>
  void write(std::uint64_t job, Fill&& fill) {
    log_.write(job, time_ns_, [&](schema::Event::Builder e) { fill(e.initJob()); });
  }

  const log::log_reader& reader_;
  histories& recorded_;
  const simulation_wanted& wanted_;
  simulation_outcome& out_;
  simulated_log log_;
  simulated_arrays arrays_;
  no_clock clock_;
  std::vector<actors::cycle_driver::message> sent_;
  actors::cycle_driver driver_;
  bool greeted_ = false;
  std::uint64_t stream_ = 0;                                    // of the scheduler
  std::int64_t time_ns_ = 0, cycle_at_ = 0, iteration_at_ = 0;  // 0: none is due
  std::priority_queue<end_of_run, std::vector<end_of_run>, std::greater<>> ends_;
  std::unordered_map<std::uint64_t, running_job> running_;
  std::unordered_map<std::uint32_t, std::int64_t> left_;  // of suspended jobs, by their places
  std::uint64_t starts_ = 0;
  std::int64_t capacity_ = 0, capacity_since_ns_ = 0;
};

}  // namespace

simulation_outcome simulate(const log::log_reader& reader, histories& recorded, const simulation_wanted& wanted,
                            const std::function<bool()>& go_on) {
  simulation_outcome out;
  simulating s(reader, recorded, wanted, out);
  const auto read = reader.read(1, [&](const log::record_ptr& record) {
    if (record->sequence() > recorded.last_sequence) return false;
    s.take(record);
    return go_on();
  });
  if (!read) out.trouble = read.text;
  s.finish(recorded.ended_ns);
  return out;
}

}  // namespace annals::replay
