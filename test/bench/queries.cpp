// What each query costs a large site: 10,000 vnodes, 100,000 jobs, 1,000 standing reservations of 30 windows and 100 queues, in one status.
// A full list, the longest part of it (nobody else is answered meanwhile), and one object. Processor time of the thread that answers.
// usage: bench_queries [WORD]      only the queries in whose line the word is
#include <algorithm>
#include <ctime>
#include <memory>

#include "projections/status/fairshare_query.hpp"
#include "projections/status/query.hpp"
#include "test/bench/log_bench.hpp"
#include "test/support/told_records.hpp"

using namespace annals;
using namespace annals::bench;

namespace {

constexpr std::uint64_t vnodes = 10'000, jobs = 100'000, running = 10'000, reservations = 1000, queues = 100, windows = 30;
constexpr std::size_t rows_of_part = 1024;  // as actors/queries/long_answers.hpp has it
constexpr std::uint64_t first_host = 10'000'000, first_queue = 20'000'000, first_reservation = 30'000'000, server = 1, scheduler = 2;
constexpr std::int64_t second_ns = 1'000'000'000, day_ns = 86'400 * second_ns;

const model::requester manager{"root", "borg", schema::Role::MANAGER}, user{"alice", "front", schema::Role::USER};

std::string vnode(std::uint64_t n) { return "node" + std::to_string(n); }
std::string queue(std::uint64_t n) { return n == 0 ? "workq" : "queue" + std::to_string(n); }
std::string reservation(std::uint64_t n) { return "S" + std::to_string(n); }

class large_site {
 public:
  projections::status now;

  large_site() {
    put(server, [](auto e) { e.initServer().initStarted().setServerName("borg"); });
    put(scheduler, [](auto e) { e.initScheduler().initCreated().setName("default"); });
    for (std::uint64_t n = 0; n < queues; ++n) put(first_queue + n, [&](auto e) { e.initQueue().initCreated().setName(queue(n)); });
    for (std::uint64_t n = 0; n < vnodes; ++n) {
      put(first_host + n, [&](auto e) { e.initHost().initAdded().setName(vnode(n)); });
      put(first_host + n, [&](auto e) { e.initHost().initVnodeCreated().setName(vnode(n)); });
    }
    for (std::uint64_t n = 0; n < reservations; ++n) reserve(n);
    for (std::uint64_t n = 1; n <= jobs; ++n) submit(n);
    for (std::uint64_t n = 1; n <= running; ++n) run(n);
  }

 private:
  template <class Fill>
  void put(std::uint64_t stream, Fill&& fill) {
    now.fold(records_.next(stream, [&](schema::Event::Builder e) { fill(e); }));
  }

  void submit(std::uint64_t n) {
    const auto event = job_queued(n);
    put(job(n), [&](auto e) {
      e.setJob(event.get().getJob());
      e.getJob().getQueued().setQueue(queue(n % queues));
      const auto name = "user" + std::to_string(n % 1000);
      e.getJob().getQueued().setEuser(name);
      e.getJob().getQueued().setOwner(name + "@front");
    });
  }

  void run(std::uint64_t n) {
    const auto on = vnode(n % vnodes);
    put(job(n), [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(1);
      a.setExecVnode("(" + on + ":ncpus=4:mem=2097152kb)");
      a.setExecHost(on + "/0*4");
      a.setScheduler("default");
      a.initHosts(1).set(0, on);
    });
    const auto started = job_started(n);
    put(job(n), [&](auto e) { e.setJob(started.get().getJob()); });
  }

  // Each has an hour a day on 500 vnodes: half a million places.
  void reserve(std::uint64_t n) {
    const auto start = [&](std::uint64_t window) {
      return static_cast<std::int64_t>(n % 20 * 3600) * second_ns + static_cast<std::int64_t>(window) * day_ns;
    };
    const auto stream = first_reservation + n;
    put(stream, [&](auto e) {
      auto s = e.initReservation().initSubmitted();
      s.setId(reservation(n));
      s.setKind(schema::ReservationKind::STANDING);
      auto list = s.initOccurrences(windows);
      for (unsigned w = 0; w < windows; ++w) fill_window(list[w], w, start(w));
    });
    const auto place = n == 0 ? many_vnodes() : "(" + vnode(n) + ":ncpus=1)";
    put(stream, [&](auto e) {
      auto c = e.initReservation().initConfirmed();
      c.setScheduler("default");
      auto list = c.initOccurrences(windows);
      for (unsigned w = 0; w < windows; ++w) {
        fill_window(list[w], w, start(w));
        list[w].setExecVnode(place);
      }
    });
    put(first_queue + queues + n, [&](auto e) {
      auto q = e.initQueue().initCreated();
      q.setName(reservation(n));
      q.setReservation(stream);
    });
  }
  static std::string many_vnodes() {
    std::string place;
    for (unsigned n = 0; n < 500; ++n) place += (n ? "+(" : "(") + vnode(n) + ":ncpus=1)";
    return place;
  }
  template <class Window>
  static void fill_window(Window to, unsigned w, std::int64_t start_ns) {
    to.setIndex(w + 1);
    to.setStartNs(start_ns);
    to.setEndNs(start_ns + 3600 * second_ns);
  }
  static std::uint64_t job(std::uint64_t n) { return 100 + n; }

