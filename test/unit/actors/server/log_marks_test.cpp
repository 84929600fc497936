// MoMs as witnesses of the server's log, and what becomes of runs that a lost part of it has given.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "actors/runtime/mark_keeper.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

const std::string own(16, 'u');  // as test::whole_server names its log

struct heard {
  std::vector<std::string> stopped;
  std::vector<log::witness> witnesses;
};

// Signs with a word, and believes who has it.
actors::log_witnesses hears(heard& h, bool discard = false) {
  actors::log_witnesses w;
  w.sign = [](schema::byte_span) { return wire::signature{"the server's", ""}; };
  w.signed_by_us = [](schema::byte_span, const std::string& signature, const std::string&) { return signature == "the server's"; };
  w.log_is_short = [&h](const log::witness& witness, const std::string& text) {
    h.stopped.push_back(text);
    h.witnesses.push_back(witness);
  };
  w.discard_unknown_runs = discard;
  return w;
}

struct server : heard, test::whole_server {
  explicit server(std::optional<log::loss_to_accept> loss = {}, bool discard = false)
      : test::whole_server([&](actors::server_system_parts& parts) {
          parts.witnesses = hears(*this, discard);
          parts.loss = loss;
        }) {
    ask([](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(schema::ManageVerb::CREATE);
      m.setKind(schema::ObjectKind::NODE);
      m.setName("n1");
    });
  }

  std::shared_ptr<test::fake_peer> mom_comes(const std::string& mark, const std::string& signature = "the server's",
                                             std::uint64_t serial = 0) {
    auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
    says(peer, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
           auto hello = m.initHello();
           hello.setHost("n1");
           const std::string uuid(16, 'm');
           hello.setLogUuid({reinterpret_cast<const kj::byte*>(uuid.data()), uuid.size()});
           if (!mark.empty()) {
             hello.initLogMark().setText({reinterpret_cast<const kj::byte*>(mark.data()), mark.size()});
             hello.getLogMark().setSignature({reinterpret_cast<const kj::byte*>(signature.data()), signature.size()});
           }
           if (serial == 0) return;
           auto run = hello.initRuns(1)[0];
           run.setJobSerial(serial);
           run.setRun(1);
           run.setJob("7.borg");
         }));
    return peer;
  }
  bool n1_is_up() const {
    bool up = false;
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::HostEvent::CAME_UP) || schema::is(r->event(), schema::HostEvent::WENT_DOWN))
        up = schema::is(r->event(), schema::HostEvent::CAME_UP);
      return true;
    });
    return up;
  }
  log::log_mark mark() const {
    log::log_mark m{own, 0, {}, 0, 0};
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      log::advance(m, *r);
      m.head = r->hash();
      return true;
    });
    return m;
  }
};

template <class Which>
long count(const test::fake_peer& peer, Which which) {
  return std::count_if(peer.sent.begin(), peer.sent.end(), [&](const auto& m) { return (m.template root<schema::ToMom>().*which)(); });
}

std::string knows(std::uint64_t sequence) { return log::print({own, sequence, {}, 0, 0}); }

log::loss_to_accept some_loss() { return {{{"server_priv/log.mark", {own, 5600, {}, 900, 40}}}, "root", "borg"}; }

}  // namespace

BOOST_AUTO_TEST_CASE(a_mom_that_knows_what_the_log_has_is_welcome) {
  server s;
  const auto mom = s.mom_comes(log::print(s.mark()));
  BOOST_TEST(s.stopped.empty());
  BOOST_TEST(s.n1_is_up());
}

BOOST_AUTO_TEST_CASE(a_mom_that_knows_more_than_the_log_stops_the_server_before_a_run_is_discarded) {
  server s;
  const auto mom = s.mom_comes(knows(5600), "the server's", 999);
  BOOST_REQUIRE(s.stopped.size() == 1u);
  BOOST_TEST(s.stopped.front().find("host n1 knows record 5600, the log ends with record ") == 0u);
  BOOST_TEST(s.witnesses.front().mark.sequence == 5600u);
  BOOST_TEST(count(*mom, &schema::ToMom::Reader::isDiscardRun) == 0);
  BOOST_TEST(!s.n1_is_up());
}

