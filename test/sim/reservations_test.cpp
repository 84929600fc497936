// Stories of reservations: users ask for some of each kind, change and delete them and send jobs to them, while anybody may fail. What
// must hold: reserved_checks.hpp.
#include "test/sim/seeds.hpp"

using namespace annals;
using sim::holds_for_seeds, sim::often, sim::reserving, sim::sometimes;

namespace {

sim::options reserved(int reservations = 4, int jobs = 6) { return {.jobs = jobs, .reservations = reservations, .walltime_s = 30}; }

constexpr reserving kinds[] = {reserving::advance, reserving::standing, reserving::as_soon_as_possible, reserving::from_job,
                               reserving::maintenance};

// Each kind has its turn, so that every n is somebody's.
template <class Set>
void one_crash_at_each(std::uint64_t events, std::uint64_t kind_from, Set&& set) {
  sim::holds_for_each_seed(events, [&](std::uint64_t n) {
    auto o = reserved(2, 3);
    o.reserved_kind = kinds[(n + kind_from) % std::size(kinds)];
    set(o, 1 + n % 90);
    return o;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reservations)

BOOST_AUTO_TEST_CASE(a_quiet_day_of_reservations) { holds_for_seeds(reserved(), 15); }

BOOST_AUTO_TEST_CASE(all_that_can_happen_to_a_reservation_happens) {
  std::set<std::string> missing{"submitted", "confirmed", "refused", "denied", "alter requested", "alter denied", "changed", "began",
                                "occurrence ended", "degraded", "restored", "delete requested", "ended", "run inside", "job moved"};
  auto o = reserved(6);
  o.mom_crash = sometimes;
  for (o.seed = 1; !missing.empty() && o.seed <= 30; ++o.seed) {
    sim::world w(o);
    BOOST_TEST(w.run() == "");
    for (const auto& [what, times] : w.reserved()) missing.erase(what);
  }
  BOOST_TEST(missing.size() == 0u, (missing.empty() ? "" : *missing.begin()) << " never happened");
}

BOOST_AUTO_TEST_CASE(the_server_may_crash_at_each_event_of_a_reservation) {
  one_crash_at_each(45, 0, [](sim::options& o, std::uint64_t n) { o.crash_server_at_append = n; });
}

BOOST_AUTO_TEST_CASE(the_scheduler_may_crash_at_each_message_about_a_reservation) {
  one_crash_at_each(20, 1, [](sim::options& o, std::uint64_t n) { o.crash_scheduler_at_message = n; });
}

BOOST_AUTO_TEST_CASE(a_mom_may_crash_at_each_event_of_a_run_in_a_reservation) {
  one_crash_at_each(20, 2, [](sim::options& o, std::uint64_t n) { o.crash_mom_at_append = n; });
}

BOOST_AUTO_TEST_CASE(server_crashes_lose_no_reservation) {
  auto o = reserved();
  o.server_crash = often;
  holds_for_seeds(o, 15);
}

BOOST_AUTO_TEST_CASE(lost_hosts_degrade_reservations_and_promise_nothing_twice) {
  auto o = reserved();
  o.moms = 3;
  o.mom_crash = often;
  o.link_break = sometimes;
  holds_for_seeds(o, 15);
}

BOOST_AUTO_TEST_CASE(everybody_fails_while_vnodes_are_reserved) {
  auto o = reserved(5);
  o.moms = 3;
  o.server_crash = o.mom_crash = o.scheduler_crash = o.link_break = sometimes;
  o.sync_failure = 0.005;
  o.disk_full = sometimes;
  holds_for_seeds(o, 25);
}

BOOST_AUTO_TEST_SUITE_END()
