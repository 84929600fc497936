// Who is there before a program: the question to all hosts, and who counts as absent.
#include <boost/test/unit_test.hpp>

#include "actors/mom/runs/roll_call.hpp"
#include "events/model/limits.hpp"

using namespace annals;
using actors::called_host, actors::roll_call;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000, begin_ns = 1'000 * second_ns;
constexpr auto wait_s = limits::presence_wait_s;
using names = std::vector<std::string>;

struct call_story {
  roll_call call;
  std::uint64_t moment = 1;
  std::vector<called_host> hosts{{"n2", begin_ns - second_ns, true, false}, {"n3", begin_ns - second_ns, true, false}};
  roll_call::result at(double seconds) { return call.look(moment, hosts, begin_ns + static_cast<std::int64_t>(seconds * second_ns)); }
  bool answers(const std::string& host) { return call.on_answer(host, call.question()); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(roll_calls)

BOOST_AUTO_TEST_CASE(nobody_is_asked_where_there_is_nobody) {
  call_story s;
  s.hosts.clear();
  BOOST_TEST(s.at(0).complete);
}

BOOST_AUTO_TEST_CASE(everybody_is_asked_once_and_all_answers_count_for_a_moment) {
  call_story s;
  const auto first = s.at(0);
  BOOST_TEST(!first.complete);
  BOOST_TEST(first.ask == (names{"n2", "n3"}), boost::test_tools::per_element());
  BOOST_TEST(first.again_ns > begin_ns);
  BOOST_TEST(s.at(0.1).ask.empty());
  BOOST_TEST(!s.answers("n2"));
  BOOST_TEST(!s.answers("n2"));
  BOOST_TEST(!s.call.on_answer("n3", s.call.question() - 1));  // to an earlier question
  BOOST_TEST(!s.at(0.2).complete);
  BOOST_TEST(s.answers("n3"));
  BOOST_TEST(s.at(0.3).complete);
  BOOST_TEST(s.at(0.3 + limits::presence_counts_s).complete);
  BOOST_TEST(s.call.was_complete(1));
  const auto again = s.at(0.4 + limits::presence_counts_s);
  BOOST_TEST(!again.complete);
  BOOST_TEST(again.ask.size() == 2u);
}

BOOST_AUTO_TEST_CASE(who_does_not_answer_in_time_is_absent_once) {
  call_story s;
  s.at(0);
  s.answers("n3");
  BOOST_TEST(s.at(wait_s - 0.1).absent.empty());
  const auto over = s.at(wait_s);
  BOOST_TEST(over.absent == names{"n2"}, boost::test_tools::per_element());
  BOOST_TEST(!over.complete);
  BOOST_TEST(s.at(wait_s + 0.1).absent.empty());  // what follows of it is on its way
  ++s.moment;
  s.hosts.erase(s.hosts.begin());
  BOOST_TEST(s.at(wait_s + 0.2).ask == names{"n3"}, boost::test_tools::per_element());
  s.answers("n3");
  BOOST_TEST(s.at(wait_s + 0.3).complete);
}

BOOST_AUTO_TEST_CASE(a_broken_link_is_not_waited_for) {
  call_story s;
  s.at(0);
  s.answers("n3");
  s.hosts[0].linked_ns = 0;
  BOOST_TEST(s.at(0.1).absent == names{"n2"}, boost::test_tools::per_element());
  call_story complete;
  complete.at(0);
  complete.answers("n2");
  complete.answers("n3");
  BOOST_TEST(complete.at(0.1).complete);
  complete.hosts[1].linked_ns = 0;  // it breaks behind the answer
  const auto again = complete.at(0.2);
  BOOST_TEST(!again.complete);
  BOOST_TEST(again.ask == names{"n2"}, boost::test_tools::per_element());
  complete.answers("n2");
  BOOST_TEST(complete.at(0.3).absent == names{"n3"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_new_link_gets_the_question_anew) {
  call_story s;
  s.at(0);
  s.answers("n3");
  s.hosts[0].linked_ns = begin_ns + second_ns;
  BOOST_TEST(s.at(1).ask == names{"n2"}, boost::test_tools::per_element());
  BOOST_TEST(s.at(wait_s).absent.empty());
  BOOST_TEST(s.at(1.0 + wait_s).absent == names{"n2"}, boost::test_tools::per_element());
}

// After a restart of this daemon.
BOOST_AUTO_TEST_CASE(a_host_that_was_never_linked_may_take_as_long_as_any) {
  call_story s;
  s.hosts = {{"n2", 0, false, false}};
  BOOST_TEST(s.at(0).ask.empty());
  for (double at = 1; at < limits::sister_silence_s; at += 1) BOOST_TEST(s.at(at).absent.empty());
  BOOST_TEST(s.at(limits::sister_silence_s).absent == names{"n2"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(who_takes_in_what_it_is_told_answers_with_that) {
  call_story s;
  for (auto& h : s.hosts) h.is_told = true;
  const auto first = s.at(0);
  BOOST_TEST(first.ask.empty());
  BOOST_TEST(first.again_ns == begin_ns + second_ns / 2);
  BOOST_TEST(!s.call.on_taken_in("n2"));
  BOOST_TEST(s.at(0.5).ask == names{"n3"}, boost::test_tools::per_element());  // it takes its time
  BOOST_TEST(s.call.on_taken_in("n3"));
  BOOST_TEST(s.at(0.6).complete);
  call_story asked;
  asked.at(0);
  BOOST_TEST(!asked.call.on_taken_in("n2"));  // told before this call: that is no answer
  asked.answers("n3");
  BOOST_TEST(asked.at(wait_s).absent == names{"n2"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(answers_count_anew_when_the_daemon_itself_stood_still) {
  for (const double later : {60.0, -60.0}) {
    call_story s;
    s.at(0);
    BOOST_TEST(s.at(later).absent.empty());
    BOOST_TEST(s.at(later + wait_s - 0.1).absent.empty());
    BOOST_TEST(s.at(later + wait_s).absent.size() == 2u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
