// All reactions as a checkpoint has them. That each goes on as it would have done is also tried on the histories of its own tests
// (watched.hpp, job_site.cpp).
#include "test/support/made_history.hpp"
#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using namespace annals::test;
using reactions::reaction_set;

namespace {

std::string stored_after(const std::vector<log::record_ptr>& records) {
  reaction_set set;
  for (const auto& r : records) set.fold(*r);
  return stored_bytes(set);
}

std::string why_not_restored(const std::string& bytes, reaction_set into = reaction_set()) {
  try {
    stored::restore_whole(bytes, into);
  } catch (const stored::state_unreadable& e) {
    return e.what();
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stored_reactions)

BOOST_AUTO_TEST_CASE(all_of_them_owe_from_a_checkpoint_what_they_owe_from_the_log) {
  for (unsigned seed = 1; seed <= 6; ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) {
      const auto records = made_records(seed, 150);
      const auto now_ns = records.back()->get().getWallNs();
      check_goes_on_alike(
          records, [] { return std::make_unique<reaction_set>(); }, [&](reaction_set& set) { return owed_from(set, now_ns); });
    }
}

// Who makes a checkpoint asks for no orders, and a server does all the time.
BOOST_AUTO_TEST_CASE(orders_that_were_given_are_no_part_of_a_checkpoint) {
  log::memory_event_store store;
  made_history history(store, 7);
  reaction_set asked, folded;
  std::int64_t now_ns = 0;
  history.written = [&](const log::record& r) {
    now_ns = r.get().getWallNs();
    for (auto* set : {&asked, &folded}) set->fold(r);
    (void)asked.due(now_ns);
  };
  history.begin();
  for (int i = 0; i < 150; ++i) history.step();
  history.submit();
  for (const auto last = history.jobs().back(); !history.now.job(last)->ended();) history.move(last);
  reaction_set restored;
  stored::restore_whole(stored_bytes(asked), restored);
  const auto owed = owed_from(folded, now_ns);
  BOOST_TEST(owed.size() > 3u);  // of one job at least that it is to be forgotten, besides when the next are due
  BOOST_TEST(owed_from(restored, now_ns) == owed, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_checkpoint_takes_the_place_of_what_was_there) {
  const auto one = stored_after(made_records(8, 60));
  reaction_set set;
  for (const auto& r : made_records(9, 60)) set.fold(*r);
  (void)set.due(made_records(9, 60).back()->get().getWallNs());
  stored::restore_whole(one, set);
  BOOST_TEST((stored_bytes(set) == one));
}

BOOST_AUTO_TEST_CASE(a_checkpoint_with_other_reactions_is_refused) {
  const auto all = stored_after(made_records(1, 20));
  BOOST_TEST(why_not_restored(all) == "");
  std::vector<reactions::named_reaction> fewer = reactions::all_reactions();
  fewer.pop_back();
  BOOST_TEST(why_not_restored(all, reaction_set("", std::move(fewer))) == "a state has more or fewer reactions than the server");
  std::vector<reactions::named_reaction> others = reactions::all_reactions();
  others.back().name = "new_ones";
  BOOST_TEST(why_not_restored(all, reaction_set("", std::move(others))) ==
             "a state has the reaction unanswered_reservations in place of new_ones");
}

BOOST_AUTO_TEST_CASE(a_checkpoint_that_ends_too_early_is_refused) {
  const auto all = stored_after(made_records(2, 40));
  for (std::size_t length = 0; length < all.size(); length += 1 + length / 64)
    BOOST_TEST(why_not_restored(all.substr(0, length)) != "", "the first " << length << " bytes were taken");
  BOOST_TEST(why_not_restored(all + "x") == "a state has bytes behind its end");
}

// A history of a million jobs is in a checkpoint with some bytes for each.
BOOST_AUTO_TEST_CASE(a_long_history_takes_few_bytes_of_a_checkpoint) {
  watched<reactions::history_expiry> history;
  const auto before = stored_bytes(history.fold).size();
  constexpr std::size_t jobs = 2000;
  for (std::size_t i = 0; i < jobs; ++i) {
    history.later(1);
    history.write(0, model::make_event([](auto e) { e.initJob().initEnded(); }));
  }
  BOOST_TEST(stored_bytes(history.fold).size() - before < jobs * 8);
}

BOOST_AUTO_TEST_SUITE_END()
