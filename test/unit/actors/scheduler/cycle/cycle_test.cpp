#include <boost/test/unit_test.hpp>

#include <tuple>

#include "actors/scheduler/cycle/cycle.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

struct outcome {
  view v;
  result r;
};

policy shipped_with(const std::string& more = "") { return parse_policy(shipped_sched_config() + more).value; }

outcome cycle_of(const small_cluster& c, const policy& p = shipped_with()) {
  outcome o;
  BOOST_REQUIRE(o.v.apply(*c.full_view()));
  o.r = run_cycle(o.v, p, some_day);
  return o;
}

job_row queued(std::uint64_t serial, const std::string& schedselect = "1:ncpus=1", const std::string& queue = "workq") {
  job_row j;
  j.serial = serial;
  j.id = std::to_string(serial) + ".p1";
  j.rank = static_cast<std::int64_t>(serial);
  j.schedselect = schedselect;
  j.queue = queue;
  return j;
}

std::vector<std::uint64_t> started(const outcome& o) {
  std::vector<std::uint64_t> serials;
  for (const auto& run : o.r.runs) serials.push_back(run.job);
  return serials;
}

std::string comment_of(const outcome& o, std::uint64_t job) {
  for (const auto& reason : o.r.reasons)
    if (reason.job == job) return o.r.comments[reason.comment];
  return "";
}

// "asked|free|total|its vnodes" of what lacks.
std::string lack_of(const outcome& o, std::uint64_t job) {
  for (const auto& reason : o.r.reasons) {
    if (reason.job != job) continue;
    const auto& why = o.r.whys[reason.comment];
    std::string told = why.resource + "|" + why.asked + "|" + why.free + "|" + why.total + "|";
    for (const auto& vnode : why.vnodes) told += vnode + " ";
    return told;
  }
  return "";
}

std::vector<std::string> log_of(const outcome& o) {
  std::vector<std::string> lines;
  for (const auto& l : o.r.log)
    lines.push_back(std::string(l.log_class) + ";" + std::string(l.object) + ";" + std::string(l.text));
  return lines;
}

const auto all_equal = boost::test_tools::per_element();
using serials = std::vector<std::uint64_t>;

}  // namespace

// -- hosts that could not start it ---------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_job_goes_where_it_did_not_fail_to_start_if_there_is_room) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 1), simple_vnode("p2", 1), simple_vnode("p3", 1)};
  const auto place_of = [&](std::vector<std::string> failed, const std::string& select = "1:ncpus=1", const std::string& place = "free") {
    c.jobs = {queued(1, select)};
    c.jobs[0].place = place;
    c.jobs[0].failed_hosts = std::move(failed);
    const auto runs = cycle_of(c).r.runs;
    return runs.empty() ? std::string("none") : runs[0].exec_vnode;
  };
  BOOST_TEST(place_of({}) == "(p1:ncpus=1)");
  BOOST_TEST(place_of({"p1"}) == "(p2:ncpus=1)");
  BOOST_TEST(place_of({"p2", "p1"}) == "(p3:ncpus=1)");
  BOOST_TEST(place_of({"p2", "p1", "p3"}) == "(p2:ncpus=1)");  // all failed: the one that did so longest ago
  BOOST_TEST(place_of({"gone"}) == "(p1:ncpus=1)");
  BOOST_TEST(place_of({"p1"}, "1:ncpus=1:host=p1") == "(p1:ncpus=1)");
  BOOST_TEST(place_of({"p1"}, "2:ncpus=1", "scatter") == "(p2:ncpus=1)+(p3:ncpus=1)");
  BOOST_TEST(place_of({"p1"}, "3:ncpus=1", "scatter") == "(p1:ncpus=1)+(p2:ncpus=1)+(p3:ncpus=1)");
}

BOOST_AUTO_TEST_CASE(a_job_that_failed_to_start_is_told_the_same_reason_as_any_other) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 1), simple_vnode("p2", 1)};
  c.jobs = {queued(1, "1:ncpus=2"), queued(2, "1:ncpus=2")};
  c.jobs[0].failed_hosts = {"p1"};
  const auto told = cycle_of(c);
  BOOST_TEST(comment_of(told, 1) == comment_of(told, 2));
}

