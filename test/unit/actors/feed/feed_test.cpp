// The server's end of the feed: what followers are sent, and when.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "actors/feed/feed_actor.hpp"
#include "actors/feed/feed_position.hpp"
#include "actors/link/peer_messages.hpp"
#include "actors/link/wire/wire_limits.hpp"
#include "actors/runtime/messages.hpp"
#include "events/schema/daemon/feed.capnp.h"
#include "test/support/fake_peer.hpp"
#include "test/support/written_log.hpp"

using namespace annals;

namespace {

const std::string own_log(16, 'u');

using peer_ptr = std::shared_ptr<test::fake_peer>;

struct feed {
  test::written_log log;
  test::stepped_system system;
  std::vector<std::string> notes;
  caf::actor actor;

  explicit feed(std::size_t followers_max = 16, std::size_t message_bytes = 1 << 18, std::size_t unacknowledged_bytes = 1 << 20) {
    actors::feed_parts parts;
    parts.log = &log.store;
    parts.identity = own_log;
    parts.note = [this](const std::string& text) { notes.push_back(text); };
    parts.followers_max = followers_max;
    parts.message_bytes = message_bytes;
    parts.unacknowledged_bytes = unacknowledged_bytes;
    actor = system->spawn(actors::feed_actor, parts);
    log.write_start(own_log);
  }
  ~feed() { system.end({actor}); }

  static peer_ptr host(const char* name = "portal") { return std::make_shared<test::fake_peer>(wire::identity::kind::follower, name); }

  template <class Fill>
  void say(const peer_ptr& peer, const Fill& fill) {
    caf::anon_send(actor, actors::peer_frame{peer, schema::make<schema::FromFollower>(fill)});
    system.run();
  }
  void hello(const peer_ptr& peer, std::uint64_t sequence = 0, const std::string& uuid = own_log, std::optional<log::chain_hash> head = {},
             const char* protocol = actors::feed_protocol) {
    if (!head && sequence > 0) head = hash_at(sequence);
    say(peer, [&](schema::FromFollower::Builder m) {
      auto h = m.initHello();
      h.setProtocol(protocol);
      h.setLogUuid({reinterpret_cast<const kj::byte*>(uuid.data()), uuid.size()});
      h.setSequence(sequence);
      if (head) h.setHead({reinterpret_cast<const kj::byte*>(head->data()), head->size()});
    });
  }
  void taken(const peer_ptr& peer, std::uint64_t sequence) {
    say(peer, [&](schema::FromFollower::Builder m) { m.setTaken(sequence); });
  }
  void commit(const char* queue) {
    caf::anon_send(actor, actors::committed{log.write_queue(queue)});
    system.run();
  }
  void gone(const peer_ptr& peer, const std::string& why) {
    caf::anon_send(actor, actors::peer_closed{peer, why});
    system.run();
  }
  void pass_minute() {
    system.scheduler().advance_time(std::chrono::milliseconds(limits::complaint_ms));
    system.run();
  }
  log::chain_hash hash_at(std::uint64_t sequence) const {
    log::chain_hash hash{};
    (void)log::log_reader(log.store).read(sequence, [&](const log::record_ptr& r) {
      hash = r->hash();
      return false;
    });
    return hash;
  }

