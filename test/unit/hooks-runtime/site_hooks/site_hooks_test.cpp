// Hooks as sites have them, written from what sites say about theirs, each run as its event would run it.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>

#include "test/support/hook_runs.hpp"
#include "test/support/paths.hpp"

using namespace annals;
using namespace annals::test;

namespace {

std::string script(const char* name) {
  std::ifstream in(annals::test::source_dir() + "/test/unit/hooks-runtime/site_hooks/scripts/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

void add(hooks::protocol::Object::Builder object, hooks::protocol::ObjectKind kind, const char* name,
         const std::vector<asked_attribute>& from) {
  object.setKind(kind);
  object.setName(name);
  auto to = object.initAttributes(static_cast<unsigned>(from.size()));
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setName(from[i].name);
    to[i].setResource(from[i].resource);
    to[i].setValue(from[i].value);
  }
}

struct fixture {
  hook_runs runs;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hooks_that_sites_use, fixture)

BOOST_AUTO_TEST_CASE(a_default_project_by_group) {
  hook_case c{.source = script("default_project.py")};
  c.configuration = R"({"projects": {"physics": "P-17"}})";
  c.job = {{"group_list", "", "physics"}, {"project", "", "_pbs_project_default"}};
  BOOST_TEST(summary(runs.run(c)) == "accept job.project _pbs_project_default->P-17");
  c.job = {{"group_list", "", "guests"}};
  BOOST_TEST(summary(runs.run(c)) == "reject 'no project for group guests; use -P'");
  c.job = {{"project", "", "mine"}};
  BOOST_TEST(summary(runs.run(c)) == "accept");
}

BOOST_AUTO_TEST_CASE(limits_by_time_of_day) {
  hook_case c{.source = script("limits_by_time.py")};
  c.answer = [](hooks::protocol::Question::Reader q, hooks::protocol::Answer::Builder a) {
    add(a.initObject(), hooks::protocol::ObjectKind::QUEUE, schema::str(q.getObject().getName()).c_str(), {});
  };
  c.job = {{"Variable_List", "", "TEST_HOUR=10"}, {"Resource_List", "walltime", "02:00:00"}, {"queue", "", "workq"}};
  BOOST_TEST(summary(runs.run(c)) == "accept job.queue workq->night log:alice moved to night: 02:00:00");
  c.job = {{"Variable_List", "", "TEST_HOUR=22"}, {"Resource_List", "walltime", "02:00:00"}, {"queue", "", "workq"}};
  BOOST_TEST(summary(runs.run(c)) == "accept");
  c.job = {
      {"Variable_List", "", "TEST_HOUR=10"}, {"Resource_List", "walltime", "02:00:00"}, {"queue", "", "interactive"}};
  BOOST_TEST(summary(runs.run(c)) == "reject 'at most one hour between 8 and 18'");
  c.job = {{"Variable_List", "", "TEST_HOUR=10"}};
  BOOST_TEST(summary(runs.run(c)) == "accept job.Resource_List.walltime -->00:30:00");
}

BOOST_AUTO_TEST_CASE(a_health_check_that_takes_a_host_out_of_service) {
  hook_case c{.source = script("health_check.py"), .event = "execjob_prologue"};
  c.vnodes = {"n1"};
  c.configuration = "/bin/echo fine";
  BOOST_TEST(summary(runs.run(c)) == "accept");
  c.configuration = "/bin/ls /proc/no_such_entry";
  const auto r = runs.run(c);
  BOOST_TEST(summary(r) ==
             "reject 'health check failed on n1' vnode_list[n1].state free->offline "
             "vnode_list[n1].comment -->offlined by health check:  log:health check failed on n1");
  BOOST_REQUIRE(r.get().getActions().size() == 1u);
  BOOST_TEST(schema::text(r.get().getActions()[0].getRerun()) == "12.head");
  c.configuration = "/proc/no_such_check";
  BOOST_TEST(summary(runs.run(c)).find("accept log:health check did not run: [Errno 2]") == 0u);
}

BOOST_AUTO_TEST_CASE(resource_accounting_by_the_clock) {
  hook_case c{.source = script("accounting.py"), .event = "exechost_periodic"};
  auto order = hook_runs::order_of(c);
  order.request = schema::make<hooks::protocol::Request>([](hooks::protocol::Request::Builder b) {
    b.setEvent(hooks::find_event("exechost_periodic")->bit);
    auto parameters = b.initParameters(2);
    parameters[0].setName("job_list");
    auto jobs = parameters[0].initObjects(2);
    add(jobs[0], hooks::protocol::ObjectKind::JOB, "1.head",
        {{"Resource_List", "ncpus", "2"}, {"resources_used", "mem", "4096kb"}, {"resources_used", "cput", "00:10:00"}});
    add(jobs[1], hooks::protocol::ObjectKind::JOB, "2.head", {});
    parameters[1].setName("vnode_list");
    add(parameters[1].initObjects(1)[0], hooks::protocol::ObjectKind::VNODE, "n1",
        {{"resources_available", "mem", "8gb"}});
  });
  std::promise<hooks::sealed_reply> got;
  runs.pool().run(order, [&](hooks::sealed_reply r) { got.set_value(std::move(r)); });
  const auto r = got.get_future().get();
  std::string changes;
  for (const auto change : r.get().getChanges())
    changes += schema::str(change.getObject()) + "." + schema::str(change.getResource()) + "=" +
               schema::str(change.getAfter()) + " ";
  BOOST_TEST(changes ==
             "1.head.cpupercent=200 1.head.mem=5120kb 1.head.cput=00:12:00 2.head.cpupercent=100 2.head.mem=1024kb "
             "2.head.cput=00:01:00 n1.mem=7680mb ");
  BOOST_TEST(message_of(r) == "");
  BOOST_TEST(schema::text(r.get().getLog()[0].getMessage()) == "uses 5120kb");
}

BOOST_AUTO_TEST_CASE(the_reliable_startup_pair) {  // RS-07, 64, 66, 67, 84, 85, 90, 111, 114, 129: the recipe
  hook_case submit{.source = script("reliable_submit.py")};
  submit.job = {{"Resource_List", "select", "ncpus=3:mem=1gb+ncpus=2:mem=2gb+ncpus=1:mem=3gb"}};
  BOOST_TEST(summary(runs.run(submit)) ==
             "accept job.tolerate_node_failures -->job_start job.Resource_List.site "
             "-->ncpus=3:mem=1gb+ncpus=2:mem=2gb+ncpus=1:mem=3gb "
             "job.Resource_List.select "
             "ncpus=3:mem=1gb+ncpus=2:mem=2gb+ncpus=1:mem=3gb->1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb");

  hook_case launch{.source = script("reliable_launch.py"), .event = "execjob_launch"};
  launch.failed_vnodes = {"federer"};
  launch.vnodes = {"borg", "federer", "lendl"};
  launch.job = {{"tolerate_node_failures", "", "job_start"}, {"Resource_List", "site", "ncpus=3+ncpus=2"}};
  BOOST_TEST(summary(runs.run(launch)) == "accept");  // a program that is not the job's top one
  launch.environment = {{"PBS_NODEFILE", "/nodes"}};
  BOOST_TEST(summary(runs.run(launch)) ==
             "reject 'unsuccessful at LAUNCH' vnode_list_fail[federer].state free->offline job.Hold_Types -->s "
             "log:offlining federer");
  launch.answer = [](hooks::protocol::Question::Reader, hooks::protocol::Answer::Builder a) {
    add(a.initObject(), hooks::protocol::ObjectKind::JOB, "12.head",
        {{"exec_vnode", "", "(borg:ncpus=3)+(lendl:ncpus=2)"}});
  };
  BOOST_TEST(summary(runs.run(launch)) ==
             "accept vnode_list_fail[federer].state free->offline log:offlining federer "
             "log:pj.exec_vnode=(borg:ncpus=3)+(lendl:ncpus=2)");
}

BOOST_AUTO_TEST_SUITE_END()
