// Questions about the past in a long log: one job, why it waits, and all jobs alive, at moments spread over it; and what the index costs.
// usage: bench_at [DIRECTORY [EVENTS [JOBS ALIVE]]]
#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "events/model/usage.hpp"
#include "projections/status/past.hpp"
#include "projections/status/query.hpp"
#include "test/bench/log_bench.hpp"

using namespace annals;
using namespace annals::bench;

namespace {

constexpr int hosts = 200, questions = 40;

// Writes a busy cluster's log: `alive` jobs wait or run at any time, and every job leaves about ten events.
class busy_log {
 public:
  busy_log(ports::event_store& store, std::uint64_t events, std::size_t alive) : log_(store, clock_), events_(events), alive_(alive) {}

  void write() {
    put(0, [](auto e) { e.initServer().initStarted().setServerName("borg"); });
    put(0, [](auto e) { e.initQueue().initCreated().setName("workq"); });
    scheduler_ = put(0, [](auto e) { e.initScheduler().initCreated().setName("default"); });
    for (int h = 0; h < hosts; ++h) {
      const auto name = host(h);
      const auto stream = put(0, [&](auto e) { e.initHost().initAdded().setName(name); });
      put(stream, [&](auto e) { e.initHost().initVnodeCreated().setName(name); });
    }
    while (written_ < events_) {
      while (waiting_.size() + running_.size() < alive_) submit();
      cycle();
      for (int i = 0; i < 100; ++i) run_one();
      while (running_.size() > alive_ / 5) end_one();
    }
    commit();
  }
  std::uint64_t jobs() const { return number_; }

 private:
  struct alive_job {
    std::uint64_t stream, number;
  };
  static std::string host(std::uint64_t n) { return "node" + std::to_string(n % hosts); }

  void submit() {
    ++number_;
    log::append a = append_of(job_queued(number_), number_);
    a.command_id.clear();
    waiting_.push_back({stage(std::move(a)), number_});
  }
  void cycle() {
    ++cycles_;
    put(scheduler_, [&](auto e) { e.initScheduler().initCycleBegan().setNumber(cycles_); });
    put(scheduler_, [&](auto e) {
      auto r = e.initScheduler().initCycleReasons();
      r.initTexts(1).set(0, "Not Running: Insufficient amount of resource: ncpus (R: 4 A: 0 T: 64)");
      auto jobs = r.initJobs(static_cast<unsigned>(std::min<std::size_t>(waiting_.size(), 20)));
      for (unsigned i = 0; i < jobs.size(); ++i) jobs[i].setJob(waiting_[random_() % waiting_.size()].stream);
    });
    put(scheduler_, [&](auto e) { e.initScheduler().initCycleEnded().setNumber(cycles_); });
  }
  void run_one() {
    const auto job = waiting_.front();
    waiting_.pop_front();
    const auto on = host(job.number);
    put(job.stream, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(1);
      a.setExecVnode("(" + on + ":ncpus=4:mem=2097152kb)");
      a.setExecHost(on + "/0*4");
      a.setScheduler("default");
      a.setComment("Job was sent for execution at Sat Nov 21 at 07:00 on (" + on + ":ncpus=4:mem=2097152kb)");
      a.initHosts(1).set(0, on);
    });
    put_event(job.stream, job_started(job.number));
    use(job);
    use(job);
    running_.push_back(job);
  }
  void use(const alive_job& job) {
    put(job.stream, [&](auto e) {
      auto u = e.initJob().initUsageReported();
      u.setRun(1);
      u.setSession(4711);
      u.setJobdir("/home/alice");
      model::write_usage(model::measured_usage({.mem_kb = job.number}), u.initUsage());
    });
  }
  void end_one() {
    const auto job = running_.front();
    running_.pop_front();
    put(job.stream, [](auto e) { e.initJob().initExited().setRun(1); });
    put(job.stream, [](auto e) { e.initJob().initOutputDelivered().setOk(true); });
    put(job.stream, [&](auto e) {
      auto r = e.initJob().initVnodesReleased();
      r.setRun(1);
      r.setExecVnode("(" + host(job.number) + ":ncpus=4:mem=2097152kb)");
      r.initHosts(1).set(0, host(job.number));
    });
    put(job.stream, [](auto e) { e.initJob().initEnded().setHasExitStatus(true); });
    put(job.stream, [](auto e) { e.initJob().setForgotten(); });
  }

