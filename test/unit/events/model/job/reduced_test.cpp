// A job whose run goes on with less: what its primary tells, what the job shows, and which vnodes come back when.
#include <boost/test/unit_test.hpp>

#include <functional>
#include <map>

#include "events/model/vnodes/amounts.hpp"
#include "events/model/vnodes/holdings.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
namespace ids = attributes::job;

namespace {

const std::string all_vnodes = "(n1:ncpus=1)+(n2[0]:ncpus=1+n2[1]:ncpus=1)+(n3:ncpus=1)";
const std::string all_hosts = "n1/0+n2/0*0+n3/0";

struct told_reduction {
  std::string released = "(n2[1]:ncpus=1)+(n3:ncpus=1)", exec_vnode = "(n1:ncpus=1)+(n2[0]:ncpus=1)", exec_host = "n1/0+n2/0*0";
  std::string keep_select = "ncpus=1+ncpus=1";
};

struct reduced_story : job_story {
  std::uint32_t told = 0;

  explicit reduced_story(const std::string& tolerant = "all", const given_values& more = {}) {
    given_values s = {{"Resource_List", "select", "1:ncpus=1:mpiprocs=2+1:ncpus=2+1:ncpus=1"}, {"Resource_List", "place", "free"}};
    if (!tolerant.empty()) s.push_back({"tolerate_node_failures", "", tolerant});
    s.insert(s.end(), more.begin(), more.end());
    when(submission(12, s));
    run();
  }
  void run() {
    when(model::proposed_run{schema::make<schema::FromScheduler>([](auto m) {
                               auto p = m.initRun();
                               p.setExecVnode(all_vnodes);
                               p.setExecHost(all_hosts);
                               auto list = p.initHosts(3);
                               for (unsigned i = 0; i < 3; ++i) list.set(i, "n" + std::to_string(i + 1));
                             }),
                             "default"},
         the_scheduler());
    told = 0;
  }
  template <class Fill>
  std::string steps(unsigned count, Fill&& fill_steps) {
    const auto first = told;
    told += count;
    return when(report([&](auto m) {
                  auto r = m.initRunSteps();
                  fill(r.initRef(), job, job.run);
                  r.setFirst(first);
                  fill_steps(r.initSteps(count));
                }),
                the_server());
  }
  static void put(schema::RunEvent::Builder step, const told_reduction& t) {
    auto r = step.initAllocationReduced();
    r.setReleased(t.released);
    r.setExecVnode(t.exec_vnode);
    r.setExecHost(t.exec_host);
    r.setKeepSelect(t.keep_select);
    r.setBy("execjob_launch");
  }
  std::string reduces(const told_reduction& t = {}) {
    return steps(1, [&](auto list) { put(list[0].initStep(), t); });
  }
  std::string host_left(const std::string& host, bool abandoned = false) {
    return steps(1, [&](auto list) {
      auto l = list[0].initStep().initSisterLeft();
      l.setHost(host);
      l.setAbandoned(abandoned);
    });
  }
  std::string where() const { return attribute(ids::exec_vnode) + " " + attribute(ids::exec_host); }
  std::string asks() const {
    std::string text;
    for (const auto& e : job.attributes)
      if (e.id == ids::Resource_List) text += std::string(e.resource) + "=" + std::string(e.value) + " ";
    return text + attribute(ids::schedselect);
  }
  schema::VnodesReleased::Reader last_released() const {
    for (auto at = history.rbegin(); at != history.rend(); ++at)
      if (schema::is(at->second.get(), schema::JobEvent::VNODES_RELEASED)) return at->second.get().getJob().getVnodesReleased();
    return {};
  }
  std::string discards() const {
    std::string hosts;
    for (const auto& debt : model::pending_effects(job, settings))
      if (const auto* d = std::get_if<model::discard_run>(&debt)) hosts += (hosts.empty() ? "" : " ") + d->host;
    return hosts;
  }
};

// What the story's job holds by its history: cpus by vnode.
std::map<std::string, int> held_by(const reduced_story& story) {
  model::holdings holdings;
  std::uint64_t version = 0;
  const auto host = [&](auto&& fill_event) {
    holdings.apply({1, 900, ++version, 0, the_server()}, model::make_event(fill_event).get().getHost());
  };
  host([](auto e) { e.initHost().initAdded().setName("n1"); });
  for (const char* vnode : {"n1", "n2[0]", "n2[1]", "n3"}) host([&](auto e) { e.initHost().initVnodeCreated().setName(vnode); });
  for (const auto& [at, e] : story.history) holdings.apply(at, "12", e.get().getJob());
  std::map<std::string, int> cpus;
  holdings.each_used([&](const std::string& vnode, const model::vnode_use& use) {
    if (const auto n = use.assigned.value_of("ncpus"); n != 0 || !use.jobs.empty()) cpus[vnode] = static_cast<int>(n);
  });
  return cpus;
}
std::map<std::string, int> cpus_of(const std::string& exec_vnode) {
  std::map<std::string, int> cpus;
  for (const auto& part : model::parts_of(exec_vnode)) cpus[part.vnode] += static_cast<int>(part.cpus);
  return cpus;
}

const std::string asked_first =
    "mpiprocs=2 ncpus=4 nodect=3 place=free select=1:ncpus=1:mpiprocs=2+1:ncpus=2+1:ncpus=1 "
    "1:ncpus=1:mpiprocs=2+1:ncpus=2+1:ncpus=1";
const std::string asked_then =
    "mpiprocs=2 ncpus=2 nodect=2 place=free select=1:ncpus=1:mpiprocs=2+1:ncpus=1 1:ncpus=1:mpiprocs=2+1:ncpus=1";

}  // namespace

