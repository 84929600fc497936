// When finished jobs leave the history (pbs guide: job_history_enable, job_history_duration).
#include <boost/test/unit_test.hpp>

#include "events/model/limits.hpp"
#include "events/values/job_id.hpp"
#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using test::of_job;
using test::targets;

namespace {

// A history of an hour.
struct history : test::watched<reactions::history_expiry> {
  history() {
    set("job_history_enable", "True");
    set("job_history_duration", "01:00:00");
    due();
  }
  std::uint64_t end() { return base::write(0, {ended()}); }
  void forget(std::uint64_t serial) { base::write(serial, {forgotten()}); }
  void end(std::uint64_t serial) { base::write(serial, {ended()}); }
  void end_and_forget() { base::write(0, {ended(), forgotten()}); }

 private:
  static model::event ended() {
    return model::make_event([](auto e) { e.initJob().initEnded(); });
  }
  static model::event forgotten() {
    return model::make_event([](auto e) { e.initJob().setForgotten(); });
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(history_expiry, history)

BOOST_AUTO_TEST_CASE(nobody_in_the_history_needs_no_timer) {
  BOOST_TEST(wait() == -1);
  BOOST_TEST(due() == targets{});
}

BOOST_AUTO_TEST_CASE(jobs_are_told_in_the_order_of_their_ends_when_their_hour_is_over) {
  const auto first = end();
  later(600);
  const auto second_one = end();
  BOOST_TEST(due() == targets{});
  BOOST_TEST(wait() == 3000);
  later(2999);
  BOOST_TEST(due() == targets{});
  later(1);
  BOOST_TEST(due() == targets{of_job(first)});
  BOOST_TEST(ordered<reactions::tell_job>().serial == first);
  BOOST_TEST(std::holds_alternative<model::forget_job>(ordered<reactions::tell_job>().command));
  forget(first);
  BOOST_TEST(due() == targets{});
  BOOST_TEST(wait() == 600);
  later(600);
  BOOST_TEST(due() == targets{of_job(second_one)});
  forget(second_one);
  BOOST_TEST(due() == targets{});
  BOOST_TEST(wait() == -1);
}

BOOST_AUTO_TEST_CASE(a_job_that_does_not_answer_or_says_it_is_too_early_is_told_again) {
  const auto job = end();
  later(3600);
  BOOST_TEST(due() == targets{of_job(job)});
  BOOST_TEST(due() == targets{});
  later(wait());
  BOOST_TEST(due() == targets{of_job(job)});
  answer(true);
  BOOST_TEST(wait() == 10);
  later(10);
  BOOST_TEST(due() == targets{of_job(job)});
}

BOOST_AUTO_TEST_CASE(a_longer_duration_postpones_and_none_is_at_once) {
  const auto job = end();
  set("job_history_duration", "02:00:00");
  later(3600);
  BOOST_TEST(due() == targets{});
  BOOST_TEST(wait() == 3600);
  set("job_history_enable", "False");
  BOOST_TEST(wait() <= 0);
  BOOST_TEST(due() == targets{of_job(job)});
}

BOOST_AUTO_TEST_CASE(jobs_that_are_gone_already_are_not_told) {
  const auto first = end(), middle = end(), last = end();
  for (int i = 0; i < 1000; ++i) end_and_forget();
  forget(middle);  // qdel -x
  later(3600);
  BOOST_TEST(due() == (targets{of_job(first), of_job(last)}));
  forget(last);
  forget(first);
  BOOST_TEST(due() == targets{});
  BOOST_TEST(wait() == -1);
}

BOOST_AUTO_TEST_CASE(subjobs_stay_as_long_as_their_array) {
  const auto array = queued(12), subjob = queued(values::subjob_number(12, 3)), other = queued(values::subjob_number(12, 4));
  end(subjob);
  BOOST_TEST(wait() == -1);
  later(3600);
  BOOST_TEST(due() == targets{});
  end(other);
  end(array);
  forget(other);  // qdel -x
  later(3600);
  BOOST_TEST(due() == targets{of_job(array)});
  forget(array);
  BOOST_TEST(due() == targets{});
  forget(subjob);  // as its array's end tells it
  BOOST_TEST(due() == targets{});
  BOOST_TEST(wait() == -1);
  const auto next = end();
  later(3600);
  BOOST_TEST(due() == targets{of_job(next)});
}

BOOST_AUTO_TEST_CASE(subjobs_do_not_leave_when_the_history_is_turned_off) {
  const auto array = queued(12), subjob = queued(values::subjob_number(12, 3));
  end(subjob);
  set("job_history_enable", "False");
  BOOST_TEST(due() == targets{});
  end(array);
  BOOST_TEST(due() == targets{of_job(array)});
}

BOOST_AUTO_TEST_CASE(a_large_history_that_is_turned_off_goes_in_pieces) {
  const auto all = limits::history_round_jobs_max * 2 + 1;
  for (std::size_t i = 0; i < all; ++i) end();
  set("job_history_enable", "False");
  std::size_t told = 0, rounds = 0;
  for (auto round = due(); !round.empty(); round = due(), ++rounds) {
    BOOST_TEST(round.size() <= limits::history_round_jobs_max);
    told += round.size();
    const auto orders = last;
    for (auto at = orders.rbegin(); at != orders.rend(); ++at) forget(std::get<reactions::tell_job>(at->what->what).serial);
  }
  BOOST_TEST(told == all);
  BOOST_TEST(rounds == 3u);
}

BOOST_AUTO_TEST_CASE(after_a_restart_the_same_order_has_the_same_id) {
  end();
  later(3600);
  due();
  const auto id = last.front().command_id;
  BOOST_TEST(id.size() == 16u);
  BOOST_TEST(reactions::command_id_of("it", *last.front().what) == id);
  BOOST_TEST(reactions::command_id_of("another", *last.front().what) != id);
}

BOOST_AUTO_TEST_CASE(one_that_ended_while_the_clock_was_ahead_keeps_nobody_in_the_history) {
  constexpr std::int64_t week = 604'800;
  later(week);
  const auto ahead = end();
  later(-week);
  const auto now = end();
  BOOST_TEST(due() == targets{});
  BOOST_TEST(wait() == 3600);
  later(3600);
  BOOST_TEST(due() == targets{of_job(now)});
  forget(now);
  due();
  BOOST_TEST(wait() == week);
  later(week);
  BOOST_TEST(due() == targets{of_job(ahead)});
}

BOOST_AUTO_TEST_SUITE_END()
