// Which runs of hooks that look on the log says are owed (docs/design/0023-hooks.md).
#include <boost/test/unit_test.hpp>

#include "actors/gateway/directory.hpp"
#include "events/log/event_log.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;

namespace {

struct fixed_clock : ports::clock {
  std::int64_t now_ns() const override { return 1'795'222'000'000'000'000; }
};

// A directory that follows a log.
struct followed {
  fixed_clock clock;
  log::memory_event_store store;
  log::event_log log{store, clock};
  actors::directory where;

  std::uint64_t write(std::uint64_t stream, schema::StreamKind kind, model::event event, std::uint64_t cause = 0) {
    log::append a;
    a.stream = stream;
    a.kind = kind;
    a.expected_version = log.last_version(stream);
    a.events.push_back(std::move(event));
    a.cause = cause;
    const auto staged = log.stage(std::move(a));
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log.commit(records)));
    for (const auto& r : records) where.fold(*r);
    return std::get<log::staged>(staged).stream;
  }
  std::uint64_t hook(const std::string& name, const std::string& events) {
    const auto stream = write(0, schema::StreamKind::HOOK, model::make_event([&](auto e) { e.initHookCreated().setName(name); }));
    set(stream, "event", events);
    write(stream, schema::StreamKind::HOOK, model::make_event([](auto e) {
            auto i = e.initHookImported();
            i.setContentType(std::string(model::python_content));
            i.initContent().setHash({reinterpret_cast<const kj::byte*>("h"), 1});
          }));
    return stream;
  }
  void set(std::uint64_t hook, const std::string& name, const std::string& value) {
    write(hook, schema::StreamKind::HOOK, model::make_event([&](auto e) {
            auto c = e.initHookChanged().initChanges(1)[0];
            c.setName(name);
            c.setValue(value);
          }));
  }
  std::uint64_t job(std::uint64_t number) {
    return write(0, schema::StreamKind::JOB, model::make_event([&](auto e) {
                   e.initJobQueued().setNumber(number);
                   e.getJobQueued().setId(std::to_string(number) + ".");
                 }));
  }
  void ran(std::uint64_t hook, const std::string& subject, std::uint64_t cause) {
    write(hook, schema::StreamKind::HOOK, model::make_event([&](auto e) { e.initHookRan().setSubject(subject); }), cause);
  }
  std::string owed() const {
    std::string text;
    for (const auto& [look, event] : where.owed_looks())
      text += look.subject + " at " + event->name + " by " + where.hook_states().at(look.hook).name + "; ";
    return text;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(owed_looks, followed)

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
