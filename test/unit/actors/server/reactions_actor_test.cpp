// The actor that runs the reactions: what it gives when, and what it does with an answer.
#include "actors/server/reactions_actor.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/event_based_actor.hpp>

#include "actors/runtime/messages.hpp"
#include "actors/server/messages.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/stepped_system.hpp"

using namespace annals;

namespace {

// Owes one order per host that was added, and none for one that is up.
class greets final : public reactions::stored_reaction<greets> {
 public:
  bool fold(const log::record& record) override {
    const auto stream = record.get().getStream();
    if (schema::is(record.event(), schema::HostEvent::ADDED)) hosts_[stream] = record.sequence();
    if (schema::is(record.event(), schema::HostEvent::CAME_UP)) hosts_.erase(stream);
    return true;
  }
  std::vector<reactions::order_ptr> owed(const reactions::moment&) override {
    std::vector<reactions::order_ptr> orders;
    for (const auto& [stream, cause] : hosts_)
      orders.push_back(reactions::make_order({.cause = cause,
                                              .target = std::to_string(stream),
                                              .what = reactions::send_hooks{},
                                              .given = reactions::order::repeat::until_accepted}));
    return orders;
  }
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.hosts_);
  }

 private:
  std::map<std::uint64_t, std::uint64_t> hosts_;
};

std::vector<reactions::named_reaction> just_greets() {
  std::vector<reactions::named_reaction> one;
  one.push_back({"greets", std::make_unique<greets>()});
  return one;
}

caf::behavior fake_gateway(caf::event_based_actor*, std::vector<actors::give_order>* given) {
  return {[given](const actors::give_orders& g) { given->insert(given->end(), g.orders.begin(), g.orders.end()); }};
}

struct fixture {
  fixture() {
    gateway = system->spawn(fake_gateway, &given);
    runner = system->spawn(actors::reactions_actor, actors::reactions_parts{set, gateway, &clock});
  }
  ~fixture() {
    given.clear();
    system.end({std::exchange(runner, nullptr), std::exchange(gateway, nullptr)});
  }
  std::shared_ptr<std::vector<log::record_ptr>> happened(std::uint64_t stream, model::event event) {
    log::append a;
    a.stream = stream;
    a.expected_version = log.last_version(stream);
    a.events.push_back(std::move(event));
    const auto taken = log.stage(std::move(a));
    BOOST_REQUIRE(std::holds_alternative<log::staged>(taken));
    auto records = std::make_shared<std::vector<log::record_ptr>>();
    BOOST_REQUIRE(static_cast<bool>(log.commit(*records)));
    return records;
  }
  void tell(std::uint64_t stream, model::event event) {
    caf::anon_send(runner, actors::committed{happened(stream, std::move(event))});
    system.run();
  }
  void begin() {
    caf::anon_send(runner, actors::begin_work{});
    system.run();
  }
  static model::event added() {
    return model::make_event([](auto e) { e.initHost().initAdded().setName("n1"); });
  }
  static model::event up() {
    return model::make_event([](auto e) { e.initHost().initCameUp(); });
  }

  test::still_clock clock;
  log::memory_event_store store;
  log::event_log log{store, clock};
  test::stepped_system system;
  std::shared_ptr<reactions::reaction_set> set = std::make_shared<reactions::reaction_set>("", just_greets());
  std::vector<actors::give_order> given;
  caf::actor gateway, runner;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(reactions_actor, fixture)

BOOST_AUTO_TEST_CASE(what_replay_has_folded_is_given_when_work_begins) {
  const auto before = happened(0, added());
  for (const auto& r : *before) set->fold(*r);
  system.run();
  BOOST_TEST(given.empty());
  begin();
  BOOST_REQUIRE(given.size() == 1u);
  BOOST_TEST(given[0].what->cause == 1u);
  BOOST_TEST(given[0].command_id.size() == 16u);
}

BOOST_AUTO_TEST_CASE(an_order_that_was_refused_is_given_again_when_the_disk_has_space) {
  begin();
  tell(0, added());
  BOOST_REQUIRE(given.size() == 1u);
  given[0].reply->refused(0, model::rejection{15010, "the disk is full"});
  system.run();
  BOOST_TEST(given.size() == 1u);
  caf::anon_send(runner, actors::disk_state{false});
  system.run();
  BOOST_REQUIRE(given.size() == 2u);
  BOOST_TEST(given[0].command_id == given[1].command_id);
}

BOOST_AUTO_TEST_CASE(an_order_that_was_done_is_not_given_again_nor_one_that_is_no_longer_owed) {
  begin();
  tell(0, added());
  tell(0, added());
  BOOST_REQUIRE(given.size() == 2u);
  given[0].reply->done(0, "");
  tell(2, up());
  given[1].reply->refused(0, model::rejection{15010, "the disk is full"});  // its debt ended meanwhile
  caf::anon_send(runner, actors::disk_state{false});
  system.run();
  BOOST_TEST(given.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
