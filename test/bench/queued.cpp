// What each queued job costs a server, by fold: memory while it comes, processor time of a start that folds it, bytes in a checkpoint,
// processor time of a start that restores it, and memory then.
// usage: bench_queued [JOBS]
#include <ctime>
#include <memory>

#include "actors/server_system/server_folds.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/bench/log_bench.hpp"
#include "test/support/told_records.hpp"

using namespace annals;
using namespace annals::bench;

namespace {

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

// One server's folds, each by its name.
struct folds {
  log::memory_event_store store;
  actors::daemon_log no_lines{"/dev/null", "", 0, false, true};
  actors::server_folds of{"/bench", std::make_shared<actors::event_notes>(no_lines)};
  std::vector<actors::named_fold> all;

  folds() {
    all.push_back(of.of_status());
    all.push_back(actors::fold_of_past(std::make_shared<projections::past_writer>(store), of.status));
    for (auto& f : of.of_rest()) all.push_back(std::move(f));
  }
};

struct cost {
  double bytes = 0, seconds = 0;
};

template <class Work>
cost measured(Work&& work) {
  const auto before = bytes_in_use();
  const auto began = processor_seconds();
  work();
  return {static_cast<double>(bytes_in_use()) - static_cast<double>(before), processor_seconds() - began};
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t jobs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  test::told_records told;
  std::vector<log::record> records;
  records.push_back(told.next(1, [](schema::Event::Builder e) { e.initServer().initStarted().setServerName("borg"); }));
  records.push_back(told.next(2, [](schema::Event::Builder e) { e.initQueue().initCreated().setName("workq"); }));
  records.push_back(told.next(3, [](schema::Event::Builder e) { e.initScheduler().initCreated().setName("default"); }));
  for (std::uint64_t n = 1; n <= jobs; ++n) {
    const auto event = job_queued(n);
    records.push_back(told.next(10 + n, [&](schema::Event::Builder e) { e.setJob(event.get().getJob()); }));
  }
  {
    folds reader;  // a record that is read for the first time makes tables of its segments, which no fold keeps
    for (const auto& r : records) reader.all.front().fold(r);
  }
  folds folded, restored;
  std::printf("%-12s %10s %10s %14s %12s %14s\n", "of each job", "bytes", "fold, us", "in the file", "restore, us", "bytes then");
  const auto n = static_cast<double>(jobs);
  cost all{}, all_restored{};
  double all_stored = 0;
  for (std::size_t i = 0; i < folded.all.size(); ++i) {
    const auto& f = folded.all[i];
    const auto fold = measured([&] { for (const auto& r : records) f.fold(r); });
    stored::writer to;
    f.store(to);
    const auto bytes = to.take();
    const auto restore = measured([&] {
      stored::reader from(bytes);
      restored.all[i].restore(from);
    });
    std::printf("%-12s %10.0f %10.2f %14.0f %12.2f %14.0f\n", f.name.c_str(), fold.bytes / n, fold.seconds / n * 1e6,
                static_cast<double>(bytes.size()) / n, restore.seconds / n * 1e6, restore.bytes / n);
    all.bytes += fold.bytes;
    all.seconds += fold.seconds;
    all_stored += static_cast<double>(bytes.size());
    all_restored.bytes += restore.bytes;
    all_restored.seconds += restore.seconds;
  }
  std::printf("%-12s %10.0f %10.2f %14.0f %12.2f %14.0f\n", "all", all.bytes / n, all.seconds / n * 1e6, all_stored / n,
              all_restored.seconds / n * 1e6, all_restored.bytes / n);
  return 0;
}
