// What a run keeps of its assignment: chunks that satisfy a select, without what has failed.
#include "events/model/vnodes/reduce.hpp"

#include <boost/test/unit_test.hpp>

#include "events/values/exec_host.hpp"

using namespace annals;
using model::allocation;
using model::reduction;
using strings = std::vector<std::string>;
using strings_by_name = std::vector<std::pair<std::string, std::string>>;

namespace {

const std::string padded =
    "(borg:ncpus=3:mem=1048576kb)+(federer:ncpus=2:mem=2097152kb)+(lendl:ncpus=2:mem=2097152kb)+(agassi:ncpus=1:mem=3145728kb)"
    "+(sampras:ncpus=1:mem=3145728kb)";
const std::string wanted = "ncpus=3:mem=1gb+ncpus=2:mem=2gb+ncpus=1:mem=3gb";

allocation having(const std::string& exec_vnode, const std::string& exec_host) {
  return {exec_vnode, exec_host, values::hosts_of(*values::parse_exec_host(exec_host)), "scatter:excl"};
}
allocation recipe() { return having(padded, "borg/0*3+federer/0*2+lendl/0*2+agassi/0+sampras/0"); }

auto reduced(const allocation& has, const std::string& keep, const model::unusable& failed = {},
             const attributes::resource_catalogue& resources = {}, const model::run_words& words = {}) {
  return model::reduce(has, *values::parse_select(keep), failed, resources, words);
}
// What is kept, or why nothing can be.
std::string kept(const allocation& has, const std::string& keep, const strings& failed = {}) {
  const auto r = reduced(has, keep, {failed, {}});
  return r ? r->left.exec_vnode() : r.error().lines().front();
}
std::string kept(const std::string& exec_vnode, const std::string& keep, const strings& failed = {}) {
  std::string hosts;
  for (const char c : "+" + exec_vnode)
    if (c == '(') hosts += (hosts.empty() ? "" : "+") + std::string("h/0");
  return kept(having(exec_vnode, hosts), keep, failed);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reductions)

// The example of the documents: two of five hosts failed (RS-28, RS-35, RS-44, RS-88, RS-121).
BOOST_AUTO_TEST_CASE(healthy_spare_hosts_take_the_place_of_failed_ones) {
  const auto r = reduced(recipe(), wanted, {{"federer", "sampras"}, {}});
  BOOST_REQUIRE(r);
  BOOST_TEST(r->left.exec_vnode() == "(borg:ncpus=3:mem=1048576kb)+(lendl:ncpus=2:mem=2097152kb)+(agassi:ncpus=1:mem=3145728kb)");
  BOOST_TEST(r->left.exec_host() == "borg/0*3+lendl/0*2+agassi/0");
  BOOST_TEST(r->left.hosts() == (strings{"borg", "lendl", "agassi"}), boost::test_tools::per_element());
  BOOST_TEST(r->released == "(federer:ncpus=2:mem=2097152kb)+(sampras:ncpus=1:mem=3145728kb)");
  BOOST_TEST((r->satisfies == std::vector<std::uint32_t>{0, 1, 2}));
  auto released = recipe();
  BOOST_TEST(released.release(r->released));
  BOOST_TEST((released == r->left));
  // The same when it is the hosts that are known to have failed.
  const auto by_host = reduced(recipe(), wanted, {{}, {"federer", "sampras"}});
  BOOST_REQUIRE(by_host);
  BOOST_TEST((by_host->left == r->left));
}

// Golden: nothing failed, the spare chunks go; federer is before lendl, agassi before sampras.
BOOST_AUTO_TEST_CASE(without_failures_the_first_of_equal_chunks_stay) {
  BOOST_TEST(kept(recipe(), wanted) == "(borg:ncpus=3:mem=1048576kb)+(federer:ncpus=2:mem=2097152kb)+(agassi:ncpus=1:mem=3145728kb)");
  BOOST_TEST(kept(recipe(), wanted, {"lendl"}) == kept(recipe(), wanted));
  const auto all = reduced(recipe(), "ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb");
  BOOST_REQUIRE(all);
  BOOST_TEST(all->released == "");
  BOOST_TEST((all->left == recipe()));
}

// Golden: agassi and sampras failed (RS-99 to RS-102).
BOOST_AUTO_TEST_CASE(the_first_chunk_that_cannot_be_satisfied_is_told) {
  const auto r = reduced(recipe(), wanted, {{"agassi", "sampras"}, {}});
  BOOST_REQUIRE(!r);
  BOOST_TEST(r.error().lines() == (strings{"could not satisfy select chunk (ncpus=1 mem=3gb)",
                                           "NEED chunks for keep_select (ncpus=3:mem=1gb+ncpus=2:mem=2gb+ncpus=1:mem=3gb)",
                                           "HAVE chunks from job's exec_vnode (" + padded + ")",
                                           "HAVE chunks from job's exec_vnode: " + padded}),
             boost::test_tools::per_element());
  BOOST_TEST(kept(recipe(), "ncpus=3+3:ncpus=2", {}) == "could not satisfy select chunk (ncpus=2)");
  BOOST_TEST(kept(recipe(), "ncpus=3+999999:ncpus=0", {}) == "could not satisfy select chunk (ncpus=0)");
  BOOST_TEST(kept(recipe(), "ncpus=3+99") == "could not satisfy select chunk ()");
}

BOOST_AUTO_TEST_CASE(the_first_chunk_is_that_of_the_primary_and_no_other) {
  BOOST_TEST(kept(recipe(), "ncpus=1") == "(borg:ncpus=3:mem=1048576kb)");
  BOOST_TEST(kept(recipe(), wanted, {"borg"}) == "could not satisfy select chunk (ncpus=3 mem=1gb)");
  BOOST_TEST(kept(recipe(), "ncpus=1:mem=3gb") == "could not satisfy select chunk (ncpus=1 mem=3gb)");
  BOOST_TEST(kept(recipe(), "ncpus=4") == "could not satisfy select chunk (ncpus=4)");
}

BOOST_AUTO_TEST_CASE(chunks_of_several_sizes_are_given_so_that_all_are_satisfied) {
  const std::string all = "(a:ncpus=1)+(b:ncpus=4)+(c:ncpus=2)+(d:ncpus=3:mem=1gb)";
  BOOST_TEST(kept(all, "ncpus=1+ncpus=1+ncpus=4+ncpus=2") == all);  // b must not go to who asks for 1
  BOOST_TEST(kept(all, "ncpus=1+ncpus=1+ncpus=4", {"c"}) == "(a:ncpus=1)+(b:ncpus=4)+(d:ncpus=3:mem=1gb)");
  BOOST_TEST(kept(all, "ncpus=1+ncpus=2") == "(a:ncpus=1)+(c:ncpus=2)");  // the one that is just that
  BOOST_TEST(kept(all, "ncpus=1+ncpus=2", {"c"}) == "(a:ncpus=1)+(b:ncpus=4)");
  const auto r = reduced(having(all, "a/0+b/0*4+c/0*2+d/0*3"), "ncpus=1+ncpus=2+mem=1gb+ncpus=4");
  BOOST_REQUIRE(r);
  BOOST_TEST((r->satisfies == std::vector<std::uint32_t>{0, 3, 1, 2}));  // in the order of the assignment
}

BOOST_AUTO_TEST_CASE(a_chunk_of_several_vnodes_stays_or_goes_as_a_whole) {  // RS-88
  const std::string all = "(a0:ncpus=1:mem=1gb+a1:ncpus=1)+(b0:ncpus=1+b1:ncpus=1:mem=1gb+b2:ncpus=2+b3:ncpus=1)";
  BOOST_TEST(kept(all, "ncpus=1+ncpus=2") == all);
  BOOST_TEST(kept(all, "mem=1gb") == "(a0:ncpus=1:mem=1gb+a1:ncpus=1)");
  BOOST_TEST(kept(all, "ncpus=2+ncpus=2", {"b2"}) == "could not satisfy select chunk (ncpus=2)");
  BOOST_TEST(kept(all, "ncpus=1", {"a1"}) == "could not satisfy select chunk (ncpus=1)");
}

BOOST_AUTO_TEST_CASE(the_chunk_that_is_just_what_is_asked_stays_whatever_its_vnodes) {
  const std::string q2 = "(q2:ncpus=1)", q3 = "(q3:ncpus=2+q3[0]:ncpus=2+q3[1]:ncpus=2)", q4 = "(q4:ncpus=3+q4[0]:ncpus=3+q4[1]:ncpus=3)";
  BOOST_TEST(kept(q2 + "+" + q3 + "+" + q4, "ncpus=1+ncpus=6") == q2 + "+" + q3);
  BOOST_TEST(kept(q2 + "+" + q4 + "+" + q3, "ncpus=1+ncpus=6") == q2 + "+" + q3);
  BOOST_TEST(kept(q2 + "+" + q3 + "+" + q4, "ncpus=1+ncpus=7") == q2 + "+" + q4);
  // Of two that are just that the first, however many vnodes it has; of two that have more the one with the fewest.
  BOOST_TEST(kept("(r1:ncpus=1)+(r2:ncpus=1+r2[0]:ncpus=1)+(r4:ncpus=2)+(r3:ncpus=3)", "ncpus=1+ncpus=2+ncpus=3") ==
             "(r1:ncpus=1)+(r2:ncpus=1+r2[0]:ncpus=1)+(r3:ncpus=3)");
  BOOST_TEST(kept("(r1:ncpus=1)+(r2:ncpus=2+r2[0]:ncpus=2)+(r3:ncpus=9)", "ncpus=1+ncpus=3") == "(r1:ncpus=1)+(r3:ncpus=9)");
  // With no more than that is better still.
  BOOST_TEST(kept("(r1:ncpus=1)+(r2:ncpus=2:mem=4gb)+(r3:ncpus=2)", "ncpus=1+ncpus=2") == "(r1:ncpus=1)+(r3:ncpus=2)");
}

BOOST_AUTO_TEST_CASE(all_of_the_first_host_may_stay_beside_what_is_asked) {  // RD-09
  const auto has = having("(a0:ncpus=1)+(b:ncpus=1)+(c:ncpus=1)+(a1:ncpus=2)+(d:ncpus=2)", "a/0+b/0+c/0+a/1*2+d/0*2");
  const auto beside = [&](const std::string& keep) {
    const auto r = model::reduce(has, *values::parse_select(keep), {}, {}, {}, model::first_host::stays_beside);
    return r ? r->left.exec_vnode() : r.error().lines().front();
  };
  BOOST_TEST(beside("ncpus=1") == "(a0:ncpus=1)+(c:ncpus=1)+(a1:ncpus=2)");  // of equal ones the last
  BOOST_TEST(beside("ncpus=2") == "(a0:ncpus=1)+(a1:ncpus=2)+(d:ncpus=2)");
  BOOST_TEST(beside("3:ncpus=1") == has.exec_vnode());
  BOOST_TEST(beside("4:ncpus=1") == "could not satisfy select chunk (ncpus=1)");
}

BOOST_AUTO_TEST_CASE(a_chunk_may_have_no_cpus) {  // RS-127
  const std::string all = "(a:ncpus=0)+(b:ncpus=2)+(c:ncpus=0)+(d:ncpus=0:mem=5gb)";
  BOOST_TEST(kept(all, "ncpus=0+ncpus=0") == "(a:ncpus=0)+(c:ncpus=0)");
  BOOST_TEST(kept(all, "ncpus=0+2:ncpus=0", {"c"}) == "(a:ncpus=0)+(b:ncpus=2)+(d:ncpus=0:mem=5gb)");
  BOOST_TEST(kept(all, "ncpus=1") == "could not satisfy select chunk (ncpus=1)");
}

BOOST_AUTO_TEST_CASE(vnodes_that_exclhost_added_stay_with_their_host) {
  const auto has = having("(a0:ncpus=1)+(b0:ncpus=1)+(c0:ncpus=1)+(a1)+(b1)+(b2)+(c1)", "a/0+b/0+c/0+a/1*0+b/1*0+b/2*0+c/1*0");
  BOOST_TEST(kept(has, "2:ncpus=1") == "(a0:ncpus=1)+(b0:ncpus=1)+(a1)+(b1)+(b2)");
  BOOST_TEST(kept(has, "2:ncpus=1", {"b0", "b2"}) == "(a0:ncpus=1)+(c0:ncpus=1)+(a1)+(c1)");
  BOOST_TEST(kept(has, "2:ncpus=1", {"b2"}) == "(a0:ncpus=1)+(b0:ncpus=1)+(a1)+(b1)");
  BOOST_TEST(kept(has, "4:ncpus=0") == "could not satisfy select chunk (ncpus=0)");
  const auto r = reduced(has, "2:ncpus=1");
  BOOST_TEST((r->satisfies == std::vector<std::uint32_t>{0, 1, reduction::no_chunk, reduction::no_chunk, reduction::no_chunk}));
}

BOOST_AUTO_TEST_CASE(amounts_are_those_that_are_used_up) {
  const std::string all = "(a:ncpus=1:gpus=1)+(b:ncpus=1:gpus=4)+(c:ncpus=1:gpus=2)+(d:ncpus=1:scratch=1024kb)";
  BOOST_TEST(kept(all, "ncpus=1+ncpus=1:gpus=2:mpiprocs=9:ompthreads=3") == "(a:ncpus=1:gpus=1)+(c:ncpus=1:gpus=2)");
  BOOST_TEST(kept(all, "gpus=1+scratch=1mb") == "(a:ncpus=1:gpus=1)+(d:ncpus=1:scratch=1024kb)");
  BOOST_TEST(kept(all, "gpus=1+scratch=2mb") == "could not satisfy select chunk (scratch=2mb)");
  BOOST_TEST(kept(all, "gpus=1+vmem=1kb") == "could not satisfy select chunk (vmem=1kb)");        // counted, and there is none
  BOOST_TEST(kept("(a:mem=1kb)+(b:mem=2kb)", "mem=1024+mem=1025") == "(a:mem=1kb)+(b:mem=2kb)");  // bytes
  attributes::resource_catalogue resources;
  BOOST_REQUIRE(!resources.create("tapes", "long", "nh"));
  BOOST_TEST(!reduced(having(all, "a/0+b/0+c/0+d/0"), "ncpus=1+tapes=1", {}, resources));
}

// A chunk has what it was asked with, and what all its vnodes have.
BOOST_AUTO_TEST_CASE(what_is_not_used_up_is_looked_at_too) {
  attributes::resource_catalogue site;
  for (const auto& [name, type] : strings_by_name{{"model", "string"}, {"bigmem", "boolean"}, {"racks", "string_array"}, {"speed", "long"}})
    BOOST_REQUIRE(!site.create(name, type, "h"));
  const auto has = having("(q2:ncpus=1)+(q3:ncpus=2)+(q4:ncpus=1+q4[0]:ncpus=1)", "q2/0+q3/0*2+Q4/0*0");
  model::run_words words;
  words.of_vnodes = {{"q3", {{"model", "abc"}, {"speed", "5"}, {"racks", "a,b"}}},
                     {"q4", {{"model", "def"}, {"bigmem", "True"}, {"speed", "7"}, {"racks", "b,c"}}},
                     {"q4[0]", {{"model", "def"}, {"bigmem", "True"}, {"speed", "9"}, {"racks", "c"}}}};
  const std::string third = "(q2:ncpus=1)+(q4:ncpus=1+q4[0]:ncpus=1)", second = "(q2:ncpus=1)+(q3:ncpus=2)";
  const auto keeps = [&](const std::string& word, const attributes::resource_catalogue& known) {
    const auto r = reduced(has, "ncpus=1+ncpus=2:" + word, {}, known, words);
    return r ? r->left.exec_vnode() : "nothing";
  };
  for (const auto& [word, wanted] : strings_by_name{{"host=q4", third},
                                                    {"host=q3", second},
                                                    {"vnode=q3", second},
                                                    {"model=def", third},
                                                    {"bigmem=true", third},
                                                    {"racks=c", third},
                                                    {"racks=b", second},  // one of the vnodes of q4 has it not
                                                    {"speed=6", third},
                                                    {"speed=5", second},
                                                    {"model=abc:host=q4", "nothing"},
                                                    {"model=xyz", "nothing"},
                                                    {"vnode=q4", "nothing"},
                                                    {"host=q5", "nothing"},
                                                    {"speed=8", "nothing"},
                                                    {"nosuch=1", "nothing"}}) {
    BOOST_TEST(keeps(word, site) == wanted, word);
    BOOST_TEST(keeps(word, {}) == wanted, word << " where the site's resources are not known");
  }
  BOOST_TEST(keeps("bigmem=False", site) == second);  // it is not set there
  // What was asked is there, whatever the vnodes say now; and of vnodes of which nothing is known that is all.
  words = {*values::parse_select("ncpus=1+ncpus=2:model=xyz+ncpus=2:bigmem=True:speed=4"), {}};
  for (const auto& [word, wanted] : strings_by_name{
           {"model=xyz", second}, {"bigmem=t", third}, {"speed=4", third}, {"speed=5", "nothing"}, {"bigmem=false", "nothing"}}) {
    BOOST_TEST(keeps(word, site) == wanted, word);
    BOOST_TEST(keeps(word, {}) == wanted, word);
  }
  const auto why = reduced(has, "ncpus=1+ncpus=2:model=zzz", {}, site, words);
  BOOST_REQUIRE(!why);
  BOOST_TEST(why.error().lines().front() == "could not satisfy select chunk (ncpus=2 model=zzz)");
}

BOOST_AUTO_TEST_CASE(equal_chunks_of_one_vnode_are_kept_from_the_front) {
  const auto has = having("(a:ncpus=1)+(a:ncpus=1)+(b:ncpus=1)+(a:ncpus=1)", "a/0+a/1+b/0+a/2");
  const auto r = reduced(has, "2:ncpus=1");
  BOOST_REQUIRE(r);
  BOOST_TEST(r->left.exec_host() == "a/0+a/1");
  auto released = has;
  BOOST_TEST(released.release(r->released));
  BOOST_TEST((released == r->left));
}

// RS-91, RS-93: vnodes that are named go, whatever was asked.
BOOST_AUTO_TEST_CASE(named_vnodes_are_dropped_but_not_those_of_the_primary) {
  const auto has = having("(a0:ncpus=1)+(b0:ncpus=1+b1:ncpus=1)+(c:ncpus=1)+(b1:ncpus=2)+(a1:ncpus=1)", "a/0+b/0*0+c/0+b/1*2+a/1");
  const auto less = model::drop(has, {"b1", "c"});
  BOOST_REQUIRE(less.has_value());
  BOOST_TEST(less->released == "(b1:ncpus=1)+(c:ncpus=1)+(b1:ncpus=2)");
  BOOST_TEST(less->left.exec_vnode() == "(a0:ncpus=1)+(b0:ncpus=1)+(a1:ncpus=1)");
  BOOST_TEST(less->left.exec_host() == "a/0+b/0*0+a/1");
  BOOST_TEST(!model::drop(has, {"b1", "a1"}).has_value());
  BOOST_TEST(!model::drop(has, {"b1", "x"}).has_value());
  BOOST_TEST((model::drop(has, {})->left == has));
}

BOOST_AUTO_TEST_CASE(what_is_no_assignment_cannot_be_reduced) {
  BOOST_TEST(!reduced({}, "ncpus=1"));
  BOOST_TEST(!reduced({"(a:ncpus=1", "a/0", {"a"}, ""}, "ncpus=1"));
  BOOST_TEST(!model::reduce(recipe(), {}, {}));
}

BOOST_AUTO_TEST_SUITE_END()
