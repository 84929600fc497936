// A host's part of a run (docs/design/0020-jobs-across-hosts.md): its table exhausted, its commands, what it owes.
#include <boost/test/unit_test.hpp>

#include <capnp/dynamic.h>

#include "events/model/part/part.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/must_stop.hpp"

using namespace annals;
using namespace annals::test;
using model::part_phase;
using which = schema::PartEvent::Which;

namespace {

schema::sealed<schema::ToSister> join() {
  return schema::make<schema::ToSister>([](schema::ToSister::Builder m) {
    auto j = m.initJoin();
    j.initOrder().setExecVnode("(n1:ncpus=1)+(n2:ncpus=2)");
    j.getOrder().setExecHost("n1/0+n2/0*2");
    auto ref = j.getOrder().initRef();
    ref.setJob("12.borg");
    ref.setRun(2);
    ref.setJobSerial(7);
    j.setNode(1);
  });
}
model::spawn_asked spawn(std::uint32_t task) {
  return {schema::make<schema::ToSister>([&](schema::ToSister::Builder m) {
    auto s = m.initSpawn();
    s.initTask().setTask(task);
    s.initArgv(1).set(0, "/bin/date");
    s.initEnvironment(1).set(0, "A=b");
    s.setNode(3);
  })};
}

struct part_story {
  model::part_state part;
  std::uint64_t sequence = 0;
  std::string when(const model::part_command& c) {
    const auto o = model::decide(part, c, {1'000'000'000'000, the_server()}, {});
    for (const auto& e : o.events()) happens(e);
    return said(o);
  }
  void happens(const model::event& e) { model::apply(part, {++sequence, 3, part.version + 1, 1'000'000'000'000, the_server()}, e.get()); }
};

part_story given_part(part_phase phase) {
  part_story s;
  if (phase == part_phase::none) return s;
  s.when(model::join_asked{join(), "n1"});
  if (phase == part_phase::joining) return s;
  s.when(model::set_up_done{});
  if (phase == part_phase::ready) return s;
  s.when(model::leave_order{"the job is over"});
  if (phase == part_phase::leaving) return s;
  s.when(model::torn_down{});
  return s;
}
const part_phase every_phase[] = {part_phase::none, part_phase::joining, part_phase::ready, part_phase::leaving, part_phase::left};

std::string owed(const model::part_state& part) {
  struct names {
    std::string operator()(const model::set_up_part&) const { return "set-up"; }
    std::string operator()(const model::say_joined&) const { return "say-joined"; }
    std::string operator()(const model::say_known&) const { return "say-known"; }
    std::string operator()(const model::say_task_end& t) const { return "say-end " + std::to_string(t.task); }
    std::string operator()(const model::say_refused&) const { return "say-refused"; }
    std::string operator()(const model::start_task& t) const { return "start " + std::to_string(t.task); }
    std::string operator()(const model::watch_task& t) const { return "watch " + std::to_string(t.task); }
    std::string operator()(const model::say_task& t) const { return "say " + std::to_string(t.task); }
    std::string operator()(const model::say_ended_tasks&) const { return "say-ended"; }
    std::string operator()(const model::kill_task& t) const { return "kill " + std::to_string(t.task); }
    std::string operator()(const model::resize_part& r) const { return "resize " + std::to_string(r.number); }
    std::string operator()(const model::say_updated& u) const { return "say-updated " + std::to_string(u.number); }
    std::string operator()(const model::say_prologue_over&) const { return "say-prologue-over"; }
    std::string operator()(const model::tear_down_part&) const { return "tear-down"; }
    std::string operator()(const model::say_left&) const { return "say-left"; }
  };
  std::string text;
  for (const auto& e : model::pending_effects(part)) text += (text.empty() ? "" : ", ") + std::visit(names(), e);
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(parts)

BOOST_AUTO_TEST_CASE(every_event_of_a_part_has_a_row) {
  for (int w = 0; w < count_of<schema::PartEvent>(); ++w)
    BOOST_TEST(has_row(model::part_transitions(), static_cast<which>(w)), "no row of part_transitions() has event " << w);
}

BOOST_AUTO_TEST_CASE(nothing_happens_to_a_part_that_its_table_does_not_list) {
  for (auto from : every_phase) {
    const auto story = given_part(from);
    BOOST_TEST_REQUIRE((story.part.phase == from));
    for (int w = 0; w < count_of<schema::PartEvent>(); ++w) {
      if (model::may_happen(from, static_cast<which>(w))) continue;
      const auto e = model::make_event([&](schema::Event::Builder b) { fill_bare(b.initPart(), static_cast<std::uint16_t>(w)); });
      BOOST_TEST(stops_the_process([&] { part_story(story).happens(e); }));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_part_goes_from_join_to_left) {
  part_story s;
  BOOST_TEST(s.when(model::join_asked{join(), "n1"}) == "joined");
  BOOST_TEST(s.when(model::join_asked{join(), "n1"}) == "");
  BOOST_TEST(print(s.part.key()) == "12.borg.2");
  BOOST_TEST(s.part.primary == "n1");
  BOOST_TEST(s.part.allocated->exec_vnode() == "(n1:ncpus=1)+(n2:ncpus=2)");
  BOOST_TEST(s.part.allocated->hosts() == (std::vector<std::string>{"n1", "n2"}), boost::test_tools::per_element());
  BOOST_TEST((*s.part.numbered == *s.part.allocated));
  BOOST_TEST(owed(s.part) == "set-up");
  BOOST_TEST(s.when(model::set_up_done{}) == "setUp");
  BOOST_TEST(owed(s.part) == "say-joined, say-known");
  BOOST_TEST(s.when(model::leave_order{"the job is over"}) == "leaveAsked");
  BOOST_TEST(s.when(model::leave_order{"again"}) == "");
  BOOST_TEST(!s.part.leaves_alone());
  BOOST_TEST(owed(s.part) == "tear-down");
  BOOST_TEST(s.when(model::torn_down{}) == "left");
  BOOST_TEST(owed(s.part) == "say-left");
}

BOOST_AUTO_TEST_CASE(a_host_that_can_not_set_the_job_up_cleans_up_and_then_refuses) {
  auto s = given_part(part_phase::joining);
  BOOST_TEST(s.when(model::set_up_done{-10, "no such user"}) == "joinRefused");
  BOOST_TEST(owed(s.part) == "tear-down");
  BOOST_TEST(s.when(model::torn_down{}) == "left");
  BOOST_TEST(owed(s.part) == "say-refused");
  BOOST_TEST(s.part.refusal == "no such user");
  BOOST_TEST(s.part.leaves_alone());
}

BOOST_AUTO_TEST_CASE(what_hooks_of_the_host_set_is_kept_until_the_host_has_left) {  // RU-04, RU-19, RU-20
  auto s = given_part(part_phase::joining);
  BOOST_TEST(s.when(model::part_hooks_done{{}, {{"foo", "9"}, {"words", "a b"}}}) == "hookUsed");
  s.when(model::set_up_done{});
  BOOST_TEST(s.when(model::part_hooks_used{{{"foo", "10"}}}) == "hookUsed");
  BOOST_TEST(s.when(model::part_hooks_used{{}}) == "");
  s.when(model::leave_order{"the job is over"});
  BOOST_TEST(!s.part.closing_hooks_used);
  BOOST_TEST(s.when(model::part_hooks_used{{{"words"}}, true}) == "hookUsed");
  BOOST_TEST(s.part.closing_hooks_used);
  BOOST_TEST(s.part.hook_usage.get("foo").value_or("") == "10");
  BOOST_TEST(!s.part.hook_usage.get("words").has_value());
  s.when(model::torn_down{});
  BOOST_TEST(s.when(model::part_hooks_used{{{"foo", "11"}}, true}) == "");
  BOOST_TEST(s.part.hook_usage.get("foo").value_or("") == "10");
}

// The run goes on without what n1 has a second chunk of.
model::update_asked update(std::uint32_t number, const std::vector<std::uint32_t>& gone = {1}, const std::string& user = "") {
  return {schema::make<schema::ToSister>([&](schema::ToSister::Builder m) {
            auto u = m.initUpdate();
            u.initOrder().setEuser(user);
            u.getOrder().initAttributes(1)[0].setName("schedselect");
            u.getOrder().getAttributes()[0].setValue("1:ncpus=1+1:ncpus=2");
            u.setNumber(number);
            u.setGone({gone.data(), gone.size()});
          }),
          "n2"};
}
part_story given_wide_part() {
  part_story s;
  s.when(model::join_asked{schema::make<schema::ToSister>([](schema::ToSister::Builder m) {
                             auto o = m.initJoin().initOrder();
                             o.setExecVnode("(n1:ncpus=1)+(n3:ncpus=1)+(n2:ncpus=2)");
                             o.setExecHost("n1/0+n3/0+n2/0*2");
                             auto a = o.initAttributes(2);
                             a[0].setName("schedselect");
                             a[0].setValue("2:ncpus=1+1:ncpus=2");
                             a[1].setName("Job_Name");
                             a[1].setValue("wide");
                           }),
                           "n1"});
  s.when(model::set_up_done{});
  return s;
}

// RS-89, RS-110
BOOST_AUTO_TEST_CASE(a_part_hears_what_its_run_goes_on_without) {
  auto s = given_wide_part();
  BOOST_TEST(s.when(update(1)) == "updated");
  BOOST_TEST(s.when(update(1)) == "");  // a repeat is answered only
  BOOST_TEST(s.part.allocated->exec_vnode() == "(n1:ncpus=1)+(n2:ncpus=2)");
  BOOST_TEST(s.part.allocated->hosts() == (std::vector<std::string>{"n1", "n2"}), boost::test_tools::per_element());
  BOOST_TEST((*s.part.numbered == *s.part.allocated));
  std::map<std::string, std::string> shown;  // an update says only what is another value since the join
  for (const auto a : s.part.order().getAttributes()) shown[schema::str(a.getName())] = schema::str(a.getValue());
  BOOST_TEST((shown == std::map<std::string, std::string>{{"Job_Name", "wide"}, {"schedselect", "1:ncpus=1+1:ncpus=2"}}));
  BOOST_TEST(owed(s.part) == "say-joined, say-known, say-updated 1");
  BOOST_TEST(s.when(update(2, {2})) == "updated");  // counted as when it joined
  BOOST_TEST(s.part.allocated->exec_vnode() == "(n1:ncpus=1)+(n3:ncpus=1)");
  s.when(model::leave_order{"the job is over"});
  BOOST_TEST(owed(s.part) == "tear-down");
}

BOOST_AUTO_TEST_CASE(what_does_not_follow_from_the_join_is_not_believed) {
  auto s = given_wide_part();
  for (const auto& gone : std::vector<std::vector<std::uint32_t>>{{}, {0}, {3}, {2, 1}, {1, 1}, {0, 1, 2}})
    BOOST_TEST(s.when(update(1, gone)) == "");
  BOOST_TEST(s.when(update(1, {1}, "root")) == "");
  BOOST_TEST(owed(s.part) == "say-joined, say-known");
  BOOST_TEST(given_part(part_phase::joining).when(update(1)) == "");
}

// Of two vnodes of this host one goes, or both.
BOOST_AUTO_TEST_CASE(hooks_hear_once_that_the_run_has_less_on_this_host) {  // RD-25
  const auto joined = [] {
    part_story s;
    s.when(model::join_asked{schema::make<schema::ToSister>([](schema::ToSister::Builder m) {
                               auto o = m.initJoin().initOrder();
                               o.setExecVnode("(n1:ncpus=1)+(n2[0]:ncpus=1+n2[1]:ncpus=2)+(n3:ncpus=1)");
                               o.setExecHost("n1/0+n2/0*3+n3/0");
                             }),
                             "n1"});
    s.when(model::set_up_done{});
    return s;
  };
  auto s = joined();
  BOOST_TEST(s.when(update(1, {3})) == "updated");  // n3 goes: nothing changes here
  BOOST_TEST(owed(s.part) == "say-joined, say-known, say-updated 1");
  s.when(spawn(2));
  BOOST_TEST(s.when(update(2, {2, 3})) == "updated");
  BOOST_TEST(owed(s.part).find("resize 2") != std::string::npos);
  BOOST_TEST(s.part.confined->exec_vnode() == "(n1:ncpus=1)+(n2[0]:ncpus=1+n2[1]:ncpus=2)");
  BOOST_TEST(s.when(model::part_resized{1, true}) == "");  // of an earlier one
  BOOST_TEST(s.when(model::part_resized{2, true}) == "resized");
  BOOST_TEST(s.when(model::part_resized{2, true}) == "");
  BOOST_TEST(owed(s.part).find("resize") == std::string::npos);
  BOOST_TEST((*s.part.confined == *s.part.allocated));

  auto refused = joined();
  BOOST_TEST(refused.when(update(1, {2})) == "updated");
  BOOST_TEST((*refused.part.confined == *refused.part.allocated));  // it has no processes yet
  refused.when(spawn(2));
  BOOST_TEST(refused.when(model::part_resized{1, false}) == "resized");
  BOOST_TEST(refused.when(update(2, {2, 3})) == "updated");
  BOOST_TEST(owed(refused.part).find("resize") == std::string::npos);

  auto left = joined();
  BOOST_TEST(left.when(update(1, {1, 2})) == "updated");  // it will be asked to leave
  BOOST_TEST(owed(left.part) == "say-joined, say-known, say-updated 1");
}

model::part_hooks_done hooks_of(const char* event) {
  return {{schema::make<schema::HookRun>([&](schema::HookRun::Builder r) {
    r.setHook("h");
    r.setEvent(event);
  })}};
}

BOOST_AUTO_TEST_CASE(hooks_that_have_run_are_remembered) {
  auto s = given_part(part_phase::joining);
  BOOST_TEST(s.when(hooks_of("execjob_begin")) == "hookRan");
  BOOST_TEST((s.part.hooks.has("execjob_begin") && !s.part.hooks.has("execjob_prologue")));
  BOOST_TEST(owed(s.part) == "set-up");
  s.when(model::set_up_done{});
  BOOST_TEST(s.when(hooks_of("execjob_prologue")) == "hookRan");
  BOOST_TEST(s.part.hooks.has("execjob_prologue"));
  for (auto over : {part_phase::leaving, part_phase::left}) BOOST_TEST(given_part(over).when(hooks_of("execjob_begin")) == "");
}

BOOST_AUTO_TEST_CASE(a_part_knows_whether_the_job_ever_started) {
  auto s = given_part(part_phase::ready);
  s.when(model::leave_order{std::string(model::start_failed_elsewhere)});
  BOOST_TEST(s.part.aborted());
  BOOST_TEST(!given_part(part_phase::leaving).part.aborted());
}

BOOST_AUTO_TEST_CASE(a_task_is_started_once_and_its_end_is_kept) {
  auto s = given_part(part_phase::ready);
  BOOST_TEST(s.when(spawn(2)) == "taskStarting");
  BOOST_TEST(s.when(spawn(2)) == "");
  BOOST_TEST(owed(s.part) == "say-joined, say-known, start 2");
  BOOST_TEST(print(s.part.task_key(2)) == "12.borg.2-2");
  BOOST_TEST(s.when(model::task_began{2, {77, 77, 1, "/"}}) == "taskStarted");
  BOOST_TEST(s.when(model::task_began{2, {77, 77, 1, "/"}}) == "");
  BOOST_TEST(owed(s.part) == "say-joined, say-known, watch 2, say 2");
  BOOST_TEST(s.when(model::task_over{2, {5, {.cpu_seconds = 3}}}) == "taskEnded");
  BOOST_TEST(s.when(model::task_over{2, {5, {}}}) == "");
  BOOST_TEST(owed(s.part) == "say-joined, say-known, say-ended");
  BOOST_TEST(s.part.tasks.at(2).exit_status == 5);
  BOOST_TEST(s.part.ended_usage.seconds("cput") == 3u);
  BOOST_TEST(s.when(model::task_over{9, {5, {}}}) == "");
}

BOOST_AUTO_TEST_CASE(a_task_whose_processes_the_kernel_killed_was_started_and_says_why) {
  auto s = given_part(part_phase::ready);
  for (const std::uint32_t task : {2u, 3u}) s.when(spawn(task));
  s.when(model::task_began{2, {77, 77, 1, "/"}});
  s.when(model::task_over{2, {137, {}, "Cgroup mem limit exceeded"}});
  s.when(model::task_failed{3, {-2, "no home"}});
  BOOST_TEST(s.part.tasks.at(2).was_started);
  BOOST_TEST(s.part.tasks.at(2).text == "Cgroup mem limit exceeded");
  BOOST_TEST(!s.part.tasks.at(3).was_started);
}

BOOST_AUTO_TEST_CASE(tasks_that_ran_one_after_another_used_no_more_memory_than_the_largest) {
  auto s = given_part(part_phase::ready);
  const std::uint64_t mem_kb[] = {100, 300, 200};
  for (std::uint32_t task = 2; task < 5; ++task) {
    s.when(spawn(task));
    s.when(model::task_began{task, {77, 77, 1, "/"}});
    s.when(
        model::task_over{task, {0, {.cpu_seconds = 10, .mem_kb = mem_kb[task - 2], .vmem_kb = 2 * mem_kb[task - 2], .cpu_percent = 50}}});
  }
  model::usage_set all;  // walltime and ncpus are the primary's to tell
  for (const auto& [resource, value] : {std::pair{"cput", "00:00:30"}, {"mem", "300kb"}, {"vmem", "600kb"}, {"cpupercent", "50"}})
    all.set(resource, value);
  BOOST_TEST((s.part.ended_usage == all));
}

BOOST_AUTO_TEST_CASE(a_task_that_can_not_be_started_says_why) {
  auto s = given_part(part_phase::ready);
  s.when(spawn(2));
  BOOST_TEST(s.when(model::task_failed{2, {-2, "no home"}}) == "taskEnded");
  BOOST_TEST(s.part.tasks.at(2).text == "no home");
}

BOOST_AUTO_TEST_CASE(nothing_is_torn_down_while_a_task_lives) {
  auto s = given_part(part_phase::ready);
  s.when(spawn(2));
  s.when(spawn(3));
  s.when(model::task_began{2, {77, 77, 1, "/"}});
  s.when(model::leave_order{"the job is over"});
  BOOST_TEST(s.when(spawn(4)) == "");
  BOOST_TEST(owed(s.part) == "watch 2, say 2, kill 2, watch 3");
  BOOST_TEST(s.when(model::torn_down{}) == "");
  s.when(model::task_over{2, {265, {}}});
  s.when(model::task_failed{3, {-3, "never begun"}});
  BOOST_TEST(owed(s.part) == "say-ended, tear-down");
  BOOST_TEST(s.when(model::torn_down{}) == "left");
}

BOOST_AUTO_TEST_SUITE_END()
