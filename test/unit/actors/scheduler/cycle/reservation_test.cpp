// Reservations in a cycle: what is confirmed keeps its place, and its jobs go into it (pbs guide: reservations; MS-98, MS-103, MS-106).
// Texts are those of transcripts of a real PBS.
#include <boost/test/unit_test.hpp>

#include <set>

#include "actors/scheduler/cycle/cycle.hpp"
#include "events/values/number.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

constexpr moment hour = 3600;

job_row asks(std::uint64_t serial, int cpus, const std::string& walltime = "", const std::string& queue = "workq") {
  job_row j;
  j.serial = serial;
  j.id = std::to_string(serial) + ".p1";
  j.rank = static_cast<std::int64_t>(serial);
  j.queue = queue;
  j.schedselect = "1:ncpus=" + std::to_string(cpus);
  if (!walltime.empty()) j.resources["walltime"] = walltime;
  return j;
}

job_row runs(std::uint64_t serial, int cpus, const std::string& walltime, small_cluster& c, const std::string& on,
             const std::string& queue = "workq") {
  auto j = asks(serial, cpus, walltime, queue);
  j.state = 'R';
  j.exec_vnode = "(" + on + ":ncpus=" + std::to_string(cpus) + ")";
  j.exec_host = on + "/" + std::to_string(serial);
  j.started = some_day;
  auto& v = c.vnode(on);
  v.jobs.emplace_back(serial, false);
  const auto used = v.assigned.contains("ncpus") ? *values::parse_integer(v.assigned["ncpus"]) : 0;
  v.assigned["ncpus"] = std::to_string(used + cpus);
  return j;
}

small_cluster three_hosts() {
  small_cluster c;
  c.vnodes = {simple_vnode("q1", 4), simple_vnode("q2", 4), simple_vnode("q3", 4)};
  return c;
}

// Seconds from now.
reservation_row wants(std::uint64_t serial, const std::string& select, moment start, moment end) {
  reservation_row r;
  r.serial = serial;
  r.queue = "R" + std::to_string(serial);
  r.id = r.queue + ".p1";
  r.schedselect = select;
  r.ask = 1;
  r.wanted = {{1, some_day + start, some_day + end}};
  return r;
}

reservation_row has(std::uint64_t serial, const std::string& select, moment start, moment end, const std::string& place) {
  auto r = wants(serial, select, start, end);
  r.places = {{r.wanted.front(), place}};
  r.wanted.clear();
  r.ask = 0;
  if (start <= 0) r.running = 1;
  return r;
}

void add(small_cluster& c, const reservation_row& r, bool started) {
  c.reservations.push_back(r);
  auto q = execution_queue(r.queue);
  q.attributes["started"] = started ? "True" : "False";
  q.reservation = r.serial;
  c.queues.push_back(q);
}

struct outcome {
  view v;
  result r;
  std::string run(std::uint64_t job) const {
    for (const auto& run : r.runs)
      if (run.job == job) return run.exec_vnode;
    return "";
  }
  std::string comment(std::uint64_t job) const {
    for (const auto& reason : r.reasons)
      if (reason.job == job) return r.comments[reason.comment];
    return "";
  }
  std::string behind(std::uint64_t job) const {
    for (const auto& reason : r.reasons)
      if (reason.job == job && reason.behind > 0) return r.blockers[reason.behind - 1];
    return "";
  }
  std::vector<std::string> log() const {
    std::vector<std::string> out;
    for (const auto& l : r.log)
      if (std::string(l.log_class) == "Resv") out.push_back(std::string(l.object) + ";" + std::string(l.text));
    return out;
  }
};

outcome cycle_of(const small_cluster& c, const std::string& config = "") {
  outcome o;
  BOOST_REQUIRE(o.v.apply(*c.full_view()));
  o.r = run_cycle(o.v, parse_policy(shipped_sched_config() + config).value, some_day);
  return o;
}

using texts = std::vector<std::string>;
constexpr const char* in_the_way = "Not Running: Job would conflict with reservation or top job";

}  // namespace

BOOST_AUTO_TEST_SUITE(confirming)

