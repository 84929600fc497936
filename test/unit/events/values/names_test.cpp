// Job ids, hold types, node states, limits, comma lists and error numbers.
#include <boost/test/unit_test.hpp>

#include "events/values/hold_set.hpp"
#include "events/values/job_id.hpp"
#include "events/values/limit_spec.hpp"
#include "events/values/limit_table.hpp"
#include "events/values/node_state.hpp"
#include "events/values/number.hpp"
#include "events/values/pbs_error.hpp"
#include "events/values/string_list.hpp"

using namespace annals::values;

namespace {

std::string full(const char* text) { return id_for(text, "borg").value_or("illegal"); }
std::string holds(const char* text) {
  const auto set = parse_hold_set(text);
  return set ? print(*set) : "refused";
}
std::string limits(const char* text) {
  const auto spec = parse_limits(text);
  return spec ? print(*spec) : "refused";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(names)

BOOST_AUTO_TEST_CASE(the_server_part_of_a_job_id_may_be_left_out) {
  BOOST_TEST(full("12") == "12.borg");
  BOOST_TEST(full("12.borg") == "12.borg");
  BOOST_TEST(full("12.borg.site.org") == "12.borg");
  BOOST_TEST(full("99999[]") == "99999[].borg");
  BOOST_TEST(full("12[3]") == "12[3].borg");
  BOOST_TEST(full("12[1-5].borg") == "12[1-5].borg");
  BOOST_TEST(full("12[1-9:2]") == "12[1-9:2].borg");
  BOOST_TEST(full("12@borg") == "12.borg");
}

BOOST_AUTO_TEST_CASE(ill_formed_job_ids_are_recognised) {
  for (const char* bad : {"", "abc", "1.2.3", "99999.other", "12[1,5]", "12[", "12[x]", "12.", "12x", "-1", " 12",
                          "12[1-]", "12.borg.", "999999999999999999999"})
    BOOST_TEST(full(bad) == "illegal", bad);
}

BOOST_AUTO_TEST_CASE(the_forms_of_a_job_id_are_told_apart) {
  BOOST_TEST((parse_job_id("12")->form == id_form::job));
  BOOST_TEST((parse_job_id("12[]")->form == id_form::array));
  BOOST_TEST((parse_job_id("12[3]")->form == id_form::subjob));
  BOOST_TEST((parse_job_id("12[1-5]")->form == id_form::range));
}

BOOST_AUTO_TEST_CASE(holds_print_in_the_order_s_o_u_p) {
  BOOST_TEST(holds("u") == "u");
  BOOST_TEST(holds("uos") == "sou");
  BOOST_TEST(holds("pus") == "sup");
  BOOST_TEST(holds("uu") == "u");
  BOOST_TEST(holds("n") == "n");
  for (const char* bad : {"", "x", "un", "U"}) BOOST_TEST(holds(bad) == "refused", bad);
}

BOOST_AUTO_TEST_CASE(node_states_print_in_order) {
  BOOST_TEST(print_node_state(0) == "free");
  BOOST_TEST(print_node_state(node_state::down | node_state::unknown) == "state-unknown,down");
  BOOST_TEST(print_node_state(node_state::job_exclusive | node_state::offline) == "offline,job-exclusive");
  BOOST_TEST(print_node_state(node_state::offline | node_state::offlined_by_mom) == "offline");
  BOOST_TEST(parse_node_state("state-unknown,down").value() == (node_state::down | node_state::unknown));
  BOOST_TEST(parse_settable_node_state("offline,down").value() == (node_state::offline | node_state::down));
  BOOST_TEST(parse_settable_node_state("free").value() == 0u);
  for (const char* bad : {"busy", "job-busy", "foo", "", "offline,"}) BOOST_TEST(!parse_settable_node_state(bad), bad);
}

BOOST_AUTO_TEST_CASE(limits_are_sorted_by_their_text) {
  BOOST_TEST(limits("[u:PBS_GENERIC=3],[o:PBS_ALL=10]") == "[o:PBS_ALL=10],[u:PBS_GENERIC=3]");
  BOOST_TEST(limits("[u:bob=2], [g:x=1]") == "[g:x=1],[u:bob=2]");
  for (const char* bad : {"", "3", "u:bob=1", "[u:bob=1, p:proj=2]", "[x:bob=1]", "[u:PBS_ALL=1]", "[o:bob=1]",
                          "[u:bob]", "[u:bob=1],", "[u:a=1],[u:a=2]", "[u:=1]"})
    BOOST_TEST(limits(bad) == "refused", bad);
  BOOST_TEST((parse_limits("[u:a=1],[u:a=2]").error() == limit_error::duplicate_entity));
}

BOOST_AUTO_TEST_CASE(limit_entries_are_added_replaced_and_removed) {
  limit_spec spec = *parse_limits("[u:bob=2],[u:PBS_GENERIC=5]");
  add_limits(spec, *parse_limits("[u:bob=3],[g:x=1]"));
  BOOST_TEST(print(spec) == "[g:x=1],[u:PBS_GENERIC=5],[u:bob=3]");
  remove_limits(spec, *parse_limits("[u:bob=9],[g:x]", false));
  BOOST_TEST(print(spec) == "[u:PBS_GENERIC=5],[u:bob=3]");
}

BOOST_AUTO_TEST_CASE(a_named_limit_beats_the_generic_one) {
  const limit_table table(*parse_limits("[u:bob=3],[u:PBS_GENERIC=5],[o:PBS_ALL=9],[p:x=1]"),
                          [](auto text) { return parse_integer(text); });
  BOOST_TEST((table.of(limit_kind::user, "bob") == limit_table::bound{3, true}));
  BOOST_TEST((table.of(limit_kind::user, "eve") == limit_table::bound{5, false}));
  BOOST_TEST((table.of(limit_kind::all, "bob") == limit_table::bound{9, false}));
  BOOST_TEST(!table.of(limit_kind::group, "x"));
  BOOST_TEST(!table.of(limit_kind::project, "y"));
  BOOST_TEST(!table.empty());
  BOOST_TEST(limit_table().empty());
  BOOST_TEST(limit_table::entry_text(limit_kind::user, "bob", false, "5") == "[u:PBS_GENERIC=5]");
  BOOST_TEST(limit_table::entry_text(limit_kind::group, "x", true, "4gb") == "[g:x=4gb]");
}

// Where the transcripts of qmgr have their carets.
BOOST_AUTO_TEST_CASE(limits_that_break_the_grammar_are_pointed_at) {
  const std::pair<const char*, std::size_t> cases[] = {
      {"u:PBS_GENERIC=1", 0},
      {"5", 0},
      {"", 0},
      {"[z:PBS_GENERIC=1]", 1},
      {"[o:foo=1]", 5},
      {"[u:PBS_ALL=1]", 5},
      {"[o:PBS_GENERIC=5]", 5},
      {"[u:bob=1, p:proj=2]", 8},
      {"[u:pbsuser=-1]", 11},
      {"[u:pbsuser=3", 12},
      {"[u:a b=3]", 5},
      {"[u:bob=1],", 10},
  };
  for (const auto& [text, at] : cases) BOOST_TEST(limit_syntax_problem(text).value_or(999) == at, text);
  for (const char* fine : {"[u:bob=1]", "[u:bob]", "[u:=3]", "[u:bob=abc]", "[u:a=1],[u:a=2]", "[p:\"a b\"=4gb] , [o:PBS_ALL=1:0]"})
    BOOST_TEST(!limit_syntax_problem(fine), fine);
}

BOOST_AUTO_TEST_CASE(list_elements_may_hold_commas) {
  BOOST_TEST((split_trimmed("a, b\\,c ,d\\\\") == std::vector<std::string>{"a", "b,c", "d\\"}));
  BOOST_TEST(join_list({"a", "b,c", "d\\"}) == "a,b\\,c,d\\\\");
  BOOST_TEST((split_list("a, b\\,c ") == std::vector<std::string>{"a", " b,c "}));
  BOOST_TEST((split_list("a\\n\\") == std::vector<std::string>{"a\\n\\"}));
  BOOST_TEST(split_list("").empty());
  BOOST_TEST((split_list("a,") == std::vector<std::string>{"a", ""}));
  BOOST_TEST((split_quoted("a='x,y',b") == std::vector<std::string_view>{"a='x,y'", "b"}));
}

BOOST_AUTO_TEST_CASE(error_numbers_have_pbs_texts_and_exit_statuses) {
  BOOST_TEST(pbs_error_text(pbs_error::unknown_job) == "Unknown Job Id");
  BOOST_TEST(pbs_error_symbol(15001) == "PBSE_UNKJOBID");
  BOOST_TEST(exit_code_of(15001) == 153);
  BOOST_TEST(exit_code_of(pbs_error::unauthorized) == 159);
  BOOST_TEST(exit_code_of(pbs_error::job_has_finished) == 35);
  BOOST_TEST(pbs_error_text(1).empty());
  BOOST_TEST(pbs_error_text(15231) == "Attribute has to be set on an array job");
}

BOOST_AUTO_TEST_CASE(a_directory_of_another_scheduler_has_the_numbers_of_the_design_document) {  // MS-18
  BOOST_TEST(pbs_error_text(15215) == "Another scheduler has same value for its sched_log directory");
  BOOST_TEST(pbs_error_text(15216) == "Another scheduler has same value for its sched_priv directory");
  BOOST_TEST(pbs_error_symbol(pbs_error::sched_log_in_use) == "PBSE_SCHED_LOG_EXIST");
  BOOST_TEST(pbs_error_symbol(pbs_error::sched_priv_in_use) == "PBSE_SCHED_PRIV_EXIST");
}

BOOST_AUTO_TEST_CASE(some_messages_end_in_a_blank) {
  for (const auto number : {pbs_error::unauthorized, pbs_error::undefined_attribute, pbs_error::read_only_attribute,
                            pbs_error::unknown_node, pbs_error::cannot_modify_running})
    BOOST_TEST(pbs_error_text(number).back() == ' ');
  BOOST_TEST(pbs_error_text(pbs_error::unknown_queue).back() != ' ');
  BOOST_TEST(refuse(pbs_error::read_only_attribute, "comment").text ==
             "Cannot set attribute, read only or insufficient permission  comment");
  BOOST_TEST(refuse_about(pbs_error::unknown_resource, "foo").text == "Unknown resource: foo");
}

BOOST_AUTO_TEST_SUITE_END()
