// A reservation from its submission to its end; texts and numbers as a PBS gave them.
#include <boost/test/unit_test.hpp>

#include "events/model/limits.hpp"
#include "test/support/reservation_story.hpp"

using namespace annals;
using namespace annals::test;
namespace ids = attributes::reservation;
using phase = model::reservation_phase;

namespace {

reservation_story given_standing(const std::string& rule, const std::string& select = "1:ncpus=2") {
  reservation_story s;
  s.now_s = 1'795'222'000;
  auto v = two_cpus(s.now_s + 100, 60);
  v[0] = {"Resource_List", "select", select};
  v.push_back({"reserve_rrule", "", rule});
  v.push_back({"reserve_timezone", "", "UTC"});
  BOOST_REQUIRE_EQUAL(s.when(reserve(v)), "submitted");
  if (select == "1:ncpus=2") {
    BOOST_REQUIRE_EQUAL(s.confirmed("(n1:ncpus=2)"), "confirmed");
  } else {
    const auto chunks = select.substr(0, select.find(':'));
    BOOST_REQUIRE_EQUAL(s.confirmed("(n1:ncpus=" + chunks + ")"), "confirmed");
  }
  return s;
}

// As wakes(), and there is room whenever more occurrences are to have places.
std::string wakes_placed(reservation_story& s) {
  auto said = s.wakes();
  if (said != "laterAsked") return said;
  BOOST_REQUIRE_EQUAL(s.confirmed("(n1:ncpus=2)"), "laterPlaced");
  return s.wakes();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reservation)

// MS-101
BOOST_AUTO_TEST_CASE(one_that_is_asked_for_waits_for_the_schedulers) {
  reservation_story s;
  BOOST_TEST(s.when(reserve(two_cpus(s.now_s + 100))) == "submitted");
  BOOST_TEST(s.shown(ids::reserve_type) == "2");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_UNCONFIRMED");
  BOOST_TEST(s.shown(ids::Reserve_Name) == "NULL");
  BOOST_TEST(s.shown(ids::Reserve_Owner) == "user1@borg");
  BOOST_TEST(s.shown(ids::Authorized_Users) == "user1@borg");
  BOOST_TEST(s.shown(ids::queue) == "R5");
  BOOST_TEST(s.shown(ids::reserve_duration) == "60");
  BOOST_TEST(s.shown(ids::Resource_List, "walltime") == "00:01:00");
  BOOST_TEST(s.shown(ids::Resource_List, "ncpus") == "2");
  BOOST_TEST(s.shown(ids::Resource_List, "place") == "free");
  BOOST_TEST(s.shown(ids::schedselect) == "1:ncpus=2");
  BOOST_TEST(s.shown(ids::partition) == "(none)");
  BOOST_REQUIRE(s.state.ask);
  BOOST_TEST(s.state.ask->number == 1u);
  BOOST_TEST(s.state.ask->wanted.size() == 1u);
}

BOOST_AUTO_TEST_CASE(two_of_three_times_are_needed_and_three_must_agree) {
  const auto at = [](std::vector<std::pair<const char*, std::int64_t>> times) {
    reservation_story s;
    given_values v{{"Resource_List", "select", "1:ncpus=1"}};
    for (const auto& [name, value] : times)
      v.push_back({std::string("reserve_") + name, "", std::to_string(std::string_view(name) == "duration" ? value : s.now_s + value)});
    return s.when(reserve(v));
  };
  const std::string bad = "15086 Bad time specification(s)";
  BOOST_TEST(at({{"start", 10}, {"duration", 5}}) == "submitted");
  BOOST_TEST(at({{"start", 10}, {"end", 20}}) == "submitted");
  BOOST_TEST(at({{"end", 20}, {"duration", 5}}) == "submitted");
  BOOST_TEST(at({{"start", 10}, {"end", 20}, {"duration", 10}}) == "submitted");
  BOOST_TEST(at({{"start", 10}, {"end", 20}, {"duration", 11}}) == bad);
  BOOST_TEST(at({{"start", 10}}) == bad);
  BOOST_TEST(at({{"duration", 10}}) == bad);
  BOOST_TEST(at({{"start", 10}, {"duration", 0}}) == bad);
  BOOST_TEST(at({{"start", 20}, {"end", 10}}) == bad);
  BOOST_TEST(at({{"start", -1}, {"duration", 10}}) == bad);
}

BOOST_AUTO_TEST_CASE(its_window_is_open_as_two_of_its_times_say) {
  const auto opens_and_closes = [](const given_values& times) {
    reservation_story s;
    given_values v{{"Resource_List", "select", "1:ncpus=1"}};
    v.insert(v.end(), times.begin(), times.end());
    BOOST_TEST(s.when(reserve(v)) == "submitted");
    BOOST_TEST(s.confirmed("(n1:ncpus=1)") == "confirmed");
    BOOST_TEST(s.wakes() == "occurrenceBegan");
    const auto opened_s = s.now_s;
    BOOST_TEST(s.wakes() == "occurrenceEnded");
    return std::to_string(opened_s) + " " + std::to_string(s.now_s);
  };
  BOOST_TEST(opens_and_closes({{"reserve_start", "", "1000010"}, {"reserve_end", "", "1000030"}}) == "1000010 1000030");
  BOOST_TEST(opens_and_closes({{"reserve_start", "", "1000010"}, {"reserve_duration", "", "5"}}) == "1000010 1000015");
  BOOST_TEST(opens_and_closes({{"reserve_end", "", "1000030"}, {"reserve_duration", "", "5"}}) == "1000025 1000030");
}

BOOST_AUTO_TEST_CASE(a_walltime_is_a_duration) {
  reservation_story s;
  BOOST_TEST(s.when(reserve({{"Resource_List", "select", "1"},
                             {"Resource_List", "walltime", "20"},
                             {"reserve_start", "", std::to_string(s.now_s + 5)}})) == "submitted");
  BOOST_TEST(s.shown(ids::reserve_duration) == "20");
}

BOOST_AUTO_TEST_CASE(who_may_not_ask_is_told_why) {
  reservation_story s;
  const auto asks = [&] { return reservation_story(s).when(reserve(two_cpus(s.now_s + 5))); };
  s.settings.server.set(attributes::server::acl_resv_user_enable, "True");
  BOOST_TEST(asks() == "15094 Requestor not authorized to make reservations");
  s.settings.server.set(attributes::server::acl_resv_users, "user1");
  BOOST_TEST(asks() == "submitted");
  s.settings.server.set(attributes::server::acl_resv_group_enable, "True");
  BOOST_TEST(asks() == "15093 Requestor's group not authorized to submit reservations");
  s.settings.server.set(attributes::server::acl_resv_groups, "group1");
  s.settings.server.set(attributes::server::acl_resv_host_enable, "True");
  BOOST_TEST(asks() == "15092 Host machine not authorized to submit reservations");
  s.settings.server.set(attributes::server::acl_resv_hosts, "borg");
  BOOST_TEST(asks() == "submitted");
  s.settings.server.set(attributes::server::resv_enable, "False");
  BOOST_TEST(asks() == "15094 Requestor not authorized to make reservations");
}

BOOST_AUTO_TEST_CASE(what_is_no_attribute_or_not_made_is_refused) {
  reservation_story s;
  const auto with = [&](const char* name, const char* value) {
    auto v = two_cpus(s.now_s + 5);
    v.push_back({name, "", value});
    return reservation_story(s).when(reserve(v));
  };
  BOOST_TEST(with("nosuch", "1") == "15002 Undefined attribute ");
  BOOST_TEST(with("delete_idle_time", "60") == "submitted");
  BOOST_TEST(with("reserve_state", "1").starts_with("15003"));
}

// MS-104
BOOST_AUTO_TEST_CASE(confirmed_it_has_its_vnodes_and_no_partition) {
  auto s = given_confirmed();
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_CONFIRMED");
  BOOST_TEST(s.shown(ids::reserve_substate) == "2");
  BOOST_TEST(s.shown(ids::resv_nodes) == "(n1:ncpus=2)");
  BOOST_TEST(s.shown(ids::partition) == "pbs-default");
  BOOST_TEST(!s.state.ask);
}

BOOST_AUTO_TEST_CASE(an_answer_must_be_what_was_asked_for) {
  reservation_story s;
  s.when(reserve(two_cpus(s.now_s + 100)));
  BOOST_TEST(s.confirmed("(n1:ncpus=1)").starts_with("15081"));
  BOOST_TEST(s.confirmed("nothing").starts_with("15081"));
  BOOST_TEST(s.answered("default", [](auto a) { a.initConfirmed(0); }).starts_with("15081"));
  BOOST_TEST(s.confirmed("(n1:ncpus=2)", "stranger").starts_with("15007"));
  BOOST_TEST(
      s.when(model::reservation_answer{schema::make<schema::FromScheduler>([](auto m) { m.initReservation().setRefused(""); }), "default"},
             user())
          .starts_with("15007"));
  BOOST_TEST(s.confirmed("(n1:ncpus=1)+(n2:ncpus=1)") == "confirmed");
  BOOST_TEST(s.refused() == "");  // nobody asks any more
}

// MS-106
BOOST_AUTO_TEST_CASE(it_is_denied_when_the_last_scheduler_has_refused) {
  reservation_story s;
  s.settings.scheduler_of_partition = {{"P1", "one"}, {"P2", "two"}};
  s.when(reserve(two_cpus(s.now_s + 100)));
  BOOST_TEST(s.refused("one") == "refused");
  BOOST_TEST(s.refused("one") == "");
  BOOST_TEST(s.refused("default") == "refused");
  BOOST_TEST(s.refused("two") == "refused denied");
  BOOST_TEST((s.state.phase == phase::ended));
}

BOOST_AUTO_TEST_CASE(nobody_waits_for_a_scheduler_that_is_off_when_another_has_refused) {
  reservation_story s;
  s.settings.scheduler_of_partition = {{"P1", "one"}, {"P2", "two"}};
  s.settings.schedulers_off = {"two"};
  s.when(reserve(two_cpus(s.now_s + 100)));
  auto other = s;
  BOOST_TEST(s.refused("one") == "refused");
  BOOST_TEST(s.refused("default") == "refused denied");

  other.settings.server.set(attributes::server::scheduling, "False");
  BOOST_TEST(other.refused("one") == "refused denied");
}

BOOST_AUTO_TEST_CASE(while_all_schedulers_are_off_it_waits) {
  reservation_story s;
  s.settings.scheduler_of_partition = {{"P1", "one"}};
  s.settings.schedulers_off = {"one"};
  s.settings.server.set(attributes::server::scheduling, "False");
  s.when(reserve(two_cpus(s.now_s + 100)));
  BOOST_TEST(!model::nobody_is_left_to_answer(s.state, s.settings));
  BOOST_TEST(s.when(model::reservation_time{}, the_server()) == "");
  s.settings.server.set(attributes::server::scheduling, "True");
  BOOST_TEST(s.refused("default") == "refused denied");
}

BOOST_AUTO_TEST_CASE(a_scheduler_that_is_switched_off_is_not_waited_for) {
  reservation_story s;
  s.settings.scheduler_of_partition = {{"P1", "one"}};
  s.when(reserve(two_cpus(s.now_s + 100)));
  BOOST_TEST(s.refused("default") == "refused");
  s.settings.schedulers_off = {"one"};
  BOOST_TEST(model::nobody_is_left_to_answer(s.state, s.settings));
  BOOST_TEST(s.when(model::reservation_time{}, the_server()) == "denied");
}

BOOST_AUTO_TEST_CASE(a_scheduler_that_is_gone_has_refused) {
  reservation_story s;
  s.settings.scheduler_of_partition = {{"P1", "one"}};
  s.when(reserve(two_cpus(s.now_s + 100)));
  s.refused("default");
  BOOST_TEST(!model::nobody_is_left_to_answer(s.state, s.settings));
  BOOST_TEST(s.when(model::reservation_time{}, the_server()) == "");
  s.settings.scheduler_of_partition.clear();
  BOOST_TEST(model::nobody_is_left_to_answer(s.state, s.settings));
  BOOST_TEST(s.when(model::reservation_time{}, the_server()) == "denied");
  BOOST_TEST(s.state.end_reason == "no scheduler is left to answer");
}

BOOST_AUTO_TEST_CASE(a_change_whose_scheduler_is_gone_is_given_up) {
  reservation_story s;
  s.settings.scheduler_of_partition = {{"P1", "one"}};
  s.when(reserve(two_cpus(s.now_s + 100)));
  s.confirmed("(n1:ncpus=2)", "one");
  s.altered({{"reserve_duration", "", "90"}});
  s.settings.scheduler_of_partition.clear();
  BOOST_TEST(s.when(model::reservation_time{}, the_server()) == "alterDenied");
  BOOST_TEST(s.shown(ids::reserve_duration) == "60");
}

// pbs_rsub --job
BOOST_AUTO_TEST_CASE(a_running_job_s_vnodes_become_a_reservation_at_once) {
  const auto asked = [](bool runs, const std::string& owner, bool has_walltime = true, const std::string& reservation = "") {
    reservation_story s;
    s.settings.queues["q1"].attributes.set(attributes::queue::partition, "P1");
    auto c = reserve({{"reserve_job", "", "12.borg"}});
    model::reservation_job job{12, "12.borg", owner, false, runs, {}};
    namespace of = attributes::job;
    job.attributes.set(of::queue, "q1");
    job.attributes.set(of::exec_vnode, "(n1:ncpus=2)");
    job.attributes.set(of::Resource_List, "select", "1:ncpus=2");
    if (has_walltime) job.attributes.set(of::Resource_List, "walltime", "00:01:00");
    if (!reservation.empty()) job.attributes.set(of::reserve_ID, reservation);
    c.of_job = job;
    const auto said = s.when(c);
    return std::pair(said, s);
  };
  auto [said, s] = asked(true, "user1");
  BOOST_TEST(said == "submitted");
  BOOST_TEST(!s.state.ask);
  BOOST_TEST(s.state.job == 12u);
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_CONFIRMED");
  BOOST_TEST(s.shown(ids::resv_nodes) == "(n1:ncpus=2)");
  BOOST_TEST(s.shown(ids::reserve_job) == "12.borg");
  BOOST_TEST(s.shown(ids::partition) == "P1");
  BOOST_TEST(s.shown(ids::reserve_duration) == "60");
  BOOST_TEST(s.shown(ids::delete_idle_time) == "(none)");
  BOOST_TEST(s.wakes() == "occurrenceBegan");
  BOOST_TEST(s.now_s == 1'000'000);
  BOOST_TEST(asked(false, "user1").first.starts_with("15016"));
  BOOST_TEST(asked(true, "user2").first.starts_with("15007"));
  BOOST_TEST(asked(true, "user1", false).first.starts_with("15"));
  BOOST_TEST(asked(true, "user1", true, "R4.borg").first.starts_with("15016"));
  reservation_story none;
  BOOST_TEST(none.when(reserve({{"reserve_job", "", "99999.borg"}})).starts_with("15001"));
}

BOOST_AUTO_TEST_CASE(for_how_long_its_client_waits_is_shown) {  // MS-101
  const auto shown = [](const char* seconds) {
    reservation_story s;
    auto v = two_cpus(s.now_s + 100);
    v.push_back({"interactive", "", seconds});
    s.when(reserve(v));
    return s.shown(ids::interactive);
  };
  BOOST_TEST(shown("5") == "5");
  BOOST_TEST(shown("-5") == "-5");
}

// MS-98, MS-99
BOOST_AUTO_TEST_CASE(it_is_in_the_partition_of_whoever_confirms_it) {
  reservation_story s;
  s.settings.scheduler_of_partition = {{"P1", "one"}};
  s.when(reserve(two_cpus(s.now_s + 100)));
  s.refused("default");
  BOOST_TEST(s.confirmed("(n1:ncpus=2)", "one") == "confirmed");
  BOOST_TEST(s.shown(ids::partition) == "P1");
}

BOOST_AUTO_TEST_CASE(its_window_opens_and_closes_by_itself) {
  auto s = given_confirmed();
  BOOST_TEST(s.wakes() == "occurrenceBegan");
  BOOST_TEST(s.now_s == 1'000'100);
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_RUNNING");
  BOOST_TEST(s.shown(ids::reserve_substate) == "5");
  BOOST_TEST(s.wakes() == "occurrenceEnded");
  BOOST_TEST(s.now_s == 1'000'160);
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_BEING_DELETED");
  BOOST_TEST(s.wakes() == "never");
  BOOST_TEST(s.when(model::reservation_empty{}, the_server()) == "ended");
}

BOOST_AUTO_TEST_CASE(what_is_woken_too_early_or_while_it_was_down_comes_right) {
  auto s = given_confirmed();
  BOOST_TEST(s.when(model::reservation_time{}, the_server()) == "");
  s.now_s += 10'000;  // both times passed
  BOOST_TEST(s.wakes() == "occurrenceBegan");
  BOOST_TEST(s.wakes() == "occurrenceEnded");
}

BOOST_AUTO_TEST_CASE(one_that_waits_only_so_long_for_an_answer_is_denied) {
  reservation_story s;
  auto v = two_cpus(s.now_s + 100);
  v.push_back({"interactive", "", "-5"});
  s.when(reserve(v));
  BOOST_TEST(s.wakes() == "denied");
  BOOST_TEST(s.now_s == 1'000'005);
}

BOOST_AUTO_TEST_CASE(nobody_answers_until_its_time_is_over) {
  reservation_story s;
  s.when(reserve(two_cpus(s.now_s + 100)));
  BOOST_TEST(s.wakes() == "denied");
  BOOST_TEST(s.now_s == 1'000'160);
}

BOOST_AUTO_TEST_CASE(its_owner_and_operators_delete_it) {
  auto s = given_confirmed();
  BOOST_TEST(s.removed(user("user2")) == "15007 Unauthorized Request ");
  BOOST_TEST(s.removed(operator_()) == "deleteRequested");
  BOOST_TEST(s.state.deleted_by == "oper@borg");
  BOOST_TEST(s.removed() == "");
  reservation_story unplaced;
  unplaced.when(reserve(two_cpus(unplaced.now_s + 100)));
  BOOST_TEST(unplaced.removed() == "deleteRequested ended");
}

BOOST_AUTO_TEST_CASE(lost_vnodes_degrade_it_and_others_are_looked_for_later) {
  auto s = given_confirmed();
  BOOST_TEST(s.when(model::reservation_lost{{"n1"}, false}, the_server()) == "degraded");
  BOOST_TEST(s.when(model::reservation_lost{{"n1"}, false}, the_server()) == "");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_DEGRADED");
  BOOST_TEST(s.shown(ids::reserve_substate) == "10");
  BOOST_TEST(s.shown(ids::reserve_retry) == "1000600");
  BOOST_TEST(s.when(model::reservation_lost{}, the_server()) == "restored");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_CONFIRMED");
  BOOST_TEST(s.shown(ids::reserve_retry) == "0");
}

BOOST_AUTO_TEST_CASE(a_degraded_one_is_given_other_vnodes) {
  reservation_story s;
  s.settings.server.set(attributes::server::reserve_retry_time, "30");
  s.when(reserve(two_cpus(s.now_s + 100)));
  s.confirmed("(n1:ncpus=2)");
  s.when(model::reservation_lost{{"n1"}, false}, the_server());
  BOOST_TEST(s.wakes() == "degraded");  // which asks
  BOOST_TEST(s.now_s == 1'000'030);
  BOOST_REQUIRE(s.state.ask);
  BOOST_TEST(s.refused() == "refused");
  BOOST_TEST(s.wakes() == "degraded");
  BOOST_TEST(s.now_s == 1'000'060);
  BOOST_TEST(s.confirmed("(n2:ncpus=2)") == "confirmed");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_CONFIRMED");
  BOOST_TEST(s.shown(ids::resv_nodes) == "(n2:ncpus=2)");
}

BOOST_AUTO_TEST_CASE(what_maintenance_takes_is_looked_for_elsewhere_at_once) {
  auto s = given_confirmed();
  BOOST_TEST(s.when(model::reservation_lost{{"n1"}, true}, the_server()) == "degraded");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_DEGRADED");
  BOOST_TEST(s.shown(ids::reserve_substate) == "12");
  BOOST_TEST(s.shown(ids::resv_nodes) == "(none)");
  BOOST_TEST(s.wakes() == "degraded");
  BOOST_TEST(s.now_s == 1'000'000);
  BOOST_TEST(s.refused() == "refused");
  BOOST_TEST(s.state.retry_ns == 1'000'600 * a_second);
}

BOOST_AUTO_TEST_CASE(a_standing_one_has_all_its_windows) {
  reservation_story s;
  s.now_s = 1'795'222'000;
  auto v = two_cpus(s.now_s + 100, 5);
  v.push_back({"reserve_rrule", "", "FREQ=HOURLY;COUNT=3"});
  v.push_back({"reserve_timezone", "", "UTC"});
  BOOST_TEST(s.when(reserve(v)) == "submitted");
  BOOST_TEST(s.state.id == "S5");
  BOOST_TEST(s.confirmed("(n1:ncpus=2)") == "confirmed");
  BOOST_TEST(s.shown(ids::reserve_index) == "1");
  BOOST_TEST(s.shown(ids::reserve_count) == "3");
  BOOST_TEST(s.wakes() == "occurrenceBegan");
  BOOST_TEST(s.wakes() == "occurrenceEnded");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_CONFIRMED");
  BOOST_TEST(s.shown(ids::reserve_index) == "2");
  BOOST_TEST(s.wakes() == "occurrenceBegan");
  BOOST_TEST(s.now_s == 1'795'222'000 + 100 + 3600);
  s.wakes();
  s.wakes();
  BOOST_TEST(s.wakes() == "occurrenceEnded");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_BEING_DELETED");
}

// A year from 1 July 2026, 9 o'clock in Berlin: 07:00 UTC in summer time, 08:00 UTC from 25 October until 27 March.
BOOST_AUTO_TEST_CASE(a_window_each_day_of_a_year_opens_at_its_hour_of_the_day) {
  constexpr std::int64_t day = 24 * 3600, first = 1'782'889'200;
  reservation_story s;
  s.now_s = first - 100;
  auto v = two_cpus(first, 3600);
  v.push_back({"reserve_rrule", "", "FREQ=DAILY;COUNT=365"});
  v.push_back({"reserve_timezone", "", "Europe/Berlin"});
  BOOST_REQUIRE(s.when(reserve(v)) == "submitted");
  BOOST_REQUIRE(s.confirmed("(n1:ncpus=2)") == "confirmed");
  for (std::int64_t n = 0; n < 365; ++n) {
    const auto utc = first + n * day + (n >= 116 && n < 270 ? 3600 : 0);
    BOOST_TEST_CONTEXT("window " << n + 1) {
      BOOST_REQUIRE(s.shown(ids::reserve_index) == std::to_string(n + 1));
      BOOST_REQUIRE(wakes_placed(s) == "occurrenceBegan");
      BOOST_REQUIRE(s.now_s == utc);
      BOOST_REQUIRE(wakes_placed(s) == "occurrenceEnded");
      BOOST_REQUIRE(s.now_s == utc + 3600);
      BOOST_REQUIRE(s.shown(ids::resv_nodes) == "(n1:ncpus=2)");
    }
  }
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_BEING_DELETED");
  BOOST_TEST(s.wakes() == "never");
}

// -- occurrences that are far ahead --------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(places_are_asked_for_the_next_occurrences_only) {
  const auto s = given_standing("FREQ=DAILY;COUNT=3999");
  BOOST_TEST(s.state.occurrences.size() == limits::occurrences_ahead_max);
  BOOST_TEST(s.state.later.gaps_s.size() == 3999 - limits::occurrences_ahead_max);
  BOOST_TEST(s.shown(ids::reserve_count) == "3999");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_CONFIRMED");
  // The two events of it are small: they were four megabytes.
  std::size_t words = 0;
  for (const auto& [at, e] : s.history) words += e.get().totalSize().wordCount;
  BOOST_TEST(words * sizeof(capnp::word) < 40'000u);
}

BOOST_AUTO_TEST_CASE(as_time_goes_on_more_are_asked_for) {
  auto s = given_standing("FREQ=HOURLY;COUNT=300");
  const auto first = s.state.current()->start_ns;
  unsigned asked = 0;
  for (unsigned n = 0; n < 300; ++n) {
    BOOST_REQUIRE(s.state.current());
    BOOST_REQUIRE(s.state.current()->index == n + 1);
    BOOST_REQUIRE(s.state.current()->start_ns == first + n * 3600 * a_second);
    auto said = s.wakes();
    if (said == "laterAsked") {
      ++asked;
      BOOST_TEST(s.state.ask->wanted.size() == 50u);
      BOOST_TEST(s.state.occurrences.size() <= limits::occurrences_ahead_max + 1);
      BOOST_TEST(s.shown(ids::reserve_state) == "RESV_CONFIRMED");
      BOOST_REQUIRE(s.confirmed("(n1:ncpus=2)") == "laterPlaced");
      said = s.wakes();
    }
    BOOST_REQUIRE(said == "occurrenceBegan");
    BOOST_REQUIRE(s.shown(ids::resv_nodes) == "(n1:ncpus=2)");
    BOOST_REQUIRE(s.wakes() == "occurrenceEnded");
  }
  BOOST_TEST(asked == 4u);
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_BEING_DELETED");
  BOOST_TEST(s.wakes() == "never");
}

BOOST_AUTO_TEST_CASE(without_room_for_more_it_is_degraded_and_asks_again) {
  auto s = given_standing("FREQ=HOURLY;COUNT=200");
  while (s.wakes() != "laterAsked") {
  }
  const auto wanted = s.state.ask->wanted;
  BOOST_TEST(s.refused() == "refused");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_DEGRADED");
  BOOST_TEST(s.shown(ids::reserve_substate) == "10");
  BOOST_TEST(s.shown(ids::reserve_retry) == std::to_string(s.now_s + 600));
  const auto before = s.now_s;
  BOOST_TEST(s.wakes() == "laterAsked");
  BOOST_TEST(s.now_s == before + 600);
  BOOST_TEST((s.state.ask->wanted == wanted));
  BOOST_TEST(s.confirmed("(n2:ncpus=2)") == "laterPlaced");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_CONFIRMED");
  BOOST_TEST(s.shown(ids::reserve_retry) == "(none)");
  // Its former places stay.
  BOOST_TEST(s.shown(ids::resv_nodes) == "(n1:ncpus=2)");
  BOOST_TEST(s.state.occurrences.back().exec_vnode == "(n2:ncpus=2)");
}

BOOST_AUTO_TEST_CASE(lost_vnodes_and_changes_go_on_beside_the_question) {
  auto s = given_standing("FREQ=HOURLY;COUNT=200");
  while (s.wakes() != "laterAsked") {
  }
  BOOST_TEST(s.when(model::reservation_lost{{"n1"}}, the_server()) == "degraded");
  BOOST_TEST(s.confirmed("(n2:ncpus=2)") == "laterPlaced");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_DEGRADED");
  BOOST_TEST(s.when(model::reservation_lost{{}}, the_server()) == "restored");
  while (s.wakes() != "laterAsked") {
  }
  // A change comes before it, and then it is asked again.
  const auto start = s.state.current()->start_ns / a_second;
  BOOST_TEST(s.altered({{"reserve_start", "", std::to_string(start + 30)}}) == "alterRequested");
  BOOST_TEST(s.confirmed("(n1:ncpus=2)") == "confirmed");
  BOOST_TEST(s.shown(ids::reserve_start) == std::to_string(start + 30));
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_DEGRADED");
  while (s.wakes() != "laterAsked") {
  }
  BOOST_TEST(s.confirmed("(n1:ncpus=2)") == "laterPlaced");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_CONFIRMED");
}

// It ends with its last occurrence, also when no scheduler has answered for long.
BOOST_AUTO_TEST_CASE(nobody_answers_and_it_goes_on) {
  auto s = given_standing("FREQ=HOURLY;COUNT=300");
  unsigned began = 0;
  for (auto said = s.wakes(); said != "never"; said = s.wakes()) began += said == "occurrenceBegan";
  BOOST_TEST(began == 300u);
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_BEING_DELETED");
}

BOOST_AUTO_TEST_CASE(a_large_one_has_fewer_occurrences_ahead) {
  auto s = given_standing("FREQ=DAILY;COUNT=400", "500:ncpus=1");
  BOOST_TEST(s.state.occurrences.size() == 10u);
  s = given_standing("FREQ=DAILY;COUNT=400", "9000:ncpus=1");
  BOOST_TEST(s.state.occurrences.size() == 2u);
}

// Reckoning stands in the command: a rule never asks the zones of the system.
BOOST_AUTO_TEST_CASE(what_was_reckoned_for_something_else_is_not_taken) {
  reservation_story s;
  s.now_s = 1'795'222'000;
  auto v = two_cpus(s.now_s + 100, 5);
  v.push_back({"reserve_rrule", "", "FREQ=HOURLY;COUNT=3"});
  v.push_back({"reserve_timezone", "", "UTC"});
  auto command = reserve(v);
  auto question = model::recurrence_of(command, {s.now_s * a_second, user()}, s.settings);
  BOOST_REQUIRE(question);
  command.reckoned = values::reckoned_recurrence{*question, std::vector<std::int64_t>{s.now_s + 100, s.now_s + 200}};
  auto other = command;
  other.reckoned->of.duration = 6;
  BOOST_TEST(s.when(other).starts_with(std::to_string(values::pbs_error::try_again)));
  BOOST_TEST(s.when(command) == "submitted");
  BOOST_TEST(s.state.occurrences[1].start_ns == (s.now_s + 200) * a_second);
}

BOOST_AUTO_TEST_CASE(a_rule_that_is_none_is_refused_and_one_window_is_an_ordinary_reservation) {
  const auto with = [](const char* rule) {
    reservation_story s;
    s.now_s = 1'795'222'000;
    auto v = two_cpus(s.now_s + 100, 5);
    v.push_back({"reserve_rrule", "", rule});
    v.push_back({"reserve_timezone", "", "UTC"});
    const auto said = s.when(reserve(v));
    return said == "submitted" ? s.state.id : said;
  };
  BOOST_TEST(with("FREQ=DAILY;COUNT=1") == "R5");
  BOOST_TEST(with("") == "R5");
  BOOST_TEST(with("FREQ=DAILY").starts_with("15"));
}

BOOST_AUTO_TEST_CASE(an_empty_rule_counts_nothing) {
  reservation_story s;
  auto v = two_cpus(s.now_s + 100, 5);
  v.push_back({"reserve_rrule", "", ""});
  s.when(reserve(v));
  BOOST_TEST((s.state.kind == schema::ReservationKind::ADVANCE));
  BOOST_TEST(s.shown(ids::reserve_count) == "0");
  BOOST_TEST(s.shown(ids::reserve_rrule) == "(none)");
  BOOST_TEST(given_confirmed().shown(ids::reserve_count) == "1");
}

BOOST_AUTO_TEST_CASE(more_occurrences_than_an_event_holds_are_refused) {
  const auto with = [](const char* select) {
    reservation_story s;
    s.now_s = 1'795'222'000;
    given_values v{{"Resource_List", "select", select},
                   {"reserve_start", "", std::to_string(s.now_s + 100)},
                   {"reserve_duration", "", "5"},
                   {"reserve_rrule", "", "FREQ=HOURLY;COUNT=4000"},
                   {"reserve_timezone", "", "UTC"}};
    return s.when(reserve(v));
  };
  BOOST_TEST(with("20000:ncpus=1") == "submitted");
  BOOST_TEST(with("30000:ncpus=1").find("more than 1 occurrences of 30000 chunks") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(maintenance_takes_whole_hosts_and_is_for_operators) {
  reservation_story s;
  const given_values times{{"reserve_start", "", std::to_string(s.now_s + 5)}, {"reserve_duration", "", "60"}};
  BOOST_TEST(s.when(reserve(times, {"n1"})) == "15007 Unauthorized Request ");
  BOOST_TEST(s.when(reserve(times, {"nosuch"}), manager()).find("Host with resources not found: nosuch") != std::string::npos);
  BOOST_TEST(s.when(reserve(times, {"n1"}), manager()) == "submitted confirmed");
  BOOST_TEST(s.state.id == "M5");
}

// As a PBS shows it.
BOOST_AUTO_TEST_CASE(maintenance_needs_no_scheduler_and_has_all_cpus_of_its_hosts) {
  reservation_story s;
  const given_values times{{"reserve_start", "", std::to_string(s.now_s + 5)}, {"reserve_duration", "", "60"}};
  auto c = reserve(times, {"n2", "n1"});
  c.hosts = {{"n1", {{"n1", "", 0}, {"n1[0]", "", 2}, {"n1[1]", "", 1}}}, {"n2", {{"n2", "", 4}}}};
  BOOST_TEST(s.when(c, manager()) == "submitted confirmed");
  BOOST_TEST(!s.state.ask);
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_CONFIRMED");
  BOOST_TEST(s.shown(ids::partition) == "pbs-default");
  BOOST_TEST(s.shown(ids::Resource_List, "select") == "host=n2:ncpus=4+host=n1:ncpus=3");
  BOOST_TEST(s.shown(ids::Resource_List, "place") == "exclhost");
  BOOST_TEST(s.shown(ids::Resource_List, "ncpus") == "7");
  BOOST_TEST(s.shown(ids::Resource_List, "nodect") == "2");
  BOOST_TEST(s.shown(ids::schedselect) == "1:host=n2:ncpus=4+1:host=n1:ncpus=3");
  BOOST_TEST(s.shown(ids::resv_nodes) == "(n2:ncpus=4)+(n1[0]:ncpus=2+n1[1]:ncpus=1)+(n1)");
  BOOST_TEST(s.wakes() == "occurrenceBegan");
}

BOOST_AUTO_TEST_CASE(maintenance_is_of_one_partition_and_of_hosts_with_cpus) {
  reservation_story s;
  const given_values times{{"reserve_start", "", std::to_string(s.now_s + 5)}, {"reserve_duration", "", "60"}};
  auto c = reserve(times, {"n1", "n2"});
  c.hosts = {{"n1", {{"n1", "P1", 4}}}, {"n2", {{"n2", "P1", 0}}}};
  BOOST_TEST(s.when(c, manager()).find("Host with resources not found: n2") != std::string::npos);
  c.hosts[1].vnodes[0] = {"n2", "P2", 4};
  BOOST_TEST(s.when(c, manager()) == "15029 No support for requested service: a reservation of hosts in several partitions");
  c.hosts[1].vnodes[0] = {"n2", "P1", 4};
  BOOST_TEST(s.when(c, manager()) == "submitted confirmed");
  BOOST_TEST(s.shown(ids::partition) == "P1");
}

// -- pbs_ralter ----------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(names_change_at_once_and_times_with_an_answer) {
  auto s = given_confirmed();
  BOOST_TEST(s.altered({{"Reserve_Name", "", "newn"}}) == "changed");
  BOOST_TEST(s.shown(ids::Reserve_Name) == "newn");
  BOOST_TEST(s.altered({{"reserve_duration", "", "90"}}) == "alterRequested");
  BOOST_TEST(s.shown(ids::reserve_duration) == "60");
  BOOST_TEST(s.shown(ids::schedselect_orig) == "1:ncpus=2");
  BOOST_TEST(s.altered({{"reserve_duration", "", "95"}}).starts_with("15016"));  // one after the other
  BOOST_TEST(s.confirmed("(n2:ncpus=2)") == "confirmed");
  BOOST_TEST(s.shown(ids::reserve_duration) == "90");
  BOOST_TEST(s.shown(ids::Resource_List, "walltime") == "00:01:30");
  BOOST_TEST(s.shown(ids::resv_nodes) == "(n2:ncpus=2)");
  BOOST_TEST(s.altered({}) == "");
}

BOOST_AUTO_TEST_CASE(a_change_that_finds_no_room_leaves_it_as_it_was) {
  auto s = given_confirmed();
  s.altered({{"reserve_duration", "", "90"}});
  BOOST_TEST(s.refused() == "refused alterDenied");
  BOOST_TEST(s.shown(ids::reserve_duration) == "60");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_CONFIRMED");
  BOOST_TEST(s.state.change_denied);
}

BOOST_AUTO_TEST_CASE(changes_that_may_not_be) {
  auto s = given_confirmed();
  const auto time = [&](std::int64_t in) { return std::to_string(s.now_s + in); };
  BOOST_TEST(s.altered({{"reserve_start", "", time(200)}}) == "15086 Bad time specification(s)");
  BOOST_TEST(s.altered({{"reserve_start", "", time(-5)}, {"reserve_duration", "", "10"}}) == "15086 Bad time specification(s)");
  BOOST_TEST(s.altered({{"reserve_duration", "", "0"}}) == "15086 Bad time specification(s)");
  BOOST_TEST(s.altered({{"Resource_List", "select", "1:ncpus=1"}}) ==
             "15183 New select must be made up of a subset of the original chunks");
  BOOST_TEST(s.altered({{"reserve_duration", "", "90"}}, user(), true) == "15007 Unauthorized Request ");
  BOOST_TEST(s.altered({{"reserve_duration", "", "90"}}, user("user2")) == "15007 Unauthorized Request ");
  s.wakes();
  BOOST_TEST(s.altered({{"reserve_start", "", time(500)}}) == "15178 Reservation not empty");  // whatever the times: as PBS
}

BOOST_AUTO_TEST_CASE(a_duration_shorter_than_what_has_passed_is_no_time) {
  auto s = given_confirmed();
  s.wakes();
  s.now_s += 30;
  BOOST_TEST(s.altered({{"reserve_duration", "", "20"}}) == "15086 Bad time specification(s)");
  BOOST_TEST(s.altered({{"reserve_end", "", std::to_string(s.now_s - 10)}}) == "15086 Bad time specification(s)");
  BOOST_TEST(s.altered({{"reserve_duration", "", "40"}}) == "alterRequested");
}

// That it has no jobs the ledger checks.
BOOST_AUTO_TEST_CASE(an_open_window_is_put_off) {
  auto s = given_confirmed();
  s.wakes();
  BOOST_TEST(s.altered({{"reserve_start", "", std::to_string(s.now_s + 50)}}) == "alterRequested");
  BOOST_TEST(s.confirmed("(n1:ncpus=2)") == "confirmed");
  BOOST_TEST(s.shown(ids::reserve_state) == "RESV_CONFIRMED");
  BOOST_TEST(s.state.running == 0u);
  BOOST_TEST(s.wakes() == "occurrenceBegan");
  BOOST_TEST(s.now_s == 1'000'150);
  BOOST_TEST(s.wakes() == "occurrenceEnded");
  BOOST_TEST(s.now_s == 1'000'160);
}

BOOST_AUTO_TEST_CASE(an_operator_forces_a_change) {
  auto s = given_confirmed();
  BOOST_TEST(s.altered({{"reserve_duration", "", "95"}}, operator_(), true) == "alterRequested");
  BOOST_TEST(s.shown(ids::reserve_duration) == "95");
  BOOST_TEST(s.shown(ids::resv_nodes) == "(n1:ncpus=2)");
  BOOST_TEST(!s.state.ask);
}

BOOST_AUTO_TEST_SUITE_END()
