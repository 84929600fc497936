// Terminals of interactive jobs (docs/design/0059-interactive-jobs.md): who may be at which end, what is handed on, and what becomes of a
// job that nobody sits at.
#include <boost/test/unit_test.hpp>

#include <functional>

#include "events/log/log_reader.hpp"
#include "events/log/record.hpp"
#include "events/model/run/terminal_limits.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;
using word = schema::TerminalWord;

// A server with host n1 and alice's interactive job 0.borg, which waits.
struct cluster : test::whole_server {
  std::uint64_t serial = 0;

  cluster() {
    create_node("n1");
    hello_of("n1");
    submit(true);
    each_event([&](const log::record& r) {
      if (schema::is(r.event(), schema::JobEvent::QUEUED)) serial = r.get().getStream();
    });
  }
  void submit(bool interactive) {
    ask(
        [&](schema::Request::Builder r) {
          auto q = r.initQueueJob();
          q.setSubmitHost("borg");
          auto a = q.initAttributes(1)[0];
          a.setName("interactive");
          a.setValue(interactive ? "True" : "False");
        },
        "alice");
  }
  void each_event(const std::function<void(const log::record&)>& look) const {
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      look(*r);
      return true;
    });
  }
  void run_it() { run_on(serial, "n1"); }
  bool deleted() const {
    bool yes = false;
    each_event([&](const log::record& r) {
      for (const auto what : {schema::JobEvent::DELETE_REQUESTED, schema::JobEvent::ENDED}) yes = yes || schema::is(r.event(), what);
    });
    return yes;
  }

  peer_ptr sit(const std::string& user = "alice", const std::string& job = "0.borg") {
    const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::local, user);
    says(peer, schema::make<schema::Request>([&](schema::Request::Builder r) {
           r.setId(7);
           r.initAttachTerminal().setJob(job);
         }));
    return peer;
  }
  // A command of the job's that offers its terminal.
  peer_ptr offer() {
    const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
    says(peer, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
           auto ref = m.initCommandOf();
           ref.setJobSerial(serial);
           ref.setRun(1);
           ref.setJob("0.borg");
         }));
    says(peer, schema::make<schema::Request>([](schema::Request::Builder r) {
           r.setId(9);
           r.initOfferTerminal();
         }));
    return peer;
  }
  template <class Fill>
  void say(const peer_ptr& peer, Fill fill) {
    says(peer, schema::make<schema::Request>([&](schema::Request::Builder r) { fill(r.initTerminal()); }));
  }
  void begin(const peer_ptr& user, std::uint64_t taken = 0) {
    say(user, [&](word::Builder w) {
      w.initBegin().setTerm("xterm");
      w.getBegin().setTaken(taken);
    });
  }
  void print(const peer_ptr& job, std::uint64_t at, std::size_t size) {
    say(job, [&](word::Builder w) {
      w.initOutput().setAt(at);
      w.getOutput().initBytes(static_cast<unsigned>(size));
    });
  }
  // As long as a qsub has to come back.
  void pass() {
    system.scheduler().advance_time(std::chrono::milliseconds(limits::terminal_gone_ms));
    system.run();
  }
  void gone(const peer_ptr& peer) {
    caf::anon_send(whole->gateway(), actors::peer_closed{peer, "gone"});
    system.run();
  }
};

