// How many durable submissions a second a running server takes: over persistent connections with many requests in
// flight, or one `qsub` after the other. The jobs are held, so that nothing else happens meanwhile. Usage: bench_submit
// connections IN_FLIGHT SECONDS [CONNECTIONS] | refused IN_FLIGHT COUNT | alter JOB IN_FLIGHT COUNT | commands QSUB COUNT |
// dependents IN_FLIGHT COUNT: so many jobs that wait for one, and how long it takes to set them free when that one has ended.
// (PBS_CONF_FILE names the cluster) Figures with the machine they were measured on: docs/performance.md.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "tools/client/session.hpp"

using namespace annals;
using clock_type = std::chrono::steady_clock;

namespace {

double ms_since(clock_type::time_point from) {
  return std::chrono::duration<double, std::milli>(clock_type::now() - from).count();
}

void report(const char* what, std::vector<double> latencies_ms, double seconds) {
  if (latencies_ms.empty()) {
    std::printf("%s: nothing was done\n", what);
    return;
  }
  std::sort(latencies_ms.begin(), latencies_ms.end());
  const auto at = [&](double share) {
    return latencies_ms[static_cast<std::size_t>(share * static_cast<double>(latencies_ms.size() - 1))];
  };
  std::printf("%s: %zu in %.2f s = %.0f a second; latency ms p50 %.3f p90 %.3f p99 %.3f max %.3f\n", what,
              latencies_ms.size(), seconds, static_cast<double>(latencies_ms.size()) / seconds, at(0.5), at(0.9),
              at(0.99), latencies_ms.back());
}

void put(schema::Attribute::Builder a, const char* name, const char* value) {
  a.setName(name);
  a.setValue(value);
}

// What `qsub -h -- /bin/true` sends, with a short environment.
void fill_job(schema::Request::Builder r, const std::string& depend) {
  auto job = r.initQueueJob();
  job.setSubmitHost("bench");
  auto list = job.initAttributes(depend.empty() ? 5 : 6);
  if (!depend.empty()) put(list[5], "depend", depend.c_str());
  put(list[0], "Job_Name", "STDIN");
  put(list[1], "Hold_Types", "u");
  put(list[2], "Variable_List", "PBS_O_HOME=/tmp,PBS_O_WORKDIR=/tmp,PBS_O_SYSTEM=Linux");
  put(list[3], "Submit_arguments", "-h -- /bin/true");
  put(list[4], "executable", "<jsdl-hpcpa:Executable>/bin/true</jsdl-hpcpa:Executable>");
}

void fill_held(schema::Request::Builder r) { fill_job(r, ""); }

// The same requests again and again while `more` says so; each is done, or each is refused.
template <class Fill, class More>
std::vector<double> one_connection(unsigned in_flight, Fill fill, More more, bool refused = false) {
  std::vector<double> latencies;
  std::map<std::uint64_t, clock_type::time_point> sent;
  auto server = client::session::open();
  while (true) {
    while (sent.size() < in_flight && more()) {
      const auto when = clock_type::now();
      sent[server.send(fill)] = when;
    }
    if (sent.empty()) return latencies;
    const auto r = server.receive();
    if ((*r).isRejected() != refused) {
      std::fprintf(stderr, "not expected: %s\n", refused ? "it was done" : (*r).getRejected().getText().cStr());
      std::exit(1);
    }
    const auto at = sent.find((*r).getId());
    latencies.push_back(ms_since(at->second));
    sent.erase(at);
  }
}

int connections(unsigned in_flight, double seconds, unsigned count) {
  const auto start = clock_type::now();
  const auto end = start + std::chrono::duration_cast<clock_type::duration>(std::chrono::duration<double>(seconds));
  std::vector<std::vector<double>> each(count);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back([&, i] { each[i] = one_connection(in_flight, fill_held, [&] { return clock_type::now() < end; }); });
  for (auto& t : threads) t.join();
  const double took = ms_since(start) / 1000;
  std::vector<double> all;
  for (const auto& e : each) all.insert(all.end(), e.begin(), e.end());
  report((std::to_string(count) + " connections, " + std::to_string(in_flight) + " in flight").c_str(), all, took);
  return 0;
}

// Submissions that a hook rejects: no job comes of them, only the record of the hook's run.
int refused(unsigned in_flight, unsigned count) {
  const auto start = clock_type::now();
  unsigned sent = 0;
  const auto all = one_connection(
      in_flight, fill_held, [&] { return sent++ < count; }, true);
  report("refused submissions", all, ms_since(start) / 1000);
  return 0;
}

// qalter of one job to what it is already: its hooks run, and it is written down that somebody asked.
int alter(const std::string& job, unsigned in_flight, unsigned count) {
  const auto start = clock_type::now();
  unsigned sent = 0;
  const auto fill = [&](schema::Request::Builder r) {
    auto a = r.initAlterJob();
    a.setJob(job);
    put(a.initChanges(1)[0], "Priority", "0");
  };
  const auto all = one_connection(in_flight, fill, [&] { return sent++ < count; });
  report("qalter of one job to what it is already", all, ms_since(start) / 1000);
  return 0;
}

int commands(const char* qsub, unsigned count) {
  std::vector<double> latencies;
  const auto start = clock_type::now();
  for (unsigned i = 0; i < count; ++i) {
    const auto one = clock_type::now();
    const pid_t child = vfork();
    if (child == 0) {
      execl(qsub, "qsub", "-z", "-h", "--", "/bin/true", static_cast<char*>(nullptr));
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return 1;
    latencies.push_back(ms_since(one));
  }
  report("qsub after qsub", latencies, ms_since(start) / 1000);
  return 0;
}

bool still_depends(client::session& server, const std::string& id) {
  bool depends = false;
  server.query(
      [&](schema::Request::Builder r) {
        auto stat = r.initStat();
        stat.setKind(schema::ObjectKind::JOB);
        stat.initNames(1).set(0, id);
      },
      [&](schema::Reply::Reader reply) {
        if (!reply.isObjects()) return;
        for (auto object : reply.getObjects().getObjects()) {
          const auto packed = object.getAttributes();
          const auto set = attributes::attribute_set::from_packed({reinterpret_cast<const char*>(packed.begin()), packed.size()});
          depends |= set && set->get(attributes::job::depend).has_value();
        }
      });
  return depends;
}

// Held by their user besides, so that none is started.
int dependents(unsigned in_flight, unsigned count) {
  auto server = client::session::open();
  const std::string first = (*server.call(fill_held)).getDone().cStr();
  const auto start = clock_type::now();
  unsigned sent = 1;
  const auto fill = [&](schema::Request::Builder r) { fill_job(r, "afterany:" + first); };
  const auto all = one_connection(in_flight, fill, [&] { return sent++ < count; });
  report("jobs that wait for one", all, ms_since(start) / 1000);
  const std::string last = (*server.call(fill)).getDone().cStr();
  const auto released = clock_type::now();
  server.call([&](schema::Request::Builder r) {
    auto release = r.initReleaseJob();
    release.setJob(first);
    release.initHolds(1).set(0, schema::HoldType::USER);
  });
  while (still_depends(server, last)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::printf("%u set free %.2f s after the one was released, and run\n", count, ms_since(released) / 1000);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  try {
    if (mode == "connections" && argc >= 4) {
      return connections(static_cast<unsigned>(std::atoi(argv[2])), std::atof(argv[3]),
                         argc > 4 ? static_cast<unsigned>(std::atoi(argv[4])) : 8);
    }
    if (mode == "refused" && argc == 4)
      return refused(static_cast<unsigned>(std::atoi(argv[2])), static_cast<unsigned>(std::atoi(argv[3])));
    if (mode == "alter" && argc == 5)
      return alter(argv[2], static_cast<unsigned>(std::atoi(argv[3])), static_cast<unsigned>(std::atoi(argv[4])));
    if (mode == "dependents" && argc == 4)
      return dependents(static_cast<unsigned>(std::atoi(argv[2])), static_cast<unsigned>(std::atoi(argv[3])));
    if (mode == "commands" && argc == 4) return commands(argv[2], static_cast<unsigned>(std::atoi(argv[3])));
  } catch (const client::session_error& e) {
    return client::print_session_error("bench_submit", e);
  }
  std::fprintf(stderr,
               "usage: %s connections IN_FLIGHT SECONDS [CONNECTIONS] | refused IN_FLIGHT COUNT | alter JOB IN_FLIGHT COUNT | commands "
               "QSUB COUNT |\n"
               "       dependents IN_FLIGHT COUNT\n",
               argv[0]);
  return 2;
}
