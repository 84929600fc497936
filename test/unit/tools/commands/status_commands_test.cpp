// qstat, qselect, pbsnodes, qmgr and tracejob as programs, against a server that knows the objects of the transcripts.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>

#include "events/attributes/ids.hpp"
#include "events/values/date_time.hpp"
#include "events/values/output_index.hpp"
#include "test/support/fake_gateway.hpp"
#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"
#include "test/unit/tools/client/print/golden.hpp"

using namespace annals;
using annals::client::test::golden;
using annals::client::test::read_blocks;
using annals::client::test::stored_object;
using annals::test::fake_gateway;
using annals::test::ran;
using schema::ObjectKind;

namespace {

// The objects of the transcripts, all in the server q1 of the fake gateway.
struct cluster {
  std::map<ObjectKind, std::vector<stored_object>> objects;
  std::map<std::string, std::pair<std::uint32_t, std::string>> refusals;  // of Manage, by object name

  cluster() {
    for (const char* n : {"1", "4", "5", "8[]"}) {
      auto job =
          read_blocks(ObjectKind::JOB, "Job Id: ", golden("qstat_f_jobs.txt", "qstat -f '" + std::string(n) + ".vm'"))
              .front();
      job.name = std::string(n) + ".q1";
      objects[ObjectKind::JOB].push_back(job);
    }
    objects[ObjectKind::QUEUE] = read_blocks(ObjectKind::QUEUE, "Queue: ", golden("qstat_Q_B.txt", "qstat -Qf"));
    objects[ObjectKind::SERVER] = read_blocks(ObjectKind::SERVER, "Server: ", golden("qstat_Q_B.txt", "qstat -Bf"));
    objects[ObjectKind::SERVER].front().name = "q1";
    objects[ObjectKind::NODE] = read_blocks(ObjectKind::NODE, "", golden("nodes.txt", "pbsnodes -av (1)"));
    objects[ObjectKind::SCHEDULER] =
        read_blocks(ObjectKind::SCHEDULER, "Sched ", golden("qmgr.txt", "qmgr -c \"l sched\""));
  }

  bool answer(schema::Request::Reader request, schema::Reply::Builder out) const {
    if (request.isStat())
      stat(request.getStat(), out.initObjects());
    else if (request.isManage())
      manage(request.getManage(), out);
    else if (request.isSelectJobs())
      out.initJobs(1).set(0, "1.q1");
    return true;
  }

  static bool matches(const stored_object& o, const std::string& name, bool hosts) {
    return o.name == name || (hosts && o.name.substr(0, o.name.find('[')) == name);
  }

  void stat(schema::Stat::Reader asked, schema::Objects::Builder out) const {
    const bool hosts = asked.getKind() == ObjectKind::HOST;
    const auto known = objects.find(hosts ? ObjectKind::NODE : asked.getKind());
    std::vector<const stored_object*> found;
    std::vector<std::string> unknown;
    for (const auto n : asked.getNames()) {
      const std::size_t before = found.size();
      if (known != objects.end())
        for (const auto& o : known->second)
          if (matches(o, schema::str(n), hosts)) found.push_back(&o);
      if (found.size() == before) unknown.push_back(schema::str(n));
    }
    if (asked.getNames().size() == 0 && known != objects.end())
      for (const auto& o : known->second) found.push_back(&o);
    out.setLast(true);
    auto list = out.initObjects(static_cast<unsigned>(found.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setName(found[i]->name);
      list[i].setAttributes({reinterpret_cast<const kj::byte*>(found[i]->packed.data()), found[i]->packed.size()});
    }
    auto refused = out.initUnknown(static_cast<unsigned>(unknown.size()));
    for (unsigned i = 0; i < refused.size(); ++i) {
      refused[i].setName(unknown[i]);
      auto why = refused[i].initRejection();
      if (unknown[i].rfind("7.", 0) == 0)
        why.setCode(15139), why.setText("Job has finished");
      else if (asked.getKind() == ObjectKind::JOB)
        why.setCode(15001), why.setText("Unknown Job Id");
      else if (asked.getKind() == ObjectKind::QUEUE)
        why.setCode(15018), why.setText("Unknown queue");
      else
        why.setCode(15062), why.setText("Unknown node ");
    }
  }

  void manage(schema::Manage::Reader m, schema::Reply::Builder out) const {
    const auto at = refusals.find(schema::str(m.getName()));
    if (at == refusals.end()) {
      out.setDone("");
      return;
    }
    auto why = out.initRejected();
    why.setCode(at->second.first);
    why.setText(at->second.second);
  }
};

struct fixture {
  cluster c;
  fake_gateway gateway{[this](schema::Request::Reader r, schema::Reply::Builder out) { return c.answer(r, out); }};

