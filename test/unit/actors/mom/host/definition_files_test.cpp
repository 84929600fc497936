// The vnode definition files in mom_priv/config.d.
#include "actors/mom/host/definition_files.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "events/model/host/host_limits.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using namespace annals::mom;

namespace {

struct on_disk {
  test::temporary_directory mom_priv;
  definition_files files{mom_priv.path};

  std::string path(const std::string& name) const { return mom_priv.at("config.d/" + name); }
  template <class Do>
  static std::string refused(Do&& what) {
    try {
      what();
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return {};
  }
  read_definitions read(const defined_vnodes& before = {}) const { return read_all(files, "vm", before); }
};

const std::string two = "$configversion 2\nvm[0]: resources_available.ncpus = 2\n";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(definition_files_on_disk, on_disk)

BOOST_AUTO_TEST_CASE(files_are_inserted_replaced_and_removed) {  // V1, V2, V4
  BOOST_TEST(files.names().empty());
  BOOST_TEST(read().paths.empty());
  files.insert("one", two);
  files.insert(".x", "");
  BOOST_TEST(files.names() == (std::vector<std::string>{".x", "one"}), boost::test_tools::per_element());
  BOOST_TEST(files.read("one") == two);
  struct stat is {};
  BOOST_TEST(stat(path("one").c_str(), &is) == 0);
  BOOST_TEST((is.st_mode & 07777) == 0600u);
  BOOST_TEST(refused([&] { files.insert("one", "x"); }) == path("one") + ": File exists");
  BOOST_TEST(files.read("one") == two);
  files.replace("one", "$configversion 2\n");
  BOOST_TEST(files.read("one") == "$configversion 2\n");
  files.remove("one");
  const auto missing = path("one") + ": No such file or directory";
  BOOST_TEST(refused([&] { files.remove("one"); }) == missing);
  BOOST_TEST(refused([&] { files.replace("one", two); }) == missing);
  BOOST_TEST(refused([&] { files.read("one"); }) == missing);
  BOOST_TEST(files.names() == std::vector<std::string>{".x"}, boost::test_tools::per_element());
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(mom_priv.at("config.d")), {}) == 1);
}

BOOST_AUTO_TEST_CASE(names_are_those_of_files) {  // V14
  for (const char* good : {"one", ".x", "a.b-c"}) BOOST_TEST(is_definition_name(good));
  for (const char* bad : {"", ".", "..", "a/b", "/a", "PBSx"}) BOOST_TEST(!is_definition_name(bad));
}

BOOST_AUTO_TEST_CASE(files_are_taken_together_in_the_order_of_their_names) {
  files.insert("b", "$configversion 2\nvm[0]: resources_available.ncpus = 3\nvm[0]: sharing = ignore_excl\n");
  files.insert("a", two);
  const auto read = this->read();
  BOOST_TEST(read.failures().empty());
  BOOST_TEST(read.paths == (std::vector<std::string>{path("a"), path("b")}), boost::test_tools::per_element());
  BOOST_REQUIRE(read.vnodes.all().size() == 1u);
  BOOST_TEST(read.vnodes.all()[0].attributes.at({"resources_available", "ncpus"}) == "3");
}

BOOST_AUTO_TEST_CASE(with_an_error_everything_stays_as_it_was) {  // V14: what is not to be copied is the MoM's end
  files.insert("a", two);
  const auto before = read().vnodes;
  files.insert("b", "$configversion 2\nvm[1]: resources_available.ncpus = 3\nnonsense\n");
  auto again = read(before);
  BOOST_TEST(again.failures() == std::vector<std::string>{path("b") + ", line 3: missing ':'"}, boost::test_tools::per_element());
  BOOST_TEST((again.vnodes == before));
  files.replace("b", "$configversion 3\n");
  BOOST_TEST(read().failures() == std::vector<std::string>{path("b") + ", line 1: $configversion 3: value is out of range (min 2, max 2)"},
             boost::test_tools::per_element());
  files.replace("b", "$configversion 2\nvm[1]: sharing = force_exclhost\n");
  BOOST_TEST(read().failures().size() == 1u);
  files.remove("b");
  files.remove("a");
  again = read(before);  // V13: only the next start takes vnodes away
  BOOST_TEST(again.failures().empty());
  BOOST_TEST((again.vnodes == before));
  std::filesystem::create_directory(path("c"));
  BOOST_TEST(read().failures() == std::vector<std::string>{path("c") + ": not a file"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(they_are_so_large_at_most) {
  const auto lines = [](std::size_t n) {
    std::string text = "$configversion 2\n";
    for (std::size_t i = 0; i < n; ++i) text += "v" + std::to_string(i) + ": Priority = 1\n";
    return text;
  };
  files.insert("a", lines(limits::defined_attributes_max / 2));  // each vnode counts too
  const auto before = read();
  BOOST_TEST(before.failures().empty());
  BOOST_TEST(before.vnodes.all().size() == limits::defined_attributes_max / 2);
  files.insert("b", "$configversion 2\nw: Priority = 1\n");
  BOOST_REQUIRE(read().failures().size() == 1u);
  BOOST_TEST(read().failures()[0].ends_with(" bytes"));
  files.remove("a");
  BOOST_REQUIRE(read(before.vnodes).failures().size() == 1u);
  BOOST_TEST(read(before.vnodes).failures()[0].ends_with("what files said before counts until the MoM is started again"));
  files.replace("b", std::string(limits::definition_bytes_max, '\n'));
  BOOST_TEST(read().failures().empty());
  std::ofstream(path("b"), std::ios::app) << '\n';
  BOOST_TEST(read().failures() == std::vector<std::string>{path("b") + ": more than 1048576 bytes"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
