// Commands of users of login hosts (docs/design/0063-login-hosts.md): who speaks, and what pbs_comm is believed.
#include <boost/test/unit_test.hpp>

#include <capnp/any.h>

#include <functional>

#include "actors/link/wire/wire_limits.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/record.hpp"
#include "events/schema/comm.capnp.h"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;

// A server on whose host bob has no account.
struct site : test::whole_server {
  explicit site(std::size_t remote_callers_max = 0)
      : whole_server([=](actors::server_system_parts& parts) {
          parts.groups_of = [](const std::string& user, std::uint32_t) {
            return user == "bob" ? std::vector<std::string>() : std::vector<std::string>{"physics", "users"};
          };
          parts.remote_callers_max = remote_callers_max;
        }) {}
  static peer_ptr line(const std::string& host = "l1") { return std::make_shared<test::fake_peer>(wire::identity::kind::comm, host); }
  void begins(const peer_ptr& line, const std::string& user) { says(line, word(user)); }
  peer_ptr command(const std::string& user, const std::string& host = "l1") {
    const auto peer = line(host);
    begins(peer, user);
    return peer;
  }
  template <class Fill>
  schema::Reply::Reader ask_over(const peer_ptr& peer, Fill fill) {
    says(peer, word(schema::make<schema::Request>(fill)));
    BOOST_REQUIRE(!peer->sent.empty());
    return peer->sent.back().root<schema::Reply>();
  }
  // The command is gone; whether its line waits for the next one.
  bool ends(const peer_ptr& line, std::uint64_t number = 77) {
    says(line, schema::make<schema::CommWord>([&](schema::CommWord::Builder w) { w.setEnded(number); }));
    return line->closed.empty() && line->sent.back().root<schema::Reply>().getId() == number;
  }

  static schema::sealed_message word(const std::string& user) {
    return schema::make<schema::CommWord>([&](schema::CommWord::Builder w) { w.initBegins().setUser(user); });
  }
  static schema::sealed_message word(const schema::sealed_message& request, const std::string& user = {}) {
    return schema::make<schema::CommWord>([&](schema::CommWord::Builder w) {
      if (!user.empty()) w.initBegins().setUser(user);
      const auto bytes = request.bytes();
      w.setRequest(capnp::Data::Reader(reinterpret_cast<const capnp::byte*>(bytes.data()), bytes.size()));
    });
  }
};

void look(schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::SERVER); }
void submit(schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); }

std::uint32_t code(schema::Reply::Reader r) { return r.isRejected() ? r.getRejected().getCode() : 0; }
// The number with which the connection itself was refused and ended; 0: it was not.
std::uint32_t ended(const peer_ptr& peer) {
  if (peer->closed.empty() || peer->sent.empty()) return 0;
  const auto reply = peer->sent.back().root<schema::Reply>();
  BOOST_TEST(reply.getId() == 0u);
  return code(reply);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(commands_from_login_hosts)

BOOST_AUTO_TEST_CASE(a_user_speaks_as_himself_on_his_host_with_his_group_here) {
  site s;
  const auto peer = s.command("alice");
  BOOST_TEST(!peer->paused);
  BOOST_TEST(schema::str(s.ask_over(peer, submit).getDone()) == "0.borg");
  std::string owner, group, from;
  (void)log::log_reader(s.store).read(1, [&](const log::record_ptr& r) {
    if (!schema::is(r->event(), schema::JobEvent::QUEUED)) return true;
    const auto q = r->event().getJob().getQueued();
    owner = schema::str(q.getOwner());
    group = schema::str(q.getEgroup());
    for (auto a : q.getAttributes())
      if (schema::text(a.getName()) == "Submit_Host") from = schema::str(a.getValue());
    return true;
  });
  BOOST_TEST(owner == "alice@l1");
  BOOST_TEST(group == "physics");
  BOOST_TEST(from == "l1");
  const auto of_another_host = s.command("alice", "l2");
  BOOST_TEST(s.ask_over(of_another_host, [](schema::Request::Builder r) { r.initDeleteJob().setJob("0.borg"); }).isDone());
}

BOOST_AUTO_TEST_CASE(what_is_asked_before_the_group_is_known_is_answered_in_its_order) {
  site s;
  const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::comm, "l1");
  const auto post = [&](const schema::sealed_message& m) { caf::anon_send(s.whole->gateway(), actors::peer_frame{peer, m}); };
  for (std::uint64_t id : {7u, 8u})
    post(site::word(schema::make<schema::Request>([&](schema::Request::Builder r) {
                      r.setId(id);
                      r.initHello();
                    }),
                    id == 7 ? "alice" : ""));
  s.system.run();
  BOOST_REQUIRE(peer->sent.size() == 2u);
  for (std::size_t i : {0u, 1u}) BOOST_TEST(peer->sent[i].root<schema::Reply>().getId() == 7 + i);
}

