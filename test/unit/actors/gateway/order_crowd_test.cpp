// While thousands of orders to jobs about others are out, what names a depend waits (docs/design/0054-dependencies.md).
#include <boost/test/unit_test.hpp>

#include <caf/send.hpp>

#include <chrono>
#include <memory>
#include <string>

#include "actors/server/reactions_actor.hpp"
#include "events/log/log_reader.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

class no_answer final : public actors::reply_to {
  void done(std::uint64_t, const std::string&) override {}
  void refused(std::uint64_t, const model::rejection&) override {}
};

struct site : test::whole_server {
  site() {
    submit("");
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::JobEvent::QUEUED)) job = r->get().getStream();
      return true;
    });
  }

  static schema::sealed<schema::Request> submission(const std::string& depend) {
    return schema::make<schema::Request>([&](schema::Request::Builder r) {
      auto q = r.initQueueJob();
      q.setSubmitHost("borg");
      if (depend.empty()) return;
      auto a = q.initAttributes(1)[0];
      a.setName("depend");
      a.setValue(depend);
    });
  }
  void submit(const std::string& depend) {
    says(std::make_shared<test::fake_peer>(wire::identity::kind::local, "alice"), submission(depend));
  }

  // The gateway has them before anything that comes after.
  void give_orders(std::size_t count) {
    actors::give_orders all;
    for (std::size_t i = 0; i < count; ++i) {
      const model::dependency_told met{model::dependency_told::what::met, {values::dependency_type::after, "7.borg@borg"}};
      all.orders.push_back(
          {reactions::make_order({1, "job", reactions::tell_job{job, met, {"root", "borg", schema::Role::SERVER}, "", true}}), "",
           std::make_shared<no_answer>()});
    }
    caf::anon_send(whole->gateway(), std::move(all));
  }
  std::shared_ptr<test::fake_peer> begin(const std::string& depend) {
    auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::local, "alice");
    caf::anon_send(whole->gateway(), actors::peer_frame{peer, submission(depend)});
    return peer;
  }
  void time_passes() {
    system.scheduler().advance_time(std::chrono::seconds(1));
    system.run();
  }

  std::uint64_t job = 0;
};

bool is_done(const std::shared_ptr<test::fake_peer>& peer) {
  return !peer->sent.empty() && peer->sent.at(0).root<schema::Reply>().isDone();
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(order_crowds, site)

BOOST_AUTO_TEST_CASE(beside_few_orders_nothing_waits) {
  give_orders(2047);
  const auto dependent = begin("after:0");
  system.run();
  BOOST_TEST(is_done(dependent));
}

BOOST_AUTO_TEST_CASE(beside_many_what_names_dependencies_waits_and_nothing_else) {
  give_orders(2048);
  const auto dependent = begin("after:0"), other = begin("");
  system.run();
  BOOST_TEST(is_done(other));
  BOOST_TEST(dependent->sent.empty());
  time_passes();
  BOOST_TEST(is_done(dependent));
}

BOOST_AUTO_TEST_CASE(they_go_on_one_by_one) {
  give_orders(2048);
  const auto first = begin("after:0"), second = begin("after:0");
  system.run();
  BOOST_TEST(first->sent.empty());
  for (int i = 0; i < 2; ++i) time_passes();
  BOOST_TEST(is_done(first));
  BOOST_TEST(is_done(second));
  const auto number = [](const auto& peer) { return schema::str(peer->sent.at(0).template root<schema::Reply>().getDone()); };
  BOOST_TEST(number(first) < number(second));
}

BOOST_AUTO_TEST_CASE(nothing_is_done_for_who_has_gone) {
  give_orders(2048);
  const auto gone = begin("after:0"), stays = begin("after:0");
  caf::anon_send(whole->gateway(), actors::peer_closed{gone, ""});
  system.run();
  for (int i = 0; i < 2; ++i) time_passes();
  BOOST_TEST(gone->sent.empty());
  BOOST_REQUIRE(is_done(stays));
  BOOST_TEST(schema::str(stays->sent.at(0).root<schema::Reply>().getDone()) == "1.borg");
}

BOOST_AUTO_TEST_SUITE_END()
