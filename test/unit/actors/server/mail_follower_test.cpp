// The follower that sends mail: its pace, restarts, a disk that takes no more, mailers that fail.
#include "actors/server/mail_actor.hpp"

#include <map>

#include "actors/server/mail_limits.hpp"
#include "test/unit/projections/mail/mail_fixture.hpp"

using namespace annals;
using namespace annals::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
namespace limits = actors::mail_limits;

namespace {

// Mailers that begin at once, and end when the test says so.
struct kept_mailers final : actors::mailers {
  std::vector<projections::mail> begun;
  std::map<projections::mail_place, std::function<void(std::string)>> running;
  bool take_files = true;

  void begin(const projections::mail& m, const std::string& file, std::function<void(std::string)> over) override {
    BOOST_TEST(content(file) == m.text);
    if (take_files) fs::remove(file);
    begun.push_back(m);
    running[m.place] = std::move(over);
  }
  void end_all(const std::string& why = "") {
    for (auto& [place, over] : std::exchange(running, {})) over(why);
  }
};

struct fixture {
  told_log log;
  temporary_directory dir;
  std::shared_ptr<kept_mailers> programs = std::make_shared<kept_mailers>();
  std::shared_ptr<actors::mail_follower> follower;
  std::vector<std::string> notes;
  std::size_t told = 0;
  std::uint64_t number = 0;
  std::string boot = "b1";
  actors::mail_follower::steady::time_point now{1000s};

  fixture() {
    log.host("borg", "8", "1gb");
    restart();
  }
  void restart() {
    programs = std::make_shared<kept_mailers>();
    follower = actors::make_mail({dir.at("mail"), "l1", boot, &log.store, programs,
                                  [this](const std::string& text) { notes.push_back(text); }});
    for (const auto& r : log.records) follower->replayed(*r);
    told = log.records.size();
  }
  void jobs_begin(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      auto s = log.job();
      s.when(submission(++number, {{"Mail_Points", "", "b"}}));
      s.when(propose(), the_scheduler());
      s.starts();
      log.told(s);
    }
  }
  void commit() {
    auto batch = std::make_shared<std::vector<log::record_ptr>>(log.records.begin() + static_cast<std::ptrdiff_t>(told), log.records.end());
    told = log.records.size();
    follower->follow(batch);
  }
  std::optional<std::chrono::nanoseconds> go_on() {
    return follower->go_on(now, [this](projections::mail_place place, const std::string& why) { follower->over(place, why, now); });
  }
  // Until nothing waits.
  std::size_t send_all() {
    std::size_t steps = 0;
    for (auto again = go_on(); again || !programs->running.empty(); again = go_on()) {
      programs->end_all();
      now += again.value_or(0ns);
      BOOST_REQUIRE(++steps < 10000);
    }
    return programs->begun.size();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sending, fixture)

BOOST_AUTO_TEST_CASE(mails_are_begun_in_the_order_of_the_log_and_few_at_once) {
  jobs_begin(3 * limits::mailers_at_once);
  commit();
  go_on();
  BOOST_TEST(programs->begun.size() == limits::mailers_at_once);
  BOOST_TEST(send_all() == 3 * limits::mailers_at_once);
  BOOST_TEST(std::is_sorted(programs->begun.begin(), programs->begun.end(), [](auto& a, auto& b) { return a.place < b.place; }));
  BOOST_TEST(notes.empty());
}

BOOST_AUTO_TEST_CASE(no_more_are_begun_in_a_second_than_the_limit) {
  jobs_begin(4 * limits::per_second);
  commit();
  const auto began = now;
  BOOST_TEST(send_all() == 4 * limits::per_second);
  BOOST_TEST((now - began >= 3s));
}

BOOST_AUTO_TEST_CASE(a_restart_sends_nothing_again) {
  jobs_begin(5);
  commit();
  send_all();
  restart();
  BOOST_TEST(send_all() == 0u);
  jobs_begin(1);
  commit();
  BOOST_TEST(send_all() == 1u);
}

BOOST_AUTO_TEST_CASE(a_server_without_a_mark_sends_nothing_that_was_before_it) {
  jobs_begin(3);
  commit();
  fs::remove_all(dir.at("mail"));
  restart();
  BOOST_TEST(send_all() == 0u);
}

BOOST_AUTO_TEST_CASE(a_killed_server_sends_the_mails_whose_mailers_had_not_begun) {
  jobs_begin(limits::mailers_at_once);
  commit();
  go_on();  // all have taken their files: they end by themselves
  jobs_begin(3);
  commit();
  programs->take_files = false;
  programs->end_all();
  go_on();  // the kill comes before the mailers have begun
  BOOST_TEST(programs->running.size() == 3u);
  jobs_begin(2);  // and these were committed, and nobody heard of it
  restart();
  BOOST_TEST(send_all() == 5u);
  restart();
  BOOST_TEST(send_all() == 0u);
}

BOOST_AUTO_TEST_CASE(a_host_that_died_sends_again_what_was_not_known_to_be_done) {
  jobs_begin(4);
  commit();
  go_on();
  boot = "b2";
  restart();
  BOOST_TEST(send_all() == 4u);
  boot = "b3";
  restart();
  BOOST_TEST(send_all() == 0u);
}

BOOST_AUTO_TEST_CASE(too_many_wait_in_the_log) {
  const auto count = limits::waiting + 200;
  jobs_begin(count);
  commit();
  BOOST_TEST(follower->waiting() == limits::waiting);
  jobs_begin(50);
  commit();
  BOOST_TEST(send_all() == count + 50);
  std::set<std::string> ids;
  for (const auto& m : programs->begun) ids.insert(m.about);
  BOOST_TEST(ids.size() == count + 50);
}

BOOST_AUTO_TEST_CASE(a_restart_with_too_many_reads_the_rest_from_the_log) {
  const auto count = limits::waiting + 200;
  jobs_begin(count);
  restart();
  BOOST_TEST(send_all() == count);
}

BOOST_AUTO_TEST_CASE(mailers_that_fail_are_told_of_once_in_a_while_and_not_tried_again) {
  jobs_begin(5);
  commit();
  go_on();
  programs->end_all("/nosuch/mailer for 1.borg: not found");
  go_on();
  BOOST_TEST(notes == std::vector<std::string>{"mail not sent: /nosuch/mailer for 1.borg: not found"}, boost::test_tools::per_element());
  now += limits::between_notes;
  go_on();
  BOOST_REQUIRE_EQUAL(notes.size(), 2u);
  BOOST_TEST(notes[1] == "mail not sent: /nosuch/mailer for 1.borg: not found; and 3 more");
  BOOST_TEST(send_all() == 5u);
}

BOOST_AUTO_TEST_CASE(a_disk_that_takes_no_more_stops_mail_and_loses_none) {
  jobs_begin(3);
  commit();
  fs::rename(dir.at("mail"), dir.at("elsewhere"));
  BOOST_TEST(go_on().has_value());
  BOOST_TEST(programs->begun.empty());
  BOOST_TEST(notes.size() == 1u);
  fs::rename(dir.at("elsewhere"), dir.at("mail"));
  BOOST_TEST(send_all() == 3u);
  BOOST_TEST(notes.back() == "mail: sent again");
}

BOOST_AUTO_TEST_SUITE_END()
