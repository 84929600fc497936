// Whoever submits a job to wait for its end hears of it, also when the job was over before he asked (pbs guide: block). A user has a limit
// for it, and who is gone waits no longer.
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

#include "actors/sessions/end_waits.hpp"
#include "test/support/told_records.hpp"

using namespace annals;

namespace {

struct kept_replies final : actors::reply_sink {
  std::vector<schema::sealed<schema::Reply>> replies;
  bool is_there = true, in_hand = true;
  std::optional<std::size_t> unread_bytes() const override { return is_there ? std::optional<std::size_t>(0) : std::nullopt; }
  void set_aside() override { in_hand = false; }
  void send(const schema::sealed<schema::Reply>& reply) override { replies.push_back(reply); }
  void give_up(const std::string&) override {}
};

// A server without a history: a job that has ended is forgotten.
struct server {
  projections::status now;
  test::told_records records;
  actors::end_waits waits;

  server() = default;
  explicit server(std::size_t places) : waits(places) {}

  template <class Fill>
  void happen(std::uint64_t stream, const Fill& fill) {
    const auto& record = records.next(stream, fill);
    now.fold(record);
    if (schema::is(record.event(), schema::JobEvent::ENDED)) waits.ended(record, now);
  }
  void submit(std::uint64_t number, const char* attribute) {
    happen(number, [&](auto e) {
      auto j = e.initJob().initQueued();
      j.setId(std::to_string(number) + ".borg");
      j.setNumber(number);
      j.setOwner("alice@borg");
      auto a = j.initAttributes(1)[0];
      a.setName(attribute);
      a.setValue("True");
    });
  }
  void run(std::uint64_t number, std::int32_t status) {
    happen(number, [](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(1);
      a.setExecVnode("(n1:ncpus=1)");
      a.setExecHost("n1/0");
      a.initHosts(1).set(0, "n1");
    });
    happen(number, [](auto e) { e.initJob().initStarted().setRun(1); });
    happen(number, [&](auto e) {
      auto x = e.initJob().initExited();
      x.setRun(1);
      x.setExitStatus(status);
    });
    happen(number, [](auto e) {
      auto r = e.initJob().initVnodesReleased();
      r.setRun(1);
      r.setExecVnode("(n1:ncpus=1)");
      r.initHosts(1).set(0, "n1");
    });
    happen(number, [&](auto e) {
      auto end = e.initJob().initEnded();
      end.setHasExitStatus(true);
      end.setExitStatus(status);
      end.setSubstate(92);
    });
    happen(number, [](auto e) { e.initJob().setForgotten(); });
  }
  // "ended 3", or the number of the refusal; "" is no answer yet.
  std::string ask(const char* job, const std::string& user = "alice", std::uint64_t client = 1, bool is_there = true) {
    auto to = std::make_shared<kept_replies>();
    to->is_there = is_there;
    waits.ask({to,
               schema::make<schema::Request>([&](schema::Request::Builder r) { r.initWaitJob().setJob(job); }),
               {user, "borg", schema::Role::USER},
               0,
               client},
              now);
    asked.push_back(to);
    return answer(asked.size() - 1);
  }
  std::string answer(std::size_t of) const {
    if (asked[of]->replies.empty()) return "";
    const auto r = asked[of]->replies.back().get();
    return r.isJobEnded() ? "ended " + std::to_string(r.getJobEnded().getExitStatus()) : std::to_string(r.getRejected().getCode());
  }
  std::vector<std::shared_ptr<kept_replies>> asked;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(ends)

BOOST_AUTO_TEST_CASE(who_waits_is_told) {
  server s;
  s.submit(1, "block");
  BOOST_TEST(s.ask("1.borg") == "");
  BOOST_TEST(!s.waits.empty());
  s.run(1, 3);
  BOOST_TEST(s.answer(0) == "ended 3");
  BOOST_TEST(s.waits.empty());
}

BOOST_AUTO_TEST_CASE(who_asks_after_a_short_job_was_forgotten_is_told_too) {
  server s;
  s.submit(1, "block");
  s.submit(2, "interactive");
  s.run(1, 3);
  s.run(2, 0);
  BOOST_TEST(s.ask("1.borg") == "ended 3");
  BOOST_TEST(s.ask("2.borg") == "ended 0");
  BOOST_TEST(s.ask("1.borg") == "ended 3");  // his connection was lost
}

BOOST_AUTO_TEST_CASE(others_that_were_forgotten_are_unknown) {
  server s;
  s.submit(1, "Rerunable");
  s.run(1, 3);
  BOOST_TEST(s.ask("1.borg") == "15001");
  BOOST_TEST(s.ask("7.borg") == "15001");
}

BOOST_AUTO_TEST_CASE(a_wait_is_no_request_in_hand_and_an_answer_is) {
  server s;
  s.submit(1, "block");
  s.ask("1.borg");
  s.ask("7.borg");
  BOOST_TEST(!s.asked[0]->in_hand);
  BOOST_TEST(s.asked[1]->in_hand);
}

BOOST_AUTO_TEST_CASE(a_user_waits_for_so_many_and_others_for_theirs) {
  server s(6);
  s.submit(1, "block");
  for (int i = 0; i < 3; ++i) BOOST_TEST(s.ask("1.borg") == "");
  BOOST_TEST(s.ask("1.borg", "alice", 2) == "15010");
  BOOST_TEST(schema::str(s.asked.back()->replies.back().get().getRejected().getText()) ==
             "System error: user alice waits for the ends of too many jobs at once (limit 3)");
  BOOST_TEST(s.ask("1.borg", "bob", 3) == "");
  s.run(1, 3);
  for (const std::size_t i : {0u, 1u, 2u, 4u}) BOOST_TEST(s.answer(i) == "ended 3");
  s.submit(2, "block");
  for (int i = 0; i < 3; ++i) BOOST_TEST(s.ask("2.borg") == "");  // her places are free again
}

BOOST_AUTO_TEST_CASE(who_is_gone_waits_no_longer) {
  server s(6);
  s.submit(1, "block");
  s.submit(2, "block");
  s.ask("1.borg", "alice", 1);
  s.ask("2.borg", "alice", 1);
  s.ask("1.borg", "alice", 2);
  s.waits.gone(1);
  s.waits.gone(7);
  for (int i = 0; i < 2; ++i) BOOST_TEST(s.ask("2.borg", "alice", 3) == "");  // in their places
  s.run(1, 3);
  s.run(2, 3);
  BOOST_TEST(s.answer(0) == "");
  BOOST_TEST(s.answer(1) == "");
  for (const std::size_t i : {2u, 3u, 4u}) BOOST_TEST(s.answer(i) == "ended 3");
  BOOST_TEST(s.waits.empty());
}

BOOST_AUTO_TEST_CASE(who_went_before_he_was_heard_never_waits) {
  server s;
  s.submit(1, "block");
  BOOST_TEST(s.ask("1.borg", "alice", 1, false) == "");
  BOOST_TEST(s.waits.empty());
}

BOOST_AUTO_TEST_SUITE_END()
