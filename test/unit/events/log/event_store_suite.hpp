// What every event store promises, as cases over any of them. A backend gives store(), the store as its process sees
// it, and reopen(), which ends that process without warning and opens again.
#pragma once

#include <chrono>
#include <future>

#include "test/unit/events/log/log_fixture.hpp"

namespace annals::log {

template <class Backend>
struct event_store_suite {
  using error = ports::store_error;

  static ports::stored_record record(std::uint64_t sequence, std::uint64_t stream, std::uint64_t version,
                                     std::string_view text) {
    return {sequence, stream, version, bytes_of(text)};
  }
  static ports::write_batch batch(std::vector<ports::stored_record> records) {
    ports::write_batch b;
    b.records = std::move(records);
    return b;
  }
  static std::string all(const ports::event_store& s, std::uint64_t from = 1) {
    std::string out;
    BOOST_TEST(bool(s.read(from, [&](std::uint64_t n, ports::byte_span b) {
      out += std::to_string(n) + "=" + text_of(b) + " ";
      return true;
    })));
    return out;
  }
  static std::string stream(const ports::event_store& s, std::uint64_t serial, std::uint64_t from) {
    std::string out;
    BOOST_TEST(bool(s.read_stream(serial, from, [&](std::uint64_t n, ports::byte_span b) {
      out += std::to_string(n) + "=" + text_of(b) + " ";
      return true;
    })));
    return out;
  }
  static std::string cached(const ports::event_store& s, std::string_view prefix) {
    std::string out;
    s.scan_cache(prefix, [&](std::string_view key, ports::byte_span value) {
      out += std::string(key) + "=" + text_of(value) + " ";
      return true;
    });
    return out;
  }

  static void an_empty_store_has_nothing() {
    Backend b;
    BOOST_TEST(b.store().last_sequence() == 0u);
    BOOST_TEST(b.store().last_stream() == 0u);
    BOOST_TEST(b.store().last_version(1) == 0u);
    BOOST_TEST(all(b.store()) == "");
    BOOST_TEST(!b.store().read_memo("m"));
    BOOST_TEST(!b.store().get_cache("c"));
    BOOST_TEST(!b.store().read_blob(std::string(32, 'x')));
  }

  static void records_come_back_in_order() {
    Backend b;
    BOOST_TEST(b.store().append(batch({record(1, 1, 1, "a"), record(2, 2, 1, "b")})).text == "");
    BOOST_TEST(b.store().append(batch({record(3, 1, 2, "c")})).text == "");
    BOOST_TEST(all(b.store()) == "1=a 2=b 3=c ");
    BOOST_TEST(all(b.store(), 3) == "3=c ");
    BOOST_TEST(all(b.store(), 4) == "");
    BOOST_TEST(b.store().last_sequence() == 3u);
  }

  static void order_is_that_of_numbers_beyond_a_byte() {
    Backend b;
    for (std::uint64_t n = 1; n <= 300; ++n) BOOST_REQUIRE(b.store().append(batch({record(n, n, 1, "x")})));
    std::uint64_t expected = 255;
    BOOST_TEST(bool(
        b.store().read(255, [&](std::uint64_t n, ports::byte_span) { return n == expected && ++expected <= 300; })));
    BOOST_TEST(expected == 301u);
    BOOST_TEST(b.store().last_stream() == 300u);
  }

  static void a_visitor_may_stop() {
    Backend b;
    BOOST_REQUIRE(b.store().append(batch({record(1, 1, 1, "a"), record(2, 1, 2, "b"), record(3, 1, 3, "c")})));
    int seen = 0;
    BOOST_TEST(bool(b.store().read(1, [&](std::uint64_t, ports::byte_span) { return ++seen < 2; })));
    BOOST_TEST(bool(b.store().read_stream(1, 1, [&](std::uint64_t, ports::byte_span) { return ++seen < 4; })));
    BOOST_TEST(seen == 4);
  }

