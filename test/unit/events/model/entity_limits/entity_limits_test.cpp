// Limits of submissions: what is refused with which text, what counts, and that what is kept is what a recount gives. Texts: pbs guide,
// "limits"; the transcript test/conformance/golden/data/limits.txt has all of them once more with a real qsub.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using values::limit_kind;

namespace {

constexpr std::uint64_t server_stream = 1, first_job = 1000;

// A server, queues, a large host, and jobs whose events the ledger is asked for.
struct site {
  model::ledger ledger;
  model::settings settings = small_settings();
  std::vector<std::pair<model::event_place, model::event>> log;
  std::deque<job_story> jobs;
  std::map<std::string, std::uint64_t> queues;
  std::int64_t now_s = 1'795'222'000;

  site() {
    settings.queues["q2"] = settings.queues["workq"];
    for (const auto* name : {"workq", "q2"}) {
      queues[name] = 10 + queues.size();
      write(queues[name], model::make_event([&](auto e) { e.initQueue().initCreated().setName(name); }));
    }
    write(20, model::make_event([](auto e) { e.initHost().initAdded().setName("borg"); }));
    write(20, model::make_event([](auto e) { e.initHost().initVnodeCreated().setName("borg"); }));
    write(20, model::make_event([](auto e) {
            auto v = e.initHost().initCameUp().initVnodes(1)[0];
            v.setName("borg");
            auto a = v.initAttributes(1)[0];
            a.setName("resources_available");
            a.setResource("ncpus");
            a.setValue("10000");
          }));
  }

