// The log writer and who checks what it is to write: an append is asked about as a whole, and taken as a whole or not at all.
#include "actors/runtime/log_writer.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/event_based_actor.hpp>

#include "events/log/event_log.hpp"
#include "events/log/fault_store.hpp"
#include "test/support/stepped_system.hpp"

namespace {

using namespace annals;
using strings = std::vector<std::string>;

std::string name_in(const log::record& r) {
  if (r.event().isLog()) return "step";
  return schema::str(r.event().getQueue().getCreated().getName());
}

// Refuses an append in which something is named "bad".
struct checker : actors::append_check {
  mutable strings asked;  // "a b c": an append
  strings applied;
  int rebuilds = 0;

  std::optional<model::rejection> check(std::span<const log::record_ptr> records) const override {
    std::string names;
    for (const auto& r : records) names += (names.empty() ? "" : " ") + name_in(*r);
    asked.push_back(names);
    if (names.find("bad") != std::string::npos) return model::rejection{15007, "no"};
    return std::nullopt;
  }
  void apply(const log::record& r) override { applied.push_back(name_in(r)); }
  ports::store_status rebuild(const log::log_reader& reader) override {
    ++rebuilds;
    applied.clear();
    return reader.read(1, [this](const log::record_ptr& r) {
      apply(*r);
      return true;
    });
  }
};

struct fixture {
  log::fault_store store{1};
  test::still_clock clock;
  log::event_log log{store, clock};
  log::log_reader reader{store};
  checker ledger;
  strings notes;
  test::stepped_system system;
  caf::actor writer =
      system->spawn(actors::log_writer,
                    actors::log_writer_parts{.log = &log,
                                             .reader = &reader,
                                             .ledger = &ledger,
                                             .followers = {},
                                             .stop_process = [](const std::string& text) { BOOST_ERROR("stopped: " + text); },
                                             .disk_writable = [] { return true; },
                                             .note = [this](const std::string& text) { notes.push_back(text); }});
  std::vector<actors::append_result> results;

  ~fixture() { system.end({writer}); }

  static model::event named(const std::string& name) {
    return model::make_event([&](auto e) { e.initQueue().initCreated().setName(name); });
  }
  static log::append append(std::uint64_t stream, std::uint64_t version, const strings& names, const strings& born = {}) {
    log::append a;
    a.stream = stream;
    a.expected_version = version;
    for (const auto& name : names) a.events.push_back(named(name));
    for (const auto& name : born) a.born.push_back(named(name));
    return a;
  }
  // What comes of each of them.
  std::string write(std::vector<log::append> appends) {
    const auto asker = system->spawn(
        [this](caf::event_based_actor* self, const caf::actor& to, std::vector<log::append>* all) -> caf::behavior {
          actors::append_batch batch;
          batch.appends = std::move(*all);
          self->send(to, std::move(batch));
          return {[this](actors::append_results& r) { results = std::move(r.results); }};
        },
        writer, &appends);
    system.run();
    system.end({asker});
    std::string kinds;
    for (const auto& r : results) kinds += kind_of(r) + " ";
    return kinds;
  }
  static std::string kind_of(const actors::append_result& r) {
    using kind = actors::append_result::kind;
    return r.what == kind::stored ? "stored " + std::to_string(r.sequence) : r.what == kind::refused ? "refused"
                                                                                                     : "other";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(log_writers, fixture)

BOOST_AUTO_TEST_CASE(an_append_is_asked_about_as_a_whole_before_any_of_it_counts) {
  std::vector<log::append> one;
  one.push_back(append(0, 0, {"a", "b"}, {"c"}));
  BOOST_TEST(write(std::move(one)) == "stored 3 ");
  BOOST_TEST(ledger.asked == strings{"a b c"}, boost::test_tools::per_element());
  BOOST_TEST(ledger.applied == (strings{"a", "b", "c"}), boost::test_tools::per_element());
  BOOST_REQUIRE(results.front().records.size() == 3u);  // those that were born come back with the others
  BOOST_TEST(results.front().records[2]->get().getStream() == 2u);
}

BOOST_AUTO_TEST_CASE(what_is_refused_in_its_last_event_leaves_nothing) {
  std::vector<log::append> some;
  some.push_back(append(0, 0, {"a"}));
  some.push_back(append(0, 0, {"b"}, {"c", "bad"}));
  some.push_back(append(0, 0, {"d"}, {"e"}));
  BOOST_TEST(write(std::move(some)) == "stored 1 refused stored 3 ");
  BOOST_TEST(ledger.asked == (strings{"a", "b c bad", "d e"}), boost::test_tools::per_element());
  BOOST_TEST(ledger.applied == (strings{"a", "d", "e"}), boost::test_tools::per_element());
  BOOST_TEST(results[1].records.empty());
  BOOST_TEST(results[2].records[0]->get().getStream() == 2u);
  BOOST_TEST(results[2].records[1]->get().getStream() == 3u);
  BOOST_TEST(log::verify(store).ok());
}

BOOST_AUTO_TEST_CASE(after_a_full_disk_the_checker_knows_what_is_written_and_no_more) {
  std::vector<log::append> first, lost;
  first.push_back(append(0, 0, {"a"}, {"b"}));
  write(std::move(first));
  store.set_disk_full(true);
  lost.push_back(append(1, 1, {"c"}, {"d"}));
  BOOST_TEST(write(std::move(lost)) == "other ");
  BOOST_TEST(ledger.rebuilds == 1);
  BOOST_TEST(ledger.applied == (strings{"a", "b"}), boost::test_tools::per_element());
}

// The asker gets what it asked for, and no more.
BOOST_AUTO_TEST_CASE(a_clock_that_went_back_is_written_before_the_append_and_said) {
  std::vector<log::append> first, behind;
  first.push_back(append(0, 0, {"a"}));
  write(std::move(first));
  clock.ns -= 604'800'000'000'000;
  behind.push_back(append(0, 0, {"bad"}));
  behind.push_back(append(0, 0, {"b"}));
  BOOST_TEST(write(std::move(behind)) == "refused stored 3 ");
  BOOST_REQUIRE(results[1].records.size() == 1u);
  BOOST_TEST(name_in(*results[1].records[0]) == "b");
  BOOST_TEST(results[1].records[0]->get().getWallNs() == clock.ns);
  BOOST_TEST(ledger.asked == (strings{"a", "bad", "b"}), boost::test_tools::per_element());
  BOOST_REQUIRE(notes.size() == 1u);
  BOOST_TEST(notes[0].find("the clock went back from ") == 0u);
  BOOST_TEST(ledger.applied == (strings{"a", "step", "b"}), boost::test_tools::per_element());
  BOOST_TEST(log::verify(store).ok());
}

BOOST_AUTO_TEST_CASE(a_clock_that_can_not_be_right_is_said_once_an_hour) {
  const auto one = [&](const std::string& name) {
    std::vector<log::append> some;
    some.push_back(append(0, 0, {name}));
    write(std::move(some));
  };
  one("a");
  clock.ns = 1;
  one("b");
  one("c");
  BOOST_REQUIRE(notes.size() == 1u);
  BOOST_TEST(notes[0].find("the clock says Thu Jan  1") == 0u);
  BOOST_TEST(ledger.applied == (strings{"a", "b", "c"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
