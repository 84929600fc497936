// Accounting records: each letter's fields in PBS's order, as transcripts of a PBS show them.
#include "test/unit/projections/accounting/accounting_fixture.hpp"

using namespace annals;
using namespace annals::test;

namespace {

const std::string base = "user=pbsuser group=tstgrp00 project=_pbs_project_default jobname=STDIN queue=workq ";
const std::string chunk = "Resource_List.ncpus=1 Resource_List.nodect=1 Resource_List.place=free Resource_List.select=1:host=q1 ";
const given_values on_q1 = {{"Resource_List", "select", "1:host=q1"}};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(records, told_job)

BOOST_AUTO_TEST_CASE(a_job_leaves_q_s_and_e_as_pbs_writes_them) {  // RD-83
  log.host("q1", "4", "24684092kb");
  log.host("q3", "4", "24684092kb");
  story.now_s = 1795222033;
  submit({{"Job_Name", "", "acct"},
          {"Account_Name", "", "acc one"},
          {"project", "", "pro ject"},
          {"depend", "", "afterok:601.q1@q1"},
          {"Hold_Types", "", "u"},
          {"Resource_List", "select", "1:ncpus=1:mem=10mb:host=q1+1:ncpus=1:host=q3"},
          {"Resource_List", "place", "scatter:excl"},
          {"Resource_List", "walltime", "60"}});
  story.later(2).when(
      model::dependency_told{model::dependency_told::what::met, values::parse_dependencies("afterok:601.q1@q1")->front()}, the_server());
  story.when(release({HoldType::USER}), manager());
  runs_on({"q1", "q3"}, "(q1:ncpus=1:mem=10240kb)+(q3:ncpus=1)", "q1/0+q3/0");
  story.later(3).uses({0, 1104, 2, 2});
  story.job.attributes.set(attributes::job::session_id, "4711");
  story.exits(0, {0, 1104, 2, 2});
  story.leaves();
  const std::string id =
      "user=pbsuser group=tstgrp00 account=\"acc one\" project=\"pro ject\" jobname=acct queue=workq ctime=1795222033 qtime=1795222033 ";
  const std::string asked =
      "Resource_List.mem=10mb Resource_List.ncpus=2 Resource_List.nodect=2 Resource_List.place=scatter:excl "
      "Resource_List.select=1:ncpus=1:mem=10mb:host=q1+1:ncpus=1:host=q3 Resource_List.walltime=00:01:00 ";
  const std::string place = "etime=1795222035 start=1795222035 exec_host=q1/0+q3/0 exec_vnode=(q1:ncpus=1:mem=10240kb)+(q3:ncpus=1) ";
  const auto all = lines();
  BOOST_REQUIRE_EQUAL(all.size(), 3u);
  BOOST_TEST(all[0] == "11/21/2026 00:47:13;Q;602.q1;" + id + "etime=0 depend=afterok:601.q1@q1 " + asked);
  BOOST_TEST(all[1] ==
             "11/21/2026 00:47:15;S;602.q1;" + id + place + asked + "resource_assigned.mem=49368184kb resource_assigned.ncpus=8 ");
  BOOST_TEST(
      all[2] ==
      "11/21/2026 00:47:18;E;602.q1;" + id + place + asked +
          "session=4711 end=1795222038 Exit_status=0 resources_used.cpupercent=0 resources_used.cput=00:00:00 "
          "resources_used.mem=1104kb resources_used.ncpus=2 resources_used.vmem=2208kb resources_used.walltime=00:00:02 run_count=1");
}

namespace {

// Five hosts, each with 3 cpus and 8 GB, of which the run needs three.
const std::string padded_vnodes =
    "(corretja:ncpus=3:mem=1048576kb)+(federer:ncpus=2:mem=2097152kb)+(lendl:ncpus=2:mem=2097152kb)+(nadal:ncpus=1:mem=3145728kb)+"
    "(sampras:ncpus=1:mem=3145728kb)";
const std::string padded_hosts = "corretja/0*3+federer/0*2+lendl/0*2+nadal/0+sampras/0";
const std::string pruned_vnodes = "(corretja:ncpus=3:mem=1048576kb)+(lendl:ncpus=2:mem=2097152kb)+(nadal:ncpus=1:mem=3145728kb)";
const std::string pruned_hosts = "corretja/0*3+lendl/0*2+nadal/0";

const std::string padded = "1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb";
const std::string wanted = "1:ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+1:ncpus=1:mem=3gb";

void run_padded(told_job& f, given_values asked = {{"Resource_List", "select", padded}, {"tolerate_node_failures", "", "job_start"}}) {
  for (const char* host : {"corretja", "federer", "lendl", "nadal", "sampras"}) f.log.host(host, "3", "8gb");
  asked.push_back({"Resource_List", "place", "scatter:excl"});
  f.submit(asked);
  f.story.later(1).when(model::proposed_run{schema::make<schema::FromScheduler>([](auto m) {
                                              auto p = m.initRun();
                                              p.setExecVnode(padded_vnodes);
                                              p.setExecHost(padded_hosts);
                                              auto hosts = p.initHosts(5);
                                              unsigned i = 0;
                                              for (const char* h : {"corretja", "federer", "lendl", "nadal", "sampras"}) hosts.set(i++, h);
                                            }),
                                            "default"},
                        the_scheduler());
}

std::string reduce(job_story& story) {
  return story.when(story.report([&](auto m) {
    auto r = m.initRunSteps();
    fill(r.initRef(), story.job, story.job.run);
    r.setFirst(story.job.steps);
    auto c = r.initSteps(1)[0].initStep().initAllocationReduced();
    c.setReleased("(federer:ncpus=2:mem=2097152kb)+(sampras:ncpus=1:mem=3145728kb)");
    c.setExecVnode(pruned_vnodes);
    c.setExecHost(pruned_hosts);
    c.setKeepSelect("ncpus=3:mem=1gb+ncpus=2:mem=2gb+ncpus=1:mem=3gb");
  }),
                    the_server());
}

}  // namespace

// RS-37 to RS-40, RS-44
BOOST_AUTO_TEST_CASE(a_run_that_is_told_to_go_on_with_less_leaves_s_as_it_began_and_a_small_s_as_it_goes_on) {
  story.now_s = 1795222033;
  run_padded(*this);
  BOOST_TEST(letters() == "Q");
  BOOST_TEST(reduce(story.later(1)) == "runStep reduced");
  story.later(1).starts();
  const auto all = lines();
  BOOST_TEST(letters() == "QSs");
  const std::string times = "ctime=1795222033 qtime=1795222033 etime=1795222033 start=1795222034 ";
  BOOST_TEST(all[1] == "11/21/2026 00:47:15;S;602.q1;" + base + times + "exec_host=" + padded_hosts + " exec_vnode=" + padded_vnodes +
                           " Resource_List.mem=11gb Resource_List.ncpus=9 Resource_List.nodect=5 Resource_List.place=scatter:excl "
                           "Resource_List.select=1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb "
                           "resource_assigned.mem=40gb resource_assigned.ncpus=15 ");
  BOOST_TEST(all[2] == "11/21/2026 00:47:15;s;602.q1;" + base + times + "exec_host=" + pruned_hosts + " exec_vnode=" + pruned_vnodes +
                           " Resource_List.mem=6gb Resource_List.ncpus=6 Resource_List.nodect=3 Resource_List.place=scatter:excl "
                           "Resource_List.select=1:ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+1:ncpus=1:mem=3gb "
                           "resource_assigned.mem=24gb resource_assigned.ncpus=9 ");
  story.exits(0);
  story.leaves();
  BOOST_TEST(letters() == "QSsE");
  BOOST_TEST(last().find(" exec_host=" + pruned_hosts + " ") != std::string::npos, last());
}

// RS-41, RS-43
BOOST_AUTO_TEST_CASE(the_small_s_of_a_job_with_rjselect_has_the_select_that_was_asked_for_and_ends_with_its_run) {
  run_padded(*this, {{"Resource_List", "select", wanted}, {"Resource_List", "rjselect", padded}});
  reduce(story);
  story.starts();
  const auto all = lines();
  BOOST_TEST(letters() == "QSs");
  BOOST_TEST(all[1].ends_with(" resource_assigned.ncpus=15 "), all[1]);
  BOOST_TEST(all[2].find(" exec_host=" + pruned_hosts + " exec_vnode=" + pruned_vnodes +
                         " Resource_List.mem=6gb Resource_List.ncpus=6 Resource_List.nodect=3 Resource_List.place=scatter:excl "
                         "Resource_List.rjselect=" +
                         padded + " Resource_List.select=" + wanted + " ") != std::string::npos,
             all[2]);
  BOOST_TEST(all[2].ends_with(" resource_assigned.ncpus=9 session=0 run_count=1 "), all[2]);
}

// RS-42, RS-43
BOOST_AUTO_TEST_CASE(a_job_with_select_reliable_startup_has_a_small_s_behind_its_s_as_well) {
  const given_values asked = {{"Resource_List", "select", wanted}, {"Resource_List", "select_reliable_startup", padded}};
  const auto begun = " exec_host=" + padded_hosts + " exec_vnode=" + padded_vnodes +
                     " Resource_List.mem=11gb Resource_List.ncpus=9 Resource_List.nodect=5 Resource_List.place=scatter:excl "
                     "Resource_List.select=" +
                     padded + " Resource_List.select_reliable_startup=" + padded +
                     " Resource_List.select_requested=" + wanted + " ";
  run_padded(*this, asked);
  told_job reduced;
  run_padded(reduced, asked);
  reduce(reduced.story);
  for (auto* f : {static_cast<told_job*>(this), &reduced}) {
    f->story.starts();
    BOOST_TEST(f->letters() == (f == this ? "QSs" : "QSss"));
    const auto all = f->lines();
    BOOST_TEST(all[1].ends_with(" resource_assigned.ncpus=15 "), all[1]);
    BOOST_TEST(all[2].find(begun) != std::string::npos, all[2]);
    BOOST_TEST(all.back().ends_with(" session=0 run_count=1 "), all.back());
  }
  BOOST_TEST(reduced.last().find(" exec_host=" + pruned_hosts + " ") != std::string::npos, reduced.last());
}

BOOST_AUTO_TEST_CASE(a_reduced_run_that_does_not_start_has_its_s_once_and_the_next_one_shows_what_was_asked) {
  run_padded(*this);
  reduce(story);
  story.refuses(-3);
  BOOST_TEST(letters() == "QSsR");
  BOOST_TEST(last().find("Resource_List.nodect=3") != std::string::npos, last());
  story.later(1).when(propose("(corretja:ncpus=3:mem=1048576kb)", "corretja"), the_scheduler());
  story.starts();
  BOOST_TEST(letters() == "QSsRS");
  BOOST_TEST(last().find(" Resource_List.mem=11gb Resource_List.ncpus=9 Resource_List.nodect=5 ") != std::string::npos, last());
}

BOOST_AUTO_TEST_CASE(a_shared_place_counts_what_the_chunks_take) {
  log.host("q1", "4", "24684092kb");
  submit({{"Resource_List", "select", "1:ncpus=1:mem=100mb"}});
  story.when(propose("(q1:ncpus=1:mem=102400kb)", "q1"), the_scheduler());
  story.starts();
  BOOST_TEST(last().ends_with("resource_assigned.mem=102400kb resource_assigned.ncpus=1 "));
}

BOOST_AUTO_TEST_CASE(a_vnode_that_is_never_shared_counts_whole) {
  log.host("q1", "4", "24684092kb", "force_excl");
  submit();
  story.when(propose("(q1:ncpus=1)", "q1"), the_scheduler());
  story.starts();
  BOOST_TEST(last().ends_with("resource_assigned.ncpus=4 "));
}

BOOST_AUTO_TEST_CASE(a_server_that_stops_leaves_a_and_e_of_what_it_aborts_and_r_of_what_it_queues_again) {
  submit({{"Rerunable", "", "False"}});
  story.when(propose(), the_scheduler());
  story.starts();
  story.later(2).when(model::server_stops{}, the_server());
  story.exits(265);
  story.leaves();
  const auto all = lines();
  BOOST_TEST(letters() == "QSAE");
  BOOST_TEST(all[2].substr(19) == ";A;602.q1;Aborted by PBS Server  on Server shutdown");
  BOOST_TEST(all[3].find(" Exit_status=265 ") != std::string::npos, all[3]);
}

BOOST_AUTO_TEST_CASE(a_server_that_stops_queues_a_job_again_with_265) {
  submit();
  story.when(propose(), the_scheduler());
  story.starts();
  story.when(model::server_stops{}, the_server());
  story.exits(-11);
  story.leaves();
  BOOST_TEST(letters() == "QSR");
  BOOST_TEST(last().find(" Exit_status=265 ") != std::string::npos, last());
}

BOOST_AUTO_TEST_CASE(a_rerun_then_a_delete_leave_r_s_d_and_e) {
  story.now_s = 1795222123;
  submit(on_q1);
  story.when(propose("(q1:ncpus=1)", "q1"), the_scheduler());
  story.starts();
  story.later(3).when(rerun(), manager());
  story.exits(-11, {0, 0, 2, 1});
  story.leaves();
  story.when(propose("(q1:ncpus=1)", "q1"), the_scheduler());
  story.starts();
  story.later(2).when(remove(), {"pbsuser", "q1", schema::Role::USER});
  story.later(1).exits(271, {0, 0, 2, 1});
  story.leaves();
  const auto all = lines();
  BOOST_REQUIRE_EQUAL(all.size(), 6u);
  const std::string times = "ctime=1795222123 qtime=1795222123 etime=1795222123 ";
  const std::string used =
      "resources_used.cpupercent=0 resources_used.cput=00:00:00 resources_used.mem=0kb resources_used.ncpus=1 "
      "resources_used.vmem=0kb resources_used.walltime=00:00:02 ";
  const std::string where = "exec_host=q1/0 exec_vnode=(q1:ncpus=1) ";
  BOOST_TEST(all[0] == "11/21/2026 00:48:43;Q;602.q1;" + base + times + chunk);
  BOOST_TEST(all[1] == "11/21/2026 00:48:43;S;602.q1;" + base + times + "start=1795222123 " + where + chunk + "resource_assigned.ncpus=1 ");
  BOOST_TEST(all[2] == "11/21/2026 00:48:46;R;602.q1;" + base + times + "start=1795222123 " + where + chunk +
                           "session=0 end=1795222126 Exit_status=-11 " + used + "run_count=1");
  BOOST_TEST(all[3] == "11/21/2026 00:48:46;S;602.q1;" + base + times + "start=1795222126 " + where + chunk + "resource_assigned.ncpus=1 ");
  BOOST_TEST(all[4] == "11/21/2026 00:48:48;D;602.q1;requestor=pbsuser@q1");
  BOOST_TEST(all[5] == "11/21/2026 00:48:49;E;602.q1;" + base + times + "start=1795222126 " + where + chunk +
                           "session=0 end=1795222129 Exit_status=271 " + used + "run_count=2");
}

BOOST_AUTO_TEST_CASE(a_failed_start_leaves_s_and_r_with_no_usage) {
  submit(on_q1);
  story.when(propose("(q1:ncpus=1)", "q1"), the_scheduler());
  story.refuses(-3);
  BOOST_TEST(letters() == "QSR");
  BOOST_TEST(last().ends_with("session=0 end=" + std::to_string(story.now_s) +
                              " Exit_status=-3 resources_used.cpupercent=0 resources_used.cput=00:00:00 resources_used.mem=0kb "
                              "resources_used.ncpus=1 resources_used.vmem=0kb resources_used.walltime=00:00:00 run_count=1"));
}

BOOST_AUTO_TEST_CASE(a_start_that_failed_for_good_leaves_s_and_e) {
  submit();
  story.when(propose(), the_scheduler());
  story.refuses(-2);
  BOOST_TEST(letters() == "QSE");
  BOOST_TEST(last().find(" Exit_status=-2 ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_run_nobody_measured_used_no_walltime) {
  submit(on_q1);
  story.when(propose("(q1:ncpus=1)", "q1"), the_scheduler());
  story.starts();
  story.when(model::run_lost{1, true, false}, the_server());
  BOOST_TEST(letters() == "QSR");
  BOOST_TEST(last().ends_with(" Exit_status=-4 resources_used.walltime=00:00:00 run_count=1"));
}

BOOST_AUTO_TEST_CASE(a_job_that_never_ran_leaves_no_e) {
  submit();
  story.when(remove(), root());
  BOOST_TEST(letters() == "QD");
  BOOST_TEST(last().ends_with(";D;602.q1;requestor=root@borg"));
}

BOOST_AUTO_TEST_CASE(a_requeued_job_that_is_deleted_leaves_no_e) {
  submit();
  story.when(propose(), the_scheduler());
  story.refuses(-3);
  story.when(remove(), root());
  BOOST_TEST(letters() == "QSRD");
}

BOOST_AUTO_TEST_CASE(each_request_to_delete_leaves_a_d_and_one_from_the_history_none) {
  submit();
  story.when(propose(), the_scheduler());
  story.starts();
  story.when(remove(), root());
  story.when(remove(true), root());
  story.when(remove(true), root());  // nothing new
  story.exits(265);
  story.leaves();
  story.when(remove(false, true), root());
  BOOST_TEST(letters() == "QSDDE");
}

BOOST_AUTO_TEST_CASE(a_says_what_was_asked_in_the_order_of_attributes) {
  submit({{"Hold_Types", "", "u"}});
  story.when(alter({{"Resource_List", "walltime", "5"}, {"Priority", "", "4"}, {"Job_Name", "", "nn"}}), root());
  BOOST_TEST(last().substr(20) == "a;602.q1;Job_Name=nn Priority=4 Resource_List.walltime=00:00:05");
  story.when(alter({{"Resource_List", "walltime", "", schema::AttributeOp::UNSET}}), root());
  BOOST_TEST(last().substr(20) == "a;602.q1;Resource_List.walltime=UNSET");
  story.when(alter({{"Account_Name", "", "acc"}}), root());
  BOOST_TEST(last().substr(20) == "a;602.q1;Account_Name=acc");
  story.when(alter({{"Account_Name", "", "", schema::AttributeOp::UNSET}}), root());
  BOOST_TEST(last().substr(20) == "a;602.q1;Account_Name=UNSET");
  story.when(alter({{"project", "", "", schema::AttributeOp::UNSET}}), root());
  BOOST_TEST(last().substr(20) == "a;602.q1;project=_pbs_project_default");
  story.when(alter({{"Execution_Time", "", "1577836800"}}), root());
  BOOST_TEST(last().substr(20) == "a;602.q1;Execution_Time=1577836800");
  story.when(alter({{"Resource_List", "ncpus", "2"}}), root());
  BOOST_TEST(last().substr(20) == "a;602.q1;Resource_List.ncpus=2");
  story.when(alter({{"comment", "", "a b"}}), root());
  BOOST_TEST(last().substr(20) == "a;602.q1;comment=\"a b\"");
}

BOOST_AUTO_TEST_CASE(why_a_runjob_hook_rejected_is_no_alteration) {
  submit(on_q1);
  story.when(alter({{"comment", "", "Not Running: PBS Error: no way"}}), the_server());
  BOOST_TEST(last().substr(20).starts_with("Q;"));
  // What the hook set of the job is one.
  story.when(alter({{"Hold_Types", "", "s"}, {"project", "", "later"}, {"comment", "", "Not Running: PBS Error: no way"}}), the_server());
  BOOST_TEST(last().substr(20) == "a;602.q1;Hold_Types=s project=later");
}

BOOST_AUTO_TEST_CASE(an_altered_job_is_shown_as_it_is_then) {
  submit(on_q1);
  story.when(alter({{"Job_Name", "", "nn"}}), root());
  story.when(propose("(q1:ncpus=1)", "q1"), the_scheduler());
  story.starts();
  BOOST_TEST(last().find(" jobname=nn queue=workq ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(holds_and_usage_leave_nothing) {
  submit();
  story.when(hold({HoldType::USER}));
  story.when(release({HoldType::USER}), root());
  story.when(propose(), the_scheduler());
  story.starts();
  story.uses({1, 1, 1, 1});
  BOOST_TEST(letters() == "QS");
}

BOOST_AUTO_TEST_CASE(a_quote_in_an_account_stays_as_it_is) {
  submit({{"Account_Name", "", "a\"b"}});
  BOOST_TEST(last().find(" account=\"a\"b\" project=") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_record_is_one_line_whatever_users_wrote) {
  submit({{"Account_Name", "", "a\nb\r\tc"}});
  BOOST_TEST(last().find('\n') == std::string::npos);
  BOOST_TEST(last().find(" account=\"a?b??c\" ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(finished_jobs_are_not_kept) {
  submit();
  story.when(remove(), root());
  log.told(story);
  projections::accounting fold;
  for (const auto& r : log.records) fold.learn(*r);
  BOOST_TEST(fold.jobs_kept() == 0u);
  BOOST_TEST(fold.sequence() == log.records.size());
}

namespace {

void check_learning(const told_log& log) {
  const auto all = lines_of(log.records);
  const log::log_reader reader(log.store);
  const auto from_log = [&](std::uint64_t stream, std::uint64_t before, const projections::accounting::visitor& visit) {
    BOOST_REQUIRE(reader.read_stream(stream, 1, [&](const log::record_ptr& r) {
      if (r->sequence() < before) visit(*r);
      return r->sequence() < before;
    }));
  };
  for (const bool lazy : {false, true})
    for (std::size_t from = 0; from <= log.records.size(); ++from) {
      projections::accounting fold(lazy ? projections::accounting::history_reader(from_log) : nullptr);
      std::vector<std::string> rest;
      for (std::size_t i = 0; i < from; ++i) fold.learn(*log.records[i]);
      projections::accounting restored(lazy ? projections::accounting::history_reader(from_log) : nullptr);
      stored::restore_whole(stored_bytes(fold), restored);
      std::vector<std::string> rest_of_restored;
      for (auto i = from; i < log.records.size(); ++i) {
        fold.fold(*log.records[i], [&](std::int64_t, std::string_view line) { rest.emplace_back(line); });
        restored.fold(*log.records[i], [&](std::int64_t, std::string_view line) { rest_of_restored.emplace_back(line); });
      }
      BOOST_TEST(std::equal(rest.rbegin(), rest.rend(), all.rbegin()));
      if (from == 0) BOOST_TEST(rest.size() == all.size());
      BOOST_TEST(rest_of_restored == rest, boost::test_tools::per_element());
      BOOST_TEST((stored_bytes(restored) == stored_bytes(fold)));
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(learning_a_part_changes_nothing_of_the_rest) {
  submit(on_q1);
  story.when(propose("(q1:ncpus=1)", "q1"), the_scheduler());
  story.starts();
  story.uses({1, 100, 1, 1});
  story.exits(1, {1, 200, 2, 1});
  story.leaves();
  log.told(story);
  check_learning(log);
}

BOOST_AUTO_TEST_CASE(learning_a_part_of_a_reduced_job_changes_nothing_of_the_rest) {
  run_padded(*this);
  reduce(story);
  story.starts();
  story.when(rerun(), manager());
  story.exits(-11);
  story.leaves();
  story.when(propose("(corretja:ncpus=3:mem=1048576kb)", "corretja"), the_scheduler());
  story.starts();
  story.exits(0);
  story.leaves();
  log.told(story);
  BOOST_TEST(letters() == "QSsRSE");
  check_learning(log);
}

BOOST_AUTO_TEST_CASE(suspension_leaves_z_and_r_and_a_move_another_q) {
  log.host("q1", "4", "24684092kb");
  story.now_s = 1795222033;
  submit(on_q1);
  story.settings.queues["q2"] = story.settings.queues["workq"];
  BOOST_TEST(story.when(move("q2"), manager()) == "moved");
  BOOST_TEST(last().substr(20).starts_with("Q;602.q1;user=pbsuser group=tstgrp00 project=_pbs_project_default jobname=STDIN queue=q2 "));
  story.when(propose("(q1:ncpus=1)", "q1"), the_scheduler());
  story.starts();
  story.uses({1, 2, 3, 1});
  story.when(signal("suspend"), manager());
  BOOST_TEST(last().substr(20) ==
             "z;602.q1;resources_used.cpupercent=0 resources_used.cput=00:00:01 resources_used.mem=2kb resources_used.ncpus=1 "
             "resources_used.vmem=4kb resources_used.walltime=00:00:03");
  story.when(signal("resume"), manager());
  BOOST_TEST(last().substr(20) == "r;602.q1;");
  story.settings.server.set(attributes::server::restrict_res_to_release_on_suspend, "ncpus");
  story.when(signal("suspend"), manager());
  BOOST_TEST(last().ends_with(" resources_released=(q1:ncpus=1)"));
  BOOST_TEST(letters() == "QQSzrz");
}

BOOST_AUTO_TEST_SUITE_END()
