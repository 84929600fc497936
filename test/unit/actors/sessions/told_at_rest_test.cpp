// What the query actor decides for jobs at rest, hands the writer, and tells the gateway (docs/design/0054-dependencies.md).
#include <boost/test/unit_test.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/queries/past_actor.hpp"
#include "actors/queries/query_actor.hpp"
#include "actors/sessions/resting_jobs.hpp"
#include "actors/sessions/sessions.hpp"
#include "events/log/event_log.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/values/dependency.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/stepped_system.hpp"

using namespace annals;
using values::dependency_type;
using told = model::dependency_told;
using kind = actors::append_result::kind;

namespace {

template <class Message>
caf::behavior keeper(caf::event_based_actor*, std::vector<Message>* kept) {
  return {[kept](const Message& m) { kept->push_back(m); }};
}

struct site {
  test::stepped_system system;
  test::still_clock clock;
  log::memory_event_store store;
  log::event_log log{store, clock};
  log::log_reader reader{store};
  model::settings_ptr settings = std::make_shared<const model::settings>(test::small_settings());
  std::vector<actors::append_batch> batches;
  std::vector<actors::resting_jobs_told> heard;
  std::map<std::uint64_t, std::string> answers;  // by number of the job
  std::string hurries;
  std::shared_ptr<actors::commit_inbox> inbox = std::make_shared<actors::commit_inbox>();
  caf::actor past = system->spawn(actors::past_actor, &reader, static_cast<ports::event_store*>(&store), &clock);
  caf::actor writer = system->spawn(keeper<actors::append_batch>, &batches);
  caf::actor gateway = system->spawn(keeper<actors::resting_jobs_told>, &heard);
  caf::actor status = system->spawn(
      actors::query_actor,
      actors::query_parts{std::make_shared<projections::status>(), std::make_shared<projections::past_writer>(store), past, &clock, inbox,
                          [](const std::string& why) { BOOST_ERROR(why); },
                          [this](bool behind) { hurries += behind ? "behind " : "back "; }, actors::sessions(&clock, nullptr)});
  ~site() { system.end({status, writer, gateway, past}); }

  class noted final : public actors::reply_to {
   public:
    noted(std::string& to) : to_(to) {}
    void done(std::uint64_t sequence, const std::string&) override { to_ += "done " + std::to_string(sequence); }
    void refused(std::uint64_t, const model::rejection& why) override { to_ += "refused " + std::to_string(why.code); }

   private:
    std::string& to_;
  };

  void commit() {
    auto records = std::make_shared<std::vector<log::record_ptr>>();
    BOOST_REQUIRE(static_cast<bool>(log.commit(*records)));
    (void)inbox->put(records, true);
  }
  // Its serial.
  std::uint64_t submit(std::uint64_t number, const test::given_values& s) {
    auto decided = model::decide({}, test::submission(number, s), {clock.ns, test::user()}, *settings);
    BOOST_REQUIRE(decided.accepted());
    log::append a;
    a.events = std::move(decided.events());
    const auto taken = log.stage(std::move(a));
    BOOST_REQUIRE(std::holds_alternative<log::staged>(taken));
    commit();
    return std::get<log::staged>(taken).stream;
  }
  // A scheduler says why it waits.
  void say(std::uint64_t job, const std::string& why) {
    log::append a;
    a.events.push_back(model::make_event([](auto e) { e.initScheduler().initCreated().setName("default"); }));
    a.events.push_back(model::make_event([&](auto e) {
      auto r = e.initScheduler().initCycleReasons();
      r.initTexts(1).set(0, why);
      r.initJobs(1)[0].setJob(job);
    }));
    BOOST_REQUIRE(std::holds_alternative<log::staged>(log.stage(std::move(a))));
    commit();
  }
  std::uint64_t waiting(std::uint64_t number) { return submit(number, {{"depend", "", "afterok:1"}}); }

