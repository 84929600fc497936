// What hooks on a host ask of the server: pbs.server().vnode(name) and its like (docs/design/0023-hooks.md).
#include "actors/mom/hooks/hook_questions.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace annals;
using namespace annals::actors;
namespace protocol = hooks::protocol;

namespace {

struct host {
  std::vector<schema::sealed<schema::FromMom>> told;
  hook_questions questions{[this](const schema::sealed<schema::FromMom>& m) { told.push_back(m); }};
  std::vector<hooks::sealed_answer> answers;

  void ask(const std::function<void(protocol::Question::Builder)>& what, bool may_wait = false) {
    questions.ask(
        schema::make<protocol::Question>(what), [this](hooks::sealed_answer a) { answers.push_back(std::move(a)); }, may_wait);
  }
  void ask_for_vnode(const std::string& name, bool may_wait = false) {
    ask(
        [&](protocol::Question::Builder q) {
          q.initObject().setKind(protocol::ObjectKind::VNODE);
          q.getObject().setName(name);
        },
        may_wait);
  }
  schema::HookQuestion::Reader question(std::size_t n) const { return told.at(n).get().getHookQuestion(); }
  void answer(std::size_t n, const std::function<void(schema::HookAnswer::Builder)>& what) {
    const auto message = schema::make<schema::HookAnswer>([&](schema::HookAnswer::Builder a) {
      a.setId(question(n).getId());
      what(a);
    });
    questions.on_answer(message.get());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(questions_to_the_server, host)

BOOST_AUTO_TEST_CASE(a_vnode_is_told_as_the_server_sees_it) {
  questions.server_is_here();
  ask_for_vnode("n9");
  BOOST_REQUIRE(told.size() == 1u);
  BOOST_TEST((question(0).getKind() == schema::ObjectKind::NODE));
  BOOST_TEST(schema::str(question(0).getName()) == "n9");
  BOOST_TEST(!question(0).getNamesOnly());
  BOOST_TEST(answers.empty());
  const auto vnode = [](schema::HookAnswer::Builder a) {
    a.initObject().setName("n9");
    auto state = a.getObject().initAttributes(1)[0];
    state.setName("state");
    state.setValue("free");
  };
  answer(0, vnode);
  BOOST_REQUIRE(answers.size() == 1u);
  BOOST_REQUIRE(answers[0].get().isObject());
  const auto told_of = answers[0].get().getObject();
  BOOST_TEST((told_of.getKind() == protocol::ObjectKind::VNODE));
  BOOST_TEST(schema::str(told_of.getName()) == "n9");
  BOOST_TEST(schema::str(told_of.getAttributes()[0].getValue()) == "free");
  answer(0, vnode);  // once more: nobody waits
  BOOST_TEST(answers.size() == 1u);
}

BOOST_AUTO_TEST_CASE(names_are_asked_for_without_their_objects) {
  questions.server_is_here();
  ask([](protocol::Question::Builder q) { q.setNames(protocol::ObjectKind::QUEUE); });
  ask([](protocol::Question::Builder q) { q.setJobsOf("workq"); });
  BOOST_TEST(question(0).getNamesOnly());
  BOOST_TEST((question(0).getKind() == schema::ObjectKind::QUEUE));
  BOOST_TEST((question(1).getKind() == schema::ObjectKind::JOB));
  BOOST_TEST(schema::str(question(1).getQueue()) == "workq");
  answer(1, [](schema::HookAnswer::Builder a) { a.initNames(1).set(0, "1.head"); });
  BOOST_REQUIRE(answers.size() == 1u);
  BOOST_TEST(schema::str(answers[0].get().getNames()[0]) == "1.head");
}

BOOST_AUTO_TEST_CASE(what_is_not_there_and_what_is_not_told_are_not_the_same) {
  questions.server_is_here();
  ask_for_vnode("n9");
  ask_for_vnode("n8");
  answer(0, [](schema::HookAnswer::Builder a) { a.setNone(); });
  answer(1, [](schema::HookAnswer::Builder a) { a.setRefused("no"); });
  BOOST_TEST(answers.at(0).get().isNone());
  BOOST_TEST(schema::str(answers.at(1).get().getUnknown()) == "no");
}

BOOST_AUTO_TEST_CASE(without_the_server_nobody_is_asked) {
  ask_for_vnode("n9");
  BOOST_REQUIRE(answers.size() == 1u);
  BOOST_TEST(schema::str(answers[0].get().getUnknown()) == "the server is out of this host's reach");
  BOOST_TEST(told.empty());
}

BOOST_AUTO_TEST_CASE(a_question_that_may_wait_is_asked_when_the_server_is_here) {
  ask_for_vnode("n9", true);
  ask_for_vnode("n8", true);
  BOOST_TEST(answers.empty());
  BOOST_TEST(told.empty());
  questions.server_is_here();
  BOOST_REQUIRE(told.size() == 2u);
  BOOST_TEST(schema::str(question(0).getName()) == "n9");
  BOOST_TEST(schema::str(question(1).getName()) == "n8");
  questions.wait_no_longer();  // both are asked
  questions.server_is_here();
  BOOST_TEST(told.size() == 2u);
  answer(1, [](schema::HookAnswer::Builder a) { a.setNone(); });
  BOOST_REQUIRE(answers.size() == 1u);
  BOOST_TEST(answers[0].get().isNone());
}

BOOST_AUTO_TEST_CASE(a_question_that_has_waited_long_enough_is_answered) {
  ask_for_vnode("n9", true);
  questions.wait_no_longer();
  BOOST_REQUIRE(answers.size() == 1u);
  BOOST_TEST(schema::str(answers[0].get().getUnknown()) == "the server is out of this host's reach");
  questions.server_is_here();
  BOOST_TEST(told.empty());
}

BOOST_AUTO_TEST_CASE(an_answer_does_not_come_over_another_connection) {
  questions.server_is_here();
  ask_for_vnode("n9");
  questions.server_is_gone();
  BOOST_REQUIRE(answers.size() == 1u);
  BOOST_TEST(answers[0].get().isUnknown());
  questions.server_is_here();
  ask_for_vnode("n9");
  BOOST_TEST(question(1).getId() > question(0).getId());
  answer(0, [](schema::HookAnswer::Builder a) { a.setNone(); });
  BOOST_TEST(answers.size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_the_server_has_not_is_not_asked_for) {
  questions.server_is_here();
  ask([](protocol::Question::Builder q) { q.setNames(protocol::ObjectKind::MANAGEMENT); });
  ask([](protocol::Question::Builder q) { q.initReleaseNodes().setJob("1.head"); });
  BOOST_REQUIRE(answers.size() == 2u);
  BOOST_TEST(answers[0].get().isNone());
  BOOST_TEST(answers[1].get().isNone());
  BOOST_TEST(told.empty());
}

BOOST_AUTO_TEST_SUITE_END()
