// Records of a job whose vnodes are released while it runs: one for each phase, and the whole at the end.
#include <algorithm>
#include <map>
#include <random>

#include "events/values/duration.hpp"
#include "test/unit/projections/accounting/accounting_fixture.hpp"

using namespace annals;
using namespace annals::test;

namespace {

std::string field_of(const std::string& line, const std::string& name) {
  const auto at = line.find(" " + name + "=");
  if (at == std::string::npos) return "";
  const auto begin = at + name.size() + 2;
  return line.substr(begin, line.find(' ', begin) - begin);
}

std::int64_t seconds_of(const std::string& line, const std::string& resource) {
  return values::parse_duration(field_of(line, "resources_used." + resource)).value_or(-1);
}

// A job on hosts h0, h1 ... from which some are released at random, while it uses more and more.
struct shrinking_job : told_job {
  std::mt19937 random;
  int hosts;
  measured used{1, 1000, 1, 4};

  explicit shrinking_job(unsigned seed) : random(seed), hosts(static_cast<int>(2 + random() % 5)) {
    story.now_s = 1795222033;
    for (int i = 0; i < hosts; ++i) log.host(host(i), "4", "24684092kb");
    submit({{"Resource_List", "select", std::to_string(hosts) + ":ncpus=1"}, {"Resource_List", "place", "scatter"}});
    std::vector<std::string> names;
    std::string vnodes, slots;
    for (int i = 0; i < hosts; ++i) {
      names.push_back(host(i));
      vnodes += (i ? "+(" : "(") + host(i) + ":ncpus=1)";
      slots += (i ? "+" : "") + host(i) + "/0";
    }
    runs_on(names, vnodes, slots);
  }
  static std::string host(int n) { return "h" + std::to_string(n); }
  int up_to(int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); }

