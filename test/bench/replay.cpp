// Reading a log back: the store's bytes, decoded records, one stream, and verification.
// usage: bench_replay [DIRECTORY [EVENTS]]
#include "test/bench/log_bench.hpp"

using namespace annals;
using namespace annals::bench;

static void fill(const std::string& path, std::uint64_t events) {
  auto store = open_or_exit(path);
  const system_time clock;
  log::event_log log(*store, clock);
  std::vector<log::record_ptr> committed;
  for (std::uint64_t n = 0; n < events;) {
    for (int i = 0; i < 2000 && n < events; ++i, ++n) {
      auto a = append_of(job_started(n), n);
      a.command_id.clear();
      (void)log.stage(std::move(a));
    }
    if (auto ok = log.commit(committed); !ok) {
      std::fprintf(stderr, "%s\n", ok.text.c_str());
      std::exit(1);
    }
  }
}

template <class Work>
static void timed(const char* what, std::uint64_t events, Work&& work) {
  const auto begin = steady::now();
  const bool ok = work();
  const double took = seconds_since(begin);
  std::printf("%-28s %.3f s, %.2f M events/s%s\n", what, took, static_cast<double>(events) / took / 1e6,
              ok ? "" : "  FAILED");
}

int main(int argc, char** argv) {
  const std::string base = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
  const std::uint64_t events = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000'000;
  directory d(base);
  const std::string path = d.path + "/log";
  timed("writing", events, [&] {
    fill(path, events);
    return true;
  });

  std::unique_ptr<ports::event_store> store;
  timed("opening", events, [&] {
    store = open_or_exit(path);
    return store->last_sequence() == events;
  });
  std::uint64_t bytes = 0;
  for (const char* what : {"reading bytes", "reading bytes again"})
    timed(what, events, [&] {
      bytes = 0;
      return static_cast<bool>(store->read(1, [&](std::uint64_t, ports::byte_span b) {
        bytes += b.size();
        return true;
      }));
    });
  std::uint64_t sum = 0;
  timed("reading decoded records", events, [&] {
    return static_cast<bool>(log::log_reader(*store).read(1, [&](const log::record_ptr& r) {
      sum += r->event().getJob().getStarted().getSession() + r->get().getStream();
      return true;
    }));
  });
  timed("verifying", events, [&] { return log::verify(*store).ok(); });
  timed("one stream, per 1000 looked up", 1000, [&] {
    bool ok = true;
    for (std::uint64_t s = 1; s <= 1000; ++s)
      ok = ok &&
           log::log_reader(*store).read_stream(s * (events / 1000), 1, [](const log::record_ptr&) { return true; });
    return ok;
  });
  std::uintmax_t disk = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path)) disk += entry.file_size();
  std::printf("%.0f bytes per record, %.0f on disk\n", static_cast<double>(bytes) / static_cast<double>(events),
              static_cast<double>(disk) / static_cast<double>(events));
  return sum == 0;
}
