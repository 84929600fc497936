// Mails of reservations, as transcripts of a PBS show them.
#include "test/unit/projections/mail/mail_fixture.hpp"

using namespace annals;
using namespace annals::test;

namespace {

const model::requester server_of_vm{"root", "vm", schema::Role::SERVER};
const model::requester owner_at_vm{"pbsuser", "vm", schema::Role::USER};
using bodies = std::vector<std::string>;
const std::string confirmation = "Reservation transitioned from state UNCONFIRMED to CONFIRMED";
const std::string starting = "Reservation period starting";
const std::string period_ended = "Reservation period ended";
const std::string removed_by_root = "Reservation removed\nRequesting party: root@vm";

struct mailed_reservation : told_log {
  reservation_story story;

  mailed_reservation() {
    story.settings.server_name = story.settings.host_name = "vm";
    story.now_s = 1795221745;
  }
  void submit(given_values more = {}) {
    given_values all = two_cpus(story.now_s + 7, 25);
    all.insert(all.end(), more.begin(), more.end());
    BOOST_REQUIRE_EQUAL(story.when(reserve(all, {}, 52), owner_at_vm), "submitted");
  }
  std::string wakes() {
    story.now_s = std::max(story.now_s, model::pending_effects(story.state, story.settings).front().wall_ns / a_second);
    return story.when(model::reservation_time{}, server_of_vm);
  }
  std::vector<projections::mail> mails() {
    told(story);
    return mails_of_log(records);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mails_of_reservations, mailed_reservation)

BOOST_AUTO_TEST_CASE(one_that_asks_for_all_is_told_of_its_whole_life) {
  submit({{"Mail_Points", "", "abce"}});
  story.confirmed("(n1:ncpus=2)");
  BOOST_TEST(wakes() == "occurrenceBegan");
  BOOST_TEST(wakes() == "occurrenceEnded");
  const auto all = mails();
  BOOST_TEST(bodies_of(all) == (bodies{confirmation, starting, period_ended, removed_by_root}), boost::test_tools::per_element());
  BOOST_TEST(all[0].text ==
             "To: pbsuser@vm\nSubject: PBS RESERVATION R52.vm\n\nPBS Reservation Id: R52.vm\nReservation Name:   NULL\n" + confirmation +
                 "\n");
  BOOST_TEST((all[3].place == projections::mail_place{all[2].place.sequence, 1}));
  BOOST_TEST(all[0].about == "R52.vm");
}

BOOST_AUTO_TEST_CASE(one_that_says_nothing_is_told_that_it_is_confirmed_and_removed) {
  submit();
  story.confirmed("(n1:ncpus=2)");
  wakes();
  story.removed({"root", "vm", schema::Role::ROOT});
  BOOST_TEST(bodies_of(mails()) == (bodies{confirmation, removed_by_root}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_that_is_changed_is_confirmed_again) {
  submit({{"Mail_Users", "", "x@y.org"}});
  story.confirmed("(n1:ncpus=2)");
  story.altered({{"reserve_duration", "", "40"}}, owner_at_vm);
  story.confirmed("(n1:ncpus=2)");
  const auto all = mails();
  BOOST_TEST(bodies_of(all) == (bodies{confirmation, confirmation}), boost::test_tools::per_element());
  BOOST_TEST(all[1].to == "x@y.org ");
}

BOOST_AUTO_TEST_CASE(nobody_is_told_of_another_place_or_of_a_denial) {
  submit({{"Mail_Points", "", "n"}});
  story.confirmed("(n1:ncpus=2)");
  BOOST_TEST(mails().empty());
  mailed_reservation denied;
  denied.submit({{"Mail_Points", "", "abce"}, {"interactive", "", "-5"}});
  denied.story.refused();
  BOOST_TEST(denied.mails().empty());
}

BOOST_AUTO_TEST_SUITE_END()
