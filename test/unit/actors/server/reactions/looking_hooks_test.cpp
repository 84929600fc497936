// Which runs of hooks that look on are owed (docs/design/0023-hooks.md).
#include <boost/test/unit_test.hpp>

#include "events/values/job_id.hpp"
#include "test/unit/actors/server/reactions/watched_hooks.hpp"

using namespace annals;
using test::targets;

namespace {

struct looked_at : test::watched_hooks<reactions::looking_hooks> {
  std::uint64_t job(std::uint64_t number) {
    return write(0, model::make_event([&](auto e) {
                   auto q = e.initJob().initQueued();
                   q.setId(values::id_of_number(number, "borg"));
                   q.setNumber(number);
                 }));
  }
  std::uint64_t array(std::uint64_t number) {
    return write(0, model::make_event([&](auto e) {
                   auto q = e.initJob().initQueued();
                   q.setId(values::array_id(number, "borg"));
                   q.setNumber(number);
                   q.setIndices("1-9");
                 }));
  }
  // What goes out now: "7.borg at postqueuejob by a,b; ".
  std::string looks() {
    std::string text;
    due();
    for (std::size_t i = 0; i < last.size(); ++i) {
      const auto& look = ordered<reactions::run_looking_hooks>(i);
      text += look.subject + " at " + look.event->name + " by";
      for (const auto& h : look.hooks) text += " " + h;
      text += "; ";
    }
    return text;
  }
  // Everything that is owed, as after a restart: a reaction that folds the same log from its beginning.
  std::string owed() {
    fold = {};
    replay();
    return looks();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(looking_hooks, looked_at)

BOOST_AUTO_TEST_CASE(a_look_is_owed_from_the_event_until_the_run_is_written_down) {
  const auto h = hook("p", "postqueuejob");
  job(7);
  const auto at = last_sequence();
  BOOST_TEST(looks() == "7.borg at postqueuejob by p; ");
  BOOST_TEST(ordered<reactions::run_looking_hooks>().sequence == at);
  BOOST_TEST(looks() == "");  // it runs
  ran(h, "7.borg", at - 1);   // of another event
  BOOST_TEST(owed() == "7.borg at postqueuejob by p; ");
  ran(h, "7.borg", at);
  BOOST_TEST(owed() == "");
}

BOOST_AUTO_TEST_CASE(a_look_that_could_not_be_written_is_had_again_and_one_that_was_done_is_not) {
  hook("p", "postqueuejob");
  job(7);
  BOOST_TEST(looks() == "7.borg at postqueuejob by p; ");
  later(3600);  // a slow script
  BOOST_TEST(looks() == "");
  answer(true);
  later(3600);
  BOOST_TEST(looks() == "");
  BOOST_TEST(owed() == "7.borg at postqueuejob by p; ");
  answer(false);  // the disk is full
  BOOST_TEST(wait() == 1);
  BOOST_TEST(looks() == "");
  fold.set.try_again();  // it has space again
  BOOST_TEST(looks() == "7.borg at postqueuejob by p; ");
}

BOOST_AUTO_TEST_CASE(each_hook_that_is_on_owes_its_own_look) {
  const auto a = hook("a", "queuejob,jobobit");
  hook("b", "jobobit");
  const auto off = hook("c", "jobobit");
  set_hook(off, "enabled", "false");
  const auto stream = job(1);
  BOOST_TEST(looks() == "");
  write(stream, model::make_event([](auto e) { e.initJob().initExited(); }));
  const auto at = last_sequence();
  BOOST_TEST(looks() == "1.borg at jobobit by a b; ");
  ran(a, "1.borg", at);
  BOOST_TEST(looks() == "");
  BOOST_TEST(owed() == "1.borg at jobobit by b; ");
}

BOOST_AUTO_TEST_CASE(an_array_and_its_subjobs_are_looked_at_by_their_ids) {
  const auto h = hook("p", "postqueuejob");
  array(12);
  const auto queued = last_sequence();
  BOOST_TEST(looks() == "12[].borg at postqueuejob by p; ");
  ran(h, "12[].borg", queued);
  BOOST_TEST(owed() == "");
  set_hook(h, "event", "jobobit");
  const auto subjob = job(values::subjob_number(12, 3));
  BOOST_TEST(looks() == "");
  write(subjob, model::make_event([](auto e) { e.initJob().initExited(); }));
  const auto exited = last_sequence();
  BOOST_TEST(looks() == "12[3].borg at jobobit by p; ");
  ran(h, "12[].borg", exited);  // of another subject
  BOOST_TEST(owed() == "12[3].borg at jobobit by p; ");
  ran(h, "12[3].borg", exited);
  BOOST_TEST(owed() == "");
}

BOOST_AUTO_TEST_CASE(a_hook_that_is_turned_off_or_deleted_owes_nothing) {
  const auto a = hook("a", "postqueuejob"), b = hook("b", "postqueuejob"), c = hook("c", "postqueuejob");
  job(1);
  set_hook(a, "enabled", "false");
  set_hook(b, "event", "jobobit");
  BOOST_TEST(owed() == "1.borg at postqueuejob by c; ");
  delete_hook(c);
  BOOST_TEST(owed() == "");
}

BOOST_AUTO_TEST_CASE(a_host_that_comes_up_is_looked_at_vnode_by_vnode) {
  const auto n1 = host("n1");
  for (const char* vnode : {"n1", "n1[0]"})
    write(n1, model::make_event([&](auto e) { e.initHost().initVnodeCreated().setName(vnode); }));
  hook("w", "modifyvnode");
  up(n1);
  BOOST_TEST(looks() == "n1 at modifyvnode by w; n1[0] at modifyvnode by w; ");
  write(n1, model::make_event([](auto e) { e.initHost().initVnodeChanged().setVnode("n1[0]"); }));
  BOOST_TEST(looks() == "n1[0] at modifyvnode by w; ");
}

BOOST_AUTO_TEST_CASE(of_a_reservation_its_confirmation_and_each_window_are_looked_at) {
  hook("c", "resv_confirm");
  hook("b", "resv_begin");
  hook("e", "resv_end");
  const auto make = [&](auto fill, std::uint64_t stream = 0) {
    return write(stream, model::make_event([&](auto e) { fill(e.initReservation()); }));
  };
  const auto r = make([](auto e) { e.initSubmitted().setId("S5"); });
  BOOST_TEST(looks() == "");
  make([](auto e) { e.initConfirmed(); }, r);
  BOOST_TEST(looks() == "S5.borg at resv_confirm by c; ");
  for (unsigned window : {1u, 2u}) {
    make([&](auto e) { e.initOccurrenceBegan().setIndex(window); }, r);
    BOOST_TEST(looks() == "S5.borg at resv_begin by b; ");
    make([&](auto e) { e.initOccurrenceEnded().setIndex(window); }, r);
    BOOST_TEST(looks() == "S5.borg at resv_end by e; ");
  }
  make([](auto e) { e.initDeleteRequested(); }, r);
  BOOST_TEST(looks() == "S5.borg at resv_end by e; ");
  make([](auto e) { e.setEnded(); }, r);
  BOOST_TEST(looks() == "");
}

BOOST_AUTO_TEST_CASE(a_reservation_that_never_had_a_place_has_no_end_to_look_at) {
  hook("e", "resv_end");
  for (const bool denied : {true, false}) {
    const auto r = write(0, model::make_event([](auto e) { e.initReservation().initSubmitted().setId("R5"); }));
    write(r, model::make_event([&](auto e) {
            if (denied) e.initReservation().initDenied();
            else e.initReservation().initDeleteRequested();
          }));
    BOOST_TEST(looks() == "");
  }
}

BOOST_AUTO_TEST_CASE(a_checkpoint_with_a_look_at_an_unknown_event_is_refused) {
  hook("p", "postqueuejob");
  job(7);
  auto bytes = test::stored_bytes(fold);
  const std::string event = "postqueuejob";
  bytes.replace(bytes.rfind(event), event.size(), "postqueueJOB");
  const auto says_so = [](const stored::state_unreadable& e) {
    return std::string(e.what()) == "a state names a hook event that is not known";
  };
  BOOST_CHECK_EXCEPTION(stored::restore_whole(bytes, fold), stored::state_unreadable, says_so);
}

BOOST_AUTO_TEST_SUITE_END()
