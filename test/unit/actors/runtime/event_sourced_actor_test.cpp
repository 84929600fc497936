// The event-sourced actor with an aggregate that fails when told to: no command is lost, none is answered twice, none before
// it is written.
#include "actors/runtime/event_sourced_actor.hpp"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <stdexcept>

#include "actors/runtime/log_writer.hpp"
#include "events/log/event_log.hpp"
#include "events/log/fault_store.hpp"
#include "events/model/limits.hpp"
#include "test/support/stepped_system.hpp"

namespace {

using namespace annals;

using strings = std::vector<std::string>;

struct command {
  std::string name;
  bool undecidable = false;
  bool droppable = false;
  strings born = {};  // names of which another stream begins with it
};

// Its state is the list of names it was told.
struct names {
  using state = std::vector<std::string>;
  using command = ::command;
  static model::outcome decide(const state&, const command& c, const model::stamp&, const model::settings&) {
    if (c.undecidable) throw std::runtime_error("can't decide " + c.name);
    model::outcome o(std::vector<model::event>{created(c.name)});
    for (const auto& name : c.born) o.born.push_back(created(name));
    return o;
  }
  static model::event created(const std::string& name) {
    return model::make_event([&](auto e) { e.initScheduler().initCreated().setName(name); });
  }
  static void apply(state& s, const model::event_place&, schema::Event::Reader e) {
    s.push_back(schema::str(e.getScheduler().getCreated().getName()));
  }
  static bool may_be_lost(const command& c) { return c.droppable; }
};

struct shared {
  int failures_of_on_change = 0;
  std::vector<std::string> commands_of_on_change;
  std::vector<std::string> state, answers;  // answers: "a done", "b refused"
};

struct reply : actors::reply_to {
  reply(std::string n, shared* s) : name(std::move(n)), to(s) {}
  void done(std::uint64_t, const std::string&) override { to->answers.push_back(name + " done"); }
  void refused(std::uint64_t, const model::rejection&) override { to->answers.push_back(name + " refused"); }
  std::string name;
  shared* to;
};

// A message of the actor's own, beside its commands: `work` is done in it.
struct own_message {
  std::function<void(const std::function<void(command)>& tell)> work;
};

class actor : public actors::event_sourced_actor<names> {
 public:
  actor(caf::actor_config& cfg, actors::event_sourced_actor_parts parts, shared* s)
      : event_sourced_actor(cfg, std::move(parts), 0, std::make_shared<model::settings>()), shared_(s) {}

 protected:
  void on_change() override {
    shared_->state = state();
    for (const auto& name : std::exchange(shared_->commands_of_on_change, {})) tell({name});
    if (shared_->failures_of_on_change > 0 && shared_->failures_of_on_change--) throw std::runtime_error("an effect failed");
  }
  caf::message_handler more_handlers() override {
    return {[this](const own_message& m) { m.work([this](command c) { tell(std::move(c)); }); }};
  }

 private:
  void tell(command c) {
    const auto answered = std::make_shared<reply>(c.name, shared_);
    receive({std::move(c), {"root", "borg", schema::Role::SERVER}, "", answered, nullptr, {}, 0, {}});
  }
  shared* shared_;
};

// A follower that remembers of which records it heard.
caf::behavior remembering(caf::event_based_actor*, std::vector<std::uint64_t>* sequences) {
  return {[=](const actors::committed& c) {
            for (const auto& r : *c.records) sequences->push_back(r->sequence());
          },
          [](const actors::disk_state&) {}};
}

struct fixture {
  fixture() : log(store, clock), reader(store) {
    const auto stop = [this](const std::string& text) { stopped = text; };
    const auto patient = system->spawn(remembering, &told_patient);
    writer =
        system->spawn(actors::log_writer, actors::log_writer_parts{&log, &reader, nullptr, {}, stop, [this] { return !full; }, {patient}});
    who = system->spawn<actor>(actors::event_sourced_actor_parts{writer, &reader, &clock, stop}, &seen);
    tell({"first"});
    run();
    seen.answers.clear();
  }
  ~fixture() { system.end({who, writer}); }
  void tell(command c, bool answered = true) {
    const auto to = answered ? std::make_shared<reply>(c.name, &seen) : nullptr;
    caf::anon_send(who, actors::envelope<command>{std::move(c), {"root", "borg", schema::Role::MANAGER}, "", to, nullptr, {}, 0, {}});
  }
  void tell_patient(command c) {
    const auto to = std::make_shared<reply>(c.name, &seen);
    caf::anon_send(who,
                   actors::envelope<command>{std::move(c), {"root", "borg", schema::Role::MANAGER}, "", to, nullptr, {}, 0, {}, {}, true});
  }
  template <class Work>
  void tell_own(Work work) { caf::anon_send(who, own_message{std::move(work)}); }
  void run() { system.run(); }
  void fill_disk(bool yes) {
    full = yes;
    store.set_disk_full(yes);
  }

