"""Jobs in cgroups (docs/design/0026-cgroups.md): limits, suspension, the end of everything, kill -9 of MoM and shepherd.
Needs root and cgroups that can be written; skipped elsewhere."""
import os
import unittest

from mom_hooks import MomHookTest
from private_cluster import STAGE, ClusterTest, procs, signal, wait_gone

ESCAPE = "env -i setsid sh -c 'trap \"\" TERM HUP INT; sleep 1000 & echo $! > {0}/escapee.new; mv {0}/escapee.new {0}/escapee; wait' &\n"


class CgroupTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.until(lambda: self.roots_of_mom() is not None, "the MoM says what cgroups it uses")
        self.roots = self.roots_of_mom()
        if not self.roots:
            self.skipTest("the MoM has no cgroups here")

    def roots_of_mom(self):
        for line in self.mom_log("a").splitlines():
            text = line.rsplit(";pbs_mom;", 1)[-1]
            if text.startswith("no cgroups"):
                return {}
            if text.startswith("cgroups: "):
                parts = [part.partition(":/") for part in text[9:].split("; ") if ":/" in part]
                return {"/" + path: words.split(",") for words, _, path in parts}
        return None

    def start_job(self, *options, text="sleep 1000\n", lasts=True):
        """Its id, and its cgroups."""
        where = os.path.join(self.work, "where")
        if os.path.exists(where):
            os.remove(where)
        id = self.submit(*options, "-S", "/bin/sh", input=f"cat /proc/self/cgroup > {where}.new\nmv {where}.new {where}\n" + text)
        self.until(lambda: os.path.exists(where), f"{id} runs: {self.job(id)}")
        if lasts:
            self.until_running(id)
        with open(where) as f:
            return id, self.cgroups_in(f)

    def cgroups_in(self, lines):
        """Of a process of a job, by its /proc/self/cgroup; none: it is in none of ours. Of v1 the one with the longest path in all of them."""
        ours = [line.rstrip("\n").split(":", 2) for line in lines if "/annals/" in line]
        v1 = max((path for _, names, path in ours if names), key=len, default="")
        v2 = next((path for _, names, path in ours if not names), "")
        return [root + (v2 if "v2" in words else v1) for root, words in self.roots.items()] if ours else []

    def mom_directory(self, directory):
        root, ours, rest = directory.partition("/annals/")
        return root + ours + rest.split("/")[0]

    def pid_in(self, name):
        path = os.path.join(self.work, name)
        self.until(lambda: os.path.exists(path), f"{name} is written")
        with open(path) as f:
            return int(f.read())

    def until_no_cgroups(self, directories):
        moms = [self.mom_directory(d) for d in directories]
        self.until(lambda: not any(os.path.exists(d) for d in moms), lambda: f"{moms} are gone")

    def content(self, directories, name):
        """Of the file in whichever of them has it."""
        for directory in directories:
            path = os.path.join(directory, name)
            if os.path.exists(path):
                with open(path) as f:
                    return f.read()
        return None

    def memory_limit(self, directories):
        """Of a run, by the cgroups of one of its processes. None: no memory controller."""
        runs = [os.path.dirname(d) for d in directories]
        return self.content(runs, "memory.max") or self.content(runs, "memory.limit_in_bytes")

    def frozen(self, directories):
        events = self.content(directories, "cgroup.events")
        return "frozen 1" in events if events is not None else self.content(directories, "freezer.state") == "FROZEN\n"


