// What a report of what hooks have set costs: a job on many hosts, each with what a MoM measures and 20 resources of hooks, of which four
// hold words. At the server: what is told is checked, summed and joined, written as an event, and read again by who follows the log. At
// the primary: what a sister tells is taken, and the sum made, once a second. Processor time of the thread, the best of some rounds.
// Usage: bench_used [HOSTS]. Figures: docs/performance.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "events/model/limits.hpp"
#include "events/model/outcome.hpp"
#include "events/model/run/run.hpp"
#include "events/model/usage.hpp"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/message.hpp"

using namespace annals;

namespace {

constexpr int amounts = 16, words = 4;

attributes::resource_catalogue site() {
  attributes::resource_catalogue resources;
  for (int i = 0; i < amounts; ++i) (void)resources.create("amount" + std::to_string(i), i % 2 ? "float" : "long", "h");
  for (int i = 0; i < words; ++i) (void)resources.create("word" + std::to_string(i), "string", "h");
  return resources;
}

// Half of the words are JSON objects, which are made one.
std::vector<model::host_usage> told_by(unsigned hosts) {
  std::vector<model::host_usage> all;
  for (unsigned h = 0; h < hosts; ++h) {
    const auto name = "node" + std::to_string(h);
    auto& usage = all.emplace_back(model::host_usage{name, model::measured_usage({100 + h, 1 << 20, 2 << 20, 3600, 1, 99}), 1}).usage;
    for (int i = 0; i < amounts; ++i) usage.set("amount" + std::to_string(i), i % 2 ? "1234.5" : "123456");
    for (int i = 0; i < words; ++i)
      usage.set("word" + std::to_string(i), i % 2 ? "{\"" + name + "\":" + std::to_string(h) + "}" : "state of " + name);
  }
  return all;
}

schema::sealed<schema::FromMom> report_of(const std::vector<model::host_usage>& hosts) {
  return schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
    auto list = m.initRunUsage().initHosts(static_cast<unsigned>(hosts.size()));
    for (unsigned i = 0; i < list.size(); ++i) model::write_host_usage(hosts[i], list[i]);
  });
}

double milliseconds_now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

template <class Work>
double best_of(int rounds, Work&& work) {
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    const auto start = milliseconds_now();
    work();
    best = std::min(best, milliseconds_now() - start);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned hosts = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 500;
  const auto resources = site();
  const auto told = told_by(hosts);
  const auto report = report_of(told);
  std::size_t event_bytes = 0;
  const auto event_of_report = [&] {
    const auto checked = model::checked_hosts(report.get().getRunUsage().getHosts(), resources);
    return model::make_event([&](auto e) {
      auto u = e.initJob().initUsageReported();
      model::write_usage(model::job_total(checked, resources), u.initUsage());
      auto list = u.initHosts(static_cast<unsigned>(checked.size()));
      for (unsigned i = 0; i < list.size(); ++i) model::write_host_usage(checked[i], list[i]);
    });
  };
  const auto event = event_of_report();
  event_bytes = event.bytes().size();
  const auto decide_ms = best_of(20, [&] { (void)event_of_report(); });
  const auto follow_ms = best_of(20, [&] {
    const auto u = event.get().getJob().getUsageReported();
    for (auto h : u.getHosts()) (void)model::read_host_usage(h);
    for (int folds = 0; folds < 3; ++folds) (void)model::read_usage(u.getUsage());  // the job itself, its row, accounting
  });
  std::printf("%u hosts with %d resources of hooks: a report of %zu KB, an event of %zu KB\n", hosts, amounts + words,
              report.bytes().size() >> 10, event_bytes >> 10);
  std::printf("the server, a report: %.1f ms to decide, %.1f ms to follow; every 10 s: %.2f %% of a core\n", decide_ms, follow_ms,
              (decide_ms + follow_ms) / 100);

  const auto share = limits::run_words_bytes_max / hosts;
  const auto take_ms = best_of(20, [&] {
    for (auto h : report.get().getRunUsage().getHosts()) {
      auto usage = model::read_host_usage(h);
      (void)model::cut_words(usage.usage, share, resources);
    }
  });
  const auto sum_ms = best_of(20, [&] { (void)model::job_total(told, resources); });
  const auto tell_ms = best_of(20, [&] { (void)report_of(told); });
  std::printf(
      "the primary: %.1f ms to take what all told, %.1f ms to sum, %.1f ms to tell; every 10 s, and a sum each second: %.2f %% of a core\n",
      take_ms, sum_ms, tell_ms, (take_ms + tell_ms) / 100 + sum_ms / 10);
}
