// Run limits: which job they keep waiting, with which words, and that neither more nor less is kept than is set. Texts: pbs guide,
// comments; the transcript is that of test/conformance/golden.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>

#include "actors/scheduler/cycle/cycle.hpp"
#include "test/support/paths.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;
using values::limit_kind;

namespace {

policy shipped() { return parse_policy(shipped_sched_config()).value; }

job_row one(std::uint64_t serial, const std::string& user = "bob", int cpus = 1) {
  job_row j;
  j.serial = serial;
  j.id = std::to_string(serial) + ".p1";
  j.rank = static_cast<std::int64_t>(serial);
  j.euser = user;
  j.egroup = "g1";
  j.schedselect = "1:ncpus=" + std::to_string(cpus);
  j.resources = {{"ncpus", std::to_string(cpus)}};
  return j;
}

small_cluster with(const values_by_name& server, const values_by_name& queue = {}) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 100)};
  c.server = server;
  for (const auto& [name, value] : queue) c.queues[0].attributes[name] = value;
  return c;
}

struct decided {
  view v;
  result r;
  std::string comment(std::uint64_t job) const {
    for (const auto& reason : r.reasons)
      if (reason.job == job) return r.comments[reason.comment];
    return "runs";
  }
};
decided cycle_of(const small_cluster& c) {
  decided d;
  BOOST_REQUIRE(d.v.apply(*c.full_view()));
  d.r = run_cycle(d.v, shipped(), some_day);
  return d;
}

// -- the transcript ------------------------------------------------------------------------------------------------------

std::string option(const std::string& command, const std::string& letter, const std::string& fallback) {
  std::smatch found;
  return std::regex_search(command, found, std::regex(" -" + letter + " (\\S+)")) ? found[1].str() : fallback;
}

// Types what the transcript typed, and says what the scheduler said after each group of submissions. What is set and submitted for one
// group is gone for the next.
class typist {
 public:
  void set(const std::string& attribute, const std::string& value) {
    begin_group();
    const bool queue = attribute.starts_with("queue workq ");
    const auto name = attribute.substr(attribute.rfind(' ') + 1);
    (queue ? cluster_.queues[0].attributes : cluster_.server)[name] = value;
  }
  void submit(const std::string& user, const std::string& command, const std::string& id) {
    begin_group();
    auto j = one(cluster_.jobs.size() + 1, user);
    j.id = id;
    j.egroup = "tstgrp00";
    j.project = option(command, "P", "_pbs_project_default");
    const auto asks = option(command, "l", "ncpus=1");
    const auto equals = asks.find('=');
    j.resources = {{"ncpus", "1"}};
    j.resources[asks.substr(0, equals)] = asks.substr(equals + 1);
    j.schedselect = "1:ncpus=" + j.resources["ncpus"] + (asks.starts_with("mem") ? ":" + asks : "");
    cluster_.jobs.push_back(j);
  }
  // "job;log text", and "job: comment" of those that wait.
  std::vector<std::string> outcome() {
    group_is_over_ = true;
    if (said_) return *said_;
    const auto d = cycle_of(cluster_);
    said_.emplace();
    for (const auto& line : d.r.log)
      if (line.event == 0x40) said_->push_back(std::string(line.object) + ";" + std::string(line.text));
    for (const auto& j : cluster_.jobs)
      if (const auto comment = d.comment(j.serial); comment != "runs") said_->push_back(j.id + ": " + comment);
    return *said_;
  }