  // "2 3 ": the sequences that it was sent; each as the log has it.
  std::string sent_to(const peer_ptr& peer) const {
    std::string all;
    for (const auto& m : peer->sent) {
      const auto word = m.root<schema::ToFollower>();
      if (!word.isRecords()) continue;
      for (const auto bytes : word.getRecords().getRecords()) {
        const auto decoded = log::decode(schema::bytes_of(bytes));
        const auto* r = std::get_if<log::record_ptr>(&decoded);
        BOOST_REQUIRE(r);
        BOOST_TEST(((*r)->hash() == hash_at((*r)->sequence())));
        all += std::to_string((*r)->sequence()) + " ";
      }
    }
    return all;
  }
  static std::uint64_t last_told(const peer_ptr& peer) { return peer->sent.back().root<schema::ToFollower>().getRecords().getLast(); }
  // Why it was refused, and whether for good: "why", "why (for good)".
  static std::string refusal_of(const peer_ptr& peer) {
    if (peer->sent.empty() || !peer->sent.back().root<schema::ToFollower>().isRefused()) return {};
    const auto refused = peer->sent.back().root<schema::ToFollower>().getRefused();
    return schema::str(refused.getText()) + (refused.getForGood() ? " (for good)" : "");
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(feed_of_the_log)

BOOST_AUTO_TEST_CASE(a_new_follower_gets_all_and_then_what_is_committed) {
  feed f;
  f.log.write_queue("a");
  const auto portal = feed::host();
  f.hello(portal);
  BOOST_TEST(f.sent_to(portal) == "1 2 ");
  BOOST_TEST(feed::last_told(portal) == 2u);
  f.commit("b");
  BOOST_TEST(f.sent_to(portal) == "1 2 3 ");
  BOOST_TEST(f.notes.at(0) == "the follower on portal reads the log behind record 0");
}

BOOST_AUTO_TEST_CASE(one_that_has_a_copy_gets_what_is_behind_it) {
  feed f;
  f.log.write_queue("a");
  f.log.write_queue("b");
  const auto portal = feed::host();
  f.hello(portal, 2);
  BOOST_TEST(f.sent_to(portal) == "3 ");
  const auto complete = feed::host();
  f.hello(complete, 3);
  BOOST_TEST(f.sent_to(complete) == "");
  BOOST_REQUIRE(complete->sent.size() == 1u);  // that it is let in, and how far the log goes
  BOOST_TEST(feed::last_told(complete) == 3u);
}

BOOST_AUTO_TEST_CASE(who_has_what_was_committed_costs_nothing) {
  feed f;
  const auto known = f.log.write_queue("a");
  const auto portal = feed::host();
  f.hello(portal, 2);
  const auto sent = portal->sent.size();
  caf::anon_send(f.actor, actors::committed{known});
  f.system.run();
  BOOST_TEST(portal->sent.size() == sent);
}

BOOST_AUTO_TEST_CASE(a_copy_that_the_log_does_not_continue_is_refused_for_good) {
  feed f;
  f.log.write_queue("a");
  const auto refusal = [&](std::uint64_t sequence, const std::string& uuid, std::optional<log::chain_hash> head) {
    const auto portal = feed::host();
    f.hello(portal, sequence, uuid, head);
    BOOST_TEST(!portal->is_open());
    BOOST_TEST(f.sent_to(portal) == "");
    return feed::refusal_of(portal);
  };
  const std::string other(16, 'o');
  BOOST_TEST(refusal(0, other, {}).starts_with("the copy is of log 6f6f6f"));
  BOOST_TEST(refusal(0, std::string(1 << 20, 'o'), {}) == "what the copy says of its log is no identity (for good)");
  BOOST_TEST(refusal(UINT64_MAX, own_log, log::chain_hash{}).starts_with("the copy goes up to record 18446744073709551615, and the log"));
  BOOST_TEST(refusal(9, own_log, log::chain_hash{}) ==
             "the copy goes up to record 9, and the log ends with record 2: it is older than the copy (for good)");
  BOOST_TEST(refusal(2, own_log, f.hash_at(1)).starts_with("the copy ends with another record 2 than the log has: "));
  BOOST_TEST(refusal(2, own_log, f.hash_at(1)).ends_with(" (for good)"));
  BOOST_TEST(f.notes.back().starts_with("the follower on portal is refused: the copy ends with another record 2"));
}

BOOST_AUTO_TEST_CASE(a_copy_of_records_that_an_accepted_loss_took_is_refused) {
  feed f;
  f.log.writer->skip_lost(1000, 500);
  f.log.write([](schema::Event::Builder e) { e.initLog().initLossAccepted().setLastSequence(1); });
  const auto portal = feed::host();
  f.hello(portal, 7, own_log, log::chain_hash{});
  BOOST_TEST(feed::refusal_of(portal) == "the copy ends with record 7, which the log does not have (for good)");
  const auto sound = feed::host();
  f.hello(sound, 1);
  BOOST_TEST(f.sent_to(sound) == "1000 ");
}

BOOST_AUTO_TEST_CASE(what_is_no_follower_is_refused) {
  feed f;
  const auto other = feed::host();
  f.hello(other, 0, own_log, {}, "");
  BOOST_TEST(feed::refusal_of(other).starts_with("what has its certificate does not say \"annals feed 1\""));
  const auto early = feed::host();
  f.taken(early, 1);
  BOOST_TEST(early->closed == "a word that no follower says here");
  const auto twice = feed::host();
  f.hello(twice);
  f.hello(twice);
  BOOST_TEST(twice->closed == "a word that no follower says here");
}

BOOST_AUTO_TEST_CASE(no_more_is_on_its_way_than_may_be) {
  feed f(16, 1, 1);  // a record in each message, a message on its way
  for (const char* name : {"a", "b", "c"}) f.log.write_queue(name);
  const auto portal = feed::host();
  f.hello(portal);
  BOOST_TEST(f.sent_to(portal) == "1 ");
  f.commit("d");
  BOOST_TEST(f.sent_to(portal) == "1 ");
  for (std::uint64_t n = 1; n <= 5; ++n) f.taken(portal, n);
  BOOST_TEST(f.sent_to(portal) == "1 2 3 4 5 ");
  BOOST_TEST(feed::last_told(portal) == 5u);
}

BOOST_AUTO_TEST_CASE(who_does_not_take_holds_up_nobody) {
  feed f(16, 1, 1);
  f.log.write_queue("a");
  const auto slow = feed::host("slow"), quick = feed::host("quick");
  f.hello(slow);
  f.hello(quick);
  f.taken(quick, 1);
  f.taken(quick, 2);
  f.commit("b");
  BOOST_TEST(f.sent_to(slow) == "1 ");
  BOOST_TEST(f.sent_to(quick) == "1 2 3 ");
}

BOOST_AUTO_TEST_CASE(who_takes_what_he_was_not_sent_is_refused) {
  feed f;
  const auto portal = feed::host();
  f.hello(portal);
  f.taken(portal, 2);
  BOOST_TEST(feed::refusal_of(portal) == "it says that it has record 2, which it was not sent");
}

BOOST_AUTO_TEST_CASE(an_acknowledgement_makes_no_message_of_what_was_not_told_yet) {
  feed f;
  const auto portal = feed::host();
  f.hello(portal);
  const auto told = f.log.write_queue("a");
  f.taken(portal, 1);
  BOOST_TEST(f.sent_to(portal) == "1 ");
  const auto told_later = f.log.write_queue("b");
  for (const auto& records : {told, told_later}) {
    caf::anon_send(f.actor, actors::committed{records});
    f.system.run();
    BOOST_TEST(f.sent_to(portal) == (records == told ? "1 2 " : "1 2 3 "));
  }
}

BOOST_AUTO_TEST_CASE(who_is_level_gets_what_was_committed_as_the_log_has_it) {
  feed f(16, 1000);  // some records in a message
  const auto portal = feed::host(), behind = feed::host("behind");
  f.hello(portal);
  auto records = std::make_shared<std::vector<log::record_ptr>>();
  const auto add = [&](const std::string& name) { records->push_back(f.log.write_queue(name.c_str())->front()); };
  add("a");
  add("b");
  f.hello(behind);  // has been sent both already
  caf::anon_send(f.actor, actors::committed{records});
  f.system.run();
  BOOST_TEST(f.sent_to(portal) == "1 2 3 ");
  BOOST_TEST(f.sent_to(behind) == "1 2 3 ");
  records = std::make_shared<std::vector<log::record_ptr>>();
  for (int n = 0; n < 20; ++n) add("q" + std::to_string(n));  // more than a message has room for
  caf::anon_send(f.actor, actors::committed{records});
  f.system.run();
  BOOST_TEST(f.sent_to(portal).ends_with(" 22 23 "));
  BOOST_TEST(f.sent_to(portal) == f.sent_to(behind));
}

BOOST_AUTO_TEST_CASE(who_asks_again_and_again_is_answered_once) {
  feed f;
  f.log.write_queue("a");
  const auto portal = feed::host();
  f.hello(portal);
  for (int n = 0; n < 1000; ++n) f.taken(portal, 1);
  BOOST_TEST(f.sent_to(portal) == "1 2 ");
  BOOST_TEST(portal->is_open());
}

BOOST_AUTO_TEST_CASE(of_a_host_the_newest_is_fed) {
  feed f(2);
  std::vector<peer_ptr> all;
  for (int n = 0; n < 5; ++n) f.hello(all.emplace_back(feed::host()));
  const auto other = feed::host("other");
  f.hello(other);
  f.commit("a");
  BOOST_TEST(feed::refusal_of(all.front()) == "another one has come from its host");
  BOOST_TEST(!all.front()->is_open());
  BOOST_TEST(f.sent_to(all.back()) == "1 2 ");
  BOOST_TEST(f.sent_to(other) == "1 2 ");
}

BOOST_AUTO_TEST_CASE(there_are_no_more_followers_than_may_be) {
  feed f(1);
  const auto first = feed::host(), second = feed::host("other");
  f.hello(first);
  f.hello(second);
  BOOST_TEST(feed::refusal_of(second) == "there are 1 followers, and no server feeds more");
  caf::anon_send(f.actor, actors::peer_closed{first, "peer silent for 10 s"});
  f.system.run();
  BOOST_TEST(f.notes.back() == "the follower on portal is gone, behind record 1: peer silent for 10 s");
  const auto third = feed::host("third");
  f.hello(third);
  BOOST_TEST(f.sent_to(third) == "1 ");
  f.commit("a");
  BOOST_TEST(f.sent_to(first) == "1 ");
}

BOOST_AUTO_TEST_CASE(the_log_has_one_that_comes_and_goes_once_a_minute_with_a_count) {
  feed f;
  const auto come_and_go = [&](const char* host) {
    const auto peer = feed::host(host);
    f.hello(peer);
    f.gone(peer, "closed by the peer");
  };
  for (int n = 0; n < 50; ++n) come_and_go("n1");
  come_and_go("n2");
  const std::vector<std::string> first = {
      "the follower on n1 reads the log behind record 0", "the follower on n1 is gone, behind record 1: closed by the peer",
      "the follower on n2 reads the log behind record 0", "the follower on n2 is gone, behind record 1: closed by the peer"};
  BOOST_TEST(f.notes == first, boost::test_tools::per_element());
  f.notes.clear();
  f.pass_minute();
  const std::vector<std::string> counts = {"the follower on n1 is gone, behind record 1: closed by the peer (49 times more)",
                                           "the follower on n1 reads the log behind record 0 (49 times more)"};
  BOOST_TEST(f.notes == counts, boost::test_tools::per_element());
  f.notes.clear();
  f.pass_minute();
  f.pass_minute();
  BOOST_TEST(f.notes.empty());
  come_and_go("n1");
  BOOST_TEST(f.notes.size() == 2u);
}

BOOST_AUTO_TEST_CASE(the_log_has_each_reason_of_a_refusal_once_a_minute_and_not_that_its_connection_ended) {
  feed f;
  for (std::uint64_t sequence = 100; sequence < 150; ++sequence) {
    const auto portal = feed::host();
    f.hello(portal, sequence, own_log, log::chain_hash{});
    f.gone(portal, portal->closed);
  }
  const auto other = feed::host();
  f.hello(other, 0, own_log, {}, "");
  BOOST_REQUIRE(f.notes.size() == 2u);
  BOOST_TEST(f.notes[0].starts_with("the follower on portal is refused: the copy goes up to record 100, and the log ends with record 1"));
  BOOST_TEST(f.notes[1].starts_with("the follower on portal is refused: what has its certificate does not say"));
  f.pass_minute();
  BOOST_REQUIRE(f.notes.size() == 3u);
  BOOST_TEST(f.notes[2].starts_with("the follower on portal is refused: the copy goes up to record 149, "), f.notes[2]);
  BOOST_TEST(f.notes[2].ends_with(" (49 times more)"), f.notes[2]);
}

BOOST_AUTO_TEST_SUITE_END()
