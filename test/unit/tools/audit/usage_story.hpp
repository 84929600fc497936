// Jobs and what they use, written into a log in memory as a server writes them, for the tests of what pbs_audit says of usage.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "events/model/usage.hpp"
#include "test/unit/tools/audit/startup_story.hpp"

namespace annals::test {

using values_used = std::vector<std::pair<std::string, std::string>>;   // by resource
using hosts_used = std::vector<std::pair<std::string, values_used>>;    // by host
using asked_values = std::vector<std::pair<std::string, std::string>>;  // of Resource_List

struct usage_story : startup_story {
  std::uint64_t server = 0;

  static void fill(schema::Usage::Builder to, const values_used& from) {
    model::usage_set set;
    for (const auto& [resource, value] : from) set.set(resource, value);
    model::write_usage(set, to);
  }
  template <class Event>
  static void fill(Event to, const values_used& all, const hosts_used& hosts) {
    fill(to.initUsage(), all);
    if (hosts.empty()) return;
    auto list = to.initHosts(static_cast<unsigned>(hosts.size()));
    for (unsigned i = 0; i < hosts.size(); ++i) {
      list[i].setHost(hosts[i].first);
      fill(list[i].initUsage(), hosts[i].second);
    }
  }

  std::uint64_t submit_to(const std::string& queue, const std::string& owner, const asked_values& asked) {
    run = 0;
    const auto n = ++number;
    return write(0, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(std::to_string(n) + ".borg");
      q.setNumber(n);
      q.setOwner(owner);
      q.setQueue(queue);
      auto list = q.initAttributes(static_cast<unsigned>(asked.size()));
      for (unsigned i = 0; i < asked.size(); ++i) {
        list[i].setName("Resource_List");
        list[i].setResource(asked[i].first);
        list[i].setValue(asked[i].second);
      }
    });
  }
  void report(std::uint64_t job, const values_used& all, const hosts_used& hosts = {}) {
    write(job, [&](auto e) { fill(e.initJob().initUsageReported(), all, hosts); });
  }
  void exit(std::uint64_t job, int status, const values_used& all, const hosts_used& hosts = {}) {
    write(job, [&](auto e) {
      auto x = e.initJob().initExited();
      x.setRun(run);
      x.setExitStatus(status);
      x.setReported(true);
      fill(x, all, hosts);
    });
  }
  // A hook of this host's MoM; an empty value is taken away.
  void set_by_hook(std::uint64_t job, const std::string& host, const std::string& resource, const std::string& value) {
    log::append a;
    a.stream = job;
    a.expected_version = log.last_version(job);
    a.by = {"pbs_mom", host, schema::Role::MOM};
    a.events.push_back(model::make_event([&](auto e) {
      auto c = e.initJob().initAltered().initChanges(1)[0];
      c.setName("resources_used");
      c.setResource(resource);
      c.setValue(value);
      if (value.empty()) c.setOp(schema::AttributeOp::UNSET);
    }));
    BOOST_REQUIRE(std::holds_alternative<log::staged>(log.stage(std::move(a))));
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log.commit(records)));
  }
  void make_resource(const std::string& name, const std::string& type) {
    server = write(server, [&](auto e) {
      auto r = e.initServer().initResourceCreated();
      r.setName(name);
      r.setType(type);
    });
  }
  void delete_resource(const std::string& name) {
    write(server, [&](auto e) { e.initServer().initResourceDeleted().setName(name); });
  }
};

}  // namespace annals::test