// -- order -------------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(jobs_of_the_queue_with_the_highest_priority_start_first) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 8)};
  c.queues = {execution_queue("workq"), execution_queue("qa"), execution_queue("qb")};
  c.queues[1].attributes["Priority"] = "50";
  c.queues[2].attributes["Priority"] = "100";
  c.jobs = {queued(1, "1:ncpus=1", "qa"), queued(2, "1:ncpus=1", "qb"), queued(3, "1:ncpus=1", "workq"),
            queued(4, "1:ncpus=1", "qa"), queued(5, "1:ncpus=1", "qb")};
  BOOST_TEST(started(cycle_of(c)) == (serials{2, 5, 1, 4, 3}), all_equal);
}

BOOST_AUTO_TEST_CASE(without_by_queue_jobs_start_as_submitted) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 8)};
  c.queues = {execution_queue("workq"), execution_queue("qb")};
  c.queues[1].attributes["Priority"] = "100";
  c.jobs = {queued(1), queued(2, "1:ncpus=1", "qb"), queued(3)};
  BOOST_TEST(started(cycle_of(c, shipped_with("by_queue: False all\n"))) == (serials{1, 2, 3}), all_equal);
}

BOOST_AUTO_TEST_CASE(round_robin_takes_turns_among_queues_of_one_priority) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 8)};
  c.queues = {execution_queue("workq"), execution_queue("qa"), execution_queue("qb")};
  for (const auto& [serial, queue] : std::vector<std::pair<std::uint64_t, std::string>>{
           {3, "qa"}, {4, "qb"}, {5, "qa"}, {6, "qb"}, {7, "workq"}, {8, "qa"}, {9, "workq"}})
    c.jobs.push_back(queued(serial, "1:ncpus=0", queue));
  BOOST_TEST(started(cycle_of(c, shipped_with("round_robin: True all\n"))) == (serials{7, 3, 4, 9, 5, 6, 8}), all_equal);
}

// -- reasons and log ---------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_whole_cycle_logs_what_pbs_logs) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  for (const char* down : {"p2", "p3"}) {
    c.vnodes.push_back(simple_vnode(down, 4));
    c.vnodes.back().state = "offline";
  }
  c.jobs = {queued(529, "1:ncpus=2"), queued(530, "1:ncpus=3"), queued(531, "1:ncpus=2"), queued(532, "1:ncpus=3")};
  const auto o = cycle_of(c);
  const std::vector<std::string> expected = {
      "Svr;;It is primetime.  It will never end",
      "Sched;create_resresv_sets;Number of job equivalence classes: 2",
      "Job;529.p1;Considering job to run", "Job;529.p1;Job run",
      "Job;530.p1;Considering job to run", "Job;530.p1;No available resources on nodes",
      "Job;531.p1;Considering job to run", "Job;531.p1;Job run",
      "Job;532.p1;Considering job to run", "Job;532.p1;No available resources on nodes",
      "Req;;Leaving Scheduling Cycle"};
  BOOST_TEST(log_of(o) == expected, all_equal);
  BOOST_TEST(o.r.considered == 4u);
  BOOST_TEST(comment_of(o, 532) == "Not Running: No available resources on nodes");
}

// A vnode that this cycle fills is a free one until the next.
BOOST_AUTO_TEST_CASE(when_the_last_vnode_is_full_later_jobs_are_told_that_it_has_no_resources) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 2)};
  c.jobs = {queued(1, "1:ncpus=2"), queued(2, "1:ncpus=1")};
  BOOST_TEST(comment_of(cycle_of(c), 2) == "Not Running: No available resources on nodes");
}

BOOST_AUTO_TEST_CASE(scattered_chunks_beyond_the_number_of_vnodes_never_run) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.jobs = {queued(5, "2:ncpus=3+1:ncpus=1")};
  c.jobs[0].place = "scatter";
  const auto o = cycle_of(c);
  BOOST_TEST(comment_of(o, 5) == "Can Never Run: Not enough total nodes available");
  const auto lines = log_of(o);
  BOOST_REQUIRE(lines.size() == 6u);
  BOOST_TEST(lines[4] == "Job;5.p1;Job will never run with the resources currently configured in the complex");
}

