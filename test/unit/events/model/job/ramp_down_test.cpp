// pbs_release_nodes at the server: what may be released by whom, what the job shows and holds then, and what its MoM is asked.
#include <boost/test/unit_test.hpp>

#include <array>
#include <functional>

#include "events/model/limits.hpp"
#include "events/schema/message.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
namespace ids = attributes::job;

namespace {

using fill_release = std::function<void(schema::ReleaseNodes::Builder)>;

// The seed's example 1: borg with three vnodes, federer with three, lendl.
struct ramp_story : job_story {
  explicit ramp_story(given_values more = {}) {
    more.insert(more.end(), {{"Resource_List", "select", "ncpus=3:mem=2gb+ncpus=3:mem=2gb:mpiprocs=2+ncpus=2:mem=2gb"},
                             {"Resource_List", "place", "scatter"},
                             {"Resource_List", "walltime", "60"}});
    when(submission(241, more));
    when(model::proposed_run{schema::make<schema::FromScheduler>([](auto m) {
                               auto p = m.initRun();
                               p.setExecVnode(
                                   "(borg[0]:mem=1048576kb:ncpus=1+borg[1]:mem=1048576kb:ncpus=1+borg[2]:ncpus=1)"
                                   "+(federer:mem=1048576kb:ncpus=1+federer[0]:mem=1048576kb:ncpus=1+federer[1]:ncpus=1)"
                                   "+(lendl:ncpus=2:mem=2097152kb)");
                               p.setExecHost("borg/0*0+federer/0*0+lendl/0*2");
                               auto hosts = p.initHosts(3);
                               for (unsigned i = 0; i < 3; ++i) hosts.set(i, std::array{"borg", "federer", "lendl"}[i]);
                             }),
                             "default"},
         the_scheduler());
    starts();
    uses({5, 2048, 10, 1});
  }
  attributes::unreleasable_vnodes unreleasable;
  std::string releases(const fill_release& fill, const model::requester& by = user()) {
    model::client_request asked{make_request([&](schema::Request::Builder r) {
      r.initReleaseNodes().setJob("241.borg");
      fill(r.getReleaseNodes());
    })};
    asked.unreleasable = unreleasable;
    return when(asked, by);
  }
  std::string releases(const std::vector<std::string>& names, const model::requester& by = user()) {
    return releases(
        [&](auto r) {
          auto list = r.initNamed(static_cast<unsigned>(names.size()));
          for (unsigned i = 0; i < names.size(); ++i) list.set(i, names[i]);
        },
        by);
  }
  std::string keeps(const std::string& select) {
    return releases([&](auto r) { r.setKeepSelect(select); });
  }
  std::string host_left(const std::string& host) {
    return when(report([&](auto m) {
                  auto r = m.initRunSteps();
                  fill(r.initRef(), job, job.run);
                  r.setFirst(job.steps);
                  r.initSteps(1)[0].initStep().initSisterLeft().setHost(host);
                }),
                the_server());
  }
  // All that is left to do is to stage files out, on its first host.
  model::mom_report end_of_program(std::int32_t code = 0, const std::vector<std::string>& abandoned = {},
                                   const attributes::unreleasable_vnodes& unreleasable = {}) const {
    auto said = report([&](auto m) {
      auto r = m.initRunExited();
      fill(r.initRef(), job, job.run);
      r.setExitStatus(code);
      fill(r.initHosts(1), "borg", {9, 4096, 20, 8});
      auto list = r.initAbandoned(static_cast<unsigned>(abandoned.size()));
      for (unsigned i = 0; i < list.size(); ++i) list.set(i, abandoned[i]);
    });
    said.unreleasable = unreleasable;
    return said;
  }
  std::string program_ends(std::int32_t code = 0, const std::vector<std::string>& abandoned = {},
                           const attributes::unreleasable_vnodes& unreleasable = {}) {
    return when(end_of_program(code, abandoned, unreleasable), the_server());
  }
  std::string of(attributes::attribute_id id, const std::string& resource = "") const { return std::string(job.attribute(id, resource)); }
};

// A job that runs on n1 to n4.
job_story on_four_hosts(const std::string& select, const std::string& exec_vnode, const std::string& exec_host) {
  job_story s;
  s.when(submission(241, {{"Resource_List", "select", select}}));
  s.when(model::proposed_run{schema::make<schema::FromScheduler>([&](auto m) {
                               auto p = m.initRun();
                               p.setExecVnode(exec_vnode);
                               p.setExecHost(exec_host);
                               auto hosts = p.initHosts(4);
                               for (unsigned i = 0; i < 4; ++i) hosts.set(i, "n" + std::to_string(i + 1));
                             }),
                             "default"},
         the_scheduler());
  s.starts();
  s.uses({5, 2048, 10, 1});
  return s;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ramp_down)

BOOST_AUTO_TEST_CASE(vnodes_and_a_host_are_released) {  // RD-07, RD-10, RD-11, RD-13, RD-14, RD-20, RD-26, RD-28
  ramp_story s;
  BOOST_TEST(s.releases({"federer[1]", "lendl"}) == "reduced");
  BOOST_TEST(s.of(ids::exec_host) == "borg/0*0+federer/0*0");
  BOOST_TEST(s.of(ids::exec_vnode) ==
             "(borg[0]:mem=1048576kb:ncpus=1+borg[1]:mem=1048576kb:ncpus=1+borg[2]:ncpus=1)"
             "+(federer:mem=1048576kb:ncpus=1+federer[0]:mem=1048576kb:ncpus=1)");
  BOOST_TEST(s.of(ids::Resource_List, "mem") == "4194304kb");
  BOOST_TEST(s.of(ids::Resource_List, "ncpus") == "5");
  BOOST_TEST(s.of(ids::Resource_List, "nodect") == "2");
  BOOST_TEST(s.of(ids::Resource_List, "place") == "scatter");
  BOOST_TEST(s.of(ids::schedselect) == "1:mem=2097152kb:ncpus=3+1:mem=2097152kb:ncpus=2:mpiprocs=2");
  BOOST_TEST(s.of(ids::Resource_List, "select") == s.of(ids::schedselect));
  // Nothing is free yet: lendl when it is rid of the job, federer[1] when federer is.
  BOOST_TEST(s.job.allocated.hosts().size() == 3u);
  BOOST_TEST(s.host_left("lendl") == "runStep vnodesReleased");
  BOOST_TEST(s.job.allocated.on({"federer"}).find("federer[1]") != std::string::npos);
  BOOST_TEST(s.releases({"federer"}) == "reduced");  // a vnode by that name: only it (RD-07)
  BOOST_TEST(s.of(ids::exec_host) == "borg/0*0+federer/0*0");
  BOOST_TEST(s.releases({"federer[0]"}) == "reduced");
  BOOST_TEST(s.of(ids::exec_host) == "borg/0*0");
  BOOST_TEST(s.host_left("federer") == "runStep vnodesReleased");
  BOOST_TEST((s.job.allocated.hosts() == std::vector<std::string>{"borg"}));
}

// RD-13, RD-14: federer[1] has no memory, so the job asks for none there when the vnodes that had some are gone.
BOOST_AUTO_TEST_CASE(what_is_kept_is_what_is_held) {
  ramp_story s;
  BOOST_TEST(s.releases({"federer", "federer[0]"}) == "reduced");
  BOOST_TEST(s.of(ids::exec_vnode) ==
             "(borg[0]:mem=1048576kb:ncpus=1+borg[1]:mem=1048576kb:ncpus=1+borg[2]:ncpus=1)"
             "+(federer[1]:ncpus=1)+(lendl:ncpus=2:mem=2097152kb)");
  BOOST_TEST(s.of(ids::Resource_List, "mem") == "4194304kb");
  BOOST_TEST(s.of(ids::Resource_List, "ncpus") == "6");
  BOOST_TEST(s.of(ids::schedselect) == "1:mem=2097152kb:ncpus=3+1:ncpus=1:mpiprocs=2+1:ncpus=2:mem=2097152kb");
  BOOST_TEST(s.of(ids::Resource_List, "select") == s.of(ids::schedselect));
  BOOST_TEST(s.keeps("ncpus=1") == "reduced");  // and so says the next one
  BOOST_TEST(s.of(ids::schedselect) == "1:mem=2097152kb:ncpus=3+1:ncpus=1:mpiprocs=2");
  BOOST_TEST(s.of(ids::Resource_List, "mem") == "2097152kb");
}

BOOST_AUTO_TEST_CASE(its_mom_is_asked_until_it_has_done_it) {  // RD-42
  ramp_story s;
  s.releases({"lendl"});
  const auto owed = model::pending_effects(s.job, s.settings);
  const auto* tell = std::get_if<model::tell_run>(&owed.at(0));
  BOOST_REQUIRE(tell);
  BOOST_TEST(tell->host == "borg");
  BOOST_REQUIRE(tell->request.release);
  BOOST_TEST(tell->request.release->released == "(lendl:ncpus=2:mem=2097152kb)");
  BOOST_TEST(tell->request.release->by == "pbs_release_nodes");
  BOOST_TEST(s.obeys(tell->request.id) == "requestDone");
  BOOST_TEST(model::pending_effects(s.job, s.settings).empty());
}

BOOST_AUTO_TEST_CASE(all_other_hosts_or_some_of_them_are_released) {  // RD-04, RD-09, RD-15
  ramp_story s;
  BOOST_TEST(s.releases([](auto r) { r.setKeepHosts(1); }) == "reduced");
  BOOST_TEST(s.of(ids::exec_host) == "borg/0*0+lendl/0*2");  // the last of them
  BOOST_TEST(s.of(ids::schedselect) == "1:ncpus=3:mem=2gb+1:ncpus=2:mem=2gb");
  BOOST_TEST(s.of(ids::Resource_List, "mem") == "4gb");
  BOOST_TEST(s.releases([](auto r) { r.setKeepHosts(7); }) == "15010 ");
  BOOST_TEST(s.releases([](auto r) { r.setAll(); }) == "reduced");
  BOOST_TEST(s.of(ids::exec_vnode) == "(borg[0]:mem=1048576kb:ncpus=1+borg[1]:mem=1048576kb:ncpus=1+borg[2]:ncpus=1)");
  BOOST_TEST(s.of(ids::schedselect) == "1:mem=2097152kb:ncpus=3");
  BOOST_TEST(s.of(ids::Resource_List, "nodect") == "1");
  BOOST_TEST(s.releases([](auto r) { r.setAll(); }) == "15010 ");  // it has no other hosts any more
}

BOOST_AUTO_TEST_CASE(a_number_of_hosts_leaves_chunks_as_they_were_asked) {  // RD-09
  const auto keeps_two = [](const std::string& select, const std::string& exec_vnode, const std::string& exec_host) {
    auto s = on_four_hosts(select, exec_vnode, exec_host);
    BOOST_TEST(s.when(model::client_request{make_request([](auto r) { r.initReleaseNodes().setKeepHosts(2); })}) == "reduced");
    BOOST_TEST(s.job.attribute(ids::schedselect) == s.job.attribute(ids::Resource_List, "select"));
    return std::string(s.job.attribute(ids::exec_vnode)) + " " + std::string(s.job.attribute(ids::schedselect)) + " " +
           std::string(s.job.attribute(ids::Resource_List, "ncpus"));
  };
  BOOST_TEST(keeps_two("4:ncpus=1", "(n1:ncpus=1)+(n2:ncpus=1)+(n3:ncpus=1)+(n4:ncpus=1)", "n1/0+n2/0+n3/0+n4/0") ==
             "(n1:ncpus=1)+(n3:ncpus=1)+(n4:ncpus=1) 3:ncpus=1 3");
  BOOST_TEST(keeps_two("1:ncpus=1+3:ncpus=2", "(n1:ncpus=1)+(n2:ncpus=2)+(n3:ncpus=2)+(n4:ncpus=2)", "n1/0+n2/0*2+n3/0*2+n4/0*2") ==
             "(n1:ncpus=1)+(n3:ncpus=2)+(n4:ncpus=2) 1:ncpus=1+2:ncpus=2 5");
}

BOOST_AUTO_TEST_CASE(a_second_release_counts_chunks_in_what_the_first_has_left) {  // RD-13
  auto s = on_four_hosts("ncpus=1+ncpus=1:mpiprocs=3+ncpus=1:mpiprocs=4+ncpus=1:mpiprocs=5",
                         "(n1:ncpus=1)+(n2:ncpus=1)+(n3:ncpus=1)+(n4:ncpus=1)", "n1/0+n2/0+n3/0+n4/0");
  for (const char* vnode : {"n2", "n3"})
    BOOST_TEST(s.when(model::client_request{make_request([&](auto r) { r.initReleaseNodes().initNamed(1).set(0, vnode); })}) == "reduced");
  BOOST_TEST(s.job.attribute(ids::schedselect) == "1:ncpus=1+1:ncpus=1:mpiprocs=5");
  BOOST_TEST(s.job.attribute(ids::Resource_List, "mpiprocs") == "5");
}

BOOST_AUTO_TEST_CASE(what_it_has_on_its_first_host_stays_beside_a_select) {  // RD-09
  const auto runs = [] {
    return on_four_hosts("ncpus=2+ncpus=1+2:ncpus=2+ncpus=1", "(n1:ncpus=2)+(n1[0]:ncpus=1)+(n2:ncpus=2)+(n3:ncpus=2)+(n4:ncpus=1)",
                         "n1/0*2+n1/1+n2/0*2+n3/0*2+n4/0");
  };
  const std::string first = "(n1:ncpus=2)+(n1[0]:ncpus=1)";
  for (const auto& [select, beside] : std::vector<std::pair<std::string, std::string>>{{"ncpus=1", "+(n4:ncpus=1)"},
                                                                                       {"ncpus=2", "+(n3:ncpus=2)"},
                                                                                       {"ncpus=2+ncpus=1", "+(n3:ncpus=2)+(n4:ncpus=1)"},
                                                                                       {"2:ncpus=1", "+(n3:ncpus=2)+(n4:ncpus=1)"}}) {
    auto s = runs();
    s.when(model::client_request{make_request([&](auto r) { r.initReleaseNodes().setKeepSelect(select); })});
    BOOST_TEST(s.job.attribute(ids::exec_vnode) == first + beside, select);
  }
  auto s = runs();
  BOOST_TEST(s.when(model::client_request{make_request([&](auto r) { r.initReleaseNodes().setKeepSelect("3:ncpus=2"); })}) == "15010 ");
}

BOOST_AUTO_TEST_CASE(a_first_host_with_too_many_chunks_stands_beside_no_select) {
  const auto keeps_beside = [](int chunks) {
    const std::string item = "ncpus=1:arch=" + std::string(1000, 'x');
    std::string select, exec_vnode, exec_host;
    for (int i = 0; i < chunks; ++i) {
      select += item + "+";
      exec_vnode += "(n1:ncpus=1)+";
      exec_host += "n1/" + std::to_string(i) + "+";
    }
    auto s = on_four_hosts(select + "3:ncpus=1", exec_vnode + "(n2:ncpus=1)+(n3:ncpus=1)+(n4:ncpus=1)", exec_host + "n2/0+n3/0+n4/0");
    return s.when(model::client_request{make_request([](auto r) { r.initReleaseNodes().setKeepSelect("ncpus=1"); })});
  };
  BOOST_TEST(keeps_beside(200) == "reduced");
  BOOST_TEST(keeps_beside(300) == "15010 ");
}

BOOST_AUTO_TEST_CASE(vnodes_of_cray_and_cpuset_hosts_are_not_released) {  // RD-23, RD-24, RD-55 to RD-57
  ramp_story s;
  s.unreleasable = {{"lendl", "not on Cray: lendl"}, {"federer[7]", "it does not have this one"}};
  BOOST_TEST(s.releases({"lendl"}) == "15010 not on Cray: lendl");
  BOOST_TEST(s.releases({"federer", "lendl"}) == "15010 not on Cray: lendl");
  BOOST_TEST(s.releases({"nosuch", "lendl"}).starts_with("15010 node(s) requested to be released not part of the job"));
  BOOST_TEST(s.releases({"borg[0]", "lendl"}).starts_with("15010 Can't free"));
  BOOST_TEST(s.releases([](auto r) { r.setAll(); }) == "15010 not on Cray: lendl");
  BOOST_TEST(s.releases([](auto r) { r.setKeepHosts(0); }) == "15010 not on Cray: lendl");
  BOOST_TEST(s.keeps("ncpus=3:mem=2gb:mpiprocs=2") == "15010 not on Cray: lendl");
  BOOST_TEST(s.releases({"federer"}) == "reduced");  // the others may go
}

BOOST_AUTO_TEST_CASE(what_is_released_and_not_free_yet_is_told) {  // RD-90
  ramp_story s;
  s.releases({"federer[1]", "lendl"});
  BOOST_TEST(s.of(ids::exec_vnode_deallocated) == "(federer[1]:ncpus=1)+(lendl:ncpus=2:mem=2097152kb)");
  s.host_left("lendl");
  BOOST_TEST(s.of(ids::exec_vnode_deallocated) == "(federer[1]:ncpus=1)");
  s.releases({"federer", "federer[0]"});
  s.host_left("federer");
  BOOST_TEST(s.of(ids::exec_vnode_deallocated) == "");
}

BOOST_AUTO_TEST_CASE(what_a_select_asks_for_is_kept) {  // RD-09, RD-60 to RD-62
  ramp_story s;
  BOOST_TEST(s.keeps("ncpus=2:mem=2gb") == "reduced");  // beside its first host
  BOOST_TEST(s.of(ids::exec_vnode).find("lendl") != std::string::npos);
  BOOST_TEST(s.of(ids::exec_vnode).find("federer") == std::string::npos);
  BOOST_TEST(s.keeps("ncpus=9") == "15010 ");
  BOOST_TEST(s.keeps("ncpus=1:nosuch=2") == "15035 Unknown resource: nosuch");
  BOOST_TEST(s.keeps("+").starts_with("15014 Illegal attribute or resource value: select=+"));
}

BOOST_AUTO_TEST_CASE(what_can_not_be_released_is_named) {  // RD-44, RD-47, RD-62
  ramp_story s;
  BOOST_TEST(s.releases({"borg[0]"}) == "15010 Can't free 'borg[0]' since it's on a primary execution host");
  BOOST_TEST(s.releases({"borg"}) == "15010 Can't free 'borg' since it's on a primary execution host");
  BOOST_TEST(s.releases({"lendl", "a", "b"}) == "15010 node(s) requested to be released not part of the job: a b");
  BOOST_TEST(s.releases({"a\nb"}) == "15014 a name that no vnode can have");
  BOOST_TEST(s.releases(std::vector<std::string>{}) == "15010 node(s) requested to be released not part of the job:");
  BOOST_TEST(s.releases(std::vector<std::string>(limits::released_names_max + 1, "lendl")).starts_with("15014 more than"));
  BOOST_TEST(s.releases({"lendl"}) == "reduced");
  BOOST_TEST(s.releases({"lendl"}) == "15010 node(s) requested to be released not part of the job: lendl");
}

BOOST_AUTO_TEST_CASE(only_who_may_and_only_of_a_job_that_runs) {  // RD-02, RD-35, RD-45, RD-48, RD-51
  ramp_story s;
  BOOST_TEST(s.releases({"lendl"}, user("user2")).starts_with("15007"));
  s.when(signal("suspend"), manager());
  BOOST_TEST(s.releases({"lendl"}).starts_with("15016"));
  s.when(signal("resume"), manager());
  s.when(rerun(), manager());
  BOOST_TEST(s.releases({"lendl"}).starts_with("15016"));
  job_story queued;
  queued.when(submission(241));
  BOOST_TEST(queued.when(model::client_request{make_request([](auto r) { r.initReleaseNodes().setAll(); })}).starts_with("15016"));
}

BOOST_AUTO_TEST_CASE(another_run_asks_for_everything_again) {  // RD-19, RD-90
  ramp_story s;
  const auto all = s.of(ids::exec_vnode), select = s.of(ids::schedselect), asked = s.of(ids::Resource_List, "select");
  s.releases({"lendl"});
  s.later(5).uses({9, 2048, 10, 1});
  const auto second = s.of(ids::exec_vnode);
  s.releases({"federer[1]"});
  BOOST_TEST(s.of(ids::exec_vnode_orig) == all);
  BOOST_TEST(s.of(ids::exec_host_orig) == "borg/0*0+federer/0*0+lendl/0*2");
  BOOST_TEST(s.of(ids::schedselect_orig) == select);
  BOOST_TEST(s.of(ids::Resource_List_orig, "ncpus") == "8");
  BOOST_TEST(s.of(ids::exec_vnode_acct) == second);
  BOOST_TEST(s.of(ids::resources_used_acct, "cput") == "00:00:09");
  BOOST_TEST(s.of(ids::exec_vnode_deallocated) == "(federer[1]:ncpus=1)+(lendl:ncpus=2:mem=2097152kb)");
  s.when(alter({{"Resource_List", "walltime", "90"}}), manager());
  BOOST_TEST(s.of(ids::Resource_List_orig, "walltime") == "00:01:30");
  s.when(rerun(), manager());
  s.exits(-11);
  s.leaves();
  BOOST_TEST(s.of(ids::schedselect) == select);
  BOOST_TEST(s.of(ids::Resource_List, "select") == asked);
  BOOST_TEST(s.of(ids::Resource_List, "ncpus") == "8");
  BOOST_TEST(!s.job.has_phases());
  for (const auto id : {ids::exec_host_acct, ids::Resource_List_orig, ids::resources_used_acct, ids::exec_vnode_deallocated})
    BOOST_TEST(!s.job.attributes.has(id));
}

// -- release_nodes_on_stageout ---------------------------------------------------------------------------------------------

const given_values stages_out{{"stageout", "", "result@store:/back/result"}, {"release_nodes_on_stageout", "", "True"}};

BOOST_AUTO_TEST_CASE(other_hosts_are_free_while_files_are_staged_out) {  // RD-63, RD-64
  ramp_story s(stages_out);
  BOOST_TEST(s.program_ends() == "exited reduced vnodesReleased vnodesReleased");
  BOOST_TEST(s.of(ids::job_state) == "E");
  BOOST_TEST(s.of(ids::exec_host) == "borg/0*0");
  BOOST_TEST(s.of(ids::exec_vnode) == "(borg[0]:mem=1048576kb:ncpus=1+borg[1]:mem=1048576kb:ncpus=1+borg[2]:ncpus=1)");
  BOOST_TEST(s.of(ids::Resource_List, "select") == "1:mem=2097152kb:ncpus=3");
  BOOST_TEST(s.of(ids::Resource_List, "nodect") == "1");
  BOOST_TEST((s.job.allocated.hosts() == std::vector<std::string>{"borg"}));
  BOOST_TEST(model::pending_effects(s.job, s.settings).empty());  // nobody has to do anything for it
  BOOST_TEST(s.leaves() == "outputDelivered vnodesReleased ended");
  BOOST_TEST(s.of(ids::exec_host) == "borg/0*0");
}

BOOST_AUTO_TEST_CASE(its_mom_hears_whether_its_first_host_is_alone_then) {  // RD-63
  ramp_story s(stages_out);
  const auto told = [](ramp_story& of, const model::mom_report& end) { return of.ask(end, the_server()).reply; };
  const auto end = s.end_of_program();
  BOOST_TEST(told(s, end) == "first host only");
  s.when(end, the_server());
  BOOST_TEST(s.when(end, the_server()) == "");
  BOOST_TEST(told(s, end) == "first host only");  // a repeat is answered likewise
  ramp_story whole;
  BOOST_TEST(told(whole, whole.end_of_program()) == "");
  whole.program_ends();
  BOOST_TEST(told(whole, whole.end_of_program()) == "");
  ramp_story bound(stages_out);  // to a host that can't be given back
  BOOST_TEST(told(bound, bound.end_of_program(0, {}, {{"lendl", "not on Cray: lendl"}})) == "");
}

BOOST_AUTO_TEST_CASE(what_was_released_before_is_not_released_again) {
  ramp_story s(stages_out);
  s.releases({"lendl", "federer[1]"});
  BOOST_TEST(s.host_left("lendl") == "runStep vnodesReleased");
  BOOST_TEST(s.program_ends() == "exited reduced vnodesReleased");
  BOOST_TEST((s.job.allocated.hosts() == std::vector<std::string>{"borg"}));
  ramp_story alone(stages_out);
  alone.releases([](auto r) { r.setAll(); });
  BOOST_TEST(alone.program_ends() == "exited");
  BOOST_TEST(alone.leaves() == "outputDelivered vnodesReleased ended");
}

BOOST_AUTO_TEST_CASE(a_host_that_nobody_hears_of_is_not_free_at_stage_out) {
  ramp_story s(stages_out);
  BOOST_TEST(s.program_ends(0, {"federer"}) == "exited reduced vnodesReleased");
  BOOST_TEST((s.job.allocated.hosts() == std::vector<std::string>{"borg", "federer"}));
}

BOOST_AUTO_TEST_CASE(nothing_is_released_without_files_to_stage_out_or_when_it_is_to_run_again) {  // RD-66, RD-72
  for (const auto& [given, rerun] : std::vector<std::pair<given_values, bool>>{
           {{}, false},
           {{stages_out[0]}, false},
           {{stages_out[1]}, false},
           {{stages_out[0], {"release_nodes_on_stageout", "", "False"}}, false},
           {stages_out, true}}) {
    ramp_story s(given);
    if (rerun) s.when(model::client_request{make_request([](auto r) { r.initRerunJob(); })}, manager());
    BOOST_TEST(s.program_ends(rerun ? -11 : 0) == "exited");
  }
}

BOOST_AUTO_TEST_CASE(the_owner_may_change_it_while_the_job_runs) {  // RD-70
  ramp_story s({stages_out[0]});
  BOOST_TEST(s.when(alter({{"release_nodes_on_stageout", "", "True"}})) == "altered");
  BOOST_TEST(s.program_ends() == "exited reduced vnodesReleased vnodesReleased");
}

BOOST_AUTO_TEST_CASE(vnodes_that_can_not_be_given_back_keep_all_others) {  // RD-67
  ramp_story s(stages_out);
  BOOST_TEST(s.program_ends(0, {}, {{"federer[0]", "of a Cray"}}) == "exited");
  ramp_story other(stages_out);
  BOOST_TEST(other.program_ends(0, {}, {{"federer[7]", "of a Cray"}}) ==
             "exited reduced vnodesReleased vnodesReleased");  // it does not have that one
}

BOOST_AUTO_TEST_CASE(a_run_that_follows_a_stage_out_asks_for_everything_again) {
  ramp_story s(stages_out);
  const auto before = s.of(ids::schedselect);
  s.program_ends();
  // A hook of execjob_epilogue wants another run, and its word comes behind the program's end.
  s.job.rerun_requested = s.job.rerun_by_hook = true;
  s.leaves();
  BOOST_TEST(s.of(ids::job_state) == "Q");
  BOOST_TEST(s.of(ids::schedselect) == before);
  BOOST_TEST(!s.job.reduced());
}

BOOST_AUTO_TEST_SUITE_END()
