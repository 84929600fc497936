// When finished jobs leave the history (pbs guide: job_history_enable, job_history_duration).
#include <boost/test/unit_test.hpp>

#include "actors/server/history_desk.hpp"
#include "events/model/limits.hpp"
#include "test/support/folded_log.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using serials = std::vector<std::uint64_t>;

namespace {

// A desk that follows a log, and a history of an hour.
struct followed : test::folded_log<actors::history_desk> {
  model::site site = test::small_site();

  followed() { site.server.set(attributes::server::job_history_duration, "01:00:00"); }
  serials round() { return fold.next_round(clock.ns, site); }
  // How long from now until the desk wants to be asked again; -1: never.
  std::int64_t wait() const {
    const auto next = fold.next_ns(site);
    return next ? (*next - clock.ns) / test::second : -1;
  }
  void history_off() { site.server.set(attributes::server::job_history_enable, "False"); }

  std::uint64_t end() { return write(0, {ended()}); }
  void forget(std::uint64_t serial) { write(serial, {forgotten()}); }
  std::uint64_t end_and_forget() { return write(0, {ended(), forgotten()}); }

 private:
  static model::event ended() { return model::make_event([](auto e) { e.initJobEnded(); }); }
  static model::event forgotten() { return model::make_event([](auto e) { e.setJobForgotten(); }); }
  std::uint64_t write(std::uint64_t stream, std::vector<model::event> events) {
    return folded_log::write(schema::StreamKind::JOB, stream, std::move(events));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(nobody_in_the_history_needs_no_timer) {
  followed f;
  BOOST_TEST(f.wait() == -1);
  BOOST_TEST(f.round() == serials{});
}

BOOST_AUTO_TEST_CASE(jobs_are_told_in_the_order_of_their_ends_when_their_hour_is_over) {
  followed f;
  const auto first = f.end();
  f.later(600);
  const auto second_one = f.end();
  BOOST_TEST(f.wait() == 3000);
  f.later(2999);
  BOOST_TEST(f.round() == serials{});
  f.later(1);
  BOOST_TEST(f.round() == serials{first});
  f.forget(first);
  BOOST_TEST(f.wait() == 600);
  f.later(600);
  BOOST_TEST(f.round() == serials{second_one});
  f.forget(second_one);
  BOOST_TEST(f.wait() == -1);
}

BOOST_AUTO_TEST_CASE(a_job_that_does_not_answer_is_told_again) {
  followed f;
  const auto job = f.end();
  f.later(3600);
  BOOST_TEST(f.round() == serials{job});
  BOOST_TEST(f.round() == serials{});
  f.later(f.wait());
  BOOST_TEST(f.round() == serials{job});
}

BOOST_AUTO_TEST_CASE(a_longer_duration_postpones_and_none_is_at_once) {
  followed f;
  const auto job = f.end();
  f.site.server.set(attributes::server::job_history_duration, "02:00:00");
  f.later(3600);
  BOOST_TEST(f.wait() == 3600);
  BOOST_TEST(f.round() == serials{});
  f.history_off();
  BOOST_TEST(f.wait() <= 0);
  BOOST_TEST(f.round() == serials{job});
}

BOOST_AUTO_TEST_CASE(jobs_that_are_gone_already_are_not_told_and_take_no_room) {
  followed f;
  const auto first = f.end(), middle = f.end(), last = f.end();
  for (int i = 0; i < 1000; ++i) f.end_and_forget();
  BOOST_TEST(f.fold.finished() == 3u);
  f.forget(middle);                      // qdel -x
  BOOST_TEST(f.fold.finished() == 2u);
  f.later(3600);
  BOOST_TEST(f.round() == (serials{first, last}));
  f.forget(last);
  f.forget(first);
  BOOST_TEST(f.fold.finished() == 0u);
  BOOST_TEST(f.wait() == -1);
}

BOOST_AUTO_TEST_CASE(a_large_history_that_is_turned_off_goes_in_rounds) {
  followed f;
  const auto all = limits::history_round_jobs_max * 2 + 1;
  for (std::size_t i = 0; i < all; ++i) f.end();
  f.history_off();
  std::size_t told = 0, rounds = 0;
  for (auto round = f.round(); !round.empty(); round = f.round(), ++rounds) {
    told += round.size();
    for (auto at = round.rbegin(); at != round.rend(); ++at) f.forget(*at);
  }
  BOOST_TEST(told == all);
  BOOST_TEST(rounds == 3u);
  BOOST_TEST(f.fold.finished() == 0u);
}
