// qalter: what may be changed, by whom, in which state, and what follows from a change.
#include <boost/test/unit_test.hpp>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
namespace ids = attributes::job;

namespace {

setting unset(const std::string& name, const std::string& resource = "") { return {name, resource, "", schema::AttributeOp::UNSET}; }

std::string asked_and_derived(const job_story& story) {
  std::string text;
  for (auto c : story.history.back().second.get().getJob().getAltered().getChanges())
    text += std::string(c.getDerived() ? "(" : "") + schema::str(c.getResource()) + (c.getDerived() ? ") " : " ");
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_new_select_gives_new_sums) {
  auto story = given(job_phase::queued, {{"Resource_List", "select", "1:ncpus=1:mem=1gb"}, {"Resource_List", "walltime", "60"}});
  BOOST_TEST(story.when(alter({{"Resource_List", "select", "2:ncpus=2"}})) == "altered");
  BOOST_TEST(story.attribute(ids::Resource_List, "ncpus") == "4");
  BOOST_TEST(story.attribute(ids::Resource_List, "nodect") == "2");
  BOOST_TEST(story.attribute(ids::Resource_List, "mem") == "");
  BOOST_TEST(story.attribute(ids::Resource_List, "walltime") == "00:01:00");
  BOOST_TEST(story.attribute(ids::schedselect) == "2:ncpus=2");
  BOOST_TEST(asked_and_derived(story) == "(ncpus) (nodect) select (mem) () ");
}

BOOST_AUTO_TEST_CASE(a_new_place_leaves_the_select_alone) {
  auto story = given(job_phase::queued, {{"Resource_List", "select", "2:ncpus=2"}});
  BOOST_TEST(story.when(alter({{"Resource_List", "place", "scatter"}})) == "altered");
  BOOST_TEST(story.attribute(ids::Resource_List, "place") == "scatter");
  BOOST_TEST(story.attribute(ids::Resource_List, "select") == "2:ncpus=2");
  BOOST_TEST(story.attribute(ids::Resource_List, "ncpus") == "4");
}

BOOST_AUTO_TEST_CASE(chunk_resources_are_not_altered_beside_a_select) {
  auto story = given(job_phase::queued, {{"Resource_List", "select", "2:ncpus=2"}});
  const auto answer = story.when(alter({{"Resource_List", "ncpus", "3"}}));
  BOOST_TEST(answer.find("cannot be used with \"select\" or \"place\", resource is: ncpus") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_job_without_select_is_built_again_from_its_members) {
  auto story = given(job_phase::queued);
  BOOST_TEST(story.when(alter({{"Resource_List", "ncpus", "3"}})) == "altered");
  BOOST_TEST(story.attribute(ids::Resource_List, "select") == "1:ncpus=3");
  BOOST_TEST(asked_and_derived(story) == "ncpus (select) () ");
}

BOOST_AUTO_TEST_CASE(taking_a_limit_away_takes_the_attribute_away) {
  auto story = given(job_phase::queued, {{"Resource_List", "walltime", "60"}});
  BOOST_TEST(story.when(alter({unset("Resource_List", "walltime")})) == "altered");
  BOOST_TEST(story.attribute(ids::Resource_List, "walltime") == "");
}

BOOST_AUTO_TEST_CASE(a_limit_that_is_taken_away_is_the_default_again) {
  auto story = given(job_phase::queued, {{"Resource_List", "walltime", "60"}, {"Resource_List", "software", "x"}});
  const auto after_unset = [&] {
    story.when(alter({unset("Resource_List", "walltime"), unset("Resource_List", "software")}));
    return story.attribute(ids::Resource_List, "walltime");
  };
  story.settings.server.set(attributes::server::resources_max, "walltime", "03:00:00");
  BOOST_TEST(after_unset() == "03:00:00");
  story.settings.server.set(attributes::server::resources_default, "walltime", "01:00:00");
  BOOST_TEST(after_unset() == "01:00:00");
  story.settings.queues["workq"].attributes.set(attributes::queue::resources_default, "walltime", "02:00:00");
  BOOST_TEST(after_unset() == "02:00:00");
  BOOST_TEST(story.attribute(ids::Resource_List, "software") == "");
  BOOST_TEST(story.attribute(ids::Resource_List, "select") == "1:ncpus=1");
}

BOOST_AUTO_TEST_CASE(the_owner_of_a_running_job_lowers_its_walltime_only) {
  auto story = given(job_phase::started, {{"Resource_List", "walltime", "600"}});
  BOOST_TEST(story.when(alter({{"Resource_List", "walltime", "500"}})) == "altered");
  BOOST_TEST(story.when(alter({{"Resource_List", "walltime", "700"}})) == "15007 Unauthorized Request ");
  BOOST_TEST(story.when(alter({{"Resource_List", "walltime", "700"}}), operator_()) == "altered");
  BOOST_TEST(story.attribute(ids::Resource_List, "walltime") == "00:11:40");
}

BOOST_AUTO_TEST_CASE(the_host_of_a_running_job_is_told_of_limits_paths_and_names) {
  auto story = given(job_phase::started, {{"Resource_List", "walltime", "600"}, {"Output_Path", "", "borg:/home/user/a"}});
  BOOST_TEST(story.when(alter({{"Priority", "", "5"}})) == "altered");
  BOOST_TEST(story.job.requests.empty());
  BOOST_TEST(story.when(alter({{"Resource_List", "walltime", "500"}, {"Priority", "", "6"}, {"Output_Path", "", "borg:/home/user/b"}})) ==
             "altered");
  BOOST_REQUIRE(story.job.requests.size() == 1u);
  const auto& told = story.job.requests.front();
  BOOST_TEST((told.what == model::run_request::kind::alter));
  BOOST_REQUIRE(told.changes.size() == 2u);
  BOOST_TEST((told.changes[0] == model::shown_value{"Resource_List", "walltime", "00:08:20"}));
  BOOST_TEST((told.changes[1] == model::shown_value{"Output_Path", "", "borg:/home/user/b"}));
  BOOST_TEST(story.when(alter({unset("Resource_List", "walltime")}), operator_()) == "altered");
  BOOST_REQUIRE(story.job.requests.size() == 2u);
  BOOST_TEST((story.job.requests.back().changes.front() == model::shown_value{"Resource_List", "walltime", std::nullopt}));
}

BOOST_AUTO_TEST_CASE(output_that_is_open_at_its_final_place_stays_there) {
  const auto path = [](const std::string& to) { return alter({{"Output_Path", "", to}}); };
  const auto direct = given(job_phase::started, {{"Output_Path", "", "borg:/a"}, {"Error_Path", "", "borg:/e"}, {"Keep_Files", "", "od"}});
  BOOST_TEST(said(direct.ask(path("borg:/b"))).starts_with("15015 "));
  BOOST_TEST(said(direct.ask(path("borg:/a"))) == "altered");
  BOOST_TEST(said(direct.ask(alter({{"Error_Path", "", "borg:/f"}}))) == "altered");
  const auto nowhere = given(job_phase::started, {{"Output_Path", "", "borg:/dev/null"}});
  BOOST_TEST(said(nowhere.ask(path("borg:/b"))).starts_with("15015 "));
  const auto somewhere = given(job_phase::started, {{"Output_Path", "", "borg:/a"}});
  BOOST_TEST(said(somewhere.ask(path("borg:/dev/null"))).starts_with("15015 "));
  const auto queued = given(job_phase::queued, {{"Output_Path", "", "borg:/a"}, {"Keep_Files", "", "od"}});
  BOOST_TEST(said(queued.ask(path("borg:/dev/null"))) == "altered");
}

BOOST_AUTO_TEST_CASE(most_attributes_of_a_running_job_stay) {
  const auto story = given(job_phase::started);
  for (const auto& s : {setting{"Resource_List", "ncpus", "5"},
                        {"Resource_List", "select", "1:ncpus=2"},
                        {"project", "", "p"},
                        {"Account_Name", "", "a"},
                        {"Join_Path", "", "oe"}})
    BOOST_TEST(said(story.ask(alter({s}))).starts_with("15015 "));
  for (const auto& s : {setting{"Priority", "", "5"}, {"Job_Name", "", "n"}, {"Mail_Points", "", "n"}, {"Rerunable", "", "False"}})
    BOOST_TEST(said(story.ask(alter({s}))) == "altered");
}

BOOST_AUTO_TEST_CASE(who_is_neither_owner_nor_operator_alters_nothing) {
  const auto story = given(job_phase::queued);
  BOOST_TEST(said(story.ask(alter({{"Priority", "", "5"}}), user("other"))) == "15007 Unauthorized Request ");
  BOOST_TEST(said(story.ask(alter({{"Priority", "", "5"}}), operator_())) == "altered");
  BOOST_TEST(said(story.ask(alter({{"comment", "", "c"}}))).starts_with("15003 "));
  BOOST_TEST(said(story.ask(alter({{"comment", "", "c"}}), operator_())) == "altered");
}

BOOST_AUTO_TEST_CASE(the_owner_an_operator_and_a_manager_say_which_failures_a_job_bears) {  // RS-10
  auto story = given(job_phase::queued, {{"tolerate_node_failures", "", "all"}});
  BOOST_TEST(story.attribute(ids::tolerate_node_failures) == "all");
  const auto says = [&](const std::string& value) { return alter({{"tolerate_node_failures", "", value}}); };
  const std::pair<const char*, model::requester> allowed[] = {{"job_start", user()}, {"none", operator_()}, {"all", manager()}};
  for (const auto& [value, who] : allowed) {
    BOOST_TEST(story.when(says(value), who) == "altered");
    BOOST_TEST(story.attribute(ids::tolerate_node_failures) == value);
  }
  BOOST_TEST(story.when(says("none"), user("other")) == "15007 Unauthorized Request ");
  BOOST_TEST(story.attribute(ids::tolerate_node_failures) == "all");
}

BOOST_AUTO_TEST_CASE(finished_and_exiting_jobs_are_not_altered) {
  BOOST_TEST(said(given(job_phase::finished).ask(alter({{"Priority", "", "5"}}))) == "15139 Job has finished");
  BOOST_TEST(said(given(job_phase::exiting).ask(alter({{"Priority", "", "5"}}))).starts_with("15016 "));
}

BOOST_AUTO_TEST_CASE(altering_holds_replaces_them_where_the_role_allows) {
  auto story = given(job_phase::queued);
  BOOST_TEST(story.when(alter({{"Hold_Types", "", "u"}})) == "altered");
  BOOST_TEST(story.state() == "H 20");
  story.when(hold({HoldType::OPERATOR}), operator_());
  BOOST_TEST(story.when(alter({{"Hold_Types", "", "n"}})) == "15007 Unauthorized Request ");
  BOOST_TEST(story.when(alter({{"Hold_Types", "", "n"}}), operator_()) == "altered");
  BOOST_TEST(story.state() == "Q 10");
}

BOOST_AUTO_TEST_CASE(an_execution_time_makes_the_job_wait_and_a_past_one_queues_it) {
  auto story = given(job_phase::queued);
  BOOST_TEST(story.when(alter({{"Execution_Time", "", std::to_string(story.now_s + 60)}})) == "altered");
  BOOST_TEST(story.state() == "W 30");
  BOOST_TEST(story.when(alter({{"Execution_Time", "", "1577836800"}})) == "altered");
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(!story.job.attributes.has(ids::Execution_Time));
}

BOOST_AUTO_TEST_CASE(an_attribute_that_is_taken_away_falls_back_to_its_default) {
  auto story = given(job_phase::queued, {{"project", "", "p"}, {"Priority", "", "9"}});
  story.when(alter({unset("project"), unset("Priority")}));
  BOOST_TEST(story.attribute(ids::project) == "_pbs_project_default");
  BOOST_TEST(story.attribute(ids::Priority) == "0");
}

BOOST_AUTO_TEST_CASE(unknown_names_and_bad_values_are_refused) {
  const auto story = given(job_phase::queued);
  BOOST_TEST(said(story.ask(alter({{"No_Such", "", "1"}}))).starts_with("15002 "));
  BOOST_TEST(said(story.ask(alter({{"Resource_List", "nosuch", "1"}}))).starts_with("15035 "));
  BOOST_TEST(said(story.ask(alter({{"Resource_List", "walltime", "soon"}}))).starts_with("15014 "));
  BOOST_TEST(said(story.ask(alter({{"Priority", "", "x"}}))).starts_with("15014 "));
}

BOOST_AUTO_TEST_CASE(the_owner_only_raises_the_run_count) {
  auto story = given(job_phase::queued);
  BOOST_TEST(story.when(alter({{"run_count", "", "5"}})) == "altered");
  BOOST_TEST(said(story.ask(alter({{"run_count", "", "1"}}))) == "15007 Unauthorized Request ");
  BOOST_TEST(said(story.ask(alter({{"run_count", "", "1"}}), operator_())) == "altered");
}

BOOST_AUTO_TEST_CASE(a_job_runs_as_its_owner_only) {
  const auto story = given(job_phase::queued);
  BOOST_TEST(said(story.ask(alter({{"User_List", "", "user1@borg,user1"}}))) == "altered");
  BOOST_TEST(said(story.ask(alter({{"User_List", "", "other"}}))) == "15023 Bad UID for job execution");
}

BOOST_AUTO_TEST_CASE(a_job_changes_to_another_group_of_its_owner_only) {
  auto story = given(job_phase::queued);
  auto video = alter({{"group_list", "", "video"}}), none = alter({{"group_list", "", ""}});
  BOOST_TEST(said(story.ask(video)) == "15045 Bad GID for job execution");
  video.groups = none.groups = {"group1", "video"};
  BOOST_TEST(story.when(video) == "altered");
  BOOST_TEST(story.attribute(ids::egroup) == "video");
  BOOST_TEST(story.when(none) == "altered");
  BOOST_TEST(story.attribute(ids::egroup) == "group1");
}

// docs/design/0023-hooks.md: a node is believed about the runs that it has now.
BOOST_AUTO_TEST_CASE(a_hook_on_a_host_changes_only_the_run_that_is_there) {
  const given_values used{{"resources_used", "cput", "00:10:00"}};
  const auto by_hook = [&](job_story& story, std::uint32_t run, const std::string& host) {
    return story.when(model::hook_changes{alter(used), run, host}, {"pbs_mom", host, schema::Role::MOM});
  };
  auto story = given(job_phase::started);
  BOOST_TEST(by_hook(story, 1, "borg") == "altered");
  BOOST_TEST(by_hook(story, 2, "borg") == "");
  BOOST_TEST(by_hook(story, 1, "other") == "");
  story.exits(0);
  BOOST_TEST(by_hook(story, 1, "borg") == "altered");  // its epilogue
  auto again = given(job_phase::started);
  again.when(rerun(), manager());
  again.exits(-11);
  again.leaves();
  BOOST_TEST(again.state() == "Q 10");
  BOOST_TEST(by_hook(again, 1, "borg") == "");
  again.when(propose(), the_scheduler());
  BOOST_TEST(by_hook(again, 1, "borg") == "");
  BOOST_TEST(by_hook(again, 2, "borg") == "altered");
}

BOOST_AUTO_TEST_CASE(what_the_server_or_the_job_does_not_have_is_not_altered) {
  const auto story = given(job_phase::queued);
  BOOST_TEST(said(story.ask(alter({{"max_run_subjobs", "", "2"}}))).starts_with("15231 "));
  BOOST_TEST(said(story.ask(alter({{"eligible_time", "", "100"}}), operator_())).starts_with("15138 "));
  BOOST_TEST(said(story.ask(alter({{"estimated.start_time", "", "1"}}))) == "15002 Undefined attribute  estimated.start_time");
}

BOOST_AUTO_TEST_CASE(hooks_alter_with_the_right_of_a_manager_whoever_asks) {
  const auto story = given(job_phase::queued);
  const auto by_hooks = [](model::client_request request, const std::vector<std::string>& names) {
    request.by_hooks = names;
    return request;
  };
  const auto both = alter({{"comment", "", "c"}, {"topjob_ineligible", "", "True"}});
  BOOST_TEST(said(story.ask(by_hooks(both, {"comment", "topjob_ineligible"}))) == "altered");
  BOOST_TEST(said(story.ask(by_hooks(both, {"topjob_ineligible"}))).starts_with("15003 "));
  const auto held = alter({{"Hold_Types", "", "s"}});
  BOOST_TEST(said(story.ask(held)).starts_with("15007 "));
  BOOST_TEST(said(story.ask(by_hooks(held, {"Hold_Types"}))) == "altered");
  BOOST_TEST(said(story.ask(by_hooks(alter({{"schedselect", "", "1:ncpus=1"}}), {"schedselect"}))).starts_with("15003 "));
}

BOOST_AUTO_TEST_CASE(limits_do_not_count_where_hooks_set_all_that_is_asked_for) {
  auto story = given(job_phase::queued);
  story.settings.server.set(attributes::server::resources_max, "mem", "1gb");
  auto large = alter({{"Resource_List", "mem", "2gb"}, {"Resource_List", "cput", "60"}});
  large.by_hooks = {"Resource_List.mem"};
  BOOST_TEST(said(story.ask(large)).starts_with("15036 "));
  large.by_hooks.push_back("Resource_List.cput");
  BOOST_TEST(said(story.ask(large)) == "altered");
}

BOOST_AUTO_TEST_CASE(spare_chunks_are_altered_by_operators_and_hooks) {  // RS-20, RS-21, RS-22, RS-23, RS-31
  auto story = given(job_phase::queued, {{"Resource_List", "select", "1:ncpus=1"}});
  const auto spares = alter({{"Resource_List", "select_reliable_startup", "2:ncpus=1"}});
  BOOST_TEST(story.when(spares) == "15007 Only PBS managers and operators are allowed to set 'select_reliable_startup'");
  BOOST_TEST(story.when(alter({{"Resource_List", "rjselect", "2:ncpus=1"}})) ==
             "15007 not allowed to set 'rjselect' unless PBS operator or manager");
  BOOST_TEST(story.when(spares, operator_()) == "altered");
  BOOST_TEST(asked_and_derived(story) == "(ncpus) (nodect) (select) select_reliable_startup (select_requested) () ");
  BOOST_TEST(story.attribute(ids::schedselect) == "2:ncpus=1");
  const auto gone = alter({unset("Resource_List", "select_reliable_startup")});
  BOOST_TEST(story.when(gone).starts_with("15007 "));
  BOOST_TEST(story.when(gone, operator_()) == "altered");
  BOOST_TEST(story.attribute(ids::Resource_List, "select") == "1:ncpus=1");
  BOOST_TEST(story.attribute(ids::Resource_List, "select_requested") == "");
  auto by_a_hook = spares;
  by_a_hook.by_hooks = {"Resource_List.select_reliable_startup"};
  BOOST_TEST(story.when(by_a_hook) == "altered");
  for (const auto& s : {setting{"Resource_List", "select_requested", "1:ncpus=1"}, unset("Resource_List", "select_requested")})
    for (const auto& who : {user(), manager(), the_server()}) BOOST_TEST(said(story.ask(alter({s}), who)).starts_with("15003 "));
  auto running = given(job_phase::started);
  BOOST_TEST(running.when(spares, operator_()).starts_with("15015 "));
}
