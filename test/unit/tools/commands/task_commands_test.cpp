// pbsdsh, pbs_tmrsh and pbs_attach as programs: usage texts as in the transcripts, and what they make of a MoM's answers.
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/stat.h>

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <vector>

#include "actors/link/wire/socket_path.hpp"
#include "actors/link/wire/wire.hpp"
#include "events/schema/tm.capnp.h"
#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"

using namespace annals;
using annals::test::ran;

namespace {

ran command(std::vector<std::string> words, std::vector<std::pair<std::string, std::string>> environment = {},
            std::function<void(pid_t)> meanwhile = {}) {
  if (!words[0].starts_with('/')) words[0] = annals::test::stage_dir() + "/bin/" + words[0];
  return test::run(words, {.input = {}, .environment = std::move(environment), .directory = {}, .meanwhile = std::move(meanwhile)});
}

constexpr std::uint32_t no_such_task = 17006, host_is_lost = 17000;

// A MoM of a job on n1, n1 and n2.example. Every task writes twice the same piece and one more, and ends with `status`.
struct fake_mom {
  fake_mom() {
    std::filesystem::create_directories(home + "/mom_priv");
    wire::handler h;
    h.opened = [](const wire::connection_ptr&) {};
    h.received = [this](const wire::connection_ptr& peer, schema::sealed_message m) { answer(peer, m.root<schema::TmRequest>()); };
    h.closed = [](const wire::connection_ptr&, const std::string&) {};
    door = pool.listen_unix(home + "/mom_priv/tm.sock", 0600, h);
  }

  // Answers are those of the connection's I/O thread.
  void answer(const wire::connection_ptr& peer, schema::TmRequest::Reader r) {
    const auto reply = [&](std::uint64_t question, auto&& fill) {
      peer->send(schema::make<schema::TmReply>([&](schema::TmReply::Builder b) {
        b.setQuestion(question);
        fill(b);
      }));
    };
    const auto output = [&](std::uint64_t question, std::uint32_t task, std::uint64_t offset, const std::string& text) {
      reply(question, [&](schema::TmReply::Builder b) {
        auto o = b.initOutput();
        o.setTask(task);
        o.setOffset(offset);
        o.setBytes({reinterpret_cast<const kj::byte*>(text.data()), text.size()});
      });
    };
    const std::lock_guard held(guard);
    if (r.isOpen()) {
      reply(r.getQuestion(), [](schema::TmReply::Builder b) {
        auto hosts = b.initOpened().initHosts(3);
        hosts.set(0, "n1");
        hosts.set(1, "n1");
        hosts.set(2, "n2.example");
      });
    } else if (r.isSpawn() && r.getSpawn().getNode() == refused_node) {
      reply(r.getQuestion(), [](schema::TmReply::Builder b) { b.initFailed().setText("no room"); });
    } else if (r.isSpawn() && deaf) {
      notice("spawn");
    } else if (r.isSpawn()) {
      spawned.push_back(std::to_string(r.getSpawn().getNode()) + ":" +
                        schema::str(r.getSpawn().getArgv()[r.getSpawn().getArgv().size() - 1]));
      const auto task = static_cast<std::uint32_t>(spawned.size() + 1);
      reply(r.getQuestion(), [&](schema::TmReply::Builder b) { b.setSpawned(task); });
      if (!r.getSpawn().getOutput()) return;
      output(r.getQuestion(), task, 0, "out");
      output(r.getQuestion(), task, 0, "out");
      output(r.getQuestion(), task, 3, flood.empty() ? "put\n" : flood);
    } else if (r.isWatch() && endless) {
      watched.push_back(r.getQuestion());
      notice("watch");
    } else if (r.isSignal()) {
      notice("signal " + std::to_string(r.getSignal().getSignal()));
      reply(r.getQuestion(), [&](schema::TmReply::Builder b) {
        if (signal_failure == 0) return b.setDone();
        b.initFailed().setText("lost communication with n2");
        b.getFailed().setCode(signal_failure);
      });
      if (signal_failure != no_such_task) return;
      for (const auto question : watched) reply(question, [&](schema::TmReply::Builder b) { b.setOver(status); });
    } else if (r.isWatch()) {
      reply(r.getQuestion(), [&](schema::TmReply::Builder b) { b.setOver(status); });
    } else if (r.isOutputTaken()) {
      taken.push_back(r.getOutputTaken().getUpTo());
    }
  }

