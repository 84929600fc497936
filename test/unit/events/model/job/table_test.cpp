// The transition table of jobs, exhausted: what it does not list does not happen, and no command leads to it.
#include <boost/test/unit_test.hpp>

#include <capnp/dynamic.h>

#include <algorithm>
#include <set>

#include "test/support/model_builders.hpp"
#include "test/support/must_stop.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
using which = schema::JobEvent::Which;

namespace {

model::event bare_event(which w) {
  return model::make_event([&](schema::Event::Builder e) { fill_bare(e.initJob(), static_cast<std::uint16_t>(w)); });
}

std::set<job_phase> targets(job_phase from, which w) {
  std::set<job_phase> to;
  for (const auto& row : model::job_transitions())
    if (row.from == from && row.event == w) to.insert(row.to);
  return to;
}

// Every command there is, in every shade that makes a difference.
std::vector<std::pair<model::job_command, model::requester>> every_command(const model::job_state& job) {
  std::vector<std::pair<model::job_command, model::requester>> all;
  for (const auto& by : {user(), user("other"), operator_(), manager(), root()}) {
    for (auto h : {HoldType::USER, HoldType::OPERATOR, HoldType::SYSTEM, HoldType::BAD_PASSWORD}) {
      all.emplace_back(hold({h}), by);
      all.emplace_back(release({h}), by);
    }
    for (bool a : {false, true}) {
      for (bool b : {false, true}) all.emplace_back(remove(a, b), by);
      all.emplace_back(rerun(a), by);
    }
    for (const char* name : {"USR1", "suspend", "resume", "admin-suspend", "admin-resume"}) all.emplace_back(signal(name), by);
    all.emplace_back(message("hello"), by);
    all.emplace_back(move("workq"), by);
    all.emplace_back(alter({{"Priority", "", "5"}}), by);
    all.emplace_back(alter({{"Hold_Types", "", "n"}}), by);
    all.emplace_back(alter({{"Hold_Types", "", "u"}}), by);
    all.emplace_back(alter({{"Execution_Time", "", "1"}}), by);
    all.emplace_back(alter({{"Execution_Time", "", "2795222000"}}), by);
    all.emplace_back(alter({{"Resource_List", "walltime", "60"}}), by);
    all.emplace_back(alter({{"Resource_List", "select", "2:ncpus=1"}}), by);
  }
  all.emplace_back(propose(), the_scheduler());
  auto asked = propose();
  asked.asked = true;
  asked.scheduler.clear();
  all.emplace_back(asked, operator_());
  auto resumes = propose();
  resumes.message = schema::make<schema::FromScheduler>([](schema::FromScheduler::Builder m) { m.initRun(); });
  all.emplace_back(resumes, the_scheduler());
  for (const auto& what : {signal("suspend"), rerun(), remove()}) all.emplace_back(model::make_room{what, "default"}, the_scheduler());
  all.emplace_back(model::resume_later{}, operator_());
  for (bool suspends : {false, true}) all.emplace_back(model::host_load{job.run, "borg", suspends}, the_server());
  all.emplace_back(model::set_rank{7}, user());
  all.emplace_back(model::end_wait{}, the_server());
  all.emplace_back(model::forget_job{}, the_server());
  for (const char* failed : {"", "no disk"}) all.emplace_back(model::vnode_provisioned{job.run, "borg", failed}, the_server());
  for (bool waits : {false, true}) all.emplace_back(model::server_stops{waits}, the_server());
  for (bool gone : {false, true})
    for (bool fresh : {false, true}) all.emplace_back(model::run_lost{job.run, gone, fresh}, the_server());
  for (bool down : {false, true}) all.emplace_back(model::run_gone_from{job.run, "borg", down}, the_server());
  for (std::uint32_t run : {job.run, job.run + 1}) {
    all.emplace_back(report([&](auto m) { fill(m.initRunStarted().initRef(), job, run); }), the_server());
    all.emplace_back(report([&](auto m) {
                       fill(m.initRequestDone().initRef(), job, run);
                       m.getRequestDone().setId(job.last_request);
                     }),
                     the_server());
    all.emplace_back(report([&](auto m) { fill(m.initRunUsage().initRef(), job, run); }), the_server());
    for (int code : {0, 1, 271, -2, -3, -4, -11, -29}) {
      all.emplace_back(report([&](auto m) {
                         auto r = m.initRunRefused();
                         fill(r.initRef(), job, run);
                         r.setCode(code);
                       }),
                       the_server());
      all.emplace_back(report([&](auto m) {
                         auto r = m.initRunExited();
                         fill(r.initRef(), job, run);
                         r.setExitStatus(code);
                       }),
                       the_server());
    }
    for (bool ok : {false, true})
      all.emplace_back(report([&](auto m) {
                         auto r = m.initRunLeft();
                         fill(r.initRef(), job, run);
                         r.setDelivered(ok);
                       }),
                       the_server());
  }
  return all;
}

// Takes in the events and says whether each was listed.
void check_listed(job_story story, const model::outcome& o) {
  if (!o.accepted()) return;
  for (const auto& e : o.events()) {
    const auto from = story.job.phase;
    const auto to = targets(from, e.get().getJob().which());
    BOOST_TEST_REQUIRE(!to.empty(), "phase " << static_cast<int>(from) << " " << schema::event_name(e.get()));
    story.happens(e);
    BOOST_TEST(to.contains(story.job.phase));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(may_happen_says_exactly_what_the_table_lists) {
  for (auto from : every_job_phase)
    for (int w = 0; w < count_of<schema::JobEvent>(); ++w)
      BOOST_TEST(model::may_happen(from, static_cast<which>(w)) == !targets(from, static_cast<which>(w)).empty());
}

BOOST_AUTO_TEST_CASE(every_event_of_a_job_has_a_row) {
  for (int w = 0; w < count_of<schema::JobEvent>(); ++w)
    BOOST_TEST(has_row(model::job_transitions(), static_cast<which>(w)),
               "no row of job_transitions() has " << name_of(static_cast<which>(w)));
}

BOOST_AUTO_TEST_CASE(what_the_table_does_not_list_stops_the_process) {
  for (auto from : every_job_phase) {
    const auto story = given(from);
    BOOST_TEST_REQUIRE((story.job.phase == from));
    for (int w = 0; w < count_of<schema::JobEvent>(); ++w) {
      if (model::may_happen(from, static_cast<which>(w))) continue;
      const auto e = bare_event(static_cast<which>(w));
      BOOST_TEST((e.get().getJob().which() == static_cast<which>(w)));
      BOOST_TEST(stops_the_process([&] { job_story(story).happens(e); }),
                 "phase " << static_cast<int>(from) << " " << name_of(static_cast<which>(w)));
    }
  }
}

BOOST_AUTO_TEST_CASE(no_command_leads_to_an_event_that_its_phase_does_not_list) {
  for (auto phase : every_job_phase) {
    if (phase == job_phase::none) continue;
    const auto story = given(phase);
    for (const auto& [command, by] : every_command(story.job)) check_listed(story, story.ask(command, by));
  }
  check_listed(job_story(), job_story().ask(submission(1)));
}

BOOST_AUTO_TEST_CASE(two_commands_in_a_row_lead_to_nothing_unlisted_either) {
  for (auto phase : every_job_phase) {
    if (phase == job_phase::none) continue;
    const auto story = given(phase);
    for (const auto& [command, by] : every_command(story.job)) {
      auto then = story;
      then.when(command, by);
      for (const auto& [second, who] : every_command(then.job)) check_listed(then, then.ask(second, who));
    }
  }
}

BOOST_AUTO_TEST_CASE(applying_the_history_again_gives_the_same_state) {
  for (auto phase : every_job_phase) {
    const auto story = given(phase);
    model::job_state again;
    for (const auto& [at, e] : story.history) model::apply(again, at, e.get());
    BOOST_TEST((again == story.job));
  }
}

BOOST_AUTO_TEST_CASE(each_phase_has_its_letter) {
  std::string letters;
  for (auto phase : every_job_phase) letters += model::state_letter(given(phase).job);
  BOOST_TEST(letters == "TQHWRRSEFF");
}
