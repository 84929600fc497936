// select, place, exec_vnode, exec_host and resource lists: grammar and printing.
#include <boost/test/unit_test.hpp>

#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/place.hpp"
#include "events/values/resource_list.hpp"
#include "events/values/select.hpp"

using namespace annals::values;

namespace {

std::string select(const char* text) {
  const auto spec = parse_select(text);
  if (spec) return print(*spec);
  switch (spec.error().why) {
    case select_error::malformed:
      return "malformed";
    case select_error::zero_count:
      return "zero";
    case select_error::duplicate_resource:
      return "twice " + spec.error().resource;
  }
  return "?";
}

std::string nodes(const char* text) {
  const auto converted = convert_nodes(text);
  if (converted) return print_with_counts(converted->select) + " " + converted->place;
  return converted.error().why == nodes_error::unknown_property ? "unknown " + converted.error().property : "malformed";
}

std::string place(const char* text) {
  const auto spec = parse_place(text);
  return spec ? print(*spec) : "refused";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(specs)

BOOST_AUTO_TEST_CASE(a_select_prints_as_it_was_written) {
  for (const char* text : {"1:ncpus=1", "ncpus=2", "2", "1:ncpus=1+2:ncpus=2:mem=1gb", "3:host=p2[0]:rs=a,b"})
    BOOST_TEST(select(text) == text);
  BOOST_TEST(print_with_counts(*parse_select("ncpus=2+3")) == "1:ncpus=2+3");
  BOOST_TEST(parse_select("2:ncpus=1+3")->chunk_count() == 5u);
}

BOOST_AUTO_TEST_CASE(a_bad_select_says_what_is_wrong) {
  for (const char* text : {"", "2:", "1:ncpus=1+", "1:ncpus", "1:ncpus=", "-1:ncpus=1", "bogus", "1:ncpus=1 +1",
                           "1::ncpus=1", "+", "1:rs=\"a:b\"", "1:2:ncpus=1", "99999999999:ncpus=1", "1:=3", "1:rs='a'"})
    BOOST_TEST(select(text) == "malformed", text);
  BOOST_TEST(select("0:ncpus=1") == "zero");
  BOOST_TEST(select("0") == "zero");
  BOOST_TEST(select("1:ncpus=1:ncpus=2") == "twice ncpus");
}

BOOST_AUTO_TEST_CASE(a_request_has_at_most_a_million_chunks) {
  BOOST_TEST(select("1000000:ncpus=1") == "1000000:ncpus=1");
  BOOST_TEST(select("1000000:ncpus=1+1:ncpus=1") == "malformed");
  BOOST_TEST(nodes("1000001") == "malformed");
}

BOOST_AUTO_TEST_CASE(old_node_specs_become_chunks) {
  BOOST_TEST(nodes("2") == "2:ncpus=1 scatter");
  BOOST_TEST(nodes("2:ppn=2") == "2:ncpus=2:mpiprocs=2 scatter");
  BOOST_TEST(nodes("1:ppn=1:cpp=2") == "1:ncpus=2 scatter");
  BOOST_TEST(nodes("2#shared") == "2:ncpus=1 free");
  BOOST_TEST(nodes("2#excl") == "2:ncpus=1 scatter:excl");
  BOOST_TEST(nodes("p2") == "1:ncpus=1:host=p2 scatter");
  BOOST_TEST(nodes("1:ppn=2+p3:ppn=1") == "1:ncpus=2:mpiprocs=2+1:ncpus=1:host=p3 scatter");
  BOOST_TEST(nodes("1:ncpus=2") == "1:ncpus=2 scatter");
  BOOST_TEST(nodes("1:foo") == "unknown foo");
  for (const char* text : {"", "0", "1:", "2:ppn=0", "2:ppn=x", "1+", "a=b", "1:ncpus=1:ncpus=2"}) {
    const std::string got = nodes(text);
    BOOST_TEST((got == "malformed" || got == "unknown "), text);
  }
}

BOOST_AUTO_TEST_CASE(place_words_come_in_any_order_and_once) {
  BOOST_TEST(place("scatter:excl") == "scatter:excl");
  BOOST_TEST(place("excl:pack") == "pack:excl");
  BOOST_TEST(place("group=host:scatter:excl") == "scatter:excl:group=host");
  BOOST_TEST(place("exclhost") == "exclhost");
  for (const char* text :
       {"", "foo", "free:scatter", "excl:shared", "pack:", ":pack", "group=", "group=a:group=b", "Pack"})
    BOOST_TEST(place(text) == "refused", text);
}

BOOST_AUTO_TEST_CASE(exec_vnode_prints_what_it_read) {
  for (const char* text : {"(p1:ncpus=1)", "(p2[0]:mem=4194304kb:ncpus=1+p2[1]:mem=4194304kb+p2[2]:mem=2097152kb)",
                           "(p1:ncpus=1)+(p1:ncpus=1)+(p2)", "p2:ncpus=2", "(v-1.x@y:ncpus=0)"}) {
    const auto spec = parse_exec_vnode(text);
    BOOST_REQUIRE_MESSAGE(spec, text);
    BOOST_TEST(print(*spec) == text);
  }
  const auto names = parse_exec_vnode("(a:ncpus=1+b:ncpus=1)+(a:ncpus=1)")->vnodes();
  BOOST_TEST((names == std::vector<std::string>{"a", "b"}));
  for (const char* text : {"", "(", "()", "(p1", "p1)", "(p1:ncpus)", "(p1:ncpus=)", "(p1)(p2)", "(p1)+", "+(p1)",
                           "(p1:a=1:a=2)", "((p1))"})
    BOOST_TEST(!parse_exec_vnode(text), text);
}

BOOST_AUTO_TEST_CASE(exec_host_prints_what_it_read) {
  for (const char* text : {"p1/0", "p1/0*2+p2/1", "p1/0*0", "q1.site.org/12"}) {
    const auto spec = parse_exec_host(text);
    BOOST_REQUIRE_MESSAGE(spec, text);
    BOOST_TEST(print(*spec) == text);
  }
  BOOST_TEST((hosts_of(*parse_exec_host("b/0+a/0+b/1")) == std::vector<std::string>{"b", "a"}));
  for (const char* text : {"", "p1", "/0", "p1/", "p1/x", "p1/0*", "p1/0+", "p1/-1"})
    BOOST_TEST(!parse_exec_host(text), text);
}

BOOST_AUTO_TEST_CASE(a_resource_list_is_ordered_and_the_last_value_wins) {
  BOOST_TEST(print(*parse_resource_list("ncpus=2,mem=1gb,ncpus=3")) == "mem=1gb,ncpus=3");
  BOOST_TEST(print(*parse_resource_list("walltime=")) == "walltime=");
  BOOST_TEST(parse_resource_list("")->empty());
  BOOST_TEST(parse_resource_list("software='a,b c'")->at("software") == "a,b c");
  BOOST_TEST(print(*parse_resource_list("software='a,b c'")) == "software=\"a,b c\"");
}

BOOST_AUTO_TEST_CASE(elements_without_a_value_reach_the_server) {
  const auto values = parse_named_values("select=1:ncpus=1 +1,ncpus");
  BOOST_REQUIRE(values);
  BOOST_TEST(values->size() == 3u);
  BOOST_TEST((*values)[1].name == "+1");
  BOOST_TEST((*values)[1].value == "");
  BOOST_TEST((*values)[2].name == "ncpus");
  BOOST_TEST(!parse_named_values("=3"));
  BOOST_TEST(!parse_named_values("\"a\"=3"));
}

BOOST_AUTO_TEST_SUITE_END()
