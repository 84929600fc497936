// The server's log lines after a start from a checkpoint.
#include "actors/server/event_notes.hpp"

#include "test/support/goes_on_alike.hpp"
#include "test/support/made_history.hpp"
#include "test/support/told_records.hpp"
#include "test/unit/projections/accounting/array_story.hpp"

using namespace annals;
using namespace annals::test;

namespace {

using records = std::vector<log::record_ptr>;

struct noted {
  temporary_directory dir;
  actors::daemon_log to{dir.path, "Server@borg", 0xffff, false};
  actors::event_notes notes;

  explicit noted(bool follows_mask = false) : notes(to, follows_mask) {}
  void fold(const log::record& record) { notes.learn(record); }
  void store(stored::writer& out) const { out(notes); }
  void restore(stored::reader& in) { in(notes); }
  // Without their times.
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const auto& file : std::filesystem::directory_iterator(dir.path)) {
      std::istringstream in(content(file.path()));
      for (std::string line; std::getline(in, line);) all.push_back(line.substr(std::min(line.size(), line.find(';'))));
    }
    return all;
  }
};

void check(const records& all) {
  check_goes_on_alike(
      all, [] { return std::make_unique<noted>(); }, [](auto&) { return 0; });
  const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  noted learned, restored;
  for (auto r = all.begin(); r != half; ++r) learned.fold(**r);
  stored::restore_whole(stored_bytes(learned), restored);
  for (auto* each : {&learned, &restored}) each->notes.note({half, all.end()});
  BOOST_TEST(!learned.lines().empty());
  BOOST_TEST(restored.lines() == learned.lines(), boost::test_tools::per_element());
}

log::record set_log_events(const char* mask) {
  return told_records().next(1, [&](schema::Event::Builder e) {
    auto c = e.initServer().initChanged().initChanges(1)[0];
    c.setName("log_events");
    c.setValue(mask);
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stored_notes)

BOOST_AUTO_TEST_CASE(a_cluster_has_the_same_lines_from_a_checkpoint) {
  for (unsigned seed = 1; seed <= 4; ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) { check(made_records(seed, 120)); }
}

BOOST_FIXTURE_TEST_CASE(an_array_has_the_same_lines_from_a_checkpoint, told_array) {
  submit("1-3");
  auto first = runs(1);
  auto second = runs(2);
  asks(remove_subjobs("602[3]"), owner);
  ends(first, 0);
  ends(second, 1);
  check(log.records);
}

// Also if the server that made the checkpoint was started with a mask of its own.
BOOST_AUTO_TEST_CASE(the_mask_is_what_log_events_said_before_the_checkpoint) {
  noted before(false);
  before.fold(set_log_events("8"));
  for (const bool follows : {true, false}) {
    noted after(follows);
    stored::restore_whole(stored_bytes(before), after);
    BOOST_TEST(after.to.wants(actors::log_event::job));
    BOOST_TEST(after.to.wants(actors::log_event::system) == !follows);
  }
}

BOOST_AUTO_TEST_SUITE_END()
