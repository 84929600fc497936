// How long a scheduling cycle takes: 10,000 queued jobs that all ask for something else while nothing is free, the same
// with some cpus left but none where they help, and 500 one-cpu jobs that start on one vnode.
// Usage: bench_cycle [jobs]. Figures with the machine they were measured on: docs/performance.md.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "actors/scheduler/cycle/cycle.hpp"
#include "events/schema/message.hpp"

using namespace annals;

namespace {

struct shape {
  unsigned jobs = 0, hosts = 1, cpus = 1, used = 0;
  std::function<std::string(unsigned)> schedselect;
};

void put(schema::Attribute::Builder a, const char* name, const char* resource, const std::string& value) {
  a.setName(name);
  a.setResource(resource);
  a.setValue(value);
}

schema::sealed<schema::SchedulingDelta> cluster(const shape& s) {
  return schema::make<schema::SchedulingDelta>([&](schema::SchedulingDelta::Builder d) {
    d.setFull(true);
    d.setSequence(1);
    auto q = d.initQueues(1)[0];
    q.setName("workq");
    put(q.initAttributes(1)[0], "started", "", "True");
    auto vnodes = d.initVnodes(s.hosts);
    for (unsigned i = 0; i < s.hosts; ++i) {
      const std::string name = "h" + std::to_string(i);
      vnodes[i].setName(name);
      vnodes[i].setHost(name);
      vnodes[i].setOrder(i);
      vnodes[i].setState(s.used == s.cpus ? "job-busy" : "free");
      auto a = vnodes[i].initAttributes(2);
      put(a[0], "resources_available", "ncpus", std::to_string(s.cpus));
      put(a[1], "resources_available", "mem", "512gb");
      put(vnodes[i].initAssigned(1)[0], "resources_assigned", "ncpus", std::to_string(s.used));
    }
    auto jobs = d.initJobs(s.jobs);
    for (unsigned i = 0; i < s.jobs; ++i) {
      jobs[i].setSerial(i + 1);
      jobs[i].setId(std::to_string(i) + ".borg");
      jobs[i].setQueue("workq");
      jobs[i].setEuser("user");
      jobs[i].setState('Q');
      jobs[i].setRank(i);
      jobs[i].setSchedselect(s.schedselect(i));
      jobs[i].setPlace("free");
    }
  });
}

double milliseconds(const std::function<void()>& what) {
  const auto began = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

long resident_kb() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

void measure(const char* what, const shape& s) {
  cycle::policy p;
  p.checked_resources = {"ncpus", "mem", "arch", "host", "vnode"};
  const auto full = cluster(s);
  std::vector<double> cycles, intakes;
  std::size_t runs = 0, comments = 0;
  const long before = resident_kb();
  long grown = 0;
  for (int i = 0; i < 11; ++i) {
    cycle::view v;
    intakes.push_back(milliseconds([&] { if (!v.apply(*full)) std::abort(); }));
    if (i == 0) grown = resident_kb() - before;
    cycles.push_back(milliseconds([&] {
      const auto decided = cycle::run_cycle(v, p);
      runs = decided.runs.size();
      comments = decided.comments.size();
    }));
  }
  std::sort(cycles.begin(), cycles.end());
  std::sort(intakes.begin(), intakes.end());
  std::printf("%-44s cycle %7.2f ms median %7.2f max; taking in %7.2f ms; %zu started, %zu different reasons; %ld KB\n", what,
              cycles[5], cycles[10], intakes[5], runs, comments, grown);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned n = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 10'000;
  const auto distinct = [](unsigned i) { return "1:ncpus=" + std::to_string(1 + i % 8) + ":mem=" + std::to_string(1 + i) + "mb"; };
  const auto one_cpu = [](unsigned) { return std::string("1:ncpus=1"); };
  measure("distinct jobs, every vnode busy", {n, 100, 8, 8, distinct});
  measure("distinct jobs, one cpu free on each of 1000",
          {n, 1000, 8, 7, [](unsigned i) { return "1:ncpus=" + std::to_string(2 + i % 7) + ":mem=" + std::to_string(1 + i) + "mb"; }});
  measure("distinct jobs, each larger than the complex", {n, 4, 8, 0, [](unsigned i) { return "1:ncpus=" + std::to_string(100 + i); }});
  measure("equal jobs, nothing free", {n, 100, 8, 8, one_cpu});
  measure("500 one-cpu jobs start on one vnode", {500, 1, 512, 0, one_cpu});
  measure("500 one-cpu jobs start on 500 hosts", {500, 500, 1, 0, one_cpu});
  return 0;
}
