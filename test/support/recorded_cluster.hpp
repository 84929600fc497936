// A small server and its scheduler that write a log as real ones do: jobs come, cycles place them, they run for as long as the test says.
// For tests of what is made of recorded cycles.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle_driver.hpp"
#include "events/log/event_log.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "projections/scheduling/scheduling.hpp"
#include "test/support/folded_log.hpp"

namespace annals::test {

class recorded_cluster {
 public:
  using fill = std::function<void(schema::Event::Builder)>;

  log::memory_event_store store;
  virtual_clock clock;
  projections::status now;
  bool refuses = false;               // every proposal
  std::uint64_t alters_walltime = 0;  // that is what a run gets; 0: what was proposed
  bool starts_first = false;          // a start is written before the beginning of its cycle

  explicit recorded_cluster(const std::string& sched_config, unsigned hosts = 2, unsigned cpus = 4) {
    server_ = write(0, [](auto e) {
      auto s = e.initServer().initStarted();
      s.setServerName("borg");
      s.setHostName("borg");
    });
    change_server("scheduling", "True");
    add_queue("workq");
    for (unsigned h = 1; h <= hosts; ++h) add_host("n" + std::to_string(h), cpus);
    scheduler_ = write(0, [](auto e) { e.initScheduler().initCreated().setName("default"); });
    set_policy(sched_config);
    connect();
  }

  void set_policy(const std::string& text) {
    policy_ = text;
    const auto bytes = std::as_bytes(std::span(text));
    driver_.set_policy(text, log::content_hash(bytes));
    stored_ = false;
  }
  void connect() {
    write(scheduler_, [](auto e) { e.initScheduler().initStarted().setHost("borg"); });
    driver_.connected();
    hear(view_.full_view());
    take_sent();
  }
  void change_server(const std::string& name, const std::string& value) {
    write(server_, [&](auto e) {
      auto c = e.initServer().initChanged().initChanges(1)[0];
      c.setName(name);
      c.setValue(value);
    });
  }
  void add_queue(const std::string& name, const std::string& priority = "0") {
    const auto stream = write(0, [&](auto e) { e.initQueue().initCreated().setName(name); });
    write(stream, [&](auto e) {
      auto c = e.initQueue().initChanged().initChanges(4);
      const std::pair<const char*, std::string> set[] = {
          {"queue_type", "Execution"}, {"started", "True"}, {"enabled", "True"}, {"Priority", priority}};
      for (unsigned i = 0; i < 4; ++i) c[i].setName(set[i].first), c[i].setValue(set[i].second);
    });
  }
  void add_host(const std::string& name, unsigned cpus) {
    const auto stream = write(0, [&](auto e) { e.initHost().initAdded().setName(name); });
    write(stream, [&](auto e) { e.initHost().initVnodeCreated().setName(name); });
    write(stream, [&](auto e) {
      auto v = e.initHost().initCameUp().initVnodes(1)[0];
      v.setName(name);
      auto a = v.initAttributes(1)[0];
      a.setName("resources_available");
      a.setResource("ncpus");
      a.setValue(std::to_string(cpus));
    });
  }

  // It runs for so many seconds once it starts, or as long as it was given if it shrinks to fit; 0: for ever. Answers its stream.
  using members = std::vector<std::pair<const char*, const char*>>;  // of Resource_List
  std::uint64_t submit(const std::string& user, unsigned cpus, std::int64_t seconds, const std::string& queue = "workq",
                       const members& more = {}) {
    const auto number = ++number_;
    const auto select = "1:ncpus=" + std::to_string(cpus);
    const auto job = write(0, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(std::to_string(number) + ".borg");
      q.setNumber(number);
      q.setOwner(user + "@front");
      q.setEuser(user);
      q.setEgroup("users");
      q.setQueue(queue);
      q.setQueueRank(clock.ns / 1000);
      auto a = q.initAttributes(4 + static_cast<unsigned>(more.size()));
      const auto put = [&](unsigned i, const char* name, const char* resource, const std::string& value) {
        a[i].setName(name);
        a[i].setResource(resource);
        a[i].setValue(value);
      };
      put(0, "Resource_List", "ncpus", std::to_string(cpus));
      put(1, "Resource_List", "select", select);
      put(2, "Resource_List", "place", "pack");
      put(3, "schedselect", "", select);
      for (unsigned i = 0; i < more.size(); ++i) put(4 + i, "Resource_List", more[i].first, more[i].second);
    });
    runs_for_[job] = seconds;
    return job;
  }

