// What happens in a small cluster (recorded_cluster.hpp), invented from a seed.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "test/support/recorded_cluster.hpp"

namespace annals::test {

// Jobs come, run and end while hosts and queues are added and runs are refused.
inline void live(recorded_cluster& c, unsigned seed, int steps) {
  std::mt19937 random(seed);
  for (int i = 0; i < steps; ++i) {
    switch (random() % 8) {
      case 0: c.later(random() % 200); break;
      case 1: c.refuses = random() % 4 == 0; break;
      case 2:
        if (random() % 5 == 0) c.add_queue("q" + std::to_string(i), std::to_string(random() % 10));
        if (random() % 5 == 0) c.add_host("late" + std::to_string(i), 1 + random() % 8);
        break;
      case 3:
        if (random() % 6 == 0) c.connect();
        break;
      case 4: c.cycle("scheduling iteration"); break;
      default:
        c.submit("user" + std::to_string(random() % 3), 1 + random() % 9, 1 + random() % 300);
        if (random() % 2) c.cycle();
    }
  }
}

// Reservations come, once and again and again, are changed, lose vnodes and are deleted; jobs of theirs, and of workq with a walltime.
inline void live_with_reservations(recorded_cluster& c, unsigned seed, int steps) {
  std::mt19937 random(seed);
  std::vector<std::uint64_t> all;
  const auto one = [&]() -> const model::reservation_state* {
    const auto at = all.empty() ? c.now.reservations().end() : c.now.reservations().find(all[random() % all.size()]);
    return at == c.now.reservations().end() || !at->second.lives() || !at->second.placed ? nullptr : &at->second;
  };
  for (int i = 0; i < steps; ++i) {
    const auto* r = one();
    const auto serial = r ? r->serial : 0;
    switch (random() % 10) {
      case 0: c.later(random() % 600); break;
      case 1:
        all.push_back(c.reserve("user1", 1 + random() % 6, 1 + random() % 400, 60 + random() % 300,
                                random() % 3 ? 1 : 2 + random() % 3));
        c.cycle("new reservation");
        break;
      case 2:
        if (random() % 8 == 0) c.connect();
        break;
      case 3:
        if (r && r->running == 0 && !r->change) {
          const auto end_s = std::to_string(r->current()->end_ns / second + 1 + random() % 60);
          c.tells(serial, model::reservation_request{make_request([&](schema::Request::Builder q) {
                    fill(q.initAlterReservation().initChanges(1), {{"reserve_end", "", end_s}});
                  })},
                  user("user1"));
          c.cycle("new reservation");
        }
        break;
      case 4:
        if (r)
          c.tells(serial, model::reservation_lost{r->degraded() ? std::vector<std::string>() : std::vector<std::string>{"n1"}},
                  the_server());
        if (r && random() % 4 == 0)
          c.tells(serial, model::reservation_request{make_request([](schema::Request::Builder q) { q.initDeleteReservation(); })},
                  user("user1"));
        c.cycle("reservation changed");
        break;
      case 5:
      case 6:
        if (r) c.submit("user1", 1 + random() % 3, 1 + random() % 200, r->id);
        [[fallthrough]];
      default: {
        const auto seconds = std::to_string(30 + random() % 600);
        c.submit("user" + std::to_string(random() % 3), 1 + random() % 6, 1 + random() % 300, "workq", {{"walltime", seconds.c_str()}});
        if (random() % 2) c.cycle();
      }
    }
  }
}

// Jobs and arrays come of which some fail to start for a while; hooks look at them, late or never; the server is started anew.
inline void live_with_jobs_that_are_withheld(recorded_cluster& c, unsigned seed, int steps) {
  std::mt19937 random(seed);
  std::vector<std::uint64_t> hooks{c.add_hook("a")}, all;
  for (int i = 0; i < steps; ++i) {
    const auto job = all.empty() ? 0 : all[random() % all.size()];
    switch (random() % 10) {
      case 0: c.later(random() % 100); break;
      case 1:
        if (random() % 20 == 0) c.restart();
        break;
      case 2:
        if (random() % 20 == 0) hooks.push_back(c.add_hook("b" + std::to_string(i)));
        break;
      case 3: c.failing.clear(); break;
      case 4:
        if (job != 0) c.failing.insert(job);
        break;
      case 5:
      case 6:
        if (job != 0 && c.now.job(job)) c.hook_ran(hooks[random() % hooks.size()], job);
        if (random() % 2) c.cycle();
        break;
      case 7: c.cycle("scheduling iteration"); break;
      default: {
        const auto user = "user" + std::to_string(random() % 3);
        all.push_back(random() % 4 ? c.submit(user, 1 + random() % 5, 1 + random() % 60)
                                   : c.submit_array(user, "1-3", 1 + random() % 4, 1 + random() % 60));
        if (random() % 2) c.hook_ran(hooks.front(), all.back());
        if (random() % 2) c.cycle();
      }
    }
  }
}

}  // namespace annals::test
