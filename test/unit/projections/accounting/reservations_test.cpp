// Accounting of reservations and of the jobs in them, as transcripts of a PBS show it.
#include "test/unit/projections/accounting/accounting_fixture.hpp"

using namespace annals;
using namespace annals::test;

namespace {

const model::requester owner{"pbsuser", "q1", schema::Role::USER};
const model::requester operator_of_q1{"pbsoper", "q1", schema::Role::OPERATOR};
const model::requester scheduler_of_q1{"Scheduler", "q1", schema::Role::SCHEDULER};
const model::requester server_of_q1{"root", "q1", schema::Role::SERVER};

struct told_reservation {
  told_log log;
  reservation_story story;

  told_reservation() {
    story.settings.server_name = story.settings.host_name = "q1";
    story.now_s = 1795221745;  // 11/21/2026 00:42:25
  }
  void submit(given_values more = {}, std::int64_t duration = 25, const std::vector<std::string>& hosts = {},
              const model::requester& by = owner) {
    given_values all{{"Reserve_Name", "", "rone"},
                     {"reserve_start", "", std::to_string(story.now_s + 7)},
                     {"reserve_duration", "", std::to_string(duration)}};
    if (hosts.empty()) all.push_back({"Resource_List", "select", "1:ncpus=1:host=q3"});
    all.insert(all.end(), more.begin(), more.end());
    auto c = reserve(all, hosts, 512);
    c.egroup = "tstgrp00";
    c.hosts.clear();
    for (const auto& host : hosts) c.hosts.push_back({host, {{host, "", 4}}});
    BOOST_REQUIRE_EQUAL(story.when(c, by), hosts.empty() ? "submitted" : "submitted confirmed");
  }
  std::string confirmed(const std::string& exec_vnode) {
    const auto wanted = story.state.ask->wanted;
    return story.when(model::reservation_answer{schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
                                                  auto a = m.initReservation();
                                                  a.setAsk(story.state.ask->number);
                                                  auto places = a.initConfirmed(static_cast<unsigned>(wanted.size()));
                                                  for (unsigned i = 0; i < places.size(); ++i) {
                                                    places[i].setIndex(wanted[i].index);
                                                    places[i].setStartNs(wanted[i].start_ns);
                                                    places[i].setEndNs(wanted[i].end_ns);
                                                    places[i].setExecVnode(exec_vnode);
                                                  }
                                                }),
                                                "default"},
                      scheduler_of_q1);
  }
  std::string wakes() {
    const auto owed = model::pending_effects(story.state, story.settings);
    story.now_s = std::max(story.now_s, owed.front().wall_ns / a_second);
    return story.when(model::reservation_time{}, server_of_q1);
  }
  std::vector<std::string> lines() {
    log.told(story);
    return lines_of(log.records);
  }
  std::string last() { return lines().back().substr(20); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(reservation_records, told_reservation)

BOOST_AUTO_TEST_CASE(an_advance_reservation_leaves_u_y_b_and_k) {
  submit();
  confirmed("(q3:ncpus=1)");
  BOOST_TEST(wakes() == "occurrenceBegan");
  BOOST_TEST(wakes() == "occurrenceEnded");
  story.when(model::reservation_empty{}, server_of_q1);
  const std::vector<std::string> expected{
      "11/21/2026 00:42:25;U;R512.q1;requestor=pbsuser@q1",
      "11/21/2026 00:42:25;Y;R512.q1;requestor=Scheduler@q1 start=1795221752 end=1795221777 nodes=(q3:ncpus=1)",
      "11/21/2026 00:42:32;B;R512.q1;owner=pbsuser@q1 name=rone queue=R512 ctime=1795221745 start=1795221752 end=1795221777 duration=25 "
      "nodes=(q3:ncpus=1) Authorized_Users=pbsuser@q1 Resource_List.ncpus=1 Resource_List.nodect=1 Resource_List.select=1:ncpus=1:host=q3 "
      "Resource_List.place=free Resource_List.walltime=00:00:25 ",
      "11/21/2026 00:42:57;K;R512.q1;requestor=root@q1"};
  BOOST_TEST(lines() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(who_deletes_it_is_told_by_the_letter) {
  submit();
  confirmed("(q3:ncpus=1)");
  story.removed(owner);
  BOOST_TEST(last() == "k;R512.q1;requestor=pbsuser@q1");
  told_reservation other;
  other.submit();
  other.confirmed("(q3:ncpus=1)");
  other.story.removed(operator_of_q1);
  BOOST_TEST(other.last() == "K;R512.q1;requestor=pbsoper@q1");
}

BOOST_AUTO_TEST_CASE(one_that_had_no_job_for_too_long_goes_by_the_server) {
  submit();
  confirmed("(q3:ncpus=1)");
  wakes();
  story.when(model::reservation_unused{}, server_of_q1);
  BOOST_TEST(last() == "K;R512.q1;requestor=root@q1");
}

// pbs_rsub --hosts: no scheduler is asked.
BOOST_AUTO_TEST_CASE(maintenance_is_confirmed_by_who_asks_for_it) {
  submit({}, 60, {"q2"}, operator_of_q1);
  const std::vector<std::string> expected{
      "11/21/2026 00:42:25;U;M512.q1;requestor=pbsoper@q1",
      "11/21/2026 00:42:25;Y;M512.q1;requestor=pbsoper@q1 start=1795221752 end=1795221812 nodes=(q2:ncpus=4)"};
  BOOST_TEST(lines() == expected, boost::test_tools::per_element());
}

// pbs_rsub --job
BOOST_AUTO_TEST_CASE(one_of_a_running_job_leaves_no_u) {
  auto c = reserve({{"Reserve_Name", "", "rone"}, {"reserve_job", "", "582.q1"}}, {}, 583);
  c.of_job = model::reservation_job{9, "582.q1", owner.user, false, true, {}};
  c.of_job->attributes.set(attributes::job::exec_vnode, "(q3:ncpus=1)");
  c.of_job->attributes.set(attributes::job::Resource_List, "select", "1:ncpus=1:host=q3");
  c.of_job->attributes.set(attributes::job::Resource_List, "walltime", "00:01:00");
  BOOST_REQUIRE_EQUAL(story.when(c, owner), "submitted");
  BOOST_TEST(lines().size() == 1u);
  BOOST_TEST(last() == "Y;R583.q1;requestor=@ start=1795221745 end=1795221805 nodes=(q3:ncpus=1)");
  wakes();
  BOOST_TEST(last().starts_with("B;R583.q1;owner=pbsuser@q1 name=rone queue=R583 "));
}

BOOST_AUTO_TEST_CASE(what_is_denied_is_removed_by_the_server_itself) {
  submit({{"interactive", "", "-10"}});
  BOOST_TEST(last() == "U;R512.q1;requestor=pbsuser@q1 Interactive=-10");
  BOOST_TEST(wakes() == "denied");
  BOOST_TEST(last() == "K;R512.q1;requestor=Server@q1@q1");
}

BOOST_AUTO_TEST_CASE(a_standing_one_tells_its_rule_and_its_count_and_ends_once) {
  submit({{"reserve_rrule", "", "FREQ=HOURLY;COUNT=2"}, {"reserve_timezone", "", "UTC"}}, 5);
  BOOST_TEST(last() == "U;S512.q1;requestor=pbsuser@q1 recurrence_rrule=FREQ=HOURLY;COUNT=2 timezone=UTC");
  confirmed("(q3:ncpus=1)");
  BOOST_TEST(last() == "Y;S512.q1;requestor=Scheduler@q1 start=1795221752 end=1795221757 nodes=(q3:ncpus=1) count=2");
  for (int i = 0; i < 4; ++i) wakes();
  std::string letters;
  for (const auto& line : lines()) letters += line[20];
  BOOST_TEST(letters == "UYBBK");
}

BOOST_AUTO_TEST_CASE(each_accepted_change_of_time_and_each_new_place_is_a_y) {
  submit();
  confirmed("(q3:ncpus=1)");
  story.altered({{"Reserve_Name", "", "newn"}}, owner);
  story.altered({{"reserve_duration", "", "60"}}, owner);
  confirmed("(q2:ncpus=1)");
  BOOST_TEST(last() == "Y;R512.q1;requestor=Scheduler@q1 start=1795221752 end=1795221812 nodes=(q2:ncpus=1)");
  story.altered({{"reserve_duration", "", "90"}}, operator_of_q1, true);
  BOOST_TEST(last() == "Y;R512.q1;requestor=Scheduler@q1 start=1795221752 end=1795221842 nodes=(q2:ncpus=1)");
  BOOST_TEST(lines().size() == 4u);
}

BOOST_AUTO_TEST_CASE(the_owner_stands_among_the_users_when_it_begins) {
  submit({{"Authorized_Users", "", "pbsuser1,pbsuser"}, {"Authorized_Groups", "", "tstgrp01"}});
  confirmed("(q3:ncpus=1)");
  wakes();
  BOOST_TEST(last().find(" Authorized_Users=pbsuser1,pbsuser,pbsuser@q1 Authorized_Groups=tstgrp01 Resource_List.ncpus=1 ") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(jobs_tell_the_reservation_that_they_are_in) {
  submit();
  confirmed("(q3:ncpus=1)");
  log.told(story);
  auto job = log.job();
  job.settings.server_name = "q1";
  job.settings.queues["R512"] = job.settings.queues["workq"];
  job.settings.queues["R512"].reservation = 7;
  auto c = submission(513, {});
  c.request = make_request([](schema::Request::Builder r) { r.initQueueJob().setQueue("R512"); });
  c.euser = "pbsuser";
  c.egroup = "tstgrp00";
  BOOST_REQUIRE_EQUAL(job.when(c, owner), "queued");
  log.told(job);
  const auto in = [&] {
    const std::string line = lines().back();
    return line.substr(line.find(" queue=") + 1, line.find(" ctime=") - line.find(" queue=") - 1);
  };
  BOOST_TEST(in() == "queue=R512 resvname=rone resvID=R512.q1");
  story.altered({{"Reserve_Name", "", "newn"}}, owner);
  job.when(propose("(q1:ncpus=1)", "q1"), the_scheduler());
  job.starts();
  log.told(story);
  log.told(job);
  BOOST_TEST(in() == "queue=R512 resvname=newn resvID=R512.q1");
  job.exits(0, {0, 1104, 2, 2});
  job.leaves();
  log.told(job);
  BOOST_TEST(lines().back()[20] == 'E');
  BOOST_TEST(in() == "queue=R512 resvname=newn resvID=R512.q1");
}

BOOST_AUTO_TEST_SUITE_END()
