// The resource catalogue, and changes of a job's request.
#include <boost/test/unit_test.hpp>

#include "events/attributes/ids.hpp"
#include "events/attributes/resources.hpp"
#include "events/attributes/select_rules.hpp"

using namespace annals;
using namespace annals::attributes;
using schema::Role;

namespace {

std::string text_of(const std::optional<refusal>& why) {
  return why ? std::to_string(why->code) + " " + why->text : "accepted";
}

request_defaults one_cpu() {
  request_defaults d;
  d.server_default = {{"ncpus", "1"}};
  d.server_chunk = {{"ncpus", "1"}};
  return d;
}

std::string shown(const completion& c) {
  return c ? values::print(c->resources) + " | " + c->schedselect : c.error().text;
}

// A job submitted with `asked` and altered with `changes`, one alteration after the other.
std::string altered(const resource_list& asked, const std::vector<resource_list>& changes, Role role = Role::USER) {
  auto job = complete_request(asked, one_cpu(), {}, role);
  BOOST_REQUIRE(job);
  for (const resource_list& change : changes) {
    if (!job) return shown(job);
    job = alter_request(job->resources, change, one_cpu(), {}, role);
  }
  return shown(job);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resources)

BOOST_AUTO_TEST_CASE(flags_print_in_the_fixed_order) {
  BOOST_TEST(resource_flags_text(*resource_flags_of("nh")) == "hn");
  BOOST_TEST(resource_flags_text(*resource_flags_of("q,n,h")) == "hqn");
  BOOST_TEST(resource_flags_text(*resource_flags_of("mrifnqh")) == "hqnfirm");
  BOOST_TEST(resource_flags_text(0) == "");
  BOOST_TEST(!resource_flags_of("hx"));
}

// Two chunks that want three of it each.
BOOST_AUTO_TEST_CASE(flags_say_where_it_is_asked_for_what_is_added_up_and_who_may_ask) {
  const auto asked = [](const std::string& flags, Role role = Role::USER) {
    resource_catalogue site;
    BOOST_REQUIRE(!site.create("x", "long", flags));
    const auto done = complete_request({{"select", "2:ncpus=1:x=3"}}, one_cpu(), site, role);
    if (!done) return std::string("refused");
    const auto sum = done->resources.find("x");
    return sum == done->resources.end() ? "not added up" : sum->second;
  };
  BOOST_TEST(asked("") == "refused");
  BOOST_TEST(asked("h") == "not added up");
  for (const std::string flag : {"q", "n", "f"}) BOOST_TEST(asked("h" + flag) == "6", flag);
  for (const std::string flag : {"i", "r"}) {
    BOOST_TEST(asked("h" + flag) == "refused", flag);
    BOOST_TEST(asked("h" + flag, Role::OPERATOR) == "not added up", flag);
  }
}

BOOST_AUTO_TEST_CASE(a_custom_resource_is_created_changed_and_removed) {
  resource_catalogue c;
  BOOST_TEST(text_of(c.create("rr", "long", "nh")) == "accepted");
  BOOST_TEST((c.find("rr")->type == value_type::integer));
  BOOST_TEST(text_of(c.create("rr", "", "")) == "15055 Duplicate entry in list ");
  BOOST_TEST(disagreement("rr", "string", "hn")->text ==
             "Erroneous to have flag 'n', 'f', or 'q' on resource \"rr\" which is type string, string_array, or boolean.");
  BOOST_TEST(!disagreement("rr", "long", "hn"));
  BOOST_TEST(text_of(c.change("rr", std::nullopt, "h")) == "accepted");
  BOOST_TEST(text_of(c.change("rr", "string", std::nullopt)) == "accepted");
  BOOST_TEST(text_of(c.remove("rr")) == "accepted");
  BOOST_TEST(!c.find("rr"));
  BOOST_TEST(text_of(c.remove("rr")) == "15035 Unknown resource");
}

BOOST_AUTO_TEST_CASE(bad_definitions_are_refused) {
  resource_catalogue c;
  BOOST_TEST(text_of(c.create("ncpus", "long", "")) == "15055 Duplicate entry in list ");
  BOOST_TEST(text_of(c.remove("ncpus")) == "15004 Invalid request");
  BOOST_TEST(text_of(c.create("r2", "foo", "")) == "15014 Illegal attribute or resource value");
  BOOST_TEST(text_of(c.create("r2", "duration", "")) == "15014 Illegal attribute or resource value");
  BOOST_TEST(text_of(c.create("r2", "", "x")) == "15014 Illegal attribute or resource value");
  BOOST_TEST(text_of(c.create("2r", "", "")) == "15014 Illegal attribute or resource value");
  BOOST_TEST(text_of(c.create("r2", "string", "n")) ==
             "15014 Erroneous to have flag 'n' without 'h' on resource \"r2\".");
  BOOST_TEST(c.custom().empty());
}

BOOST_AUTO_TEST_CASE(the_builtin_table_has_the_guides_flags) {
  const resource_catalogue c;
  BOOST_TEST(resource_flags_text(c.find("ncpus")->flags) == "hqnm");
  BOOST_TEST(resource_flags_text(c.find("mpiprocs")->flags) == "hq");
  BOOST_TEST(resource_flags_text(c.find("arch")->flags) == "h");
  BOOST_TEST((c.find("walltime")->type == value_type::duration));
  BOOST_TEST((c.find("soft_walltime")->set_by == setter::manager));
}

BOOST_AUTO_TEST_CASE(bags_give_and_take_lists) {
  attribute_set b;
  set_resources(b, job::Resource_List, {{"ncpus", "2"}, {"mem", "1gb"}});
  set_resources(b, job::Resource_List, {{"ncpus", "3"}});
  BOOST_TEST((resources_of(b, job::Resource_List) == resource_list{{"ncpus", "3"}}));
}

BOOST_AUTO_TEST_CASE(a_property_in_nodes_is_a_boolean_resource) {
  resource_catalogue site;
  BOOST_TEST(text_of(site.create("bigmem", "boolean", "h")) == "accepted");
  BOOST_TEST(text_of(site.create("count", "long", "nh")) == "accepted");
  BOOST_TEST(text_of(site.create("wide", "boolean", "")) == "accepted");
  const auto asked = [&](const char* nodes) { return shown(complete_request({{"nodes", nodes}}, one_cpu(), site, Role::USER)); };
  BOOST_TEST(asked("2:bigmem:ppn=2") ==
             "mpiprocs=4,ncpus=4,nodect=2,nodes=2:bigmem:ppn=2,place=scatter,"
             "select=2:ncpus=2:mpiprocs=2:bigmem=True | 2:ncpus=2:mpiprocs=2:bigmem=True");
  for (const std::string other : {"count", "wide", "nosuch"})
    BOOST_TEST(asked(("1:" + other).c_str()).find(other) != std::string::npos);
  BOOST_TEST(asked("1:count") == "Unknown resource: count");
}

BOOST_AUTO_TEST_CASE(memory_beside_nodes_is_divided_over_the_chunks) {
  const auto done = complete_request({{"nodes", "2"}, {"mem", "1gb"}}, one_cpu(), {}, Role::USER);
  BOOST_TEST(
      shown(done) ==
      "mem=1048576kb,ncpus=2,nodect=2,nodes=2,place=scatter,select=2:ncpus=1:mem=524288KB | 2:ncpus=1:mem=524288KB");
}

BOOST_AUTO_TEST_CASE(a_default_select_overrules_job_wide_cpus) {
  request_defaults d = one_cpu();
  d.queue_default = {{"select", "2:ncpus=2"}};
  const auto done = complete_request({{"ncpus", "1"}}, d, {}, Role::USER);
  BOOST_TEST(shown(done) == "ncpus=4,nodect=2,place=free,select=2:ncpus=2 | 2:ncpus=2");
}

BOOST_AUTO_TEST_CASE(a_managers_chunk_may_ask_for_invisible_resources) {
  resource_catalogue c;
  BOOST_REQUIRE(!c.create("ri", "long", "ih"));
  BOOST_TEST(shown(complete_request({{"select", "1:ri=1"}}, one_cpu(), c, Role::USER)) ==
             "Resource invalid in \"select\" specification: ri");
  BOOST_TEST(bool(complete_request({{"select", "1:ri=1"}}, one_cpu(), c, Role::MANAGER)));
}

BOOST_AUTO_TEST_CASE(altering_walltime_touches_nothing_else) {
  BOOST_TEST(altered({{"select", "1:ncpus=1"}}, {{{"walltime", "200"}}}) ==
             "ncpus=1,nodect=1,place=free,select=1:ncpus=1,walltime=00:03:20 | 1:ncpus=1");
  BOOST_TEST(altered({{"select", "1:ncpus=1"}}, {{{"walltime", "200"}}, {{"walltime", ""}}}) ==
             "ncpus=1,nodect=1,place=free,select=1:ncpus=1 | 1:ncpus=1");
}

BOOST_AUTO_TEST_CASE(altering_select_replaces_the_sums) {
  BOOST_TEST(altered({{"select", "1:ncpus=1:mem=1gb"}}, {{{"select", "2:ncpus=2"}}}) ==
             "ncpus=4,nodect=2,place=free,select=2:ncpus=2 | 2:ncpus=2");
  BOOST_TEST(altered({{"select", "2:ncpus=2"}}, {{{"place", "scatter"}}}) ==
             "ncpus=4,nodect=2,place=scatter,select=2:ncpus=2 | 2:ncpus=2");
}

BOOST_AUTO_TEST_CASE(job_wide_resources_cannot_join_a_select) {
  const std::string refused = "\"-lresource=\" cannot be used with \"select\" or \"place\", resource is: ";
  BOOST_TEST(altered({{"select", "1:ncpus=1"}}, {{{"ncpus", "3"}}}) == refused + "ncpus");
  BOOST_TEST(altered({{"select", "1:ncpus=1"}}, {{{"mem", "1gb"}}}) == refused + "mem");
  BOOST_TEST(altered({{"ncpus", "2"}}, {{{"nosuch", "1"}}}) == "Unknown resource Resource_List.nosuch");
}

BOOST_AUTO_TEST_CASE(a_job_without_a_select_is_built_again) {
  BOOST_TEST(altered({{"ncpus", "1"}}, {{{"ncpus", "2"}}}) ==
             "ncpus=2,nodect=1,place=pack,select=1:ncpus=2 | 1:ncpus=2");
  BOOST_TEST(altered({{"ncpus", "1"}}, {{{"ncpus", "2"}}, {{"select", "1:ncpus=1"}}}) ==
             "ncpus=1,nodect=1,place=pack,select=1:ncpus=1 | 1:ncpus=1");
  BOOST_TEST(altered({{"ncpus", "2"}}, {{{"mem", "1gb"}}}) ==
             "mem=1gb,ncpus=2,nodect=1,place=pack,select=1:mem=1gb:ncpus=2 | 1:mem=1gb:ncpus=2");
}

// -- spare chunks -----------------------------------------------------------------------------------------------------

namespace {

const std::string padded = "ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb";
const std::string plain = "ncpus=3:mem=1gb+ncpus=2:mem=2gb+ncpus=1:mem=3gb";
const std::string counted_padded = "1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb";
const std::string counted_plain = "1:ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+1:ncpus=1:mem=3gb";

std::string as_asked(const std::string& select) {  // by a job that is given no spare chunks
  return "mem=6gb,ncpus=6,nodect=3,place=free,select=" + select + " | " + counted_plain;
}
std::string replaced(const std::string& more = "") {
  return "mem=11gb,ncpus=9,nodect=5,place=free," + more + "select=" + counted_padded + ",select_reliable_startup=" + padded +
         ",select_requested=" + counted_plain + " | " + counted_padded;
}
std::string beside() {
  return "mem=11gb,ncpus=9,nodect=5,place=free,rjselect=" + padded + ",select=" + plain +
         ",select_requested=" + counted_plain + " | " + counted_padded;
}

}  // namespace

BOOST_AUTO_TEST_CASE(spare_chunks_replace_the_select_and_what_was_asked_is_kept) {  // RS-18, RS-24, RS-30, RS-34
  const resource_list asked = {{"select", plain}, {"select_reliable_startup", padded}, {"place", "scatter:excl"}};
  const auto done = complete_request(asked, one_cpu(), {}, Role::OPERATOR);
  BOOST_REQUIRE(done);
  const resource_list expected = {{"mem", "11gb"},
                                  {"ncpus", "9"},
                                  {"nodect", "5"},
                                  {"place", "scatter:excl"},
                                  {"select", "1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb"},
                                  {"select_reliable_startup", "ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb"},
                                  {"select_requested", "1:ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+1:ncpus=1:mem=3gb"}};
  BOOST_TEST(values::print(done->resources) == values::print(expected));
  BOOST_TEST(done->schedselect == "1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb");
}

BOOST_AUTO_TEST_CASE(the_older_rjselect_leaves_the_select_as_it_was_asked) {  // RS-19, RS-26, RS-121
  BOOST_TEST(shown(complete_request({{"select", plain}, {"rjselect", padded}}, one_cpu(), {}, Role::OPERATOR)) == beside());
}

BOOST_AUTO_TEST_CASE(with_both_the_newer_one_wins) {  // RS-36
  const resource_list asked = {{"select", plain}, {"select_reliable_startup", padded}, {"rjselect", "7:ncpus=7"}};
  BOOST_TEST(shown(complete_request(asked, one_cpu(), {}, Role::OPERATOR)) == replaced("rjselect=7:ncpus=7,"));
}

BOOST_AUTO_TEST_CASE(what_was_asked_is_kept_with_its_defaults_and_counts) {  // RS-32
  const resource_list asked = {{"select", "3:ncpus=1+mem=5gb+ncpus=2:mem=2gb"}, {"rjselect", "3:ncpus=1+2:mem=5gb+ncpus=2:mem=2gb"}};
  const auto done = complete_request(asked, one_cpu(), {}, Role::OPERATOR);
  BOOST_REQUIRE(done);
  BOOST_TEST(done->resources.at("select_requested") == "3:ncpus=1+1:mem=5gb:ncpus=1+1:ncpus=2:mem=2gb");
  BOOST_TEST(done->schedselect == "3:ncpus=1+2:mem=5gb:ncpus=1+1:ncpus=2:mem=2gb");
}

BOOST_AUTO_TEST_CASE(spare_chunks_stand_beside_requests_without_a_select) {  // RS-24
  const auto members = complete_request({{"ncpus", "2"}, {"select_reliable_startup", "3:ncpus=2"}}, one_cpu(), {}, Role::OPERATOR);
  BOOST_TEST(shown(members) ==
             "ncpus=6,nodect=3,place=pack,select=3:ncpus=2,select_reliable_startup=3:ncpus=2,select_requested=1:ncpus=2 | 3:ncpus=2");
  const auto nodes = complete_request({{"nodes", "2"}, {"rjselect", "3:ncpus=1"}}, one_cpu(), {}, Role::OPERATOR);
  BOOST_TEST(shown(nodes) ==
             "ncpus=3,nodect=3,nodes=2,place=scatter,rjselect=3:ncpus=1,select=2:ncpus=1,select_requested=2:ncpus=1 | 3:ncpus=1");
  request_defaults site = one_cpu();
  site.queue_default = {{"rjselect", "2:ncpus=1"}};
  BOOST_TEST(shown(complete_request({{"select", "1:ncpus=1"}}, site, {}, Role::USER)) ==
             "ncpus=2,nodect=2,place=free,rjselect=2:ncpus=1,select=1:ncpus=1,select_requested=1:ncpus=1 | 2:ncpus=1");
}

BOOST_AUTO_TEST_CASE(spare_chunks_have_the_grammar_of_select) {  // RS-18, RS-19
  for (const std::string name : {"select_reliable_startup", "rjselect"}) {
    const auto with = [&](const char* chunks) {
      return shown(complete_request({{"select", plain}, {name, chunks}}, one_cpu(), {}, Role::MANAGER));
    };
    BOOST_TEST(with("2:ncpus=x") == "Illegal attribute or resource value " + name + ".ncpus");
    BOOST_TEST(with("ncpus") == "Illegal attribute or resource value Resource_List." + name);
    BOOST_TEST(with("2:nosuch=1") == "Unknown resource: nosuch");
    BOOST_TEST(with("2:walltime=1") == "Resource invalid in \"select\" specification: walltime");
  }
}

BOOST_AUTO_TEST_CASE(operators_managers_and_hooks_ask_for_spare_chunks) {  // RS-20, RS-21, RS-22, RS-23, RS-31
  const auto ask = [](const char* name, const asker& by) { return shown(complete_request({{name, "2:ncpus=1"}}, one_cpu(), {}, by)); };
  BOOST_TEST(ask("select_reliable_startup", Role::USER) == "Only PBS managers and operators are allowed to set 'select_reliable_startup'");
  BOOST_TEST(ask("rjselect", Role::USER) == "not allowed to set 'rjselect' unless PBS operator or manager");
  const std::string hooks[] = {"Resource_List.rjselect", "Resource_List.select_requested"};
  for (const asker& by : {asker(Role::OPERATOR), asker(Role::MANAGER), asker(Role::ROOT), asker(Role::SERVER), asker(Role::USER, hooks)}) {
    BOOST_TEST(ask("rjselect", by).ends_with(" | 2:ncpus=1"));
    BOOST_TEST(ask("select_requested", by) ==
               "Cannot set attribute, read only or insufficient permission  Resource_List.select_requested");
  }
  BOOST_TEST(ask("select_reliable_startup", asker(Role::USER, hooks)).starts_with("Only PBS managers"));
}

BOOST_AUTO_TEST_CASE(spare_chunks_come_and_go_with_alterations) {  // RS-20, RS-24, RS-26
  const auto by_operator = [](const std::vector<resource_list>& changes, const resource_list& asked = {{"select", plain}}) {
    return altered(asked, changes, Role::OPERATOR);
  };
  const resource_list newer = {{"select_reliable_startup", padded}}, older = {{"rjselect", padded}};
  const resource_list no_newer = {{"select_reliable_startup", ""}}, no_older = {{"rjselect", ""}};
  BOOST_TEST(by_operator({newer}) == replaced());
  BOOST_TEST(by_operator({newer, {{"walltime", "60"}}, {{"walltime", ""}}}) == replaced());
  BOOST_TEST(by_operator({newer, no_newer}) == as_asked(counted_plain));
  BOOST_TEST(by_operator({older}) == beside());
  BOOST_TEST(by_operator({older, no_older}) == as_asked(plain));
  BOOST_TEST(by_operator({older, newer, no_older}) == replaced());
  BOOST_TEST(by_operator({newer, {{"select_reliable_startup", "2:ncpus=1"}}, no_newer}) == as_asked(counted_plain));
}

BOOST_AUTO_TEST_CASE(a_new_select_beside_spare_chunks_is_what_was_asked) {  // RS-24
  BOOST_TEST(altered({{"select", "1:ncpus=8"}, {"select_reliable_startup", padded}}, {{{"select", plain}}}, Role::OPERATOR) == replaced());
  BOOST_TEST(altered({{"select", "1:ncpus=8"}, {"rjselect", padded}}, {{{"select", plain}}}, Role::OPERATOR) == beside());
  BOOST_TEST(altered({{"ncpus", "2"}, {"rjselect", "3:ncpus=2"}}, {{{"ncpus", "4"}}, {{"rjselect", ""}}}, Role::OPERATOR) ==
             "ncpus=4,nodect=1,place=pack,select=1:ncpus=4 | 1:ncpus=4");
}

BOOST_AUTO_TEST_CASE(nodes_of_an_existing_job_are_only_kept) {
  BOOST_TEST(altered({{"select", "2:ncpus=2"}}, {{{"nodes", "1:ppn=2"}}}) ==
             "ncpus=4,nodect=2,nodes=1:ppn=2,place=free,select=2:ncpus=2 | 2:ncpus=2");
}

BOOST_AUTO_TEST_SUITE_END()
