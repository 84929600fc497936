// What is read for a MoM's hello keeps nobody else waiting, and what the MoM says after it waits.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>

#include "events/log/losses.hpp"
#include "test/support/hanging.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;
const std::string own(16, 'u');  // as test::whole_server names its log

struct server {
  std::shared_ptr<test::hanging> checks = std::make_shared<test::hanging>();  // of marks, as of a log whose disk hangs
  std::vector<std::string> stopped;
  test::whole_server whole;

  explicit server(bool loss = false)
      : whole([this, loss](actors::server_system_parts& p) {
          p.witnesses.signed_by_us = [c = checks](schema::byte_span, const std::string&, const std::string&) {
            c->call();
            return true;
          };
          p.witnesses.log_is_short = [this](const log::witness&, const std::string& text) { stopped.push_back(text); };
          p.helpers_detached = true;
          if (loss) p.loss = log::loss_to_accept{{{"server_priv/log.mark", {own, 5600, {}, 900, 40}}}, "root", "borg"};
        }) {
    for (const char* name : {"n1", "n2"})
      whole.ask([&](schema::Request::Builder r) {
        auto m = r.initManage();
        m.setVerb(schema::ManageVerb::CREATE);
        m.setKind(schema::ObjectKind::NODE);
        m.setName(name);
      });
  }
  ~server() { checks->open(); }

  static peer_ptr mom(const char* host) { return std::make_shared<test::fake_peer>(wire::identity::kind::mom, host); }
  // knows: up to which record; 0: it has no mark.
  void hello(const peer_ptr& peer, std::uint64_t knows, std::uint64_t serial = 0, std::uint32_t run = 1) {
    whole.says(peer, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                 auto h = m.initHello();
                 h.setHost(peer->peer().name);
                 const std::string uuid(16, 'm');
                 h.setLogUuid({reinterpret_cast<const kj::byte*>(uuid.data()), uuid.size()});
                 const auto mark = log::print({own, knows, {}, 0, 0});
                 if (knows > 0) h.initLogMark().setText({reinterpret_cast<const kj::byte*>(mark.data()), mark.size()});
                 if (serial == 0) return;
                 auto r = h.initRuns(1)[0];
                 r.setJobSerial(serial);
                 r.setRun(run);
                 r.setJob("7.borg");
               }));
  }
  void left(const peer_ptr& peer, std::uint64_t serial) {
    whole.says(peer, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                 auto ref = m.initRunLeft().initRef();
                 ref.setJobSerial(serial);
                 ref.setRun(1);
                 ref.setJob("7.borg");
               }));
  }
  bool answers_others() {
    const auto asks = whole.ask([](schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::SERVER); });
    return !asks->sent.empty();
  }
  bool is_up() const {
    bool up = false;
    (void)log::log_reader(whole.store).read(1, [&](const log::record_ptr& r) {
      up |= schema::is(r->event(), schema::HostEvent::CAME_UP);
      return true;
    });
    return up;
  }
  // A job that waits for a run: its serial.
  std::uint64_t submit() {
    whole.ask([](schema::Request::Builder r) {
      r.initQueueJob().setSubmitHost("borg");
      auto list = r.getQueueJob().initAttributes(1);
      list[0].setName("Job_Name");
      list[0].setValue("one");
    },
              "alice");
    std::uint64_t serial = 0;
    (void)log::log_reader(whole.store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::JobEvent::QUEUED)) serial = r->get().getStream();
      return true;
    });
    return serial;
  }
};

template <class Which>
long count(const peer_ptr& peer, Which which) {
  return std::ranges::count_if(peer->sent, [&](const auto& m) { return (m.template root<schema::ToMom>().*which)(); });
}
bool is_welcome(const peer_ptr& peer) { return count(peer, &schema::ToMom::Reader::isWelcome) > 0; }

// What the welcome says to a MoM that tells these vnodes.
std::string vnodes_refused(server& s, const peer_ptr& mom, const std::vector<std::string>& vnodes) {
  s.whole.says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                 auto h = m.initHello();
                 h.setHost(mom->peer().name);
                 const std::string uuid(16, 'm');
                 h.setLogUuid({reinterpret_cast<const kj::byte*>(uuid.data()), uuid.size()});
                 auto list = h.initVnodes(static_cast<unsigned>(vnodes.size()));
                 for (unsigned i = 0; i < list.size(); ++i) list[i].setName(vnodes[i]);
               }));
  std::string refused = "no welcome";
  for (const auto& m : mom->sent)
    if (const auto to = m.root<schema::ToMom>(); to.isWelcome()) refused = schema::str(to.getWelcome().getVnodesRefused());
  return refused;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hellos)

BOOST_AUTO_TEST_CASE(who_says_another_name_than_its_certificate_is_turned_away) {
  server s;
  const auto evil = server::mom("n1");
  s.whole.says(evil, schema::make<schema::FromMom>([](schema::FromMom::Builder m) { m.initHello().setHost("n2"); }));
  BOOST_TEST(evil->closed == "the certificate is of host n1, and it says that it is n2");
  BOOST_TEST(!s.is_up());
}

