// What the log writer's thread pays for one assignment: checked and applied by the ledger, of so many vnodes in a cluster of so
// many, all picked at random and each running another job already; and for its release. Processor time of the thread. With a vnode per
// host, and with all vnodes on one host. And for one submission, of 10,000 users in 1,000 groups who have jobs already: without limits,
// and with limits for all of them. Usage: bench_ledger [VNODES CLUSTER]. Figures with the machine they were measured on:
// docs/performance.md.
#include <algorithm>
#include <array>
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

// A submission as qsub makes it, by one of many users.
model::event submission(std::uint64_t number, unsigned user) {
  return model::make_event([&](schema::Event::Builder e) {
    auto q = e.initJob().initQueued();
    q.setNumber(number);
    q.setQueue("workq");
    q.setEuser("user" + std::to_string(user));
    q.setEgroup("group" + std::to_string(user % 1000));
    const std::array<const char*, 3> given[] = {{"Error_Path", "", "host:/home/user/STDIN.e1"},
                                                {"Job_Name", "", "STDIN"},
                                                {"Output_Path", "", "host:/home/user/STDIN.o1"},
                                                {"Resource_List", "mem", "4gb"},
                                                {"Resource_List", "ncpus", "2"},
                                                {"Resource_List", "nodect", "1"},
                                                {"Resource_List", "place", "free"},
                                                {"Resource_List", "select", "1:ncpus=2:mem=4gb"},
                                                {"Resource_List", "walltime", "01:00:00"},
                                                {"Submit_arguments", "", "-- /bin/true"},
                                                {"Submit_Host", "", "host"},
                                                {"Variable_List", "", "PBS_O_HOME=/home/user,PBS_O_WORKDIR=/home/user"},
                                                {"schedselect", "", "1:ncpus=2:mem=4gb"}};
    auto list = q.initAttributes(static_cast<unsigned>(std::size(given)));
    for (unsigned i = 0; i < std::size(given); ++i) {
      list[i].setName(given[i][0]);
      list[i].setResource(given[i][1]);
      list[i].setValue(given[i][2]);
    }
  });
}

void measure_submissions(bool limited) {
  constexpr unsigned users = 10'000, rounds = 50'000;
  model::ledger ledger;
  std::uint64_t sequence = 0, number = 0;
  const auto write = [&](std::uint64_t stream, const model::event& e) {
    const model::event_place at{++sequence, stream, 1, 1'795'222'000'000'000'000, {}};
    if (const auto why = ledger.check(at, e.get())) {
      std::fprintf(stderr, "refused: %s\n", why->text.c_str());
      std::exit(1);
    }
    ledger.apply(at, e.get());
  };
  write(2, model::make_event([](auto e) { e.initQueue().initCreated().setName("workq"); }));
  std::string named;
  for (unsigned i = 0; i < users; ++i) named += ",[u:user" + std::to_string(i) + "=" + std::to_string(100'000 + i) + "]";
  const std::array<std::string, 3> set[] = {
      {"max_queued", "", "[g:PBS_GENERIC=1000000],[u:PBS_GENERIC=1000000]" + named},
      {"max_queued_res", "ncpus", "[g:PBS_GENERIC=9000000],[p:PBS_GENERIC=9000000],[u:PBS_GENERIC=9000000]"},
      {"max_queued_res", "mem", "[o:PBS_ALL=1000pb],[u:PBS_GENERIC=100pb]"},
      {"queued_jobs_threshold", "", "[o:PBS_ALL=9000000],[u:PBS_GENERIC=9000000]"}};
  if (limited)
    write(1, model::make_event([&](auto e) {
            auto list = e.initServer().initChanged().initChanges(static_cast<unsigned>(std::size(set)));
            for (unsigned i = 0; i < std::size(set); ++i) {
              list[i].setName(set[i][0]);
              list[i].setResource(set[i][1]);
              list[i].setValue(set[i][2]);
            }
          }));
  std::mt19937 random(7);
  const auto next = [&] { return submission(++number, random() % users); };
  for (unsigned i = 0; i < 3 * users; ++i) write(number + 1000, next());
  std::vector<model::event> events;
  const auto first = number + 1;
  for (unsigned i = 0; i < rounds; ++i) events.push_back(next());
  std::uint64_t stream = first + 999;
  const double took = milliseconds([&] {
    for (const auto& e : events) write(stream++, e);
  });
  std::printf("submission of one of %u users, %s: %.3f us\n", users, limited ? "limits for all of them" : "no limits", took * 1e3 / rounds);
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
  for (const bool limited : {false, true, false, true}) measure_submissions(limited);
  std::vector<std::pair<unsigned, unsigned>> sizes{{1000, 5000}, {2000, 10000}, {2000, 100000}};
  if (argc == 3)
    sizes = {{static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)), static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10))}};
  for (const auto& [vnodes, of_all] : sizes)
    for (const bool one_host : {false, true}) measure(vnodes, std::max(vnodes, of_all), one_host);
}