BOOST_AUTO_TEST_CASE(jobs_of_a_stopped_queue_say_so) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.queues[0].attributes["started"] = "False";
  c.jobs = {queued(1)};
  BOOST_TEST(comment_of(cycle_of(c), 1) == "Not Running: Queue not started.");
}

BOOST_AUTO_TEST_CASE(held_jobs_are_not_considered) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.jobs = {queued(1)};
  c.jobs[0].state = 'H';
  const auto o = cycle_of(c);
  BOOST_TEST(o.r.considered == 0u);
  BOOST_TEST(o.r.runs.empty());
}

BOOST_AUTO_TEST_CASE(a_queue_has_its_own_pool_of_a_resource) {  // resources_available of a queue
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 8)};
  c.queues[0].available = {{"ncpus", "2"}};
  c.jobs = {queued(1, "1:ncpus=2"), queued(2, "1:ncpus=1"), queued(3, "1:ncpus=3")};
  for (auto& j : c.jobs) j.resources["ncpus"] = j.schedselect.substr(8);
  const auto o = cycle_of(c);
  BOOST_TEST(started(o) == serials{1}, all_equal);
  BOOST_TEST(comment_of(o, 2) == "Not Running: Insufficient amount of queue resource: ncpus (R: 1 A: 0 T: 2)");
  BOOST_TEST(comment_of(o, 3) == "Can Never Run: Insufficient amount of queue resource: ncpus (R: 3 A: 2 T: 2)");
}

BOOST_AUTO_TEST_CASE(a_request_that_no_grammar_allows_does_not_stop_the_cycle) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 8)};
  c.jobs = {queued(1, "nonsense:"), queued(2)};
  const auto o = cycle_of(c);
  BOOST_TEST(started(o) == serials{2}, all_equal);
  BOOST_TEST(comment_of(o, 1) == "Not Running: Internal Scheduling Error");
}

// -- sharing -----------------------------------------------------------------------------------------------------------

namespace {
small_cluster host_with_sharing(const std::string& sharing, const std::string& place) {
  small_cluster c;
  for (const char* name : {"p3", "p3[0]", "p3[1]"}) {
    c.vnodes.push_back(simple_vnode(name, name == std::string("p3") ? 0 : 2));
    c.vnodes.back().host = "p3";
    c.vnodes.back().available["host"] = "p3";
    c.vnodes.back().attributes["sharing"] = sharing;
  }
  c.jobs = {queued(1, "1:ncpus=1:vnode=p3[0]"), queued(2, "1:ncpus=1:vnode=p3[0]")};
  c.jobs[0].place = place;
  return c;
}
std::string first_exec_vnode(const small_cluster& c) { return cycle_of(c).r.runs.at(0).exec_vnode; }
std::size_t runs_of(const small_cluster& c) { return cycle_of(c).r.runs.size(); }
}  // namespace

BOOST_AUTO_TEST_CASE(the_sharing_of_a_vnode_decides_with_the_place_of_the_job) {
  BOOST_TEST(runs_of(host_with_sharing("default_shared", "free")) == 2u);
  BOOST_TEST(runs_of(host_with_sharing("default_shared", "excl")) == 1u);
  BOOST_TEST(runs_of(host_with_sharing("default_excl", "free")) == 1u);
  BOOST_TEST(runs_of(host_with_sharing("default_excl", "shared")) == 1u);  // the second job wants it for itself
  BOOST_TEST(runs_of(host_with_sharing("ignore_excl", "excl")) == 2u);
  BOOST_TEST(runs_of(host_with_sharing("force_excl", "shared")) == 1u);
}

