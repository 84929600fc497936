// Commands of jobs on their way to the server (docs/design/0038-commands-of-jobs.md): who may, and what is handed on.
#include <boost/test/unit_test.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <atomic>
#include <mutex>

#include "actors/link/wire/cut_handshake.hpp"
#include "actors/mom/tasks/job_commands.hpp"
#include "actors/mom/tasks/task_interface.hpp"
#include "events/model/run/task_limits.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/daemon/from_mom.capnp.h"

using namespace annals;
using namespace annals::actors;

namespace {

// A connection that keeps what it is sent.
class kept final : public wire::connection {
 public:
  explicit kept(std::uint64_t id, const std::string& user = "anna") : id_(id) { who_.name = user, who_.uid = 1000; }
  std::uint64_t id() const override { return id_; }
  const wire::identity& peer() const override { return who_; }
  void send(const schema::sealed_message& message) override {
    const std::lock_guard held(guard_);
    sent_.push_back(message);
  }
  void close(const std::string& why) override {
    const std::lock_guard held(guard_);
    closed_ = why;
  }
  bool is_open() const override { return closed().empty(); }
  std::size_t unsent_bytes() const override { return unsent; }
  void pause_reading() override { paused = true; }
  void resume_reading() override { paused = false; }
  std::vector<schema::sealed_message> sent() const {
    const std::lock_guard held(guard_);
    return sent_;
  }
  std::string closed() const {
    const std::lock_guard held(guard_);
    return closed_;
  }
  std::atomic<bool> paused{false};
  std::atomic<std::size_t> unsent{0};