  actors::resting_job order(std::uint64_t serial, std::uint64_t number, told::what is) {
    actors::resting_job j{serial, number, {}};
    j.command.command = told{is, {dependency_type::afterok, "1.borg@borg"}};
    j.command.by = test::the_server();
    j.command.settings = settings;
    j.command.cause = 7;
    j.command.reply = std::make_shared<noted>(answers[number]);
    return j;
  }
  void tell(std::vector<actors::resting_job> jobs) {
    caf::anon_send(status, actors::tell_resting_jobs{std::move(jobs), gateway, writer});
    system.run();
  }
  void results(std::size_t batch, std::vector<actors::append_result> r) {
    caf::anon_send(status, actors::append_results{batches.at(batch).turn, std::move(r)});
    system.run();
  }
  static actors::append_result result(kind what) {
    actors::append_result r;
    r.what = what;
    r.sequence = 99;
    r.why = {15010, "why"};
    return r;
  }
  // As the log writer does it.
  void write(std::size_t batch) {
    std::vector<actors::append_result> all;
    for (const auto& a : batches.at(batch).appends) {
      const auto taken = log.stage(a);
      BOOST_REQUIRE(std::holds_alternative<log::staged>(taken));
      all.push_back(result(kind::stored));
      all.back().sequence = std::get<log::staged>(taken).last_sequence;
    }
    commit();
    results(batch, std::move(all));
  }
  // "2 3owes 4left": what the gateway was told last.
  std::string said() const {
    std::string text;
    BOOST_REQUIRE(!heard.empty());
    for (const auto& j : heard.back().jobs)
      text += (text.empty() ? "" : " ") + std::to_string(j.number) + (j.owes ? "owes" : "") + (j.left ? "left" : "");
    return text;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(told_at_rest, site)

BOOST_AUTO_TEST_CASE(who_falls_behind_the_log_says_so_until_it_has_caught_up) {
  const auto look = [&] {
    caf::anon_send(status, actors::commits_wait{});
    system.run();
  };
  submit(1, {});
  look();
  BOOST_TEST(hurries == "");
  for (std::uint64_t number = 2; number < 1100; ++number) submit(number, {});
  look();
  BOOST_TEST(hurries == "behind back ");  // it has caught up before it does what comes next
}

BOOST_AUTO_TEST_CASE(many_are_one_batch_of_what_the_rules_decide_over_the_states_that_are_known) {
  const auto two = waiting(2), three = waiting(3);
  tell({order(two, 2, told::what::met), order(three, 3, told::what::failed)});
  BOOST_TEST(heard.empty());
  BOOST_REQUIRE(batches.size() == 1u);
  const auto& a = batches[0].appends;
  BOOST_REQUIRE(a.size() == 2u);
  BOOST_TEST(a[0].stream == two);
  BOOST_TEST(a[0].expected_version == 1u);
  BOOST_TEST(a[0].seen == 2u);
  BOOST_TEST(a[0].cause == 7u);
  BOOST_TEST(schema::event_name(a[0].events.at(0).get()) == "altered");
  BOOST_TEST(schema::event_name(a[1].events.at(0).get()) == "ended");
  write(0);
  BOOST_TEST(said() == "2 3");
  BOOST_TEST(answers[2] == "done 3");
  BOOST_TEST(answers[3] == "done 4");
}

BOOST_AUTO_TEST_CASE(told_again_nothing_is_written) {
  const auto two = waiting(2);
  tell({order(two, 2, told::what::met)});
  write(0);
  tell({order(two, 2, told::what::met)});
  BOOST_TEST(batches.size() == 1u);
  BOOST_TEST(heard.size() == 2u);
  BOOST_TEST(said() == "2");
  BOOST_TEST(answers[2] == "done 2done 2");
}

BOOST_AUTO_TEST_CASE(one_that_is_not_known_is_left_to_its_actor) {
  const auto two = waiting(2);
  tell({order(two, 2, told::what::met), order(two + 1, 3, told::what::met)});
  BOOST_TEST(said() == "3left");
  BOOST_REQUIRE(batches.size() == 1u);
  BOOST_TEST(batches[0].appends.size() == 1u);
  BOOST_TEST(answers[3] == "");
}

// The release takes a comment off that is the job's own, and this one is a scheduler's.
BOOST_AUTO_TEST_CASE(what_a_scheduler_says_of_a_job_is_no_reason_for_its_rules) {
  const auto two = submit(2, {});
  say(two, "Not Running: Not enough free nodes available");
  auto j = order(two, 2, told::what::met);
  j.command.command = test::release({schema::HoldType::USER});
  j.command.by = test::operator_();
  tell({std::move(j)});
  BOOST_TEST(batches.empty());
  BOOST_REQUIRE(heard.size() == 1u);
  BOOST_TEST(said() == "2");
}

// The status is an event behind: another one was written meanwhile.
BOOST_AUTO_TEST_CASE(a_conflict_is_left_to_the_jobs_actor_with_the_order) {
  const auto two = waiting(2), three = waiting(3);
  tell({order(two, 2, told::what::met), order(three, 3, told::what::met)});
  results(0, {result(kind::conflict), result(kind::stored)});
  BOOST_TEST(said() == "2left 3");
  BOOST_TEST(std::get<told>(heard.back().jobs[0].left->command).other.job == "1.borg@borg");
  BOOST_TEST(answers[2] == "");
}

BOOST_AUTO_TEST_CASE(what_the_writer_says_is_the_answer) {
  std::vector<actors::resting_job> orders;
  for (std::uint64_t n = 2; n <= 4; ++n) orders.push_back(order(waiting(n), n, told::what::met));
  tell(std::move(orders));
  results(0, {result(kind::refused), result(kind::unwritable), result(kind::repeated)});
  BOOST_TEST(said() == "2 3 4");
  BOOST_TEST(answers[2] == "refused 15010");
  BOOST_TEST(answers[3] == "refused 15010");
  BOOST_TEST(answers[4] == "done 99");
}

// It waits for its time now, and somebody has to look at the clock.
BOOST_AUTO_TEST_CASE(one_that_owes_something_then_is_given_its_actor) {
  const auto later = std::to_string(clock.ns / 1'000'000'000 + 3600);
  const auto two = submit(2, {{"depend", "", "afterok:1"}, {"Execution_Time", "", later}}), three = waiting(3);
  tell({order(two, 2, told::what::met), order(three, 3, told::what::met)});
  write(0);
  BOOST_TEST(said() == "2owes 3");
}

BOOST_AUTO_TEST_CASE(several_batches_are_out_at_once) {
  const auto two = waiting(2), three = waiting(3);
  tell({order(two, 2, told::what::met)});
  tell({order(three, 3, told::what::met)});
  BOOST_REQUIRE(batches.size() == 2u);
  write(1);
  BOOST_TEST(said() == "3");
  write(0);
  BOOST_TEST(said() == "2");
}

BOOST_AUTO_TEST_SUITE_END()