  std::string write(std::uint64_t stream, const model::event& e) {
    const model::event_place at{log.size() + 1, stream, 1, now_s * 1'000'000'000, the_server()};
    if (const auto why = ledger.check(at, e.get())) return std::to_string(why->code) + " " + why->text;
    ledger.apply(at, e.get());
    log.emplace_back(at, e);
    return "";
  }
  std::string set_server(const given_values& changes) {
    return write(server_stream, model::make_event([&](auto e) {
                   fill(e.initServer().initChanged().initChanges(static_cast<unsigned>(changes.size())), changes);
                 }));
  }
  std::string set_queue(const std::string& name, const given_values& changes) {
    return write(queues.at(name), model::make_event([&](auto e) {
                   fill(e.initQueue().initChanged().initChanges(static_cast<unsigned>(changes.size())), changes);
                 }));
  }

  // What the job's rules and then the ledger say; "" when it was done.
  std::string tell(job_story& job, const model::job_command& command, const model::requester& by = root()) {
    job.now_s = now_s;
    const auto decided = job.ask(command, by);
    if (!decided.accepted()) return said(decided);
    for (const auto& e : decided.events()) {
      if (auto why = write(job.serial, e); !why.empty()) return why;
      job.happens(e, by);
    }
    return "";
  }
  std::string submit(const given_values& asks = {}, const std::string& who = "bob", const std::string& group = "g1",
                     const std::string& queue = "workq") {
    jobs.emplace_back();
    auto& job = jobs.back();
    job.settings = settings;
    job.serial = first_job + log.size() + jobs.size();
    auto command = submission(job.serial, asks, queue);
    command.euser = who;
    command.egroup = group;
    const auto why = tell(job, command, user(who));
    if (!why.empty()) jobs.pop_back();
    return why;
  }
  job_story& last() { return jobs.back(); }
  // A subjob of the array is run: the events of both are written together.
  std::string begin(job_story& array, std::uint32_t index) {
    array.now_s = now_s;
    const auto decided = array.ask(propose_subjob(index), the_scheduler());
    if (!decided.accepted()) return said(decided);
    jobs.emplace_back();
    auto& subjob = jobs.back();
    subjob.settings = settings;
    subjob.now_s = now_s;
    subjob.serial = first_job + log.size() + jobs.size();
    for (const auto& e : decided.events()) {
      if (auto why = write(array.serial, e); !why.empty()) return why;
      array.happens(e, the_scheduler());
    }
    for (const auto& e : decided.born) {
      if (auto why = write(subjob.serial, e); !why.empty()) return why;
      subjob.happens(e, the_scheduler());
    }
    return "";
  }
  std::string run(job_story& job) { return tell(job, propose(), the_scheduler()); }
  std::uint64_t count(const std::string& place, limit_kind kind, const std::string& name) const {
    const auto* t = ledger.counts().find(place, kind, name);
    return t ? t->jobs : 0;
  }
};

given_values indices(const char* indices, given_values more = {}) {
  more.push_back({"array_indices_submitted", "", indices});
  return more;
}

// What a subjob that has left tells its array.
model::subjob_told told_of(const job_story& subjob) {
  model::subjob_told told;
  told.index = values::index_of(subjob.job.number);
  told.run = subjob.job.run;
  told.requeued = subjob.job.phase == model::job_phase::forgotten;
  told.failed = !told.requeued;
  told.run_count = 1;
  return told;
}

model::client_request remove_of(const job_story& array, const std::string& these) {
  return {make_request([&](auto r) { r.initDeleteJob().setJob(std::to_string(array.job.number) + "[" + these + "].borg"); })};
}

struct limited : site {
  // One job passes, the next one is refused with this.
  std::string second(const std::string& attribute, const std::string& value, const std::string& at = "") {
    jobs.clear();
    *static_cast<site*>(this) = site();
    const given_values set = {{attribute, "", value}};
    BOOST_REQUIRE_EQUAL(at.empty() ? set_server(set) : set_queue(at, set), "");
    BOOST_REQUIRE_EQUAL(submit(), "");
    return submit();
  }
  std::string second_of(const std::string& attribute, const std::string& value, const std::string& at = "") {
    *static_cast<site*>(this) = site();
    const given_values set = {{attribute, "ncpus", value}};
    BOOST_REQUIRE_EQUAL(at.empty() ? set_server(set) : set_queue(at, set), "");
    BOOST_REQUIRE_EQUAL(submit({{"Resource_List", "ncpus", "2"}}), "");
    return submit();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(entity_limits, limited)

BOOST_AUTO_TEST_CASE(amounts_are_whole_and_rounded_to_the_safe_side) {
  BOOST_TEST(model::limit_amount("2", true).value() == 20'000);
  BOOST_TEST(model::limit_amount("0.3", true).value() == 3'000);
  BOOST_TEST(model::limit_amount("0.00001", true).value() == 1);
  BOOST_TEST(model::limit_amount("0.00001", false).value() == 0);
  BOOST_TEST(model::limit_amount("4gb", true).value() == 4 << 20);
  BOOST_TEST(model::limit_amount("1025b", true).value() == 2);
  BOOST_TEST(model::limit_amount("1025b", false).value() == 1);
  BOOST_TEST(model::limit_amount("01:00:00", true).value() == 3600);
  BOOST_TEST(model::limit_amount("9223372036854775807", true).value() == INT64_MAX);
  for (const char* none : {"", "1:ncpus=2", "free", "-5", "x"}) BOOST_TEST(!model::limit_amount(none, true), none);
}

BOOST_AUTO_TEST_CASE(numbers_of_jobs_have_pbs_texts) {
  BOOST_TEST(second("max_queued", "[u:PBS_GENERIC=1]") == "15142 would exceed complex's per-user limit");
  BOOST_TEST(second("max_queued", "[u:bob=1]") == "15142 Maximum number of jobs for user bob already in complex");
  BOOST_TEST(second("max_queued", "[g:PBS_GENERIC=1]") == "15142 would exceed complex's per-group limit");
  BOOST_TEST(second("max_queued", "[p:_pbs_project_default=1]") ==
             "15142 Maximum number of jobs for project _pbs_project_default already in complex");
  BOOST_TEST(second("max_queued", "[o:PBS_ALL=1]") == "15142 Maximum number of jobs already in complex");
  BOOST_TEST(second("max_queued", "[u:PBS_GENERIC=1]", "workq") == "15142 would exceed queue generic's per-user limit");
  BOOST_TEST(second("max_queued", "[g:PBS_GENERIC=1]", "workq") == "15142 would exceed queue workq's per-group limit");
  BOOST_TEST(second("max_queued", "[g:g1=1]", "workq") == "15142 Maximum number of jobs for group g1 already in queue workq");
  BOOST_TEST(second("max_queued", "[o:PBS_ALL=1]", "workq") == "15142 Maximum number of jobs already in queue workq");
  BOOST_TEST(second("queued_jobs_threshold", "[u:PBS_GENERIC=1]") == "15142 would exceed complex's per-user limit of jobs in 'Q' state");
  BOOST_TEST(second("queued_jobs_threshold", "[g:g1=1]", "workq") ==
             "15142 Maximum number of jobs in 'Q' state for group g1 already in queue workq");
  BOOST_TEST(second("queued_jobs_threshold", "[o:PBS_ALL=1]") == "15142 Maximum number of jobs in 'Q' state already in complex");
  BOOST_TEST(second("max_queuable", "1", "workq") == "15046 Maximum number of jobs already in queue");
}

BOOST_AUTO_TEST_CASE(amounts_have_pbs_texts) {
  BOOST_TEST(second_of("max_queued_res", "[u:PBS_GENERIC=2]") == "15143 would exceed per-user limit on resource ncpus in complex");
  BOOST_TEST(second_of("max_queued_res", "[u:bob=2]") == "15143 would exceed user bob's limit on resource ncpus in complex");
  BOOST_TEST(second_of("max_queued_res", "[o:PBS_ALL=2]", "workq") == "15143 would exceed limit on resource ncpus in queue workq");
  BOOST_TEST(second_of("max_queued_res", "[p:PBS_GENERIC=2]", "workq") ==
             "15143 would exceed per-project limit on resource ncpus in queue workq");
  BOOST_TEST(second_of("queued_jobs_threshold_res", "[u:PBS_GENERIC=2]", "workq") ==
             "15143 would exceed per-user limit on resource ncpus in queue workq for jobs in 'Q' state");
}

BOOST_AUTO_TEST_CASE(a_named_entry_beats_the_generic_one) {
  set_server({{"max_queued", "", "[u:PBS_GENERIC=1],[u:bob=2],[u:eve=0]"}});
  BOOST_TEST(submit() == "");
  BOOST_TEST(submit() == "");
  BOOST_TEST(submit().starts_with("15142"));
  BOOST_TEST(submit({}, "tom") == "");
  BOOST_TEST(submit({}, "tom").starts_with("15142"));
  BOOST_TEST(submit({}, "eve").starts_with("15142"));
}

BOOST_AUTO_TEST_CASE(all_unfinished_jobs_count_and_the_threshold_counts_those_in_q) {
  set_server({{"max_queued", "", "[u:PBS_GENERIC=3]"}, {"queued_jobs_threshold", "", "[u:PBS_GENERIC=1]"}});
  BOOST_TEST(submit() == "");
  BOOST_TEST(submit().find("'Q' state") != std::string::npos);
  BOOST_TEST(submit({{"Hold_Types", "", "u"}}) == "");  // it is not in state Q
  BOOST_TEST(run(jobs.front()) == "");
  BOOST_TEST(submit() == "");
  BOOST_TEST(submit() == "15142 would exceed complex's per-user limit");
  BOOST_TEST(tell(last(), remove()) == "");
  BOOST_TEST(submit() == "");
}

BOOST_AUTO_TEST_CASE(a_job_that_comes_to_a_queue_is_counted_there) {
  set_queue("q2", {{"max_queued", "", "[u:PBS_GENERIC=1]"}, {"max_queued_res", "ncpus", "[o:PBS_ALL=4]"}});
  BOOST_TEST(submit({}, "bob", "g1", "q2") == "");
  BOOST_TEST(submit() == "");
  BOOST_TEST(tell(last(), move("q2")) == "15142 would exceed queue generic's per-user limit");
  BOOST_TEST(tell(jobs.front(), move("q2")) == "");  // it is there already
  BOOST_TEST(submit({{"Resource_List", "ncpus", "4"}}, "eve") == "");
  BOOST_TEST(tell(last(), move("q2")) == "15143 would exceed limit on resource ncpus in queue q2");
  BOOST_TEST(tell(jobs.front(), move("workq")) == "");
  BOOST_TEST(tell(last(), move("q2")) == "");
  BOOST_TEST(count("q2", limit_kind::user, "eve") == 1u);
  BOOST_TEST(count("workq", limit_kind::user, "eve") == 0u);
}

BOOST_AUTO_TEST_CASE(what_a_job_asks_for_is_counted_when_it_is_altered) {
  set_server({{"max_queued_res", "ncpus", "[u:PBS_GENERIC=4]"}});
  BOOST_TEST(submit() == "");
  BOOST_TEST(tell(last(), alter({{"Resource_List", "ncpus", "9"}})) == "15143 would exceed per-user limit on resource ncpus in complex");
  BOOST_TEST(tell(last(), alter({{"Resource_List", "ncpus", "4"}})) == "");
  BOOST_TEST(submit() == "15143 would exceed per-user limit on resource ncpus in complex");
  set_server({{"max_queued_res", "ncpus", "[u:PBS_GENERIC=2]"}});
  BOOST_TEST(tell(last(), alter({{"Resource_List", "ncpus", "4"}})).starts_with("15143"));  // whatever it had
  BOOST_TEST(tell(last(), alter({{"Priority", "", "5"}})) == "");
}

BOOST_AUTO_TEST_CASE(another_project_makes_no_more_jobs) {
  BOOST_TEST(set_queue("workq", {{"max_queuable", "", "1"}}) == "");
  BOOST_TEST(submit() == "");
  BOOST_TEST(tell(last(), alter({{"project", "", "x"}})) == "");
  BOOST_TEST(submit().starts_with("15046"));
}

BOOST_AUTO_TEST_CASE(a_job_that_counts_for_another_project_is_counted_there) {
  set_server({{"max_queued", "", "[p:x=1]"}, {"max_queued_res", "ncpus", "[p:y=2]"}});
  BOOST_TEST(submit({{"project", "", "x"}}) == "");
  BOOST_TEST(submit({{"Resource_List", "ncpus", "3"}}) == "");
  BOOST_TEST(tell(last(), alter({{"project", "", "x"}})) == "15142 Maximum number of jobs for project x already in complex");
  BOOST_TEST(tell(last(), alter({{"project", "", "y"}})) == "15143 would exceed project y's limit on resource ncpus in complex");
  BOOST_TEST(tell(last(), alter({{"project", "", "z"}})) == "");
  BOOST_TEST(count("", limit_kind::project, "z") == 1u);
  BOOST_TEST(count("workq", limit_kind::project, "_pbs_project_default") == 0u);
}

BOOST_AUTO_TEST_CASE(old_and_new_style_do_not_go_together_anywhere) {
  const std::string mixed = "15141 Cannot mix old and new style queue/run limit enforcement types";
  BOOST_TEST(set_server({{"max_run", "", "[u:PBS_GENERIC=1]"}}) == "");
  for (const char* old : {"max_running", "max_user_run", "max_group_run_soft", "max_queuable"})
    BOOST_TEST(set_queue("workq", {{old, "", "3"}}) == mixed, old);
  BOOST_TEST(set_server({{"max_user_res", "ncpus", "3"}}) == mixed);
  BOOST_TEST(set_queue("workq", {{"max_user_run", "", "", schema::AttributeOp::UNSET}}) == "");
  BOOST_TEST(set_server({{"max_run", "", "", schema::AttributeOp::UNSET}}) == "");
  BOOST_TEST(set_queue("workq", {{"max_user_res", "ncpus", "3"}}) == "");
  BOOST_TEST(set_server({{"queued_jobs_threshold", "", "[o:PBS_ALL=1]"}}) == mixed);
  BOOST_TEST(set_queue("workq", {{"max_run", "", "[o:PBS_ALL=1]"}, {"comment", "", "x"}}) == mixed);
  write(queues["workq"], model::make_event([](auto e) { e.initQueue().initDeleted().setName("workq"); }));
  BOOST_TEST(set_server({{"queued_jobs_threshold", "", "[o:PBS_ALL=1]"}}) == "");
  BOOST_TEST(set_server({{"max_running", "", "1"}, {"max_run", "", "[o:PBS_ALL=1]"}}) == mixed);
}

BOOST_AUTO_TEST_CASE(two_submissions_at_once_never_both_pass) {
  set_server({{"max_queued", "", "[u:PBS_GENERIC=1]"}});
  job_story first, other;  // each decides for itself, and the writer asks the ledger for one after the other
  first.serial = 2000;
  other.serial = 2001;
  const auto a = first.ask(submission(2000)), b = other.ask(submission(2001));
  BOOST_REQUIRE((a.accepted() && b.accepted()));
  BOOST_TEST(write(2000, a.events().front()) == "");
  BOOST_TEST(write(2001, b.events().front()) == "15142 would exceed complex's per-user limit");
}

namespace {

struct expected {
  std::uint64_t jobs = 0, in_q = 0;
  double cpus = 0, cpus_in_q = 0;
};
using recount = std::map<std::tuple<std::string, limit_kind, std::string>, expected>;

recount counted_anew(const std::deque<job_story>& jobs) {
  recount all;
  for (const auto& s : jobs) {
    if (s.job.phase == model::job_phase::none || s.job.ended()) continue;
    namespace ids = attributes::job;
    const double cpus = std::stod(s.attribute(ids::Resource_List, "ncpus"));
    const auto jobs = s.job.array ? s.job.array->remaining.count() : 1;  // of an array those that have not begun
    const bool in_q = model::state_letter(s.job) == 'Q' || model::state_letter(s.job) == 'B';
    for (const auto& place : {std::string(), s.attribute(ids::queue)})
      for (const auto& [kind, name] : {std::pair(limit_kind::all, std::string()),
                                       {limit_kind::user, s.attribute(ids::euser)},
                                       {limit_kind::group, s.attribute(ids::egroup)},
                                       {limit_kind::project, s.attribute(ids::project)}}) {
        auto& e = all[{place, kind, name}];
        e.jobs += jobs;
        e.cpus += cpus * jobs;
        e.in_q += in_q ? jobs : 0;
        e.cpus_in_q += in_q ? cpus * jobs : 0;
      }
  }
  return all;
}

// What is kept is what a recount gives.
void require_recount(const site& s) {
  const auto anew = counted_anew(s.jobs);
  const auto& counts = s.ledger.counts();
  for (const auto& [key, e] : anew) {
    const auto& [place, kind, name] = key;
    const auto* t = counts.find(place, kind, name);
    BOOST_REQUIRE_MESSAGE(t, place + " " + name);
    BOOST_REQUIRE_EQUAL(t->jobs, e.jobs);
    BOOST_REQUIRE_EQUAL(t->in_q, e.in_q);
    BOOST_REQUIRE(counts.asked_of(*t, "ncpus", false) == static_cast<std::int64_t>(e.cpus * 10'000));
    BOOST_REQUIRE(counts.asked_of(*t, "ncpus", true) == static_cast<std::int64_t>(e.cpus_in_q * 10'000));
  }
  BOOST_REQUIRE_EQUAL(anew.size(), counts.size());  // and nobody else is remembered
}

}  // namespace

// Random lives of many jobs: what is kept is what a recount gives, a fold from the log gives the same, and no limit is ever passed.
BOOST_AUTO_TEST_CASE(what_is_kept_is_what_a_recount_gives) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    *static_cast<site*>(this) = site();
    std::mt19937 random(seed);
    const auto pick = [&](auto... of) {
      const std::string all[] = {of...};
      return all[random() % sizeof...(of)];
    };
    set_server({{"max_queued", "", "[u:PBS_GENERIC=8],[g:g1=9]"}, {"queued_jobs_threshold_res", "ncpus", "[p:x=7]"}});
    set_queue("q2", {{"max_queued_res", "ncpus", "[u:PBS_GENERIC=6],[o:PBS_ALL=14]"}, {"queued_jobs_threshold", "", "[o:PBS_ALL=5]"}});
    for (int step = 0; step < 250; ++step) {
      now_s += 10;
      const auto what = jobs.empty() ? 0 : random() % 11;
      if (what == 0) {
        given_values asks = {{"Resource_List", "ncpus", pick("1", "2", "3")}, {"project", "", pick("x", "y", "_pbs_project_default")}};
        if (random() % 4 == 0) asks.push_back({"Hold_Types", "", "u"});
        if (random() % 4 == 0) asks.push_back({"Execution_Time", "", std::to_string(now_s + 100)});
        submit(asks, pick("bob", "eve", "tom"), pick("g1", "g2"), pick("workq", "q2"));
        continue;
      }
      auto& job = jobs[random() % jobs.size()];
      job.now_s = now_s;
      switch (what) {
        case 1: tell(job, hold({schema::HoldType::USER})); break;
        case 2: tell(job, release({schema::HoldType::USER})); break;
        case 3: tell(job, alter({{"Resource_List", "ncpus", pick("1", "2", "4")}})); break;
        case 4: tell(job, alter({{"project", "", pick("x", "y")}})); break;
        case 5: tell(job, test::move(pick("workq", "q2"))); break;
        case 6: run(job); break;
        case 7: tell(job, remove(true)); break;
        case 8: tell(job, rerun(true)); break;
        case 9:
          tell(job, alter({{"Hold_Types", "", pick("u", "n", "o")}, {"Execution_Time", "", std::to_string(now_s + random() % 50)}}));
          break;
        case 10:
          if (job.job.phase == model::job_phase::waiting && job.job.execution_time <= now_s) tell(job, model::end_wait{}, the_server());
          break;
      }
      require_recount(*this);
      for (const auto* who : {"bob", "eve", "tom"}) {
        BOOST_REQUIRE(count("", limit_kind::user, who) <= 8u);
        if (const auto* t = ledger.counts().find("q2", limit_kind::user, who))
          BOOST_REQUIRE(ledger.counts().asked_of(*t, "ncpus", false) <= 60'000);
      }
    }
    model::ledger again;
    for (const auto& [at, e] : log) again.apply(at, e.get());
    BOOST_TEST((again == ledger));
  }
}

BOOST_AUTO_TEST_CASE(an_array_counts_as_many_jobs_as_it_has_subjobs) {
  set_server({{"max_queued", "", "[u:PBS_GENERIC=5]"}, {"queued_jobs_threshold", "", "[g:g1=4]"}});
  BOOST_TEST(submit(indices("1-6")) == "15142 would exceed complex's per-user limit");
  BOOST_TEST(submit(indices("1-5")) == "15142 Maximum number of jobs in 'Q' state for group g1 already in complex");
  BOOST_TEST(submit(indices("1-8:2")) == "");
  BOOST_TEST(count("", limit_kind::user, "bob") == 4u);
  BOOST_TEST(count("workq", limit_kind::all, "") == 4u);
  BOOST_TEST(submit().find("'Q' state") != std::string::npos);
  BOOST_TEST(submit({}, "bob", "g2") == "");
  BOOST_TEST(submit({}, "bob", "g2") == "15142 would exceed complex's per-user limit");
  BOOST_TEST(submit(indices("1-2"), "eve", "g2") == "");
}

BOOST_AUTO_TEST_CASE(an_array_asks_for_what_all_its_subjobs_ask_for) {
  const auto of_two = [](const char* these) { return indices(these, {{"Resource_List", "ncpus", "2"}}); };
  set_server({{"max_queued_res", "ncpus", "[u:PBS_GENERIC=6]"}, {"queued_jobs_threshold_res", "ncpus", "[o:PBS_ALL=8]"}});
  BOOST_TEST(submit(of_two("1-4")) == "15143 would exceed per-user limit on resource ncpus in complex");
  BOOST_TEST(submit(of_two("1-3")) == "");
  BOOST_TEST(submit() == "15143 would exceed per-user limit on resource ncpus in complex");
  BOOST_TEST(tell(jobs.front(), alter({{"Resource_List", "ncpus", "3"}})) ==
             "15143 would exceed per-user limit on resource ncpus in complex");
  BOOST_TEST(submit(of_two("1-2"), "eve").starts_with("15143"));  // 10 in all
  BOOST_TEST(tell(jobs.front(), alter({{"Resource_List", "ncpus", "1"}})) == "");
  BOOST_TEST(submit(of_two("1-2"), "eve") == "");
}

BOOST_AUTO_TEST_CASE(an_array_needs_room_in_its_queue_for_all_its_subjobs) {
  BOOST_TEST(set_queue("q2", {{"max_queuable", "", "3"}}) == "");
  BOOST_TEST(submit(indices("1-4"), "bob", "g1", "q2") == "15046 Maximum number of jobs already in queue");
  BOOST_TEST(submit(indices("1-4")) == "");
  BOOST_TEST(tell(last(), move("q2")).starts_with("15046"));
  BOOST_TEST(begin(jobs.front(), 1) == "");
  BOOST_TEST(tell(jobs.front(), move("q2")) == "");  // three are left
  BOOST_TEST(count("q2", limit_kind::all, "") == 3u);
  BOOST_TEST(count("workq", limit_kind::all, "") == 1u);  // the one that runs
  BOOST_TEST(submit({}, "bob", "g1", "q2").starts_with("15046"));
}

BOOST_AUTO_TEST_CASE(a_subjob_counts_for_itself_while_it_runs) {
  set_server({{"max_queued", "", "[u:PBS_GENERIC=4]"}, {"queued_jobs_threshold", "", "[u:PBS_GENERIC=4]"}});
  BOOST_TEST(submit(indices("1-4")) == "");
  auto& array = jobs.front();
  BOOST_TEST(begin(array, 2) == "");  // no limit of submissions is asked
  const auto& user = *ledger.counts().find("", limit_kind::user, "bob");
  BOOST_TEST(user.jobs == 4u);
  BOOST_TEST(user.in_q == 3u);
  BOOST_TEST(user.holders == 2u);
  require_recount(*this);
  BOOST_TEST(tell(last(), rerun(true)) == "");
  BOOST_TEST((last().job.phase == model::job_phase::forgotten));
  BOOST_TEST(tell(array, told_of(last()), the_server()) == "");
  BOOST_TEST(user.jobs == 4u);
  BOOST_TEST(user.in_q == 4u);
  BOOST_TEST(user.holders == 1u);
  BOOST_TEST(begin(array, 2) == "");
  BOOST_TEST(tell(last(), test::remove(true)) == "");
  BOOST_TEST(tell(array, told_of(last()), the_server()) == "");
  BOOST_TEST(user.jobs == 3u);
  require_recount(*this);
  BOOST_TEST(submit() == "");
}

BOOST_AUTO_TEST_CASE(subjobs_that_are_deleted_count_no_more_and_nothing_is_left_at_the_end) {
  BOOST_TEST(submit(indices("1-6")) == "");
  auto& array = jobs.front();
  BOOST_TEST(begin(array, 1) == "");
  BOOST_TEST(tell(array, remove_of(array, "1-3")) == "");
  BOOST_TEST(count("", limit_kind::user, "bob") == 4u);  // 4 to 6 wait, and 1 runs
  BOOST_TEST(tell(array, hold({schema::HoldType::USER})) == "");
  BOOST_TEST(tell(array, remove_of(array, "4")) == "");
  require_recount(*this);
  BOOST_TEST(tell(array, release({schema::HoldType::USER})) == "");
  require_recount(*this);
  BOOST_TEST(tell(array, remove_of(array, "")) == "");
  BOOST_TEST(count("", limit_kind::user, "bob") == 1u);
  require_recount(*this);
  BOOST_TEST(tell(last(), test::remove(true)) == "");
  require_recount(*this);  // the array is there, with no weight
  BOOST_TEST(ledger.counts().find("", limit_kind::user, "bob") != nullptr);
  BOOST_TEST(tell(array, told_of(last()), the_server()) == "");
  BOOST_TEST(array.job.ended());
  BOOST_TEST(ledger.counts().size() == 0u);
}

// The same of arrays and their subjobs; what leaves is told to its array some time later.
BOOST_AUTO_TEST_CASE(what_is_kept_of_arrays_is_what_a_recount_gives) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    *static_cast<site*>(this) = site();
    std::mt19937 random(seed);
    const auto pick = [&](auto... of) {
      const std::string all[] = {of...};
      return all[random() % sizeof...(of)];
    };
    std::vector<std::pair<std::uint64_t, model::subjob_told>> news;  // by the array's number
    set_server({{"max_queued", "", "[u:PBS_GENERIC=14]"}, {"queued_jobs_threshold_res", "ncpus", "[p:x=12]"}});
    const auto array_of = [&](std::uint64_t number) -> job_story& {
      return *std::find_if(jobs.begin(), jobs.end(), [&](const job_story& s) { return s.job.number == number; });
    };
    const auto ask_array = [&](job_story& array, std::uint64_t what) {
      switch (what) {
        case 0:
        case 1:
        case 2: begin(array, 1 + static_cast<std::uint32_t>(random() % 5)); return;
        case 3: tell(array, remove_of(array, pick("1", "2-3", "5", "1-5:2", ""))); return;
        case 4: tell(array, hold({schema::HoldType::USER})); return;
        case 5: tell(array, release({schema::HoldType::USER})); return;
        case 6: tell(array, alter({{"Resource_List", "ncpus", pick("1", "2")}, {"project", "", pick("x", "y")}})); return;
        default: tell(array, test::move(pick("workq", "q2"))); return;
      }
    };
    for (int step = 0; step < 200; ++step) {
      now_s += 10;
      if (jobs.empty() || random() % 12 == 0) {
        submit(indices(pick("1-5", "1-5:2", "2-3").c_str(), {{"Resource_List", "ncpus", pick("1", "2")}, {"project", "", pick("x", "y")}}),
               pick("bob", "eve"), pick("g1", "g2"), pick("workq", "q2"));
      } else if (!news.empty() && random() % 3 == 0) {
        tell(array_of(news.front().first), news.front().second, the_server());
        news.erase(news.begin());
      } else if (auto& job = jobs[random() % jobs.size()]; job.job.array) {
        ask_array(job, random() % 8);
      } else if (job.job.running()) {
        tell(job, random() % 2 ? rerun(true) : test::remove(true));
        if (job.job.ended()) news.emplace_back(values::array_of(job.job.number), told_of(job));
      }
      require_recount(*this);
    }
    model::ledger again;
    for (const auto& [at, e] : log) again.apply(at, e.get());
    BOOST_TEST((again == ledger));
  }
}

BOOST_AUTO_TEST_SUITE_END()
