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
  auto job = complete_request(asked, one_cpu(), {}, Role::USER);
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

BOOST_AUTO_TEST_CASE(a_custom_resource_is_created_changed_and_removed) {
  resource_catalogue c;
  BOOST_TEST(text_of(c.create("rr", "long", "nh")) == "accepted");
  BOOST_TEST((c.find("rr")->type == value_type::integer));
  BOOST_TEST(text_of(c.create("rr", "", "")) == "15055 Duplicate entry in list ");
  BOOST_TEST(text_of(c.change("rr", "string", std::nullopt)) ==
             "15014 Erroneous to have flag 'n', 'f', or 'q' on resource \"rr\" which is type string, string_array, or "
             "boolean.");
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

BOOST_AUTO_TEST_CASE(nodes_of_an_existing_job_are_only_kept) {
  BOOST_TEST(altered({{"select", "2:ncpus=2"}}, {{{"nodes", "1:ppn=2"}}}) ==
             "ncpus=4,nodect=2,nodes=1:ppn=2,place=free,select=2:ncpus=2 | 2:ncpus=2");
}

BOOST_AUTO_TEST_SUITE_END()
