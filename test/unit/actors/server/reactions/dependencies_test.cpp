// Jobs that depend on others hear what becomes of these. Jobs with their rules, the reaction, and no actor between them; what they come to
// is compared with what was ever said of each other. docs/design/0054-dependencies.md; pbs guide, qsub, "depend".
#include <map>
#include <random>

#include "actors/server/reactions/all.hpp"
#include "events/log/place.hpp"
#include "events/values/dependency.hpp"
#include "events/values/job_id.hpp"
#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
using values::dependency;
using values::dependency_type;
using told = model::dependency_told;

namespace {

struct jobs : watched<reactions::dependencies> {
  model::settings settings = small_settings();
  std::map<std::uint64_t, model::job_state> all;  // by number
  std::uint64_t next = 1;
  std::uint64_t subjob = 0;  // stream of the last that has begun

  std::string submit(const std::string& depend = "", const std::string& holds = "n", const std::string& indices = "") {
    given_values s{{"Hold_Types", "", holds}};
    if (!depend.empty()) s.push_back({"depend", "", depend});
    if (!indices.empty()) s.push_back({"array_indices_submitted", "", indices});
    const auto number = next++;
    tell(number, submission(number, s), user());
    return std::to_string(number);
  }
  std::string tell(std::uint64_t number, const model::job_command& command, const model::requester& by) {
    auto& job = all[number];
    const auto o = model::decide(job, command, {clock.ns, by}, settings);
    if (!o.accepted() || o.events().empty()) return said(o);
    const auto before = last_sequence();
    const auto serial = base::write(job.serial, o.events());
    std::uint64_t sequence = before;
    for (const auto& e : o.events()) model::apply(job, {++sequence, serial, job.version + 1, clock.ns, by}, e.get());
    if (!o.born.empty()) subjob = base::write(0, o.born);
    return said(o);
  }
  // Every order that is out is carried out, until there is none.
  void settle() {
    for (int rounds = 0; !due().empty(); ++rounds) {
      BOOST_REQUIRE(rounds < 100);
      answer(true);
      for (const auto& given : last) {
        const auto& order = std::get<reactions::tell_job>(given.what->what);
        for (auto& [number, job] : all)
          if (job.serial == order.serial) {
            tell(number, order.command, order.by);
            break;
          }
      }
    }
  }

  // What the MoM of a run says.
  template <class Fill>
  void hears(std::uint64_t number, Fill fill_it) {
    const auto& job = all.at(number);
    auto report = test::report([&](auto m) { fill_it(m, job); });
    if (!job.hosts.empty()) report.host = job.hosts.front();
    tell(number, report, the_server());
  }
  void assign(std::uint64_t number) { tell(number, propose(), the_scheduler()); }
  void start(std::uint64_t number) {
    hears(number, [](auto m, const auto& job) { fill(m.initRunStarted().initRef(), job, job.run); });
  }
  void run(std::uint64_t number) {
    assign(number);
    start(number);
  }
  void end(std::uint64_t number, int status) {
    hears(number, [&](auto m, const auto& job) {
      auto x = m.initRunExited();
      fill(x.initRef(), job, job.run);
      x.setExitStatus(status);
      fill(x.initHosts(1), "borg", measured{});
    });
    hears(number, [](auto m, const auto& job) {
      auto l = m.initRunLeft();
      fill(l.initRef(), job, job.run);
      l.setDelivered(true);
    });
  }
  // Of arrays: a subjob is run, and is over.
  std::string begin(std::uint64_t array, std::uint32_t index) {
    return tell(array, propose_subjob(index), the_scheduler());
  }
  std::string left(std::uint64_t array, std::uint32_t index, bool failed = false) {
    return tell(array, model::subjob_told{.index = index, .run = 1, .failed = failed}, the_server());
  }
  void remove(std::uint64_t number) { tell(number, test::remove(), user()); }