  static void a_stream_is_read_by_its_versions() {
    Backend b;
    BOOST_REQUIRE(b.store().append(
        batch({record(1, 7, 1, "a"), record(2, 8, 1, "b"), record(3, 7, 2, "c"), record(4, 9, 1, "d")})));
    BOOST_TEST(stream(b.store(), 7, 1) == "1=a 3=c ");
    BOOST_TEST(stream(b.store(), 7, 2) == "3=c ");
    BOOST_TEST(stream(b.store(), 6, 1) == "");
    BOOST_TEST(b.store().last_version(7) == 2u);
    BOOST_TEST(b.store().last_version(6) == 0u);
    BOOST_TEST(b.store().last_version(10) == 0u);
    BOOST_TEST(b.store().last_stream() == 9u);
    std::string index;
    BOOST_TEST(bool(b.store().read_index([&](std::uint64_t s, std::uint64_t v, std::uint64_t n) {
      index += std::to_string(s) + "/" + std::to_string(v) + "=" + std::to_string(n) + " ";
      return true;
    })));
    BOOST_TEST(index == "7/1=1 7/2=3 8/1=2 9/1=4 ");
  }

  static void what_was_acknowledged_survives_a_crash() {
    Backend b;
    auto batched = batch({record(1, 1, 1, "a"), record(2, 1, 2, "b")});
    batched.blobs.push_back(blob_of("#!/bin/sh\n"));
    batched.memos.push_back({"command", "12.borg"});
    BOOST_REQUIRE(b.store().append(batched));
    b.reopen();
    BOOST_TEST(all(b.store()) == "1=a 2=b ");
    BOOST_TEST(text_of(b.store().read_blob(blob_of("#!/bin/sh\n").hash).value()) == "#!/bin/sh\n");
    BOOST_TEST(b.store().read_memo("command").value() == "12.borg");
    BOOST_REQUIRE(b.store().append(batch({record(3, 1, 3, "c")})));
    b.reopen();
    BOOST_TEST(all(b.store()) == "1=a 2=b 3=c ");
    BOOST_TEST(b.store().last_version(1) == 3u);
  }

  static void the_same_blob_is_stored_once_and_read_whole() {
    Backend b;
    auto one = batch({record(1, 1, 1, "a")}), two = batch({record(2, 2, 1, "b")});
    one.blobs.push_back(blob_of("echo"));
    two.blobs.push_back(blob_of("echo"));
    two.blobs.push_back(blob_of(""));
    BOOST_REQUIRE(b.store().append(one));
    BOOST_REQUIRE(b.store().append(two));
    BOOST_TEST(text_of(b.store().read_blob(blob_of("echo").hash).value()) == "echo");
    BOOST_TEST(b.store().read_blob(blob_of("").hash).value().empty());
  }

  static void memos_below_a_bound_are_dropped() {
    Backend b;
    auto one = batch({record(1, 1, 1, "a")});
    one.memos = {{"1x", "old"}, {"2x", "new"}};
    BOOST_REQUIRE(b.store().append(one));
    auto two = batch({record(2, 1, 2, "b")});
    two.forget_memos_below = "2";
    two.memos = {{"3x", "newest"}};
    BOOST_REQUIRE(b.store().append(two));
    BOOST_TEST(!b.store().read_memo("1x"));
    BOOST_TEST(b.store().read_memo("2x").value() == "new");
    BOOST_TEST(b.store().read_memo("3x").value() == "newest");
  }

  static ports::write_batch batch_of(std::uint64_t epoch, std::vector<ports::stored_record> records) {
    auto b = batch(std::move(records));
    b.epoch = epoch;
    return b;
  }

  static void who_took_the_log_fences_everybody_before() {
    Backend b;
    BOOST_TEST(b.store().epoch() == 0u);
    BOOST_REQUIRE(b.store().take(1));
    BOOST_REQUIRE(b.store().append(batch_of(1, {record(1, 1, 1, "a")})));
    BOOST_REQUIRE(b.store().take(3));
    BOOST_TEST(b.store().epoch() == 3u);
    auto late = batch_of(1, {record(2, 1, 2, "late")});
    late.memos = {{"m", "late"}};
    BOOST_TEST((b.store().append(late).error == error::fenced));
    BOOST_TEST((b.store().take(2).error == error::fenced));
    BOOST_TEST((b.store().take(3).error == error::fenced));  // one of two who want the same
    BOOST_TEST(all(b.store()) == "1=a ");
    BOOST_TEST(!b.store().read_memo("m"));
    BOOST_REQUIRE(b.store().append(batch_of(3, {record(2, 1, 2, "b")})));
    b.reopen();
    BOOST_TEST(b.store().epoch() == 3u);
    BOOST_TEST((b.store().append(late).error == error::fenced));
    BOOST_TEST(all(b.store()) == "1=a 2=b ");
  }

