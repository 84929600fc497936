// What the benchmarks of the event log share: a real directory, times, and events as a cluster writes them.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "events/log/disk_hooks.hpp"
#include "events/log/event_log.hpp"
#include "events/log/rocksdb_event_store.hpp"

namespace annals::bench {

struct system_time : ports::clock {
  std::int64_t now_ns() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
};

using steady = std::chrono::steady_clock;
inline double seconds_since(steady::time_point t) { return std::chrono::duration<double>(steady::now() - t).count(); }

// What the heap has given out.
inline std::size_t bytes_in_use() {
  const auto m = ::mallinfo2();
  return m.uordblks + m.hblkhd;
}

// A directory under `base`, which says which disk is measured.
struct directory {
  std::string path;
  explicit directory(const std::string& base) : path(base + "/annals_bench.XXXXXX") {
    if (!::mkdtemp(path.data())) {
      std::perror(path.c_str());
      std::exit(1);
    }
  }
  ~directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

inline std::unique_ptr<ports::event_store> open_or_exit(const std::string& path,
                                                        std::shared_ptr<log::disk_hooks> hooks = {}) {
  log::store_options options;
  options.hooks = std::move(hooks);
  auto opened = log::open_event_store(path, options);
  if (auto* failed = std::get_if<ports::store_status>(&opened)) {
    std::fprintf(stderr, "%s\n", failed->text.c_str());
    std::exit(1);
  }
  return std::get<0>(std::move(opened));
}

// A job as qsub sends it, without the user's environment.
inline model::event job_queued(std::uint64_t number) {
  static const std::pair<const char*, const char*> plain[] = {
      {"Job_Name", "simulate"},
      {"Error_Path", "front:/home/alice/work/simulate.e"},
      {"Output_Path", "front:/home/alice/work/simulate.o"},
      {"Rerunable", "True"},
      {"Submit_arguments", "-N simulate -l select=1:ncpus=4:mem=2gb job.sh"},
      {"Variable_List",
       "PBS_O_HOME=/home/alice,PBS_O_LANG=C.UTF-8,PBS_O_LOGNAME=alice,PBS_O_PATH=/usr/local/bin:/usr/bin:/bin,"
       "PBS_O_SHELL=/bin/bash,PBS_O_WORKDIR=/home/alice/work,PBS_O_SYSTEM=Linux,PBS_O_QUEUE=workq,PBS_O_HOST=front"}};
  static const std::pair<const char*, const char*> resources[] = {
      {"mem", "2gb"}, {"ncpus", "4"}, {"nodect", "1"}, {"place", "free"}, {"select", "1:ncpus=4:mem=2gb"}, {"walltime", "01:00:00"}};
  return model::make_event([&](schema::Event::Builder e) {
    auto q = e.initJob().initQueued();
    q.setId(std::to_string(number) + ".borg");
    q.setNumber(number);
    q.setOwner("alice@front");
    q.setEuser("alice");
    q.setEgroup("users");
    q.setQueue("workq");
    auto attributes = q.initAttributes(std::size(plain) + std::size(resources));
    unsigned at = 0;
    for (auto [name, value] : plain) {
      attributes[at].setName(name);
      attributes[at++].setValue(value);
    }
    for (auto [name, value] : resources) {
      attributes[at].setName("Resource_List");
      attributes[at].setResource(name);
      attributes[at++].setValue(value);
    }
    q.setQueueRank(static_cast<std::int64_t>(number) * 1000);
  });
}

// A small one, of which a log has most.
inline model::event job_started(std::uint64_t number) {
  return model::make_event([&](schema::Event::Builder e) {
    auto s = e.initJob().initStarted();
    s.setRun(1);
    s.setSession(static_cast<std::int64_t>(number));
    s.setComment("Job run at Sat Nov 21 at 07:00 on (n1:ncpus=4:mem=2097152kb)");
  });
}

inline log::append append_of(model::event event, std::uint64_t number) {
  log::append a;
  a.events.push_back(std::move(event));
  a.by = {"alice", "front", schema::Role::USER};
  a.command_id = std::string(8, 'c') + std::string(reinterpret_cast<const char*>(&number), 8);
  a.answer = std::to_string(number) + ".borg";
  return a;
}

}  // namespace annals::bench