BOOST_AUTO_TEST_CASE(a_reservation_gets_its_place) {
  auto c = three_hosts();
  c.reservations = {wants(512, "1:ncpus=1:host=q3", 7, 32)};
  const auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.answers.size() == 1u);
  BOOST_TEST(o.r.answers[0].reservation == 512u);
  BOOST_TEST(o.r.answers[0].ask == 1u);
  BOOST_REQUIRE(o.r.answers[0].places.size() == 1u);
  BOOST_TEST(o.r.answers[0].places[0].exec_vnode == "(q3:ncpus=1)");
  BOOST_TEST(o.r.answers[0].places[0].when.start() == some_day + 7);
  BOOST_TEST(o.log() == (texts{"R512.p1;Confirming 1 Occurrences", "R512.p1;Reservation Confirmed"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_that_finds_no_room_is_refused) {
  auto c = three_hosts();
  c.reservations = {wants(551, "1:ncpus=4:host=q3", hour, hour + 600), wants(552, "1:ncpus=4:host=q3", hour, hour + 600)};
  const auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.answers.size() == 2u);
  BOOST_TEST(o.r.answers[0].places.size() == 1u);
  BOOST_TEST(o.r.answers[1].places.empty());
  BOOST_TEST(o.r.answers[1].refused == "Insufficient amount of resource: host ");
  BOOST_TEST(o.log().back() == "R552.p1;PBS Failed to confirm resv: Insufficient amount of resource: host ");
}

BOOST_AUTO_TEST_CASE(more_than_there_is_is_refused) {
  auto c = three_hosts();
  c.reservations = {wants(526, "1:ncpus=99", hour, hour + 10)};
  BOOST_TEST(cycle_of(c).r.answers.at(0).refused == "Insufficient amount of resource: ncpus (R: 99 A: 12 T: 12)");
}

BOOST_AUTO_TEST_CASE(running_jobs_are_there_until_their_time_is_over) {
  auto c = three_hosts();
  c.jobs = {runs(1, 4, "01:00:00", c, "q1"), runs(2, 4, "02:00:00", c, "q2"), runs(3, 4, "", c, "q3")};
  const auto place_after = [&](moment start) {
    c.reservations = {wants(900, "1:ncpus=4", start, start + 60)};
    const auto o = cycle_of(c);
    return o.r.answers.at(0).places.empty() ? "" : o.r.answers[0].places[0].exec_vnode;
  };
  BOOST_TEST(place_after(hour - 1) == "");
  BOOST_TEST(place_after(hour) == "(q1:ncpus=4)");
  c.reservations.clear();
  c.jobs[0].resources["walltime"] = "02:30:00";
  BOOST_TEST(place_after(hour) == "");
  BOOST_TEST(place_after(2 * hour) == "(q2:ncpus=4)");
}

BOOST_AUTO_TEST_CASE(some_vnodes_are_not_for_reservations) {
  auto c = three_hosts();
  c.vnode("q1").attributes["resv_enable"] = "False";
  c.vnode("q2").state = "offline";
  auto r = wants(900, "1:ncpus=4", hour, 2 * hour);
  c.reservations = {r};
  BOOST_TEST(cycle_of(c).r.answers.at(0).places.at(0).exec_vnode == "(q3:ncpus=4)");
  r.avoid = {"q3"};
  c.reservations = {r};
  BOOST_TEST(cycle_of(c).r.answers.at(0).places.empty());
  c.vnode("q1").attributes["resv_enable"] = "True";
  BOOST_TEST(cycle_of(c).r.answers.at(0).places.at(0).exec_vnode == "(q1:ncpus=4)");
}

BOOST_AUTO_TEST_CASE(all_occurrences_or_none) {
  auto c = three_hosts();
  auto daily = wants(556, "1:ncpus=1:host=q3", hour, 2 * hour);
  daily.kind = schema::ReservationKind::STANDING;
  for (std::uint32_t day = 1; day < 3; ++day)
    daily.wanted.push_back({day + 1, some_day + 24 * hour * day + hour, some_day + 24 * hour * day + 2 * hour});
  c.reservations = {daily};
  auto o = cycle_of(c);
  BOOST_TEST(o.r.answers.at(0).places.size() == 3u);
  BOOST_TEST(o.log().front() == "R556.p1;Confirming 3 Occurrences");
  add(c, has(100, "1:ncpus=4:host=q3", 48 * hour, 50 * hour, "(q3:ncpus=4)"), false);
  o = cycle_of(c);
  BOOST_TEST(o.r.answers.at(0).places.empty());
}

BOOST_AUTO_TEST_CASE(as_soon_as_there_is_room) {
  auto c = three_hosts();
  c.jobs = {runs(1, 3, "01:00:00", c, "q3")};
  auto r = wants(576, "1:ncpus=2:host=q3", 0, 600);
  r.kind = schema::ReservationKind::ASAP;
  c.reservations = {r};
  auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.answers.at(0).places.size() == 1u);
  BOOST_TEST(o.r.answers[0].places[0].when.start() == some_day + hour);
  BOOST_TEST(o.r.answers[0].places[0].when.end() == some_day + hour + 600);
  c.jobs.clear();
  c.vnode("q3").assigned.clear();
  c.vnode("q3").jobs.clear();
  o = cycle_of(c);
  BOOST_TEST(o.r.answers.at(0).places.at(0).when.start() == some_day);
}

