// Who asks about decisions waits for those that were open then, and for no later ones.
#include "actors/gateway/hooks/open_decisions.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace annals;

namespace {

struct kept_reply final : actors::reply_to {
  std::string said;
  void done(std::uint64_t sequence, const std::string& text) override { said = "done " + std::to_string(sequence) + text; }
  void refused(std::uint64_t sequence, const model::rejection& why) override { said = "refused " + std::to_string(sequence) + why.text; }
};

struct story {
  std::shared_ptr<actors::open_decisions> decisions = std::make_shared<actors::open_decisions>();
  std::vector<std::uint64_t> answered;  // positions

  void ask() {
    decisions->when_closed([this](std::uint64_t sequence) { answered.push_back(sequence); });
  }
};

using positions = std::vector<std::uint64_t>;

}  // namespace

BOOST_AUTO_TEST_SUITE(decisions_on_their_way)

BOOST_AUTO_TEST_CASE(who_asks_when_none_is_open_is_answered_at_once) {
  story s;
  s.ask();
  BOOST_TEST(s.answered == positions{0}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(who_asks_waits_for_all_that_are_open_and_for_no_later_one) {
  story s;
  const auto to = std::make_shared<kept_reply>();
  const auto first = s.decisions->until(to), second = s.decisions->until(std::make_shared<kept_reply>());
  s.ask();
  const auto later = s.decisions->until(std::make_shared<kept_reply>());
  second->refused(9, {});
  BOOST_TEST(s.answered.empty());
  first->done(7, "");
  BOOST_TEST(to->said == "done 7");
  BOOST_TEST(s.answered == positions{9}, boost::test_tools::per_element());
  s.ask();
  later->done(12, "");
  BOOST_TEST((s.answered == positions{9, 12}));
}

BOOST_AUTO_TEST_CASE(a_decision_that_nobody_can_take_any_more_keeps_nobody_waiting) {
  story s;
  auto lost = s.decisions->until(std::make_shared<kept_reply>());
  s.ask();
  lost = nullptr;
  BOOST_TEST(s.answered == positions{0}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