  void cycle(const std::string& trigger = "new job") {
    hear(view_.take_delta());
    driver_.received(*schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) {
      auto c = m.initCycle();
      c.setNumber(++cycles_);
      c.setTrigger(trigger);
      c.setViewSequence(view_.sequence());
      c.setWallNs(clock.ns);
    }));
    take_sent();
  }

  // Time goes on; runs end when they should, and a cycle follows each end.
  void later(std::int64_t seconds) {
    const auto until = clock.ns + seconds * second;
    while (!ends_.empty() && ends_.begin()->first <= until) {
      const auto [at, job] = *ends_.begin();
      ends_.erase(ends_.begin());
      clock.ns = std::max(clock.ns, at);
      end(job);
      cycle("job ended");
    }
    clock.ns = until;
  }

  void end(std::uint64_t job) {
    const auto j = *now.job(job);
    write(job, [&](auto e) {
      auto x = e.initJob().initExited();
      x.setRun(j.run);
      x.setReported(true);
    });
    write(job, [&](auto e) {
      auto v = e.initJob().initVnodesReleased();
      v.setRun(j.run);
      v.setExecVnode(j.allocated.exec_vnode());
      auto hosts = v.initHosts(static_cast<unsigned>(j.hosts.size()));
      for (unsigned i = 0; i < hosts.size(); ++i) hosts.set(i, j.hosts[i]);
    });
    write(job, [&](auto e) { e.initJob().initEnded(); });
  }

  std::uint64_t write(std::uint64_t stream, const fill& f, std::vector<ports::blob> blobs = {}) {
    log::append a;
    a.stream = stream;
    a.expected_version = log_.last_version(stream);
    a.events.push_back(model::make_event(f));
    a.blobs = std::move(blobs);
    const auto staged = log_.stage(std::move(a));
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log_.commit(records)));
    for (const auto& r : records) {
      now.fold(*r);
      view_.apply(*r);
    }
    clock.ns += 1000;
    return std::get<log::staged>(staged).stream;
  }

 private:
  void hear(const std::vector<projections::scheduling_projection::message>& view) {
    for (const auto& m : view) driver_.received(m.get());
  }

  void take_sent() {
    auto sent = std::exchange(sent_, {});
    if (starts_first && !refuses) std::stable_partition(sent.begin(), sent.end(), [](const auto& m) { return m.get().isRun(); });
    for (const auto& m : sent) take(m.get());
  }
  void take(schema::FromScheduler::Reader m) {
    using which = schema::FromScheduler::Which;
    switch (m.which()) {
      case which::RUN: return refuses ? refuse(m.getRun()) : run(m.getRun());
      case which::FULL_VIEW: return hear(view_.full_view());
      case which::REASONS: write(scheduler_, [&](auto e) { e.initScheduler().setCycleReasons(m.getReasons()); }); return;
      case which::CYCLE_ENDED: write(scheduler_, [&](auto e) { e.initScheduler().setCycleEnded(m.getCycleEnded()); }); return;
      case which::FAIRSHARE: write(scheduler_, [&](auto e) { e.initScheduler().setFairsharePolicy(m.getFairshare()); }); return;
      case which::CYCLE_BEGAN: {
        std::vector<ports::blob> blobs;
        const auto bytes = std::as_bytes(std::span(policy_));
        if (!std::exchange(stored_, true)) blobs.push_back({log::content_hash(bytes), {bytes.begin(), bytes.end()}});
        write(
            scheduler_, [&](auto e) { e.initScheduler().setCycleBegan(m.getCycleBegan()); }, std::move(blobs));
        return;
      }
      default: return;
    }
  }

  void run(schema::ProposeRun::Reader p) {
    refused_.erase(p.getJob());
    const auto number = now.job(p.getJob())->run + 1;
    write(p.getJob(), [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(number);
      a.setExecVnode(p.getExecVnode());
      a.setExecHost(p.getExecHost());
      a.setHosts(p.getHosts());
      a.setScheduler("default");
      a.setPlace("pack");
      a.setWalltimeSeconds(alters_walltime > 0 ? alters_walltime : p.getWalltimeSeconds());
    });
    write(p.getJob(), [&](auto e) { e.initJob().initStarted().setRun(number); });
    const auto limit = p.getWalltimeSeconds() > 0 ? static_cast<std::int64_t>(p.getWalltimeSeconds()) : INT64_MAX;
    if (const auto seconds = std::min(runs_for_[p.getJob()], limit); seconds > 0) ends_.emplace(clock.ns + seconds * second, p.getJob());
  }

  void refuse(schema::ProposeRun::Reader p) {
    const auto place = schema::str(p.getExecVnode());
    auto& last = refused_[p.getJob()];
    if (std::exchange(last, place) != place) write(scheduler_, [&](auto e) {
      auto r = e.initScheduler().initProposalRefused();
      r.setJob(p.getJob());
      r.setCycle(p.getCycle());
      r.setExecVnode(p.getExecVnode());
      r.setReason("no");
    });
    driver_.received(*schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) { m.initRefused().setJob(p.getJob()); }));
  }

  log::event_log log_{store, clock};
  projections::scheduling_projection view_{now, "default"};
  std::vector<actors::cycle_driver::message> sent_;
  actors::cycle_driver driver_{
      {.name = "default"}, {.send = [this](const auto& m) { sent_.push_back(m); }, .log = [](auto, auto, auto, auto) {}, .clock = &clock}};
  std::string policy_;
  bool stored_ = false;
  std::uint64_t server_ = 0, scheduler_ = 0, number_ = 0, cycles_ = 0;
  std::map<std::uint64_t, std::int64_t> runs_for_;
  std::map<std::uint64_t, std::string> refused_;     // where to run, until it ran
  std::multimap<std::int64_t, std::uint64_t> ends_;  // time -> job
};

}  // namespace annals::test
