// What a job has on a host where its program does not run: made with the user's rights, again and again, and removed.
#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "actors/mom/host/real_job_places.hpp"
#include "test/support/paths.hpp"
#include "test/unit/actors/mom/host/host_fixture.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct places_fixture : host_fixture {
  std::mutex mutex;
  std::vector<std::string> said;                                            // "12.borg.1 0", "12.borg.1 removed"
  mom::real_job_places places{home(), options.shepherd, options.complain};  // the last: it speaks until it has ended

  places_fixture() {
    places.listen(
        {[this](const values::run_key& key, std::int32_t code, const std::string&) { say(print(key) + " " + std::to_string(code)); },
         [this](const values::run_key& key) { say(print(key) + " removed"); },
         [this](const values::run_key& key, std::uint32_t number, const std::string& error) {
           say(print(key) + " updated " + std::to_string(number) + (error.empty() ? error : " " + error));
         }});
  }
  void say(const std::string& text) {
    const std::lock_guard lock(mutex);
    said.push_back(text);
  }
  bool heard(const std::string& text, std::ptrdiff_t times = 1) {
    const std::lock_guard lock(mutex);
    return std::count(said.begin(), said.end(), text) >= times;
  }
  ports::job_place place(const std::string& user = own_user()) const {
    ports::job_place p;
    p.key = {"12.borg", 1};
    p.job_id = "12.borg";
    p.user = user;
    p.node_file = home() + "/aux/12.borg";
    p.node_file_text = "n1\nn2\n";
    p.tmpdir = work() + "/pbs.12.borg";
    p.private_jobdir_root = work();
    p.private_jobdir = "pbs.12.borg.x8z";
    return p;
  }
};

bool is_private_directory(const std::string& path) {
  struct stat s {};
  return lstat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode) && (s.st_mode & 0777) == 0700;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(job_places)

BOOST_AUTO_TEST_CASE(a_place_is_made_as_often_as_asked_and_removed) {
  places_fixture f;
  const auto p = f.place();
  f.places.set_up(p);
  wait_until([&] { return f.heard("12.borg.1 0"); }, "the place is there");
  BOOST_TEST(read_whole(p.node_file) == "n1\nn2\n");
  BOOST_TEST(is_private_directory(p.tmpdir));
  BOOST_TEST(is_private_directory(f.work() + "/pbs.12.borg.x8z"));
  f.places.set_up(p);
  wait_until([&] { return f.heard("12.borg.1 0", 2); }, "it will do");
  f.places.tear_down(p);
  wait_until([&] { return f.heard("12.borg.1 removed"); }, "it is removed");
  wait_until([&] { return !std::filesystem::exists(p.tmpdir) && !std::filesystem::exists(p.node_file); }, "nothing is left");
}

BOOST_AUTO_TEST_CASE(a_directory_with_the_jobs_output_is_the_primarys_too_and_stays) {
  places_fixture f;
  const auto p = f.place();
  f.places.set_up(p);
  wait_until([&] { return f.heard("12.borg.1 0"); }, "the place is there");
  write_whole(f.work() + "/pbs.12.borg.x8z/12.borg.OU", "precious");
  f.places.tear_down(p);
  wait_until([&] { return f.heard("12.borg.1 removed"); }, "the rest is gone");
  BOOST_TEST(!std::filesystem::exists(p.tmpdir));  // removed is told when it is
  f.places.tear_down(p);
  wait_until([&] { return f.heard("12.borg.1 removed", 2); }, "it is torn down");
  BOOST_TEST(read_whole(f.work() + "/pbs.12.borg.x8z/12.borg.OU") == "precious");
}

