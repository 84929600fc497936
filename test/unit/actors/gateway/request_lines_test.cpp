// What the log says of requests: the words and numbers are those of the transcripts.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

#include "actors/runtime/daemon_log.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;
namespace log_event = actors::log_event;

namespace {

struct logging_server {
  test::temporary_directory logs;
  actors::daemon_log notes;
  test::whole_server whole;

  explicit logging_server(std::uint32_t mask)
      : notes(logs.path, "Server@borg", mask, false), whole([this](actors::server_system_parts& p) { p.notes = &notes; }) {
    whole.set("acl_roots", "root");
  }
  // The lines of this class, without their time; PEER in place of the connection's number.
  std::vector<std::string> lines(const std::string& cls, const std::shared_ptr<test::fake_peer>& peer) {
    notes.write(log_event::force, "Svr", "test", "with those that are soon written");
    std::vector<std::string> out;
    for (const auto& file : std::filesystem::directory_iterator(logs.path)) {
      std::ifstream in(file.path());
      for (std::string line; std::getline(in, line);) {
        line = line.substr(line.find(';') + 1);
        if (line.find(";" + cls + ";") == std::string::npos) continue;
        const auto socket = "sock=" + std::to_string(peer->number);
        if (line.ends_with(socket)) line.replace(line.size() - socket.size(), socket.size(), "sock=PEER");
        else if (line.find("sock=") != std::string::npos) continue;  // of another
        out.push_back(line);
      }
    }
    return out;
  }
  template <class Fill>
  std::shared_ptr<test::fake_peer> ask_as(const std::string& user, std::uint32_t uid, Fill fill) {
    auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::local, user);
    peer->who.uid = uid;
    whole.says(peer, schema::make<schema::Request>(fill));
    return peer;
  }
  std::string submit() {
    const auto peer = ask_as("alice", 2000, [](schema::Request::Builder r) {
      auto q = r.initQueueJob();
      q.setSubmitHost("borg");
      q.setHasScript(true);
    });
    const auto reply = peer->sent.at(0).root<schema::Reply>();
    BOOST_REQUIRE(reply.isDone());
    return schema::str(reply.getDone());
  }
};

constexpr std::uint32_t usual = 511;

}  // namespace

BOOST_AUTO_TEST_CASE(each_request_of_a_client_is_a_line) {
  logging_server s(usual);
  const auto peer = s.ask_as("alice", 2000, [](schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::SERVER); });
  const auto lines = s.lines("Req", peer);
  BOOST_REQUIRE(!lines.empty());
  BOOST_TEST(lines.back() == "0100;Server@borg;Req;;Type 21 request received from alice@borg, sock=PEER");
}

BOOST_AUTO_TEST_CASE(a_refusal_says_its_number) {
  logging_server s(usual);
  const auto peer = s.ask_as("alice", 2000, [](schema::Request::Builder r) { r.initDeleteJob().setJob("99.borg"); });
  const auto lines = s.lines("Req", peer);
  BOOST_REQUIRE(lines.size() >= 2u);
  BOOST_TEST(lines[lines.size() - 2] == "0100;Server@borg;Req;;Type 100 request received from alice@borg, sock=PEER");
  BOOST_TEST(lines.back() == "0080;Server@borg;Req;req_reject;Reject reply code=15001, aux=0, type=100, from alice@borg");
}

BOOST_AUTO_TEST_CASE(who_asks_of_others_jobs_is_named) {
  logging_server s(usual);
  const auto id = s.submit();
  const auto peer = s.ask_as("bob", 2001, [&](schema::Request::Builder r) { r.initHoldJob().setJob(id); });
  BOOST_TEST(s.lines("Job", peer).back() == "0020;Server@borg;Job;" + id + ";Unauthorized Request, request type: 7, Object: Job, Name: " +
                                                id + ", request from: bob@borg");
  BOOST_TEST(s.lines("Req", peer).back() == "0080;Server@borg;Req;req_reject;Reject reply code=15007, aux=0, type=7, from bob@borg");
}

BOOST_AUTO_TEST_CASE(what_the_log_does_not_want_is_not_written) {
  logging_server s(usual);
  s.notes.set_mask(log_event::job);  // the server that was new has set its default
  const auto peer = s.ask_as("alice", 2000, [](schema::Request::Builder r) { r.initDeleteJob().setJob("99.borg"); });
  BOOST_TEST(s.lines("Req", peer).empty());
  s.notes.set_mask(log_event::debug);
  s.whole.says(peer, schema::make<schema::Request>([](schema::Request::Builder r) { r.initDeleteJob().setJob("99.borg"); }));
  const auto lines = s.lines("Req", peer);
  BOOST_REQUIRE(lines.size() == 1u);
  BOOST_TEST(lines[0] == "0080;Server@borg;Req;req_reject;Reject reply code=15001, aux=0, type=100, from alice@borg");
}