  static void a_batch_that_is_there_is_not_written_again() {
    Backend b;
    BOOST_REQUIRE(b.store().take(1));
    const auto first = batch_of(1, {record(1, 1, 1, "a"), record(2, 2, 1, "b")});
    BOOST_REQUIRE(b.store().append(first));
    BOOST_TEST(bool(b.store().append(first)));
    BOOST_REQUIRE(b.store().append(batch_of(1, {record(3, 1, 2, "c")})));
    BOOST_TEST(bool(b.store().append(first)));
    BOOST_TEST(all(b.store()) == "1=a 2=b 3=c ");
    BOOST_TEST(b.store().last_version(1) == 2u);
    // What somebody else wrote in its place, or only a part of it, is no repetition.
    BOOST_TEST((b.store().append(batch_of(1, {record(3, 1, 2, "d")})).error == error::fenced));
    BOOST_TEST((b.store().append(batch_of(1, {record(3, 1, 2, "c"), record(4, 1, 3, "d")})).error == error::fenced));
    BOOST_TEST(all(b.store()) == "1=a 2=b 3=c ");
  }

  static void who_waits_for_more_is_told_when_it_comes() {
    constexpr std::chrono::minutes long_enough(1);
    Backend b;
    BOOST_REQUIRE(b.store().append(batch({record(1, 1, 1, "a")})));
    BOOST_TEST(b.store().wait_beyond(0, long_enough) == 1u);
    BOOST_TEST(b.store().wait_beyond(1, std::chrono::milliseconds(1)) == 1u);  // none came
    auto more = std::async(std::launch::async, [&] { return b.store().wait_beyond(1, long_enough); });
    auto much_more = std::async(std::launch::async, [&] { return b.store().wait_beyond(2, long_enough); });
    BOOST_REQUIRE(b.store().append(batch({record(2, 1, 2, "b")})));
    BOOST_TEST(more.get() >= 2u);
    BOOST_REQUIRE(b.store().append(batch({record(3, 1, 3, "c")})));
    BOOST_TEST(much_more.get() == 3u);
  }

  static void the_cache_is_kept_scanned_and_dropped_by_prefix() {
    Backend b;
    for (auto [key, value] : {std::pair("s/b", "2"), {"s/a", "1"}, {"t/a", "3"}})
      BOOST_REQUIRE(b.store().put_cache(key, bytes_of(value)));
    BOOST_REQUIRE(b.store().put_cache("s/b", bytes_of("4")));
    BOOST_TEST(cached(b.store(), "s/") == "s/a=1 s/b=4 ");
    BOOST_TEST(text_of(b.store().get_cache("t/a").value()) == "3");
    BOOST_TEST(bool(b.store().drop_cache("s/")));
    BOOST_TEST(cached(b.store(), "") == "t/a=3 ");
    BOOST_TEST(bool(b.store().drop_cache("")));
    BOOST_TEST(cached(b.store(), "") == "");
  }

