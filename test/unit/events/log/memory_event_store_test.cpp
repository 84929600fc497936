// The suite of event_store_suite.hpp over the store in memory.
#include "events/log/memory_event_store.hpp"

#include "test/unit/events/log/event_store_suite.hpp"

using namespace annals::log;

namespace {

// Memory outlives nothing: reopening is what a store on disk would do to it.
struct backend {
  memory_event_store memory;
  annals::ports::event_store& store() { return memory; }
  void reopen() { memory.sweep(); }
};

using suite = event_store_suite<backend>;

}  // namespace

BOOST_AUTO_TEST_SUITE(store_in_memory)

BOOST_AUTO_TEST_CASE(an_empty_store_has_nothing) { suite::an_empty_store_has_nothing(); }
BOOST_AUTO_TEST_CASE(records_come_back_in_order) { suite::records_come_back_in_order(); }
BOOST_AUTO_TEST_CASE(order_is_that_of_numbers_beyond_a_byte) { suite::order_is_that_of_numbers_beyond_a_byte(); }
BOOST_AUTO_TEST_CASE(a_visitor_may_stop) { suite::a_visitor_may_stop(); }
BOOST_AUTO_TEST_CASE(a_stream_is_read_by_its_versions) { suite::a_stream_is_read_by_its_versions(); }
BOOST_AUTO_TEST_CASE(what_was_acknowledged_survives_a_crash) { suite::what_was_acknowledged_survives_a_crash(); }
BOOST_AUTO_TEST_CASE(the_same_blob_is_stored_once_and_read_whole) {
  suite::the_same_blob_is_stored_once_and_read_whole();
}
BOOST_AUTO_TEST_CASE(memos_below_a_bound_are_dropped) { suite::memos_below_a_bound_are_dropped(); }
BOOST_AUTO_TEST_CASE(the_cache_is_kept_scanned_and_dropped_by_prefix) {
  suite::the_cache_is_kept_scanned_and_dropped_by_prefix();
}
BOOST_AUTO_TEST_CASE(an_adopted_upload_stays) { suite::an_adopted_upload_stays(); }
BOOST_AUTO_TEST_CASE(an_abandoned_upload_is_swept) { suite::an_abandoned_upload_is_swept(); }

BOOST_AUTO_TEST_SUITE_END()
