// What stat and select requests are answered with, from a status that folded a cluster's first events.
#include <boost/test/unit_test.hpp>

#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "projections/status/query.hpp"
#include "test/support/told_records.hpp"

using namespace annals;
using schema::CompareOp;
using schema::ObjectKind;
using schema::Role;
namespace job = attributes::job;

namespace {

struct attribute_value {
  const char* name;
  const char* resource;
  const char* value;
};
using attribute_values = std::vector<attribute_value>;

template <class List>
void fill(List list, const attribute_values& from) {
  for (unsigned i = 0; i < from.size(); ++i) {
    list[i].setName(from[i].name);
    list[i].setResource(from[i].resource);
    list[i].setValue(from[i].value);
  }
}

struct answer {
  std::vector<std::string> names;
  std::map<std::string, attributes::attribute_set> rows;
  std::vector<std::pair<std::string, std::uint32_t>> unknown;
  std::optional<std::uint32_t> refused;

  std::string get(const std::string& name, attributes::attribute_id id, std::string_view resource = {}) const {
    return std::string(rows.at(name).get(id, resource).value_or("(none)"));
  }
};

struct criterion {
  const char* name;
  const char* resource;
  CompareOp op;
  const char* value;
};

struct cluster {
  projections::status status;
  test::told_records records;

  cluster() {
    happen(1, [](auto e) {
      auto s = e.initServer().initStarted();
      s.setServerName("p1");
      s.setHostName("p1");
      s.setVersion("1.2.3");
    });
    happen(2, [](auto e) { e.initQueue().initCreated().setName("workq"); });
    host(4, "p1", {{"resources_available", "ncpus", "4"}, {"resources_available", "mem", "8gb"}});
    submit(10, 1, "ann@p1",
           {{"Resource_List", "ncpus", "2"}, {"Resource_List", "nodect", "1"}, {"Resource_List", "mem", "100mb"}});
    submit(
        11, 2, "bob@p1",
        {{"Resource_List", "ncpus", "1"}, {"Resource_List", "nodect", "1"}, {"Resource_List", "walltime", "00:01:40"}});
    happen(10, [](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(1);
      a.setExecVnode("(p1:ncpus=2:mem=102400kb)");
      a.setExecHost("p1/0*2");
      a.initHosts(1).set(0, "p1");
      a.setPlace("pack");
    });
  }

  void happen(std::uint64_t stream, const std::function<void(schema::Event::Builder)>& event) {
    status.fold(records.next(stream, event));
  }

  void host(std::uint64_t stream, const char* name, const attribute_values& reported) {
    happen(stream, [&](auto e) { e.initHost().initAdded().setName(name); });
    happen(stream, [&](auto e) { e.initHost().initVnodeCreated().setName(name); });
    happen(stream, [&](auto e) {
      auto v = e.initHost().initCameUp().initVnodes(1)[0];
      v.setName(name);
      fill(v.initAttributes(static_cast<unsigned>(reported.size())), reported);
    });
  }

  void submit(std::uint64_t stream, unsigned number, const std::string& owner, const attribute_values& asked) {
    happen(stream, [&](auto e) {
      auto j = e.initJob().initQueued();
      j.setId(std::to_string(number) + ".p1");
      j.setNumber(number);
      j.setOwner(owner);
      j.setEuser(owner.substr(0, owner.find('@')));
      j.setQueue("workq");
      j.setQueueRank(number);
      fill(j.initAttributes(static_cast<unsigned>(asked.size())), asked);
    });
  }

  void server(const char* name, const char* value) {
    happen(1, [&](auto e) { fill(e.initServer().initChanged().initChanges(1), {{name, "", value}}); });
  }