std::uint32_t refused(const peer_ptr& peer) {
  if (peer->sent.empty()) return 0;
  const auto r = peer->sent.back().root<schema::Reply>();
  return r.isRejected() ? r.getRejected().getCode() : 0;
}
// The last word that came, as an answer to this request.
std::optional<word::Which> last(const peer_ptr& peer, std::uint64_t request) {
  if (peer->sent.empty()) return std::nullopt;
  const auto r = peer->sent.back().root<schema::Reply>();
  if (!r.isTerminal() || r.getId() != request) return std::nullopt;
  return r.getTerminal().which();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(terminals)

BOOST_AUTO_TEST_CASE(only_the_owner_sits_at_a_job_and_at_an_interactive_one) {
  cluster c;
  BOOST_TEST(refused(c.sit("alice", "99.borg")) == 15001u);
  BOOST_TEST(refused(c.sit("alice", "x")) == 15001u);
  BOOST_TEST(refused(c.sit("bob")) == 15007u);
  BOOST_TEST(refused(c.sit()) == 0u);
  c.submit(false);
  BOOST_TEST(refused(c.sit("alice", "1.borg")) == 15004u);
}

BOOST_AUTO_TEST_CASE(an_interactive_job_is_not_rerunable) {
  cluster c;
  std::string rerunable;
  c.each_event([&](const log::record& r) {
    if (!schema::is(r.event(), schema::JobEvent::QUEUED)) return;
    for (auto a : r.event().getJob().getQueued().getAttributes())
      if (schema::text(a.getName()) == "Rerunable") rerunable = schema::str(a.getValue());
  });
  BOOST_TEST(rerunable == "False");
}

BOOST_AUTO_TEST_CASE(a_terminal_is_offered_by_a_command_of_the_job_alone) {
  cluster c;
  const auto other = std::make_shared<test::fake_peer>(wire::identity::kind::local, "alice");
  c.says(other, schema::make<schema::Request>([](schema::Request::Builder r) { r.initOfferTerminal(); }));
  BOOST_TEST(refused(other) == 15019u);
  const auto nobody = std::make_shared<test::fake_peer>(wire::identity::kind::local, "alice");
  c.say(nobody, [](word::Builder w) { w.setHangUp(); });
  BOOST_TEST(nobody->closed != "");
}

BOOST_AUTO_TEST_CASE(the_two_ends_are_joined_and_hear_each_other) {
  cluster c;
  const auto user = c.sit();
  BOOST_TEST(user->sent.empty());
  c.run_it();
  const auto job = c.offer();
  BOOST_TEST((last(user, 7) == word::JOINED));
  BOOST_TEST((last(job, 9) == word::JOINED));
  c.print(job, 0, 1);  // before it heard of this user
  BOOST_TEST((last(user, 7) == word::JOINED));
  c.begin(user);
  BOOST_TEST((last(job, 9) == word::BEGIN));
  c.say(job, [](word::Builder w) { w.initReady(); });
  BOOST_TEST((last(user, 7) == word::READY));
  c.print(job, 0, 10);
  BOOST_TEST((last(user, 7) == word::OUTPUT));
  c.say(user, [](word::Builder w) { w.setTaken(10); });
  BOOST_TEST((last(job, 9) == word::TAKEN));
  c.say(user, [](word::Builder w) { w.initResize().setRows(4); });
  BOOST_TEST((last(job, 9) == word::RESIZE));
  BOOST_TEST(user->closed == "");
  BOOST_TEST(job->closed == "");
}

BOOST_AUTO_TEST_CASE(who_says_more_than_the_other_has_room_for_is_cut_off) {
  const auto cut = [](bool of_user, auto fill) {
    cluster c;
    const auto user = c.sit();
    c.run_it();
    const auto job = c.offer();
    c.begin(user, 5);
    c.say(job, [](word::Builder w) { w.initReady(); });
    c.say(of_user ? user : job, fill);
    return (of_user ? user : job)->closed != "";
  };
  const auto output = [](std::uint64_t at, std::size_t size) {
    return [=](word::Builder w) {
      w.initOutput().setAt(at);
      w.getOutput().initBytes(static_cast<unsigned>(size));
    };
  };
  BOOST_TEST(!cut(false, output(5, limits::terminal_piece_bytes)));
  BOOST_TEST(cut(false, output(5, limits::terminal_piece_bytes + 1)));
  BOOST_TEST(cut(false, output(6, 1)));
  BOOST_TEST(cut(false, [](word::Builder w) { w.initInput(); }));
  BOOST_TEST(cut(false, [](word::Builder w) { w.setTaken(1); }));
  BOOST_TEST(cut(false, [](word::Builder w) { w.setJoined(); }));
  BOOST_TEST(cut(true, [](word::Builder w) { w.setEnded(); }));
  BOOST_TEST(cut(true, [](word::Builder w) { w.setTaken(6); }));
  BOOST_TEST(!cut(true, [](word::Builder w) { w.setTaken(5); }));
  const auto display = [](std::uint64_t at, std::size_t size) {
    return [=](word::Builder w) {
      w.initDisplay().setAt(at);
      w.getDisplay().initBytes(static_cast<unsigned>(size));
    };
  };
  for (const bool of_user : {true, false}) {
    BOOST_TEST(!cut(of_user, display(0, limits::display_piece_bytes)));
    BOOST_TEST(cut(of_user, display(0, limits::display_piece_bytes + 1)));
    BOOST_TEST(cut(of_user, display(1, 1)));
    BOOST_TEST(cut(of_user, [](word::Builder w) { w.setDisplayTaken(1); }));
  }
}

BOOST_AUTO_TEST_CASE(x_connections_have_a_window_of_words) {
  cluster c;
  const auto user = c.sit();
  c.run_it();
  const auto job = c.offer();
  c.begin(user);
  c.say(job, [](word::Builder w) { w.initReady(); });
  const auto open = [&](std::uint64_t at) {
    c.say(job, [&](word::Builder w) {
      w.initDisplay().setAt(at);
      w.getDisplay().setOpened();
    });
  };
  for (std::uint64_t at = 0; at < limits::display_words; ++at) open(at);
  BOOST_TEST(job->closed == "");
  BOOST_TEST((last(user, 7) == word::DISPLAY));
  c.say(user, [](word::Builder w) { w.setDisplayTaken(1); });
  open(limits::display_words);
  BOOST_TEST(job->closed == "");
  open(limits::display_words + 1);
  BOOST_TEST(job->closed != "");
}

BOOST_AUTO_TEST_CASE(what_was_printed_last_comes_when_the_program_has_ended) {
  cluster c;
  const auto user = c.sit();
  c.run_it();
  const auto job = c.offer();
  c.begin(user);
  c.print(job, 0, 3);
  const auto mom = c.hello_of("n1");
  c.says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
           auto e = m.initRunExited();
           e.initRef().setJobSerial(c.serial);
           e.getRef().setRun(1);
           e.getRef().setJob("0.borg");
           e.setPosition(3);
         }));
  c.print(job, 3, 3);
  BOOST_TEST((last(user, 7) == word::OUTPUT));
  c.say(job, [](word::Builder w) { w.setEnded(); });
  BOOST_TEST((last(user, 7) == word::ENDED));
}