 private:
  std::uint64_t id_;
  wire::identity who_;
  mutable std::mutex guard_;
  std::vector<schema::sealed_message> sent_;
  std::string closed_;
};

struct counted_dialer final : server_dialer {
  explicit counted_dialer(std::atomic<int>& n) : open(n) { ++open; }
  ~counted_dialer() override { --open; }
  std::atomic<int>& open;
};

// The actor, with the test as MoM and as the server.
struct callers_fixture {
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  std::atomic<int> dialers{0};
  std::atomic<int> complaints{0};
  caf::actor commands = system.spawn(job_commands, job_commands_parts{caf::actor(self), "n1",
                                                                      [this](std::uint64_t) -> std::unique_ptr<server_dialer> {
                                                                        return std::make_unique<counted_dialer>(dialers);
                                                                      },
                                                                      100,
                                                                      std::make_shared<wire::complaints>(
                                                                          [this](const std::string&) { ++complaints; }, 60'000)});
  std::shared_ptr<kept> caller = std::make_shared<kept>(7), server = std::make_shared<kept>(99);

  ~callers_fixture() { self->send_exit(commands, caf::exit_reason::kill); }

  static schema::sealed_message claim(const std::string& job, const std::string& cookie) {
    return schema::make<schema::CommandOfJob>([&](schema::CommandOfJob::Builder c) {
      c.setJob(job);
      c.setCookie(cookie);
    });
  }
  static schema::sealed_message request(std::uint64_t id) {
    return schema::make<schema::Request>([&](schema::Request::Builder r) {
      r.setId(id);
      r.initHello();
    });
  }
  void says(const schema::sealed_message& m) { self->send(commands, peer_frame{caller, m}); }
  find_job asked() {
    find_job got;
    self->receive([&](const find_job& f) { got = f; });
    return got;
  }
  // Everything before has been taken: another caller is asked about.
  void settle() {
    const auto other = std::make_shared<kept>(8);
    self->send(commands, peer_opened{other});
    self->send(commands, peer_frame{other, claim("none.q1", "c")});
    while (asked().job != "none.q1") {}
    self->send(commands, peer_closed{other, ""});
  }
  void come(const std::string& user = "anna") {
    self->send(commands, peer_opened{caller});
    says(claim("12.q1", "secret"));
    const auto f = asked();
    BOOST_TEST(f.job == "12.q1");
    BOOST_TEST(f.cookie == "secret");
    self->send(commands, job_found{f.asker.question, caf::actor(self), user, {}, 5, 2});
  }
  void connect() {
    come();
    self->send(commands, server_opened{7, server});
    settle();
  }
  std::uint32_t refusal() const {
    const auto sent = caller->sent();
    if (sent.empty()) return 0;
    const auto reply = sent.back().root<schema::Reply>();
    BOOST_TEST(reply.getId() == 0u);
    return reply.isRejected() ? reply.getRejected().getCode() : 0;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(commands_of_jobs)

BOOST_FIXTURE_TEST_CASE(the_server_hears_of_which_run_a_command_is_and_then_what_it_says, callers_fixture) {
  self->send(commands, peer_opened{caller});
  says(claim("12.q1", "secret"));
  says(request(1));  // at once
  self->send(commands, job_found{asked().asker.question, caf::actor(self), "anna", {}, 5, 2});
  BOOST_TEST(caller->paused);
  self->send(commands, server_opened{7, server});
  settle();
  BOOST_TEST(!caller->paused);
  says(request(2));
  settle();
  const auto sent = server->sent();
  BOOST_REQUIRE(sent.size() == 3u);
  const auto first = sent[0].root<schema::FromMom>();
  BOOST_REQUIRE(first.isCommandOf());
  BOOST_TEST(first.getCommandOf().getJobSerial() == 5u);
  BOOST_TEST(first.getCommandOf().getRun() == 2u);
  BOOST_TEST(schema::text(first.getCommandOf().getJob()) == "12.q1");
  for (std::uint64_t i : {1u, 2u}) BOOST_TEST(sent[i].root<schema::Request>().getId() == i);
  self->send(commands, server_frame{7, request(9)});
  settle();
  BOOST_TEST(caller->sent().at(0).root<schema::Request>().getId() == 9u);
}

BOOST_FIXTURE_TEST_CASE(another_user_is_refused_with_the_right_cookie_too, callers_fixture) {
  come("bob");
  settle();
  BOOST_TEST(refusal() == 15007u);
  BOOST_TEST(!caller->closed().empty());
  BOOST_TEST(dialers == 0);
  BOOST_TEST(complaints == 1);
}

BOOST_FIXTURE_TEST_CASE(root_is_another_user, callers_fixture) {
  caller = std::make_shared<kept>(7, "root");
  come();
  settle();
  BOOST_TEST(refusal() == 15007u);
}

BOOST_FIXTURE_TEST_CASE(a_job_that_is_not_here_is_refused, callers_fixture) {
  self->send(commands, peer_opened{caller});
  says(claim("12.q1", "of-the-run-before"));
  self->send(commands, job_found{asked().asker.question, nullptr, {}, {}, 0, 0});
  settle();
  BOOST_TEST(refusal() == 15019u);
  says(request(1));
  settle();
  BOOST_TEST(dialers == 0);
}

BOOST_FIXTURE_TEST_CASE(who_names_no_job_or_no_cookie_is_refused_and_no_one_is_asked, callers_fixture) {
  for (const auto& [job, cookie] : {std::pair<std::string, std::string>{"12.q1", ""},
                                    {"", "secret"},
                                    {"12.q1\n11/23/2026 00:00:00;0080;pbs_mom;Job;7.q1;a line of its own", "secret"},
                                    {std::string(limits::claim_bytes_max + 1, '1'), "secret"},
                                    {"12.q1", std::string(limits::claim_bytes_max + 1, 'c')}}) {
    caller = std::make_shared<kept>(7);
    self->send(commands, peer_opened{caller});
    says(claim(job, cookie));
    settle();
    BOOST_TEST(refusal() == 15019u);
    self->send(commands, peer_closed{caller, ""});
  }
}

BOOST_FIXTURE_TEST_CASE(a_server_that_can_not_be_reached_is_told_with_the_reason, callers_fixture) {
  come();
  settle();
  BOOST_TEST(dialers == 1);
  self->send(commands, server_failed{7, "connect to q1:15001: Connection refused"});
  settle();
  BOOST_TEST(refusal() == 15010u);
  BOOST_TEST(caller->closed() == "host n1 can't reach the server: connect to q1:15001: Connection refused");
  BOOST_TEST(dialers == 0);
}

BOOST_FIXTURE_TEST_CASE(a_server_without_a_place_is_told_as_one_to_be_asked_again, callers_fixture) {
  come();
  settle();
  self->send(commands, server_failed{7, "connect to q1:15001: " + std::string(wire::cut_handshake)});
  settle();
  BOOST_TEST(refusal() == 15033u);
}

BOOST_FIXTURE_TEST_CASE(each_side_ends_with_the_other, callers_fixture) {
  connect();
  self->send(commands, server_closed{7, "closed by the peer"});
  settle();
  BOOST_TEST(caller->closed() == "the server: closed by the peer");
  BOOST_TEST(dialers == 0);
  caller = std::make_shared<kept>(7);
  connect();
  BOOST_TEST(dialers == 1);
  self->send(commands, peer_closed{caller, "gone"});
  settle();
  BOOST_TEST(dialers == 0);
  self->send(commands, server_frame{7, request(1)});  // of a caller that is gone
  settle();
}

BOOST_FIXTURE_TEST_CASE(who_is_not_read_from_stops_the_other_side, callers_fixture) {
  connect();
  caller->unsent = 101;
  self->send(commands, server_frame{7, request(1)});
  settle();
  BOOST_TEST(server->paused);
  self->send(commands, peer_taken{7});
  settle();
  BOOST_TEST(!server->paused);
  server->unsent = 101;
  says(request(2));
  settle();
  BOOST_TEST(caller->paused);
  self->send(commands, server_taken{7});
  settle();
  BOOST_TEST(!caller->paused);
}

BOOST_AUTO_TEST_SUITE_END()
