"""The init script and pbs_habitat, with stand-ins for the daemons: what site tools do with them and read from them."""
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest

from minicluster_test import ROOT, make_prefix


class an_installation(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="init")
        self.addCleanup(shutil.rmtree, self.top, True)
        self.exec = os.path.join(self.top, "pbs")
        make_prefix(self.exec)
        shutil.copy(os.path.join(ROOT, "cluster-config", "packaging", "pbs_init.d"), os.path.join(self.exec, "libexec"))
        self.home = os.path.join(self.top, "home")
        self.conf = os.path.join(self.top, "pbs.conf")
        with open(self.conf, "w") as f:
            f.write(f"# a comment\nPBS_EXEC={self.exec}\nPBS_HOME={self.home}\nPBS_SERVER=vm\n"
                    "PBS_START_SERVER=1\nPBS_START_SCHED=1\nPBS_START_COMM=1\nPBS_START_MOM=1\n")
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
                                      f"pbs_mom is pid {self.pid('mom_priv/mom.lock')}\n"      # MS-95
                                      f"pbs_comm is {self.pid('server_priv/comm.lock')}\n")
        self.assertEqual(self.init("stop").returncode, 0)
        done = self.init("status")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "pbs_server is not running\npbs_mom is not running\npbs_comm is not running\n")

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
        self.assertFalse(os.path.exists(f"/proc/{scheduler}"))      # there is no qterm here: by a signal

    def test_stop_asks_the_server_to_end_its_schedulers_too(self):      # MS-96, MS-97
        self.init("start")
        told = os.path.join(self.top, "told")
        with open(os.path.join(self.exec, "bin", "qterm"), "w") as f:
            f.write(f"#!/bin/sh\necho \"$*\" >> {told}\nkill $(cat {self.home}/server_priv/server.lock)\n")
        os.chmod(os.path.join(self.exec, "bin", "qterm"), 0o755)
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

    def test_a_daemon_that_does_not_start_makes_start_fail(self):
        with open(os.path.join(self.exec, "sbin", "pbs_mom"), "w") as f:
            f.write("#!/bin/sh\nexit 1\n")
        done = self.init("start")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("pbs_mom did not start", done.stderr)

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

    def test_habitat_lets_a_server_begin_a_log_only_in_a_home_it_has_just_made(self):
        permit = os.path.join(self.home, "server_priv", "log.create")
        self.assertEqual(self.call("pbs_habitat", "server").returncode, 0)
        self.assertTrue(os.path.exists(permit))
        os.remove(permit)                        # as the server does
        self.assertEqual(self.call("pbs_habitat", "server").returncode, 0)
        self.assertFalse(os.path.exists(permit))

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

    def test_habitat_makes_what_a_stand_in_for_the_router_needs(self):
        self.assertEqual(self.call("pbs_habitat", "comm").returncode, 0)
        for path, mode in ("comm_logs", 0o755), ("server_priv", 0o750):
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.home, path)).st_mode), mode, path)
        self.assertEqual(self.call("pbs_habitat", "server").returncode, 0)       # a server may follow into the home that is new
        self.assertTrue(os.path.exists(os.path.join(self.home, "server_priv", "log.create")))


if __name__ == "__main__":
    unittest.main()
