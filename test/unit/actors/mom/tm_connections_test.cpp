// Who speaks TM on a host (docs/design/0022-task-manager.md): requests from outside and their bounds; attached sessions.
#include <boost/test/unit_test.hpp>

#include <pwd.h>
#include <unistd.h>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <mutex>

#include "actors/mom/host/process_table.hpp"
#include "actors/mom/tasks/attached.hpp"
#include "actors/mom/tasks/task_interface.hpp"
#include "actors/mom/tasks/tm_connections.hpp"
#include "actors/mom/tasks/tm_requests.hpp"
#include "events/model/run/task_limits.hpp"
#include "events/schema/message.hpp"

using namespace annals;
using namespace annals::actors;

namespace {

template <class Fill>
tm_request read(Fill&& fill) {
  const auto message = schema::make<schema::TmRequest>(std::forward<Fill>(fill));
  return read_tm_request(message.get());
}

std::uint32_t code_of(const tm_request& request) {
  const auto* wrong = std::get_if<tm_wrong>(&request);
  return wrong ? wrong->code : 0;
}

tm_request spawn(std::vector<std::string> argv, std::vector<std::string> environment) {
  return read([&](schema::TmRequest::Builder r) {
    auto s = r.initSpawn();
    s.setNode(1);
    auto a = s.initArgv(static_cast<unsigned>(argv.size()));
    for (unsigned i = 0; i < a.size(); ++i) a.set(i, capnp::Text::Reader(argv[i].data(), argv[i].size()));
    auto e = s.initEnvironment(static_cast<unsigned>(environment.size()));
    for (unsigned i = 0; i < e.size(); ++i) e.set(i, capnp::Text::Reader(environment[i].data(), environment[i].size()));
  });
}

// A caller of user "anna"; keeps what it is sent.
class fake_caller final : public wire::connection {
 public:
  explicit fake_caller(std::uint64_t id) : id_(id) { who_.name = "anna", who_.uid = 1000; }
  std::uint64_t id() const override { return id_; }
  const wire::identity& peer() const override { return who_; }
  void send(const schema::sealed_message& message) override {
    const std::lock_guard held(guard_);
    replies_.emplace_back(message);
  }
  void close(const std::string& why) override {
    const std::lock_guard held(guard_);
    closed_ = why;
  }
  bool is_open() const override {
    const std::lock_guard held(guard_);
    return closed_.empty();
  }
  std::size_t unsent_bytes() const override { return 0; }
  void pause_reading() override { paused = true; }
  void resume_reading() override { paused = false; }
  std::vector<schema::sealed<schema::TmReply>> replies() const {
    const std::lock_guard held(guard_);
    return replies_;
  }
  std::atomic<bool> paused{false};

 private:
  std::uint64_t id_;
  wire::identity who_;
  mutable std::mutex guard_;
  std::vector<schema::sealed<schema::TmReply>> replies_;
  std::string closed_;
};

// The actor, with the test as MoM and as the job.
struct tm_fixture {
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  caf::actor tm = system.spawn(tm_connections, tm_connections_parts{caf::actor(self), "n1", "/no/shepherd"});
  std::shared_ptr<fake_caller> caller = std::make_shared<fake_caller>(7);

  ~tm_fixture() { self->send_exit(tm, caf::exit_reason::kill); }

