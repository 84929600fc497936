// Finished jobs: what each costs in memory, in which part of the server; and how long it takes to look at one of them, and at many.
// usage: bench_history [JOBS [DIRECTORY]]
#include <functional>
#include <map>

#include "actors/gateway/directory.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/server/event_notes.hpp"
#include "actors/server/reactions/all.hpp"
#include "events/log/place.hpp"
#include "events/model/ledger.hpp"
#include "events/model/usage.hpp"
#include "projections/status/past.hpp"
#include "projections/status/query.hpp"
#include "test/bench/log_bench.hpp"

using namespace annals;
using namespace annals::bench;

namespace {

using fold = std::function<void(const log::record&)>;

class story {
 public:
  explicit story(fold to) : to_(std::move(to)) {}

  void begin() {
    tell(server, [](auto e) {
      auto s = e.initServer().initStarted();
      s.setServerName("borg");
      s.setHostName("borg");
    });
    tell(server, [](auto e) {
      auto c = e.initServer().initChanged().initChanges(1)[0];
      c.setName("job_history_enable");
      c.setValue("True");
    });
    tell(queue, [](auto e) { e.initQueue().initCreated().setName("workq"); });
    tell(host, [](auto e) { e.initHost().initAdded().setName("n1"); });
    tell(host, [](auto e) { e.initHost().initVnodeCreated().setName("n1"); });
  }

  // From its submission to its end.
  void job(std::uint64_t number) {
    const auto queued = job_queued(number);
    const auto stream = next_stream_++;
    versions_[job_] = 0;
    const auto event = [&](const auto& fill) { tell_job(stream, fill); };
    event([&](auto e) { e.setJob(queued.get().getJob()); });
    event([](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(1);
      a.setExecVnode("(n1:ncpus=4:mem=2097152kb)");
      a.setExecHost("n1/0*4");
      a.initHosts(1).set(0, "n1");
      a.setComment("Job was sent for execution at Sat Nov 21 at 07:00 on (n1:ncpus=4:mem=2097152kb)");
    });
    event([](auto e) { e.initJob().initStarted().setRun(1); });
    event([](auto e) {
      auto x = e.initJob().initExited();
      x.setRun(1);
      model::write_usage(model::measured_usage({.ncpus = 4}), x.initUsage());
      x.setCommentSuffix(" and finished");
    });
    event([](auto e) {
      auto r = e.initJob().initVnodesReleased();
      r.setRun(1);
      r.setExecVnode("(n1:ncpus=4:mem=2097152kb)");
      r.initHosts(1).set(0, "n1");
    });
    event([](auto e) {
      auto x = e.initJob().initEnded();
      x.setHasExitStatus(true);
      x.setSubstate(92);
    });
  }

 private:
  static constexpr std::uint64_t server = 1, queue = 2, host = 3, job_ = 4;
  template <class Fill>
  void tell(std::uint64_t stream, const Fill& fill) {
    write(stream, ++versions_[stream], fill);
  }
  template <class Fill>
  void tell_job(std::uint64_t stream, const Fill& fill) {
    write(stream, ++versions_[job_], fill);
  }
  template <class Fill>
  void write(std::uint64_t stream, std::uint64_t version, const Fill& fill) {
    to_(log::record(schema::make<schema::Record>([&](schema::Record::Builder r) {
                      r.setSequence(++sequence_);
                      r.setStream(stream);
                      r.setStreamVersion(version);
                      r.setWriterEpoch(1);
                      r.setWallNs(static_cast<std::int64_t>(sequence_) * 10'000'000);
                      fill(r.initEvent());
                    }),
                    {}));
  }

  fold to_;
  std::uint64_t sequence_ = 0, next_stream_ = 10;
  std::map<std::uint64_t, std::uint64_t> versions_;
};

// In parts, as the server makes it. How long the longest took: so long do others wait.
double longest_part_ms(const projections::status& now, const std::function<void(schema::Stat::Builder)>& ask, std::size_t rows_of_part,
                       std::size_t& parts) {
  const auto question = schema::make<schema::Request>([&](schema::Request::Builder r) { ask(r.initStat()); });
  const auto answer = projections::begin_answer(now, question, {"root", "borg", schema::Role::MANAGER});
  double longest = 0;
  parts = 0;
  for (bool more = true; more; ++parts) {
    const auto began = steady::now();
    more = answer->go_on(
        now, [](const schema::sealed<schema::Reply>&) {}, 0, rows_of_part);
    longest = std::max(longest, seconds_since(began) * 1e3);
  }
  return longest;
}

double ms_of(const projections::status& now, const std::function<void(schema::Stat::Builder)>& ask, std::size_t& rows) {
  const auto question = schema::make<schema::Request>([&](schema::Request::Builder r) { ask(r.initStat()); });
  const auto began = steady::now();
  rows = 0;
  projections::answer_stat(now, 1, question.get().getStat(), {"root", "borg", schema::Role::MANAGER},
                           [&](const schema::sealed<schema::Reply>& reply) { rows += reply.get().getObjects().getObjects().size(); });
  return seconds_since(began) * 1e3;
}

}  // namespace