 private:
  void begin_group() {
    if (!group_is_over_) return;
    group_is_over_ = false;
    said_.reset();
    cluster_ = with({});
  }
  small_cluster cluster_ = with({});
  bool group_is_over_ = false;
  std::optional<std::vector<std::string>> said_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(run_limits)

BOOST_AUTO_TEST_CASE(the_transcript_is_repeated_word_for_word) {
  std::ifstream file(annals::test::source_dir() + "/test/conformance/golden/data/limits.txt");
  BOOST_REQUIRE(file);
  const std::regex sets("root@p1\\$ qmgr -c 'set (server|queue workq) (max_\\w*(?:run|running|res)(?:\\.\\w+)?)=\"?([^\"']+)\"?'"),
      submits("(\\w+)@p1\\$ (qsub .*)"), waits("  (\\S+): state=Q comment=(.*)"), says("  sched: [^;]*;pbs_sched;Job;(\\S+?);(.*)");
  typist t;
  std::size_t compared = 0;
  std::string line, user, command;
  bool listens = false;  // L2, L3 and L7 are about run limits
  while (std::getline(file, line)) {
    std::smatch m;
    if (line.starts_with("## ")) listens = line.starts_with("## L2") || line.starts_with("## L3") || line.starts_with("## L7");
    if (!listens) continue;
    if (std::regex_match(line, m, sets)) t.set(m[1].str() + " " + m[2].str(), m[3].str());
    else if (std::regex_match(line, m, submits)) user = m[1], command = m[2];
    else if (!command.empty() && std::regex_match(line, std::regex("\\d+\\.p1"))) t.submit(user, command, line), command.clear();
    std::string expected;
    if (std::regex_match(line, m, says)) expected = m[1].str() + ";" + m[2].str();
    if (std::regex_match(line, m, waits)) expected = m[1].str() + ": " + m[2].str();
    if (expected.empty()) continue;
    const auto said = t.outcome();
    BOOST_TEST((std::find(said.begin(), said.end(), expected) != said.end()), "not said: " << expected);
    ++compared;
  }
  BOOST_TEST(compared == 116u);
}

// -- what counts ---------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(each_user_has_the_generic_limit_and_named_ones_their_own) {
  auto c = with({{"max_run", "[u:PBS_GENERIC=1],[u:eve=2],[u:tom=0]"}});
  for (std::uint64_t i = 1; i <= 3; ++i) c.jobs.push_back(one(i));
  for (std::uint64_t i = 4; i <= 6; ++i) c.jobs.push_back(one(i, "eve"));
  c.jobs.push_back(one(7, "tom"));
  const auto d = cycle_of(c);
  BOOST_TEST(d.r.runs.size() == 3u);
  BOOST_TEST(d.comment(2) == "Not Running: User has reached server running job limit.");
  BOOST_TEST(d.comment(6) == "Not Running: Server job limit reached for user eve");
  BOOST_TEST(d.comment(7) == "Not Running: Server job limit reached for user tom");
}

namespace {

using serials = std::vector<std::uint64_t>;

// Two jobs of bob, one of eve, all of group g1, and one of tom's group; another one of bob's in q2.
small_cluster with_jobs_of_three(small_cluster c) {
  c.queues.push_back(execution_queue("q2"));
  c.jobs = {one(1), one(2), one(3, "eve"), one(4, "tom"), one(5)};
  c.queues[0].attributes["Priority"] = "1";  // first of all
  c.jobs[3].egroup = "g2";
  c.jobs[4].queue = "q2";
  return c;
}

// A limit, and whom it is about when it is the server's or that of workq.
struct limit_row {
  const char *name, *value;
  serials of_server, of_queue;
};

}  // namespace

