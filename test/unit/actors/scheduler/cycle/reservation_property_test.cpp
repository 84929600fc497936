// Random small systems with reservations over time: what was confirmed is there when its time comes, whatever runs beside it, and only what
// has no place anywhere is refused. The server here is a few lists: it starts and ends what the cycle says, on a clock of its own.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include "actors/scheduler/cycle/cycle.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/number.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

using dice = std::mt19937_64;
unsigned roll(dice& d, unsigned n) { return static_cast<unsigned>(d() % n); }
using cpus_by_vnode = std::map<std::string, std::int64_t>;

cpus_by_vnode cpus_of(const std::string& exec_vnode) {
  cpus_by_vnode out;
  const auto spec = values::parse_exec_vnode(exec_vnode);
  BOOST_REQUIRE(spec);
  for (const auto& chunk : spec->chunks)
    for (const auto& part : chunk.parts)
      if (const auto* cpus = part.find("ncpus")) out[part.vnode] += *values::parse_integer(*cpus);
  return out;
}

struct little_server {
  struct job {
    job_row row;
    moment seconds = 0, end = 0;  // end: of one that runs
  };
  std::map<std::string, int> vnodes;
  std::vector<job> jobs;
  std::vector<reservation_row> reservations;
  policy rules = parse_policy(shipped_sched_config()).value;
  moment now = some_day;
  std::size_t started_inside = 0, started_outside = 0, confirmed = 0, refused = 0;

  bool is_inside(const job& j) const { return j.row.queue != "workq"; }
  static bool covers(const reservation_row::place& p, moment t) { return p.when.start <= t && t < p.when.end; }

  // Cpus of running jobs beside reservations, and of places that are kept.
  std::int64_t used(const std::string& vnode, moment t, const reservation_row* except = nullptr) const {
    std::int64_t sum = 0;
    for (const auto& j : jobs)
      if (j.row.state == 'R' && !is_inside(j) && j.end > t) sum += cpus_of(j.row.exec_vnode)[vnode];
    for (const auto& r : reservations)
      for (const auto& p : r.places)
        if (&r != except && covers(p, t)) sum += cpus_of(p.exec_vnode)[vnode];
    return sum;
  }

  // The times at which something begins: in between nothing gets more.
  std::vector<moment> beginnings() const {
    std::vector<moment> out{now};
    for (const auto& r : reservations)
      for (const auto& p : r.places)
        if (p.when.start > now) out.push_back(p.when.start);
    return out;
  }

  bool has_room(const reservation_row& r, int cpus, moment start, moment end) const {
    auto times = beginnings();
    times.push_back(start);
    return std::any_of(vnodes.begin(), vnodes.end(), [&](const auto& v) {
      return std::all_of(times.begin(), times.end(),
                         [&](moment t) { return t < start || t >= end || v.second - used(v.first, t, &r) >= cpus; });
    });
  }

  small_cluster cluster() const {
    small_cluster c;
    for (const auto& [name, cpus] : vnodes) c.vnodes.push_back(simple_vnode(name, cpus));
    for (const auto& r : reservations) {
      c.reservations.push_back(r);
      auto q = execution_queue(r.queue);
      q.reservation = r.serial;
      q.attributes["started"] = r.running != 0 ? "True" : "False";
      c.queues.push_back(q);
    }
    for (const auto& j : jobs) {
      c.jobs.push_back(j.row);
      if (j.row.state != 'R') continue;
      for (const auto& [name, cpus] : cpus_of(j.row.exec_vnode)) {
        auto& v = c.vnode(name);
        v.jobs.emplace_back(j.row.serial, false);
        v.assigned["ncpus"] = std::to_string((v.assigned.contains("ncpus") ? *values::parse_integer(v.assigned["ncpus"]) : 0) + cpus);
      }
    }
    return c;
  }

  void cycle() {
    view v;
    BOOST_REQUIRE(v.apply(*cluster().full_view()));
    const auto decided = run_cycle(v, rules, now);
    for (const auto& a : decided.answers) take(a);
    for (const auto& run : decided.runs) {
      auto& j = *std::find_if(jobs.begin(), jobs.end(), [&](const job& x) { return x.row.serial == run.job; });
      j.row.state = 'R';
      j.row.exec_vnode = run.exec_vnode;
      j.row.exec_host = run.exec_host;
      j.row.started = now;
      j.end = now + j.seconds;
      ++(is_inside(j) ? started_inside : started_outside);
    }
  }

