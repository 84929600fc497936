// What a single MoM makes of others that come late, come again, or have forgotten something (docs/design/0020).
#include <boost/test/unit_test.hpp>

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include "actors/mom/tasks/task_interface.hpp"
#include "events/model/limits.hpp"
#include "events/model/run/ticket.hpp"
#include "events/values/pbs_error.hpp"
#include "test/sim/lone_mom_words.hpp"

using namespace annals;
using namespace annals::sim;

BOOST_AUTO_TEST_SUITE(lone_moms)

BOOST_AUTO_TEST_CASE(a_run_whose_files_take_longer_than_its_ticket_lasts_asks_for_a_fresh_one) {
  lone_mom n1("n1", {.staging_s = limits::ticket_life_s + 100});
  const auto server = n1.server_connects();
  server->say(order({"n1", "n2"}, n1.around.clock.now, true));
  n1.pass(limits::ticket_life_s + 104);  // the message may have been late
  const auto n2 = n1.sister_answers("n2");
  n1.pass(60);  // longer than sisters may take to join
  BOOST_TEST(only(n2->heard<schema::ToSister>(), schema::ToSister::JOIN).empty());
  const auto asked = server->heard<schema::FromMom>();
  BOOST_TEST(only(asked, schema::FromMom::WANT_TICKET).size() > 1u);
  BOOST_TEST(only(asked, schema::FromMom::RUN_REFUSED).empty());
  server->say(order({"n1", "n2"}, n1.around.clock.now, true));
  n1.pass(3);
  const auto joins = only(n2->heard<schema::ToSister>(), schema::ToSister::JOIN);
  BOOST_TEST_REQUIRE(joins.size() == 1u);
  BOOST_TEST(model::valid_until_ns(joins[0].get().getJoin().getTicket()) > n1.around.clock.now);
}

BOOST_AUTO_TEST_CASE(a_ticket_that_lasts_is_used_without_asking) {
  lone_mom n1("n1", {.staging_s = 100});
  const auto server = n1.server_connects();
  server->say(order({"n1", "n2"}, n1.around.clock.now, true));
  n1.pass(104);
  const auto n2 = n1.sister_answers("n2");
  BOOST_TEST(only(n2->heard<schema::ToSister>(), schema::ToSister::JOIN).size() == 1u);
  BOOST_TEST(only(server->heard<schema::FromMom>(), schema::FromMom::WANT_TICKET).empty());
}

BOOST_AUTO_TEST_CASE(a_host_that_could_not_join_says_why_as_often_as_it_is_asked) {
  lone_mom n2("n2", {.refused_places = 1});
  for (const bool restarted : {false, false, true}) {
    if (restarted) n2.restart();
    const auto n1 = n2.primary_connects("n1");
    n1->say(join(n2.around.clock.now));
    n2.pass(5);
    const auto refused = only(n1->heard<schema::FromSister>(), schema::FromSister::REFUSED);
    BOOST_TEST_REQUIRE(refused.size() == 1u);
    BOOST_TEST(refused[0].get().getRefused().getCode() == -10);
    BOOST_TEST(schema::str(refused[0].get().getRefused().getText()) == "no such user");
    n1->hang_up();
  }
}

// Of a primary that the server has given up, and that was cut off when it was told.
BOOST_AUTO_TEST_CASE(a_host_of_a_later_run_does_not_join_an_earlier_one) {
  lone_mom n2("n2");
  for (const bool restarted : {false, true}) {
    if (restarted) n2.restart();
    const auto n1 = n2.primary_connects("n1");
    n1->say(join(n2.around.clock.now, 2));
    n2.pass(5);
    BOOST_TEST(only(n1->heard<schema::FromSister>(), schema::FromSister::JOINED).size() == 1u);
    n1->say(join(n2.around.clock.now, 1));
    n2.pass(5);
    const auto refused = only(n1->heard<schema::FromSister>(), schema::FromSister::REFUSED);
    BOOST_TEST_REQUIRE(refused.size() == 1u);
    BOOST_TEST(refused[0].get().getRefused().getRef().getRun() == 1u);
    BOOST_TEST(refused[0].get().getRefused().getCode() == values::pbs_error::sister_rejected);
    n1->hang_up();
  }
}

BOOST_AUTO_TEST_CASE(a_sister_that_has_lost_the_job_is_noticed_over_a_new_link) {
  lone_mom n1("n1", {.program_s = 1000});
  const auto server = n1.server_connects();
  server->say(order({"n1", "n2"}, n1.around.clock.now));
  n1.pass(3);
  auto n2 = joined_sister(n1);
  n2->hang_up();
  n1.pass(3);
  n2 = n1.sister_answers("n2");
  BOOST_TEST(only(n2->heard<schema::ToSister>(), schema::ToSister::STILL_THERE).size() == 1u);
  n2->say(from_sister([](auto m) { name(m.initJoined()); }));  // nothing happened: the job goes on
  n1.pass(5);
  BOOST_TEST(only(server->heard<schema::FromMom>(), schema::FromMom::RUN_EXITED).empty());
  n2->say(from_sister([](auto m) { name(m.initLeft().initRef()); }));
  n1.pass(5);
  n2->say(from_sister([](auto m) { name(m.initLeft().initRef()); }));  // when it is asked to leave
  n1.pass(5);
  server->say(acknowledged(schema::Ack::What::RUN_STEPS));  // before the end is told
  n1.pass(5);
  const auto exits = only(server->heard<schema::FromMom>(), schema::FromMom::RUN_EXITED);
  BOOST_TEST_REQUIRE(!exits.empty());
  BOOST_TEST(exits[0].get().getRunExited().getExitStatus() == -4);
}

