// What hooks on hosts ask of the server, and what they are told (docs/design/0023-hooks.md).
#include "actors/gateway/hooks/mom_hook_questions.hpp"

#include <boost/test/unit_test.hpp>

using namespace annals;
using namespace annals::actors;
using schema::ObjectKind;

namespace {

struct question {
  ObjectKind kind;
  std::string name = {};
  bool names_only = false;
  std::string queue = {};
};
schema::sealed<schema::HookQuestion> make(const question& q) {
  return schema::make<schema::HookQuestion>([&](schema::HookQuestion::Builder to) {
    to.setId(7);
    to.setKind(q.kind);
    to.setName(q.name);
    to.setNamesOnly(q.names_only);
    to.setQueue(q.queue);
  });
}

std::string view_of(const question& q) {
  const auto view = view_asked(make(q).get(), 42);
  if (!view) return "none";
  const auto stat = view->get().getStat();
  std::string text = "at " + std::to_string(stat.getAt().getSequence());
  for (auto name : stat.getNames()) text += " " + schema::str(name);
  if (stat.getQueue().size() > 0) text += " of " + schema::str(stat.getQueue());
  BOOST_TEST((stat.getKind() == q.kind));
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(questions_of_hosts_hooks)

BOOST_AUTO_TEST_CASE(an_object_is_asked_for_by_name_and_the_server_without_one) {
  for (const auto kind : {ObjectKind::NODE, ObjectKind::JOB, ObjectKind::QUEUE, ObjectKind::RESERVATION, ObjectKind::SCHEDULER}) {
    BOOST_TEST(view_of({kind, "x"}) == "at 42 x");
    BOOST_TEST(view_of({kind}) == "none");
    BOOST_TEST(view_of({kind, "x", true}) == "at 42");
  }
  BOOST_TEST(view_of({ObjectKind::SERVER}) == "at 42");
  BOOST_TEST(view_of({ObjectKind::JOB, "", true, "workq"}) == "at 42 of workq");
  BOOST_TEST(view_of({ObjectKind::JOB, "1.head", false, "workq"}) == "at 42 1.head");
}

BOOST_AUTO_TEST_CASE(hooks_and_resources_are_none_of_a_hosts_business) {
  for (const auto kind : {ObjectKind::HOOK, ObjectKind::RESOURCE, static_cast<ObjectKind>(999)}) {
    BOOST_TEST(view_of({kind, "h"}) == "none");
    BOOST_TEST(view_of({kind, "", true}) == "none");
  }
  BOOST_TEST(!anybody_on("n1").is_operator());
}

BOOST_AUTO_TEST_CASE(the_answer_has_the_object_or_the_names) {
  const hook_objects found{{hooks::protocol::ObjectKind::VNODE, "n1", {{"resources_available", "ncpus", "8"}}},
                           {hooks::protocol::ObjectKind::VNODE, "n2", {}}};
  const auto one = answer_to(make({ObjectKind::NODE, "n1"}).get(), found);
  const auto object = one.get().getHookAnswer();
  BOOST_TEST(object.getId() == 7u);
  BOOST_REQUIRE(object.isObject());
  BOOST_TEST(schema::str(object.getObject().getName()) == "n1");
  BOOST_REQUIRE(object.getObject().getAttributes().size() == 1u);
  BOOST_TEST(schema::str(object.getObject().getAttributes()[0].getResource()) == "ncpus");
  BOOST_TEST(schema::str(object.getObject().getAttributes()[0].getValue()) == "8");
  BOOST_TEST(answer_to(make({ObjectKind::NODE, "n9"}).get(), {}).get().getHookAnswer().isNone());
  const auto all = answer_to(make({ObjectKind::NODE, "", true}).get(), found);
  BOOST_REQUIRE(all.get().getHookAnswer().isNames());
  BOOST_TEST(all.get().getHookAnswer().getNames().size() == 2u);
  BOOST_TEST(schema::str(all.get().getHookAnswer().getNames()[1]) == "n2");
}

BOOST_AUTO_TEST_CASE(what_would_end_the_connection_is_not_sent) {
  const hook_objects many(100, {hooks::protocol::ObjectKind::JOB, std::string(100'000, 'x'), {}});
  const auto answer = answer_to(make({ObjectKind::JOB, "", true}).get(), many);
  BOOST_REQUIRE(answer.get().getHookAnswer().isRefused());
  BOOST_TEST(answer.get().getHookAnswer().getId() == 7u);
}

BOOST_AUTO_TEST_SUITE_END()
