#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "test/support/fake_gateway.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/session.hpp"

using namespace annals;
using namespace annals::client;
using annals::test::fake_gateway;

namespace {

session open_to(const fake_gateway& g, std::chrono::milliseconds patience = std::chrono::seconds(20)) {
  return session::open_at({"q1", g.socket_path()}, patience);
}

void delete_one(schema::Request::Builder r) { r.initDeleteJob().setJob("1.q1"); }

std::string command_id(const fake_gateway::request& r) {
  const auto id = (*r).getCommandId();
  return {reinterpret_cast<const char*>(id.begin()), id.size()};
}

// As the server answers whom it turns away: the reply is to no request.
void of_the_connection(schema::Reply::Builder out, std::uint32_t code, const char* text) {
  out.setId(0);
  auto rejected = out.initRejected();
  rejected.setCode(code);
  rejected.setText(text);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(session_with_a_server)

BOOST_AUTO_TEST_CASE(a_call_returns_its_reply) {
  fake_gateway g([](schema::Request::Reader r, schema::Reply::Builder out) {
    out.setDone(r.isHello() ? "q1" : "");
    return true;
  });
  auto s = open_to(g);
  const reply r = s.call([](schema::Request::Builder b) { b.initHello().setVersion("1"); });
  BOOST_TEST((*r).getDone().cStr() == "q1");
  BOOST_TEST(s.in_flight() == 0u);
}

BOOST_AUTO_TEST_CASE(commands_have_fresh_ids_and_queries_none) {
  fake_gateway g([](schema::Request::Reader, schema::Reply::Builder out) {
    out.setDone("");
    return true;
  });
  auto s = open_to(g);
  s.call(delete_one);
  s.call(delete_one);
  s.call([](schema::Request::Builder b) { b.initHello(); });
  const auto seen = g.requests();
  BOOST_REQUIRE(seen.size() == 3u);
  BOOST_TEST(command_id(seen[0]).size() == 16u);
  BOOST_TEST(command_id(seen[0]) != command_id(seen[1]));
  BOOST_TEST(command_id(seen[2]).empty());
  BOOST_TEST((*seen[0]).getSentAtNs() > 0);
}

BOOST_AUTO_TEST_CASE(a_broken_connection_repeats_the_request_with_the_same_command_id) {
  std::atomic<int> calls{0};
  fake_gateway g([&](schema::Request::Reader, schema::Reply::Builder out) {
    out.setDone("7.q1");
    return ++calls == 3;
  });
  auto s = open_to(g);
  const reply r = s.call(delete_one);
  BOOST_TEST((*r).getDone().cStr() == "7.q1");
  const auto seen = g.requests();
  BOOST_REQUIRE(seen.size() == 3u);
  BOOST_TEST(command_id(seen[0]) == command_id(seen[2]));
  BOOST_TEST((*seen[0]).getSentAtNs() == (*seen[2]).getSentAtNs());
}

BOOST_AUTO_TEST_CASE(all_requests_in_flight_survive_a_restart_of_the_server) {
  std::atomic<int> calls{0};
  fake_gateway g([&](schema::Request::Reader, schema::Reply::Builder out) {
    out.setDone("");
    return ++calls != 5;
  });
  auto s = open_to(g);
  std::set<std::uint64_t> asked;
  for (int i = 0; i < 10; ++i) asked.insert(s.send(delete_one));
  while (s.in_flight() > 0) asked.erase((*s.receive()).getId());
  BOOST_TEST(asked.empty());
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_there_is_refused_at_once) {
  try {
    session::open_at({"q1", "/nonexistent/server.sock"});
    BOOST_FAIL("connected to nothing");
  } catch (const session_error& e) {
    BOOST_TEST(e.code == 15010u);
    BOOST_TEST(e.what() == test::no_login_host_of("q1"));
  }
}

// Whether it left its socket, as one that was killed does, or took it away.
BOOST_AUTO_TEST_CASE(a_server_that_is_stopped_is_said_in_the_same_words) {
  fake_gateway g([](schema::Request::Reader, schema::Reply::Builder) { return true; });
  g.stop();
  for (const bool leaves_socket : {false, true}) {
    if (leaves_socket) std::ofstream(g.socket_path()) << "";
    BOOST_CHECK_EXCEPTION(session::open_at({"q1", g.socket_path()}), session_error,
                          [](const session_error& e) { return std::string_view(e.what()) == "Connection refused"; });
  }
}

BOOST_AUTO_TEST_CASE(a_server_that_does_not_come_back_is_given_up) {
  fake_gateway g([](schema::Request::Reader, schema::Reply::Builder) { return false; });
  auto s = open_to(g, std::chrono::milliseconds(50));
  g.stop();
  BOOST_CHECK_THROW(s.call(delete_one), session_error);
}

BOOST_AUTO_TEST_CASE(a_server_that_breaks_every_connection_is_given_up) {
  fake_gateway g([](schema::Request::Reader, schema::Reply::Builder) { return false; });
  auto s = open_to(g, std::chrono::milliseconds(200));
  BOOST_CHECK_THROW(s.call(delete_one), session_error);
  BOOST_TEST(g.requests().size() > 2u);
}

BOOST_AUTO_TEST_CASE(a_session_that_is_turned_away_comes_again_with_the_same_request) {
  std::atomic<int> calls{0};
  fake_gateway g([&](schema::Request::Reader, schema::Reply::Builder out) {
    if (++calls == 4) return out.setDone("7.q1"), true;
    of_the_connection(out, pbs_error::no_connections, "too many");
    return true;
  });
  auto s = open_to(g);
  const reply r = s.call(delete_one);
  BOOST_TEST((*r).getDone().cStr() == "7.q1");
  BOOST_TEST(s.reconnections() == 3u);
  BOOST_TEST(command_id(g.requests().at(0)) == command_id(g.requests().at(3)));
}

BOOST_AUTO_TEST_CASE(a_session_for_which_there_is_never_room_says_what_the_server_said) {
  fake_gateway g([](schema::Request::Reader, schema::Reply::Builder out) {
    of_the_connection(out, pbs_error::no_connections, "user anna: too many connections (limit 4)");
    return true;
  });
  auto s = open_to(g, std::chrono::milliseconds(50));
  BOOST_CHECK_EXCEPTION(s.call(delete_one), session_error, [](const session_error& e) {
    return e.code == 15033 && e.what() == std::string("user anna: too many connections (limit 4)") && e.server == "q1";
  });
}

BOOST_AUTO_TEST_CASE(what_else_the_server_says_of_a_connection_is_final) {
  fake_gateway g([](schema::Request::Reader, schema::Reply::Builder out) {
    of_the_connection(out, pbs_error::protocol, "a frame of 99 bytes is larger than the limit of 8");
    return true;
  });
  auto s = open_to(g);
  BOOST_CHECK_EXCEPTION(s.call(delete_one), session_error, [](const session_error& e) {
    return e.what() == std::string("a frame of 99 bytes is larger than the limit of 8");
  });
  BOOST_TEST(g.requests().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_request_that_failed_with_the_connection_is_not_sent_again_by_the_next) {
  std::atomic<bool> has_room{false};
  fake_gateway g([&](schema::Request::Reader, schema::Reply::Builder out) {
    if (has_room) return out.setDone("8.q1"), true;
    of_the_connection(out, pbs_error::no_connections, "too many");
    return true;
  });
  auto s = open_to(g, std::chrono::milliseconds(50));
  BOOST_CHECK_THROW(s.call(delete_one), session_error);
  BOOST_TEST(s.in_flight() == 0u);
  has_room = true;
  const auto before = g.requests().size();
  const reply r = s.call(delete_one);
  BOOST_TEST((*r).getDone().cStr() == "8.q1");
  const auto seen = g.requests();
  BOOST_REQUIRE(seen.size() == before + 1);
  BOOST_TEST(command_id(seen.back()) != command_id(seen.front()));
}

BOOST_AUTO_TEST_CASE(a_session_whose_server_was_given_up_connects_anew_or_says_that_it_can_not) {
  std::atomic<bool> answers{false};
  fake_gateway g([&](schema::Request::Reader, schema::Reply::Builder out) {
    out.setDone("");
    return answers.load();
  });
  auto s = open_to(g, std::chrono::milliseconds(50));
  g.stop();
  BOOST_CHECK_THROW(s.call(delete_one), session_error);
  BOOST_TEST(s.in_flight() == 0u);
  BOOST_CHECK_THROW(s.call(delete_one), session_error);
  BOOST_CHECK_THROW(s.receive(), session_error);
  answers = true;
  g.start();
  const auto before = g.requests().size();
  s.call(delete_one);
  BOOST_TEST(g.requests().size() == before + 1);
}

BOOST_AUTO_TEST_CASE(a_request_that_is_too_large_is_not_sent_and_the_limit_is_told) {
  fake_gateway g([](schema::Request::Reader, schema::Reply::Builder out) {
    out.setDone("");
    return true;
  });
  auto s = open_to(g);
  const std::string large(limits::client_frame_bytes_max, 'x');
  BOOST_CHECK_EXCEPTION(s.call([&](schema::Request::Builder r) { r.initDeleteJob().setJob(large); }), request_too_large,
                        [](const request_too_large& e) {
                          return std::string(e.what()).starts_with("a request of 4194") &&
                                 std::string(e.what()).ends_with(" bytes is larger than the server's limit of 4194304 bytes");
                        });
  s.call(delete_one);
  BOOST_TEST(s.in_flight() == 0u);
  BOOST_TEST(g.requests().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_query_sees_every_piece_until_the_last) {
  fake_gateway g([](schema::Request::Reader r, schema::Reply::Builder out) {
    auto piece = out.initObjects();
    piece.initObjects(1)[0].setName(r.getStat().getQueue());
    piece.setLast(true);
    return true;
  });
  auto s = open_to(g);
  int pieces = 0;
  s.query([](schema::Request::Builder b) { b.initStat().setQueue("workq"); },
          [&](schema::Reply::Reader r) { pieces += r.getObjects().getObjects()[0].getName() == "workq" ? 1 : 0; });
  BOOST_TEST(pieces == 1);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

struct variable {
  const char* name;
  variable(const char* n, const std::string& value) : name(n) { setenv(n, value.c_str(), 1); }
  ~variable() { unsetenv(name); }
};

// A job on another host than the server's: a MoM is below its node file's home, and nothing of a server.
struct job_elsewhere {
  // The MoM hands on, and its answers are the server's.
  explicit job_elsewhere(fake_gateway::answer how) : mom(std::move(how), [](schema::Request::Reader r) { return r.getId() == 0; }) {
    std::filesystem::create_directories(mom.directory() + "/mom_priv");
    std::filesystem::create_symlink(mom.socket_path(), mom.directory() + "/mom_priv/commands.sock");
  }
  fake_gateway mom;
  const test::temporary_directory none;
  variable conf{"PBS_CONF_FILE", none.path + "/pbs.conf"}, home{"PBS_HOME", none.path};
  variable id{"PBS_JOBID", "12.q1"}, cookie{"PBS_JOBCOOKIE", "secret"}, nodes{"PBS_NODEFILE", mom.directory() + "/aux/12.q1"};
};

bool done(schema::Request::Reader, schema::Reply::Builder out) {
  out.setDone("");
  return true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(session_of_a_job_elsewhere)

BOOST_AUTO_TEST_CASE(the_mom_of_the_node_file_hears_which_job_asks_and_then_the_requests) {
  const job_elsewhere job(done);
  auto s = session::open();
  BOOST_TEST(s.address().name == "q1");
  s.call(delete_one);
  const auto seen = job.mom.requests();
  BOOST_REQUIRE(seen.size() == 3u);
  const auto said = seen[0].root<schema::CommandOfJob>();
  BOOST_TEST(schema::text(said.getJob()) == "12.q1");
  BOOST_TEST(schema::text(said.getCookie()) == "secret");
  BOOST_TEST((*seen[1]).isHello());  // whether the server is there
  BOOST_TEST((*seen[2]).isDeleteJob());
}

BOOST_AUTO_TEST_CASE(it_reaches_its_own_server_and_no_other) {
  const job_elsewhere job(done);
  BOOST_TEST(server_name() == "q1");
  session::open("q1:15001").call(delete_one);
  BOOST_CHECK_THROW((void)session::open("localhost"), session_error);
  const variable other("PBS_DEFAULT", "localhost");
  BOOST_CHECK_THROW((void)session::open(), session_error);
}

BOOST_AUTO_TEST_CASE(its_host_may_have_another_name_for_the_server) {
  const job_elsewhere job(done);
  std::ofstream(job.none.path + "/pbs.conf") << "PBS_SERVER=head.example.org\n";
  BOOST_TEST(server_name() == "head.example.org");
  session::open().call(delete_one);
  session::open("head").call(delete_one);
  session::open("q1").call(delete_one);
  BOOST_CHECK_THROW((void)session::open("localhost"), session_error);
}

BOOST_AUTO_TEST_CASE(without_a_cookie_it_is_a_command_as_any) {
  const job_elsewhere job(done);
  unsetenv("PBS_JOBCOOKIE");
  BOOST_CHECK_EXCEPTION((void)session::open(), session_error,
                        [](const session_error& e) { return e.what() == std::string("Connection refused"); });
}

BOOST_AUTO_TEST_CASE(a_mom_that_is_not_there_is_named) {
  job_elsewhere job(done);
  job.mom.stop();
  BOOST_CHECK_EXCEPTION((void)session::open(), session_error, [](const session_error& e) {
    return std::string_view(e.what()).starts_with("This host's MoM can't be asked: connect to /") && e.code == pbs_error::system_error;
  });
}

BOOST_AUTO_TEST_CASE(a_mom_that_does_not_come_back_is_named) {
  job_elsewhere job(done);
  auto s = session::open({}, std::chrono::milliseconds(50));
  job.mom.stop();
  BOOST_CHECK_EXCEPTION((void)s.call(delete_one), session_error,
                        [](const session_error& e) { return std::string_view(e.what()).starts_with("This host's MoM can't be asked: "); });
}

BOOST_AUTO_TEST_CASE(a_server_that_the_mom_can_not_reach_is_final_at_first_and_waited_for_later) {
  std::atomic<int> calls{0};
  const job_elsewhere job([&](schema::Request::Reader r, schema::Reply::Builder out) {
    const int call = ++calls;
    if (call == 3) return false;  // the server dies
    if (call <= 2 || call >= 6) return done(r, out);
    of_the_connection(out, pbs_error::system_error, "host b can't reach the server");
    return true;
  });
  auto s = session::open();
  s.call(delete_one);
  s.call(delete_one);
  BOOST_TEST(calls == 6);
  calls = 3;
  BOOST_CHECK_EXCEPTION((void)session::open(), session_error,
                        [](const session_error& e) { return e.what() == std::string("host b can't reach the server"); });
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

// A host whose pbs_comm has a way to q1.example.org.
struct login_host {
  login_host() {
    std::filesystem::create_directories(login_sockets(home.path));
    std::filesystem::create_symlink(comm.socket_path(), login_socket(home.path, "q1.example.org"));
    std::ofstream(home.path + "/pbs.conf") << "PBS_SERVER=q1.example.org\n";
  }
  fake_gateway comm{done};
  const test::temporary_directory home;
  variable conf{"PBS_CONF_FILE", home.path + "/pbs.conf"}, at{"PBS_HOME", home.path};
};

}  // namespace

namespace {

// A host whose pbs_follow has the log of q1.example.org.
struct followers_host {
  followers_host() {
    std::filesystem::create_directories(home.path + "/run");
    std::filesystem::create_symlink(follower.socket_path(), follower_socket(home.path));
    std::filesystem::create_symlink(server.socket_path(), home.path + "/run/server.sock");
    std::ofstream(home.path + "/pbs.conf") << "PBS_SERVER=q1.example.org\nPBS_READ_FROM=follower\n";
  }
  fake_gateway follower{done}, server{done};
  const test::temporary_directory home;
  variable conf{"PBS_CONF_FILE", home.path + "/pbs.conf"}, at{"PBS_HOME", home.path};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(session_where_a_follower_answers)

BOOST_AUTO_TEST_CASE(who_only_reads_asks_it_and_others_the_server) {
  const followers_host f;
  for (const std::string_view name : {"", "q1", "q1.example.org", "q1:15001"}) {
    auto s = session::to_read_with_first_request(name);
    BOOST_TEST(s.address().by_follower);
    s.call([](schema::Request::Builder r) { r.initStat(); });
  }
  BOOST_TEST(session::open_to_read().address().by_follower);
  BOOST_TEST(f.follower.requests().size() == 4u);
  BOOST_TEST(f.server.requests().size() == 0u);
  auto s = session::open();
  BOOST_TEST(!s.address().by_follower);
  s.call(delete_one);
  BOOST_TEST(f.server.requests().size() == 1u);
}

BOOST_AUTO_TEST_CASE(the_environment_says_otherwise) {
  const followers_host f;
  const variable server("PBS_READ_FROM", "server");
  auto s = session::to_read_with_first_request();
  s.call([](schema::Request::Builder r) { r.initStat(); });
  BOOST_TEST(f.server.requests().size() == 1u);
  BOOST_TEST(f.follower.requests().size() == 0u);
}

BOOST_AUTO_TEST_CASE(it_has_nothing_of_another_server) {
  const followers_host f;
  BOOST_CHECK_THROW((void)session::open_to_read("q2.invalid"), session_error);
  BOOST_TEST(f.follower.requests().size() == 0u);
}

BOOST_AUTO_TEST_CASE(one_that_does_not_run_is_named_and_nobody_else_asked) {
  followers_host f;
  f.follower.stop();
  BOOST_CHECK_EXCEPTION((void)session::open_to_read(), session_error, [](const session_error& e) {
    return std::string_view(e.what()).starts_with("This host's pbs_follow can't be asked: connect to /") &&
           e.code == pbs_error::system_error;
  });
  BOOST_TEST(f.server.requests().size() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(session_of_a_login_host)

BOOST_AUTO_TEST_CASE(pbs_comm_is_asked_for_its_server_whatever_its_name) {
  const login_host l;
  for (const std::string_view name : {"", "q1", "q1.example.org", "q1:15001"}) {
    auto s = session::open(name);
    BOOST_TEST(s.address().by_comm);
    s.call(delete_one);
  }
  BOOST_TEST((*l.comm.requests()[0]).isHello());  // whether the server is there
  BOOST_TEST((*l.comm.requests()[1]).isDeleteJob());
  BOOST_CHECK_THROW((void)session::open("q1:15002"), session_error);
}

BOOST_AUTO_TEST_CASE(PBS_SERVER_of_the_environment_chooses_among_several) {
  const login_host l;
  const fake_gateway other(done);
  std::filesystem::create_symlink(other.socket_path(), login_socket(l.home.path, "localhost"));
  const variable chosen("PBS_SERVER", "localhost");
  BOOST_TEST(session::open().address().name == "localhost");
  BOOST_TEST(other.requests().size() == 1u);
  BOOST_TEST(l.comm.requests().size() == 0u);
}

BOOST_AUTO_TEST_CASE(one_that_does_not_run_is_named) {
  login_host l;
  l.comm.stop();
  BOOST_CHECK_EXCEPTION((void)session::open(), session_error, [](const session_error& e) {
    return std::string_view(e.what()).starts_with("This host's pbs_comm can't be asked: connect to /") && e.code == pbs_error::system_error;
  });
}

BOOST_AUTO_TEST_SUITE_END()
