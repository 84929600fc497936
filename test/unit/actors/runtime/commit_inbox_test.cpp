// A follower with an inbox: it finds every commit there before who asked is told, and is woken only for what it waits for.
#include "actors/runtime/commit_inbox.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <vector>

#include "actors/runtime/log_writer.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/model/limits.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/stepped_system.hpp"

using namespace annals;

namespace {

model::event of_a_job() {
  return model::make_event([](auto e) { e.initJob().initMessaged(); });
}
model::event of_the_server() {
  return model::make_event([](auto e) { e.initServer().initStopped().setHow("quick"); });
}

struct fixture {
  fixture() {
    writer = system->spawn(actors::log_writer,
                           actors::log_writer_parts{&log, &reader, nullptr, {}, [](const std::string&) {}, [] { return true; }});
    follower = system->spawn(following, this);
    asker = system->spawn(asking, this);
    caf::anon_send(writer, actors::follow{follower, true, {}, inbox});
    system.run();
  }
  ~fixture() { system.end({writer, follower, asker}); }

  static caf::behavior following(caf::event_based_actor*, fixture* f) {
    return {[f](const actors::commits_wait&) { ++f->told; }, [](const actors::disk_state&) {}};
  }
  static caf::behavior asking(caf::event_based_actor*, fixture* f) {
    return {[f](const actors::append_results&) { f->lay_when_told.push_back(!f->inbox->empty()); }};
  }

  // In one commit.
  void write(std::vector<model::event> events) {
    actors::append_batch batch;
    batch.appends.emplace_back().events = std::move(events);
    caf::send_as(asker, writer, std::move(batch));
    system.run();
  }
  void patience_ends() {
    system.scheduler().advance_time(std::chrono::milliseconds(limits::patience_ms));
    system.run();
  }
  std::vector<std::uint64_t> take(std::uint64_t enough = UINT64_MAX) {
    std::vector<std::uint64_t> sequences;
    for (const auto& commit : inbox->take(enough))
      for (const auto& r : *commit) sequences.push_back(r->sequence());
    return sequences;
  }

  log::memory_event_store store;
  test::still_clock clock;
  log::event_log log{store, clock};
  log::log_reader reader{store};
  test::stepped_system system;
  std::shared_ptr<actors::commit_inbox> inbox = std::make_shared<actors::commit_inbox>();
  caf::actor writer, follower, asker;
  int told = 0;
  std::vector<bool> lay_when_told;
};

using sequences = std::vector<std::uint64_t>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(inboxes, fixture)

BOOST_AUTO_TEST_CASE(a_commit_lies_there_before_who_asked_is_told) {
  write({of_a_job()});
  BOOST_TEST(lay_when_told == (std::vector<bool>{true}));
  BOOST_TEST(take() == (sequences{1}), boost::test_tools::per_element());
  BOOST_TEST(inbox->empty());
}

BOOST_AUTO_TEST_CASE(who_waits_is_told_of_each_commit) {
  for (int i = 1; i <= 3; ++i) {
    write({of_a_job()});
    BOOST_TEST(told >= i);
  }
}

BOOST_AUTO_TEST_CASE(who_does_not_is_told_of_the_first_and_then_of_many) {
  BOOST_TEST(!inbox->tell_at_once(false));
  for (int i = 0; i < 4; ++i) write({of_a_job()});
  BOOST_TEST(told == 1);
  patience_ends();
  BOOST_TEST(told == 2);
  BOOST_TEST(take() == (sequences{1, 2, 3, 4}), boost::test_tools::per_element());
  patience_ends();
  BOOST_TEST(told == 2);
}

BOOST_AUTO_TEST_CASE(what_he_waits_for_may_change_with_a_commit_of_something_else) {
  (void)inbox->tell_at_once(false);
  write({of_a_job()});
  write({of_the_server()});
  BOOST_TEST(told >= 2);
}

BOOST_AUTO_TEST_CASE(what_is_much_does_not_lie_long) {
  (void)inbox->tell_at_once(false);
  write({of_a_job()});
  (void)take();
  std::vector<model::event> many;
  for (int i = 0; i < 64; ++i) many.push_back(of_a_job());
  told = 0;
  write(std::move(many));
  BOOST_TEST(told == 1);
}

BOOST_AUTO_TEST_CASE(commits_are_taken_up_to_a_record) {
  write({of_a_job(), of_a_job()});
  write({of_a_job()});
  BOOST_TEST(take(0).empty());
  BOOST_TEST(take(1) == (sequences{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(take(3) == (sequences{3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(who_begins_to_wait_hears_that_there_is_something) {
  (void)inbox->tell_at_once(false);
  BOOST_TEST(!inbox->tell_at_once(true));
  (void)inbox->tell_at_once(false);
  write({of_a_job()});
  BOOST_TEST(inbox->tell_at_once(true));
  BOOST_TEST(!inbox->tell_at_once(true));  // from then on each commit is told
}

BOOST_AUTO_TEST_SUITE_END()
