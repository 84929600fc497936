"""The init script and pbs_habitat, with stand-ins for the daemons: what site tools do with them and read from them."""
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest

from minicluster_test import HERE, ROOT, make_prefix, running

ONE = {"PBS_START_SERVER": "0", "PBS_START_MOM": "0", "PBS_START_SCHED": "0", "PBS_START_COMM": "0", "PBS_START_FOLLOW": "0"}   # as tools do: one of them 1
NODE = os.uname().nodename


class an_installation(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="init")
        self.addCleanup(shutil.rmtree, self.top, True)
        self.exec = os.path.join(self.top, "pbs")
        make_prefix(self.exec)
        shutil.copy(os.path.join(ROOT, "cluster-config", "packaging", "pbs_init.d"), os.path.join(self.exec, "libexec"))
        for daemon in "pbs_comm", "pbs_follow":
            shutil.copy(os.path.join(HERE, "fake_pbs", "daemon"), os.path.join(self.exec, "sbin", daemon))
        self.program("bin/qstat", 'echo "pbs_version = 0"')
        self.home = os.path.join(self.top, "home")
        self.conf = os.path.join(self.top, "pbs.conf")
        self.configure(PBS_START_SCHED="1")
        self.addCleanup(self.end_jobs)
        self.addCleanup(self.init, "stop")

    def end_jobs(self):
        """What the stand-in for pbs_mom started lives on when that is stopped, as jobs do."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if self.top.encode() in f.read():
                        os.kill(int(pid), signal.SIGKILL)
            except OSError:
                pass    # it has ended, or is another user's

    def configure(self, **more):
        keys = {"PBS_EXEC": self.exec, "PBS_HOME": self.home, "PBS_SERVER": "vm", "PBS_START_SERVER": "1", "PBS_START_COMM": "1",
                "PBS_START_MOM": "1", **more}
        with open(self.conf, "w") as f:
            f.write("# a comment\n" + "".join(f"{key}={value}\n" for key, value in keys.items()))

    def program(self, name, text):
        path = os.path.join(self.exec, name)
        with open(path, "w") as f:
            f.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)

    def call(self, program, *arguments, **environment):
        return subprocess.run([os.path.join(self.exec, "libexec", program), *arguments], capture_output=True, text=True,
                              env={"PATH": os.environ["PATH"], "PBS_CONF_FILE": self.conf, **environment}, timeout=60)

    def init(self, what, **environment):
        return self.call("pbs_init.d", what, **environment)

    def pid(self, path):
        with open(os.path.join(self.home, path)) as f:
            return f.read().strip()

    def test_status_says_what_runs_in_the_words_that_tools_read(self):
        self.assertEqual(self.init("start").returncode, 0)
        done = self.init("status")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, f"pbs_server is pid {self.pid('server_priv/server.lock')}\n"
                                      f"pbs_mom is pid {self.pid('mom_priv/mom.lock')}\n"
                                      f"pbs_comm is {self.pid('server_priv/comm.lock')}\n")      # MS-95
        self.assertEqual(self.init("stop").returncode, 0)
        done = self.init("status")
        self.assertEqual(done.returncode, 0)      # A9: it is no failure
        self.assertEqual(done.stdout, "pbs_server is not running\npbs_mom is not running\npbs_comm is not running\n")

    def test_start_and_stop_say_what_is_started_and_stopped(self):
        self.configure()
        done = self.init("start")
        self.assertEqual((done.stdout, done.stderr), ("Starting PBS\nPBS comm\nPBS server\nPBS mom\nPBS sched\n", ""))
        self.assertEqual(self.init("start").stdout, "Starting PBS\nPBS comm already running.\nPBS Server already running.\n"
                                                    "PBS mom already running.\nPBS scheduler already running.\n")
        pids = [self.pid(f"{lock}.lock") for lock in ("server_priv/server", "mom_priv/mom", "sched_priv/sched", "server_priv/comm")]
        stopped = ("Stopping PBS\nShutting server down with qterm.\nPBS server - was pid: {}\nPBS mom - was pid: {}\n"
                   "PBS sched - was pid: {}\nPBS comm - was pid: {}\nWaiting for shutdown to complete\n")
        done = self.init("restart")
        self.assertEqual(done.stdout, "Restarting PBS\n" + stopped.format(*pids) + "Starting PBS\nPBS comm\nPBS server\nPBS mom\nPBS sched\n")
        self.assertEqual(done.returncode, 0)
        self.init("stop")
        done = self.init("stop")
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("Stopping PBS\nWaiting for shutdown to complete\n", "", 0))

    def test_what_it_does_not_know_is_answered_with_its_usage(self):
        for word in "foo", "reload", "":
            done = self.init(word)
            self.assertEqual(done.stdout, "Usage: pbs_init.d --version\nUsage: pbs_init.d {start|stop|restart|status}\n")
            self.assertEqual(done.returncode, 1)
        self.assertEqual(self.init("--version").stdout, "pbs_version = 0\n")

    def test_tools_start_and_stop_daemons_one_by_one(self):
        for key, lock, name in (("PBS_START_COMM", "server_priv/comm.lock", "comm"), ("PBS_START_SERVER", "server_priv/server.lock", "server"),
                                ("PBS_START_MOM", "mom_priv/mom.lock", "mom"), ("PBS_START_FOLLOW", "follow_priv/follow.lock", "follow")):
            one = {**ONE, key: "1"}
            if name == "comm":
                self.call("pbs_habitat")
            done = self.init("start", **one)
            self.assertEqual((done.returncode, done.stdout.splitlines()[:2]), (0, ["Starting PBS", f"PBS {name}"]))
            done = self.init("stop", **one)
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"PBS {name} - was pid: {self.pid(lock)}\n", done.stdout)
            self.assertEqual(self.init("status", **one).stdout, f"pbs_{name} is not running\n")

    def test_a_scheduler_is_started_when_the_environment_says_so(self):
        self.call("pbs_habitat")
        one = {**ONE, "PBS_START_SCHED": "1"}
        done = self.init("start", **one)       # no server runs here
        self.assertEqual((done.returncode, done.stdout), (0, "Starting PBS\nPBS sched\n"))
        pid = self.pid("sched_priv/sched.lock")
        self.assertEqual(self.init("start", **one).stdout, "Starting PBS\nPBS scheduler already running.\n")
        self.assertEqual(self.init("status", **one).stdout, f"pbs_sched is pid {pid}\n")
        done = self.init("stop", **one)
        self.assertEqual((done.returncode, done.stdout), (0, f"Stopping PBS\nPBS sched - was pid: {pid}\nWaiting for shutdown to complete\n"))
        self.assertFalse(running(pid))

    def test_a_scheduler_that_the_server_does_not_start_is_not_waited_for(self):
        self.program("bin/qmgr", 'case $2 in "list sched"*) echo "    scheduling = False" ;; esac')
        self.program("sbin/pbs_sched", "exit 1")
        self.assertNotIn("sched\n", self.init("start").stdout)
        self.program("bin/qmgr", "")
        with open(os.path.join(self.home, "annals.conf"), "w") as f:
            f.write("start_schedulers = off\n")
        self.assertEqual(self.init("restart").returncode, 0)

    def test_the_server_starts_the_scheduler_and_stop_ends_it(self):      # MS-87, MS-97
        done = self.init("start")
        self.assertIn("PBS_START_SCHED is deprecated", done.stdout)
        lock = os.path.join(self.home, "sched_priv", "sched.lock")
        deadline = time.monotonic() + 60
        while not os.path.exists(lock) or not self.pid("sched_priv/sched.lock"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        scheduler = self.pid("sched_priv/sched.lock")
        self.assertEqual(self.init("stop").returncode, 0)
        self.assertFalse(running(scheduler))      # there is no qterm here: by a signal

    def test_a_daemon_that_ends_just_before_it_is_told_to_is_no_failure(self):
        self.assertEqual(self.init("start").returncode, 0)
        # As `kill` says it of a process that is gone. Whether this machine's process 1 collects it soon, late or never does not matter.
        gone_first = {"BASH_FUNC_kill%%": '() { builtin kill -KILL "$2"; while read -ra stat 2>/dev/null < "/proc/$2/stat" && '
                                          '[ "${stat[2]} ${stat[19]}" != "Z 1" ]; do sleep 0.01; done; echo "kill: ($2) - No such process" >&2; return 1; }'}
        done = self.init("stop", **gone_first)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("PBS sched - was pid: ", done.stdout)

    def test_stop_asks_the_server_to_end_its_schedulers_too(self):      # MS-96, MS-97
        self.init("start")
        told = os.path.join(self.top, "told")
        self.program("bin/qterm", f'echo "$*" >> {told}\nkill $(cat {self.home}/server_priv/server.lock)')
        self.assertEqual(self.init("stop").returncode, 0)
        with open(told) as f:
            self.assertEqual(f.read(), "-s\n")

    def test_the_environment_says_which_daemons_are_meant(self):
        only_mom = {"PBS_START_SERVER": "0", "PBS_START_COMM": "0", "PBS_START_MOM": "1"}
        self.assertEqual(self.init("start", **only_mom).returncode, 0)
        self.assertIn("pbs_comm is not running", self.init("status").stdout)
        self.assertIn("pbs_server is not running", self.init("status").stdout)
        self.assertIn("pbs_mom is pid", self.init("status").stdout)
        before = self.pid("mom_priv/mom.lock")
        self.assertEqual(self.init("restart", **only_mom).returncode, 0)
        self.assertNotEqual(self.pid("mom_priv/mom.lock"), before)

    def test_starting_twice_starts_nothing_twice(self):
        self.init("start")
        before = self.pid("server_priv/server.lock")
        done = self.init("start")
        self.assertEqual(done.returncode, 0)
        self.assertIn("already running", done.stdout)
        self.assertEqual(self.pid("server_priv/server.lock"), before)

    def test_a_lock_file_with_somebody_elses_pid_is_no_daemon(self):
        self.init("start")
        self.init("stop")
        with open(os.path.join(self.home, "server_priv", "server.lock"), "w") as f:
            f.write(f"{os.getpid()}\n")
        self.assertIn("pbs_server is not running", self.init("status").stdout)
        self.init("stop")       # and nobody kills us

    def test_a_daemon_that_has_ended_and_was_not_waited_for_does_not_run(self):
        self.call("pbs_habitat")
        self.program("sbin/pbs_mom", "exit 0")
        ended = subprocess.Popen([os.path.join(self.exec, "sbin", "pbs_mom")])
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        with open(os.path.join(self.home, "mom_priv", "mom.lock"), "w") as f:
            f.write(f"{ended.pid}\n")
        self.assertIn("pbs_mom is not running", self.init("status").stdout)
        ended.wait()

    def test_a_daemon_that_does_not_start_makes_start_fail(self):
        self.program("sbin/pbs_mom", "exit 3")
        done = self.init("start")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "pbs_mom startup failed, exit 3 aborting.\n")

    def test_a_configuration_that_cannot_be_read_is_not_taken_for_an_empty_one(self):
        os.remove(self.conf)
        for program, words in (("pbs_init.d", ["start"]), ("pbs_init.d", ["stop"]), ("pbs_habitat", [])):
            done = self.call(program, *words)
            self.assertEqual((done.returncode, done.stderr),
                             (1, f"{program}: PBS_CONF_FILE names {self.conf}, which can't be read\n"))

    def test_the_first_start_makes_the_hosts_own_node_and_certificate(self):
        self.assertEqual(self.init("start").returncode, 0)
        pem, node = os.path.join(self.home, "mom_priv", "daemon.pem"), os.path.join(self.home, "nodes", NODE)
        with open(pem) as f:
            self.assertEqual(f.read(), f"certificate of ['{NODE}']\n")
        self.assertEqual(stat.S_IMODE(os.stat(pem).st_mode), 0o600)
        self.assertTrue(os.path.exists(node))
        os.remove(node)      # an administrator's decision stands
        self.assertEqual(self.init("restart").returncode, 0)
        self.assertFalse(os.path.exists(node))

    def test_what_the_first_start_did_not_finish_the_next_one_does(self):
        self.configure(PBS_MOM_NODE_NAME="n1")
        self.program("bin/qmgr", 'case $2 in create*) echo "Node name already exists" >&2; exit 1 ;; esac')
        enrol = os.path.join(self.exec, "sbin", "pbs_enroll")
        os.rename(enrol, enrol + ".away")
        self.program("sbin/pbs_enroll", "echo half; exit 1")
        done = self.init("start")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no certificate for the MoM of this host", done.stderr)
        os.rename(enrol + ".away", enrol)
        self.assertEqual(self.init("start").returncode, 0)
        with open(os.path.join(self.home, "mom_priv", "daemon.pem")) as f:
            self.assertEqual(f.read(), "certificate of ['n1']\n")

    def test_a_node_that_the_server_refuses_fails_the_start_with_its_words(self):
        self.program("bin/qmgr", 'case $2 in create*) echo "Unauthorized Request" >&2; exit 1 ;; esac')
        done = self.init("start")
        self.assertEqual((done.returncode, done.stderr), (1, "pbs_habitat: no node for this host: Unauthorized Request\n"))

    def test_on_other_hosts_a_mom_without_certificate_says_where_it_comes_from(self):
        self.program("sbin/pbs_mom", "exit 1")
        done = self.init("start", **{**ONE, "PBS_START_MOM": "1"})
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"`pbs_enroll {NODE}`", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.home, "mom_priv", "daemon.pem")))

    def test_habitat_makes_the_directories_with_their_modes_and_changes_no_file(self):
        self.assertEqual(self.call("pbs_habitat").returncode, 0)
        modes = {"": 0o755, "server_logs": 0o755, "server_priv": 0o750, "server_priv/accounting": 0o755, "server_priv/jobs": 0o750,
                 "sched_priv": 0o750, "mom_priv": 0o751, "mom_priv/jobs": 0o751, "spool": 0o755, "undelivered": 0o1777,
                 "checkpoint": 0o700, "aux": 0o755, "pbs_environment": 0o644, "mom_priv/config": 0o644,
                 "sched_priv/sched_config": 0o644}
        for path, mode in modes.items():
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.home, path)).st_mode), mode, path)
        config = os.path.join(self.home, "sched_priv", "sched_config")
        with open(config, "w") as f:
            f.write("strict_ordering: true ALL\n")
        os.chmod(os.path.join(self.home, "spool"), 0o1777)
        self.assertEqual(self.call("pbs_habitat").returncode, 0)
        with open(config) as f:
            self.assertEqual(f.read(), "strict_ordering: true ALL\n")
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.home, "spool")).st_mode), 0o755)

    def begin(self, *parts, **environment):
        """pbs_habitat, which may take its time."""
        process = subprocess.Popen([os.path.join(self.exec, "libexec", "pbs_habitat"), *parts], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, env={"PATH": os.environ["PATH"], "PBS_CONF_FILE": self.conf, **environment})
        self.addCleanup(process.wait)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def until(self, true, what):
        deadline = time.monotonic() + 60
        while not true():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.01)

    def test_habitat_is_run_by_two_service_units_at_a_time(self):
        """The first stands still before it gives a file its name, until the second has ended or waits for its turn."""
        here, go = os.path.join(self.top, "here"), os.path.join(self.top, "go")
        first = self.begin("--start", "comm", **{"BASH_FUNC_mv%%": f'() {{ touch {here}; until [ -e {go} ]; do sleep 0.01; done; command mv "$@"; }}'})
        self.until(lambda: os.path.exists(here), "the first is about to name a file")
        second = self.begin("--start", "server", "sched")
        self.until(lambda: second.poll() is not None or self.somebody_waits_for_a_turn(), "the second ends or waits")
        open(go, "w").close()
        for process in first, second:
            said = process.stderr.read()
            self.assertEqual((process.wait(60), said), (0, ""))
        self.assertTrue(os.path.exists(os.path.join(self.home, "server_priv", "log.create")))
        self.assertEqual([name for _, *names in os.walk(self.home) for name in sum(names, []) if name.endswith(".new")], [])

    def somebody_waits_for_a_turn(self):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/comm") as comm, open(f"/proc/{pid}/environ") as environment:
                    if comm.read() == "flock\n" and self.conf in environment.read():
                        return True
            except OSError:
                pass    # it has ended, or is another user's
        return False

    def test_habitat_takes_no_home_that_another_run_makes_for_one_that_is_missing(self):
        """The first stands still before it reads which homes there were, until the other has made one and noted it."""
        here, go = os.path.join(self.top, "here"), os.path.join(self.top, "go")
        with open(self.conf + ".homes", "w") as f:
            f.write("other server /home\n")
        late = self.begin("--start", "server", **{"BASH_FUNC_read%%": f'() {{ touch {here}; until [ -e {go} ]; do sleep 0.01; done; builtin read "$@"; }}'})
        self.until(lambda: os.path.exists(here), "it has begun")
        self.assertEqual(self.call("pbs_habitat", "--start", "server").returncode, 0)
        open(go, "w").close()
        self.assertEqual((late.stderr.read(), late.wait(60)), ("", 0))

    def test_habitat_makes_nothing_when_it_does_not_know_a_part(self):
        for part in ("--help", "sched:", "sched:a/b"):
            done = self.call("pbs_habitat", "server", part)
            self.assertEqual((done.returncode, done.stdout, os.path.exists(self.home)), (1, "", False), done.stderr)

    def test_habitat_lets_a_server_begin_a_log_only_in_a_home_it_has_just_made(self):
        permit = os.path.join(self.home, "server_priv", "log.create")
        self.assertEqual(self.call("pbs_habitat", "server").returncode, 0)
        self.assertTrue(os.path.exists(permit))
        os.remove(permit)                        # as the server does
        self.assertEqual(self.call("pbs_habitat", "server").returncode, 0)
        self.assertFalse(os.path.exists(permit))

    def unmount(self):
        """What is seen of a home whose disk is not mounted."""
        os.rename(self.home, self.home + ".disk")
        os.mkdir(self.home)

    def mount(self):
        os.rmdir(self.home)
        os.rename(self.home + ".disk", self.home)

    def test_a_home_that_is_not_mounted_is_not_made_anew(self):
        self.assertEqual(self.init("start").returncode, 0)
        self.init("stop")
        self.unmount()
        for part, environment in (("server_priv", {}), ("mom_priv", {**ONE, "PBS_START_MOM": "1"})):
            done = self.init("start", **environment)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"there is no {part} in {self.home}, and this host had one in {self.home} ({self.conf}.homes)", done.stderr)
            self.assertEqual(os.listdir(self.home), [])
        self.assertIn(f"run this once: {self.exec}/libexec/pbs_habitat mom\n", done.stderr)
        self.mount()
        self.assertEqual(self.init("start").returncode, 0)

    def test_it_is_made_anew_by_hand(self):
        self.call("pbs_habitat", "--start")
        self.unmount()
        self.assertEqual(self.call("pbs_habitat", "--start", "server").returncode, 1)
        done = self.call("pbs_habitat", "server")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, f"pbs_habitat: makes a new server_priv in {self.home}; this host had one in {self.home}\n")
        self.assertTrue(os.path.exists(os.path.join(self.home, "server_priv", "log.create")))
        self.assertEqual(self.call("pbs_habitat", "--start", "server").returncode, 0)

    def test_a_pbs_conf_that_names_another_directory_makes_no_new_cluster(self):
        self.assertEqual(self.call("pbs_habitat", "--start").returncode, 0)
        other = self.home + ".other"
        done = self.call("pbs_habitat", "--start", PBS_HOME=other)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"there is no server_priv in {other}, and this host had one in {self.home}", done.stderr)
        self.assertFalse(os.path.exists(other))
        os.rename(self.home, other)      # a home that was moved is one
        self.assertEqual(self.call("pbs_habitat", "--start", PBS_HOME=other).returncode, 0)

    def test_the_homes_of_before_are_noted_and_those_of_other_hosts_are_not_ours(self):
        record = self.conf + ".homes"
        with open(record, "w") as f:
            f.write(f"other server {self.home}\n")
        self.assertEqual(self.call("pbs_habitat", "--start", "server").returncode, 0)
        os.remove(record)
        for _ in range(2):
            self.assertEqual(self.call("pbs_habitat", "--start", "server").returncode, 0)
        with open(record) as f:
            self.assertEqual(f.read().splitlines()[1:], [f"{NODE} server {self.home}"])

    def test_where_nothing_can_be_noted_the_start_goes_on_and_says_so(self):
        os.mkdir(self.conf + ".homes")
        done = self.call("pbs_habitat", "--start")
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"can't write {self.conf}.homes", done.stderr)

    def test_habitat_gives_the_log_directory_of_a_scheduler_its_older_name_too(self):      # MS-09, MS-11, MS-15, MS-23
        self.assertEqual(self.call("pbs_habitat", "sched", "sched:sc1").returncode, 0)
        for behind in "", "_sc1":
            log, older, priv = (os.path.join(self.home, name + behind) for name in ("sched_log", "sched_logs", "sched_priv"))
            self.assertEqual(stat.S_IMODE(os.lstat(log).st_mode), 0o755)
            self.assertTrue(os.path.islink(older) and os.path.samefile(log, older))
            self.assertEqual(stat.S_IMODE(os.stat(priv).st_mode), 0o750)
            self.assertEqual(sorted(os.listdir(priv)), ["dedicated_time", "holidays", "resource_group", "sched_config"])
        # A home of before has a directory of the older name, and goes on with it.
        os.remove(os.path.join(self.home, "sched_logs"))
        os.rename(os.path.join(self.home, "sched_log"), os.path.join(self.home, "sched_logs"))
        self.assertEqual(self.call("pbs_habitat", "sched").returncode, 0)
        self.assertFalse(os.path.lexists(os.path.join(self.home, "sched_log")))
        self.assertEqual(self.call("pbs_habitat", "sched:a/b").returncode, 1)

    def test_habitat_makes_only_the_parts_asked_for(self):
        self.assertEqual(self.call("pbs_habitat", "mom").returncode, 0)
        self.assertTrue(os.path.isdir(os.path.join(self.home, "mom_priv")))
        self.assertFalse(os.path.exists(os.path.join(self.home, "server_priv")))
        self.assertEqual(self.call("pbs_habitat", "router").returncode, 1)

    def test_habitat_lists_what_it_would_make_and_makes_nothing(self):
        done = self.call("pbs_habitat", "--list", "server", "sched", "mom", "node", "exec")
        self.assertEqual((done.returncode, done.stderr, os.path.exists(self.home)), (0, "", False))
        listed = {path: (kind, int(mode, 8), need) for kind, mode, need, path in (line.split() for line in done.stdout.splitlines())}
        self.assertEqual(listed[os.path.join(self.exec, "sbin")], ("programs", 0o755, "must"))
        self.assertEqual(listed[os.path.join(self.home, "mom_priv/daemon.pem")], ("file", 0o600, "may"))
        self.call("pbs_habitat", "server", "sched", "mom")
        made = {os.path.join(where, name) for where, folders, files in os.walk(self.home) for name in folders + files}
        self.assertEqual(made - {os.path.join(self.home, "server_priv/log.create")},        # the server's first start removes it
                         {path for path, (_, _, need) in listed.items() if need == "must" and path.startswith(self.home + "/")})
        for path in made & set(listed):
            kind, mode, _ = listed[path]
            self.assertEqual(stat.S_IMODE(os.lstat(path).st_mode), mode, path)
            self.assertEqual(os.path.islink(path), kind == "link", path)
        self.assertEqual(self.call("pbs_habitat", "exec").returncode, 1)

    def test_habitat_makes_what_pbs_comm_and_a_follower_need(self):
        self.assertEqual(self.call("pbs_habitat", "comm").returncode, 0)
        for path, mode in ("comm_logs", 0o755), ("server_priv", 0o750):
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.home, path)).st_mode), mode, path)
        self.assertEqual(self.call("pbs_habitat", "follow").returncode, 0)
        for path, mode in ("follow_logs", 0o755), ("follow_priv", 0o700), ("run", 0o755):
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.home, path)).st_mode), mode, path)
        self.assertEqual(self.call("pbs_habitat", "server").returncode, 0)       # a server may follow into the home that is new
        self.assertTrue(os.path.exists(os.path.join(self.home, "server_priv", "log.create")))


if __name__ == "__main__":
    unittest.main()
