// qstat --why: what the reasons of waiting jobs cost in memory, and how long an answer takes.
// usage: bench_why [JOBS [REASONS]]
#include "projections/status/query.hpp"
#include "test/bench/log_bench.hpp"
#include "test/support/told_records.hpp"

using namespace annals;
using namespace annals::bench;

namespace {

void put_reasons(projections::status& to, test::told_records& records, std::uint64_t first_job, std::uint64_t jobs, unsigned reasons,
                 std::uint64_t cycle) {
  constexpr std::uint64_t jobs_per_record = 3000;
  for (std::uint64_t done = 0; done < jobs; done += jobs_per_record)
    to.fold(records.next(1, [&](schema::Event::Builder e) {
      auto r = e.initScheduler().initCycleReasons();
      r.setCycle(cycle);
      auto texts = r.initTexts(reasons);
      auto whys = r.initWhys(reasons);
      for (unsigned i = 0; i < reasons; ++i) {
        const auto asked = std::to_string(i + 8 + cycle);
        texts.set(i, "Not Running: Insufficient amount of resource: ncpus (R: " + asked + " A: 2 T: 64)");
        whys[i].setKind(schema::Why::Kind::RESOURCES);
        whys[i].setResource("ncpus");
        whys[i].setAsked(asked);
        whys[i].setFree("2");
        whys[i].setTotal("64");
        auto vnodes = whys[i].initVnodes(4);
        for (unsigned v = 0; v < 4; ++v) vnodes.set(v, "node" + std::to_string(v));
      }
      r.initBlockers(1).set(0, "1.borg");
      auto list = r.initJobs(static_cast<unsigned>(std::min(jobs_per_record, jobs - done)));
      for (unsigned i = 0; i < list.size(); ++i) {
        list[i].setJob(first_job + done + i);
        list[i].setText(i % reasons);
        list[i].setBehind(1);
      }
    }));
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t jobs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  const unsigned reasons = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 50;
  projections::status now;
  test::told_records records;
  now.fold(records.next(1, [](schema::Event::Builder e) { e.initScheduler().initCreated().setName("default"); }));
  constexpr std::uint64_t first_job = 2;
  for (std::uint64_t n = 0; n < jobs; ++n) {
    const auto event = job_queued(n + 1);
    now.fold(records.next(first_job + n, [&](schema::Event::Builder e) { e.setJob(event.get().getJob()); }));
  }
  const auto without = bytes_in_use();
  put_reasons(now, records, first_job, jobs, reasons, 1);
  std::printf("%llu jobs wait for %u reasons: %.0f bytes for each job, with its comment\n", static_cast<unsigned long long>(jobs), reasons,
              static_cast<double>(bytes_in_use() - without) / static_cast<double>(jobs));
  const auto before = bytes_in_use();
  for (std::uint64_t cycle = 2; cycle <= 10; ++cycle) put_reasons(now, records, first_job, jobs, reasons, cycle);
  std::printf("nine more cycles that say other things: %+.1f bytes for each job\n",
              (static_cast<double>(bytes_in_use()) - static_cast<double>(before)) / static_cast<double>(jobs));

  constexpr int questions = 1000;
  std::size_t answered = 0;
  const auto begin = steady::now();
  for (int i = 0; i < questions; ++i) {
    const auto request = schema::make<schema::Stat>([&](schema::Stat::Builder s) {
      s.setKind(schema::ObjectKind::JOB);
      s.initNames(1).set(0, std::to_string(1 + static_cast<std::uint64_t>(i) * 97 % jobs) + ".borg");
      s.setWhy(true);
    });
    projections::answer_stat(now, 1, request.get(), {"root", "borg", schema::Role::MANAGER},
                             [&](const auto& r) { answered += r.get().getObjects().getObjects()[0].hasWhy(); });
  }
  std::printf("qstat --why, in the server: %.1f us each%s\n", seconds_since(begin) / questions * 1e6,
              answered == questions ? "" : "  FAILED");
  return 0;
}
