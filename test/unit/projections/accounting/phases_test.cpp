// Records of a job whose vnodes are released while it runs: one for each phase, and the whole at the end.
#include "test/unit/projections/accounting/accounting_fixture.hpp"

using namespace annals;
using namespace annals::test;

BOOST_FIXTURE_TEST_SUITE(phases, told_job)

// RD-74 to RD-77, RD-79 to RD-84
BOOST_AUTO_TEST_CASE(each_phase_of_a_run_leaves_u_and_c_and_its_end_e_and_the_whole) {
  log.host("q1", "4", "24684092kb");
  log.host("q3", "4", "24684092kb");
  story.now_s = 1795222033;
  submit(
      {{"Resource_List", "select", "ncpus=1:mem=1gb+ncpus=2"}, {"Resource_List", "place", "scatter"}, {"Resource_List", "walltime", "60"}});
  auto run = propose("(q1:ncpus=1:mem=1048576kb)+(q3:ncpus=2)", "q1");
  run.message = schema::make<schema::FromScheduler>([](auto m) {
    auto p = m.initRun();
    p.setExecVnode("(q1:ncpus=1:mem=1048576kb)+(q3:ncpus=2)");
    p.setExecHost("q1/0+q3/0*2");
    auto hosts = p.initHosts(2);
    hosts.set(0, "q1");
    hosts.set(1, "q3");
  });
  story.when(run, the_scheduler());
  story.starts();
  story.later(10).uses({7, 1104, 10, 3});
  story.when(model::client_request{make_request([](auto r) { r.initReleaseNodes().setAll(); })}, manager());
  story.when(alter({{"Resource_List", "walltime", "90"}}), manager());
  story.later(10).exits(0, {19, 1200, 25, 3});
  story.leaves();
  const std::string base =
      "user=pbsuser group=tstgrp00 project=_pbs_project_default jobname=STDIN queue=workq ctime=1795222033 qtime=1795222033 "
      "etime=1795222033 start=1795222033 ";
  const std::string first =
      "exec_host=q1/0+q3/0*2 exec_vnode=(q1:ncpus=1:mem=1048576kb)+(q3:ncpus=2) Resource_List.mem=1gb Resource_List.ncpus=3 "
      "Resource_List.nodect=2 Resource_List.place=scatter Resource_List.select=ncpus=1:mem=1gb+ncpus=2 ";
  const std::string second =
      "exec_host=q1/0 exec_vnode=(q1:ncpus=1:mem=1048576kb) Resource_List.mem=1048576kb Resource_List.ncpus=1 Resource_List.nodect=1 "
      "Resource_List.place=scatter Resource_List.select=1:ncpus=1:mem=1048576kb ";
  const auto all = lines();
  BOOST_TEST(letters() == "QSucaeE");
  BOOST_TEST(all[2].substr(20) == "u;602.q1;" + base + "session=4711 run_count=1 " + first +
                                      "Resource_List.walltime=00:01:00 resources_used.cpupercent=0 resources_used.cput=00:00:07 "
                                      "resources_used.mem=1104kb resources_used.ncpus=3 resources_used.vmem=2208kb "
                                      "resources_used.walltime=00:00:10");
  BOOST_TEST(all[3].substr(20) == "c;602.q1;" + base + "session=4711 run_count=1 " + second +
                                      "Resource_List.walltime=00:01:00 resource_assigned.mem=1048576kb resource_assigned.ncpus=1 ");
  BOOST_TEST(all[5].substr(20) == "e;602.q1;" + base + "session=4711 run_count=1 " + second +
                                      "Resource_List.walltime=00:01:30 resources_used.cpupercent=0 resources_used.cput=00:00:12 "
                                      "resources_used.mem=1200kb resources_used.ncpus=3 resources_used.vmem=2400kb "
                                      "resources_used.walltime=00:00:15");
  BOOST_TEST(all[6].substr(20) == "E;602.q1;" + base + first +
                                      "Resource_List.walltime=00:01:30 session=4711 end=1795222053 Exit_status=0 "
                                      "resources_used.cpupercent=0 resources_used.cput=00:00:19 resources_used.mem=1200kb "
                                      "resources_used.ncpus=3 resources_used.vmem=2400kb resources_used.walltime=00:00:25 run_count=1");
}

BOOST_AUTO_TEST_SUITE_END()