// What a fold has of a job after its end.
double bytes_of_job(const char* name, std::uint64_t jobs, const fold& f) {
  story s(f);
  s.begin();
  constexpr std::uint64_t warm = 1000;
  for (std::uint64_t n = 1; n <= warm; ++n) s.job(n);
  const auto before = bytes_in_use();
  for (std::uint64_t n = 1; n <= jobs; ++n) s.job(warm + n);
  const auto each = (static_cast<double>(bytes_in_use()) - static_cast<double>(before)) / static_cast<double>(jobs);
  if (each > 0.5) std::printf("  %-32s %7.1f bytes a job\n", name, each);
  return each;
}

int main(int argc, char** argv) {
  const std::uint64_t jobs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  const directory d(argc > 2 ? argv[2] : std::filesystem::temp_directory_path().string());

  projections::status now;
  (void)now.keep_history_in(d.path);
  const auto of_status = bytes_of_job("status", jobs, [&](const log::record& r) { now.fold(r); });
  double total = of_status;
  {
    auto store = open_or_exit(d.path + "/log");
    projections::status beside;
    projections::past_writer past{ports::storage(*store), {.records_min = 1'000'000'000}};
    (void)beside.keep_history_in(d.path);
    (void)past.keep_ended_in(d.path);
    total += bytes_of_job("status and index of the past", jobs, [&](const log::record& r) {
               beside.fold(r);
               past.fold(r, beside);
             }) -
             of_status;
  }
  {
    actors::directory names;
    total += bytes_of_job("directory", jobs, [&](const log::record& r) { names.fold(r); });
  }
  {
    actors::daemon_log lines(d.path + "/lines", "pbs_server", 0, false);
    actors::event_notes notes(lines, true);
    total += bytes_of_job("notes", jobs, [&](const log::record& r) { notes.learn(r); });
  }
  {
    model::ledger ledger;
    total += bytes_of_job("ledger", jobs, [&](const log::record& r) { ledger.apply(log::place_of(r), r.event()); });
  }
  for (auto& reaction : reactions::all_reactions())
    total += bytes_of_job(("reaction " + std::string(reaction.name)).c_str(), jobs,
                          [&](const log::record& r) { reaction.what->fold(r); });
  std::printf("  %-32s %7.1f bytes a job\n", "all", total);

  std::size_t rows;
  const auto one = ms_of(
      now, [&](auto q) {
        q.setHistory(schema::History::ALSO);
        q.initNames(1).set(0, std::to_string(1000 + jobs / 2) + ".borg");
      },
      rows);
  std::printf("  qstat -xf of one: %.3f ms, %zu row\n", one, rows);
  const auto newest = ms_of(
      now, [&](auto q) {
        q.setHistory(schema::History::ALSO);
        auto n = q.initNames(static_cast<unsigned>(std::min<std::uint64_t>(jobs, 10'000)));
        for (unsigned i = 0; i < n.size(); ++i) n.set(i, std::to_string(1000 + jobs - i) + ".borg");
      },
      rows);
  std::printf("  the newest, by their ids: %.1f ms, %zu rows\n", newest, rows);
  const auto all = [](auto q) { q.setHistory(schema::History::ALSO); };
  const auto whole = ms_of(now, all, rows);
  std::printf("  all: %.1f ms, %zu rows\n", whole, rows);
  std::size_t parts;
  const auto longest = longest_part_ms(now, all, 1024, parts);
  std::printf("  the same in %zu parts: the longest %.2f ms\n", parts, longest);
  const auto of_newest = ms_of(
      now,
      [](auto q) {
        q.setHistory(schema::History::ALSO);
        q.setNewest(10'000);
      },
      rows);
  std::printf("  the newest 10,000: %.1f ms, %zu rows\n", of_newest, rows);
  // A job's six records are 60 ms apart.
  const auto last_s = static_cast<std::int64_t>((1000 + jobs) * 60 / 1000);
  const auto of_since = ms_of(
      now,
      [&](auto q) {
        q.setHistory(schema::History::ALSO);
        q.setSinceS(last_s - 60);
      },
      rows);
  std::printf("  those of the last minute: %.1f ms, %zu rows\n", of_since, rows);
  const auto nobody = ms_of(
      now, [&](auto q) {
        q.setHistory(schema::History::ALSO);
        q.initUsers(1).set(0, "nobody");
      },
      rows);
  std::printf("  all of a user without any: %.1f ms, %zu rows\n", nobody, rows);
  return 0;
}