BOOST_AUTO_TEST_CASE(a_connection_that_comes_again_takes_the_place_of_the_one_before) {
  cluster c;
  const auto user = c.sit();
  c.run_it();
  const auto first = c.offer();
  c.begin(user);
  const auto second = c.offer();
  BOOST_TEST(first->closed != "");
  BOOST_TEST((last(user, 7) == word::JOINED));
  c.gone(first);
  BOOST_TEST((last(user, 7) == word::JOINED));  // old news
  c.gone(second);
  BOOST_TEST((last(user, 7) == word::LEFT));
}

BOOST_AUTO_TEST_CASE(a_job_that_waits_is_deleted_when_its_qsub_is_gone) {
  cluster c;
  const auto user = c.sit();
  BOOST_TEST(!c.deleted());
  c.gone(user);
  c.pass();
  BOOST_TEST(c.deleted());
}

BOOST_AUTO_TEST_CASE(also_when_it_was_gone_before_it_was_answered) {
  cluster c;
  const auto user = std::make_shared<test::fake_peer>(wire::identity::kind::local, "alice");
  auto attach = schema::make<schema::Request>([](schema::Request::Builder r) { r.initAttachTerminal().setJob("0.borg"); });
  caf::anon_send(c.whole->gateway(), actors::peer_frame{user, std::move(attach)});
  c.gone(user);
  BOOST_TEST(!c.deleted());
  c.pass();
  BOOST_TEST(c.deleted());
}

BOOST_AUTO_TEST_CASE(but_not_when_it_has_come_again) {
  cluster c;
  const auto user = c.sit();
  c.gone(user);
  (void)c.sit();
  c.pass();
  BOOST_TEST(!c.deleted());
}

BOOST_AUTO_TEST_CASE(a_job_that_runs_hears_that_nobody_sits_at_it_any_more) {
  cluster c;
  const auto user = c.sit();
  c.run_it();
  const auto job = c.offer();
  c.begin(user);
  c.gone(user);
  c.pass();
  BOOST_TEST((last(job, 9) == word::LEFT));
  BOOST_TEST(job->sent.back().root<schema::Reply>().getTerminal().getLeft().getForGood());
  BOOST_TEST(!c.deleted());
}

BOOST_AUTO_TEST_SUITE_END()
