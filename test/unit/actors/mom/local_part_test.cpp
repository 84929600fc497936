// Tasks beside a run's program, on its first host: what their hooks set of resources_used is the run's (RU-04, RU-10), and whose
// hooks are asked.
#include <boost/test/unit_test.hpp>

#include <caf/event_based_actor.hpp>

#include "actors/mom/parts/part_actor.hpp"
#include "actors/runtime/log_writer.hpp"
#include "actors/runtime/run_this.hpp"
#include "events/log/event_log.hpp"
#include "events/log/fault_store.hpp"
#include "hooks-runtime/catalog/events.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/stepped_system.hpp"
#include "test/unit/actors/mom/quiet_host.hpp"

using namespace annals;

namespace {

struct heard {
  std::vector<actors::at_hook_point> asked;
  std::vector<actors::hook_usage_of_run> of_run;
  std::string of_tasks;  // "2 running"
};
caf::behavior playing_mom(caf::event_based_actor*, heard* all) {
  return {[=](actors::at_hook_point& at) { all->asked.push_back(std::move(at)); },
          [=](actors::hook_usage_of_run& u) { all->of_run.push_back(std::move(u)); },
          [=](const actors::to_primary& to) {
            const auto said = to.message.get();
            if (!said.isTaskState()) return;
            using phase = schema::TaskState::Phase;
            const auto t = said.getTaskState();
            all->of_tasks += (all->of_tasks.empty() ? "" : ", ") + std::to_string(t.getTask().getTask()) +
                             (t.getPhase() == phase::RUNNING ? " running" : t.getPhase() == phase::ENDED ? " ended"
                                                                                                         : " not started");
          },
          [](actors::file_work& w) {
            if (const auto then = w.what()) caf::anon_send(w.who, actors::run_this{then});
          },
          [](const actors::to_server&) {}};
}

// Of two hosts, the first of which has three vnodes.
schema::sealed<schema::ToSister> join() {
  return schema::make<schema::ToSister>([](schema::ToSister::Builder m) {
    auto order = m.initJoin().initOrder();
    order.initRef().setJob("12.borg");
    order.setExecVnode("(n1:ncpus=1)+(n1[0]:ncpus=1)+(n1[1]:ncpus=1)+(n2:ncpus=1)");
    order.setExecHost("n1/0+n1/1+n1/2+n2/0");
  });
}

// Parts of the run's assignment that are released, for the how manieth time something is.
schema::sealed<schema::ToSister> update(std::uint32_t number, std::vector<std::uint32_t> gone) {
  return schema::make<schema::ToSister>([&](schema::ToSister::Builder m) {
    auto u = m.initUpdate();
    u.setNumber(number);
    u.setGone({gone.data(), gone.size()});
  });
}

schema::sealed<schema::ToSister> spawn(std::uint32_t task) {
  return schema::make<schema::ToSister>([&](schema::ToSister::Builder m) {
    m.initSpawn().initTask().setTask(task);
    m.getSpawn().initArgv(1).set(0, "/bin/date");
  });
}

// A host on which an earlier life of the MoM may have ordered task 2.
struct task_host final : test::quiet_host {
  bool ordered = false;
  int started = 0;
  bool has_order(const values::program_key&) const override { return ordered; }
  void start(const ports::run_order&) override { ++started; }
};

schema::sealed<schema::ToSister> output_taken(std::uint64_t up_to) {
  return schema::make<schema::ToSister>([&](schema::ToSister::Builder m) {
    auto o = m.initOutputTaken();
    o.initTask().setTask(2);
    o.setUpTo(up_to);
  });
}

// What the task has written to its output.
struct one_output final : ports::task_outputs {
  explicit one_output(std::string t) : text(std::move(t)) {}
  std::string text;
  void listen(std::function<void(const values::task_key&)>) override {}
  void follow(const values::task_key&, const std::string&) override {}
  std::optional<std::string> read(const values::task_key&, bool errors, std::uint64_t offset, std::size_t most) override {
    return !errors && offset < text.size() ? text.substr(offset, most) : "";
  }
  void remove(const values::task_key&) override {}
};

// A part on the run's first host, with a hook of execjob_launch, that is told to start a task.
struct part_with_a_task {
  log::fault_store store{1};
  test::still_clock clock;
  log::event_log log{store, clock};
  log::log_reader reader{store};
  test::stepped_system system;
  task_host host;
  heard all;
  const std::function<void(const std::string&)> stop = [](const std::string& why) { BOOST_ERROR("stopped: " + why); };
  caf::actor writer, mom, part;

