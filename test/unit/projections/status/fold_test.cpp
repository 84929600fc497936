// What the status projection keeps after each kind of event, and that it lets go of what is gone.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/made_history.hpp"
#include "test/unit/projections/status/answers.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct cluster {
  log::memory_event_store store;
  made_history history{store, 1};
  cluster() { history.begin(); }
  const projections::status& now() const { return history.now; }
  // The job goes on until it is in this phase, or gone.
  void bring(std::uint64_t serial, model::job_phase phase) {
    for (int i = 0; i < 1000 && now().job(serial) && now().job(serial)->phase != phase; ++i) history.move(serial);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(counts_are_those_of_the_jobs_there_are) {
  cluster c;
  for (int i = 0; i < 400; ++i) {
    c.history.step();
    std::map<std::string, std::map<char, std::uint64_t>> expected;
    c.now().each_job([&](const model::job_state& job) {
      ++expected[""][model::state_letter(job)];
      ++expected[std::string(job.queue())][model::state_letter(job)];
      return true;
    });
    for (const auto& [queue, by_state] : expected) {
      std::uint64_t total = 0;
      for (const auto& [letter, count] : by_state) {
        total += count;
        BOOST_TEST(c.now().jobs_of(queue).by_state.at(letter) == count);
      }
      BOOST_TEST(c.now().jobs_of(queue).total == total);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_reason_becomes_the_comment_of_a_job_that_waits_and_of_no_other) {
  cluster c;
  c.history.submit("user1");
  c.history.submit("user1");
  const auto waits = c.history.jobs()[0], runs = c.history.jobs()[1];
  c.bring(waits, model::job_phase::queued);
  c.bring(runs, model::job_phase::started);
  const std::string before(c.now().job(runs)->attribute(attributes::job::comment));
  for (int i = 0; i < 20; ++i) c.history.cycle();  // each tells of some of the jobs
  const auto told = c.now().job(waits)->attribute(attributes::job::comment);
  BOOST_TEST((told.starts_with("Not Running: ") || told.starts_with("Can Never Run: ")), told);
  BOOST_TEST(c.now().job(runs)->attribute(attributes::job::comment) == before);
}

BOOST_AUTO_TEST_CASE(a_forgotten_job_is_found_by_neither_serial_nor_id) {
  cluster c;
  c.history.submit("user1");
  const auto serial = c.history.jobs()[0];
  BOOST_TEST(c.now().holds(schema::StreamKind::JOB, serial));
  BOOST_TEST(c.now().job_by_id("1.borg") == c.now().job(serial));
  BOOST_TEST(c.now().job_by_id("1") == c.now().job(serial));
  c.bring(serial, model::job_phase::forgotten);
  BOOST_TEST(!c.now().holds(schema::StreamKind::JOB, serial));
  BOOST_TEST(!c.now().job_by_id("1.borg"));
  BOOST_TEST(c.now().jobs_of("").total == 0u);
}

BOOST_AUTO_TEST_CASE(a_removed_host_takes_its_vnodes_along) {
  cluster c;
  const auto host = c.history.write(0, [](auto e) { e.initHost().initAdded().setName("late"); });
  c.history.write(host, [](auto e) { e.initHost().initVnodeCreated().setName("late"); });
  BOOST_REQUIRE(c.now().host_of_vnode("late"));
  BOOST_TEST(c.now().host_of_vnode("late")->name == "late");
  c.history.write(host, [](auto e) { e.initHost().initRemoved().setName("late"); });  // with a vnode still there
  BOOST_TEST(!c.now().host_of_vnode("late"));
  BOOST_TEST(!c.now().holds(schema::StreamKind::HOST, host));
  const auto again = c.history.write(0, [](auto e) { e.initHost().initAdded().setName("late"); });
  c.history.write(again, [](auto e) { e.initHost().initVnodeCreated().setName("late"); });
  BOOST_TEST(c.now().host_of_vnode("late")->serial == again);
}

BOOST_AUTO_TEST_CASE(a_queue_that_was_deleted_and_made_again_is_another_queue) {
  cluster c;
  const auto create = [](auto e) { e.initQueue().initCreated().setName("fast"); };
  const auto first = c.history.write(0, create);
  c.history.write(first, [](auto e) {
    auto change = e.initQueue().initChanged().initChanges(1)[0];
    change.setName("Priority");
    change.setValue("7");
  });
  c.history.write(first, [](auto e) { e.initQueue().initDeleted().setName("fast"); });
  BOOST_TEST(!c.now().queues().contains("fast"));
  const auto second = c.history.write(0, create);
  BOOST_TEST(!c.now().holds(schema::StreamKind::QUEUE, first));
  BOOST_TEST(c.now().holds(schema::StreamKind::QUEUE, second));
  BOOST_TEST(!c.now().queues().at("fast").attributes.get(attributes::queue::Priority).has_value());
}

BOOST_AUTO_TEST_CASE(jobs_are_listed_by_number_but_for_those_with_another_rank) {
  cluster c;
  for (int i = 0; i < 600; ++i) {
    c.history.step();
    std::vector<std::pair<std::int64_t, std::uint64_t>> listed, sorted;
    c.now().each_job([&](const model::job_state& job) {
      listed.emplace_back(job.queue_rank, job.number);
      return true;
    });
    BOOST_TEST(listed.size() == c.history.jobs().size());
    std::vector<std::int64_t> ranks;
    for (const auto& [rank, number] : listed) ranks.push_back(rank);
    BOOST_TEST(std::is_sorted(ranks.begin(), ranks.end()));
  }
}
