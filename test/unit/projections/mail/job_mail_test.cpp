// Mails of jobs: the texts, and who gets which, as transcripts of a PBS show them.
#include <algorithm>
#include <tuple>

#include "events/values/efficiency_table.hpp"
#include "test/unit/projections/mail/mail_fixture.hpp"

using namespace annals;
using namespace annals::test;

namespace {

const model::requester owner{"pbsuser", "vm", schema::Role::USER};
const model::requester root_of_vm{"root", "vm", schema::Role::ROOT};

struct mailed : told_log {
  job_story story = job();

  void submit(given_values s = {}) {
    story.settings.server_name = story.settings.host_name = "vm";
    auto c = submission(0, s);
    c.euser = "pbsuser";
    c.number = 12;
    BOOST_REQUIRE_EQUAL(story.when(c, owner), "queued");
  }
  void submit_with(const std::string& points, const std::string& users = "") {
    given_values s{{"Mail_Points", "", points}, {"Job_Name", "", "STDIN"}};
    if (!users.empty()) s.push_back({"Mail_Users", "", users});
    submit(s);
  }
  void runs() {
    story.when(propose(), the_scheduler());
    story.starts();
  }
  void ends(std::int32_t code) {
    story.exits(code, {0, 0, 1, 1});
    story.leaves();
  }
  std::string deleted(const model::requester& by) {
    return story.when(model::client_request{make_request([](schema::Request::Builder r) { r.initDeleteJob(); })}, by);
  }
  std::vector<projections::mail> mails() {
    told(story);
    return mails_of_log(records);
  }
  std::vector<std::string> bodies() { return bodies_of(mails()); }
};

using texts = std::vector<std::string>;
const std::string begun = "Begun execution";
const std::string end_of_0 =
    "Execution terminated\nExit_status=0\nresources_used.cpupercent=0\nresources_used.cput=00:00:00\nresources_used.mem=0kb\n"
    "resources_used.ncpus=1\nresources_used.vmem=0kb\nresources_used.walltime=00:00:01";
const std::string by_root = "Job to be deleted at request of root@vm";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mails_of_jobs, mailed)

BOOST_AUTO_TEST_CASE(a_job_that_asks_for_all_mails_gets_one_when_it_begins_and_one_when_it_ends) {
  submit_with("abe");
  runs();
  ends(0);
  const auto all = mails();
  BOOST_REQUIRE_EQUAL(all.size(), 2u);
  BOOST_TEST(all[0].text == "To: pbsuser@vm\nSubject: PBS JOB 12.vm\n\nPBS Job Id: 12.vm\nJob Name:   STDIN\nBegun execution\n");
  BOOST_TEST(all[1].text == "To: pbsuser@vm\nSubject: PBS JOB 12.vm\n\nPBS Job Id: 12.vm\nJob Name:   STDIN\n" + end_of_0 + "\n");
  BOOST_TEST(all[0].to == "pbsuser@vm");
  BOOST_TEST(all[0].mailer == "/usr/sbin/sendmail");
  BOOST_TEST(all[0].from == "adm");
  BOOST_TEST(all[0].about == "12.vm");
}

BOOST_AUTO_TEST_CASE(each_point_is_a_mail_of_its_own) {
  const std::pair<const char*, texts> cases[] = {{"a", {}}, {"b", {begun}}, {"e", {end_of_0}}, {"n", {}}, {"ae", {end_of_0}}};
  for (const auto& [points, expected] : cases) {
    mailed one;
    one.submit_with(points);
    one.runs();
    one.ends(0);
    BOOST_TEST(one.bodies() == expected, boost::test_tools::per_element());
  }
  mailed without;
  without.submit();
  without.runs();
  without.ends(0);
  BOOST_TEST(without.mails().empty());
}

BOOST_AUTO_TEST_CASE(a_list_of_users_is_one_argument_with_a_blank_behind_each) {
  submit_with("b", "a@x.org,pbsuser1,b@y.org");
  runs();
  const auto all = mails();
  BOOST_REQUIRE_EQUAL(all.size(), 1u);
  BOOST_TEST(all[0].to == "a@x.org pbsuser1 b@y.org ");
  BOOST_TEST(all[0].text.starts_with("To: a@x.org pbsuser1 b@y.org \nSubject: PBS JOB 12.vm\n\n"));
}

BOOST_AUTO_TEST_CASE(an_address_that_is_an_option_of_the_mailer_is_left_out) {
  BOOST_TEST(projections::recipients("-oQ/tmp,a@x.org", "u@vm") == "a@x.org ");
  BOOST_TEST(projections::recipients("-oQ/tmp", "u@vm").empty());
  BOOST_TEST(projections::recipients("a\nBcc: z@z.org", "u@vm") == "a?Bcc: z@z.org ");
  submit_with("b", "-oQ/tmp");
  runs();
  BOOST_TEST(mails().empty());
}