class jobs_in_cgroups(CgroupTest):
    hosts = ["a"]

    def test_a_job_has_a_cgroup_with_the_limits_of_its_chunk_and_leaves_none(self):
        id, directories = self.start_job("-l", "select=1:ncpus=2:mem=200mb")
        self.assertEqual(len(directories), len(self.roots))
        runs = [os.path.dirname(d) for d in directories]
        memory = self.memory_limit(directories)
        if memory is not None:
            self.assertEqual(int(memory), 200 << 20)
        cpu = self.content(runs, "cpu.weight") or self.content(runs, "cpu.shares")
        if cpu is not None:
            self.assertIn(int(cpu), (200, 2048))
        self.sure("qdel", id)
        self.until_state(id, "F")
        self.until_no_cgroups(directories)

    def test_what_escapes_from_its_session_and_environment_dies_although_mom_and_shepherd_were_killed(self):
        id, directories = self.start_job(text=ESCAPE.format(self.work) + "sleep 1000\n")
        escapee = self.pid_in("escapee")
        self.kill_daemon("pbs_mom", "a")
        os.kill(shepherd_of(escapee), signal.SIGKILL)
        self.assertIsNotNone(procs.start_time(escapee))
        self.start_daemon("pbs_mom", "a")
        self.assertTrue(wait_gone([escapee]), "the escapee dies")
        self.until_free("a")
        self.sure("qdel", "-W", "force", id)
        self.until_no_cgroups(directories)

    def test_a_suspended_job_stands_still_in_its_cgroup_until_it_is_resumed(self):
        self.sure("qmgr", "-c", "set server acl_roots = root")
        id, directories = self.start_job()
        self.sure("qsig", "-s", "suspend", id)
        self.until(lambda: self.frozen(directories), "all stand still")
        self.sure("qsig", "-s", "resume", id)
        self.until(lambda: not self.frozen(directories), "all go on")
        self.sure("qsig", "-s", "suspend", id)
        self.until(lambda: self.frozen(directories), "all stand still")
        self.sure("qdel", id)
        self.until_state(id, "F")
        self.until_no_cgroups(directories)

    def test_a_job_over_its_memory_is_killed_by_the_kernel_and_everybody_is_told(self):
        with open("/proc/swaps") as f:
            if len(f.readlines()) > 1:
                self.skipTest("this machine would swap")
        id, directories = self.start_job("-j", "oe", "-o", os.path.join(self.work, "out"), "-l", "select=1:mem=60mb", lasts=False,
                                         text="perl -e '$x .= \"x\" x 1000000 for 1..300'\n")
        job = self.until_state(id, "F")
        if job["Exit_status"] == "0":
            self.skipTest("no memory controller here")
        self.assertEqual(job["Exit_status"], str(128 + signal.SIGKILL))       # of the shell's last command
        self.assertLessEqual(int(job["resources_used.mem"].removesuffix("kb")), 64 << 10)
        why = "Cgroup mem limit exceeded (61440kb): processes killed by the kernel: 1"
        self.assertTrue(job["comment"].endswith(f" and failed: {why}"), job["comment"])
        self.assertIn(why, self.sure("qstat", "--why", id))
        self.until_mom_logged("a", f";Job;{id};{why}\n")
        with open(os.path.join(self.work, "out")) as f:
            self.assertIn(f"=>> PBS: {why}\n", f.read())

    def test_a_host_that_is_killed_leaves_none_on_this_machine(self):
        _, directories = self.start_job()
        self.assertTrue(os.path.isdir(directories[0]))
        self.cluster.kill("a")
        self.assertEqual([d for d in directories if os.path.exists(self.mom_directory(d))], [])

    def test_they_can_be_turned_off(self):
        with open(os.path.join(self.home("a"), "mom_priv", "config"), "a") as f:
            f.write("$use_cgroups off\n")
        for pid in self.daemon_pids("pbs_mom", "a"):
            os.kill(pid, signal.SIGHUP)

        def outside():
            id, directories = self.start_job()
            self.sure("qdel", id)
            return not directories
        self.until(outside, "a new job has no cgroup")