BOOST_AUTO_TEST_CASE(the_host_of_exclhost_is_what_resources_available_says) {
  auto c = host_with_sharing("default_shared", "exclhost");
  c.vnodes[2].available["host"] = "blade";
  c.vnodes.push_back(simple_vnode("p4", 2));
  c.vnodes.back().available["host"] = "P3";
  BOOST_TEST(first_exec_vnode(c) == "(p3[0]:ncpus=1)+(p3)+(p4)");
  c.jobs[1] = queued(2, "1:ncpus=1:vnode=p3[1]");
  BOOST_TEST(runs_of(c) == 2u);
  c.jobs[1] = queued(2, "1:ncpus=1:vnode=p4");
  BOOST_TEST(runs_of(c) == 1u);
  c.jobs[0] = queued(1, "1:ncpus=1:vnode=p4");
  c.jobs[1] = queued(2, "1:ncpus=1:vnode=p3[0]");
  c.jobs[1].place = "exclhost";
  BOOST_TEST(runs_of(c) == 1u);  // somebody is on its host already

  view v;
  BOOST_REQUIRE(v.apply(*c.full_view()));
  BOOST_TEST(v.vnodes().one_host(v.vnodes()[0]).size() == 3u);
  auto moved = c.vnodes[3];
  moved.available["host"] = "p4";
  BOOST_REQUIRE(v.apply(*delta(1, 2, {}, {}, {moved}, 3)));
  BOOST_TEST(v.vnodes().one_host(v.vnodes()[0]).size() == 2u);
  BOOST_TEST(v.vnodes().one_host(v.vnodes()[3]).size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_job_that_has_the_host_for_itself_lists_its_other_vnodes) {
  BOOST_TEST(first_exec_vnode(host_with_sharing("default_shared", "exclhost")) == "(p3[0]:ncpus=1)+(p3)+(p3[1])");
  BOOST_TEST(first_exec_vnode(host_with_sharing("default_exclhost", "free")) == "(p3[0]:ncpus=1)+(p3)+(p3[1])");
  BOOST_TEST(first_exec_vnode(host_with_sharing("default_exclhost", "shared")) == "(p3[0]:ncpus=1)");
  BOOST_TEST(first_exec_vnode(host_with_sharing("default_exclhost", "excl")) == "(p3[0]:ncpus=1)");
  BOOST_TEST(first_exec_vnode(host_with_sharing("force_exclhost", "shared")) == "(p3[0]:ncpus=1)+(p3)+(p3[1])");
}

BOOST_AUTO_TEST_CASE(a_stale_vnode_is_neither_used_nor_named) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 2), simple_vnode("p2", 2)};
  c.vnodes[1].state = "Stale";
  c.jobs = {queued(1, "1:ncpus=1:vnode=p2")};
  BOOST_TEST(comment_of(cycle_of(c), 1) == "Can Never Run: Insufficient amount of resource: vnode (p2 != p1)");
}

BOOST_AUTO_TEST_CASE(what_only_vnodes_have_that_can_not_be_used_is_told_with_their_names) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 2), simple_vnode("p2", 4), simple_vnode("p3", 4)};
  c.vnodes[1].state = c.vnodes[2].state = "offline";
  c.jobs = {queued(1, "1:host=p2:ncpus=1"), queued(3, "1:ncpus=2"), queued(4, "1:ncpus=2")};
  const auto o = cycle_of(c);
  BOOST_TEST(lack_of(o, 1) == "vnodes|host=p2|0|1|p2 ");
  BOOST_TEST(started(o) == serials({3}), all_equal);
  BOOST_TEST(!lack_of(o, 4).starts_with("vnodes|ncpus"));  // p1 has them, and is in use
}

BOOST_AUTO_TEST_CASE(a_lack_of_an_amount_names_the_vnodes_that_have_some) {
  small_cluster c;
  c.resources = {{"ngpus", "long", "nh"}};
  c.vnodes = {simple_vnode("p1", 4), simple_vnode("p2", 4), simple_vnode("p3", 4)};
  c.vnodes[1].available["ngpus"] = "2";
  c.jobs = {queued(1, "1:ngpus=3:ncpus=1"), queued(2, "1:ncpus=100")};
  const auto o = cycle_of(c, shipped_with("resources: \"ncpus, ngpus\"\n"));
  BOOST_TEST(lack_of(o, 1) == "ngpus|3|2|2|p2 ");
  BOOST_TEST(lack_of(o, 2) == "ncpus|100|12|12|p1 p2 p3 ");
}