// Managers could, before it was root's alone.
BOOST_AUTO_TEST_CASE(a_mail_says_who_chose_its_mailer_if_that_was_not_root) {
  const model::requester manager_of_vm{"mgr", "vm", schema::Role::MANAGER};
  const std::tuple<const char*, model::requester, const char*> cases[] = {{"/home/x/m.sh", manager_of_vm, "mgr@vm"},
                                                                          {"/home/x/m.sh", root_of_vm, ""},
                                                                          {"/usr/sbin/sendmail", manager_of_vm, ""},
                                                                          {"/bin/awk", manager_of_vm, "mgr@vm"},
                                                                          {"/bin/awk", the_server(), ""}};
  for (const auto& [mailer, by, chooser] : cases) {
    mailed one;
    one.server({{"mailer", "", "/bin/before"}}, manager_of_vm);
    one.server({{"mailer", "", mailer}}, by);
    one.submit_with("b");
    one.runs();
    const auto all = one.mails();
    BOOST_REQUIRE_EQUAL(all.size(), 1u);
    BOOST_TEST(all[0].mailer == mailer);
    BOOST_TEST(all[0].mailer_by == chooser);
  }
}

BOOST_AUTO_TEST_CASE(who_did_not_delete_his_job_himself_is_told_whatever_he_asked_for) {
  for (const char* points : {"a", "n", "e"}) {
    mailed queued;
    queued.submit_with(points);
    queued.deleted(root_of_vm);
    BOOST_TEST(queued.bodies() == texts{by_root}, boost::test_tools::per_element());
  }
  submit_with("a");
  deleted(owner);
  BOOST_TEST(mails().empty());
}

BOOST_AUTO_TEST_CASE(a_job_deleted_while_it_runs_gets_both_mails) {
  submit_with("abe");
  runs();
  deleted(root_of_vm);
  ends(271);
  const auto all = bodies();
  BOOST_REQUIRE_EQUAL(all.size(), 3u);
  BOOST_TEST(all[1] == by_root);
  BOOST_TEST(all[2].starts_with("Execution terminated\nExit_status=271\n"));
}

BOOST_AUTO_TEST_CASE(what_ends_before_its_time_is_aborted) {
  const std::pair<int, const char*> cases[] = {{-29, "Job exceeded resource walltime"},
                                               {-28, "Job exceeded resource cput"},
                                               {-27, "Job exceeded resource mem"},
                                               {-25, "Job exceeded resource ncpus (sum)"},
                                               {-24, "Job exceeded resource ncpus (burst)"}};
  for (const auto& [code, why] : cases) {
    mailed one;
    one.submit_with("abe");
    one.runs();
    one.ends(code);
    const auto all = one.bodies();
    BOOST_REQUIRE_EQUAL(all.size(), 2u);
    BOOST_TEST(all[1] == std::string("Aborted by PBS Server \n") + why + "\nSee job standard error file");
  }
}

BOOST_AUTO_TEST_CASE(who_lost_processes_to_the_kernel_is_told_why) {
  submit_with("e");
  runs();
  story.loses_to_the_kernel("Cgroup mem limit exceeded (64kb): processes killed by the kernel: 1");
  ends(137);
  const auto all = bodies();
  BOOST_REQUIRE_EQUAL(all.size(), 1u);
  BOOST_TEST(all[0].starts_with(
      "Execution terminated\nExit_status=137\nCgroup mem limit exceeded (64kb): processes killed by the kernel: 1\n"
      "resources_used.cpupercent=0\n"));
}

BOOST_AUTO_TEST_CASE(where_the_site_wants_it_the_mail_of_the_end_ends_with_what_pbs_efficiency_says) {
  values::job_efficiency half_used;
  half_used.job = "12.vm", half_used.name = "STDIN", half_used.queue = "workq";
  half_used.cput_s = 60, half_used.ncpus = 2, half_used.walltime_s = 60, half_used.mem_kb = 524288;
  half_used.mem_asked_kb = 1048576, half_used.walltime_asked_s = 600;
  const auto end_with = [&](const given_values& wanted) {
    mailed one;
    if (!wanted.empty()) one.server({{"mail_efficiency", "", "True"}}, root_of_vm);
    if (!wanted.empty()) one.server(wanted, root_of_vm);
    one.submit({{"Mail_Points", "", "abe"},
                {"Job_Name", "", "STDIN"},
                {"Resource_List", "select", "1:ncpus=2:mem=1gb"},
                {"Resource_List", "walltime", "00:10:00"}});
    one.runs();
    half_used.ended_s = one.story.later(60).now_s;
    one.story.exits(0, {60, 524288, 60, 2});
    one.story.later(5).leaves();
    one.told(one.story);
    const auto all = bodies_of(mails_of_log(one.records, history_of(one.store)));
    BOOST_REQUIRE_EQUAL(all.size(), 2u);
    BOOST_TEST(all[0] == begun);
    return all[1] + '\n';
  };
  const auto without = end_with({});
  BOOST_TEST(without.ends_with("\nresources_used.walltime=00:01:00\n"), without);
  const auto with = end_with({{"mail_efficiency", "", "True"}});
  std::string table;
  values::put_efficiency_table(table, {half_used});
  BOOST_TEST(with == without + '\n' + table);
  BOOST_TEST(end_with({{"mail_efficiency", "", "False"}}) == without);
  BOOST_TEST(end_with({{"mail_efficiency", "", "", schema::AttributeOp::UNSET}}) == without);
}

