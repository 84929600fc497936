// Tasks on a host that is lost, of a job that goes on without it: who waits for them hears so (docs/design/0022-task-manager.md).
// RS-03, RS-25.
#include <boost/test/unit_test.hpp>

#include <csignal>

#include "actors/mom/tasks/task_interface.hpp"
#include "events/model/limits.hpp"
#include "test/sim/lone_mom_words.hpp"

using namespace annals;
using namespace annals::sim;

namespace {

// A program of the job on n1: what it asks, and what it hears.
struct asking {
  explicit asking(lone_mom& n1) {
    const auto all = heard;
    actor = n1.mom.system().spawn([all](caf::event_based_actor* self) -> caf::behavior {
      return {
          [=](const actors::job_found& found) { all->job = found.actor; },
          [=](const actors::task_answer& a) { all->answers.push_back(a); },
          [self](const actors::task_output&) {},
      };
    });
    caf::anon_send(n1.mom.handle(), actors::find_job{{actor, 1}, job, ""});
    n1.pass(1);
    BOOST_TEST_REQUIRE(static_cast<bool>(heard->job));
  }
  ~asking() {
    heard->job = nullptr;
    caf::anon_send_exit(actor, caf::exit_reason::kill);
  }

  template <class Message>
  void say(Message m) { caf::anon_send(heard->job, std::move(m)); }
  void spawn(std::uint64_t question) { say(actors::ask_spawn{{actor, question}, "n2", 1, {"x"}, {}, false}); }
  const actors::task_answer* answer(std::uint64_t question) const {
    for (const auto& a : heard->answers)
      if (a.question == question) return &a;
    return nullptr;
  }
  std::string failure(std::uint64_t question) const {
    const auto* a = answer(question);
    return a && a->what == actors::task_answer::kind::failed ? a->error : "";
  }

  struct all {
    caf::actor job;
    std::vector<actors::task_answer> answers;
  };
  std::shared_ptr<all> heard = std::make_shared<all>();
  caf::actor actor;
};

void says_of(played& n2, std::uint32_t task, schema::TaskState::Phase what) {
  n2.say(from_sister([&](auto m) {
    auto t = m.initTaskState();
    name(t.initTask().initRef());
    t.getTask().setTask(task);
    t.setPhase(what);
  }));
}

struct job_on_two_hosts {
  explicit job_on_two_hosts(const std::string& tolerates) : n1("n1", {.program_s = 10'000}), server(n1.server_connects()) {
    server->say(order({"n1", "n2"}, n1.around.clock.now, false, 1, tolerates));
    n1.pass(3);
    n2 = joined_sister(n1);
    program.emplace(n1);
    n2->heard<schema::ToSister>();
    program->spawn(2);
    n1.pass(1);
    const auto spawned = only(n2->heard<schema::ToSister>(), schema::ToSister::SPAWN);
    BOOST_TEST_REQUIRE(spawned.size() == 1u);
    task = spawned[0].get().getSpawn().getTask().getTask();
    says_of(*n2, task, schema::TaskState::Phase::RUNNING);
    n1.pass(1);
    BOOST_TEST_REQUIRE(program->answer(2) != nullptr);
    program->say(actors::ask_end{{program->actor, 3}, task});
    program->say(actors::ask_subscribe{{program->actor, 4}, task, "address"});
    n1.pass(1);
  }

  lone_mom n1;
  std::shared_ptr<played> server, n2;
  std::optional<asking> program;
  std::uint32_t task = 0;
};

constexpr const char* lost = "lost communication with n2";

}  // namespace

BOOST_AUTO_TEST_SUITE(lost_tasks)

BOOST_AUTO_TEST_CASE(who_waits_for_a_task_of_a_lost_host_hears_so_in_seconds) {
  job_on_two_hosts j("all");
  j.n2->hang_up();
  j.n1.pass(1);
  j.program->spawn(5);
  j.program->say(actors::ask_signal{{j.program->actor, 6}, j.task, SIGTERM});
  j.n1.pass(1);
  BOOST_TEST(j.program->failure(6) == lost);  // nobody can tell it
  BOOST_TEST(j.program->answer(5) == nullptr);
  BOOST_TEST(j.program->answer(3) == nullptr);
  j.n1.pass(limits::sister_silence_s);
  for (const std::uint64_t question : {3, 4, 5}) BOOST_TEST(j.program->failure(question) == lost, question);
  j.program->spawn(7);
  j.program->say(actors::ask_end{{j.program->actor, 8}, j.task});
  j.n1.pass(1);
  for (const std::uint64_t question : {7, 8}) BOOST_TEST(j.program->failure(question) == lost, question);
}

BOOST_AUTO_TEST_CASE(a_lost_task_that_is_found_is_killed_and_its_host_has_tasks_again) {
  job_on_two_hosts j("all");
  j.n2->hang_up();
  j.n1.pass(limits::sister_silence_s + 3);
  BOOST_TEST(j.program->failure(3) == lost);
  j.n2 = j.n1.sister_answers("n2");
  says_of(*j.n2, j.task, schema::TaskState::Phase::RUNNING);
  j.n1.pass(1);
  const auto killed = only(j.n2->heard<schema::ToSister>(), schema::ToSister::SIGNAL_TASK);
  BOOST_TEST_REQUIRE(killed.size() == 1u);
  BOOST_TEST(killed[0].get().getSignalTask().getTask().getTask() == j.task);
  BOOST_TEST(killed[0].get().getSignalTask().getSignal() == SIGKILL);
  j.program->spawn(9);
  j.n1.pass(1);
  BOOST_TEST(only(j.n2->heard<schema::ToSister>(), schema::ToSister::SPAWN).size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_host_that_is_back_in_time_keeps_its_tasks) {
  job_on_two_hosts j("all");
  j.n2->hang_up();
  j.n1.pass(limits::sister_silence_s - 3);
  j.n2 = j.n1.sister_answers("n2");
  says_of(*j.n2, j.task, schema::TaskState::Phase::RUNNING);
  j.n1.pass(limits::sister_silence_s + 3);
  BOOST_TEST(j.program->answer(3) == nullptr);
  BOOST_TEST(only(j.n2->heard<schema::ToSister>(), schema::ToSister::SIGNAL_TASK).empty());
  says_of(*j.n2, j.task, schema::TaskState::Phase::ENDED);
  j.n1.pass(1);
  BOOST_TEST_REQUIRE(j.program->answer(3) != nullptr);
  BOOST_TEST((j.program->answer(3)->what == actors::task_answer::kind::over));
}

BOOST_AUTO_TEST_SUITE_END()
