// `pbs_audit efficiency`.
#include <boost/test/unit_test.hpp>

#include "test/unit/tools/audit/usage_story.hpp"
#include "tools/audit/csv.hpp"
#include "tools/audit/efficiency_report.hpp"
#include "tools/audit/event_text.hpp"

using namespace annals;
using namespace annals::audit;

namespace {

struct story : test::usage_story {
  efficiency_told end;
  std::int64_t assigned_ns = 0, ended_ns = 0;

  efficiency_wanted wanted(efficiency_form form = efficiency_form::text) const {
    efficiency_wanted w;
    w.form = form;
    w.to = store.last_sequence();
    return w;
  }
  std::string told(const efficiency_wanted& w) {
    std::string text;
    end = tell_efficiency(
        store, w,
        [&](const std::string& more) {
          text += more;
          return true;
        },
        {[] { return true; }, [](std::uint64_t, const std::string& what) { BOOST_ERROR(what); }});
    return text;
  }
  // alice's used a quarter of 2 cpus, half of its memory and its time; bob's, which asked for neither, goes on with all of its cpu.
  void two_jobs() {
    const auto first = submit_to("workq", "alice@front", {{"ncpus", "2"}, {"mem", "2gb"}, {"walltime", "00:03:20"}});
    assigned_ns = now_ns();
    assign(first, {"n1"});
    later(100'000);
    ended_ns = now_ns();
    exit(first, 0, {{"cput", "00:00:50"}, {"mem", "1gb"}, {"ncpus", "2"}, {"walltime", "00:01:40"}});
    ended(first);
    const auto second = submit_to("fast", "bob@front", {{"ncpus", "1"}});
    assign(second, {"n2"});
    report(second, {{"cput", "00:01:40"}, {"mem", "10kb"}, {"ncpus", "1"}, {"walltime", "00:01:40"}});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(efficiency, story)

BOOST_AUTO_TEST_CASE(each_run_has_a_line_and_all_of_them_one_that_weighs_by_cpu_time) {
  two_jobs();
  const auto ended = time_text(ended_ns);
  BOOST_TEST(told(wanted()) ==
             "job     run  user   queue  ended                        cput  ncpus  walltime        mem  cpu%  mem%  walltime%\n"
             "1.borg  1    alice  workq  " +
                 ended +
                 "  00:00:50      2  00:01:40  1048576kb    25    50         50\n"
                 "2.borg  1    bob    fast   goes on                  00:01:40      1  00:01:40       10kb   100     -          -\n"
                 "all     2                                           00:02:30                                50    50         50\n");
  BOOST_TEST(end.sound);
  BOOST_TEST(end.runs == 2u);
}

BOOST_AUTO_TEST_CASE(as_data_what_was_not_asked_for_is_left_out) {
  two_jobs();
  const auto json = told(wanted(efficiency_form::json));
  BOOST_TEST(json.find("\"cput\":50,\"ncpus\":2,\"walltime\":100,\"memKb\":1048576,\"memAskedKb\":2097152,\"walltimeAsked\":200,"
                       "\"cpuPercent\":25,\"memPercent\":50,\"walltimePercent\":50}") != std::string::npos,
             json);
  BOOST_TEST(json.find("\"memKb\":10,\"cpuPercent\":100}],\"all\":{\"runs\":2,\"cput\":150,\"cpuGiven\":300,\"cpuPercent\":50,"
                       "\"memPercent\":50,\"walltimePercent\":50}}\n") != std::string::npos,
             json);
  BOOST_TEST(told(wanted(efficiency_form::csv)) ==
             "job,run,user,queue,assigned,ended,cput,ncpus,walltime,mem,mem_asked,walltime_asked,cpu_percent,mem_percent,walltime_percent\n"
             "1.borg,1,alice,workq," +
                 csv_time(assigned_ns) + "," + csv_time(ended_ns) +
                 ",50,2,100,1048576,2097152,200,25,50,50\n"
                 "2.borg,1,bob,fast," +
                 csv_time(ended_ns) + ",,100,1,100,10,,,100,,\n");
}

BOOST_AUTO_TEST_CASE(runs_are_chosen_by_job_user_queue_and_time) {
  two_jobs();
  auto w = wanted();
  const auto lines = [&] {
    const auto text = told(w);
    return text == "no run\n" ? 0 : std::count(text.begin(), text.end(), '\n') - 2;
  };
  w.user = "bob";
  BOOST_TEST(lines() == 1);
  w.queue = "workq";
  BOOST_TEST(lines() == 0);
  w.user.clear();
  BOOST_TEST(lines() == 1);
  w.queue.clear();
  w.jobs = {*values::parse_job_id("2"), *values::parse_job_id("1.borg")};
  BOOST_TEST(lines() == 2);
  w.jobs.push_back(*values::parse_job_id("3"));
  BOOST_TEST(told(w).empty());
  BOOST_TEST((end.unknown == std::vector<std::size_t>{2}));
  w.jobs.clear();
  w.from = 5;  // after the first one's end
  BOOST_TEST(lines() == 1);
  w.from = 1;
  w.to = 2;  // it was running then
  BOOST_TEST(told(w).find("goes on  00:00:00      2  00:00:00  0kb     -     0          0\n") != std::string::npos, told(w));
}

BOOST_AUTO_TEST_SUITE_END()
