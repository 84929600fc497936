// qmgr's language: what PBS takes, and where its carets stand.
#include <boost/test/unit_test.hpp>

#include <utility>

#include "tools/client/query/manager_command.hpp"

using namespace annals::client;
using annals::schema::AttributeOp;

namespace {

manager_command parsed(const std::string& line) {
  const auto p = parse_manager_command(line);
  BOOST_REQUIRE_MESSAGE(std::holds_alternative<manager_command>(p), line);
  return std::get<manager_command>(p);
}

struct refused {
  std::string text;
  int status;
};
refused problem(const std::string& line) {
  const auto p = parse_manager_command(line);
  BOOST_REQUIRE_MESSAGE(std::holds_alternative<manager_problem>(p), line);
  const auto& why = std::get<manager_problem>(p);
  return {problem_text(why, line), problem_status(why)};
}

// The line under the command has its caret at `column`.
void check_caret(const std::string& line, std::size_t column, int status = 4) {
  const refused r = problem(line);
  BOOST_TEST(r.text == "qmgr: Syntax error\n" + line + "\n" + std::string(column, ' ') + "^\n");
  BOOST_TEST(r.status == status, line);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(manager_language)

BOOST_AUTO_TEST_CASE(verbs_and_objects_may_be_cut_to_any_leading_part) {
  for (const char* line : {"l q za", "li que za", "list queue za"}) {
    BOOST_TEST((parsed(line) == manager_command{manager_verb::list, manager_object::queue, {"za"}, {}, {}}), line);
  }
  BOOST_TEST((parsed("d sched msx").object == manager_object::scheduler));
  BOOST_TEST((parsed("l sc").object == manager_object::scheduler));
  BOOST_TEST((parsed("p s").object == manager_object::server));
  BOOST_TEST((parsed("q").verb == manager_verb::quit));
  BOOST_TEST((parsed("exit").verb == manager_verb::quit));
  BOOST_TEST(parsed("? set").rest == "set");
}

BOOST_AUTO_TEST_CASE(hook_commands_have_short_forms) {  // RS-112
  const std::pair<const char*, const char*> forms[] = {
      {"c h qjob event=queuejob", "create hook qjob event=queuejob"},
      {"c h q event=\"queuejob,modifyjob\",order=5", "create hook q event = \"queuejob,modifyjob\", order = 5"},
      {"i h launch application/x-python default launch.py", "import hook launch application/x-python default launch.py"},
      {"e h qjob application/x-config base64", "export hook qjob application/x-config base64"},
      {"s h qjob event+=modifyjob", "set hook qjob event += modifyjob"},
      {"s h qjob event-=modifyjob", "set hook qjob event -= modifyjob"},
      {"u h qjob order", "unset hook qjob order"},
      {"l h", "list hook"},
      {"l h qjob event,order", "list hook qjob event,order"},
      {"p h qjob,launch", "print hook qjob,launch"},
      {"d h qjob", "delete hook qjob"},
      {"a h qjob", "active hook qjob"},
      {"i p h1 application/x-config default c.json", "import pbshook h1 application/x-config default c.json"},
  };
  for (const auto& [brief, full] : forms) BOOST_TEST((parsed(brief) == parsed(full)), brief);
  BOOST_TEST((parsed("c h qjob event=queuejob") ==
              manager_command{manager_verb::create, manager_object::hook, {"qjob"}, {{"event", "", "queuejob", AttributeOp::SET}}, {}}));
  BOOST_TEST((parsed("d h qjob") == manager_command{manager_verb::remove, manager_object::hook, {"qjob"}, {}, {}}));
}

BOOST_AUTO_TEST_CASE(imports_and_exports_name_content_encoding_and_file) {
  const auto content = [](const std::string& line) { return parsed(line).content; };
  using words = std::vector<std::string>;
  BOOST_TEST(parsed("i h qjob application/x-python default qjob.py").names == words{"qjob"}, boost::test_tools::per_element());
  BOOST_TEST(content("i h qjob application/x-python default qjob.py") == (words{"application/x-python", "default", "qjob.py"}),
             boost::test_tools::per_element());
  BOOST_TEST(content("e h qjob application/x-python base64") == (words{"application/x-python", "base64"}),
             boost::test_tools::per_element());
  BOOST_TEST(content("e h qjob application/x-python default 'a file.py' ").back() == "a file.py");
  BOOST_TEST(content("i h qjob application/x-python default \"a file.py\"").back() == "a file.py");
  check_caret("import hook application/x-python default qjob.py", 48);  // without a name, as the seed has it
  check_caret("i h qjob application/x-python default", 37);
  check_caret("e h qjob application/x-python", 29);
  check_caret("e h qjob application/x-python default a.py b.py", 43);
  check_caret("i h qjob application/x-python default \"a.py", 43);
  check_caret("i q workq application/x-python default a.py", 10);
  check_caret("i h", 3);
}

BOOST_AUTO_TEST_CASE(changes_have_names_resources_operators_and_values) {
  const manager_command c = parsed("set queue workq resources_max.ncpus=3, acl_users += \"a@b,c@d\" ,Priority -=1");
  const std::vector<attribute_change> expected = {{"resources_max", "ncpus", "3", AttributeOp::SET},
                                                  {"acl_users", "", "a@b,c@d", AttributeOp::INCREMENT},
                                                  {"Priority", "", "1", AttributeOp::DECREMENT}};
  BOOST_TEST((c.changes == expected));
  BOOST_TEST(parsed("set queue workq Priority==5").changes.front().value == "=5");
  BOOST_TEST(parsed("set server comment='say \"x\"'").changes.front().value == "say \"x\"");
}

BOOST_AUTO_TEST_CASE(names_stand_in_lists) {
  const std::vector<std::string> names{"r3", "r4"};
  BOOST_TEST(parsed("create resource r3,r4 type=size").names == names, boost::test_tools::per_element());
  BOOST_TEST(parsed("l q @default").names.front() == "@default");
  BOOST_TEST(parsed("create node 10.1.2.3 Mom=q2").names.front() == "10.1.2.3");
  BOOST_TEST(parsed("create queue a.b").names.front() == "a.b");  // for the server to refuse
}

// Issue: what stood behind '@' was left away, and the server at hand did it.
BOOST_AUTO_TEST_CASE(a_name_says_of_which_server_it_is) {
  using parts = std::vector<names_at_server>;
  for (const auto object : {manager_object::queue, manager_object::node, manager_object::hook, manager_object::pbs_hook,
                            manager_object::resource, manager_object::scheduler}) {
    BOOST_TEST((by_server(object, {}) == parts{{"", {}}}));
    BOOST_TEST((by_server(object, {"a", "b@default", "@default"}) == parts{{"", {"a", "b", "@default"}}}));
    BOOST_TEST((by_server(object, {"a@east.org", "@east.org", "c", "d@west:15001"}) ==
                parts{{"east.org", {"a", "@default"}}, {"", {"c"}}, {"west:15001", {"d"}}}));
  }
  BOOST_TEST((by_server(manager_object::server, {"q1", "@q2"}) == parts{{"q1", {"q1"}}, {"q2", {}}}));
  BOOST_TEST((by_server(manager_object::server, {"default"}) == parts{{"", {"default"}}}));
  BOOST_TEST((by_server(manager_object::server, {"@default"}) == parts{{"", {}}}));
  BOOST_TEST((by_server(manager_object::server, {}) == parts{{"", {}}}));
}

BOOST_AUTO_TEST_CASE(the_server_needs_no_name) {  // MS-21, MS-25
  const manager_command set = parsed("set server scheduling = True");
  BOOST_TEST(set.names.empty());
  BOOST_TEST(set.changes.front().name == "scheduling");
  BOOST_TEST(parsed("l s scheduling").names.empty());
  BOOST_TEST(parsed("l s scheduling").changes.size() == 1u);
  BOOST_TEST(parsed("l server q1").names.front() == "q1");
  BOOST_TEST(parsed("l s nosuch").names.front() == "nosuch");
  BOOST_TEST(parsed("u s comment").changes.front().name == "comment");
  for (const char* line : {"u s sched_preempt_enforce_resumption", "set server job_sort_formula_threshold=5"})
    BOOST_TEST(parsed(line).changes.size() == 1u, line);  // for the server to refuse
  BOOST_TEST(parsed("unset server mailer,nosuch").changes.size() == 2u);
  BOOST_TEST(parsed("delete server q1").names.front() == "q1");
  BOOST_TEST(parsed("set sched comment=x").names.empty());
}

// As transcripts of a PBS have it: the active objects are meant, if there are any.
BOOST_AUTO_TEST_CASE(unset_with_attributes_alone_names_no_object) {
  for (const char* line : {"unset node partition", "u n PARTITION", "unset node resources_available.ncpus ", "unset queue enabled"}) {
    BOOST_TEST(parsed(line).names.empty(), line);
    BOOST_TEST(parsed(line).changes.size() == 1u, line);
  }
  BOOST_TEST(parsed("unset node comment,priority").names.empty());
  BOOST_TEST(parsed("unset node comment,priority").changes.size() == 2u);
  BOOST_TEST(parsed("unset queue enabled started").names.front() == "enabled");
  BOOST_TEST(parsed("unset node comment comment").names.front() == "comment");
  check_caret("unset node vm", 13);
  check_caret("unset queue q1", 14);
}

BOOST_AUTO_TEST_CASE(attributes_of_list_keep_their_order) {
  const manager_command c = parsed("l n vm state,resources_available.ncpus");
  BOOST_TEST(c.changes.size() == 2u);
  BOOST_TEST(c.changes[1].name == "resources_available");
  BOOST_TEST(c.changes[1].resource == "ncpus");
}

BOOST_AUTO_TEST_CASE(syntax_errors_point_at_their_place_as_pbs_does) {
  check_caret("set queue", 9);
  check_caret("set queue workq", 15);
  check_caret("set queue workq enabled", 23);
  check_caret("set queue workq enabled=", 24);
  check_caret("set queue workq =true", 16);
  check_caret("set queue workq Priority=5 started=True", 27);
  check_caret("set queue workq Priority+5", 26);
  check_caret("unset queue workq enabled=true", 26);
  check_caret("set server foo=1", 15);
  check_caret("set server bogus=1", 17);
  check_caret("u s nosuch", 10);
  check_caret("unset server nosuch,mailer", 26);
  check_caret("set s max_run=3", 14);
  check_caret("set server max_run=\"u:PBS_GENERIC=1\"", 19);
  check_caret("set server max_run=\"[z:PBS_GENERIC=1]\"", 20);
  check_caret("set server max_run=\"[o:foo=1]\"", 24);
  check_caret("set server max_run=\"[u:bob=1, p:proj=2]\"", 27);
  check_caret("set server max_run = \"[u:pbsuser=-1]\"", 32);
  check_caret("set server max_run = \"[u:\"a b\"=3]\"", 26);
  check_caret("set queue workq max_queued_res.mem=[x:a=1gb]", 36);
  BOOST_TEST(parsed("set server max_run = \"\"").changes.front().value == "");
  BOOST_TEST(parsed("set server max_run-=[u:bob]").changes.front().value == "[u:bob]");
  check_caret("l q workq enabled; l q workq started", 19);
  check_caret("set queue workq comment=\"a", 26);
}

BOOST_AUTO_TEST_CASE(an_attribute_behind_sched_is_no_name) {
  for (const char* line : {"list sched job_sort_formula", "print sched job_sort_formula_threshold", "unset sched job_sort_formula"}) {
    BOOST_TEST(parsed(line).names.empty(), line);
    BOOST_TEST(parsed(line).changes.size() == 1u, line);
  }
  BOOST_TEST(parsed("list sched sc1").names.size() == 1u);
  BOOST_TEST(parsed("unset sched sc1 comment").names.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_scheduler_is_made_and_deleted_by_its_name) {  // MS-03
  check_caret("c sched", 7, 3);
  check_caret("create sched partition=P1", 13, 3);
  check_caret("d sched", 7, 3);
  BOOST_TEST(parsed("create sched multi_sched_1").names.front() == "multi_sched_1");
  BOOST_TEST(parsed("l sched").names.empty());
}

BOOST_AUTO_TEST_CASE(bad_names_have_their_own_status) {
  check_caret("create queue 1abc", 13, 3);
  check_caret("create queue \"a b\"", 13, 3);
  check_caret("create queue -x", 13, 3);
  check_caret("create queue _x", 13, 3);
  check_caret("d q 1abc,aaaaaaaaaaaaaaaa,a.b,_x", 4, 3);
  check_caret("create resource 1r", 16, 3);
}

BOOST_AUTO_TEST_CASE(verbs_and_objects_that_do_not_exist_are_named) {
  BOOST_TEST(problem("foo bar").text == "qmgr: Illegal operation: foo\nTry 'help' if you are having trouble.\n");
  BOOST_TEST(problem("#comment").status == 1);
  BOOST_TEST(problem("create").text == "qmgr: No object type given\n");
  BOOST_TEST(problem("l vnode q2 state").text == "qmgr: Illegal object type: vnode.\n");
  BOOST_TEST(problem("set Priority=3").text == "qmgr: Illegal object type: Priority.\n");
  BOOST_TEST(problem("set").status == 2);
  BOOST_TEST(problem("").status == 255);
}

BOOST_AUTO_TEST_CASE(input_is_joined_split_and_freed_of_comments) {
  const std::vector<std::string> expected{"l q workq enabled", "l q workq started", "quit", "set s comment='a;b # c'"};
  const auto got =
      split_manager_input("l q workq \\\nenabled; l q workq started # c\n# x\n\nquit\nset s comment='a;b # c'\n");
  BOOST_TEST(got == expected, boost::test_tools::per_element());
  BOOST_TEST(is_continued("a \\\n"));
  BOOST_TEST(!is_continued("a"));
}

BOOST_AUTO_TEST_CASE(help_knows_its_topics) {
  BOOST_TEST(manager_help("cr").starts_with("Syntax: create object"));
  BOOST_TEST(manager_help("foo") == "No help available on: foo\nCheck the PBS Reference Guide for more help.\n\n");
}

BOOST_AUTO_TEST_SUITE_END()
