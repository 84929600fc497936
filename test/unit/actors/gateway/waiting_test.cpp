// While a name service hangs for one, the server answers everybody else.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>

#include "events/log/record.hpp"
#include "events/model/limits.hpp"
#include "test/support/hanging.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;

// Says at once that a user is in "staff", and of "slow..." nothing until it is let.
struct slow_groups {
  test::hanging slow;

  std::vector<std::string> of(const std::string& user) {
    if (user.starts_with("slow")) slow.call();
    return {"users", "staff"};
  }
};

struct server {
  std::shared_ptr<slow_groups> directory = std::make_shared<slow_groups>();
  test::whole_server whole;

  explicit server(bool helpers_have_threads = true)
      : whole([this, helpers_have_threads](actors::server_system_parts& p) {
          p.groups_of = [d = directory](const std::string& user, std::uint32_t) { return d->of(user); };
          p.helpers_detached = helpers_have_threads;
        }) {}
  ~server() { directory->slow.open(); }

  peer_ptr client(const std::string& user) {
    auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::local, user);
    peer->who.uid = 2000;
    return peer;
  }
  // A submission that asks for a group of the user's.
  void submit(const peer_ptr& peer, const std::string& group = "staff") {
    whole.says(peer, schema::make<schema::Request>([&](schema::Request::Builder r) {
                 auto q = r.initQueueJob();
                 q.setSubmitHost("borg");
                 auto list = q.initAttributes(2);
                 list[0].setName("Job_Name");
                 list[0].setValue("one");
                 list[1].setName("group_list");
                 list[1].setValue(group);
               }));
  }
  static std::string said(const peer_ptr& peer) {
    const auto r = peer->sent.at(0).root<schema::Reply>();
    return r.isDone() ? "done" : schema::str(r.getRejected().getText());
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(waiting_for_a_directory)

BOOST_AUTO_TEST_CASE(one_look_up_that_hangs_keeps_nobody_else_waiting) {
  server s;
  const auto slow = s.client("slow"), alice = s.client("alice");
  s.submit(slow);
  BOOST_REQUIRE(s.directory->slow.until_one_hangs());
  const auto asks = s.whole.ask([](schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::SERVER); });
  BOOST_TEST(!asks->sent.empty());
  s.submit(alice);
  BOOST_REQUIRE(s.whole.system.until([&] { return !alice->sent.empty(); }));
  BOOST_TEST(server::said(alice) == "done");
  BOOST_TEST(slow->sent.empty());
  s.directory->slow.open();
  BOOST_REQUIRE(s.whole.system.until([&] { return !slow->sent.empty(); }));
  BOOST_TEST(server::said(slow) == "done");
}

BOOST_AUTO_TEST_CASE(a_group_that_is_not_the_users_is_refused_when_that_is_known) {
  server s(false);
  const auto alice = s.client("alice");
  s.submit(alice, "wheel");
  BOOST_REQUIRE(alice->sent.size() == 1u);
  BOOST_TEST(server::said(alice) != "done");
}

BOOST_AUTO_TEST_CASE(so_many_may_wait_as_the_limit_says_and_one_more_is_told) {
  server s;
  std::vector<peer_ptr> slow;
  const auto room = limits::group_lookup_threads_max + limits::group_lookups_waiting_max;
  for (std::size_t n = 0; n < room; ++n) {
    slow.push_back(s.client("slow" + std::to_string(n)));
    s.submit(slow.back());
    BOOST_TEST(slow.back()->sent.empty());
  }
  const auto late = s.client("late");
  s.submit(late);
  BOOST_REQUIRE(late->sent.size() == 1u);
  BOOST_TEST(server::said(late) == "Please retry: the groups of 256 others are being looked up");
  s.directory->slow.open();
  BOOST_REQUIRE(s.whole.system.until([&] { return std::ranges::all_of(slow, [](const peer_ptr& p) { return !p->sent.empty(); }); }));
}

BOOST_AUTO_TEST_SUITE_END()
