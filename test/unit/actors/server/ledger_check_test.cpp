// The ledger after a full disk: it is made anew from the log, and begins with the newest checkpoint if there is one.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <string>

#include "actors/replica/checkpoint.hpp"
#include "actors/server/aggregates.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/made_history.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using actors::ledger_check;

namespace {

struct log_with_checkpoint {
  log::memory_event_store store;
  log::log_reader reader{store};
  test::temporary_directory dir;
  model::ledger at_checkpoint, whole;
  actors::checkpoint_head head, at_end;

  log_with_checkpoint() {
    test::made_history history(store, 5);
    history.begin();
    for (int i = 0; i < 200; ++i) history.step();
    BOOST_REQUIRE(static_cast<bool>(reader.read(1, [&](const log::record_ptr& r) {
      whole.apply(log::place_of(*r), r->event());
      at_end = {actors::program_name(), r->sequence(), r->hash(), 0};
      if (r->sequence() <= store.last_sequence() / 2) {
        at_checkpoint = whole;
        head = at_end;
      }
      return true;
    })));
  }
  std::string file() const { return dir.at("state"); }
  void keep(const model::ledger& state) const {
    stored::writer to;
    to(state);
    actors::keep_checkpoint(file(), head, {{ledger_check::fold_name, to.take()}});
  }
  model::ledger rebuilt(bool from_checkpoint = true) const {
    ledger_check check;
    if (from_checkpoint) check.rebuild_from(file());
    BOOST_REQUIRE(static_cast<bool>(check.rebuild(reader)));
    return check.get();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(ledgers_after_a_full_disk, log_with_checkpoint)

BOOST_AUTO_TEST_CASE(are_those_of_the_whole_log_with_a_checkpoint_and_without) {
  BOOST_TEST((rebuilt(false) == whole));
  BOOST_TEST((rebuilt() == whole));  // there is no file yet
  keep(at_checkpoint);
  BOOST_TEST((rebuilt() == whole));
}

BOOST_AUTO_TEST_CASE(begin_with_the_checkpoint) {
  head = at_end;
  keep(model::ledger{});  // as if nothing had come before it, and nothing comes behind it
  BOOST_TEST((rebuilt() == model::ledger{}));
}

BOOST_AUTO_TEST_CASE(need_no_checkpoint_that_is_of_use) {
  keep(at_checkpoint);
  std::ofstream(file(), std::ios::app) << "more";
  BOOST_TEST((rebuilt() == whole));
  head.program = "another";
  keep(model::ledger{});
  BOOST_TEST((rebuilt() == whole));
  head.program = actors::program_name();
  actors::keep_checkpoint(file(), head, {{"another", ""}});
  BOOST_TEST((rebuilt() == whole));
  actors::keep_checkpoint(file(), head, {{ledger_check::fold_name, "\x01\x01"}});
  BOOST_TEST((rebuilt() == whole));
}

BOOST_AUTO_TEST_SUITE_END()