BOOST_AUTO_TEST_CASE(root_of_a_login_host_is_nobody_here_unless_he_is_listed) {
  site s;
  const auto stop = [](schema::Request::Builder r) { r.initShutdown().setHow("quick"); };
  const auto delete_queue = [](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::DELETE);
    m.setKind(schema::ObjectKind::QUEUE);
    m.setName("workq");
  };
  BOOST_TEST(code(s.ask_over(s.command("root"), stop)) == 15007u);
  s.set("managers", "root@l2");
  BOOST_TEST(code(s.ask_over(s.command("root"), delete_queue)) == 15007u);
  BOOST_TEST(code(s.ask_over(s.command("root", "l2"), delete_queue)) != 15007u);
}

BOOST_AUTO_TEST_CASE(who_has_no_account_here_or_no_name_is_refused) {
  site s;
  BOOST_TEST(ended(s.command("bob")) == 15007u);
  for (const std::string name : {"", "al ice", "alice\n", "alice@borg", "alice,root"}) BOOST_TEST(ended(s.command(name)) == 15019u);
  BOOST_TEST(ended(s.command(std::string(limits::user_name_bytes_max + 1, 'a'))) == 15019u);
}

BOOST_AUTO_TEST_CASE(what_follows_a_refusal_is_nobodys_word) {
  site s;
  const auto peer = s.command("bob");
  s.begins(peer, "alice");
  s.says(peer, site::word(schema::make<schema::Request>(submit)));
  s.says(peer, site::word(schema::make<schema::Request>(submit), "alice"));
  BOOST_TEST(peer->sent.size() == 1u);
}

BOOST_AUTO_TEST_CASE(lists_of_hosts_are_for_login_hosts_too) {
  site s;
  const auto peer = s.command("alice");
  s.set("acl_host_enable", "True");
  BOOST_TEST(code(s.ask_over(peer, look)) == 15007u);
  s.set("acl_hosts", "l1");
  BOOST_TEST(s.ask_over(peer, look).isObjects());
}

BOOST_AUTO_TEST_CASE(a_user_with_many_commands_leaves_room_for_others) {
  site s(5);
  std::vector<peer_ptr> inside;
  for (int i = 0; i < 3; ++i) {
    inside.push_back(s.command("alice"));
    BOOST_TEST(inside.back()->closed == "");
  }
  BOOST_TEST(ended(s.command("alice", "l2")) == 15033u);
  BOOST_TEST(s.command("carol")->closed == "");
  caf::anon_send(s.whole->gateway(), actors::peer_closed{inside.back(), "gone"});
  s.system.run();
  BOOST_TEST(s.command("dave")->closed == "");
}

BOOST_AUTO_TEST_CASE(a_line_is_for_the_next_user_when_a_command_is_gone) {
  site s;
  const auto line = s.command("alice");
  BOOST_TEST(schema::str(s.ask_over(line, submit).getDone()) == "0.borg");
  BOOST_TEST(s.ends(line));
  s.begins(line, "carol");
  BOOST_TEST(code(s.ask_over(line, [](schema::Request::Builder r) { r.initDeleteJob().setJob("0.borg"); })) == 15007u);
  BOOST_TEST(s.ends(line));
  s.begins(line, "alice");
  BOOST_TEST(s.ask_over(line, [](schema::Request::Builder r) { r.initDeleteJob().setJob("0.borg"); }).isDone());
}

BOOST_AUTO_TEST_CASE(nobody_hears_what_was_asked_for_by_who_is_gone) {
  site s;
  const auto line = s.command("alice");
  BOOST_TEST(s.ask_over(line, submit).isDone());
  s.says(line, site::word(schema::make<schema::Request>([](schema::Request::Builder r) {
           r.setId(1);
           r.initWaitJob().setJob("0.borg");
         })));
  BOOST_TEST(s.ends(line));
  s.begins(line, "carol");
  const auto heard = line->sent.size();
  const auto of_another_host = s.command("alice", "l2");
  BOOST_TEST(s.ask_over(of_another_host, [](schema::Request::Builder r) { r.initDeleteJob().setJob("0.borg"); }).isDone());
  BOOST_TEST(line->sent.size() == heard);
}

