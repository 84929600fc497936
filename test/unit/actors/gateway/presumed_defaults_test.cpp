// A submission is taken when it was made with the default_qsub_arguments that there are.
#include "actors/gateway/jobs/presumed_defaults.hpp"

#include <boost/test/unit_test.hpp>

#include "events/attributes/ids.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;

namespace {

test::request submission(const char* defaults) {
  return test::make_request([&](schema::Request::Builder r) {
    r.setId(7);
    auto job = r.initQueueJob();
    if (defaults) job.setDefaults(defaults);
  });
}

model::settings with_defaults(const std::string& value) {
  auto settings = test::small_settings();
  settings.server.set(attributes::server::default_qsub_arguments, {}, value);
  return settings;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_submission_with_the_defaults_that_there_are_goes_on) {
  BOOST_TEST(!actors::other_defaults(submission("").get(), test::small_settings(), 1).has_value());
  BOOST_TEST(!actors::other_defaults(submission("-m n -r n").get(), with_defaults("-m n -r n"), 1).has_value());
}

BOOST_AUTO_TEST_CASE(one_with_others_is_told_them) {
  const auto told = [](const char* presumed, const model::settings& settings) {
    const auto answer = actors::other_defaults(submission(presumed).get(), settings, 12);
    BOOST_REQUIRE(answer.has_value());
    BOOST_TEST(answer->get().getId() == 7u);
    BOOST_TEST(answer->get().getSequence() == 12u);
    BOOST_REQUIRE(answer->get().isRejected());
    BOOST_TEST(answer->get().getRejected().hasDefaults());
    return schema::str(answer->get().getRejected().getDefaults());
  };
  BOOST_TEST(told("", with_defaults("-m n")) == "-m n");
  BOOST_TEST(told("-m n", with_defaults("-m n -r n")) == "-m n -r n");
  BOOST_TEST(told("-m n", test::small_settings()) == "");
}

BOOST_AUTO_TEST_CASE(one_that_did_not_look_goes_on) {
  BOOST_TEST(!actors::other_defaults(submission(nullptr).get(), with_defaults("-m n"), 1).has_value());
}
