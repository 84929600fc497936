// When hooks keep a chunk for a smaller one, the vnodes stay that this one needs (RS-88).
#include "events/model/vnodes/needed_vnodes.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

#include "events/values/exec_host.hpp"

using namespace annals;

namespace {

// An assignment without the vnodes that nobody needs. `asked`: what each of its chunks is kept for; "-": for nothing, it stays as it is.
std::string stays(const std::string& exec_vnode, const std::vector<std::string>& asked, const attributes::resource_catalogue& site = {}) {
  std::string exec_host;
  for (std::size_t i = 0; i < asked.size(); ++i) exec_host += (i ? "+h" : "h") + std::to_string(i) + "/0";
  model::allocation has(exec_vnode, exec_host, values::hosts_of(*values::parse_exec_host(exec_host)), "free");
  std::vector<values::select_spec> selects(asked.size());
  std::vector<const values::select_chunk*> chunks;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] != "-") selects[i] = *values::parse_select(asked[i]);
    chunks.push_back(asked[i] == "-" ? nullptr : &selects[i].chunks.front());
  }
  has.keep(model::needed_vnodes(has, chunks, site));
  return has.exec_vnode();
}

const std::string three = "(z2:ncpus=1:mem=1048576kb+z2[0]:ncpus=1:mem=1048576kb+z2[1]:ncpus=1)";

}  // namespace

BOOST_AUTO_TEST_SUITE(needed_vnodes)

BOOST_AUTO_TEST_CASE(a_chunk_keeps_the_vnodes_that_have_what_is_asked) {  // RS-88
  BOOST_TEST(stays(three, {"ncpus=1"}) == "(z2:ncpus=1:mem=1048576kb)");
  BOOST_TEST(stays(three, {"ncpus=2"}) == "(z2:ncpus=1:mem=1048576kb+z2[0]:ncpus=1:mem=1048576kb)");
  BOOST_TEST(stays(three, {"ncpus=1:mem=2gb"}) == "(z2:ncpus=1:mem=1048576kb+z2[0]:ncpus=1:mem=1048576kb)");
  BOOST_TEST(stays(three, {"ncpus=3:mem=1gb"}) == three);
  BOOST_TEST(stays(three, {"ncpus=3:mem=2gb"}) == three);
  BOOST_TEST(stays("(a:ncpus=1+a[0]:ncpus=1+a[1]:ncpus=2)", {"ncpus=2"}) == "(a[1]:ncpus=2)");  // the fewest
  BOOST_TEST(stays("(a:ncpus=2+a[0]:ncpus=1:mem=2gb)", {"ncpus=1:mem=1gb"}) == "(a[0]:ncpus=1:mem=2gb)");
  BOOST_TEST(stays("(a:ncpus=9)", {"ncpus=1"}) == "(a:ncpus=9)");  // a vnode stays with all that the job has of it
}

BOOST_AUTO_TEST_CASE(each_chunk_is_looked_at_by_itself) {
  const std::string two = "(b:ncpus=2+b[0]:ncpus=2)";
  BOOST_TEST(stays(three + "+" + two + "+" + two, {"ncpus=1", "-", "ncpus=2"}) == "(z2:ncpus=1:mem=1048576kb)+" + two + "+(b:ncpus=2)");
}

BOOST_AUTO_TEST_CASE(a_chunk_of_which_just_that_or_no_amount_is_asked_stays) {
  BOOST_TEST(stays(three, {"host=z2"}) == three);
  BOOST_TEST(stays(three, {"mem=2gb"}) == three);  // the cpus are default_chunk's
  BOOST_TEST(stays("(a:foo=3+b:foo=3)", {"ncpus=0"}) == "(a:foo=3+b:foo=3)");
}

BOOST_AUTO_TEST_CASE(a_part_that_has_nothing_goes) {
  BOOST_TEST(stays("(a:ncpus=0+a[0]:ncpus=2+a[1]:ncpus=0:mem=0kb)", {"ncpus=2"}) == "(a[0]:ncpus=2)");
  BOOST_TEST(stays("(a:mem=4194304kb:ncpus=0+b:mem=1048576kb)", {"ncpus=0:mem=5gb"}) == "(a:mem=4194304kb:ncpus=0+b:mem=1048576kb)");
  BOOST_TEST(stays("(a:ncpus=0)", {"ncpus=0"}) == "(a:ncpus=0)");  // RS-127
  BOOST_TEST(stays("(a:ncpus=0+b:ncpus=0)", {"ncpus=0"}) == "(a:ncpus=0)");
  BOOST_TEST(stays("(a:ncpus=1+b)", {"ncpus=1"}) == "(a:ncpus=1+b)");  // place=exclhost
  attributes::resource_catalogue site;
  BOOST_REQUIRE(!site.create("bigmem", "boolean", "h"));
  BOOST_TEST(stays("(a:ncpus=1+b:ncpus=0:bigmem=True)", {"ncpus=1"}, site) == "(a:ncpus=1+b:ncpus=0:bigmem=True)");
}

BOOST_AUTO_TEST_SUITE_END()
