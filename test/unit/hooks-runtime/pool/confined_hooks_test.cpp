// Where hooks may write, and whose memory they reach.
#include <boost/test/unit_test.hpp>

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "hooks-runtime/worker/landlock_version.hpp"
#include "test/support/hook_runs.hpp"
#include "test/support/skip.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using namespace annals::test;

namespace {

constexpr const char* mom = "execjob_begin";

struct fixture {
  temporary_directory dir, scratch;  // of others; where scratch directories are made
  std::unique_ptr<hook_runs> runs;

  fixture() {
    std::ofstream(dir.at("file")) << "text";
    start({});
  }
  void start(std::vector<std::string> hidden, const std::string& sockets = {}) {
    hooks::pool_settings settings;
    settings.scratch = scratch.path;
    settings.hidden = std::move(hidden);
    settings.sockets = sockets;
    runs = std::make_unique<hook_runs>(std::move(settings));
  }
  std::string outcome(const std::string& source, const char* event = "queuejob", std::optional<std::string> configuration = {}) {
    hook_case c{.source = "import os, pbs\ndir = '" + dir.path + "'\n" + source, .event = event};
    c.configuration = std::move(configuration);
    return summary(runs->run(c));
  }
  std::string text_of_file() const {
    std::ifstream in(dir.at("file"));
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

// By Landlock, by a tree that is read-only, or since two trees are not one.
bool is_refused(const std::string& said) {
  return said.starts_with("error 'PermissionError: ") || said.starts_with("error 'OSError: [Errno 30] Read-only file system") ||
         said.starts_with("error 'OSError: [Errno 18] Invalid cross-device link");
}

std::string allowing(const std::string& path) { return R"({"annals_sandbox": {"writable_paths": [")" + path + R"("]}})"; }

std::string memory_of_this() { return "/proc/" + std::to_string(::getpid()) + "/mem"; }

#define NEEDS_LANDLOCK \
  if (hooks::landlock_version() == 0) return skip("this kernel has no Landlock")

}  // namespace

BOOST_FIXTURE_TEST_SUITE(confined_hooks, fixture)

BOOST_AUTO_TEST_CASE(a_hook_of_the_server_writes_to_no_file_of_its_user) {
  NEEDS_LANDLOCK;
  for (const char* attempt : {"open(dir + '/new', 'w')", "open(dir + '/file', 'a')", "open(dir + '/file', 'r+')",
                              "os.remove(dir + '/file')", "os.rename(dir + '/file', dir + '/other')", "os.mkdir(dir + '/new')",
                              "os.symlink('a', dir + '/new')", "os.link(dir + '/file', dir + '/new')", "os.mkfifo(dir + '/new')",
                              "os.rename(dir + '/file', 'here')", "os.link(dir + '/file', 'here')", "open('/tmp/annals-hook', 'w')"})
    BOOST_TEST(is_refused(outcome(attempt)), attempt << ": " << outcome(attempt));
  BOOST_TEST(text_of_file() == "text");
  BOOST_TEST(!std::filesystem::exists(dir.at("new")));
}

BOOST_AUTO_TEST_CASE(nor_does_it_change_their_modes_owners_times_and_lengths) {
  NEEDS_LANDLOCK;
  if (::getuid() != 0) return skip("without root it depends on the kernel's settings");
  for (const char* attempt :
       {"os.chmod(dir, 0o777)", "os.chmod(dir + '/file', 0o4755)", "os.utime(dir + '/file', (1, 1))", "os.truncate(dir + '/file', 0)",
        "os.setxattr(dir + '/file', 'user.a', b'b')", "os.chown(dir + '/file', 0, 0)"})
    BOOST_TEST(is_refused(outcome(attempt)), attempt << ": " << outcome(attempt));
}

BOOST_AUTO_TEST_CASE(nor_by_what_another_process_sees) {
  NEEDS_LANDLOCK;
  BOOST_TEST(is_refused(outcome("open('/proc/" + std::to_string(::getpid()) + "/root' + dir + '/new', 'w')")));
  BOOST_TEST(is_refused(outcome("open('/proc/" + std::to_string(::getpid()) + "/cwd/new', 'w')")));
}

BOOST_AUTO_TEST_CASE(it_reads_what_it_could_read) {
  BOOST_TEST(outcome("assert open(dir + '/file').read() == 'text'\nopen('/dev/null', 'w').write('x')\nos.listdir('/')\n") == "accept");
}

BOOST_AUTO_TEST_CASE(it_writes_to_its_scratch_directory) {
  const std::string use =
      "import shutil, tempfile\n"
      "assert os.getcwd() == os.environ['TMPDIR'] == tempfile.gettempdir()\n"
      "assert os.path.dirname(os.getcwd()) == os.path.realpath('" +
      scratch.path +
      "')\n"
      "with open('a', 'w') as f: f.write('x')\n"
      "os.makedirs('b/c', exist_ok=True)\nos.chmod('a', 0o700)\nshutil.copy2('a', 'b/c')\nos.rename('b/c/a', 'd')\nos.truncate('d', 0)\n"
      "tempfile.NamedTemporaryFile().write(b'x')\n";
  BOOST_TEST(outcome(use) == "accept");
  BOOST_TEST(outcome(use) == "accept");
}

BOOST_AUTO_TEST_CASE(the_scratch_directory_is_there_below_a_directory_that_is_covered) {
  start({scratch.path});
  BOOST_TEST(outcome("open('a', 'w').write('x')\nassert os.listdir('.') == ['a']\n") == "accept");
  BOOST_TEST(outcome("assert os.listdir('" + scratch.path + "') == [os.path.basename(os.getcwd())]\n") == "accept");
  BOOST_TEST(is_refused(outcome("open('" + scratch.path + "/b', 'w')\n")));
}

// As the commands of PBS do.
BOOST_AUTO_TEST_CASE(one_that_may_use_the_network_reaches_the_sockets_of_its_daemon) {
  const char* const network = R"({"annals_sandbox": {"network": true}})";
  std::filesystem::create_directory(dir.at("run"));
  const auto name = dir.at("run/socket");
  sockaddr_un address{AF_UNIX, {}};
  BOOST_REQUIRE(name.size() < sizeof address.sun_path);
  name.copy(address.sun_path, name.size());
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  BOOST_REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  BOOST_REQUIRE(::listen(listener, 5) == 0);
  start({dir.path}, dir.at("run"));
  const std::string connect = "import socket\nsocket.socket(socket.AF_UNIX).connect(dir + '/run/socket')\n";
  BOOST_TEST(outcome(connect, "queuejob", network) == "accept");
  BOOST_TEST(is_refused(outcome(connect)));
  if (hooks::landlock_version() > 0) BOOST_TEST(is_refused(outcome("open(dir + '/run/new', 'w')", "queuejob", network)));
  if (::getuid() == 0) {
    BOOST_TEST(is_refused(outcome("os.chmod(dir + '/run', 0o777)", "queuejob", network)));
    BOOST_TEST(outcome("assert os.listdir(dir) == ['run']\n", "queuejob", network) == "accept");
    BOOST_TEST(outcome("assert os.listdir(dir) == []\n") == "accept");
  }
  ::close(listener);
}

BOOST_AUTO_TEST_CASE(and_nobody_else_s) {
  hook_case other{.source = "import os\nopen('secret', 'w')\n"};
  BOOST_TEST(summary(runs->run(other)) == "accept");
  BOOST_TEST(is_refused(outcome(
      "import glob\nfor path in glob.glob('../*'):\n"
      "    if path != '../' + os.path.basename(os.getcwd()): open(path + '/x', 'w')\n")));
}

BOOST_AUTO_TEST_CASE(scratch_directories_go_with_their_workers) {
  BOOST_TEST(outcome("os.makedirs('a/b')\nopen('a/b/c', 'w')\n") == "accept");
  BOOST_TEST(!std::filesystem::is_empty(scratch.path));
  runs.reset();
  BOOST_TEST(std::filesystem::is_empty(scratch.path));
}

BOOST_AUTO_TEST_CASE(without_a_scratch_directory_there_is_no_run) {
  start({});
  std::filesystem::remove(scratch.path);
  BOOST_TEST(outcome("").starts_with("error 'no scratch directory in " + scratch.path + ": No such file or directory'"));
}

BOOST_AUTO_TEST_CASE(a_configuration_may_name_directories_and_files) {
  NEEDS_LANDLOCK;
  const temporary_directory other;
  const std::string use = "open(dir + '/new', 'w').write('x')\nos.rename(dir + '/new', dir + '/newer')\nos.chmod(dir + '/newer', 0o700)\n";
  BOOST_TEST(outcome(use, "queuejob", allowing(dir.path)) == "accept");
  BOOST_TEST(std::filesystem::exists(dir.at("newer")));
  BOOST_TEST(is_refused(outcome("open('" + other.path + "/new', 'w')\n", "queuejob", allowing(dir.path))));
  BOOST_TEST(outcome("open(dir + '/file', 'a').write('s')\n", "queuejob", allowing(dir.at("file"))) == "accept");
  BOOST_TEST(text_of_file() == "texts");
  BOOST_TEST(is_refused(outcome("open(dir + '/new', 'w')\n", "queuejob", allowing(dir.at("file")))));
  std::filesystem::create_symlink(dir.path, other.at("link"));
  BOOST_TEST(outcome(use, "queuejob", allowing(other.at("link"))) == "accept");
  BOOST_TEST(outcome(use, "queuejob", allowing("/")) == "accept");
}

BOOST_AUTO_TEST_CASE(also_below_a_directory_that_is_covered) {
  std::filesystem::create_directories(dir.at("logs/deep"));
  start({dir.path});
  BOOST_TEST(outcome("open(dir + '/logs/deep/new', 'w').write('x')\n", "queuejob", allowing(dir.at("logs/deep"))) == "accept");
  BOOST_TEST(outcome("open(dir + '/file', 'a').write('s')\n", "queuejob", allowing(dir.at("file"))) == "accept");
  BOOST_TEST(std::filesystem::exists(dir.at("logs/deep/new")));
  BOOST_TEST(text_of_file() == "texts");
}

BOOST_AUTO_TEST_CASE(a_list_that_is_wrong_is_told) {
  const auto told = [&](const std::string& list) {
    return outcome("", "queuejob", R"({"annals_sandbox": {"writable_paths": )" + list + "}}");
  };
  const std::string why = "error 'annals_sandbox: writable_paths: ";
  BOOST_TEST(told(R"(["tmp"])") == why + "tmp: not an absolute path'");
  BOOST_TEST(told(R"(["/tmp", 5])") == why + "5: not an absolute path'");
  BOOST_TEST(told("true") == why + "true: not an absolute path'");
  BOOST_TEST(told("[\"" + dir.at("none") + "\"]") == why + dir.at("none") + ": No such file or directory'");
  BOOST_TEST(told("[]") == "accept");
  BOOST_TEST(told("\"" + dir.path + "\"") == "accept");
}

BOOST_AUTO_TEST_CASE(programs_of_a_hook_write_nowhere_else_either) {
  NEEDS_LANDLOCK;
  const auto shell = [&](const std::string& line) {
    return outcome("import subprocess\nsubprocess.run(['/bin/sh', '-c', '" + line + "'], check=True, stderr=subprocess.DEVNULL)\n",
                   "queuejob", R"({"annals_sandbox": {"processes": true}})");
  };
  BOOST_TEST(shell("echo a > /dev/null && echo a > a && mv a b") == "accept");
  BOOST_TEST(shell("echo a > " + dir.at("new")).starts_with("error 'CalledProcessError: "));
}

BOOST_AUTO_TEST_CASE(a_hook_on_a_host_writes_where_its_user_may) {
  BOOST_TEST(outcome("os.mkdir(dir + '/new')\nos.rename(dir + '/file', dir + '/new/file')\nos.chmod(dir + '/new/file', 0o700)\n", mom) ==
             "accept");
}

BOOST_AUTO_TEST_CASE(a_hook_on_a_host_reaches_no_memory_of_its_daemon) {
  if (::getuid() != 0) NEEDS_LANDLOCK;
  BOOST_TEST(outcome("open('" + memory_of_this() + "', 'rb')\n", mom).starts_with("error 'PermissionError: "));
  for (const char* link : {"exe", "cwd", "root", "fd/1"})
    BOOST_TEST(
        outcome("os.readlink('/proc/" + std::to_string(::getpid()) + "/" + link + "')\n", mom).starts_with("error 'PermissionError: "),
        link);
  BOOST_TEST(outcome("import subprocess\nsubprocess.run(['/usr/bin/head', '-c0', '" + memory_of_this() +
                         "'], check=True, stderr=subprocess.DEVNULL)\n",
                     mom)
                 .starts_with("error 'CalledProcessError: "));
}

BOOST_AUTO_TEST_CASE(but_it_looks_into_what_it_has_started) {
  BOOST_TEST(outcome("import subprocess\np = subprocess.Popen(['/bin/sleep', '60'])\n"
                     "open('/proc/%d/environ' % p.pid, 'rb').read()\nopen('/proc/%d/mem' % p.pid, 'rb').close()\np.kill()\np.wait()\n",
                     mom) == "accept");
}

BOOST_AUTO_TEST_CASE(a_configuration_may_have_a_hook_on_a_host_look_into_processes) {
  const std::string look = "open('" + memory_of_this() + "', 'rb').close()\n", yes = R"({"annals_sandbox": {"process_memory": true}})";
  if (::getuid() == 0) BOOST_TEST(outcome(look, mom, yes) == "accept");
  BOOST_TEST(outcome(look, "queuejob", yes).starts_with("error 'PermissionError: "));
}

BOOST_AUTO_TEST_CASE(root_on_a_host_mounts_as_before) {
  if (::mount("none", dir.path.c_str(), "tmpfs", 0, "size=4k") != 0) return skip("this user may not mount");
  ::umount2(dir.path.c_str(), MNT_DETACH);
  BOOST_TEST(outcome("import ctypes\nlibc = ctypes.CDLL(None)\n"
                     "if libc.mount(b'none', dir.encode(), b'tmpfs', 0, b'size=4k') or libc.umount2(dir.encode(), 2): raise ValueError()\n",
                     mom) == "accept");
}

BOOST_AUTO_TEST_SUITE_END()