  void take(const reservation_answer& a) {
    auto& r = *std::find_if(reservations.begin(), reservations.end(), [&](const auto& x) { return x.serial == a.reservation; });
    BOOST_TEST(a.ask == r.ask);
    r.ask = 0;
    const auto cpus = static_cast<int>(*values::parse_integer(r.schedselect.substr(r.schedselect.rfind('=') + 1)));
    const bool one_chunk = r.schedselect.starts_with("1:");
    if (a.places.empty()) {
      ++refused;
      const bool all = std::all_of(r.wanted.begin(), r.wanted.end(), [&](const auto& w) { return has_room(r, cpus, w.start, w.end); });
      BOOST_TEST((!one_chunk || r.running != 0 || !all), r.id << " was refused although there is room: " << a.refused);
      return;
    }
    ++confirmed;
    const bool soonest = r.kind == schema::ReservationKind::ASAP && r.places.empty();
    BOOST_REQUIRE(a.places.size() == r.wanted.size());
    r.places.clear();
    for (const auto& p : a.places) r.places.push_back({{p.when.index, p.when.start(), p.when.end()}, p.exec_vnode});
    if (soonest)
      for (moment t = now; one_chunk && t < r.places[0].when.start; ++t)
        BOOST_TEST(!has_room(r, cpus, t, t + r.places[0].when.end - r.places[0].when.start), r.id << " could begin at " << t - now);
  }

  // Until then, by what happens on the way.
  void go_on(moment until) {
    while (now < until) {
      moment next = until;
      for (const auto& j : jobs)
        if (j.row.state == 'R') next = std::min(next, j.end);
      for (const auto& r : reservations)
        for (const auto& p : r.places)
          for (const moment t : {p.when.start, p.when.end})
            if (t > now) next = std::min(next, t);
      now = next;
      happen();
      cycle();
      check();
    }
  }

  // Jobs end, windows open and close; the jobs of a window that closes go.
  void happen() {
    std::erase_if(jobs, [&](const job& j) { return j.row.state == 'R' && j.end <= now; });
    for (auto& r : reservations) {
      std::erase_if(r.places, [&](const auto& p) {
        if (p.when.end > now) return false;
        std::erase_if(jobs, [&](const job& j) { return j.row.queue == r.queue && j.row.state == 'R'; });
        return true;
      });
      r.running = 0;
      for (const auto& p : r.places)
        if (covers(p, now)) r.running = p.when.index;
    }
    std::erase_if(reservations, [&](const auto& r) {
      if (!r.places.empty() || r.ask != 0) return false;
      std::erase_if(jobs, [&](const job& j) { return j.row.queue == r.queue; });
      return true;
    });
  }

  void check() const {
    for (const moment t : beginnings())
      for (const auto& [name, cpus] : vnodes) BOOST_TEST(used(name, t) <= cpus, name << " at " << t - now);
    for (const auto& r : reservations) {
      cpus_by_vnode inside;
      for (const auto& j : jobs)
        if (j.row.queue == r.queue && j.row.state == 'R')
          for (const auto& [name, cpus] : cpus_of(j.row.exec_vnode)) inside[name] += cpus;
      BOOST_TEST((inside.empty() || r.running != 0), "jobs of " << r.id << " run outside of its time");
      for (const auto& p : r.places)
        if (covers(p, now))
          for (const auto& [name, cpus] : inside) BOOST_TEST(cpus <= cpus_of(p.exec_vnode)[name], r.id << " has less of " << name);
    }
  }
};

little_server::job random_job(dice& d, const little_server& s, std::uint64_t serial) {
  little_server::job j;
  j.row.serial = serial;
  j.row.id = std::to_string(serial) + ".p1";
  j.row.rank = static_cast<std::int64_t>(serial);
  if (!s.reservations.empty() && roll(d, 2)) j.row.queue = s.reservations[roll(d, static_cast<unsigned>(s.reservations.size()))].queue;
  j.row.schedselect = std::to_string(1 + roll(d, 2)) + ":ncpus=" + std::to_string(1 + roll(d, 2));
  j.seconds = 1 + roll(d, 30);
  if (j.row.queue == "workq" || roll(d, 2)) j.row.resources["walltime"] = std::to_string(j.seconds);
  return j;
}

