// How long a scheduling cycle takes: 10,000 queued jobs that all ask for something else while nothing is free, the same
// with some cpus left but none where they help, with and without top jobs, and 500 one-cpu jobs that start on one vnode; the first two
// with fairshare over as many entities as there are jobs; and some with run limits for 10,000 users and 1,000 groups, three times in
// turn. Processor time. Usage: bench_cycle [jobs]. Figures with the machine they were measured on:
// docs/performance.md.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "actors/scheduler/cycle/cycle.hpp"
#include "actors/scheduler/cycle/fairshare.hpp"
#include "events/schema/message.hpp"

using namespace annals;

namespace {

struct shape {
  unsigned jobs = 0, hosts = 1, cpus = 1, used = 0;
  std::function<std::string(unsigned)> schedselect;
  bool fairshare = false, shuffled = false;
  bool strict = false;      // with a backfill_depth of 10; what is used is held by two jobs on each host, each with another end
  int walltime = 3600;      // of queued jobs
  bool little_new = false;  // the cycle before decided the same
  std::string formula = {};
  bool limited = false;  // run limits of server and queue for 10,000 users and 1,000 groups, which nobody has reached
};

constexpr std::int64_t now = 1'795'359'430;

std::string user(unsigned i) { return "user" + std::to_string(i); }

constexpr unsigned limited_users = 10'000, limited_groups = 1'000;
std::string named_limits() {
  std::string text = "[u:PBS_GENERIC=500],[g:PBS_GENERIC=5000]";
  for (unsigned i = 0; i < limited_users; ++i) text += ",[u:" + user(i) + "=" + std::to_string(500 + i) + "]";
  for (unsigned i = 0; i < limited_groups; ++i) text += ",[g:group" + std::to_string(i) + "=" + std::to_string(5000 + i) + "]";
  return text;
}

// A user of each job, in a hundred groups.
std::string resource_group(unsigned users) {
  std::string text;
  for (unsigned g = 0; g < 100; ++g)
    text += "group" + std::to_string(g) + " " + std::to_string(g + 2) + " root " + std::to_string(1 + g % 7) + "\n";
  for (unsigned i = 0; i < users; ++i)
    text += user(i) + " " + std::to_string(i + 1000) + " group" + std::to_string(i % 100) + " " + std::to_string(1 + i % 5) + "\n";
  return text;
}

schema::sealed<schema::SchedulingDelta> usages(unsigned users) {
  return schema::make<schema::SchedulingDelta>([&](schema::SchedulingDelta::Builder d) {
    d.setPrevious(1);
    d.setSequence(1);
    d.setUsagesChanged(true);
    auto list = d.initUsages(users);
    for (unsigned i = 0; i < users; ++i) {
      list[i].setEntity(user(i));
      list[i].setUsage(1 + (i * 7919) % 100'000);
    }
  });
}

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
    auto of_queue = q.initAttributes(s.limited ? 3 : 1);
    put(of_queue[0], "started", "", "True");
    if (s.limited) {
      put(of_queue[1], "max_run", "", "[u:PBS_GENERIC=500],[g:PBS_GENERIC=5000]");
      put(of_queue[2], "max_run_res", "ncpus", "[u:PBS_GENERIC=5000],[o:PBS_ALL=1000000]");
      auto of_server = d.initServer(2);
      put(of_server[0], "max_run", "", named_limits());
      put(of_server[1], "max_run_res", "mem", "[u:PBS_GENERIC=1000tb],[g:PBS_GENERIC=9000tb]");
    }
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
      if (!s.strict) continue;
      auto on = vnodes[i].initJobs(2);
      on[0].setJob(s.jobs + 1 + 2 * i);
      on[1].setJob(s.jobs + 2 + 2 * i);
    }
    if (s.strict) put(d.initServer(1)[0], "backfill_depth", "", "10");
    if (!s.formula.empty()) put(d.initServer(1)[0], "job_sort_formula", "", s.formula);
    auto jobs = d.initJobs(s.jobs + (s.strict ? 2 * s.hosts : 0));
    for (unsigned i = 0; i < jobs.size() - s.jobs; ++i) {
      auto j = jobs[s.jobs + i];
      const unsigned cpus = i % 2 == 0 ? s.used / 2 : s.used - s.used / 2;
      const std::string host = "h" + std::to_string(i / 2);
      j.setSerial(s.jobs + i + 1);
      j.setId(std::to_string(s.jobs + i) + ".borg");
      j.setQueue("workq");
      j.setState('R');
      j.setStartedNs((now - i) * 1'000'000'000);
      put(j.initResources(1)[0], "Resource_List", "walltime", "10:00:00");
      j.setSchedselect("1:ncpus=" + std::to_string(cpus));
      j.setExecVnode("(" + host + ":ncpus=" + std::to_string(cpus) + ")");
      j.setExecHost(host + "/" + std::to_string(i % 2) + "*" + std::to_string(cpus));
    }
    for (unsigned i = 0; i < s.jobs; ++i) {
      jobs[i].setSerial(i + 1);
      jobs[i].setId(std::to_string(i) + ".borg");
      jobs[i].setQueue("workq");
      jobs[i].setEuser(user(i % limited_users));
      jobs[i].setEgroup("group" + std::to_string(i % limited_groups));
      jobs[i].setProject("_pbs_project_default");
      put(jobs[i].initResources(1)[0], "Resource_List", "walltime", std::to_string(s.walltime));
      jobs[i].setState('Q');
      jobs[i].setRank(s.shuffled ? (i * 7919) % 10'007 : i);
      jobs[i].setPriority(static_cast<std::int32_t>(i % 97));
      jobs[i].setSchedselect(s.schedselect(i));
      jobs[i].setPlace("free");
    }
  });
}

