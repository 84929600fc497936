// Hooks that mean harm, or might as well. Each must end in a reply, leave nothing behind, and the next hook must run.
#include <boost/test/unit_test.hpp>

#include <dirent.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "hooks-runtime/protocol/frames.hpp"
#include "test/support/hook_runs.hpp"
#include "test/support/skip.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct fixture {
  hook_runs runs;

  std::string outcome(const std::string& source, const char* event = "queuejob", std::uint32_t alarm_ms = hook_case().alarm_ms) {
    hook_case c{.source = source, .event = event};
    c.alarm_ms = alarm_ms;
    return summary(runs.run(c));
  }
  // The pool does its work as before.
  ~fixture() {
    BOOST_TEST(summary(runs.run({.source = "import pbs\npbs.event().job.Priority = 9\n"})) ==
               "accept job.Priority 5->9");
  }
};

bool starts_with(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

// Processes whose command line holds the mark.
int processes_with(const std::string& mark) {
  int found = 0;
  DIR* proc = ::opendir("/proc");
  while (const dirent* entry = ::readdir(proc)) {
    std::ifstream in(std::string("/proc/") + entry->d_name + "/cmdline");
    std::ostringstream line;
    line << in.rdbuf();  // of a process that has just gone nothing can be read
    if (line.str().find(mark) != std::string::npos) ++found;
  }
  ::closedir(proc);
  return found;
}

// Processes that are in this directory, however they call themselves.
int processes_in(const std::string& directory) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::error_code unreadable;
    if (std::filesystem::read_symlink(entry.path() / "cwd", unreadable) == directory) ++found;
  }
  return found;
}

// A mark for processes of this test alone: a number for sleep.
std::string mark_of(int number) {
  const std::string pid = std::to_string(::getpid());
  return "7654321." + std::string(10 - pid.size(), '0') + pid + std::to_string(number);
}

struct own_directory : temporary_directory {
  void write(const std::string& text, mode_t mode) const {
    std::ofstream(path + "/file") << text;
    ::chmod((path + "/file").c_str(), mode);
  }
};

constexpr const char* mom = "execjob_begin";
constexpr const char* both_policies[] = {"queuejob", mom};  // the server's and the hosts'

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_hooks, fixture)

BOOST_AUTO_TEST_CASE(an_endless_loop_ends_at_the_alarm) {
  for (const char* event : both_policies)
    BOOST_TEST(starts_with(outcome("while True: pass\n", event, 300), "alarm"), event);
}

BOOST_AUTO_TEST_CASE(a_loop_that_masks_all_signals_ends_at_the_alarm) {
  const char* script =
      "import signal\n"
      "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n"
      "for s in signal.valid_signals():\n"
      "    try: signal.signal(s, signal.SIG_IGN)\n"
      "    except (OSError, ValueError): pass\n"
      "while True: pass\n";
  for (const char* event : both_policies) BOOST_TEST(starts_with(outcome(script, event, 300), "alarm"), event);
}

BOOST_AUTO_TEST_CASE(a_loop_that_catches_everything_ends_at_the_alarm) {
  const char* script = "import pbs\nwhile True:\n    try: pbs.event().accept()\n    except: pass\n";
  for (const char* event : both_policies) BOOST_TEST(starts_with(outcome(script, event, 300), "alarm"), event);
}

BOOST_AUTO_TEST_CASE(a_fork_bomb_on_a_host_is_bounded_and_gone_at_the_alarm) {
  const own_directory d;
  const std::string bomb =
      "import os\nos.chdir('" + d.path + "')\nwhile True:\n    try: os.fork()\n    except OSError: pass\n";
  BOOST_TEST(starts_with(outcome(bomb, mom, 500), "alarm"));
  BOOST_TEST(processes_in(d.path) == 0);
}