BOOST_AUTO_TEST_SUITE(reduced_jobs)

// RS-35, RS-44, RS-125
BOOST_AUTO_TEST_CASE(a_job_shows_what_its_run_goes_on_with) {
  reduced_story story;
  BOOST_TEST(story.where() == all_vnodes + " " + all_hosts);
  BOOST_TEST(story.asks() == asked_first);
  BOOST_TEST(story.reduces() == "runStep reduced vnodesReleased");
  BOOST_TEST(story.where() == "(n1:ncpus=1)+(n2[0]:ncpus=1) n1/0+n2/0*0");
  BOOST_TEST(story.asks() == asked_then);
  // Of a host that stays its vnodes come back at once, and it still has the run.
  BOOST_TEST(schema::str(story.last_released().getExecVnode()) == "(n2[1]:ncpus=1)");
  BOOST_TEST((story.last_released().getWhy() == schema::ReleaseReason::REDUCED));
  BOOST_TEST(story.last_released().getHosts().size() == 0u);
  BOOST_TEST(story.job.allocated.exec_vnode() == "(n1:ncpus=1)+(n2[0]:ncpus=1)+(n3:ncpus=1)");
  BOOST_TEST(story.reduces() == "runStep");  // it does not follow any more
  // An order that is sent once more says what it goes on with.
  const auto order = model::start_order(story.job, story.settings, {});
  BOOST_TEST(schema::str(order.get().getStartRun().getExecVnode()) == "(n1:ncpus=1)+(n2[0]:ncpus=1)");
  BOOST_TEST(order.get().getStartRun().getSisters().size() == 1u);
}

// RD-20
BOOST_AUTO_TEST_CASE(vnodes_of_a_host_that_is_dropped_come_back_when_it_has_left) {
  reduced_story story;
  story.reduces();
  story.starts();
  BOOST_TEST(story.job.allocated.is_on("n3"));
  // Hooks that end the job on a host that was dropped are not asked, and those of others are.
  const auto by_hook = [&](const char* host) {
    return story.when(model::hook_changes{alter({{"resources_used", "cput", "00:10:00"}}), 1, host}, {"pbs_mom", host, schema::Role::MOM});
  };
  BOOST_TEST(by_hook("n3") == "");
  BOOST_TEST(by_hook("n2") == "altered");
  BOOST_TEST(story.host_left("n2") == "runStep");  // no host that was dropped
  BOOST_TEST(story.host_left("n3") == "runStep vnodesReleased");
  BOOST_TEST((story.last_released().getWhy() == schema::ReleaseReason::LEFT));
  BOOST_TEST(schema::str(story.last_released().getExecVnode()) == "(n3:ncpus=1)");
  BOOST_TEST(schema::str(story.last_released().getHosts()[0]) == "n3");
  BOOST_TEST(story.host_left("n3") == "runStep");
  BOOST_TEST(story.where() == "(n1:ncpus=1)+(n2[0]:ncpus=1) n1/0+n2/0*0");
  story.exits(0);
  BOOST_TEST(story.leaves() == "outputDelivered vnodesReleased ended");
  BOOST_TEST(schema::str(story.last_released().getExecVnode()) == "(n1:ncpus=1)+(n2[0]:ncpus=1)");
  BOOST_TEST(story.where() == "(n1:ncpus=1)+(n2[0]:ncpus=1) n1/0+n2/0*0");  // what it had last
  BOOST_TEST(story.asks() == asked_then);
}

