// Commands of jobs from the hosts of their runs (docs/design/0038-commands-of-jobs.md): what the server believes of a MoM, and until when.
#include <boost/test/unit_test.hpp>

#include <capnp/any.h>

#include <functional>
#include <map>

#include "actors/link/wire/wire_limits.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/record.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;

// A server with hosts n1 and n2, and a job of alice's that runs on n1: run 1 of 0.borg.
struct cluster : test::whole_server {
  std::map<std::string, peer_ptr> moms;
  std::uint64_t serial = 0;

  explicit cluster(const std::function<void(actors::server_system_parts&)>& change = {}) : whole_server(change) {
    for (const std::string host : {"n1", "n2"}) {
      create_node(host);
      hello(host);
    }
    ask([](schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); }, "alice");
    each_event([&](const log::record& r) {
      if (schema::is(r.event(), schema::JobEvent::QUEUED)) serial = r.get().getStream();
    });
    run_it();
  }
  void each_event(const std::function<void(const log::record&)>& look) const {
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      look(*r);
      return true;
    });
  }
  void hello(const std::string& host) { moms[host] = hello_of(host); }
  void run_it() { run_on(serial, "n1"); }
  template <class Fill>
  void mom_says(const std::string& host, Fill fill) { says(moms.at(host), schema::make<schema::FromMom>(fill)); }
  void fill_ref(schema::RunRef::Builder ref, std::uint32_t run) const {
    ref.setJobSerial(serial);
    ref.setRun(run);
    ref.setJob("0.borg");
  }
  // A connection of this host's MoM over which a command of the run comes.
  peer_ptr command(const std::string& host = "n1", std::uint32_t run = 1) {
    const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::mom, host);
    says(peer, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) { fill_ref(m.initCommandOf(), run); }));
    return peer;
  }
  template <class Fill>
  schema::Reply::Reader ask_over(const peer_ptr& peer, Fill fill) {
    says(peer, schema::make<schema::Request>(fill));
    BOOST_REQUIRE(!peer->sent.empty());
    return peer->sent.back().root<schema::Reply>();
  }
  void program_ends() {
    mom_says("n1", [&](schema::FromMom::Builder m) {
      auto e = m.initRunExited();
      fill_ref(e.initRef(), 1);
      e.setPosition(3);
    });
  }
  void leave() {
    mom_says("n1", [&](schema::FromMom::Builder m) {
      auto l = m.initRunLeft();
      fill_ref(l.initRef(), 1);
      l.setDelivered(true);
      l.setPosition(5);
    });
  }
};

void look(schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::SERVER); }
void submit(schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); }
void delete_it(schema::Request::Builder r) { r.initDeleteJob().setJob("0.borg"); }

// A list of numbers in place of the text that is the struct's first pointer.
template <class Builder>
void spoil(Builder b) {
  capnp::toAny(b).getPointerSection()[0].template initAs<capnp::List<std::uint64_t>>(3);
}

// The number with which the connection itself was refused and ended; 0: it was not.
std::uint32_t ended(const peer_ptr& peer) {
  if (peer->closed.empty() || peer->sent.empty()) return 0;
  const auto reply = peer->sent.back().root<schema::Reply>();
  BOOST_TEST(reply.getId() == 0u);
  return reply.isRejected() ? reply.getRejected().getCode() : 0;
}
std::uint32_t code(schema::Reply::Reader r) { return r.isRejected() ? r.getRejected().getCode() : 0; }

// A request of a run that has ended; the connection stays for answers to what it asked before.
void refused_alone(cluster& c, const peer_ptr& peer) {
  const auto reply = c.ask_over(peer, [](schema::Request::Builder r) {
    r.setId(77);
    submit(r);
  });
  BOOST_TEST(reply.getId() == 77u);
  BOOST_TEST(code(reply) == 15019u);
  BOOST_TEST(schema::str(reply.getRejected().getText()) == "job 0.borg no longer runs on host n1");
  BOOST_TEST(peer->closed == "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(commands_from_hosts)

// A MoM hands on what a user says as he says it: also what comes behind a word that was refused.
BOOST_AUTO_TEST_CASE(what_follows_a_refused_command_is_not_the_moms_word) {
  cluster c;
  for (const std::uint32_t run : {7u, 1u}) {  // one that is not there; and one whose connection is already a user's
    const auto peer = c.command("n1", run);
    c.says(peer, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
             auto e = m.initRunExited();
             c.fill_ref(e.initRef(), 1);
             e.setPosition(3);
           }));
    c.each_event([](const log::record& r) { BOOST_TEST(!schema::is(r.event(), schema::JobEvent::EXITED)); });
  }
}

