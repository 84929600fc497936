// Partitions: what the ledger makes sure of between queues, vnodes and schedulers, and that no job has a vnode of another partition
// whatever is altered when.
#include <boost/test/unit_test.hpp>

#include <map>
#include <random>
#include <set>

#include "events/attributes/table.hpp"
#include "events/model/job/run_rights.hpp"
#include "events/model/queue/queue.hpp"
#include "events/model/scheduler/scheduler.hpp"
#include "events/model/settings_fold.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;

namespace {

// What each of them said, one after the other.
std::string in_turn(std::initializer_list<std::string> said) {
  std::string all;
  for (const auto& one : said) all += one;
  return all;
}

struct cluster {
  model::ledger ledger;
  model::settings_fold settings;
  std::uint64_t sequence = 0;
  std::map<std::string, std::uint64_t> streams;

  std::string write(std::uint64_t stream, const model::event& e) {
    const model::event_place at{sequence + 1, stream, 1, 1'000'000'000, the_server()};
    if (const auto why = ledger.check(at, e.get())) return std::to_string(why->code) + " " + why->text;
    ++sequence;
    ledger.apply(at, e.get());
    settings.fold(at, e.get());
    return "";
  }
  template <class Fill>
  std::string event(std::uint64_t stream, Fill&& f) { return write(stream, model::make_event(std::forward<Fill>(f))); }
  std::uint64_t stream_of(const std::string& name) { return streams.try_emplace(name, 100 + streams.size()).first->second; }

  void queue(const std::string& name) {
    event(stream_of(name), [&](auto e) { e.initQueue().initCreated().setName(name); });
  }
  void scheduler(const std::string& name) {
    event(stream_of(name), [&](auto e) { e.initScheduler().initCreated().setName(name); });
  }
  void host(const std::string& name) {
    const auto stream = stream_of(name);
    event(stream, [&](auto e) { e.initHost().initAdded().setName(name); });
    event(stream, [&](auto e) { e.initHost().initVnodeCreated().setName(name); });
    event(stream, [&](auto e) {
      auto v = e.initHost().initCameUp().initVnodes(1)[0];
      v.setName(name);
      auto a = v.initAttributes(1)[0];
      a.setName("resources_available");
      a.setResource("ncpus");
      a.setValue("64");
    });
  }
  static given_values one(const std::string& name, const std::string& value) {
    return {{name, "", value, value.empty() ? schema::AttributeOp::UNSET : schema::AttributeOp::SET}};
  }
  std::string set_queue(const std::string& name, const std::string& partition) {
    return event(stream_of(name), [&](auto e) { fill(e.initQueue().initChanged().initChanges(1), one("partition", partition)); });
  }
  std::string set_scheduler(const std::string& name, const std::string& partition) {
    return event(stream_of(name), [&](auto e) { fill(e.initScheduler().initChanged().initChanges(1), one("partition", partition)); });
  }
  std::string set_vnode(const std::string& name, const given_values& to) {
    return event(stream_of(name), [&](auto e) {
      auto v = e.initHost().initVnodeChanged();
      v.setVnode(name);
      fill(v.initChanges(static_cast<unsigned>(to.size())), to);
    });
  }
  std::string set_vnode(const std::string& name, const std::string& attribute, const std::string& value) {
    return set_vnode(name, one(attribute, value));
  }
  std::string job(std::uint64_t number, const std::string& queue_name) {
    return event(number + 1000, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setNumber(number);
      q.setQueue(queue_name);
    });
  }
  std::string assign(std::uint64_t number, const std::string& exec_vnode) {
    return event(number + 1000, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setExecVnode(exec_vnode);
      a.setPlace("free");
    });
  }
  std::string take(std::uint64_t number, const std::string& exec_vnode) {
    return event(number + 1000, [&](auto e) { e.initJob().initVnodesTaken().setExecVnode(exec_vnode); });
  }
  std::string release(std::uint64_t number, const std::string& exec_vnode, schema::ReleaseReason why = schema::ReleaseReason::LEFT) {
    return event(number + 1000, [&](auto e) {
      auto r = e.initJob().initVnodesReleased();
      r.setExecVnode(exec_vnode);
      r.setWhy(why);
    });
  }
  std::string move(std::uint64_t number, const std::string& to) {
    return event(number + 1000, [&](auto e) { e.initJob().initMoved().setQueue(to); });
  }
};