BOOST_AUTO_TEST_CASE(a_host_that_is_asked_whether_a_job_is_still_there_begins_nothing) {
  lone_mom n2("n2");
  const auto n1 = n2.primary_connects("n1");
  const auto still_there = to_sister([](auto m) { name(m.initStillThere()); });
  n1->say(still_there);
  n2.pass(5);
  BOOST_TEST(only(n1->heard<schema::FromSister>(), schema::FromSister::LEFT).size() == 1u);
  n1->say(join(n2.around.clock.now));
  n2.pass(5);
  BOOST_TEST(only(n1->heard<schema::FromSister>(), schema::FromSister::JOINED).size() == 1u);
  n1->say(still_there);
  n2.pass(5);
  BOOST_TEST(only(n1->heard<schema::FromSister>(), schema::FromSister::JOINED).size() == 1u);
}

BOOST_AUTO_TEST_CASE(who_asked_a_primary_that_dials_again_before_its_old_link_breaks_is_answered) {
  lone_mom n2("n2");
  const auto n1 = n2.primary_connects("n1");
  n1->say(join(n2.around.clock.now));
  n2.pass(5);
  const auto answers = std::make_shared<std::vector<actors::task_answer>>();
  const auto asker = n2.mom.system().spawn(
      [](caf::event_based_actor* self, std::shared_ptr<std::vector<actors::task_answer>> answers) -> caf::behavior {
        return {
            [=](const actors::job_found& found) {
              self->send(found.actor, actors::ask_tasks{{self, 2}});
            },
            [=](const actors::task_answer& a) { answers->push_back(a); },
        };
      },
      answers);
  caf::anon_send(n2.mom.handle(), actors::find_job{{asker, 1}, job, ""});
  n2.pass(5);
  BOOST_TEST(only(n1->heard<schema::FromSister>(), schema::FromSister::ASK).size() == 1u);
  BOOST_TEST(answers->empty());
  const auto n1_again = n2.primary_connects("n1");
  n2.pass(5);
  BOOST_TEST_REQUIRE(answers->size() == 1u);
  BOOST_TEST(answers->front().error == "lost communication with n1");
  BOOST_TEST(n1->is_cut_off());
  BOOST_TEST(!n1_again->is_cut_off());
  caf::anon_send_exit(asker, caf::exit_reason::kill);
}

BOOST_AUTO_TEST_CASE(an_order_for_a_run_that_has_left_is_refused) {
  lone_mom n1("n1", {.program_s = 1});
  const auto server = n1.server_connects();
  server->say(order({"n1"}, n1.around.clock.now));
  n1.pass(10);
  for (auto what : {schema::Ack::What::RUN_EXITED, schema::Ack::What::RUN_LEFT})
    server->say(acknowledged(what));
  n1.pass(5);
  BOOST_TEST(!n1.mom.has_runs());
  BOOST_TEST(!server->heard<schema::FromMom>().empty());
  const auto kill = schema::make<schema::ToMom>([](schema::ToMom::Builder m) { name(m.initSignalRun().initRef()); });
  for (const auto& again : {order({"n1"}, n1.around.clock.now), kill}) {  // of a server that was restored from a backup
    server->say(again);
    n1.pass(5);
    const auto refused = only(server->heard<schema::FromMom>(), schema::FromMom::RUN_REFUSED);
    BOOST_TEST_REQUIRE(refused.size() == 1u);
    BOOST_TEST(refused[0].get().getRunRefused().getCode() == -3);
  }
}

