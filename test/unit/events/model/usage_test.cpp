// What a run used: the limits it may exceed, and when its usage is worth telling.
#include <boost/test/unit_test.hpp>

#include "events/model/limits.hpp"
#include "events/model/run.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;

namespace {

schema::sealed<schema::ToMom> order_with(const settings& s) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) { fill(m.initStartRun().initAttributes(static_cast<unsigned>(s.size())), s); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(usage)

BOOST_AUTO_TEST_CASE(limits_are_met_when_usage_is_above_them) {
  const auto o = order_with({{"Resource_List", "walltime", "00:00:03"}, {"Resource_List", "cput", "00:00:05"}, {"Resource_List", "mem", "10mb"}});
  const auto met = [&](const ports::run_usage& u, bool enforce) {
    const auto m = model::exceeded_limit(o.get().getStartRun(), u, enforce);
    return m ? std::to_string(m->exit_status) + " " + m->why : std::string();
  };
  BOOST_TEST(met({.wall_seconds = 3}, true) == "");
  BOOST_TEST(met({.wall_seconds = 4}, true) == "-29 walltime 4 exceeded limit 3");
  BOOST_TEST(met({.cpu_seconds = 6}, true) == "-28 cput 6 exceeded limit 5");
  BOOST_TEST(met({.mem_kb = 10241}, false) == "");
  BOOST_TEST(met({.mem_kb = 10240}, true) == "");
  BOOST_TEST(met({.mem_kb = 10241}, true) == "-27 mem 10241kb exceeded limit 10240kb");
}

BOOST_AUTO_TEST_CASE(usage_is_worth_reporting_when_it_is_old_or_has_grown) {
  const ports::run_usage hour{.cpu_seconds = 1000, .mem_kb = 1000, .vmem_kb = 1000, .wall_seconds = 3600, .ncpus = 1, .cpu_percent = 50};
  const auto later = [&](auto change) {
    auto u = hour;
    change(u);
    return u;
  };
  const auto aged = later([](auto& u) { u.wall_seconds = 3636; });
  BOOST_TEST(!model::worth_reporting(hour, hour, 1000, 10));
  BOOST_TEST(!model::worth_reporting(aged, hour, 9, 10));
  BOOST_TEST(!model::worth_reporting(aged, hour, 36, 10));
  BOOST_TEST(model::worth_reporting(aged, hour, 37, 10));
  BOOST_TEST(!model::worth_reporting(later([](auto& u) { u.cpu_percent = 100; }), hour, 10, 10));
  for (const auto& grown : {later([](auto& u) { u.mem_kb = 1101; }), later([](auto& u) { u.vmem_kb = 1101; }), later([](auto& u) { u.cpu_seconds = 1101; }),
                            later([](auto& u) { u.ncpus = 2; })})
    BOOST_TEST(model::worth_reporting(grown, hour, 10, 10));
  BOOST_TEST(!model::worth_reporting(later([](auto& u) { u.mem_kb = 1100; }), hour, 10, 10));
}

BOOST_AUTO_TEST_CASE(a_month_of_usage_fits_into_a_series) {
  ports::run_usage now{.cpu_seconds = 0, .mem_kb = 1, .vmem_kb = 1, .wall_seconds = 0, .ncpus = 1, .cpu_percent = 0}, told = now;
  std::size_t reports = 0;
  std::int64_t told_at = 0;
  for (std::int64_t t = 1; t <= 30 * 24 * 3600; ++t) {
    now.wall_seconds = now.cpu_seconds = static_cast<std::uint64_t>(t);
    if (!model::worth_reporting(now, told, t - told_at, 10)) continue;
    ++reports;
    told = now;
    told_at = t;
  }
  BOOST_TEST(reports > 500u);
  BOOST_TEST(reports < limits::usage_samples_max);
}

BOOST_AUTO_TEST_SUITE_END()