BOOST_AUTO_TEST_CASE(a_hook_on_a_host_that_stops_its_guard_is_gone_all_the_same) {
  const own_directory d;
  const std::string script = "import os, signal, time\nos.chdir('" + d.path +
                             "')\nos.fork()\nos.kill(os.getsid(0), signal.SIGSTOP)\ntime.sleep(600)\n";
  BOOST_TEST(starts_with(outcome(script, mom, 500), "alarm"));
  BOOST_TEST(processes_in(d.path) == 0);
}

BOOST_AUTO_TEST_CASE(a_hook_on_a_host_may_have_only_so_many_processes) {
  const std::string said = outcome(
      "import os, time, pbs\nn = 0\n"
      "try:\n"
      "    while n < 1000:\n"
      "        if os.fork() == 0:\n"
      "            time.sleep(60); os._exit(0)\n"
      "        n += 1\n"
      "except BlockingIOError as e: pass\n"
      "pbs.event().reject('%s' % (50 < n < 200))\n",
      mom);
  BOOST_TEST(said == "reject 'True'");
}

BOOST_AUTO_TEST_CASE(a_hook_of_the_server_starts_no_processes_and_no_threads) {
  BOOST_TEST(starts_with(outcome("import os\nos.fork()\n"), "error 'PermissionError: "));
  BOOST_TEST(starts_with(outcome("import threading\nthreading.Thread(target=print).start()\n"),
                         "error 'RuntimeError: can't start new thread'"));
  BOOST_TEST(starts_with(outcome("import os\nos.execv('/bin/true', ['true'])\n"), "error 'PermissionError: "));
}