BOOST_AUTO_TEST_CASE(a_host_that_a_run_goes_on_without_leaves_the_directory_that_others_may_share) {
  places_fixture f;
  auto p = f.place();
  f.places.set_up(p);
  wait_until([&] { return f.heard("12.borg.1 0"); }, "the place is there");
  write_whole(f.work() + "/pbs.12.borg.x8z/staged.in", "precious");
  p.run_goes_on = true;
  f.places.tear_down(p);
  wait_until([&] { return f.heard("12.borg.1 removed"); }, "the rest is gone");
  BOOST_TEST(!std::filesystem::exists(p.tmpdir));
  BOOST_TEST(read_whole(f.work() + "/pbs.12.borg.x8z/staged.in") == "precious");
}

// RS-107. Who reads the file at that moment sees the old list or the new one.
BOOST_AUTO_TEST_CASE(a_node_file_that_is_read_is_replaced_and_another_one_overwritten) {
  places_fixture f;
  auto p = f.place();
  f.places.set_up(p);
  wait_until([&] { return f.heard("12.borg.1 0"); }, "the place is there");
  struct stat first {
  }, second{}, third{};
  BOOST_REQUIRE(stat(p.node_file.c_str(), &first) == 0);
  p.node_file_text = "n1\n";
  p.node_file_is_read = false;
  f.places.update(p, 1);
  wait_until([&] { return f.heard("12.borg.1 updated 1"); }, "the file is written");
  BOOST_TEST(read_whole(p.node_file) == "n1\n");
  BOOST_REQUIRE(stat(p.node_file.c_str(), &second) == 0);
  BOOST_TEST(second.st_ino == first.st_ino);
  std::ifstream reader(p.node_file);
  p.node_file_text = "n1\nn3\n";
  p.node_file_is_read = true;
  f.places.update(p, 2);
  wait_until([&] { return f.heard("12.borg.1 updated 2"); }, "the file is another");
  BOOST_TEST(read_whole(p.node_file) == "n1\nn3\n");
  BOOST_REQUIRE(stat(p.node_file.c_str(), &third) == 0);
  BOOST_TEST(third.st_ino != first.st_ino);
  BOOST_TEST(std::string(std::istreambuf_iterator<char>(reader), {}) == "n1\n");
  std::filesystem::remove(p.node_file);
  p.node_file_is_read = false;
  f.places.update(p, 3);
  wait_until([&] { return f.heard("12.borg.1 updated 3"); }, "it is there again");
  BOOST_TEST(read_whole(p.node_file) == "n1\nn3\n");
}

BOOST_AUTO_TEST_CASE(a_node_file_that_can_not_be_written_is_told_with_the_reason) {
  places_fixture f;
  auto p = f.place();
  f.places.set_up(p);
  wait_until([&] { return f.heard("12.borg.1 0"); }, "the place is there");
  p.node_file += "/below";
  f.places.update(p, 7);
  wait_until([&] { return f.heard("12.borg.1 updated 7 " + p.node_file + ": Not a directory"); }, "it is told");
}

BOOST_AUTO_TEST_CASE(a_user_that_this_host_does_not_know_has_no_place) {
  places_fixture f;
  f.places.set_up(f.place("nobody-of-that-name"));
  wait_until([&] { return f.heard("12.borg.1 -10"); }, "it is refused");
  f.places.tear_down(f.place("nobody-of-that-name"));
  wait_until([&] { return f.heard("12.borg.1 removed"); }, "it can be removed all the same");
}

BOOST_AUTO_TEST_CASE(what_somebody_planted_in_the_place_of_a_directory_is_not_taken) {
  places_fixture f;
  std::filesystem::create_symlink("/etc", f.work() + "/pbs.12.borg");
  f.places.set_up(f.place());
  wait_until([&] { return f.heard("12.borg.1 -3"); }, "it is refused");
}

BOOST_AUTO_TEST_CASE(a_key_that_is_no_file_name_is_refused) {
  places_fixture f;
  auto p = f.place();
  p.job_id = "../12.borg";
  f.places.set_up(p);
  wait_until([&] { return f.heard("12.borg.1 -2"); }, "it is refused");
}

BOOST_AUTO_TEST_SUITE_END()