BOOST_AUTO_TEST_CASE(a_mom_of_another_history_of_the_log_stops_the_server) {
  server s;
  auto mark = s.mark();
  mark.head[5] ^= std::byte{1};
  (void)s.mom_comes(log::print(mark));
  BOOST_TEST(s.stopped.size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_a_mom_says_without_the_server_s_signature_or_garbled_stops_nobody) {
  server s;
  (void)s.mom_comes(knows(5600), "its own");
  (void)s.mom_comes(knows(5600).substr(0, 70));
  (void)s.mom_comes("");
  BOOST_TEST(s.stopped.empty());
  BOOST_TEST(s.n1_is_up());
}

BOOST_AUTO_TEST_CASE(moms_are_told_how_far_the_log_is_durable_and_then_at_a_bounded_rate) {
  server s;
  const auto mom = s.mom_comes("");
  const auto marked = [&](std::uint64_t sequence) {
    auto mark = s.mark();
    mark.sequence = sequence;
    caf::anon_send(s.whole->gateway(), actors::log_marked{mark});
    s.system.run();
  };
  marked(1);
  marked(2);
  marked(3);
  BOOST_TEST(count(*mom, &schema::ToMom::Reader::isLogMark) == 1);
  const auto later = s.mom_comes("");  // who comes is told at once
  BOOST_TEST(count(*later, &schema::ToMom::Reader::isLogMark) == 1);
}

// A gateway that is gone in silence would be a server that hears nobody.
BOOST_AUTO_TEST_CASE(a_signature_that_can_not_be_made_stops_the_server_with_a_word) {
  std::vector<std::string> stopped;
  test::whole_server s([&](actors::server_system_parts& parts) {
    parts.witnesses.sign = [](schema::byte_span) -> wire::signature { throw wire::wire_error("no key"); };
    parts.stop_process = [&](const std::string& text) { stopped.push_back(text); };
  });
  caf::anon_send(s.whole->gateway(), actors::log_marked{{own, 1, {}, 1, 1}});
  s.system.run();
  BOOST_TEST(stopped == std::vector<std::string>{"the gateway failed: no key"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(after_an_accepted_loss_what_moms_knew_of_it_stops_nobody) {
  server s(some_loss());
  (void)s.mom_comes(knows(5650));  // it was told more than the mark knew
  BOOST_TEST(s.stopped.empty());
  BOOST_TEST(s.n1_is_up());
}

BOOST_AUTO_TEST_CASE(after_an_accepted_loss_numbers_are_above_what_was_lost) {
  server s(some_loss());
  const auto mark = s.mark();
  BOOST_TEST(mark.sequence > 5600u);
  BOOST_TEST(mark.last_stream > 900u);
  BOOST_TEST(mark.next_number >= 40u + limits::lost_job_numbers_max);
  BOOST_TEST(s.whole->ledger().next_job_number() == mark.next_number);
}

BOOST_AUTO_TEST_CASE(a_run_that_a_lost_part_may_have_given_is_kept_and_its_host_stays_down_until_it_has_left) {
  server s(some_loss());
  const auto mom = s.mom_comes("", "", 999);
  const auto ref = [](auto r) {
    r.setJobSerial(999);
    r.setRun(1);
    r.setJob("7.borg");
  };
  s.says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) { ref(m.initRunUsage().initRef()); }));
  s.says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) { ref(m.initRunExited().initRef()); }));
  BOOST_TEST(count(*mom, &schema::ToMom::Reader::isDiscardRun) == 0);
  BOOST_TEST(!s.n1_is_up());
  s.says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) { ref(m.initRunLeft().initRef()); }));
  BOOST_TEST(count(*mom, &schema::ToMom::Reader::isAck) == 2);  // the MoM may forget it
  BOOST_TEST(s.n1_is_up());
}

BOOST_AUTO_TEST_CASE(a_run_of_the_lost_part_is_discarded_when_the_administrator_says_so) {
  server s(some_loss(), true);
  const auto mom = s.mom_comes("", "", 999);
  BOOST_TEST(count(*mom, &schema::ToMom::Reader::isDiscardRun) == 1);
}

BOOST_AUTO_TEST_CASE(a_run_that_no_lost_part_can_have_given_is_discarded_as_ever) {
  server s(some_loss());
  const auto mom = s.mom_comes("", "", s.mark().last_stream + 1000);
  BOOST_TEST(count(*mom, &schema::ToMom::Reader::isDiscardRun) == 1);
}

BOOST_AUTO_TEST_CASE(the_mark_beside_the_log_follows_what_is_durable_and_is_never_ahead_of_it) {
  server s;
  const test::temporary_directory directory;
  const auto file = directory.at("log.mark");
  std::vector<std::string> noted;
  actors::mark_keeper keeper({file, own, &s.store, [&](const std::string& text) { noted.push_back(text); }});
  const auto kept = [&] { return std::get<log::log_mark>(log::read_mark_file(file)); };
  BOOST_TEST(keeper.write_all());  // also with nothing replayed
  BOOST_CHECK(kept() == s.mark());

  std::vector<log::record_ptr> last;
  (void)log::log_reader(s.store).read(1, [&](const log::record_ptr& r) {
    last = {r};
    return true;
  });
  keeper.follow(std::make_shared<const std::vector<log::record_ptr>>(last));  // heard again: nothing new
  BOOST_TEST(keeper.write());
  BOOST_CHECK(kept() == s.mark());
  BOOST_TEST(!log::lacking(s.store, own, {"the mark", kept()}).has_value());

  (void)s.mom_comes("");  // writes records
  std::filesystem::create_directory(file + ".new");
  BOOST_TEST(!keeper.write_all());  // it can't be written: the old one stays, and it is said
  BOOST_TEST(noted.size() == 1u);
  BOOST_TEST(kept().sequence < s.mark().sequence);
  std::filesystem::remove(file + ".new");
  BOOST_TEST(keeper.write_all());
  BOOST_CHECK(kept() == s.mark());
}
