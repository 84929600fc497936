// Which name and number is which stream, and which runs hosts have: what the gateway looks up before it forwards.
#include <boost/test/unit_test.hpp>

#include "actors/gateway/hosts/blobs_to_moms.hpp"
#include "actors/gateway/jobs/run_ticket.hpp"
#include "events/values/job_id.hpp"
#include "test/support/made_history.hpp"
#include "test/unit/actors/gateway/followed.hpp"

using namespace annals;

namespace {

struct cluster : test::followed {
  std::uint64_t host(const std::string& name) {
    const auto stream = write(0, model::make_event([&](auto e) { e.initHost().initAdded().setName(name); }));
    vnode(stream, name);
    return stream;
  }
  void vnode(std::uint64_t host, const std::string& name) {
    write(host, model::make_event([&](auto e) { e.initHost().initVnodeCreated().setName(name); }));
  }
  void assign(std::uint64_t job, std::uint32_t run, const std::vector<std::string>& hosts) {
    write(job, model::make_event([&](auto e) {
            auto a = e.initJob().initAssigned();
            a.setRun(run);
            auto list = a.initHosts(static_cast<unsigned>(hosts.size()));
            for (unsigned i = 0; i < list.size(); ++i) list.set(i, hosts[i]);
          }));
  }
  void hand_back(std::uint64_t job, const std::string& from) {
    write(job, model::make_event([&](auto e) { e.initJob().initVnodesReleased().initHosts(1).set(0, from); }));
  }
  std::uint64_t array(std::uint64_t number, const std::string& indices = "1-9") {
    return write(0, model::make_event([&](auto e) {
                   auto q = e.initJob().initQueued();
                   q.setNumber(number);
                   q.setIndices(indices);
                 }));
  }
  // The stream of a subjob that is run.
  std::uint64_t begin(std::uint64_t array, std::uint32_t index) { return job(values::subjob_number(array, index)); }
  void end(std::uint64_t job) {
    write(job, model::make_event([](auto e) { e.initJob().initEnded(); }));
  }
  void forget(std::uint64_t job) {
    write(job, model::make_event([](auto e) { e.initJob().setForgotten(); }));
  }
  std::uint64_t job_with_script(std::uint64_t number, const std::string& hash, std::uint64_t size) {
    return write(0, model::make_event([&](auto e) {
                   auto q = e.initJob().initQueued();
                   q.setNumber(number);
                   q.initScript().setHash({reinterpret_cast<const kj::byte*>(hash.data()), hash.size()});
                   q.getScript().setSize(size);
                 }));
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(looking_up)

BOOST_AUTO_TEST_CASE(a_job_is_found_by_number_and_by_serial_until_it_is_forgotten) {
  cluster c;
  BOOST_TEST(c.where.next_number() == 0u);
  const auto serial = c.job(12);
  BOOST_TEST(c.where.job_serial(12).value() == serial);
  BOOST_TEST(c.where.job_number(serial).value() == 12u);
  BOOST_TEST(!c.where.job_serial(13));
  BOOST_TEST(c.where.next_number() == 13u);
  c.write(serial, model::make_event([](auto e) { e.initJob().setForgotten(); }));
  BOOST_TEST(!c.where.job_serial(12));
  BOOST_TEST(!c.where.job_number(serial));
  BOOST_TEST(c.where.next_number() == 13u);  // no number is given twice
}

BOOST_AUTO_TEST_CASE(an_array_is_known_with_its_subjobs_that_run) {
  cluster c;
  BOOST_TEST(!c.where.array(12));
  const auto serial = c.array(12), plain = c.job(13);
  BOOST_TEST(c.where.job_serial(12).value() == serial);
  BOOST_TEST(c.where.job_serial(13).value() == plain);
  BOOST_TEST(!c.where.array(13));
  BOOST_REQUIRE(c.where.array(12));
  BOOST_TEST(c.where.array(12)->runs.empty());
  const auto third = c.begin(12, 3), first = c.begin(12, 1);
  BOOST_TEST(c.where.array(12)->runs == (std::set<std::uint32_t>{1, 3}), boost::test_tools::per_element());
  BOOST_TEST(c.where.job_serial(values::subjob_number(12, 3)).value() == third);
  BOOST_TEST(c.where.job_number(first).value() == values::subjob_number(12, 1));
  BOOST_TEST(!c.where.array(values::subjob_number(12, 3)));
  BOOST_TEST(c.where.next_number() == 14u);  // a subjob uses up none
  c.end(third);
  BOOST_TEST(c.where.array(12)->runs == (std::set<std::uint32_t>{1}), boost::test_tools::per_element());
  BOOST_TEST(c.where.job_serial(values::subjob_number(12, 3)).value() == third);  // it is in the history
  BOOST_TEST(!c.where.array(12)->ended);
  c.end(first);
  c.end(serial);
  BOOST_TEST(c.where.array(12)->ended);
  c.forget(serial);
  BOOST_TEST(!c.where.array(12));
  BOOST_TEST(!c.where.job_serial(12));
  c.forget(first);
  c.forget(third);
  BOOST_TEST(!c.where.job_serial(values::subjob_number(12, 3)));
  BOOST_TEST(!c.where.array(12));
}

BOOST_AUTO_TEST_CASE(a_subjob_that_is_run_again_has_a_new_stream) {
  cluster c;
  const std::string hash(32, 'h');
  c.array(12);
  const auto number = values::subjob_number(12, 3);
  const auto before = c.job_with_script(number, hash, 70'000);
  c.assign(before, 1, {"n1"});
  BOOST_TEST(c.where.runs_on("n1").at(0).number == number);
  c.hand_back(before, "n1");
  c.forget(before);
  BOOST_TEST(!c.where.job_serial(number));
  BOOST_TEST(!c.where.job_number(before));
  BOOST_TEST(!c.where.script_of(before));  // it has not ended, and is no more
  BOOST_TEST(c.where.array(12)->runs.empty());
  BOOST_TEST(c.where.runs_on("n1").empty());
  const auto after = c.job_with_script(number, hash, 70'000);
  BOOST_TEST(after != before);
  BOOST_TEST(c.where.job_serial(number).value() == after);
  BOOST_TEST(c.where.array(12)->runs.contains(3));
  BOOST_REQUIRE(c.where.script_of(after));
  c.assign(after, 2, {"n1"});
  BOOST_TEST(c.where.has_run("n1", after, 2));
  BOOST_TEST(!c.where.has_run("n1", before, 1));
}

BOOST_AUTO_TEST_CASE(ids_show_what_a_job_is) {
  cluster c;
  c.write(0, model::make_event([](auto e) { e.initServer().initStarted().setServerName("borg"); }));
  c.array(12);
  c.job(13);
  c.begin(12, 3);
  BOOST_TEST(c.where.job_id(12) == "12[].borg");
  BOOST_TEST(c.where.job_id(13) == "13.borg");
  BOOST_TEST(c.where.job_id(values::subjob_number(12, 3)) == "12[3].borg");
  BOOST_TEST(c.where.job_id(values::subjob_number(12, 4)) == "12[4].borg");  // it has not begun
}

BOOST_AUTO_TEST_CASE(vnodes_that_a_run_can_not_give_back_are_known) {  // RD-67
  cluster c;
  const auto n1 = c.host("n1"), n2 = c.host("n2"), n3 = c.host("n3");
  c.vnode(n2, "n2[0]");
  const auto set = [&](std::uint64_t host, const char* vnode, const char* resource, const char* value) {
    c.write(host, model::make_event([&](auto e) {
              auto changed = e.initHost().initVnodeChanged();
              changed.setVnode(vnode);
              auto a = changed.initChanges(1)[0];
              a.setName("resources_available");
              a.setResource(resource);
              a.setValue(value);
            }));
  };
  const auto serial = c.job(12);
  c.assign(serial, 1, {"n1", "n2"});
  set(n1, "n1", "vntype", "cray_login");
  set(n3, "n3", "vntype", "cray_compute");
  BOOST_TEST(c.where.unreleasable_vnodes(serial).empty());  // of its other hosts none
  set(n2, "n2[0]", "arch", "linux_cpuset");
  set(n2, "n2", "vntype", "fast,cray_compute");
  const auto found = c.where.unreleasable_vnodes(serial);
  BOOST_REQUIRE(found.size() == 2u);
  BOOST_TEST(found.at("n2") == "not currently supported on Cray X* series nodes: n2");
  BOOST_TEST(found.at("n2[0]") == "not currently supported on nodes whose resources are part of a cpuset: n2[0]");
  BOOST_TEST(c.where.unreleasable_vnodes(serial + 1000).empty());
}

BOOST_AUTO_TEST_CASE(a_run_has_a_program_until_the_log_says_that_it_ended) {
  const auto ends = {+[](schema::JobEvent::Builder e) { e.initExited().setRun(1); },
                     +[](schema::JobEvent::Builder e) { e.initStartFailed().setRun(1); },
                     +[](schema::JobEvent::Builder e) { e.initRequeued().setRun(1); }};
  for (const auto end : ends) {
    cluster c;
    const auto serial = c.job(12);
    BOOST_TEST(!c.where.has_program("n1", serial, 1));
    c.assign(serial, 1, {"n1", "n2"});
    BOOST_TEST(c.where.has_program("n1", serial, 1));
    BOOST_TEST(c.where.has_program("n2", serial, 1));
    BOOST_TEST(!c.where.has_program("n3", serial, 1));
    BOOST_TEST(!c.where.has_program("n1", serial, 2));
    c.write(serial, model::make_event([&](auto e) { end(e.initJob()); }));
    BOOST_TEST(!c.where.has_program("n1", serial, 1));
    BOOST_TEST(c.where.has_run("n1", serial, 1));  // its vnodes are not back
    c.assign(serial, 2, {"n1"});
    BOOST_TEST(c.where.has_program("n1", serial, 2));
    BOOST_TEST(!c.where.has_program("n1", serial, 1));
    c.hand_back(serial, "n1");
    BOOST_TEST(!c.where.has_program("n1", serial, 2));
  }
}

BOOST_AUTO_TEST_CASE(a_vnode_leads_to_its_host_until_either_goes) {
  cluster c;
  const auto n1 = c.host("n1"), n2 = c.host("n2");
  c.vnode(n1, "gpu0");
  BOOST_TEST(c.where.host_of_vnode("gpu0").value() == "n1");
  BOOST_TEST(c.where.host_of_vnode("n2").value() == "n2");
  c.write(n1, model::make_event([](auto e) { e.initHost().initVnodeDeleted().setName("gpu0"); }));
  BOOST_TEST(!c.where.host_of_vnode("gpu0"));
  c.write(n2, model::make_event([](auto e) { e.initHost().initRemoved().setName("n2"); }));
  BOOST_TEST(!c.where.host_of_vnode("n2"));
  BOOST_TEST(c.where.hosts().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_run_is_on_its_hosts_until_each_hands_it_back) {
  cluster c;
  const auto job = c.job(1);
  c.assign(job, 3, {"n1", "n2"});
  BOOST_TEST(c.where.has_run("n1", job, 3));
  BOOST_TEST(c.where.has_run("n2", job, 3));
  BOOST_TEST(!c.where.has_run("n1", job, 2));  // another start of it
  BOOST_TEST(!c.where.has_run("n3", job, 3));
  BOOST_TEST(c.where.runs_on("n1").size() == 1u);  // it is the primary
  BOOST_TEST(c.where.runs_on("n2").empty());
  c.hand_back(job, "n1");
  BOOST_TEST(!c.where.has_run("n1", job, 3));
  BOOST_TEST(c.where.runs_on("n1").empty());
  c.hand_back(job, "n2");
}

BOOST_AUTO_TEST_CASE(what_a_run_is_compared_with_says_which_job_and_since_when) {
  cluster c;
  const auto job = c.job(41);
  c.assign(job, 1, {"n1"});
  const auto expected = c.where.runs_on("n1").at(0);
  BOOST_TEST(expected.serial == job);
  BOOST_TEST(expected.number == 41u);
  BOOST_TEST(expected.run == 1u);
  BOOST_TEST(expected.assigned == c.where.sequence());
}

BOOST_AUTO_TEST_CASE(a_host_may_have_the_script_of_its_run_and_no_other) {
  cluster c;
  const std::string hash(32, 'h'), other(32, 'o');
  const auto job = c.job_with_script(1, hash, 70'000);
  const auto size = [&](const std::string& host, const std::string& of, std::uint32_t run = 1) {
    return actors::size_of_script(c.where, host, {job, run, "1.borg"}, of).value_or(0);
  };
  BOOST_TEST(size("n1", hash) == 0u);
  c.assign(job, 1, {"n1"});
  BOOST_TEST(size("n1", hash) == 70'000u);
  BOOST_TEST(size("n2", hash) == 0u);
  BOOST_TEST(size("n1", other) == 0u);
  BOOST_TEST(size("n1", hash, 2) == 0u);
}

BOOST_AUTO_TEST_CASE(the_moms_of_an_orders_sisters_are_found_in_their_order) {
  cluster c;
  c.host("n1");
  const auto n2 = c.host("n2");
  c.write(n2, model::make_event([](auto e) {
            e.initHost().initCameUp().setAddress("10.0.0.2");
            e.getHost().getCameUp().setPort(15002);
          }));
  const auto order = schema::make<schema::ToMom>([](schema::ToMom::Builder m) {
    auto list = m.initStartRun().initSisters(2);
    list[0].setHost("n9");
    list[1].setHost("n2");
  });
  const auto places = actors::places_of_sisters(order, c.where);
  BOOST_REQUIRE(places.size() == 2u);
  BOOST_TEST(places[0].address == "");
  BOOST_TEST(places[1].address == "10.0.0.2");
  BOOST_TEST(places[1].port == 15002);
}

// What the other cases write is tried in the same way (followed.hpp).
BOOST_AUTO_TEST_CASE(a_directory_goes_on_from_a_checkpoint) {
  const auto known = [](const actors::directory& where) {
    const auto& s = *where.settings();
    return s.home + " " + s.host_name + " " + std::to_string(s.queues.size()) + " " + std::to_string(where.next_number());
  };
  for (unsigned seed = 1; seed <= 6; ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) {
      test::check_goes_on_alike(
          test::made_records(seed, 150), [] { return std::make_unique<actors::directory>("/home"); }, known);
    }
}

BOOST_AUTO_TEST_CASE(settings_are_as_of_the_last_change) {
  cluster c;
  const auto before = c.where.settings();
  c.write(0, model::make_event([](auto e) { e.initQueue().initCreated().setName("long"); }));
  BOOST_TEST(c.where.settings()->queue("long") != nullptr);
  BOOST_TEST(before->queue("long") == nullptr);  // who has the old ones keeps them
  BOOST_TEST(c.where.queues().contains("long"));
}

BOOST_AUTO_TEST_SUITE_END()