BOOST_AUTO_TEST_CASE(what_lacks_is_told_of_the_vnode_that_is_nearest_to_fitting) {
  small_cluster c;
  c.vnodes = {simple_vnode("p0", 0), simple_vnode("p1", 4), simple_vnode("p2", 4), simple_vnode("p3", 1)};
  c.vnodes[1].assigned["ncpus"] = "3";
  c.vnodes[2].assigned["ncpus"] = "2";
  c.jobs = {queued(1, "1:ncpus=3")};
  const auto o = cycle_of(c);
  BOOST_TEST(comment_of(o, 1) == "Not Running: Insufficient amount of resource: ncpus ");  // as PBS says of the first
  BOOST_TEST(lack_of(o, 1) == "ncpus|3|2|4|p2 ");
  c.jobs = {queued(1, "1:ncpus=4:host=p1")};
  BOOST_TEST(lack_of(cycle_of(c), 1) == "ncpus|4|1|4|p1 ");
  c.jobs = {queued(1, "2:ncpus=3")};
  c.jobs[0].place = "scatter";
  BOOST_TEST(lack_of(cycle_of(c), 1) == "ncpus|6|4|9|p1 p2 p3 ");
}

BOOST_AUTO_TEST_CASE(a_host_that_was_named_explains_though_another_has_more) {
  small_cluster c;
  c.vnodes = {simple_vnode("p0", 8), simple_vnode("p1", 4)};
  c.vnodes[1].assigned["ncpus"] = "3";
  c.jobs = {queued(1, "1:ncpus=4:host=p1")};
  BOOST_TEST(lack_of(cycle_of(c), 1) == "ncpus|4|1|4|p1 ");
}

BOOST_AUTO_TEST_CASE(the_chunk_that_finds_no_place_explains_and_not_one_that_has_one) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 1), simple_vnode("p2", 4), simple_vnode("p3", 2)};
  c.vnodes[0].available["mem"] = "1gb";
  c.vnodes[1].available["mem"] = "4gb";
  c.vnodes[2].available["mem"] = "8gb";
  c.vnodes[2].assigned["mem"] = "2gb";
  c.jobs = {queued(1, "1:ncpus=2:mem=1gb+1:ncpus=1:mem=7gb")};
  BOOST_TEST(lack_of(cycle_of(c), 1) == "mem|7gb|6gb|8gb|p3 ");
}

BOOST_AUTO_TEST_CASE(a_vnode_without_cpus_explains_no_job_while_another_is_full) {
  small_cluster c;
  c.vnodes = {simple_vnode("p0", 0), simple_vnode("p1", 2)};
  c.jobs = {queued(1), queued(2), queued(3)};
  BOOST_TEST(lack_of(cycle_of(c), 3) == "ncpus|1|0|2|p1 ");
  c.jobs = {queued(1)};
  c.jobs[0].id = "1[].p1";
  c.jobs[0].indices = "1-4";
  const auto o = cycle_of(c);
  BOOST_TEST(o.r.runs.size() == 2u);
  BOOST_TEST(lack_of(o, 1) == "ncpus|1|0|2|p1 ");
  c.vnodes[0].state = c.vnodes[1].state = "offline";
  BOOST_TEST(lack_of(cycle_of(c), 1) == "vnodes|1|0|2|p1 ");
}

BOOST_AUTO_TEST_CASE(a_number_that_is_not_used_up_is_compared_with_that_of_each_vnode) {
  small_cluster c;
  c.resources = {{"rn", "long", "h"}};
  c.vnodes = {simple_vnode("p1", 4), simple_vnode("p2", 4)};
  c.vnodes[0].available["rn"] = "3";
  c.vnodes[1].available["rn"] = "2";
  c.jobs = {queued(1, "1:rn=4:ncpus=1"), queued(2, "1:rn=3:ncpus=1"), queued(3, "1:rn=3:ncpus=1")};
  const auto o = cycle_of(c, shipped_with("resources: \"ncpus, rn\"\n"));
  BOOST_TEST(comment_of(o, 1) == "Can Never Run: Insufficient amount of resource: rn (R: 4 A: 3 T: 3)");
  BOOST_TEST(started(o) == serials({2, 3}), all_equal);
}

BOOST_AUTO_TEST_CASE(no_multinode_jobs_keeps_scattered_jobs_off) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 2), simple_vnode("p2", 2), simple_vnode("p3", 2)};
  c.vnodes[0].attributes["no_multinode_jobs"] = "True";
  c.jobs = {queued(1, "2:ncpus=1")};
  c.jobs[0].place = "scatter";
  BOOST_TEST(first_exec_vnode(c) == "(p2:ncpus=1)+(p3:ncpus=1)");
}

