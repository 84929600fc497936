// Queues, servers, nodes and qmgr's list and print against what PBS printed.
#include <boost/test/unit_test.hpp>

#include "events/attributes/ids.hpp"
#include "golden.hpp"
#include "tools/client/print/full.hpp"
#include "tools/client/print/json.hpp"
#include "tools/client/print/manager_text.hpp"
#include "tools/client/print/nodes.hpp"
#include "tools/client/print/queue_table.hpp"

using namespace annals::client;
using namespace annals::client::test;
using annals::schema::ObjectKind;

namespace {

std::vector<object_view> views(const std::vector<stored_object>& objects) {
  std::vector<object_view> all;
  for (const auto& o : objects) all.push_back(o.view());
  return all;
}

std::string without_blank_end(std::string text) {
  while (text.size() > 1 && text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::vector<stored_object> qmgr_objects(ObjectKind kind, const std::string& word, const std::string& command) {
  return read_blocks(kind, word + " ", golden("qmgr.txt", command));
}

std::string hosts_as_blocks(const std::vector<stored_object>& nodes) {
  node_printer printer;
  std::string out;
  for (const host_group& host : group_by_host(views(nodes)))
    printer.block(out, host.name, lines_of(host, printer.names()));
  return out;
}

std::string vnodes_summary(const std::vector<stored_object>& nodes, summary_options o) {
  node_printer printer;
  std::string out;
  put_summary_heading(out, o);
  for (const object_view& v : views(nodes)) put_summary(out, v.name, lines_of(v, printer.names()), o, {});
  return out;
}

std::string hosts_summary(const std::vector<stored_object>& nodes, summary_options o) {
  node_printer printer;
  std::string out;
  put_summary_heading(out, o);
  for (const host_group& h : group_by_host(views(nodes))) put_summary(out, h.name, lines_of(h, printer.names()), o, {});
  return out;
}

const std::string vm_node = "pbsnodes -av";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(object_print, utc)

BOOST_AUTO_TEST_CASE(queues_and_servers_in_full_are_as_pbs_prints_them) {
  const struct {
    const char* command;
    ObjectKind kind;
    const char* heading;
  } cases[] = {{"qstat -Qf", ObjectKind::QUEUE, "Queue: "}, {"qstat -Bf", ObjectKind::SERVER, "Server: "}};
  for (const auto& c : cases) {
    const std::string expected = golden("qstat_Q_B.txt", c.command);
    std::string out;
    full_printer(c.kind, c.heading, true).put(out, read_blocks(c.kind, c.heading, expected).front().view());
    BOOST_TEST(out == expected);
  }
}

BOOST_AUTO_TEST_CASE(Q_q_and_B_print_their_tables) {
  const auto queues = read_blocks(ObjectKind::QUEUE, "Queue: ", golden("qstat_Q_B.txt", "qstat -Qf"));
  const auto servers = read_blocks(ObjectKind::SERVER, "Server: ", golden("qstat_Q_B.txt", "qstat -Bf"));
  std::string q, b, list;
  queue_table::heading(q);
  queue_table::row(q, queues.front().view());
  BOOST_TEST(q == golden("qstat_Q_B.txt", "qstat -Q"));
  server_table::heading(b);
  server_table::row(b, servers.front().view());
  BOOST_TEST(b == golden("qstat_Q_B.txt", "qstat -B"));
  queue_list alternative(size_unit::as_given);
  queue_list::heading(list, "vm");
  alternative.row(list, queues.front().view());
  alternative.sum(list);
  BOOST_TEST(list == golden("qstat_Q_B.txt", "qstat -q"));
}

BOOST_AUTO_TEST_CASE(B_says_behind_the_table_what_a_follower_says_of_itself) {
  const auto servers = read_blocks(ObjectKind::SERVER, "Server: ",
                                   "Server: vm\n    server_state = Idle\n    follower = portal, 12 events and 3 s behind server vm\n");
  std::string out;
  server_table::row(out, servers.front().view());
  BOOST_TEST(out.ends_with("Idle      \n  from follower portal, 12 events and 3 s behind server vm\n"));
}

BOOST_AUTO_TEST_CASE(json_of_queues_and_servers_is_as_pbs_prints_it) {
  const auto queues = read_blocks(ObjectKind::QUEUE, "Queue: ", golden("qstat_Q_B.txt", "qstat -Qf"));
  const auto servers = read_blocks(ObjectKind::SERVER, "Server: ", golden("qstat_Q_B.txt", "qstat -Bf"));
  const auto print = [](ObjectKind kind, const char* group, const stored_object& o) {
    json_printer printer(kind, group);
    std::string out;
    printer.begin(out, 1795216310, "23.06.06", "vm");
    printer.put(out, o.view());
    printer.end(out);
    return out;
  };
  BOOST_TEST(print(ObjectKind::QUEUE, "Queue", queues.front()) == golden("qstat_json.txt", "qstat -Q -f -F json"));
  BOOST_TEST(print(ObjectKind::SERVER, "Server", servers.front()) == golden("qstat_json.txt", "qstat -B -f -F json"));
}

BOOST_AUTO_TEST_CASE(json_without_objects_has_no_group) {
  json_printer printer(ObjectKind::JOB, "Jobs");
  std::string out;
  printer.begin(out, 1, "v", "s");
  printer.end(out);
  BOOST_TEST(out == "{\n\t\"timestamp\":\t1,\n\t\"pbs_version\":\t\"v\",\n\t\"pbs_server\":\t\"s\"\n}\n");
}

BOOST_AUTO_TEST_CASE(a_host_with_one_vnode_prints_that_vnode) {
  const auto nodes = read_blocks(ObjectKind::NODE, "", golden("pbsnodes.txt", vm_node));
  BOOST_TEST(hosts_as_blocks(nodes) == golden("pbsnodes.txt", "pbsnodes -a"));
}

BOOST_AUTO_TEST_CASE(nodes_in_json_and_dsv_are_as_pbs_prints_them) {
  auto nodes = read_blocks(ObjectKind::NODE, "", golden("pbsnodes.txt", vm_node));
  node_printer printer;
  const node_lines lines = lines_of(nodes.front().view(), printer.names());
  json_document document("nodes");
  std::string json, dsv, semicolons;
  document.begin(json, 1795216310, "23.06.06", "vm");
  node_printer::json(json, document, "vm", lines);
  document.end(json);
  BOOST_TEST(json == golden("pbsnodes.txt", "pbsnodes -a -F json"));
  printer.dsv(dsv, "vm", lines, "|");
  BOOST_TEST(dsv == golden("pbsnodes.txt", "pbsnodes -a -F dsv"));
  printer.dsv(semicolons, "vm", lines, ";");
  BOOST_TEST(semicolons == golden("pbsnodes.txt", "pbsnodes -aD\\; -F dsv"));
}

BOOST_AUTO_TEST_CASE(S_and_Sj_print_one_line_per_node) {
  const auto nodes = read_blocks(ObjectKind::NODE, "", golden("pbsnodes.txt", vm_node));
  BOOST_TEST(vnodes_summary(nodes, {}) == golden("pbsnodes.txt", "pbsnodes -aS"));
  BOOST_TEST(vnodes_summary(nodes, {.jobs = true}) == golden("pbsnodes.txt", "pbsnodes -aSj"));
  BOOST_TEST(vnodes_summary(nodes, {.jobs = true, .long_form = true}) == golden("pbsnodes.txt", "pbsnodes -aSjL"));
}

BOOST_AUTO_TEST_CASE(S_and_Sj_have_forms_for_programs) {  // golden: parsing.txt
  const auto nodes = read_blocks(ObjectKind::NODE, "", golden("pbsnodes.txt", vm_node));
  node_printer printer;
  node_lines lines = lines_of(nodes.front().view(), printer.names());
  std::erase_if(lines, [](const node_line& l) { return l.name == "jobs" || l.name == "comment" || l.name == "state"; });
  lines.push_back({"state", "free,busy"});
  lines.push_back({"jobs", "1.vm/0, 1.vm/1, 2.vm/0", false, true});
  lines.push_back({"comment", "a,b"});
  const auto json = [&](summary_options o) {
    json_document document("nodes");
    std::string out;
    put_summary_json(out, document, "vm", lines, o, {"2.vm"});
    return out.substr(out.rfind('{'));
  };
  const auto dsv = [&](summary_options o) {
    std::string out;
    put_summary_dsv(out, "vm", lines, o, {"2.vm"}, ",");
    return out;
  };
  BOOST_TEST(json({}).starts_with("{\n\t\t\t\"State\":\t\"free\",\n\t\t\t\"OS\":\t\"--\","));
  BOOST_TEST(json({}).ends_with("\t\t\t\"nmics\":\t0,\n\t\t\t\"ngpus\":\t0,\n\t\t\t\"comment\":\t\"a,b\"\n\t\t}"));
  BOOST_TEST(json({.jobs = true}).starts_with(
      "{\n\t\t\t\"State\":\t\"free\",\n\t\t\t\"Total Jobs\":\t2,\n\t\t\t\"Running Jobs\":\t1,\n"
      "\t\t\t\"Suspended Jobs\":\t1,\n\t\t\t\"mem f/t\":\t\""));
  BOOST_TEST(json({.jobs = true}).ends_with("\t\t\t\"ngpus f/t\":\t\"0/0\",\n\t\t\t\"jobs\":\t[\"1\", \"2\"]\n\t\t}"));
  BOOST_TEST(dsv({}).starts_with("vnode=vm,state=free,OS=--,hardware=--,host=vm,queue=--,mem="));
  BOOST_TEST(dsv({}).ends_with(",nmics=0,ngpus=0,comment=a\\,b\n"));
  BOOST_TEST(dsv({.jobs = true}).starts_with("vnode=vm,state=free,njobs=2,run=1,susp=1,mem(f/t)="));
  BOOST_TEST(dsv({.jobs = true}).ends_with(",nmics(f/t)=0/0,ngpus(f/t)=0/0,jobs=1\\,2\n"));
}

BOOST_AUTO_TEST_CASE(a_host_with_several_vnodes_prints_sums_and_what_they_have_in_common) {
  const auto nodes = read_blocks(ObjectKind::NODE, "", golden("nodes.txt", "pbsnodes -av (1)"));
  BOOST_TEST(nodes.size() == 8u);
  BOOST_TEST(without_blank_end(hosts_as_blocks(nodes)) == golden("nodes.txt", "pbsnodes -a (1)"));
  BOOST_TEST(hosts_summary(nodes, {}) == golden("nodes.txt", "pbsnodes -aS (1)"));
}

BOOST_AUTO_TEST_CASE(differing_states_times_and_texts_show_as_various) {
  auto nodes = read_blocks(ObjectKind::NODE, "", golden("nodes.txt", "pbsnodes -av (1)"));
  namespace id = annals::attributes::node;
  nodes[3].set(id::state, "", "job-busy");
  nodes[3].set(id::jobs, "", "1001.p1/0, 1001.p1/1");
  nodes[4].set(id::jobs, "", "1001.p1/0");
  nodes[4].set(id::last_state_change_time, "", "1795222207");
  nodes[4].set(id::resources_available, "color", "blue");
  nodes[5].set(id::resources_available, "color", "red");
  node_printer printer;
  std::string out;
  const host_group host = group_by_host(views(nodes))[1];
  printer.block(out, host.name, lines_of(host, printer.names()));
  const auto has = [&](const std::string& line) { return out.find("\n     " + line + "\n") != std::string::npos; };
  BOOST_TEST(has("state = <various>"));
  BOOST_TEST(has("jobs = 1001.p1/0, 1001.p1/1, 1001.p1/0"));
  BOOST_TEST(has("last_state_change_time = Thu Jan  1 00:00:00 1970"));
  BOOST_TEST(has("resources_available.color = <various>"));
  BOOST_TEST(has("sharing = default_shared"));
}

BOOST_AUTO_TEST_CASE(a_host_is_called_as_its_natural_vnode) {
  namespace id = annals::attributes::node;
  auto nodes = read_blocks(ObjectKind::NODE, "", golden("pbsnodes.txt", vm_node));
  nodes.resize(1);
  nodes.push_back(nodes.front());
  const auto named = [&](const std::string& natural, const std::string& mom) {
    nodes[0].name = natural + "[0]";
    nodes[1].name = natural;
    for (auto& n : nodes) {
      n.set(id::Mom, "", mom);
      n.set(id::state, "", "down");
      n.set(id::comment, "", "");
    }
    std::string out;
    for (const host_group& h : group_by_host(views(nodes))) put_unavailable(out, h);
    return out;
  };
  BOOST_TEST(named("nohost.example.com", "nohost.example.com") == "nohost.example.com   down \n");
  BOOST_TEST(named("nohost", "nohost.example.com,nohost") == "nohost               down \n");
  for (const char* name : {"nohost", "nohost.example.com"}) BOOST_TEST(is_on_host(nodes[0].view(), name));
  for (const char* name : {"nohost.example", "nohost[0]", "other"}) BOOST_TEST(!is_on_host(nodes[0].view(), name));
  nodes[1].set(id::Mom, "", "nohost.example.org");  // another host of that name
  BOOST_TEST(group_by_host(views(nodes)).size() == 2u);
}

BOOST_AUTO_TEST_CASE(l_lists_hosts_that_are_offline_or_down) {
  auto nodes = read_blocks(ObjectKind::NODE, "", golden("pbsnodes.txt", vm_node));
  const auto list = [&] {
    std::string out;
    for (const host_group& h : group_by_host(views(nodes))) put_unavailable(out, h);
    return out;
  };
  namespace id = annals::attributes::node;
  BOOST_TEST(list() == "");
  nodes.front().set(id::state, "", "offline,job-busy");
  BOOST_TEST(list() == "vm                   offline,job-busy \n");
  nodes.front().set(id::comment, "", "a comment");
  BOOST_TEST(list() == "vm                   offline,job-busy a comment\n");
}

BOOST_AUTO_TEST_CASE(sizes_are_rounded_to_their_greatest_unit) {
  BOOST_TEST(rounded_size("24684092kb") == "24gb");
  BOOST_TEST(rounded_size("0b") == "0 b");
  BOOST_TEST(rounded_size("0kb") == "0kb");
  BOOST_TEST(rounded_size("12582912kb") == "12gb");
  BOOST_TEST(rounded_size("what") == "what");
  BOOST_TEST(kilobytes_of("4gb") == 4194304);
  BOOST_TEST(kilobytes_of("what") == -1);
}

BOOST_AUTO_TEST_CASE(qmgr_list_prints_objects_as_pbs_does) {
  const struct {
    ObjectKind kind;
    const char* word;
    const char* command;
  } cases[] = {{ObjectKind::SERVER, "Server", "qmgr -c \"l s\""},
               {ObjectKind::QUEUE, "Queue", "qmgr -c \"l q q2\""},
               {ObjectKind::NODE, "Node", "qmgr -c \"l n vm\""},
               {ObjectKind::SCHEDULER, "Sched", "qmgr -c \"l sched\""},
               {ObjectKind::RESOURCE, "Resource", "qmgr -c \"l r foo\""}};
  for (const auto& c : cases) {
    const std::string expected = golden("qmgr.txt", c.command);
    manager_printer printer(c.kind, {});
    std::string out;
    // list shows dates as numbers, so what was read back from it has no date to turn around.
    for (const auto& o : read_blocks(c.kind, std::string(c.word) + " ", expected)) printer.list(out, o.view());
    BOOST_TEST(out == expected);
  }
}

// As the scheduler's transcripts of PBS have it.
BOOST_AUTO_TEST_CASE(the_levels_of_preemption_are_folded_at_a_comma) {
  const auto listed = [](const char* levels) {
    stored_object o;
    o.name = "default";
    o.set(annals::attributes::scheduler::preempt_prio, "", levels);
    std::string out;
    manager_printer(ObjectKind::SCHEDULER, {}).list(out, o.view());
    return out;
  };
  BOOST_TEST(listed("express_queue, normal_jobs, server_softlimits, queue_softlimits") ==
             "Sched default\n    preempt_prio = express_queue, normal_jobs, server_softlimits,\n\tqueue_softlimits\n\n");
  BOOST_TEST(listed("express_queue,normal_jobs") == "Sched default\n    preempt_prio = express_queue,normal_jobs\n\n");
}

BOOST_AUTO_TEST_CASE(qmgr_print_prints_commands_that_make_the_object_again) {
  const struct {
    ObjectKind kind;
    const char* word;
    const char* list;
    const char* print;
  } cases[] = {{ObjectKind::QUEUE, "Queue", "qmgr -c \"l q q2\"", "qmgr -c \"p q q2\""},
               {ObjectKind::NODE, "Node", "qmgr -c \"l n vm\"", "qmgr -c \"p n vm\""}};
  for (const auto& c : cases) {
    manager_printer printer(c.kind, {});
    std::string out;
    printer.print_heading(out);
    auto object = qmgr_objects(c.kind, c.word, c.list).front();
    // The transcript printed the node before a resource was added to it.
    if (c.kind == ObjectKind::NODE) object = qmgr_objects(c.kind, c.word, "qmgr -c \"l n @default\"").front();
    printer.print(out, object.view());
    BOOST_TEST(out == golden("qmgr.txt", c.print));
  }
}

BOOST_AUTO_TEST_CASE(print_sched_names_no_default_scheduler) {
  manager_printer printer(ObjectKind::SCHEDULER, {});
  std::string out;
  const auto all = qmgr_objects(ObjectKind::SCHEDULER, "Sched", "qmgr -c \"l sched\"");
  printer.print(out, all.front().view());
  BOOST_TEST(out == golden("qmgr.txt", "qmgr -c \"p sched\""));
}

BOOST_AUTO_TEST_CASE(print_server_leaves_out_what_is_read_only) {
  const auto server = qmgr_objects(ObjectKind::SERVER, "Server", "qmgr -c \"l s\"").front();
  manager_printer printer(ObjectKind::SERVER, {});
  std::string out;
  printer.print_heading(out);
  printer.print(out, server.view());
  const std::string expected = golden("qmgr.txt", "qmgr -c \"p s\"");
  BOOST_TEST(out == expected.substr(expected.find("#\n# Set server")));
}

BOOST_AUTO_TEST_CASE(print_node_names_the_mom_of_a_vnode) {
  const auto nodes = read_blocks(ObjectKind::NODE, "", golden("nodes.txt", "pbsnodes -av (1)"));
  manager_printer printer(ObjectKind::NODE, {});
  std::string out;
  printer.print_heading(out);
  for (const auto& n : nodes) printer.print(out, n.view());
  BOOST_TEST(out == golden("nodes.txt", "qmgr -c 'print node @default' (1)"));
}

BOOST_AUTO_TEST_CASE(asked_attributes_come_in_reverse_order_with_all_their_resources) {
  const std::string expected = golden("qmgr.txt", "qmgr -c \"l n vm state,resources_available.ncpus\"");
  const std::vector<std::string> asked{"state", "resources_available.ncpus"};
  const auto node = qmgr_objects(ObjectKind::NODE, "Node", "qmgr -c \"l n @default\"").front();
  std::string out;
  manager_printer(ObjectKind::NODE, asked).list(out, node.view());
  BOOST_TEST(out == expected);
}

BOOST_AUTO_TEST_CASE(lists_are_set_and_then_added_to) {
  stored_object queue{"r1", {}, {}};
  set_by_name(queue, ObjectKind::QUEUE, "queue_type", "Route");
  set_by_name(queue, ObjectKind::QUEUE, "route_destinations", "q2,workq");
  set_by_name(queue, ObjectKind::QUEUE, "enabled", "True");
  set_by_name(queue, ObjectKind::QUEUE, "started", "True");
  manager_printer printer(ObjectKind::QUEUE, {});
  std::string out;
  printer.print_heading(out);
  printer.print(out, queue.view());
  BOOST_TEST(out == golden("qmgr.txt", "qmgr -c \"p q r1\""));
}

BOOST_AUTO_TEST_CASE(print_quotes_what_qmgr_could_not_read_again) {
  BOOST_TEST(quoted("a b") == "\"a b\"");
  BOOST_TEST(quoted("plain") == "plain");
  BOOST_TEST(quoted("say \"x\"") == "'say \"x\"'");
}

BOOST_AUTO_TEST_CASE(queues_of_reservations_are_known_by_their_names) {
  BOOST_TEST(is_reservation_queue("R494"));
  BOOST_TEST(!is_reservation_queue("Route1"));
  BOOST_TEST(!is_reservation_queue("R"));
}

BOOST_AUTO_TEST_SUITE_END()
