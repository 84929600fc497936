#include "actors/mom/host/recycled_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>

#include "host_fixture.hpp"

using namespace annals;

BOOST_FIXTURE_TEST_SUITE(recycling, test::host_fixture)

namespace {

ino_t inode(const std::string& path) {
  struct stat st {};
  return stat(path.c_str(), &st) == 0 ? st.st_ino : 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_removed_file_is_used_for_the_next_one) {
  mom::recycled_files files(work(), "x");
  const std::string a = work() + "/a", b = work() + "/b";
  BOOST_TEST(files.write(a, "a long text", 0600) == 0);
  const auto first = inode(a);
  files.remove(a);
  BOOST_TEST(access(a.c_str(), F_OK) != 0);
  BOOST_TEST(files.write(b, "short", 0644) == 0);
  BOOST_TEST(inode(b) == first);
  BOOST_TEST(test::read_whole(b) == "short");
  struct stat st {};
  BOOST_TEST(stat(b.c_str(), &st) == 0);
  BOOST_TEST((st.st_mode & 0777) == 0644u);
}

BOOST_AUTO_TEST_CASE(a_file_that_somebody_holds_is_not_used_again) {
  mom::recycled_files files(work(), "x");
  const std::string a = work() + "/a", b = work() + "/b";
  BOOST_TEST(files.write(a, "old", 0600) == 0);
  const int held = open(a.c_str(), O_RDONLY);
  BOOST_REQUIRE(flock(held, LOCK_EX) == 0);
  files.remove(a);
  BOOST_TEST(files.write(b, "new", 0600) == 0);
  char text[4] = {};
  BOOST_TEST(pread(held, text, 3, 0) == 3);
  BOOST_TEST(std::string(text) == "old");
  BOOST_TEST(test::read_whole(b) == "new");
  close(held);
}

BOOST_AUTO_TEST_CASE(kept_files_go_with_the_next_process) {
  const std::string a = work() + "/a";
  {
    mom::recycled_files files(work(), "x");
    files.write(a, "old", 0600);
    files.remove(a);
  }
  BOOST_TEST(access((work() + "/.free.x.0").c_str(), F_OK) == 0);
  mom::recycled_files files(work(), "x");
  BOOST_TEST(access((work() + "/.free.x.0").c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(a_place_that_cannot_be_written_is_an_error_number) {
  mom::recycled_files files(work(), "x");
  BOOST_TEST(files.write("/no/such/place", "x", 0600) == ENOENT);
  files.remove("/no/such/place");
}

BOOST_AUTO_TEST_SUITE_END()