BOOST_AUTO_TEST_CASE(placement_sets_of_the_server_are_used_smallest_first) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 8), simple_vnode("p2", 2), simple_vnode("p3", 2)};
  for (auto& v : c.vnodes) v.available["switch"] = v.name == "p1" ? "a" : "b";
  c.resources = {{"switch", "string", "h"}};
  c.server = {{"node_group_enable", "True"}, {"node_group_key", "switch"}};
  c.jobs = {queued(1, "2:ncpus=1")};
  BOOST_TEST(first_exec_vnode(c) == "(p2:ncpus=1)+(p2:ncpus=1)");
  c.jobs = {queued(1, "1:ncpus=9")};
  c.scheduler = {{"do_not_span_psets", "True"}};
  BOOST_TEST(comment_of(cycle_of(c), 1) == "Can Never Run: can't fit in the largest placement set, and can't span psets");
}

BOOST_AUTO_TEST_CASE(a_queue_has_placement_sets_of_its_own) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 1), simple_vnode("p2", 1), simple_vnode("p3", 1)};
  for (const auto& [at, room, rack] : {std::tuple{0, "a", "x"}, {1, "a", "y"}, {2, "b", "x"}}) {
    c.vnodes[static_cast<std::size_t>(at)].available["room"] = room;
    c.vnodes[static_cast<std::size_t>(at)].available["rack"] = rack;
  }
  c.resources = {{"room", "string", "h"}, {"rack", "string", "h"}};
  c.server = {{"node_group_enable", "True"}, {"node_group_key", "room"}};
  c.jobs = {queued(1, "2:ncpus=1")};
  BOOST_TEST(first_exec_vnode(c) == "(p1:ncpus=1)+(p2:ncpus=1)");
  c.queues[0].attributes["node_group_key"] = "rack";
  BOOST_TEST(first_exec_vnode(c) == "(p1:ncpus=1)+(p3:ncpus=1)");
  c.server["node_group_enable"] = "False";
  BOOST_TEST(first_exec_vnode(c) == "(p1:ncpus=1)+(p2:ncpus=1)");
}

BOOST_AUTO_TEST_CASE(a_job_that_waits_for_a_placement_set_is_told_which) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4), simple_vnode("p2", 4), simple_vnode("p3", 3)};
  c.vnodes[0].available["switch"] = "a";
  c.vnodes[2].available["switch"] = "b";
  for (auto& v : c.vnodes) v.assigned["ncpus"] = "2";
  c.resources = {{"switch", "string", "h"}};
  c.server = {{"node_group_enable", "True"}, {"node_group_key", "switch"}};
  c.jobs = {queued(1, "3:ncpus=1")};
  const auto told = [&] {
    const auto o = cycle_of(c);
    for (const auto& line : o.r.log)
      if (line.object == "1.p1" && line.text.starts_with("Placement set")) BOOST_TEST(line.text.ends_with(" or is too small"));
    return comment_of(o, 1);
  };
  BOOST_TEST(told() == "Not Running: Placement set switch=\"\" has too few free resources");
  c.scheduler = {{"only_explicit_psets", "True"}};
  BOOST_TEST(told() == "Not Running: Placement set switch=a has too few free resources");
  c.vnodes[0].state = "offline";
  BOOST_TEST(told() == "Not Running: Placement set switch=a has too few free resources");
  c.vnodes[0].state = "free";
  c.vnodes[0].assigned["ncpus"] = "0";
  c.jobs = {queued(1, "1:ncpus=3"), queued(2, "3:ncpus=1")};  // what ran in the same cycle counts
  BOOST_TEST(comment_of(cycle_of(c), 2) == "Not Running: Placement set switch=a has too few free resources");
}

