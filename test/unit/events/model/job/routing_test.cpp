// Jobs in routing queues: who comes in, where the server moves them, and when they end there.
#include <boost/test/unit_test.hpp>

#include "events/model/job/routing.hpp"
#include "events/values/pbs_error.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
namespace ids = attributes::job;
namespace on_queue = attributes::queue;
using model::job_phase;

namespace {

constexpr auto nobody_takes_it = "15039 Job rejected by all possible destinations";
constexpr auto too_many_hops = "15024 Job routing over too many hops";
constexpr auto not_now = "15016 Request invalid for state of job";

// "rq" leads to "short", then to "long".
struct routed_site : job_story {
  routed_site() {
    for (const auto* name : {"short", "long", "rq"}) settings.queues[name].attributes = settings.queues["workq"].attributes;
    set("short", on_queue::resources_max, "01:00:00", "walltime");
    set("rq", on_queue::queue_type, "Route");
    set("rq", on_queue::route_destinations, "short,long");
  }
  void set(const char* queue, attributes::attribute_id id, const char* value, const char* resource = "") {
    settings.queues[queue].attributes.set(id, resource, value);
  }
  void unset(const char* queue, attributes::attribute_id id) { settings.queues[queue].attributes.erase(id); }
  std::string submitted(const given_values& s = {}) { return when(submission(12, s, "rq")); }
  std::string routed(const char* to) { return when(move(to), the_server()); }
};

const given_values long_one{{"Resource_List", "walltime", "05:00:00"}};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(routing, routed_site)

BOOST_AUTO_TEST_CASE(a_job_in_a_routing_queue_is_not_eligible_before_it_has_left) {
  BOOST_TEST(submitted() == "queued");
  BOOST_TEST(state() == "Q 10");
  BOOST_TEST(attribute(ids::queue_type) == "R");
  BOOST_TEST(!job.attributes.has(ids::etime));
  later(7);
  BOOST_TEST(routed("short") == "moved");
  BOOST_TEST(attribute(ids::queue) == "short");
  BOOST_TEST(attribute(ids::queue_type) == "E");
  BOOST_TEST(attribute(ids::etime) == std::to_string(now_s));
  BOOST_TEST(attribute(ids::hop_count) == "1");
  later(7);
  BOOST_TEST(when(move("rq"), manager()) == "moved");
  BOOST_TEST(attribute(ids::queue_type) == "R");
  BOOST_TEST(!job.attributes.has(ids::etime));
  BOOST_TEST(!job.attributes.has(ids::hop_count));
}

BOOST_AUTO_TEST_CASE(nobody_runs_it_there) {
  submitted();
  auto asked = propose();
  asked.asked = true;
  asked.scheduler.clear();
  BOOST_TEST(said(ask(asked, operator_())) == not_now);
  BOOST_TEST(said(ask(propose(), the_scheduler())) == not_now);
  routed("short");
  BOOST_TEST(said(ask(propose(), the_scheduler())) == "assigned");
}

BOOST_AUTO_TEST_CASE(what_no_destination_can_ever_take_is_not_let_in) {
  set("rq", on_queue::route_destinations, "nosuchq");
  BOOST_TEST(submitted() == nobody_takes_it);
  set("rq", on_queue::route_destinations, "nosuchq,short");
  BOOST_TEST(said(ask(submission(12, long_one, "rq"))) == nobody_takes_it);
  BOOST_TEST(said(ask(submission(12, {}, "rq"))) == "queued");
  set("short", on_queue::enabled, "False");  // it may be enabled again
  BOOST_TEST(said(ask(submission(12, long_one, "rq"))) == "queued");
}

BOOST_AUTO_TEST_CASE(who_is_not_routed_yet_is_let_in) {
  set("rq", on_queue::route_destinations, "nosuchq");
  BOOST_TEST(said(ask(submission(12, {{"Hold_Types", "", "u"}}, "rq"))) == "queued");
  set("rq", on_queue::route_held_jobs, "True");
  BOOST_TEST(said(ask(submission(12, {{"Hold_Types", "", "u"}}, "rq"))) == nobody_takes_it);
  unset("rq", on_queue::route_destinations);
  BOOST_TEST(said(ask(submission(12, {}, "rq"))) == "queued");
  set("rq", on_queue::route_destinations, "nosuchq");
  set("rq", on_queue::started, "False");
  BOOST_TEST(said(ask(submission(12, {}, "rq"))) == "queued");
}

BOOST_AUTO_TEST_CASE(held_and_waiting_jobs_leave_only_if_the_queue_says_so) {
  submitted({{"Hold_Types", "", "u"}, {"Execution_Time", "", std::to_string(now_s + 60)}});
  BOOST_TEST(routed("short") == not_now);
  set("rq", on_queue::route_held_jobs, "True");
  BOOST_TEST(routed("short") == not_now);
  set("rq", on_queue::route_waiting_jobs, "True");
  BOOST_TEST(routed("short") == "moved");
  BOOST_TEST(state() == "H 20");
}

BOOST_AUTO_TEST_CASE(the_server_keeps_to_what_the_owner_may) {
  submitted(long_one);
  BOOST_TEST(routed("short").starts_with("15036 "));
  set("long", on_queue::acl_user_enable, "True");
  set("long", on_queue::acl_users, "other");
  BOOST_TEST(routed("long").starts_with("15022 "));
  set("long", on_queue::acl_users, "user1");
  set("long", on_queue::acl_host_enable, "True");
  set("long", on_queue::acl_hosts, "elsewhere");
  BOOST_TEST(routed("long").starts_with("15008 "));
  set("long", on_queue::acl_hosts, "borg");
  BOOST_TEST(routed("long") == "moved");
  BOOST_TEST(routed("workq") == not_now);  // it has left: an order that was on its way comes too late
}

BOOST_AUTO_TEST_CASE(from_route_only_is_for_the_server_and_managers) {
  constexpr auto denied = "15022 Access to queue is denied";
  set("short", on_queue::from_route_only, "True");
  BOOST_TEST(said(ask(submission(12, {}, "short"))) == denied);
  BOOST_TEST(said(ask(submission(12, {}, "short"), operator_())) == denied);
  BOOST_TEST(said(ask(submission(12, {}, "short"), manager())) == "queued");
  submitted();
  BOOST_TEST(said(ask(move("short"))) == denied);
  BOOST_TEST(said(ask(move("short"), manager())) == "moved");
  BOOST_TEST(routed("short") == "moved");
}

BOOST_AUTO_TEST_CASE(a_job_that_nobody_takes_ends_when_nobody_ever_will) {
  submitted(long_one);
  set("long", on_queue::enabled, "False");
  BOOST_TEST(routed("").starts_with("15208 "));
  set("rq", on_queue::route_destinations, "short,nosuchq");
  BOOST_TEST(said(ask(move(""), manager())).find("ended") == std::string::npos);  // for others it is the default queue
  BOOST_TEST(routed("") == "ended");
  BOOST_TEST(state() == "F 91");
  BOOST_TEST(comment() == "Job rejected by all possible destinations");
  BOOST_TEST(routed("").starts_with("15139 "));
}

BOOST_AUTO_TEST_CASE(its_time_in_the_queue_ends) {
  submitted({{"Hold_Types", "", "u"}});
  BOOST_TEST(routed("") == not_now);
  set("rq", on_queue::route_lifetime, "60");
  later(59);
  BOOST_TEST(routed("") == not_now);
  set("rq", on_queue::started, "False");
  later(1);
  BOOST_TEST(routed("") == not_now);
  set("rq", on_queue::started, "True");
  BOOST_TEST(routed("") == "ended");
  BOOST_TEST(comment() == "Route queue lifetime exceeded");
}

BOOST_AUTO_TEST_CASE(queues_that_lead_to_each_other_do_so_for_a_while) {
  settings.queues["r2"].attributes = settings.queues["rq"].attributes;
  set("rq", on_queue::route_destinations, "r2,short");
  set("r2", on_queue::route_destinations, "rq,short");
  submitted();
  BOOST_TEST(said(ask(move("rq"), the_server())) == too_many_hops);
  std::int64_t moves = 0;
  while (routed(attribute(ids::queue) == "rq" ? "r2" : "rq") == "moved") ++moves;
  BOOST_TEST(moves == model::route_hops_max);
  BOOST_TEST(routed("") == "ended");
}

BOOST_AUTO_TEST_CASE(a_job_waits_in_a_queue_that_leads_to_itself_alone) {
  set("rq", on_queue::route_destinations, "rq");
  BOOST_TEST(submitted() == "queued");
  BOOST_TEST(said(ask(move("rq"), the_server())) == too_many_hops);
  BOOST_TEST(routed("").starts_with("15208 "));
  BOOST_TEST(state() == "Q 10");
  set("rq", on_queue::route_destinations, "rq,nosuchq");
  BOOST_TEST(routed("") == "ended");
}

BOOST_AUTO_TEST_CASE(a_job_waits_where_queues_lead_to_each_other_alone) {
  for (const auto* name : {"r2", "r3"}) settings.queues[name].attributes = settings.queues["rq"].attributes;
  set("rq", on_queue::route_destinations, "r2@borg");
  set("r2", on_queue::route_destinations, "r3");
  set("r3", on_queue::route_destinations, "r2,rq");
  BOOST_TEST(submitted() == "queued");
  BOOST_TEST(said(ask(move("r2"), the_server())) == too_many_hops);
  BOOST_TEST(routed("").starts_with("15208 "));
  BOOST_TEST(model::leads_nowhere("rq", "r2", settings));
  set("r3", on_queue::route_destinations, "r2,short");
  BOOST_TEST(!model::leads_nowhere("rq", "r2", settings));
  set("r3", on_queue::route_destinations, "nosuchq");
  BOOST_TEST(!model::leads_nowhere("rq", "r2", settings));
  BOOST_TEST(routed("r2") == "moved");
}

BOOST_AUTO_TEST_CASE(what_may_change_is_no_refusal_for_good) {
  namespace e = values::pbs_error;
  for (auto code : {e::queue_not_enabled, e::count_limit, e::resource_limit, e::too_many_queued, e::hook_error, e::bad_state,
                    e::system_error, e::try_again, e::server_down})
    BOOST_TEST(!model::refuses_for_good(code));
  for (auto code : {e::unknown_queue, e::bad_host, e::queue_access_denied, e::exceeds_queue_resources, e::too_many_hops})
    BOOST_TEST(model::refuses_for_good(code));
}

BOOST_AUTO_TEST_SUITE_END()
