// What a run has: by host, and less with each release.
#include <boost/test/unit_test.hpp>

#include "events/model/vnodes/allocation.hpp"
#include "events/schema/message.hpp"

namespace schema = annals::schema;
using annals::model::allocation;

namespace {

const std::string exec_vnode = "(n1[0]:ncpus=2+n1[1]:ncpus=1:mem=1gb)+(n2:ncpus=4)+(n1[1]:ncpus=1:mem=1gb)+(n3)";
const std::string exec_host = "n1/0*0+n2/0*4+n1/1+n3/0*0";
const std::vector<std::string> hosts{"n1", "n2", "n3"};

allocation all() { return {exec_vnode, exec_host, hosts, "scatter"}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(allocations)

BOOST_AUTO_TEST_CASE(texts_and_hosts_of_an_assignment_fit_together) {
  BOOST_TEST(allocation::fits(exec_vnode, exec_host, hosts));
  BOOST_TEST(!allocation::fits(exec_vnode, "n1/0*0+n2/0*4+n1/1", {"n1", "n2"}));  // a chunk without a host
  BOOST_TEST(!allocation::fits(exec_vnode, exec_host, {"n1", "n3", "n2"}));       // another order
  BOOST_TEST(!allocation::fits(exec_vnode, exec_host, {"n1", "n2"}));
  BOOST_TEST(!allocation::fits(exec_vnode, exec_host, {"n1", "n2", "n3", "n4"}));
  BOOST_TEST(!allocation::fits("(n1:ncpus", exec_host, hosts));
  BOOST_TEST(!allocation::fits("", "", {}));
}

BOOST_AUTO_TEST_CASE(it_says_what_it_has_on_some_hosts) {
  BOOST_TEST(all().on({"n2"}) == "(n2:ncpus=4)");
  BOOST_TEST(all().on({"n1"}) == "(n1[0]:ncpus=2+n1[1]:ncpus=1:mem=1gb)+(n1[1]:ncpus=1:mem=1gb)");
  BOOST_TEST(all().on({"n3", "n2"}) == "(n2:ncpus=4)+(n3)");
  BOOST_TEST(all().on(hosts) == exec_vnode);
  BOOST_TEST(all().on({"n9"}) == "");
  for (const auto* host : {"n1", "n2", "n3", "n9"}) BOOST_TEST(all().on_host(host) == all().on({host}));
  BOOST_TEST(all().is_on("n3"));
  BOOST_TEST(!all().is_on("n"));
}

BOOST_AUTO_TEST_CASE(a_release_takes_chunks_slots_and_hosts_away) {
  auto a = all();
  BOOST_TEST(a.release("(n2:ncpus=4)"));
  BOOST_TEST(a.exec_vnode() == "(n1[0]:ncpus=2+n1[1]:ncpus=1:mem=1gb)+(n1[1]:ncpus=1:mem=1gb)+(n3)");
  BOOST_TEST(a.exec_host() == "n1/0*0+n1/1+n3/0*0");
  BOOST_TEST(a.hosts() == (std::vector<std::string>{"n1", "n3"}), boost::test_tools::per_element());
  BOOST_TEST((a.chunk_of_select(0) == 0u && a.chunk_of_select(1) == 2u && a.chunk_of_select(2) == 3u));
  // Of two equal parts the last goes, so that the first chunk stays whole.
  BOOST_TEST(a.release("(n1[1]:ncpus=1:mem=1gb)"));
  BOOST_TEST(a.exec_vnode() == "(n1[0]:ncpus=2+n1[1]:ncpus=1:mem=1gb)+(n3)");
  BOOST_TEST(a.exec_host() == "n1/0*0+n3/0*0");
  // A part of a chunk; the host keeps what is left of it.
  BOOST_TEST(a.release("n3+(n1[1]:ncpus=1:mem=1gb)"));
  BOOST_TEST(a.exec_vnode() == "(n1[0]:ncpus=2)");
  BOOST_TEST(a.exec_host() == "n1/0*0");
  BOOST_TEST(a.chunk_of_select(0) == 0u);
  BOOST_TEST(a.place() == "scatter");
  BOOST_TEST(a.release("n1[0]:ncpus=2"));
  BOOST_TEST(a.empty());
  BOOST_TEST(a.exec_host() == "");
  BOOST_TEST(a.hosts().empty());
}

BOOST_AUTO_TEST_CASE(parts_are_kept_by_their_number) {
  auto a = all();
  BOOST_TEST(a.keep({true, false, false, true, false}) == "(n1[1]:ncpus=1:mem=1gb)+(n2:ncpus=4)+(n3)");
  BOOST_TEST(a.exec_vnode() == "(n1[0]:ncpus=2)+(n1[1]:ncpus=1:mem=1gb)");
  BOOST_TEST(a.exec_host() == "n1/0*0+n1/1");
  BOOST_TEST(a.hosts() == (std::vector<std::string>{"n1"}), boost::test_tools::per_element());
  BOOST_TEST((a.chunk_of_select(0) == 0u && a.chunk_of_select(1) == 2u));
  const auto before = a;
  BOOST_TEST(a.keep({true, true}) == "");
  BOOST_TEST((a == before));
  BOOST_TEST(a.keep({}) == before.exec_vnode());
  BOOST_TEST(a.empty());
}

BOOST_AUTO_TEST_CASE(parts_may_be_named_by_their_number) {
  auto a = all();
  const auto kept = a.parts_in("(n1[0]:ncpus=2)+(n1[1]:ncpus=1:mem=1gb)", "n1/0*0+n1/1");
  BOOST_REQUIRE(kept);
  BOOST_TEST(*kept == (std::vector<bool>{true, false, false, true, false}), boost::test_tools::per_element());
  BOOST_TEST(!a.parts_in("(n9)", "n9/0"));
  for (const auto& wrong : std::vector<std::vector<std::uint32_t>>{{}, {5}, {2, 1}, {2, 2}, {0, 1, 2, 3, 4}}) BOOST_TEST(!a.without(wrong));
  BOOST_TEST(!allocation().without({0}));
  const auto on_n1 = a.parts_on("n1", {1, 2, 4}).value();
  BOOST_TEST((on_n1.now == 3u && on_n1.then == 2u && on_n1.then_on_first_host == 2u));
  const auto on_n2 = a.parts_on("n2", {0, 1, 3}).value();
  BOOST_TEST((on_n2.now == 1u && on_n2.then == 1u && on_n2.then_on_first_host == 0u));
  BOOST_TEST(a.parts_on("n3", {}).value().then == 1u);
  for (const auto& wrong : std::vector<std::vector<std::uint32_t>>{{5}, {2, 1}, {2, 2}}) BOOST_TEST(!a.parts_on("n1", wrong).has_value());
  const allocation nowhere("(n1:ncpus=1)+(n2:ncpus=1)", "", {}, "");
  BOOST_TEST(nowhere.parts_on("n1", {1}).value().then_on_first_host == 0u);
  BOOST_TEST(!nowhere.without({1}));
  a = a.without({1, 2, 4}).value();
  BOOST_TEST(a.exec_vnode() == "(n1[0]:ncpus=2)+(n1[1]:ncpus=1:mem=1gb)");
  BOOST_TEST(a.exec_host() == "n1/0*0+n1/1");
  BOOST_TEST((a.chunk_of_select(0) == 0u && a.chunk_of_select(1) == 2u));
  const auto two = allocation("(n1:ncpus=1)+(n2:ncpus=1)", "n1/0+n2/0", {"n1", "n2"}, "");
  BOOST_TEST(!two.without({0}));
}

// Chunks of one host may stand anywhere.
BOOST_AUTO_TEST_CASE(hosts_are_kept_in_any_order_of_chunks) {
  allocation a("(a:ncpus=1)+(b:ncpus=1)+(c:ncpus=1)+(a:mem=1gb)+(c:mem=1gb)+(b:mem=1gb)", "a/0+b/0+c/0+a/1*0+c/1*0+b/1*0", {"a", "b", "c"},
               "");
  a = a.without({1, 2, 4}).value();
  BOOST_TEST(a.exec_host() == "a/0+a/1*0+b/1*0");
  BOOST_TEST(a.hosts() == (std::vector<std::string>{"a", "b"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(chunks_may_get_numbers_of_another_select) {
  auto a = all();
  BOOST_TEST(a.release("(n1[1]:ncpus=1:mem=1gb)"));
  BOOST_TEST(a.select() == "");
  a.renumber({1, 0, allocation::no_chunk}, "1:ncpus=4+1:ncpus=3");
  BOOST_TEST(a.select() == "1:ncpus=4+1:ncpus=3");
  BOOST_TEST((a.chunk_of_select(0) == 1u && a.chunk_of_select(1) == 0u && a.chunk_of_select(2) == allocation::no_chunk));
  BOOST_TEST(a.release("(n1[0]:ncpus=2+n1[1]:ncpus=1:mem=1gb)"));  // they keep them
  BOOST_TEST((a.chunk_of_select(0) == 0u && a.chunk_of_select(1) == allocation::no_chunk));
}

BOOST_AUTO_TEST_CASE(a_reduction_is_told_as_what_is_left_and_what_goes) {
  const auto left =
      all().reduced_to("(n1[1]:ncpus=1:mem=1gb)+(n3)", "n1/0*0+n3/0*0", "(n1[0]:ncpus=2)+(n2:ncpus=4)+(n1[1]:ncpus=1:mem=1gb)");
  BOOST_REQUIRE(left);
  BOOST_TEST(left->exec_vnode() == "(n1[1]:ncpus=1:mem=1gb)+(n3)");
  BOOST_TEST(left->hosts() == (std::vector<std::string>{"n1", "n3"}), boost::test_tools::per_element());
  BOOST_TEST((left->chunk_of_select(0) == 0u && left->chunk_of_select(1) == 3u));
  BOOST_TEST(left->place() == "scatter");
  // The same part stands in two chunks: which one stays is told by exec_host.
  const auto second = all().reduced_to("(n1[0]:ncpus=2)+(n1[1]:ncpus=1:mem=1gb)", "n1/0*0+n1/1",
                                       "(n1[1]:ncpus=1:mem=1gb)+(n2:ncpus=4)+(n3)");
  BOOST_REQUIRE(second);
  BOOST_TEST((second->chunk_of_select(1) == 2u));
  BOOST_TEST(all().on_kept_hosts("(n1[1]:ncpus=1:mem=1gb)+(n2:ncpus=4)+(n3)", *second) == "(n1[1]:ncpus=1:mem=1gb)");
}

BOOST_AUTO_TEST_CASE(what_is_left_and_what_goes_must_be_what_it_has) {
  const std::string n1 = "(n1[0]:ncpus=2+n1[1]:ncpus=1:mem=1gb)", rest = "(n2:ncpus=4)+(n1[1]:ncpus=1:mem=1gb)+(n3)";
  BOOST_TEST(all().reduced_to(n1, "n1/0*0", rest).has_value());
  BOOST_TEST(!all().reduced_to(n1, "n1/0*0", "(n2:ncpus=4)+(n3)"));                               // something is missing
  BOOST_TEST(!all().reduced_to(n1, "n1/0*0", rest + "+(n3)"));                                    // something is there twice
  BOOST_TEST(!all().reduced_to(n1, "n1/0*0+n2/0*4", rest));                                       // a slot too many
  BOOST_TEST(!all().reduced_to(n1, "n1/7", rest));                                                // another slot
  BOOST_TEST(!all().reduced_to("(n1[0]:ncpus=1)", "n1/0*0", rest));                               // another amount
  BOOST_TEST(!all().reduced_to("(n3)+(n2:ncpus=4)", "n3/0*0+n2/0*4", n1));                        // another order
  BOOST_TEST(!all().reduced_to("(n2:ncpus=4)", "n2/0*4", n1 + "+(n1[1]:ncpus=1:mem=1gb)+(n3)"));  // without the first host
  BOOST_TEST(!all().reduced_to(exec_vnode, exec_host, ""));                                       // nothing goes
  BOOST_TEST(!all().reduced_to("(n1", "n1/0*0", rest));
  BOOST_TEST(!all().reduced_to("", "", exec_vnode));
}

BOOST_AUTO_TEST_CASE(an_order_says_what_a_run_begins_with) {
  const auto order = schema::make<schema::StartRun>([](schema::StartRun::Builder o) {
    o.setExecVnode(exec_vnode);
    o.setExecHost(exec_host);
    auto list = o.initAttributes(2);
    list[0].setName("Resource_List");
    list[0].setResource("place");
    list[0].setValue("scatter");
    list[1].setName("place");
    list[1].setValue("pack");
  });
  BOOST_TEST((annals::model::allocation_of(order.get()) == all()));
  BOOST_TEST(annals::model::allocation_of({}).empty());
}

BOOST_AUTO_TEST_CASE(only_what_it_has_can_be_released) {
  auto a = all();
  for (const char* other : {"(n2:ncpus=3)", "(n4:ncpus=1)", "(n2:ncpus=4)+(n2:ncpus=4)", "", "(n2:ncpus=4"}) {
    BOOST_TEST(!a.release(other), other);
    BOOST_TEST((a == all()), other);
  }
}

BOOST_AUTO_TEST_SUITE_END()
