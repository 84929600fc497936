// What may change the fairshare usage of a scheduler's entities.
#include <boost/test/unit_test.hpp>

#include <limits>

#include "events/model/scheduler/scheduler.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct scheduler {
  model::scheduler_state state;
  model::settings settings = small_settings();
  std::uint64_t sequence = 0;

  scheduler() { when(manage(schema::ManageVerb::CREATE, schema::ObjectKind::SCHEDULER, "s2", {})); }
  std::string when(const model::scheduler_command& c, const model::requester& by = manager()) {
    const auto o = model::decide(state, c, {1'000'000'000'000, by}, settings);
    if (o.accepted())
      for (const auto& e : o.events()) model::apply(state, {++sequence, 1, sequence, 1'000'000'000'000, by}, e.get());
    return said(o);
  }
};

request ask(const std::function<void(schema::Fairshare::Builder)>& fill) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(1);
    fill(r.initFairshare());
  });
}
request set_usage(const std::string& entity, double usage) {
  return ask([&](schema::Fairshare::Builder f) {
    auto s = f.initSet();
    s.setEntity(entity);
    s.setUsage(usage);
  });
}
request decay() {
  return ask([](schema::Fairshare::Builder f) { f.setDecay(); });
}

model::scheduler_said told(const model::fairshare_policy& policy) {
  return {schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
    model::write_fairshare_policy(policy, m.initFairshare());
  })};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fairshare)

BOOST_AUTO_TEST_CASE(managers_set_decay_and_trim_usage) {  // MS-113
  scheduler s;
  BOOST_TEST(s.when(set_usage("user1", 10)) == "fairshareSet");
  BOOST_TEST(s.when(decay()) == "fairshareDecayed");
  BOOST_TEST(s.when(model::trim_fairshare{{"user1", "user2"}}) == "fairshareTrimmed");
  BOOST_TEST(s.when(model::trim_fairshare{}) == "");
  for (const auto& by : {user(), operator_()}) {
    BOOST_TEST(s.when(set_usage("user1", 10), by) == "15007 Unauthorized Request ");
    BOOST_TEST(s.when(decay(), by) == "15007 Unauthorized Request ");
    BOOST_TEST(s.when(model::trim_fairshare{{"user1"}}, by) == "15007 Unauthorized Request ");
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_usage_of_an_entity_is_refused) {
  scheduler s;
  const auto refused = [&](const request& r) { return s.when(r).substr(0, 5) == "15004"; };
  BOOST_TEST(refused(set_usage("", 1)));
  BOOST_TEST(refused(set_usage("two words", 1)));
  BOOST_TEST(refused(set_usage("line\n", 1)));
  BOOST_TEST(refused(set_usage(std::string(model::fairshare_name_chars_max + 1, 'x'), 1)));
  BOOST_TEST(refused(set_usage("user1", -1)));
  BOOST_TEST(refused(set_usage("user1", std::numeric_limits<double>::infinity())));
  BOOST_TEST(refused(set_usage("user1", std::numeric_limits<double>::quiet_NaN())));
  BOOST_TEST(refused(set_usage("user1", 1e31)));
}

BOOST_AUTO_TEST_CASE(many_entities_are_forgotten_by_several_events) {
  scheduler s;
  std::vector<std::string> names(1001, std::string(model::fairshare_name_chars_max, 'n'));
  BOOST_TEST(s.when(model::trim_fairshare{names}) == "fairshareTrimmed fairshareTrimmed fairshareTrimmed");
}

BOOST_AUTO_TEST_CASE(a_policy_is_written_when_it_is_another_one) {
  scheduler s;
  BOOST_TEST(s.when(told({}), the_scheduler()) == "");  // as every scheduler begins
  model::fairshare_policy policy{true, "egroup:euser", "ncpus*walltime", 3600, 0.25};
  BOOST_TEST(s.when(told(policy), the_scheduler()) == "fairsharePolicy");
  BOOST_TEST((s.state.fairshare == policy));
  BOOST_TEST(s.when(told(policy), the_scheduler()) == "");
  policy.on = false;
  BOOST_TEST(s.when(told(policy), the_scheduler()) == "fairsharePolicy");
}

BOOST_AUTO_TEST_CASE(a_policy_by_which_nothing_can_be_counted_is_refused) {
  scheduler s;
  BOOST_TEST(s.when(told({true, "shoe_size", "cput", 1, 0.5}), the_scheduler()).substr(0, 5) == "15004");
  BOOST_TEST(s.when(told({true, "euser", "cput+", 1, 0.5}), the_scheduler()).substr(0, 5) == "15004");
  BOOST_TEST(s.when(told({true, "euser", "cput", 1, 1.5}), the_scheduler()).substr(0, 5) == "15004");
  BOOST_TEST(s.when(told({true, "euser", "cput", 1, std::numeric_limits<double>::quiet_NaN()}), the_scheduler()).substr(0, 5) == "15004");
  BOOST_TEST((s.state.fairshare == model::fairshare_policy{}));
}

BOOST_AUTO_TEST_SUITE_END()
