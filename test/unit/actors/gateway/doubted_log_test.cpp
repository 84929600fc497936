// A log that was put there from a copy: no number is given before hosts have said whether they know more, or had the time to.
#include <boost/test/unit_test.hpp>

#include "events/log/losses.hpp"
#include "events/model/limits.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

const std::string own(16, 'u');  // as test::whole_server names its log

struct server {
  bool is_copy = false;
  int trusted = 0;
  std::vector<std::string> stopped;
  test::whole_server whole;

  server()
      : whole([this](actors::server_system_parts& p) {
          p.witnesses.signed_by_us = [](schema::byte_span, const std::string&, const std::string&) { return true; };
          p.witnesses.log_is_short = [this](const log::witness&, const std::string& text) { stopped.push_back(text); };
          p.witnesses.is_copy = is_copy;
          p.witnesses.trusted = [this] { ++trusted; };
        }) {
    for (const char* name : {"n1", "n2"}) whole.create_node(name);
  }
  void restart_as_a_copy() {
    is_copy = true;
    whole.restart();
  }
  std::shared_ptr<test::fake_peer> submit() {
    return whole.ask([](schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); }, "alice");
  }
  // knows: up to which record; 0: it has no mark.
  void hello(const char* host, std::uint64_t knows) {
    const auto mom = std::make_shared<test::fake_peer>(wire::identity::kind::mom, host);
    whole.says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                 auto h = m.initHello();
                 h.setHost(host);
                 const std::string uuid(16, 'm');
                 h.setLogUuid({reinterpret_cast<const kj::byte*>(uuid.data()), uuid.size()});
                 const auto mark = log::print({own, knows, {}, 0, 0});
                 if (knows > 0) h.initLogMark().setText({reinterpret_cast<const kj::byte*>(mark.data()), mark.size()});
               }));
    moms.push_back(mom);
  }
  std::uint64_t jobs() {
    std::uint64_t n = 0;
    (void)log::log_reader(whole.store).read(1, [&](const log::record_ptr& r) {
      n += schema::is(r->event(), schema::JobEvent::QUEUED);
      return true;
    });
    return n;
  }
  std::vector<std::shared_ptr<test::fake_peer>> moms;
};

bool is_done(const std::shared_ptr<test::fake_peer>& peer) {
  return !peer->sent.empty() && peer->sent.at(0).root<schema::Reply>().isDone();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(doubted_logs)

BOOST_AUTO_TEST_CASE(after_any_other_start_nothing_waits) {
  server s;
  s.whole.restart();
  BOOST_TEST(is_done(s.submit()));
  BOOST_TEST(s.trusted == 0);
}

BOOST_AUTO_TEST_CASE(a_submission_waits_until_every_host_has_agreed) {
  server s;
  s.restart_as_a_copy();
  const auto client = s.submit();
  BOOST_TEST(client->sent.empty());
  BOOST_TEST(s.whole.ask([](schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::SERVER); })->sent.size() == 1u);
  s.hello("n1", 0);
  s.hello("n1", 0);
  BOOST_TEST(client->sent.empty());
  s.hello("n2", 0);
  BOOST_TEST(is_done(client));
  BOOST_TEST(s.trusted == 1);
  BOOST_TEST(is_done(s.submit()));
}

BOOST_AUTO_TEST_CASE(a_number_is_never_given_by_a_log_that_a_host_knows_more_of) {
  server s;
  s.restart_as_a_copy();
  const auto client = s.submit();
  const auto scheduler = s.whole.scheduler_comes("default");
  s.hello("n1", 0);
  s.hello("n2", 1'000'000);
  BOOST_TEST(s.stopped.size() == 1u);
  BOOST_TEST(client->sent.empty());
  BOOST_TEST(scheduler->sent.empty());
  BOOST_TEST(s.jobs() == 0u);
  BOOST_TEST(s.trusted == 0);
}

BOOST_AUTO_TEST_CASE(hosts_that_do_not_come_are_waited_for_no_longer_than_they_may_need) {
  server s;
  s.restart_as_a_copy();
  const auto client = s.submit(), gone = s.submit();
  caf::anon_send(s.whole.whole->gateway(), actors::peer_closed{gone, "gone"});
  const auto scheduler = s.whole.scheduler_comes("default");
  s.whole.system.scheduler().advance_time(std::chrono::seconds(limits::copy_wait_s - 1));
  s.whole.system.run();
  BOOST_TEST(client->sent.empty());
  BOOST_TEST(scheduler->sent.empty());
  s.whole.system.scheduler().advance_time(std::chrono::seconds(1));
  s.whole.system.run();
  BOOST_TEST(is_done(client));
  BOOST_TEST(!scheduler->sent.empty());
  BOOST_TEST(s.jobs() == 1u);  // who went before its turn asks again with its command id
  BOOST_TEST(s.trusted == 1);
}

BOOST_AUTO_TEST_SUITE_END()
