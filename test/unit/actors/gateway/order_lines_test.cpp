// What hosts are owed leaves in the order in which it came, also behind an order that must be signed.
#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <vector>

#include "actors/gateway/hosts/order_lines.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;
using actors::order_lines;

namespace {

actors::post_to_host start(const std::string& host, const char* key, unsigned sisters) {
  return {host, {0, {key}}, schema::make<schema::ToMom>([&](schema::ToMom::Builder m) { m.initStartRun().initSisters(sisters); })};
}
actors::withdraw_from_host withdrawn(const std::string& host, const char* key) { return {host, {0, {key}}}; }
actors::mom_connected hello(const std::string& host) {
  return {std::make_shared<test::fake_peer>(wire::identity::kind::mom, host), {}, {}, {}, {}};
}
actors::mom_gone gone(const actors::mom_connected& m) { return {m.peer, "link lost"}; }
actors::post_to_host signal(const std::string& host, const char* key) {
  return {host, {0, {key}}, schema::make<schema::ToMom>([](schema::ToMom::Builder m) { m.initSignalRun(); })};
}
schema::sealed<schema::ToMom> with_a_ticket() {
  return schema::make<schema::ToMom>([](schema::ToMom::Builder m) { m.initStartRun().initTicket().setCertificate("c"); });
}

struct outgoing {
  std::string left;  // "n1:a n1:-a ", a ! behind what has a ticket
  std::vector<std::function<void()>> at_the_signer;
  order_lines lines{{
      [this](const actors::post_to_host&, std::function<void(order_lines::order)> then) {
        at_the_signer.push_back([then] { then(with_a_ticket()); });
      },
      [this](const std::string& host, order_lines::item&& what) {
        left += host + ":" + std::visit([](const auto& w) { return word_for(w); }, what) + " ";
      },
  }};
  static std::string word_for(const actors::post_to_host& p) {
    const auto m = p.message.get();
    return std::string(p.key.what.name) + (m.isStartRun() && m.getStartRun().getTicket().getCertificate().size() > 0 ? "!" : "");
  }
  static std::string word_for(const actors::withdraw_from_host& w) { return "-" + std::string(w.key.what.name); }
  static std::string word_for(const actors::mom_connected&) { return "hello"; }
  static std::string word_for(const actors::mom_gone&) { return "gone"; }
  void sign_next() {
    const auto next = at_the_signer.front();
    at_the_signer.erase(at_the_signer.begin());
    next();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(lines_of_orders)

BOOST_AUTO_TEST_CASE(what_needs_no_ticket_leaves_at_once) {
  outgoing o;
  o.lines.put(start("n1", "a", 0));
  o.lines.put(signal("n1", "b"));
  o.lines.put(withdrawn("n1", "a"));
  BOOST_TEST(o.left == "n1:a n1:b n1:-a ");
  BOOST_TEST(o.at_the_signer.empty());
}

BOOST_AUTO_TEST_CASE(what_follows_an_order_that_is_being_signed_comes_after_it) {
  outgoing o;
  o.lines.put(start("n1", "a", 2));
  o.lines.put(signal("n1", "b"));
  o.lines.put(withdrawn("n1", "a"));
  BOOST_TEST(o.left == "");
  o.sign_next();
  BOOST_TEST(o.left == "n1:a! n1:b n1:-a ");
  BOOST_TEST(o.lines.hosts_waiting() == 0u);
  o.lines.put(signal("n1", "c"));
  BOOST_TEST(o.left == "n1:a! n1:b n1:-a n1:c ");
}

BOOST_AUTO_TEST_CASE(a_mom_that_comes_or_goes_is_told_after_what_was_posted_before) {
  outgoing o;
  const auto first = hello("n1"), second = hello("n1");
  o.lines.put(start("n1", "a", 2));
  o.lines.put(signal("n1", "b"));
  o.lines.put(first);
  o.lines.put(gone(first));
  o.lines.put(second);
  o.lines.put(signal("n1", "c"));
  o.lines.put(hello("n2"));
  BOOST_TEST(o.left == "n2:hello ");
  o.sign_next();
  BOOST_TEST(o.left == "n2:hello n1:a! n1:b n1:hello n1:gone n1:hello n1:c ");
}

BOOST_AUTO_TEST_CASE(other_hosts_do_not_wait) {
  outgoing o;
  o.lines.put(start("n1", "a", 1));
  o.lines.put(signal("n2", "b"));
  o.lines.put(withdrawn("n3", "c"));
  BOOST_TEST(o.left == "n2:b n3:-c ");
  BOOST_TEST(o.lines.hosts_waiting() == 1u);
}

BOOST_AUTO_TEST_CASE(one_order_of_a_host_is_signed_at_a_time) {
  outgoing o;
  o.lines.put(start("n1", "a", 1));
  o.lines.put(start("n1", "b", 1));
  o.lines.put(signal("n1", "c"));
  o.lines.put(start("n2", "d", 1));
  BOOST_TEST(o.at_the_signer.size() == 2u);  // of n1 and n2
  o.sign_next();
  BOOST_TEST(o.left == "n1:a! ");
  o.sign_next();
  BOOST_TEST(o.left == "n1:a! n2:d! ");
  o.sign_next();
  BOOST_TEST(o.left == "n1:a! n2:d! n1:b! n1:c ");
  BOOST_TEST(o.lines.hosts_waiting() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
