// Which runs of hooks that look on the log says are owed (docs/design/0023-hooks.md).
#include <boost/test/unit_test.hpp>

#include "test/unit/actors/gateway/followed.hpp"

using namespace annals;

BOOST_FIXTURE_TEST_SUITE(owed_looks, test::followed)

BOOST_AUTO_TEST_CASE(a_look_is_owed_from_the_event_until_the_run_is_written_down) {
  const auto h = hook("p", "postqueuejob");
  job(7);
  const auto at = log.last_sequence();
  BOOST_TEST(owed() == "7. at postqueuejob by p; ");
  ran(h, "7.", at + 100);                        // of another event
  BOOST_TEST(owed() == "7. at postqueuejob by p; ");
  ran(h, "7.", at);
  BOOST_TEST(owed() == "");
}

BOOST_AUTO_TEST_CASE(each_hook_that_is_on_owes_its_own_look) {
  hook("a", "queuejob,jobobit");
  hook("b", "jobobit");
  const auto off = hook("c", "jobobit");
  set(off, "enabled", "false");
  const auto stream = job(1);
  BOOST_TEST(owed() == "");
  write(stream, schema::StreamKind::JOB, model::make_event([](auto e) { e.initJobExited(); }));
  BOOST_TEST(owed() == "1. at jobobit by a; 1. at jobobit by b; ");
}

BOOST_AUTO_TEST_CASE(a_hook_that_is_turned_off_or_deleted_owes_nothing) {
  const auto a = hook("a", "postqueuejob"), b = hook("b", "postqueuejob"), c = hook("c", "postqueuejob");
  job(1);
  set(a, "enabled", "false");
  set(b, "event", "jobobit");
  BOOST_TEST(owed() == "1. at postqueuejob by c; ");
  write(c, schema::StreamKind::HOOK, model::make_event([](auto e) { e.initHookDeleted().setName("c"); }));
  BOOST_TEST(owed() == "");
}

BOOST_AUTO_TEST_CASE(a_host_that_comes_up_is_looked_at_vnode_by_vnode) {
  const auto host = write(0, schema::StreamKind::HOST, model::make_event([](auto e) { e.initHostAdded().setName("n1"); }));
  for (const char* vnode : {"n1", "n1[0]"})
    write(host, schema::StreamKind::HOST, model::make_event([&](auto e) { e.initVnodeCreated().setName(vnode); }));
  hook("w", "modifyvnode");
  write(host, schema::StreamKind::HOST, model::make_event([](auto e) { e.initHostCameUp(); }));
  BOOST_TEST(owed() == "n1 at modifyvnode by w; n1[0] at modifyvnode by w; ");
  write(host, schema::StreamKind::HOST, model::make_event([](auto e) { e.initVnodeChanged().setVnode("n1[0]"); }));
  BOOST_TEST(where.owed_looks().size() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
