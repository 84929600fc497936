// What pbsfs prints, against the transcripts of a PBS (golden pbsfs, scheduler S7).
#include <boost/test/unit_test.hpp>

#include "events/schema/message.hpp"
#include "tools/daemons/fairshare_print.hpp"

using namespace annals;
namespace print = fairshare_print;

namespace {

const std::string two_groups =
    "grp1 50 root 60\ngrp2 51 root 40\npbsuser 60 grp1 30\npbsuser1 61 grp1 70\nbob 62 grp2 100\n";
using usages = std::vector<std::pair<std::string, double>>;

schema::sealed<schema::FairshareAnswer> answer(const usages& all) {
  return schema::make<schema::FairshareAnswer>([&](schema::FairshareAnswer::Builder a) {
    auto list = a.initUsages(static_cast<unsigned>(all.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setEntity(all[i].first);
      list[i].setUsage(all[i].second);
    }
  });
}

struct shown {
  schema::sealed<schema::FairshareAnswer> told;
  print::standing standing;
  explicit shown(const usages& all, const std::string& groups = two_groups, std::int64_t unknown = 0)
      : told(answer(all)), standing(print::standing_of(cycle::share_tree(groups, unknown), told.get().getUsages())) {}
  std::string table() const { return print::table(standing, "cput"); }
  std::string tree() const { return print::tree(standing); }
  std::string details(const char* name) const { return print::details(standing, standing.tree.find(name), "cput"); }
  std::string between(const char* a, const char* b) const {
    return standing.tree.vertices()[standing.usage.more_deserving(standing.tree.find(a), standing.tree.find(b))].name;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(fairshare_print_suite)

BOOST_AUTO_TEST_CASE(a_cluster_without_groups) {  // F1
  const shown s({}, "");
  BOOST_TEST(s.table() ==
             "Fairshare usage units are in: cput\n"
             "TREEROOT  : Grp: -1     cgrp: 0    Shares: -1     Usage: 1      Perc: 100.000%\n"
             "unknown   : Grp: 0      cgrp: 1    Shares: 0      Usage: 1      Perc:  0.000%\n");
  BOOST_TEST(s.tree() == " TREEROOT(0)\n     unknown(1)\n");
  BOOST_TEST(s.details("unknown") ==
             "fairshare entity: unknown\nResgroup\t\t: 0\ncresgroup\t\t: 1\nShares\t\t\t: 0\nPercentage\t\t: 0.000000%\n"
             "fairshare_tree_usage\t: 1.000000\nusage\t\t\t: 1 (cput)\nusage/perc\t\t: -1\nPath from root: \n"
             "TREEROOT  :     0          1 / 1.000 = 1\nunknown   :     1          1 / 0.000 = -1\n");
  BOOST_TEST(s.details("TREEROOT") ==
             "fairshare entity: TREEROOT\nResgroup\t\t: -1\ncresgroup\t\t: 0\nShares\t\t\t: -1\nPercentage\t\t: 100.000000%\n"
             "fairshare_tree_usage\t: 0.000000\nusage\t\t\t: 1 (cput)\nusage/perc\t\t: 1\nPath from root: \n");
}

BOOST_AUTO_TEST_CASE(a_tree_with_usage) {  // F3, F4
  const shown s({{"pbsuser", 100}, {"pbsuser1", 300}, {"bob", 50}});
  BOOST_TEST(s.table() ==
             "Fairshare usage units are in: cput\n"
             "TREEROOT  : Grp: -1     cgrp: 0    Shares: -1     Usage: 451    Perc: 100.000%\n"
             "grp2      : Grp: 0      cgrp: 51   Shares: 40     Usage: 51     Perc: 40.000%\n"
             "bob       : Grp: 51     cgrp: 62   Shares: 100    Usage: 50     Perc: 40.000%\n"
             "grp1      : Grp: 0      cgrp: 50   Shares: 60     Usage: 401    Perc: 60.000%\n"
             "pbsuser1  : Grp: 50     cgrp: 61   Shares: 70     Usage: 300    Perc: 42.000%\n"
             "pbsuser   : Grp: 50     cgrp: 60   Shares: 30     Usage: 100    Perc: 18.000%\n"
             "unknown   : Grp: 0      cgrp: 1    Shares: 0      Usage: 1      Perc:  0.000%\n");
  BOOST_TEST(s.tree() ==
             " TREEROOT(0)\n     grp2(51)\n          bob(62)\n     grp1(50)\n          pbsuser1(61)\n          pbsuser(60)\n"
             "     unknown(1)\n");
  BOOST_TEST(s.details("pbsuser") ==
             "fairshare entity: pbsuser\nResgroup\t\t: 50\ncresgroup\t\t: 60\nShares\t\t\t: 30\nPercentage\t\t: 18.000000%\n"
             "fairshare_tree_usage\t: 0.421951\nusage\t\t\t: 100 (cput)\nusage/perc\t\t: 556\nPath from root: \n"
             "TREEROOT  :     0        451 / 1.000 = 451\ngrp1      :    50        401 / 0.600 = 668\n"
             "pbsuser   :    60        100 / 0.180 = 556\n");
  BOOST_TEST(s.details("grp1") ==
             "fairshare entity: grp1\nResgroup\t\t: 0\ncresgroup\t\t: 50\nShares\t\t\t: 60\nPercentage\t\t: 60.000004%\n"
             "fairshare_tree_usage\t: 0.889135\nusage\t\t\t: 401 (cput)\nusage/perc\t\t: 668\nPath from root: \n"
             "TREEROOT  :     0        451 / 1.000 = 451\ngrp1      :    50        401 / 0.600 = 668\n");
  BOOST_TEST(s.between("pbsuser", "pbsuser1") == "pbsuser");
  BOOST_TEST(s.between("pbsuser", "bob") == "bob");
  BOOST_TEST(shown({}).between("pbsuser", "pbsuser1") == "pbsuser1");
  BOOST_TEST(shown({}).between("pbsuser", "bob") == "pbsuser");
}

BOOST_AUTO_TEST_CASE(usage_of_nobody_in_the_file_stands_below_unknown) {  // F6
  const shown s({{"pbsuser", 25}, {"pbsuser1", 75}, {"bob", 12.5}}, "grp1 50 root 60\ngrp2 51 root 40\npbsuser 60 grp1 30\n");
  BOOST_TEST(s.table() ==
             "Fairshare usage units are in: cput\n"
             "TREEROOT  : Grp: -1     cgrp: 0    Shares: -1     Usage: 114    Perc: 100.000%\n"
             "grp2      : Grp: 0      cgrp: 51   Shares: 40     Usage: 1      Perc: 40.000%\n"
             "grp1      : Grp: 0      cgrp: 50   Shares: 60     Usage: 26     Perc: 60.000%\n"
             "pbsuser   : Grp: 50     cgrp: 60   Shares: 30     Usage: 25     Perc: 60.000%\n"
             "unknown   : Grp: 0      cgrp: 1    Shares: 0      Usage: 88     Perc:  0.000%\n"
             "bob       : Grp: 1      cgrp: -1   Shares: 1      Usage: 12     Perc:  0.000%\n"
             "pbsuser1  : Grp: 1      cgrp: -1   Shares: 1      Usage: 75     Perc:  0.000%\n");
}

BOOST_AUTO_TEST_CASE(numbers_are_made_in_single_precision) {  // F8, F9, scheduler S7
  const std::string groups = "grp1 50 root 60\ngrp2 51 root 40\npbsuser 60 grp1 30\npbsuser1 61 grp1 70\n";
  const shown s({{"pbsuser", 7}}, groups, 10);
  BOOST_TEST(s.details("pbsuser") ==
             "fairshare entity: pbsuser\nResgroup\t\t: 50\ncresgroup\t\t: 60\nShares\t\t\t: 30\nPercentage\t\t: 16.363638%\n"
             "fairshare_tree_usage\t: 0.912500\nusage\t\t\t: 7 (cput)\nusage/perc\t\t: 43\nPath from root: \n"
             "TREEROOT  :     0          8 / 1.000 = 8\ngrp1      :    50          8 / 0.545 = 15\n"
             "pbsuser   :    60          7 / 0.164 = 43\n");
  const shown s7({{"pbsuser", 50}, {"pbsuser1", 25}}, "grp1 50 root 60\ngrp2 51 root 40\npbsuser 60 grp1 20\npbsuser1 61 grp2 10\n", 10);
  const auto details = s7.details("pbsuser");
  BOOST_TEST(details.find("54.545456%") != std::string::npos);
  BOOST_TEST(details.find("fairshare_tree_usage\t: 0.671053") != std::string::npos);
  BOOST_TEST(details.find("51 / 0.545 = 93") != std::string::npos);
  BOOST_TEST(details.find("50 / 0.545 = 92") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(odd_shares) {  // F7
  BOOST_TEST(shown({{"pbsuser", 25}}, "a 60 root -5\n").table() ==
             "Fairshare usage units are in: cput\n"
             "TREEROOT  : Grp: -1     cgrp: 0    Shares: -1     Usage: 26     Perc: 100.000%\n"
             "a         : Grp: 0      cgrp: 60   Shares: -5     Usage: 1      Perc: 100.000%\n"
             "unknown   : Grp: 0      cgrp: 1    Shares: 0      Usage: 26     Perc: -0.000%\n"
             "pbsuser   : Grp: 1      cgrp: -1   Shares: 1      Usage: 25     Perc:  0.000%\n");
}

BOOST_AUTO_TEST_CASE(usage_by_running_jobs) {  // F10
  const shown s({{"pbsuser", 23}, {"pbsuser1", 11}}, "grp1 50 root 60\npbsuser 60 grp1 30\npbsuser1 61 grp1 70\n");
  BOOST_TEST(s.table().find("grp1      : Grp: 0      cgrp: 50   Shares: 60     Usage: 35     Perc: 100.000%") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(complaints_are_two_lines_or_one) {
  BOOST_TEST(print::complaints({{1, "Parent ginfo of pbsuser doesnt exist."}, {2, "b has the number of a: 60", true}, {3, ""}}) ==
             "Parent ginfo of pbsuser doesnt exist.\nresgroup: error on line 1.\nresgroup: error on line 3.\n");
}

BOOST_AUTO_TEST_CASE(an_entity_that_has_a_groups_name_is_one_of_its_own) {
  const shown s({{"grp1", 9}});
  BOOST_TEST(s.table().find("grp1      : Grp: 1      cgrp: -1   Shares: 1      Usage: 9      Perc:  0.000%") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(why_adds_up) {
  const auto told = schema::make<schema::FairshareAnswer>([](schema::FairshareAnswer::Builder a) {
    auto u = a.initUsages(1)[0];
    u.setEntity("smith");
    u.setUsage(14.5);
    auto jobs = a.initJobs(2);
    jobs[0].setJob("start");
    jobs[0].setUsed(1);
    jobs[0].setCounts(0.5);
    jobs[1].setJob("3.borg");
    jobs[1].setUsed(28);
    jobs[1].setCounts(14);
    jobs[1].setLastNs(1'000'000'000);
  });
  const auto text = print::why(told.get(), "smith", "cput");
  BOOST_TEST(text.find("smith has used 14.5 (cput)\n") == 0u);
  BOOST_TEST(text.find("-                               1         0.5  start\n") != std::string::npos, text);
  BOOST_TEST(text.find("          28          14  3.borg\n") != std::string::npos, text);
  BOOST_TEST(text.find("together                                 14.5\n") != std::string::npos, text);
}

BOOST_AUTO_TEST_SUITE_END()
