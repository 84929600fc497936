// A cluster's life, invented from a seed and written into an event log: objects that come and go, jobs that wait, run, are
// requeued and forgotten, cycles that give reasons. Every event is one that the model allows; the same seed gives the same log.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "events/attributes/ids.hpp"
#include "events/log/event_log.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/model/usage.hpp"
#include "projections/status/status.hpp"

namespace annals::test {

struct history_clock : ports::clock {
  std::int64_t ns = 1'795'222'000'000'000'000;
  std::int64_t now_ns() const override { return ns; }
};

class made_history {
 public:
  made_history(ports::event_store& store, unsigned seed) : log_(store, clock_), random_(seed) {}

  projections::status now;  // folded from everything written
  std::function<void(const log::record&)> written = [](const log::record&) {};

  using fill = std::function<void(schema::Event::Builder)>;
  // Writes one event; 0 makes a stream. Answers the stream's serial.
  std::uint64_t write(std::uint64_t stream, const fill& f, const log::who& by = {"root", "borg", schema::Role::SERVER}) {
    log::append a;
    a.stream = stream;
    a.expected_version = log_.last_version(stream);
    a.events.push_back(model::make_event(f));
    a.by = by;
    const auto staged = log_.stage(std::move(a));
    ANNALS_INVARIANT(std::holds_alternative<log::staged>(staged), "a history is written in order");
    std::vector<log::record_ptr> records;
    ANNALS_INVARIANT(static_cast<bool>(log_.commit(records)), "a history is written");
    for (const auto& r : records) {
      now.fold(*r);
      written(*r);
    }
    clock_.ns += 250'000'000;
    return std::get<log::staged>(staged).stream;
  }

  // What every history begins with: the server, a queue, a host, a scheduler.
  void begin() {
    server_ = write(0, [](auto e) {
      auto s = e.initServer().initStarted();
      s.setServerName("borg");
      s.setHostName("borg");
    });
    change_server("job_history_enable", "True");
    add_queue("workq");
    add_host("n1", 1);
    scheduler_ = write(0, [](auto e) { e.initScheduler().initCreated().setName("default"); });
    write(scheduler_, [](auto e) { e.initScheduler().initStarted().setHost("borg"); });
  }

  void step() {
    switch (random_() % 24) {
      case 0: return add_host("n" + std::to_string(hosts_.size() + removed_ + 1), 1 + random_() % 3);
      case 1: return disturb_host();
      case 2: return random_() % 2 ? add_queue("q" + std::to_string(++queues_made_)) : remove_queue();
      case 3:
        if (cycles_ % 3 == 1) return change_server("eligible_time_enable", cycles_ % 2 ? "True" : "False");
        return change_server("comment", "step " + std::to_string(random_() % 100));
      case 4:
      case 5: return cycle();
      case 6:
      case 7:
      case 8:
      case 9: return submit();
      default: return move_a_job();
    }
  }

  void change_server(const std::string& name, const std::string& value) {
    write(server_, [&](auto e) {
      auto c = e.initServer().initChanged().initChanges(1)[0];
      c.setName(name);
      c.setValue(value);
    });
  }

  void submit(const std::string& owner = {}) {
    const auto number = ++number_;
    const auto user = owner.empty() ? "user" + std::to_string(random_() % 3) : owner;
    const auto queue = queue_names_[random_() % queue_names_.size()];
    const bool held = random_() % 5 == 0;
    jobs_.push_back(write(0, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(std::to_string(number) + ".borg");
      q.setNumber(number);
      q.setOwner(user + "@front");
      q.setEuser(user);
      q.setEgroup("users");
      q.setQueue(queue);
      q.setQueueRank(static_cast<std::int64_t>(number));
      auto a = q.initAttributes(3);
      a[0].setName("Job_Name");
      a[0].setValue("job" + std::to_string(number));
      a[1].setName("Resource_List");
      a[1].setResource("ncpus");
      a[1].setValue(std::to_string(1 + number % 2));
      a[2].setName("Resource_List");
      a[2].setResource("mem");
      a[2].setValue("1gb");
      if (held) q.initHolds(1).set(0, schema::HoldType::USER);
    },
                          {user, "front", schema::Role::USER}));
  }