reservation_row random_reservation(dice& d, moment now, std::uint64_t serial) {
  reservation_row r;
  r.serial = serial;
  r.queue = "R" + std::to_string(serial);
  r.id = r.queue + ".p1";
  r.schedselect = std::to_string(roll(d, 3) ? 1 : 2) + ":ncpus=" + std::to_string(1 + roll(d, 4));
  r.ask = 1;
  const moment start = now + roll(d, 40), seconds = 1 + roll(d, 20);
  const unsigned kind = roll(d, 4);
  r.wanted = {{1, start, start + seconds}};
  if (kind == 0) r.kind = schema::ReservationKind::ASAP;
  if (kind == 1) {
    r.kind = schema::ReservationKind::STANDING;
    for (std::uint32_t i = 1; i < 4; ++i) r.wanted.push_back({i + 1, start + i * (seconds + 9), start + i * (seconds + 9) + seconds});
  }
  return r;
}

void alter(dice& d, little_server& s) {
  if (s.reservations.empty()) return;
  auto& r = s.reservations[roll(d, static_cast<unsigned>(s.reservations.size()))];
  if (r.places.empty()) return;
  r.ask = 2;
  r.wanted.clear();
  for (const auto& p : r.places) r.wanted.push_back(p.when);
  r.wanted.back().end += roll(d, 15);
  if (r.running == 0) r.wanted.front().start = std::max(s.now, r.wanted.front().start - roll(d, 5));
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_confirmed_is_there_when_its_time_comes) {
  std::size_t inside = 0, outside = 0, confirmed = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      dice d(seed);
      little_server s;
      if (roll(d, 2)) s.rules = parse_policy(shipped_sched_config() + "strict_ordering: True ALL\n").value;
      for (unsigned v = 0; v <= roll(d, 3); ++v) s.vnodes["h" + std::to_string(v)] = 1 + static_cast<int>(roll(d, 5));
      std::uint64_t serial = 0;
      for (int step = 0; step < 25; ++step) {
        for (unsigned n = roll(d, 3); n > 0; --n) s.jobs.push_back(random_job(d, s, ++serial));
        if (roll(d, 2)) s.reservations.push_back(random_reservation(d, s.now, ++serial));
        if (roll(d, 4) == 0) alter(d, s);
        s.happen();
        s.cycle();
        s.check();
        s.go_on(s.now + 1 + roll(d, 12));
      }
      inside += s.started_inside, outside += s.started_outside, confirmed += s.confirmed, refused += s.refused;
    }
  }
  BOOST_TEST(inside > 100u);
  BOOST_TEST(outside > 500u);
  BOOST_TEST(confirmed > 300u);
  BOOST_TEST(refused > 100u);
}

BOOST_AUTO_TEST_CASE(a_year_of_windows) {
  constexpr moment day = 24 * 3600;
  little_server s;
  s.vnodes = {{"h0", 4}, {"h1", 4}};
  reservation_row r;
  r.serial = 1;
  r.id = "S1.p1";
  r.queue = "S1";
  r.kind = schema::ReservationKind::STANDING;
  r.schedselect = "1:ncpus=4";
  r.ask = 1;
  for (std::uint32_t i = 0; i < 365; ++i) r.wanted.push_back({i + 1, some_day + i * day + 3600, some_day + i * day + 7200});
  s.reservations = {r};
  s.cycle();
  BOOST_REQUIRE(s.confirmed == 1u);
  dice d(1);
  std::uint64_t serial = 1;
  for (int i = 0; i < 365; ++i) {
    for (int n = 0; n < 3; ++n) {
      auto j = random_job(d, s, ++serial);
      j.seconds = 600 + roll(d, 20'000);
      j.row.resources["walltime"] = std::to_string(j.seconds);
      s.jobs.push_back(j);
    }
    s.go_on(s.now + day);
  }
  BOOST_TEST(s.reservations.empty());
  BOOST_TEST(s.started_inside > 200u);
  BOOST_TEST(s.started_outside > 300u);
}
