#include "events/log/losses.hpp"

#include <optional>

#include "events/log/memory_event_store.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "events/model/limits.hpp"
#include "test/unit/events/log/log_fixture.hpp"

using namespace annals;
using namespace annals::log;

namespace {

const std::string own(16, 'o'), foreign(16, 'f');

append loss_behind(std::uint64_t last_sequence, std::uint64_t last_stream, const std::string& of_log) {
  append a;
  a.by = {"root", "borg", schema::Role::ROOT};
  a.events.push_back(model::make_event([&](schema::Event::Builder event) {
    auto e = event.initLog().initLossAccepted();
    e.setLastSequence(last_sequence);
    e.setLastStream(last_stream);
    e.setNextNumber(7000);
    auto w = e.initWitnesses(1)[0];
    w.setLogUuid({reinterpret_cast<const kj::byte*>(of_log.data()), of_log.size()});
    w.setSequence(50);
  }));
  return a;
}

struct a_log {
  explicit a_log(ports::event_store& s) : store(s) { writer.emplace(store, clock); }
  void write(append a) {
    BOOST_REQUIRE(std::holds_alternative<staged>(writer->stage(std::move(a))));
    std::vector<record_ptr> committed;
    BOOST_REQUIRE_EQUAL(writer->commit(committed).text, "");
    last = committed.back();
  }
  log_mark mark(const std::string& log = own) const {
    log_mark m;
    m.log = log;
    advance(m, *last);
    m.head = last->hash();
    return m;
  }
  set_clock clock;
  ports::event_store& store;
  std::optional<event_log> writer;
  record_ptr last;
};

struct in_memory {
  memory_event_store store;
  a_log log{store};
  std::string missing(const log_mark& m, const std::string& identity = own) {
    return lacking(store, identity, {"w", m}).value_or("nothing");
  }
};

void goes_on_above_what_was_lost(ports::event_store& store) {
  a_log log(store);
  log.write(append_to(0, 0, {"a", "b"}));
  log.writer->skip_lost(1000, 500);
  log.write(loss_behind(2, 1, own));
  BOOST_TEST(log.last->sequence() == 1000u);
  BOOST_TEST(log.last->get().getStream() == 500u);
  log.write(append_to(0, 0, {"c"}));
  log.writer.emplace(store, log.clock);  // as after a restart
  log.write(append_to(0, 0, {"d"}));
  BOOST_TEST(log.last->sequence() == 1002u);
  BOOST_TEST(log.last->get().getStream() == 502u);

  const auto report = verify(store);
  BOOST_TEST((report.ok() ? "" : report.faults.front()) == "");
  BOOST_TEST(report.records == 5u);
  for (const std::uint64_t from : {1, 2, 3, 500, 1000, 1001}) {
    std::uint64_t last = 0;
    const auto read = log_reader(store).read(from, [&](const record_ptr& r) {
      last = r->sequence();
      return true;
    });
    BOOST_TEST(read.text == "");
    BOOST_TEST(last == 1002u);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(losses)

BOOST_FIXTURE_TEST_CASE(a_log_that_has_gone_on_lacks_nothing, in_memory) {
  log.write(append_to(0, 0, {"a", "b"}));
  const auto known = log.mark();
  BOOST_TEST(missing(known) == "nothing");
  log.write(append_to(0, 0, {"c"}));
  BOOST_TEST(missing(known) == "nothing");
}

BOOST_FIXTURE_TEST_CASE(a_shorter_log_lacks_what_the_witness_knows_and_says_how_much, in_memory) {
  log.write(append_to(0, 0, {"a", "b"}));
  auto known = log.mark();
  known.sequence = 50;
  BOOST_TEST(missing(known) == "w knows record 50, the log ends with record 2: 48 records are missing");
}

BOOST_FIXTURE_TEST_CASE(an_empty_log_lacks_all, in_memory) {
  log_mark known{own, 50, {}, 0, 0};
  BOOST_TEST(missing(known) == "w knows record 50, the log is empty: 50 records are missing");
}

BOOST_FIXTURE_TEST_CASE(a_log_of_another_identity_is_not_the_witness_s, in_memory) {
  log.write(append_to(0, 0, {"a", "b"}));
  BOOST_TEST(missing(log.mark(foreign)).find("knows record 2 of log 6666") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_copy_that_went_on_by_itself_is_not_the_log, in_memory) {
  memory_event_store copy;
  a_log other(copy);
  for (auto* l : {&log, &other}) l->write(append_to(0, 0, {"a"}));
  log.write(append_to(0, 0, {"b"}));
  other.write(append_to(0, 0, {"c"}));
  other.write(append_to(0, 0, {"d"}));
  BOOST_TEST(lacking(copy, own, {"w", log.mark()}).value_or("nothing").find("as another one than the log has") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_damaged_record_is_not_taken_for_another_one, in_memory) {
  log.write(append_to(0, 0, {"a", "b"}));
  store.overwrite(2, bytes_of("rubbish"));
  BOOST_TEST(missing(log.mark()) == "nothing");  // reading the log says what it is
  BOOST_TEST(!verify(store).ok());
}

BOOST_AUTO_TEST_CASE(after_an_accepted_loss_everything_goes_on_above_it_in_memory) {
  memory_event_store store;
  goes_on_above_what_was_lost(store);
}

BOOST_AUTO_TEST_CASE(after_an_accepted_loss_everything_goes_on_above_it_on_disk) {
  own_directory directory;
  auto opened = open_event_store(directory.path + "/log");
  goes_on_above_what_was_lost(*std::get<std::unique_ptr<ports::event_store>>(opened));
}

BOOST_FIXTURE_TEST_CASE(a_log_may_begin_with_a_loss, in_memory) {
  log.writer->skip_lost(1000, 500);
  log.write(loss_behind(0, 0, own));
  log.write(append_to(0, 0, {"a"}));
  const auto report = verify(store);
  BOOST_TEST((report.ok() ? "" : report.faults.front()) == "");
}

BOOST_FIXTURE_TEST_CASE(a_gap_that_no_loss_explains_is_damage, in_memory) {
  log.write(append_to(0, 0, {"a"}));
  log.writer->skip_lost(1000, 500);
  log.write(append_to(0, 0, {"b"}));
  BOOST_TEST(!verify(store).ok());
  BOOST_TEST(names_in(store).find("record 2 is damaged: it is missing") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(an_accepted_loss_covers_what_was_known_of_both_logs_and_no_more, in_memory) {
  log.write(append_to(0, 0, {"a"}));
  log.writer->skip_lost(1000, 500);
  log.write(loss_behind(1, 1, foreign));
  accepted_losses accepted;
  accepted.fold(*log.last);
  BOOST_TEST(accepted.cover(log_mark{own, 999, {}, 0, 0}, own));
  BOOST_TEST(accepted.cover(log_mark{foreign, 50, {}, 0, 0}, own));
  BOOST_TEST(!accepted.cover(log_mark{own, 1001, {}, 0, 0}, own));
  BOOST_TEST(!accepted.cover(log_mark{std::string(16, 'z'), 50, {}, 0, 0}, own));
  BOOST_TEST(accepted.may_have_given_stream(2));
  BOOST_TEST(!accepted.may_have_given_stream(1));
  BOOST_TEST(!accepted.may_have_given_stream(500));
}

BOOST_FIXTURE_TEST_CASE(a_log_that_was_salvaged_with_all_the_witness_knows_lacks_nothing, in_memory) {
  const auto salvaged = [](std::uint64_t last_sequence) {
    append a;
    a.events.push_back(model::make_event([&](schema::Event::Builder event) {
      event.initLog().initSalvaged().setLost(3);
      event.getLog().getSalvaged().setLastSequence(last_sequence);
    }));
    return a;
  };
  log.write(append_to(0, 0, {"a", "b"}));
  auto known = log.mark();
  known.head[0] ^= std::byte{1};  // the salvage has written this record anew
  log.write(salvaged(1));
  BOOST_TEST(missing(known).find("as another one than the log has") != std::string::npos);
  log.write(salvaged(2));
  BOOST_TEST(missing(known) == "nothing");
  accepted_losses known_losses;
  known_losses.fold(*log.last);
  BOOST_TEST(known_losses.cover(known, own));
  BOOST_TEST(!known_losses.cover(log_mark{own, 3, {}, 0, 0}, own));
}

BOOST_AUTO_TEST_CASE(what_comes_after_a_loss_is_above_every_witness) {
  const log_mark found{own, 10, {}, 5, 3};
  const auto next = numbers_after(found, {{"a", {own, 5600, {}, 40, 2}}, {"b", {foreign, 20, {}, 900, 1234}}});
  BOOST_TEST(next.sequence == 5600 + limits::lost_sequences_max);
  BOOST_TEST(next.stream == 900 + limits::lost_sequences_max);
  BOOST_TEST(next.next_number >= 1234 + limits::lost_job_numbers_max);
  BOOST_TEST(next.next_number % 1000 == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
