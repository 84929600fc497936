// scheduling and scheduler_iteration on the server and on the default scheduler (MS-26, MS-66).
#include <boost/test/unit_test.hpp>

#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using test::targets;

namespace {

struct mirrored : test::watched<reactions::mirrored_scheduling> {
  std::uint64_t scheduler = created("default");

  std::uint64_t created(const char* name) {
    return write(0, model::make_event([&](auto e) { e.initScheduler().initCreated().setName(name); }));
  }
  void set_scheduler(std::uint64_t of, const char* attribute, const char* value) {
    write(of, model::make_event([&](auto e) {
            auto c = e.initScheduler().initChanged().initChanges(1)[0];
            c.setName(attribute);
            if (value) c.setValue(value);
            else c.setOp(schema::AttributeOp::UNSET);
          }));
  }
  // An order is carried out.
  void carry_out(const reactions::reaction_set::given& given) {
    const auto m = std::get<reactions::manage_object>(given.what->what).request.get().getManage();
    const bool server_is_told = m.getKind() == schema::ObjectKind::SERVER;
    std::vector<model::event> events;
    events.push_back(model::make_event([&](auto e) {
      if (server_is_told) e.initServer().initChanged().setChanges(m.getChanges());
      else e.initScheduler().initChanged().setChanges(m.getChanges());
    }));
    base::write(server_is_told ? server : scheduler, std::move(events), given.what->cause);
  }
  std::string asked() {
    const auto m = ordered<reactions::manage_object>().request.get().getManage();
    const auto c = m.getChanges()[0];
    BOOST_TEST(ordered<reactions::manage_object>().by.is_manager());
    const std::string on = m.getKind() == schema::ObjectKind::SERVER ? "server" : "sched " + schema::str(m.getName());
    const bool unset = c.getOp() == schema::AttributeOp::UNSET;
    BOOST_TEST((m.getVerb() == (unset ? schema::ManageVerb::UNSET : schema::ManageVerb::SET)));
    return on + " " + schema::str(c.getName()) + (unset ? "" : "=" + schema::str(c.getValue()));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mirrored_scheduling, mirrored)

BOOST_AUTO_TEST_CASE(a_new_server_owes_nothing) {
  set_scheduler(scheduler, "scheduling", "True");
  set("default_queue", "workq");
  BOOST_TEST(due() == targets{});
  BOOST_TEST(wait() == -1);
}

BOOST_AUTO_TEST_CASE(what_is_set_on_one_is_set_on_the_other) {
  set("scheduling", "False");
  BOOST_TEST(due() == targets{"scheduler scheduling"});
  BOOST_TEST(asked() == "sched default scheduling=False");
  set_scheduler(scheduler, "scheduling", "False");
  BOOST_TEST(due() == targets{});
  set_scheduler(scheduler, "scheduler_iteration", "60");
  BOOST_TEST(due() == targets{"server scheduler_iteration"});
  BOOST_TEST(asked() == "server scheduler_iteration=60");
  fold = {};
  replay();
  BOOST_TEST(due() == targets{"server scheduler_iteration"});
  later(10);
  BOOST_TEST(due() == targets{"server scheduler_iteration"});
  set("scheduler_iteration", "60");
  BOOST_TEST(due() == targets{});
}

BOOST_AUTO_TEST_CASE(the_last_word_counts) {
  set("scheduling", "False");
  set_scheduler(scheduler, "scheduling", "True");  // both are as one was told; the scheduler was told last
  BOOST_TEST(due() == targets{"server scheduling"});
  BOOST_TEST(asked() == "server scheduling=True");
}

BOOST_AUTO_TEST_CASE(an_order_of_before_does_not_undo_the_last_word) {
  set("scheduling", "False");
  BOOST_TEST(due() == targets{"scheduler scheduling"});
  const auto before = last[0];
  set("scheduling", "True");
  BOOST_TEST(due() == targets{});  // the scheduler is not told yet, so both are as they should be
  carry_out(before);
  BOOST_TEST(due() == targets{"scheduler scheduling"});
  BOOST_TEST(asked() == "sched default scheduling=True");
  carry_out(last[0]);
  BOOST_TEST(due() == targets{});
  fold = {};
  replay();
  BOOST_TEST(due() == targets{});
}

BOOST_AUTO_TEST_CASE(orders_that_cross_end_with_the_last_word_on_both) {
  set("scheduler_iteration", "60");
  BOOST_TEST(due() == targets{"scheduler scheduler_iteration"});
  const auto to_scheduler = last[0];
  set_scheduler(scheduler, "scheduler_iteration", "70");
  BOOST_TEST(due() == targets{"server scheduler_iteration"});
  const auto to_server = last[0];
  carry_out(to_scheduler);
  BOOST_TEST(due() == targets{"scheduler scheduler_iteration"});
  BOOST_TEST(asked() == "sched default scheduler_iteration=70");
  carry_out(last[0]);
  carry_out(to_server);
  BOOST_TEST(due() == targets{});
}

BOOST_AUTO_TEST_CASE(what_is_unset_is_unset) {
  set("scheduler_iteration", nullptr);
  BOOST_TEST(due() == targets{"scheduler scheduler_iteration"});
  BOOST_TEST(asked() == "sched default scheduler_iteration");
}

BOOST_AUTO_TEST_CASE(other_schedulers_have_their_own) {
  set_scheduler(created("night"), "scheduling", "False");
  BOOST_TEST(due() == targets{});
}

BOOST_AUTO_TEST_SUITE_END()