  void notice(std::string what) {
    noticed.push_back(std::move(what));
    came.notify_all();
  }
  // Until it was asked so much.
  void until_noticed(std::size_t count) {
    std::unique_lock held(guard);
    came.wait(held, [&] { return noticed.size() >= count; });
  }

  // Ended by SIGTERM when the MoM was asked `after` questions that it takes note of.
  ran told_to_end(std::vector<std::string> words, std::size_t after) {
    return in_job(std::move(words), {}, [this, after](pid_t pid) {
      until_noticed(after);
      kill(pid, SIGTERM);
    });
  }

  ran in_job(std::vector<std::string> words, std::vector<std::pair<std::string, std::string>> more = {},
             std::function<void(pid_t)> meanwhile = {}) {
    more.insert(more.end(), {{"PBS_NODEFILE", home + "/aux/12.q1"},
                             {"PBS_JOBID", "12.q1"},
                             {"PBS_JOBCOOKIE", "c"},
                             {"SHELL", "/bin/sh"},
                             {"USER", "somebody"}});
    return command(std::move(words), std::move(more), std::move(meanwhile));
  }

  const test::temporary_directory own;
  const std::string home = own.path;
  std::mutex guard;
  std::vector<std::string> spawned;  // "node:last word"
  std::vector<std::uint64_t> taken;
  std::int32_t status = 0;
  std::uint32_t refused_node = 99;
  bool deaf = false, endless = false;  // to who asks for a task; to who waits for its end
  std::uint32_t signal_failure = 0;    // what who sends a signal hears; 0: it was sent
  std::string flood;                   // that a task writes
  std::vector<std::uint64_t> watched;
  std::vector<std::string> noticed;
  std::condition_variable came;
  wire::io_pool pool;
  std::unique_ptr<wire::listener> door;
};

using words = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(task_commands)

BOOST_AUTO_TEST_CASE(usage_is_that_of_the_transcripts) {
  const auto dsh = command({"pbsdsh", "-Z"});
  BOOST_TEST(dsh.status == 1);
  BOOST_TEST(dsh.err ==
             "pbsdsh: invalid option -- 'Z'\n"
             "Usage: pbsdsh [-c copies][-s][-v][-o] -- program [args...]\n"
             "       pbsdsh [-n node_index][-s][-v][-o] -- program [args...]\n"
             "       pbsdsh --version\n"
             "Where -c copies =  run a copy of \"program\" on the first \"copies\" nodes,\n"
             "      -n node_index = run a copy of \"program\" on the \"node_index\"-th node,\n"
             "      -h hostname = run a copy of \"program\" on the node named by hostname,\n"
             "      -s = forces synchronous execution,\n"
             "      -v = forces verbose output.\n"
             "      -o = no obits are waited for.\n");
  const auto attach = command({"pbs_attach", "-Z"});
  BOOST_TEST(attach.status == 2);
  BOOST_TEST(attach.err ==
             "pbs_attach: invalid option -- 'Z'\n"
             "must specify pid or command\n"
             "usage: pbs_attach [-j jobid] [-m port] -p pid\n"
             "usage: pbs_attach [-j jobid] [-m port] [-P] [-s] cmd [arg1 ...]\n"
             "usage: pbs_attach --version\n");
  const auto rsh = command({"pbs_tmrsh", "-Z"});
  BOOST_TEST(rsh.status == 255);
  BOOST_TEST(rsh.err ==
             "usage: pbs_tmrsh [-n][-l username] host [-n][-l username] command\n"
             "       pbs_tmrsh --version\n");
  for (const char* name : {"pbsdsh", "pbs_attach", "pbs_tmrsh"}) BOOST_TEST(command({name, "--version"}).out.starts_with("pbs_version = "));
}

BOOST_AUTO_TEST_CASE(outside_of_a_job_nothing_is_run) {
  unsetenv("PBS_JOBID");
  BOOST_TEST(command({"pbsdsh", "true"}).err == "pbsdsh: not executing under PBS\n");
  BOOST_TEST(command({"pbs_tmrsh", "n1", "true"}).status == 255);
}

BOOST_AUTO_TEST_CASE(pieces_that_come_twice_are_printed_once) {
  fake_mom mom;
  mom.status = 7;
  const auto r = mom.in_job({"pbs_tmrsh", "n2", "-n", "echo", "$HOME"});
  BOOST_TEST(r.out == "output\n");
  BOOST_TEST(r.status == 7);
  BOOST_TEST(mom.spawned == words{"2:echo $HOME"}, boost::test_tools::per_element());
  BOOST_TEST(mom.in_job({"pbs_tmrsh", "n3", "true"}).err == "pbs_tmrsh: host \"n3\" is not a node in job <12.q1>\n");
  mom.status = 256 + 9;
  BOOST_TEST(mom.in_job({"pbs_tmrsh", "n1", "true"}).status == 137);
  for (const words& of_another : {words{"pbs_tmrsh", "-l", "nobody", "n1", "true"}, words{"pbs_tmrsh", "-l", "nobody", "n1"}})
    BOOST_TEST(mom.in_job(of_another).err.starts_with("pbs_tmrsh: bad user \"nobody\"\nusage: pbs_tmrsh "));
}

BOOST_AUTO_TEST_CASE(pbs_tmrsh_takes_what_launchers_give_to_ssh) {
  fake_mom mom;
  const auto asked = [&](words options) {
    mom.spawned.clear();
    options.insert(options.begin(), "pbs_tmrsh");
    const auto r = mom.in_job(options);
    return mom.spawned.empty() ? std::to_string(r.status) + r.err.substr(0, r.err.find('\n')) : mom.spawned.front();
  };
  const std::string self = "somebody";
  BOOST_TEST(asked({"-x", "-n", "-q", "-T", "-4", "n1", "true"}) == "0:true");
  BOOST_TEST(asked({"-nxq", "-tt", "-oStrictHostKeyChecking=no", "-o", "BatchMode yes", "-p22", "-i", "key", "-F", "/dev/null", "n2",
                    "true"}) == "2:true");
  BOOST_TEST(asked({"-x", "-l", self, "--", "n1", "-v", "ls", "-l", "-Z"}) == "0:ls -l -Z");
  BOOST_TEST(asked({self + "@n2", "true"}) == "2:true");
  BOOST_TEST(asked({"-o", "user=" + self, "n1", "true"}) == "0:true");
  BOOST_TEST(asked({"nobody@n1", "true"}) == "255pbs_tmrsh: bad user \"nobody\"");
  BOOST_TEST(asked({"-oUser=nobody", "-l", self, "n1", "true"}) == "255pbs_tmrsh: bad user \"nobody\"");
  BOOST_TEST(asked({"-L", "1:n1:2", "n1", "true"}) == "255pbs_tmrsh: -L: not for a task of a job");
  BOOST_TEST(asked({"-oBatchMode", "n1", "true"}) == "255pbs_tmrsh: -o: not Name=value: BatchMode");
  BOOST_TEST(asked({"-oUser=", "n1", "true"}) == "255pbs_tmrsh: -o: not Name=value: User=");
  for (const words& halves : {words{"-p"}, words{"-x"}, words{"--"}, words{"n1", "-n"}, words{"-nZ", "n1", "true"}})
    BOOST_TEST(asked(halves) == "255usage: pbs_tmrsh [-n][-l username] host [-n][-l username] command");
}

BOOST_AUTO_TEST_CASE(localhost_is_the_host_of_the_task) {
  fake_mom mom;
  for (const char* name : {"localhost", "127.0.0.1", "127.0.0.9", "::1"}) {
    mom.spawned.clear();
    mom.in_job({"pbs_tmrsh", name, "true"}, {{"PBS_NODENUM", "2"}});
    BOOST_TEST(mom.spawned == words{"2:true"}, boost::test_tools::per_element());
  }
  BOOST_TEST(mom.in_job({"pbs_tmrsh", "192.0.2.1", "true"}).err == "pbs_tmrsh: host \"192.0.2.1\" is not a node in job <12.q1>\n");
}

BOOST_AUTO_TEST_CASE(pbsdsh_chooses_its_nodes) {
  fake_mom mom;
  const auto chosen = [&](words options) {
    mom.spawned.clear();
    options.insert(options.begin(), "pbsdsh");
    options.insert(options.end(), {"-s", "p", "x"});
    const auto r = mom.in_job(options);
    std::string nodes;
    for (const auto& s : mom.spawned) nodes += s.substr(0, 1);
    return r.status == 0 ? nodes : r.err;
  };
  BOOST_TEST(chosen({}) == "012");
  BOOST_TEST(chosen({"-c", "2"}) == "01");
  BOOST_TEST(chosen({"-c", "4"}) == "0120");
  BOOST_TEST(chosen({"-n", "1"}) == "1");
  BOOST_TEST(chosen({"-h", "n2"}) == "2");
  BOOST_TEST(chosen({"-u"}) == "02");
  BOOST_TEST(chosen({"-n", "3"}) == "pbsdsh: no node 3: the job has 3\n");
  BOOST_TEST(chosen({"-c", "0"}).starts_with("Usage: pbsdsh"));
  BOOST_TEST(chosen({"-c", "1", "-n", "1"}).starts_with("Usage: pbsdsh"));
}

BOOST_AUTO_TEST_CASE(pbsdsh_tells_what_went_wrong) {
  fake_mom mom;
  mom.status = 3;
  mom.refused_node = 1;
  const auto r = mom.in_job({"pbsdsh", "-s", "p"});
  BOOST_TEST(r.err ==
             "pbsdsh: task 0x00000002 exit status 3\n"
             "pbsdsh: error on spawn: n1: no room\n"
             "pbsdsh: task 0x00000003 exit status 3\n");
  BOOST_TEST(r.out == "output\noutput\n");
  BOOST_TEST(r.status == 3);
  mom.spawned.clear();
  BOOST_TEST(mom.in_job({"pbsdsh", "-o", "-n", "0", "p"}).out == "");
}

BOOST_AUTO_TEST_CASE(who_is_told_to_end_does_not_wait_for_a_task_that_can_not_be_told) {  // RS-03
  for (const words& each : {words{"pbsdsh", "-n", "2", "p"}, words{"pbs_tmrsh", "n2", "-n", "p"}}) {
    fake_mom mom;
    mom.endless = true;
    mom.signal_failure = host_is_lost;
    const auto r = mom.told_to_end(each, 1);
    BOOST_TEST(r.status == (each[0] == "pbsdsh" ? 1 : 255));
    BOOST_TEST(r.err.ends_with("lost communication with n2\n"), r.err);
    BOOST_TEST(mom.noticed.back() == "signal 15");
  }
}

BOOST_AUTO_TEST_CASE(the_end_of_a_task_that_has_ended_before_a_signal_came_counts) {
  for (const words& each : {words{"pbsdsh", "-n", "2", "p"}, words{"pbs_tmrsh", "n2", "-n", "p"}}) {
    fake_mom mom;
    mom.endless = true;
    mom.signal_failure = no_such_task;
    mom.status = 4;
    BOOST_TEST(mom.told_to_end(each, 1).status == 4);
  }
}

BOOST_AUTO_TEST_CASE(who_is_told_to_end_while_nobody_answers_ends) {
  for (const words& each : {words{"pbsdsh", "-s", "p"}, words{"pbs_tmrsh", "n2", "-n", "p"}}) {
    fake_mom mom;
    mom.deaf = true;
    const auto r = mom.told_to_end(each, 1);
    BOOST_TEST(r.status == -SIGTERM);
    BOOST_TEST(r.err == each[0] + ": a signal could not be handed on to every task\n");
  }
}

BOOST_AUTO_TEST_CASE(who_is_told_to_end_while_nobody_reads_what_it_prints_ends) {
  fake_mom mom;
  mom.flood = std::string(200'000, 'x');
  mom.endless = true;
  const auto fifo = mom.home + "/fifo";
  BOOST_REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const wire::unique_fd kept(open(fifo.c_str(), O_RDWR | O_CLOEXEC));
  const auto r = mom.in_job({"/bin/sh", "-c", "exec " + test::stage_dir() + "/bin/pbs_tmrsh n2 -n p > " + fifo}, {}, [&](pid_t pid) {
    for (pollfd p{kept.get(), POLLOUT, 0}; poll(&p, 1, 0) > 0;) sched_yield();  // until it is full
    kill(pid, SIGTERM);
  });
  BOOST_TEST(r.status == -SIGTERM);
}

BOOST_AUTO_TEST_SUITE_END()