BOOST_AUTO_TEST_CASE(a_hello_that_waits_for_the_log_keeps_nobody_else_waiting) {
  server s;
  const auto n1 = server::mom("n1"), n2 = server::mom("n2");
  s.hello(n1, 1'000'000);
  BOOST_REQUIRE(s.checks->until_one_hangs());
  BOOST_TEST(s.answers_others());
  s.hello(n2, 0);
  BOOST_TEST(is_welcome(n2));
  BOOST_TEST(!is_welcome(n1));
  BOOST_TEST(s.stopped.empty());
  s.checks->open();
  BOOST_REQUIRE(s.whole.system.until([&] { return !s.stopped.empty(); }));
  BOOST_TEST(n1->closed == "the server's log is not what this host was told of: the server stops");
}

BOOST_AUTO_TEST_CASE(what_a_mom_says_after_its_hello_is_heard_after_it) {
  server s(true);
  const auto n1 = server::mom("n1");
  s.hello(n1, 5600, 999);  // a run of the lost part: kept, and the host is down until it has left
  BOOST_REQUIRE(s.checks->until_one_hangs());
  s.left(n1, 999);
  BOOST_TEST(n1->sent.empty());
  BOOST_TEST(n1->paused);
  s.checks->open();
  BOOST_REQUIRE(s.whole.system.until([&] { return count(n1, &schema::ToMom::Reader::isAck) > 0; }));
  BOOST_TEST(is_welcome(n1));
  BOOST_TEST(s.is_up());  // the run was kept first, and had left then
  BOOST_TEST(count(n1, &schema::ToMom::Reader::isDiscardRun) == 0);
  BOOST_TEST(!n1->paused);
}

BOOST_AUTO_TEST_CASE(a_mom_that_goes_while_its_hello_waits_is_gone_afterwards_and_its_word_counts) {
  server s;
  const auto n1 = server::mom("n1"), again = server::mom("n1");
  s.hello(n1, 1'000'000);
  BOOST_REQUIRE(s.checks->until_one_hangs());
  caf::anon_send(s.whole.whole->gateway(), actors::peer_closed{n1, "lost"});
  s.hello(again, 0);  // behind the first
  BOOST_TEST(again->sent.empty());
  s.checks->open();
  BOOST_REQUIRE(s.whole.system.until([&] { return is_welcome(again); }));
  BOOST_TEST(s.stopped.size() == 1u);
  BOOST_TEST(again->closed.empty());
}

BOOST_AUTO_TEST_CASE(a_host_that_is_deleted_while_its_hello_waits_is_turned_away) {
  server s;
  const auto n1 = server::mom("n1");
  s.hello(n1, 1);
  BOOST_REQUIRE(s.checks->until_one_hangs());
  s.whole.ask([](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::DELETE);
    m.setKind(schema::ObjectKind::NODE);
    m.setName("n1");
  });
  s.checks->open();
  BOOST_REQUIRE(s.whole.system.until([&] { return !n1->closed.empty(); }));
  BOOST_TEST(n1->closed == "host n1 is no node of this cluster: qmgr -c 'create node n1'");
}

// So that it says hello again when it is a node again.
BOOST_AUTO_TEST_CASE(a_host_that_is_deleted_is_turned_away_and_no_other) {
  server s;
  const auto n1 = server::mom("n1"), n2 = server::mom("n2");
  s.hello(n1, 0);
  s.hello(n2, 0);
  s.whole.ask([](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::DELETE);
    m.setKind(schema::ObjectKind::NODE);
    m.setName("n1");
  });
  BOOST_TEST(n1->closed == "host n1 is no node of this cluster: qmgr -c 'create node n1'");
  BOOST_TEST(n2->closed.empty());
}

BOOST_AUTO_TEST_CASE(a_mom_hears_why_its_vnodes_were_refused_and_they_are_not_claimed) {
  server s;
  s.whole.set("max_vnodes_per_host", "2");
  const auto n1 = server::mom("n1");
  BOOST_TEST(vnodes_refused(s, n1, {"n1", "n1[0]", "n1[1]"}) ==
             "host n1 tells 3 vnodes and would have 3: max_vnodes_per_host allows 2; its vnodes stay as they were");
  BOOST_TEST(!s.is_up());
  BOOST_TEST(vnodes_refused(s, n1, {"n1", "n1[1]"}) == "");
  BOOST_TEST(s.is_up());
}

BOOST_AUTO_TEST_CASE(a_manager_lets_a_host_have_more_vnodes_than_the_default) {
  server s;
  s.whole.set("max_vnodes_per_host", "1002");
  const auto n1 = server::mom("n1");
  std::vector<std::string> vnodes{"n1"};
  for (int i = 0; i < 1001; ++i) vnodes.push_back("n1[" + std::to_string(i) + "]");
  BOOST_TEST(vnodes_refused(s, n1, vnodes) == "");
  BOOST_TEST(s.is_up());
}

// The log has the job, and says that it never ran: its run may be of the lost part.
BOOST_AUTO_TEST_CASE(the_history_of_a_job_is_read_after_a_loss_and_a_run_it_never_had_is_kept) {
  server s(true);
  const auto serial = s.submit();
  BOOST_REQUIRE(serial > 0u);
  const auto n1 = server::mom("n1");
  s.hello(n1, 0, serial);
  BOOST_REQUIRE(s.whole.system.until([&] { return is_welcome(n1); }));
  BOOST_TEST(count(n1, &schema::ToMom::Reader::isDiscardRun) == 0);
  s.left(n1, serial);  // nothing stays behind
  BOOST_REQUIRE(s.whole.system.until([&] { return count(n1, &schema::ToMom::Reader::isAck) > 0; }));
}

BOOST_AUTO_TEST_SUITE_END()
