// Fairshare in a cycle: the tree of shares, its numbers, and which job comes next.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "actors/scheduler/cycle/cycle.hpp"
#include "actors/scheduler/cycle/fairshare.hpp"
#include "actors/scheduler/cycle/order.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

const std::string two_groups =
    "grp1 50 root 60\n"
    "grp2 51 root 40\n"
    "pbsuser 60 grp1 30\n"
    "pbsuser1 61 grp1 70\n"
    "bob 62 grp2 100\n";

using usages = std::vector<std::pair<std::string, double>>;

schema::sealed<schema::SchedulingDelta> told(const usages& all, bool changed = true) {
  return schema::make<schema::SchedulingDelta>([&](schema::SchedulingDelta::Builder d) {
    d.setPrevious(1);
    d.setSequence(1);
    d.setUsagesChanged(changed);
    auto list = d.initUsages(static_cast<unsigned>(all.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setEntity(all[i].first);
      list[i].setUsage(all[i].second);
    }
  });
}

policy sharing(const std::string& groups, const std::string& more = "") {
  return parse_policy(policy_text({shipped_sched_config() + "fair_share: true ALL\n" + more, groups})).value;
}

job_row of(const std::string& user, std::uint64_t serial, const values_by_name& resources = {}, const std::string& queue = "workq") {
  job_row j;
  j.serial = serial;
  j.id = std::to_string(serial) + ".p1";
  j.rank = static_cast<std::int64_t>(serial);
  j.euser = user;
  j.queue = queue;
  j.resources = resources;
  return j;
}

struct outcome {
  view v;
  result r;
  std::vector<std::uint64_t> started() const {
    std::vector<std::uint64_t> serials;
    for (const auto& run : r.runs) serials.push_back(run.job);
    return serials;
  }
  std::string comment(std::uint64_t job) const {
    for (const auto& reason : r.reasons)
      if (reason.job == job) return r.comments[reason.comment];
    return "";
  }
};

outcome cycle_of(const small_cluster& c, const policy& p, const usages& used = {}) {
  outcome o;
  o.v.count_by(p.sharing);
  BOOST_REQUIRE(o.v.apply(*c.full_view()));
  BOOST_REQUIRE(o.v.apply(*told(used)));
  o.r = run_cycle(o.v, p, some_day);
  return o;
}

small_cluster with(std::vector<job_row> jobs, int cpus = 100) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", cpus)};
  c.jobs = std::move(jobs);
  return c;
}

using serials = std::vector<std::uint64_t>;
using job_number = cycle::index;

// Which of these jobs comes first below a vertex: of the child with the lowest ratio, of equal ones the oldest job.
job_number best_below(share_index top, const std::vector<job_number>& jobs, const view& v, const fairshare_standing& standing) {
  std::map<share_index, std::vector<job_number>> below;
  for (const auto at : jobs) {
    auto child = v.shares().leaf_of(v.jobs()[at]);
    if (child == top) return jobs.front();
    while (standing.parent_of(child) != top) child = standing.parent_of(child);
    below[child].push_back(at);
  }
  auto best = cycle::none;
  double lowest = 0;
  for (const auto& [child, of_child] : below) {
    const auto first = best_below(child, of_child, v, standing);
    const auto ratio = standing.ratio(child);
    if (best != cycle::none && (ratio > lowest || (ratio == lowest && first > best))) continue;
    best = first;
    lowest = ratio;
  }
  return best;
}

// The jobs of a view in which nothing runs, each next one found by a whole walk: where queues count, among those of the queue whose
// turn it is.
serials by_whole_walks(view& v, const policy& p) {
  auto& standing = v.shares().stand(p.sharing.tree);
  const auto places = in_order(v, p, p.prime, some_day).jobs;
  auto left = places;
  std::sort(left.begin(), left.end());
  serials order;
  for (const auto place : places) {
    auto of_queue = left;
    if (p.prime.by_queue || p.prime.round_robin)
      std::erase_if(of_queue, [&](job_number at) { return v.jobs()[at].queue != v.jobs()[place].queue; });
    const auto next = best_below(share_tree::root, of_queue, v, standing);
    order.push_back(v.jobs()[next].serial);
    standing.started(v.shares().leaf_of(v.jobs()[next]), v.jobs()[next].expected_usage);
    std::erase(left, next);
  }
  return order;
}

