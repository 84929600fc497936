// What a hook costs: a warm queuejob-like hook that reads and sets ten attributes, one after another and from several
// threads at once; ten hooks in a row, and a hundred; a host's hook; and the memory of this process after many runs.
//   bench_hooks [runs]
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/runtime/thread_share.hpp"
#include "test/support/hook_runs.hpp"

using namespace annals;
using namespace annals::test;
using steady = std::chrono::steady_clock;

namespace {

const char* const ten_attributes =
    "import pbs\n"
    "e = pbs.event()\n"
    "j = e.job\n"
    "if j.Job_Name is None or j.Priority is None: e.reject('no name')\n"
    "r = j.Resource_List\n"
    "if r['ncpus'] > 128 or r['mem'] > pbs.size('1tb'): e.reject('too large')\n"
    "seen = (j.Hold_Types, j.Rerunable, j.Mail_Points, j.Output_Path, j.queue, r['walltime'])\n"
    "j.Priority = 10\n"
    "j.Account_Name = 'acme'\n"
    "j.project = 'weather'\n"
    "j.Rerunable = False\n"
    "j.Mail_Points = pbs.mail_points('abe')\n"
    "j.Join_Path = pbs.join_path('oe')\n"
    "r['ncpus'] = 8\n"
    "r['mem'] = pbs.size('16gb')\n"
    "r['walltime'] = pbs.duration('02:00:00')\n"
    "j.Variable_List['SITE'] = 'north'\n"
    "e.accept()\n";

hooks::pool_settings as_a_daemon_has_it() {
  hooks::pool_settings settings;
  settings.on_thread_start = [] { actors::set_thread_share(actors::prompt_share); };
  return settings;
}

hook_case the_case(const char* event = "queuejob") {
  hook_case c{.source = ten_attributes, .event = event};
  c.job = {{"Job_Name", "", "sim"},
           {"Priority", "", "0"},
           {"Hold_Types", "", "n"},
           {"Rerunable", "", "True"},
           {"Mail_Points", "", "a"},
           {"Output_Path", "", "head:/home/alice/sim.o12"},
           {"queue", "", "workq"},
           {"Resource_List", "ncpus", "4"},
           {"Resource_List", "mem", "4gb"},
           {"Resource_List", "walltime", "01:00:00"},
           {"Variable_List", "",
            "PBS_O_HOME=/home/alice,PBS_O_LANG=C.UTF-8,PBS_O_LOGNAME=alice,PBS_O_WORKDIR=/home/alice/runs"}};
  return c;
}

double rss_mb() {
  std::ifstream in("/proc/self/statm");
  long pages = 0, resident = 0;
  in >> pages >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

void print_latencies(const char* what, std::vector<double> us) {
  std::sort(us.begin(), us.end());
  const auto at = [&](double q) { return us[static_cast<std::size_t>(q * static_cast<double>(us.size() - 1))]; };
  std::printf("%-44s median %7.0f us   p99 %7.0f us   max %8.0f us\n", what, at(0.5), at(0.99), us.back());
}

double timed(hook_runs& runs, const hook_case& c) {
  const auto began = steady::now();
  const auto reply = runs.run(c);
  const double us = std::chrono::duration<double, std::micro>(steady::now() - began).count();
  if (reply.get().getVerdict() != Verdict::ACCEPT) {
    std::printf("the hook failed: %s\n", summary(reply).c_str());
    std::exit(1);
  }
  return us;
}

void one_after_another(std::size_t count) {
  hook_runs runs(as_a_daemon_has_it());
  const hook_case c = the_case();
  for (int i = 0; i < 200; ++i) timed(runs, c);  // warm
  std::vector<double> us, inside;
  const double before = rss_mb();
  for (std::size_t i = 0; i < count; ++i) us.push_back(timed(runs, c));
  print_latencies("one queuejob hook, ten attributes", us);
  std::printf("%-44s %.1f MB before, %.1f MB after %zu runs\n", "memory of the daemon's side", before, rss_mb(), count);
}

void in_a_row(std::size_t number, std::size_t count) {
  hook_runs runs(as_a_daemon_has_it());
  std::vector<hook_case> hooks(number, the_case());
  std::set<hooks::known_hook> known;
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    hooks[i].source += "# " + std::to_string(i) + "\n";
    const auto order = hook_runs::order_of(hooks[i]);
    known.insert({order.code->name, order.code->hash});
  }
  runs.pool().know_hooks(std::move(known));
  for (int warm = 0; warm < 20; ++warm)
    for (const auto& h : hooks) timed(runs, h);
  std::vector<double> us;
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (const auto& h : hooks) sum += timed(runs, h);
    us.push_back(sum);
  }
  print_latencies((std::to_string(number) + " hooks in a row").c_str(), us);
}

void many_at_once(std::size_t count, std::size_t in_flight) {
  hook_runs runs(as_a_daemon_has_it());
  const auto order = hook_runs::order_of(the_case());
  for (int i = 0; i < 200; ++i) timed(runs, the_case());
  std::mutex guard;
  std::condition_variable changed;
  std::size_t running = 0, done = 0;
  const auto began = steady::now();
  for (std::size_t i = 0; i < count; ++i) {
    std::unique_lock lock(guard);
    changed.wait(lock, [&] { return running < in_flight; });
    ++running;
    lock.unlock();
    runs.pool().run(order, [&](hooks::sealed_reply) {
      const std::lock_guard held(guard);
      --running;
      ++done;
      changed.notify_one();
    });
  }
  std::unique_lock lock(guard);
  changed.wait(lock, [&] { return done == count; });
  const double s = std::chrono::duration<double>(steady::now() - began).count();
  std::printf("%-44s %8.0f runs/s (%u workers)\n", "64 at a time", static_cast<double>(count) / s,
              runs.pool().figures().workers);
}

void on_a_host(std::size_t count) {
  hook_runs runs(as_a_daemon_has_it());
  hook_case c{.source = "import pbs\nu = pbs.event().job.resources_used\nu['cput'] = 10\n",
              .event = "execjob_epilogue"};
  for (int i = 0; i < 50; ++i) timed(runs, c);
  std::vector<double> us;
  for (std::size_t i = 0; i < count; ++i) us.push_back(timed(runs, c));
  print_latencies("one execjob hook (its leftovers looked for)", us);
}

}  // namespace

int main(int argc, char** argv) {
  actors::set_thread_share(actors::prompt_share);  // as those who wait for a submission
  const std::size_t runs = argc > 1 ? static_cast<std::size_t>(std::atol(argv[1])) : 20'000;
  one_after_another(runs);
  in_a_row(10, runs / 10);
  in_a_row(100, runs / 100);
  on_a_host(runs / 10);
  many_at_once(runs, 64);
}