  ran command(const std::string& name, std::vector<std::string> words, const std::string& input = {}) const {
    words.insert(words.begin(), annals::test::stage_dir() + "/bin/" + name);
    return test::run(words, {.input = input,
                             .environment = {{"PBS_CONF_FILE", gateway.conf_file()}, {"TZ", "UTC"}},
                             .directory = {},
                             .meanwhile = {}});
  }
  ran qstat(std::vector<std::string> words) const { return command("qstat", std::move(words)); }
  ran qmgr(const std::string& text) const { return command("qmgr", {"-c", text}); }
  schema::Stat::Reader last_stat() {
    asked = gateway.requests().back();
    return (*asked).getStat();
  }
  fake_gateway::request asked;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(status_commands, fixture)

BOOST_AUTO_TEST_CASE(qstat_asks_only_for_what_its_columns_need) {
  const ran r = qstat({});
  BOOST_TEST(r.status == 0);
  BOOST_TEST(std::count(r.out.begin(), r.out.end(), '\n') == 6);
  BOOST_TEST(r.out.find("4.q1              script_job       pbsuser1          00:00:00 R workq           \n") !=
             std::string::npos);
  BOOST_TEST(last_stat().getWanted().size() > 0u);
  BOOST_TEST(last_stat().getWanted().size() < 10u);
  qstat({"-f"});
  BOOST_TEST(last_stat().getWanted().size() == 0u);
}

BOOST_AUTO_TEST_CASE(qstat_goes_on_after_ids_that_are_refused) {
  const ran r = qstat({"99999", "1", "7.q1"});
  BOOST_TEST(r.out.find("1.q1 ") != std::string::npos);
  BOOST_TEST(r.err ==
             "qstat: Unknown Job Id 99999.q1\n"
             "qstat: 7.q1 Job has finished, use -x or -H to obtain historical job information\n");
  BOOST_TEST(r.status == 35);
  BOOST_TEST(qstat({"99999"}).status == 153);
}

BOOST_AUTO_TEST_CASE(a_word_that_is_no_id_is_a_queue) {
  const ran r = qstat({"abc"});
  BOOST_TEST(r.err == "qstat: Unknown queue destination abc\n");
  BOOST_TEST(r.status == 170);
  BOOST_TEST(qstat({"workq"}).status == 0);
  BOOST_TEST(schema::str(last_stat().getQueue()) == "workq");
  BOOST_TEST(qstat({"-Q", "nosuch"}).err == "qstat: Unknown queue nosuch\n");
}

BOOST_AUTO_TEST_CASE(letters_become_a_question) {
  qstat({"-i"});
  BOOST_TEST(schema::str(last_stat().getStates()) == "EHQTWB");
  qstat({"-x", "-u", "a,b"});
  BOOST_TEST((last_stat().getHistory() == schema::History::ALSO));
  BOOST_TEST(last_stat().getUsers().size() == 2u);
  qstat({"-H"});
  BOOST_TEST((last_stat().getHistory() == schema::History::ONLY));
  qstat({"--at", "2026-11-20 23:11:37"});
  BOOST_TEST(last_stat().getAt().getWallNs() == 1795216297000000000);
  qstat({"--at=#17", "-f"});
  BOOST_TEST(last_stat().getAt().getSequence() == 17u);
}

BOOST_AUTO_TEST_CASE(J_shows_arrays_only) {
  const ran r = qstat({"-J"});
  BOOST_TEST(r.out.find("8[].q1") != std::string::npos);
  BOOST_TEST(r.out.find("1.q1 ") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(t_asks_for_subjobs_too) {
  qstat({});
  BOOST_TEST(!last_stat().getSubjobs());
  for (const char* letters : {"-t", "-Jt", "-pt", "-at", "-xt"}) {
    qstat({letters});
    BOOST_TEST(last_stat().getSubjobs(), letters);
  }
}

BOOST_AUTO_TEST_CASE(subjobs_and_ranges_are_named_as_they_are) {
  qstat({"8[3]", "8[1-8:3]", "8[]"});
  const auto names = last_stat().getNames();
  BOOST_REQUIRE(names.size() == 3u);
  BOOST_TEST(schema::str(names[0]) == "8[3].q1");
  BOOST_TEST(schema::str(names[1]) == "8[1-8:3].q1");
  BOOST_TEST(schema::str(names[2]) == "8[].q1");
  const ran r = qstat({"8[5,7]"});
  BOOST_TEST(r.err == "qstat: illegally formed job identifier: 8[5,7]\n");
  BOOST_TEST(r.status == 1);
}

BOOST_AUTO_TEST_CASE(a_subjob_that_is_named_is_shown_whatever_is_chosen) {  // as PBS does
  stored_object subjob;
  subjob.name = "8[1].q1";
  subjob.set(annals::attributes::job::job_state, "", "Q");
  c.objects[ObjectKind::JOB].push_back(subjob);
  for (const char* letters : {"-J", "-Jt", "-r", "-i"})
    BOOST_TEST(qstat({letters, "8[1]"}).out.find("8[1].q1 ") != std::string::npos, letters);
  BOOST_TEST(qstat({"-r", "8[]"}).out.find("8[].q1 ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(options_that_do_not_go_together_are_refused) {
  const std::vector<std::vector<std::string>> lines{
      {"-1"}, {"-F", "json"}, {"-D", "-f", "-Fdsv"}, {"-f", "-F", "JSON", "-D,"}, {"-f", "-F", "json", "-a"}, {"-f", "-1"}, {"-Q", "-B"}};
  for (const auto& line : lines) {
    const ran r = qstat(line);
    BOOST_TEST(r.status == 2);
    const bool is_torques = line.back() == "-1" && line.size() > 1;
    const std::string says = is_torques ? ": with -f, -w prints each attribute in one line.\n" : ".\n";
    BOOST_TEST(r.err.starts_with("qstat: conflicting options" + says + "usage: \nqstat [-f]"), r.err);
  }
  BOOST_TEST(qstat({"--at", "soon"}).status == 2);
  const ran numbered = qstat({"-x", "--since", "#1"});
  BOOST_TEST(numbered.err.starts_with("qstat: illegal --since value: #1 (a moment is "), numbered.err);
  BOOST_TEST(numbered.err.find("#sequence") == std::string::npos);
  BOOST_TEST(qstat({"--at", "soon"}).err.find("#sequence") != std::string::npos);
  const auto refused = [&](const std::vector<std::string>& line) { return qstat(line).err.substr(0, qstat(line).err.find('\n')); };
  BOOST_TEST(refused({"--why"}) == "qstat: conflicting options: --why needs the ids of jobs.");
  BOOST_TEST(refused({"--why", "-f", "1"}) == "qstat: conflicting options: with --why goes no other option than -F json.");
  BOOST_TEST(refused({"--newest", "3"}) == "qstat: conflicting options: --since and --newest need -x or -H, and no ids of jobs.");
  BOOST_TEST(refused({"--newest", "3", "--why", "1"}) ==
             "qstat: conflicting options: --since and --newest list finished jobs, --why tells of jobs that are named.");
  for (const char* letters : {"-a", "-s", "-n", "-T"})  // -f of such a list has no effect
    BOOST_TEST(qstat({letters, "-f"}).out == qstat({letters}).out, letters);
  BOOST_TEST(qstat({"-Q", "-t"}).out == qstat({"-Q"}).out);
}

BOOST_AUTO_TEST_CASE(formats_are_named_in_any_case) {
  for (const char* format : {"json", "JSON", "Json"})
    BOOST_TEST(qstat({"-f", "-F", format, "1"}).out.starts_with("{\n\t\"timestamp\""), format);
  for (const char* format : {"dsv", "DSV", "dSV"})
    BOOST_TEST(qstat({"-f", "-F", format, "-D,", "1"}).out.starts_with("Job Id: 1.q1,Job_Name="), format);
  BOOST_TEST(qstat({"-f", "-F", "xml"}).err.starts_with("qstat: illegal -F value\nusage"));
  BOOST_TEST(command("pbsnodes", {"-a", "-F", "Json"}).out.starts_with("{\n\t\"timestamp\""));
  BOOST_TEST(command("pbsnodes", {"-a", "-F", "DSV"}).out.starts_with("Name=p1|Mom="));
  BOOST_TEST(command("pbsnodes", {"-a", "-F", "xml"}).err.starts_with("pbsnodes: illegal -F value\nusage"));
}

BOOST_AUTO_TEST_CASE(no_user_is_no_choice) {
  const ran r = qstat({"-u", ""});
  BOOST_TEST(r.err == "qstat: Illegal attribute or resource value \n");
  BOOST_TEST(r.status == 166);
}

BOOST_AUTO_TEST_CASE(a_server_that_can_not_be_reached_is_named) {
  const ran r = qstat({"@nosuchhost.invalid"});
  BOOST_TEST(r.err == "Unknown Host.\nqstat: cannot connect to server q1 (errno=15008)\n");
  BOOST_TEST(r.status == 255);
  const ran select = command("qselect", {"-q", "@nosuchhost.invalid"});
  BOOST_TEST(select.err == "Unknown Host.\nqselect: cannot connect to server nosuchhost.invalid (errno=15008)\n");
  BOOST_TEST(select.status == 160);
  gateway.stop();
  const ran down = qstat({});
  BOOST_TEST(down.err == "Connection refused\nqstat: cannot connect to server q1 (errno=15010)\n");
  BOOST_TEST(down.status == 255);
}

BOOST_AUTO_TEST_CASE(a_reader_that_goes_away_is_no_error_to_speak_of) {
  const ran r = test::run(
      {"/bin/sh", "-c", annals::test::stage_dir() + "/bin/qstat -f | head -1"},
      {.input = {}, .environment = {{"PBS_CONF_FILE", gateway.conf_file()}}, .directory = {}, .meanwhile = {}});
  BOOST_TEST(r.out == "Job Id: 1.q1\n");
  BOOST_TEST(r.err == "");
}

BOOST_AUTO_TEST_CASE(qselect_prints_ids_and_sends_criteria) {
  const ran r = command("qselect", {"-N", "s1", "-l", "ncpus.gt.1", "-p", ".ge.5", "-x"});
  BOOST_TEST(r.out == "1.q1\n");
  const auto requests = gateway.requests();
  const auto select = (*requests.back()).getSelectJobs();
  BOOST_REQUIRE(select.getCriteria().size() == 3u);
  BOOST_TEST(schema::str(select.getCriteria()[1].getResource()) == "ncpus");
  BOOST_TEST((select.getCriteria()[2].getOp() == schema::CompareOp::GE));
  BOOST_TEST((select.getHistory() == schema::History::ALSO));
}

BOOST_AUTO_TEST_CASE(T_of_qselect_asks_for_subjobs_in_place_of_arrays) {
  command("qselect", {"-J"});
  const auto first = gateway.requests();
  BOOST_TEST(!(*first.back()).getSelectJobs().getSubjobs());
  command("qselect", {"-J", "-T"});
  const auto requests = gateway.requests();
  const auto select = (*requests.back()).getSelectJobs();
  BOOST_TEST(select.getSubjobs());
  BOOST_REQUIRE(select.getCriteria().size() == 1u);
  BOOST_TEST(schema::str(select.getCriteria()[0].getName()) == "array");
}

BOOST_AUTO_TEST_CASE(qselect_refuses_what_can_not_be_asked) {
  const ran l = command("qselect", {"-l", "ncpus=1", "-l", "walltime=100"});
  BOOST_TEST(
      l.err.starts_with("qselect: illegal -l value\nresource_list: ncpus=1\nqselect: illegal -l value\nresource_list: "
                        "walltime=100\nusage: qselect"));
  BOOST_TEST(l.status == 2);
  const ran p = command("qselect", {"-p", "abc"});
  BOOST_TEST(p.err == "qselect: Illegal attribute or resource value\n");
  BOOST_TEST(p.status == 166);
  BOOST_TEST(command("qselect", {"extra"}).status == 2);
  BOOST_TEST(command("qselect", {"-N", "s*"}).err.starts_with("qselect: illegal -N value\nusage"));
}

BOOST_AUTO_TEST_CASE(pbsnodes_prints_hosts_and_vnodes) {
  const ran a = command("pbsnodes", {"-a"});
  BOOST_TEST(a.out == golden("nodes.txt", "pbsnodes -a (1)") + "\n");
  BOOST_TEST(command("pbsnodes", {"-aS"}).out == golden("nodes.txt", "pbsnodes -aS (1)"));
  BOOST_TEST(command("pbsnodes", {"-a", "-L"}).out == a.out);
  BOOST_TEST(command("pbsnodes", {"-a", "-j"}).out == a.out);
  BOOST_TEST(command("pbsnodes", {"-j"}).status == 1);
  BOOST_TEST(command("pbsnodes", {"-aS", "-F", "json"}).out.find("\"Memory\":\t") != std::string::npos);
  BOOST_TEST(command("pbsnodes", {"-aSj", "-F", "dsv", "-D,"}).out.starts_with("vnode=p1,state="));
  BOOST_TEST(command("pbsnodes", {"-v", "p2[0]"}).out == golden("nodes.txt", "pbsnodes -v \"p2[0]\" (1)") + "\n");
}

BOOST_AUTO_TEST_CASE(pbsnodes_names_nodes_it_does_not_know) {
  const ran r = command("pbsnodes", {"vnq", "p1", "vnr"});
  BOOST_TEST(r.err == "Node: vnq,  Error: Unknown node \nNode: vnr,  Error: Unknown node \n");
  BOOST_TEST(r.out.starts_with("p1\n"));
  BOOST_TEST(r.status == 1);
  for (const auto& line : {std::vector<std::string>{}, {"-l", "-v"}, {"-o"}, {"-s"}})
    BOOST_TEST(command("pbsnodes", line).status == 1);
}

BOOST_AUTO_TEST_CASE(pbsnodes_lists_no_state_that_is_asked_for) {  // as another system does with -l
  for (const char* word : {"all", "up", "p1"}) {
    const ran r = command("pbsnodes", {"-l", word});
    BOOST_TEST(r.err.starts_with("pbsnodes: -l takes no host and no state (" + std::string(word) + "): "), r.err);
    BOOST_TEST(r.out == "");
    BOOST_TEST(r.status == 1);
  }
}

BOOST_AUTO_TEST_CASE(marking_a_host_marks_all_its_vnodes) {
  BOOST_TEST(command("pbsnodes", {"-o", "-C", "again", "p3"}).status == 0);
  std::vector<std::string> marked;
  for (const auto& r : gateway.requests()) {
    if (!(*r).isManage()) continue;
    const auto m = (*r).getManage();
    marked.push_back(schema::str(m.getName()));
    BOOST_TEST(m.getChanges().size() == 2u);
    BOOST_TEST((m.getChanges()[0].getOp() == schema::AttributeOp::INCREMENT));
  }
  const std::vector<std::string> expected{"p3", "p3[0]", "p3[1]"};
  BOOST_TEST(marked == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(marking_is_refused_for_vnodes_strangers_and_users) {
  BOOST_TEST(command("pbsnodes", {"-r", "p2[0]"}).err == "Error marking node p2[0] - Unknown node \n");
  BOOST_TEST(command("pbsnodes", {"-o", "nosuch"}).err == "Error marking node nosuch - Unknown node \n");
  c.refusals["p2"] = {15007, "Unauthorized Request "};
  const ran r = command("pbsnodes", {"-o", "p2"});
  BOOST_TEST(r.err == "Error marking node p2 - Unauthorized Request \n");
  BOOST_TEST(r.status == 1);
}

BOOST_AUTO_TEST_CASE(qmgr_says_what_the_server_refused) {
  c.refusals["nosuch"] = {15018, "Unknown queue"};
  c.refusals["workq"] = {15003, "Cannot set attribute, read only or insufficient permission  total_jobs"};
  c.refusals[""] = {15014, "Illegal attribute or resource value"};
  c.refusals["toolong"] = {15028, "Queue name too long"};
  c.refusals["q"] = {15002, "Undefined attribute  nosuch"};
  c.refusals["n"] = {15003, "Cannot set attribute, read only or insufficient permission  ntype"};
  c.refusals["q1"] = {15004, "Invalid request"};
  const struct {
    const char* text;
    const char* error;
    int status;
  } cases[] = {
      {"set queue nosuch enabled=true",
       "qmgr obj=nosuch svr=default: Unknown queue\nqmgr: Error (15018) returned from server\n", 170},
      {"set queue workq total_jobs=5",
       "qmgr obj=workq svr=default: Cannot set attribute, read only or insufficient permission  total_jobs\n"
       "qmgr: Error (15003) returned from server\n",
       155},
      {"set server scheduling=maybe",
       "qmgr obj= svr=default: Illegal attribute or resource value\nqmgr: Error (15014) returned from server\n", 166},
      {"set queue q nosuch=1",
       "qmgr obj=q svr=default: Undefined attribute \nqmgr: Error (15002) returned from server\n", 154},
      {"set node n ntype=x", "", 155},
      {"unset node n ntype",
       "qmgr obj=n svr=default: Cannot set attribute, read only or insufficient permission  ntype\n"
       "qmgr: Error (15003) returned from server\n",
       155},
      {"create server foo.invalid", "Unknown Host.\nqmgr: cannot connect to server foo.invalid\n", 1},
      {"delete server q1", "qmgr obj=q1 svr=q1: Invalid request\nqmgr: Error (15004) returned from server\n", 156},
      {"create queue toolong", "qmgr: Error (15028) returned from server\n", 180},
      {"l q nosuch", "qmgr obj=nosuch svr=default: Unknown queue\nqmgr: Error (15018) returned from server\n", 1},
      {"l q", "No Active Queues, nothing done.\n", 0},
      {"unset queue enabled", "No Active Queues, nothing done.\n", 0},
      {"unset node partition", "No Active Nodes, nothing done.\n", 0},
      {"foo", "qmgr: Illegal operation: foo\nTry 'help' if you are having trouble.\n", 1},
      {"set queue workq", "qmgr: Syntax error\nset queue workq\n               ^\n", 4},
      {"l s nosuch.invalid", "Unknown Host.\nqmgr: cannot connect to server nosuch.invalid\n", 1},
  };
  for (const auto& one : cases) {
    const ran r = qmgr(one.text);
    BOOST_TEST(r.err == one.error);
    BOOST_TEST(r.status == one.status, one.text);
    BOOST_TEST(r.out == "");
  }
}

BOOST_AUTO_TEST_CASE(qmgr_lists_and_prints) {  // MS-01
  BOOST_TEST(qmgr("l s scheduling").out == "Server q1\n    scheduling = True\n\n");
  BOOST_TEST(qmgr("p s").out == golden("qmgr.txt", "qmgr -c \"p s\""));
  BOOST_TEST(qmgr("p q workq").out == golden("qmgr.txt", "qmgr -c \"p q workq\""));
  BOOST_TEST(qmgr("l sched").out == golden("qmgr.txt", "qmgr -c \"l sched\""));
  BOOST_TEST(qmgr("print node @default").out == golden("nodes.txt", "qmgr -c 'print node @default' (1)"));
  BOOST_TEST(qmgr("a s").out == "Active servers:\ndefault\n");
  const ran help = qmgr("help foo");
  BOOST_TEST(help.out == "No help available on: foo\nCheck the PBS Reference Guide for more help.\n\n");
  BOOST_TEST(help.status == 255);
  BOOST_TEST(qmgr("").status == 255);
}

BOOST_AUTO_TEST_CASE(qmgr_changes_every_name_of_a_list) {
  BOOST_TEST(qmgr("set node p1,p2 comment=\"a b\"").status == 0);
  const auto requests = gateway.requests();
  BOOST_REQUIRE(requests.size() == 2u);
  BOOST_TEST(schema::str((*requests[1]).getManage().getName()) == "p2");
  BOOST_TEST(schema::str((*requests[1]).getManage().getChanges()[0].getValue()) == "a b");
  qmgr("unset node @default comment");
  const auto all = gateway.requests();
  BOOST_TEST((*all.back()).getManage().getAllOfKind());
  BOOST_TEST(((*all.back()).getManage().getVerb() == schema::ManageVerb::UNSET));
}

BOOST_AUTO_TEST_CASE(qmgr_does_at_no_server_what_another_is_asked_for) {
  const std::string none = "Connection refused\nqmgr: cannot connect to server q1:1\n";  // at that port
  for (const char* text :
       {"create queue z@q1:1", "delete queue z@q1:1", "set queue @q1:1 started=f",
        "unset queue z@q1:1 Priority", "list queue workq@q1:1", "print queue @q1:1",
        "set node n1@q1:1 comment=hi", "delete node @q1:1", "create resource a@q1:1 type=long",
        "delete resource a@q1:1", "create sched s@q1:1", "set sched s@q1:1 comment=hi",
        "set server @q1:1 comment=hi", "list server @q1:1", "print server q1:1",
        "create hook x@q1:1", "delete hook x@q1:1", "list hook x@q1:1",
        "import hook x@q1:1 application/x-python default /dev/null",
        "export hook x@q1:1 application/x-python default", "set pbshook x@q1:1 enabled=f"}) {
    const ran r = qmgr(text);
    BOOST_TEST(r.err == none, text);
    BOOST_TEST(r.status == 1, text);
    BOOST_TEST(r.out == "", text);
  }
  BOOST_TEST(gateway.requests().empty());
  BOOST_TEST(command("qmgr", {"-a"}, "delete queue z@q1:1\n").status == 2);
  const ran both = qmgr("delete queue z@other.invalid,y");
  BOOST_TEST(both.err == "Unknown Host.\nqmgr: cannot connect to server other.invalid\n");
  BOOST_TEST(both.status == 1);
  const auto requests = gateway.requests();
  BOOST_REQUIRE(requests.size() == 1u);
  BOOST_TEST(schema::str((*requests[0]).getManage().getName()) == "y");
}

BOOST_AUTO_TEST_CASE(qmgr_knows_its_server_behind_an_at) {
  for (const char* server : {"default", "q1", "q1.example.org"}) {
    BOOST_TEST(qmgr(std::string("delete queue z@") + server).err == "", server);
    const auto one = gateway.requests();
    BOOST_TEST(schema::str((*one.back()).getManage().getName()) == "z", server);
    BOOST_TEST(qmgr(std::string("set queue @") + server + " started=f").status == 0, server);
    const auto all = gateway.requests();
    BOOST_TEST((*all.back()).getManage().getAllOfKind(), server);
    BOOST_TEST(qmgr(std::string("l q workq@") + server + " enabled").out == "Queue workq\n    enabled = True\n\n", server);
    BOOST_TEST(qmgr(std::string("l s @") + server + " scheduling").out == "Server q1\n    scheduling = True\n\n", server);
  }
}

BOOST_AUTO_TEST_CASE(qmgr_reads_commands_from_its_input) {
  const std::string shown =
      "Max open servers: 49\nQueue workq\n    enabled = True\n\nQueue workq\n    started = True\n\n";
  const ran r = command("qmgr", {}, "l q workq enabled\nfoo\nl q workq started\n");
  BOOST_TEST(r.out == shown);
  BOOST_TEST(r.status == 0);
  const ran split = command("qmgr", {}, "l q workq \\\nenabled; l q workq started # c\n# x\n\nquit\nl q workq\n");
  BOOST_TEST(split.out == shown);
  BOOST_TEST(split.status == 0);
}

BOOST_AUTO_TEST_CASE(a_ends_qmgr_at_the_first_error) {
  const ran verb = command("qmgr", {"-a"}, "l q workq enabled\nfoo\nl q workq started\n");
  BOOST_TEST(verb.out == "Max open servers: 49\nQueue workq\n    enabled = True\n\n");
  BOOST_TEST(verb.status == 1);
  BOOST_TEST(command("qmgr", {"-a"}, "l q nosuch\nl q workq started\n").status == 2);
  BOOST_TEST(command("qmgr", {"-a", "-c", "set server bogus=1"}).status == 1);
}

BOOST_AUTO_TEST_CASE(z_is_silent_n_does_nothing_and_e_echoes) {
  BOOST_TEST(command("qmgr", {"-z", "-c", "foo"}).err == "");
  BOOST_TEST(command("qmgr", {"-z", "-c", "foo"}).status == 1);
  BOOST_TEST(command("qmgr", {"-n", "-c", "create queue nn"}).status == 0);
  BOOST_TEST(gateway.requests().empty());
  BOOST_TEST(command("qmgr", {"-e", "-c", "l q workq enabled"}).out ==
             "l q workq enabled\nQueue workq\n    enabled = True\n\n");
  BOOST_TEST(command("qmgr", {"-Z"}).status == 1);
  BOOST_TEST(command("qmgr", {"nosuch.invalid", "-c", "l s"}).status == 3);
}

BOOST_AUTO_TEST_CASE(hooks_have_words_of_their_own) {  // golden: hooks.txt
  c.refusals["hh"] = {15136, "hook name 'hh' already registered, try another name"};
  const ran r = qmgr("create hook hh");
  BOOST_TEST(r.err ==
             "qmgr obj=hh svr=default: hook name 'hh' already registered, try another name\n"
             "qmgr: hook error returned from server\n");
  BOOST_TEST(r.status == 32);
  BOOST_TEST(qmgr("list hook").status == 0);
  BOOST_TEST(qmgr("list pbshook hh").status == 1);
  const ran missing = qmgr("import hook h application/x-python default /nonexistent/h.py");
  BOOST_TEST(missing.err == "/nonexistent/h.py - No such file or directory\n");
  BOOST_TEST(missing.status == 1);
  BOOST_TEST(qmgr("import hook application/x-python default h.py").status == 4);
}

BOOST_AUTO_TEST_CASE(tracejob_reads_the_logs_of_today) {
  const std::string home = gateway.directory();
  for (const char* folder : {"/server_logs", "/server_priv/accounting"})
    std::filesystem::create_directories(home + folder);
  const auto now = std::time(nullptr);
  for (const auto& day : {values::print_day(now), values::print_day(now + 86'400)}) {  // the next may begin before tracejob looks
    std::ofstream(home + "/server_logs/" + day) << "11/20/2026 23:18:32;0008;Server@q1;Job;48.q1;Job Queued\n";
    std::ofstream(home + "/server_priv/accounting/" + day) << "11/20/2026 23:18:32;Q;48.q1;user=x \n";
  }
  const ran r = command("tracejob", {"48"});
  BOOST_TEST(r.out == "\nJob: 48.q1\n\n11/20/2026 23:18:32  S    Job Queued\n11/20/2026 23:18:32  A    user=x \n");
  BOOST_TEST(command("tracejob", {"-s", "48"}).out.find("Job Queued") == std::string::npos);
  const ran none = command("tracejob", {"49"});
  BOOST_TEST(none.err == "tracejob: Couldn't find Job Id 49.q1 in logs of past 1 day\n");
  BOOST_TEST(none.status == 1);
}

// -- pbs_efficiency ----------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(pbs_efficiency_asks_for_ones_own_jobs_or_those_that_are_named) {
  const ran own = command("pbs_efficiency", {});
  BOOST_TEST(own.status == 0, own.err);
  BOOST_TEST(own.out.starts_with("job "));
  BOOST_TEST(last_stat().getUsers().size() == 1u);
  BOOST_TEST((last_stat().getHistory() == schema::History::ALSO));
  BOOST_TEST(last_stat().getSubjobs());
  command("pbs_efficiency", {"-u", "alice, bob", "--since", "1d"});
  BOOST_TEST(last_stat().getUsers().size() == 2u);
  BOOST_TEST(last_stat().getSinceS() > 0);
  const ran named = command("pbs_efficiency", {"99999", "1", "-F", "json"});
  BOOST_TEST(named.err == "pbs_efficiency: Unknown Job Id 99999.q1\n");
  BOOST_TEST(named.status == 153);
  BOOST_TEST(named.out.find("\"1.q1\"") != std::string::npos, named.out);
  BOOST_TEST(last_stat().getUsers().size() == 0u);
}

BOOST_AUTO_TEST_CASE(pbs_efficiency_refuses_what_has_no_effect) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"-F", "dsv"}, {"-u", ""}, {"-u", "alice", "1"}, {"--since", "1d", "1"}, {"--since", "nosuch"}, {"--since", "#3"}, {"-x"}}) {
    const ran r = command("pbs_efficiency", words);
    BOOST_TEST(r.status == 2, words.front());
    BOOST_TEST(r.err.find("usage: pbs_efficiency") != std::string::npos, r.err);
  }
}

// -- pbs_output ------------------------------------------------------------------------------------------------------------

struct output_fixture : fixture {
  const test::temporary_directory root;
  const std::string base = root.at("arr.o12");

  output_fixture() {
    namespace ids = attributes::job;
    stored_object subjob;
    subjob.name = "12[3].q1";
    subjob.set(ids::Output_Path, "", "q1:" + base + ".^array_index^");
    subjob.set(ids::Error_Path, "", "q1:" + root.at("arr.e12.^array_index^"));
    subjob.set(ids::indexed_output, "", "True");
    c.objects[ObjectKind::JOB].push_back(subjob);
    subjob.name = "12[4].q1";
    c.objects[ObjectKind::JOB].push_back(subjob);
    subjob.set(ids::indexed_output, "", "False");
    subjob.name = "12[5].q1";
    c.objects[ObjectKind::JOB].push_back(subjob);
    const values::output_record record{12, 3, 1, 'o', 0, 4};
    write(base + ".n1", values::output_headline(record) + "out\n\n");
    write(base + ".n1.index", values::print_output_entry(record).value());
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  ran output(std::vector<std::string> words) const { return command("pbs_output", std::move(words)); }
};

BOOST_FIXTURE_TEST_CASE(what_a_subjob_wrote_is_printed, output_fixture) {
  BOOST_TEST(output({"12[3]"}).out == "out\n");
  BOOST_TEST((last_stat().getHistory() == schema::History::ALSO));
  BOOST_TEST(output({"-f", base + ".n1", "3"}).out == "out\n");
  BOOST_TEST(output({"-f", base, "12[3]"}).out == "out\n");
  BOOST_TEST(output({"-l", "12[3]"}).out == "12[3] 1 o 4\n");
  BOOST_TEST(output({"-l", "-f", base}).out == "12[3] 1 o 4\n");
  write(base + ".4", "of its own");
  BOOST_TEST(output({"12[4]"}).out == "of its own");
}

BOOST_FIXTURE_TEST_CASE(what_is_not_there_is_said, output_fixture) {
  const auto said = [&](std::vector<std::string> words) {
    const ran r = output(std::move(words));
    BOOST_TEST(r.out == "");
    return std::to_string(r.status) + ' ' + r.err.substr(0, r.err.find('\n'));
  };
  BOOST_TEST(said({"-e", "12[3]"}) == "1 pbs_output: no standard error of 12[3].q1 in " + base + ".*");
  BOOST_TEST(said({"12[4]"}) == "1 pbs_output: no standard output of 12[4].q1 in " + base + ".*");
  BOOST_TEST(said({"12[5]"}) == "1 pbs_output: 12[5].q1 has files of its own: it was submitted without indexed_output");
  BOOST_TEST(said({"12[6]"}) == "1 pbs_output: Unknown Job Id 12[6].q1");
  BOOST_TEST(said({"12"}) == "1 pbs_output: 12.q1 is no subjob");
  BOOST_TEST(said({"12[]"}) == "1 pbs_output: 12[].q1 is no subjob");
  BOOST_TEST(said({"x"}) == "1 pbs_output: illegally formed job identifier: x");
  BOOST_TEST(said({"-f", base, "4"}) == "1 pbs_output: no standard output of subjob 4 in " + base);
  BOOST_TEST(said({"-f", base, "13[3]"}) == "1 pbs_output: no standard output of subjob 13[3] in " + base);
  BOOST_TEST(said({"-l", "-f", base + ".x"}) == "1 pbs_output: no file with an index: " + base + ".x");
  const std::vector<std::vector<std::string>> wrong_uses = {{},
                                                            {"12[3]", "12[4]"},
                                                            {"-f", base},
                                                            {"-f", base, "x"},
                                                            {"-f", base, "3", "4"},
                                                            {"-l", "-f", base, "3"},
                                                            {"-l", "-e", "12[3]"},
                                                            {"-z"}};
  for (const auto& words : wrong_uses)
    BOOST_TEST(output(words).status == 2);
}

BOOST_AUTO_TEST_SUITE_END()
