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

BOOST_AUTO_TEST_CASE(keeps_every_promise_of_an_event_store) { suite::keeps_every_promise(); }

BOOST_AUTO_TEST_SUITE_END()