// The same as the cycle finds them.
serials by_heaps(view& v, const policy& p) {
  auto& standing = v.shares().stand(p.sharing.tree);
  fairshare_order shares(v, standing, in_order(v, p, p.prime, some_day).jobs, p.prime.by_queue || p.prime.round_robin);
  serials order;
  for (auto at = shares.next(); at != cycle::none; at = shares.next()) {
    order.push_back(v.jobs()[at].serial);
    standing.started(v.shares().leaf_of(v.jobs()[at]), v.jobs()[at].expected_usage);
  }
  return order;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tree_of_shares)

BOOST_AUTO_TEST_CASE(the_last_line_of_a_group_comes_first_and_percentages_are_parts_of_parts) {
  const share_tree t(two_groups, 0);
  const auto at = [&](const char* name) { return t.vertices()[t.find(name)]; };
  BOOST_TEST(at("TREEROOT").children.size() == 3u);
  BOOST_TEST(t.vertices()[at("TREEROOT").children[0]].name == "grp2");
  BOOST_TEST(t.vertices()[at("TREEROOT").children[2]].name == "unknown");
  BOOST_TEST(at("pbsuser1").percentage == 0.42F, boost::test_tools::tolerance(1e-6F));
  BOOST_TEST(at("bob").percentage == 0.4F, boost::test_tools::tolerance(1e-6F));
  BOOST_TEST(at("unknown").percentage == 0);
  BOOST_TEST((t.leaf("bob") == t.find("bob")));
  BOOST_TEST((t.leaf("grp1") == no_share));
  BOOST_TEST((t.leaf("TREEROOT") == no_share));
  BOOST_TEST((t.leaf("nosuch") == no_share));
}

BOOST_AUTO_TEST_CASE(wrong_lines_are_named_and_the_others_count) {
  std::vector<group_complaint> wrong;
  const share_tree t(
      "# a comment\n\na 60 root 30 extra words\nb abc root 30\nc 61 root\nd 62 nosuch 30\na 63 root 30\ne 64 root x\nunknown 1 root 5\n"
      "f 65 root 99999999999\ng 66 root -5",
      0, &wrong);
  std::vector<int> lines;
  for (const auto& w : wrong) lines.push_back(w.line);
  const std::vector<int> expected{4, 5, 6, 7, 8, 9, 10};
  BOOST_TEST(lines == expected, boost::test_tools::per_element());
  BOOST_TEST(wrong[2].why == "Parent ginfo of d doesnt exist.");
  BOOST_TEST(wrong[3].why == "entity a is not unique");
  BOOST_TEST(wrong[5].why == "entity unknown is not unique");
  BOOST_TEST((t.find("a") != no_share));
  BOOST_TEST((t.find("g") != no_share));
  for (const auto& w : wrong) BOOST_TEST(!w.counts);
  BOOST_TEST(t.vertices().size() == 4u);
}

BOOST_AUTO_TEST_CASE(a_number_that_another_has_is_named_and_the_line_counts) {  // a real PBS says nothing
  std::vector<group_complaint> told;
  const share_tree t("a 60 root 30\nb 60 root 30\nc 1 a 5\nd 0 root 1\ne 61 root 1\n", 0, &told);
  const std::vector<std::string> expected{"b has the number of a: 60", "c has the number of unknown: 1", "d has the number of root: 0"};
  BOOST_REQUIRE(told.size() == expected.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    BOOST_TEST(told[i].why == expected[i]);
    BOOST_TEST(told[i].line == static_cast<int>(i) + 2);
    BOOST_TEST(told[i].counts);
  }
  for (const char* name : {"a", "b", "c", "d", "e"}) BOOST_TEST((t.find(name) != no_share), name);
}

