"""What stands under the names of a job's files and directories, and a host that can't make them, end no job; two clusters of the same
name on one machine don't meet; what a dead MoM left goes when the next one starts."""
import os
import shutil
import subprocess
import unittest

from private_cluster import ClusterTest, STAGE, mini

ROOT = os.geteuid() == 0


def configure(directory, host, tmpdir):
    """Before the cluster is up."""
    priv = os.path.join(directory, "hosts", host, "home", "mom_priv")
    os.makedirs(priv, exist_ok=True)
    with open(os.path.join(priv, "config"), "w") as f:
        f.write(mini.MOM_CONFIG + f"$tmpdir {tmpdir}\n")


def as_nobody(command):
    """Of another user, if there can be one."""
    identity = {"user": 65534, "group": 65534, "extra_groups": []} if ROOT else {}
    return subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, **identity)


class SharedTmpdir(ClusterTest):
    def before_up(self):
        self.tmp = os.path.join(self.top, "tmp")
        os.mkdir(self.tmp)
        os.chmod(self.tmp, 0o1777)
        for host in self.hosts:
            configure(self.dir, host, self.tmp)

    def until_file(self, path, text=""):
        def read():
            try:
                with open(path) as f:
                    said = f.read()
                return said.strip() if text in said and said.endswith("\n") else None
            except OSError:
                return None
        return self.until(read, f"{path} is written")

    def long_job(self, run=None, work=None, extra=()):
        """Runs until the file `go` is there; tells its TMPDIR in the file `where`."""
        work = work or self.work
        script = f"echo $TMPDIR > {work}/where.$PBS_JOBID\nwhile [ ! -e {work}/go ]; do sleep 0.05; done\ntouch $TMPDIR/mine\n"
        return (run or self.submit)("-S", "/bin/sh", *extra, input=script)


class planted_names(SharedTmpdir):
    def test_names_that_others_took_keep_no_job_from_running(self):
        first = self.submit("--", "/bin/true")
        self.until_state(first, "F")
        number, server = int(first.split(".")[0]), first.split(".", 1)[1]
        coming = [f"{n}.{server}" for n in range(number + 1, number + 9)]
        spool = os.path.join(self.home("a"), "spool")
        planted = as_nobody("".join(f"mkdir {self.tmp}/pbs.{id}; ln -s /etc/passwd {spool}/{id}.OU; mkdir {spool}/{id}.ER; " for id in coming))
        self.assertEqual(len(os.listdir(self.tmp)), len(coming))
        if ROOT:
            self.assertEqual(planted.stderr.count("Permission denied"), 2 * len(coming), planted.stderr)
        for id in coming[:4]:
            self.assertEqual(self.submit("-S", "/bin/sh", "-o", f"{self.work}/out.{id}", input="echo in $TMPDIR\n"), id)
            self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
            where = self.until_file(f"{self.work}/out.{id}").split()[1]
            self.assertTrue(where.startswith(f"{self.tmp}/pbs.{id}."), where)
            self.assertFalse(os.path.exists(where))
        self.assertEqual(sorted(os.listdir(self.tmp)), sorted(f"pbs.{id}" for id in coming))      # others' things stay

    def test_what_a_dead_mom_left_goes_when_the_next_one_starts_and_nothing_else(self):
        id = self.long_job()
        where = self.until_file(f"{self.work}/where.{id}")
        # The machine dies, and with it what the MoM knew.
        self.die()
        priv = os.path.join(self.home("a"), "mom_priv")
        shutil.rmtree(os.path.join(priv, "log"))
        for name in os.listdir(os.path.join(priv, "jobs")):
            os.unlink(os.path.join(priv, "jobs", name))
        others = os.path.join(self.tmp, "pbs." + id + ".00000000-12345678")
        os.mkdir(others)
        self.assertTrue(os.path.isdir(where))
        self.sure("qmgr", "-c", "set server scheduling = False")
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: not os.path.exists(where), f"{where} is removed")
        self.until(lambda: not os.listdir(os.path.join(self.home("a"), "spool")), "the spool is empty")
        self.assertTrue(os.path.isdir(others))

    def die(self):
        """SIGKILL to the MoM, its shepherds and their jobs."""
        self.kill_daemon("pbs_mom", "a")
        jobs = os.path.join(self.home("a"), "mom_priv", "jobs")
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    is_ours = jobs.encode() in f.read()
                if is_ours:
                    os.kill(int(pid), 9)
            except OSError:
                pass


