// The stand-in for hooks that simulations use.
#include <boost/test/unit_test.hpp>

#include "hooks-runtime/pool/fake_hook_runner.hpp"

using namespace annals;
using namespace annals::hooks;

namespace {
hook_run run_of(const char* hook) {
  hook_run r;
  r.request = schema::make<protocol::Request>([&](protocol::Request::Builder b) { b.setHookName(hook); });
  return r;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(fake_runner)

BOOST_AUTO_TEST_CASE(a_hook_answers_when_the_test_says_so) {
  fake_hook_runner runner;
  runner.when("no", [](auto, protocol::Reply::Builder reply) {
    reply.setVerdict(protocol::Verdict::REJECT);
    reply.setMessage("not today");
  });
  sealed_reply got;
  runner.run(run_of("no"), [&](sealed_reply r) { got = r; });
  BOOST_TEST(!got);
  BOOST_TEST(runner.step());
  BOOST_TEST(schema::str(got.get().getMessage()) == "not today");
  BOOST_TEST(!runner.step());
}

BOOST_AUTO_TEST_CASE(a_hook_that_nobody_described_accepts) {
  fake_hook_runner runner;
  sealed_reply got;
  runner.run(run_of("other"), [&](sealed_reply r) { got = r; });
  runner.step();
  BOOST_TEST((got.get().getVerdict() == protocol::Verdict::ACCEPT));
}

BOOST_AUTO_TEST_CASE(code_with_and_without_configuration_is_not_the_same_hook) {
  BOOST_TEST(code_hash("import pbs", std::nullopt) != code_hash("import pbs", ""));
  BOOST_TEST(code_hash("import pbs", "a").size() == 32u);
}

BOOST_AUTO_TEST_SUITE_END()
