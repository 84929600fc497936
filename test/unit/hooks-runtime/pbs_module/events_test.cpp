// pbs.event(), the verdict, actions and the functions of the module.
#include <boost/test/unit_test.hpp>

#include "test/support/hook_runs.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct fixture {
  hook_runs runs;
  std::string result(const char* event, const std::string& script) {
    return summary(runs.run({.source = "import pbs\ne = pbs.event()\n" + script, .event = event}));
  }
};

// The job as the daemon says it will be after a release.
void answer_release(hooks::protocol::Question::Reader q, hooks::protocol::Answer::Builder a) {
  if (!q.isReleaseNodes()) return a.setNone();
  auto o = a.initObject();
  o.setKind(hooks::protocol::ObjectKind::JOB);
  o.setName("12.head");
  auto attributes = o.initAttributes(1);
  attributes[0].setName("exec_vnode");
  attributes[0].setValue("(n1:ncpus=1)");
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(events_of_the_pbs_module, fixture)

BOOST_AUTO_TEST_CASE(the_event_tells_who_asked_and_which_hook_runs) {
  BOOST_TEST(result("queuejob",
                    "assert (e.hook_name, e.requestor, e.requestor_host, e.alarm, e.enabled, e.type) == ('h1', "
                    "'alice', 'head', 60, True, 1)\n") == "accept");
}

BOOST_AUTO_TEST_CASE(reject_ends_the_script_and_may_have_no_words) {
  BOOST_TEST(result("queuejob", "e.reject()\nnosuch\n") == "reject");
  const auto r = runs.run({.source = "import pbs\npbs.event().reject('no', 7)\n"});
  BOOST_TEST(r.get().getCode() == 7);
}

BOOST_AUTO_TEST_CASE(accept_and_reject_are_no_exceptions_that_scripts_catch_by_accident) {
  BOOST_TEST(result("queuejob", "try: e.reject('no')\nexcept Exception: pass\ne.job.Priority = 9\n") == "reject 'no'");
  BOOST_TEST(result("queuejob", "try: e.accept()\nexcept SystemExit: e.reject('after all')\n") == "reject 'after all'");
}

BOOST_AUTO_TEST_CASE(accept_takes_no_text) {
  BOOST_TEST(result("queuejob", "e.accept('why')\n") ==
             "error 'TypeError: accept() takes no text: only reject() tells the user something'");
  BOOST_TEST(result("queuejob", "e.accept(0)\n") == "accept");
}

BOOST_AUTO_TEST_CASE(some_changes_of_a_runjob_hook_hold_only_with_reject) {  // pbs guide: hooks: events
  BOOST_TEST(result("runjob", "e.job.Hold_Types = pbs.hold_types('s')\ne.reject('later')\n") ==
             "reject 'later' job.Hold_Types -->s");
  const auto r = runs.run({.source = "import pbs\ne = pbs.event()\ne.job.Hold_Types = pbs.hold_types('s')\n"
                                     "e.job.Output_Path = 'h:/o'\ne.job.Resource_List['walltime'] = 60\n",
                           .event = "runjob"});
  BOOST_TEST(
      summary(r) ==
      "accept job.Output_Path -->h:/o job.Resource_List.walltime -->00:01:00 log:12.head: Hold_Types is not set, it "
      "holds only with reject");
  BOOST_TEST(r.get().getLog()[0].getLevel() == 0x100u);
}

BOOST_AUTO_TEST_CASE(a_launch_hook_changes_program_arguments_and_environment) {  // pbs guide: execjob_launch; RS-69
  hook_case c{.source = "", .event = "execjob_launch"};
  c.source =
      "import pbs\ne = pbs.event()\ne.progname = '/bin/env'\ne.argv.append('-v')\ne.env['A'] = '1'\n"
      "e.job.Hold_Types = pbs.hold_types('s')\ne.job.run_count = 3\n";
  BOOST_TEST(summary(runs.run(c)) ==
             "accept progname -->/bin/env env.A -->1 job.Hold_Types -->s job.run_count -->3 argv -->[-v]");
  BOOST_TEST(result("execjob_launch", "e.env = {'B': '2'}\ne.argv = ['x', 'y']\n") ==
             "accept env.B -->2 argv -->[x][y]");
}

BOOST_AUTO_TEST_CASE(the_program_of_a_script_job_is_its_owner_s_shell) {
  const auto launched = [&](const std::string& script) {
    return summary(runs.run({.source = "import pbs\ne = pbs.event()\n" + script,
                             .event = "execjob_launch",
                             .job = {{"euser", "", "root"}},
                             .script_job = true}));
  };
  BOOST_TEST(launched("import pwd\nshell = pwd.getpwnam('root').pw_shell\n"
                      "assert e.progname == shell and e.argv == ['-' + shell.split('/')[-1]]\n") == "accept");
  BOOST_TEST(launched("e.progname, e.argv = '/bin/box', ['box', 'run']\n").ends_with("->/bin/box argv -->[box][run]"));
  BOOST_TEST(launched("e.argv[:] = ['box', '-s']\n") == "accept argv -->[box][-s]");
}

BOOST_AUTO_TEST_CASE(a_launch_hook_that_sets_something_else_is_told_what_it_may) {  // RS-73, RS-74
  const char* told =
      "Can only set progname, argv, env event parameters as well as job, resource, vnode under execjob_launch hook.";
  for (const char* script : {"pbs.server().scheduling = False\n", "e.job.Job_Owner = 'x'\n", "e.alarm = 5\n"})
    BOOST_TEST(result("execjob_launch", script) ==
               std::string("error 'BadAttributeValueError: ") + told + "' log:" + told);
}

BOOST_AUTO_TEST_CASE(jobs_are_rerun_and_deleted_by_the_reply) {
  const auto r = runs.run(
      {.source = "import pbs\ne = "
                 "pbs.event()\ne.job.rerun()\ne.job.delete()\ne.job.delete()\npbs.server().scheduler_restart_cycle()\n",
       .event = "execjob_begin"});
  BOOST_REQUIRE(r.get().getActions().size() == 3u);
  BOOST_TEST(schema::text(r.get().getActions()[0].getRerun()) == "12.head");
  BOOST_TEST(schema::text(r.get().getActions()[1].getDelete()) == "12.head");
  BOOST_TEST(r.get().getActions()[2].isRestartCycle());
}

BOOST_AUTO_TEST_CASE(reboot_ends_the_script_and_names_the_command) {
  const auto r = runs.run({.source = "import pbs\npbs.reboot('/sbin/reboot -f')\n", .event = "exechost_startup"});
  BOOST_REQUIRE(r.get().getActions().size() == 1u);
  BOOST_TEST(schema::text(r.get().getActions()[0].getReboot()) == "/sbin/reboot -f");
  BOOST_TEST(result("queuejob", "pbs.reboot()\n").find("error") == 0u);
}

BOOST_AUTO_TEST_CASE(a_hook_of_the_server_ends_no_run) {  // pbs guide: job.rerun(), job.delete() are for execution events
  BOOST_TEST(result("runjob", "e.job.rerun()\n") == "error 'NotImplementedError: rerun(): only for mom hooks'");
  BOOST_TEST(result("queuejob", "e.job.delete()\n") == "error 'NotImplementedError: delete(): only for mom hooks'");
}

BOOST_AUTO_TEST_CASE(release_nodes_answers_with_the_job_as_it_will_be) {  // RS-84, RS-85, RS-90
  hook_case c{.source =
                  "import pbs\npj = pbs.event().job.release_nodes(keep_select='ncpus=1')\npbs.logmsg(1, '%s %s' % (pj, "
                  "pj.exec_vnode))\n",
              .event = "execjob_launch"};
  c.job = {{"tolerate_node_failures", "", "job_start"}, {"exec_vnode", "", "(n1:ncpus=1)+(n2:ncpus=1)"}};
  c.answer = answer_release;
  const auto r = runs.run(c);
  BOOST_TEST(summary(r) == "accept log:12.head (n1:ncpus=1)");
  BOOST_REQUIRE(r.get().getActions().size() == 1u);
  BOOST_TEST(schema::text(r.get().getActions()[0].getReleaseNodes().getKeepSelect()) == "ncpus=1");
}

BOOST_AUTO_TEST_CASE(release_nodes_with_a_dict_answers_with_the_released_vnodes) {  // RS-91, RS-93
  hook_case c{.source =
                  "import pbs\ne = pbs.event()\nr = e.job.release_nodes(e.vnode_list_fail)\nassert list(r) == ['n2'] "
                  "and r['n2'].name == 'n2'\n"
                  "assert list(e.job.release_nodes(nodes_list=e.vnode_list_fail)) == ['n2']\n",
              .event = "execjob_prologue"};
  c.failed_vnodes = {"n2"};
  c.job = {{"tolerate_node_failures", "", "job_start"}};
  c.answer = answer_release;
  BOOST_TEST(summary(runs.run(c)) == "accept");
}

BOOST_AUTO_TEST_CASE(release_nodes_is_for_the_primary_in_prologue_and_launch) {  // RS-86, RS-87, RS-129
  hook_case c{.source = "import pbs\npbs.logmsg(1, '%s' % (pbs.event().job.release_nodes(keep_select='ncpus=1'),))\n",
              .event = "execjob_begin"};
  c.job = {{"tolerate_node_failures", "", "all"}};
  c.answer = answer_release;
  BOOST_TEST(summary(runs.run(c)) == "accept log:None");
  c.event = "execjob_prologue";
  c.primary = false;
  BOOST_TEST(summary(runs.run(c)) == "accept log:None");
  c.event = "execjob_launch";  // of a task there
  BOOST_TEST(summary(runs.run(c)) == "accept log:12.head");
  c.primary = true;
  c.source = "import pbs\npbs.logmsg(1, '%s' % (pbs.event().job.release_nodes('1:'),))\n";
  BOOST_TEST(summary(runs.run(c)) == "accept log:None");
}

BOOST_AUTO_TEST_CASE(a_job_that_tolerates_no_failures_keeps_its_nodes) {  // RS-94
  hook_case c{.source = "import pbs\nj = pbs.event().job\nassert j.release_nodes(keep_select='ncpus=1') is j\n",
              .event = "execjob_launch"};
  const auto r = runs.run(c);
  BOOST_TEST(summary(r) == "accept log:no nodes released as job does not tolerate node failures");
  c.source = "import pbs\ne = pbs.event()\nassert e.job.release_nodes(e.vnode_list_fail) is e.job\n";
  BOOST_TEST(summary(runs.run(c)) == summary(r));
  BOOST_TEST(schema::text(r.get().getLog()[0].getJob()) == "12.head");
  BOOST_TEST(r.get().getLog()[0].getLevel() == 0x80u);
}

BOOST_AUTO_TEST_CASE(a_job_with_spare_chunks_tolerates_failures_unless_it_says_otherwise) {  // RS-36, RS-94
  hook_case c{.source = "import pbs\npbs.logmsg(1, '%s' % (pbs.event().job.release_nodes(keep_select='ncpus=1'),))\n",
              .event = "execjob_launch"};
  for (const char* name : {"select_reliable_startup", "rjselect"}) {
    c.job = {{"Resource_List", name, "3:ncpus=1"}};
    BOOST_TEST(summary(runs.run(c)) == "accept log:None");
    c.job.push_back({"tolerate_node_failures", "", "none"});
    BOOST_TEST(summary(runs.run(c)) == "accept log:no nodes released as job does not tolerate node failures log:12.head");
  }
}

BOOST_AUTO_TEST_CASE(log_levels_are_the_bits_that_pbs_writes) {  // golden: hook lines carry 0006
  const auto r = runs.run({.source = "import pbs\npbs.logmsg(pbs.LOG_DEBUG, 'a')\npbs.logmsg(pbs.EVENT_DEBUG3, "
                                     "'b')\npbs.logjobmsg('1.head', 'c')\n"});
  BOOST_TEST(r.get().getLog()[0].getLevel() == 6u);
  BOOST_TEST(r.get().getLog()[1].getLevel() == 0x400u);
  BOOST_TEST(schema::text(r.get().getLog()[2].getJob()) == "1.head");
}

BOOST_AUTO_TEST_CASE(a_periodic_hook_has_dicts_even_when_there_is_nothing) {  // RS-65, RS-66
  BOOST_TEST(result("exechost_periodic", "assert e.job_list == {} and e.vnode_list == {}\n") == "accept");
  BOOST_TEST(result("execjob_prologue", "assert e.vnode_list_fail == {}\nfor v in e.vnode_list_fail.keys(): pass\n") ==
             "accept");
}

BOOST_AUTO_TEST_CASE(a_management_hook_sees_what_qmgr_asked_for) {  // pbs guide: management
  hook_case c{.source =
                  "import pbs\nm = pbs.event().management\n"
                  "assert m.cmd == pbs.MGR_CMD_SET and m.objtype == pbs.MGR_OBJ_QUEUE and m.objname == 'workq'\n"
                  "assert [(a.name, a.resource, a.value, a.op) for a in m.attribs] == "
                  "[('resources_max', 'ncpus', '4', pbs.BATCH_OP_INCR), ('enabled', '', 'True', pbs.BATCH_OP_SET)]\n",
              .event = "management"};
  auto order = hook_runs::order_of(c);
  order.request = schema::make<hooks::protocol::Request>([&](hooks::protocol::Request::Builder b) {
    b.setEvent(hooks::find_event("management")->bit);
    b.setHookName("h1");
    auto parameter = b.initParameters(1)[0];
    parameter.setName("management");
    auto object = parameter.initObject();
    object.setKind(hooks::protocol::ObjectKind::MANAGEMENT);
    auto a = object.initAttributes(5);
    const char* const words[][3] = {{"cmd", "", "2"},
                                    {"objtype", "", "1"},
                                    {"objname", "", "workq"},
                                    {"attribs.resources_max", "ncpus", "4"},
                                    {"attribs.enabled", "", "True"}};
    for (unsigned i = 0; i < 5; ++i) {
      a[i].setName(words[i][0]);
      a[i].setResource(words[i][1]);
      a[i].setValue(words[i][2]);
    }
    a[3].setOp(schema::AttributeOp::INCREMENT);
  });
  std::promise<hooks::sealed_reply> got;
  runs.pool().run(order, [&](hooks::sealed_reply r) { got.set_value(std::move(r)); });
  BOOST_TEST(summary(got.get_future().get()) == "accept");
}

BOOST_AUTO_TEST_CASE(the_module_tells_about_the_host) {
  hooks::pool_settings settings;
  settings.local_node = "federer";
  settings.pbs_conf = {{"PBS_HOME", "/var/spool/pbs"}};
  hook_runs there(settings);
  BOOST_TEST(summary(there.run(
                 {.source = "import pbs\nassert pbs.get_local_nodename() == 'federer'\nassert pbs.pbs_conf['PBS_HOME'] "
                            "== '/var/spool/pbs'\n"
                            "assert pbs.get_pbs_conf() == pbs.pbs_conf and pbs.hook_config_filename is None\n"})) ==
             "accept");
}

BOOST_AUTO_TEST_SUITE_END()