  answer stat(const std::function<void(schema::Stat::Builder)>& question, Role role = Role::USER,
              const char* user = "ann") const {
    const auto asked = schema::make<schema::Request>([&](schema::Request::Builder r) {
      r.setId(7);
      question(r.initStat());
    });
    const model::requester by{user, "p1", role};
    answer a, parts;
    projections::answer_stat(status, 7, (*asked).getStat(), by, [&](const schema::sealed<schema::Reply>& r) { take(*r, a); });
    if (const auto rest = projections::begin_answer(status, asked, by))
      while (rest->go_on(
          status, [&](const schema::sealed<schema::Reply>& r) { take(*r, parts); }, 0, 1)) {}
    else parts = a;
    BOOST_TEST((parts.names == a.names && parts.rows == a.rows && parts.unknown == a.unknown));
    return a;
  }

  static void take(schema::Reply::Reader r, answer& a) {
    BOOST_TEST(r.getId() == 7u);
    if (r.isRejected()) a.refused = r.getRejected().getCode();
    if (!r.isObjects()) return;
    for (const auto o : r.getObjects().getObjects()) {
      const auto bytes = o.getAttributes();
      const auto row = attributes::attribute_set::from_packed({reinterpret_cast<const char*>(bytes.begin()), bytes.size()});
      BOOST_REQUIRE(row);
      a.names.push_back(schema::str(o.getName()));
      a.rows.emplace(schema::str(o.getName()), *row);
    }
    for (const auto u : r.getObjects().getUnknown())
      a.unknown.emplace_back(schema::str(u.getName()), u.getRejection().getCode());
  }