BOOST_AUTO_TEST_CASE(each_limit_lets_so_many_run_of_whom_it_is_about) {
  const auto started = [](const small_cluster& c) {
    serials jobs;
    for (const auto& run : cycle_of(with_jobs_of_three(c)).r.runs) jobs.push_back(run.job);
    std::sort(jobs.begin(), jobs.end());
    return jobs;
  };
  for (const auto& [name, value, of_server, of_queue] : {limit_row{"max_run", "[u:PBS_GENERIC=1]", {1, 3, 4}, {1, 3, 4, 5}},
                                                         limit_row{"max_run_res.ncpus", "[g:PBS_GENERIC=1]", {1, 4}, {1, 4, 5}},
                                                         limit_row{"max_running", "1", {1}, {1, 5}},
                                                         limit_row{"max_user_run", "1", {1, 3, 4}, {1, 3, 4, 5}},
                                                         limit_row{"max_group_run", "1", {1, 4}, {1, 4, 5}},
                                                         limit_row{"max_user_res.ncpus", "1", {1, 3, 4}, {1, 3, 4, 5}},
                                                         limit_row{"max_group_res.ncpus", "1", {1, 4}, {1, 4, 5}}})
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(started(with({{name, value}})) == of_server, boost::test_tools::per_element());
      BOOST_TEST(started(with({}, {{name, value}})) == of_queue, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(a_limit_of_a_queue_counts_what_runs_from_that_queue) {
  auto c = with({}, {{"max_run_res.ncpus", "[o:PBS_ALL=4]"}});
  c.queues.push_back(execution_queue("q2"));
  for (std::uint64_t i = 1; i <= 3; ++i) c.jobs.push_back(one(i, "bob", 2));
  c.jobs.push_back(one(4, "bob", 2));
  c.jobs.back().queue = "q2";
  const auto d = cycle_of(c);
  BOOST_TEST(d.comment(3) == "Not Running: would exceed overall limit on resource ncpus in queue workq");
  BOOST_TEST(d.comment(4) == "runs");
}

BOOST_AUTO_TEST_CASE(what_runs_already_counts_and_what_ends_does_not) {  // MS-114: in this view, whatever other schedulers run
  auto c = with({{"max_run", "[u:PBS_GENERIC=1]"}});
  auto running = one(1);
  running.state = 'R';
  running.exec_vnode = "(p1:ncpus=1)";
  running.exec_host = "p1/0";
  c.jobs = {running, one(2)};
  auto d = cycle_of(c);
  BOOST_TEST(d.comment(2) == "Not Running: User has reached server running job limit.");
  BOOST_REQUIRE(d.v.apply(*delta(1, 2, {}, {1})));
  BOOST_TEST(run_cycle(d.v, shipped(), some_day).runs.size() == 1u);
  BOOST_TEST(run_cycle(d.v, shipped(), some_day).runs.size() == 0u);  // the proposal counts until the server speaks
  d.v.intake().withdraw(2);
  BOOST_TEST(run_cycle(d.v, shipped(), some_day).runs.size() == 1u);
}

BOOST_AUTO_TEST_CASE(jobs_of_one_request_are_told_apart_by_their_owners) {
  auto c = with({{"max_run", "[u:bob=0],[u:eve=0]"}});
  c.vnodes = {simple_vnode("p1", 2)};
  c.jobs = {one(1, "bob"), one(2, "eve"), one(3, "tom", 2), one(4, "tom"), one(5, "bob"), one(6, "tom")};
  const auto d = cycle_of(c);
  BOOST_TEST(d.comment(1) == "Not Running: Server job limit reached for user bob");
  BOOST_TEST(d.comment(2) == "Not Running: Server job limit reached for user eve");
  BOOST_TEST(d.comment(3) == "runs");
  BOOST_TEST(d.comment(5) == d.comment(1));
  BOOST_TEST(d.comment(4).find("limit") == std::string::npos);
  BOOST_TEST(d.comment(6) == d.comment(4));
}

BOOST_AUTO_TEST_CASE(a_limit_explains_itself_as_data) {
  auto c = with({{"max_run_res.mem", "[g:PBS_GENERIC=4gb]"}}, {{"max_run", "[u:bob=1]"}});
  c.jobs = {one(1)};
  c.jobs[0].resources["mem"] = "3gb";
  view v;
  BOOST_REQUIRE(v.apply(*c.full_view()));
  BOOST_TEST(!v.limits().reached_by(*v.jobs().find(1)));
  run_cycle(v, shipped(), some_day);
  auto more = one(2, "eve");
  more.resources["mem"] = "2gb";
  BOOST_REQUIRE(v.apply(*delta(1, 2, {more, one(3)})));
  const auto& by_amount = *v.jobs().find(2);
  auto why = v.limits().explain(v.limits().reached_by(by_amount).value(), by_amount).data;
  BOOST_TEST((why.kind == schema::Why::Kind::LIMIT));
  BOOST_TEST(why.limit == "max_run_res.mem [g:PBS_GENERIC=4gb]");
  BOOST_TEST(why.owner + "|" + why.resource + "|" + why.count + "|" + why.asked == "server|mem|3gb|2gb");
  const auto& by_number = *v.jobs().find(3);
  why = v.limits().explain(v.limits().reached_by(by_number).value(), by_number).data;
  BOOST_TEST(why.limit + "|" + why.owner + "|" + why.count == "max_run [u:bob=1]|queue workq|1");
  auto old = with({{"max_user_res.ncpus", "2"}});
  old.jobs = {one(1, "bob", 3)};
  view w;
  BOOST_REQUIRE(w.apply(*old.full_view()));
  BOOST_TEST(w.limits().explain(w.limits().reached_by(*w.jobs().find(1)).value(), *w.jobs().find(1)).data.limit == "max_user_res.ncpus 2");
}

BOOST_AUTO_TEST_CASE(qrun_passes_over_run_limits) {
  auto c = with({{"max_run", "[o:PBS_ALL=0]"}});
  c.jobs = {one(1)};
  auto d = cycle_of(c);
  BOOST_TEST(d.comment(1) == "Not Running: Server job limit has been reached.");
  std::string why;
  BOOST_TEST(!run_asked(d.v, shipped(), some_day, 0, why).runs.empty());
}

BOOST_AUTO_TEST_CASE(a_suspended_job_goes_on_within_the_limits) {
  auto c = with({{"max_run", "[u:PBS_GENERIC=1]"}});
  auto suspended = one(1);
  suspended.state = 'S';
  suspended.resume = true;
  suspended.exec_vnode = "(p1:ncpus=1)";
  suspended.exec_host = "p1/0";
  auto running = one(2);
  running.state = 'R';
  running.exec_vnode = suspended.exec_vnode;
  running.exec_host = "p1/1";
  c.jobs = {suspended, running};
  auto d = cycle_of(c);
  BOOST_TEST(d.r.runs.empty());
  BOOST_REQUIRE(d.v.apply(*delta(1, 2, {}, {2})));
  BOOST_TEST(run_cycle(d.v, shipped(), some_day).runs.size() == 1u);
}

BOOST_AUTO_TEST_CASE(durations_are_limited_too_and_read_anew_when_they_come_to_be) {
  auto c = with({{"max_run_res.walltime", "[u:PBS_GENERIC=02:00:00]"}});
  c.jobs = {one(1), one(2), one(3)};
  c.jobs[0].resources["walltime"] = "01:30:00";
  c.jobs[1].resources["walltime"] = "00:45:00";
  const auto d = cycle_of(c);
  BOOST_TEST(d.comment(2) == "Not Running: Server per-user limit reached on resource walltime");
  BOOST_TEST(d.comment(3) == "runs");

  auto unlimited = with({});
  view v;
  BOOST_REQUIRE(v.apply(*unlimited.full_view()));
  const auto limits = schema::make<schema::SchedulingDelta>([](schema::SchedulingDelta::Builder to) {
    to.setPrevious(1);
    to.setSequence(2);
    auto a = to.initServer(1)[0];
    a.setName("max_run_res");
    a.setResource("walltime");
    a.setValue("[u:PBS_GENERIC=02:00:00]");
  });
  BOOST_TEST(!v.apply(*limits));  // jobs that are here have to be read again
  BOOST_TEST(v.apply(*c.full_view(2)));
  BOOST_TEST(run_cycle(v, shipped(), some_day).runs.size() == 2u);
}

// -- soft limits ---------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(soft_limits_keep_nobody_waiting_and_say_who_is_over_them) {
  auto c = with({{"max_run_soft", "[u:bob=1]"}}, {{"max_run_res_soft.ncpus", "[g:PBS_GENERIC=5]"}});
  c.jobs = {one(1), one(2), one(3, "eve", 2), one(4, "eve", 2)};
  auto d = cycle_of(c);
  BOOST_TEST(d.r.runs.size() == 4u);
  const auto over = [&](std::uint64_t job) { return d.v.limits().over_soft_limits(*d.v.jobs().find(job)); };
  BOOST_TEST(over(1).server);
  BOOST_TEST(!over(3).server);
  BOOST_TEST(over(3).queue);  // six cpus of the group
  BOOST_REQUIRE(d.v.apply(*delta(1, 2, {one(5)}, {2, 4})));
  BOOST_TEST(!over(1).server);
  BOOST_TEST(!over(3).queue);
  BOOST_TEST(over(5).server);  // as if it ran
}

BOOST_AUTO_TEST_CASE(each_soft_limit_is_passed_by_whom_it_is_about) {
  const auto over = [](const small_cluster& c, bool soft_limits_passed::*where) {
    const auto d = cycle_of(with_jobs_of_three(c));
    BOOST_TEST(d.r.runs.size() == 5u);
    serials jobs;
    for (std::uint64_t job = 1; job <= 5; ++job)
      if (d.v.limits().over_soft_limits(*d.v.jobs().find(job)).*where) jobs.push_back(job);
    return jobs;
  };
  for (const auto& [name, value, of_server, of_queue] : {limit_row{"max_run_soft", "[u:PBS_GENERIC=1]", {1, 2, 5}, {1, 2}},
                                                         limit_row{"max_run_res_soft.ncpus", "[g:PBS_GENERIC=1]", {1, 2, 3, 5}, {1, 2, 3}},
                                                         limit_row{"max_user_run_soft", "1", {1, 2, 5}, {1, 2}},
                                                         limit_row{"max_group_run_soft", "1", {1, 2, 3, 5}, {1, 2, 3}},
                                                         limit_row{"max_user_res_soft.ncpus", "1", {1, 2, 5}, {1, 2}},
                                                         limit_row{"max_group_res_soft.ncpus", "1", {1, 2, 3, 5}, {1, 2, 3}}})
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(over(with({{name, value}}), &soft_limits_passed::server) == of_server, boost::test_tools::per_element());
      BOOST_TEST(over(with({}, {{name, value}}), &soft_limits_passed::queue) == of_queue, boost::test_tools::per_element());
    }
}

