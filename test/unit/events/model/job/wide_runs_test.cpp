// A job's runs on several hosts: what their primary tells step by step, who is waited for, what is released meanwhile.
// docs/design/0020-jobs-across-hosts.md.
#include <boost/test/unit_test.hpp>

#include "events/model/exit_codes.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
namespace ids = attributes::job;

namespace {

model::mom_report steps(const job_story& story, std::uint32_t first, const std::vector<std::string>& joined,
                        const std::string& from = "borg") {
  return {schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
            auto r = m.initRunSteps();
            fill(r.initRef(), story.job, story.job.run);
            r.setFirst(first);
            auto list = r.initSteps(static_cast<unsigned>(joined.size()));
            for (unsigned i = 0; i < joined.size(); ++i) list[i].initStep().initSisterJoined().setHost(joined[i]);
          }),
          from};
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_step_between_the_hosts_of_a_run_is_taken_once) {
  auto story = given(job_phase::assigned);
  BOOST_TEST(story.when(steps(story, 0, {"n2", "n3"}), the_server()) == "runStep runStep");
  BOOST_TEST(story.when(steps(story, 0, {"n2", "n3"}), the_server()) == "");
  BOOST_TEST(story.when(steps(story, 1, {"n3", "n4"}), the_server()) == "runStep");
  BOOST_TEST(!story.ask(steps(story, 4, {"n6"}), the_server()).accepted());  // one is missing: not acknowledged
  BOOST_TEST(story.job.steps == 3u);
  story.starts();
  BOOST_TEST(story.when(steps(story, 3, {"n5"}), the_server()) == "runStep");
}

BOOST_AUTO_TEST_CASE(a_start_can_be_watched_host_by_host) {
  auto story = given(job_phase::assigned);
  const auto comment = [&] { return std::string(story.job.attribute(attributes::job::comment)); };
  const auto sent = comment();
  BOOST_TEST(!sent.empty());
  std::uint32_t count = 0;
  const auto tell = [&](auto&& fill_step) {
    story.when(model::mom_report{schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                                   auto r = m.initRunSteps();
                                   fill(r.initRef(), story.job, story.job.run);
                                   r.setFirst(count++);
                                   fill_step(r.initSteps(1)[0].initStep());
                                 }),
                                 "borg"},
               the_server());
  };
  tell([](auto s) {
    auto hosts = s.initSistersAsked().initHosts(3);
    for (unsigned i = 0; i < 3; ++i) hosts.set(i, "n" + std::to_string(i + 2));
  });
  BOOST_TEST(comment() == sent + "; 1 of 4 hosts have joined");
  tell([](auto s) { s.initSisterJoined().setHost("n3"); });
  tell([](auto s) { s.initSisterFailed().setHost("n2"); });
  BOOST_TEST(comment() == sent + "; 2 of 4 hosts have joined, 1 failed");
  tell([](auto s) {
    auto f = s.initSisterFailed();
    f.setHost("n3");
    f.setWhat(schema::SisterStep::StartStep::EXEC_PROLOGUE);
  });
  BOOST_TEST(comment() == sent + "; 1 of 4 hosts have joined, 2 failed");  // it has joined before
  auto failed = story;
  failed.refuses(-1);
  BOOST_TEST(failed.job.attribute(attributes::job::comment).find("joined") == std::string::npos);
  story.starts();
  BOOST_TEST(comment().find("joined") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_first_host_is_to_blame_for_the_start_of_a_job_that_bears_the_failure_of_others) {
  using values_of = std::vector<std::pair<given_values, const char*>>;
  for (const auto& [says, to_blame] : values_of{{{{"tolerate_node_failures", "", "all"}}, "borg"},
                                                {{{"tolerate_node_failures", "", "none"}}, "n2"},
                                                {{{"Resource_List", "rjselect", "2:ncpus=1"}}, "borg"}}) {
    auto story = given(job_phase::queued);
    story.when(alter(says), operator_());
    story.when(propose(), the_scheduler());
    story.when(model::mom_report{schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                                   auto r = m.initRunSteps();
                                   fill(r.initRef(), story.job, story.job.run);
                                   r.initSteps(1)[0].initStep().initSisterFailed().setHost("n2");
                                 }),
                                 "borg"},
               the_server());
    story.refuses(-3, 1);
    BOOST_REQUIRE(!story.job.failed_starts.empty());
    BOOST_TEST(story.job.failed_starts.back().host == to_blame);
  }
}