BOOST_AUTO_TEST_CASE(what_the_sandbox_refuses_is_told_with_the_setting_that_allows_it) {
  const auto told = [&](const std::string& attempt) {
    return outcome("import os, pathlib, socket, subprocess\ntry:\n    " + attempt + "\nexcept Exception:\n    pass\n");
  };
  const std::string allows = R"(: {"annals_sandbox": {"processes": true}} in its configuration allows it)";
  for (const auto& [attempt, what] : {std::pair<std::string, std::string>{"subprocess.run(['/bin/id', '-u'])", "program '/bin/id -u'"},
                                      {"subprocess.run('id -u', shell=True)", "program '/bin/sh -c id -u'"},
                                      {"subprocess.run(pathlib.Path('/bin/id'))", "program '/bin/id'"},
                                      {"os.popen('id')", "program '/bin/sh -c id'"},
                                      {"os.system('id\\n-u')", "program 'id -u'"},
                                      {"os.posix_spawn('/bin/id', ['id', b'-g'], {})", "program 'id -g'"},
                                      {"os.execv('/bin/id', ['id'])", "program 'id'"},
                                      {"os.fork()", "a process"}})
    BOOST_TEST(told(attempt) == "accept log:hook h1 may not start " + what + allows, attempt << ": " << told(attempt));
  BOOST_TEST(told("socket.socket()") ==
             R"(accept log:hook h1 may not open a socket: {"annals_sandbox": {"network": true}} in its configuration allows it)");
  // Again and again is one line, and a flood of others is some.
  BOOST_TEST(outcome("import os\nfor i in range(9):\n    try: os.fork()\n    except OSError: pass\n") ==
             "accept log:hook h1 may not start a process" + allows);
  const auto flood = outcome("import os\nfor i in range(99): os.system('id %d' % i)\n");
  BOOST_TEST(flood.find("'id 19'") != std::string::npos);
  BOOST_TEST(flood.find("'id 20'") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_the_sandbox_allows_is_not_told) {
  BOOST_TEST(outcome("import socket, subprocess\nsocket.socket().close()\nsubprocess.run(['/bin/true'])\n", mom) == "accept");
}

BOOST_AUTO_TEST_CASE(programs_that_outlive_their_hook_are_killed) {
  const std::string mark = mark_of(1);
  BOOST_TEST(outcome("import subprocess\nsubprocess.Popen(['/bin/sleep', '" + mark + "'], start_new_session=True)\n",
                     mom) == "accept");
  BOOST_TEST(outcome("import pbs\n", mom) == "accept");
  runs.run({.source = "x = 1\n"});
  for (int i = 0; i < 6000 && processes_with(mark) > 0; ++i) ::usleep(10'000);
  BOOST_TEST(processes_with(mark) == 0);
}

BOOST_AUTO_TEST_CASE(programs_of_a_hook_that_met_its_alarm_are_gone_when_its_reply_comes) {
  const std::string mark = mark_of(2);
  BOOST_TEST(starts_with(outcome("import subprocess, time\n"
                                 "subprocess.Popen(['/bin/sh', '-c', 'setsid /bin/sleep " +
                                     mark + " & sleep " + mark +
                                     "'])\n"
                                     "while True: pass\n",
                                 mom, 500),
                         "alarm"));
  BOOST_TEST(processes_with(mark) == 0);
}

BOOST_AUTO_TEST_CASE(a_memory_bomb_is_an_exception) {
  BOOST_TEST(outcome("x = 'a' * (1 << 40)\n") == "error 'MemoryError'");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // a sanitizer needs all addresses for itself
  BOOST_TEST(starts_with(outcome("import mmap\nx = []\nwhile True: x.append(mmap.mmap(-1, 1 << 26))\n"),
                         "error 'OSError: [Errno 12]"));
#endif
}

BOOST_AUTO_TEST_CASE(a_memory_bomb_on_a_host_is_an_exception_too) {
  BOOST_TEST(outcome("x = 'a' * (1 << 40)\n", mom) == "error 'MemoryError'");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Bit by bit: what a process may write to is bounded, whatever the machine has.
  BOOST_TEST(starts_with(outcome("import mmap\nx = []\n"
                                 "while True: x.append(mmap.mmap(-1, 1 << 26, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))\n",
                                 mom),
                         "error 'OSError: [Errno 12]"));
#endif
}

BOOST_AUTO_TEST_CASE(the_kernel_takes_memory_from_hooks_first) {
  BOOST_TEST(outcome("import pbs\npbs.event().reject(open('/proc/self/oom_score_adj').read().strip())\n") ==
             "reject '1000'");
}

BOOST_AUTO_TEST_CASE(a_program_of_a_host_may_map_more_than_it_uses) {
  BOOST_TEST(outcome("import mmap\nmmap.mmap(-1, 1 << 33)\n", mom) == "accept");
}

BOOST_AUTO_TEST_CASE(processor_time_is_bounded_run_by_run) {
  const std::string limit =
      "import resource, pbs\nsoft, hard = resource.getrlimit(resource.RLIMIT_CPU)\npbs.event().reject('%s' % (600 <= "
      "soft < 700))\n";
  BOOST_TEST(outcome(limit) == "reject 'True'");
}

BOOST_AUTO_TEST_CASE(a_hook_that_ends_itself_is_an_error) {
  for (const char* event : both_policies)
    BOOST_TEST(outcome("import os\nos._exit(0)\n", event) ==
               "error 'the hook's process ended itself with exit status 0'");
}

BOOST_AUTO_TEST_CASE(a_segmentation_fault_is_an_error) {
  for (const char* event : both_policies)
    BOOST_TEST(outcome("import ctypes\nctypes.string_at(0)\n", event) ==
               "error 'the hook's process was killed by signal 11 (Segmentation fault)'");
}

BOOST_AUTO_TEST_CASE(a_hook_that_closes_all_descriptors_is_an_error) {
  for (const char* event : both_policies)
    BOOST_TEST(starts_with(outcome("import os\nos.closerange(0, 4096)\n", event), "error"), event);
}

BOOST_AUTO_TEST_CASE(garbage_in_the_reply_pipe_is_an_error) {
  for (const char* event : both_policies) {
    BOOST_TEST(outcome("import os\nos.write(3, b'\\xff' * 100)\n", event) ==
               "error 'the hook's process sent what is no reply'");
    BOOST_TEST(outcome("import os\nos.write(3, b'\\x08\\0\\0\\0' + b'\\0' * 8)\n", event) ==
               "error 'the hook's process sent what is no reply'");
  }
}

BOOST_AUTO_TEST_CASE(a_good_reply_of_another_run_is_an_error) {
  // A reply as the worker writes it, but for its nonce: that of an earlier run, or a guess.
  const std::string frame = hooks::framed(schema::make<hooks::protocol::FromWorker>([](auto b) {
    b.setNonce(12345);
    b.initReply().setVerdict(Verdict::ACCEPT);
  }));
  std::string bytes;
  for (const unsigned char c : frame) bytes += std::to_string(c) + ",";
  for (const char* event : both_policies)
    BOOST_TEST(outcome("import os\nos.write(3, bytes([" + bytes + "]))\n", event) ==
               "error 'the hook's process sent what is no reply'");
}

BOOST_AUTO_TEST_CASE(a_reply_with_numbers_for_texts_is_an_error) {
  // Sound as a message, but a field is not what the schema says it is.
  const std::vector<std::function<void(hooks::protocol::Reply::Builder)>> lies = {
      [](auto reply) { capnp::toAny(reply).getPointerSection()[0].template initAs<capnp::List<std::uint64_t>>(3); },
      [](auto reply) { capnp::toAny(reply.initChanges(1)[0]).getPointerSection()[0].template initAs<capnp::List<std::uint64_t>>(3); },
      [](auto reply) {
        capnp::toAny(reply.initActions(1)[0].initReleaseNodes()).getPointerSection()[0].template initAs<capnp::List<std::uint64_t>>(3);
      },
  };
  for (const auto& lie : lies) {
    const std::string frame = hooks::framed(schema::make<hooks::protocol::FromWorker>([&](auto b) { lie(b.initReply()); }));
    std::string bytes;
    for (const unsigned char c : frame) bytes += std::to_string(c) + ",";
    BOOST_TEST(outcome("import os\nos.write(3, bytes([" + bytes + "]))\n") == "error 'the hook's process sent what is no reply'");
  }
}

BOOST_AUTO_TEST_CASE(gigabytes_on_standard_output_go_nowhere) {
  for (const char* event : both_policies)
    BOOST_TEST(outcome("import sys\nfor i in range(64): sys.stdout.write('x' * (1 << 24))\n", event) == "accept");
}

BOOST_AUTO_TEST_CASE(log_lines_beyond_the_limit_are_counted_not_kept) {
  const auto r = runs.run({.source = "import pbs\nfor i in range(3000): pbs.logmsg(1, 'x' * 1000)\n"});
  BOOST_TEST((r.get().getVerdict() == Verdict::ACCEPT));
  BOOST_TEST(r.get().getLog().size() > 400u);
  BOOST_TEST(r.get().getLog().size() + r.get().getLogDropped() == 3000u);
}

BOOST_AUTO_TEST_CASE(changes_beyond_the_limit_are_an_error) {
  BOOST_TEST(
      outcome("import pbs\ne = pbs.event()\nfor i in range(8):\n    e.job.Variable_List['V%d' % i] = 'x' * 100000\n") ==
      "error 'the hook changed more than one run may'");
}

BOOST_AUTO_TEST_CASE(a_file_grows_to_its_limit_and_no_further) {
  own_directory dir;
  BOOST_TEST(
      starts_with(outcome("f = open('" + dir.path + "/file', 'wb')\nf.seek(1 << 31)\nf.write(b'x')\nf.flush()\n"),
                  "error 'OSError: "));
}

BOOST_AUTO_TEST_CASE(a_hook_of_the_server_opens_no_socket) {
  BOOST_TEST(starts_with(outcome("import socket\nsocket.socket()\n"), "error 'PermissionError: "));
  BOOST_TEST(starts_with(outcome("import socket\nsocket.socket(socket.AF_UNIX)\n"), "error 'PermissionError: "));
}

BOOST_AUTO_TEST_CASE(a_hook_whose_configuration_allows_it_opens_sockets) {
  hook_case c{.source = "import socket\nsocket.socket().close()\n"};
  c.configuration = R"({"annals_sandbox": {"network": true}})";
  BOOST_TEST(summary(runs.run(c)) == "accept");
  c.configuration = R"({"annals_sandbox": {"network": false}})";
  BOOST_TEST(starts_with(summary(runs.run(c)), "error"));
}

BOOST_AUTO_TEST_CASE(a_hook_on_a_host_opens_sockets) {
  BOOST_TEST(outcome("import socket\nsocket.socket().close()\n", mom) == "accept");
}

BOOST_AUTO_TEST_CASE(a_hook_of_the_server_signals_nobody) {
  BOOST_TEST(
      starts_with(outcome("import os\nos.kill(" + std::to_string(::getpid()) + ", 0)\n"), "error 'PermissionError: "));
  BOOST_TEST(starts_with(outcome("import os\nos.kill(os.getppid(), 15)\n"), "error 'PermissionError: "));
}

BOOST_AUTO_TEST_CASE(a_hook_of_the_server_has_no_file_signal_anybody) {
  const std::string daemon = std::to_string(::getpid());
  const std::string open = "import ctypes, fcntl, os, struct\nr, w = os.pipe()\n";
  for (const std::string& call :
       {"fcntl.fcntl(r, fcntl.F_SETOWN, " + daemon + ")", std::string("fcntl.fcntl(r, fcntl.F_SETSIG, 9)"),
        "fcntl.fcntl(r, 15, struct.pack('ii', 1, " + daemon + "))",
        "fcntl.ioctl(r, 0x8901, struct.pack('i', " + daemon + "))",
        "fcntl.ioctl(r, 0x8902, struct.pack('i', " + daemon + "))"}) {
    BOOST_TEST(starts_with(outcome(open + call + "\n"), "error 'PermissionError: "), call);
    hook_case c{.source = open + call + "\n"};
    c.configuration = R"({"annals_sandbox": {"network": true, "processes": true}})";
    BOOST_TEST(starts_with(summary(runs.run(c)), "error 'PermissionError: "), call);
  }
  // The kernel reads only half of the number.
  BOOST_TEST(outcome(open +
                     "import pbs\nlibc = ctypes.CDLL(None, use_errno=True)\n"
                     "libc.syscall(ctypes.c_long(" +
                     std::to_string(SYS_fcntl) + "), r, ctypes.c_long(1 << 32 | fcntl.F_SETOWN), " + daemon +
                     ")\npbs.event().reject(os.strerror(ctypes.get_errno()))\n") == "reject 'Operation not permitted'");
}

BOOST_AUTO_TEST_CASE(a_hook_of_the_server_that_may_start_programs_signals_only_those) {
  hook_case c{.source = "import subprocess\np = subprocess.Popen(['/bin/sleep', '600'])\np.kill()\np.wait()\n"};
  c.configuration = R"({"annals_sandbox": {"processes": true}})";
  BOOST_TEST(summary(runs.run(c)) == "accept");
  if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 6)
    return skip("this kernel keeps no signals back");
  c.source = "import os\nos.kill(" + std::to_string(::getpid()) + ", 0)\n";
  BOOST_TEST(starts_with(summary(runs.run(c)), "error 'PermissionError: "));
  c.source = "import subprocess\nsubprocess.run(['/bin/sh', '-c', 'kill -0 " + std::to_string(::getpid()) +
             "'], check=True, stderr=subprocess.DEVNULL)\n";
  BOOST_TEST(starts_with(summary(runs.run(c)), "error 'CalledProcessError: "));
}

BOOST_AUTO_TEST_CASE(a_hook_of_the_server_writes_to_no_file_of_the_kernel) {
  if (::getuid() != 0) return skip("without root it depends on the kernel's settings");
  BOOST_TEST(starts_with(outcome("open('/proc/" + std::to_string(::getpid()) + "/oom_score_adj', 'w')\n"),
                         "error 'OSError: [Errno 30] Read-only file system"));
  BOOST_TEST(outcome("import pbs\nfor line in open('/proc/self/mountinfo'):\n"
                     "    at, how = line.split()[4:6]\n"
                     "    if (at + '/').startswith(('/proc/', '/sys/')) and 'ro' not in how.split(','):\n"
                     "        pbs.event().reject(line)\n") == "accept");
}

BOOST_AUTO_TEST_CASE(a_hook_of_the_server_reads_no_memory_of_its_daemon) {
  BOOST_TEST(starts_with(outcome("f = open('/proc/" + std::to_string(::getpid()) + "/mem', 'rb')\n"),
                         "error 'PermissionError: "));
}

BOOST_AUTO_TEST_CASE(a_hook_of_the_server_does_not_read_a_file_of_another_user) {
  if (::getuid() != 0) return skip("without root there is no other user");
  own_directory dir;
  dir.write("secret", 0600);
  BOOST_TEST(::chown((dir.path + "/file").c_str(), 65534, 65534) == 0);
  ::chmod(dir.path.c_str(), 0755);
  BOOST_TEST(starts_with(outcome("open('" + dir.path + "/file').read()\n"), "error 'PermissionError: "));
}

BOOST_AUTO_TEST_CASE(a_hook_that_runs_as_a_user_reads_no_file_of_another) {
  if (::getuid() != 0) return skip("only root runs hooks as another user");
  own_directory dir;
  dir.write("secret", 0600);
  ::chmod(dir.path.c_str(), 0755);
  hook_case c{.source = "import os, pbs\npbs.logmsg(1, '%d' % os.getuid())\nopen('" + dir.path + "/file').read()\n",
              .event = "execjob_prologue"};
  c.run_as = "nobody";
  BOOST_TEST(starts_with(summary(runs.run(c)), "error 'PermissionError: "));
  c.source = "import os\nos.setuid(0)\n";
  BOOST_TEST(starts_with(summary(runs.run(c)), "error 'PermissionError: "));
}

BOOST_AUTO_TEST_CASE(directories_of_the_daemon_are_not_seen) {
  own_directory dir;
  dir.write("secret", 0644);
  hooks::pool_settings settings;
  settings.hidden = {dir.path};
  hook_runs hidden(settings);
  const auto said = summary(hidden.run({.source = "open('" + dir.path + "/file').read()\n"}));
  BOOST_TEST((starts_with(said, "error 'FileNotFoundError: ") || starts_with(said, "error 'PermissionError: ")), said);
  BOOST_TEST(starts_with(summary(hidden.run({.source = "import ctypes\nif ctypes.CDLL(None).umount2(b'" + dir.path +
                                                       "', 2) == 0: raise ValueError()\n"})),
                         "accept"));
}

BOOST_AUTO_TEST_CASE(an_unknown_user_is_an_error) {
  hook_case c{.source = "", .event = "execjob_prologue"};
  c.run_as = "no_such_user_here";
  BOOST_TEST(starts_with(summary(runs.run(c)), "error 'no such user"));
}

BOOST_AUTO_TEST_CASE(a_hook_with_a_configuration_reads_it) {
  hook_case c{
      .source =
          "import pbs, os, json\n"
          "for path in (pbs.hook_config_filename, pbs.get_hook_config_file(), os.environ['PBS_HOOK_CONFIG_FILE']):\n"
          "    assert json.load(open(path)) == {'a': 1}\n"};
  c.configuration = "{\"a\": 1}\n";
  BOOST_TEST(summary(runs.run(c)) == "accept");
  BOOST_TEST(summary(runs.run(c)) == "accept");
  if (::getuid() == 0) {
    c.event = "execjob_prologue";
    c.run_as = "nobody";
    BOOST_TEST(summary(runs.run(c)) == "accept");
  }
}

BOOST_AUTO_TEST_SUITE_END()
