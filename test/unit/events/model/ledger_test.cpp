// The ledger: nothing is given out twice, neither a number nor a name nor a cpu; and what it counts is what is there.
#include <boost/test/unit_test.hpp>

#include "events/values/job_id.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct books {
  model::ledger ledger;
  std::uint64_t sequence = 0, next_stream = 100;
  std::vector<std::pair<model::event_place, model::event>> written;

  // Asks, and writes if it may be written. "" or the refusal.
  std::string write(std::uint64_t stream, const model::event& e) {
    const model::event_place at{sequence + 1, stream, 1, 1'000'000'000, the_server()};
    if (const auto why = ledger.check(at, e.get())) return std::to_string(why->code) + " " + why->text;
    ++sequence;
    ledger.apply(at, e.get());
    written.emplace_back(at, e);
    return "";
  }
  template <class Fill>
  std::string event(std::uint64_t stream, Fill&& f) { return write(stream, model::make_event(std::forward<Fill>(f))); }

  std::string queue(const std::string& name, std::uint64_t stream) {
    return event(stream, [&](auto e) { e.initQueue().initCreated().setName(name); });
  }
  std::string type(std::uint64_t stream, const char* value) {
    return event(stream, [&](auto e) { fill(e.initQueue().initChanged().initChanges(1), {{"queue_type", "", value}}); });
  }
  std::string job(std::uint64_t number, const std::string& queue_name = "workq") {
    return event(number + 1000, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setNumber(number);
      q.setQueue(queue_name);
    });
  }
  std::string array(std::uint64_t number, const std::string& queue_name = "workq") {
    return event(number + 1000, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setNumber(number);
      q.setQueue(queue_name);
      q.setIndices("1-9");
    });
  }
  // All that an array writes when a subjob is run: one append, of which the ledger takes in nothing when one of the events is refused.
  std::string begin(std::uint64_t array, std::uint32_t index, const std::string& exec_vnode, const std::string& queue_name = "workq") {
    const auto number = values::subjob_number(array, index), stream = number + 1000;
    const auto begun = model::make_event([&](auto e) { e.initJob().initSubjobBegan().setIndex(index); });
    const auto queued = model::make_event([&](auto e) {
      auto q = e.initJob().initQueued();
      q.setNumber(number);
      q.setQueue(queue_name);
    });
    const auto assigned = model::make_event([&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setExecVnode(exec_vnode);
      a.setPlace("free");
    });
    const std::pair<std::uint64_t, const model::event*> append[] = {{array + 1000, &begun}, {stream, &queued}, {stream, &assigned}};
    model::ledger::newborn born;
    auto next = sequence;
    for (const auto& [of, e] : append)
      if (const auto why = ledger.check({++next, of, 1, 1'000'000'000, the_server()}, e->get(), &born))
        return std::to_string(why->code) + " " + why->text;
    for (const auto& [of, e] : append) {
      const model::event_place at{++sequence, of, 1, 1'000'000'000, the_server()};
      ledger.apply(at, e->get());
      written.emplace_back(at, *e);
    }
    return "";
  }
  // It is its array's again.
  void leave(std::uint64_t number) {
    event(number + 1000, [](auto e) { e.initJob().initRequeued(); });
    event(number + 1000, [](auto e) { e.initJob().setForgotten(); });
    event(values::array_of(number) + 1000, [&](auto e) {
      auto l = e.initJob().initSubjobLeft();
      l.setIndex(values::index_of(number));
      l.setRequeued(true);
    });
  }
  void host(const std::string& name,
            const given_values& reported = {{"resources_available", "ncpus", "4"}, {"resources_available", "mem", "1gb"}}) {
    const auto stream = next_stream++;
    event(stream, [&](auto e) { e.initHost().initAdded().setName(name); });
    BOOST_REQUIRE_EQUAL(event(stream, [&](auto e) { e.initHost().initVnodeCreated().setName(name); }), "");
    event(stream, [&](auto e) {
      auto v = e.initHost().initCameUp().initVnodes(1)[0];
      v.setName(name);
      fill(v.initAttributes(static_cast<unsigned>(reported.size())), reported);
    });
  }
  std::string assign(std::uint64_t number, const std::string& exec_vnode, const std::string& place = "free") {
    return event(number + 1000, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setExecVnode(exec_vnode);
      a.setPlace(place);
    });
  }
  std::string release(std::uint64_t number, const std::string& exec_vnode, schema::ReleaseReason why = schema::ReleaseReason::LEFT,
                      bool amounts_only = false) {
    return event(number + 1000, [&](auto e) {
      auto r = e.initJob().initVnodesReleased();
      r.setExecVnode(exec_vnode);
      r.setWhy(why);
      r.setAmountsOnly(amounts_only);
    });
  }
  std::string suspend(std::uint64_t number, const std::string& released, bool partly = false, bool admin = false) {
    const auto refused = event(number + 1000, [&](auto e) { e.initJob().initSuspended().setAdmin(admin); });
    return refused.empty() ? release(number, released, schema::ReleaseReason::SUSPENDED, partly) : refused;
  }
  // The two events are one append: the second is asked first, the ledger takes in neither when one is refused.
  std::string resume(std::uint64_t number, const std::string& taken, bool partly = false, bool admin = false) {
    const auto takes = model::make_event([&](auto e) {
      auto t = e.initJob().initVnodesTaken();
      t.setExecVnode(taken);
      t.setPlace("free");
      t.setAmountsOnly(partly);
    });
    if (const auto why = ledger.check({sequence + 2, number + 1000, 2, 1'000'000'000, the_server()}, takes.get()))
      return std::to_string(why->code) + " " + why->text;
    const auto refused = event(number + 1000, [&](auto e) { e.initJob().initResumed().setAdmin(admin); });
    return refused.empty() ? write(number + 1000, takes) : refused;
  }
  std::string end(std::uint64_t number) {
    return event(number + 1000, [](auto e) { e.initJob().initEnded(); });
  }
  double assigned(const std::string& vnode, const std::string& resource) const {
    const auto* use = ledger.holdings().find(vnode);
    if (!use || !use->assigned.contains(resource)) return 0;
    return use->assigned.find(resource)->second.value;
  }
};

struct fixture : books {
  fixture() {
    queue("workq", 2);
    host("borg");
    host("cube");
    for (std::uint64_t n = 1; n <= 4; ++n) BOOST_REQUIRE_EQUAL(job(n), "");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(ledger, fixture)

BOOST_AUTO_TEST_CASE(the_type_of_a_queue_with_jobs_stays) {
  books b;
  b.queue("q1", 50);
  BOOST_TEST(b.type(50, "Execution") == "");
  BOOST_TEST(b.job(1, "q1") == "");
  BOOST_TEST(b.type(50, "Route") == "15026 Incompatible type: queue q1 has jobs");
  b.event(1001, [](auto e) { e.initJob().initEnded(); });
  BOOST_TEST(b.type(50, "Route") == "");
}

BOOST_AUTO_TEST_CASE(the_first_job_has_number_0) {
  BOOST_TEST(model::ledger().next_job_number() == 0u);
}

BOOST_AUTO_TEST_CASE(a_job_number_is_given_once) {
  BOOST_TEST(job(4).starts_with("15009 "));
  BOOST_TEST(ledger.next_job_number() == 5u);
  BOOST_TEST(job(9) == "");
  BOOST_TEST(ledger.next_job_number() == 10u);
}

BOOST_AUTO_TEST_CASE(a_job_enters_queues_that_exist) {
  BOOST_TEST(job(5, "nosuch").starts_with("15018 "));
}

BOOST_AUTO_TEST_CASE(names_are_given_once) {
  BOOST_TEST(queue("workq", 50).starts_with("15025 "));
  BOOST_TEST(event(60, [](auto e) { e.initScheduler().initCreated().setName("default"); }) == "");
  BOOST_TEST(!event(61, [](auto e) { e.initScheduler().initCreated().setName("default"); }).empty());
  BOOST_TEST(event(70, [](auto e) { e.initHost().initVnodeCreated().setName("borg"); }).starts_with("15066 "));
}

BOOST_AUTO_TEST_CASE(a_vnode_gives_what_it_has_and_not_more) {
  BOOST_TEST(assign(1, "(borg:ncpus=3)") == "");
  BOOST_TEST(assign(2, "(borg:ncpus=2)") == "15044 Insufficient amount of resource: ncpus ");
  BOOST_TEST(assign(2, "(borg:ncpus=1)") == "");
  BOOST_TEST(assign(3, "(borg:ncpus=0:mem=1048577kb)").starts_with("15044 Insufficient amount of resource: mem"));
  BOOST_TEST(assign(3, "(borg:mem=1048576kb)") == "");
  BOOST_TEST(assigned("borg", "ncpus") == 4);
}

BOOST_AUTO_TEST_CASE(chunks_on_the_same_vnode_are_added_up) {
  BOOST_TEST(assign(1, "(borg:ncpus=2)+(borg:ncpus=3)").starts_with("15044 "));
  BOOST_TEST(assign(1, "(borg:ncpus=2)+(borg:ncpus=2)") == "");
}

BOOST_AUTO_TEST_CASE(nobody_shares_what_is_held_exclusively) {
  BOOST_TEST(assign(1, "(borg:ncpus=1)", "free:excl") == "");
  BOOST_TEST(assign(2, "(borg:ncpus=1)").starts_with("15044 "));
  BOOST_TEST(release(1, "(borg:ncpus=1)") == "");
  BOOST_TEST(assign(2, "(borg:ncpus=1)") == "");
  BOOST_TEST(assign(3, "(borg:ncpus=1)", "excl").starts_with("15044 "));
  BOOST_TEST(assign(3, "(cube:ncpus=1)", "excl") == "");
}

BOOST_AUTO_TEST_CASE(only_vnodes_that_are_there_and_able_are_assigned) {
  BOOST_TEST(assign(1, "(nosuch:ncpus=1)").starts_with("15062 "));
  BOOST_TEST(assign(1, "").starts_with("15062 "));
  BOOST_TEST(assign(77, "(borg:ncpus=1)").starts_with("15001 "));
  event(101, [](auto e) { e.initHost().initWentDown().setText("x"); });
  BOOST_TEST(assign(1, "(cube:ncpus=1)").starts_with("15044 Node is in an ineligible state: down"));
}

BOOST_AUTO_TEST_CASE(a_vnode_that_a_suspended_job_goes_on_with_is_not_deleted) {
  const std::string both = "(borg:ncpus=1)+(cube:ncpus=1)", twice = "(borg:ncpus=1+borg:ncpus=1)", once = "(borg:ncpus=1)";
  const auto remove = [this](std::uint64_t stream, const char* name) {
    return event(stream, [&](auto e) { e.initHost().initVnodeDeleted().setName(name); });
  };
  assign(1, both);
  suspend(1, both);
  for (const auto& [stream, name] : {std::pair(100, "borg"), std::pair(101, "cube")})
    BOOST_TEST(remove(stream, name) == "15027 Cannot delete busy object: job 1 is suspended there");
  BOOST_TEST(resume(1, both) == "");
  BOOST_TEST(remove(100, "borg") == "15027 Cannot delete busy object");
  suspend(1, both);
  release(1, "(cube:ncpus=1)");  // it is gone from there before it goes on
  BOOST_TEST(remove(101, "cube") == "");
  BOOST_TEST(remove(100, "borg").starts_with("15027 "));
  release(1, once);
  event(1001, [](auto e) { e.initJob().initRequeued(); });
  assign(2, twice);
  suspend(2, twice);
  release(2, once);
  BOOST_TEST(remove(100, "borg").starts_with("15027 "));
  release(2, once);
  BOOST_TEST(remove(100, "borg") == "");
}

BOOST_AUTO_TEST_CASE(what_a_suspended_job_has_kept_of_a_vnode_keeps_the_vnode) {  // restrict_res_to_release_on_suspend
  assign(1, "(borg:ncpus=1:mem=1kb)");
  suspend(1, "(borg:ncpus=1)", true);
  const auto remove = [this] { return event(100, [](auto e) { e.initHost().initVnodeDeleted().setName("borg"); }); };
  BOOST_TEST(remove() == "15027 Cannot delete busy object");
  release(1, "(borg:ncpus=1:mem=1kb)");
  BOOST_TEST(remove() == "");
}

BOOST_AUTO_TEST_CASE(what_is_in_use_is_not_deleted) {
  assign(1, "(borg:ncpus=1)");
  BOOST_TEST(event(100, [](auto e) { e.initHost().initVnodeDeleted().setName("borg"); }).starts_with("15027 "));
  BOOST_TEST(event(101, [](auto e) { e.initHost().initVnodeDeleted().setName("cube"); }) == "");
  BOOST_TEST(event(2, [](auto e) { e.initQueue().initDeleted().setName("workq"); }).starts_with("15027 "));
  release(1, "(borg:ncpus=1)");
  BOOST_TEST(event(100, [](auto e) { e.initHost().initVnodeDeleted().setName("borg"); }) == "");
  for (std::uint64_t n = 1; n <= 4; ++n) end(n);
  BOOST_TEST(ledger.jobs_in_queue("workq") == 0u);
  BOOST_TEST(event(2, [](auto e) { e.initQueue().initDeleted().setName("workq"); }) == "");
}

BOOST_AUTO_TEST_CASE(each_part_is_released_for_itself) {
  BOOST_TEST(assign(1, "(borg:ncpus=2)+(cube:ncpus=1)") == "");
  release(1, "(borg:ncpus=2)");
  BOOST_TEST(assigned("borg", "ncpus") == 0);
  BOOST_TEST(assigned("cube", "ncpus") == 1);
  release(1, "(cube:ncpus=1)");
  BOOST_TEST(assigned("cube", "ncpus") == 0);
}

BOOST_AUTO_TEST_CASE(the_ledger_equals_a_recount) {
  assign(1, "(borg:ncpus=2)+(cube:ncpus=1)");
  assign(2, "(borg:ncpus=1:mem=100mb)");
  release(1, "(borg:ncpus=2)");
  assign(3, "(borg:ncpus=2)");
  release(2, "(borg:ncpus=1:mem=100mb)");
  end(2);
  event(1002, [](auto e) { e.initJob().setForgotten(); });
  model::ledger again;
  for (const auto& [at, e] : written) again.apply(at, e.get());
  BOOST_TEST((again == ledger));
  // And the sums are those of the jobs that are listed.
  ledger.holdings().each_used([&](const std::string& name, const model::vnode_use& use) {
    double sum = 0;
    for (const auto& j : use.jobs)
      if (const auto held = j.held.find("ncpus"); held != j.held.end()) sum += held->second.value;
    BOOST_TEST(assigned(name, "ncpus") == sum);
  });
  BOOST_TEST(assigned("borg", "mem") == 0);
}

BOOST_AUTO_TEST_CASE(a_subjob_is_queued_and_assigned_in_one_append) {
  array(12);
  BOOST_TEST(begin(12, 3, "(borg:ncpus=3)") == "");
  BOOST_TEST(assigned("borg", "ncpus") == 3);
  const auto before = ledger;
  BOOST_TEST(begin(12, 4, "(borg:ncpus=2)") == "15044 Insufficient amount of resource: ncpus ");
  BOOST_TEST(begin(12, 4, "(nosuch:ncpus=1)").starts_with("15062 "));
  BOOST_TEST(begin(12, 4, "(borg:ncpus=1)", "nosuch").starts_with("15018 "));
  BOOST_TEST((ledger == before));
  BOOST_TEST(begin(12, 4, "(borg:ncpus=1)") == "");
  BOOST_TEST(assigned("borg", "ncpus") == 4);
  BOOST_TEST(assign(1, "(borg:ncpus=1)").starts_with("15044 "));
  BOOST_TEST(release(values::subjob_number(12, 3), "(borg:ncpus=3)") == "");
  BOOST_TEST(assigned("borg", "ncpus") == 1);
}

BOOST_AUTO_TEST_CASE(only_the_job_that_is_born_may_run_in_its_append) {
  const auto assigned = model::make_event([](auto e) { e.initJob().initAssigned().setExecVnode("(borg:ncpus=1)"); });
  const auto check = [&](model::ledger::newborn born) {
    const auto why = ledger.check({sequence + 1, 5000, 1, 1'000'000'000, the_server()}, assigned.get(), &born);
    return why ? why->code : 0;
  };
  BOOST_TEST(check({5000, values::subjob_number(12, 3), "workq"}) == 0u);
  BOOST_TEST(check({5001, values::subjob_number(12, 4), "workq"}) == 15001u);
  BOOST_TEST(check({}) == 15001u);
}

BOOST_AUTO_TEST_CASE(an_array_and_its_subjobs_have_numbers_of_their_own) {
  array(12);
  BOOST_TEST(ledger.next_job_number() == 13u);
  BOOST_TEST(begin(12, 3, "(borg:ncpus=1)") == "");
  BOOST_TEST(begin(12, 0, "(borg:ncpus=1)") == "");
  BOOST_TEST(ledger.next_job_number() == 13u);
  BOOST_TEST(begin(12, 3, "(cube:ncpus=1)").starts_with("15009 "));
  BOOST_TEST(array(12).starts_with("15009 "));
  BOOST_TEST(job(3).starts_with("15009 "));
  BOOST_TEST(job(13) == "");
  model::ledger first;  // of array 0
  first.apply({1, 1000, 1, 0, the_server()}, model::make_event([](auto e) { e.initJob().initQueued().setIndices("0-3"); }).get());
  BOOST_TEST(first.next_job_number() == 1u);
  first.apply({2, 1001, 1, 0, the_server()}, model::make_event([](auto e) {
                                               e.initJob().initQueued().setNumber(values::subjob_number(0, 0));
                                             }).get());
  BOOST_TEST(first.next_job_number() == 1u);
}

BOOST_AUTO_TEST_CASE(a_subjob_that_is_its_arrays_again_counts_in_no_queue) {
  const auto subjob = values::subjob_number(12, 3);
  array(12);
  const auto without = ledger.jobs_in_queue("workq");
  for (int round = 0; round < 3; ++round) {
    BOOST_TEST(begin(12, 3, "(borg:ncpus=1)") == "");
    BOOST_TEST(ledger.jobs_in_queue("workq") == without + 1);
    release(subjob, "(borg:ncpus=1)");
    leave(subjob);
    BOOST_TEST(ledger.jobs_in_queue("workq") == without);
    BOOST_TEST(assigned("borg", "ncpus") == 0);
  }
  begin(12, 3, "(borg:ncpus=1)");
  release(subjob, "(borg:ncpus=1)");
  end(subjob);
  BOOST_TEST(ledger.jobs_in_queue("workq") == without);
  event(subjob + 1000, [](auto e) { e.initJob().setForgotten(); });  // it counts no more already
  BOOST_TEST(ledger.jobs_in_queue("workq") == without);
  BOOST_TEST(begin(12, 3, "(borg:ncpus=1)") == "");
}

BOOST_AUTO_TEST_CASE(a_queue_with_subjobs_is_not_deleted) {
  const auto remove = [this] { return event(50, [](auto e) { e.initQueue().initDeleted().setName("q1"); }); };
  queue("q1", 50);
  array(12, "q1");
  begin(12, 3, "(borg:ncpus=1)", "q1");
  end(12);
  BOOST_TEST(remove().starts_with("15027 "));
  BOOST_TEST(type(50, "Route") == "15026 Incompatible type: queue q1 has jobs");
  release(values::subjob_number(12, 3), "(borg:ncpus=1)");
  leave(values::subjob_number(12, 3));
  BOOST_TEST(remove() == "");
}

BOOST_AUTO_TEST_CASE(a_ledger_with_subjobs_equals_a_recount) {
  array(12);
  for (const std::uint32_t index : {1u, 2u, 3u}) begin(12, index, "(borg:ncpus=1)");
  release(values::subjob_number(12, 1), "(borg:ncpus=1)");
  leave(values::subjob_number(12, 1));
  begin(12, 1, "(cube:ncpus=2)");
  release(values::subjob_number(12, 2), "(borg:ncpus=1)");
  end(values::subjob_number(12, 2));
  model::ledger again;
  for (const auto& [at, e] : written) again.apply(at, e.get());
  BOOST_TEST((again == ledger));
  BOOST_TEST(ledger.counts().find("", values::limit_kind::all, "")->jobs == 4u + 6u + 2u);  // jobs, what has not begun, what runs
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(assignments)

BOOST_AUTO_TEST_CASE(amounts_are_read_and_printed) {
  bool ok = false;
  BOOST_TEST(model::read_amount("2", &ok).print() == "2");
  BOOST_TEST(ok);
  BOOST_TEST(model::read_amount("1gb").print() == "1048576kb");
  BOOST_TEST(model::read_amount("0.5").print() == "0.5");
  model::read_amount("linux", &ok);
  BOOST_TEST(!ok);
}

BOOST_AUTO_TEST_CASE(place_and_sharing_decide_who_has_a_vnode_for_himself) {
  using model::hold_kind;
  const std::tuple<const char*, const char*, hold_kind> expected[] = {
      {"free", "default_shared", hold_kind::shared},
      {"free:excl", "default_shared", hold_kind::exclusive},
      {"scatter:exclhost", "", hold_kind::exclusive},
      {"excl", "ignore_excl", hold_kind::shared},
      {"free:shared", "default_excl", hold_kind::shared},
      {"free", "default_excl", hold_kind::exclusive},
      {"free", "default_exclhost", hold_kind::exclusive},
      {"free:shared", "force_excl", hold_kind::exclusive},
      {"free:shared", "force_exclhost", hold_kind::exclusive},
      {"pack", "", hold_kind::shared},
  };
  for (const auto& [place, sharing, kind] : expected) BOOST_TEST((model::hold_of(place, sharing) == kind), place << " " << sharing);
}

BOOST_FIXTURE_TEST_CASE(cpu_slots_are_the_lowest_free_ones, fixture) {
  assign(1, "(borg:ncpus=1)");
  assign(2, "(borg:ncpus=2)");
  release(1, "(borg:ncpus=1)");
  assign(3, "(borg:ncpus=2)");
  const auto& jobs = ledger.holdings().find("borg")->jobs;
  BOOST_REQUIRE_EQUAL(jobs.size(), 2u);
  BOOST_TEST(jobs[0].slots == (std::vector<std::uint32_t>{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(jobs[1].slots == (std::vector<std::uint32_t>{0, 3}), boost::test_tools::per_element());
  BOOST_TEST(ledger.holdings().find("borg")->last_used_s == 1);
}

BOOST_FIXTURE_TEST_CASE(a_suspended_job_leaves_room_and_comes_back_only_when_there_is_some, fixture) {
  BOOST_TEST(assign(1, "(borg:ncpus=3:mem=1048576kb)") == "");
  BOOST_TEST(suspend(1, "(borg:ncpus=3:mem=1048576kb)") == "");
  BOOST_TEST(assigned("borg", "ncpus") == 0);
  BOOST_TEST(assign(2, "(borg:ncpus=2)") == "");
  BOOST_TEST(resume(1, "(borg:ncpus=3:mem=1048576kb)").starts_with("15044"));
  BOOST_TEST(release(2, "(borg:ncpus=2)") == "");
  BOOST_TEST(resume(1, "(borg:ncpus=3:mem=1048576kb)") == "");
  BOOST_TEST(assigned("borg", "ncpus") == 3);
  BOOST_TEST(release(1, "(borg:ncpus=3:mem=1048576kb)") == "");
  BOOST_TEST(assigned("borg", "ncpus") == 0);
}

BOOST_FIXTURE_TEST_CASE(what_is_released_partly_is_taken_again_in_part, fixture) {
  BOOST_TEST(assign(1, "(borg:ncpus=3:mem=1048576kb)") == "");
  BOOST_TEST(suspend(1, "(borg:ncpus=3)", true) == "");
  BOOST_TEST(assigned("borg", "ncpus") == 0);
  BOOST_TEST(assigned("borg", "mem") == 1048576);
  BOOST_TEST(assign(2, "(borg:ncpus=1:mem=1kb)").starts_with("15044"));  // its memory is still there
  BOOST_TEST(resume(1, "(borg:ncpus=3)", true) == "");
  BOOST_TEST(assigned("borg", "ncpus") == 3);
  BOOST_TEST(suspend(1, "(borg:ncpus=3)", true) == "");
  BOOST_TEST(release(1, "(borg:ncpus=3:mem=1048576kb)") == "");  // it ends while it is suspended
  BOOST_TEST(assigned("borg", "ncpus") == 0);
  BOOST_TEST(assigned("borg", "mem") == 0);
}

BOOST_FIXTURE_TEST_CASE(what_a_vnode_names_is_there, fixture) {
  host("cube2");
  const auto set = [&](const std::string& vnode, const char* name, const char* resource, const char* value) {
    const auto& hosts = ledger.holdings().hosts();
    const auto at = std::ranges::find_if(hosts, [&](const auto& h) { return h.second.vnode(vnode) != nullptr; });
    return event(at->first, [&](auto e) {
      auto c = e.initHost().initVnodeChanged();
      c.setVnode(vnode);
      auto change = c.initChanges(1)[0];
      change.setName(name);
      change.setResource(resource);
      change.setValue(value);
    });
  };
  BOOST_TEST(set("borg", "queue", "", "nosuch") == "15018 Unknown queue");
  BOOST_TEST(set("borg", "queue", "", "workq") == "");
  const auto pool = [&](const char* vnode, const char* value) { return set(vnode, "resources_available", "rsz", value); };
  BOOST_TEST(pool("borg", "@nosuch") == "15062 Unknown node ");
  BOOST_TEST(pool("borg", "@cube") == "15113 indirect target undefined on node for resource: rsz");
  BOOST_TEST(pool("cube", "4gb") == "");
  BOOST_TEST(pool("borg", "@cube") == "");
  BOOST_TEST(pool("cube2", "@borg") == "15112 invalid multi-level indirect reference for resource: rsz");
  BOOST_TEST(pool("cube", "@cube2") == "15112 invalid multi-level indirect reference for resource: rsz");
  BOOST_TEST(pool("cube", "@cube") == "15112 invalid multi-level indirect reference for resource: rsz");
}

// A resource with flag h alone: any number of jobs may ask for what is there.
BOOST_FIXTURE_TEST_CASE(what_is_only_compared_is_not_used_up, fixture) {  // without flag n
  const auto define = [&](const char* name, const char* flags) {
    event(next_stream, [&](auto e) {
      auto d = e.initServer().initResourceCreated();
      d.setName(name);
      d.setType("long");
      d.setFlags(flags);
    });
  };
  define("speed", "h");
  define("lic", "nh");
  host("fast", {{"resources_available", "ncpus", "4"}, {"resources_available", "speed", "2"}, {"resources_available", "lic", "2"}});
  for (const std::uint64_t job : {1, 2}) BOOST_TEST(assign(job, "(fast:speed=2:ncpus=1)") == "");
  BOOST_TEST(assign(3, "(fast:lic=2:ncpus=1)") == "");
  BOOST_TEST(assign(4, "(fast:lic=1:ncpus=1)").starts_with("15044"));
}

BOOST_FIXTURE_TEST_CASE(nothing_starts_on_a_vnode_under_maintenance, fixture) {
  BOOST_TEST(assign(1, "(borg:ncpus=1)") == "");
  BOOST_TEST(suspend(1, "(borg:ncpus=1)", false, true) == "");
  BOOST_TEST(assign(2, "(borg:ncpus=1)").starts_with("15044"));
  BOOST_TEST(assign(2, "(cube:ncpus=1)") == "");
  BOOST_TEST(resume(1, "(borg:ncpus=1)", false, true) == "");
  BOOST_TEST(assign(3, "(borg:ncpus=1)") == "");
}

// The vnode is free for others when the last of them goes on.
BOOST_FIXTURE_TEST_CASE(who_was_suspended_for_maintenance_goes_on_beside_others, fixture) {
  for (const std::uint64_t job : {1, 2}) BOOST_TEST(assign(job, "(borg:ncpus=1)") == "");
  for (const std::uint64_t job : {1, 2}) BOOST_TEST(suspend(job, "(borg:ncpus=1)", false, true) == "");
  BOOST_TEST(resume(1, "(borg:ncpus=1)", false, true) == "");
  BOOST_TEST(assign(3, "(borg:ncpus=1)").starts_with("15044"));
  BOOST_TEST(resume(2, "(borg:ncpus=1)", false, true) == "");
  BOOST_TEST(assign(3, "(borg:ncpus=1)") == "");
}

BOOST_FIXTURE_TEST_CASE(a_moved_job_counts_in_its_new_queue, fixture) {
  BOOST_TEST(queue("q2", 3) == "");
  const auto moved = [&](const std::string& to) { return event(1001, [&](auto e) { e.initJob().initMoved().setQueue(to); }); };
  BOOST_TEST(moved("nosuch").starts_with("15018"));
  BOOST_TEST(moved("q2") == "");
  BOOST_TEST(ledger.jobs_in_queue("q2") == 1u);
  BOOST_TEST(ledger.jobs_in_queue("workq") == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
