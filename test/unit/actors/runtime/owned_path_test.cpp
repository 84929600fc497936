// Which files may be trusted with a daemon's rights.
#include "actors/runtime/owned_path.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test/support/skip.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using actors::owned_as;
namespace fs = std::filesystem;

namespace {

constexpr unsigned somebody = 12345;

struct places {
  test::temporary_directory dir;
  std::string own = fs::canonical(dir.path).string();  // TMPDIR may be a link

  std::string at(const std::string& name) const { return own + '/' + name; }
  std::string directory(const std::string& name, mode_t mode = 0755) const {
    fs::create_directory(at(name));
    BOOST_REQUIRE(chmod(at(name).c_str(), mode) == 0);
    return at(name);
  }
  std::string file(const std::string& name, mode_t mode = 0755) const {
    std::ofstream(at(name)) << "#!/bin/sh\n";
    BOOST_REQUIRE(chmod(at(name).c_str(), mode) == 0);
    return at(name);
  }
  void give_away(const std::string& path) const { BOOST_REQUIRE(lchown(path.c_str(), somebody, somebody) == 0); }
};

std::string program(const std::string& path) { return actors::why_not_owned(path, owned_as::program); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(owned_paths, places)

BOOST_AUTO_TEST_CASE(a_program_of_ours_is_good) {
  BOOST_TEST(program(file("a")) == "");
  BOOST_TEST(program("/bin/sh") == "");  // often by way of a link
  directory("d");
  file("d/b");
  BOOST_TEST(program(at("d/../d/./b")) == "");
  BOOST_TEST(program(own + "//d///b") == "");
  BOOST_TEST(actors::why_not_owned(file("text", 0644), owned_as::file) == "");
  BOOST_TEST(actors::why_not_owned(at("d"), owned_as::directory) == "");
}

BOOST_AUTO_TEST_CASE(one_that_others_may_write_is_not) {
  for (const mode_t mode : {0775, 0757, 0777}) BOOST_TEST(program(file("a", mode)) == at("a") + " may be written by others");
  BOOST_TEST(program(file("a", 0644)) == at("a") + " is not executable");
  BOOST_TEST(actors::why_not_owned(directory("d", 0777), owned_as::directory) == at("d") + " may be written by others");
  BOOST_TEST(actors::why_not_owned(directory("d", 01777), owned_as::directory) == at("d") + " may be written by others");
}

BOOST_AUTO_TEST_CASE(nor_one_in_whose_place_others_may_put_another) {
  directory("open");
  directory("open/below");
  file("open/below/a");
  BOOST_TEST(program(at("open/below/a")) == "");
  directory("open", 0757);
  BOOST_TEST(program(at("open/below/a")) == at("open") + " may be written by others");
  directory("open", 01777);  // as /tmp: only its owner may take it away
  BOOST_TEST(program(at("open/below/a")) == "");
  // By way of a link it is the same, and so is a way through a directory that is left again.
  fs::create_symlink("open/below/a", at("link"));
  fs::create_symlink(at("open/below"), at("there"));
  BOOST_TEST(program(at("link")) == "");
  BOOST_TEST(program(at("there/a")) == "");
  directory("open", 0757);
  file("a");
  BOOST_TEST(program(at("link")) == at("open") + " may be written by others");
  BOOST_TEST(program(at("there/a")) == at("open") + " may be written by others");
  BOOST_TEST(program(at("open/below/../../a")) == at("open") + " may be written by others");
}

BOOST_AUTO_TEST_CASE(what_is_none_is_said) {
  BOOST_TEST(program("sendmail") == "sendmail is no absolute path");
  BOOST_TEST(program("") == " is no absolute path");
  BOOST_TEST(program(at("nosuch")) == at("nosuch") + ": No such file or directory");
  BOOST_TEST(program(directory("d")) == at("d") + " is no file");
  file("a");
  BOOST_TEST(program(at("a/b")) == at("a") + ": Not a directory");
  fs::create_symlink("round", at("round"));
  BOOST_TEST(program(at("round")) == at("round") + ": Too many levels of symbolic links");
  BOOST_TEST(actors::why_not_owned(at("a"), owned_as::directory) == at("a") + ": Not a directory");
}

BOOST_AUTO_TEST_CASE(nothing_of_another_user_is_good) {
  if (geteuid() != 0) return test::skip("only root can give files away");
  const auto of_somebody = [&](const char* name) { return at(name) + " belongs to user " + std::to_string(somebody); };
  file("a");
  give_away(at("a"));
  BOOST_TEST(program(at("a")) == of_somebody("a"));
  directory("his");
  file("his/b");
  give_away(at("his"));
  BOOST_TEST(program(at("his/b")) == of_somebody("his"));
  // In a directory as /tmp a link is his who made it.
  directory("tmp", 01777);
  file("tmp/c");
  fs::create_symlink("c", at("tmp/link"));
  BOOST_TEST(program(at("tmp/link")) == "");
  give_away(at("tmp/link"));
  BOOST_TEST(program(at("tmp/link")) == of_somebody("tmp/link"));
  directory("group", 0775);
  file("group/d");
  BOOST_TEST(program(at("group/d")) == at("group") + " may be written by others");
}

BOOST_AUTO_TEST_SUITE_END()