  template <class Fill>
  std::uint64_t put(std::uint64_t stream, Fill&& fill) {
    return put_event(stream, model::make_event([&](schema::Event::Builder e) { fill(e); }));
  }
  std::uint64_t put_event(std::uint64_t stream, model::event event) {
    log::append a;
    a.stream = stream;
    a.events.push_back(std::move(event));
    a.by = {"alice", "front", schema::Role::USER};
    return stage(std::move(a));
  }
  std::uint64_t stage(log::append a) {
    a.expected_version = log_.last_version(a.stream);
    const auto stream = std::get<log::staged>(log_.stage(std::move(a))).stream;
    if (++written_ % 2000 == 0) commit();
    return stream;
  }
  void commit() {
    std::vector<log::record_ptr> records;
    if (auto ok = log_.commit(records); !ok) {
      std::fprintf(stderr, "%s\n", ok.text.c_str());
      std::exit(1);
    }
  }

  const system_time clock_;
  log::event_log log_;
  const std::uint64_t events_;
  const std::size_t alive_;
  std::mt19937 random_{1};
  std::uint64_t scheduler_ = 0, number_ = 0, cycles_ = 0, written_ = 0;
  std::deque<alive_job> waiting_, running_;
};

// Of this thread: what an answer costs, however busy the machine is.
double cpu_ms() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

// Milliseconds of the median and of the slowest, as a clock shows them and of the processor.
void ask(const char* what, const log::log_reader& reader, const log::snapshot_store& index, std::uint64_t events,
         const std::function<std::string(std::uint64_t)>& job_at, bool why = false) {
  std::vector<double> took, busy;
  std::uint64_t objects = 0;
  for (int i = 1; i <= questions; ++i) {
    const auto at = events * static_cast<std::uint64_t>(i) / questions - (i * 1237) % 9000;
    const auto job = job_at(at);
    const auto request = schema::make<schema::Stat>([&](schema::Stat::Builder s) {
      s.setKind(schema::ObjectKind::JOB);
      if (!job.empty()) s.initNames(1).set(0, job);
      s.initAt().setSequence(at);
      s.setWhy(why);
    });
    const auto begin = steady::now();
    const auto cpu = cpu_ms();
    projections::answer_stat_at(reader, &index, 1, request.get(), {"root", "borg", schema::Role::MANAGER},
                                [&](const auto& r) { objects += r.get().getObjects().getObjects().size(); });
    took.push_back(seconds_since(begin) * 1000);
    busy.push_back(cpu_ms() - cpu);
  }
  std::sort(took.begin(), took.end());
  std::sort(busy.begin(), busy.end());
  std::printf("%-28s median %.1f ms, slowest %.1f ms; processor %.1f and %.1f ms; %.0f objects each\n", what, took[took.size() / 2],
              took.back(), busy[busy.size() / 2], busy.back(),
              static_cast<double>(objects) / questions);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string base = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
  const std::uint64_t events = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 5'000'000;
  const std::size_t alive = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 10'000;
  directory d(base);
  const auto store = open_or_exit(d.path + "/log");
  busy_log(*store, events, alive).write();
  const log::log_reader reader(*store);

  std::map<std::uint64_t, std::string> alive_at;  // a job that was there, by sequence
  for (const bool with_index : {false, true}) {
    projections::status now;
    projections::past_writer writer(*store);
    const auto begin = steady::now();
    const auto read = reader.read(1, [&](const log::record_ptr& r) {
      now.fold(*r);
      if (with_index) writer.fold(*r, now);
      else if (schema::is(r->event(), schema::JobEvent::QUEUED))
        alive_at[r->sequence()] = schema::str(r->event().getJob().getQueued().getId());
      return true;
    });
    std::printf("%-28s %.1f s%s\n", with_index ? "folding and making the index" : "folding", seconds_since(begin), read ? "" : "  FAILED");
  }
  std::uint64_t bytes = 0, checkpoints = 0;
  store->scan_cache("snapshot/past/", [&](std::string_view, ports::byte_span value) {
    bytes += value.size();
    return ++checkpoints > 0;
  });
  std::printf("%llu checkpoints, %.1f bytes per event before compression\n", static_cast<unsigned long long>(checkpoints),
              static_cast<double>(bytes) / static_cast<double>(events));
  const log::snapshot_store index(*store);
  ask("one job", reader, index, events, [&](std::uint64_t at) { return std::prev(alive_at.upper_bound(at))->second; });
  ask(
      "why one job waits", reader, index, events, [&](std::uint64_t at) { return std::prev(alive_at.upper_bound(at))->second; }, true);
  ask("all jobs", reader, index, events, [](std::uint64_t) { return std::string(); });
  return 0;
}
