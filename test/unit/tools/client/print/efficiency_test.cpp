// pbs_efficiency says how much of what jobs were given they used.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <ctime>
#include <tuple>

#include "events/attributes/ids.hpp"
#include "tools/client/print/efficiency.hpp"

using namespace annals;
namespace ids = attributes::job;

namespace {

struct used_job {
  used_job() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    row.set(ids::Job_Name, "busy");
    row.set(ids::queue, "workq");
    row.set(ids::job_state, "F");
    row.set(ids::obittime, "1795222000");
    for (const auto& [resource, value] : {std::pair{"cput", "00:00:30"}, {"mem", "512mb"}, {"ncpus", "2"}, {"walltime", "00:01:00"}})
      row.set(ids::resources_used, resource, value);
    for (const auto& [resource, value] : {std::pair{"mem", "1gb"}, {"ncpus", "2"}, {"walltime", "00:10:00"}})
      row.set(ids::Resource_List, resource, value);
  }
  client::job_efficiency told(const std::string& id = "12.borg") const {
    const std::string packed(row.packed());
    const auto found = client::efficiency_of({id, packed});
    BOOST_REQUIRE(found);
    return *found;
  }
  attributes::attribute_set row;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(efficiency_of_jobs, used_job)

BOOST_AUTO_TEST_CASE(a_line_says_what_was_used_of_what_was_given_and_asked_for) {
  auto all = std::vector{told()};
  row.erase(ids::obittime);
  row.erase(ids::Resource_List, "mem");
  row.erase(ids::Resource_List, "walltime");
  row.set(ids::Job_Name, "long\nname");
  all.push_back(told("13[2].borg"));
  std::string out;
  values::put_efficiency_table(out, all);
  BOOST_TEST(out ==
             "job         name        queue  ended                         cput  ncpus  walltime       mem  cpu%  mem%  walltime%\n"
             "12.borg     busy        workq  Sat Nov 21 00:46:40 2026  00:00:30      2  00:01:00  524288kb    25    50         10\n"
             "13[2].borg  long^Jname  workq  goes on                   00:00:30      2  00:01:00  524288kb    25     -          -\n"
             "all         2                                            00:01:00                               25    50         10\n");
}

BOOST_AUTO_TEST_CASE(the_same_is_data) {
  std::string out;
  client::put_efficiency_json(out, {told()}, 0, "1", "borg");
  for (const auto* part : {"\"Efficiency\":\t{", "\"12.borg\":\t{", "\"Job_Name\":\t\"busy\"", "\"ended\":\t1795222000", "\"cput\":\t30",
                           "\"walltime_asked\":\t600", "\"mem_kb\":\t524288", "\"cpu_percent\":\t25", "\"mem_percent\":\t50"})
    BOOST_TEST(out.find(part) != std::string::npos, part << " in " << out);
}

BOOST_AUTO_TEST_CASE(what_has_not_run_and_arrays_have_no_line) {
  row.set(ids::array, "True");
  const std::string array(row.packed());
  BOOST_TEST(!client::efficiency_of({"12[].borg", array}));
  row.erase(ids::array);
  row.erase_all(ids::resources_used);
  const std::string queued(row.packed());
  BOOST_TEST(!client::efficiency_of({"12.borg", queued}));
  std::string out;
  values::put_efficiency_table(out, {});
  BOOST_TEST(out == "no run\n");
}

BOOST_AUTO_TEST_SUITE_END()
