// What it costs to verify a log piece by piece, as a server does in the background: cpu time and memory.
// usage: bench_check [DIRECTORY [RECORDS]]
#include <sys/resource.h>

#include <ctime>

#include "events/log/log_check.hpp"
#include "test/bench/log_bench.hpp"

using namespace annals;
using namespace annals::bench;

static double cpu_s() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

static long memory_kb() {
  rusage u{};
  ::getrusage(RUSAGE_SELF, &u);
  return u.ru_maxrss;
}

// Jobs as they live: a submission with a script of its own, then two more events of some job among the last thousand.
static void fill(ports::event_store& store, std::uint64_t records) {
  const system_time clock;
  log::event_log log(store, clock);
  std::vector<log::record_ptr> committed;
  std::vector<std::uint64_t> recent;
  for (std::uint64_t n = 0; n < records;) {
    for (int i = 0; i < 300 && n < records; ++i, ++n) {
      const bool fresh = n % 3 == 0 || recent.empty();
      auto a = append_of(fresh ? job_queued(n) : job_started(n), n);
      a.command_id.clear();
      if (fresh) {
        const auto text = "#!/bin/sh\n# job " + std::to_string(n) + "\n" + std::string(500, 'x');
        const auto bytes = std::as_bytes(std::span(text));
        a.blobs.push_back({log::content_hash(bytes), {bytes.begin(), bytes.end()}});
        const auto& hash = a.blobs.back().hash;
        a.events.front() = model::make_event([&](schema::Event::Builder e) {
          e.initJob().setQueued(a.events.front().get().getJob().getQueued());
          auto script = e.getJob().getQueued().initScript();
          script.setHash({reinterpret_cast<const kj::byte*>(hash.data()), hash.size()});
          script.setSize(a.blobs.back().bytes.size());
        });
      } else {
        a.stream = recent[(n * 7919) % recent.size()];
        a.expected_version = log.last_version(a.stream);
      }
      const auto staged = log.stage(std::move(a));
      if (!fresh) continue;
      recent.push_back(std::get<log::staged>(staged).stream);
      if (recent.size() > 1000) recent.erase(recent.begin());
    }
    if (auto ok = log.commit(committed); !ok) {
      std::fprintf(stderr, "%s\n", ok.text.c_str());
      std::exit(1);
    }
  }
}

int main(int argc, char** argv) {
  const std::string base = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
  const std::uint64_t records = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000'000;
  directory d(base);
  const std::string path = d.path + "/log";
  fill(*open_or_exit(path), records);
  const auto store = open_or_exit(path);
  const auto memory = memory_kb();
  const auto began = steady::now();
  const auto cpu = cpu_s();
  log::log_check check(*store, store.get(), log::log_check::whole(*store), limits::check_findings_max);
  double longest = 0;
  for (bool more = true; more;) {
    const auto piece = steady::now();
    more = check.step();
    longest = std::max(longest, seconds_since(piece));
  }
  const double took = cpu_s() - cpu, each_us = took * 1e6 / static_cast<double>(records);
  std::printf(
      "%llu records, %llu blobs, %llu faults: %.2f s, %.2f s of cpu, %.2f us of cpu a record, longest piece %.1f ms, %ld KB more memory\n",
      static_cast<unsigned long long>(check.state().records), static_cast<unsigned long long>(check.state().blobs),
      static_cast<unsigned long long>(check.state().fault_count), seconds_since(began), took, each_us, longest * 1e3, memory_kb() - memory);
  std::printf("100 million records at %d %% of a core: %.1f hours\n", limits::check_core_percent,
              each_us * 1e8 / 1e6 * 100 / limits::check_core_percent / 3600);
  return check.state().fault_count != 0;
}