// Of processor time of this thread: what others take of the machine meanwhile counts only by the caches they use.
double milliseconds_now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}
double milliseconds(const std::function<void()>& what) {
  const auto began = milliseconds_now();
  what();
  return milliseconds_now() - began;
}

long resident_kb() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

void measure(const char* what, const shape& s) {
  const std::string config = "resources: \"ncpus, mem, arch, host, vnode\"\n";
  const std::string sharing = "fair_share: true ALL\nfairshare_usage_res: walltime\n";
  const std::string all = config + (s.strict ? "strict_ordering: true ALL\n" : "");
  const auto p = cycle::parse_policy(s.fairshare ? cycle::policy_text({all + sharing, resource_group(s.jobs)}) : all).value;
  const auto full = cluster(s);
  const auto used = usages(s.jobs);
  std::vector<double> cycles, intakes;
  std::size_t runs = 0, comments = 0;
  const long before = resident_kb();
  long grown = 0;
  for (int i = 0; i < 11; ++i) {
    cycle::view v;
    v.count_by(p.sharing);
    intakes.push_back(milliseconds([&] { if (!v.apply(*full)) std::abort(); }));
    if (s.fairshare && !v.apply(*used)) std::abort();
    if (s.fairshare) cycle::fairshare_order(v, v.shares().stand(p.sharing.tree), {}, false);  // as a cycle before it did
    if (i == 0) grown = resident_kb() - before;
    if (s.little_new)
      for (const auto& e : cycle::run_cycle(v, p, now).estimates) v.jobs().set_estimate(e.at, e.start, e.exec_vnode, !e.former);
    cycles.push_back(milliseconds([&] {
      const auto decided = cycle::run_cycle(v, p, now);
      runs = decided.runs.size();
      comments = decided.comments.size();
    }));
  }
  std::sort(cycles.begin(), cycles.end());
  std::sort(intakes.begin(), intakes.end());
  std::printf("%-44s cycle %7.2f ms least %7.2f median; taking in %7.2f ms; %zu started, %zu different reasons; %ld KB\n", what,
              cycles[0], cycles[5], intakes[5], runs, comments, grown);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned n = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 10'000;
  const auto distinct = [](unsigned i) { return "1:ncpus=" + std::to_string(1 + i % 8) + ":mem=" + std::to_string(1 + i) + "mb"; };
  const auto one_cpu = [](unsigned) { return std::string("1:ncpus=1"); };
  measure("distinct jobs, every vnode busy", {n, 100, 8, 8, distinct});
  const auto too_wide = [](unsigned i) { return "1:ncpus=" + std::to_string(2 + i % 7) + ":mem=" + std::to_string(1 + i) + "mb"; };
  measure("the same in another order", {n, 100, 8, 8, distinct, false, true});
  measure("the same with fairshare", {n, 100, 8, 8, distinct, true});
  shape with_formula{n, 100, 8, 8, distinct};
  with_formula.formula = "job_priority * 10 + max(walltime, 60) / 60.0 + (5 if mem > 100 else 0)";
  measure("the same with job_sort_formula", with_formula);
  measure("distinct jobs, one cpu free on each of 1000", {n, 1000, 8, 7, too_wide});
  measure("the same with fairshare", {n, 1000, 8, 7, too_wide, true});
  shape strict{n, 1000, 8, 7, too_wide, true};
  strict.strict = true;
  measure("with strict_ordering, 10 top jobs", strict);
  strict.little_new = true;
  measure("the same in the next cycle", strict);
  // The first ten want many vnodes, the others one cpu for longer than the first can wait.
  shape booked{n, 1000, 8, 7, [&](unsigned i) { return i < 10 ? "300:ncpus=8" : "1:ncpus=1:mem=" + std::to_string(1 + i) + "mb"; }};
  booked.strict = true;
  booked.walltime = 20 * 3600;
  measure("ten wide top jobs before jobs for one cpu", booked);
  booked.little_new = true;
  measure("the same in the next cycle", booked);
  measure("distinct jobs, each larger than the complex", {n, 4, 8, 0, [](unsigned i) { return "1:ncpus=" + std::to_string(100 + i); }});
  measure("equal jobs, nothing free", {n, 100, 8, 8, one_cpu});
  measure("500 one-cpu jobs start on one vnode", {500, 1, 512, 0, one_cpu});
  for (int again = 0; again < 3; ++again)
    for (const bool limited : {false, true}) {
      const auto in_turn = [&](const char* what, shape s) {
        s.limited = limited;
        measure((std::string(what) + (limited ? ", limits for everybody" : "")).c_str(), s);
      };
      in_turn("distinct jobs, every vnode busy", {n, 100, 8, 8, distinct});
      in_turn("equal jobs, nothing free", {n, 100, 8, 8, one_cpu});
      in_turn("distinct jobs, one cpu free on each of 1000", {n, 1000, 8, 7, too_wide});
    }
  measure("500 one-cpu jobs start on 500 hosts", {500, 500, 1, 0, one_cpu});
  measure("the same with fairshare", {500, 500, 1, 0, one_cpu, true});
  return 0;
}
