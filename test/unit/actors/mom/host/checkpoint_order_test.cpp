// Where a job's checkpoint lies, and how it goes: a later one of the job may be made at once.
#include "actors/mom/host/checkpoint_order.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "test/support/temporary_directory.hpp"

using namespace annals;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(checkpoints_of_jobs)

BOOST_AUTO_TEST_CASE(one_that_is_taken_away_makes_room_for_the_next) {
  const test::temporary_directory dir;
  const auto path = dir.at("12.borg.CK");
  BOOST_TEST(mom::take_checkpoint_away(path, 1) == "");  // there is none
  BOOST_TEST(mom::make_checkpoint_place(path, 4711) == "");
  std::ofstream(path + "/memory") << "much";
  const auto gone = mom::take_checkpoint_away(path, 1);
  BOOST_TEST(gone == path + ".1.gone");
  BOOST_TEST(fs::exists(gone + "/memory"));
  BOOST_TEST(!fs::exists(path));
  BOOST_TEST(mom::session_at_checkpoint(path) == 0);
  BOOST_TEST(mom::make_checkpoint_place(path, 4712) == "");
  BOOST_TEST(mom::session_at_checkpoint(path) == 4712);
  BOOST_TEST(mom::take_checkpoint_away(path, 2) == path + ".2.gone");
}

BOOST_AUTO_TEST_SUITE_END()
