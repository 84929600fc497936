// Submissions: defaults, and every reason to refuse one.
#include <boost/test/unit_test.hpp>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
namespace ids = attributes::job;
namespace on_queue = attributes::queue;
namespace on_server = attributes::server;

namespace {

std::string submitted(job_story& story, const given_values& s = {}, const std::string& queue = "", const model::requester& by = user()) {
  return story.when(submission(12, s, queue), by);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_bare_submission_gets_every_default) {
  job_story story;
  const auto o = story.ask(submission(12));
  BOOST_TEST(o.reply == "12.borg");
  BOOST_TEST(submitted(story) == "queued");
  BOOST_TEST(story.job.id == "12.borg");
  const std::pair<attributes::attribute_id, std::string> expected[] = {
      {ids::Job_Name, "STDIN"},
      {ids::Job_Owner, "user1@borg"},
      {ids::job_state, "Q"},
      {ids::queue, "workq"},
      {ids::server, "borg"},
      {ids::Checkpoint, "u"},
      {ids::Hold_Types, "n"},
      {ids::Join_Path, "n"},
      {ids::Keep_Files, "n"},
      {ids::Mail_Points, "a"},
      {ids::Priority, "0"},
      {ids::Rerunable, "True"},
      {ids::substate, "10"},
      {ids::project, "_pbs_project_default"},
      {ids::Submit_Host, "borg"},
      {ids::euser, "user1"},
      {ids::egroup, "group1"},
      {ids::schedselect, "1:ncpus=1"},
  };
  for (const auto& [id, value] : expected) BOOST_TEST(story.attribute(id) == value);
  BOOST_TEST(story.attribute(ids::Resource_List, "select") == "1:ncpus=1");
  BOOST_TEST(story.attribute(ids::Resource_List, "place") == "pack");
  BOOST_TEST(story.attribute(ids::Resource_List, "ncpus") == "1");
  BOOST_TEST(story.attribute(ids::Resource_List, "nodect") == "1");
  BOOST_TEST(story.attribute(ids::etime) == std::to_string(story.now_s));
  BOOST_TEST(story.attribute(ids::Output_Path).ends_with("/STDIN.o12"));
  BOOST_TEST(story.attribute(ids::Variable_List).ends_with("PBS_O_QUEUE=workq,PBS_O_HOST=borg"));
}

BOOST_AUTO_TEST_CASE(a_script_may_be_as_large_as_the_site_says) {
  job_story story;
  auto command = submission(12);
  command.script_size = 2049;
  story.settings.server.set(on_server::jobscript_max_size, "2kb");
  BOOST_TEST(said(story.ask(command)) == "15175 jobscript size exceeded the jobscript_max_size");
  command.script_size = 2048;
  BOOST_TEST(story.ask(command).accepted());
  story.settings.server.erase(on_server::jobscript_max_size);
  command.script_size = 1 << 20;
  BOOST_TEST(story.ask(command).accepted());
}

BOOST_AUTO_TEST_CASE(defaults_of_queue_and_server_are_applied) {
  job_story story;
  story.settings.server.set(on_server::resources_default, "walltime", "01:00:00");
  story.settings.queues["workq"].attributes.set(on_queue::resources_default, "walltime", "00:30:00");
  submitted(story);
  BOOST_TEST(story.attribute(ids::Resource_List, "walltime") == "00:30:00");
  job_story of_server;
  of_server.settings.server.set(on_server::resources_default, "walltime", "01:00:00");
  submitted(of_server);
  BOOST_TEST(of_server.attribute(ids::Resource_List, "walltime") == "01:00:00");
}

BOOST_AUTO_TEST_CASE(each_chunk_has_what_queue_and_server_give_it) {
  job_story story;
  const auto memory = [&] {
    job_story one = story;
    submitted(one, {{"Resource_List", "select", "2:ncpus=1"}});
    return one.attribute(ids::Resource_List, "mem");
  };
  BOOST_TEST(memory() == "");
  story.settings.server.set(on_server::default_chunk, "mem", "100mb");
  BOOST_TEST(memory() == "200mb");
  story.settings.queues["workq"].attributes.set(on_queue::default_chunk, "mem", "200mb");
  BOOST_TEST(memory() == "400mb");
}

BOOST_AUTO_TEST_CASE(a_request_is_within_the_limits_of_queue_and_server) {
  job_story story;
  auto& server = story.settings.server;
  auto& queue = story.settings.queues["workq"].attributes;
  const auto asks = [&](const char* cpus) { return said(story.ask(submission(12, {{"Resource_List", "ncpus", cpus}}))); };
  server.set(on_server::resources_max, "ncpus", "4");
  BOOST_TEST(asks("5").starts_with("15036 "));
  BOOST_TEST(asks("4") == "queued");
  queue.set(on_queue::resources_max, "ncpus", "3");
  BOOST_TEST(asks("4").starts_with("15036 "));
  BOOST_TEST(asks("1") == "queued");
  queue.set(on_queue::resources_min, "ncpus", "2");
  BOOST_TEST(asks("1").starts_with("15036 "));
  BOOST_TEST(asks("2") == "queued");
}

BOOST_AUTO_TEST_CASE(a_hold_wins_over_an_execution_time) {
  job_story story;
  submitted(story, {{"Hold_Types", "", "u"}, {"Execution_Time", "", std::to_string(story.now_s + 10)}});
  BOOST_TEST(story.state() == "H 20");
}

BOOST_AUTO_TEST_CASE(an_execution_time_in_the_past_is_dropped) {
  job_story story;
  submitted(story, {{"Execution_Time", "", std::to_string(story.now_s)}});
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(!story.job.attributes.has(ids::Execution_Time));
}

BOOST_AUTO_TEST_CASE(queues_refuse_with_pbs_numbers) {
  job_story story;
  BOOST_TEST(submitted(story, {}, "nosuch").starts_with("15018 "));
  auto& queue = story.settings.queues["workq"].attributes;
  queue.set(on_queue::enabled, "False");
  BOOST_TEST(submitted(story).starts_with("15021 "));
  queue.set(on_queue::enabled, "True");
  queue.set(on_queue::acl_user_enable, "True");
  queue.set(on_queue::acl_users, "someone");
  BOOST_TEST(submitted(story).starts_with("15022 "));
  queue.set(on_queue::acl_users, "user1");
  queue.set(on_queue::acl_group_enable, "True");
  BOOST_TEST(submitted(story).starts_with("15022 "));
  queue.set(on_queue::acl_groups, "group1");
  queue.set(on_queue::acl_host_enable, "True");
  BOOST_TEST(submitted(story).starts_with("15008 "));
  queue.set(on_queue::acl_hosts, "borg");
  story.settings.server.erase(on_server::default_queue);
  BOOST_TEST(submitted(story).starts_with("15037 "));
  BOOST_TEST(submitted(story, {}, "workq") == "queued");
}

BOOST_AUTO_TEST_CASE(root_submits_only_where_acl_roots_lets_him) {
  job_story story;
  auto command = submission(12);
  command.euser = "root";
  BOOST_TEST(story.when(command, root()).starts_with("15023 "));
  story.settings.server.set(on_server::acl_roots, "root@elsewhere");
  BOOST_TEST(story.when(command, root()).starts_with("15023 "));
  story.settings.server.set(on_server::acl_roots, "root@borg");
  BOOST_TEST(story.when(command, root()) == "queued");
}

BOOST_AUTO_TEST_CASE(bad_attributes_are_refused) {
  job_story story;
  BOOST_TEST(submitted(story, {{"No_Such", "", "1"}}).starts_with("15002 "));
  BOOST_TEST(submitted(story, {{"Priority", "", "high"}}).starts_with("15014 "));
  BOOST_TEST(submitted(story, {{"Priority", "", "1024"}}).starts_with("15014 "));
  BOOST_TEST(submitted(story, {{"comment", "", "mine"}}).starts_with("15003 "));
  BOOST_TEST(submitted(story, {{"Resource_List", "nosuch", "1"}}).starts_with("15035 "));
  BOOST_TEST(submitted(story, {{"Resource_List", "select", "1:ncpus=x"}}).starts_with("15014 "));
  BOOST_TEST(submitted(story, {{"Priority", "", "1023"}}) == "queued");
}

BOOST_AUTO_TEST_CASE(a_request_beyond_resources_max_is_refused) {
  job_story story;
  story.settings.queues["workq"].attributes.set(on_queue::resources_max, "ncpus", "4");
  BOOST_TEST(submitted(story, {{"Resource_List", "select", "5:ncpus=1"}}).starts_with("15036 "));
  BOOST_TEST(submitted(story, {{"Resource_List", "select", "4:ncpus=1"}}) == "queued");
}

BOOST_AUTO_TEST_CASE(a_job_runs_with_a_group_of_its_submitter) {
  const auto egroup = [](const std::string& group_list, const std::string& primary = "staff") {
    job_story story;
    auto command = submission(12, {{"group_list", "", group_list}});
    command.egroup = primary;
    command.groups = {primary, "video"};
    return story.when(command) == "queued" ? story.attribute(ids::egroup) : "refused";
  };
  BOOST_TEST(egroup("video") == "video");
  BOOST_TEST(egroup("staff,video@borg") == "video");
  BOOST_TEST(egroup("video@cube") == "staff");
  BOOST_TEST(egroup("root") == "refused");
  BOOST_TEST(egroup("video,root@borg") == "refused");
}

BOOST_AUTO_TEST_CASE(a_submitter_names_no_other_user_to_run_as) {
  job_story story;
  BOOST_TEST(submitted(story, {{"User_List", "", "user1,other@borg"}}) == "15023 Bad UID for job execution");
  BOOST_TEST(submitted(story, {{"User_List", "", "user1"}}) == "queued");
}

BOOST_AUTO_TEST_CASE(what_hooks_set_is_checked_with_the_right_of_a_manager_and_what_a_user_asked_for_with_his) {
  job_story story;
  auto by_a_hook = submission(12, {{"comment", "", "x"}, {"topjob_ineligible", "", "True"}});
  by_a_hook.by_hooks = {"comment"};
  BOOST_TEST(story.when(by_a_hook).starts_with("15003 "));
  by_a_hook.by_hooks = {"comment", "topjob_ineligible"};
  BOOST_TEST(story.when(by_a_hook) == "queued");
  BOOST_TEST(story.attribute(ids::comment) == "x");
  auto fixed = submission(13, {{"schedselect", "", "1:ncpus=1"}});
  fixed.by_hooks = {"schedselect"};
  BOOST_TEST(job_story().when(fixed).starts_with("15003 "));
}

BOOST_AUTO_TEST_CASE(spare_chunks_are_for_operators_and_hooks_and_count_at_the_limits) {  // RS-21, RS-22, RS-23, RS-24
  const given_values asked = {{"Resource_List", "select", "1:ncpus=1"}, {"Resource_List", "select_reliable_startup", "3:ncpus=1"}};
  job_story story;
  BOOST_TEST(submitted(story, asked) == "15007 Only PBS managers and operators are allowed to set 'select_reliable_startup'");
  BOOST_TEST(submitted(story, {{"Resource_List", "rjselect", "3:ncpus=1"}}) ==
             "15007 not allowed to set 'rjselect' unless PBS operator or manager");
  BOOST_TEST(submitted(story, {{"Resource_List", "select_reliable_startup", "nonsense:"}}, "", operator_()) ==
             "15014 Illegal attribute or resource value Resource_List.select_reliable_startup");
  BOOST_TEST(submitted(story, {{"Resource_List", "select_reliable_startup", "1:ncpus=x"}}, "", operator_()) ==
             "15014 Illegal attribute or resource value select_reliable_startup.ncpus");
  story.settings.server.set(on_server::resources_max, "ncpus", "2");
  BOOST_TEST(submitted(story, asked, "", operator_()).starts_with("15036 "));
  story.settings.server.set(on_server::resources_max, "ncpus", "3");
  auto by_a_hook = submission(12, asked);
  by_a_hook.by_hooks = {"Resource_List.select_reliable_startup"};
  BOOST_TEST(story.when(by_a_hook) == "queued");
  BOOST_TEST(story.attribute(ids::Resource_List, "select") == "3:ncpus=1");
  BOOST_TEST(story.attribute(ids::Resource_List, "select_requested") == "1:ncpus=1");
  BOOST_TEST(story.attribute(ids::Resource_List, "ncpus") == "3");
  BOOST_TEST(story.attribute(ids::schedselect) == "3:ncpus=1");
}
