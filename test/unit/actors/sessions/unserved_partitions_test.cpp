// What the log says of jobs whose partition no scheduler has.
#include "actors/sessions/unserved_partitions.hpp"

#include <boost/test/unit_test.hpp>

#include "test/support/told_records.hpp"

using namespace annals;

namespace {

using lines = std::vector<std::string>;

struct scene {
  projections::status status;
  test::told_records records;
  actors::unserved_partitions partitions{status};

  scene() {
    happen(1, [](auto e) { e.initServer().initStarted().setServerName("borg"); });
    happen(2, [](auto e) { e.initScheduler().initCreated().setName("s1"); });
    for (const auto& [stream, name] : {std::pair(3, "workq"), std::pair(4, "q1")})
      happen(static_cast<std::uint64_t>(stream), [&](auto e) { e.initQueue().initCreated().setName(name); });
  }
  template <class Fill>
  lines happen(std::uint64_t stream, const Fill& fill) {
    const auto record = records.next(stream, fill);
    status.fold(record);
    return partitions.folded(record);
  }
  static void put(capnp::List<schema::Attribute>::Builder list, const char* value) {
    list[0].setName("partition");
    if (*value == '\0') list[0].setOp(schema::AttributeOp::UNSET);
    else list[0].setValue(value);
  }
  lines scheduler_has(const char* partition) {
    return happen(2, [&](auto e) { put(e.initScheduler().initChanged().initChanges(1), partition); });
  }
  lines queue_has(const char* partition) {
    return happen(4, [&](auto e) { put(e.initQueue().initChanged().initChanges(1), partition); });
  }
  lines submit(unsigned number, const char* queue) {
    return happen(100 + number, [&](auto e) {
      auto j = e.initJob().initQueued();
      j.setNumber(number);
      j.setId(std::to_string(number) + ".borg");
      j.setQueue(queue);
    });
  }
  lines move(unsigned number, const char* to) {
    return happen(100 + number, [&](auto e) { e.initJob().initMoved().setQueue(to); });
  }
};

const lines both = {"Unable to reach scheduler associated with partition [P1]", "Unable to reach scheduler associated with partition P1"};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(unserved_partitions, scene)

BOOST_AUTO_TEST_CASE(it_is_said_once_until_a_scheduler_has_the_partition) {  // MS-67
  queue_has("P1");
  BOOST_TEST(submit(1, "workq").empty());  // the default scheduler has it
  BOOST_TEST(submit(2, "q1") == both, boost::test_tools::per_element());
  BOOST_TEST(submit(3, "q1").empty());
  BOOST_TEST(scheduler_has("P1").empty());
  BOOST_TEST(submit(4, "q1").empty());
  BOOST_TEST(scheduler_has("P2") == both, boost::test_tools::per_element());  // jobs wait there
  BOOST_TEST(move(1, "q1").empty());
}

BOOST_AUTO_TEST_CASE(jobs_may_come_there_in_every_way) {
  submit(1, "workq");
  queue_has("P1");
  BOOST_TEST(move(1, "q1") == both, boost::test_tools::per_element());
  BOOST_TEST(queue_has("").empty());
  scheduler_has("P1");
  scheduler_has("");
  BOOST_TEST(queue_has("P1") == both, boost::test_tools::per_element());  // with the job in it
  scheduler_has("P1");
  BOOST_TEST(happen(2, [](auto e) { e.initScheduler().initDeleted().setName("s1"); }) == both, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