BOOST_AUTO_TEST_CASE(groups_in_groups_end_somewhere) {
  std::string text = "g0 2 root 1\n";
  for (int i = 1; i < 1000; ++i) text += "g" + std::to_string(i) + " 2 g" + std::to_string(i - 1) + " 1\n";
  std::vector<group_complaint> wrong;
  const share_tree t(text, 0, &wrong);
  BOOST_TEST(!wrong.empty());
  BOOST_TEST(t.vertices().size() == static_cast<std::size_t>(share_tree::depth_max) + 2);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(sharing_in_sched_config)

BOOST_AUTO_TEST_CASE(the_shipped_file_has_pbs_defaults) {
  const auto s = parse_policy(shipped_sched_config()).value.sharing;
  BOOST_TEST((s == fairshare_settings{}));
  BOOST_TEST(!s.ever);
  BOOST_TEST(s.usage_text == "cput");
  BOOST_TEST(s.decay_seconds == 86400u);
  BOOST_TEST(s.decay_factor == 0.5);
  BOOST_TEST(!s.enforce_no_shares);
}

BOOST_AUTO_TEST_CASE(parameters_are_read) {
  const auto p = parse_policy(policy_text({
      "fair_share: true ALL\nfairshare_usage_res: ncpus*walltime\nfairshare_entity: egroup:euser\n"
      "fairshare_decay_time: 1:00:00\nfairshare_decay_factor: 0.25\nunknown_shares: 10\n"
      "fairshare_enforce_no_shares: True\n",
      two_groups}));
  const auto& s = p.value.sharing;
  BOOST_TEST(p.complaints.empty());
  BOOST_TEST((s.ever && s.enforce_no_shares));
  BOOST_TEST((p.value.prime.fair_share && p.value.non_prime.fair_share));
  BOOST_TEST(s.usage_text == "ncpus*walltime");
  BOOST_TEST((s.entity == values::fairshare_entity::egroup_euser));
  BOOST_TEST(s.decay_seconds == 3600u);
  BOOST_TEST(s.decay_factor == 0.25);
  BOOST_TEST(s.tree->vertices().size() == 7u);
  BOOST_TEST(s.tree->vertices()[share_tree::unknown].shares == 10);
}

BOOST_AUTO_TEST_CASE(what_is_said_for_other_times_only_makes_usage_count) {
  const auto p = parse_policy("fair_share: true non_prime\nfairshare_entity: queue non_prime\n");
  BOOST_TEST((!p.value.prime.fair_share && p.value.non_prime.fair_share));
  BOOST_TEST(p.value.sharing.ever);
  BOOST_TEST((p.value.sharing.entity == values::fairshare_entity::queue));
  const std::vector<std::string> told = {"Error reading line 2: fairshare_entity holds at all times"};
  BOOST_TEST(p.complaints == told, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(wrong_values_are_named_and_change_nothing) {
  const auto p = parse_policy(
      "fair_share: perhaps ALL\nfairshare_usage_res: cput+\nfairshare_entity: shoe\nfairshare_decay_time: soon\n"
      "fairshare_decay_factor: 1.5\nunknown_shares: -1\nfairshare_enforce_no_shares: 7\n");
  const std::vector<std::string> expected{
      "Error reading line 1: Invalid fair_share", "Error reading line 2: Invalid fairshare_usage_res",
      "Error reading line 3: Invalid fairshare_entity", "Error reading line 4: Invalid fairshare_decay_time",
      "Error reading line 5: Invalid fairshare_decay_factor", "Error reading line 6: Invalid unknown_shares",
      "Error reading line 7: Invalid fairshare_enforce_no_shares"};
  BOOST_TEST(p.complaints == expected, boost::test_tools::per_element());
  BOOST_TEST((p.value.sharing == fairshare_settings{}));
}

BOOST_AUTO_TEST_CASE(both_files_are_one_text_that_says_the_same) {
  BOOST_TEST(policy_text({"by_queue: true\n", "# only a comment\n\n"}) == "by_queue: true\n");
  const auto whole = policy_text({"by_queue: true", two_groups});
  BOOST_TEST(whole == "by_queue: true\n### resource_group ###\n" + two_groups);
  BOOST_TEST(parse_policy(whole).complaints.empty());
  BOOST_TEST((*parse_policy(whole).value.sharing.tree == share_tree(two_groups, 0)));
  const auto wrong = parse_policy(policy_text({"# one\n# two\n", "a 5 root 1\nb 6 nosuch 1\n"}));
  BOOST_REQUIRE(wrong.group_complaints.size() == 1u);
  BOOST_TEST(wrong.group_complaints[0].line == 2);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(jobs_by_shares)

BOOST_AUTO_TEST_CASE(who_had_least_of_his_share_comes_first) {  // as a real PBS printed it
  const auto p = sharing("grp1 50 root 60\ngrp2 51 root 40\npbsuser 60 grp1 20\npbsuser1 61 grp2 10\n", "unknown_shares: 10\n");
  const auto o = cycle_of(with({of("pbsuser", 695), of("pbsuser1", 696), of("pbsuser2", 697), of("pbsuser", 698)}), p,
                          {{"pbsuser", 50}, {"pbsuser1", 25}});
  const serials expected{697, 696, 695, 698};
  BOOST_TEST(o.started() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(groups_are_compared_before_their_members) {
  // bob has used less than pbsuser, but his group has used far more of what it may have.
  const auto p = sharing("grp1 50 root 60\ngrp2 51 root 40\npbsuser 60 grp1 1\nbob 62 grp2 1\neve 63 grp2 1\n");
  const auto o = cycle_of(with({of("bob", 1), of("pbsuser", 2)}), p, {{"pbsuser", 100}, {"bob", 2}, {"eve", 1000}});
  const serials expected{2, 1};
  BOOST_TEST(o.started() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(among_equals_the_older_job_comes_first) {
  const auto p = sharing("a 10 root 1\nb 11 root 1\n");
  const auto o = cycle_of(with({of("b", 1), of("a", 2), of("b", 3), of("a", 4)}), p);
  const serials expected{1, 2, 3, 4};
  BOOST_TEST(o.started() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_a_started_job_asks_for_counts_for_the_rest_of_the_cycle) {
  const auto p = sharing("a 10 root 1\nb 11 root 1\n", "fairshare_usage_res: ncpus*walltime\n");
  const values_by_name hour{{"ncpus", "1"}, {"walltime", "01:00:00"}};
  const auto o = cycle_of(with({of("a", 1, hour), of("a", 2, hour), of("a", 3, hour), of("b", 4, hour), of("b", 5, hour)}), p);
  const serials expected{1, 4, 2, 5, 3};
  BOOST_TEST(o.started() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_next_cycle_counts_only_what_was_used) {
  const auto p = sharing("a 10 root 1\nb 11 root 1\n", "fairshare_usage_res: walltime\n");
  const values_by_name hour{{"walltime", "01:00:00"}};
  auto o = cycle_of(with({of("a", 1, hour), of("a", 2, hour), of("b", 3, hour)}, 1), p);
  const serials first{1};
  BOOST_TEST(o.started() == first, boost::test_tools::per_element());
  auto running = of("a", 1, hour);
  running.state = 'R';
  running.exec_vnode = "(p1:ncpus=1)";
  running.exec_host = "p1/0";
  BOOST_REQUIRE(o.v.apply(*delta(1, 2, {running})));
  o.r = run_cycle(o.v, p, some_day);
  BOOST_TEST(o.r.log.size() > 0u);
  std::vector<std::string_view> considered;
  for (const auto& l : o.r.log)
    if (l.text == "Considering job to run") considered.push_back(l.object);
  const std::vector<std::string_view> expected{"2.p1", "3.p1"};
  BOOST_TEST(considered == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(queues_keep_their_order_and_shares_count_within_them) {
  auto c = with({of("a", 1, {}, "low"), of("b", 2, {}, "low"), of("a", 3, {}, "high"), of("b", 4, {}, "high")});
  c.queues = {execution_queue("low"), execution_queue("high")};
  c.queues[0].attributes["Priority"] = "10";
  c.queues[1].attributes["Priority"] = "100";
  const std::string groups = "a 10 root 1\nb 11 root 1\n";
  const serials by_queue{4, 3, 2, 1}, all{2, 4, 1, 3};
  BOOST_TEST(cycle_of(c, sharing(groups), {{"a", 100}}).started() == by_queue, boost::test_tools::per_element());
  BOOST_TEST(cycle_of(c, sharing(groups, "by_queue: False ALL\n"), {{"a", 100}}).started() == all, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(queues_take_turns_and_shares_say_who_takes_each) {
  auto c = with({of("a", 1, {}, "one"), of("b", 2, {}, "one"), of("a", 3, {}, "two"), of("b", 4, {}, "two")});
  c.queues = {execution_queue("one"), execution_queue("two")};
  const serials expected{2, 4, 1, 3};
  BOOST_TEST(cycle_of(c, sharing("a 10 root 1\nb 11 root 1\n", "round_robin: True ALL\n"), {{"a", 100}}).started() == expected,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(who_has_no_share_comes_last_or_not_at_all) {  // as a real PBS printed it
  const auto c = with({of("stranger", 1), of("a", 2), of("nought", 3)});
  const std::string groups = "a 10 root 1\nnought 11 root 0\n";
  const serials last{2, 1, 3}, only{2};
  BOOST_TEST(cycle_of(c, sharing(groups), {{"a", 1000}}).started() == last, boost::test_tools::per_element());
  const auto enforced = cycle_of(c, sharing(groups, "fairshare_enforce_no_shares: True\n"));
  BOOST_TEST(enforced.started() == only, boost::test_tools::per_element());
  BOOST_TEST(enforced.comment(1) == "Can Never Run: Job has zero shares for fairshare");
  BOOST_TEST(enforced.comment(3) == "Can Never Run: Job has zero shares for fairshare");
  const auto with_shares = cycle_of(c, sharing(groups, "fairshare_enforce_no_shares: True\nunknown_shares: 1\n"));
  BOOST_TEST(with_shares.comment(1) == "");
}

BOOST_AUTO_TEST_CASE(off_it_changes_nothing) {
  const auto p = parse_policy(policy_text({shipped_sched_config(), two_groups})).value;
  const auto o = cycle_of(with({of("pbsuser", 1), of("pbsuser1", 2)}), p, {{"pbsuser", 1e9}});
  const serials expected{1, 2};
  BOOST_TEST(o.started() == expected, boost::test_tools::per_element());
}

namespace {

// fair_share is false.
policy unshared(const std::string& groups, const std::string& more = "") {
  return parse_policy(policy_text({shipped_sched_config() + more, groups})).value;
}

// The server's or the scheduler's formula becomes this one.
schema::sealed<schema::SchedulingDelta> another_formula(const std::string& formula, bool of_server = true) {
  return schema::make<schema::SchedulingDelta>([&](schema::SchedulingDelta::Builder d) {
    d.setPrevious(1);
    d.setSequence(1);
    auto list = of_server ? d.initServer(2) : d.initScheduler(2);
    list[0].setName("comment");
    list[0].setValue("words");
    list[1].setName("job_sort_formula");
    list[1].setValue(formula);
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_formula_that_names_shares_has_them_without_fair_share) {
  auto c = with({of("pbsuser", 1), of("bob", 2), of("pbsuser1", 3), of("stranger", 4)});
  const auto p = unshared(two_groups, "fairshare_enforce_no_shares: True\n");  // which is of fair_share
  const auto order = [&](const std::string& formula, const usages& used) {
    c.server["job_sort_formula"] = formula;
    return cycle_of(c, p, used).started();
  };
  const auto each = boost::test_tools::per_element();
  BOOST_TEST(order("fairshare_perc", {}) == (serials{3, 2, 1, 4}), each);  // 0.42, 0.4, 0.18, 0
  BOOST_TEST(order("-fairshare_tree_usage", {{"pbsuser", 50}, {"pbsuser1", 20}, {"bob", 200}}) == (serials{4, 3, 1, 2}), each);
  BOOST_TEST(order("fairshare_factor", {{"pbsuser", 50}, {"pbsuser1", 20}, {"bob", 200}}) == (serials{3, 1, 2, 4}), each);
  BOOST_TEST(order("ncpus", {{"pbsuser", 50}}) == (serials{1, 2, 3, 4}), each);
}

BOOST_AUTO_TEST_CASE(a_formula_without_fair_share_has_the_entity_that_sched_config_says) {
  auto first = of("a", 1), later = of("b", 2);
  first.egroup = "poor";
  later.egroup = "rich";
  auto c = with({first, later});
  c.scheduler["job_sort_formula"] = "fairshare_perc";
  const auto o = cycle_of(c, unshared("rich 10 root 9\npoor 11 root 1\n", "fairshare_entity: egroup\n"));
  BOOST_TEST(o.started() == (serials{2, 1}), boost::test_tools::per_element());
}

// While no shares count jobs are taken in without their entities.
BOOST_AUTO_TEST_CASE(the_first_formula_that_names_shares_needs_a_new_view) {
  auto c = with({of("pbsuser", 1), of("pbsuser1", 2)});
  const auto p = unshared(two_groups);
  for (const bool of_server : {true, false}) {
    view v;
    v.count_by(p.sharing);
    BOOST_REQUIRE(v.apply(*c.full_view()));
    BOOST_TEST(v.apply(*another_formula("ncpus", of_server)));
    BOOST_TEST(!v.shares().matter());
    BOOST_TEST(!v.apply(*another_formula("fairshare_perc", of_server)));
    BOOST_TEST(!v.shares().matter());
    BOOST_TEST(run_cycle(v, p, some_day).runs.size() == 2u);  // as before
    auto named = c;
    (of_server ? named.server : named.scheduler)["job_sort_formula"] = "fairshare_perc";
    BOOST_REQUIRE(v.apply(*named.full_view()));
    BOOST_TEST(v.shares().matter());
    const auto r = run_cycle(v, p, some_day);
    BOOST_REQUIRE(r.runs.size() == 2u);
    BOOST_TEST(r.runs[0].job == 2u);
    BOOST_TEST(v.apply(*another_formula("-fairshare_factor", of_server)));  // all are known
    BOOST_TEST(v.apply(*another_formula("", of_server)));
    BOOST_TEST(!v.shares().matter());
    BOOST_TEST(!v.apply(*another_formula("fairshare_perc", of_server)));  // jobs may have come since
  }
}

// The scheduler's own formula comes before the server's.
BOOST_AUTO_TEST_CASE(a_formula_that_does_not_hold_counts_no_shares) {
  auto c = with({of("pbsuser", 1)});
  c.scheduler["job_sort_formula"] = "ncpus";
  view v;
  BOOST_REQUIRE(v.apply(*c.full_view()));
  BOOST_TEST(v.apply(*another_formula("fairshare_perc")));
  BOOST_TEST(!v.shares().matter());
  BOOST_TEST(!v.apply(*another_formula("", false)));  // now the server's holds
}

BOOST_AUTO_TEST_CASE(a_job_sort_key_that_names_shares_has_them_without_fair_share) {
  const auto p = unshared(two_groups, "job_sort_key: \"fairshare_perc HIGH\" ALL\n");
  const auto o = cycle_of(with({of("pbsuser", 1), of("pbsuser1", 2)}), p);
  BOOST_TEST(o.started() == (serials{2, 1}), boost::test_tools::per_element());
  BOOST_TEST(unshared(two_groups, "job_sort_key: \"fairshare_perc HIGH\" non_prime\n").sharing.ever);
  BOOST_TEST(!unshared(two_groups, "job_sort_key: \"ncpus HIGH\" ALL\n").sharing.ever);
}

BOOST_AUTO_TEST_CASE(the_entity_may_be_a_group_or_an_account) {
  auto first = of("a", 1), later = of("b", 2);
  first.egroup = "rich";
  later.egroup = "poor";
  const auto o = cycle_of(with({first, later}), sharing("rich 10 root 1\npoor 11 root 1\n", "fairshare_entity: egroup\n"), {{"rich", 9}});
  const serials expected{2, 1};
  BOOST_TEST(o.started() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(another_way_to_count_needs_a_new_view) {
  view v;
  BOOST_TEST(!v.count_by(sharing(two_groups).sharing));
  BOOST_REQUIRE(v.apply(*with({}).full_view()));
  BOOST_TEST(!v.count_by(sharing("a 1 root 5\n").sharing));  // shares are no part of it
  BOOST_TEST(v.count_by(sharing(two_groups, "fairshare_entity: queue\n").sharing));
  BOOST_TEST(v.count_by(parse_policy("").value.sharing));
  BOOST_TEST(!v.count_by(parse_policy("fairshare_entity: queue\n").value.sharing));  // nothing counts
  auto named = with({});
  named.server["job_sort_formula"] = "fairshare_perc";
  BOOST_REQUIRE(v.apply(*named.full_view()));
  BOOST_TEST(v.count_by(parse_policy("").value.sharing));
}

// Level fairshare of preempt_prio.
BOOST_AUTO_TEST_CASE(a_job_of_somebody_who_is_over_his_share_makes_room) {
  auto c = with({of("pbsuser", 1), of("pbsuser1", 2)}, 1);
  c.jobs[0].state = 'R';
  c.jobs[0].exec_vnode = "(p1:ncpus=1)";
  c.jobs[0].exec_host = "p1/0";
  c.jobs[0].started = some_day - 10;
  c.vnodes[0].jobs = {{1, false}};
  c.vnodes[0].assigned["ncpus"] = "1";
  c.vnodes[0].state = "job-busy";
  c.scheduler["preempt_prio"] = "express_queue, normal_jobs, fairshare";
  const auto victims = [&](const usages& used) {
    const auto o = cycle_of(c, sharing(two_groups), used);
    return o.r.runs.empty() ? std::size_t{0} : o.r.runs[0].victims.size();
  };
  BOOST_TEST(victims({}) == 0u);
  BOOST_TEST(victims({{"pbsuser", 1000}}) == 1u);
  BOOST_TEST(victims({{"pbsuser", 1000}, {"bob", 100000}}) == 0u);     // he has used less than his part
  BOOST_TEST(victims({{"pbsuser", 1000}, {"pbsuser1", 9000}}) == 0u);  // who waits is over his share, too
  c.scheduler["preempt_prio"] = "express_queue, normal_jobs";
  BOOST_TEST(victims({{"pbsuser", 1000}}) == 0u);
}

// The heaps give what a walk from the root gives that looks at every child each time: also when a start in one queue changes who
// comes next in the others.
BOOST_AUTO_TEST_CASE(each_job_is_that_of_a_whole_walk_through_the_tree) {
  const std::array ways = {"by_queue: False ALL\n", "by_queue: True ALL\n", "round_robin: True ALL\n"};
  std::mt19937 random(107);
  for (int round = 0; round < 120; ++round) {
    std::string groups;
    const unsigned vertices = 2 + random() % 30;
    for (unsigned i = 0; i < vertices; ++i)
      groups += "e" + std::to_string(i) + " " + std::to_string(10 + i) + " " +
                (i == 0 || random() % 3 == 0 ? "root" : "e" + std::to_string(random() % i)) + " " + std::to_string(random() % 4) + "\n";
    const auto p = sharing(groups, std::string(ways[random() % ways.size()]) + "fairshare_usage_res: walltime\nunknown_shares: 3\n");
    std::vector<job_row> jobs;
    for (unsigned i = 1; i <= 60; ++i)
      jobs.push_back(of("e" + std::to_string(random() % (vertices + 3)), i, {{"walltime", std::to_string(random() % 50)}},
                        "q" + std::to_string(random() % 3)));
    usages used;
    for (unsigned i = 0; i < vertices; ++i) used.emplace_back("e" + std::to_string(i), static_cast<double>(random() % 40));
    auto c = with(jobs);
    c.queues = {execution_queue("q0"), execution_queue("q1"), execution_queue("q2")};
    const auto o = cycle_of(c, p, used);

    view v;
    v.count_by(p.sharing);
    BOOST_REQUIRE(v.apply(*c.full_view()));
    BOOST_REQUIRE(v.apply(*told(used)));
    BOOST_TEST(o.started() == by_whole_walks(v, p), boost::test_tools::per_element());
    // How children stood is kept from cycle to cycle.
    for (int again = 0; again < 3; ++again) {
      BOOST_TEST(by_heaps(v, p) == by_whole_walks(v, p), boost::test_tools::per_element());
      const usages news{{"e" + std::to_string(random() % vertices), static_cast<double>(random() % 60)}, {"stranger", 7.0}};
      BOOST_REQUIRE(v.apply(*told(news, again == 2)));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