  void use_more() {
    used.cpu_s += static_cast<unsigned>(up_to(500));
    used.mem_kb += static_cast<unsigned>(up_to(4000));
    used.wall_s += static_cast<unsigned>(up_to(300));
    story.later(300).uses(used);
  }
  void release_some() {
    story.when(model::client_request{make_request([&](auto r) {
                 auto release = r.initReleaseNodes();
                 if (up_to(2) == 0) release.setKeepHosts(static_cast<unsigned>(up_to(hosts)));
                 else release.initNamed(1).set(0, host(up_to(hosts - 1)));
               })},
               manager());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(phases, told_job)

// RD-74 to RD-77, RD-79 to RD-84
BOOST_AUTO_TEST_CASE(each_phase_of_a_run_leaves_u_and_c_and_its_end_e_and_the_whole) {
  log.host("q1", "4", "24684092kb");
  log.host("q3", "4", "24684092kb");
  story.now_s = 1795222033;
  submit(
      {{"Resource_List", "select", "ncpus=1:mem=1gb+ncpus=2"}, {"Resource_List", "place", "scatter"}, {"Resource_List", "walltime", "60"}});
  runs_on({"q1", "q3"}, "(q1:ncpus=1:mem=1048576kb)+(q3:ncpus=2)", "q1/0+q3/0*2");
  story.later(10).uses({7, 1104, 10, 3});
  story.when(model::client_request{make_request([](auto r) { r.initReleaseNodes().setAll(); })}, manager());
  story.when(alter({{"Resource_List", "walltime", "90"}}), manager());
  story.later(10).exits(0, {19, 1200, 25, 3});
  story.leaves();
  const std::string base =
      "user=pbsuser group=tstgrp00 project=_pbs_project_default jobname=STDIN queue=workq ctime=1795222033 qtime=1795222033 "
      "etime=1795222033 start=1795222033 ";
  const std::string first =
      "exec_host=q1/0+q3/0*2 exec_vnode=(q1:ncpus=1:mem=1048576kb)+(q3:ncpus=2) Resource_List.mem=1gb Resource_List.ncpus=3 "
      "Resource_List.nodect=2 Resource_List.place=scatter Resource_List.select=ncpus=1:mem=1gb+ncpus=2 ";
  const std::string second =
      "exec_host=q1/0 exec_vnode=(q1:ncpus=1:mem=1048576kb) Resource_List.mem=1048576kb Resource_List.ncpus=1 Resource_List.nodect=1 "
      "Resource_List.place=scatter Resource_List.select=1:ncpus=1:mem=1048576kb ";
  const auto all = lines();
  BOOST_TEST(letters() == "QSucaeE");
  BOOST_TEST(all[2].substr(20) == "u;602.q1;" + base + "session=4711 run_count=1 " + first +
                                      "Resource_List.walltime=00:01:00 resources_used.cpupercent=0 resources_used.cput=00:00:07 "
                                      "resources_used.mem=1104kb resources_used.ncpus=3 resources_used.vmem=2208kb "
                                      "resources_used.walltime=00:00:10");
  BOOST_TEST(all[3].substr(20) == "c;602.q1;" + base + "session=4711 run_count=1 " + second +
                                      "Resource_List.walltime=00:01:00 resource_assigned.mem=1048576kb resource_assigned.ncpus=1 ");
  BOOST_TEST(all[5].substr(20) == "e;602.q1;" + base + "session=4711 run_count=1 " + second +
                                      "Resource_List.walltime=00:01:30 resources_used.cpupercent=0 resources_used.cput=00:00:12 "
                                      "resources_used.mem=1200kb resources_used.ncpus=1 resources_used.vmem=2400kb "
                                      "resources_used.walltime=00:00:15");
  BOOST_TEST(all[6].substr(20) == "E;602.q1;" + base + first +
                                      "Resource_List.walltime=00:01:30 session=4711 end=1795222053 Exit_status=0 "
                                      "resources_used.cpupercent=0 resources_used.cput=00:00:19 resources_used.mem=1200kb "
                                      "resources_used.ncpus=3 resources_used.vmem=2400kb resources_used.walltime=00:00:25 run_count=1");
}

BOOST_AUTO_TEST_CASE(a_release_at_stage_out_is_a_phase_too) {  // RD-85
  log.host("q1", "4", "24684092kb");
  log.host("q3", "4", "24684092kb");
  submit({{"Resource_List", "select", "ncpus=1+ncpus=2"},
          {"Resource_List", "place", "scatter"},
          {"stageout", "", "result@store:/back"},
          {"release_nodes_on_stageout", "", "True"}});
  runs_on({"q1", "q3"}, "(q1:ncpus=1)+(q3:ncpus=2)", "q1/0+q3/0*2");
  story.later(10).exits(0, {7, 1104, 10, 3});
  story.later(10).leaves();
  BOOST_TEST(letters() == "QSuceE");
  const auto all = lines();
  BOOST_TEST(field_of(all[2], "exec_host") == "q1/0+q3/0*2");
  BOOST_TEST(field_of(all[2], "resources_used.walltime") == "00:00:10");
  BOOST_TEST(field_of(all[3], "exec_host") == "q1/0");
  BOOST_TEST(field_of(all[4], "exec_host") == "q1/0");
  BOOST_TEST(field_of(all[4], "resources_used.walltime") == "00:00:00");
  BOOST_TEST(field_of(all[4], "resources_used.ncpus") == "1");
  BOOST_TEST(field_of(all[5], "exec_host") == "q1/0+q3/0*2");
  BOOST_TEST(field_of(all[5], "Resource_List.ncpus") == "3");
  BOOST_TEST(field_of(all[5], "resources_used.walltime") == "00:00:10");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(phases_of_random_releases)

// RD-77, RD-84: what was used is accounted for once, whatever was released and when.
BOOST_AUTO_TEST_CASE(times_of_all_phases_are_those_of_the_whole) {
  std::size_t releases = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    shrinking_job job(seed);
    for (int n = job.up_to(12); n > 0; --n) {
      if (job.up_to(1) == 0) job.use_more();
      job.release_some();
    }
    job.use_more();
    job.story.exits(0, job.used);
    job.story.leaves();
    std::int64_t cput = 0, walltime = 0;
    std::string vnodes, before;  // of the phase that goes on, and the record of the one that ended last
    for (const auto& line : job.lines()) {
      const auto letter = line.substr(20, 1);
      if (letter == "S" || letter == "c") vnodes = field_of(line, "exec_vnode");
      if (letter == "c") ++releases;
      if (letter == "u" || letter == "e") {
        cput += seconds_of(line, "cput");
        walltime += seconds_of(line, "walltime");
        BOOST_TEST(field_of(line, "exec_vnode") == vnodes, "seed " << seed);
        before = line;
      }
      if (letter != "E" || before.empty()) continue;
      BOOST_TEST(seconds_of(line, "cput") == cput, "seed " << seed);
      BOOST_TEST(seconds_of(line, "walltime") == walltime, "seed " << seed);
      for (const char* resource : {"cpupercent", "mem", "vmem"})
        BOOST_TEST(field_of(line, "resources_used." + std::string(resource)) == field_of(before, "resources_used." + std::string(resource)),
                   "seed " << seed);
    }
  }
  BOOST_TEST(releases > 60u);
}

namespace {

// What each host of a job uses, and which host tells it: before each release those that are there do, as it is asked of them.
struct billed_job : told_job {
  struct of_host {
    std::int64_t cput = 0, foo = 0, mem = 0;
    bool gone = false;
  };
  struct phase {
    std::int64_t began_s = 0, ended_s = 0, cput = 0, foo = 0;  // ended_s: 0, it goes on
    std::int64_t mem = 0, cpus = 0;                            // at its end
    bool was_told = true;
  };
  std::mt19937 random;
  std::vector<of_host> hosts;
  std::vector<phase> phases;
  std::int64_t began_s = 0;

  explicit billed_job(unsigned seed) : random(seed), hosts(2 + random() % 4) {
    story.now_s = 1795222033;
    BOOST_REQUIRE(!story.settings.resources.create("foo", "long", "h"));
    std::vector<std::string> names;
    std::string vnodes, slots;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      log.host(name(i), "4", "24684092kb");
      names.push_back(name(i));
      vnodes += (i ? "+(" : "(") + name(i) + ":ncpus=2)";
      slots += (i ? "+" : "") + name(i) + "/0*2";
    }
    submit({{"Resource_List", "select", std::to_string(hosts.size()) + ":ncpus=2"}, {"Resource_List", "place", "scatter"}});
    runs_on(names, vnodes, slots);
    began_s = story.now_s;
    phases.push_back({began_s});
    tell();
  }
  static std::string name(std::size_t n) { return "h" + std::to_string(n); }
  std::int64_t up_to(std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n + 1)); }

