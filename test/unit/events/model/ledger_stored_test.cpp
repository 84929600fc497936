// The law of stored states: at every position of a history a state that was stored and restored is the one that was folded, to the byte,
// and so is what the rest of the history makes of it.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "events/log/log_reader.hpp"
#include "events/log/place.hpp"
#include "events/model/hook/hook.hpp"
#include "events/model/job_names.hpp"
#include "events/model/ledger.hpp"
#include "events/model/reservation/reserved_vnodes.hpp"
#include "events/model/settings_fold.hpp"
#include "events/values/stored_state.hpp"
#include "test/support/ledger_story.hpp"
#include "test/support/made_history.hpp"
#include "test/support/recorded_cluster.hpp"

using namespace annals;
using namespace annals::test;

namespace {

template <class State>
std::string stored_bytes(const State& state) {
  stored::writer to;
  to(state);
  return to.take();
}

struct folded_ledger {
  model::ledger ledger;
  bool operator==(const folded_ledger&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.ledger);
  }
  void fold(const model::event_place& at, schema::Event::Reader event) { ledger.apply(at, event); }
};

bool same_settings(const model::settings& a, const model::settings& b) {
  return a.server_name == b.server_name && a.host_name == b.host_name && a.server == b.server && a.resources == b.resources &&
         a.scheduler_of_partition == b.scheduler_of_partition && a.schedulers_off == b.schedulers_off &&
         std::ranges::equal(a.queues, b.queues, [](const auto& one, const auto& other) {
           return one.first == other.first && one.second.order == other.second.order &&
                  one.second.attributes == other.second.attributes && one.second.reservation == other.second.reservation;
         });
}

// What the server's folds have of each object, beside the ledger.
struct folded_objects {
  model::ledger ledger;
  model::settings_fold settings;
  model::job_names names;
  std::map<std::uint64_t, model::job_state> jobs;
  std::map<std::uint64_t, model::host_state> hosts;
  std::map<std::uint64_t, model::hook_state> hooks;
  std::map<std::uint64_t, model::scheduler_state> schedulers;
  std::map<std::uint64_t, model::reservation_state> reservations;
  model::reserved_vnodes reserved;

  bool operator==(const folded_objects& other) const {
    return ledger == other.ledger && jobs == other.jobs && hosts == other.hosts && reservations == other.reservations &&
           same_settings(*settings.settings(), *other.settings.settings());
  }
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.ledger, self.settings, self.names, self.jobs, self.hosts, self.hooks, self.schedulers, self.reservations, self.reserved);
  }
  void fold(const model::event_place& at, schema::Event::Reader event) {
    ledger.apply(at, event);
    settings.fold(at, event);
    if (event.isHost()) model::apply(hosts[at.stream], at, event.getHost());
    if (event.isHook()) model::apply(hooks[at.stream], at, event.getHook());
    if (event.isScheduler()) model::apply(schedulers[at.stream], at, event.getScheduler());
    if (event.isJob()) {
      names.fold(at.stream, event.getJob());
      model::apply(jobs[at.stream], at, event.getJob());
    }
    if (event.isReservation()) {
      model::apply(reservations[at.stream], at, event.getReservation());
      reserved.changed(reservations.at(at.stream));
    }
  }
};

template <class State>
void law_holds(const told_events& history) {
  BOOST_REQUIRE(history.size() > 50u);
  State whole;
  for (const auto& [at, e] : history) whole.fold(at, e.get());
  const auto whole_bytes = stored_bytes(whole);
  State before;
  for (std::size_t k = 0;; ++k) {
    BOOST_TEST_CONTEXT("position " << k) {
      const auto bytes = stored_bytes(before);
      State restored, replaced = whole;
      stored::restore_whole(bytes, restored);
      stored::restore_whole(bytes, replaced);
      BOOST_REQUIRE(restored == before);
      BOOST_REQUIRE(replaced == before);
      BOOST_REQUIRE(stored_bytes(restored) == bytes);
      BOOST_REQUIRE(stored_bytes(replaced) == bytes);
      for (auto next = k; next < history.size(); ++next) {
        const auto& [at, e] = history[next];
        if (next == k) BOOST_REQUIRE(restored.ledger.check(at, e.get()) == before.ledger.check(at, e.get()));
        restored.fold(at, e.get());
      }
      BOOST_REQUIRE(restored == whole);
      BOOST_REQUIRE(stored_bytes(restored) == whole_bytes);
    }
    if (k == history.size()) return;
    before.fold(history[k].first, history[k].second.get());
  }
}

told_events events_of(const ports::event_store& store) {
  told_events all;
  BOOST_REQUIRE(static_cast<bool>(log::log_reader(store).read(1, [&](const log::record_ptr& r) {
    all.emplace_back(log::place_of(*r), schema::copy_of<schema::Event>(r->event()));
    return true;
  })));
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stored_ledger)

BOOST_AUTO_TEST_CASE(of_a_story_with_something_of_everything) { law_holds<folded_ledger>(ledger_story().events()); }

BOOST_AUTO_TEST_CASE(of_invented_lives_of_clusters) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      log::memory_event_store store;
      made_history history(store, seed);
      history.begin();
      for (int i = 0; i < 120; ++i) history.step();
      law_holds<folded_objects>(events_of(store));
    }
  }
}

BOOST_AUTO_TEST_CASE(of_a_cluster_with_cycles_arrays_and_reservations) {
  recorded_cluster cluster("round_robin: False all\nby_queue: True all\nresources: \"ncpus\"\n");
  const auto once = cluster.reserve("user1", 2, 100, 60), again = cluster.reserve("user1", 1, 200, 60, 3);
  cluster.cycle("new reservation");
  cluster.submit_array("user2", "1-5", 1, 30);
  for (unsigned i = 0; i < 4; ++i) cluster.submit("user1", 1 + i % 3, 20 + 10 * i, "workq", {{"walltime", "50"}});
  cluster.cycle();
  cluster.later(110);
  BOOST_REQUIRE(cluster.reservation(once).running == 1u);
  cluster.submit("user1", 1, 20, cluster.reservation(once).id);
  cluster.cycle();
  BOOST_REQUIRE(cluster.tells(again, model::reservation_lost{{"n1"}}, the_server()) ||
                cluster.tells(again, model::reservation_lost{{"n2"}}, the_server()));
  cluster.cycle("reservation changed");
  cluster.later(4000);
  law_holds<folded_objects>(events_of(cluster.store));
}

BOOST_AUTO_TEST_SUITE_END()
