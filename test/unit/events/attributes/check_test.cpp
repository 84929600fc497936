// Values and rights of single attributes.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <vector>

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"

using namespace annals;
using namespace annals::attributes;
using schema::ObjectKind;
using schema::Role;

namespace {

resource_catalogue site_resources() {
  resource_catalogue c;
  BOOST_REQUIRE(!c.create("rb", "boolean", "h"));
  BOOST_REQUIRE(!c.create("rf", "float", "nh"));
  BOOST_REQUIRE(!c.create("ri", "long", "ih"));
  return c;
}

// "canonical", or "code text".
std::string check(ObjectKind kind, std::string_view name, std::string_view resource, std::string_view text) {
  const attribute* row = find(kind, name);
  BOOST_REQUIRE_MESSAGE(row, name);
  const auto value = check_value(*row, resource, text, site_resources());
  return value ? *value : std::to_string(value.error().code) + " " + value.error().text;
}

std::string set_by(ObjectKind kind, std::string_view name, Role role, bool owner = false, bool running = false,
                   std::string_view resource = {}, bool creating = false) {
  const auto why = may_set(*find(kind, name), resource, role, owner, running, creating, site_resources());
  return why ? why->text : "allowed";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(checks)

BOOST_AUTO_TEST_CASE(what_follows_from_a_request_is_set_by_nobody) {  // RS-31
  const std::string refused = "Cannot set attribute, read only or insufficient permission  ";
  for (const Role role : {Role::USER, Role::MANAGER, Role::ROOT, Role::SERVER, Role::MOM})
    BOOST_TEST(set_by(ObjectKind::JOB, "Resource_List", role, true, false, "select_requested") ==
               refused + "Resource_List.select_requested");
  BOOST_TEST(set_by(ObjectKind::SERVER, "resources_default", Role::MANAGER, false, false, "select_requested") ==
             refused + "resources_default.select_requested");
  BOOST_TEST(set_by(ObjectKind::SERVER, "resources_default", Role::MANAGER, false, false, "rjselect") == "allowed");
}

BOOST_AUTO_TEST_CASE(values_become_canonical_by_type) {
  BOOST_TEST(check(ObjectKind::SERVER, "scheduling", "", "t") == "True");
  BOOST_TEST(check(ObjectKind::SERVER, "scheduler_iteration", "", "-5") == "-5");
  BOOST_TEST(check(ObjectKind::SERVER, "log_events", "", "0x1ff") == "511");
  BOOST_TEST(check(ObjectKind::SERVER, "job_history_duration", "", "90") == "00:01:30");
  BOOST_TEST(check(ObjectKind::SERVER, "jobscript_max_size", "", "5m") == "5mb");
  BOOST_TEST(check(ObjectKind::QUEUE, "route_destinations", "", "q2, workq") == "q2,workq");
  BOOST_TEST(check(ObjectKind::SERVER, "acl_users", "", "c@d,a@b,c@d") == "a@b,c@d");
  BOOST_TEST(check(ObjectKind::SERVER, "comment", "", "hello world") == "hello world");
  BOOST_TEST(check(ObjectKind::NODE, "resources_available", "mem", "1g") == "1gb");
  BOOST_TEST(check(ObjectKind::NODE, "resources_available", "rb", "y") == "True");
  BOOST_TEST(check(ObjectKind::NODE, "resources_available", "rf", "1.50") == "1.5");
  BOOST_TEST(check(ObjectKind::NODE, "state", "", "down,offline") == "down,offline");
  BOOST_TEST(check(ObjectKind::QUEUE, "queue_type", "", "e") == "Execution");
  BOOST_TEST(check(ObjectKind::QUEUE, "queue_type", "", "ROUTE") == "Route");
  BOOST_TEST(check(ObjectKind::JOB, "umask", "", "022") == "22");
  BOOST_TEST(check(ObjectKind::JOB, "Hold_Types", "", "us") == "su");
  BOOST_TEST(check(ObjectKind::JOB, "project", "", "") == "_pbs_project_default");
  BOOST_TEST(check(ObjectKind::SCHEDULER, "preempt_order", "", "SCR 80 SC 50 S") == "SCR 80 SC 50 S");
}

// Commands ask the same before they send a value; whoever uses none of them is asked here.
BOOST_AUTO_TEST_CASE(texts_of_a_job_are_what_its_commands_would_send) {
  const std::string refused = "15014 Illegal attribute or resource value";
  for (const char* name : {"a", "1-2_3+4.5", ".x"}) BOOST_TEST(check(ObjectKind::JOB, "Job_Name", "", name) == name);
  for (const char* name : {"", "a b", "a/b", "a@b", "a[1]", "a\n", "\033[31m"})
    BOOST_TEST(check(ObjectKind::JOB, "Job_Name", "", name) == refused, name);
  BOOST_TEST(check(ObjectKind::JOB, "Job_Name", "", std::string(230, 'n')) == std::string(230, 'n'));
  BOOST_TEST(check(ObjectKind::JOB, "Job_Name", "", std::string(231, 'n')) == refused);
  for (const char* mask : {"-1", "7x", "0x1f", "", "99999999999999999999999"})
    BOOST_TEST(check(ObjectKind::JOB, "umask", "", mask) == refused, mask);
  BOOST_TEST(check(ObjectKind::JOB, "umask", "", "999") == "999");  // as PBS takes it
  BOOST_TEST(check(ObjectKind::JOB, "Shell_Path_List", "", "/bin/sh, /bin/csh@n1") == "/bin/sh,/bin/csh@n1");
  for (const char* list : {"sh", "bin/sh@n1", "/bin/sh,/bin/csh", "/bin/sh@"})
    BOOST_TEST(check(ObjectKind::JOB, "Shell_Path_List", "", list) == refused, list);
  BOOST_TEST(check(ObjectKind::JOB, "User_List", "", "anna,bob@n1") == "anna,bob@n1");
  for (const char* list : {"anna,bob", "@n1", "anna@"}) BOOST_TEST(check(ObjectKind::JOB, "User_List", "", list) == refused, list);
  BOOST_TEST(check(ObjectKind::JOB, "Mail_Users", "", "a@b.org, c") == "a@b.org,c");
  for (const char* list : {"@b.org", "a@", "a b", "a,,b"}) BOOST_TEST(check(ObjectKind::JOB, "Mail_Users", "", list) == refused, list);
  BOOST_TEST(check(ObjectKind::JOB, "Mail_Users", "", "") == "");
  for (const char* truth : {"maybe", "2", ""}) BOOST_TEST(check(ObjectKind::JOB, "interactive", "", truth) == refused, truth);
}

BOOST_AUTO_TEST_CASE(variables_keep_their_blanks) {
  BOOST_TEST(check(ObjectKind::JOB, "Variable_List", "", "PS1=$ ,A=\\, b") == "PS1=$ ,A=\\, b");
}

BOOST_AUTO_TEST_CASE(a_bad_plain_value_is_refused_without_a_name) {
  const std::string bad = "15014 Illegal attribute or resource value";
  BOOST_TEST(check(ObjectKind::SERVER, "scheduling", "", "maybe") == bad);
  BOOST_TEST(check(ObjectKind::QUEUE, "enabled", "", "zz") == bad);
  BOOST_TEST(check(ObjectKind::QUEUE, "queue_type", "", "bogus") == bad);
  BOOST_TEST(check(ObjectKind::QUEUE, "Priority", "", "=5") == bad);
  BOOST_TEST(check(ObjectKind::QUEUE, "Priority", "", "1024") == bad);
  BOOST_TEST(check(ObjectKind::JOB, "Checkpoint", "", "c=0") == bad);
  BOOST_TEST(check(ObjectKind::SCHEDULER, "preempt_order", "", "R D") == bad);
  BOOST_TEST(check(ObjectKind::SCHEDULER, "preempt_order", "", "SS") == bad);
  BOOST_TEST(check(ObjectKind::SCHEDULER, "preempt_prio", "", "starving_jobs,normal_jobs") == bad);
  BOOST_TEST(check(ObjectKind::SCHEDULER, "preempt_sort", "", "foo") == bad);
  BOOST_TEST(check(ObjectKind::JOB, "Priority", "", "") == bad);
}

// Issue: a kill_delay below 0 became 136 years. Times to wait have one rule; where PBS takes them below 0 they mean 1.
BOOST_AUTO_TEST_CASE(a_time_to_wait_is_not_below_zero_and_not_beyond_what_can_be_counted) {
  const std::string bad = "15014 Illegal attribute or resource value";
  using settable = std::pair<ObjectKind, const char*>;
  for (const auto& [kind, name] : {settable{ObjectKind::QUEUE, "kill_delay"}, settable{ObjectKind::SERVER, "sync_mom_hookfiles_timeout"}}) {
    for (const char* wrong : {"-1", "2147483648", "4294967296", "99999999999999999999", "", "3s"})
      BOOST_TEST(check(kind, name, "", wrong) == bad);
    BOOST_TEST(check(kind, name, "", "0") == "0");
    BOOST_TEST(check(kind, name, "", "2147483647") == "2147483647");
  }
  for (const auto& [kind, name] : {settable{ObjectKind::SERVER, "node_fail_requeue"}, settable{ObjectKind::SERVER, "scheduler_iteration"},
                                   settable{ObjectKind::SCHEDULER, "scheduler_iteration"}}) {
    BOOST_TEST(check(kind, name, "", "-5") == "-5");
    BOOST_TEST(check(kind, name, "", "2147483648") == bad);
  }
  BOOST_TEST(check(ObjectKind::SERVER, "job_history_duration", "", "-1") == bad);
  BOOST_TEST(check(ObjectKind::SERVER, "job_history_duration", "", "2147483648") == bad);
  BOOST_TEST(check(ObjectKind::JOB, "Execution_Time", "", "9223372036") == "9223372036");
  BOOST_TEST(check(ObjectKind::JOB, "Execution_Time", "", "9223372037") == bad);
}

// Each has a least value below which it means nothing.
BOOST_AUTO_TEST_CASE(a_number_is_not_below_what_it_counts) {
  const std::string bad = "15014 Illegal attribute or resource value";
  struct least {
    ObjectKind kind;
    const char *name, *value, *below;
  };
  for (const auto& [kind, name, value, below] :
       {least{ObjectKind::SERVER, "backfill_depth", "0", "-1"}, least{ObjectKind::QUEUE, "backfill_depth", "0", "-1"},
        least{ObjectKind::SERVER, "resend_term_delay", "0", "-1"}, least{ObjectKind::SERVER, "reserve_retry_time", "1", "0"},
        least{ObjectKind::SERVER, "max_concurrent_provision", "1", "0"},
        least{ObjectKind::SERVER, "job_requeue_timeout", "00:00:01", "0"}}) {
    BOOST_TEST(check(kind, name, "", value) == value, name);
    BOOST_TEST(check(kind, name, "", below) == bad, name);
    BOOST_TEST(check(kind, name, "", "-7") == bad, name);
  }
  for (const char* name : {"resend_term_delay", "reserve_retry_time", "job_requeue_timeout"})
    BOOST_TEST(check(ObjectKind::SERVER, name, "", "2147483648") == bad, name);
}

// None of them throws, whatever an older log holds.
BOOST_AUTO_TEST_CASE(what_is_no_number_reads_as_not_set) {
  attribute_set set;
  BOOST_TEST(!integer_of(set, queue::kill_delay).has_value());
  for (const char* odd : {"", "-", "soon", "12x", "99999999999999999999", "\xff"}) {
    set.set(queue::kill_delay, odd);
    BOOST_TEST(!integer_of(set, queue::kill_delay).has_value());
    BOOST_TEST(!seconds_of(set, queue::kill_delay).has_value());
  }
  set.set(queue::kill_delay, "-7");
  BOOST_TEST(integer_of(set, queue::kill_delay).value() == -7);
  set.set(queue::kill_delay, "01:00:07");
  BOOST_TEST(seconds_of(set, queue::kill_delay).value() == 3607);
}

BOOST_AUTO_TEST_CASE(some_refusals_name_the_attribute) {  // MS-105
  BOOST_TEST(check(ObjectKind::JOB, "project", "", "a[b") == "15014 Illegal attribute or resource value project");
  BOOST_TEST(check(ObjectKind::SERVER, "max_run", "", "[u:bob=x]") ==
             "15014 Illegal attribute or resource value max_run");
  BOOST_TEST(check(ObjectKind::NODE, "resources_available", "ncpus", "-1") ==
             "15014 Illegal attribute or resource value resources_available.ncpus");
  BOOST_TEST(check(ObjectKind::QUEUE, "resources_max", "nosuch", "3") == "15035 Unknown resource resources_max.nosuch");
  BOOST_TEST(check(ObjectKind::SERVER, "max_run_res", "", "[u:PBS_GENERIC=4]") == "15035 Unknown resource max_run_res");
  BOOST_TEST(check(ObjectKind::SERVER, "max_run_res", "x", "[u:PBS_GENERIC=4]") ==
             "15035 Unknown resource max_run_res.x");
  BOOST_TEST(check(ObjectKind::NODE, "state", "", "busy") == "15067 Illegal value for node state");
  BOOST_TEST(check(ObjectKind::SERVER, "managers", "", "nodomain") ==
             "15008 Access from host not allowed, or unknown host");
  BOOST_TEST(check(ObjectKind::QUEUE, "partition", "", "pbs-default") == "15228 Default partition name is not allowed");
  BOOST_TEST(check(ObjectKind::SERVER, "max_job_sequence_id", "", "12") ==
             "15225 Cannot set max_job_sequence_id < 9999999, or > 999999999999");
  for (const char* none : {"0", "-1", "abc", "1e9"})
    BOOST_TEST(check(ObjectKind::SERVER, "max_job_sequence_id", "", none) == "15014 Illegal attribute or resource value", none);
}

BOOST_AUTO_TEST_CASE(limits_on_resources_take_values_of_the_resource) {
  BOOST_TEST(check(ObjectKind::SERVER, "max_run_res", "mem", "[u:PBS_GENERIC=4g]") == "[u:PBS_GENERIC=4gb]");
  BOOST_TEST(check(ObjectKind::SERVER, "max_run", "", "[u:b=1],[g:a=2]") == "[g:a=2],[u:b=1]");
  BOOST_TEST(check(ObjectKind::SERVER, "max_run", "", "[u:bob]") == "15014 Illegal attribute or resource value");
  BOOST_TEST(check(ObjectKind::SERVER, "max_run", "", "[u:a=1],[u:a=2]") == "15014 Illegal attribute or resource value max_run");
  BOOST_TEST(check(ObjectKind::SERVER, "max_run_res", "arch", "[u:a=1]") == "15014 Illegal attribute or resource value max_run_res.arch");
  const auto removed = [](const char* text) {
    const auto said = check_removed_limits(*find(ObjectKind::SERVER, "max_run_res"), "mem", text, resource_catalogue());
    return said ? *said : std::to_string(said.error().code);
  };
  BOOST_TEST(removed("[u:a=4g],[u:b]") == "[u:a=4gb],[u:b]");
  BOOST_TEST(removed("[u:a=x]") == "15014");
  BOOST_TEST(removed("u:a") == "15014");
}

BOOST_AUTO_TEST_CASE(only_vnodes_share_the_pool_of_another) {
  BOOST_TEST(check(ObjectKind::NODE, "resources_available", "rf", "@p2") == "@p2");
  BOOST_TEST(check(ObjectKind::NODE, "resources_available", "nosuch", "@p2") == "15035 Unknown resource resources_available.nosuch");
  for (const auto kind : {ObjectKind::QUEUE, ObjectKind::SERVER})
    BOOST_TEST(check(kind, "resources_available", "rf", "@p2") == "15014 Illegal attribute or resource value resources_available.rf");
}

BOOST_AUTO_TEST_CASE(cpus_and_memory_are_no_pool) {
  for (const std::string amount : {"ncpus", "mem", "vmem", "naccelerators"})
    BOOST_TEST(check(ObjectKind::NODE, "resources_available", amount, "@p2") ==
               "15014 Illegal attribute or resource value resources_available." + amount);
}

BOOST_AUTO_TEST_CASE(selects_in_lists_are_checked_like_requests) {
  BOOST_TEST(check(ObjectKind::JOB, "Resource_List", "select", "1:ncpus=x") ==
             "15014 Illegal attribute or resource value select.ncpus");
  BOOST_TEST(check(ObjectKind::JOB, "Resource_List", "select", "0") == "15014 Illegal attribute or resource value");
  BOOST_TEST(check(ObjectKind::JOB, "Resource_List", "place", "bogus") ==
             "15014 Illegal attribute or resource value Resource_List.place");
  BOOST_TEST(check(ObjectKind::QUEUE, "resources_default", "select", "2:ncpus=2") == "2:ncpus=2");
}

BOOST_AUTO_TEST_CASE(sums_and_differences_keep_the_form) {
  BOOST_TEST(add_values(value_type::size, "1gb", "512mb") == "1536mb");
  BOOST_TEST(add_values(value_type::integer, "2", "3") == "5");
  BOOST_TEST(add_values(value_type::integer, "9223372036854775807", "1") == "9223372036854775807");
  BOOST_TEST(subtract_values(value_type::duration, "00:01:00", "00:02:00") == "00:00:00");
  BOOST_TEST(add_values(value_type::string_array, "a,b", "b,c") == "a,b,c");
  BOOST_TEST(subtract_values(value_type::acl, "a@b,c@d", "a@b") == "c@d");
  BOOST_TEST(subtract_values(value_type::acl, "c@d", "zz@b") == "c@d");
  BOOST_TEST(add_values(value_type::acl, "pbsmgr@*", "foo@*") == "foo@*,pbsmgr@*");
  BOOST_TEST(add_values(value_type::limits, "[u:PBS_GENERIC=3]", "[g:x=2]") == "[g:x=2],[u:PBS_GENERIC=3]");
  BOOST_TEST(subtract_values(value_type::limits, "[g:x=2],[u:a=3]", "[g:x]") == "[u:a=3]");
  BOOST_TEST(compare_values(value_type::size, "1gb", "1024mb").value() == 0);
  BOOST_TEST(compare_values(value_type::duration, "00:01:00", "00:00:59").value() > 0);
  BOOST_TEST(!compare_values(value_type::integer, "1", "x"));
}

BOOST_AUTO_TEST_CASE(a_sum_of_many_does_not_depend_on_their_order) {
  const auto sum = [](value_type type, std::vector<counted_value> values) {
    const auto one_way = sum_of_values(type, values);
    std::reverse(values.begin(), values.end());
    BOOST_TEST(sum_of_values(type, values) == one_way);
    return one_way;
  };
  BOOST_TEST(sum(value_type::size, {{"1gb", 2}, {"512mb", 1}}) == "2560mb");
  BOOST_TEST(sum(value_type::size, {{"1b", 2}, {"1gb", 1}, {"1kb", 1}}) == "1048579kb");
  BOOST_TEST(sum(value_type::size, {{"1b", 2}, {"1w", 1}}) == "10b");
  BOOST_TEST(sum(value_type::size, {{"16383pb", 3}, {"1kb", 1}}) == "18014398509481983kb");
  BOOST_TEST(sum(value_type::size, {{"1GB", 1}}) == "1GB");
  BOOST_TEST(sum(value_type::integer, {{"2", 3}, {"-1", 2}}) == "4");
  BOOST_TEST(sum(value_type::integer, {{"9223372036854775807", 3}, {"1", 1}}) == "9223372036854775807");
  BOOST_TEST(sum(value_type::real, {{"0.5", 3}, {"0.25", 1}}) == "1.75");
  BOOST_TEST(sum(value_type::duration, {{"00:01:00", 2}, {"00:00:01", 1}}) == "00:02:01");
  BOOST_TEST(sum(value_type::integer, {}) == "");
}

BOOST_AUTO_TEST_CASE(a_formula_must_be_one_that_can_be_computed) {
  for (const auto kind : {ObjectKind::SERVER, ObjectKind::SCHEDULER}) {
    BOOST_TEST(check(kind, "job_sort_formula", "", "ncpus*2+queue_priority+job_priority") == "ncpus*2+queue_priority+job_priority");
    BOOST_TEST(check(kind, "job_sort_formula", "", "eligible_time+fairshare_perc+accrue_type+fairshare_factor+fairshare_tree_usage") ==
               "eligible_time+fairshare_perc+accrue_type+fairshare_factor+fairshare_tree_usage");
    BOOST_TEST(check(kind, "job_sort_formula", "", "ncpus+") == "15123 Invalid Formula Format");
    BOOST_TEST(check(kind, "job_sort_formula", "", "foo*2") == "15124 Formula contains invalid keyword");
    BOOST_TEST(check(kind, "job_sort_formula", "", "pow(2,job_priority)+math.sqrt(4)") == "15124 Formula contains invalid keyword");
    BOOST_TEST(check(kind, "job_sort_formula", "", "") == "");
  }
}

BOOST_AUTO_TEST_CASE(owners_set_what_is_theirs) {
  BOOST_TEST(set_by(ObjectKind::JOB, "Priority", Role::USER, true, true) == "allowed");
  BOOST_TEST(set_by(ObjectKind::JOB, "Priority", Role::USER, false) == "Unauthorized Request ");
  BOOST_TEST(set_by(ObjectKind::JOB, "Account_Name", Role::USER, true, true) ==
             "Cannot modify attribute while job running  Account_Name");
  BOOST_TEST(set_by(ObjectKind::JOB, "Account_Name", Role::MANAGER, false, true) ==
             "Cannot modify attribute while job running  Account_Name");
  BOOST_TEST(set_by(ObjectKind::JOB, "comment", Role::USER, true) ==
             "Cannot set attribute, read only or insufficient permission  comment");
  BOOST_TEST(set_by(ObjectKind::JOB, "comment", Role::OPERATOR, false, true) == "allowed");
  BOOST_TEST(set_by(ObjectKind::JOB, "eligible_time", Role::USER, true, true) ==
             "Cannot set attribute, read only or insufficient permission  eligible_time");
  BOOST_TEST(set_by(ObjectKind::JOB, "topjob_ineligible", Role::OPERATOR, false, true) ==
             "Cannot set attribute, read only or insufficient permission  topjob_ineligible");
  BOOST_TEST(set_by(ObjectKind::JOB, "job_state", Role::MANAGER) ==
             "Cannot set attribute, read only or insufficient permission  job_state");
  BOOST_TEST(set_by(ObjectKind::JOB, "job_state", Role::SERVER) == "allowed");
  BOOST_TEST(set_by(ObjectKind::JOB, "block", Role::USER, true) == "Illegal attribute or resource value");
  BOOST_TEST(set_by(ObjectKind::JOB, "block", Role::USER, true, false, {}, true) == "allowed");
}

BOOST_AUTO_TEST_CASE(resources_have_their_own_rights) {
  const auto resource = [](std::string_view name, Role role, bool running) {
    return set_by(ObjectKind::JOB, "Resource_List", role, role == Role::USER, running, name);
  };
  BOOST_TEST(resource("walltime", Role::USER, true) == "allowed");
  BOOST_TEST(resource("cput", Role::USER, true) == "allowed");
  BOOST_TEST(resource("mem", Role::USER, true) == "Cannot modify attribute while job running  Resource_List.mem");
  BOOST_TEST(resource("select", Role::MANAGER, true) ==
             "Cannot modify attribute while job running  Resource_List.select");
  BOOST_TEST(resource("soft_walltime", Role::USER, true) ==
             "Cannot set attribute, read only or insufficient permission  Resource_List.soft_walltime");
  BOOST_TEST(resource("soft_walltime", Role::MANAGER, true) == "allowed");
  BOOST_TEST(resource("nodect", Role::USER, false) ==
             "Cannot set attribute, read only or insufficient permission  Resource_List.nodect");
  BOOST_TEST(resource("ri", Role::USER, false) ==
             "Cannot set attribute, read only or insufficient permission  Resource_List.ri");
  BOOST_TEST(resource("ri", Role::OPERATOR, false) == "allowed");
}

// What root's daemons execute, or where they write, and whose root may submit.
BOOST_AUTO_TEST_CASE(some_attributes_are_for_root_alone) {
  const auto is_closed = [](ObjectKind kind, const char* name) {
    for (const auto role : {Role::USER, Role::OPERATOR, Role::MANAGER})
      BOOST_TEST(set_by(kind, name, role) == std::string("Cannot set attribute, read only or insufficient permission  ") + name);
    for (const auto role : {Role::ROOT, Role::SERVER}) BOOST_TEST(set_by(kind, name, role) == "allowed");
  };
  for (const char* name : {"acl_roots", "mailer", "cred_renew_tool"}) is_closed(ObjectKind::SERVER, name);
  for (const char* name : {"sched_priv", "sched_log", "sched_user"}) is_closed(ObjectKind::SCHEDULER, name);
}

BOOST_AUTO_TEST_CASE(operators_and_managers_differ) {
  BOOST_TEST(set_by(ObjectKind::SERVER, "scheduling", Role::OPERATOR) == "allowed");
  BOOST_TEST(set_by(ObjectKind::SERVER, "managers", Role::OPERATOR) ==
             "Cannot set attribute, read only or insufficient permission  managers");
  BOOST_TEST(set_by(ObjectKind::SERVER, "managers", Role::MANAGER) == "allowed");
  BOOST_TEST(set_by(ObjectKind::QUEUE, "total_jobs", Role::ROOT) ==
             "Cannot set attribute, read only or insufficient permission  total_jobs");
  BOOST_TEST(set_by(ObjectKind::NODE, "sharing", Role::MANAGER) ==
             "Cannot set attribute, read only or insufficient permission  sharing");
}

BOOST_AUTO_TEST_CASE(hidden_attributes_are_hidden) {  // RD-90, RD-91
  const auto sees = [](const char* name, Role role, bool show_hidden = false) {
    return may_see(*find(ObjectKind::JOB, name), role, show_hidden);
  };
  BOOST_TEST(sees("Job_Name", Role::USER));
  for (const char* name :
       {"schedselect", "euser", "egroup", "hashname", "queue_rank", "queue_type", "run_version", "accrue_type"}) {
    BOOST_TEST(!sees(name, Role::USER), name);
    BOOST_TEST(sees(name, Role::OPERATOR), name);
  }
  BOOST_TEST(!sees("exec_host_orig", Role::MANAGER));
  BOOST_TEST(sees("exec_host_orig", Role::MANAGER, true));
  BOOST_TEST(!sees("exec_host2", Role::MANAGER, true));
  BOOST_TEST(!sees("cookie", Role::MANAGER, true));
}

BOOST_AUTO_TEST_SUITE_END()
