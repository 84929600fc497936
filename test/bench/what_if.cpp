// pbs_sched --replay --policy over a year of jobs: how many a second.
// usage: bench_what_if [DIRECTORY [JOBS [HOSTS]]]
#include <algorithm>
#include <queue>
#include <random>

#include "test/bench/log_bench.hpp"
#include "tools/replay/comparison.hpp"

using namespace annals;
using namespace annals::bench;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000, year_s = 365 * 24 * 3600;
constexpr unsigned cpus = 64;
constexpr double load = 0.85;  // of all cpus: jobs wait now and then

struct told_time : ports::clock {
  std::int64_t ns = 1'764'000'000 * second_ns;
  std::int64_t now_ns() const override { return ns; }
};

// A year of a busy cluster, with the events that a job leaves at least.
class busy_year {
 public:
  busy_year(ports::event_store& store, std::uint64_t jobs, unsigned hosts) : log_(store, clock_), jobs_(jobs), hosts_(hosts) {}

  void write() {
    put(0, [](auto e) { e.initServer().initStarted().setServerName("borg"); });
    const auto queue = put(0, [](auto e) { e.initQueue().initCreated().setName("workq"); });
    put(queue, [](auto e) {
      auto c = e.initQueue().initChanged().initChanges(2);
      c[0].setName("queue_type");
      c[0].setValue("Execution");
      c[1].setName("started");
      c[1].setValue("True");
    });
    for (unsigned h = 0; h < hosts_; ++h) add_host("node" + std::to_string(h));
    put(0, [](auto e) { e.initScheduler().initCreated().setName("default"); });
    const double gap_s = static_cast<double>(year_s) / static_cast<double>(jobs_);
    const double mean_run_s = load * hosts_ * cpus * gap_s / mean_cpus;
    std::exponential_distribution<double> gaps(1 / gap_s), runs(1 / mean_run_s);
    double at_s = 0;
    const auto from_ns = clock_.ns;
    for (std::uint64_t n = 1; n <= jobs_; ++n) {
      at_s += gaps(random_);
      const auto at_ns = from_ns + static_cast<std::int64_t>(at_s * 1e9);
      end_until(at_ns);
      submit(n, at_ns, std::max(1.0, runs(random_)));
    }
    end_until(INT64_MAX);
    commit();
  }

 private:
  struct end_of_job {
    std::int64_t at_ns;
    std::uint64_t stream;
    bool operator>(const end_of_job& o) const { return at_ns > o.at_ns; }
  };
  static constexpr unsigned wanted[] = {1, 2, 4, 8, 16, 32};
  static constexpr double mean_cpus = 63.0 / 6;

  void add_host(const std::string& name) {
    const auto host = put(0, [&](auto e) { e.initHost().initAdded().setName(name); });
    put(host, [&](auto e) { e.initHost().initVnodeCreated().setName(name); });
    put(host, [&](auto e) {
      auto v = e.initHost().initCameUp().initVnodes(1)[0];
      v.setName(name);
      auto a = v.initAttributes(2);
      a[0].setName("resources_available");
      a[0].setResource("ncpus");
      a[0].setValue(std::to_string(cpus));
      a[1].setName("resources_available");
      a[1].setResource("mem");
      a[1].setValue("256gb");
    });
  }