BOOST_AUTO_TEST_CASE(a_command_of_a_run_speaks_as_its_user_on_its_host) {
  cluster c;
  const auto peer = c.command();
  BOOST_TEST(!peer->paused);
  BOOST_TEST(schema::str(c.ask_over(peer, submit).getDone()) == "1.borg");
  std::string owner, group, from;
  c.each_event([&](const log::record& r) {
    if (!schema::is(r.event(), schema::JobEvent::QUEUED) || r.event().getJob().getQueued().getNumber() != 1) return;
    const auto q = r.event().getJob().getQueued();
    owner = schema::str(q.getOwner());
    group = schema::str(q.getEgroup());
    for (auto a : q.getAttributes())
      if (schema::text(a.getName()) == "Submit_Host") from = schema::str(a.getValue());
  });
  BOOST_TEST(owner == "alice@n1");
  BOOST_TEST(group == "users");
  BOOST_TEST(from == "n1");
  BOOST_TEST(c.ask_over(peer, delete_it).isDone());  // its own job
  BOOST_TEST(peer->closed == "");
}

BOOST_AUTO_TEST_CASE(what_is_asked_before_its_user_is_known_is_answered_in_its_order) {
  cluster c;
  const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
  const auto post = [&](const schema::sealed_message& m) { caf::anon_send(c.whole->gateway(), actors::peer_frame{peer, m}); };
  post(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) { c.fill_ref(m.initCommandOf(), 1); }));
  for (std::uint64_t id : {7u, 8u})
    post(schema::make<schema::Request>([&](schema::Request::Builder r) {
      r.setId(id);
      r.initHello();
    }));
  c.system.run();
  BOOST_REQUIRE(peer->sent.size() == 2u);
  for (std::size_t i : {0u, 1u}) BOOST_TEST(peer->sent[i].root<schema::Reply>().getId() == 7 + i);
}

