// What hosts are owed leaves in the order in which it came, also behind an order that must be signed.
#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <vector>

#include "actors/gateway/order_lines.hpp"

using namespace annals;
using actors::order_lines;

namespace {

actors::post_to_host start(const std::string& host, const std::string& key, unsigned sisters) {
  return {host, key, schema::make<schema::ToMom>([&](schema::ToMom::Builder m) { m.initStartRun().initSisters(sisters); })};
}
actors::post_to_host signal(const std::string& host, const std::string& key) {
  return {host, key, schema::make<schema::ToMom>([](schema::ToMom::Builder m) { m.initSignalRun(); })};
}
schema::sealed<schema::ToMom> with_a_ticket() {
  return schema::make<schema::ToMom>([](schema::ToMom::Builder m) { m.initStartRun().initTicket().setCertificate("c"); });
}

struct outgoing {
  std::string left;                                        // "n1:a n1:-a ", a ! behind what has a ticket
  std::vector<std::function<void()>> at_the_signer;
  order_lines lines{{
      [this](const actors::post_to_host&, std::function<void(order_lines::order)> then) { at_the_signer.push_back([then] { then(with_a_ticket()); }); },
      [this](actors::post_to_host&& p) {
        const auto m = p.message.get();
        left += p.host + ":" + p.key + (m.isStartRun() && m.getStartRun().getTicket().getCertificate().size() > 0 ? "! " : " ");
      },
      [this](actors::withdraw_from_host&& w) { left += w.host + ":-" + w.key + " "; },
  }};
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
  o.lines.post(start("n1", "a", 0));
  o.lines.post(signal("n1", "b"));
  o.lines.withdraw({"n1", "a"});
  BOOST_TEST(o.left == "n1:a n1:b n1:-a ");
  BOOST_TEST(o.at_the_signer.empty());
}

BOOST_AUTO_TEST_CASE(what_follows_an_order_that_is_being_signed_comes_after_it) {
  outgoing o;
  o.lines.post(start("n1", "a", 2));
  o.lines.post(signal("n1", "b"));
  o.lines.withdraw({"n1", "a"});
  BOOST_TEST(o.left == "");
  o.sign_next();
  BOOST_TEST(o.left == "n1:a! n1:b n1:-a ");
  BOOST_TEST(o.lines.hosts_waiting() == 0u);
  o.lines.post(signal("n1", "c"));
  BOOST_TEST(o.left == "n1:a! n1:b n1:-a n1:c ");
}

BOOST_AUTO_TEST_CASE(other_hosts_do_not_wait) {
  outgoing o;
  o.lines.post(start("n1", "a", 1));
  o.lines.post(signal("n2", "b"));
  o.lines.withdraw({"n3", "c"});
  BOOST_TEST(o.left == "n2:b n3:-c ");
  BOOST_TEST(o.lines.hosts_waiting() == 1u);
}

BOOST_AUTO_TEST_CASE(one_order_of_a_host_is_signed_at_a_time) {
  outgoing o;
  o.lines.post(start("n1", "a", 1));
  o.lines.post(start("n1", "b", 1));
  o.lines.post(signal("n1", "c"));
  o.lines.post(start("n2", "d", 1));
  BOOST_TEST(o.at_the_signer.size() == 2u);                // of n1 and n2
  o.sign_next();
  BOOST_TEST(o.left == "n1:a! ");
  o.sign_next();
  BOOST_TEST(o.left == "n1:a! n2:d! ");
  o.sign_next();
  BOOST_TEST(o.left == "n1:a! n2:d! n1:b! n1:c ");
  BOOST_TEST(o.lines.hosts_waiting() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