  std::string select(const std::vector<criterion>& all, Role role = Role::USER, const char* user = "ann") const {
    const auto asked = schema::make<schema::Request>([&](schema::Request::Builder r) {
      auto list = r.initSelectJobs().initCriteria(static_cast<unsigned>(all.size()));
      for (unsigned i = 0; i < all.size(); ++i) {
        list[i].setName(all[i].name);
        list[i].setResource(all[i].resource);
        list[i].setOp(all[i].op);
        list[i].setValue(all[i].value);
      }
    });
    std::string ids;
    const auto send = [&](const schema::sealed<schema::Reply>& r) {
      if ((*r).isRejected())
        ids = "refused " + std::to_string((*r).getRejected().getCode());
      else
        for (const auto id : (*r).getJobs()) ids += (ids.empty() ? "" : " ") + schema::str(id);
    };
    BOOST_TEST(!projections::begin_answer(status, asked, {user, "p1", role})->go_on(status, send, 0, SIZE_MAX));
    return ids;
  }
};

const auto all_jobs = [](schema::Stat::Builder s) { s.setKind(ObjectKind::JOB); };

std::function<void(schema::Stat::Builder)> named(ObjectKind kind, const std::vector<std::string>& names) {
  return [=](schema::Stat::Builder s) {
    s.setKind(kind);
    auto list = s.initNames(static_cast<unsigned>(names.size()));
    for (unsigned i = 0; i < names.size(); ++i) list.set(i, names[i]);
  };
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(status_queries, cluster)

BOOST_AUTO_TEST_CASE(jobs_come_in_the_order_of_their_numbers) {
  submit(12, 4, "ann@p1", {});
  submit(13, 3, "ann@p1", {});
  const std::vector<std::string> expected{"1.p1", "2.p1", "3.p1", "4.p1"};
  BOOST_TEST(stat(all_jobs).names == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(only_what_was_wanted_is_sent) {
  const answer a = stat([](schema::Stat::Builder s) {
    s.setKind(ObjectKind::JOB);
    s.initWanted(1).set(0, job::queue);
  });
  BOOST_TEST(a.get("1.p1", job::queue) == "workq");
  BOOST_TEST(!a.rows.at("1.p1").has(job::Job_Owner));
}

// Or the reply is larger than a frame may be, and the command never has an answer.
BOOST_AUTO_TEST_CASE(jobs_of_large_selects_are_sent_in_several_replies) {
  const std::string select(1'000'000, 'x');
  for (unsigned n = 20; n < 40; ++n) submit(100 + n, n, "ann@p1", {{"Resource_List", "select", select.c_str()}});
  std::size_t sent = 0, largest = 0;
  const auto asked = schema::make<schema::Stat>([](schema::Stat::Builder s) { s.setKind(ObjectKind::JOB); });
  projections::answer_stat(status, 7, *asked, {"ann", "p1", Role::USER}, [&](const schema::sealed<schema::Reply>& r) {
    sent += r.get().getObjects().getObjects().size();
    largest = std::max(largest, r.bytes().size());
  });
  BOOST_TEST(sent == 22u);
  BOOST_TEST(largest < 4'000'000u);
}

BOOST_AUTO_TEST_CASE(users_and_states_choose_jobs) {
  BOOST_TEST(stat([](schema::Stat::Builder s) { s.initUsers(1).set(0, "bob"); }).names.front() == "2.p1");
  const answer running = stat([](schema::Stat::Builder s) { s.setStates("RS"); });
  BOOST_TEST(running.names.size() == 1u);
  BOOST_TEST(running.names.front() == "1.p1");
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_named_in_the_order_asked) {
  const answer a = stat(named(ObjectKind::JOB, {"9.p1", "1.p1", "8.p1"}));
  BOOST_REQUIRE(a.unknown.size() == 2u);
  BOOST_TEST(a.unknown[0].first == "9.p1");
  BOOST_TEST(a.unknown[1].second == 15001u);
  BOOST_TEST(stat(named(ObjectKind::QUEUE, {"nosuch"})).unknown.front().second == 15018u);
  BOOST_TEST(stat(named(ObjectKind::NODE, {"nosuch"})).unknown.front().second == 15062u);
}

BOOST_AUTO_TEST_CASE(jobs_of_others_are_hidden_when_query_other_jobs_is_false) {
  server("query_other_jobs", "False");
  BOOST_TEST(stat(all_jobs).names.size() == 1u);
  BOOST_TEST(stat(all_jobs, Role::OPERATOR, "oper").names.size() == 2u);
  const answer a = stat(named(ObjectKind::JOB, {"2.p1"}));
  BOOST_TEST(a.names.empty());
  BOOST_TEST(a.unknown.empty());
  BOOST_TEST(select({}) == "1.p1");
}

BOOST_AUTO_TEST_CASE(variables_of_others_are_hidden) {
  const std::string list = "PBS_O_HOME=/home/bob,TOKEN=a\\,PBS_O_SECRET=b,PBS_O_HOST=p1,MORE=c";
  submit(12, 3, "bob@p1", {{"Variable_List", "", list.c_str()}, {"Submit_arguments", "", "-h -vTOKEN=a b -N x"}});
  const auto three = named(ObjectKind::JOB, {"3.p1"});
  const auto seen = [&](Role role, const char* user) { return stat(three, role, user).get("3.p1", job::Variable_List); };
  BOOST_TEST(seen(Role::USER, "ann") == "PBS_O_HOME=/home/bob,PBS_O_HOST=p1");
  BOOST_TEST(stat(three, Role::USER, "ann").get("3.p1", job::Submit_arguments) == "-h");
  for (const auto role : {Role::OPERATOR, Role::MANAGER, Role::ROOT}) BOOST_TEST(seen(role, "oper") == list);
  BOOST_TEST(seen(Role::USER, "bob") == list);
  server("show_other_variables", "True");
  BOOST_TEST(seen(Role::USER, "ann") == list);
  BOOST_TEST(stat(three, Role::USER, "ann").get("3.p1", job::Submit_arguments) == "-h -vTOKEN=a b -N x");
}

BOOST_AUTO_TEST_CASE(where_submit_arguments_end_for_others) {
  unsigned number = 2;
  const auto seen = [&](const char* arguments) {
    const auto id = std::to_string(++number) + ".p1";
    submit(10 + number, number, "bob@p1", {{"Submit_arguments", "", arguments}});
    return std::string(stat(named(ObjectKind::JOB, {id})).get(id, job::Submit_arguments));
  };
  for (const char* whole : {"-N x -l ncpus=1 -- /bin/true", "-Nv job.sh", "--version", "-j oe -A v", "-N -"})
    BOOST_TEST(seen(whole) == whole);
  BOOST_TEST(seen("-N x -v A=1 -h") == "-N x");
  BOOST_TEST(seen("-fhv A=1") == "");
  BOOST_TEST(seen("-N x\t-v A=1") == "-N x");
}

BOOST_AUTO_TEST_CASE(nobody_selects_by_what_he_does_not_see) {
  submit(12, 3, "bob@p1", {{"Variable_List", "", "TOKEN=abc"}, {"exec_vnode_orig", "", "(p1:ncpus=1)"}});
  const criterion of_token{"Variable_List", "", schema::CompareOp::EQ, "TOKEN=abc"};
  BOOST_TEST(select({of_token}) == "");
  BOOST_TEST(select({of_token}, Role::USER, "bob") == "3.p1");
  BOOST_TEST(select({{"exec_vnode_orig", "", schema::CompareOp::EQ, "(p1:ncpus=1)"}}, Role::USER, "bob") == "");
}

BOOST_AUTO_TEST_CASE(invisible_resources_are_for_operators_and_managers) {  // RU-18
  happen(1, [](auto e) {
    auto r = e.initServer().initResourceCreated();
    r.setName("hidden");
    r.setType("long");
    r.setFlags("hi");
  });
  host(5, "p2", {{"resources_available", "ncpus", "4"}, {"resources_available", "hidden", "7"}});
  submit(12, 3, "ann@p1", {{"Resource_List", "ncpus", "1"}, {"Resource_List", "hidden", "3"}});
  const auto resources = [](schema::Stat::Builder s) { s.setKind(ObjectKind::RESOURCE); };
  namespace node = attributes::node;
  for (const auto role : {Role::USER, Role::OPERATOR, Role::MANAGER}) {
    const bool seen = role != Role::USER;
    BOOST_TEST(stat(named(ObjectKind::JOB, {"3.p1"}), role).get("3.p1", job::Resource_List, "hidden") == (seen ? "3" : "(none)"));
    BOOST_TEST(stat(named(ObjectKind::JOB, {"3.p1"}), role).get("3.p1", job::Resource_List, "ncpus") == "1");
    BOOST_TEST(stat(named(ObjectKind::NODE, {"p2"}), role).get("p2", node::resources_available, "hidden") == (seen ? "7" : "(none)"));
    BOOST_TEST(select({{"Resource_List", "hidden", CompareOp::EQ, "3"}}, role) == (seen ? "3.p1" : ""));
    BOOST_TEST(stat(resources, role).names.size() == (seen ? 1u : 0u));
    BOOST_TEST(stat(named(ObjectKind::RESOURCE, {"hidden"}), role).unknown.size() == (seen ? 0u : 1u));
  }
}

BOOST_AUTO_TEST_CASE(what_a_plain_job_asked_for_is_among_what_is_hidden) {  // RS-32
  const std::string completed = "3:ncpus=1+1:mem=5gb:ncpus=1+1:ncpus=2:mem=2gb";
  submit(12, 3, "ann@p1", {{"Resource_List", "select", "3:ncpus=1+mem=5gb+ncpus=2:mem=2gb"}, {"schedselect", "", completed.c_str()}});
  const auto shown = [&] { return stat(named(ObjectKind::JOB, {"3.p1"})).get("3.p1", job::Resource_List, "select_requested"); };
  BOOST_TEST(shown() == "(none)");
  server("show_hidden_attribs", "True");
  BOOST_TEST(shown() == completed);
}

BOOST_AUTO_TEST_CASE(history_must_be_kept_to_be_asked_for) {
  const auto with_history = [](schema::Stat::Builder s) { s.setHistory(schema::History::ALSO); };
  BOOST_TEST(stat(with_history).refused.has_value());
  server("job_history_enable", "True");
  BOOST_TEST(stat(with_history).names.size() == 2u);
}

BOOST_AUTO_TEST_CASE(managers_see_more_than_users) {
  namespace ids = attributes::node;
  BOOST_TEST(stat(named(ObjectKind::NODE, {"p1"})).get("p1", ids::Port) == "(none)");
  BOOST_TEST(stat(named(ObjectKind::NODE, {"p1"}), Role::MANAGER).get("p1", ids::Port) == "15002");
}

BOOST_AUTO_TEST_CASE(a_node_shows_its_jobs_and_what_they_hold) {  // RD-33
  namespace ids = attributes::node;
  const answer a = stat(named(ObjectKind::HOST, {"p1"}), Role::MANAGER);
  BOOST_TEST(a.get("p1", ids::state) == "free");
  BOOST_TEST(a.get("p1", ids::jobs) == "1.p1/0, 1.p1/1");
  BOOST_TEST(a.get("p1", ids::resources_assigned, "ncpus") == "2");
  BOOST_TEST(a.get("p1", ids::resources_assigned, "mem") == "102400kb");
  BOOST_TEST(a.get("p1", ids::resources_assigned, "vmem") == "0kb");
}

// Each event is a second after the one before.
BOOST_AUTO_TEST_CASE(a_node_says_when_its_state_last_changed) {
  namespace ids = attributes::node;
  const auto shown = [&] {
    const answer a = stat(named(ObjectKind::HOST, {"p1"}), Role::MANAGER);
    return a.get("p1", ids::state) + " " + a.get("p1", ids::last_state_change_time);
  };
  const auto now = [&] { return std::to_string(records.sequence); };
  const auto change = [&](const char* name, const char* resource, const char* value) {
    happen(4, [&](auto e) {
      e.initHost().initVnodeChanged().setVnode("p1");
      fill(e.getHost().getVnodeChanged().initChanges(1), {{name, resource, value}});
    });
  };
  BOOST_TEST(shown() == "free 5");  // when it came up, though a job has some of it
  happen(11, [](auto e) {
    auto a = e.initJob().initAssigned();
    a.setRun(1);
    a.setExecVnode("(p1:ncpus=2)");
    a.setExecHost("p1/2*2");
    a.initHosts(1).set(0, "p1");
    a.setPlace("pack");
  });
  BOOST_TEST(shown() == "job-busy " + now());
  const auto busy = now();
  happen(11, [](auto e) { e.initJob().initStarted().setRun(1); });
  BOOST_TEST(shown() == "job-busy " + busy);
  happen(11, [](auto e) {
    e.initJob().initSuspended().setRun(1);
    e.getJob().getSuspended().setAdmin(true);
  });
  BOOST_TEST(shown() == "job-busy,maintenance " + now());
  happen(11, [](auto e) {
    auto r = e.initJob().initVnodesReleased();
    r.setRun(1);
    r.setExecVnode("(p1:ncpus=2)");
    r.setWhy(schema::ReleaseReason::SUSPENDED);
  });
  BOOST_TEST(shown() == "maintenance " + now());
  happen(11, [](auto e) { e.initJob().initResumed().setAdmin(true); });
  happen(11, [](auto e) {
    e.initJob().initVnodesTaken().setExecVnode("(p1:ncpus=2)");
    e.getJob().getVnodesTaken().setPlace("pack");
  });
  BOOST_TEST(shown() == "job-busy " + now());
  change("resources_available", "ncpus", "8");
  BOOST_TEST(shown() == "free " + now());
  change("state", "", "offline");
  BOOST_TEST(shown() == "offline " + now());
  const auto offline = now();
  change("comment", "", "a fan is broken");
  BOOST_TEST(shown() == "offline " + offline);
}

// As PBS does. Which jobs are suspended is what qselect -s S says.
BOOST_AUTO_TEST_CASE(a_node_lists_a_suspended_job_only_if_it_keeps_something) {
  namespace ids = attributes::node;
  const auto shown = [&] {
    const answer a = stat(named(ObjectKind::HOST, {"p1"}), Role::MANAGER);
    const auto assigned = [&](const char* resource) { return a.get("p1", ids::resources_assigned, resource); };
    return a.get("p1", ids::jobs) + ": " + assigned("ncpus") + " " + assigned("mem");
  };
  const auto suspend = [&](const char* released, bool partly) {
    happen(10, [](auto e) { e.initJob().initSuspended().setRun(1); });
    happen(10, [&](auto e) {
      auto r = e.initJob().initVnodesReleased();
      r.setRun(1);
      r.setExecVnode(released);
      r.setWhy(schema::ReleaseReason::SUSPENDED);
      r.setAmountsOnly(partly);
    });
  };
  const char* const all = "(p1:ncpus=2:mem=102400kb)";
  happen(10, [](auto e) { e.initJob().initStarted().setRun(1); });
  suspend(all, false);
  BOOST_TEST(shown() == "(none): 0 0kb");
  happen(10, [](auto e) { e.initJob().initResumed().setRun(1); });
  happen(10, [&](auto e) {
    e.initJob().initVnodesTaken().setExecVnode(all);
    e.getJob().getVnodesTaken().setPlace("pack");
  });
  BOOST_TEST(shown() == "1.p1/0, 1.p1/1: 2 102400kb");
  suspend("(p1:ncpus=2)", true);  // restrict_res_to_release_on_suspend
  BOOST_TEST(shown() == "1.p1/0, 1.p1/1: 0 102400kb");
}

BOOST_AUTO_TEST_CASE(servers_and_queues_sum_what_running_jobs_asked_for) {
  const answer s = stat([](schema::Stat::Builder q) { q.setKind(ObjectKind::SERVER); }, Role::MANAGER);
  namespace ids = attributes::server;
  BOOST_TEST(s.get("p1", ids::resources_assigned, "mem") == "100mb");
  BOOST_TEST(s.get("p1", ids::resources_assigned, "nodect") == "1");
  BOOST_TEST(s.get("p1", ids::total_jobs) == "2");
  BOOST_TEST(s.get("p1", ids::license_count) == "Avail_Global:1000000 Avail_Local:1000000 Used:0 High_Use:0");
  BOOST_TEST(s.get("p1", ids::power_provisioning) == "False");
  const answer q = stat(named(ObjectKind::QUEUE, {"workq"}));
  BOOST_TEST(q.get("workq", attributes::queue::resources_assigned, "ncpus") == "2");
  BOOST_TEST(q.get("workq", attributes::queue::state_count) ==
             "Transit:0 Queued:1 Held:0 Waiting:0 Running:1 Exiting:0 Begun:0 ");
}

BOOST_AUTO_TEST_CASE(a_server_is_idle_while_scheduling_is_off) {  // as recorded
  const auto shown = [&] {
    const answer s = stat([](schema::Stat::Builder q) { q.setKind(ObjectKind::SERVER); });
    return s.get("p1", attributes::server::server_state);
  };
  BOOST_TEST(shown() == "Active");
  server("scheduling", "False");
  BOOST_TEST(shown() == "Idle");
  server("server_state", "Terminating");  // one that winds up stays so
  BOOST_TEST(shown() == "Terminating");
  server("server_state", "Active");
  server("scheduling", "True");
  BOOST_TEST(shown() == "Active");
}

// RD-20: what a job has let go is another's when its vnodes are free, and no sum falls before.
BOOST_AUTO_TEST_CASE(sums_fall_when_vnodes_are_free) {
  host(5, "p2", {{"resources_available", "ncpus", "4"}, {"resources_available", "mem", "8gb"}});
  submit(12, 3, "ann@p1", {{"Resource_List", "ncpus", "3"}, {"Resource_List", "nodect", "2"}, {"Resource_List", "mem", "3mb"}});
  happen(12, [](auto e) {
    auto a = e.initJob().initAssigned();
    a.setRun(1);
    a.setExecVnode("(p1:ncpus=1:mem=1024kb)+(p2:ncpus=2:mem=2048kb)");
    a.setExecHost("p1/2+p2/0*2");
    auto hosts = a.initHosts(2);
    hosts.set(0, "p1");
    hosts.set(1, "p2");
    a.setPlace("scatter");
  });
  // ncpus, chunks and memory of all jobs of the server and of the queue.
  const auto sums = [&] {
    const answer s = stat([](schema::Stat::Builder q) { q.setKind(ObjectKind::SERVER); }, Role::MANAGER);
    const answer q = stat(named(ObjectKind::QUEUE, {"workq"}));
    std::string text;
    for (const char* resource : {"ncpus", "nodect", "mem"}) {
      const auto of_server = s.get("p1", attributes::server::resources_assigned, resource);
      BOOST_TEST(q.get("workq", attributes::queue::resources_assigned, resource) == of_server);
      text += (text.empty() ? "" : " ") + of_server;
    }
    return text;
  };
  BOOST_TEST(sums() == "5 3 103mb");
  happen(12, [](auto e) {
    auto r = e.initJob().initReduced();
    r.setRun(1);
    r.setRequest(1);
    r.setReleased("(p2:ncpus=2:mem=2048kb)");
    r.setExecVnode("(p1:ncpus=1:mem=1024kb)");
    r.setExecHost("p1/2");
    r.setKeepSelect("1:ncpus=1:mem=1024kb");
    r.initSatisfies(1).set(0, 0);
    fill(r.initChanges(3), {{"Resource_List", "ncpus", "1"}, {"Resource_List", "nodect", "1"}, {"Resource_List", "mem", "1024kb"}});
  });
  BOOST_TEST(stat(all_jobs).get("3.p1", job::Resource_List, "ncpus") == "1");
  BOOST_TEST(stat(named(ObjectKind::HOST, {"p2"}), Role::MANAGER).get("p2", attributes::node::resources_assigned, "ncpus") == "2");
  BOOST_TEST(sums() == "5 3 105472kb");
  happen(12, [](auto e) {
    auto r = e.initJob().initVnodesReleased();
    r.setRun(1);
    r.setExecVnode("(p2:ncpus=2:mem=2048kb)");
    r.setWhy(schema::ReleaseReason::LEFT);
    r.initHosts(1).set(0, "p2");
  });
  BOOST_TEST(stat(named(ObjectKind::HOST, {"p2"}), Role::MANAGER).get("p2", attributes::node::resources_assigned, "ncpus") == "0");
  BOOST_TEST(sums() == "3 2 103424kb");
}

BOOST_AUTO_TEST_CASE(criteria_compare_by_the_type_of_the_attribute) {
  BOOST_TEST(select({{"Resource_List", "ncpus", CompareOp::GT, "1"}}) == "1.p1");
  BOOST_TEST(select({{"Resource_List", "mem", CompareOp::GE, "102400kb"}}) == "1.p1");
  BOOST_TEST(select({{"Resource_List", "walltime", CompareOp::LT, "150"}}) == "1.p1 2.p1");
  BOOST_TEST(select({{"Job_Owner", "", CompareOp::EQ, "bob"}}) == "2.p1");
  BOOST_TEST(select({{"job_state", "", CompareOp::EQ, "HR"}}) == "1.p1");
  BOOST_TEST(select({{"Resource_List", "ncpus", CompareOp::GE, "1"}, {"queue", "", CompareOp::EQ, "workq"}}) ==
             "1.p1 2.p1");
  BOOST_TEST(select({{"queue", "", CompareOp::EQ, "nosuch"}}) == "refused 15018");
}

BOOST_AUTO_TEST_CASE(an_unset_time_counts_as_0) {
  BOOST_TEST(select({{"Execution_Time", "", CompareOp::GT, "1000"}}) == "");
  BOOST_TEST(select({{"Execution_Time", "", CompareOp::LT, "1000"}}) == "1.p1 2.p1");
  BOOST_TEST(select({{"eligible_time", "", CompareOp::GT, "1000"}}) == "");
  BOOST_TEST(select({{"Account_Name", "", CompareOp::GT, "a"}}) == "");
}

namespace {

struct reserving : cluster {
  static constexpr std::uint64_t standing = 100;
  static std::string place(unsigned from, unsigned to) {
    std::string text;
    for (unsigned n = from; n < to; ++n) text += (text.empty() ? "(n" : "+(n") + std::to_string(n) + ":ncpus=1)";
    return text;
  }
  void reserve(std::uint64_t stream, const std::string& id, unsigned windows) {
    happen(stream, [&](auto e) {
      auto s = e.initReservation().initSubmitted();
      s.setId(id);
      s.setKind(schema::ReservationKind::STANDING);
      auto list = s.initOccurrences(windows);
      for (unsigned i = 0; i < windows; ++i) list[i].setIndex(i + 1);
    });
  }
  void confirm(std::uint64_t stream, unsigned windows, const std::function<std::string(unsigned)>& where) {
    happen(stream, [&](auto e) {
      auto places = e.initReservation().initConfirmed().initOccurrences(windows);
      for (unsigned i = 0; i < windows; ++i) {
        places[i].setIndex(i + 1);
        places[i].setExecVnode(where(i));
      }
    });
  }
  std::string kept(const std::string& vnode) const {
    return stat([](auto s) { s.setKind(ObjectKind::NODE); }).get(vnode, attributes::node::resv);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_vnode_names_the_reservations_that_are_to_come, reserving) {
  for (unsigned n = 0; n < 4; ++n) host(20 + n, ("n" + std::to_string(n)).c_str(), {});
  reserve(standing, "S5", 2);
  BOOST_TEST(kept("n0") == "(none)");
  confirm(standing, 2, [](unsigned i) { return place(i, i + 2); });
  reserve(standing + 1, "S6", 1);
  confirm(standing + 1, 1, [](unsigned) { return place(1, 3); });
  BOOST_TEST(kept("n0") == "S5.p1");
  BOOST_TEST(kept("n1") == "S6.p1, S5.p1");
  happen(standing, [](auto e) { e.initReservation().initOccurrenceBegan().setIndex(1); });
  happen(standing, [](auto e) { e.initReservation().initOccurrenceEnded().setIndex(1); });
  BOOST_TEST(kept("n0") == "(none)");
  BOOST_TEST(kept("n2") == "S6.p1, S5.p1");
  happen(standing + 1, [](auto e) { e.initReservation().initDeleteRequested(); });
  BOOST_TEST(kept("n2") == "S6.p1, S5.p1");
  happen(standing + 1, [](auto e) { e.initReservation().setEnded(); });
  BOOST_TEST(kept("n1") == "S5.p1");
  happen(standing, [](auto e) { e.initReservation().initOccurrenceEnded().setIndex(2); });
  BOOST_TEST(kept("n1") == "(none)");  // all are over
  happen(standing, [](auto e) { e.initReservation().setEnded(); });
  BOOST_TEST(kept("n1") == "(none)");
}

// When each row read all places again this took eight seconds.
BOOST_FIXTURE_TEST_CASE(a_standing_reservation_of_many_vnodes_costs_each_row_nothing, reserving) {
  constexpr unsigned vnodes = 1000, windows = 30;
  for (unsigned n = 0; n < vnodes; ++n) host(1000 + n, ("n" + std::to_string(n)).c_str(), {});
  reserve(standing, "S5", windows);
  confirm(standing, windows, [](unsigned) { return place(0, vnodes / 2); });
  const auto before = std::clock();
  const auto all = stat([](auto s) { s.setKind(ObjectKind::NODE); });
  BOOST_TEST((std::clock() - before) * 1000 / CLOCKS_PER_SEC < 2000);  // some 10 ms
  BOOST_TEST(all.names.size() == vnodes + 1);
  BOOST_TEST(all.get("n499", attributes::node::resv) == "S5.p1");
  BOOST_TEST(all.get("n500", attributes::node::resv) == "(none)");
}

BOOST_AUTO_TEST_SUITE_END()
