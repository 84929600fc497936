// The attribute tables and the names of their ids.
#include <boost/test/unit_test.hpp>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/attributes/without_effect.hpp"
#include "test/support/paths.hpp"

using namespace annals;
using namespace annals::attributes;
using schema::ObjectKind;

namespace {

const std::map<std::string, ObjectKind> kinds = {{"job", ObjectKind::JOB},
                                                 {"queue", ObjectKind::QUEUE},
                                                 {"server", ObjectKind::SERVER},
                                                 {"node", ObjectKind::NODE},
                                                 {"scheduler", ObjectKind::SCHEDULER},
                                                 {"hook", ObjectKind::HOOK},
                                                 {"reservation", ObjectKind::RESERVATION}};

}  // namespace

BOOST_AUTO_TEST_SUITE(tables)

BOOST_AUTO_TEST_CASE(every_constant_names_its_row_and_every_row_has_one) {
  std::ifstream in(annals::test::source_dir() + "/events/attributes/ids.hpp");
  BOOST_REQUIRE(in);
  std::map<ObjectKind, std::size_t> count;
  ObjectKind kind = ObjectKind::JOB;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("namespace ", 0) == 0) {
      const auto at = kinds.find(line.substr(10, line.find(' ', 10) - 10));
      if (at != kinds.end()) kind = at->second;
    }
    const std::string head = "inline constexpr attribute_id ";
    if (line.rfind(head, 0) != 0) continue;
    const auto equals = line.find(" = ");
    const std::string name = line.substr(head.size(), equals - head.size());
    const attribute* row = find(kind, static_cast<attribute_id>(std::stoi(line.substr(equals + 3))));
    BOOST_REQUIRE_MESSAGE(row, name);
    BOOST_TEST(row->name == name);
    ++count[kind];
  }
  for (const auto& [name, k] : kinds) BOOST_TEST(count[k] == table_of(k).size(), name);
}

BOOST_AUTO_TEST_CASE(ids_rise_and_names_are_unique) {
  for (const auto& [kind_name, kind] : kinds) {
    std::set<std::string> names;
    int last = 0;
    for (const attribute& row : table_of(kind)) {
      BOOST_TEST(row.id > last, row.name);
      last = row.id;
      BOOST_TEST(names.insert(row.name).second, row.name);
      BOOST_TEST(!std::string(row.meaning).empty(), row.name);
    }
  }
}

BOOST_AUTO_TEST_CASE(names_are_found_in_any_case) {
  BOOST_TEST(find(ObjectKind::JOB, "job_name")->id == job::Job_Name);
  BOOST_TEST(find(ObjectKind::SERVER, "SCHEDULING")->id == server::scheduling);
  BOOST_TEST(!find(ObjectKind::JOB, "nosuch"));
  BOOST_TEST(!find(ObjectKind::JOB, attribute_id{11}));
  BOOST_TEST(table_of(ObjectKind::HOST).empty());
}

BOOST_AUTO_TEST_CASE(defaults_are_canonical_values) {
  const resource_catalogue none;
  for (const auto& [kind_name, kind] : kinds)
    for (const attribute& row : table_of(kind)) {
      if (*row.default_value == '\0' || row.type == value_type::node_state) continue;
      const auto value = check_value(row, {}, row.default_value, none);
      BOOST_REQUIRE_MESSAGE(value, row.name);
      BOOST_TEST(*value == row.default_value, row.name);
    }
}

BOOST_AUTO_TEST_CASE(the_order_is_that_of_qstat) {
  // A fresh job's attributes as qstat -f lists them.
  attribute_id last = 0;
  for (const char* name : {"Job_Name", "Job_Owner", "resources_used", "job_state",
                           "queue", "server", "Checkpoint", "ctime",
                           "Error_Path", "exec_host", "exec_vnode", "Hold_Types",
                           "Join_Path", "Keep_Files", "Mail_Points", "mtime",
                           "Output_Path", "Priority", "qtime", "Rerunable",
                           "Resource_List", "stime", "obittime", "session_id",
                           "jobdir", "substate", "Variable_List", "comment",
                           "etime", "run_count", "Exit_status", "Submit_arguments",
                           "executable", "argument_list", "project", "Submit_Host"}) {
    const attribute* row = find(ObjectKind::JOB, name);
    BOOST_REQUIRE_MESSAGE(row, name);
    BOOST_TEST(row->id > last, name);
    last = row->id;
  }
}

BOOST_AUTO_TEST_CASE(attributes_of_schedulers_have_older_names) {  // MS-07, MS-28
  const std::map<const char*, const char*> names{{"port", "sched_port"}, {"host", "sched_host"}, {"sched_logs", "sched_log"}};
  for (const auto& [older, newer] : names) {
    const attribute* row = find(ObjectKind::SCHEDULER, older);
    BOOST_REQUIRE_MESSAGE(row, older);
    BOOST_TEST(row->name == newer);
  }
  BOOST_TEST(!find(ObjectKind::QUEUE, "port"));
}

BOOST_AUTO_TEST_CASE(what_has_no_effect_is_known) {
  BOOST_TEST(missing_for(ObjectKind::SCHEDULER, scheduler::throughput_mode) == "waiting for a run within a cycle");
  BOOST_TEST(missing_for(ObjectKind::SERVER, server::pbs_license_min) == "licence server");
  BOOST_TEST(missing_for(ObjectKind::SERVER, server::default_node) != "");
  BOOST_TEST(missing_for(ObjectKind::SERVER, server::scheduling) == "");
  BOOST_TEST(missing_for(ObjectKind::QUEUE, queue::alt_router) == "router of a site");
  BOOST_TEST(missing_for(ObjectKind::JOB, job::cred) == "Kerberos");
  BOOST_TEST(missing_for(ObjectKind::JOB, job::Priority) == "");
  BOOST_TEST(missing_for(ObjectKind::QUEUE, queue::started) == "");
  BOOST_TEST(missing_for(ObjectKind::NODE, node::comment) == "");
  for (const auto id : {scheduler::preempt_order, scheduler::preempt_prio, scheduler::sched_preempt_enforce_resumption,
                        scheduler::sched_priv, scheduler::sched_log, scheduler::sched_port, scheduler::sched_host, scheduler::partition,
                        scheduler::scheduling, scheduler::scheduler_iteration, scheduler::comment, scheduler::log_events,
                        scheduler::do_not_span_psets, scheduler::only_explicit_psets, scheduler::job_accumulation_time, scheduler::state,
                        scheduler::job_sort_formula, scheduler::job_sort_formula_threshold, scheduler::server_dyn_res_alarm})
    BOOST_TEST(missing_for(ObjectKind::SCHEDULER, id) == "");
}

BOOST_AUTO_TEST_SUITE_END()