// -- random ones against a slow count ------------------------------------------------------------------------------------

namespace {

using dice = std::mt19937_64;
unsigned roll(dice& d, unsigned n) { return static_cast<unsigned>(d() % n); }

values_by_name random_limits(dice& d) {
  const auto entries = [&](unsigned most) {
    std::string text;
    for (const char* who : {"o:PBS_ALL", "u:PBS_GENERIC", "u:u1", "g:PBS_GENERIC", "g:g0", "p:PBS_GENERIC", "p:p1"})
      if (roll(d, 4) == 0) text += (text.empty() ? "[" : ",[") + std::string(who) + "=" + std::to_string(1 + roll(d, most)) + "]";
    return text;
  };
  values_by_name out;
  for (const auto& [name, most] :
       {std::pair("max_run", 5u), {"max_run_soft", 3u}, {"max_run_res.ncpus", 9u}, {"max_run_res_soft.ncpus", 6u}})
    if (const auto text = entries(most); !text.empty()) out[name] = text;
  return out;
}

// All that holds of vnodes, without the counts of the view.
struct model_of {
  const std::map<std::uint64_t, job_row>& running;
  std::int64_t used(const std::string& queue, char kind, const std::string& name, bool cpus) const {
    std::int64_t sum = 0;
    for (const auto& [serial, j] : running) {
      const bool his = kind == 'o' || name == (kind == 'u' ? j.euser : kind == 'g' ? j.egroup
                                                                                   : j.project);
      if (his && (queue.empty() || j.queue == queue)) sum += cpus ? std::stoi(j.resources.at("ncpus")) : 1;
    }
    return sum;
  }
  // More than this of any of the job's owners; `extra`: the job would run besides.
  bool passes(const values_by_name& limits, const std::string& queue, const job_row& j, bool extra, bool soft) const {
    for (const auto& [attribute, text] : limits) {
      if ((attribute.find("_soft") != std::string::npos) != soft || attribute.find("max_run") != 0) continue;
      const bool cpus = attribute.find("_res") != std::string::npos;
      const auto parsed = values::parse_limits(text);
      for (const auto& [kind, name] : {std::pair('o', std::string("PBS_ALL")), {'u', j.euser}, {'g', j.egroup}, {'p', j.project}}) {
        std::int64_t bound = INT64_MAX;
        for (const auto& e : *parsed)
          if (e.kind == kind && e.entity == "PBS_GENERIC") bound = std::stoll(e.value);
        for (const auto& e : *parsed)
          if (e.kind == kind && e.entity == name) bound = std::stoll(e.value);
        const auto more = !extra ? 0 : cpus ? std::stoi(j.resources.at("ncpus"))
                                            : 1;
        if (used(queue, kind, name, cpus) + more > bound) return true;
      }
    }
    return false;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(never_beyond_a_limit_and_never_kept_by_one_without_cause) {
  std::size_t kept = 0, ran = 0, soft = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      dice d(seed);
      auto c = with(random_limits(d), random_limits(d));
      c.queues.push_back(execution_queue("q2"));
      for (const auto& [name, value] : random_limits(d)) c.queues[1].attributes[name] = value;
      c.vnodes = {simple_vnode("p1", 1 + static_cast<int>(roll(d, 20)))};
      std::map<std::uint64_t, job_row> waiting, running;
      view v;
      BOOST_REQUIRE(v.apply(*c.full_view()));
      std::uint64_t sequence = 1, serial = 0;
      for (int round = 0; round < 6; ++round) {
        std::vector<job_row> rows;
        for (int i = 0; i < 6; ++i) {
          auto j = one(++serial, "u" + std::to_string(roll(d, 3)), 1 + static_cast<int>(roll(d, 3)));
          j.egroup = "g" + std::to_string(roll(d, 2));
          j.project = "p" + std::to_string(roll(d, 3));
          j.queue = roll(d, 2) ? "workq" : "q2";
          rows.push_back(waiting[serial] = j);
        }
        BOOST_REQUIRE(v.apply(*delta(sequence, sequence + 1, rows)));
        ++sequence;
        const auto r = run_cycle(v, shipped(), some_day);
        const auto limits_of = [&](const job_row& j) { return c.queues[j.queue == "workq" ? 0 : 1].attributes; };
        for (const auto& run : r.runs) {
          const auto j = waiting.at(run.job);
          const model_of before{running};
          BOOST_TEST((!before.passes(c.server, "", j, true, false) && !before.passes(limits_of(j), j.queue, j, true, false)),
                     "job " << run.job << " is beyond a limit");
          running.insert(waiting.extract(run.job));
          ++ran;
        }
        const model_of now{running};
        for (const auto& reason : r.reasons) {
          if (r.comments[reason.comment].find("limit") == std::string::npos) continue;
          const auto& j = waiting.at(reason.job);
          BOOST_TEST((now.passes(c.server, "", j, true, false) || now.passes(limits_of(j), j.queue, j, true, false)),
                     "job " << reason.job << " was kept without cause: " << r.comments[reason.comment]);
          ++kept;
        }
        for (const auto* jobs : {&running, &waiting})
          for (const auto& [id, j] : *jobs) {
            const auto over = v.limits().over_soft_limits(*v.jobs().find(id));
            const bool extra = jobs == &waiting;
            BOOST_TEST(over.server == now.passes(c.server, "", j, extra, true), "job " << id);
            BOOST_TEST(over.queue == now.passes(limits_of(j), j.queue, j, extra, true), "job " << id);
            soft += over.server + over.queue;
          }
        // Proposals are confirmed or refused, some of what runs ends, and now and then all is told anew.
        std::vector<job_row> told;
        std::vector<std::uint64_t> gone;
        for (const auto& run : r.runs) {
          if (roll(d, 4) == 0) {
            v.intake().withdraw(run.job);
            waiting.insert(running.extract(run.job));
            continue;
          }
          auto& j = running.at(run.job);
          j.state = 'R';
          j.exec_vnode = run.exec_vnode;
          j.exec_host = run.exec_host;
          told.push_back(j);
        }
        for (const auto& [id, j] : running)
          if (roll(d, 3) == 0) gone.push_back(id);
        for (const auto id : gone) running.erase(id);
        std::erase_if(told, [&](const job_row& j) { return !running.contains(j.serial); });
        auto vnode = c.vnodes[0];
        vnode.assigned["ncpus"] = std::to_string(model_of{running}.used("", 'o', "", true));
        BOOST_REQUIRE(v.apply(*delta(sequence, sequence + 1, told, gone, {vnode})));
        ++sequence;
        if (roll(d, 3) == 0) {
          auto all = c;
          all.vnodes = {vnode};
          if (roll(d, 2)) all.server = c.server = random_limits(d);
          for (const auto* jobs : {&waiting, &running})
            for (const auto& [id, j] : *jobs) all.jobs.push_back(j);
          BOOST_REQUIRE(v.apply(*all.full_view(sequence)));
        }
      }
    }
  }
  BOOST_TEST(kept > 300u);
  BOOST_TEST(ran > 300u);
  BOOST_TEST(soft > 300u);
}

BOOST_AUTO_TEST_SUITE_END()
