// Who sets scheduling or scheduler_iteration is answered when it is seen on the server and on the default scheduler (MS-26, MS-66).
#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>
#include <string>

#include "actors/sessions/mirror_waits.hpp"
#include "test/support/told_records.hpp"

using namespace annals;

namespace {

struct kept_answer final : actors::reply_to {
  std::optional<std::uint64_t> done_at;
  std::string text;
  void done(std::uint64_t sequence, const std::string& said) override {
    done_at = sequence;
    text = said;
  }
  void refused(std::uint64_t, const model::rejection& why) override { text = "refused: " + why.text; }
};

struct mirrors {
  static constexpr std::uint64_t server = 1, scheduler = 2;
  projections::status now;
  test::told_records records;
  actors::mirror_waits waits;
  std::shared_ptr<kept_answer> answer = std::make_shared<kept_answer>();

  mirrors() {
    happen(server, [](auto e) { e.initServer().initStarted().setServerName("borg"); });
    happen(scheduler, [](auto e) { e.initScheduler().initCreated().setName("default"); });
  }
  template <class Fill>
  void happen(std::uint64_t of, const Fill& fill) {
    now.fold(records.next(of, fill));
    waits.look(now);
  }
  static void change(schema::Attribute::Builder c, const char* name, const char* value) {
    c.setName(name);
    c.setValue(value);
  }
  void set_server(const char* name, const char* value) {
    happen(server, [&](auto e) { change(e.initServer().initChanged().initChanges(1)[0], name, value); });
  }
  void set_scheduler(const char* name, const char* value) {
    happen(scheduler, [&](auto e) { change(e.initScheduler().initChanged().initChanges(1)[0], name, value); });
  }
  std::uint64_t wait(std::uint64_t later = 0) { return waits.add({"done it", answer, records.sequence + later}, now); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mirror_waits, mirrors)

BOOST_AUTO_TEST_CASE(it_is_answered_when_both_have_it) {
  set_server("scheduler_iteration", "60");
  const auto number = wait();
  BOOST_TEST(!answer->done_at);
  set_scheduler("scheduling", "True");
  BOOST_TEST(!answer->done_at);
  set_scheduler("scheduler_iteration", "60");
  BOOST_TEST((answer->done_at == records.sequence));
  BOOST_TEST(answer->text == "done it");
  BOOST_TEST(waits.empty());
  answer->done_at.reset();
  waits.over(number, now);
  BOOST_TEST(!answer->done_at);
}

BOOST_AUTO_TEST_CASE(what_both_have_already_is_not_waited_for) {
  set_server("scheduling", "True");
  wait();
  BOOST_TEST(answer->done_at.has_value());
}

BOOST_AUTO_TEST_CASE(nobody_is_answered_before_his_change_is_known) {
  wait(1);
  BOOST_TEST(!answer->done_at);
  set_scheduler("scheduling", "True");
  BOOST_TEST(answer->done_at.has_value());
}

BOOST_AUTO_TEST_CASE(where_it_takes_too_long_it_is_done_all_the_same) {
  set_scheduler("scheduling", "False");
  const auto number = wait();
  waits.over(number, now);
  BOOST_TEST((answer->done_at == records.sequence));
  BOOST_TEST(answer->text == "done it");
  BOOST_TEST(waits.empty());
}

BOOST_AUTO_TEST_SUITE_END()
