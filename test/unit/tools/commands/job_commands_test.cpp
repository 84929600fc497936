// The job commands as programs: what they print, their exit status, and what reaches the server.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "events/model/limits.hpp"
#include "test/support/fake_gateway.hpp"
#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"

using namespace annals;
using annals::test::fake_gateway;
using annals::test::ran;

namespace {

// Answers as a server with no jobs but 1.q1 and no default arguments.
bool ordinary(schema::Request::Reader r, schema::Reply::Builder out) {
  const auto job = [&](capnp::Text::Reader id, const char* done) {
    if (id == "1.q1") {
      out.setDone(done);
      return true;
    }
    auto no = out.initRejected();
    if (id == "3.q1") {
      no.setCode(15139);
      no.setText("Job has finished");
      return true;
    }
    if (id == "2.q1") {
      no.setCode(15007);
      no.setText("Unauthorized Request ");
      return true;
    }
    no.setCode(15001);
    no.setText("Unknown Job Id");
    return true;
  };
  switch (r.which()) {
    case schema::Request::STAT:
      out.initObjects().setLast(true);
      return true;
    case schema::Request::QUEUE_JOB:
      if (r.getQueueJob().getQueue() == "nosuch") {
        out.initRejected().setCode(15018);
        out.getRejected().setText("Unknown queue");
      } else {
        out.setDone("12.q1");
      }
      return true;
    case schema::Request::WAIT_JOB:
      out.initJobEnded().setHasExitStatus(true);
      out.getJobEnded().setExitStatus(265);
      return true;
    case schema::Request::SHUTDOWN:
      out.initRejected().setCode(15007);
      out.getRejected().setText("Unauthorized Request");
      return true;
    case schema::Request::DELETE_JOB:
      return job(r.getDeleteJob().getJob(), "");
    case schema::Request::HOLD_JOB:
      return job(r.getHoldJob().getJob(), "");
    case schema::Request::RELEASE_JOB:
      return job(r.getReleaseJob().getJob(), "");
    case schema::Request::RERUN_JOB:
      return job(r.getRerunJob().getJob(), "");
    case schema::Request::ALTER_JOB:
      return job(r.getAlterJob().getJob(), "");
    case schema::Request::SIGNAL_JOB:
      return job(r.getSignalJob().getJob(), "");
    case schema::Request::MOVE_JOB:
      return job(r.getMoveJob().getJob(), "");
    case schema::Request::RUN_JOB:
      return job(r.getRunJob().getJob(), "");
    case schema::Request::ORDER_JOBS:
      return job(r.getOrderJobs().getSecond(), "");
    case schema::Request::MESSAGE_JOB:
      return job(r.getMessageJob().getJob(), "");
    default:
      out.setDone("");
      return true;
  }
}

struct commands {
  fake_gateway server;

  explicit commands(fake_gateway::answer how = ordinary) : server(std::move(how)) {}