BOOST_AUTO_TEST_CASE(a_host_that_is_dropped_and_silent_is_asked_by_the_server) {
  reduced_story story;
  story.reduces();
  story.starts();
  BOOST_TEST(story.when(model::run_gone_from{1, "n3", false}, the_server()) == "");  // its primary speaks for it
  BOOST_TEST(story.host_left("n3", true) == "runStep");
  BOOST_TEST(story.discards() == "n3");
  BOOST_TEST(story.when(model::run_gone_from{1, "n2", false}, the_server()) == "");
  auto down = story;
  BOOST_TEST(down.when(model::run_gone_from{1, "n3", true}, the_server()) == "vnodesReleased");
  BOOST_TEST((down.last_released().getWhy() == schema::ReleaseReason::ABANDONED));
  auto ends = story;
  BOOST_TEST(story.when(model::run_gone_from{1, "n3", false}, the_server()) == "vnodesReleased");
  BOOST_TEST((story.last_released().getWhy() == schema::ReleaseReason::LEFT));
  BOOST_TEST(story.when(model::run_gone_from{1, "n3", false}, the_server()) == "");
  BOOST_TEST(story.discards() == "");
  BOOST_TEST(story.state() == "R 41");
  // The run ends before the host is heard of: the job waits for it.
  ends.exits(0);
  BOOST_TEST(ends.discards() == "n3");
  ends.when(ends.report([&](auto m) {
    auto r = m.initRunLeft();
    fill(r.initRef(), ends.job, ends.job.run);
    r.initAbandoned(1).set(0, "n3");
  }),
            the_server());
  BOOST_TEST(ends.state() == "E 51");
  BOOST_TEST(ends.discards() == "n3");
  BOOST_TEST(ends.when(model::run_gone_from{1, "n3", false}, the_server()) == "vnodesReleased ended");
}

// RD-19, RS-130
BOOST_AUTO_TEST_CASE(the_next_run_asks_what_the_job_asked_at_first) {
  for (const bool twice : {false, true}) {
    reduced_story story;
    story.reduces();
    if (twice) {
      BOOST_TEST(story.reduces({"(n2[0]:ncpus=1)", "(n1:ncpus=1)", "n1/0", "ncpus=1:mpiprocs=7"}) == "runStep reduced");
      BOOST_TEST(story.asks() == "mpiprocs=7 ncpus=1 nodect=1 place=free select=1:ncpus=1:mpiprocs=7 1:ncpus=1:mpiprocs=7");
      BOOST_TEST(story.where() == "(n1:ncpus=1) n1/0");
    }
    story.starts();
    story.when(rerun(), operator_());
    story.exits(-11);
    story.leaves();
    BOOST_TEST(story.state() == "Q 10");
    BOOST_TEST(story.asks() == asked_first);
    BOOST_TEST(!story.job.reduced());
    BOOST_TEST(story.job.asked.empty());
    story.run();
    BOOST_TEST(story.where() == all_vnodes + " " + all_hosts);
    BOOST_TEST(story.reduces() == "runStep reduced vnodesReleased");
  }
}

BOOST_AUTO_TEST_CASE(a_start_that_fails_after_all_goes_back_to_what_was_asked) {
  reduced_story story;
  story.reduces();
  BOOST_TEST(story.refuses(-3) == "startFailed vnodesReleased requeued");
  BOOST_TEST(story.asks() == asked_first);
}

BOOST_AUTO_TEST_CASE(steps_of_one_report_are_looked_at_one_after_the_other) {
  reduced_story story;
  const auto said = story.steps(4, [](auto list) {
    reduced_story::put(list[0].initStep(), {});
    reduced_story::put(list[1].initStep(), {});  // once too often
    list[2].initStep().initSisterLeft().setHost("n3");
    reduced_story::put(list[3].initStep(), {"(n2[0]:ncpus=1)", "(n1:ncpus=1)", "n1/0", "1:ncpus=1"});
  });
  BOOST_TEST(said == "runStep reduced vnodesReleased runStep runStep vnodesReleased runStep reduced");
  BOOST_TEST(story.where() == "(n1:ncpus=1) n1/0");
  BOOST_TEST(story.asks() == "mpiprocs=2 ncpus=1 nodect=1 place=free select=1:ncpus=1:mpiprocs=2 1:ncpus=1:mpiprocs=2");
  BOOST_TEST(story.job.allocated.hosts().size() == 2u);
}