  // "H 22 afterok:1.borg@borg"
  std::string state(std::uint64_t number) const {
    const auto& job = all.at(number);
    const auto depend = model::shown_depend(job);
    return std::string(1, model::state_letter(job)) + " " + std::string(job.attribute(attributes::job::substate)) +
           (depend.empty() ? "" : " ") + depend;
  }
};

std::string after_end(const char* type, int status) {
  jobs j;
  j.submit();
  j.submit(std::string(type) + ":1");
  j.settle();
  j.run(1);
  j.settle();
  j.end(1, status);
  j.settle();
  return j.state(2);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dependencies)

BOOST_AUTO_TEST_CASE(both_show_it_until_it_is_met) {
  jobs j;
  j.submit("", "u");
  j.submit("afterok:1");
  j.settle();
  BOOST_TEST(j.state(1) == "H 20 beforeok:2.borg@borg");
  BOOST_TEST(j.state(2) == "H 22 afterok:1.borg@borg");
  j.tell(1, release({HoldType::USER}), user());
  j.run(1);
  j.settle();
  BOOST_TEST(j.state(2) == "H 22 afterok:1.borg@borg");
  j.end(1, 0);
  j.settle();
  BOOST_TEST(j.state(1) == "F 92 beforeok:2.borg@borg");
  BOOST_TEST(j.state(2) == "Q 10");
}

BOOST_AUTO_TEST_CASE(what_each_type_waits_for) {
  BOOST_TEST(after_end("afterok", 0) == "Q 10");
  BOOST_TEST(after_end("afterok", 1) == "F 92 afterok:1.borg@borg");
  BOOST_TEST(after_end("afternotok", 0) == "F 92 afternotok:1.borg@borg");
  BOOST_TEST(after_end("afternotok", 1) == "Q 10");
  BOOST_TEST(after_end("afterany", 0) == "Q 10");
  BOOST_TEST(after_end("afterany", 1) == "Q 10");
  jobs j;
  j.submit();
  j.submit("after:1");
  j.settle();
  BOOST_TEST(j.state(2) == "H 22 after:1.borg@borg");
  j.assign(1);
  j.settle();
  BOOST_TEST(j.state(2) == "Q 10");
  j.submit("after:1");  // it is on its way already: its host has to say that it started
  j.settle();
  BOOST_TEST(j.state(3) == "H 22 after:1.borg@borg");
  j.start(1);
  j.settle();
  BOOST_TEST(j.state(3) == "Q 10");
  j.submit("after:1");
  j.settle();
  BOOST_TEST(j.state(4) == "Q 10");
}

// Of an array all whose subjobs have ended, the last one so.
std::string after_array(const char* type, bool failed) {
  jobs j;
  j.submit("", "n", "1-2");
  j.submit(std::string(type) + ":1[]");
  j.settle();
  j.begin(1, 1);
  j.begin(1, 2);
  j.left(1, 1);
  j.settle();
  BOOST_TEST(j.state(2) == "H 22 " + std::string(type) + ":1[].borg@borg");
  BOOST_TEST(j.left(1, 2, failed) == "subjobLeft ended");
  j.settle();
  return j.state(2);
}

BOOST_AUTO_TEST_CASE(an_array_is_waited_for_until_its_last_subjob_has_ended) {
  BOOST_TEST(after_array("afterok", false) == "Q 10");
  BOOST_TEST(after_array("afterok", true) == "F 92 afterok:1[].borg@borg");
  BOOST_TEST(after_array("afternotok", false) == "F 92 afternotok:1[].borg@borg");
  BOOST_TEST(after_array("afternotok", true) == "Q 10");
  BOOST_TEST(after_array("afterany", true) == "Q 10");
  jobs j;
  j.submit("", "n", "1-2");
  j.submit("afterok:1[].borg");
  j.settle();
  BOOST_TEST(j.state(1) == "Q 10 beforeok:2.borg@borg");
  BOOST_TEST(j.state(2) == "H 22 afterok:1[].borg@borg");
}

BOOST_AUTO_TEST_CASE(an_array_begins_with_its_first_subjob) {
  jobs j;
  j.submit("", "n", "1-3");
  j.submit("after:1[]");
  j.settle();
  BOOST_TEST(j.state(2) == "H 22 after:1[].borg@borg");
  j.begin(1, 2);
  j.settle();
  BOOST_TEST(j.state(2) == "Q 10");
  j.begin(1, 1);
  BOOST_TEST(j.due() == targets());  // nobody is told a second time
  j.submit("after:1[]");
  j.settle();
  BOOST_TEST(j.state(3) == "Q 10");
}

BOOST_AUTO_TEST_CASE(an_array_waits_for_another_job) {
  jobs j;
  j.submit();
  j.submit("afterok:1", "n", "1-2");
  j.settle();
  BOOST_TEST(j.state(1) == "Q 10 beforeok:2[].borg@borg");
  BOOST_TEST(j.state(2) == "H 22 afterok:1.borg@borg");
  BOOST_TEST(j.begin(2, 1).starts_with("15016 "));
  j.run(1);
  j.end(1, 0);
  j.settle();
  BOOST_TEST(j.state(2) == "Q 10");
  BOOST_TEST(j.begin(2, 1) == "subjobBegan");
}

BOOST_AUTO_TEST_CASE(an_array_that_waits_is_told_of_what_qalter_changed) {
  jobs j;
  j.submit();
  j.submit();
  j.submit("afterok:1", "n", "1-2");
  j.settle();
  j.tell(3, alter({{"depend", "", "afterok:2"}}), user());
  j.settle();
  BOOST_TEST(j.state(2) == "Q 10 beforeok:3[].borg@borg");
  j.run(2);
  j.end(2, 0);
  j.settle();
  BOOST_TEST(j.state(3) == "Q 10");
}

BOOST_AUTO_TEST_CASE(an_array_is_named_with_its_brackets_and_any_other_job_without) {
  jobs j;
  j.submit("", "n", "1-2");
  j.submit();
  for (const auto* depend : {"afterok:1", "after:1", "afterok:2[]", "afterok:9[]"}) {
    const auto waits = std::stoull(j.submit(depend));
    j.settle();
    BOOST_TEST(j.state(waits).starts_with("F 92 "), depend);
  }
  BOOST_TEST(j.state(1) == "Q 10");
  BOOST_TEST(j.state(2) == "Q 10");
}

BOOST_AUTO_TEST_CASE(an_array_that_was_deleted_unbegun_leaves_others_held) {
  jobs j;
  j.submit("", "n", "1-2");
  j.submit("afterok:1[]");
  j.submit("afterany:1[]");
  j.settle();
  j.remove(1);
  j.settle();
  BOOST_TEST(j.state(1).starts_with("F 91"));
  BOOST_TEST(j.state(2) == "H 22 afterok:1[].borg@borg");
  BOOST_TEST(j.state(3) == "H 22 afterany:1[].borg@borg");
}

BOOST_AUTO_TEST_CASE(an_array_that_was_deleted_while_it_ran_has_failed) {
  jobs j;
  j.submit("", "n", "1-2");
  j.submit("afternotok:1[]");
  j.submit("afterok:1[]");
  j.settle();
  j.begin(1, 1);
  j.remove(1);
  j.settle();
  BOOST_TEST(j.state(2) == "H 22 afternotok:1[].borg@borg");
  j.left(1, 1, true);
  j.settle();
  BOOST_TEST(j.state(2) == "Q 10");
  BOOST_TEST(j.state(3) == "F 92 afterok:1[].borg@borg");
}

// Whatever becomes of them: who waits for their array hears nothing before it ends.
BOOST_AUTO_TEST_CASE(subjobs_are_nobodys_dependency) {
  jobs j;
  j.submit("", "n", "1-2");
  j.submit("afterok:1[]");
  j.submit("afterany:1[]");
  j.settle();
  j.begin(1, 1);
  const auto waits = [&] {
    j.settle();
    return j.state(2).starts_with("H 22") && j.state(3).starts_with("H 22");
  };
  static_cast<jobs::base&>(j).write(j.subjob, {model::make_event([](auto e) { e.initJob().initStarted().setRun(1); })});
  BOOST_TEST(waits());
  static_cast<jobs::base&>(j).write(j.subjob, {model::make_event([](auto e) {
                                      auto x = e.initJob().initEnded();
                                      x.setHasExitStatus(true);
                                      x.setExitStatus(1);
                                    })});
  BOOST_TEST(waits());
  j.begin(1, 2);
  static_cast<jobs::base&>(j).write(j.subjob, {model::make_event([](auto e) { e.initJob().initRequeued(); }),
                                               model::make_event([](auto e) { e.initJob().setForgotten(); })});
  BOOST_TEST(waits());
  BOOST_TEST(j.wait() == -1);
}

// Orders that are out when the server dies are owed after it.
BOOST_AUTO_TEST_CASE(what_an_array_owes_is_owed_after_a_crash) {
  jobs j;
  j.submit("", "n", "1-2");
  j.submit("afterany:1[]");
  j.settle();
  j.begin(1, 1);
  j.begin(1, 2);
  j.left(1, 1);
  j.left(1, 2, true);
  const auto owed = j.due();
  BOOST_TEST(owed.size() == 1u);
  j.fold = {};
  j.replay();
  BOOST_TEST(j.due() == owed, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(jobs_that_are_over_or_not_there) {
  jobs j;
  j.submit();
  j.run(1);
  j.end(1, 0);
  for (const auto* depend : {"afterok:1", "afternotok:1", "afterany:1", "after:1", "afterok:99", "before:1"}) {
    j.submit(depend);
    j.settle();
  }
  BOOST_TEST(j.state(1) == "F 92");
  BOOST_TEST(j.state(2) == "Q 10");
  BOOST_TEST(j.state(3) == "F 92 afternotok:1.borg@borg");
  BOOST_TEST(j.state(4) == "Q 10");
  BOOST_TEST(j.state(5) == "Q 10");
  BOOST_TEST(j.state(6) == "F 92 afterok:99.borg@borg");
  BOOST_TEST(j.state(7) == "F 92 before:1.borg@borg");
}

BOOST_AUTO_TEST_CASE(who_was_deleted_before_it_ran_leaves_others_held) {
  jobs j;
  j.submit();
  j.submit("afterok:1");
  j.submit("afterany:1");
  j.settle();
  j.remove(1);
  j.settle();
  BOOST_TEST(j.state(2) == "H 22 afterok:1.borg@borg");
  BOOST_TEST(j.state(3) == "H 22 afterany:1.borg@borg");
  j.submit("afterok:1");  // that one never will be
  j.settle();
  BOOST_TEST(j.state(4) == "F 92 afterok:1.borg@borg");
}

BOOST_AUTO_TEST_CASE(a_chain_ends_with_its_first_job) {
  jobs j;
  j.submit();
  j.submit("afterok:1");
  j.submit("afterok:2");
  j.submit("afternotok:2");
  j.settle();
  j.run(1);
  j.end(1, 1);
  j.settle();
  BOOST_TEST(j.state(2).starts_with("F 92"));
  BOOST_TEST(j.state(3).starts_with("F 92"));
  BOOST_TEST(j.state(4) == "Q 10");
}

BOOST_AUTO_TEST_CASE(jobs_that_come_before_another) {
  jobs j;
  j.submit("on:2");
  j.submit("beforeok:1", "u");
  j.submit("beforeany:1", "u");
  j.settle();
  BOOST_TEST(j.state(1) == "H 22 afterok:2.borg@borg,afterany:3.borg@borg");
  BOOST_TEST(j.state(2) == "H 20 beforeok:1.borg@borg");
  j.submit("beforeok:1", "u");  // one more than it counts: nothing waits for it
  j.settle();
  BOOST_TEST(j.state(1) == "H 22 afterok:2.borg@borg,afterany:3.borg@borg");
  for (const std::uint64_t n : {2, 3}) {
    j.tell(n, release({HoldType::USER}), user());
    j.run(n);
    j.end(n, 0);
  }
  j.settle();
  BOOST_TEST(j.state(1) == "Q 10");
}

BOOST_AUTO_TEST_CASE(after_qalter_the_new_ones_count) {
  jobs j;
  j.submit();
  j.submit();
  j.submit("afterok:1");
  j.settle();
  j.tell(3, alter({{"depend", "", "afterok:2"}}), user());
  j.settle();
  j.run(1);
  j.end(1, 1);
  j.settle();
  BOOST_TEST(j.state(3) == "H 22 afterok:2.borg@borg");
  BOOST_TEST(j.state(2) == "Q 10 beforeok:3.borg@borg");
  j.run(2);
  j.end(2, 0);
  j.settle();
  BOOST_TEST(j.state(3) == "Q 10");
}

// An end is for ever: told again, it finds its entry gone. A start is not: the job may wait again.
BOOST_AUTO_TEST_CASE(only_what_an_end_means_needs_no_command_id) {
  jobs j;
  j.submit();
  for (const char* type : {"afterok:1", "afternotok:1", "after:1"}) j.submit(type);
  const auto carry_out = [&] {
    std::string came;
    for (const auto& o : j.last) {
      const auto& order = std::get<reactions::tell_job>(o.what->what);
      for (const auto& [number, job] : j.all)
        if (job.serial == order.serial) came += j.tell(number, order.command, order.by) + ".";
    }
    return came;
  };
  (void)j.due();
  BOOST_TEST(j.last.size() == 3u);
  for (const auto& o : j.last) BOOST_TEST(o.command_id.size() == 16u);  // that it is waited for
  (void)carry_out();
  j.run(1);
  (void)j.due();
  BOOST_TEST(j.last.size() == 1u);
  for (const auto& o : j.last) BOOST_TEST(o.command_id.size() == 16u);
  (void)carry_out();
  j.end(1, 0);
  (void)j.due();
  BOOST_TEST(j.last.size() == 2u);
  for (const auto& o : j.last) BOOST_TEST(o.command_id == "");
  BOOST_TEST(carry_out() == "altered.ended.");
  BOOST_TEST(carry_out() == "..");
  BOOST_TEST(j.state(2) == "Q 10");
  BOOST_TEST(j.state(3) == "F 92 afternotok:1.borg@borg");
}

// While some are written others are decided; when half of them are done as many follow, so that they go to the log many at a time.
BOOST_AUTO_TEST_CASE(of_a_fan_some_thousands_are_told_at_once) {
  jobs j;
  j.submit();
  for (int i = 0; i < 6200; ++i) j.submit("afterany:1");
  j.settle();
  j.run(1);
  j.end(1, 1);
  BOOST_TEST(j.due().size() == 4096u);
  BOOST_TEST(j.due().empty());
  const told met{told::what::met, {dependency_type::afterany, "1.borg@borg"}};
  std::uint64_t number = 2;
  for (int i = 0; i < 2047; ++i) j.tell(number++, met, the_server());
  BOOST_TEST(j.due().empty());
  j.tell(number++, met, the_server());
  BOOST_TEST(j.due().size() == 2048u);
}

BOOST_AUTO_TEST_CASE(who_waits_for_a_job_again_is_shown_once_and_asks_no_more) {
  jobs j;
  j.submit();
  j.submit("afterok:1");
  j.settle();
  for (const auto* depend : {"afterany:1", "afterok:1"}) {
    j.tell(2, alter({{"depend", "", depend}}), user());
    j.settle();
  }
  BOOST_TEST(j.state(1) == "Q 10 beforeok:2.borg@borg,beforeany:2.borg@borg");
  j.later(60);
  BOOST_TEST(j.due() == targets());
}

BOOST_AUTO_TEST_CASE(what_was_not_told_before_a_crash_is_told_after_it) {
  jobs j;
  j.submit();
  for (int i = 0; i < 3; ++i) j.submit("afterok:1");
  j.run(1);
  j.end(1, 0);
  const auto owed = j.due();
  BOOST_TEST(owed.size() == 3u);  // nobody has to be told any more who waits
  j.fold = decltype(j.fold)();
  j.replay();
  BOOST_TEST(j.due() == owed);
  j.fold = decltype(j.fold)();  // and once more
  j.replay();
  j.settle();
  for (const std::uint64_t n : {2, 3, 4}) BOOST_TEST(j.state(n) == "Q 10");
}

BOOST_AUTO_TEST_CASE(of_a_set_one_runs) {
  jobs j;
  j.submit();
  j.submit("runone:1");
  j.submit("runone:1");
  j.settle();
  BOOST_TEST(j.state(1) == "Q 10 runone:2.borg@borg:3.borg@borg");
  BOOST_TEST(j.state(2) == "Q 10 runone:1.borg@borg:3.borg@borg");
  BOOST_TEST(j.state(3) == "Q 10 runone:1.borg@borg:2.borg@borg");
  j.run(2);
  j.settle();
  BOOST_TEST(j.state(1) == "H 20 runone:2.borg@borg:3.borg@borg");
  BOOST_TEST(j.state(3) == "H 20 runone:1.borg@borg:2.borg@borg");
  j.submit("runone:3");
  j.settle();
  BOOST_TEST(j.state(4) == "H 20 runone:3.borg@borg:1.borg@borg:2.borg@borg");
  j.end(2, 1);
  j.settle();
  BOOST_TEST(j.state(1) == "F 92 runone:2.borg@borg:3.borg@borg:4.borg@borg");
  BOOST_TEST(j.state(2) == "F 93 runone:1.borg@borg:3.borg@borg:4.borg@borg");
  for (const std::uint64_t n : {3, 4}) BOOST_TEST(j.state(n).starts_with("F 92 "));
  j.submit("runone:2");
  j.settle();
  BOOST_TEST(j.state(5) == "F 92 runone:2.borg@borg");
}

BOOST_AUTO_TEST_CASE(who_names_a_job_that_runs_is_held) {
  jobs j;
  j.submit();
  j.assign(1);
  j.submit("runone:1");
  j.settle();
  BOOST_TEST(j.state(2) == "H 20 runone:1.borg@borg");
  j.start(1);
  j.end(1, 0);
  j.settle();
  BOOST_TEST(j.state(2) == "F 92 runone:1.borg@borg");
}

BOOST_AUTO_TEST_CASE(one_of_a_set_that_is_queued_again_lets_the_others_go) {
  jobs j;
  j.submit();
  j.submit("runone:1");
  j.settle();
  j.assign(1);
  j.settle();
  BOOST_TEST(j.state(2) == "H 20 runone:1.borg@borg");
  j.hears(1, [](auto m, const auto& job) {
    auto r = m.initRunRefused();
    fill(r.initRef(), job, job.run);
    r.setCode(-3);
  });
  j.hears(1, [](auto m, const auto& job) { fill(m.initRunLeft().initRef(), job, job.run); });
  j.settle();
  BOOST_TEST(j.state(1) == "Q 10 runone:2.borg@borg");
  BOOST_TEST(j.state(2) == "Q 10 runone:1.borg@borg");
}

BOOST_AUTO_TEST_CASE(one_of_a_set_that_is_deleted_is_forgotten_by_the_others) {
  jobs j;
  j.submit();
  j.submit("runone:1");
  j.settle();
  j.remove(2);
  j.settle();
  BOOST_TEST(j.state(1) == "Q 10");
  j.submit("runone:1");
  j.settle();
  BOOST_TEST(j.state(1) == "Q 10 runone:3.borg@borg");
  j.tell(3, alter({{"depend", "", "afterok:1"}}), user());
  j.settle();
  BOOST_TEST(j.state(1) == "Q 10 beforeok:3.borg@borg");
  BOOST_TEST(j.state(3) == "H 22 afterok:1.borg@borg");
}

BOOST_AUTO_TEST_CASE(one_of_a_set_that_is_deleted_is_forgotten_by_who_runs) {
  jobs j;
  j.submit();
  j.submit("runone:1");
  j.submit("runone:1");
  j.settle();
  j.run(1);
  j.settle();
  j.remove(2);
  j.settle();
  BOOST_TEST(j.state(1).ends_with(" runone:3.borg@borg"), j.state(1));
  BOOST_TEST(j.state(3) == "H 20 runone:1.borg@borg");
  j.remove(3);
  j.settle();
  BOOST_TEST(j.state(1).find("runone") == std::string::npos, j.state(1));
}

BOOST_AUTO_TEST_CASE(one_of_a_set_is_run_before_it_heard_who_was_deleted) {
  jobs j;
  j.submit();
  j.submit("runone:1");
  j.settle();
  j.remove(2);
  j.run(1);
  j.settle();
  BOOST_TEST(j.state(1).find("runone") == std::string::npos, j.state(1));
  j.later(60);
  BOOST_TEST(j.due() == targets());
}

BOOST_AUTO_TEST_CASE(of_a_set_that_is_named_anew_one_runs) {
  jobs j;
  j.submit();
  j.submit("runone:1");
  j.submit("runone:2:1");
  j.settle();
  j.later(60);
  BOOST_TEST(j.due() == targets());  // nobody is told what it said itself
  j.tell(2, alter({{"depend", "", "runone:1"}}), user());
  j.settle();
  j.run(2);
  j.settle();
  BOOST_TEST(j.state(3).starts_with("H 20 "));
  j.end(2, 0);
  j.settle();
  for (const std::uint64_t n : {1, 3}) BOOST_TEST(j.state(n).starts_with("F 92 "));
}

BOOST_AUTO_TEST_CASE(who_leaves_a_set_is_held_no_longer) {
  jobs j;
  j.submit();
  j.submit("runone:1");
  j.run(1);
  j.settle();
  BOOST_TEST(j.state(2) == "H 20 runone:1.borg@borg");
  j.tell(2, alter({{"depend", "", "", schema::AttributeOp::UNSET}}), user());
  j.settle();
  BOOST_TEST(j.state(2) == "Q 10");
}

BOOST_AUTO_TEST_CASE(a_hold_of_its_set_outlives_what_else_it_waited_for) {
  jobs j;
  j.submit();
  j.submit();
  j.submit("runone:1,afterok:2");
  j.run(1);
  j.run(2);
  j.settle();
  j.end(2, 0);
  j.settle();
  BOOST_TEST(j.state(3) == "H 20 runone:1.borg@borg");
}

BOOST_AUTO_TEST_CASE(counts_that_qalter_gave_it_are_taken) {
  jobs j;
  j.submit();
  j.tell(1, alter({{"depend", "", "on:1"}}), user());
  j.submit("beforeok:1", "u");
  j.settle();
  BOOST_TEST(j.state(1) == "H 22 afterok:2.borg@borg");
  BOOST_TEST(j.state(2) == "H 20 beforeok:1.borg@borg");
}

BOOST_AUTO_TEST_CASE(run_by_hand_and_queued_again_it_waits_again) {
  jobs j;
  j.submit();
  j.submit("afterok:1");
  j.settle();
  auto by_hand = propose();
  by_hand.scheduler.clear();
  by_hand.asked = true;
  BOOST_TEST(j.tell(2, by_hand, operator_()) == "assigned");
  j.hears(2, [](auto m, const auto& job) {
    auto r = m.initRunRefused();
    fill(r.initRef(), job, job.run);
    r.setCode(-3);
  });
  j.settle();
  BOOST_TEST(j.state(2) == "H 22 afterok:1.borg@borg");
  j.run(1);
  j.end(1, 0);
  j.settle();
  BOOST_TEST(j.state(2) == "Q 10");
}

BOOST_AUTO_TEST_CASE(what_is_left_of_an_array_waits_when_a_subjob_was_run_by_hand) {
  jobs j;
  j.submit();
  j.submit();
  j.submit("afterok:1:2", "n", "1-3");
  j.settle();
  j.tell(3, release({HoldType::SYSTEM}), manager());
  BOOST_TEST(j.begin(3, 1) == "subjobBegan");
  BOOST_TEST(j.tell(3, alter({{"depend", "", "afterok:2"}}), user()).starts_with("15015 "));
  j.tell(3, hold({HoldType::SYSTEM}), manager());
  for (const std::uint64_t n : {1, 2}) {
    j.run(n);
    j.end(n, 0);
    j.settle();
  }
  BOOST_TEST(j.state(3) == "B 70");
}

// A random program. After each step every job is where the whole story, looked at anew, says that it must be.
namespace {

struct story : jobs {
  struct moment {
    std::uint64_t job;
    enum what { submitted,
                assigned,
                started,
                ended,
                deleted,
                aborted } is;
    int status = 0;
  };
  std::vector<moment> past;
  std::map<std::uint64_t, std::pair<std::size_t, std::vector<dependency>>> waits;  // since when, for what

  // What the past has said of an entry: 1 met, -1 it can't be, 0 nothing yet.
  int verdict(std::size_t since, const dependency& d) const {
    using t = dependency_type;
    const auto other = std::stoull(d.job);
    enum { none,
           waiting,
           on_its_way,
           seen,
           good,
           bad,
           never } is = none;
    const auto judged = [&](bool late) {
      if (d.type == t::afterany) return 1;
      if (d.type == t::afterok) return is == good ? 1 : -1;
      if (d.type == t::afternotok) return is == good ? -1 : 1;
      return late && is != never ? 1 : -1;
    };
    for (std::size_t i = 0; i < past.size(); ++i) {
      if (i == since) {
        if (is == none) return -1;
        if (is >= good) return judged(true);
        if (is == seen && d.type == t::after) return 1;
      }
      const auto& m = past[i];
      if (m.job != other) continue;
      if (m.is == moment::submitted) is = waiting;
      if (m.is == moment::assigned) is = on_its_way;
      if (m.is == moment::started) is = seen;
      if (m.is == moment::ended) is = m.status == 0 ? good : bad;
      if (m.is == moment::deleted || m.is == moment::aborted) is = never;
      if (i < since) continue;
      if (d.type == t::after && (is == on_its_way || is == seen)) return 1;
      if (m.is == moment::deleted) return 0;  // before it ran: nobody is told
      if (is >= good) return judged(false);
    }
    return 0;
  }

  // Whoever can't go on any more is aborted, which may end others.
  void note_aborted() {
    for (bool more = true; more;) {
      more = false;
      for (const auto& [number, w] : waits) {
        const bool over =
            std::any_of(past.begin(), past.end(), [n = number](const auto& m) { return m.job == n && m.is > moment::submitted; });
        if (over || std::none_of(w.second.begin(), w.second.end(), [&](const auto& d) { return verdict(w.first, d) < 0; })) continue;
        past.push_back({number, moment::aborted});
        more = true;
      }
    }
  }

  void check() {
    note_aborted();
    for (const auto& [number, job] : all) {
      char expected = 'Q';
      if (const auto w = waits.find(number); w != waits.end())
        for (const auto& d : w->second.second)
          if (verdict(w->second.first, d) == 0) expected = 'H';
      for (const auto& m : past) {
        if (m.job != number) continue;
        if (m.is == moment::assigned || m.is == moment::started) expected = 'R';
        if (m.is >= moment::ended) expected = 'F';
      }
      BOOST_TEST(model::state_letter(job) == expected, "job " << number << " " << state(number) << ", not " << expected);
    }
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(random_programs_come_to_what_their_story_says) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const auto any = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
    story s;
    for (int step = 0; step < 60; ++step) {
      BOOST_TEST_CONTEXT("seed " << seed << " step " << step) {
        const auto number = s.next > 1 ? 1 + any(static_cast<unsigned>(s.next - 1)) : 0;
        const auto* job = number ? &s.all.at(number) : nullptr;
        if (!job || any(3) == 0) {
          std::string depend;
          const auto entries = s.next > 1 ? any(4) : 0;
          for (unsigned i = 0; i < entries; ++i)
            depend += (i ? "," : "") + std::string(values::name_of(static_cast<dependency_type>(any(4)))) + ":" +
                      std::to_string(1 + any(static_cast<unsigned>(s.next + 1)));
          const auto self = s.next;
          const bool itself = depend.find(":" + std::to_string(self)) != std::string::npos;
          if (itself) continue;  // the ledger's affair
          s.submit(depend);
          s.waits[self] = {s.past.size(), values::parse_dependencies(depend).value_or(std::vector<dependency>())};
          s.past.push_back({self, story::moment::submitted});
        } else if (job->phase == job_phase::queued && any(2)) {
          s.assign(number);
          s.past.push_back({number, story::moment::assigned});
        } else if (job->phase == job_phase::assigned) {
          s.start(number);
          s.past.push_back({number, story::moment::started});
        } else if (job->phase == job_phase::started) {
          const int status = any(3) == 0;
          s.end(number, status);
          s.past.push_back({number, story::moment::ended, status});
        } else if (job->phase < job_phase::assigned && any(8) == 0) {
          s.remove(number);
          s.past.push_back({number, story::moment::deleted});
        } else continue;
        s.settle();
        s.check();
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
