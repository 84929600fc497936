// The catalogue of hook events (pbs guide, "hooks: events"; golden: hooks.txt).
#include <boost/test/unit_test.hpp>

#include "hooks-runtime/catalog/events.hpp"
#include "hooks-runtime/catalog/texts.hpp"

using namespace annals::hooks;

BOOST_AUTO_TEST_SUITE(hook_catalog)

BOOST_AUTO_TEST_CASE(the_list_of_events_is_the_one_qmgr_prints) {
  BOOST_TEST(
      event_names() ==
      "queuejob,postqueuejob,modifyjob,modifyvnode,management,resvsub,modifyresv,movejob,jobobit,runjob,provision,"
      "periodic,resv_confirm,resv_begin,resv_end,execjob_begin,execjob_prologue,execjob_epilogue,execjob_preterm,"
      "execjob_end,exechost_periodic,execjob_launch,exechost_startup,execjob_attach,execjob_resize,execjob_abort,"
      "execjob_postsuspend,execjob_preresume");
}

BOOST_AUTO_TEST_CASE(each_event_has_a_bit_of_its_own) {
  std::uint32_t seen = 0;
  for (const hook_event& e : hook_events()) {
    BOOST_TEST((seen & e.bit) == 0u, e.name);
    BOOST_TEST((e.bit & (e.bit - 1)) == 0u, e.name);
    BOOST_TEST(find_event(e.bit) == &e);
    BOOST_TEST(find_event(e.name) == &e);
    seen |= e.bit;
  }
  BOOST_TEST(find_event("bogus") == nullptr);
}

BOOST_AUTO_TEST_CASE(only_prologue_and_launch_see_failed_vnodes) {  // RS-64
  for (const hook_event& e : hook_events()) {
    const std::string_view name = e.name;
    BOOST_TEST(
        (find_parameter(e, "vnode_list_fail") != nullptr) == (name == "execjob_prologue" || name == "execjob_launch"),
        e.name);
  }
}

BOOST_AUTO_TEST_CASE(a_launch_hook_may_set_what_the_requirements_name) {  // RS-69, RS-70
  const hook_event& launch = *find_event("execjob_launch");
  for (const char* name : {"Execution_Time", "Hold_Types", "resources_used", "run_count"})
    BOOST_TEST((may_write(*find_parameter(launch, "job"), name, false) == set_answer::yes), name);
  for (const char* name : {"state", "resources_available"})
    BOOST_TEST((may_write(*find_parameter(launch, "vnode_list"), name, false) == set_answer::yes), name);
  BOOST_TEST((may_write(*find_parameter(launch, "job"), "Job_Owner", false) == set_answer::read_only_attribute));
}

BOOST_AUTO_TEST_CASE(a_runjob_hook_may_hold_the_job_only_when_it_rejects) {
  const parameter& job = *find_parameter(*find_event("runjob"), "job");
  BOOST_TEST((may_write(job, "Hold_Types", false) == set_answer::only_on_reject));
  BOOST_TEST((may_write(job, "Hold_Types", true) == set_answer::yes));
  for (const char* name : {"Error_Path", "Output_Path", "Resource_List", "Variable_List", "create_resv_from_job"})
    BOOST_TEST((may_write(job, name, false) == set_answer::yes), name);
  for (const char* name : {"Execution_Time", "project", "depend"})
    BOOST_TEST((may_write(job, name, false) == set_answer::only_on_reject), name);
}

BOOST_AUTO_TEST_CASE(a_queuejob_hook_may_not_set_what_only_the_server_sets) {
  const parameter& job = *find_parameter(*find_event("queuejob"), "job");
  BOOST_TEST((may_write(job, "Priority", false) == set_answer::yes));
  BOOST_TEST((may_write(job, "ctime", false) == set_answer::read_only_attribute));
}

BOOST_AUTO_TEST_CASE(a_resvsub_hook_may_set_what_pbs_rsub_may_and_what_has_an_effect) {
  const parameter& resv = *find_parameter(*find_event("resvsub"), "resv");
  for (const char* name : {"Reserve_Name", "Resource_List", "reserve_start", "Authorized_Users", "delete_idle_time", "interactive"})
    BOOST_TEST((may_write(resv, name, false) == set_answer::yes), name);
  for (const char* name : {"reserve_state", "queue", "resv_nodes", "partition", "qmove", "Priority", "User_List"})
    BOOST_TEST((may_write(resv, name, false) == set_answer::read_only_attribute), name);
}

BOOST_AUTO_TEST_CASE(the_old_object_of_a_change_is_read_only) {
  BOOST_TEST((may_write(*find_parameter(*find_event("modifyjob"), "job_o"), "Priority", false) ==
              set_answer::read_only_object));
}

BOOST_AUTO_TEST_CASE(clients_are_told_pbs_words) {  // golden: hooks.txt
  BOOST_TEST(told_exception("h1") ==
             "request rejected as filter hook 'h1' encountered an exception. Please inform Admin");
  BOOST_TEST(logged_alarm(*find_event("queuejob"), "h1") ==
             "alarm call while running queuejob hook 'h1', request rejected");
}

BOOST_AUTO_TEST_SUITE_END()