  void cycle() {
    ++cycles_;
    write(scheduler_, [&](auto e) { e.initScheduler().initCycleBegan().setNumber(cycles_); });
    std::vector<std::uint64_t> told;
    for (auto j : jobs_)
      if (random_() % 3 == 0) told.push_back(j);  // also jobs that run: to them it means nothing
    if (!told.empty())
      write(scheduler_, [&](auto e) {
        auto r = e.initScheduler().initCycleReasons();
        r.setCycle(cycles_);
        r.initTexts(2).set(0, "Not Running: cycle " + std::to_string(cycles_ / 3));  // some are said again
        r.getTexts().set(1, "Can Never Run: too large");
        r.initWhys(2)[0].setResource("ncpus");
        r.getWhys()[1].setResource("mem");
        r.initBlockers(1).set(0, std::to_string(cycles_) + ".borg");
        r.getWhys()[cycles_ % 2].setKind(schema::Why::Kind::LIMIT);
        auto list = r.initJobs(static_cast<unsigned>(told.size()));
        for (unsigned i = 0; i < told.size(); ++i) {
          list[i].setJob(told[i]);
          list[i].setText(i % 2);
          list[i].setBehind(i % 3 == 0);
        }
      });
    if (!told.empty() && random_() % 2 == 0)
      write(scheduler_, [&](auto e) {
        auto list = e.initScheduler().initCycleReasons().initEstimates(1 + static_cast<unsigned>(random_() % told.size()));
        for (unsigned i = 0; i < list.size(); ++i) {
          list[i].setJob(told[i]);
          list[i].setStartNs(random_() % 3 == 0 ? 0 : static_cast<std::int64_t>(cycles_) * 1'000'000'000);
          list[i].setExecVnode("(n1:ncpus=1)");
          list[i].setFormer(cycles_ % 3 == 0);
        }
      });
    write(scheduler_, [&](auto e) { e.initScheduler().initCycleEnded().setNumber(cycles_); });
    if (random_() % 6 == 0) {
      write(scheduler_, [&](auto e) { e.initScheduler().initStopped().setText("gone"); });
      write(scheduler_, [&](auto e) { e.initScheduler().initStarted().setHost("borg"); });
    }
  }

  void pass(std::int64_t seconds) { clock_.ns += seconds * 1'000'000'000; }

  const std::vector<std::uint64_t>& jobs() const { return jobs_; }  // not forgotten
  std::uint64_t last_number() const { return number_; }

  // What may happen next to one job: a step in its life.
  void move(std::uint64_t serial) {
    const auto job = *now.job(serial);
    const auto to = [&](const fill& f) { write(serial, f); };
    using p = model::job_phase;
    switch (job.phase) {
      case p::held: return to([](auto e) { e.initJob().initReleased().initHolds(1).set(0, schema::HoldType::USER); });
      case p::queued:
        if (random_() % 8 == 0) return to([](auto e) { e.initJob().initHeld().initHolds(1).set(0, schema::HoldType::USER); });
        if (random_() % 8 == 0) return alter(serial);
        if (random_() % 8 == 0) return put_elsewhere(serial);
        return assign(serial, job.run + 1);
      case p::assigned:
        if (random_() % 6 == 0) return to([&](auto e) { e.initJob().initStartFailed().setRun(job.run); });
        return to([&](auto e) {
          auto s = e.initJob().initStarted();
          s.setRun(job.run);
          s.setSession(4711);
          s.setComment("Job run");
        });
      case p::started:
        if (random_() % 2 == 0) return use(serial, job.run);
        if (random_() % 3 == 0) return suspend(serial, job);
        [[fallthrough]];
      case p::suspended:
        if (job.phase == p::suspended && random_() % 4 > 0) return resume(serial, job);
        return to([&](auto e) {
          auto x = e.initJob().initExited();
          x.setRun(job.run);
          model::write_usage(model::measured_usage({.ncpus = 1}), x.initUsage());
          x.setCommentSuffix(" and finished");
        });
      case p::exiting: return leave(serial, job);
      case p::finished:
        std::erase(jobs_, serial);
        return to([](auto e) { e.initJob().setForgotten(); });
      default: return;
    }
  }

 private:
  struct host {
    std::uint64_t stream;
    std::string name;
    std::vector<std::string> vnodes;
    bool up = true;
  };

  void move_a_job() {
    if (jobs_.empty()) return submit();
    move(jobs_[random_() % jobs_.size()]);
  }

  void put_elsewhere(std::uint64_t serial) {
    const auto rank = static_cast<std::int64_t>(random_() % (2 * number_ + 1));
    write(serial, [&](auto e) {
      if (rank % 2 == 0) return e.initJob().initReordered().setQueueRank(rank);
      auto m = e.initJob().initMoved();
      m.setQueue(queue_names_[random_() % queue_names_.size()]);
      m.setQueueRank(rank);
    });
  }

  void suspend(std::uint64_t serial, const model::job_state& job) {
    const bool partly = random_() % 3 == 0;
    const auto exec_vnode = std::string(job.attribute(attributes::job::exec_vnode));
    write(serial, [&](auto e) {
      auto s = e.initJob().initSuspended();
      s.setRun(job.run);
      s.setRequest(job.last_request + 1);
      s.setAdmin(random_() % 3 == 0);
    });
    write(serial, [&](auto e) {
      auto r = e.initJob().initVnodesReleased();
      r.setRun(job.run);
      r.setExecVnode(partly ? exec_vnode.substr(0, exec_vnode.find(":mem")) + ")" : exec_vnode);
      r.setWhy(schema::ReleaseReason::SUSPENDED);
      r.setAmountsOnly(partly);
    });
  }

  void resume(std::uint64_t serial, const model::job_state& job) {
    write(serial, [&](auto e) {
      auto r = e.initJob().initResumed();
      r.setRun(job.run);
      r.setRequest(job.last_request + 1);
      r.setAdmin(job.admin_suspended);
    });
    write(serial, [&](auto e) {
      auto t = e.initJob().initVnodesTaken();
      t.setRun(job.run);
      t.setExecVnode(job.released);
      t.setPlace("free");
      t.setAmountsOnly(job.released_partly);
    });
  }

  void alter(std::uint64_t serial) {
    write(serial, [&](auto e) {
      auto c = e.initJob().initAltered().initChanges(1)[0];
      c.setName("Priority");
      c.setValue(std::to_string(random_() % 100));
    });
  }

  void use(std::uint64_t serial, std::uint32_t run) {
    write(serial, [&](auto e) {
      auto u = e.initJob().initUsageReported();
      u.setRun(run);
      const ports::run_usage used{.cpu_seconds = jobs_.size(), .mem_kb = random_() % 1000, .wall_seconds = number_};
      model::write_usage(model::measured_usage(used), u.initUsage());
      if (random_() % 3 > 0) u.setSession(static_cast<std::int64_t>(random_() % 5));
      if (random_() % 3 > 0) u.setJobdir("/home/" + std::to_string(random_() % 4));
    });
  }

  // On one or two vnodes of different hosts, more than they have if it so happens: the book is only to be told.
  void assign(std::uint64_t serial, std::uint32_t run) {
    const auto& first = hosts_[random_() % hosts_.size()];
    const auto& second = hosts_[random_() % hosts_.size()];
    std::string exec = "(" + first.vnodes[random_() % first.vnodes.size()] + ":ncpus=2:mem=512kb)";
    std::vector<std::string> names{first.name};
    if (second.name != first.name) {
      exec += "+(" + second.vnodes[0] + ":ncpus=1:gpus=0.1)";
      names.push_back(second.name);
    }
    write(serial, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(run);
      a.setExecVnode(exec);
      a.setExecHost(first.name + "/0" + (names.size() > 1 ? "+" + second.name + "/0" : ""));
      a.setScheduler("default");
      a.setComment("Job was sent for execution");
      a.setPlace(random_() % 4 == 0 ? "excl" : "free");
      auto list = a.initHosts(static_cast<unsigned>(names.size()));
      for (unsigned i = 0; i < names.size(); ++i) list.set(i, names[i]);
    });
  }

  void leave(std::uint64_t serial, const model::job_state& job) {
    if (!job.allocated.empty()) {
      const std::vector<std::string> back{job.allocated.hosts().front()};
      const auto what = job.allocated.on(back);
      write(serial, [&](auto e) {
        auto r = e.initJob().initVnodesReleased();
        r.setRun(job.run);
        r.setExecVnode(what);
        r.initHosts(1).set(0, back.front());
      });
    } else if (random_() % 3 == 0) {
      write(serial, [&](auto e) { e.initJob().initRequeued().setRun(job.run); });
    } else {
      write(serial, [](auto e) {
        auto x = e.initJob().initEnded();
        x.setHasExitStatus(true);
        x.setSubstate(92);
      });
    }
  }

  void add_queue(const std::string& name) {
    queue_streams_[name] = write(0, [&](auto e) { e.initQueue().initCreated().setName(name); });
    queue_names_.push_back(name);
    write(queue_streams_[name], [&](auto e) {
      auto c = e.initQueue().initChanged().initChanges(1)[0];
      c.setName("enabled");
      c.setValue("True");
    });
  }

  void remove_queue() {
    if (queue_names_.size() < 2) return;
    const auto name = queue_names_.back();
    if (now.jobs_of(name).total > 0) return;
    queue_names_.pop_back();
    write(queue_streams_[name], [&](auto e) { e.initQueue().initDeleted().setName(name); });
  }

  void add_host(const std::string& name, std::size_t vnodes) {
    host h{0, name, {}};
    h.stream = write(0, [&](auto e) { e.initHost().initAdded().setName(name); });
    for (std::size_t i = 0; i < vnodes; ++i) {
      h.vnodes.push_back(i == 0 ? name : name + "[" + std::to_string(i) + "]");
      write(h.stream, [&](auto e) { e.initHost().initVnodeCreated().setName(h.vnodes.back()); });
    }
    come_up(h);
    hosts_.push_back(std::move(h));
  }

  void come_up(const host& h) {
    write(h.stream, [&](auto e) {
      auto up = e.initHost().initCameUp();
      up.setVersion("1");
      auto list = up.initVnodes(static_cast<unsigned>(h.vnodes.size()));
      for (unsigned i = 0; i < h.vnodes.size(); ++i) {
        list[i].setName(h.vnodes[i]);
        auto a = list[i].initAttributes(1)[0];
        a.setName("resources_available");
        a.setResource("ncpus");
        a.setValue("8");
      }
    });
  }

  void disturb_host() {
    auto& h = hosts_[random_() % hosts_.size()];
    const bool idle = std::none_of(h.vnodes.begin(), h.vnodes.end(), [&](const auto& v) {
      const auto* use = now.holdings().find(v);
      return use && !use->jobs.empty();
    });
    if (hosts_.size() > 2 && idle && random_() % 2) {
      for (const auto& v : h.vnodes) write(h.stream, [&](auto e) { e.initHost().initVnodeDeleted().setName(v); });
      write(h.stream, [&](auto e) { e.initHost().initRemoved().setName(h.name); });
      ++removed_;
      hosts_.erase(hosts_.begin() + (&h - hosts_.data()));
    } else if (h.up) {
      write(h.stream, [&](auto e) { e.initHost().initWentDown().setText("silent"); });
      h.up = false;
    } else {
      come_up(h);
      h.up = true;
    }
  }

  history_clock clock_;
  log::event_log log_;
  std::mt19937 random_;
  std::uint64_t server_ = 0, scheduler_ = 0, number_ = 0, cycles_ = 0;
  std::size_t queues_made_ = 0, removed_ = 0;
  std::vector<std::uint64_t> jobs_;
  std::vector<std::string> queue_names_;
  std::map<std::string, std::uint64_t> queue_streams_;
  std::vector<host> hosts_;
};

// The records of a history of so many steps.
inline std::vector<log::record_ptr> made_records(unsigned seed, int steps) {
  log::memory_event_store store;
  made_history history(store, seed);
  history.begin();
  for (int i = 0; i < steps; ++i) history.step();
  std::vector<log::record_ptr> records;
  const auto read = log::log_reader(store).read(1, [&](const log::record_ptr& r) {
    records.push_back(r);
    return true;
  });
  ANNALS_INVARIANT(static_cast<bool>(read), "a history is read");
  return records;
}

}  // namespace annals::test