BOOST_AUTO_TEST_CASE(the_end_of_the_wait_for_hosts_may_be_heard_of_after_the_start) {
  auto story = given(job_phase::started);
  const model::mom_report late{schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                                 auto r = m.initRunSteps();
                                 fill(r.initRef(), story.job, story.job.run);
                                 r.initSteps(1)[0].initStep().setJoinWaitEnded();
                               }),
                               "borg"};
  BOOST_TEST(story.when(late, the_server()) == "runStep");
}

BOOST_AUTO_TEST_CASE(only_the_primary_speaks_for_a_run) {
  auto story = given(job_phase::assigned);
  BOOST_TEST(story.when(steps(story, 0, {"n2"}, "n2"), the_server()) == "");
}

namespace {

// On three hosts.
job_story given_wide(job_phase phase, const given_values& s = {}) {
  auto story = given(job_phase::queued, s);
  story.when(propose_hosts({"n1", "n2", "n3"}), the_scheduler());
  if (phase >= job_phase::started) story.starts();
  if (phase >= job_phase::exiting) story.exits(0);
  return story;
}

std::string discards(const job_story& story) {
  std::string hosts;
  for (const auto& debt : model::pending_effects(story.job, story.settings))
    if (const auto* d = std::get_if<model::discard_run>(&debt)) hosts += (hosts.empty() ? "" : " ") + d->host;
  return hosts;
}

std::string leaves_without(job_story& story, const std::string& host) {
  return story.when(story.report([&](auto m) {
    auto r = m.initRunLeft();
    fill(r.initRef(), story.job, story.job.run);
    r.setDelivered(true);
    r.initAbandoned(1).set(0, host);
  }),
                    the_server());
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_job_waits_for_hosts_that_nobody_has_spoken_for) {
  auto story = given_wide(job_phase::started);
  BOOST_TEST(story.when(model::run_lost{1, false, true}, the_server()) == "exited vnodesReleased");
  BOOST_TEST(story.state() == "E 51");
  BOOST_TEST(discards(story) == "n2 n3");
  BOOST_TEST(story.when(model::run_lost{1, false, true}, the_server()) == "");
  BOOST_TEST(story.when(model::run_gone_from{1, "n3", false}, the_server()) == "vnodesReleased");
  BOOST_TEST(story.when(model::run_gone_from{1, "n3", false}, the_server()) == "");
  BOOST_TEST(story.when(model::run_gone_from{2, "n2", false}, the_server()) == "");
  BOOST_TEST(discards(story) == "n2");
  BOOST_TEST(story.when(model::run_gone_from{1, "n2", false}, the_server()) == "vnodesReleased requeued");
  BOOST_TEST(story.attribute(ids::Exit_status) == "-4");
}

BOOST_AUTO_TEST_CASE(a_host_that_is_down_is_not_waited_for) {
  auto story = given_wide(job_phase::started, {{"Rerunable", "", "False"}});
  story.when(model::run_lost{1, true, false}, the_server());
  BOOST_TEST((story.history.back().second.get().getJob().getVnodesReleased().getWhy() == schema::ReleaseReason::ABANDONED));  // the primary
  story.when(model::run_gone_from{1, "n2", false}, the_server());
  BOOST_TEST((story.history.back().second.get().getJob().getVnodesReleased().getWhy() == schema::ReleaseReason::LEFT));
  BOOST_TEST(story.when(model::run_gone_from{1, "n3", true}, the_server()) == "vnodesReleased ended");
  BOOST_TEST(
      (story.history[story.history.size() - 2].second.get().getJob().getVnodesReleased().getWhy() == schema::ReleaseReason::ABANDONED));
  BOOST_TEST(story.state() == "F 93");
}

BOOST_AUTO_TEST_CASE(a_job_waits_for_the_hosts_that_its_primary_has_given_up) {
  auto story = given_wide(job_phase::exiting);
  BOOST_TEST(leaves_without(story, "n2") == "outputDelivered vnodesReleased");
  BOOST_TEST(leaves_without(story, "n2") == "");  // the acknowledgement was lost
  BOOST_TEST(discards(story) == "n2");
  BOOST_TEST(story.when(model::run_gone_from{1, "n2", false}, the_server()) == "vnodesReleased ended");
  BOOST_TEST(story.state() == "F 92");
}

namespace {
// A part of the run that goes on without it.
void release_part(job_story& story, const std::string& exec_vnode, const std::string& host) {
  story.happens(model::make_event([&](auto e) {
    auto r = e.initJob().initVnodesReleased();
    r.setRun(story.job.run);
    r.setExecVnode(exec_vnode);
    r.initHosts(1).set(0, host);
  }));
}
}  // namespace

BOOST_AUTO_TEST_CASE(a_run_goes_on_without_the_vnodes_it_has_released) {
  auto story = given_wide(job_phase::started);
  release_part(story, "(n2:ncpus=1)", "n2");
  BOOST_TEST(story.state() == "R 41");
  BOOST_TEST(story.attribute(ids::exec_vnode) == "(n1:ncpus=1)+(n3:ncpus=1)");
  BOOST_TEST(story.attribute(ids::exec_host) == "n1/0+n3/0");
  auto lost = story;
  BOOST_TEST(lost.when(model::run_lost{1, false, true}, the_server()) == "exited vnodesReleased");
  BOOST_TEST(discards(lost) == "n3");  // n2 has nothing of it
  story.exits(0);
  BOOST_TEST(story.leaves() == "outputDelivered vnodesReleased ended");
  const auto last = story.history[story.history.size() - 2].second.get().getJob().getVnodesReleased();
  BOOST_TEST(schema::str(last.getExecVnode()) == "(n1:ncpus=1)+(n3:ncpus=1)");
  BOOST_TEST(last.getHosts().size() == 2u);
  BOOST_TEST(story.attribute(ids::exec_vnode) == "(n1:ncpus=1)+(n3:ncpus=1)");
}

BOOST_AUTO_TEST_CASE(what_is_released_before_the_start_is_not_in_the_order) {
  auto story = given_wide(job_phase::assigned);
  release_part(story, "(n3:ncpus=1)", "n3");
  const auto order = model::start_order(story.job, story.settings, {});
  const auto start = order.get().getStartRun();
  BOOST_TEST(schema::str(start.getExecVnode()) == "(n1:ncpus=1)+(n2:ncpus=1)");
  BOOST_TEST(schema::str(start.getExecHost()) == "n1/0+n2/0");
  BOOST_REQUIRE_EQUAL(start.getSisters().size(), 1u);
  BOOST_TEST(schema::str(start.getSisters()[0].getHost()) == "n2");
}

BOOST_AUTO_TEST_CASE(a_proposal_whose_texts_do_not_fit_together_is_refused) {
  auto story = given(job_phase::queued);
  auto p = propose();
  p.message = schema::make<schema::FromScheduler>([](schema::FromScheduler::Builder m) {
    auto run = m.initRun();
    run.setExecVnode("(borg:ncpus=1)+(cube:ncpus=1)");
    run.setExecHost("borg/0");
    run.initHosts(1).set(0, "borg");
  });
  BOOST_TEST(said(story.ask(p, the_scheduler())).starts_with("15089 "));
}

BOOST_AUTO_TEST_CASE(a_job_that_waits_for_hosts_may_be_deleted_and_by_force_at_once) {
  auto story = given_wide(job_phase::started);
  story.when(model::run_lost{1, false, true}, the_server());
  auto forced = story;
  story.when(remove());
  story.when(model::run_gone_from{1, "n2", false}, the_server());
  BOOST_TEST(story.when(model::run_gone_from{1, "n3", false}, the_server()) == "vnodesReleased ended");
  BOOST_TEST(story.state() == "F 91");
  BOOST_TEST(forced.when(remove(true), operator_()) == "deleteRequested vnodesReleased ended");
}

BOOST_AUTO_TEST_CASE(a_host_says_nothing_of_interest_while_the_run_goes_on) {
  for (auto phase : {job_phase::assigned, job_phase::started, job_phase::exiting})
    BOOST_TEST(given_wide(phase).when(model::run_gone_from{1, "n2", false}, the_server()) == "");
}
