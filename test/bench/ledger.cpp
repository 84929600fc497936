// What the log writer's thread pays for one assignment: checked and applied by the ledger, of so many vnodes in a cluster of so
// many, all picked at random and each running another job already; and for its release. Processor time of the thread. With a vnode per
// host, and with all vnodes on one host. Usage: bench_ledger [VNODES CLUSTER]. Figures with the machine they were measured on:
// docs/performance.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "events/model/ledger.hpp"

using namespace annals;

namespace {

class cluster {
 public:
  cluster(unsigned vnodes, bool one_host) {
    write_event(2, [](auto e) { e.initQueue().initCreated().setName("workq"); });
    for (unsigned i = 0; i < vnodes; ++i) names_.push_back("node" + std::to_string(i));
    if (one_host) {
      add_host(10, "node0", names_);
    } else {
      for (unsigned i = 0; i < vnodes; ++i) add_host(10 + i, names_[i], {names_[i]});
    }
    for (unsigned from = 0; from < vnodes; from += 1000) {  // everybody runs something
      std::vector<std::string> some(names_.begin() + from, names_.begin() + std::min(from + 1000, vnodes));
      submit();
      write(job_, assigned_to(some));
    }
  }

  void submit() {
    ++job_;
    write_event(job_, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setNumber(job_);
      q.setQueue("workq");
    });
  }
  std::vector<std::string> pick(unsigned count) {
    auto some = names_;
    std::shuffle(some.begin(), some.end(), random_);
    some.resize(count);
    return some;
  }
  static std::string text_of(const std::vector<std::string>& vnodes) {
    std::string text;
    for (const auto& v : vnodes) text += (text.empty() ? "(" : "+(") + v + ":ncpus=2:mem=1048576kb)";
    return text;
  }
  static model::event assigned_to(const std::vector<std::string>& vnodes) {
    return model::make_event([&](schema::Event::Builder e) {
      auto a = e.initJob().initAssigned();
      a.setExecVnode(text_of(vnodes));
      a.setPlace("scatter");
    });
  }
  static model::event released_by(const std::vector<std::string>& vnodes) {
    return model::make_event([&](schema::Event::Builder e) { e.initJob().initVnodesReleased().setExecVnode(text_of(vnodes)); });
  }
  // To the last job that was submitted.
  void write_to_job(const model::event& e) { write(job_, e); }

 private:
  void write(std::uint64_t stream, const model::event& e) {
    const model::event_place at{++sequence_, stream, 1, 1'795'222'000'000'000'000, {}};
    if (const auto why = ledger_.check(at, e.get())) {
      std::fprintf(stderr, "refused: %s\n", why->text.c_str());
      std::exit(1);
    }
    ledger_.apply(at, e.get());
  }
  template <class Fill>
  void write_event(std::uint64_t stream, Fill&& fill) { write(stream, model::make_event(std::forward<Fill>(fill))); }

  void add_host(std::uint64_t stream, const std::string& name, const std::vector<std::string>& vnodes) {
    write_event(stream, [&](auto e) { e.initHost().initAdded().setName(name); });
    for (const auto& v : vnodes) write_event(stream, [&](auto e) { e.initHost().initVnodeCreated().setName(v); });
    write_event(stream, [&](auto e) {
      auto list = e.initHost().initCameUp().initVnodes(static_cast<unsigned>(vnodes.size()));
      for (unsigned i = 0; i < vnodes.size(); ++i) {
        list[i].setName(vnodes[i]);
        auto a = list[i].initAttributes(3);
        const std::pair<const char*, const char*> has[] = {{"arch", "linux"}, {"mem", "512gb"}, {"ncpus", "64"}};
        for (unsigned n = 0; n < 3; ++n) {
          a[n].setName("resources_available");
          a[n].setResource(has[n].first);
          a[n].setValue(has[n].second);
        }
      }
    });
  }

  model::ledger ledger_;
  std::uint64_t sequence_ = 0, job_ = 1'000'000;
  std::vector<std::string> names_;
  std::mt19937 random_{7};
};

// Of processor time of this thread: what others take of the machine meanwhile does not count, but for the caches they use.
double milliseconds_now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}
template <class Work>
double milliseconds(Work&& work) {
  const auto began = milliseconds_now();
  work();
  return milliseconds_now() - began;
}

void print(const char* what, std::vector<double> all) {
  std::sort(all.begin(), all.end());
  std::printf("  %s %7.3f ms least %7.3f median %7.3f most", what, all.front(), all[all.size() / 2], all.back());
}

void measure(unsigned vnodes, unsigned of_all, bool one_host) {
  cluster c(of_all, one_host);
  std::vector<double> taking, giving;
  for (int round = 0; round < 51; ++round) {
    const auto some = c.pick(vnodes);
    const auto assigned = cluster::assigned_to(some), released = cluster::released_by(some);
    c.submit();
    taking.push_back(milliseconds([&] { c.write_to_job(assigned); }));
    giving.push_back(milliseconds([&] { c.write_to_job(released); }));
  }
  std::printf("%6u of %6u vnodes, %s:", vnodes, of_all, one_host ? "on one host" : "a host each");
  print("assignment", std::move(taking));
  print("release", std::move(giving));
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::pair<unsigned, unsigned>> sizes{{1000, 5000}, {2000, 10000}, {2000, 100000}};
  if (argc == 3)
    sizes = {{static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)), static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10))}};
  for (const auto& [vnodes, of_all] : sizes)
    for (const bool one_host : {false, true}) measure(vnodes, std::max(vnodes, of_all), one_host);
}