class jobs_in_cgroups_of_two_hosts(CgroupTest):
    hosts = ["a", "b"]

    def test_each_host_keeps_the_limits_of_its_own_chunk_and_freezes_its_own_tasks(self):
        self.sure("qmgr", "-c", "set server acl_roots = root")
        there = os.path.join(self.work, "there")
        id, on_a = self.start_job("-l", "select=1:mem=100mb:host=a+1:mem=200mb:host=b", lasts=False,
                                  text=f"{STAGE}/bin/pbsdsh -n 1 -- /bin/sh -c 'cat /proc/self/cgroup > {there}.new; mv {there}.new {there}; exec sleep 1000'\n")
        self.until(lambda: os.path.exists(there), f"its task runs on b: {self.job(id)}")
        with open(there) as f:
            on_b = self.cgroups_in(f)
        self.assertEqual(len(on_b), len(self.roots))
        self.assertNotEqual(self.mom_directory(on_a[0]), self.mom_directory(on_b[0]))
        limits = self.memory_limit(on_a), self.memory_limit(on_b)
        if limits != (None, None):
            self.assertEqual([int(limit) for limit in limits], [100 << 20, 200 << 20])
        self.until_running(id)
        self.sure("qsig", "-s", "suspend", id)
        self.until(lambda: self.frozen(on_a) and self.frozen(on_b), "all stand still on both")
        self.sure("qsig", "-s", "resume", id)
        self.until(lambda: not self.frozen(on_a) and not self.frozen(on_b), "all go on on both")
        self.sure("qdel", id)
        self.until_state(id, "F")
        self.until_no_cgroups(on_a + on_b)


class jobs_that_have_less(CgroupTest, MomHookTest):
    hosts = ["a", "b"]
    vnodes = {"b": "b: resources_available.ncpus = 0\nb: resources_available.mem = 0kb\n" +
                   "".join(f"b[{i}]: resources_available.ncpus = 1\nb[{i}]: resources_available.mem = 300mb\n" for i in range(3))}

    def task_on_b(self, n):
        """Its cgroups; the job's script starts the task when there is a file."""
        there = os.path.join(self.work, f"there{n}")
        open(os.path.join(self.work, f"task{n}"), "w").close()
        self.until(lambda: os.path.exists(there), f"task {n} runs on b")
        with open(there) as f:
            return self.cgroups_in(f)

    def test_the_cgroup_of_a_host_follows_what_was_released_if_a_hook_wants_it(self):                  # RD-25
        task = ("while [ ! -e {0}/task{1} ]; do sleep 0.05; done\n"
                "{2}/bin/pbsdsh -n 1 -- /bin/sh -c 'cat /proc/self/cgroup > {0}/new; mv {0}/new {0}/there{1}; exec sleep 1000' &\n")
        self.sure("qmgr", "-c", "set server acl_roots = root")
        id = self.submit("-S", "/bin/sh", "-l", "select=1:host=a+1:mem=100mb:vnode=b[0]+1:mem=200mb:vnode=b[1]+1:mem=300mb:vnode=b[2]",
                         input="".join(task.format(self.work, n, STAGE) for n in (1, 2)) + "wait\n")
        self.until_running(id)
        limit = lambda: self.memory_limit(on_b)
        on_b = self.task_on_b(1)
        if limit() is None:
            self.skipTest("the MoM limits no memory here")
        self.assertEqual(int(limit()), 600 << 20)
        self.sure("pbs_release_nodes", "-j", id, "b[2]")
        self.until(lambda: "updated nodes info" in self.mom_log("b"), "b knows")
        self.task_on_b(2)
        self.assertEqual(int(limit()), 600 << 20)
        self.mom_hook("less", "execjob_resize", "import pbs\n", hosts=["b"])
        self.sure("pbs_release_nodes", "-j", id, "b[1]")
        self.until(lambda: int(limit()) == 100 << 20, lambda: f"b has less: {limit()}")
        self.sure("qdel", id)
        self.until_state(id, "F")
        self.until_no_cgroups(on_b)


def procs_parent(pid):
    with open(f"/proc/{pid}/stat") as f:
        return int(f.read().rsplit(")", 1)[1].split()[1])


def shepherd_of(pid):
    """The nearest ancestor that is a shepherd."""
    while pid > 1:
        with open(f"/proc/{pid}/comm") as f:
            if f.read().strip() == "pbs_shepherd":
                return pid
        pid = procs_parent(pid)
    raise AssertionError("no shepherd")


if __name__ == "__main__":
    unittest.main()