BOOST_AUTO_TEST_CASE(what_a_primary_tells_is_believed_only_if_it_can_be) {
  for (const char* tolerant : {"", "none"}) BOOST_TEST(reduced_story(tolerant).reduces() == "runStep");
  told_reduction first_goes{"(n1:ncpus=1)", "(n2[0]:ncpus=1+n2[1]:ncpus=1)+(n3:ncpus=1)", "n2/0*0+n3/0", "ncpus=1"};
  told_reduction other_amount, other_slot, lost, too_much, no_select, no_number, more_cpus, too_long;
  other_amount.exec_vnode = "(n1:ncpus=9)+(n2[0]:ncpus=1)";
  other_slot.exec_host = "n1/5+n2/0*0";
  lost.released = "(n3:ncpus=1)";
  too_much.keep_select = "3:ncpus=1";
  no_select.keep_select = "ncpus=";
  no_number.keep_select = "ncpus=many";
  more_cpus.keep_select = "ncpus=9";
  too_long.keep_select = "ncpus=1:a=" + std::string(300'000, 'x');
  for (const auto& t : {first_goes, other_amount, other_slot, lost, too_much, no_select, no_number, more_cpus, too_long}) {
    reduced_story story;
    BOOST_TEST(story.reduces(t) == "runStep");
    BOOST_TEST(story.where() == all_vnodes + " " + all_hosts);
  }
  // What counts is what the order said (RS-08).
  reduced_story altered;
  altered.when(alter({{"tolerate_node_failures", "", "none"}}));
  BOOST_TEST(altered.reduces() == "runStep reduced vnodesReleased");
}

BOOST_AUTO_TEST_CASE(a_reduced_run_that_is_suspended_gives_up_what_it_uses) {
  reduced_story story;
  story.reduces();
  story.starts();
  BOOST_TEST(story.when(signal("suspend"), operator_()) == "suspended vnodesReleased");
  BOOST_TEST(story.job.released == "(n1:ncpus=1)+(n2[0]:ncpus=1)");
  BOOST_TEST(story.reduces({"(n2[0]:ncpus=1)", "(n1:ncpus=1)", "n1/0", "ncpus=1"}) == "runStep");
  BOOST_TEST(story.host_left("n3") == "runStep vnodesReleased");
  BOOST_TEST(story.when(signal("resume"), operator_()) == "resumed vnodesTaken");
  story.exits(0);
  BOOST_TEST(story.leaves() == "outputDelivered vnodesReleased ended");
}

// Whatever comes in whatever order: nothing unlisted happens (apply would stop), and the history says the same again.
BOOST_AUTO_TEST_CASE(no_three_things_that_happen_to_a_reduced_run_lead_to_anything_unlisted) {
  using action = std::function<void(reduced_story&)>;
  const std::vector<action> actions = {
      [](auto& s) { s.reduces(); },
      [](auto& s) { s.reduces({"(n2[0]:ncpus=1)", "(n1:ncpus=1)", "n1/0", "ncpus=1"}); },
      [](auto& s) { s.host_left("n3"); },
      [](auto& s) { s.host_left("n3", true); },
      [](auto& s) { s.host_left("n2"); },
      [](auto& s) { s.when(model::run_gone_from{s.job.run, "n3", false}, the_server()); },
      [](auto& s) { s.when(model::run_gone_from{s.job.run, "n2", true}, the_server()); },
      [](auto& s) { s.when(model::run_lost{s.job.run, true, false}, the_server()); },
      [](auto& s) { s.when(model::run_lost{s.job.run, false, true}, the_server()); },
      [](auto& s) { s.starts(); },
      [](auto& s) { s.refuses(-3); },
      [](auto& s) { s.exits(-11); },
      [](auto& s) { s.leaves(); },
      [](auto& s) { s.when(rerun(), operator_()); },
      [](auto& s) { s.when(rerun(true), operator_()); },
      [](auto& s) { s.when(remove(true), operator_()); },
      [](auto& s) { s.when(signal("suspend"), operator_()); },
      [](auto& s) { s.when(signal("resume"), operator_()); },
      [](auto& s) { s.run(); },
  };
  for (const bool started : {false, true}) {
    reduced_story begun;
    begun.reduces();
    if (started) begun.starts();
    for (const auto& first : actions)
      for (const auto& second : actions)
        for (const auto& third : actions) {
          auto story = begun;
          for (const auto* act : {&first, &second, &third}) (*act)(story);
          model::job_state again;
          for (const auto& [at, e] : story.history) model::apply(again, at, e.get());
          BOOST_REQUIRE((again == story.job));
          for (const auto& host : story.job.unheard) BOOST_REQUIRE(story.job.allocated.is_on(host));
          if (story.job.phase <= job_phase::waiting) BOOST_REQUIRE_EQUAL(story.asks(), asked_first);
          if (story.job.phase == job_phase::suspended || story.job.phase == job_phase::exiting) continue;
          BOOST_REQUIRE((held_by(story) == cpus_of(story.job.allocated.exec_vnode())));
        }
  }
}

BOOST_AUTO_TEST_CASE(a_primary_that_is_lost_leaves_the_hosts_it_had_dropped_too) {
  reduced_story story;
  story.reduces();
  story.starts();
  BOOST_TEST(story.when(model::run_lost{1, false, true}, the_server()) == "exited vnodesReleased");
  BOOST_TEST(story.discards() == "n2 n3");
  story.when(model::run_gone_from{1, "n3", false}, the_server());
  BOOST_TEST(story.when(model::run_gone_from{1, "n2", false}, the_server()) == "vnodesReleased requeued");
  BOOST_TEST(story.asks() == asked_first);
}

BOOST_AUTO_TEST_SUITE_END()