  void use() {
    story.later(up_to(30));
    for (auto& h : hosts) {
      if (h.gone) continue;
      const auto more = up_to(20), foo = up_to(5);
      h.cput += more;
      h.foo += foo;
      h.mem = std::max(h.mem, up_to(5000));
      phases.back().cput += more;
      phases.back().foo += foo;
    }
  }
  template <class List>
  void fill_usage(List&& list) const {
    for (unsigned i = 0; i < list.size(); ++i) {
      const auto& h = hosts[i];
      auto used = model::measured_usage({.cpu_seconds = static_cast<std::uint64_t>(h.cput),
                                         .mem_kb = static_cast<std::uint64_t>(h.mem),
                                         .vmem_kb = static_cast<std::uint64_t>(h.mem),
                                         .wall_seconds = static_cast<std::uint64_t>(story.now_s - began_s),
                                         .ncpus = static_cast<std::uint32_t>(2 * hosts.size())});
      used.set("foo", std::to_string(h.foo));
      model::write_host_usage({name(i), used, 1}, list[i]);
    }
  }
  void tell() {
    story.when(story.report([&](auto m) {
      auto r = m.initRunUsage();
      fill(r.initRef(), story.job, story.job.run);
      r.setSession(4711);
      fill_usage(r.initHosts(static_cast<unsigned>(hosts.size())));
    }),
               the_server());
  }
  void close_phase() {
    auto& p = phases.back();
    p.ended_s = story.now_s;
    for (const auto& h : hosts) {
      p.mem += h.gone ? 0 : h.mem;
      p.cpus += h.gone ? 0 : 2;
    }
  }
  // silent: no host has answered in time.
  void release(bool silent) {
    const auto which = static_cast<std::size_t>(1 + up_to(static_cast<std::int64_t>(hosts.size()) - 2));
    if (hosts[which].gone) return;
    if (!silent) tell();
    BOOST_REQUIRE_EQUAL(
        story.when(model::client_request{make_request([&](auto r) { r.initReleaseNodes().initNamed(1).set(0, name(which)); })}, manager()),
        "reduced");
    phases.back().was_told = !silent;
    close_phase();
    hosts[which].gone = true;
    phases.push_back({story.now_s});
  }
  void end() {
    close_phase();
    story.when(story.report([&](auto m) {
      auto r = m.initRunExited();
      fill(r.initRef(), story.job, story.job.run);
      fill_usage(r.initHosts(static_cast<unsigned>(hosts.size())));
    }),
               the_server());
    story.leaves();
  }
};

