// qterm -m: the server's MoMs end before it does (pbs guide: qterm).
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <string>

#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;

struct server {
  bool ended = false;
  test::whole_server whole{[this](actors::server_system_parts& p) { p.shut_down = [this](const std::string&) { ended = true; }; }};

  peer_ptr mom(const std::string& host) {
    whole.create_node(host);
    return whole.hello_of(host);
  }
  peer_ptr qterm(bool moms, bool schedulers = false, const std::string& how = "quick", std::uint32_t uid = 1000) {
    const auto who = std::make_shared<test::fake_peer>(wire::identity::kind::local, uid == 1000 ? "root" : "bob");
    who->who.uid = uid;  // 1000: the server's own user is root to it
    whole.says(who, schema::make<schema::Request>([&](schema::Request::Builder r) {
                 auto s = r.initShutdown();
                 s.setHow(how);
                 s.setMoms(moms);
                 s.setSchedulers(schedulers);
               }));
    return who;
  }
  void closed(const peer_ptr& peer) {
    caf::anon_send(whole.whole->gateway(), actors::peer_closed{peer, "link lost"});
    whole.system.run();
  }
};

bool told_to_end(const peer_ptr& mom) {
  return std::ranges::any_of(mom->sent, [](const auto& m) { return m.template root<schema::ToMom>().isShutDown(); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ends_of_moms)

BOOST_AUTO_TEST_CASE(qterm_leaves_moms_and_qterm_m_ends_them_before_the_server) {
  for (const std::string how : {"quick", "immediate", "delay"}) {
    {
      server s;
      const auto n1 = s.mom("n1");
      s.qterm(false, false, how);
      BOOST_TEST(s.ended);
      BOOST_TEST(!told_to_end(n1));
    }
    server s;
    const auto n1 = s.mom("n1"), n2 = s.mom("n2");
    const auto reply = s.qterm(true, false, how);
    BOOST_TEST(reply->sent.at(0).root<schema::Reply>().isDone());  // it is not kept waiting
    BOOST_TEST(told_to_end(n1));
    BOOST_TEST(told_to_end(n2));
    s.closed(n1);
    BOOST_TEST(!s.ended);
    s.closed(n2);
    BOOST_TEST(s.ended);
  }
}

BOOST_AUTO_TEST_CASE(only_operators_end_moms) {
  server s;
  const auto n1 = s.mom("n1");
  const auto reply = s.qterm(true, false, "quick", 1001);
  BOOST_TEST(reply->sent.at(0).root<schema::Reply>().isRejected());
  BOOST_TEST(!told_to_end(n1));
  BOOST_TEST(!s.ended);
}

BOOST_AUTO_TEST_CASE(a_host_that_is_away_or_does_not_end_is_not_waited_for_for_ever) {
  {
    server s;
    s.whole.create_node("n1");  // its MoM has never come
    s.qterm(true);
    BOOST_TEST(s.ended);
  }
  server s;
  const auto n1 = s.mom("n1");
  s.qterm(true);
  BOOST_TEST(told_to_end(n1));
  BOOST_TEST(!s.ended);
  s.whole.system.scheduler().advance_time(std::chrono::seconds(5));
  s.whole.system.run();
  BOOST_TEST(s.ended);
}

BOOST_AUTO_TEST_CASE(a_mom_that_comes_meanwhile_ends_too) {
  server s;
  const auto n1 = s.mom("n1");
  s.whole.create_node("n2");
  s.qterm(true);
  const auto n2 = s.whole.hello_of("n2");
  BOOST_TEST(told_to_end(n2));
  s.closed(n1);
  BOOST_TEST(!s.ended);
  s.closed(n2);
  BOOST_TEST(s.ended);
}

BOOST_AUTO_TEST_CASE(schedulers_end_before_moms) {  // those on other hosts are ended by their MoMs
  server s;
  const auto n1 = s.mom("n1");
  const auto scheduler = s.whole.scheduler_comes("default");
  s.qterm(true, true);
  BOOST_TEST(!told_to_end(n1));
  s.closed(scheduler);
  BOOST_TEST(told_to_end(n1));
  BOOST_TEST(!s.ended);
  s.closed(n1);
  BOOST_TEST(s.ended);
}

BOOST_AUTO_TEST_SUITE_END()