BOOST_AUTO_TEST_CASE(what_it_has_is_free_for_itself) {
  auto c = three_hosts();
  auto r = has(551, "1:ncpus=4:host=q3", hour, hour + 600, "(q3:ncpus=4)");
  r.ask = 7;
  r.wanted = {{1, some_day + hour + 300, some_day + hour + 900}};
  add(c, r, false);
  auto o = cycle_of(c);
  BOOST_TEST(o.r.answers.at(0).places.at(0).exec_vnode == "(q3:ncpus=4)");
  add(c, has(560, "1:ncpus=1", hour + 700, hour + 800, "(q3:ncpus=1)"), false);
  o = cycle_of(c);
  BOOST_TEST(o.r.answers.at(0).places.empty());
}

BOOST_AUTO_TEST_CASE(a_running_one_keeps_the_vnodes_of_its_jobs) {
  auto c = three_hosts();
  auto r = has(591, "2:ncpus=4", -hour, hour, "(q1:ncpus=4)+(q2:ncpus=4)");
  add(c, r, true);
  c.jobs = {runs(1, 3, "", c, "q2", "R591")};
  c.reservations[0].ask = 2;
  c.reservations[0].wanted = {{1, some_day - hour, some_day + 2 * hour}};
  BOOST_TEST(cycle_of(c).r.answers.at(0).places.at(0).exec_vnode == "(q1:ncpus=4)+(q2:ncpus=4)");
  c.reservations[0].schedselect = "1:ncpus=4";
  BOOST_TEST(cycle_of(c).r.answers.at(0).places.at(0).exec_vnode == "(q2:ncpus=4)");
  c.reservations[0].avoid = {"q2"};
  BOOST_TEST(cycle_of(c).r.answers.at(0).places.empty());
}

