#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>

#include "actors/scheduler/cycle_driver.hpp"
#include "actors/scheduler/reasons_piece.hpp"
#include "events/model/limits.hpp"
#include "events/values/job_id.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle::test;
using actors::cycle_driver;

namespace {

struct stopped_clock : ports::clock {
  std::int64_t now_ns() const override { return 1'000'000'000; }
};

struct driven {
  stopped_clock clock;
  std::vector<cycle_driver::message> sent;
  std::vector<std::string> log;
  std::map<std::string, actors::script_answer> programs;  // by command; the others are missing
  std::int64_t alarm = 0;                                 // that the last program had
  std::size_t sent_before_program = 0;
  cycle_driver driver{{"default", "p1", "1.0", 42},
                      {[this](const auto& m) { sent.push_back(m); },
                       [this](auto, auto cls, auto object, auto text) {
                         log.push_back(std::string(cls) + ";" + std::string(object) + ";" + std::string(text));
                       },
                       &clock,
                       {},
                       {},
                       {},
                       [this](const std::string& command) { return programs.contains(command); },
                       [this](const std::string& command, std::int64_t seconds) {
                         alarm = seconds;
                         sent_before_program = sent.size();
                         return programs.at(command);
                       }}};

  driven() {
    driver.set_policy(shipped_sched_config(), std::string(32, 'h'));
    driver.connected();
  }
  cycle_driver::next hear(const std::function<void(schema::ToScheduler::Builder)>& fill) {
    return driver.received(*schema::make<schema::ToScheduler>(fill));
  }
  void view(const schema::sealed<schema::SchedulingDelta>& d) {
    hear([&](auto m) { m.setView(*d); });
  }
  void cycle(std::uint64_t number, std::uint64_t view_sequence, const std::vector<std::uint64_t>& without = {}) {
    hear([&](auto m) {
      auto c = m.initCycle();
      auto list = c.initWithout(static_cast<unsigned>(without.size()));
      for (unsigned i = 0; i < list.size(); ++i) list.set(i, without[i]);
      c.setNumber(number);
      c.setTrigger("test");
      c.setViewSequence(view_sequence);
      c.setWallNs(77'000'000'000);
    });
  }
  void refuse(std::uint64_t job, const std::string& why) {
    hear([&](auto m) {
      auto r = m.initRefused();
      r.setJob(job);
      r.setReason(why);
    });
  }
  std::vector<std::uint64_t> proposed() const {
    std::vector<std::uint64_t> jobs;
    for (const auto& m : sent)
      if (m.get().isRun()) jobs.push_back(m.get().getRun().getJob());
    return jobs;
  }
  // By job that waits: the comment that is news.
  std::map<std::uint64_t, std::string> comments() const {
    std::map<std::uint64_t, std::string> said;
    for (const auto& m : sent) {
      if (!m.get().isReasons()) continue;
      const auto r = m.get().getReasons();
      for (const auto job : r.getJobs()) said[job.getJob()] = schema::str(r.getTexts()[job.getText()]);
    }
    return said;
  }
  std::vector<schema::FromScheduler::Which> kinds() const {
    std::vector<schema::FromScheduler::Which> out;
    for (const auto& m : sent) out.push_back(m.get().which());
    return out;
  }
  void forget() { sent.clear(); }
};

using which = schema::FromScheduler::Which;

bool said(const driven& d, std::vector<which> expected) { return d.kinds() == expected; }

small_cluster two_jobs() {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  for (std::uint64_t serial : {1, 2}) {
    job_row j;
    j.serial = serial;
    j.id = std::to_string(serial) + ".p1";
    j.rank = static_cast<std::int64_t>(serial);
    j.schedselect = "1:ncpus=3";
    c.jobs.push_back(j);
  }
  return c;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_cycle_is_told_from_its_beginning_to_its_end) {
  driven d;
  BOOST_TEST(said(d, {which::HELLO}));
  BOOST_TEST(d.sent[0].get().getHello().getPid() == 42u);
  d.view(two_jobs().full_view(5));
  BOOST_TEST(said(d, {which::HELLO, which::FAIRSHARE}));
  d.forget();
  d.cycle(1, 5);
  BOOST_REQUIRE(said(d, {which::POLICY, which::CYCLE_BEGAN, which::RUN, which::REASONS, which::CYCLE_ENDED}));
  const auto began = d.sent[1].get().getCycleBegan();
  BOOST_TEST(began.getViewSequence() == 5u);
  BOOST_TEST(began.getWallNs() == 77'000'000'000);
  BOOST_TEST(began.getPolicy().getSize() == shipped_sched_config().size());
  const auto run = d.sent[2].get().getRun();
  BOOST_TEST(run.getJob() == 1u);
  BOOST_TEST(schema::str(run.getExecVnode()) == "(p1:ncpus=3)");
  BOOST_TEST(schema::str(run.getExecHost()) == "p1/0*3");
  BOOST_TEST(schema::str(run.getHosts()[0]) == "p1");
  const auto reasons = d.sent[3].get().getReasons();
  BOOST_REQUIRE(reasons.getJobs().size() == 1u);
  BOOST_TEST(reasons.getJobs()[0].getJob() == 2u);
  BOOST_TEST(schema::str(reasons.getTexts()[reasons.getJobs()[0].getText()]) == "Not Running: No available resources on nodes");
  BOOST_TEST(d.sent[4].get().getCycleEnded().getConsidered() == 2u);
  BOOST_TEST(d.sent[4].get().getCycleEnded().getStarted() == 1u);
  BOOST_TEST(d.log.front() == "Req;;Starting Scheduling Cycle");
}

BOOST_AUTO_TEST_CASE(a_proposal_names_the_subjob_of_an_array) {
  driven d;
  auto c = two_jobs();
  c.jobs.pop_back();
  c.jobs[0].id = "1[].p1";
  c.jobs[0].indices = "4-9";
  d.view(c.full_view(5));
  const auto runs = [&] {
    std::vector<std::uint32_t> indices;
    for (const auto& m : d.sent)
      if (m.get().isRun() && m.get().getRun().getJob() == 1u && m.get().getRun().getOfArray())
        indices.push_back(m.get().getRun().getIndex());
    d.forget();
    return indices;
  };
  d.cycle(1, 5);
  BOOST_TEST(runs() == std::vector<std::uint32_t>{4}, boost::test_tools::per_element());
  d.cycle(2, 5);  // what was proposed is settled by now, and it did not begin
  BOOST_TEST(runs() == std::vector<std::uint32_t>{4}, boost::test_tools::per_element());
  c.jobs[0].indices = "7";
  const auto asked = c.full_view();
  d.hear([&](auto m) {
    auto r = m.initRunJob();
    r.setJob((*asked).getJobs()[0]);
    r.setRequest(3);
    r.setViewSequence(5);
  });
  BOOST_REQUIRE(said(d, {which::CANNOT_RUN}));
  BOOST_TEST(d.sent[0].get().getCannotRun().getJob() == values::subjob_number(1, 7));
}

BOOST_AUTO_TEST_CASE(an_unchanged_reason_is_not_sent_again) {
  driven d;
  auto c = two_jobs();
  c.jobs.erase(c.jobs.begin());
  c.jobs[0].schedselect = "1:ncpus=9";
  d.view(c.full_view(5));
  d.cycle(1, 5);
  d.forget();
  d.cycle(2, 5);
  BOOST_TEST(said(d, {which::CYCLE_BEGAN, which::CYCLE_ENDED}));
}

BOOST_AUTO_TEST_CASE(an_estimate_is_sent_when_it_is_news) {
  driven d;
  d.driver.set_policy(shipped_sched_config() + "strict_ordering: True ALL\n", std::string(32, 's'));
  auto c = two_jobs();
  c.jobs[0].state = 'R';
  c.jobs[0].exec_vnode = "(p1:ncpus=3)";
  c.jobs[0].exec_host = "p1/0*3";
  c.jobs[0].started = 70;
  c.jobs[0].resources["walltime"] = "00:10:00";
  c.vnodes[0].assigned["ncpus"] = "3";
  c.vnodes[0].jobs = {{1, false}};
  d.view(c.full_view(5));
  d.forget();
  d.cycle(1, 5);
  BOOST_REQUIRE(said(d, {which::POLICY, which::CYCLE_BEGAN, which::REASONS, which::REASONS, which::CYCLE_ENDED}));
  const auto estimates = d.sent[3].get().getReasons().getEstimates();
  BOOST_REQUIRE(estimates.size() == 1u);
  BOOST_TEST(estimates[0].getJob() == 2u);
  BOOST_TEST(estimates[0].getStartNs() == 670'000'000'000);
  BOOST_TEST(schema::str(estimates[0].getExecVnode()) == "(p1:ncpus=3)");
  d.forget();
  d.cycle(2, 5);
  BOOST_TEST(said(d, {which::CYCLE_BEGAN, which::CYCLE_ENDED}));
}

BOOST_AUTO_TEST_CASE(a_cycle_waits_for_its_view) {
  driven d;
  d.forget();
  d.cycle(1, 5);
  BOOST_TEST(said(d, {which::FULL_VIEW}));
  d.view(two_jobs().full_view(4));
  BOOST_TEST(said(d, {which::FULL_VIEW, which::FAIRSHARE}));
  d.view(delta(4, 6, {}));
  BOOST_TEST(d.sent.back().get().which() == which::CYCLE_ENDED);
}

BOOST_AUTO_TEST_CASE(after_a_gap_nothing_is_proposed_until_the_whole_view_is_there) {
  driven d;
  d.view(two_jobs().full_view(5));
  d.forget();
  d.view(delta(7, 8, {}));
  d.view(delta(8, 9, {}));
  BOOST_TEST(said(d, {which::FULL_VIEW}));
  d.cycle(1, 5);
  BOOST_TEST(d.sent.size() == 1u);
  d.view(two_jobs().full_view(9));
  BOOST_TEST(d.sent.back().get().which() == which::CYCLE_ENDED);
}

BOOST_AUTO_TEST_CASE(a_refused_job_is_tried_again_in_the_next_cycle) {
  driven d;
  d.view(two_jobs().full_view(5));
  d.cycle(1, 5);
  d.refuse(1, "no such vnode");
  BOOST_TEST(d.log.back() == "Job;1.p1;Failed to run: no such vnode");
  d.forget();
  d.cycle(2, 5);
  BOOST_TEST(said(d, {which::CYCLE_BEGAN, which::RUN, which::CYCLE_ENDED}));
  BOOST_TEST(d.sent[1].get().getRun().getJob() == 1u);
}

BOOST_AUTO_TEST_CASE(cycles_that_follow_a_refusal_leave_the_job_out_and_say_why) {
  using jobs = std::vector<std::uint64_t>;
  using texts = std::map<std::uint64_t, std::string>;
  driven d;
  auto c = two_jobs();
  c.jobs.push_back(c.jobs.back());
  c.jobs[2].serial = 3;
  c.jobs[2].id = "3.p1";
  c.jobs[2].rank = 3;
  d.view(c.full_view(5));
  d.forget();
  d.cycle(1, 5);
  BOOST_TEST(d.proposed() == jobs{1}, boost::test_tools::per_element());
  d.refuse(1, "no such vnode");
  d.forget();
  d.cycle(2, 5, {1});
  BOOST_TEST(d.proposed() == jobs{2}, boost::test_tools::per_element());
  BOOST_REQUIRE(d.sent[0].get().isCycleBegan());
  BOOST_REQUIRE(d.sent[0].get().getCycleBegan().getWithout().size() == 1u);
  BOOST_TEST(d.sent[0].get().getCycleBegan().getWithout()[0] == 1u);
  BOOST_TEST(d.sent.back().get().getCycleEnded().getConsidered() == 2u);
  BOOST_CHECK((d.comments() == texts{{1, "Not Running: PBS Error: no such vnode"}}));
  d.refuse(2, "Not Running: PBS Error: no license");  // as of a hook
  d.forget();
  d.cycle(3, 5, {2});
  BOOST_TEST(d.proposed() == jobs{3}, boost::test_tools::per_element());
  BOOST_CHECK((d.comments() == texts{{2, "Not Running: PBS Error: no license"}}));
  d.refuse(3, "no");
  d.forget();
  d.cycle(4, 5);  // all are considered again, and nobody says what was said of another cycle
  BOOST_TEST(d.proposed() == jobs{1}, boost::test_tools::per_element());
  BOOST_CHECK((d.comments() ==
               texts{{2, "Not Running: No available resources on nodes"}}));  // the third one's was said in the first cycle
}

BOOST_AUTO_TEST_CASE(a_job_for_which_others_made_no_room_says_that_there_is_none) {  // scheduler and policy2 of the transcripts
  driven d;
  auto c = two_jobs();
  c.queues.push_back(execution_queue("exp"));
  c.queues[1].attributes["Priority"] = "200";
  c.jobs[0].state = 'R';
  c.jobs[0].exec_vnode = "(p1:ncpus=3)";
  c.jobs[0].exec_host = "p1/0*3";
  c.jobs[0].started = 70;
  c.vnodes[0].assigned["ncpus"] = "3";
  c.vnodes[0].jobs = {{1, false}};
  c.jobs[1].queue = "exp";
  d.view(c.full_view(5));
  d.forget();
  d.cycle(1, 5);
  BOOST_REQUIRE(d.proposed() == std::vector<std::uint64_t>{2});
  d.refuse(2, "No support for requested service");
  d.view(c.full_view(5));
  d.forget();
  d.cycle(2, 5, {2});
  BOOST_CHECK((d.comments() == std::map<std::uint64_t, std::string>{{2, "Not Running: Not enough free nodes available"}}));
}

BOOST_AUTO_TEST_CASE(an_array_is_left_out_as_a_whole_and_says_nothing) {
  driven d;
  auto c = two_jobs();
  c.jobs[0].id = "1[].p1";
  c.jobs[0].indices = "1-3";
  d.view(c.full_view(5));
  d.cycle(1, 5);
  d.refuse(1, "no");
  d.forget();
  d.cycle(2, 5, {1});
  BOOST_TEST(d.proposed() == std::vector<std::uint64_t>{2}, boost::test_tools::per_element());
  BOOST_TEST(d.comments().empty());
}

BOOST_AUTO_TEST_CASE(reasons_come_in_pieces_below_the_limit) {
  driven d;
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  for (std::uint64_t serial = 1; serial <= 3000; ++serial) {
    job_row j;
    j.serial = serial;
    j.rank = static_cast<std::int64_t>(serial);
    j.schedselect = "1:ncpus=" + std::to_string(4 + serial);
    c.jobs.push_back(j);
  }
  d.view(c.full_view(5));
  d.forget();
  d.cycle(1, 5);
  std::size_t pieces = 0, jobs = 0;
  for (const auto& m : d.sent) {
    if (m.get().which() != which::REASONS) continue;
    ++pieces;
    jobs += m.get().getReasons().getJobs().size();
    BOOST_TEST(m.bytes().size() <= limits::cycle_reasons_bytes_max);
  }
  BOOST_TEST(pieces > 1u);
  BOOST_TEST(jobs == 3000u);
}

BOOST_AUTO_TEST_CASE(a_reason_comes_with_its_data) {
  driven d;
  auto c = two_jobs();
  c.jobs[1].schedselect = "1:ncpus=9";
  d.view(c.full_view(5));
  d.forget();
  d.cycle(8, 5);
  BOOST_REQUIRE(said(d, {which::POLICY, which::CYCLE_BEGAN, which::RUN, which::REASONS, which::CYCLE_ENDED}));
  const auto reasons = d.sent[3].get().getReasons();
  BOOST_TEST(reasons.getCycle() == 8u);
  BOOST_REQUIRE(reasons.getWhys().size() == reasons.getTexts().size());
  const auto why = reasons.getWhys()[reasons.getJobs()[0].getText()];
  BOOST_TEST((why.getKind() == schema::Why::Kind::RESOURCES));
  BOOST_TEST(schema::str(why.getResource()) == "ncpus");
  BOOST_TEST(schema::str(why.getAsked()) == "9");
  BOOST_TEST(schema::str(why.getFree()) == "4");  // when the cycle began, as the comment has it
  BOOST_TEST(schema::str(why.getTotal()) == "4");
  BOOST_REQUIRE(why.getVnodes().size() == 1u);
  BOOST_TEST(schema::str(why.getVnodes()[0]) == "p1");
  BOOST_TEST(reasons.getJobs()[0].getBehind() == 0u);
}

BOOST_AUTO_TEST_CASE(a_piece_with_much_data_stays_below_the_limit_and_loses_nothing) {
  cycle::result of;
  for (unsigned i = 0; i < 2000; ++i) {
    of.comments.push_back("Not Running: " + std::string(i % 90, 'x') + std::to_string(i));
    cycle::why_data why;
    why.kind = schema::Why::Kind::LIMIT;
    why.resource = "r" + std::to_string(i);
    why.limit = std::string(i % 70, 'l');
    why.owner = "queue workq";
    for (unsigned v = 0; v < i % (cycle::why_vnodes_max + 1); ++v) why.vnodes.push_back("vnode" + std::to_string(v));
    of.whys.push_back(why);
    of.blockers.push_back(std::to_string(i) + ".borg");
    of.reasons.push_back({i + 1, 0, i, i % 3 == 0 ? 0 : i + 1});
  }
  std::size_t told = 0;
  const auto check = [&](const actors::reasons_piece& piece) {
    const auto m = piece.seal();
    BOOST_TEST(m.bytes().size() <= limits::cycle_reasons_bytes_max);
    const auto r = m.get().getReasons();
    for (const auto job : r.getJobs()) {
      const auto& reason = of.reasons[told++];
      BOOST_TEST(job.getJob() == reason.job);
      BOOST_TEST(schema::str(r.getTexts()[job.getText()]) == of.comments[reason.comment]);
      BOOST_TEST(schema::str(r.getWhys()[job.getText()].getResource()) == of.whys[reason.comment].resource);
      BOOST_TEST(r.getWhys()[job.getText()].getVnodes().size() == of.whys[reason.comment].vnodes.size());
      BOOST_TEST((job.getBehind() == 0 ? std::string() : schema::str(r.getBlockers()[job.getBehind() - 1])) ==
                 (reason.behind == 0 ? std::string() : of.blockers[reason.behind - 1]));
    }
  };
  actors::reasons_piece piece(of, 1);
  for (const auto& reason : of.reasons) {
    if (piece.add(reason)) continue;
    check(piece);
    piece = actors::reasons_piece(of, 1);
    BOOST_REQUIRE(piece.add(reason));
  }
  check(piece);
  BOOST_TEST(told == of.reasons.size());
}

BOOST_AUTO_TEST_CASE(stop_and_reconfigure_are_for_the_owner) {
  driven d;
  BOOST_TEST((d.hear([](auto m) { m.setReconfigure(); }) == cycle_driver::next::reread_policy));
  BOOST_TEST((d.hear([](auto m) { m.setStop(); }) == cycle_driver::next::stop));
  d.driver.set_policy("foo: 1\n", std::string(32, 'x'));
  BOOST_TEST(d.log.back() == "Fil;sched_config;Error reading line 1: Unknown config parameter");
}

BOOST_AUTO_TEST_CASE(the_policy_is_read_again_when_a_resource_was_made) {
  driven d;
  d.view(two_jobs().full_view(5));
  const auto changes = [&](std::uint64_t sequence, bool resources) {
    return d.hear([&](schema::ToScheduler::Builder m) {
      auto v = m.initView();
      v.setSequence(sequence);
      v.setPrevious(sequence - 1);
      v.setResourcesChanged(resources);
    });
  };
  BOOST_TEST((changes(6, false) == cycle_driver::next::go_on));
  BOOST_TEST((changes(7, true) == cycle_driver::next::reread_policy));
}

BOOST_AUTO_TEST_CASE(a_job_that_is_asked_for_is_proposed_or_answered_with_a_reason) {
  driven d;
  const auto c = two_jobs();
  d.view(c.full_view(5));
  d.forget();
  const auto rows = c.full_view();
  const auto ask = [&](unsigned row, std::uint64_t request, std::uint64_t view_sequence) {
    d.hear([&](auto m) {
      auto r = m.initRunJob();
      r.setJob((*rows).getJobs()[row]);
      r.setRequest(request);
      r.setViewSequence(view_sequence);
    });
  };
  ask(0, 7, 5);
  BOOST_TEST(said(d, {which::RUN}));
  BOOST_TEST(d.sent[0].get().getRun().getRequest() == 7u);
  d.forget();
  ask(0, 10, 5);  // what the server makes of the proposal is not known
  BOOST_REQUIRE(said(d, {which::CANNOT_RUN}));
  BOOST_TEST(schema::str(d.sent[0].get().getCannotRun().getReason()) == "Job is about to run: its runjob hooks may not have ended");
  d.forget();
  ask(1, 8, 5);  // the first one has the cpus
  BOOST_TEST(said(d, {which::CANNOT_RUN}));
  BOOST_TEST(d.sent[0].get().getCannotRun().getRequest() == 8u);
  d.forget();
  ask(1, 9, 6);  // of a view that is not here yet
  BOOST_TEST(said(d, {which::FULL_VIEW}));
}

// What is said of the scheduler's own object.
namespace {

struct named {
  stopped_clock clock;
  std::vector<cycle_driver::message> sent;
  std::vector<std::string> log;
  std::vector<int> ports;
  std::unique_ptr<cycle_driver> driver;

  explicit named(actors::scheduler_identity who) {
    cycle_driver::outlets out;
    out.send = [this](const auto& m) { sent.push_back(m); };
    out.log = [this](auto, auto, auto, auto text) { log.emplace_back(text); };
    out.clock = &clock;
    out.use_priv = [](const std::string&) { return actors::directory_keeper::trouble::NONE; };
    out.use_logs = [](const std::string& d) { return std::optional(d); };
    out.listen = [this](std::uint16_t port) { return ports.push_back(port), true; };
    driver = std::make_unique<cycle_driver>(std::move(who), out);
    driver->connected();
  }
  cycle_driver::next object(const std::vector<std::pair<const char*, std::string>>& attributes) {
    return driver->received(*schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) {
      auto d = m.initView();
      d.setFull(true);
      auto list = d.initScheduler(static_cast<unsigned>(attributes.size()));
      for (unsigned i = 0; i < list.size(); ++i) {
        list[i].setName(attributes[i].first);
        list[i].setValue(attributes[i].second);
      }
    }));
  }
};
using next = cycle_driver::next;

}  // namespace

BOOST_AUTO_TEST_CASE(a_scheduler_without_a_partition_says_so_and_gives_up) {  // MS-49, MS-55
  named sc1{actors::scheduler_identity{.name = "sc1"}};
  BOOST_TEST((sc1.object({{"scheduling", "True"}}) == next::give_up));
  BOOST_TEST(sc1.driver->why() == "Scheduler does not contain a partition");
  BOOST_TEST(sc1.log.back() == "Scheduler does not contain a partition");
  named sc2{actors::scheduler_identity{.name = "sc2"}};
  BOOST_TEST((sc2.object({{"scheduling", "True"}, {"partition", "P1"}}) == next::go_on));
  BOOST_TEST((sc2.object({{"scheduling", "True"}}) == next::give_up));  // it was unset
  named first{actors::scheduler_identity{.name = "default"}};
  BOOST_TEST((first.object({{"scheduling", "True"}}) == next::go_on));
}

BOOST_AUTO_TEST_CASE(a_scheduler_that_the_server_does_not_know_gives_up) {  // MS-56
  named sc1{actors::scheduler_identity{.name = "sc1"}};
  const auto answer = sc1.driver->received(
      *schema::make<schema::ToScheduler>([](schema::ToScheduler::Builder m) { m.initRefused().setReason("Unknown Scheduler sc1"); }));
  BOOST_TEST((answer == next::give_up));
  BOOST_TEST(sc1.driver->why() == "Unable to retrieve the scheduler attributes from server: Unknown Scheduler sc1");
  BOOST_TEST(sc1.log.front() == "Unable to retrieve the scheduler attributes from server");
  // Another one is there: perhaps only its link is.
  named late{actors::scheduler_identity{.name = "sc1"}};
  const auto wait = late.driver->received(*schema::make<schema::ToScheduler>([](schema::ToScheduler::Builder m) {
    m.initRefused().setReason("Scheduler already connected (15230)");
    m.getRefused().setCode(15230);
  }));
  BOOST_TEST((wait == next::go_on));
  BOOST_TEST(late.log.back() == "Scheduler already connected (15230)");
}

BOOST_AUTO_TEST_CASE(it_says_where_it_works_and_goes_where_its_object_says) {  // MS-27, MS-28
  named sc1{actors::scheduler_identity{.name = "sc1", .used = {"/priv", "/log"}}};
  sc1.object({{"partition", "P1"}, {"sched_priv", "/other"}, {"sched_log", "/log"}});
  const auto told = sc1.sent.back().get();
  BOOST_REQUIRE(told.isDirectories());
  BOOST_TEST(schema::str(told.getDirectories().getPriv()) == "/other");
}

BOOST_AUTO_TEST_CASE(it_listens_where_its_object_says) {  // MS-31, MS-57
  named sc1{actors::scheduler_identity{.name = "sc1", .port = 15050}};
  BOOST_TEST(sc1.sent.front().get().getHello().getPort() == 15050);
  sc1.object({{"partition", "P1"}, {"sched_port", "15050"}});
  BOOST_TEST(sc1.ports.empty());
  sc1.object({{"partition", "P1"}, {"sched_port", "15077"}});
  BOOST_TEST(sc1.ports == std::vector<int>{15077});
  // What -S says counts until the object says something else.
  named given{actors::scheduler_identity{.name = "sc1", .port = 15051, .port_given = true}};
  given.object({{"partition", "P1"}, {"sched_port", "15050"}});
  given.object({{"partition", "P1"}, {"sched_port", "15050"}});
  BOOST_TEST(given.ports.empty());
  given.object({{"partition", "P1"}, {"sched_port", "15052"}});
  BOOST_TEST(given.ports == std::vector<int>{15052});
}

BOOST_AUTO_TEST_CASE(how_usage_counts_is_told_after_the_hello_and_when_it_changes) {  // MS-107
  driven d;
  d.view(two_jobs().full_view(5));
  BOOST_REQUIRE(said(d, {which::HELLO, which::FAIRSHARE}));
  BOOST_TEST(!d.sent[1].get().getFairshare().getOn());
  BOOST_TEST(schema::str(d.sent[1].get().getFairshare().getUsage()) == "cput");
  d.forget();
  const auto config = shipped_sched_config() +
                      "fair_share: true ALL\nfairshare_usage_res: ncpus*wall\n"
                      "fairshare_decay_time: 1:00:00\nfairshare_decay_factor: 0.25\n";
  d.driver.set_policy(cycle::policy_text({config, "a x\nb 2 c 1\nd 3 root 1\ne 3 root 1\n"}),
                      std::string(32, 'i'));
  BOOST_TEST(said(d, {which::FULL_VIEW, which::FAIRSHARE}));
  BOOST_TEST(d.sent[1].get().getFairshare().getOn());
  BOOST_TEST(d.sent[1].get().getFairshare().getDecaySeconds() == 3600u);
  BOOST_TEST(d.sent[1].get().getFairshare().getDecayFactor() == 0.25);
  d.view(two_jobs().full_view(5));
  d.cycle(1, 5);
  const auto logged = [&](const std::string& line) { return std::find(d.log.begin(), d.log.end(), line) != d.log.end(); };
  BOOST_TEST(logged("Fil;resgroup;error on line 1."));
  BOOST_TEST(logged("Fil;resource_group;Parent ginfo of b doesnt exist."));
  BOOST_TEST(logged("Fil;resgroup;error on line 2."));
  BOOST_TEST(logged("Fil;resource_group;Line 4: e has the number of d: 3"));
  BOOST_TEST(!logged("Fil;resgroup;error on line 4."));
  BOOST_TEST(logged("Fil;sched_config;fairshare_usage_res: wall is no amount of a resource and counts as 0"));
  d.forget();
  d.driver.connected();
  BOOST_TEST(said(d, {which::HELLO, which::FAIRSHARE}));  // whatever the view will say
}

namespace {

schema::sealed<schema::SchedulingDelta> formula_becomes(const std::string& formula, std::uint64_t previous, std::uint64_t sequence) {
  return schema::make<schema::SchedulingDelta>([&](schema::SchedulingDelta::Builder d) {
    d.setPrevious(previous);
    d.setSequence(sequence);
    auto a = d.initServer(1)[0];
    a.setName("job_sort_formula");
    a.setValue(formula);
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_formula_that_names_shares_has_usage_counted) {
  driven d;
  d.driver.set_policy(shipped_sched_config() + "fairshare_usage_res: wall\n", std::string(32, 'i'));
  d.view(two_jobs().full_view(5));
  d.cycle(1, 5);
  const auto named = [&] {
    return std::count(d.log.begin(), d.log.end(), "Fil;sched_config;fairshare_usage_res: wall is no amount of a resource and counts as 0");
  };
  BOOST_TEST(named() == 1);  // also while nothing counts
  d.forget();
  d.view(formula_becomes("ncpus", 5, 6));
  BOOST_TEST(d.sent.empty());
  d.view(formula_becomes("fairshare_factor", 6, 7));
  BOOST_TEST(said(d, {which::FULL_VIEW}));  // whose jobs these are was not read so far
  auto c = two_jobs();
  c.server["job_sort_formula"] = "fairshare_factor";
  d.view(c.full_view(7));
  BOOST_REQUIRE(said(d, {which::FULL_VIEW, which::FAIRSHARE}));
  BOOST_TEST(d.sent[1].get().getFairshare().getOn());
  d.cycle(2, 7);
  BOOST_TEST(named() == 1);
  d.forget();
  d.driver.connected();
  BOOST_TEST(said(d, {which::HELLO}));  // "off" would end the counting until the view is here
  d.view(c.full_view(8));
  BOOST_REQUIRE(said(d, {which::HELLO, which::FAIRSHARE}));
  BOOST_TEST(d.sent[1].get().getFairshare().getOn());
  d.forget();
  d.view(formula_becomes("", 8, 9));
  BOOST_REQUIRE(said(d, {which::FAIRSHARE}));
  BOOST_TEST(!d.sent[0].get().getFairshare().getOn());
}

// -- server_dyn_res (scene S11) ------------------------------------------------------------------------------------------

namespace {

std::size_t count_of(const driven& d, const std::string& line) {
  return static_cast<std::size_t>(std::count(d.log.begin(), d.log.end(), line));
}

// Two jobs that want two licences each, and a program that tells how many there are.
void ask_for_licences(driven& d, const actors::script_answer& answer) {
  d.programs["/lic.sh -a"] = answer;
  d.driver.set_policy(shipped_sched_config() + "resources: \"ncpus, lic\"\nserver_dyn_res: \"lic !/lic.sh -a\"\n", std::string(32, 'd'));
  auto c = two_jobs();
  c.resources = {{"lic", "long", ""}};
  c.scheduler["server_dyn_res_alarm"] = "7";
  for (auto& j : c.jobs) j.schedselect = "1:ncpus=1", j.resources["lic"] = "2";
  d.view(c.full_view(5));
  d.forget();
  d.log.clear();
  d.cycle(1, 5);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_a_program_tells_limits_the_cycle_and_is_written_down) {
  driven d;
  ask_for_licences(d, {actors::script_answer::kind::told, "3"});
  BOOST_TEST(d.log[0] == "Req;;Starting Scheduling Cycle");
  BOOST_TEST(d.log[1] == "Svr;server_dyn_res;/lic.sh -a = 3 (\"3\")");
  BOOST_TEST(d.alarm == 7);
  BOOST_TEST(d.sent_before_program == 2u);  // the policy, and that the cycle has begun (MS-44)
  BOOST_REQUIRE(said(d, {which::POLICY, which::CYCLE_BEGAN, which::CYCLE_BEGAN, which::RUN, which::REASONS, which::CYCLE_ENDED}));
  BOOST_TEST(d.sent[1].get().getCycleBegan().getDynamic().size() == 0u);
  const auto dynamic = d.sent[2].get().getCycleBegan().getDynamic();
  BOOST_REQUIRE(dynamic.size() == 1u);
  BOOST_TEST(schema::str(dynamic[0].getName()) == "resources_available");
  BOOST_TEST(schema::str(dynamic[0].getResource()) == "lic");
  BOOST_TEST(schema::str(dynamic[0].getValue()) == "3");
  BOOST_TEST(schema::str(d.sent[4].get().getReasons().getTexts()[0]) ==
             "Not Running: Insufficient amount of server resource: lic (R: 2 A: 1 T: 3)");
}

BOOST_AUTO_TEST_CASE(what_a_program_does_not_tell_is_nothing) {
  using kind = actors::script_answer::kind;
  for (const auto& [answer, lines] : std::vector<std::pair<actors::script_answer, std::vector<std::string>>>{
           {{kind::told, "abc"},
            {"Resc;lic;Invalid value for consumable resource", "Svr;server_dyn_res;Script /lic.sh -a returned bad output",
             "Svr;server_dyn_res;/lic.sh -a = 0 (\"abc\")"}},
           {{kind::told, "-1"}, {"Svr;server_dyn_res;/lic.sh -a = 0 (\"-1\")"}},
           {{kind::timed_out, ""},
            {"Svr;server_dyn_res;Program /lic.sh -a timed out", "Svr;server_dyn_res;Setting resource lic to 0",
             "Svr;server_dyn_res;/lic.sh -a = 0 (\"\")"}},
           {{kind::unsafe, ""}, {"Svr;server_dyn_res;Program /lic.sh -a may be changed by others and is not run"}}}) {
    driven d;
    ask_for_licences(d, answer);
    for (const auto& line : lines) BOOST_TEST(count_of(d, line) == 1u, line);
    BOOST_TEST(said(d, {which::POLICY, which::CYCLE_BEGAN, which::CYCLE_BEGAN, which::REASONS, which::CYCLE_ENDED}));
  }
}

BOOST_AUTO_TEST_CASE(a_program_that_is_not_there_limits_nothing) {
  driven d;
  d.driver.set_policy("server_dyn_res: \"lic !/nosuch\"\n", std::string(32, 'd'));
  BOOST_TEST(d.log.back() == "Fil;sched_config;Error reading line 1: server_dyn_res script /nosuch does not exist");
  d.view(two_jobs().full_view(5));
  d.cycle(1, 5);
  BOOST_TEST(d.sent[d.sent.size() - 4].get().getCycleBegan().getDynamic().size() == 0u);
}

// Scene S3.
BOOST_AUTO_TEST_CASE(keys_and_amounts_that_are_no_resources_are_named_once_the_resources_are_known) {
  driven d;
  d.programs["/lic.sh"] = {actors::script_answer::kind::told, "3"};
  d.driver.set_policy(
      "job_sort_key: \"nosuch HIGH\" ALL\nserver_dyn_res: \"lic !/lic.sh\"\nserver_dyn_res: \"mem !/lic.sh\"\n"
      "resources: \"ncpus, nsuch\"\nnode_sort_key: \"host LOW\" ALL\nnode_sort_key: \"sort_priority HIGH\" ALL\n"
      "fairshare_usage_res: ncpus*foo\n",
      std::string(32, 'd'));
  d.view(two_jobs().full_view(5));
  d.cycle(1, 5);
  for (const char* line :
       {"prime job sorting resource nosuch is not a valid resource", "Non-prime job sorting resource nosuch is not a valid resource",
        "server_dyn_res: lic is no amount of a resource and is not asked for",
        "server_dyn_res: mem is not in the resources line and is not looked at", "resources: nsuch is no resource and is not looked at",
        "node_sort_key: host is no amount of a resource and sorts nothing",
        "fairshare_usage_res: foo is no amount of a resource and counts as 0"})
    BOOST_TEST(count_of(d, std::string("Fil;sched_config;") + line) == 1u, line);
  d.log.clear();
  d.driver.set_policy("job_sort_key: \"nosuch HIGH\" prime\n", std::string(32, 'e'));  // the resources are known now
  BOOST_TEST(count_of(d, "Fil;sched_config;prime job sorting resource nosuch is not a valid resource") == 1u);
}

BOOST_AUTO_TEST_CASE(an_alarm_of_nothing_is_the_usual_one) {
  driven d;
  d.programs["/lic.sh"] = {actors::script_answer::kind::told, "3"};
  d.driver.set_policy("resources: \"lic\"\nserver_dyn_res: \"lic !/lic.sh\"\n", std::string(32, 'd'));
  auto c = two_jobs();
  c.resources = {{"lic", "long", ""}};
  c.scheduler["server_dyn_res_alarm"] = "0";
  d.view(c.full_view(5));
  d.cycle(1, 5);
  BOOST_TEST(d.alarm == 30);
}

// Answers go before runs.
BOOST_AUTO_TEST_CASE(what_is_asked_about_reservations_is_answered) {
  driven d;
  auto c = two_jobs();
  reservation_row fits, too_large;
  fits.ask = 3;
  fits.wanted = {{1, 1000, 2000}, {2, 3000, 4000}};
  too_large.serial = 901;
  too_large.id = "R901.p1";
  too_large.schedselect = "1:ncpus=9";
  too_large.ask = 1;
  too_large.wanted = {{1, 1000, 2000}};
  c.reservations = {fits, too_large};
  d.view(c.full_view(5));
  d.forget();
  d.log.clear();
  d.cycle(1, 5);
  BOOST_REQUIRE(d.sent.size() > 4u);
  BOOST_REQUIRE(d.sent[2].get().isReservation());
  const auto confirmed = d.sent[2].get().getReservation();
  BOOST_TEST(confirmed.getReservation() == 900u);
  BOOST_TEST(confirmed.getAsk() == 3u);
  BOOST_TEST(confirmed.getCycle() == 1u);
  BOOST_REQUIRE(confirmed.isConfirmed());
  BOOST_REQUIRE(confirmed.getConfirmed().size() == 2u);
  BOOST_TEST(confirmed.getConfirmed()[1].getIndex() == 2u);
  BOOST_TEST(confirmed.getConfirmed()[1].getStartNs() == 3000 * std::int64_t{1'000'000'000});
  BOOST_TEST(schema::str(confirmed.getConfirmed()[1].getExecVnode()) == "(p1:ncpus=1)");
  BOOST_REQUIRE(d.sent[3].get().isReservation());
  BOOST_TEST(schema::str(d.sent[3].get().getReservation().getRefused()) == "Insufficient amount of resource: ncpus (R: 9 A: 4 T: 4)");
  BOOST_TEST(count_of(d, "Resv;R900.p1;Confirming 2 Occurrences") == 1u);
  BOOST_TEST(count_of(d, "Resv;R900.p1;Reservation Confirmed") == 1u);
  BOOST_TEST(count_of(d, "Resv;R901.p1;PBS Failed to confirm resv: Insufficient amount of resource: ncpus (R: 9 A: 4 T: 4)") == 1u);
}
