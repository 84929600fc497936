// What the gateway answers itself: default_qsub_arguments, and nothing else.
#include "actors/gateway/settings_answer.hpp"

#include <boost/test/unit_test.hpp>

#include "events/attributes/ids.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;

namespace {

namespace ids = attributes::server;

test::request stat_of(schema::ObjectKind kind, const std::vector<attributes::attribute_id>& wanted, const std::string& name = "") {
  return test::make_request([&](schema::Request::Builder r) {
    r.setId(7);
    auto stat = r.initStat();
    stat.setKind(kind);
    if (!name.empty()) stat.initNames(1).set(0, name);
    auto list = stat.initWanted(static_cast<unsigned>(wanted.size()));
    for (unsigned i = 0; i < wanted.size(); ++i) list.set(i, wanted[i]);
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(qsub_hears_its_default_arguments_from_the_gateway) {
  auto settings = test::small_settings();
  const auto asked = stat_of(schema::ObjectKind::SERVER, {ids::default_qsub_arguments});
  for (const std::string value : {"", "-m n -r n"}) {
    if (!value.empty()) settings.server.set(ids::default_qsub_arguments, {}, value);
    const auto answer = actors::answer_from_settings(asked.get(), settings, 12);
    BOOST_REQUIRE(answer.has_value());
    BOOST_TEST(answer->get().getId() == 7u);
    BOOST_TEST(answer->get().getSequence() == 12u);
    const auto objects = answer->get().getObjects();
    BOOST_TEST(objects.getLast());
    BOOST_REQUIRE(objects.getObjects().size() == 1u);
    BOOST_TEST(schema::str(objects.getObjects()[0].getName()) == settings.server_name);
    const auto packed = objects.getObjects()[0].getAttributes();
    const auto row = attributes::attribute_set::from_packed({reinterpret_cast<const char*>(packed.begin()), packed.size()});
    BOOST_REQUIRE(row.has_value());
    BOOST_TEST(row->get(ids::default_qsub_arguments).value_or("") == value);
  }
}

BOOST_AUTO_TEST_CASE(every_other_question_is_the_status_actors) {
  const auto settings = test::small_settings();
  const auto answered = [&](const test::request& r) { return actors::answer_from_settings(r.get(), settings, 1).has_value(); };
  BOOST_TEST(!answered(stat_of(schema::ObjectKind::SERVER, {})));
  BOOST_TEST(!answered(stat_of(schema::ObjectKind::SERVER, {ids::default_queue})));
  BOOST_TEST(!answered(stat_of(schema::ObjectKind::SERVER, {ids::default_qsub_arguments, ids::default_queue})));
  BOOST_TEST(!answered(stat_of(schema::ObjectKind::SERVER, {ids::default_qsub_arguments}, "borg")));
  BOOST_TEST(!answered(stat_of(schema::ObjectKind::QUEUE, {ids::default_qsub_arguments})));
  const auto past = test::make_request([](schema::Request::Builder r) {
    auto stat = r.initStat();
    stat.setKind(schema::ObjectKind::SERVER);
    stat.initWanted(1).set(0, ids::default_qsub_arguments);
    stat.initAt().setSequence(3);
  });
  BOOST_TEST(!answered(past));
}
