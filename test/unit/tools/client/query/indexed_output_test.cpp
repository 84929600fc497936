// Reading what subjobs wrote: the last sound record of a subjob is found, whatever else is in the files.
#include "tools/client/query/indexed_output.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

#include "test/support/temporary_directory.hpp"

using namespace annals;
using client::find_output;
using values::output_record;

namespace {

struct indexed_fixture {
  const test::temporary_directory root;
  const std::string base = root.at("STDIN.o12");

  std::string file(const std::string& host) const { return base + '.' + host; }
  static void add(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
  }
  std::uint64_t end_of(const std::string& host) const {
    return std::filesystem::exists(file(host)) ? std::filesystem::file_size(file(host)) : 0;
  }
  void add_entry(const std::string& host, const output_record& r) const {
    add(file(host) + ".index", values::print_output_entry(r).value());
  }
  void put(const std::string& host, output_record r, const std::string& text) const {
    r.offset = end_of(host);
    r.length = text.size();
    add(file(host), values::output_headline(r) + text + '\n');
    add_entry(host, r);
  }
  std::string found(std::uint32_t index, char stream = 'o', std::optional<std::uint64_t> array = 12) const {
    const auto f = find_output(client::indexed_files(base), {array, index, stream});
    if (!f) return "none";
    std::ifstream in(f->file, std::ios::binary);
    std::string text(f->record.length, '\0');
    in.seekg(static_cast<std::streamoff>(f->record.offset + values::output_headline(f->record).size()));
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    return text;
  }
  std::size_t listed(const std::string& host) const {
    std::size_t n = 0;
    client::for_each_output(file(host), [&](const output_record&) { ++n; });
    return n;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(indexed_outputs, indexed_fixture)

BOOST_AUTO_TEST_CASE(a_subjobs_output_is_found_on_whatever_host_it_ran) {
  put("n1", {12, 1, 1}, "one\n");
  put("n2.site", {12, 2, 1}, "two\n");
  put("n2.site", {12, 2, 1, 'e'}, "error of two");
  put("n1", {12, 3, 1}, "");
  BOOST_TEST(found(1) == "one\n");
  BOOST_TEST(found(2) == "two\n");
  BOOST_TEST(found(2, 'e') == "error of two");
  BOOST_TEST(found(3) == "");
  BOOST_TEST(found(1, 'e') == "none");
  BOOST_TEST(found(4) == "none");
  BOOST_TEST(client::indexed_files(base).size() == 2u);
  BOOST_TEST(client::indexed_files_at(file("n1")).size() == 1u);
  BOOST_TEST(client::indexed_files_at(base).size() == 2u);
}

BOOST_AUTO_TEST_CASE(of_several_the_last_one_of_the_last_run_counts) {
  put("n1", {12, 1, 2}, "second run");
  put("n2", {12, 1, 1}, "first run, elsewhere");
  BOOST_TEST(found(1) == "second run");
  put("n1", {12, 1, 2}, "second run, told again after a crash");
  BOOST_TEST(found(1) == "second run, told again after a crash");
}

BOOST_AUTO_TEST_CASE(other_arrays_in_the_same_file_are_others) {
  put("n1", {12, 1, 1}, "of 12");
  put("n1", {13, 1, 1}, "of 13");
  BOOST_TEST(found(1) == "of 12");
  BOOST_TEST(found(1, 'o', 13) == "of 13");
  BOOST_TEST(found(1, 'o', std::nullopt) == "of 13");
}

BOOST_AUTO_TEST_CASE(what_a_crash_left_half_is_passed_over) {
  put("n1", {12, 1, 1}, "whole");
  put("n1", {12, 2, 1}, "two");
  add(file("n1"), "==> 12[1] run 1 o 100 <==\nhal");             // its entry was not written any more
  add(file("n1") + ".index", "000000000012 00000001 00000000");  // an entry that is cut
  BOOST_TEST(found(1) == "whole");
  BOOST_TEST(listed("n1") == 2u);
}

BOOST_AUTO_TEST_CASE(an_entry_that_does_not_fit_its_file_is_passed_over) {
  put("n1", {12, 1, 1}, "whole");
  const auto end = end_of("n1");
  add_entry("n1", {12, 1, 1, 'o', end, 5});                                   // behind the end
  add_entry("n1", {12, 1, 1, 'o', 0, 4});                                     // another length
  add_entry("n1", {12, 1, 1, 'o', 3, 5});                                     // no line begins there
  add_entry("n1", {12, 1, 1, 'o', 99'999'999'999'999, 9'999'999'999'999});    // far away
  add(file("n1") + ".index", std::string(values::output_entry_bytes, '\0'));  // a block that never came to the disk
  add(file("n1") + ".index", std::string(10 * values::output_entry_bytes, '\xff'));
  BOOST_TEST(found(1) == "whole");
  BOOST_TEST(listed("n1") == 1u);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_more_has_nothing) {
  put("n1", {12, 1, 1}, "whole");
  std::filesystem::remove(file("n1"));
  BOOST_TEST(found(1) == "none");
  std::filesystem::create_directory(file("n1"));
  BOOST_TEST(found(1) == "none");
  BOOST_TEST(client::indexed_files(root.at("nodir/STDIN.o12")).empty());
}

BOOST_AUTO_TEST_SUITE_END()
