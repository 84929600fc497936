// What a job used, per run, per host and over time.
#include <boost/test/unit_test.hpp>

#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/model/limits.hpp"
#include "projections/usage/usage.hpp"
#include "test/support/made_history.hpp"

using namespace annals;
using projections::job_usage;

namespace {

struct used {
  std::uint64_t cpu_s, mem_kb, wall_s;
  std::uint32_t ncpus = 2;
};

void fill(schema::Usage::Builder u, const used& from) {
  model::write_usage(model::measured_usage({from.cpu_s, from.mem_kb, from.mem_kb * 2, from.wall_s, from.ncpus, 0}), u);
}

using per_host = std::vector<std::pair<std::string, used>>;
void fill(capnp::List<schema::HostUsage>::Builder list, const per_host& from) {
  for (unsigned i = 0; i < from.size(); ++i) {
    list[i].setHost(from[i].first);
    fill(list[i].initUsage(), from[i].second);
  }
}

// A job's stream, followed as it is written.
class followed_job {
 public:
  job_usage usage;

  followed_job() {
    write([](auto e) { e.initJob().initQueued().setId("12.borg"); });
  }
  void assign(std::uint32_t run, const std::vector<std::string>& hosts) {
    write([&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(run);
      auto list = a.initHosts(static_cast<unsigned>(hosts.size()));
      for (unsigned i = 0; i < hosts.size(); ++i) list.set(i, hosts[i]);
    });
  }
  void report(const used& all, const per_host& hosts = {}) {
    write([&](auto e) {
      auto u = e.initJob().initUsageReported();
      fill(u.initUsage(), all);
      if (!hosts.empty()) fill(u.initHosts(static_cast<unsigned>(hosts.size())), hosts);
    });
  }
  void exit(int status, const used& all, const per_host& hosts = {}) {
    write([&](auto e) {
      auto x = e.initJob().initExited();
      x.setExitStatus(status);
      fill(x.initUsage(), all);
      if (!hosts.empty()) fill(x.initHosts(static_cast<unsigned>(hosts.size())), hosts);
    });
  }
  void write(const std::function<void(schema::Event::Builder)>& f) {
    log::append a;
    a.stream = stream_;
    a.expected_version = log_.last_version(stream_);
    a.events.push_back(model::make_event(f));
    stream_ = std::get<log::staged>(log_.stage(std::move(a))).stream;
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log_.commit(records)));
    for (const auto& r : records) usage.fold(*r);
    clock_.ns += 10'000'000'000;
  }
  job_usage rebuilt() const {
    job_usage again;
    BOOST_REQUIRE(static_cast<bool>(log::log_reader(store_).read_stream(stream_, 1, [&](const log::record_ptr& r) {
      again.fold(*r);
      return true;
    })));
    return again;
  }

 private:
  test::history_clock clock_;
  log::memory_event_store store_;
  log::event_log log_{store_, clock_};
  std::uint64_t stream_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_not_told_per_host_was_used_on_the_first) {
  followed_job job;
  job.assign(1, {"n1", "n2"});
  job.report({5, 1000, 10});
  job.exit(3, {9, 2000, 20});
  BOOST_TEST(job.usage.id() == "12.borg");
  BOOST_REQUIRE(job.usage.runs().size() == 1u);
  const auto& run = job.usage.runs()[0];
  BOOST_TEST(run.exit_status == 3);
  BOOST_TEST(run.ended_ns - run.assigned_ns == 20'000'000'000);
  BOOST_REQUIRE(run.hosts.size() == 2u);
  BOOST_TEST(run.hosts[0].host == "n1");
  BOOST_REQUIRE(run.hosts[0].samples.size() == 2u);
  BOOST_TEST(run.hosts[0].samples[0].used.seconds("cput") == 5u);
  BOOST_TEST(run.hosts[0].samples[1].used.kb("mem") == 2000u);
  BOOST_TEST(run.hosts[1].samples.empty());
  BOOST_TEST(run.total.empty());
}

BOOST_AUTO_TEST_CASE(each_host_has_its_own_series_and_the_sum_is_kept_beside_them) {
  followed_job job;
  job.assign(1, {"n1", "n2"});
  job.report({7, 3000, 10, 4}, {{"n1", {5, 1000, 10}}, {"n2", {2, 2000, 10}}});
  job.exit(0, {11, 3500, 20, 4}, {{"n2", {4, 2500, 20}}, {"n1", {7, 1000, 20}}});
  const auto& run = job.usage.runs()[0];
  BOOST_REQUIRE(run.hosts.size() == 2u);
  BOOST_TEST(run.hosts[0].samples.back().used.seconds("cput") == 7u);
  BOOST_TEST(run.hosts[1].samples.back().used.seconds("cput") == 4u);
  BOOST_REQUIRE(run.total.size() == 2u);
  BOOST_TEST(run.total.back().used.seconds("cput") == 11u);
}

BOOST_AUTO_TEST_CASE(a_requeued_job_has_a_series_for_each_run) {
  followed_job job;
  job.assign(1, {"n1"});
  job.report({1, 10, 10});
  job.exit(-4, {0, 0, 0, 0});  // its MoM was lost: nobody measured
  job.assign(2, {"n2"});
  job.exit(0, {2, 20, 20});
  BOOST_REQUIRE(job.usage.runs().size() == 2u);
  BOOST_TEST(job.usage.runs()[0].hosts[0].samples.size() == 1u);
  BOOST_TEST(job.usage.runs()[1].hosts[0].host == "n2");
  BOOST_TEST(job.usage.runs()[1].hosts[0].samples.size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_happens_to_the_subjobs_of_an_array_is_no_run_of_its_own) {
  followed_job array;
  array.write([](auto e) { e.initJob().initSubjobBegan().setRun(1); });
  array.write([](auto e) { e.initJob().initSubjobsAsked().setIndices("1-2"); });
  array.write([](auto e) { e.initJob().initSubjobLeft().setRun(1); });
  BOOST_TEST(array.usage.runs().empty());
}

BOOST_AUTO_TEST_CASE(a_long_series_is_thinned_and_keeps_its_begin_and_its_end) {
  followed_job job;
  job.assign(1, {"n1"});
  for (std::uint64_t i = 1; i <= limits::usage_samples_max * 3; ++i) job.report({i, 100, i * 10});
  const auto& samples = job.usage.runs()[0].hosts[0].samples;
  BOOST_TEST(samples.size() <= limits::usage_samples_max);
  BOOST_TEST(samples.size() > limits::usage_samples_max / 2);
  BOOST_TEST(samples.front().used.seconds("cput") == 1u);
  BOOST_TEST(samples.back().used.seconds("cput") == limits::usage_samples_max * 3);
  for (std::size_t i = 1; i < samples.size(); ++i)
    BOOST_TEST_REQUIRE(samples[i - 1].used.seconds("walltime") < samples[i].used.seconds("walltime"));
}

BOOST_AUTO_TEST_CASE(a_host_that_has_only_what_a_hook_set_has_a_sample) {
  followed_job job;
  job.assign(1, {"n1"});
  job.write([](auto e) {
    auto list = e.initJob().initUsageReported().initUsage().initResources(1);
    list[0].setResource("site");
    list[0].setValue("a word");
  });
  BOOST_REQUIRE(job.usage.runs()[0].hosts[0].samples.size() == 1u);
  BOOST_TEST(job.usage.runs()[0].hosts[0].samples[0].used.get("site").value_or("") == "a word");
}

BOOST_AUTO_TEST_CASE(what_is_kept_from_a_record_on_has_no_sample_before_and_no_run_that_was_over) {
  followed_job job;
  job.assign(1, {"n1"});
  job.report({1, 10, 10});
  job.exit(0, {2, 20, 20});  // record 4
  job.assign(2, {"n1"});
  job.report({1, 10, 10});
  job.report({2, 10, 20});
  auto later = job.usage;
  later.keep_from(4);
  BOOST_REQUIRE(later.runs().size() == 2u);
  BOOST_TEST(later.runs()[0].hosts[0].samples.size() == 1u);
  BOOST_TEST(later.runs()[0].hosts[0].samples[0].sequence == 4u);
  later.keep_from(7);
  BOOST_REQUIRE(later.runs().size() == 1u);
  BOOST_TEST(later.runs()[0].hosts[0].samples.size() == 1u);
  later.keep_from(100);  // it goes on
  BOOST_TEST(later.runs().size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_rebuilt_from_the_log_is_what_was_followed) {
  followed_job job;
  BOOST_TEST((job.rebuilt() == job.usage));
  for (std::uint32_t run = 1; run <= 3; ++run) {
    job.assign(run, {"n1", "n2"});
    for (std::uint64_t i = 1; i <= limits::usage_samples_max * run / 2; ++i) {
      job.report({i, 100 + i, i * 10, 4}, {{"n1", {i / 2, 50, i * 10}}, {"n2", {i / 2, 50 + i, i * 10}}});
      if (i % 400 == 0) BOOST_TEST_REQUIRE((job.rebuilt() == job.usage));
    }
    job.exit(0, {1000, 5000, 99'999, 4});
  }
  BOOST_TEST((job.rebuilt() == job.usage));
  BOOST_TEST(job.usage.runs().size() == 3u);
}

BOOST_AUTO_TEST_CASE(efficiency_is_cpu_time_per_cpu_held) {
  const auto efficiency = [](std::uint64_t cpu_s, std::uint64_t wall_s) {
    return projections::cpu_efficiency({0, model::measured_usage({.cpu_seconds = cpu_s, .wall_seconds = wall_s, .ncpus = 2})});
  };
  BOOST_TEST(efficiency(50, 100) == 25u);
  BOOST_TEST(efficiency(200, 100) == 100u);
  BOOST_TEST(efficiency(5, 0) == 0u);
  BOOST_TEST(projections::cpu_efficiency({}) == 0u);
}
