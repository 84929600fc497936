// What was typed at qmgr: kept in a file, the last 500 commands, numbered.
#include <boost/test/unit_test.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "test/support/temporary_directory.hpp"
#include "tools/client/editing/command_history.hpp"

using namespace annals;

namespace {

struct place {
  test::temporary_directory directory;
  std::string home = directory.at("home"), spool = directory.at("spool");

  static std::string text_of(const std::string& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  static void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }
  std::string many(int from, int to) {
    std::string text;
    for (int i = from; i <= to; ++i) text += "list queue q" + std::to_string(i) + "\n";
    return text;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(command_history, place)

BOOST_AUTO_TEST_CASE(commands_are_there_in_the_next_sitting) {
  {
    client::command_history history(home, spool);
    BOOST_TEST(history.problem() == "");
    BOOST_TEST(history.commands().empty());
    history.add("list server");
    history.add("print queue workq");
    BOOST_TEST(text_of(home) == "list server\nprint queue workq\n");
  }
  client::command_history history(home, spool);
  BOOST_TEST(history.listed(9) == "    1  list server\n    2  print queue workq\n");
  BOOST_TEST(!std::filesystem::exists(spool));
}

BOOST_AUTO_TEST_CASE(only_its_owner_reads_it) {
  client::command_history history(home, spool);
  struct stat is {};
  BOOST_REQUIRE(stat(home.c_str(), &is) == 0);
  BOOST_TEST((is.st_mode & 077) == 0u);
}

BOOST_AUTO_TEST_CASE(a_command_that_is_given_again_at_once_stands_there_once) {
  client::command_history history(home, spool);
  for (const char* command : {"list server", "list server", "list queue", "list server"}) history.add(command);
  BOOST_TEST(text_of(home) == "list server\nlist queue\nlist server\n");
}

BOOST_AUTO_TEST_CASE(commands_have_numbers) {
  client::command_history history(home, spool);
  history.add("a");
  history.add("b");
  history.add("c");
  BOOST_TEST(history.listed(2) == "    2  b\n    3  c\n");
  BOOST_TEST(history.listed(0) == "");
  BOOST_TEST(*history.find(1) == "a");
  BOOST_TEST(*history.find(3) == "c");
  BOOST_TEST(!history.find(0));
  BOOST_TEST(!history.find(4));
}

BOOST_AUTO_TEST_CASE(the_last_500_are_kept) {
  write(home, many(1, 499));
  client::command_history history(home, spool);
  history.add("list queue q500");
  BOOST_TEST(*history.find(1) == "list queue q1");
  history.add("list queue q501");
  BOOST_TEST(!history.find(1));
  BOOST_TEST(*history.find(2) == "list queue q2");
  BOOST_TEST(*history.find(501) == "list queue q501");
  BOOST_TEST(history.commands().size() == 500u);
  client::command_history next(home, spool);
  BOOST_TEST(text_of(home) == many(2, 501));
  BOOST_TEST(*next.find(1) == "list queue q2");
}

BOOST_AUTO_TEST_CASE(of_a_huge_file_the_end_counts) {
  write(home, std::string(2 << 20, 'x') + "\n" + many(1, 3) + "half a line");
  client::command_history history(home, spool);
  BOOST_TEST(text_of(home) == many(1, 3) + "half a line\n");
  history.add("list server");
  BOOST_TEST(text_of(home) == many(1, 3) + "half a line\nlist server\n");
}

BOOST_AUTO_TEST_CASE(what_can_not_be_kept_at_home_is_kept_elsewhere) {
  client::command_history history(directory.at("none/home"), spool);
  BOOST_TEST(history.problem() == "");
  history.add("list server");
  BOOST_TEST(text_of(spool) == "list server\n");
}

BOOST_AUTO_TEST_CASE(what_can_be_kept_nowhere_is_remembered_for_the_sitting) {
  std::filesystem::create_symlink(directory.at("elsewhere"), spool);  // somebody else's, perhaps: it is not followed
  client::command_history history(directory.at("none/home"), spool);
  BOOST_TEST(history.problem().find("none/home: No such file or directory\n") != std::string::npos);
  BOOST_TEST(history.problem().find(spool + ": ") != std::string::npos);
  history.add("list server");
  BOOST_TEST(*history.find(1) == "list server");
  BOOST_TEST(!std::filesystem::exists(directory.at("elsewhere")));
}

BOOST_AUTO_TEST_CASE(two_sittings_at_once_lose_nothing) {
  client::command_history one(home, spool), other(home, spool);
  one.add("a");
  other.add("b");
  one.add("c");
  BOOST_TEST(text_of(home) == "a\nb\nc\n");
}

BOOST_AUTO_TEST_SUITE_END()