BOOST_AUTO_TEST_CASE(a_job_that_no_placement_set_could_ever_hold_spans_them) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 2), simple_vnode("p2", 2), simple_vnode("p3", 2)};
  for (auto& v : c.vnodes) v.available["switch"] = v.name == "p3" ? "b" : "a";
  c.resources = {{"switch", "string", "h"}};
  c.server = {{"node_group_enable", "True"}, {"node_group_key", "switch"}};
  c.jobs = {queued(1, "3:ncpus=1")};
  for (const char* place : {"scatter", "vscatter", "scatter:excl", "scatter:group=switch"}) {  // a is large enough, and has two hosts
    c.jobs[0].place = place;
    BOOST_TEST(first_exec_vnode(c) == "(p1:ncpus=1)+(p2:ncpus=1)+(p3:ncpus=1)", place);
  }
  c.scheduler = {{"do_not_span_psets", "True"}};
  BOOST_TEST(comment_of(cycle_of(c), 1) == "Can Never Run: can't fit in the largest placement set, and can't span psets");
  c.scheduler.clear();
  c.jobs = {queued(1, "2:ncpus=2")};  // a could hold it, and waits for p1
  c.jobs[0].place = "scatter";
  c.vnodes[0].assigned["ncpus"] = "2";
  BOOST_TEST(comment_of(cycle_of(c), 1) == "Not Running: Placement set switch=a has too few free resources");
  c.vnodes[0].assigned.clear();
  for (const std::size_t i : {0u, 1u}) c.vnodes[i].available["ncpus"] = "3";
  c.jobs = {queued(1, "3:ncpus=2")};  // six cpus, and a has six: one of each host would be left over
  BOOST_TEST(first_exec_vnode(c) == "(p1:ncpus=2)+(p2:ncpus=2)+(p3:ncpus=2)");
  c.jobs = {queued(1, "1:ncpus=4")};  // no host is so large: spanning would not help it
  BOOST_TEST(comment_of(cycle_of(c), 1) == "Not Running: Insufficient amount of resource: ncpus ");
}

BOOST_AUTO_TEST_CASE(a_placement_set_with_a_part_of_a_host_is_taken_to_have_all_of_it) {  // recorded: placement P230
  small_cluster c;
  for (const char* name : {"p1[0]", "p1[1]", "p2"}) {
    c.vnodes.push_back(simple_vnode(name, 2));
    c.vnodes.back().available["switch"] = name == std::string("p1[1]") ? "b" : "a";
  }
  for (auto& v : c.vnodes) v.available["host"] = v.host = v.name.substr(0, 2);
  c.resources = {{"switch", "string", "h"}};
  c.server = {{"node_group_enable", "True"}, {"node_group_key", "switch"}};
  c.jobs = {queued(1, "1:ncpus=3")};
  BOOST_TEST(comment_of(cycle_of(c), 1).starts_with("Not Running: "));
}

// -- claims ------------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_next_cycle_does_not_hand_out_what_was_proposed) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 2)};
  c.jobs = {queued(1, "1:ncpus=2")};
  auto o = cycle_of(c);
  BOOST_REQUIRE(o.v.apply(*delta(1, 2, {queued(2, "1:ncpus=1")})));
  const auto again = run_cycle(o.v, shipped_with(), some_day);
  BOOST_TEST(again.runs.empty());
  BOOST_TEST(again.considered == 1u);
}

BOOST_AUTO_TEST_CASE(a_refused_proposal_gives_everything_back) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 2)};
  c.jobs = {queued(1, "1:ncpus=2")};
  c.jobs[0].place = "excl";
  auto o = cycle_of(c);
  o.v.intake().withdraw(1);
  const auto again = run_cycle(o.v, shipped_with(), some_day);
  BOOST_REQUIRE(again.runs.size() == 1u);
  BOOST_TEST(again.runs[0].exec_host == "p1/0*2");
  BOOST_TEST(o.v.vnodes()[0].jobs.size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_the_server_says_replaces_the_claim) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.jobs = {queued(1, "1:ncpus=2")};
  auto o = cycle_of(c);
  auto running = c.jobs[0];
  running.state = 'R';
  running.exec_vnode = "(p1:ncpus=2)";
  running.exec_host = "p1/0*2";
  auto vnode = c.vnodes[0];
  vnode.assigned = {{"ncpus", "2"}};
  vnode.jobs = {{1, false}};
  BOOST_REQUIRE(o.v.apply(*delta(1, 5, {running}, {}, {vnode}, 1)));
  BOOST_TEST(o.v.vnodes().free_amount(o.v.vnodes()[0], o.v.resources().find("ncpus")) == 2);
  BOOST_TEST(o.v.vnodes()[0].jobs.size() == 1u);
  BOOST_REQUIRE(o.v.apply(*delta(5, 6, {queued(2, "2:ncpus=1")})));
  const auto next = run_cycle(o.v, shipped_with(), some_day);
  BOOST_REQUIRE(next.runs.size() == 1u);
  BOOST_TEST(next.runs[0].exec_host == "p1/1+p1/2");
  // And when the first job has gone, its slot is the lowest free one again.
  vnode.assigned = {{"ncpus", "0"}};
  vnode.jobs.clear();
  BOOST_REQUIRE(o.v.apply(*delta(6, 9, {queued(3)}, {1}, {vnode}, 1)));
  const auto last = run_cycle(o.v, shipped_with(), some_day);
  BOOST_REQUIRE(last.runs.size() == 1u);
  BOOST_TEST(last.runs[0].exec_host == "p1/0");
}

