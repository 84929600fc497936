// Rows are what was put, wherever they are; room on the disk is given back, and a disk that is full loses none.
#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>

#include "projections/scratch/scratch_rows.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using projections::scratch_rows;

namespace {

// Files of this process may not grow above this size.
class small_files {
 public:
  explicit small_files(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    BOOST_REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit small{bytes, before_.rlim_max};
    BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  }
  ~small_files() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(scratch)

BOOST_AUTO_TEST_CASE(rows_are_what_was_put_in_memory_and_on_disk) {
  for (const bool on_disk : {false, true}) {
    test::temporary_directory dir;
    scratch_rows rows;
    if (on_disk) BOOST_REQUIRE(rows.use_directory(dir.path) == "");
    std::map<std::uint64_t, std::string> expected;
    std::mt19937 random(3);
    for (int step = 0; step < 3000; ++step) {
      const std::uint64_t key = random() % 200;
      if (random() % 3 == 0) {
        rows.erase(key);
        expected.erase(key);
      } else {
        std::string row(random() % 20'000, static_cast<char>('a' + random() % 26));
        rows.put(key, row);
        expected[key] = row;
      }
      BOOST_REQUIRE(rows.size() == expected.size());
    }
    for (std::uint64_t key = 0; key < 200; ++key) {
      BOOST_TEST(rows.contains(key) == expected.contains(key));
      const auto row = rows.get(key);
      BOOST_REQUIRE(row.has_value() == expected.contains(key));
      if (row) BOOST_REQUIRE(*row == expected.at(key));
    }
    auto at = rows.begin();
    for (const auto& [key, row] : expected) {
      BOOST_REQUIRE(at);
      BOOST_REQUIRE(at.key() == key);
      at.next();
    }
    BOOST_TEST(!at);
    BOOST_TEST(std::filesystem::is_empty(dir.path));  // no name is left behind
  }
}

BOOST_AUTO_TEST_CASE(room_of_rows_that_are_gone_is_given_back) {
  test::temporary_directory dir;
  scratch_rows rows;
  BOOST_REQUIRE(rows.use_directory(dir.path) == "");
  const std::string row(10'000, 'r');
  for (std::uint64_t key = 0; key < 3000; ++key) {
    rows.put(key, row);
    if (key >= 100) rows.erase(key - 100);
  }
  BOOST_TEST(rows.size() == 100u);
  BOOST_TEST(rows.bytes_on_disk() < 4u << 20);  // of 30 MB that were written
  for (std::uint64_t key = 2900; key < 3000; ++key) BOOST_REQUIRE(rows.get(key) == row);
}

BOOST_AUTO_TEST_CASE(rows_that_can_not_be_written_stay_in_memory) {
  test::temporary_directory dir;
  scratch_rows rows;
  BOOST_REQUIRE(rows.use_directory(dir.path) == "");
  const std::string row(1000, 'r');
  {
    const small_files limit(10'500);  // the eleventh is cut in the middle
    for (std::uint64_t key = 0; key < 30; ++key) rows.put(key, row + std::to_string(key));
  }
  for (std::uint64_t key = 30; key < 60; ++key) rows.put(key, row + std::to_string(key));
  for (std::uint64_t key = 0; key < 60; ++key) BOOST_TEST(*rows.get(key) == row + std::to_string(key));
  for (std::uint64_t key = 0; key < 60; ++key) rows.erase(key);
  BOOST_TEST(rows.size() == 0u);
}

BOOST_AUTO_TEST_CASE(without_a_directory_it_says_why_and_goes_on_in_memory) {
  test::temporary_directory dir;
  scratch_rows rows;
  const auto why = rows.use_directory(dir.path + "/none");
  BOOST_TEST(why.starts_with("a temporary file in " + dir.path + "/none: "));
  rows.put(1, "row");
  BOOST_TEST(*rows.get(1) == "row");
}

BOOST_AUTO_TEST_SUITE_END()
