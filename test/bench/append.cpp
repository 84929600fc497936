// Durable appends a second by size of the batch, the latency of a commit (one write and one sync), and the bytes that
// reach write() for each event. usage: bench_append [DIRECTORY [SECONDS-PER-LINE]]
#include "test/bench/log_bench.hpp"

using namespace annals;
using namespace annals::bench;

static void measure(const std::string& base, std::size_t batch, double seconds) {
  directory d(base);
  auto hooks = std::make_shared<log::disk_hooks>();
  auto store = open_or_exit(d.path + "/log", hooks);
  const system_time clock;
  log::event_log log(*store, clock);
  std::vector<log::record_ptr> committed;
  std::vector<double> latencies;
  std::uint64_t number = 0;
  const auto bytes_before = hooks->bytes_written.load();
  const auto begin = steady::now();
  while (seconds_since(begin) < seconds) {
    for (std::size_t i = 0; i < batch; ++i, ++number) (void)log.stage(append_of(job_queued(number), number));
    const auto commit_begin = steady::now();
    if (auto ok = log.commit(committed); !ok) {
      std::fprintf(stderr, "%s\n", ok.text.c_str());
      std::exit(1);
    }
    latencies.push_back(seconds_since(commit_begin) * 1000);
  }
  const double took = seconds_since(begin);
  std::sort(latencies.begin(), latencies.end());
  const auto events = static_cast<double>(log.last_sequence());
  std::printf("batch of %5zu: %8.0f events/s, commit p50 %.2f ms p99 %.2f ms, %.0f bytes written per event\n", batch,
              events / took, latencies[latencies.size() / 2], latencies[latencies.size() * 99 / 100],
              static_cast<double>(hooks->bytes_written - bytes_before) / events);
}

int main(int argc, char** argv) {
  const std::string base = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
  const double seconds = argc > 2 ? std::atof(argv[2]) : 3;
  const auto event = job_queued(1);
  std::printf("event of %zu bytes (JobQueued), record of %zu\n", event.bytes().size(),
              log::encode({}, event, {}).bytes.size());
  for (std::size_t batch : {1, 10, 32, 100, 1000}) measure(base, batch, seconds);
}