BOOST_AUTO_TEST_CASE(a_gap_in_the_deltas_is_noticed) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  view v;
  BOOST_TEST(!v.apply(*delta(1, 2, {queued(1)})));  // no full view yet
  BOOST_REQUIRE(v.apply(*c.full_view(7)));
  BOOST_TEST(!v.apply(*delta(8, 9, {queued(1)})));
  BOOST_TEST(v.jobs().empty());
  BOOST_TEST(v.apply(*delta(7, 9, {queued(1)})));
  BOOST_TEST(v.sequence() == 9u);
}

// -- by hand -----------------------------------------------------------------------------------------------------------

namespace {

job_row suspended(std::uint64_t serial, int cpus, bool resume = true) {
  auto j = queued(serial, "1:ncpus=" + std::to_string(cpus));
  j.state = 'S';
  j.exec_vnode = "(p1:ncpus=" + std::to_string(cpus) + ")";
  j.exec_host = "p1/0*" + std::to_string(cpus);
  j.resume = resume;
  return j;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_suspended_job_that_may_go_on_comes_before_queued_ones) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.jobs = {queued(1, "1:ncpus=2"), suspended(2, 3)};
  const auto o = cycle_of(c);
  BOOST_TEST(started(o) == serials{2}, all_equal);
  BOOST_TEST(o.r.runs[0].exec_vnode == "(p1:ncpus=3)");
  BOOST_TEST(comment_of(o, 1).starts_with("Not Running: "));
}

BOOST_AUTO_TEST_CASE(a_suspended_job_without_room_or_without_a_request_stays) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.vnodes[0].assigned["ncpus"] = "2";
  c.jobs = {suspended(1, 3), suspended(2, 1, false), queued(3)};
  auto o = cycle_of(c);
  BOOST_TEST(started(o) == serials{3}, all_equal);
  BOOST_TEST(o.v.vnodes().free_amount(o.v.vnodes()[0], o.v.resources().find("ncpus")) == 1);  // nothing is left taken
}

BOOST_AUTO_TEST_CASE(a_job_asked_for_by_name_runs_whatever_its_queue_says) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.queues[0].attributes["started"] = "False";
  c.jobs = {queued(1)};
  auto o = cycle_of(c);
  BOOST_TEST(started(o).empty());
  auto held = queued(2, "1:ncpus=3");
  held.state = 'H';
  small_cluster asked;
  asked.jobs = {held};
  const auto rows = asked.full_view();
  std::string why;
  const auto at = o.v.intake().take_asked((*rows).getJobs()[0]);
  const auto runs = run_asked(o.v, shipped_with(), some_day, at, why).runs;
  BOOST_REQUIRE(runs.size() == 1u);
  BOOST_TEST(runs[0].exec_vnode == "(p1:ncpus=3)");
  o.v.intake().withdraw(2);  // the server refused it: it is gone, not queued
  BOOST_TEST((o.v.jobs().find(2) == nullptr));
  const auto large = queued(3, "1:ncpus=9");
  asked.jobs = {large};
  const auto more = asked.full_view();
  const auto large_at = o.v.intake().take_asked((*more).getJobs()[0]);
  BOOST_TEST(run_asked(o.v, shipped_with(), some_day, large_at, why).runs.empty());
  BOOST_TEST(why.starts_with("Can Never Run: "));
}