std::int64_t number_of(const std::string& line, const std::string& resource) {
  return std::stoll(field_of(line, "resources_used." + resource));
}

}  // namespace

// RD-74, RD-77, RD-84
BOOST_AUTO_TEST_CASE(each_phase_is_billed_with_what_was_used_in_it) {
  std::size_t told = 0, silent = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    billed_job job(seed);
    for (auto n = job.up_to(8); n > 0; --n) {
      job.use();
      if (job.up_to(2) == 0) job.tell();
      job.release(job.up_to(5) == 0);
    }
    job.use();
    job.end();
    std::size_t at = 0;
    std::map<std::string, std::int64_t> sums;
    bool known = true;  // what the phase before had used
    for (const auto& line : job.lines()) {
      const auto letter = line.substr(20, 1);
      const auto about = "seed " + std::to_string(seed) + ": " + line;
      if (letter == "E" && at > 0) {
        for (const char* resource : {"walltime", "cput"}) BOOST_REQUIRE_MESSAGE(seconds_of(line, resource) == sums[resource], about);
        BOOST_REQUIRE_MESSAGE(number_of(line, "foo") == sums["foo"], about);
      }
      if (letter != "u" && letter != "e") continue;
      const auto& p = job.phases.at(at++);
      for (const char* resource : {"walltime", "cput"}) sums[resource] += seconds_of(line, resource);
      sums["foo"] += number_of(line, "foo");
      BOOST_REQUIRE_MESSAGE(seconds_of(line, "walltime") == p.ended_s - p.began_s, about);
      BOOST_REQUIRE_MESSAGE(number_of(line, "ncpus") == p.cpus, about);
      if (p.was_told && known) {
        ++told;
        BOOST_REQUIRE_MESSAGE(seconds_of(line, "cput") == p.cput, about);
        BOOST_REQUIRE_MESSAGE(number_of(line, "foo") == p.foo, about);
      }
      if (p.was_told) BOOST_REQUIRE_MESSAGE(number_of(line, "mem") == p.mem, about);
      silent += !p.was_told;
      known = p.was_told;
    }
    BOOST_REQUIRE_MESSAGE(at == job.phases.size() || (at == 0 && job.phases.size() == 1), "seed " << seed);
  }
  BOOST_TEST(told > 300u);
  BOOST_TEST(silent > 30u);
}

// A stopped run uses no walltime, and nobody may have told so since.
BOOST_AUTO_TEST_CASE(time_in_which_a_run_was_suspended_is_not_billed) {
  billed_job job(7);
  job.story.later(10);
  job.tell();
  job.story.when(signal("suspend"), operator_());
  job.story.obeys(job.story.job.last_request);
  job.story.later(1000);
  job.story.when(signal("resume"), operator_());
  job.story.obeys(job.story.job.last_request);
  job.story.later(5);
  BOOST_REQUIRE_EQUAL(job.story.when(model::client_request{make_request([](auto r) { r.initReleaseNodes().setAll(); })}, manager()),
                      "reduced");
  for (const auto& line : job.lines())
    if (line.substr(20, 1) == "u") BOOST_TEST(seconds_of(line, "walltime") == 15);
}

BOOST_AUTO_TEST_SUITE_END()