BOOST_AUTO_TEST_CASE(a_mom_speaks_for_runs_that_the_log_gives_it_alone) {
  cluster c;
  BOOST_TEST(ended(c.command("n2")) == 15019u);     // another node
  BOOST_TEST(ended(c.command("n3")) == 15019u);     // a host that is no node
  BOOST_TEST(ended(c.command("n1", 2)) == 15019u);  // a run that is not yet
  BOOST_TEST(ended(c.command("n1", 0)) == 15019u);
  const auto of_no_job = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
  c.says(of_no_job, schema::make<schema::FromMom>([](schema::FromMom::Builder m) { m.initCommandOf().setJobSerial(999'999); }));
  BOOST_TEST(ended(of_no_job) == 15019u);
}

BOOST_AUTO_TEST_CASE(nothing_is_done_for_a_run_whose_program_has_ended) {
  cluster c;
  const auto before = c.command();
  BOOST_TEST(c.ask_over(before, look).isObjects());
  c.program_ends();
  refused_alone(c, before);
  BOOST_TEST(ended(c.command()) == 15019u);
  c.leave();
  BOOST_TEST(ended(c.command()) == 15019u);
}

BOOST_AUTO_TEST_CASE(a_run_that_was_queued_again_has_no_word_any_more) {
  cluster c;
  const auto first = c.command();
  c.ask([](schema::Request::Builder r) {
    r.initRerunJob().setJob("0.borg");
    r.getRerunJob().setForce(true);
  });
  c.hello("n1");  // it has nothing of it
  c.run_it();
  refused_alone(c, first);
  BOOST_TEST(ended(c.command("n1", 1)) == 15019u);
  BOOST_TEST(c.ask_over(c.command("n1", 2), look).isObjects());
}

BOOST_AUTO_TEST_CASE(a_command_is_no_more_than_its_user) {
  cluster c;
  const auto peer = c.command();
  // alice's number is the server's own, and here she is root; there she is not.
  BOOST_TEST(code(c.ask_over(peer, [](schema::Request::Builder r) { r.initShutdown().setHow("quick"); })) == 15007u);
  c.set("managers", "alice@n2");
  BOOST_TEST(code(c.ask_over(peer, [](schema::Request::Builder r) { r.initRunJob().setJob("0.borg"); })) == 15007u);
  c.set("managers", "alice@n1");
  BOOST_TEST(code(c.ask_over(peer, [](schema::Request::Builder r) { r.initRunJob().setJob("0.borg"); })) == 15016u);  // it runs
}

BOOST_AUTO_TEST_CASE(lists_of_users_and_hosts_are_for_them_too) {
  cluster c;
  const auto peer = c.command();
  c.set("acl_host_enable", "True");
  BOOST_TEST(code(c.ask_over(peer, look)) == 15007u);
  c.set("acl_hosts", "n2,n1");
  BOOST_TEST(c.ask_over(peer, look).isObjects());
  c.set("acl_hosts", "n2");
  BOOST_TEST(code(c.ask_over(peer, look)) == 15007u);
  c.set("acl_host_moms_enable", "True");
  BOOST_TEST(c.ask_over(peer, look).isObjects());
  c.set("acl_users", "alice@borg");
  c.set("acl_user_enable", "True");
  BOOST_TEST(code(c.ask_over(peer, look)) == 15007u);
  c.set("acl_users", "alice@n1");
  BOOST_TEST(c.ask_over(peer, look).isObjects());
}

BOOST_AUTO_TEST_CASE(a_user_with_many_hosts_leaves_room_for_others) {
  cluster c([](actors::server_system_parts& parts) { parts.remote_callers_max = 5; });
  std::vector<peer_ptr> inside;
  for (int i = 0; i < 3; ++i) {
    inside.push_back(c.command());
    BOOST_TEST(inside.back()->closed == "");
  }
  BOOST_TEST(ended(c.command()) == 15033u);
  caf::anon_send(c.whole->gateway(), actors::peer_closed{inside.back(), "gone"});
  c.system.run();
  BOOST_TEST(c.command()->closed == "");
}

BOOST_AUTO_TEST_CASE(garbage_ends_its_connection_and_nothing_else) {
  cluster c;
  const auto no_ref = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
  c.says(no_ref, schema::make<schema::FromMom>([](schema::FromMom::Builder m) { spoil(m.initCommandOf()); }));
  BOOST_TEST(no_ref->closed == "a message that can't be read");
  for (int i = 0; i < 5; ++i) {
    const auto peer = c.command();
    c.says(peer, schema::make<schema::Request>([](schema::Request::Builder r) { spoil(r.initDeleteJob()); }));
    BOOST_TEST(peer->closed.starts_with("a message that can't be read"));
  }
  const auto other = c.command();
  const std::string large(limits::client_frame_bytes_max, 'x');
  c.says(other, schema::make<schema::Request>([&](schema::Request::Builder r) {
           r.initQueueJob().setScript({reinterpret_cast<const kj::byte*>(large.data()), large.size()});
         }));
  BOOST_TEST(other->closed.starts_with("a request above the limit"));
  BOOST_TEST(c.ask_over(c.command(), look).isObjects());
}

BOOST_AUTO_TEST_CASE(a_mom_that_turns_its_own_link_into_a_commands_is_missed_when_it_goes) {
  cluster c;
  const auto& link = c.moms.at("n1");
  c.mom_says("n1", [&](schema::FromMom::Builder m) { c.fill_ref(m.initCommandOf(), 1); });
  caf::anon_send(c.whole->gateway(), actors::peer_closed{link, "gone"});
  c.system.run();
  std::size_t down = 0;
  c.each_event([&](const log::record& r) { down += schema::is(r.event(), schema::HostEvent::WENT_DOWN) ? 1 : 0; });
  BOOST_TEST(down == 1u);
}

BOOST_AUTO_TEST_CASE(nobody_comes_in_while_the_server_winds_up) {
  bool stopped = false;
  cluster c([&](actors::server_system_parts& parts) { parts.shut_down = [&](const std::string&) { stopped = true; }; });
  c.ask([](schema::Request::Builder r) { r.initShutdown().setHow("delay"); });
  BOOST_TEST(!stopped);  // it waits for the job
  BOOST_TEST(ended(c.command()) == 15010u);
}

BOOST_AUTO_TEST_SUITE_END()