class a_host_that_can_not_make_directories(SharedTmpdir):
    hosts = ["a", "b"]

    def before_up(self):
        super().before_up()
        configure(self.dir, "a", self.top + "/not/there")

    def test_its_jobs_run_elsewhere(self):
        id = self.submit("-S", "/bin/sh", "-o", f"{self.work}/out", input="echo ran\n")
        job = self.until_state(id, "F")
        self.assertEqual(job["Exit_status"], "0")
        self.assertTrue(job["exec_host"].startswith("b/"), job)
        self.assertEqual(job["run_count"], "2")
        self.until_recorded(id, "QSRSE")

    def test_a_job_that_goes_back_says_why(self):
        self.sure("qmgr", "-c", "set server scheduling = False")
        id = self.submit("--", "/bin/true")
        self.sure("qrun", "-H", "a", id)
        job = self.until(lambda: (lambda j: j if j.get("comment", "").startswith("Job requeued") else None)(self.job(id)), "the job goes back")
        self.assertEqual(job["job_state"], "Q")
        self.assertRegex(job["comment"], "^Job requeued, not started on a: can't make directory "
                                         f"{self.top}/not/there/pbs.{id}[.][0-9a-f]{{8}}-[0-9A-F]{{8}}: No such file or directory; not tried again before [0-9/]+ [0-9:]+$")
        self.assertEqual(job["Exit_status"], "-3")

    def test_a_job_that_wants_no_other_host_is_held_after_21_starts(self):
        id = self.submit("-W", "run_count=19", "-l", "select=1:host=a", "--", "/bin/true")      # there is a pause behind each
        job = self.until_state(id, "H")
        self.assertEqual((job["run_count"], job["Hold_Types"]), ("21", "s"))
        self.assertRegex(job["comment"], "^job held, too many failed attempts to run; not started on a: can't make directory ")


class two_clusters_of_one_name(SharedTmpdir):
    def setUp(self):
        super().setUp()
        self.dir_of_other = os.path.join(self.top, "d")
        configure(self.dir_of_other, "a", self.tmp)
        mini.describe(self.dir_of_other, "server", ["a"], STAGE, plain=True)
        self.other = mini.Cluster(self.dir_of_other)
        self.addCleanup(self.other.down)
        self.other.up()
        self.expect_rest(self.dir_of_other)
        self.work_of_other = os.path.join(self.top, "work2")
        os.mkdir(self.work_of_other)

    def there(self, *command, **how):
        """A command of the other cluster."""
        environment = {**self.environment(), "PBS_CONF_FILE": self.other.layout.client_conf}
        done = subprocess.run(command, env=environment, cwd=self.work_of_other, capture_output=True, text=True, timeout=120, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_jobs_of_the_same_number_run_at_once_and_one_moms_restart_leaves_the_others_alone(self):
        id = self.long_job()
        same = self.long_job(lambda *a, **k: self.there("qsub", *a, **k).strip(), self.work_of_other)
        self.assertEqual(id, same)
        here = self.until_file(f"{self.work}/where.{id}")
        there = self.until_file(f"{self.work_of_other}/where.{id}")
        self.assertNotEqual(here, there)
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")
        self.until_free("a")
        self.assertTrue(os.path.isdir(here) and os.path.isdir(there))
        for work in self.work, self.work_of_other:
            open(os.path.join(work, "go"), "w").close()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        self.until(lambda: not os.listdir(self.tmp), "both directories are removed")


if __name__ == "__main__":
    unittest.main()
