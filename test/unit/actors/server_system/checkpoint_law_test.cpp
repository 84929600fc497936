// The law of checkpoints for all folds of a server together, and for those of a maker, which are more: over invented logs, and over those
// that releases have left.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <variant>

#include "actors/server_system/maker_folds.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "test/support/checkpoint_law.hpp"
#include "test/support/made_history.hpp"
#include "test/support/paths.hpp"
#include "test/support/recorded_lives.hpp"
#include "test/support/run_command.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/unit/actors/server_system/server_replica.hpp"

using namespace annals;
using namespace annals::test;

namespace {

constexpr std::size_t positions_tried = 10;

void check(const std::vector<log::record_ptr>& records) {
  BOOST_REQUIRE(records.size() > positions_tried);
  std::vector<std::size_t> positions;
  for (std::size_t i = 1; i <= positions_tried; ++i) positions.push_back(records.size() * i / positions_tried);
  const auto maker = [] { return std::make_unique<actors::maker_folds>(home_of_server); };
  BOOST_TEST(broken_law(records, positions, maker, [] { return std::make_unique<server_replica>(); }) == "");
  BOOST_TEST(broken_law(records, positions, maker, maker) == "");
}

void check_server_logs(const std::filesystem::path& packed) {
  const temporary_directory unpacked;
  const auto done = run({"/usr/bin/python3", "-m", "tarfile", "-e", packed.string(), unpacked.path});
  BOOST_REQUIRE_MESSAGE(done.status == 0, done.err);
  unsigned logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(unpacked.path)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("server")) continue;
    ++logs;
    BOOST_TEST_CONTEXT(packed << ": " << name) {
      const auto opened = log::open_for_audit(entry.path().string());
      BOOST_REQUIRE(opened.index() == 0);
      check(all_records(log::log_reader(*std::get<0>(opened))));
    }
  }
  BOOST_TEST(logs > 0u);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(law_of_checkpoints)

BOOST_AUTO_TEST_CASE(it_holds_for_invented_histories) {
  for (unsigned seed = 1; seed <= 4; ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) { check(made_records(seed, 300)); }
}

BOOST_AUTO_TEST_CASE(it_holds_for_a_cluster_with_reservations_and_arrays) {
  recorded_cluster c("fair_share: True all\nby_queue: False all\nfairshare_usage_res: ncpus\nresources: \"ncpus\"\n");
  c.change_server("job_history_enable", "True");
  c.change_server("eligible_time_enable", "True");
  live(c, 11, 50);
  c.refuses = false;
  live_with_reservations(c, 11, 50);
  c.submit_array("user1", "1-9:2", 2, 100);
  for (int i = 0; i < 10; ++i) {
    c.cycle();
    c.later(60);
  }
  check(all_records(log::log_reader(c.store)));
}

BOOST_AUTO_TEST_CASE(it_holds_for_the_golden_logs) {
  unsigned versions = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/test/golden-logs"))
    if (const auto packed = entry.path() / "logs.tar.xz"; std::filesystem::exists(packed)) {
      ++versions;
      check_server_logs(packed);
    }
  BOOST_TEST(versions > 0u);
}

BOOST_AUTO_TEST_SUITE_END()
