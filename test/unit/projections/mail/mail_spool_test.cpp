// What was sent, as a server that comes back finds it.
#include "projections/mail/mail_spool.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "test/unit/projections/mail/mail_fixture.hpp"

using namespace annals;
using namespace annals::projections;
namespace fs = std::filesystem;

namespace {

struct spooled {
  test::temporary_directory dir;
  mail_spool open(const std::string& boot = "b1", const std::string& log = "l1", mail_place first = {5, 0}) {
    return {dir.at("mail"), log, boot, first};
  }
  static mail of(mail_place place) { return {place, "1.vm", "/bin/true", "adm", "u@vm", "To: u@vm\n", ""}; }
  fs::path file(const char* name) const { return dir.at(std::string("mail/") + name); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(spool, spooled)

BOOST_AUTO_TEST_CASE(without_a_mark_nothing_is_owed_that_came_before) {
  const auto s = open();
  BOOST_TEST(!s.owes({4, 9}));
  BOOST_TEST(s.owes({5, 0}));
  BOOST_TEST((s.first_open() == mail_place{5, 0}));
}

BOOST_AUTO_TEST_CASE(a_mail_whose_mailer_had_begun_is_not_owed_and_one_whose_file_is_there_is) {
  {
    auto s = open();
    BOOST_REQUIRE(s.begin(of({6, 0}), {6, 1}));
    BOOST_REQUIRE(s.begin(of({6, 1}), {8, 0}));
    BOOST_TEST(test::content(file("6.1")) == "To: u@vm\n");
    fs::remove(file("6.0"));  // as its mailer does
  }
  auto s = open("b1", "l1", {99, 0});
  BOOST_TEST((s.first_open() == mail_place{5, 0}));
  BOOST_TEST(!s.owes({6, 0}));
  BOOST_TEST(s.owes({6, 1}));
  BOOST_TEST(s.owes({8, 0}));
  BOOST_REQUIRE(s.begin(of({6, 1}), {8, 0}));
  BOOST_TEST(!s.owes({6, 1}));
}

BOOST_AUTO_TEST_CASE(one_that_is_about_to_begin_holds_its_file) {
  {
    auto s = open();
    BOOST_REQUIRE(s.begin(of({6, 0}), {7, 0}));
  }
  const int fd = ::open(file("6.0").c_str(), O_RDONLY | O_CLOEXEC);
  BOOST_REQUIRE(::flock(fd, LOCK_EX) == 0);
  BOOST_TEST(!open().owes({6, 0}));
  ::close(fd);
}

BOOST_AUTO_TEST_CASE(when_the_host_died_all_is_owed_that_was_not_known_to_be_done) {
  {
    auto s = open();
    BOOST_REQUIRE(s.begin(of({6, 0}), {7, 0}));
    BOOST_REQUIRE(s.begin(of({7, 0}), {9, 0}));
    fs::remove(file("6.0"));
    fs::remove(file("7.0"));
    s.done({7, 0}, {9, 0});
    BOOST_REQUIRE(s.sync());
  }
  const auto s = open("b2");
  BOOST_TEST(!s.owes({6, 0}));
  BOOST_TEST(s.owes({7, 0}));
}

BOOST_AUTO_TEST_CASE(a_mark_of_another_log_counts_for_nothing_and_its_files_go) {
  {
    auto s = open();
    BOOST_REQUIRE(s.begin(of({6, 0}), {7, 0}));
  }
  const auto s = open("b1", "l2", {3, 0});
  BOOST_TEST((s.first_open() == mail_place{3, 0}));
  BOOST_TEST(!fs::exists(file("6.0")));
}

BOOST_AUTO_TEST_CASE(of_two_slots_the_newer_sound_one_counts) {
  const mail_mark one{1, "l", "b", {2, 0}, {3, 0}}, two{2, "l", "b", {4, 0}, {5, 1}};
  BOOST_TEST((newest_mail_mark(print(two) + print(one)) == two));
  auto torn = print(two);
  torn[30] ^= 1;
  BOOST_TEST((newest_mail_mark(torn + print(one)) == one));
  BOOST_TEST(newest_mail_mark("").generation == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
