// Vnodes get their environment before a run (docs/design/0052-provisioning.md).
#include <boost/test/unit_test.hpp>

#include "events/model/host/provisioning.hpp"
#include "test/unit/actors/server/reactions/watched_hooks.hpp"

using namespace annals;
using test::targets;
using to = model::provision_vnode::what;

namespace {

struct provisioned : test::watched_hooks<reactions::provisioning> {
  std::map<std::string, std::uint64_t> hosts;
  std::map<std::string, model::host_state> states;

  void vnode(const std::string& name) {
    hosts[name] = host(name.c_str());
    write(hosts[name], model::make_event([&](auto e) { e.initHost().initVnodeCreated().setName(name); }));
    up(hosts[name]);
  }
  std::uint64_t run(const std::string& exec_vnode, std::uint64_t job = 0) {
    return write(job, model::make_event([&](auto e) {
                   e.initJob().initAssigned().setRun(1);
                   e.getJob().getAssigned().setExecVnode(exec_vnode);
                 }));
  }
  void step(const std::string& name, const char* word, const char* aoe, const char* current = nullptr, bool offline = false) {
    write(hosts[name], model::make_event([&](auto e) {
            auto c = e.initHost().initVnodeChanged();
            c.setVnode(name);
            auto list = c.initChanges(1u + (current ? 1u : 0u) + (offline ? 2u : 0u));
            list[0].setName("provisioning");
            list[0].setResource(aoe);
            list[0].setValue(word);
            if (current) {
              list[1].setName("current_aoe");
              list[1].setValue(current);
            }
            if (offline) {
              list[1].setName("state");
              list[1].setValue("offline");
              list[2].setName("comment");
              list[2].setValue("broken");
            }
          }));
  }
  std::string told(std::size_t i = 0) {
    const auto& c = ordered<reactions::tell_vnode>(i).command;
    static const char* const words[] = {"wait", "begin", "done", "fail"};
    return c.vnode + " " + words[static_cast<int>(c.to)] + " " + c.aoe + (c.why.empty() ? "" : ": " + c.why);
  }
  const model::vnode_provisioned& job_told(std::size_t i = 0) {
    return std::get<model::vnode_provisioned>(ordered<reactions::tell_job>(i).command);
  }
  std::uint64_t site_hook() {
    const auto h = hook("p", "provision");
    set("provision_enable", "True");
    return h;
  }
  void restart() {
    fold = {};
    replay();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(provisioning, provisioned)

BOOST_AUTO_TEST_CASE(the_server_provisions_while_a_hook_is_there) {
  BOOST_TEST(due().empty());
  const auto h = hook("p", "provision");
  BOOST_TEST(due() == targets{"provision_enable"});
  BOOST_TEST(schema::str(ordered<reactions::manage_object>().request.get().getManage().getChanges()[0].getValue()) == "True");
  set("provision_enable", "True");
  BOOST_TEST(due().empty());
  delete_hook(h);
  BOOST_TEST(due() == targets{"provision_enable"});
  BOOST_TEST(schema::str(ordered<reactions::manage_object>().request.get().getManage().getChanges()[0].getValue()) == "False");
}

BOOST_AUTO_TEST_CASE(a_vnode_is_begun_its_hook_runs_and_its_run_is_told) {
  const auto h = site_hook();
  vnode("n1");
  const auto job = run("(n1:ncpus=1:aoe=suse)");
  due();
  BOOST_TEST(told() == "n1 begin suse");
  step("n1", "hook", "suse");
  const auto begun = last_sequence();
  restart();
  due();
  BOOST_TEST(ordered<reactions::run_provision_hook>().vnode == "n1");
  BOOST_TEST(ordered<reactions::run_provision_hook>().aoe == "suse");
  BOOST_TEST(last[0].what->cause == begun);
  ran(h, "n1", begun);
  restart();
  due();
  BOOST_TEST(told() == "n1 done suse");
  step("n1", "", "suse", "suse");
  due();
  BOOST_TEST(ordered<reactions::tell_job>().serial == job);
  BOOST_TEST(job_told().vnode == "n1");
  BOOST_TEST(job_told().failed == "");
}

BOOST_AUTO_TEST_CASE(a_run_without_aoe_is_left_alone_and_one_whose_vnode_has_it_by_now_is_told_at_once) {
  site_hook();
  vnode("n1");
  run("(n1:ncpus=1)");
  BOOST_TEST(due().empty());
  step("n1", "", "suse", "suse");
  run("(n1:ncpus=1:aoe=suse)");
  due();
  BOOST_TEST(job_told().vnode == "n1");
}

BOOST_AUTO_TEST_CASE(so_many_as_may_be_are_provisioned_at_once_and_the_others_wait) {
  const auto h = site_hook();
  set("max_concurrent_provision", "1");
  vnode("n1");
  vnode("n2");
  run("(n1:aoe=suse)+(n2:aoe=suse)");
  due();
  BOOST_TEST(told(0) == "n1 begin suse");
  BOOST_TEST(told(1) == "n2 wait suse");
  step("n1", "hook", "suse");
  const auto begun = last_sequence();
  step("n2", "waits", "suse");
  due();
  BOOST_TEST(last.size() == 1u);  // the hook of n1
  ran(h, "n1", begun);
  step("n1", "", "suse", "suse");
  due();
  BOOST_TEST(last.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_vnode_that_takes_too_long_or_has_no_hook_fails_and_its_run_is_told_why) {
  site_hook();
  vnode("n1");
  run("(n1:aoe=suse)");
  step("n1", "hook", "suse");
  due();
  BOOST_TEST(wait() == 600);
  later(600);
  due();
  BOOST_TEST(told() == "n1 fail suse: it took longer than provision_timeout");
  step("n1", "", "suse", nullptr, true);
  due();
  BOOST_TEST(job_told().failed == "broken");
}

BOOST_AUTO_TEST_CASE(without_a_hook_it_fails_at_once) {
  vnode("n1");
  run("(n1:aoe=suse)");
  step("n1", "hook", "suse");
  due();
  BOOST_TEST(told() == "n1 fail suse: there is no provision hook");
}

BOOST_AUTO_TEST_SUITE_END()