  void submit(std::uint64_t number, std::int64_t at_ns, double runs_s) {
    clock_.ns = std::max(clock_.ns, at_ns);
    const auto ncpus = std::to_string(wanted[random_() % 6]);
    const auto select = "1:ncpus=" + ncpus + ":mem=" + ncpus + "gb";
    const auto user = "user" + std::to_string(random_() % 50);
    const auto job = put(0, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(std::to_string(number) + ".borg");
      q.setNumber(number);
      q.setOwner(user + "@front");
      q.setEuser(user);
      q.setEgroup("users");
      q.setQueue("workq");
      q.setQueueRank(at_ns / 1000);
      const std::pair<const char*, std::string> resources[] = {
          {"mem", ncpus + "gb"}, {"ncpus", ncpus}, {"nodect", "1"}, {"place", "free"}, {"select", select}, {"walltime", "24:00:00"}};
      auto a = q.initAttributes(8);
      unsigned i = 0;
      for (const auto& [name, value] : resources) {
        a[i].setName("Resource_List");
        a[i].setResource(name);
        a[i++].setValue(value);
      }
      a[i].setName("Job_Name");
      a[i++].setValue("simulate");
      a[i].setName("schedselect");
      a[i].setValue(select);
    });
    put(job, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(1);
      a.setExecVnode("(node0:ncpus=" + ncpus + ")");
      a.setExecHost("node0/0*" + ncpus);
      a.setScheduler("default");
      a.initHosts(1).set(0, "node0");
    });
    put(job, [](auto e) { e.initJob().initStarted().setRun(1); });
    ends_.push({clock_.ns + static_cast<std::int64_t>(runs_s * 1e9), job});
  }

  void end_until(std::int64_t ns) {
    for (; !ends_.empty() && ends_.top().at_ns <= ns; ends_.pop()) {
      clock_.ns = std::max(clock_.ns, ends_.top().at_ns);
      const auto job = ends_.top().stream;
      put(job, [](auto e) { e.initJob().initExited().setRun(1); });
      put(job, [](auto e) { e.initJob().initVnodesReleased().setRun(1); });
      put(job, [](auto e) { e.initJob().initEnded().setHasExitStatus(true); });
    }
  }

  template <class Fill>
  std::uint64_t put(std::uint64_t stream, Fill&& fill) {
    log::append a;
    a.stream = stream;
    a.expected_version = log_.last_version(stream);
    a.events.push_back(model::make_event([&](schema::Event::Builder e) { fill(e); }));
    const auto made = std::get<log::staged>(log_.stage(std::move(a))).stream;
    if (++written_ % 2000 == 0) commit();
    return made;
  }
  void commit() {
    std::vector<log::record_ptr> records;
    if (auto ok = log_.commit(records); !ok) {
      std::fprintf(stderr, "%s\n", ok.text.c_str());
      std::exit(1);
    }
  }

  told_time clock_;
  log::event_log log_;
  const std::uint64_t jobs_;
  const unsigned hosts_;
  std::mt19937_64 random_{1};
  std::priority_queue<end_of_job, std::vector<end_of_job>, std::greater<>> ends_;
  std::uint64_t written_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string base = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
  const std::uint64_t jobs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100'000;
  const unsigned hosts = argc > 3 ? static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)) : 50;
  directory d(base);
  const auto store = open_or_exit(d.path + "/log");
  auto begin = steady::now();
  busy_year(*store, jobs, hosts).write();
  std::printf("%-28s %.1f s, %llu records\n", "writing", seconds_since(begin), static_cast<unsigned long long>(store->last_sequence()));

  const log::log_reader reader(*store);
  const auto go_on = [] { return true; };
  replay::histories recorded;
  begin = steady::now();
  if (const auto read = replay::read_histories(reader, store->last_sequence(), "default", go_on, recorded); !read)
    return std::fprintf(stderr, "%s\n", read.text.c_str()), 1;
  std::printf("%-28s %.1f s\n", "reading the history", seconds_since(begin));
  begin = steady::now();
  const auto outcome =
      replay::simulate(reader, recorded, {"default", "by_queue: False all\nround_robin: False all\nresources: \"ncpus, mem\"\n"}, go_on);
  const auto took = seconds_since(begin);
  std::printf("%-28s %.1f s, %.0f jobs/s, %.0f cycles/s\n", "simulating", took, static_cast<double>(jobs) / took,
              static_cast<double>(outcome.cycles) / took);
  std::fputs(replay::comparison_text(replay::compare(recorded, outcome)).substr(0, 800).c_str(), stdout);
  return outcome.trouble.empty() ? 0 : 1;
}