  explicit part_with_a_task(bool ordered, ports::task_outputs* outputs = nullptr, const char* hooks_of = "execjob_launch") {
    host.ordered = ordered;
    actors::log_writer_parts writing;
    writing.log = &log;
    writing.reader = &reader;
    writing.stop_process = stop;
    writer = system->spawn(actors::log_writer, writing);
    mom = system->spawn(playing_mom, &all);
    auto settings = std::make_shared<mom::mom_settings>();
    settings->host = "n1";
    actors::mom_parts parts{{writer, &reader, &clock, stop}, &host, settings};
    parts.outputs = outputs;
    parts.hooks = std::make_shared<actors::hook_bits>();
    parts.hooks->events = hooks::find_event(hooks_of)->bit;
    part = system->spawn<actors::part_actor>(parts, mom, values::run_key{"12.borg", 1}, 0, std::make_shared<model::settings>());
    caf::anon_send(
        part, actors::envelope<model::part_command>{model::join_asked{join(), "n1"}, test::the_server(), "", nullptr, nullptr, {}, 0, {}});
    system.run();
    caf::anon_send(part, actors::primary_said{spawn(2)});
    system.run();
  }
  // Both are written at once, because something else is just being written.
  void starts_and_ends() {
    const auto tell = [&](model::part_command c) {
      caf::anon_send(part, actors::envelope<model::part_command>{std::move(c), test::the_server(), "", nullptr, nullptr, {}, 0, {}});
    };
    caf::anon_send(part, actors::primary_said{spawn(3)});
    tell(model::task_began{2, {4711, 4711, 1, ""}});
    tell(model::task_over{2, {0, {}}});
    system.run();
  }
  void is_told(schema::sealed<schema::ToSister> what) {
    caf::anon_send(part, actors::primary_said{std::move(what)});
    system.run();
  }
  void hooks_accept(std::size_t question) {
    actors::hook_point_passed passed;
    passed.question = all.asked.at(question).question;
    caf::anon_send(part, std::move(passed));
    system.run();
  }
  ~part_with_a_task() { system.end({part, mom, writer}); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(parts_beside_the_program)

BOOST_AUTO_TEST_CASE(what_hooks_of_their_tasks_set_goes_to_the_run_and_is_not_added_to_it) {
  part_with_a_task p(false);
  BOOST_TEST_REQUIRE(p.all.asked.size() == 1u);
  actors::hook_point_passed passed;
  passed.question = p.all.asked.front().question;
  passed.used = {{"naccelerators", "7"}};
  const auto written = p.log.last_sequence();
  caf::anon_send(p.part, std::move(passed));
  p.system.run();
  BOOST_TEST_REQUIRE(p.all.of_run.size() == 1u);
  BOOST_TEST(print(p.all.of_run.front().key) == "12.borg.1");
  BOOST_TEST((p.all.of_run.front().set.changes == std::vector<model::usage_change>{{"naccelerators", "7"}}));
  BOOST_TEST(p.log.last_sequence() == written);
  BOOST_TEST(p.host.started == 1);
}

// It may run already: hooks that refuse now would make it a task that was not started, and runs.
BOOST_AUTO_TEST_CASE(hooks_are_not_asked_again_for_a_task_that_an_earlier_life_has_ordered) {
  part_with_a_task p(true);
  BOOST_TEST(p.all.asked.empty());
  BOOST_TEST(p.host.started == 1);
}

// Who asked for the task and its output takes none before it has heard that there is a task: both waited for ever.
BOOST_AUTO_TEST_CASE(a_task_that_ends_at_once_is_told_as_running_while_its_output_is_not_taken) {
  one_output wrote("hello\n");
  part_with_a_task p(true, &wrote);
  p.starts_and_ends();
  BOOST_TEST(p.all.of_tasks == "2 running");
  caf::anon_send(p.part, actors::primary_said{output_taken(6)});
  p.system.run();
  BOOST_TEST(p.all.of_tasks == "2 running, 2 ended");
}

BOOST_AUTO_TEST_CASE(of_a_task_that_ends_at_once_without_output_only_its_end_is_told) {
  one_output silent("");
  part_with_a_task p(true, &silent);
  p.starts_and_ends();
  BOOST_TEST(p.all.of_tasks == "2 ended");
}

// Two that run at a time could look at the vnodes in the wrong order.
BOOST_AUTO_TEST_CASE(hooks_hear_of_a_second_release_when_they_are_through_with_the_first) {  // RD-25
  part_with_a_task p(true, nullptr, "execjob_resize");
  p.is_told(update(1, {2}));
  BOOST_TEST(p.all.asked.size() == 1u);
  p.is_told(update(2, {1, 2}));
  BOOST_TEST(p.all.asked.size() == 1u);
  p.hooks_accept(0);
  BOOST_REQUIRE(p.all.asked.size() == 2u);
  p.hooks_accept(1);
  BOOST_TEST(p.all.asked.size() == 2u);
  p.is_told(update(3, {1, 2, 3}));  // nothing of this host
  BOOST_TEST(p.all.asked.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
