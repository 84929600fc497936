// Requests that are sound Cap'n Proto and no requests of ours (a number where a text is expected): whoever sends one loses his
// connection or is refused, and the server answers everybody else.
#include <boost/test/unit_test.hpp>

#include <capnp/any.h>

#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using server = test::whole_server;

// A list of numbers in place of whatever the struct's n-th pointer is.
template <class Builder>
void spoil(Builder b, unsigned n = 0) {
  capnp::toAny(b).getPointerSection()[n].template initAs<capnp::List<std::uint64_t>>(3);
}

schema::Reply::Reader reply_to(const test::fake_peer& peer) { return peer.sent.at(0).root<schema::Reply>(); }
bool turned_away(const test::fake_peer& peer) { return !peer.closed.empty() || (peer.sent.size() == 1 && reply_to(peer).isRejected()); }

bool answers_others(server& s) {
  const auto peer = s.ask([](schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::SERVER); });
  return peer->closed.empty() && !peer->sent.empty();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_request_that_can_not_be_read_harms_nobody_else) {
  server s;
  BOOST_TEST(turned_away(*s.ask([](schema::Request::Builder r) { spoil(r.initRunJob()); })));
  BOOST_TEST(answers_others(s));
  BOOST_TEST(turned_away(*s.ask([](schema::Request::Builder r) { spoil(r.initOrderJobs()); })));
  BOOST_TEST(answers_others(s));
  BOOST_TEST(turned_away(*s.ask([](schema::Request::Builder r) { spoil(r.initWaitJob()); })));
  BOOST_TEST(answers_others(s));
  BOOST_TEST(turned_away(*s.ask([](schema::Request::Builder r) { spoil(r.initDeleteJob()); })));
  BOOST_TEST(answers_others(s));
  for (int i = 0; i < 5; ++i) {
    BOOST_TEST(turned_away(*s.ask([](schema::Request::Builder r) { spoil(r.initQueueJob()); })));
    BOOST_TEST(answers_others(s));
  }
}

BOOST_AUTO_TEST_CASE(an_object_is_not_blamed_for_requests_that_can_not_be_read) {
  server s;
  const auto submitter = s.ask([](schema::Request::Builder r) {
    r.initQueueJob().setSubmitHost("borg");
    auto list = r.getQueueJob().initAttributes(1);
    list[0].setName("Job_Name");
    list[0].setValue("one");
  },
                               "alice");
  const auto id = reply_to(*submitter);
  BOOST_REQUIRE(id.isDone());
  for (int i = 0; i < 5; ++i) {
    const auto peer = s.ask([&](schema::Request::Builder r) {
      auto a = r.initAlterJob();
      a.setJob(id.getDone());
      spoil(a.initChanges(1)[0]);
    });
    BOOST_TEST(turned_away(*peer));
  }
  BOOST_TEST(answers_others(s));
}
