// What hooks are shown of a job: what it has now, whatever its order says.
#include <boost/test/unit_test.hpp>

#include "actors/mom/hooks/hook_objects.hpp"
#include "hooks-runtime/chain/release.hpp"

using namespace annals;
using namespace annals::actors;

namespace {

constexpr const char* exec_vnode = "(n1:ncpus=1)+(n2:ncpus=2:mem=1gb)+(n3:ncpus=3)";
constexpr const char* exec_host = "n1/0+n2/0*2+n3/0*3";

hooked_job started() {
  hooked_job job;
  job.started = schema::make<schema::ToMom>([](schema::ToMom::Builder m) {
    auto o = m.initStartRun();
    o.initRef().setJob("12.head");
    o.setExecVnode(exec_vnode);
    o.setExecHost(exec_host);
  });
  job.allocated = model::allocation_of(job.order());
  return job;
}

std::string shown(const hooks::hook_object& job, const char* name) {
  const auto* found = job.find(name);
  return found ? found->value : "";
}
std::string names(const std::vector<hooks::hook_object>& vnodes) {
  std::string text;
  for (const auto& v : vnodes) text += (text.empty() ? "" : " ") + v.name;
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hook_objects)

BOOST_AUTO_TEST_CASE(a_job_is_shown_with_what_it_has) {
  at_hook_point at;
  at.job = started();
  BOOST_TEST(shown(job_object(at, 15002), "exec_vnode") == exec_vnode);
  BOOST_TEST(shown(job_object(at, 15002), "exec_host") == exec_host);
  BOOST_TEST(names(vnode_objects(at.job, "n1", {})) == "n1 n2 n3");
  BOOST_REQUIRE(at.job.allocated.release("(n2:ncpus=2:mem=1gb)"));
  BOOST_TEST(shown(job_object(at, 15002), "exec_vnode") == "(n1:ncpus=1)+(n3:ncpus=3)");
  BOOST_TEST(shown(job_object(at, 15002), "exec_host") == "n1/0+n3/0*3");
  BOOST_TEST(names(vnode_objects(at.job, "n1", {})) == "n1 n3");
}

BOOST_AUTO_TEST_CASE(a_job_that_was_started_has_a_session_and_a_directory) {  // hook_fields_recording.txt
  at_hook_point at;
  at.job = started();
  at.point = hook_point::preterm;
  BOOST_TEST(!job_object(at, 15002).find("session_id"));
  BOOST_TEST(!job_object(at, 15002).find("jobdir"));
  at.job.session = 472;
  at.job.jobdir = "/home/anna";
  BOOST_TEST(shown(job_object(at, 15002), "session_id") == "472");
  BOOST_TEST(shown(job_object(at, 15002), "jobdir") == "/home/anna");
  const job_at_work by_the_clock{{}, {"12.head", 1}, at.job, {}};
  BOOST_TEST(shown(job_object(by_the_clock, 15002), "session_id") == "472");
}

BOOST_AUTO_TEST_CASE(before_the_program_hooks_are_shown_which_hosts_failed_and_joined) {  // hook_fields_recording.txt
  at_hook_point at;
  at.job = started();
  for (const auto point : {hook_point::prologue, hook_point::launch}) {
    at.point = point;
    at.job.failed = {"n2"};
    at.job.succeeded = {"n3", "n4"};
    BOOST_TEST(shown(job_object(at, 15002), "failed_mom_list") == "n2");
    BOOST_TEST(shown(job_object(at, 15002), "succeeded_mom_list") == "n3,n4");
    at.job.failed.clear();
    BOOST_REQUIRE(job_object(at, 15002).find("failed_mom_list"));  // an empty list, not None
    BOOST_TEST(shown(job_object(at, 15002), "failed_mom_list") == "");
  }
  at.point = hook_point::begin;
  BOOST_TEST(!job_object(at, 15002).find("failed_mom_list"));
}

BOOST_AUTO_TEST_CASE(the_first_host_knows_where_the_moms_of_a_job_listen) {  // hook_fields_recording.txt
  at_hook_point at;
  at.job.started = schema::make<schema::ToMom>([](schema::ToMom::Builder m) {
    auto o = m.initStartRun();
    o.setExecVnode(exec_vnode);
    o.setExecHost(exec_host);
    auto sisters = o.initSisters(2);
    for (unsigned i = 0; i < 2; ++i) {
      sisters[i].setHost(i == 0 ? "n2" : "n3");
      sisters[i].setPort(static_cast<std::uint16_t>(15012 + i));
    }
  });
  at.job.allocated = model::allocation_of(at.job.order());
  BOOST_TEST(shown(job_object(at, 15002), "exec_host2") == "n1:15002/0+n2:15012/0*2+n3:15013/0*3");
  auto released = job_object(at, 15002);
  model::allocation_change change;
  change.exec_host = "n1/0+n3/0*2";
  hooks::put(change, released);
  BOOST_TEST(shown(released, "exec_host2") == "n1:15002/0+n3:15013/0*2");
  at.job.primary = false;
  BOOST_TEST(!job_object(at, 15002).find("exec_host2"));
  at.job = started();  // no port of the others
  BOOST_TEST(!job_object(at, 15002).find("exec_host2"));
}

BOOST_AUTO_TEST_CASE(a_sisters_hooks_are_shown_its_own_vnodes) {
  auto job = started();
  job.primary = false;
  BOOST_TEST(names(vnode_objects(job, "n3", {})) == "n3");
  BOOST_REQUIRE(job.allocated.release("(n2:ncpus=2:mem=1gb)"));
  BOOST_TEST(names(vnode_objects(job, "n3", {})) == "n3");
  BOOST_TEST(names(vnode_objects(job, "n2", {})) == "");
}

BOOST_AUTO_TEST_CASE(the_shell_of_a_script_job_takes_what_hooks_made_of_it) {
  ports::run_order program;
  hooks::hook_parameters shown;
  put_program(program, shown);
  take_program(shown, program);
  BOOST_TEST(program.shell == "");  // nobody named one: it is the owner's login shell
  BOOST_TEST(program.shell_args.empty());
  hooks::find_parameter(shown, "progname")->value = std::string("/usr/bin/box");
  hooks::find_parameter(shown, "argv")->value = hooks::hook_texts{"box", "run", "sh"};
  take_program(shown, program);
  BOOST_TEST(program.program.empty());  // it reads the script still
  BOOST_TEST(program.shell == "/usr/bin/box");
  BOOST_TEST(program.shell_args == hooks::hook_texts({"box", "run", "sh"}), boost::test_tools::per_element());
  hooks::hook_parameters next;
  put_program(program, next);
  BOOST_TEST(std::get<hooks::hook_texts>(hooks::find_parameter(next, "argv")->value).size() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