  static void an_adopted_upload_stays() {
    Backend b;
    const auto large = blob_of(std::string(300'000, 'z'));
    const auto bytes = ports::byte_span(large.bytes);
    BOOST_REQUIRE(b.store().put_blob_piece(large.hash, 0, bytes.first(200'000)));
    BOOST_REQUIRE(b.store().put_blob_piece(large.hash, 1, bytes.subspan(200'000)));
    BOOST_TEST(!b.store().read_blob(large.hash));  // not before it is finished
    BOOST_REQUIRE(b.store().finish_blob(large.hash, 2));
    BOOST_TEST(bool(b.store().read_blob(large.hash).value() == large.bytes));
    auto naming = batch({record(1, 1, 1, "a")});
    naming.adopted.push_back(large.hash);
    BOOST_REQUIRE(b.store().append(naming));
    b.reopen();
    BOOST_TEST(bool(b.store().read_blob(large.hash).value() == large.bytes));
  }

  static void an_abandoned_upload_is_swept() {
    Backend b;
    const auto finished = blob_of(std::string(100'000, 'f')), begun = blob_of(std::string(100'000, 'b'));
    BOOST_REQUIRE(b.store().put_blob_piece(begun.hash, 0, begun.bytes));
    BOOST_REQUIRE(b.store().put_blob_piece(finished.hash, 0, finished.bytes));
    BOOST_REQUIRE(b.store().finish_blob(finished.hash, 1));
    b.reopen();
    BOOST_TEST(!b.store().read_blob(finished.hash));
    BOOST_TEST(!b.store().read_blob(begun.hash));
    BOOST_REQUIRE(b.store().put_blob_piece(finished.hash, 0, finished.bytes));  // and can be sent again
    BOOST_REQUIRE(b.store().finish_blob(finished.hash, 1));
    BOOST_TEST(bool(b.store().read_blob(finished.hash).value() == finished.bytes));
  }

  // Its pieces are half there when an event brings the same content along: it is the event's.
  static void an_upload_of_what_an_event_brings_is_not_swept() {
    Backend b;
    const auto script = blob_of(std::string(2000, 's'));
    const auto bytes = ports::byte_span(script.bytes);
    BOOST_REQUIRE(b.store().put_blob_piece(script.hash, 0, bytes.first(1000)));
    auto naming = batch({record(1, 1, 1, "a")});
    naming.blobs.push_back(script);
    BOOST_REQUIRE(b.store().append(naming));
    BOOST_REQUIRE(b.store().put_blob_piece(script.hash, 1, bytes.subspan(1000)));
    BOOST_REQUIRE(b.store().finish_blob(script.hash, 2));
    b.reopen();
    BOOST_TEST(bool(b.store().read_blob(script.hash).value() == script.bytes));
  }

  static void a_damaged_blob_is_whole_when_it_comes_again() {
    Backend b;
    const auto script = blob_of("#!/bin/sh\n");
    auto damaged = batch({record(1, 1, 1, "a")});
    damaged.blobs.push_back({script.hash, bytes_of("#!/bin/rm\n")});
    BOOST_REQUIRE(b.store().append(damaged));
    BOOST_TEST(!b.store().read_blob(script.hash));
    auto naming = batch({record(2, 1, 2, "b")});
    naming.blobs.push_back(script);
    BOOST_REQUIRE(b.store().append(naming));
    BOOST_TEST(bool(b.store().read_blob(script.hash).value() == script.bytes));
  }

  // Each case in turn; a failure names its own.
  static void keeps_every_promise() {
    constexpr std::pair<const char*, void (*)()> cases[] = {
        {"an_empty_store_has_nothing", an_empty_store_has_nothing},
        {"records_come_back_in_order", records_come_back_in_order},
        {"order_is_that_of_numbers_beyond_a_byte", order_is_that_of_numbers_beyond_a_byte},
        {"a_visitor_may_stop", a_visitor_may_stop},
        {"a_stream_is_read_by_its_versions", a_stream_is_read_by_its_versions},
        {"what_was_acknowledged_survives_a_crash", what_was_acknowledged_survives_a_crash},
        {"the_same_blob_is_stored_once_and_read_whole", the_same_blob_is_stored_once_and_read_whole},
        {"memos_below_a_bound_are_dropped", memos_below_a_bound_are_dropped},
        {"who_took_the_log_fences_everybody_before", who_took_the_log_fences_everybody_before},
        {"a_batch_that_is_there_is_not_written_again", a_batch_that_is_there_is_not_written_again},
        {"who_waits_for_more_is_told_when_it_comes", who_waits_for_more_is_told_when_it_comes},
        {"the_cache_is_kept_scanned_and_dropped_by_prefix", the_cache_is_kept_scanned_and_dropped_by_prefix},
        {"an_adopted_upload_stays", an_adopted_upload_stays},
        {"an_abandoned_upload_is_swept", an_abandoned_upload_is_swept},
        {"an_upload_of_what_an_event_brings_is_not_swept", an_upload_of_what_an_event_brings_is_not_swept},
        {"a_damaged_blob_is_whole_when_it_comes_again", a_damaged_blob_is_whole_when_it_comes_again},
    };
    for (const auto& [name, run] : cases)
      BOOST_TEST_CONTEXT(name) { run(); }
  }
};

}  // namespace annals::log
