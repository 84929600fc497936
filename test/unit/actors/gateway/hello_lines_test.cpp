// What MoMs say is heard in the order in which it came, also while a hello waits.
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

#include "actors/gateway/hosts/hello_lines.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;
using actors::hello_lines;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;
peer_ptr mom(const char* host) { return std::make_shared<test::fake_peer>(wire::identity::kind::mom, host); }

struct ear {
  std::vector<std::string> heard;  // "n1 hello", "n1 7", "n1 gone"
  hello_lines lines{[this](hello_lines::item&& what) { hear(what); }};

  void hello(const peer_ptr& peer) {
    lines.put(hello_lines::said{peer, schema::make<schema::FromMom>([](schema::FromMom::Builder m) { m.initHello(); })});
  }
  void says(const peer_ptr& peer, std::uint32_t run) {
    lines.put(hello_lines::said{
        peer, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) { m.initRunUsage().initRef().setRun(run); })});
  }
  void is_gone(const peer_ptr& peer) { lines.put(actors::peer_closed{peer, "lost"}); }

 private:
  void hear(hello_lines::item& what) {
    if (const auto* gone = std::get_if<actors::peer_closed>(&what)) return heard.push_back(gone->peer->peer().name + " gone");
    const auto& [peer, message] = std::get<hello_lines::said>(what);
    const bool hello = message.get().isHello();
    heard.push_back(peer->peer().name + (hello ? " hello" : " " + std::to_string(message.get().getRunUsage().getRef().getRun())));
    if (hello) lines.hold(peer);  // each has to wait
  }
};

using texts = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hello_lines_, ear)

BOOST_AUTO_TEST_CASE(what_follows_a_hello_that_waits_is_heard_after_it_and_other_hosts_do_not_wait) {
  const auto n1 = mom("n1"), n2 = mom("n2");
  says(n1, 1);
  hello(n1);
  says(n1, 2);
  says(n2, 3);
  is_gone(n1);
  const auto before = texts{"n1 1", "n1 hello", "n2 3"};
  BOOST_TEST(heard == before, boost::test_tools::per_element());
  lines.go_on("n1");
  const auto after = texts{"n1 1", "n1 hello", "n2 3", "n1 2", "n1 gone"};
  BOOST_TEST(heard == after, boost::test_tools::per_element());
  BOOST_TEST(lines.hosts_waiting() == 0u);
  says(n1, 4);
  BOOST_TEST(heard.back() == "n1 4");
}

BOOST_AUTO_TEST_CASE(a_second_hello_of_the_host_waits_for_the_first_and_is_waited_for_itself) {
  const auto first = mom("n1"), second = mom("n1");
  hello(first);
  is_gone(first);
  hello(second);
  says(second, 1);
  lines.go_on("n1");
  const auto before = texts{"n1 hello", "n1 gone", "n1 hello"};
  BOOST_TEST(heard == before, boost::test_tools::per_element());
  BOOST_TEST(lines.hosts_waiting() == 1u);
  lines.go_on("n1");
  BOOST_TEST(heard.back() == "n1 1");
  BOOST_TEST(lines.hosts_waiting() == 0u);
}

BOOST_AUTO_TEST_CASE(who_waits_is_not_read_from) {
  const auto first = mom("n1"), second = mom("n1");
  hello(first);
  BOOST_TEST(first->paused);
  BOOST_TEST(!second->paused);
  hello(second);
  BOOST_TEST(second->paused);
  lines.go_on("n1");
  BOOST_TEST(first->paused);  // its host's line goes on
  lines.go_on("n1");
  BOOST_TEST(!first->paused);
  BOOST_TEST(!second->paused);
}

BOOST_AUTO_TEST_SUITE_END()
