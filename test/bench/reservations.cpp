// How long a scheduling cycle takes beside many standing reservations: a thousand of a year of days, of which the next
// limits::occurrences_ahead_max occurrences have places, without jobs, and with jobs of as many walltimes as there are jobs, with and
// without top jobs; and when all of them are asked for at once, how long each cycle takes until the last one has its places. Processor
// time. Usage: bench_reservations [reservations]. Figures with the machine they were measured on: docs/performance.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "actors/scheduler/cycle/cycle.hpp"
#include "events/model/limits.hpp"
#include "events/schema/message.hpp"

using namespace annals;

namespace {

constexpr std::int64_t now = 1'795'359'430, hour = 3600, day = 24 * hour, second_ns = 1'000'000'000;
constexpr unsigned vnodes = 1000, cpus = 8;
constexpr std::uint64_t first_serial = 100'000;

struct shape {
  unsigned reservations = 0, jobs = 0;
  bool asked = false, strict = false;
};

void put(schema::Attribute::Builder a, const char* name, const char* resource, const std::string& value) {
  a.setName(name);
  a.setResource(resource);
  a.setValue(value);
}

void fill_jobs(schema::SchedulingDelta::Builder d, unsigned count) {
  auto jobs = d.initJobs(count);
  for (unsigned i = 0; i < count; ++i) {
    jobs[i].setSerial(i + 1);
    jobs[i].setId(std::to_string(i) + ".borg");
    jobs[i].setQueue("workq");
    jobs[i].setEuser("user");
    jobs[i].setState('Q');
    jobs[i].setRank(i);
    put(jobs[i].initResources(1)[0], "Resource_List", "walltime", std::to_string((i + 1) * hour));
    jobs[i].setSchedselect(i % 10 == 0 ? "900:ncpus=8" : "1:ncpus=8");
    jobs[i].setPlace("free");
  }
}

// Four cpus of one vnode for an hour each day.
void fill_reservation(schema::SchedReservation::Builder r, unsigned i, bool asked) {
  r.setSerial(first_serial + i);
  r.setId("S" + std::to_string(i) + ".borg");
  r.setQueue("S" + std::to_string(i));
  r.setKind(schema::ReservationKind::STANDING);
  r.setSchedselect("1:ncpus=4");
  r.setPlace("free");
  constexpr auto windows = static_cast<unsigned>(limits::occurrences_ahead_max);
  const auto start = [&](unsigned n) { return (now + (1 + i % 20) * hour + n * day) * second_ns; };
  if (asked) {
    r.setAsk(1);
    auto wanted = r.initWanted(windows);
    for (unsigned n = 0; n < windows; ++n) {
      wanted[n].setIndex(n + 1);
      wanted[n].setStartNs(start(n));
      wanted[n].setEndNs(start(n) + hour * second_ns);
    }
    return;
  }
  auto places = r.initPlaces(windows);
  for (unsigned n = 0; n < windows; ++n) {
    places[n].setIndex(n + 1);
    places[n].setStartNs(start(n));
    places[n].setEndNs(start(n) + hour * second_ns);
    places[n].setExecVnode("(h" + std::to_string(i % vnodes) + ":ncpus=4)");
  }
}

schema::sealed<schema::SchedulingDelta> cluster(const shape& s) {
  return schema::make<schema::SchedulingDelta>([&](schema::SchedulingDelta::Builder d) {
    d.setFull(true);
    d.setSequence(1);
    auto q = d.initQueues(1)[0];
    q.setName("workq");
    put(q.initAttributes(1)[0], "started", "", "True");
    put(d.initServer(1)[0], "backfill_depth", "", "10");
    auto list = d.initVnodes(vnodes);
    for (unsigned i = 0; i < vnodes; ++i) {
      const std::string name = "h" + std::to_string(i);
      list[i].setName(name);
      list[i].setHost(name);
      list[i].setOrder(i);
      list[i].setState("free");
      put(list[i].initAttributes(1)[0], "resources_available", "ncpus", std::to_string(cpus));
    }
    fill_jobs(d, s.jobs);
    auto reservations = d.initReservations(s.reservations);
    for (unsigned i = 0; i < s.reservations; ++i) fill_reservation(reservations[i], i, s.asked);
  });
}

double milliseconds(const std::function<void()>& what) {
  const auto read = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
  };
  const auto began = read();
  what();
  return read() - began;
}

cycle::policy policy_of(const shape& s) {
  const std::string resources = "resources: \"ncpus, mem, arch, host, vnode\"\n";
  return cycle::parse_policy(resources + (s.strict ? "strict_ordering: true ALL\n" : "")).value;
}

void measure(const char* what, const shape& s) {
  const auto p = policy_of(s);
  const auto full = cluster(s);
  std::vector<double> cycles;
  std::size_t runs = 0;
  for (int i = 0; i < 11; ++i) {
    cycle::view v;
    if (!v.apply(*full)) std::abort();
    cycles.push_back(milliseconds([&] { runs = cycle::run_cycle(v, p, now).runs.size(); }));
  }
  std::sort(cycles.begin(), cycles.end());
  std::printf("%-52s %7.2f ms least %7.2f median; %zu started\n", what, cycles[0], cycles[5], runs);
}

// The server takes each answer: the reservation has its places then, and is no question any more.
void measure_questions(const shape& s) {
  const auto p = policy_of(s);
  cycle::view v;
  if (!v.apply(*cluster(s))) std::abort();
  std::vector<double> cycles;
  std::size_t answered = 0;
  std::uint64_t sequence = 1;
  for (bool left = true; left;) {
    std::vector<unsigned> confirmed;
    cycles.push_back(milliseconds([&] {
      const auto decided = cycle::run_cycle(v, p, now);
      left = decided.left_questions;
      for (const auto& a : decided.answers) confirmed.push_back(static_cast<unsigned>(a.reservation - first_serial));
    }));
    answered += confirmed.size();
    const auto delta = schema::make<schema::SchedulingDelta>([&](schema::SchedulingDelta::Builder d) {
      d.setPrevious(sequence);
      d.setSequence(++sequence);
      auto list = d.initReservations(static_cast<unsigned>(confirmed.size()));
      for (unsigned i = 0; i < list.size(); ++i) fill_reservation(list[i], confirmed[i], false);
    });
    if (!v.apply(*delta)) std::abort();
  }
  std::sort(cycles.begin(), cycles.end());
  std::printf("%zu questions in %zu cycles: a cycle %.2f ms median %.2f most\n", answered, cycles.size(), cycles[cycles.size() / 2],
              cycles.back());
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned n = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1000;
  measure("nothing reserved, 1000 jobs", {0, 1000});
  measure("reservations and no jobs", {n, 0});
  measure("reservations and 1000 jobs", {n, 1000});
  measure("the same with strict_ordering, 10 top jobs", {n, 1000, false, true});
  measure_questions({n, 0, true});
  return 0;
}