  ran run(std::vector<std::string> words, std::string input = {}, const std::string& directory = {}) {
    words[0] = annals::test::stage_dir() + "/bin/" + words[0];
    return test::run(words, {std::move(input), {{"PBS_CONF_FILE", server.conf_file()}}, directory, {}});
  }
  // The last request of a kind.
  fake_gateway::request last(schema::Request::Which which) {
    const auto seen = server.requests();
    for (auto at = seen.rbegin(); at != seen.rend(); ++at)
      if ((**at).which() == which) return *at;
    BOOST_FAIL("no such request reached the server");
    return {};
  }
  std::string attribute(std::string_view name, std::string_view resource = {}) {
    const auto request = last(schema::Request::QUEUE_JOB);
    for (auto a : (*request).getQueueJob().getAttributes())
      if (schema::text(a.getName()) == name && schema::text(a.getResource()) == resource)
        return schema::str(a.getValue());
    return "(none)";
  }
};

std::string script_of(const fake_gateway::request& r) {
  const auto bytes = (*r).getQueueJob().getScript();
  return {reinterpret_cast<const char*>(bytes.begin()), bytes.size()};
}

constexpr const char* qsub_usage_start = "usage: qsub [-a date_time] [-A account_string] [-c interval]\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(job_commands)

BOOST_FIXTURE_TEST_CASE(qsub_prints_the_id_of_a_program, commands) {
  const ran r = run({"qsub", "-l", "ncpus=2", "--", "/bin/true", "a", "b c"});
  BOOST_TEST(r.status == 0);
  BOOST_TEST(r.out == "12.q1\n");
  BOOST_TEST(r.err == "");
  BOOST_TEST(attribute("Job_Name") == "STDIN");
  BOOST_TEST(attribute("Resource_List", "ncpus") == "2");
  BOOST_TEST(attribute("Submit_arguments") == "-l ncpus=2 -- /bin/true a b c");
  const auto request = last(schema::Request::QUEUE_JOB);
  BOOST_TEST(!(*request).getQueueJob().getHasScript());
  BOOST_TEST((*request).getCommandId().size() == 16u);
}

BOOST_FIXTURE_TEST_CASE(qsub_reads_a_script_and_its_directives_from_standard_input, commands) {
  const std::string script = "#!/bin/sh\n#PBS -N fromstdin -q workq\ntrue\n";
  BOOST_TEST(run({"qsub", "-p", "5"}, script).out == "12.q1\n");
  const auto request = last(schema::Request::QUEUE_JOB);
  BOOST_TEST(script_of(request) == script);
  BOOST_TEST((*request).getQueueJob().getQueue().cStr() == "workq");
  BOOST_TEST(attribute("Job_Name") == "fromstdin");
  BOOST_TEST(attribute("Priority") == "5");
}

BOOST_FIXTURE_TEST_CASE(directives_may_have_another_prefix, commands) {
  const std::string script = "#!/bin/sh\n#XX -N of_xx\n#PBS -N of_pbs\ntrue\n";
  BOOST_TEST(run({"qsub"}, script).status == 0);
  BOOST_TEST(attribute("Job_Name") == "of_pbs");
  BOOST_TEST(run({"qsub", "-C", "#XX"}, script).status == 0);
  BOOST_TEST(attribute("Job_Name") == "of_xx");
}

BOOST_FIXTURE_TEST_CASE(the_whole_environment_goes_along_if_that_is_asked_for, commands) {
  const auto own = ",PBS_CONF_FILE=" + server.conf_file();
  const auto has_own = [&] { return attribute("Variable_List").find(own) != std::string::npos; };
  BOOST_TEST(run({"qsub", "--", "/bin/true"}).status == 0);
  BOOST_TEST(!has_own());
  BOOST_TEST(run({"qsub", "-V", "--", "/bin/true"}).status == 0);
  BOOST_TEST(has_own(), attribute("Variable_List"));
}

BOOST_FIXTURE_TEST_CASE(an_empty_script_is_a_script, commands) {
  BOOST_TEST(run({"qsub"}).status == 0);
  BOOST_TEST((*last(schema::Request::QUEUE_JOB)).getQueueJob().getHasScript());
}

BOOST_FIXTURE_TEST_CASE(a_large_script_goes_ahead_in_pieces, commands) {
  std::string script = "#!/bin/sh\n";
  while (script.size() < limits::blob_piece_bytes + 1000) script += "# the same line again and again\n";
  const std::string path = server.directory() + "/big.sh";
  std::ofstream(path) << script;
  BOOST_TEST(run({"qsub", path}).out == "12.q1\n");
  std::string joined;
  bool last_seen = false;
  for (const auto& r : server.requests()) {
    if (!(*r).isPutBlob()) continue;
    const auto piece = (*r).getPutBlob();
    BOOST_TEST(piece.getOffset() == joined.size());
    joined.append(reinterpret_cast<const char*>(piece.getData().begin()), piece.getData().size());
    last_seen = piece.getLast();
  }
  BOOST_TEST((joined == script));
  BOOST_TEST(last_seen);
  const auto ref = (*last(schema::Request::QUEUE_JOB)).getQueueJob().getScriptRef();
  BOOST_TEST(ref.getSize() == script.size());
  BOOST_TEST(ref.getHash().size() == 32u);
}

BOOST_AUTO_TEST_CASE(a_large_script_starts_over_when_the_server_lost_its_pieces) {
  // The connection breaks at the last piece; the new one has none of the first, as a restarted server says.
  int pieces = 0;
  std::uint64_t taken = 0;
  fake_gateway server([&](schema::Request::Reader r, schema::Reply::Builder out) {
    if (!r.isPutBlob()) return ordinary(r, out);
    const auto piece = r.getPutBlob();
    if (++pieces == 2) {
      taken = 0;
      return false;
    }
    if (piece.getOffset() == 0) taken = 0;
    if (piece.getOffset() != taken) {
      out.initRejected().setUploadAgain(true);
      return true;
    }
    taken += piece.getData().size();
    out.setDone("");
    return true;
  });
  const std::string path = server.directory() + "/big.sh";
  std::ofstream(path) << std::string(limits::blob_piece_bytes + 1000, '#');
  const ran r = test::run({annals::test::stage_dir() + "/bin/qsub", path},
                          {"", {{"PBS_CONF_FILE", server.conf_file()}}, "", {}});
  BOOST_TEST(r.err == "");
  BOOST_TEST(r.out == "12.q1\n");
  BOOST_TEST(taken == limits::blob_piece_bytes + 1000);
}

BOOST_FIXTURE_TEST_CASE(hosts_of_a_private_cluster_are_known_by_its_hosts_file, commands) {
  std::ofstream(server.conf_file(), std::ios::app) << "PBS_LEAF_NAME=q1\n";
  std::ofstream(server.directory() + "/annals.conf") << "hosts_file = " << server.directory() << "/hosts\n";
  std::ofstream(server.directory() + "/hosts") << "127.0.0.2 q1\n127.0.0.3 nodea # the first\n";
  BOOST_TEST(run({"qsub", "-o", "nodea:/x", "-e", "/y", "--", "/bin/true"}).status == 0);
  BOOST_TEST(attribute("Output_Path") == "nodea:/x");
  BOOST_TEST(attribute("Error_Path") == "q1:/y");
  BOOST_TEST(
      run({"qsub", "-o", "no-such-host.invalid:/x", "--", "/bin/true"}).err.starts_with("qsub: illegal -o value\n"));
}

BOOST_FIXTURE_TEST_CASE(qsub_z_prints_nothing, commands) {
  BOOST_TEST(run({"qsub", "-z", "--", "/bin/true"}).out == "");
}

BOOST_FIXTURE_TEST_CASE(qsub_tells_the_servers_refusal, commands) {
  const ran r = run({"qsub", "-q", "nosuch", "--", "/bin/true"});
  BOOST_TEST(r.err == "qsub: Unknown queue\n");
  BOOST_TEST(r.status == 170);
}

BOOST_FIXTURE_TEST_CASE(qsub_waits_for_the_end_of_a_blocking_job, commands) {
  const ran r = run({"qsub", "-W", "block=true", "--", "/bin/true"});
  BOOST_TEST(r.out == "12.q1\n");
  BOOST_TEST(r.status == 137);
}

BOOST_FIXTURE_TEST_CASE(mistakes_never_reach_the_server, commands) {
  BOOST_TEST(run({"qsub", "-N", "a b", "--", "/bin/true"})
                 .err.starts_with("qsub: illegal -N value\n" + std::string(qsub_usage_start)));
  BOOST_TEST(run({"qsub", "-Z"}).err.starts_with("qsub: invalid option -- 'Z'\n" + std::string(qsub_usage_start)));
  BOOST_TEST(run({"qsub", "--"}).err.starts_with(qsub_usage_start));
  BOOST_TEST(run({"qsub", "nosuchfile"}).err == "qsub: script file:: No such file or directory\n");
  BOOST_TEST(run({"qsub", "nosuchfile"}).status == 1);
  BOOST_TEST(run({"qsub", "/tmp"}).err == "qsub: script not a file\n");
  BOOST_TEST(run({"qsub", "-I"}).err ==
             "qsub:\tstandard input and output must be a terminal for\n\tinteractive job submission\n");
  BOOST_TEST(run({"qsub", "-I"}).status == 1);
  BOOST_TEST(server.requests().empty());
}

BOOST_FIXTURE_TEST_CASE(an_unknown_server_is_named, commands) {
  const ran r = run({"qsub", "-q", "workq@no-such-host.invalid", "--", "/bin/true"});
  BOOST_TEST(r.err == "Unknown Host.\nqsub: cannot connect to server q1 (errno=15008)\n");
  BOOST_TEST(r.status == 160);
  const ran d = run({"qdel", "9@no-such-host.invalid"});
  BOOST_TEST(d.err == "Unknown Host.\nCouldn't connect to cluster: no-such-host.invalid\n");
  BOOST_TEST(d.status == 160);
}

BOOST_FIXTURE_TEST_CASE(a_server_that_is_down_is_refused_at_once, commands) {
  server.stop();
  for (const auto& words : {std::vector<std::string>{"qsub", "--", "/bin/true"},
                            {"qdel", "1"},
                            {"qhold", "1"},
                            {"qalter", "-p", "1", "1"}}) {
    const ran r = run(words);
    BOOST_TEST(r.err == "Connection refused\n" + words[0] + ": cannot connect to server q1 (errno=15010)\n");
    BOOST_TEST(r.status == 162);
  }
  BOOST_TEST(run({"qterm"}).status == 2);
}

BOOST_FIXTURE_TEST_CASE(a_list_of_jobs_goes_on_after_errors, commands) {
  const ran r = run({"qdel", "99999", "abc", "2", "1"});
  BOOST_TEST(
      r.err ==
      "qdel: Unknown Job Id 99999.q1\nqdel: illegally formed job identifier: abc\nqdel: Unauthorized Request  2.q1\n");
  BOOST_TEST(r.status == 159);
}

BOOST_FIXTURE_TEST_CASE(a_job_that_is_named_again_is_deleted_once, commands) {
  BOOST_TEST(run({"qdel", "2", "1", "2.q1", "2"}).err == "qdel: Unauthorized Request  2.q1\n");
  BOOST_TEST(run({"qhold", "2", "2"}).err == "qhold: Unauthorized Request  2.q1\nqhold: Unauthorized Request  2.q1\n");
}

BOOST_FIXTURE_TEST_CASE(arrays_subjobs_and_ranges_are_asked_of_the_server_as_they_are, commands) {
  const auto refused = [](const std::string& command) {
    std::string text;
    for (const char* id : {"12[].q1", "12[3].q1", "12[3-9:2].q1"})
      if (command != "qdel" || id == std::string_view("12[].q1"))  // the array is all of them
        text += command + ": Unknown Job Id " + id + "\n";
    return text + command + ": illegally formed job identifier: 12[3,5]\n" + command + ": illegally formed job identifier: 12[3\n";
  };
  for (const auto& words : {std::vector<std::string>{"qdel"},
                            {"qhold"},
                            {"qrls"},
                            {"qrerun"},
                            {"qsig"},
                            {"qrun"},
                            {"qalter", "-p", "1"},
                            {"qmove", "workq"},
                            {"qmsg", "hello"}}) {
    auto line = words;
    line.insert(line.end(), {"12[]", "12[3].q1", "12[3-9:2]", "12[3,5]", "12[3"});
    BOOST_TEST(run(line).err == refused(words[0]));
  }
  BOOST_TEST(run({"qorder", "12[]", "12[3]"}).err == "qorder: Unknown Job Id 12[].q1 or 12[3].q1\n");
}

BOOST_FIXTURE_TEST_CASE(qsub_sends_the_range_of_an_array, commands) {
  BOOST_TEST(run({"qsub"}, "#PBS -J 1-8:2%3\ntrue\n").status == 0);
  BOOST_TEST(attribute("array_indices_submitted") == "1-8:2");
  BOOST_TEST(attribute("max_run_subjobs") == "3");
  BOOST_TEST(attribute("array") == "(none)");
}

BOOST_FIXTURE_TEST_CASE(only_qdel_names_a_finished_job, commands) {
  BOOST_TEST(run({"qdel", "3"}).err == "qdel: Job has finished 3.q1\n");
  for (const char* command : {"qhold", "qrls", "qrerun", "qsig"}) {
    const ran r = run({command, "3"});
    BOOST_TEST(r.err == std::string(command) + ": Job has finished\n");
    BOOST_TEST(r.status == 35);
  }
}

BOOST_FIXTURE_TEST_CASE(commands_without_a_job_are_usage_errors, commands) {
  for (const char* command : {"qdel", "qhold", "qrls", "qrerun", "qalter", "qsig", "qmsg"}) {
    const ran r = run({command});
    BOOST_TEST(r.status == 2);
    BOOST_TEST(r.err.starts_with("usage:"));
  }
  BOOST_TEST(run({"qhold", "-h", "z", "1"}).err ==
             "qhold: illegal -h value\nusage: qhold [-h hold_list] job_identifier...\n       qhold --version\n");
  BOOST_TEST(run({"qdel", "-W", "foo", "1"}).err.starts_with("qdel: illegal -W value\nusage:\n"));
}

BOOST_AUTO_TEST_CASE(the_site_says_how_jobs_are_deleted) {
  attributes::attribute_set said;
  said.set(attributes::server::default_qdel_arguments, "-x -W force");
  commands site([&](schema::Request::Reader r, schema::Reply::Builder out) {
    if (r.which() != schema::Request::STAT) return ordinary(r, out);
    auto objects = out.initObjects();
    objects.setLast(true);
    auto object = objects.initObjects(1)[0];
    object.setName("q1");
    object.setAttributes({reinterpret_cast<const kj::byte*>(said.packed().data()), said.packed().size()});
    return true;
  });
  commands another;
  for (auto* c : {&site, &another}) {
    c->run({"qdel", "1"});
    const auto d = c->last(schema::Request::DELETE_JOB);
    BOOST_TEST((*d).getDeleteJob().getForce() == (c == &site));
    BOOST_TEST((*d).getDeleteJob().getPurgeHistory() == (c == &site));
  }
}

BOOST_FIXTURE_TEST_CASE(holds_and_deletions_say_what_was_asked, commands) {
  run({"qhold", "-h", "uo", "1"});
  BOOST_TEST((*last(schema::Request::HOLD_JOB)).getHoldJob().getHolds().size() == 2u);
  run({"qrls", "1"});
  BOOST_TEST(((*last(schema::Request::RELEASE_JOB)).getReleaseJob().getHolds()[0] == schema::HoldType::USER));
  run({"qdel", "-Wforce", "-x", "-W", "suppress_email=1", "1"});
  const auto d = last(schema::Request::DELETE_JOB);
  BOOST_TEST((*d).getDeleteJob().getForce());
  BOOST_TEST((*d).getDeleteJob().getPurgeHistory());
  BOOST_TEST(!(*d).getDeleteJob().getNoMail());
  run({"qdel", "-W", "suppress_email=1", "1", "2"});
  BOOST_TEST((*last(schema::Request::DELETE_JOB)).getDeleteJob().getNoMail());
  run({"qdel", "-W", "suppress_email=0", "1", "2"});
  BOOST_TEST(!(*last(schema::Request::DELETE_JOB)).getDeleteJob().getNoMail());
  run({"qdel", "-W", "suppress_email=-1", "1"});
  BOOST_TEST((*last(schema::Request::DELETE_JOB)).getDeleteJob().getNoMail());
  run({"qrerun", "-W", "force", "1"});
  BOOST_TEST((*last(schema::Request::RERUN_JOB)).getRerunJob().getForce());
}

BOOST_FIXTURE_TEST_CASE(signals_and_messages_say_what_was_asked, commands) {
  BOOST_TEST(run({"qsig", "1"}).status == 0);
  BOOST_TEST(schema::str((*last(schema::Request::SIGNAL_JOB)).getSignalJob().getSignal()) == "SIGTERM");
  run({"qsig", "-s", "suspend", "1"});
  BOOST_TEST(schema::str((*last(schema::Request::SIGNAL_JOB)).getSignalJob().getSignal()) == "suspend");
  BOOST_TEST(run({"qsig", "-s", "9", "2"}).err == "qsig: Unauthorized Request  2.q1\n");
  const auto where = [&] {
    const auto request = last(schema::Request::MESSAGE_JOB);
    const auto m = (*request).getMessageJob();
    return schema::str(m.getText()) + (m.getToErrors() ? " E" : "") + (m.getToOutput() ? " O" : "");
  };
  BOOST_TEST(run({"qmsg", "hello you", "1"}).status == 0);
  BOOST_TEST(where() == "hello you E");
  run({"qmsg", "-O", "a", "1"});
  BOOST_TEST(where() == "a O");
  run({"qmsg", "-O", "-E", "b", "1"});
  BOOST_TEST(where() == "b E O");
  BOOST_TEST(run({"qmsg", "only a text"}).status == 2);
}

BOOST_FIXTURE_TEST_CASE(qmove_names_a_destination_before_the_jobs, commands) {
  BOOST_TEST(run({"qmove", "workq@q1", "1"}).status == 0);
  BOOST_TEST(schema::str((*last(schema::Request::MOVE_JOB)).getMoveJob().getDestination()) == "workq@q1");
  BOOST_TEST(run({"qmove", "workq", "3"}).err == "qmove: Job has finished\n");
  const ran usage = run({"qmove", "-Z"});
  BOOST_TEST(usage.status == 2);
  BOOST_TEST(usage.err == "usage: qmove destination job_identifier...\n       qmove --version\n");
  BOOST_TEST(run({"qmove", "workq"}).status == 2);
}

BOOST_FIXTURE_TEST_CASE(qorder_names_both_jobs_in_a_refusal, commands) {
  BOOST_TEST(run({"qorder", "1", "1"}).status == 0);
  const ran r = run({"qorder", "1", "2"});
  BOOST_TEST(r.status == 159);
  BOOST_TEST(r.err == "qorder: Unauthorized Request  1.q1 or 2.q1\n");
  BOOST_TEST(run({"qorder", "1", "3"}).err == "qorder: Job has finished\n");
  BOOST_TEST(run({"qorder", "1"}).err == "usage: qorder job_identifier job_identifier\n       qorder --version\n");
}

BOOST_FIXTURE_TEST_CASE(qrun_ends_with_2_whatever_the_refusal_is, commands) {
  BOOST_TEST(run({"qrun", "-H", "(n1:ncpus=1)", "1"}).status == 0);
  BOOST_TEST(schema::str((*last(schema::Request::RUN_JOB)).getRunJob().getExecVnode()) == "(n1:ncpus=1)");
  const ran r = run({"qrun", "2"});
  BOOST_TEST(r.status == 2);
  BOOST_TEST(r.err == "qrun: Unauthorized Request  2.q1\n");
  const ran usage = run({"qrun", "-Z", "1"});
  BOOST_TEST(usage.status == 1);
  BOOST_TEST(usage.err.starts_with("qrun: invalid option -- 'Z'\nUsage: qrun [-a] [-H vnode_specification ] job_identifier_list\n"));
}

BOOST_FIXTURE_TEST_CASE(qalter_sends_changes_and_takes_empty_values_away, commands) {
  BOOST_TEST(run({"qalter", "-p", "7", "-l", "walltime=", "1"}).status == 0);
  const auto request = last(schema::Request::ALTER_JOB);
  const auto changes = (*request).getAlterJob().getChanges();
  BOOST_REQUIRE(changes.size() == 2u);
  BOOST_TEST((changes[0].getOp() == schema::AttributeOp::SET));
  BOOST_TEST((changes[1].getOp() == schema::AttributeOp::UNSET));
  BOOST_TEST(changes[1].getResource().cStr() == "walltime");
  for (const char* name : {"stagein", "stageout"}) {
    BOOST_TEST(run({"qalter", "-W", std::string(name) + " = a@q1:/b", "1"}).status == 0);
    const auto staging = last(schema::Request::ALTER_JOB);
    BOOST_TEST((*staging).getAlterJob().getChanges()[0].getName().cStr() == name);
    BOOST_TEST((*staging).getAlterJob().getChanges()[0].getValue().cStr() == "a@q1:/b");
  }
  BOOST_TEST(run({"qalter", "-W", "nosuch=1", "1"}).err == "qalter: Undefined attribute  1.q1\n");
  BOOST_TEST(run({"qalter", "-W", "block=true", "1"}).err == "qalter: Illegal attribute or resource value 1.q1\n");
}

BOOST_FIXTURE_TEST_CASE(qterm_has_statuses_of_its_own, commands) {
  const ran refused = run({"qterm"});
  BOOST_TEST(refused.err == "qterm: Unauthorized Request  \n");
  BOOST_TEST(refused.status == 2);
  BOOST_TEST(run({"qterm", "nosuch.invalid"}).err == "Unknown Host.\nqterm: could not connect to server nosuch.invalid (15008)\n");
  BOOST_TEST(run({"qterm", "-t", "foo"}).status == 1);
  BOOST_TEST(
      run({"qterm", "-Z"}).err.starts_with("qterm: invalid option -- 'Z'\nUsage: qterm [-t immediate|delay|[quick]]"));
}

BOOST_FIXTURE_TEST_CASE(every_command_knows_its_version_and_help, commands) {
  for (const char* command : {"qsub", "qalter", "qdel", "qhold", "qrls", "qrerun", "qterm", "qsig", "qmsg", "qmove", "qorder", "qrun"}) {
    BOOST_TEST(run({command, "--version"}).out.starts_with("pbs_version = "));
    BOOST_TEST(run({command, "--help"}).status == 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(waiting_qsub)

BOOST_AUTO_TEST_CASE(an_interrupt_deletes_the_job) {
  fake_gateway server(ordinary, [](schema::Request::Reader r) { return r.isWaitJob(); });
  const auto interrupt = [&](pid_t qsub) {
    BOOST_REQUIRE_MESSAGE(server.wait_for(schema::Request::WAIT_JOB), "qsub does not wait for its job");
    kill(qsub, SIGINT);
  };
  const ran r = test::run({annals::test::stage_dir() + "/bin/qsub", "-W", "block=true", "--", "/bin/sleep", "4"},
                          {"", {{"PBS_CONF_FILE", server.conf_file()}}, "", interrupt});
  BOOST_TEST(r.status == 2);
  BOOST_TEST(r.out == "12.q1\nJob 12.q1 is being deleted\n");
  BOOST_TEST(r.err == "qsub: wait for job 12.q1 interrupted by signal 2\n");
  BOOST_TEST(server.saw(schema::Request::DELETE_JOB));
}

BOOST_AUTO_TEST_CASE(the_end_of_a_job_that_an_interrupt_deletes_is_not_told) {
  bool is_deleted = false, has_ended = false;  // the end is answered after the deletion was asked for, and before its answer
  fake_gateway server([&](schema::Request::Reader r, schema::Reply::Builder out) {
    if (r.isWaitJob()) {
      has_ended = is_deleted;
      if (has_ended) out.initJobEnded().setText("Job to be deleted at request of u@q1");
      return has_ended;
    }
    if (r.isDeleteJob()) {
      is_deleted = true;
      if (has_ended) out.setDone("");
      return has_ended;
    }
    return ordinary(r, out);
  });
  const auto interrupt = [&](pid_t qsub) {
    BOOST_REQUIRE_MESSAGE(server.wait_for(schema::Request::WAIT_JOB), "qsub does not wait for its job");
    kill(qsub, SIGTERM);
  };
  const ran r = test::run({annals::test::stage_dir() + "/bin/qsub", "-W", "block=true", "--", "/bin/sleep", "4"},
                          {"", {{"PBS_CONF_FILE", server.conf_file()}}, "", interrupt});
  BOOST_TEST(r.status == 2);
  BOOST_TEST(r.out == "12.q1\nJob 12.q1 is being deleted\n");
  BOOST_TEST(r.err == "qsub: wait for job 12.q1 interrupted by signal 15\n");
}

BOOST_AUTO_TEST_CASE(a_job_that_ends_without_an_exit_status_is_no_success) {
  fake_gateway server([](schema::Request::Reader r, schema::Reply::Builder out) {
    if (!r.isWaitJob()) return ordinary(r, out);
    out.initJobEnded();
    return true;
  });
  const ran r = test::run({annals::test::stage_dir() + "/bin/qsub", "-W", "block=true", "--", "/bin/true"},
                          {"", {{"PBS_CONF_FILE", server.conf_file()}}, "", {}});
  BOOST_TEST(r.status == 3);
  BOOST_TEST(r.err == "qsub: 12.q1 Job ended without an exit status\n");
}

// Between the answer to the submission and the wait, when nobody can connect anew.
BOOST_AUTO_TEST_CASE(a_server_that_goes_away_when_it_has_the_job_is_waited_for) {
  fake_gateway* itself = nullptr;
  bool came_back = false;  // set while nobody serves
  fake_gateway server([&](schema::Request::Reader r, schema::Reply::Builder out) {
    if (r.isWaitJob() && !came_back) return false;
    if (r.isQueueJob()) std::filesystem::remove(itself->socket_path());
    return ordinary(r, out);
  });
  itself = &server;
  const auto restart = [&](pid_t) {
    BOOST_REQUIRE_MESSAGE(server.wait_for(schema::Request::WAIT_JOB), "qsub does not wait for its job");
    server.stop();
    came_back = true;
    server.start();
  };
  const ran r = test::run({annals::test::stage_dir() + "/bin/qsub", "-W", "block=true", "--", "/bin/true"},
                          {"", {{"PBS_CONF_FILE", server.conf_file()}}, "", restart});
  BOOST_TEST(r.err == "");
  BOOST_TEST(r.out == "12.q1\n");
  BOOST_TEST(r.status == 137);
}

BOOST_AUTO_TEST_CASE(a_deleted_job_is_told) {
  fake_gateway server([](schema::Request::Reader r, schema::Reply::Builder out) {
    if (r.isWaitJob()) {
      out.initJobEnded().setText("Job to be deleted at request of u@q1");
      return true;
    }
    return ordinary(r, out);
  });
  const ran r = test::run({annals::test::stage_dir() + "/bin/qsub", "-W", "block=true", "--", "/bin/sleep", "4"},
                          {"", {{"PBS_CONF_FILE", server.conf_file()}}, "", {}});
  BOOST_TEST(r.err == "qsub: 12.q1 Job to be deleted at request of u@q1\n");
  BOOST_TEST(r.status == 3);
}

BOOST_AUTO_TEST_SUITE_END()