struct fixture : cluster {
  fixture() {
    for (const char* name : {"workq", "q1", "q2"}) queue(name);
    for (const char* name : {"default", "s1", "s2"}) scheduler(name);
    for (const char* name : {"a", "b", "c"}) host(name);
    BOOST_REQUIRE_EQUAL(
        set_queue("q1", "P1") + set_queue("q2", "P2") + set_vnode("b", "partition", "P1") + set_vnode("c", "partition", "P2"), "");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(partitions, fixture)

BOOST_AUTO_TEST_CASE(a_run_has_vnodes_of_its_queues_partition_alone) {  // MS-35, MS-72, MS-73, MS-77
  BOOST_TEST(in_turn({job(1, "workq"), job(2, "q1")}) == "");
  BOOST_TEST(assign(1, "(b:ncpus=1)") == "15044 Node b is in partition P1, and the job's queue is not");
  BOOST_TEST(assign(1, "(a:ncpus=1)+(b:ncpus=1)") == "15044 Node b is in partition P1, and the job's queue is not");
  BOOST_TEST(assign(1, "(a:ncpus=1)") == "");
  BOOST_TEST(assign(2, "(a:ncpus=1)") == "15044 Node a is in no partition, and the job's queue is not");
  BOOST_TEST(assign(2, "(c:ncpus=1)") == "15044 Node c is in partition P2, and the job's queue is not");
  BOOST_TEST(assign(2, "(b:ncpus=1)") == "");
}

BOOST_AUTO_TEST_CASE(a_partition_that_no_vnode_has_runs_nothing) {
  BOOST_TEST(set_queue("q1", "P9") == "");
  BOOST_TEST(job(1, "q1") == "");
  for (const char* where : {"(a:ncpus=1)", "(b:ncpus=1)"}) BOOST_TEST(assign(1, where).starts_with("15044 "));
}

BOOST_AUTO_TEST_CASE(a_moved_job_runs_where_its_new_queue_is) {
  BOOST_TEST(in_turn({job(1, "q1"), move(1, "q2")}) == "");
  BOOST_TEST(assign(1, "(b:ncpus=1)").starts_with("15044 "));
  BOOST_TEST(assign(1, "(c:ncpus=1)") == "");
}

BOOST_AUTO_TEST_CASE(a_run_stays_where_it_is_when_its_queue_leaves) {
  BOOST_TEST(in_turn({job(1, "q1"), assign(1, "(b:ncpus=1)")}) == "");
  BOOST_TEST(set_queue("q1", "P2") == "");
  BOOST_TEST(release(1, "(b:ncpus=1)", schema::ReleaseReason::SUSPENDED) == "");
  BOOST_TEST(take(1, "(c:ncpus=1)").starts_with("15044 "));
  BOOST_TEST(take(1, "(b:ncpus=1)") == "");
  BOOST_TEST(release(1, "(b:ncpus=1)") == "");
  BOOST_TEST(assign(1, "(b:ncpus=1)").starts_with("15044 "));  // its next run is where its queue is
  BOOST_TEST(assign(1, "(c:ncpus=1)") == "");
}

BOOST_AUTO_TEST_CASE(a_partition_is_one_schedulers) {  // MS-39
  BOOST_TEST(set_scheduler("s1", "P1") == "");
  BOOST_TEST(set_scheduler("s2", "P1") == "15224 Partition P1 is already associated with scheduler s1.");
  BOOST_TEST(set_scheduler("s1", "P1") == "");
  BOOST_TEST(set_scheduler("s2", "P2") == "");
  BOOST_TEST(in_turn({set_scheduler("s1", ""), set_scheduler("s2", "P1")}) == "");
  event(stream_of("s2"), [](auto e) { e.initScheduler().initDeleted().setName("s2"); });
  BOOST_TEST(set_scheduler("s1", "P1") == "");
}

BOOST_AUTO_TEST_CASE(a_vnode_serves_a_queue_of_its_partition) {  // MS-74, MS-75
  BOOST_TEST(set_vnode("b", "queue", "q2") == "15220 Partition P1 is not part of queue for node");
  BOOST_TEST(set_vnode("b", "queue", "workq") == "15220 Partition P1 is not part of queue for node");  // a queue in none is not in P1
  BOOST_TEST(set_vnode("b", "queue", "q1") == "");
  BOOST_TEST(set_vnode("b", "partition", "P2") == "15219 Queue q1 is not part of partition for node");
  BOOST_TEST(set_vnode("a", "queue", "q2") == "");
  BOOST_TEST(set_vnode("a", "partition", "P1") == "15219 Queue q2 is not part of partition for node");
  BOOST_TEST(set_vnode("a", "partition", "P2") == "");
  BOOST_TEST(set_vnode("c", {{"queue", "", "q1"}, {"partition", "", "P1"}}) == "");  // both at once
  BOOST_TEST(set_vnode("c", {{"queue", "", "q1"}, {"partition", "", "P1"}}) == "");  // and again
}

BOOST_AUTO_TEST_CASE(a_vnode_of_a_queue_in_no_partition_gets_none) {  // MS-75
  BOOST_TEST(set_vnode("a", "queue", "workq") == "");
  BOOST_TEST(set_vnode("a", "partition", "P1") == "15219 Queue workq is not part of partition for node");
  BOOST_TEST(set_vnode("c", {{"queue", "", "workq"}, {"partition", "", "P1"}}) == "15219 Queue workq is not part of partition for node");
  BOOST_TEST(in_turn({set_vnode("a", "queue", ""), set_queue("workq", "P1"), set_vnode("a", "partition", "P1")}) == "");
  BOOST_TEST(set_vnode("a", "queue", "workq") == "");
}

BOOST_AUTO_TEST_CASE(a_vnode_in_no_partition_comes_into_that_of_its_queue) {
  BOOST_TEST(in_turn({set_vnode("a", "queue", "q1"), set_vnode("a", "partition", "P1"), set_vnode("a", "partition", "")}) == "");
  BOOST_TEST(set_vnode("a", "partition", "P2") == "15219 Queue q1 is not part of partition for node");
}

BOOST_AUTO_TEST_CASE(a_queue_stays_in_the_partition_of_its_vnodes) {  // MS-76
  BOOST_TEST(set_vnode("b", "queue", "q1") == "");
  BOOST_TEST(set_queue("q1", "P2") == "15221 Invalid partition in queue");
  BOOST_TEST(set_queue("q1", "P1") == "");
  BOOST_TEST(set_queue("q1", "") == "15221 Invalid partition in queue");
  BOOST_TEST(set_vnode("b", "partition", "") == "");
  BOOST_TEST(set_queue("q1", "P2") == "15221 Invalid partition in queue");  // b is in none
  BOOST_TEST(in_turn({set_queue("q1", ""), set_vnode("b", "queue", ""), set_queue("q1", "P2")}) == "");
}

BOOST_AUTO_TEST_CASE(a_vnode_with_jobs_changes_no_partition) {  // MS-78
  BOOST_TEST(in_turn({job(1, "q1"), assign(1, "(b:ncpus=1)")}) == "");
  BOOST_TEST(set_vnode("b", "partition", "P2") == "15227 Node is busy");
  BOOST_TEST(set_vnode("b", "partition", "") == "15227 Node is busy");
  BOOST_TEST(set_vnode("b", "partition", "P1") == "");
  BOOST_TEST(set_vnode("b", "Priority", "3") == "");
  BOOST_TEST(release(1, "(b:ncpus=1)", schema::ReleaseReason::SUSPENDED) == "");
  BOOST_TEST(set_vnode("b", "partition", "P2") == "15227 Node is busy");  // a suspended job goes on there
  BOOST_TEST(take(1, "(b:ncpus=1)") == "");
  BOOST_TEST(in_turn({release(1, "(b:ncpus=1)"), set_vnode("b", "partition", "P2")}) == "");
}

BOOST_AUTO_TEST_CASE(settings_say_whose_a_queue_is) {  // MS-35, MS-36, MS-38
  const auto whose = [&](const char* queue_name) { return std::string(settings.settings()->scheduler_of_queue(queue_name)); };
  BOOST_TEST(whose("workq") == "default");
  BOOST_TEST(whose("q1") == "");
  const auto before = settings.settings();
  set_scheduler("s1", "P1");
  BOOST_TEST(whose("q1") == "s1");
  BOOST_TEST(before->scheduler_of_queue("q1") == "");  // what was given out does not change
  BOOST_TEST(settings.settings()->places_jobs("s1"));
  BOOST_TEST(settings.settings()->places_jobs("default"));
  BOOST_TEST(!settings.settings()->places_jobs("s2"));
  set_queue("q1", "P2");
  BOOST_TEST(whose("q1") == "");
  set_scheduler("s1", "P2");
  BOOST_TEST(whose("q1") == "s1");
  const auto now = settings.settings();
  event(stream_of("s1"), [](auto e) { e.initScheduler().initCycleBegan(); });
  BOOST_TEST(settings.settings() == now);  // cycles change no settings
}

// Random changes of partitions, links of vnodes to queues, moves, runs, suspensions, and proposals by three schedulers. What jobs hold is
// counted apart.
BOOST_AUTO_TEST_CASE(no_job_ever_has_a_vnode_of_another_partition) {
  int started = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    cluster c;
    const std::vector<std::string> queues = {"workq", "q1", "q2"}, schedulers = {"s1", "s2"}, parts = {"", "P1", "P2", "P3"};
    std::vector<std::string> vnodes;
    for (const auto& q : queues) c.queue(q);
    for (const auto& s : schedulers) c.scheduler(s);
    for (int i = 0; i < 6; ++i) c.host(vnodes.emplace_back("n" + std::to_string(i)));
    std::map<std::string, std::string> of_queue, of_vnode, queue_of_vnode, of_scheduler;
    struct run {
      std::string queue, partition;
      std::set<std::string> vnodes;
      bool suspended = false;
    };
    std::map<std::uint64_t, run> jobs;
    for (std::uint64_t n = 1; n <= 12; ++n) {
      jobs[n].queue = queues[random() % queues.size()];
      BOOST_REQUIRE_EQUAL(c.job(n, jobs[n].queue), "");
    }
    const auto any = [&](const auto& of) { return of[random() % of.size()]; };
    const auto text = [](const std::set<std::string>& names) {
      std::string all;
      for (const auto& v : names) all += (all.empty() ? "(" : "+(") + v + ":ncpus=1)";
      return all;
    };
    for (int step = 0; step < 600; ++step) {
      const auto number = 1 + random() % 12;
      auto& job = jobs[number];
      switch (random() % 10) {
        case 0: {
          const auto q = any(queues), p = any(parts);
          if (c.set_queue(q, p).empty()) of_queue[q] = p;
          break;
        }
        case 1: {
          const auto v = any(vnodes), p = any(parts);
          if (c.set_vnode(v, "partition", p).empty()) of_vnode[v] = p;
          break;
        }
        case 2: {
          const auto v = any(vnodes), q = random() % 2 ? any(queues) : std::string();
          if (c.set_vnode(v, "queue", q).empty()) queue_of_vnode[v] = q;
          break;
        }
        case 3: {
          const auto s = any(schedulers), p = any(parts);
          if (c.set_scheduler(s, p).empty()) of_scheduler[s] = p;
          break;
        }
        case 4:
          if (job.vnodes.empty() && !job.suspended && c.move(number, job.queue = any(queues)) != "")
            BOOST_TEST(false, "a move was refused");
          break;
        case 5:
          if (job.vnodes.empty() || job.suspended) break;
          BOOST_TEST(c.release(number, text(job.vnodes)) == "");
          job.vnodes.clear();
          break;
        case 6:
          if (job.vnodes.empty()) break;
          if (job.suspended) {
            BOOST_TEST(c.take(number, text(job.vnodes)) == "");  // its vnodes have not left
            job.suspended = false;
          } else {
            BOOST_TEST(c.release(number, text(job.vnodes), schema::ReleaseReason::SUSPENDED) == "");
            job.suspended = true;
          }
          break;
        default: {
          if (!job.vnodes.empty()) break;
          const auto proposer = random() % 3 == 0 ? std::string("default") : any(schedulers);
          model::job_state state;
          state.phase = model::job_phase::queued;
          state.attributes.set(attributes::job::queue, job.queue);
          model::proposed_run proposal = propose();
          proposal.scheduler = proposer;
          const bool allowed = !model::proposal_refusal(state, proposal, the_scheduler(), *c.settings.settings());
          const auto its = of_queue[job.queue];
          BOOST_TEST(allowed == (its.empty() ? proposer == "default" : of_scheduler.contains(proposer) && of_scheduler[proposer] == its));
          if (!allowed) break;
          std::set<std::string> wanted{any(vnodes), any(vnodes)};
          if (!c.assign(number, text(wanted)).empty()) break;
          ++started;
          job.vnodes = wanted;
          job.partition = its;
        }
      }
      for (const auto& [n, j] : jobs)
        for (const auto& v : j.vnodes)
          BOOST_REQUIRE_MESSAGE(of_vnode[v] == j.partition, "seed " << seed << " step " << step << ": job " << n << " on " << v);
      for (const auto& [v, q] : queue_of_vnode)
        if (!of_vnode[v].empty() && !q.empty()) BOOST_REQUIRE_EQUAL(of_vnode[v], of_queue[q]);
      std::set<std::string> taken;
      for (const auto& [s, p] : of_scheduler)
        if (!p.empty()) BOOST_REQUIRE(taken.insert(p).second);
    }
  }
  BOOST_TEST(started > 200);
}

BOOST_AUTO_TEST_SUITE_END()

// -- rules of one object ------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_SUITE(partition_values)

namespace {

model::queue_state a_queue(const given_values& has) {
  model::queue_state q;
  q.exists = true;
  q.name = "q1";
  for (const auto& v : has) q.attributes.set(attributes::find(schema::ObjectKind::QUEUE, v.name)->id, v.value);
  return q;
}
std::string asked(const model::queue_state& q, const given_values& changes) {
  return said(model::decide(q, manage(schema::ManageVerb::SET, schema::ObjectKind::QUEUE, q.name, changes), {0, root()}, small_settings()));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_queue_has_what_its_type_has) {
  const auto route = a_queue({{"queue_type", "", "Route"}, {"route_destinations", "", "workq"}});
  const auto execution = a_queue({{"queue_type", "", "Execution"}, {"max_run", "", "[u:PBS_GENERIC=2]"}});
  const std::string warning = "15026 Warning: type of queue q1 incompatible with attribute ";
  BOOST_TEST(asked(route, {{"max_run", "", "[u:PBS_GENERIC=2]"}}) == warning + "max_run");
  BOOST_TEST(asked(route, {{"queue_type", "", "e"}}) == warning + "route_destinations");
  BOOST_TEST(asked(route, {{"queue_type", "", "e"}, {"route_destinations", "", "", schema::AttributeOp::UNSET}}) == "changed");
  BOOST_TEST(asked(execution, {{"route_destinations", "", "rq"}}) == warning + "route_destinations");
  BOOST_TEST(asked(execution, {{"queue_type", "", "r"}}) == warning + "max_run");
  BOOST_TEST(asked(route, {{"queue_type", "", "route"}}) == "");
  BOOST_TEST(asked(route, {{"queue_type", "", "route"}, {"comment", "", "x"}}) == "changed");
  BOOST_TEST(asked(route, {{"max_running", "", "1"}, {"route_lifetime", "", "60"}, {"resources_max", "ncpus", "4"}}) == "changed");
}

BOOST_AUTO_TEST_CASE(jobs_are_routed_within_one_server) {
  const auto q = a_queue({{"queue_type", "", "Route"}});
  BOOST_TEST(asked(q, {{"route_destinations", "", "nosuchq,workq@borg"}}) == "changed");
  BOOST_TEST(asked(q, {{"route_destinations", "", "workq,q2@elsewhere"}}) ==
             "15008 Access from host not allowed, or unknown host: q2@elsewhere is of another server");
}

BOOST_AUTO_TEST_CASE(a_routing_queue_has_no_partition) {  // MS-82, MS-83, MS-84
  BOOST_TEST(asked(a_queue({{"queue_type", "", "Route"}}), {{"partition", "", "P1"}}) == "15217 Cannot assign a partition to route queue");
  BOOST_TEST(asked(a_queue({{"queue_type", "", "Execution"}, {"partition", "", "P1"}}), {{"queue_type", "", "route"}}) ==
             "15218 Route queues are incompatible with the partition attribute queue_type");
  BOOST_TEST(asked(a_queue({{"partition", "", "P1"}}), {{"queue_type", "", "r"}}) ==
             "15218 Route queues are incompatible with the partition attribute queue_type");
  BOOST_TEST(asked(a_queue({{"partition", "", "P1"}}), {{"queue_type", "", "e"}}) == "changed");
  BOOST_TEST(asked(a_queue({}), {{"partition", "", "P1"}}) == "changed");
  BOOST_TEST(asked(a_queue({}), {{"queue_type", "", "r"}, {"partition", "", "P1"}}) == "15217 Cannot assign a partition to route queue");
}

BOOST_AUTO_TEST_CASE(there_is_one_partition_at_most) {  // MS-35, MS-40, MS-105
  model::scheduler_state s;
  s.exists = true;
  s.name = "s1";
  const auto ask = [&](const std::string& value, schema::AttributeOp op) {
    return model::decide(s, manage(schema::ManageVerb::SET, schema::ObjectKind::SCHEDULER, "s1", {{"partition", "", value, op}}),
                         {0, root()}, small_settings());
  };
  using op = schema::AttributeOp;
  BOOST_TEST(said(ask("P1,P2", op::SET)) == "15014 Illegal attribute or resource value");
  BOOST_TEST(said(ask("pbs-default", op::SET)) == "15228 Default partition name is not allowed");
  BOOST_TEST(said(ask("P1", op::INCREMENT)) == "changed");
  s.attributes.set(attributes::scheduler::partition, "P1");
  BOOST_TEST(said(ask("P2", op::INCREMENT)) == "15014 Illegal attribute or resource value");
  const auto value_of = [](const model::outcome& o) {
    const auto change = o.events().front().get().getScheduler().getChanged().getChanges()[0];
    return change.getOp() == op::UNSET ? std::string("unset") : schema::str(change.getValue());
  };
  BOOST_TEST(value_of(ask("P1", op::INCREMENT)) == "P1");
  BOOST_TEST(value_of(ask("P2", op::DECREMENT)) == "P1");
  BOOST_TEST(value_of(ask("P1", op::DECREMENT)) == "unset");
  BOOST_TEST(value_of(ask("P2", op::SET)) == "P2");
  const auto of_queue = model::decide(a_queue({{"partition", "", "P1"}}),
                                      manage(schema::ManageVerb::SET, schema::ObjectKind::QUEUE, "q1", {{"partition", "", "None"}}),
                                      {0, root()}, small_settings());
  const auto change = of_queue.events().front().get().getQueue().getChanged().getChanges()[0];
  BOOST_TEST((change.getOp() == op::UNSET));  // as it is of a scheduler
  BOOST_TEST(asked(a_queue({}), {{"partition", "", "P1,P2"}}) == "15014 Illegal attribute or resource value");
  BOOST_TEST(asked(a_queue({}), {{"partition", "", "pbs-default"}}) == "15228 Default partition name is not allowed");
}

BOOST_AUTO_TEST_SUITE_END()
