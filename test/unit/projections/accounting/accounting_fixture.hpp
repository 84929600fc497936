// What the tests of accounting share: a log told by job stories, with hosts, as records.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/log/record.hpp"
#include "projections/accounting/accounting.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/reservation_story.hpp"
#include "test/support/stored_bytes.hpp"
#include "test/support/temporary_directory.hpp"

namespace annals::test {

struct in_utc {
  in_utc() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }
};

inline std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

// Records of several stories in the order they are told.
class told_log : in_utc {
 public:
  std::vector<log::record_ptr> records;
  log::memory_event_store store;  // holds the same

  void host(const std::string& name, const std::string& ncpus, const std::string& mem, const std::string& sharing = "") {
    const std::uint64_t serial = next_serial_++;
    add(serial, 1, 0, the_server(), model::make_event([&](auto e) { e.initHost().initAdded().setName(name); }));
    add(serial, 2, 0, the_server(), model::make_event([&](auto e) { e.initHost().initVnodeCreated().setName(name); }));
    given_values reported{{"resources_available", "ncpus", ncpus}, {"resources_available", "mem", mem}};
    if (!sharing.empty()) reported.push_back({"sharing", "", sharing});
    add(serial, 3, 0, the_server(), model::make_event([&](auto e) {
          auto v = e.initHost().initCameUp().initVnodes(1)[0];
          v.setName(name);
          fill(v.initAttributes(static_cast<unsigned>(reported.size())), reported);
        }));
  }

  void server(const given_values& set, const model::requester& by) {
    add(1, ++server_version_, 0, by, model::make_event([&](auto e) {
          fill(e.initServer().initChanged().initChanges(static_cast<unsigned>(set.size())), set);
        }));
  }

  // A new job with a stream of its own; told() takes over what happened to it since.
  job_story job() {
    job_story s;
    s.serial = next_serial_++;
    return s;
  }
  void told(reservation_story& s) {
    for (const auto& [at, e] : s.history) add(7, at.version, at.wall_ns, at.by, e);
    s.history.clear();
  }
  void told(job_story& s) {
    for (const auto& [at, e] : s.history) add(s.serial, at.version, at.wall_ns, at.by, e);
    s.history.clear();
  }

 private:
  void add(std::uint64_t stream, std::uint64_t version, std::int64_t wall_ns, const model::requester& by, const model::event& e) {
    log::record_meta m;
    m.sequence = records.size() + 1;
    m.stream = stream;
    m.version = version;
    m.wall_ns = wall_ns;
    m.by = {by.user, by.host, by.role};
    auto encoded = log::encode(m, e, previous_);
    previous_ = encoded.hash;
    records.push_back(encoded.decoded);
    ports::write_batch batch;
    batch.records.push_back({m.sequence, m.stream, m.version, encoded.bytes});
    BOOST_REQUIRE(store.append(batch));
  }
  std::uint64_t next_serial_ = 100, server_version_ = 0;
  log::chain_hash previous_{};
};

// A fold that is stored and restored before each record has the same lines.
inline std::vector<std::string> lines_of(const std::vector<log::record_ptr>& records) {
  std::vector<std::string> lines, lines_of_restored;
  projections::accounting fold;
  for (const auto& r : records) {
    projections::accounting restored;
    stored::restore_whole(stored_bytes(fold), restored);
    restored.fold(*r, [&](std::int64_t, std::string_view line) { lines_of_restored.emplace_back(line); });
    fold.fold(*r, [&](std::int64_t, std::string_view line) { lines.emplace_back(line); });
    BOOST_REQUIRE((stored_bytes(restored) == stored_bytes(fold)));
  }
  BOOST_TEST(lines_of_restored == lines, boost::test_tools::per_element());
  return lines;
}

// A job, and the records of it so far.
struct told_job {
  told_log log;
  job_story story = log.job();

  void submit(const given_values& s = {}) {
    story.settings.server_name = "q1";
    auto c = submission(602, s);
    c.euser = "pbsuser";
    c.egroup = "tstgrp00";
    c.by_hooks = {"Resource_List.select_reliable_startup", "Resource_List.rjselect"};
    BOOST_REQUIRE_EQUAL(story.when(c, {"pbsuser", "q1", schema::Role::USER}), "queued");
  }
  // Its order is sent, and its program runs.
  void runs_on(const std::vector<std::string>& hosts, const std::string& exec_vnode, const std::string& exec_host) {
    auto run = propose(exec_vnode, hosts.front());
    run.message = schema::make<schema::FromScheduler>([&](auto m) {
      auto p = m.initRun();
      p.setExecVnode(exec_vnode);
      p.setExecHost(exec_host);
      auto list = p.initHosts(static_cast<unsigned>(hosts.size()));
      for (unsigned i = 0; i < list.size(); ++i) list.set(i, hosts[i]);
    });
    story.when(run, the_scheduler());
    story.starts();
  }
  std::vector<std::string> lines() {
    log.told(story);
    return lines_of(log.records);
  }
  std::string last() { return lines().back(); }
  std::string letters() {
    std::string all;
    for (const auto& line : lines()) all += line.substr(20, 1);
    return all;
  }
};

}  // namespace annals::test
