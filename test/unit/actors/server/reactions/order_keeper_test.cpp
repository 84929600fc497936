// When an order goes out, and when again.
#include <boost/test/unit_test.hpp>

#include "actors/server/reactions/order_keeper.hpp"

using namespace annals::reactions;

namespace {

order_ptr order_to(const char* target, order::repeat given) {
  return make_order({.cause = 7, .target = target, .what = send_hooks{}, .given = given, .again_ns = 10});
}
order_ptr another(const char* target) { return order_to(target, order::repeat::until_folded); }  // of the same name

}  // namespace

BOOST_AUTO_TEST_CASE(an_order_goes_out_once_and_again_after_its_pause_while_it_is_owed) {
  order_keeper keeper;
  const std::vector<order_ptr> owed{order_to("a", order::repeat::until_folded)};
  BOOST_TEST(keeper.reconcile(owed, 100).size() == 1u);
  BOOST_TEST(keeper.next_ns().value() == 110);
  BOOST_TEST(keeper.reconcile(owed, 109).empty());
  BOOST_TEST(!keeper.refused(another("a"), 109));  // its pause stays
  BOOST_TEST(keeper.reconcile(owed, 110).size() == 1u);
  BOOST_TEST(keeper.reconcile({}, 115).empty());
  BOOST_TEST(!keeper.next_ns());
  BOOST_TEST(keeper.reconcile(owed, 116).size() == 1u);  // owed anew
}

BOOST_AUTO_TEST_CASE(an_order_whose_answer_counts_waits_for_it_and_goes_out_again_when_refused) {
  order_keeper keeper;
  const std::vector<order_ptr> owed{order_to("a", order::repeat::until_accepted)};
  BOOST_TEST(keeper.reconcile(owed, 100).size() == 1u);
  BOOST_TEST(!keeper.next_ns());
  BOOST_TEST(keeper.reconcile(owed, 1000000).empty());
  BOOST_TEST(keeper.refused(another("a"), 2000000));
  BOOST_TEST(keeper.next_ns().value() == 2000010);
  BOOST_TEST(keeper.reconcile(owed, 2000009).empty());
  BOOST_TEST(keeper.reconcile(owed, 2000010).size() == 1u);
  BOOST_TEST(keeper.reconcile(owed, 3000000).empty());
  BOOST_TEST(!keeper.refused(another("b"), 3000000));  // of an order that nobody owes
}

BOOST_AUTO_TEST_CASE(what_was_refused_goes_out_at_once_when_there_is_space_again) {
  order_keeper keeper;
  const std::vector<order_ptr> owed{order_to("a", order::repeat::until_accepted), order_to("b", order::repeat::until_accepted)};
  keeper.reconcile(owed, 100);
  keeper.refused(another("a"), 101);
  keeper.try_again();
  const auto again = keeper.reconcile(owed, 102);
  BOOST_REQUIRE(again.size() == 1u);
  BOOST_TEST(again.front()->target == "a");
}

BOOST_AUTO_TEST_CASE(a_clock_that_went_back_makes_no_pause_longer) {
  order_keeper keeper;
  const std::vector<order_ptr> owed{order_to("a", order::repeat::until_folded), order_to("b", order::repeat::until_accepted)};
  keeper.reconcile(owed, 5000);
  keeper.clock_went_back(100);
  BOOST_TEST(keeper.next_ns().value() == 110);
  BOOST_TEST(keeper.reconcile(owed, 109).empty());
  BOOST_TEST(keeper.reconcile(owed, 110).size() == 1u);
}
