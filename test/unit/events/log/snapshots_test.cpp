#include "events/log/snapshots.hpp"

#include "events/log/memory_event_store.hpp"
#include "test/unit/events/log/log_fixture.hpp"

using namespace annals;
using namespace annals::log;

namespace {

struct fixture {
  set_clock clock;
  memory_event_store store;
  event_log log{store, clock};
  snapshot_store snapshots{store};
  std::vector<record_ptr> committed;

  fixture() { write("first"); }
  void write(const std::string& name) {
    BOOST_REQUIRE(std::holds_alternative<staged>(log.stage(append_to(0, 0, {name}))));
    BOOST_REQUIRE(log.commit(committed));
  }
  void save(const std::string& name, std::string_view payload) {
    BOOST_REQUIRE(snapshots.save(name, 1, log.last_sequence(), log.head(), bytes_of(payload)));
  }
  std::string load(const std::string& name, std::uint32_t format = 1) {
    const auto s = snapshots.load(name, format);
    return s ? std::to_string(s->sequence) + ":" + text_of(s->payload) : "nothing";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(snapshot, fixture)

BOOST_AUTO_TEST_CASE(what_was_saved_is_loaded_with_its_position) {
  save("ledger", "state");
  write("second");
  BOOST_TEST(load("ledger") == "1:state");
  save("ledger", "later");
  BOOST_TEST(load("ledger") == "2:later");
  BOOST_TEST(load("other") == "nothing");
}

BOOST_AUTO_TEST_CASE(another_format_is_not_offered) {
  save("ledger", "state");
  BOOST_TEST(load("ledger", 2) == "nothing");
}

BOOST_AUTO_TEST_CASE(a_snapshot_of_another_history_is_not_offered) {
  chain_hash other{};
  other.fill(std::byte{1});
  BOOST_REQUIRE(snapshots.save("ledger", 1, 1, other, bytes_of("state")));
  BOOST_TEST(load("ledger") == "nothing");
}

BOOST_AUTO_TEST_CASE(a_snapshot_ahead_of_the_log_is_not_offered) {
  BOOST_REQUIRE(snapshots.save("ledger", 1, 2, log.head(), bytes_of("state")));
  BOOST_TEST(load("ledger") == "nothing");
}

BOOST_AUTO_TEST_CASE(a_snapshot_of_the_empty_log_is_one) {
  BOOST_REQUIRE(snapshots.save("ledger", 1, 0, {}, bytes_of("")));
  BOOST_TEST(load("ledger") == "0:");
}

BOOST_AUTO_TEST_CASE(every_flipped_bit_makes_it_nothing) {
  save("ledger", "state");
  const auto key = std::string("snapshot/ledger");
  const auto sound = store.get_cache(key).value();
  for (std::size_t at = 0; at < sound.size(); ++at) {
    auto bytes = sound;
    bytes[at] ^= std::byte{1};
    BOOST_REQUIRE(store.put_cache(key, bytes));
    BOOST_REQUIRE_EQUAL(load("ledger"), "nothing");
  }
  for (std::size_t size = 0; size < sound.size(); ++size) {
    BOOST_REQUIRE(store.put_cache(key, ports::byte_span(sound).first(size)));
    BOOST_REQUIRE_EQUAL(load("ledger"), "nothing");
  }
}

BOOST_AUTO_TEST_CASE(all_under_a_prefix_are_visited_and_the_unsound_left_out) {
  save("job/2", "b");
  save("job/1", "a");
  save("host/1", "h");
  BOOST_REQUIRE(snapshots.save("job/3", 2, 1, log.head(), bytes_of("of another format")));
  std::string seen;
  snapshots.load_all("job/", 1, [&](std::string_view name, const annals::log::snapshot& s) {
    seen += std::string(name) + "=" + text_of(s.payload) + " ";
    return true;
  });
  BOOST_TEST(seen == "job/1=a job/2=b ");
}

BOOST_AUTO_TEST_CASE(dropping_them_all_changes_nothing_else) {
  save("job/1", "a");
  BOOST_REQUIRE(store.put_cache("not a snapshot", bytes_of("x")));
  BOOST_REQUIRE(snapshots.drop(""));
  BOOST_TEST(load("job/1") == "nothing");
  BOOST_TEST(store.get_cache("not a snapshot").has_value());
  BOOST_TEST(names_in(store) == "1:first ");
}

BOOST_AUTO_TEST_SUITE_END()
