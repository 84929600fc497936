// pbs_export: records a second from a log on the disk into each target.
// usage: bench_export [DIRECTORY [EVENTS [postgresql://...]]]
#include <sys/resource.h>

#include "events/model/usage.hpp"
#include "test/bench/log_bench.hpp"
#include "tools/export/exporter.hpp"

using namespace annals;
using namespace annals::bench;

namespace {

constexpr std::uint64_t in_flight = 1000;  // jobs that run at a time
constexpr std::uint64_t steps = 8;         // events of a job

struct writer {
  std::unique_ptr<ports::event_store> store;
  system_time clock;
  log::event_log log;
  std::uint64_t events = 0;
  std::vector<log::record_ptr> committed;

  explicit writer(const std::string& path) : store(open_or_exit(path)), log(*store, clock) {}
  void commit() {
    if (const auto ok = log.commit(committed); !ok) std::exit((std::fprintf(stderr, "%s\n", ok.text.c_str()), 1));
    committed.clear();
  }
  std::uint64_t write(std::uint64_t stream, model::event event) {
    log::append a;
    a.stream = stream;
    a.expected_version = log.last_version(stream);
    a.events.push_back(std::move(event));
    const auto staged = log.stage(std::move(a));
    if (++events % 2000 == 0) commit();
    return std::get<log::staged>(staged).stream;
  }
};

// What happens to a job next.
model::event step_of(std::uint64_t job, std::uint64_t step) {
  const auto host = "n" + std::to_string(job % 100), vnode = "(" + host + ":ncpus=4:mem=2097152kb)";
  const auto usage = [&](schema::Usage::Builder to) {
    model::write_usage(model::measured_usage(
                           {.cpu_seconds = 4 * step, .mem_kb = 100'000 + job % 1000, .vmem_kb = 300'000, .wall_seconds = step, .ncpus = 4}),
                       to);
  };
  return model::make_event([&](schema::Event::Builder e) {
    auto j = e.initJob();
    if (step == 1) {
      auto a = j.initAssigned();
      a.setRun(1);
      a.setExecVnode(vnode);
      a.setExecHost(host + "/0*4");
      a.setScheduler("default");
      a.initHosts(1).set(0, host);
      a.setPlace("free");
    } else if (step == 2) {
      auto s = j.initStarted();
      s.setRun(1);
      s.setSession(4711);
    } else if (step < 5) {
      auto u = j.initUsageReported();
      u.setRun(1);
      usage(u.initUsage());
    } else if (step == 5) {
      auto x = j.initExited();
      x.setRun(1);
      x.setReported(true);
      usage(x.initUsage());
    } else if (step == 6) {
      auto v = j.initVnodesReleased();
      v.setRun(1);
      v.setExecVnode(vnode);
      v.initHosts(1).set(0, host);
    } else j.initEnded().setHasExitStatus(true);
  });
}

void fill(writer& w, std::uint64_t events) {
  w.write(0, model::make_event([](auto e) { e.initServer().initStarted().setServerName("borg"); }));
  const auto scheduler = w.write(0, model::make_event([](auto e) { e.initScheduler().initCreated().setName("default"); }));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> jobs(in_flight);  // stream, next step
  std::uint64_t number = 0, cycles = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].second = i % steps == 0 ? 0 : steps;
  while (w.events < events) {
    for (auto& [stream, step] : jobs) {
      if (step >= steps) step = 0;
      if (step == 0) stream = w.write(0, job_queued(++number));
      else w.write(stream, step_of(stream, step));
      ++step;
    }
    w.write(scheduler, model::make_event([&](auto e) { e.initScheduler().initCycleBegan().setNumber(++cycles); }));
    w.write(scheduler, model::make_event([&](auto e) {
              auto r = e.initScheduler().initCycleReasons();
              r.setCycle(cycles);
              r.initTexts(1).set(0, "Not Running: Insufficient amount of resource: ncpus");
              auto list = r.initJobs(20);
              for (unsigned i = 0; i < 20; ++i) list[i].setJob(jobs[i].first);
            }));
    w.write(scheduler, model::make_event([&](auto e) { e.initScheduler().initCycleEnded().setNumber(cycles); }));
  }
  w.commit();
}

class no_target : public exporting::target {
 public:
  const exporting::position& at() const override { return at_; }
  void write(const exporting::row_batch&, const exporting::position& next) override { at_ = next; }
  void exchange() override {}

 private:
  exporting::position at_;
};

void measure(const char* what, const log::log_reader& log, exporting::target& to) {
  const auto begin = steady::now();
  exporting::exporter all(log, to);
  while (all.step()) {}
  const auto took = seconds_since(begin);
  rusage used = {};
  ::getrusage(RUSAGE_SELF, &used);
  std::printf("%-12s %.2f s, %.0f events/s, %llu rows, %ld MB at most\n", what, took, static_cast<double>(all.sequence()) / took,
              static_cast<unsigned long long>(all.rows_written()), used.ru_maxrss / 1024);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string base = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
  const std::uint64_t events = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 200'000;
  const directory d(base);
  writer w(d.path + "/log");
  fill(w, events);
  const log::log_reader log(*w.store);
  const auto tables = exports::current_tables();
  const auto tell = [](const std::string&) {};
  using exporting::target_place;
  try {
    no_target none;
    measure("rows alone", log, none);
    measure("SQLite", log, *exporting::open_sqlite(d.path + "/db", target_place::proper, tables, tell));
    if (argc > 3) measure("PostgreSQL", log, *exporting::open_postgres(argv[3], "annals_bench", target_place::beside, tables, tell));
    measure("CSV", log, *exporting::open_files(d.path + "/csv", {exporting::file_form::csv, false}, target_place::proper, tables));
    measure("CSV, gzip", log, *exporting::open_files(d.path + "/gz", {exporting::file_form::csv, true}, target_place::proper, tables));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
