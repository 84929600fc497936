// Accounting records of job arrays and their subjobs, as transcripts of a PBS show them.
#include "test/unit/projections/accounting/array_story.hpp"

using namespace annals;
using namespace annals::test;

namespace {

// As a server folds: with a log to look things up in.
projections::accounting::history_reader history_of(const log::memory_event_store& store) {
  return [reader = log::log_reader(store)](std::uint64_t stream, std::uint64_t before, const projections::accounting::visitor& visit) {
    BOOST_REQUIRE(reader.read_stream(stream, 1, [&](const log::record_ptr& r) {
      if (r->sequence() < before) visit(*r);
      return r->sequence() < before;
    }));
  };
}

struct billed_array : told_array {
  std::size_t jobs_kept = 0;  // when all was folded

  // The first `learned` records have left their lines already.
  std::vector<std::string> lines(std::size_t learned = 0) {
    std::vector<std::string> all;
    projections::accounting fold(history_of(log.store));
    for (const auto& r : log.records) {
      if (r->sequence() <= learned) fold.learn(*r);
      else fold.fold(*r, [&](std::int64_t, std::string_view line) { all.emplace_back(line); });
    }
    jobs_kept = fold.jobs_kept();
    return all;
  }
  // "Q 602[].q1"
  std::vector<std::string> marks(std::size_t learned = 0) {
    auto all = lines(learned);
    for (auto& line : all) line = line.substr(20, 1) + " " + line.substr(22, line.find(';', 22) - 22);
    return all;
  }
};

using texts = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(records_of_arrays, billed_array)

BOOST_AUTO_TEST_CASE(an_array_leaves_q_at_first_s_with_its_first_subjob_and_e_behind_the_last) {
  story.now_s = 1795222033;
  submit("1-4:2");
  auto first = runs(1), second = runs(3);
  ends(first, 0);
  ends(second, 0);
  const auto all = lines();
  BOOST_REQUIRE_EQUAL(all.size(), 7u);
  const std::string who =
      "user=pbsuser group=tstgrp00 project=_pbs_project_default jobname=STDIN queue=workq ctime=1795222033 qtime=1795222033 "
      "etime=1795222033 ";
  const std::string asked =
      "Resource_List.ncpus=1 Resource_List.nodect=1 Resource_List.place=free Resource_List.select=1:host=q1 ";
  const std::string place = "start=1795222033 exec_host=q1/0 exec_vnode=(q1:ncpus=1) " + asked;
  BOOST_TEST(all[0] == "11/21/2026 00:47:13;Q;602[].q1;" + who + "array_indices=1-4:2 " + asked);
  BOOST_TEST(all[1] == "11/21/2026 00:47:13;S;602[].q1;" + who + "start=1795222033 array_indices=1-4:2 " + asked);
  BOOST_TEST(all[2] == "11/21/2026 00:47:13;S;602[1].q1;" + who + place + "resource_assigned.ncpus=1 ");
  BOOST_TEST(all[3] == "11/21/2026 00:47:13;S;602[3].q1;" + who + place + "resource_assigned.ncpus=1 ");
  BOOST_TEST(all[4] == "11/21/2026 00:47:16;E;602[1].q1;" + who + place +
                           "session=0 end=1795222036 Exit_status=0 resources_used.cpupercent=0 resources_used.cput=00:00:00 "
                           "resources_used.mem=0kb resources_used.ncpus=1 resources_used.vmem=0kb resources_used.walltime=00:00:02 "
                           "run_count=1");
  BOOST_TEST(all[5].starts_with("11/21/2026 00:47:16;E;602[3].q1;"), all[5]);
  BOOST_TEST(all[6] == "11/21/2026 00:47:16;E;602[].q1;" + who + "start=1795222033 " + asked +
                           "session=0 end=1795222036 Exit_status=0 run_count=0");
  BOOST_TEST(jobs_kept == 0u);
}

BOOST_AUTO_TEST_CASE(of_queued_subjobs_one_that_is_named_alone_leaves_a_d) {
  submit("1-6");
  asks(remove_subjobs("602[1]"), owner);
  asks(remove_subjobs("602[2-3]"), owner);
  asks(remove(), owner);
  BOOST_TEST(marks() == (texts{"Q 602[].q1", "D 602[1].q1", "D 602[].q1"}),
             boost::test_tools::per_element());
  BOOST_TEST(lines()[1].ends_with(";D;602[1].q1;requestor=pbsuser@q1"));
}

BOOST_AUTO_TEST_CASE(an_array_whose_subjobs_were_all_deleted_one_by_one_leaves_no_e_and_no_a) {
  submit("1-2");
  asks(remove_subjobs("602[1]"), owner);
  asks(remove_subjobs("602[2]"), owner);
  BOOST_TEST(story.job.ended());
  BOOST_TEST(marks() == (texts{"Q 602[].q1", "D 602[1].q1", "D 602[2].q1"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_subjob_that_is_queued_again_leaves_r_and_a_d_when_its_array_is_deleted) {
  submit("1-3");
  auto second = runs(2);
  second.later(1).when(rerun(), manager());
  second.exits(-11);
  second.leaves();
  leaves(second, {.requeued = true, .run_count = 1});
  asks(remove(), owner);
  BOOST_TEST(marks() == (texts{"Q 602[].q1", "S 602[].q1", "S 602[2].q1", "R 602[2].q1", "D 602[2].q1", "D 602[].q1", "E 602[].q1"}),
             boost::test_tools::per_element());
  BOOST_TEST(jobs_kept == 0u);
}

BOOST_AUTO_TEST_CASE(a_deletion_of_the_array_leaves_a_d_of_each_subjob_that_is_told) {
  submit("1-2");
  auto first = runs(1);
  asks(remove(), owner);
  first.when(remove(), owner);
  ends(first, 271);
  BOOST_TEST(marks() == (texts{"Q 602[].q1", "S 602[].q1", "S 602[1].q1", "D 602[].q1", "D 602[1].q1", "E 602[1].q1", "E 602[].q1"}),
             boost::test_tools::per_element());
  BOOST_TEST(lines().back().find(" Exit_status=1 ") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
