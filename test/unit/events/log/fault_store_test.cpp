// The suite of event_store_suite.hpp over the fault store without faults, then each fault.
#include "events/log/fault_store.hpp"

#include "test/unit/events/log/event_store_suite.hpp"

using namespace annals::log;

namespace {

struct backend {
  fault_store faulty{1};
  annals::ports::event_store& store() { return faulty; }
  void reopen() { faulty.crash(); }
};

using suite = event_store_suite<backend>;

}  // namespace

BOOST_AUTO_TEST_SUITE(store_with_faults)

BOOST_AUTO_TEST_CASE(keeps_every_promise_of_an_event_store) { suite::keeps_every_promise(); }

using error = annals::ports::store_error;

BOOST_AUTO_TEST_CASE(a_crash_loses_what_was_not_synced) {
  fault_store s(1);
  BOOST_REQUIRE(s.append(suite::batch({suite::record(1, 1, 1, "a")})));
  BOOST_REQUIRE(s.put_cache("k", bytes_of("v")));
  s.crash();
  BOOST_TEST(suite::all(s) == "1=a ");
  BOOST_TEST(!s.get_cache("k"));
}

BOOST_AUTO_TEST_CASE(a_failed_sync_leaves_all_or_nothing_and_both_happen) {
  bool kept = false, lost = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    fault_store s(seed);
    s.fail_next_sync();
    BOOST_TEST((s.append(suite::batch({suite::record(1, 1, 1, "a"), suite::record(2, 1, 2, "b")})).error ==
                error::sync_failed));
    BOOST_TEST(suite::all(s) == "");
    BOOST_TEST(
        (s.append(suite::batch({suite::record(1, 1, 1, "c")})).error == error::sync_failed));  // not before a crash
    s.crash();
    const auto found = suite::all(s);
    BOOST_TEST((found == "" || found == "1=a 2=b "));
    (found.empty() ? lost : kept) = true;
  }
  BOOST_TEST(kept);
  BOOST_TEST(lost);
}

BOOST_AUTO_TEST_CASE(a_torn_append_leaves_a_part) {
  fault_store s(3);
  s.tear_next_append();
  BOOST_TEST(!s.append(suite::batch({suite::record(1, 1, 1, "aaaa"), suite::record(2, 1, 2, "bbbb")})));
  s.crash();
  const auto found = suite::all(s);
  BOOST_TEST(found.starts_with("1="));
  BOOST_TEST(found != "1=aaaa 2=bbbb ");
}

BOOST_AUTO_TEST_CASE(an_uncertain_append_is_there_or_not_and_there_once_it_is_sure) {
  bool kept = false, lost = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    fault_store s(seed);
    const auto batch = suite::batch({suite::record(1, 1, 1, "a"), suite::record(2, 1, 2, "b")});
    s.be_uncertain(2);
    BOOST_TEST((s.append(batch).error == error::uncertain));
    const auto found = suite::all(s);
    BOOST_TEST((found == "" || found == "1=a 2=b "));
    (found.empty() ? lost : kept) = true;
    BOOST_TEST((s.append(batch).error == error::uncertain));
    BOOST_TEST(bool(s.append(batch)));
    BOOST_TEST(suite::all(s) == "1=a 2=b ");
    s.crash();
    BOOST_TEST(suite::all(s) == "1=a 2=b ");
  }
  BOOST_TEST(kept);
  BOOST_TEST(lost);
}

BOOST_AUTO_TEST_CASE(a_full_disk_keeps_nothing_and_reads_on) {
  fault_store s(1);
  BOOST_REQUIRE(s.append(suite::batch({suite::record(1, 1, 1, "a")})));
  s.set_disk_full(true);
  BOOST_TEST((s.append(suite::batch({suite::record(2, 1, 2, "b")})).error == error::disk_full));
  BOOST_TEST(suite::all(s) == "1=a ");
  s.set_disk_full(false);
  BOOST_TEST(bool(s.append(suite::batch({suite::record(2, 1, 2, "b")}))));
  s.crash();
  BOOST_TEST(suite::all(s) == "1=a 2=b ");
}

BOOST_AUTO_TEST_CASE(a_flipped_bit_is_on_the_disk_too) {
  fault_store s(5);
  BOOST_REQUIRE(s.append(suite::batch({suite::record(1, 1, 1, "aaaa")})));
  s.flip_bit(1);
  const auto seen = suite::all(s);
  BOOST_TEST(seen != "1=aaaa ");
  s.crash();
  BOOST_TEST(suite::all(s) == seen);
}

BOOST_AUTO_TEST_CASE(the_same_seed_fails_the_same_way) {
  auto story = [](std::uint64_t seed) {
    fault_store s(seed);
    s.set_sync_failure_rate(0.3);
    std::string out;
    for (int i = 0; i < 50; ++i) {
      const auto next = s.last_sequence() + 1;
      if (!s.append(suite::batch({suite::record(next, 1, next, "x")}))) {
        s.crash();
        out += std::to_string(i) + (s.last_sequence() == next ? "+" : "-");
      }
    }
    return out;
  };
  BOOST_TEST(story(7) == story(7));
  BOOST_TEST(story(7) != story(8));
}

BOOST_AUTO_TEST_SUITE_END()