BOOST_AUTO_TEST_CASE(a_command_that_is_gone_before_its_group_is_known_leaves_nothing) {
  site s;
  const auto line = site::line();
  const auto post = [&](const schema::sealed_message& m) { caf::anon_send(s.whole->gateway(), actors::peer_frame{line, m}); };
  post(site::word(schema::make<schema::Request>(submit), "bob"));
  post(schema::make<schema::CommWord>([](schema::CommWord::Builder w) { w.setEnded(5); }));
  post(site::word(schema::make<schema::Request>([](schema::Request::Builder r) {
                    r.setId(6);
                    r.initHello();
                  }),
                  "alice"));
  s.system.run();
  BOOST_TEST(line->closed == "");
  BOOST_TEST(!line->paused);
  BOOST_REQUIRE(line->sent.size() == 2u);
  for (std::size_t i : {0u, 1u}) BOOST_TEST(line->sent[i].root<schema::Reply>().getId() == 5 + i);
}

BOOST_AUTO_TEST_CASE(who_speaks_for_two_or_for_nobody_is_refused) {
  site s;
  const auto line = s.command("alice");
  s.begins(line, "carol");
  BOOST_TEST(ended(line) == 15019u);
  const auto silent = site::line();
  s.says(silent, site::word(schema::make<schema::Request>(submit)));
  BOOST_TEST(ended(silent) == 15019u);
  const auto gone = s.command("alice");
  BOOST_TEST(s.ends(gone));
  s.says(gone, site::word(schema::make<schema::Request>(submit)));
  BOOST_TEST(ended(gone) == 15019u);
}

BOOST_AUTO_TEST_CASE(lines_that_wait_take_no_commands_place) {
  site s(3);
  std::vector<peer_ptr> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.push_back(s.command("alice", "l" + std::to_string(i)));
    // One place for one that waits: the others are closed.
    BOOST_TEST(s.ends(waiting.back()) == (i == 0));
  }
  std::vector<peer_ptr> inside;
  for (const std::string user : {"alice", "carol", "dave"}) {
    inside.push_back(s.command(user, "l9"));
    BOOST_TEST(inside.back()->closed == "");
  }
  // As a command it takes no place of those that wait, and gives its own back.
  BOOST_TEST(s.ends(inside.back()) == false);
  s.begins(waiting.front(), "dave");
  BOOST_TEST(waiting.front()->closed == "");
  BOOST_TEST(s.ends(inside.front()));
}

BOOST_AUTO_TEST_CASE(a_line_that_is_lost_gives_its_place_back) {
  site s(3);
  const auto line = s.command("alice");
  BOOST_TEST(s.ends(line));
  BOOST_TEST(!s.ends(s.command("alice", "l2")));
  caf::anon_send(s.whole->gateway(), actors::peer_closed{line, "gone"});
  s.system.run();
  BOOST_TEST(s.ends(s.command("alice", "l2")));
}

BOOST_AUTO_TEST_CASE(the_group_of_a_user_is_asked_for_once_a_minute) {
  auto asked = std::make_shared<int>(0);
  test::whole_server server([=](actors::server_system_parts& parts) {
    parts.groups_of = [=](const std::string&, std::uint32_t) {
      ++*asked;
      return std::vector<std::string>{"users"};
    };
  });
  const auto begin = [&] { server.says(site::line(), site::word("alice")); };
  begin();
  begin();
  BOOST_TEST(*asked == 1);
  server.clock.ns += limits::name_memory_s * 1'000'000'000LL;
  begin();
  BOOST_TEST(*asked == 2);
}

BOOST_AUTO_TEST_CASE(garbage_ends_its_connection_and_nothing_else) {
  site s;
  const auto first = std::make_shared<test::fake_peer>(wire::identity::kind::comm, "l1");
  s.says(first, schema::make<schema::CommWord>([](schema::CommWord::Builder m) {
           capnp::toAny(m.initBegins()).getPointerSection()[0].initAs<capnp::List<std::uint64_t>>(3);
         }));
  BOOST_TEST(ended(first) == 15019u);
  const auto later = s.command("alice");
  s.says(later, site::word(schema::make<schema::Request>([](schema::Request::Builder r) {
           capnp::toAny(r.initDeleteJob()).getPointerSection()[0].initAs<capnp::List<std::uint64_t>>(3);
         })));
  BOOST_TEST(later->closed.starts_with("a message that can't be read"));
  const auto no_message = s.command("alice");
  s.says(no_message, schema::make<schema::CommWord>([](schema::CommWord::Builder w) { w.initRequest(13); }));
  BOOST_TEST(no_message->closed.starts_with("a message that can't be read"));
  BOOST_TEST(s.ask_over(s.command("alice"), look).isObjects());
}

BOOST_AUTO_TEST_SUITE_END()
