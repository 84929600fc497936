// What a scheduler does when its object names other directories.
#include <boost/test/unit_test.hpp>

#include <vector>

#include "actors/scheduler/directory_keeper.hpp"

using namespace annals;
using actors::directory_keeper;
using trouble = directory_keeper::trouble;

namespace {

// Directories below /good can be used, those below /locked are another's.
struct kept {
  std::vector<std::string> tried, log;
  std::vector<schema::sealed<schema::FromScheduler>> sent;
  std::string older;  // where the logs really are
  directory_keeper keeper{{"/good/priv", "/good/log"},
                          {[this](const std::string& d) {
                             tried.push_back(d);
                             return d.starts_with("/good")     ? trouble::NONE
                                    : d.starts_with("/locked") ? trouble::UNREACHABLE
                                                               : trouble::NOT_VALID;
                           },
                           [this](const std::string& d) -> std::optional<std::string> {
                             tried.push_back(d);
                             if (!d.starts_with("/good")) return std::nullopt;
                             return older.empty() ? d : older;
                           },
                           [this](const auto& m) { sent.push_back(m); },
                           [this](auto, auto, auto, auto text) { log.emplace_back(text); }}};

  void object(const std::string& priv, const std::string& logs, bool scheduling = true) { keeper.wanted({priv, logs}, scheduling); }
  // What the server was told last, and how often it was told anything.
  std::string told() const {
    if (sent.empty()) return "nothing";
    const auto d = sent.back().get().getDirectories();
    return std::to_string(sent.size()) + ": " + schema::str(d.getPriv()) + " " + schema::str(d.getLogs()) + " " +
           std::to_string(static_cast<int>(d.getPrivTrouble())) + (d.getLogTrouble() ? " no log" : "");
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(after_each_connection_it_says_where_it_works) {
  kept k;
  k.object("/good/priv", "/good/log");
  BOOST_TEST(k.told() == "1: /good/priv /good/log 0");
  k.object("/good/priv", "/good/log");
  BOOST_TEST(k.sent.size() == 1u);
  k.keeper.connected();
  k.object("", "");  // they are unset: what is used is right
  BOOST_TEST(k.told() == "2: /good/priv /good/log 0");
  BOOST_TEST(k.tried.empty());
}

BOOST_AUTO_TEST_CASE(a_good_directory_is_used_from_then_on_and_both_lines_say_so) {  // MS-53, MS-54
  kept k;
  k.object("/good/other", "/good/log");
  BOOST_TEST(k.told() == "1: /good/other /good/log 0");
  k.object("/good/other", "/good/otherlog", false);
  BOOST_TEST(k.told() == "2: /good/other /good/otherlog 0");
  const std::vector<std::string> lines{"Scheduler priv directory is changed to /good/other",
                                       "scheduler priv directory has changed to /good/other",
                                       "Scheduler log directory is changed to /good/otherlog",
                                       "scheduler log directory is changed to /good/otherlog"};
  BOOST_TEST(k.log == lines);
}

BOOST_AUTO_TEST_CASE(of_one_that_can_not_be_used_the_old_one_stays) {  // MS-50 to MS-52, MS-58
  kept k;
  k.object("/good/priv", "/bad/log");
  BOOST_TEST(k.told() == "1: /good/priv /good/log 0 no log");
  k.object("/bad/priv", "/good/log");
  BOOST_TEST(k.told() == "2: /good/priv /good/log 2");
  k.object("/locked/priv", "/good/log");
  BOOST_TEST(k.told() == "3: /good/priv /good/log 1");
  k.object("/good/priv", "/good/log");
  BOOST_TEST(k.told() == "4: /good/priv /good/log 0");
  BOOST_TEST(k.log[1] == "PBS failed validation checks for directory /bad/priv");
}

BOOST_AUTO_TEST_CASE(it_is_tried_again_when_somebody_did_something_and_never_by_itself) {  // MS-51, 52: no loop
  kept k;
  k.object("/bad/priv", "/bad/log");
  BOOST_TEST(k.tried.size() == 2u);
  for (int i = 0; i < 3; ++i) k.object("/bad/priv", "/bad/log", false);  // the server has turned scheduling off
  BOOST_TEST(k.tried.size() == 2u);
  BOOST_TEST(k.sent.size() == 1u);
  k.object("/bad/priv", "/bad/log", true);  // turned on again: perhaps they are good now
  BOOST_TEST(k.tried.size() == 4u);
  BOOST_TEST(k.sent.size() == 2u);
  k.object("/bad/priv", "/bad/log", false);
  k.keeper.again();
  BOOST_TEST(k.tried.size() == 6u);
  BOOST_TEST(k.sent.size() == 3u);
}

BOOST_AUTO_TEST_CASE(where_only_the_older_log_directory_is_there_the_server_hears_its_name) {  // MS-09
  kept k;
  k.older = "/good/log";
  k.object("/good/priv", "/good/newname");
  BOOST_TEST(k.told() == "1: /good/priv /good/log 0");
  BOOST_TEST(k.log.empty());
}