  test::told_records records_;
};

double milliseconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

struct cost {
  double whole = 0, longest_part = 0;
  std::size_t objects = 0;
};

// As the query actor answers it.
cost ask(const projections::status& now, const schema::sealed<schema::Request>& request, const model::requester& by) {
  cost c;
  const projections::send_reply send = [&](const schema::sealed<schema::Reply>& r) {
    c.objects += r.get().isObjects() ? r.get().getObjects().getObjects().size() : r.get().getJobs().size();
  };
  const auto timed = [&](auto&& part) {
    const auto began = milliseconds();
    part();
    const auto took = milliseconds() - began;
    c.whole += took;
    c.longest_part = std::max(c.longest_part, took);
  };
  std::unique_ptr<projections::answer_in_parts> rest;
  bool more = false;
  timed([&] {
    rest = projections::begin_answer(now, request, by);
    if (rest) more = rest->go_on(now, send, 0, rows_of_part);
    else projections::answer_stat(now, 1, request.get().getStat(), by, send);
  });
  while (more) timed([&] { more = rest->go_on(now, send, 0, rows_of_part); });
  return c;
}

cost median_of(const projections::status& now, const schema::sealed<schema::Request>& request, const model::requester& by) {
  std::vector<cost> all;
  for (int i = 0; i < 7; ++i) all.push_back(ask(now, request, by));
  std::sort(all.begin(), all.end(), [](const cost& a, const cost& b) { return a.whole < b.whole; });
  return all[3];
}

std::string_view chosen;  // the word

void row(const char* what, const projections::status& now, const schema::sealed<schema::Request>& request,
         const model::requester& by = manager) {
  if (std::string_view(what).find(chosen) == std::string_view::npos) return;
  const auto c = median_of(now, request, by);
  std::printf("%-46s %8.2f ms, longest part %6.2f ms, %zu objects\n", what, c.whole, c.longest_part, c.objects);
}

schema::sealed<schema::Request> stat(schema::ObjectKind kind, const std::string& name = {}) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto s = r.initStat();
    s.setKind(kind);
    if (!name.empty()) s.initNames(1).set(0, name);
  });
}

schema::sealed<schema::Request> jobs_of_queue(const std::string& name) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto c = r.initSelectJobs().initCriteria(1)[0];
    c.setName("queue");
    c.setOp(schema::CompareOp::EQ);
    c.setValue(name);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) chosen = argv[1];
  const auto site = std::make_unique<large_site>();
  const auto& now = site->now;
  using kind = schema::ObjectKind;
  row("qstat: all jobs", now, stat(kind::JOB));
  row("qstat: one job", now, stat(kind::JOB, "77.borg"));
  row("qstat, by an ordinary user: all jobs", now, stat(kind::JOB), user);
  row("qselect -q: jobs of one queue", now, jobs_of_queue("queue7"));
  row("pbsnodes -a: all vnodes", now, stat(kind::NODE));
  row("pbsnodes: one vnode", now, stat(kind::NODE, vnode(7)));
  row("pbsnodes -H: one host", now, stat(kind::HOST, vnode(7)));
  row("pbs_rstat: all reservations", now, stat(kind::RESERVATION));
  row("pbs_rstat: one reservation", now, stat(kind::RESERVATION, reservation(7)));
  row("qstat -Q: all queues", now, stat(kind::QUEUE));
  row("qstat -Q: one queue", now, stat(kind::QUEUE, "queue7"));
  row("qstat -B: the server", now, stat(kind::SERVER));
  row("list sched", now, stat(kind::SCHEDULER));
  return 0;
}
