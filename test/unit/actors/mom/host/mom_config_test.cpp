#include "actors/mom/host/mom_config.hpp"
#include "test/support/paths.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <sstream>

using namespace annals::mom;

BOOST_AUTO_TEST_SUITE(config)

BOOST_AUTO_TEST_CASE(the_shipped_file_is_the_defaults) {
  std::ifstream in(annals::test::source_dir() + "/cluster-config/defaults/mom_config");
  std::stringstream text;
  text << in.rdbuf();
  BOOST_TEST(!text.str().empty());
  const auto parsed = parse_mom_config(text.str());
  BOOST_TEST(parsed.problems.empty());
  BOOST_TEST((parsed.config == mom_config{}));
}

BOOST_AUTO_TEST_CASE(settings_are_read) {  // RS-45
  const auto parsed = parse_mom_config(
      "# a comment\n\n$usecp q1:/home /nfs/home\n$usecp *.site.org:/data/ /data/\n$prologalarm 3\n$enforce mem\n"
      "$enforce !cpuburst\n$max_check_poll 5\n$logevent 0xffffffff\n"
      "$tmpdir /scratch/\n$jobdir_root /jobs\r\n$restrict_user off\n$sister_join_job_alarm 20\n$job_launch_delay 15\n"
      "$use_cgroups off\n$cgroup_cpu_quota true\n$resources_used_strings merge\n$reject_root_scripts true\n");
  BOOST_TEST(parsed.problems.size() == 0u);
  const auto& c = parsed.config;
  BOOST_REQUIRE(c.usecp.size() == 2u);
  BOOST_TEST((c.usecp[0] == usecp_rule{"q1", "/home", "/nfs/home"}));
  BOOST_TEST(c.prologue_alarm_s == 3u);
  BOOST_TEST(c.enforce.mem);
  BOOST_TEST(!c.use_cgroups);
  BOOST_TEST(c.cgroup_cpu_quota);
  BOOST_TEST(c.reject_root_scripts);
  BOOST_TEST(parse_mom_config("$reject_root_scripts perhaps\n").problems.size() == 1u);
  BOOST_TEST((c.used_strings == annals::model::words_form::merge));
  BOOST_TEST((parse_mom_config("$resources_used_strings by_node\n").config.used_strings == annals::model::words_form::by_node));
  for (const char* bad : {"$resources_used_strings\n", "$resources_used_strings yes\n"})
    BOOST_TEST(parse_mom_config(bad).problems.size() == 1u);
  BOOST_TEST(parse_mom_config("$use_cgroups off\n$use_cgroups auto\n").config.use_cgroups);
  BOOST_TEST(parse_mom_config("$use_cgroups maybe\n").problems.size() == 1u);
  BOOST_TEST(c.max_check_poll_s == 5u);
  BOOST_TEST(c.logevent == 0xffffffffu);
  BOOST_TEST(c.tmpdir == "/scratch");
  BOOST_TEST(c.jobdir_root == "/jobs");
  BOOST_TEST(c.sister_join_job_alarm_s == 20u);
  BOOST_TEST(c.job_launch_delay_s == 15u);  // RS-55
}

BOOST_AUTO_TEST_CASE(scripts_that_checkpoint_are_read) {
  const auto parsed = parse_mom_config(
      "$action checkpoint_abort 60 !/site/ckpt %jobid  %sid now\n$action restart 0 !/site/restart %path\n"
      "$restart_transmogrify true\n$checkpoint_path ckpt\n");
  BOOST_TEST(parsed.problems.empty());
  BOOST_TEST((parsed.config.checkpoint_abort == script_action{60, "/site/ckpt", {"%jobid", "%sid", "now"}}));
  BOOST_TEST((parsed.config.restart == script_action{0, "/site/restart", {"%path"}}));
  BOOST_TEST(parsed.config.checkpoint_path == "ckpt");
  for (const char* bad : {"$action", "$action checkpoint_abort 60", "$action checkpoint_abort soon !/x", "$action checkpoint_abort 0 !/x",
                          "$action checkpoint_abort 60 /x", "$action checkpoint_abort 60 !x", "$action checkpoint_abort 60 !/x %user",
                          "$action other 60 !/x", "$restart_transmogrify perhaps", "$checkpoint_path"}) {
    const auto one = parse_mom_config(bad);
    BOOST_REQUIRE(one.problems.size() == 1u);
    BOOST_TEST(one.problems[0].text.starts_with("bad value"));
    BOOST_TEST((one.config == mom_config{}));
  }
}