BOOST_AUTO_TEST_CASE(a_degraded_one_gets_other_vnodes) {
  auto c = three_hosts();
  auto r = has(555, "1:ncpus=1", hour, hour + 600, "(q1:ncpus=1)");
  c.vnode("q1").state = "offline";
  r.ask = 3;
  r.avoid = {"q1"};
  r.wanted = {{1, some_day + hour, some_day + hour + 600}};
  add(c, r, false);
  const auto o = cycle_of(c);
  BOOST_TEST(o.r.answers.at(0).places.at(0).exec_vnode == "(q2:ncpus=1)");
  BOOST_TEST(o.log() == (texts{"R555.p1;Confirming 1 Occurrences", "R555.p1;Reservation Confirmed"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_degraded_one_that_gets_no_other_vnodes_stays_in_degraded_mode) {
  auto c = three_hosts();
  auto r = has(555, "1:ncpus=1:host=q1", hour, hour + 600, "(q1:ncpus=1)");
  c.vnode("q1").state = "offline";
  r.ask = 3;
  r.avoid = {"q1"};
  r.wanted = {{1, some_day + hour, some_day + hour + 600}};
  add(c, r, false);
  const auto o = cycle_of(c);
  BOOST_TEST(o.r.answers.at(0).places.empty());
  BOOST_REQUIRE_EQUAL(o.log().size(), 2u);
  BOOST_TEST(o.log()[0].starts_with("R555.p1;PBS Failed to confirm resv: "), o.log()[0]);
  BOOST_TEST(o.log()[1] == "R555.p1;Reservation is in degraded mode");
}

BOOST_AUTO_TEST_CASE(maintenance_takes_hosts_from_whoever_has_them) {
  auto c = three_hosts();
  add(c, has(587, "1:ncpus=1:host=q3", hour, hour + 600, "(q3:ncpus=1)"), false);
  add(c, has(589, "1:ncpus=1:host=q3", 3 * hour, 4 * hour, "(q3:ncpus=1)"), false);
  c.jobs = {runs(1, 4, "", c, "q3"), asks(2, 4, "01:30:00"), asks(3, 4, "01:30:00"), asks(4, 4, "00:30:00")};
  auto m = wants(588, "1:host=q3:ncpus=4", hour, hour + 600);
  m.kind = schema::ReservationKind::MAINTENANCE;
  m.place_text = "exclhost";
  m.hosts = {"q3", "q2"};
  c.reservations.push_back(m);
  auto o = cycle_of(c);
  BOOST_TEST(o.r.answers.at(0).places.at(0).exec_vnode == "(q3:ncpus=4)+(q2:ncpus=4)");
  BOOST_TEST(o.r.answers[0].conflicts == (texts{"R587.p1"}), boost::test_tools::per_element());
  BOOST_TEST(o.run(2) == "(q1:ncpus=4)");
  BOOST_TEST(o.comment(3) == in_the_way);
  BOOST_TEST(o.behind(3) == "R588.p1");
  BOOST_TEST(o.run(4) == "(q2:ncpus=4)");
}

BOOST_AUTO_TEST_CASE(an_answer_counts_until_the_server_speaks) {
  auto c = three_hosts();
  c.reservations = {wants(551, "1:ncpus=4:host=q3", hour, hour + 600)};
  const auto p = parse_policy(shipped_sched_config()).value;
  view v;
  BOOST_REQUIRE(v.apply(*c.full_view()));
  auto r = run_cycle(v, p, some_day);
  for (const auto& answer : r.answers) v.reservations().answered(answer);
  BOOST_REQUIRE(v.apply(*delta_of_reservations(1, 2, {wants(552, "1:ncpus=4:host=q3", hour, hour + 600)})));
  r = run_cycle(v, p, some_day);
  BOOST_REQUIRE(r.answers.size() == 2u);
  BOOST_TEST(r.answers[0].places.size() == 1u);
  BOOST_TEST(r.answers[1].reservation == 552u);
  BOOST_TEST(r.answers[1].places.empty());
  BOOST_REQUIRE(v.apply(*delta_of_reservations(2, 3, {wants(552, "1:ncpus=4:host=q3", hour, hour + 600)}, {551})));
  BOOST_TEST(run_cycle(v, p, some_day).answers.at(0).places.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_change_of_one_occurrence_leaves_the_others_their_places) {
  small_cluster c;
  c.vnodes = {simple_vnode("q1", 4)};
  auto hourly = has(700, "1:ncpus=4", hour, 2 * hour, "(q1:ncpus=4)");
  hourly.kind = schema::ReservationKind::STANDING;
  hourly.places.push_back({{2, some_day + 3 * hour, some_day + 4 * hour}, "(q1:ncpus=4)"});
  hourly.ask = 7;
  hourly.wanted = {{1, some_day + 5 * hour, some_day + 6 * hour}};
  add(c, hourly, false);
  c.jobs = {asks(1, 4, "04:00:00"), asks(2, 1, "03:00:00")};
  const auto p = parse_policy(shipped_sched_config()).value;
  view v;
  BOOST_REQUIRE(v.apply(*c.full_view()));
  auto r = run_cycle(v, p, some_day);
  BOOST_REQUIRE(r.answers.at(0).places.size() == 1u);
  BOOST_TEST(r.answers[0].places[0].exec_vnode == "(q1:ncpus=4)");
  BOOST_REQUIRE(r.runs.size() == 1u);
  BOOST_TEST(r.runs[0].job == 2u);  // what it had for the first is free at once
  v.reservations().answered(r.answers[0]);
  BOOST_REQUIRE(v.apply(*delta_of_reservations(1, 2, {wants(701, "1:ncpus=4", 3 * hour, 4 * hour)})));
  r = run_cycle(v, p, some_day);  // the server has not spoken yet
  BOOST_REQUIRE(r.answers.size() == 2u);
  BOOST_TEST(r.answers[0].places.size() == 1u);
  BOOST_TEST(r.answers[1].places.empty());
  BOOST_TEST(r.runs.empty());
}

// Other users' jobs do not wait until all is answered; the next cycle goes on where this one stopped.
BOOST_AUTO_TEST_CASE(many_questions_are_answered_by_and_by) {
  small_cluster c;
  constexpr int vnodes = 400, questions = 4000;
  for (int n = 0; n < vnodes; ++n) c.vnodes.push_back(simple_vnode("n" + std::to_string(n), 4));
  for (int n = 0; n < questions; ++n) c.reservations.push_back(wants(1000 + static_cast<std::uint64_t>(n), "2:ncpus=4", hour, 2 * hour));
  c.jobs = {asks(1, 1, "00:10:00")};
  const auto o = cycle_of(c);
  BOOST_TEST(o.r.left_questions);
  BOOST_TEST(o.r.answers.size() > 100u);
  BOOST_TEST(o.r.answers.size() < std::size_t{questions});
  BOOST_TEST(o.r.answers.front().reservation == 1000u);
  BOOST_TEST(o.run(1) != "");
  BOOST_TEST(!cycle_of(three_hosts()).r.left_questions);
}

BOOST_AUTO_TEST_CASE(later_occurrences_go_where_the_earlier_ones_are) {
  auto c = three_hosts();
  auto r = has(512, "1:ncpus=2", hour, 2 * hour, "(q2:ncpus=2)");
  r.kind = schema::ReservationKind::STANDING;
  r.ask = 7;
  r.wanted = {{2, some_day + 5 * hour, some_day + 6 * hour}, {3, some_day + 9 * hour, some_day + 10 * hour}};
  c.reservations = {r, has(513, "1:ncpus=4", 9 * hour, 10 * hour, "(q2:ncpus=4)")};
  const auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.answers.size() == 1u);
  BOOST_REQUIRE(o.r.answers[0].places.size() == 2u);
  BOOST_TEST(o.r.answers[0].places[0].exec_vnode == "(q2:ncpus=2)");
  BOOST_TEST(o.r.answers[0].places[1].exec_vnode != "(q2:ncpus=2)");
}

// Confirmed one after the other, each beside all that were before it in the cycle.
BOOST_AUTO_TEST_CASE(what_was_confirmed_is_kept_from_who_asks_next) {
  auto c = three_hosts();
  for (std::uint64_t n = 0; n < 4; ++n) {
    auto r = wants(512 + n, "1:ncpus=4", 0, 1);
    r.kind = schema::ReservationKind::STANDING;
    r.wanted.clear();
    for (std::uint32_t w = 0; w < 5; ++w) r.wanted.push_back({w + 1, some_day + (w + 1) * hour, some_day + (w + 1) * hour + 600});
    c.reservations.push_back(r);
  }
  const auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.answers.size() == 4u);
  std::set<std::string> places;
  for (std::size_t n = 0; n < 3; ++n) {
    BOOST_REQUIRE(o.r.answers[n].places.size() == 5u);
    for (const auto& p : o.r.answers[n].places) BOOST_TEST(p.exec_vnode == o.r.answers[n].places[0].exec_vnode);
    places.insert(o.r.answers[n].places[0].exec_vnode);
  }
  BOOST_TEST(places.size() == 3u);
  BOOST_TEST(o.r.answers[3].places.empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(jobs_beside_reservations)

BOOST_AUTO_TEST_CASE(jobs_keep_off_confirmed_places) {
  auto c = three_hosts();
  c.vnodes = {simple_vnode("q1", 4)};
  add(c, has(900, "1:ncpus=3", hour, 2 * hour, "(q1:ncpus=3)"), false);
  c.jobs = {asks(1, 2), asks(2, 1, "05:00:00"), asks(3, 3, "01:00:00"), asks(4, 1, "01:00:01")};
  const auto o = cycle_of(c);
  BOOST_TEST(o.comment(1) == in_the_way);
  BOOST_TEST(o.behind(1) == "R900.p1");
  BOOST_TEST(o.run(2) == "(q1:ncpus=1)");
  BOOST_TEST(o.run(3) == "(q1:ncpus=3)");
  BOOST_TEST(o.comment(4) == "Not Running: No available resources on nodes");
}

BOOST_AUTO_TEST_CASE(a_job_stands_behind_the_reservation_that_has_its_vnodes) {
  auto c = three_hosts();
  add(c, has(900, "1:ncpus=1", 60, 120, "(q1:ncpus=1)"), false);
  add(c, has(901, "1:ncpus=4", hour, 2 * hour, "(q3:ncpus=4)"), false);
  c.jobs = {asks(1, 1)};
  c.jobs[0].schedselect = "1:ncpus=1:host=q3";
  const auto o = cycle_of(c);
  BOOST_TEST(o.comment(1) == in_the_way);
  BOOST_TEST(o.behind(1) == "R901.p1");
}

BOOST_AUTO_TEST_CASE(a_running_reservation_has_what_its_jobs_do_not_hold) {
  small_cluster c;
  c.vnodes = {simple_vnode("q1", 4)};
  add(c, has(900, "1:ncpus=3", -hour, hour, "(q1:ncpus=3)"), true);
  c.jobs = {runs(1, 2, "00:10:00", c, "q1", "R900"), asks(2, 1, "00:01:00"), asks(3, 1, "00:01:00"), asks(4, 1, "", "R900"),
            asks(5, 1, "", "R900")};
  const auto o = cycle_of(c);
  BOOST_TEST(o.run(2) == "(q1:ncpus=1)");
  BOOST_TEST(o.comment(3) == in_the_way);
  BOOST_TEST(o.run(4) == "(q1:ncpus=1)");
  BOOST_TEST(o.comment(5).starts_with("Not Running: "));
  BOOST_TEST(o.run(5) == "");
}

BOOST_AUTO_TEST_CASE(a_job_of_a_reservation_may_ask_for_more_time_than_there_is) {
  small_cluster c;
  c.vnodes = {simple_vnode("q1", 4)};
  add(c, has(900, "1:ncpus=3", -hour, hour, "(q1:ncpus=3)"), true);
  c.jobs = {asks(1, 1, "10:00:00", "R900"), asks(2, 1, "", "R900")};
  const auto o = cycle_of(c);
  BOOST_TEST(o.run(1) == "(q1:ncpus=1)");
  BOOST_TEST(o.run(2) == "(q1:ncpus=1)");
}

BOOST_AUTO_TEST_CASE(jobs_of_a_reservation_that_does_not_run_wait) {
  auto c = three_hosts();
  add(c, has(512, "1:ncpus=1", 7, 32, "(q3:ncpus=1)"), false);
  add(c, has(513, "1:ncpus=1", 7, 32, "(q3:ncpus=1)"), true);
  c.jobs = {asks(1, 1, "", "R512"), asks(2, 1, "", "R513")};
  const auto o = cycle_of(c);
  BOOST_TEST(o.comment(1) == "Not Running: Queue not started.");
  BOOST_TEST(o.comment(2) == "Not Running: Queue not started.");
}

BOOST_AUTO_TEST_CASE(jobs_of_a_reservation_have_no_other_vnodes_and_no_more_than_was_asked_for) {
  auto c = three_hosts();
  add(c, has(900, "1:ncpus=2", -hour, hour, "(q2:ncpus=2)"), true);
  auto elsewhere = asks(1, 1, "", "R900");
  elsewhere.schedselect = "1:ncpus=1:host=q1";
  c.jobs = {elsewhere, asks(2, 3, "", "R900")};
  const auto o = cycle_of(c);
  BOOST_TEST(o.r.runs.empty());
  BOOST_TEST(o.comment(2) == "Can Never Run: Insufficient amount of resource: ncpus (R: 3 A: 2 T: 2)");
}

// As in PBS.
BOOST_AUTO_TEST_CASE(what_a_reservation_did_not_ask_for_is_there_if_its_vnode_has_it) {
  auto c = three_hosts();
  add(c, has(900, "1:ncpus=2", -hour, hour, "(q2:ncpus=2)"), true);
  auto too_much = asks(1, 1, "", "R900"), enough = asks(2, 1, "", "R900");
  too_much.schedselect = "1:ncpus=1:mem=9gb";
  enough.schedselect = "1:ncpus=1:mem=8gb";
  c.jobs = {too_much, enough};
  const auto o = cycle_of(c);
  BOOST_TEST(o.run(1) == "");
  BOOST_TEST(o.run(2).starts_with("(q2:"), o.run(2));
}

BOOST_AUTO_TEST_CASE(what_another_reservation_asked_for_is_kept_for_it) {
  auto c = three_hosts();
  add(c, has(900, "1:ncpus=2", -hour, hour, "(q2:ncpus=2)"), true);
  add(c, has(901, "1:ncpus=1:mem=6gb", 1800, 2 * hour, "(q2:ncpus=1:mem=6gb)"), false);
  auto too_much = asks(1, 1, "", "R900"), enough = asks(2, 1, "", "R900");
  too_much.schedselect = "1:ncpus=1:mem=3gb";
  enough.schedselect = "1:ncpus=1:mem=2gb";
  c.jobs = {too_much, enough};
  const auto o = cycle_of(c);
  BOOST_TEST(o.run(1) == "");
  BOOST_TEST(o.run(2).starts_with("(q2:"), o.run(2));
}

BOOST_AUTO_TEST_CASE(a_vnode_that_is_kept_whole_is_whole_for_its_jobs) {
  auto c = three_hosts();
  auto r = has(900, "1:ncpus=4", -hour, hour, "(q2:ncpus=4)");
  r.place_text = "excl";
  add(c, r, true);
  c.vnode("q2").state = "resv-exclusive";
  auto inside = asks(1, 2, "", "R900");
  inside.schedselect = "1:ncpus=2:mem=1gb";
  c.jobs = {inside, asks(2, 4, "00:10:00"), asks(3, 4, "00:10:00"), asks(4, 1, "00:10:00")};
  const auto o = cycle_of(c);
  BOOST_TEST(o.run(1).starts_with("(q2:"));
  BOOST_TEST(o.run(2) == "(q1:ncpus=4)");
  BOOST_TEST(o.run(3) == "(q3:ncpus=4)");
  BOOST_TEST(o.run(4) == "");
}

BOOST_AUTO_TEST_CASE(top_jobs_wait_until_a_reservation_is_over) {
  small_cluster c;
  c.vnodes = {simple_vnode("q1", 4)};
  add(c, has(900, "1:ncpus=3", hour, 2 * hour, "(q1:ncpus=3)"), false);
  c.jobs = {asks(1, 2, "03:00:00")};
  const auto o = cycle_of(c, "strict_ordering: True ALL\n");
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 2 * hour);
}

BOOST_AUTO_TEST_CASE(nobody_preempts_for_a_place_that_is_kept) {
  small_cluster c;
  c.vnodes = {simple_vnode("q1", 4)};
  c.queues.push_back(execution_queue("express"));
  c.queues.back().attributes["Priority"] = "200";
  add(c, has(900, "1:ncpus=2", -hour, hour, "(q1:ncpus=2)"), true);
  c.jobs = {runs(1, 2, "", c, "q1", "R900"), runs(2, 2, "00:30:00", c, "q1"), asks(3, 3, "00:01:00", "express"),
            asks(4, 2, "00:01:00", "express")};
  const auto o = cycle_of(c, "preemptive_sched: True ALL\n");
  BOOST_TEST(o.run(3) == "");
  BOOST_REQUIRE(o.run(4) == "(q1:ncpus=2)");
  BOOST_TEST(o.r.runs.front().victims.at(0).job == 2u);
}

BOOST_AUTO_TEST_CASE(a_job_asked_for_by_name_keeps_off_too) {
  small_cluster c;
  c.vnodes = {simple_vnode("q1", 4)};
  add(c, has(900, "1:ncpus=3", hour, 2 * hour, "(q1:ncpus=3)"), false);
  c.jobs = {asks(1, 2), asks(2, 2, "00:10:00")};
  view v;
  BOOST_REQUIRE(v.apply(*c.full_view()));
  const auto p = parse_policy(shipped_sched_config()).value;
  std::string why;
  const auto at = [&](std::uint64_t serial) { return v.jobs().place_of(serial); };
  BOOST_TEST(run_asked(v, p, some_day, at(1), why).runs.empty());
  BOOST_TEST(why == in_the_way);
  BOOST_TEST(run_asked(v, p, some_day, at(2), why).runs.size() == 1u);
}

BOOST_AUTO_TEST_CASE(limits_count_for_jobs_of_reservations) {
  auto c = three_hosts();
  c.server["max_run"] = "[u:PBS_GENERIC=1]";
  add(c, has(900, "1:ncpus=2", -hour, hour, "(q2:ncpus=2)"), true);
  c.jobs = {asks(1, 1, "", "R900"), asks(2, 1, "", "R900")};
  const auto o = cycle_of(c);
  BOOST_TEST(o.run(1) == "(q2:ncpus=1)");
  BOOST_TEST(o.run(2) == "");
}

BOOST_AUTO_TEST_SUITE_END()
