// Jobs on several hosts, written into a log in memory as a server writes them, for the tests of what pbs_audit says of their starts.
#pragma once

#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <string>
#include <vector>

#include "events/log/event_log.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/model/outcome.hpp"
#include "test/support/folded_log.hpp"

namespace annals::test {

using hosts = std::vector<std::string>;

struct startup_story {
  static constexpr std::int64_t ms = 1'000'000;
  log::memory_event_store store;
  virtual_clock clock;
  log::event_log log{store, clock};
  std::uint64_t number = 0;
  std::uint32_t run = 0;

  void later(std::int64_t milliseconds) { clock.ns += milliseconds * ms; }
  std::int64_t now_ns() const { return clock.ns; }
  std::uint64_t last() const { return store.last_sequence(); }

  template <class Fill>
  std::uint64_t write(std::uint64_t stream, Fill&& fill) {
    log::append a;
    a.stream = stream;
    a.expected_version = log.last_version(stream);
    a.events.push_back(model::make_event(fill));
    const auto staged = log.stage(std::move(a));
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log.commit(records)));
    return std::get<log::staged>(staged).stream;
  }

  std::uint64_t submit(const std::string& tolerates = {}) {
    return submit("tolerate_node_failures", {}, tolerates);
  }
  std::uint64_t submit(const std::string& attribute, const std::string& resource, const std::string& value) {
    ++number;
    run = 0;
    return write(0, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(std::to_string(number) + ".borg");
      q.setNumber(number);
      q.setOwner("alice@front");
      if (value.empty()) return;
      auto a = q.initAttributes(1)[0];
      a.setName(attribute);
      a.setResource(resource);
      a.setValue(value);
    });
  }
  void alter(std::uint64_t job, const std::string& tolerates) {
    write(job, [&](auto e) {
      auto a = e.initJob().initAltered().initChanges(1)[0];
      a.setName("tolerate_node_failures");
      a.setValue(tolerates);
      if (tolerates.empty()) a.setOp(schema::AttributeOp::UNSET);
    });
  }
  // The next run, and the question to its other hosts.
  void assign(std::uint64_t job, const hosts& on) {
    write(job, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(++run);
      auto list = a.initHosts(static_cast<unsigned>(on.size()));
      for (unsigned i = 0; i < on.size(); ++i) list.set(i, on[i]);
    });
    if (on.size() == 1) return;
    later(100);
    ask(job, {on.begin() + 1, on.end()});
  }
  void ask(std::uint64_t job, const hosts& whom) {
    step(job, [&](auto s) {
      auto list = s.initSistersAsked().initHosts(static_cast<unsigned>(whom.size()));
      for (unsigned i = 0; i < whom.size(); ++i) list.set(i, whom[i]);
    });
  }
  template <class Fill>
  void step(std::uint64_t job, Fill&& fill) {
    write(job, [&](auto e) {
      auto s = e.initJob().initRunStep();
      s.setRun(run);
      s.setAtNs(clock.ns);
      fill(s.initStep());
    });
  }
  void joined(std::uint64_t job, const std::string& host) {
    step(job, [&](auto s) { s.initSisterJoined().setHost(host); });
  }
  void ready(std::uint64_t job, const std::string& host) {
    step(job, [&](auto s) { s.initSisterReady().setHost(host); });
  }
  void failed(std::uint64_t job, const std::string& host, int code, const std::string& text) {
    step(job, [&](auto s) {
      auto f = s.initSisterFailed();
      f.setHost(host);
      f.setCode(code);
      f.setText(text);
    });
  }
  void alarm(std::uint64_t job) {
    step(job, [](auto s) { s.setJoinWaitEnded(); });
  }
  void reduced(std::uint64_t job, const std::string& exec_host) {
    step(job, [&](auto s) { s.initAllocationReduced().setExecHost(exec_host); });
  }
  void left(std::uint64_t job, const std::string& host, bool abandoned = false) {
    step(job, [&](auto s) {
      auto l = s.initSisterLeft();
      l.setHost(host);
      l.setAbandoned(abandoned);
    });
  }
  void started(std::uint64_t job, std::int64_t session = 4711) {
    write(job, [&](auto e) {
      auto s = e.initJob().initStarted();
      s.setRun(run);
      s.setSession(session);
    });
  }
  void refused(std::uint64_t job, int code, const std::string& text) {
    write(job, [&](auto e) {
      auto f = e.initJob().initStartFailed();
      f.setRun(run);
      f.setCode(code);
      f.setText(text);
    });
  }
  void exited(std::uint64_t job, int status, bool reported = true) {
    write(job, [&](auto e) {
      auto x = e.initJob().initExited();
      x.setRun(run);
      x.setExitStatus(status);
      x.setReported(reported);
    });
  }
  void requeued(std::uint64_t job) {
    write(job, [&](auto e) { e.initJob().initRequeued().setRun(run); });
  }
  void ended(std::uint64_t job) {
    write(job, [](auto e) { e.initJob().initEnded(); });
  }
  void forgotten(std::uint64_t job) {
    write(job, [](auto e) { e.initJob().setForgotten(); });
  }
};

}  // namespace annals::test