BOOST_AUTO_TEST_CASE(how_the_host_counts_time_is_a_factor) {
  const auto parsed = parse_mom_config("$cputmult 1.5\n$wallmult 2\n");
  BOOST_TEST(parsed.problems.empty());
  BOOST_TEST((parsed.config.factors == annals::ports::time_factors{1.5, 2}));
  for (const char* bad : {"$cputmult", "$cputmult 0", "$cputmult -1", "$wallmult fast", "$wallmult 1e300", "$wallmult nan"}) {
    const auto one = parse_mom_config(bad);
    BOOST_REQUIRE(one.problems.size() == 1u);
    BOOST_TEST(one.problems[0].text.starts_with("bad value"));
    BOOST_TEST((one.config == mom_config{}));
  }
}

BOOST_AUTO_TEST_CASE(what_has_no_effect_yet_is_said) {
  for (const char* line : {"$clienthost q1", "$action terminate 60 !/bin/true",
                           "$action checkpoint 60 !/bin/true", "$restart_background true", "$restart_transmogrify false",
                           "$enforce cpuburst", "$min_check_poll 2"}) {
    const auto parsed = parse_mom_config(line);
    BOOST_REQUIRE(parsed.problems.size() == 1u);
    BOOST_TEST(parsed.problems[0].text == std::string("no effect yet: ") + line);
  }
}

BOOST_AUTO_TEST_CASE(lines_that_need_another_one_are_named_where_they_come_to_nothing) {
  const auto alone = parse_mom_config("$ideal_load 2\n");
  BOOST_REQUIRE(alone.problems.size() == 1u);
  BOOST_TEST(alone.problems[0].text == "no effect without $max_load: $ideal_load 2");
}

BOOST_AUTO_TEST_CASE(whose_users_are_restricted_is_read) {
  BOOST_TEST(!parse_mom_config("$restrict_user_maxsysid 999\n$restrict_user_exceptions bob\n").config.users.on);  // as installed
  const auto parsed = parse_mom_config("$restrict_user true\n$restrict_user_maxsysid 499\n$restrict_user_exceptions anna,bob, eve\n");
  BOOST_TEST(parsed.problems.empty());
  BOOST_TEST((parsed.config.users == user_restriction{true, 499, {"anna", "bob", "eve"}}));
  BOOST_TEST(!parse_mom_config("$restrict_user true\n$restrict_user false\n").config.users.on);
  BOOST_TEST(parse_mom_config("$restrict_user perhaps\n").problems.size() == 1u);
}

// A typing error there must not end the processes of who was to be left alone.
BOOST_AUTO_TEST_CASE(nobody_is_restricted_while_it_is_not_clear_whom_that_excepts) {
  for (const char* bad : {"$restrict_user_exceptions", "$restrict_user_exceptions ,", "$restrict_user_exceptions a,b,c,d,e,f,g,h,i,j,k",
                          "$restrict_user_maxsysid", "$restrict_user_maxsysid -1", "$restrict_user_maxsysid many"}) {
    for (const auto& text : {std::string(bad) + "\n$restrict_user true\n", std::string("$restrict_user true\n") + bad + "\n"}) {
      const auto parsed = parse_mom_config(text);
      BOOST_TEST(!parsed.config.users.on);
      BOOST_REQUIRE(parsed.problems.size() == 2u);
      const auto& of_rule = parsed.problems[text.starts_with("$restrict_user true") ? 0 : 1].text;
      BOOST_TEST(of_rule.starts_with("no effect beside a bad $restrict_user_"), of_rule);
    }
    BOOST_TEST(parse_mom_config(bad).problems.size() == 1u);
  }
  BOOST_TEST(parse_mom_config("$restrict_user true\n$restrict_user_exceptions a,b,c,d,e,f,g,h,i,j\n").config.users.on);
}

BOOST_AUTO_TEST_CASE(loads_are_read) {
  const auto parsed = parse_mom_config("$ideal_load 2\n$max_load 3.5\n");
  BOOST_TEST(parsed.problems.empty());
  BOOST_TEST((parsed.config.load == load_limits{2, 3.5}));
  const auto suspending = parse_mom_config("$max_load 3.5 suspend");
  BOOST_TEST(suspending.problems.empty());
  BOOST_TEST((suspending.config.load == load_limits{{}, 3.5, true}));
  BOOST_TEST(!parse_mom_config("$max_load 3.5 suspend\n$max_load 3").config.load.suspends);  // the last one counts
  for (const char* bad : {"$max_load", "$max_load -1", "$max_load many", "$max_load 2 stop", "$max_load suspend", "$max_load 2 suspend 3",
                          "$ideal_load 2 suspend"}) {
    const auto one = parse_mom_config(bad);
    BOOST_REQUIRE(one.problems.size() == 1u);
    BOOST_TEST(one.problems[0].text == std::string("bad value for ") + std::string(bad).substr(0, std::string(bad).find(' ')) + ": " + bad);
  }
}

