// An array and its subjobs hear of each other. Jobs with their rules, the reaction, and no actor between them: a random program of runs,
// ends, deletions and reruns is compared with what was ever asked. docs/design/0057-job-arrays.md.
#include <map>
#include <random>
#include <set>

#include "actors/server/reactions/all.hpp"
#include "events/attributes/ids.hpp"
#include "events/log/place.hpp"
#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;

namespace {

struct site : watched<reactions::arrays> {
  model::settings settings = small_settings();
  std::map<std::uint64_t, model::job_state> all;  // by stream

  std::uint64_t submit(const std::string& indices) {
    model::job_state none;
    const auto o = model::decide(none, submission(12, {{"array_indices_submitted", "", indices}}), {clock.ns, user()}, settings);
    BOOST_REQUIRE(o.accepted());
    return take(0, o.events(), user());
  }
  std::uint64_t take(std::uint64_t stream, const std::vector<model::event>& events, const model::requester& by) {
    auto sequence = last_sequence();
    const auto serial = base::write(stream, events, 0, {by.user, by.host, by.role});
    auto& job = all[serial];
    for (const auto& e : events) model::apply(job, {++sequence, serial, job.version + 1, clock.ns, by}, e.get());
    return serial;
  }
  std::string tell(std::uint64_t stream, const model::job_command& command, const model::requester& by) {
    const auto o = model::decide(all.at(stream), command, {clock.ns, by}, settings);
    if (!o.accepted() || o.events().empty()) return said(o);
    take(stream, o.events(), by);
    if (!o.born.empty()) take(0, o.born, by);
    return said(o);
  }
  // Every order that is out is carried out, until there is none.
  void settle() {
    for (int rounds = 0; !due().empty(); ++rounds) {
      BOOST_REQUIRE(rounds < 200);
      const auto given = last;
      answer(true);
      for (const auto& g : given) {
        const auto& order = std::get<reactions::tell_job>(g.what->what);
        tell(order.serial, order.command, order.by);
      }
    }
  }
  std::string run(std::uint64_t array, std::uint32_t index) {
    return tell(array, propose_subjob(index), the_scheduler());
  }
  // The newest stream of this subjob; 0: there is none that is not forgotten.
  std::uint64_t subjob(std::uint32_t index) const {
    for (auto at = all.rbegin(); at != all.rend(); ++at)
      if (at->second.is_subjob() && values::index_of(at->second.number) == index)
        return at->second.phase == job_phase::forgotten ? 0 : at->first;
    return 0;
  }
  template <class Fill>
  void hears(std::uint64_t stream, Fill fill_it) {
    const auto& job = all.at(stream);
    auto report = test::report([&](auto m) { fill_it(m, job); });
    report.host = "borg";
    tell(stream, report, the_server());
  }
  void start(std::uint64_t stream) {
    hears(stream, [](auto m, const auto& job) { fill(m.initRunStarted().initRef(), job, job.run); });
  }
  // As its MoM ends it: by the signal that it is owed, if it is owed one.
  void end(std::uint64_t stream, int status) {
    const auto& job = all.at(stream);
    if (job.rerun_requested && !job.delete_requested) status = -11;
    else if (job.delete_requested) status = 271;
    hears(stream, [&](auto m, const auto& j) {
      auto x = m.initRunExited();
      fill(x.initRef(), j, j.run);
      x.setExitStatus(status);
      fill(x.initHosts(1), "borg", measured{});
    });
    hears(stream, [](auto m, const auto& j) {
      auto l = m.initRunLeft();
      fill(l.initRef(), j, j.run);
      l.setDelivered(true);
    });
  }
  template <class Fill>
  std::string ask(std::uint64_t stream, Fill fill_it, const model::requester& by) {
    return tell(stream, model::client_request{make_request(fill_it)}, by);
  }
  std::string remove(std::uint64_t stream, const std::string& id) {
    return ask(
        stream, [&](auto r) { r.initDeleteJob().setJob(id); }, user());
  }
  std::string rerun(std::uint64_t stream, const std::string& id) {
    return ask(
        stream, [&](auto r) { r.initRerunJob().setJob(id); }, operator_());
  }
  const model::array_state& array(std::uint64_t stream) const { return *all.at(stream).array; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(arrays)

BOOST_AUTO_TEST_CASE(what_ends_is_told_to_its_array) {
  site s;
  const auto a = s.submit("1-2");
  s.run(a, 1);
  s.run(a, 2);
  s.settle();
  s.end(s.subjob(1), 0);
  s.settle();
  BOOST_TEST(s.array(a).running.size() == 1u);
  s.end(s.subjob(2), 3);
  s.settle();
  BOOST_TEST(model::state_letter(s.all.at(a)) == 'F');
  BOOST_TEST(s.all.at(a).exit_status == 1);
  BOOST_TEST(s.wait() == -1);
}

BOOST_AUTO_TEST_CASE(a_deletion_is_told_to_those_that_run) {
  site s;
  const auto a = s.submit("1-9");
  s.run(a, 1);
  s.run(a, 2);
  s.remove(a, "12[2-5].borg");
  s.settle();
  BOOST_TEST(!s.all.at(s.subjob(1)).delete_requested);
  BOOST_TEST(s.all.at(s.subjob(2)).delete_requested);
  BOOST_TEST(s.all.at(s.subjob(2)).deleted_by == "user1@borg");
  s.remove(a, "12[].borg");
  s.settle();
  for (const std::uint32_t index : {1u, 2u}) s.end(s.subjob(index), 0);
  s.settle();
  BOOST_TEST(model::state_letter(s.all.at(a)) == 'F');
}

BOOST_AUTO_TEST_CASE(run_again_as_a_whole_those_hear_it_that_run) {
  site s;
  const auto a = s.submit("1-3");
  s.run(a, 1);
  s.end(s.subjob(1), 7);
  s.settle();
  s.run(a, 2);
  s.start(s.subjob(2));
  s.rerun(a, "12[].borg");
  s.settle();
  BOOST_TEST(s.all.at(s.subjob(2)).rerun_requested);
  s.end(s.subjob(2), 0);
  s.settle();
  BOOST_TEST(s.subjob(2) == 0u);
  BOOST_TEST(s.array(a).remaining.print() == "2-3");
  s.run(a, 2);
  BOOST_TEST(s.all.at(s.subjob(2)).run == 2u);
  BOOST_TEST(s.all.at(s.subjob(2)).attribute(attributes::job::run_count) == "2");
}

BOOST_AUTO_TEST_CASE(subjobs_leave_the_history_with_their_array) {
  site s;
  const auto a = s.submit("1-2");
  s.run(a, 1);
  s.end(s.subjob(1), 0);
  s.remove(a, "12[2].borg");
  s.settle();
  BOOST_TEST(model::state_letter(s.all.at(a)) == 'F');
  BOOST_TEST(s.tell(s.subjob(1), model::forget_job{}, the_server()) == "");
  s.clock.ns += 100 * 24 * 3600 * second;
  s.tell(a, model::forget_job{}, the_server());
  s.settle();
  BOOST_TEST(s.subjob(1) == 0u);
}

// Nothing that was asked is forgotten, nothing runs that was deleted, and an array ends when all that it is to run has ended.
BOOST_AUTO_TEST_CASE(any_program_comes_to_an_end) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937 dice(seed);
      const auto one_of = [&](unsigned n) { return static_cast<std::uint32_t>(dice() % n); };
      site s;
      const auto a = s.submit("1-6");
      std::set<std::uint32_t> deleted;
      const auto id = [](std::uint32_t index) { return "12[" + std::to_string(index) + "].borg"; };
      const auto ended = [&] { return s.all.at(a).ended(); };
      for (int step = 0; step < 120 && !ended(); ++step) {
        const auto index = 1 + one_of(6);
        const auto stream = s.subjob(index);
        const bool runs = stream != 0 && s.all.at(stream).running();
        switch (one_of(9)) {
          case 0:
          case 1:
          case 2:
            if (s.run(a, index) == "subjobBegan") BOOST_REQUIRE_MESSAGE(!deleted.contains(index), "a deleted subjob runs");
            break;
          case 3:
            if (runs) s.start(stream);
            break;
          case 4:
          case 5:
            if (runs) s.end(stream, static_cast<int>(one_of(2)));
            break;
          case 6: {
            const auto told = s.remove(runs && one_of(2) ? stream : a, id(index));
            if (told == "subjobsAsked" || told == "subjobsAsked ended" || told == "deleteRequested") deleted.insert(index);
            break;
          }
          case 7:
            if (one_of(4) == 0 && s.rerun(a, "12[].borg") == "subjobsAsked")
              deleted.clear();  // what was deleted returns, too, if it had begun
            else if (runs) s.rerun(stream, id(index));
            break;
          case 8: s.settle(); break;
        }
      }
      s.settle();
      for (int rounds = 0; !ended(); ++rounds) {  // now all of it is run
        BOOST_REQUIRE(rounds < 50);
        for (std::uint32_t index = 1; index <= 6; ++index) {
          s.run(a, index);
          if (const auto stream = s.subjob(index); stream != 0 && s.all.at(stream).running()) s.end(stream, 0);
        }
        s.settle();
      }
      BOOST_TEST(s.array(a).over());
      for (const auto& [stream, job] : s.all) BOOST_TEST(!job.running());
      BOOST_TEST(s.wait() == -1);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