// RD-16: who has asked for it may look at the file when the server hears of it.
BOOST_AUTO_TEST_CASE(a_release_is_done_when_the_node_file_is_new) {
  lone_mom n1("n1", {.node_file_takes_s = 20, .program_s = 1000});
  for (const bool restarted : {false, true}) {
    const auto server = n1.server_connects();
    if (!restarted) server->say(order({"n1", "n2"}, n1.around.clock.now));
    n1.pass(1);
    const auto n2 = restarted ? n1.sister_answers("n2") : joined_sister(n1);
    if (!restarted) {
      server->say(acknowledged(schema::Ack::What::RUN_STARTED));
      server->say(schema::make<schema::ToMom>([](schema::ToMom::Builder m) {
        auto t = m.initTellRun();
        name(t.initRef());
        t.initRequest().setId(1);
        auto r = t.getRequest().initRelease();
        r.setReleased("(n2:ncpus=1)");
        r.setExecVnode("(n1:ncpus=1)");
        r.setExecHost("n1/0");
        r.initSatisfies(1);
        r.setKeepSelect("1:ncpus=1");
        r.setBy("pbs_release_nodes");
      }));
    }
    n1.pass(10);
    auto said = server->heard<schema::FromMom>();
    if (!restarted) BOOST_TEST(only(said, schema::FromMom::RUN_STEPS).size() >= 1u);
    BOOST_TEST(only(said, schema::FromMom::REQUEST_DONE).empty());
    n1.pass(15);
    said = server->heard<schema::FromMom>();
    BOOST_TEST(only(said, schema::FromMom::REQUEST_DONE).size() == 1u);
    if (!restarted) n1.restart();
  }
}

namespace {
schema::sealed<schema::FromSister> usage_of_n2(std::int64_t now_ns, std::string_view cput, std::uint64_t question) {
  return from_sister([&](auto m) {
    auto u = m.initUsage();
    name(u.initRef());
    u.setQuestion(question);
    model::usage_set used;
    used.set("cput", cput);
    model::write_host_usage({"n2", used, now_ns}, u.initUsage());
  });
}

schema::sealed<schema::ToMom> usage_now(std::uint64_t question) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    name(m.initUsageNow().initRef());
    m.getUsageNow().setQuestion(question);
  });
}
}  // namespace

// RD-74: what was used until now, on all hosts that are there.
BOOST_AUTO_TEST_CASE(the_first_host_asks_the_others_what_was_used) {
  lone_mom n1("n1", {.program_s = 1000});
  const auto server = n1.server_connects();
  server->say(order({"n1", "n2"}, n1.around.clock.now));
  n1.pass(1);
  const auto n2 = joined_sister(n1);
  n2->say(usage_of_n2(n1.around.clock.now, "00:00:01", 0));
  n1.pass(1);
  n2->heard<schema::ToSister>();
  server->say(usage_now(5));
  auto asked = only(n2->heard<schema::ToSister>(), schema::ToSister::USAGE_NOW);
  for (int i = 0; i < 40 && asked.empty(); ++i) {
    n1.pass_ms(20);
    asked = only(n2->heard<schema::ToSister>(), schema::ToSister::USAGE_NOW);
  }
  BOOST_TEST_REQUIRE(asked.size() == 1u);
  n2->say(usage_of_n2(n1.around.clock.now, "00:07:00", asked[0].get().getUsageNow().getQuestion()));
  n1.pass(1);
  // One that is silent is not waited for long, and what it told last counts.
  server->say(usage_now(6));
  n1.pass(limits::usage_wait_s + 1);
  const auto all = only(server->heard<schema::FromMom>(), schema::FromMom::RUN_USAGE);
  int answered = 0;
  for (const auto& m : all) {
    const auto told = m.get().getRunUsage();
    if (told.getQuestion() == 0) continue;
    BOOST_TEST(told.getQuestion() == (answered == 0 ? 5u : 6u));
    BOOST_TEST_REQUIRE(told.getHosts().size() == 2u);
    BOOST_TEST(model::read_host_usage(told.getHosts()[1]).usage.seconds("cput") == 420u);
    ++answered;
  }
  BOOST_TEST(answered == 2);
}

BOOST_AUTO_TEST_CASE(another_host_tells_its_first_host_what_was_used_when_it_is_asked) {
  lone_mom n2("n2");
  const auto server = n2.server_connects();
  const auto n1 = n2.primary_connects("n1");
  n1->say(join(n2.around.clock.now));
  n2.pass(5);
  n1->heard<schema::FromSister>();
  n1->say(to_sister([](auto m) {
    name(m.initUsageNow().initRef());
    m.getUsageNow().setQuestion(9);
  }));
  n2.pass(1);
  const auto told = only(n1->heard<schema::FromSister>(), schema::FromSister::USAGE);
  BOOST_TEST_REQUIRE(told.size() == 1u);
  BOOST_TEST(told[0].get().getUsage().getQuestion() == 9u);
}

BOOST_AUTO_TEST_CASE(a_part_that_its_primary_says_nothing_of_speaks_to_the_server) {
  lone_mom n2("n2");
  const auto server = n2.server_connects();
  const auto n1 = n2.primary_connects("n1");
  n1->say(join(n2.around.clock.now));
  n2.pass(5);
  server->heard<schema::FromMom>();
  n2.pass(limits::part_word_s + 1);
  BOOST_TEST(only(server->heard<schema::FromMom>(), schema::FromMom::RUN_USAGE).size() == 1u);
  server->say(schema::make<schema::ToMom>([](schema::ToMom::Builder m) { name(m.initDiscardRun()); }));
  n2.pass(5);
  BOOST_TEST(!n2.mom.has_runs());
}

BOOST_AUTO_TEST_SUITE_END()