BOOST_AUTO_TEST_CASE(a_host_is_busy_above_one_load_until_it_is_below_another) {
  const auto limits_of = [](const char* lines) { return parse_mom_config(lines).config.load; };
  const auto both = limits_of("$ideal_load 2\n$max_load 3\n"), one = limits_of("$max_load 3\n"),
             crossed = limits_of("$ideal_load 5\n$max_load 3\n");
  BOOST_TEST(!is_busy({}, 100, false));
  BOOST_TEST(!is_busy({2, {}}, 100, true));
  BOOST_TEST(!is_busy(both, 3, false));
  BOOST_TEST(is_busy(both, 3.01, false));
  BOOST_TEST(is_busy(both, 2, true));
  BOOST_TEST(!is_busy(both, 1.99, true));
  BOOST_TEST(!is_busy(one, 3, true));
  BOOST_TEST(is_busy(crossed, 3, true));
  BOOST_TEST(!is_busy(crossed, 2.9, true));
}

BOOST_AUTO_TEST_CASE(the_wait_for_sisters_is_a_number_of_seconds) {  // RS-54
  for (const char* line : {"$sister_join_job_alarm 0", "$sister_join_job_alarm -1", "$sister_join_job_alarm soon"}) {
    const auto parsed = parse_mom_config(std::string("$sister_join_job_alarm 7\n") + line);
    BOOST_REQUIRE(parsed.problems.size() == 1u);
    BOOST_TEST(parsed.problems[0].text == std::string("bad value for $sister_join_job_alarm: ") + line);
    BOOST_TEST(parsed.config.sister_join_job_alarm_s == 7u);
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_line_is_reported_with_its_number_and_the_rest_counts) {
  const auto parsed =
      parse_mom_config("$usecpp a:/x /y\n$prologalarm soon\nncpus 4\n$usecp nonsense\n$max_check_poll 7");
  BOOST_REQUIRE(parsed.problems.size() == 4u);
  BOOST_TEST(parsed.problems[0].line == 1u);
  BOOST_TEST(parsed.problems[0].text == "unknown setting $usecpp");
  BOOST_TEST(parsed.problems[1].line == 2u);
  BOOST_TEST(parsed.problems[1].text == "bad value for $prologalarm: $prologalarm soon");
  BOOST_TEST(parsed.problems[2].text == "no setting: ncpus 4");
  BOOST_TEST(parsed.problems[3].line == 4u);
  BOOST_TEST(parsed.config.prologue_alarm_s == 30u);
  BOOST_TEST(parsed.config.usecp.empty());
  BOOST_TEST(parsed.config.max_check_poll_s == 7u);
}

BOOST_AUTO_TEST_CASE(a_join_alarm_that_is_no_positive_integer_is_reported_and_the_one_before_stays) {  // RS-54
  mom_config before;
  before.sister_join_job_alarm_s = before.job_launch_delay_s = 20;
  for (const char* value : {" 0", " -5", " soon", " 2.5", " 3s", ""}) {
    const auto line = std::string("$sister_join_job_alarm") + value;
    const auto parsed = parse_mom_config("$max_check_poll 5\n" + line + "\n", before);
    BOOST_REQUIRE(parsed.problems.size() == 1u);
    BOOST_TEST(parsed.problems[0].line == 2u);
    BOOST_TEST(parsed.problems[0].text == "bad value for $sister_join_job_alarm: " + line);
    BOOST_TEST(parsed.config.sister_join_job_alarm_s == 20u);
    BOOST_TEST(parsed.config.max_check_poll_s == 5u);
    BOOST_TEST(parse_mom_config(line).config.sister_join_job_alarm_s == 0u);  // of a MoM that starts: as if it were not there
  }
  BOOST_TEST(parse_mom_config("$job_launch_delay 0", before).config.job_launch_delay_s == 20u);
  BOOST_TEST(parse_mom_config("", before).config.sister_join_job_alarm_s == 0u);  // a line that is taken out is not set any more
  BOOST_TEST(parse_mom_config("$sister_join_job_alarm 5", before).config.sister_join_job_alarm_s == 5u);
}

BOOST_AUTO_TEST_CASE(usecp_maps_whole_directories_of_hosts_that_fit) {
  const std::vector<usecp_rule> rules{
      {"q1", "/home", "/nfs/home"}, {"*.site.org", "/data/", "/data/"}, {"*", "/all", "/all"}};
  BOOST_TEST(*local_path(rules, "q1", "/home/anna/x") == "/nfs/home/anna/x");
  BOOST_TEST(*local_path(rules, "Q1", "/home") == "/nfs/home");
  BOOST_TEST(!local_path(rules, "q1", "/home2/anna"));
  BOOST_TEST(!local_path(rules, "q2", "/home/anna"));
  BOOST_TEST(*local_path(rules, "a.site.org", "/data/x") == "/data/x");
  BOOST_TEST(*local_path(rules, "anything", "/all/x") == "/all/x");
}

BOOST_AUTO_TEST_SUITE_END()