  log::fault_store store{1};
  test::still_clock clock;
  log::event_log log;
  log::log_reader reader;
  test::stepped_system system;
  caf::actor writer, who;
  bool full = false;
  std::string stopped;
  shared seen;
  std::vector<std::uint64_t> told_patient;  // sequences that a patient follower heard of
};

BOOST_FIXTURE_TEST_SUITE(event_sourced_actors, fixture)

BOOST_AUTO_TEST_CASE(a_command_that_can_not_be_decided_is_refused_and_the_others_go_on) {
  tell({"a"});  // alone on its way when the others come
  tell({"b"});
  tell({"bad", true});
  tell({"c"});
  run();
  BOOST_TEST(seen.answers == (strings{"a done", "bad refused", "b done", "c done"}), boost::test_tools::per_element());
  BOOST_TEST(seen.state == (strings{"first", "a", "b", "c"}), boost::test_tools::per_element());
  BOOST_TEST(log.last_sequence() == 4u);
}

BOOST_AUTO_TEST_CASE(what_is_written_is_answered_although_an_effect_fails) {
  seen.failures_of_on_change = 1;
  tell({"a"});
  tell({"b"});
  run();
  BOOST_TEST(seen.answers == (strings{"a done", "b done"}), boost::test_tools::per_element());
  BOOST_TEST(seen.state == (strings{"first", "a", "b"}), boost::test_tools::per_element());
  BOOST_TEST(stopped.empty());
}

BOOST_AUTO_TEST_CASE(effects_with_commands_of_their_own_are_decided_in_their_order) {
  seen.commands_of_on_change = {"x", "y", "z"};
  tell({"a"});
  tell({"b"});
  run();
  BOOST_TEST(seen.answers == (strings{"a done", "b done", "x done", "y done", "z done"}), boost::test_tools::per_element());
  BOOST_TEST(seen.state.size() == 6u);
  BOOST_TEST(log.last_sequence() == 6u);
}

// The names of one stream, as they stand in the log.
strings names_of(const log::log_reader& reader, std::uint64_t stream) {
  strings all;
  (void)reader.read_stream(stream, 1, [&](const log::record_ptr& r) {
    all.push_back(schema::str(r->event().getScheduler().getCreated().getName()));
    return true;
  });
  return all;
}

BOOST_AUTO_TEST_CASE(what_is_born_with_an_event_is_written_and_is_not_its_own) {
  tell({.name = "a", .born = {"x", "y"}});
  run();
  BOOST_TEST(seen.answers == strings{"a done"}, boost::test_tools::per_element());
  BOOST_TEST(seen.state == (strings{"first", "a"}), boost::test_tools::per_element());
  BOOST_TEST(names_of(reader, 1) == (strings{"first", "a"}), boost::test_tools::per_element());
  BOOST_TEST(names_of(reader, 2) == (strings{"x", "y"}), boost::test_tools::per_element());
  BOOST_TEST(log.last_sequence() == 4u);
  tell({"b"});
  run();
  BOOST_TEST(seen.state == (strings{"first", "a", "b"}), boost::test_tools::per_element());
  BOOST_TEST(stopped.empty());
}

BOOST_AUTO_TEST_CASE(several_births_of_one_turn_have_a_stream_each) {
  tell({"a"});  // alone on its way when the others come
  for (const char* name : {"b", "c"}) tell({.name = name, .born = {std::string("of ") + name}});
  tell({"d"});
  run();
  BOOST_TEST(seen.answers == (strings{"a done", "b done", "c done", "d done"}), boost::test_tools::per_element());
  BOOST_TEST(seen.state == (strings{"first", "a", "b", "c", "d"}), boost::test_tools::per_element());
  BOOST_TEST(names_of(reader, 2) == strings{"of b"}, boost::test_tools::per_element());
  BOOST_TEST(names_of(reader, 3) == strings{"of c"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_actor_without_a_stream_takes_the_first_of_the_two) {
  shared of_other;
  const auto stop = [this](const std::string& text) { stopped = text; };
  const auto other = system->spawn<actor>(actors::event_sourced_actor_parts{writer, &reader, &clock, stop}, &of_other);
  const auto tell_other = [&](command c) {
    const auto to = std::make_shared<reply>(c.name, &of_other);
    caf::anon_send(other, actors::envelope<command>{std::move(c), {"root", "borg", schema::Role::MANAGER}, "", to, nullptr, {}, 0, {}});
    run();
  };
  tell_other({.name = "a", .born = {"x"}});
  tell_other({"b"});
  BOOST_TEST(of_other.answers == (strings{"a done", "b done"}), boost::test_tools::per_element());
  BOOST_TEST(of_other.state == (strings{"a", "b"}), boost::test_tools::per_element());
  BOOST_TEST(names_of(reader, 2) == (strings{"a", "b"}), boost::test_tools::per_element());
  BOOST_TEST(names_of(reader, 3) == strings{"x"}, boost::test_tools::per_element());
  BOOST_TEST(stopped.empty());
  system.end({other});
}

BOOST_AUTO_TEST_CASE(what_is_born_on_a_full_disk_is_written_once_when_there_is_space) {
  fill_disk(true);
  tell({.name = "a", .born = {"x"}}, false);
  run();
  BOOST_TEST(log.last_sequence() == 1u);
  fill_disk(false);
  for (int second = 0; second < 3; ++second) {
    system.scheduler().advance_time(std::chrono::seconds(1));
    run();
  }
  BOOST_TEST(seen.state == (strings{"first", "a"}), boost::test_tools::per_element());
  BOOST_TEST(names_of(reader, 2) == strings{"x"}, boost::test_tools::per_element());
  BOOST_TEST(log.last_sequence() == 3u);
}

BOOST_AUTO_TEST_CASE(after_a_failure_a_state_is_read_again_without_what_was_born) {
  seen.failures_of_on_change = 1;
  tell({.name = "a", .born = {"x"}});
  tell({"b"});
  run();
  BOOST_TEST(seen.answers == (strings{"a done", "b done"}), boost::test_tools::per_element());
  BOOST_TEST(seen.state == (strings{"first", "a", "b"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(patient_followers_hear_of_the_first_commit_at_once_and_of_all_in_order) {
  BOOST_TEST(told_patient == (std::vector<std::uint64_t>{1}), boost::test_tools::per_element());
  for (const char* name : {"a", "b", "c"}) {
    tell({name});
    run();
  }
  BOOST_TEST(told_patient.size() == 1u);
  system.scheduler().advance_time(std::chrono::milliseconds(limits::patience_ms));
  run();
  BOOST_TEST(told_patient == (std::vector<std::uint64_t>{1, 2, 3, 4}), boost::test_tools::per_element());
}

// Who asked for a stop ends the process.
BOOST_AUTO_TEST_CASE(patient_followers_hear_of_an_event_of_the_server_before_who_asked) {
  std::vector<std::uint64_t> told_before;
  const auto asker = system->spawn(
      [&](caf::event_based_actor* self, const caf::actor& to) -> caf::behavior {
        actors::append_batch batch;
        batch.appends.emplace_back().events.push_back(model::make_event([](auto e) { e.initServer().initStopped().setHow("quick"); }));
        self->send(to, std::move(batch));
        return {[&](const actors::append_results&) { told_before = told_patient; }};
      },
      writer);
  run();
  BOOST_TEST(told_before == (std::vector<std::uint64_t>{1, 2}), boost::test_tools::per_element());
  system.end({asker});
}

BOOST_AUTO_TEST_CASE(an_actor_that_fails_again_and_again_stops_the_process) {
  for (int i = 0; i < 4; ++i) tell({"bad", true});
  run();
  BOOST_TEST(stopped.find("an actor failed again and again: can't decide bad") == 0u);
}

BOOST_AUTO_TEST_CASE(a_message_that_fails_is_lost_and_the_commands_around_it_go_on) {
  const auto fails = [](const auto&) { throw std::runtime_error("can't be handled"); };
  tell({"a"});
  tell_own(fails);
  tell({"b"});
  run();
  BOOST_TEST(seen.answers == (strings{"a done", "b done"}), boost::test_tools::per_element());
  BOOST_TEST(seen.state == (strings{"first", "a", "b"}), boost::test_tools::per_element());
  BOOST_TEST(stopped.empty());
  for (int i = 0; i < 3; ++i) tell_own(fails);
  run();
  BOOST_TEST(stopped == "an actor failed again and again: can't be handled");
}

BOOST_AUTO_TEST_CASE(a_command_of_a_message_that_can_not_be_decided_is_refused_like_any_other) {
  tell_own([](const auto& give) { give({"bad", true}); });
  tell_own([](const auto& give) { give({"a"}); });
  run();
  BOOST_TEST(seen.answers == (strings{"bad refused", "a done"}), boost::test_tools::per_element());
  BOOST_TEST(seen.state == (strings{"first", "a"}), boost::test_tools::per_element());
  BOOST_TEST(stopped.empty());
}

BOOST_AUTO_TEST_CASE(on_a_full_disk_who_waits_is_refused_and_the_rest_is_kept) {
  fill_disk(true);
  tell({"asked"});
  tell({"reported"}, false);
  tell({"superseded", false, true}, false);
  run();
  BOOST_TEST(seen.answers == strings{"asked refused"}, boost::test_tools::per_element());
  BOOST_TEST(log.last_sequence() == 1u);
  fill_disk(false);
  for (int second = 0; second < 3; ++second) {
    system.scheduler().advance_time(std::chrono::seconds(1));
    run();
  }
  BOOST_TEST(seen.state == (strings{"first", "reported"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(who_outlasts_a_full_disk_is_answered_when_there_is_space) {
  fill_disk(true);
  for (const char* name : {"a", "b"}) {
    tell_patient({name});
    run();
  }
  BOOST_TEST(seen.answers.empty());
  fill_disk(false);
  for (int second = 0; second < 3; ++second) {
    system.scheduler().advance_time(std::chrono::seconds(1));
    run();
  }
  BOOST_TEST(seen.answers == (strings{"a done", "b done"}), boost::test_tools::per_element());
  BOOST_TEST(seen.state == (strings{"first", "a", "b"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nobody_is_answered_while_the_log_is_uncertain_and_everybody_after) {
  store.be_uncertain(3);
  tell({"a"});
  run();
  tell({"b"});
  run();
  BOOST_TEST(seen.answers.empty());
  BOOST_TEST(seen.state == strings{"first"}, boost::test_tools::per_element());
  for (int i = 0; i < 4; ++i) {
    system.scheduler().advance_time(std::chrono::milliseconds(50));
    run();
  }
  BOOST_TEST(seen.answers == (strings{"a done", "b done"}), boost::test_tools::per_element());
  BOOST_TEST(seen.state == (strings{"first", "a", "b"}), boost::test_tools::per_element());
  BOOST_TEST(log::verify(store).ok());
}

BOOST_AUTO_TEST_CASE(a_writer_whose_log_another_has_taken_stops_its_process) {
  const log::event_log other(store, clock);
  tell({"late"});
  run();
  BOOST_TEST(stopped.find("the event log has another writer, of epoch 2") == 0u, stopped);
  BOOST_TEST(seen.answers.empty());
  BOOST_TEST(log::log_reader(store).records().last_sequence() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::envelope<command>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(own_message)
