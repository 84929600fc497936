// Who places what is in a partition.
#include "projections/status/partition.hpp"

#include <boost/test/unit_test.hpp>

#include "test/support/told_records.hpp"

using namespace annals;
using placing = schema::JobWhy::Placing;

BOOST_AUTO_TEST_CASE(a_partition_has_a_scheduler_that_is_there_and_on_or_nobody_places_its_jobs) {  // MS-67
  projections::status now;
  test::told_records records;
  const auto happen = [&](std::uint64_t stream, const auto& fill) { now.fold(records.next(stream, fill)); };
  const auto set = [&](std::uint64_t stream, const char* name, const char* value) {
    happen(stream, [&](auto e) {
      auto list = stream == 1 ? e.initServer().initChanged().initChanges(1) : e.initScheduler().initChanged().initChanges(1);
      list[0].setName(name);
      list[0].setValue(value);
    });
  };
  happen(1, [](auto e) { e.initServer().initStarted().setServerName("borg"); });
  BOOST_TEST((projections::placing_of_partition(now, "") == placing::NOBODY));
  happen(2, [](auto e) { e.initScheduler().initCreated().setName("default"); });
  happen(3, [](auto e) { e.initScheduler().initCreated().setName("s1"); });
  BOOST_TEST((projections::placing_of_partition(now, "") == placing::OFF));
  set(1, "scheduling", "True");
  BOOST_TEST((projections::placing_of_partition(now, "") == placing::DOWN));
  BOOST_TEST((projections::placing_of_partition(now, "P1") == placing::NOBODY));
  set(3, "partition", "P1");
  BOOST_TEST((projections::placing_of_partition(now, "P1") == placing::OFF));
  set(3, "scheduling", "True");
  BOOST_TEST((projections::placing_of_partition(now, "P1") == placing::DOWN));
  for (const std::uint64_t scheduler : {2, 3}) happen(scheduler, [](auto e) { e.initScheduler().initStarted(); });
  for (const char* partition : {"", "P1"}) BOOST_TEST((projections::placing_of_partition(now, partition) == placing::PLACED), partition);
}
