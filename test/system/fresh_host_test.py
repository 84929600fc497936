"""A host that had no PBS: `pbs_init.d start`, or the service units, and a user's job runs. Also what becomes of a home that is not
mounted."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from private_cluster import DEADLINE_S, STAGE, Done, failures, procs, with_mounts_of_our_own
from minicluster import addresses

NODE = os.uname().nodename
UNITS = os.path.join(STAGE, "lib", "systemd", "system")


class a_fresh_host(unittest.TestCase):
    def setUp(self):
        self.looks = failures.Looks()
        self.top = tempfile.mkdtemp(prefix="annals.", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.top, True)
        os.chmod(self.top, 0o755)
        self.home, self.conf = os.path.join(self.top, "home"), os.path.join(self.top, "pbs.conf")
        net, port = addresses.choose()
        self.keys = {"PBS_EXEC": STAGE, "PBS_HOME": self.home, "PBS_SERVER": NODE, "PBS_SERVER_HOST_NAME": f"{net}.1", "PBS_START_SERVER": "1",
                     "PBS_START_MOM": "1", "PBS_BATCH_SERVICE_PORT": str(port), "PBS_MOM_SERVICE_PORT": str(port + 1)}
        with open(self.conf, "w") as f:
            f.write("".join(f"{key}={value}\n" for key, value in self.keys.items()))
        os.mkdir(self.home)
        self.annals_conf = os.path.join(self.top, "annals.conf")
        with open(self.annals_conf, "w") as f:     # beside other tests: addresses of its own
            f.write(f"listen_address = {net}.1\nserver_address = {net}.1\nmom_address = {net}.2\n")
        shutil.copy(self.annals_conf, self.home)
        self.addCleanup(self.leave_nothing)
        self.addCleanup(failures.tell_if_failed, self, self.looks.text, lambda: failures.log_ends([self.home]))

    def leave_nothing(self):
        for daemon in "pbs_server", "pbs_mom", "pbs_sched":
            procs.kill_all(lambda: procs.daemons(daemon, self.conf))

    def environment(self, **more):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PBS")}
        return {**kept, "PBS_CONF_FILE": self.conf, "PATH": f"{STAGE}/bin:{os.environ['PATH']}", **more}

    def call(self, *command, **environment):
        done = Done(subprocess.run(command, env=self.environment(**environment), cwd=self.top, capture_output=True, text=True,
                                   stdin=subprocess.DEVNULL, timeout=DEADLINE_S))
        self.looks.add(command, done.status, done.out, done.err)
        return done

    def init(self, what, **environment):
        return self.call(f"{STAGE}/libexec/pbs_init.d", what, **environment)

    def sure(self, done):
        self.assertEqual(done.status, 0, done)
        return done.out

    def run_a_job(self):
        """A user's; root's where the test is root, which PBS refuses unless told otherwise."""
        if os.geteuid() == 0:
            self.sure(self.call("qmgr", "-c", "set server acl_roots = root"))
        return self.sure(self.call("qsub", "-W", "block=true", "-o", "/dev/null", "-j", "oe", "--", "/bin/true")).strip()

    def pids(self, daemon):
        return procs.daemons(daemon, self.conf)

    def scheduler_that_is_there(self):
        """Its pid in a list, once it has the lock: one that only begins has not said yet that it is the scheduler."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            with open(os.path.join(self.home, "sched_priv", "sched.lock")) as f:
                owner = f.read().strip()
            pids = self.pids("pbs_sched")
            if [str(pid) for pid in pids] == [owner]:
                return pids
            self.assertLess(time.monotonic(), deadline, f"a scheduler runs: {pids}, not {owner}")
            time.sleep(0.05)

    def test_start_brings_it_up_and_jobs_run(self):
        done = self.init("start")
        self.assertEqual(self.sure(done), "Starting PBS\nPBS server\nPBS mom\nPBS sched\n")
        self.assertEqual(done.err, "")
        self.assertEqual(self.run_a_job(), f"0.{NODE.split('.')[0]}")
        said = self.sure(self.init("status"))
        self.assertEqual(said, f"pbs_server is pid {self.pids('pbs_server')[0]}\npbs_mom is pid {self.pids('pbs_mom')[0]}\n")

        self.sure(self.init("restart"))
        self.assertEqual(self.run_a_job(), f"1.{NODE.split('.')[0]}")
        self.sure(self.init("stop"))
        self.assertEqual([self.pids(d) for d in ("pbs_server", "pbs_mom", "pbs_sched")], [[], [], []])
        self.assertEqual(self.sure(self.init("status")), "pbs_server is not running\npbs_mom is not running\n")

    def test_step_by_step_as_tools_do(self):
        off = {key: "0" for key in ("PBS_START_SERVER", "PBS_START_MOM", "PBS_START_SCHED", "PBS_START_COMM")}
        for key in "PBS_START_SERVER", "PBS_START_SCHED", "PBS_START_MOM":
            self.sure(self.init("start", **{**off, key: "1"}))
        self.run_a_job()
        self.assertIn("PBS mom - was pid: ", self.sure(self.init("stop", **{**off, "PBS_START_MOM": "1"})))
        self.assertEqual(self.pids("pbs_mom"), [])
        # The server starts another one: a scheduler that is to be idle has scheduling = False.
        before = self.scheduler_that_is_there()
        self.sure(self.init("stop", **{**off, "PBS_START_SCHED": "1"}))
        self.assertFalse(set(before) & set(self.pids("pbs_sched")))
        self.sure(self.init("stop"))

    def test_a_home_that_is_not_mounted_is_not_made_anew(self):
        self.sure(self.init("start"))
        id = self.run_a_job()
        self.sure(self.init("stop"))
        os.rename(self.home, self.home + ".disk")
        os.mkdir(self.home)
        done = self.init("start")
        self.assertEqual(done.status, 1)
        self.assertIn(f"there is no server_priv in {self.home}", done.err)
        self.assertEqual(os.listdir(self.home), [])
        os.rmdir(self.home)
        os.rename(self.home + ".disk", self.home)
        self.sure(self.init("start"))
        self.assertNotEqual(self.run_a_job(), id)
        self.sure(self.init("stop"))

    def test_when_stop_returns_its_disk_can_be_unmounted(self):
        if not with_mounts_of_our_own():
            self.skipTest("needs root, to mount")
        before = os.listdir(self.home)
        self.sure(self.call("mount", "-t", "tmpfs", "none", self.home))
        shutil.copy(self.annals_conf, self.home)
        self.sure(self.init("start"))
        self.sure(self.init("stop"))
        self.sure(self.call("umount", self.home))
        self.assertEqual(self.init("start").status, 1)
        self.assertEqual(os.listdir(self.home), before)

    def until_answers(self):
        deadline = time.monotonic() + DEADLINE_S
        while self.call("qstat", "-B").status != 0:
            self.assertLess(time.monotonic(), deadline, "the server answers")
            time.sleep(0.05)

    def unit(self, name):
        """The commands of a service unit, as systemd gives them to a shell: (what, command)."""
        with open(os.path.join(UNITS, name)) as f:
            lines = re.findall(r"(?m)^(ExecCondition|ExecStartPre|ExecStart)=\+?/bin/sh -c '(.*)'$", f.read())
        return [(what, command.replace("$$", "$")) for what, command in lines]

    def test_the_service_units_bring_it_up(self):
        started = []
        for name in "annals-server.service", "annals-mom.service":
            for what, command in self.unit(name):
                if what == "ExecStart":
                    started.append(subprocess.Popen(["/bin/sh", "-c", command], env=self.environment(**self.keys), cwd=self.top,
                                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
                    continue
                self.sure(self.call("/bin/sh", "-c", command, **self.keys))
                if what == "ExecCondition":
                    off = {**self.keys, "PBS_START_SERVER": "0", "PBS_START_MOM": "0"}
                    self.assertEqual(self.call("/bin/sh", "-c", command, **off).status, 1)
        self.until_answers()
        self.run_a_job()
        for daemon in reversed(started):
            daemon.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.wait(DEADLINE_S), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