  template <class Fill>
  void ask(std::uint64_t question, Fill&& fill) {
    self->send(tm, peer_frame{caller, schema::make<schema::TmRequest>([&](schema::TmRequest::Builder r) {
                                r.setQuestion(question);
                                fill(r);
                              })});
  }
  template <class Message>
  Message received() {
    Message got;
    self->receive([&](const Message& m) { got = m; });
    return got;
  }
  // The actor has taken everything before: it answers a question about a job that is not there.
  void settle() {
    const auto other = std::make_shared<fake_caller>(8);
    self->send(tm, peer_opened{other});
    self->send(tm, peer_frame{other, schema::make<schema::TmRequest>([](schema::TmRequest::Builder r) { r.initOpen().setJob("none"); })});
    for (bool found = false; !found;)
      self->receive([&](const find_job& f) { found = f.job == "none"; }, [](const ask_spawn&) {}, [](const ask_forget&) {});
    self->send(tm, peer_closed{other, ""});
  }
  void open(const std::string& user = "anna") {
    self->send(tm, peer_opened{caller});
    ask(1, [](schema::TmRequest::Builder r) {
      r.initOpen().setJob("12.borg");
      r.getOpen().setCookie("c");
    });
    const auto asked = received<find_job>();
    BOOST_TEST(asked.cookie == "c");
    self->send(tm, job_found{asked.asker.question, caf::actor(self), user, {"n1", "n2"}, 7, 1});
  }
  static void spawn(schema::TmRequest::Builder r) {
    r.initSpawn().initArgv(1).set(0, "program");
  }
};

std::uint32_t failure(const schema::sealed<schema::TmReply>& reply) {
  return reply.get().isFailed() ? reply.get().getFailed().getCode() : 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(task_manager)

BOOST_FIXTURE_TEST_CASE(nobody_asks_before_the_job_is_known_or_for_another_users_job, tm_fixture) {
  open("bob");
  ask(2, spawn);
  settle();
  const auto replies = caller->replies();
  BOOST_REQUIRE(replies.size() == 2u);
  BOOST_TEST(failure(replies[0]) == tm_error::user);
  BOOST_TEST(failure(replies[1]) == tm_error::bad_init);
}

BOOST_FIXTURE_TEST_CASE(no_more_is_read_from_who_has_asked_much, tm_fixture) {
  open();
  std::vector<task_asker> asked;
  for (std::uint64_t q = 2; q < 2 + limits::tm_in_hand_max; ++q) ask(q, spawn);
  for (std::size_t i = 0; i < limits::tm_in_hand_max; ++i) asked.push_back(received<ask_spawn>().asker);
  BOOST_TEST(caller->paused);
  for (const auto& a : asked) {
    auto done = task_failure("no");
    done.question = a.question;
    self->send(tm, done);
  }
  settle();
  BOOST_TEST(!caller->paused);
  BOOST_TEST(caller->replies().size() == 1 + limits::tm_in_hand_max);
}

BOOST_FIXTURE_TEST_CASE(the_job_hears_that_a_caller_is_gone, tm_fixture) {
  open();
  ask(2, [](schema::TmRequest::Builder r) { r.setWatch(3); });
  const auto watched = received<ask_end>();
  BOOST_TEST(watched.task == 3u);
  self->send(tm, peer_closed{caller, "gone"});
  BOOST_TEST(received<ask_forget>().asker.question == watched.asker.question);
}

BOOST_FIXTURE_TEST_CASE(a_lost_host_is_told_from_an_unknown_task, tm_fixture) {
  open();
  ask(2, [](schema::TmRequest::Builder r) { r.setWatch(3); });
  self->send(tm, [&] {
    auto a = host_failure("n2");
    a.question = received<ask_end>().asker.question;
    return a;
  }());
  ask(3, [](schema::TmRequest::Builder r) { r.initSignal().setTask(9); });
  self->send(tm, [&] {
    auto a = task_failure("no such task");
    a.question = received<ask_signal>().asker.question;
    return a;
  }());
  settle();
  const auto replies = caller->replies();
  BOOST_TEST_REQUIRE(replies.size() == 3u);
  BOOST_TEST(failure(replies[1]) == tm_error::system);
  BOOST_TEST((replies[1].get().getFailed().getText() == "lost communication with n2"));
  BOOST_TEST(failure(replies[2]) == tm_error::not_found);
}

BOOST_AUTO_TEST_CASE(a_spawn_has_a_program_and_variables_that_an_order_can_hold) {
  const auto good = spawn({"/bin/true", ""}, {"A=", "B=c=d"});
  BOOST_REQUIRE(std::holds_alternative<tm_spawn>(good));
  BOOST_TEST(std::get<tm_spawn>(good).argv.size() == 2u);
  BOOST_TEST(code_of(spawn({}, {})) == tm_error::system);
  BOOST_TEST(code_of(spawn({""}, {})) == tm_error::system);
  BOOST_TEST(code_of(spawn({std::string("a\0b", 3)}, {})) == tm_error::system);
  BOOST_TEST(code_of(spawn({"a"}, {"=b"})) == tm_error::bad_environment);
  BOOST_TEST(code_of(spawn({"a"}, {"b"})) == tm_error::bad_environment);
  BOOST_TEST(code_of(spawn({"a"}, {std::string("b=\0", 3)})) == tm_error::bad_environment);
}

BOOST_AUTO_TEST_CASE(what_is_published_has_a_size) {
  const auto publish = [](std::size_t name, std::size_t value) {
    const std::string n(name, 'n'), v(value, 'v');
    return code_of(read([&](schema::TmRequest::Builder r) {
      r.initPublish().setName(n);
      r.getPublish().setValue({reinterpret_cast<const kj::byte*>(v.data()), v.size()});
    }));
  };
  BOOST_TEST(publish(limits::published_name_bytes_max, limits::published_value_bytes_max) == 0u);
  BOOST_TEST(publish(limits::published_name_bytes_max + 1, 0) == tm_error::system);
  BOOST_TEST(publish(1, limits::published_value_bytes_max + 1) == tm_error::system);
}

BOOST_AUTO_TEST_CASE(only_signals_are_signals) {
  const auto signal = [](int number) {
    return code_of(read([&](schema::TmRequest::Builder r) { r.initSignal().setSignal(number); }));
  };
  BOOST_TEST(signal(0) == 0u);
  BOOST_TEST(signal(9) == 0u);
  BOOST_TEST(signal(-1) == tm_error::system);
  BOOST_TEST(signal(1000) == tm_error::system);
}

BOOST_AUTO_TEST_CASE(an_attached_session_is_told_from_a_program) {
  const ports::attached_session session{12, 10, 12345678901};
  const auto text = print_attached(session);
  BOOST_TEST((attached_of({}, {text}) == session));
  BOOST_TEST(!attached_of({"program"}, {text}));
  BOOST_TEST(!attached_of({}, {}));
  BOOST_TEST(!attached_of({}, {"A=b"}));
}

// On another thread: the actor answers others meanwhile, and the asker when that is done.
BOOST_FIXTURE_TEST_CASE(who_asks_for_a_process_that_is_not_there_hears_it_when_it_was_looked_up, tm_fixture) {
  self->send(tm, peer_opened{caller});
  ask(1, [](schema::TmRequest::Builder r) {
    r.initAttach().setJob("12.borg");
    r.getAttach().setPid(1 << 30);
  });
  self->send(tm, job_found{received<find_job>().asker.question, caf::actor(self), "anna", {"n1"}, 7, 1});
  while (caller->replies().empty()) settle();
  BOOST_TEST(failure(caller->replies().front()) == tm_error::no_process);
  BOOST_TEST(caller->replies().front().get().getQuestion() == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_caller_that_goes_while_its_process_is_looked_up_is_forgotten, tm_fixture) {
  self->send(tm, peer_opened{caller});
  ask(1, [](schema::TmRequest::Builder r) {
    r.initAttach().setJob("12.borg");
    r.getAttach().setPid(getpid());
  });
  self->send(tm, job_found{received<find_job>().asker.question, caf::actor(self), "anna", {"n1"}, 7, 1});
  self->send(tm, peer_closed{caller, "gone"});
  settle();
  // One that asks after it is answered: what was looked up before it is done.
  const auto other = std::make_shared<fake_caller>(9);
  self->send(tm, peer_opened{other});
  self->send(tm, peer_frame{other, schema::make<schema::TmRequest>([](schema::TmRequest::Builder r) {
                              r.initAttach().setJob("12.borg");
                              r.getAttach().setPid(1 << 30);
                            })});
  self->send(tm, job_found{received<find_job>().asker.question, caf::actor(self), "anna", {"n1"}, 7, 1});
  while (other->replies().empty()) settle();
  BOOST_TEST(caller->replies().empty());
}

// pbs_attach takes TM_ESESSION for good, where it is about to become a command: the session belongs to a job.
BOOST_AUTO_TEST_CASE(a_process_that_has_no_session_of_its_own_is_none_of_a_job) {
  const auto user = mom::user_of(1);
  BOOST_REQUIRE(user);
  const passwd* entry = getpwuid(*user);
  BOOST_REQUIRE(entry);
  ports::attached_session found;
  const auto why = look_up_session(1, entry->pw_name, "/no/shepherd", found);
  BOOST_TEST(why.code == tm_error::system);
  BOOST_TEST(why.text == "the process has no session of its own here: setsid and pbs_attach -s begin one");
}

BOOST_AUTO_TEST_CASE(a_process_that_is_not_there_or_is_anothers_is_not_attached) {
  ports::attached_session found;
  BOOST_TEST(look_up_session(0, "root", "/no/shepherd", found).code == tm_error::no_process);
  BOOST_TEST(look_up_session(1 << 30, "root", "/no/shepherd", found).code == tm_error::no_process);
  BOOST_TEST(look_up_session(getpid(), "no such user", "/no/shepherd", found).code == tm_error::owner);
}

BOOST_AUTO_TEST_SUITE_END()