BOOST_AUTO_TEST_CASE(who_has_used_up_his_cput_is_told_that) {
  submit({{"Mail_Points", "", "e"}, {"Job_Name", "", "STDIN"}, {"Resource_List", "cput", "00:00:03"}});
  runs();
  story.exits(137, {3, 0, 4, 1});
  story.leaves();
  BOOST_TEST(bodies().front().starts_with("Execution terminated\nExit_status=137\nits cput has reached its limit 00:00:03\n"));
}

BOOST_AUTO_TEST_CASE(who_waited_in_vain_for_another_job_is_told_for_which) {
  submit({{"Mail_Points", "", "abe"}, {"Job_Name", "", "STDIN"}, {"depend", "", "afterok:40"}});
  story.when(model::dependency_told{model::dependency_told::what::failed, values::parse_dependencies("afterok:40.vm@vm")->front()},
             the_server());
  BOOST_TEST(bodies() == (texts{"Aborted by PBS Server \nJob deleted as result of dependency on job 40.vm"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_job_whose_prologue_fails_has_begun_and_is_aborted) {
  submit_with("abe");
  story.when(propose(), the_scheduler());
  story.refuses(-2);
  BOOST_TEST(bodies() == (texts{begun, "Aborted by PBS Server \nJob cannot be executed\nSee job standard error file"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_job_deleted_while_it_is_started_has_not_begun_and_does_not_end) {
  submit_with("abe");
  story.when(propose(), the_scheduler());
  deleted(root_of_vm);
  story.refuses(271);
  BOOST_TEST(bodies() == texts{by_root}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_start_that_is_tried_again_is_a_begin_and_one_that_a_hook_refused_is_none) {
  submit_with("abe");
  story.when(propose(), the_scheduler());
  story.refuses(-3);
  BOOST_TEST(bodies() == texts{begun}, boost::test_tools::per_element());
  mailed hooked;
  hooked.submit_with("abe");
  hooked.story.when(propose(), the_scheduler());
  hooked.story.refuses(-16);
  BOOST_TEST(hooked.mails().empty());
}

BOOST_AUTO_TEST_CASE(a_job_that_runs_again_has_not_ended) {
  submit_with("abe");
  runs();
  story.when(model::client_request{make_request([](schema::Request::Builder r) { r.initRerunJob(); })}, root_of_vm);
  ends(-11);
  runs();
  ends(0);
  BOOST_TEST(bodies() == (texts{begun, begun, end_of_0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(files_that_stay_undelivered_are_told_of_behind_the_end) {
  submit_with("ae");
  runs();
  story.exits(0, {0, 0, 1, 1});
  story.when(story.report([&](auto m) {
    auto r = m.initRunLeft();
    fill(r.initRef(), story.job, story.job.run);
    r.setDelivered(false);
    r.setText(
        "Unable to copy file /spool/12.OU to vm:/no/x\n>>> error from copy\n/bin/cp: No such file\n>>> end error output\n"
        "Output retained on that host in: /undelivered/12.OU\nUnable to copy file /spool/12.ER to vm:/no/y\n");
  }),
             model::requester{"pbs_mom", "vm", schema::Role::MOM});
  const auto all = bodies();
  BOOST_REQUIRE_EQUAL(all.size(), 2u);
  BOOST_TEST(all[1] ==
             "Post job file processing error; job 12.vm on host vm\nUnable to copy file /spool/12.OU to vm:/no/x\n/bin/cp: No such file\n"
             "Output retained on that host in: /undelivered/12.OU");
}

BOOST_AUTO_TEST_CASE(what_is_altered_counts_from_then_on) {
  submit_with("n");
  story.when(model::client_request{make_request([](schema::Request::Builder r) {
               auto a = r.initAlterJob();
               fill(a.initChanges(2), {{"Mail_Points", "", "ab"}, {"Mail_Users", "", "z@z.org"}});
             })},
             owner);
  runs();
  const auto all = mails();
  BOOST_REQUIRE_EQUAL(all.size(), 1u);
  BOOST_TEST(all[0].to == "z@z.org ");
}

BOOST_AUTO_TEST_CASE(a_job_that_was_only_learned_of_is_read_when_it_is_spoken_of) {
  submit_with("abe");
  told(story);
  const auto before = records.size();
  runs();
  ends(0);
  told(story);
  projections::mails fold(history_of(store));
  std::vector<projections::mail> all;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (i < before) fold.learn(*records[i]);
    else fold.fold(*records[i], [&](projections::mail m) { all.push_back(std::move(m)); });
  }
  BOOST_TEST(bodies_of(all) == (texts{begun, end_of_0}), boost::test_tools::per_element());
  BOOST_TEST(fold.jobs_kept() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
