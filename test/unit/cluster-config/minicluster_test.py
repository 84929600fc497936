"""pbs_minicluster with stand-ins for the daemons: both kinds of hosts, killed, paused, unplugged, revived, removed."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "cluster-config", "minicluster"))
from minicluster import keeper, procs  # noqa: E402  found by the path above


def make_prefix(where):
    """An installed tree: the real scripts of cluster-config, stand-ins for what is compiled."""
    for folder in ("bin", "sbin", "libexec", "etc", "lib/python"):
        os.makedirs(os.path.join(where, folder))
    config = os.path.join(ROOT, "cluster-config")
    shutil.copy(os.path.join(config, "minicluster", "pbs_minicluster"), os.path.join(where, "bin"))
    shutil.copytree(os.path.join(config, "minicluster", "minicluster"), os.path.join(where, "lib/python/minicluster"))
    shutil.copy(os.path.join(config, "packaging", "pbs_habitat"), os.path.join(where, "libexec"))
    for name in os.listdir(os.path.join(config, "defaults")):
        if name.startswith("pbs_"):
            shutil.copy(os.path.join(config, "defaults", name), os.path.join(where, "etc"))
    with open(os.path.join(where, "etc", "pbs_version"), "w") as f:
        f.write("0\n")
    for name in ("pbs_server", "pbs_sched", "pbs_mom", "pbs_comm"):
        shutil.copy(os.path.join(HERE, "fake_pbs", "daemon"), os.path.join(where, "sbin", name))
    for name in ("bin/qmgr", "bin/pbsnodes", "sbin/pbs_enroll"):
        shutil.copy(os.path.join(HERE, "fake_pbs", "client"), os.path.join(where, name))


def can_make_namespaces():
    return os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "--uts", "--pid", "--net", "--fork", "true"],
                                                capture_output=True).returncode == 0


def running(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as f:
            return f.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def state_of(pid):
    with open(f"/proc/{pid}/stat", "rb") as f:
        return f.read().rpartition(b")")[2].split()[0].decode()


class a_cluster:
    """What both kinds must do; the classes below say which kind."""
    up_options = []

    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="mc")
        self.addCleanup(shutil.rmtree, self.top, True)
        self.prefix = os.path.join(self.top, "pbs")
        make_prefix(self.prefix)
        self.dir = os.path.join(self.top, "cluster")
        self.addCleanup(self.call, "down", "--dir", self.dir)
        self.mc("up", "--hosts", "a,b", *self.up_options)

    def call(self, *arguments):
        return subprocess.run([os.path.join(self.prefix, "bin", "pbs_minicluster"), *arguments],
                              capture_output=True, text=True, timeout=100)

    def mc(self, command, *arguments, status=0):
        done = self.call(command, "--dir", self.dir, *arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr if status else done.stdout

    def rows(self):
        return {row["name"]: row for row in json.loads(self.mc("status", "--json"))}

    def test_up_starts_everything_and_down_leaves_nothing(self):
        rows = self.rows()
        self.assertEqual(set(rows), {"server", "sched", "a", "b"})
        self.assertEqual({row["state"] for row in rows.values()}, {"running"})
        pids = [row["pid"] for row in rows.values()]
        processes = self.every_process()
        self.assertTrue(set(pids) <= processes)
        self.mc("down")
        self.assertEqual([pid for pid in processes if running(pid)], [])
        self.assertFalse(os.path.exists(self.dir))

    def every_process(self):
        """All processes that have to do with this cluster: their environment or their title says so."""
        found = set()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if self.dir.encode() in f.read():
                        found.add(int(pid))
            except OSError:
                pass
        return found

    def test_what_was_killed_starts_again_from_the_same_disk(self):
        for target in ("server", "sched", "a"):
            before = self.rows()
            self.mc("kill", target)
            if target != "sched":       # which the server starts again at once
                self.assertEqual(self.rows()[target]["state"], "down")
            self.assertFalse(running(before[target]["pid"]))
            self.mc("start", target)
            after = self.rows()
            self.assertEqual(after[target]["state"], "running")
            self.assertNotEqual(after[target]["pid"], before[target]["pid"])
            for other in set(before) - {target}:
                self.assertEqual(after[other]["pid"], before[other]["pid"], other)

    def test_killing_a_host_kills_its_jobs_too_and_nobody_elses(self):
        jobs = {pid for pid in self.every_process() if self.is_job(pid)}
        self.assertEqual(len(jobs), 4)       # a shell and a sleep on each of two hosts
        self.mc("kill", "b")
        left = {pid for pid in jobs if running(pid)}
        self.assertEqual(len(left), 2)
        self.mc("kill", "a")
        self.assertEqual([pid for pid in jobs if running(pid)], [])

    def is_job(self, pid):
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().split(b"\0")[0] in (b"/bin/sh", b"sleep")   # what the stand-in for pbs_mom starts

    def test_a_paused_host_stands_still_until_it_is_resumed(self):
        pid = self.rows()["a"]["pid"]
        self.mc("pause", "a")
        self.until_stopped(pid, True)
        self.assertEqual(self.rows()["a"]["state"], "paused")
        self.assertEqual(self.rows()["b"]["state"], "running")
        self.mc("resume", "a")
        self.until_stopped(pid, False)

    def until_stopped(self, pid, stopped):
        """A process that is on a processor stops a moment after it was told to."""
        deadline = time.monotonic() + 60
        while (state_of(pid) == "T") != stopped:
            self.assertLess(time.monotonic(), deadline, f"{pid} is {state_of(pid)}")
            time.sleep(0.01)

    def test_up_again_starts_what_is_down(self):
        self.mc("kill", "a")
        self.mc("kill", "server")
        before = self.rows()["b"]["pid"]
        self.mc("up")
        rows = self.rows()
        self.assertEqual({row["state"] for row in rows.values()}, {"running"})
        self.assertEqual(rows["b"]["pid"], before)

    def test_files_kept_by_down_come_up_again(self):
        marker = os.path.join(self.dir, "hosts", "a", "home", "marker")
        open(marker, "w").close()
        self.mc("down", "--keep")
        self.mc("up")
        self.assertTrue(os.path.exists(marker))

    def test_who_calls_from_another_tree_is_told_which_programs_run(self):
        first, self.prefix = os.path.realpath(self.prefix), os.path.join(self.top, "other")
        make_prefix(self.prefix)
        done = self.call("up", "--dir", self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"this cluster runs the programs in {first}; for those in {os.path.realpath(self.prefix)} take it `down` first", done.stderr)

    def test_a_cluster_whose_programs_are_gone_uses_those_of_the_tree_that_starts_it(self):
        gone = os.path.realpath(self.prefix)
        self.mc("down", "--keep")
        self.prefix = os.path.join(self.top, "other")
        os.rename(gone, self.prefix)
        done = self.call("up", "--dir", self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"the programs in {gone} are gone; the cluster uses those in {os.path.realpath(self.prefix)}", done.stderr)
        self.assertEqual({row["state"] for row in self.rows().values()}, {"running"})

    def test_mistakes_are_told_clearly(self):
        self.assertIn("no host nosuch", self.mc("kill", "nosuch", status=1))
        self.assertIn("already, with the hosts a,b", self.mc("up", "--hosts", "c", status=1))
        done = self.call("up", "--dir", os.path.join(self.top, "x" * 90), "--hosts", "a")
        self.assertEqual(done.returncode, 1)
        self.assertIn("too long a path", done.stderr)
        done = self.call("status", "--dir", os.path.join(self.top, "nowhere"))
        self.assertIn("no cluster in", done.stderr)

    def test_env_names_the_clients_configuration(self):
        text = self.mc("env")
        done = subprocess.run(["bash", "-c", text + 'pbsnodes; echo "$PBS_CONF_FILE"'], capture_output=True, text=True)
        self.assertIn('"a"', done.stdout)
        self.assertIn(self.dir, done.stdout)


# A process, its child, that one's child ...: each says who it is when it has threads, or has none.
FAMILY = """import os, sys, threading
def live(depth, kinds):
    if kinds[1:] and os.fork() == 0:
        return live(depth + 1, kinds[1:])
    if kinds[0] == "threads":
        threading.Thread(target=os.read, args=(0, 1)).start()
    os.write(1, f"{depth} {os.getpid()}\\n".encode())
    os.read(0, 1)
live(0, sys.argv[1:])
"""


class processes_with_the_name_of_a_daemon(unittest.TestCase):
    def family(self, *kinds):
        process = subprocess.Popen([sys.executable, "-c", FAMILY, *kinds], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)      # they end with their input
        said = sorted(process.stdout.readline().split() for _ in kinds)
        return [int(pid) for _, pid in said]

    def test_who_starts_a_daemon_and_what_it_has_just_forked_is_none(self):
        pids = self.family("none", "threads", "none", "none")
        self.assertEqual(procs.own(pids), [pids[1]])
        self.assertEqual(procs.own(pids[1:2]), [pids[1]])

    def test_a_daemon_that_has_no_threads_yet_is_one(self):
        pids = self.family("none", "none")
        self.assertEqual(procs.own(pids), [pids[1]])
        self.assertEqual(procs.own(pids[:1]), [pids[0]])


class a_plain_cluster(a_cluster, unittest.TestCase):
    up_options = ["--plain"]

    def test_unplugging_is_refused_with_a_reason(self):
        self.assertIn("no link to take down", self.mc("unplug", "a", status=1))

    def test_two_clusters_have_different_addresses(self):
        other = os.path.join(self.top, "other")
        self.addCleanup(self.call, "down", "--dir", other)
        self.assertEqual(self.call("up", "--dir", other, "--hosts", "a", "--plain").returncode, 0)
        nets = set()
        for cluster in (self.dir, other):
            with open(os.path.join(cluster, "cluster.json")) as f:
                nets.add(json.load(f)["net"])
        self.assertEqual(len(nets), 2)

    def keeper(self, *command, output=os.devnull):
        """Its pid, and the descriptor from which it is told to begin. Nobody waits for its word that the command has ended."""
        (ready, told), (begin, begun) = os.pipe(), os.pipe()
        os.close(ready)
        with open(output, "w") as out:
            pid = keeper.fork("keeper", command, {"PATH": os.environ["PATH"]}, out.fileno(), begin, told)
        self.addCleanup(os.waitpid, pid, 0)
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        os.close(told)
        os.close(begin)
        return pid, begun

    def until_it_only_keeps(self, pid):
        deadline = time.monotonic() + 60
        while not self.is_titled(pid, "keeper"):
            self.assertIsNone(os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT))
            self.assertLess(time.monotonic(), deadline, "the command ends, and then the keeper only keeps")
            time.sleep(0.01)

    def test_who_is_interrupted_before_it_has_written_a_daemons_keeper_down_has_started_nothing(self):
        ran = os.path.join(self.top, "ran")
        pid, begun = self.keeper("touch", ran)
        os.close(begun)
        self.assertEqual(os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT).si_status, 0)
        self.assertFalse(os.path.exists(ran))

    def test_who_is_interrupted_before_a_daemon_is_ready_leaves_it_to_its_keeper(self):
        pid, begun = self.keeper("true")
        with open(begun, "wb", buffering=0) as f:
            f.write(b"\n")
        self.until_it_only_keeps(pid)

    def test_a_keeper_does_not_handle_signals_as_who_starts_it_does(self):
        self.addCleanup(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, lambda *_: os._exit(0)))
        pid, begun = self.keeper("true")
        os.kill(pid, signal.SIGTERM)
        self.assertEqual(os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT).si_status, signal.SIGTERM)
        os.close(begun)

    def test_a_keeper_and_its_daemon_have_no_descriptor_of_who_starts_them(self):
        told = os.path.join(self.top, "told")
        ends = os.pipe()
        for end in ends:
            self.addCleanup(os.close, end)
            os.set_inheritable(end, True)
        pid, begun = self.keeper("ls", "/proc/self/fd", output=told)
        with open(begun, "wb", buffering=0) as f:
            f.write(b"\n")
        self.until_it_only_keeps(pid)
        self.assertEqual(sorted(os.listdir(f"/proc/{pid}/fd")), ["0", "1", "2"])
        with open(told) as f:
            self.assertEqual(f.read().split(), ["0", "1", "2", "3"])      # the last one is that of the directory itself

    def is_titled(self, pid, title):
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().split(b"\0")[0].decode() == title

    def test_a_daemon_that_was_started_by_hand_goes_with_its_host(self):
        """As an administrator starts pbs_server with an option once: no keeper holds it."""
        self.mc("kill", "server")
        conf = os.path.join(self.dir, "hosts", "server", "pbs.conf")
        subprocess.run([os.path.join(self.prefix, "sbin", "pbs_server")], env={**os.environ, "PBS_CONF_FILE": conf}, check=True, timeout=100)
        with open(os.path.join(self.dir, "hosts", "server", "home", "server_priv", "server.lock")) as f:
            by_hand = int(f.read())
        self.assertTrue(running(by_hand))
        self.mc("down")
        self.assertFalse(running(by_hand))


@unittest.skipUnless(can_make_namespaces(), "namespaces need root")
class a_namespaced_cluster(a_cluster, unittest.TestCase):
    def test_a_host_has_its_own_name_processes_and_network(self):
        self.assertEqual(self.mc("exec", "a", "hostname").strip(), "a")
        self.assertIn("pbs_mom", self.mc("exec", "a", "ps", "-e"))
        self.assertNotIn("pbs_server", self.mc("exec", "a", "ps", "-e"))
        self.assertIn("10.86.", self.mc("exec", "a", "getent", "hosts", "b"))

    def test_each_boot_of_a_host_has_its_own_id(self):
        def boot_id(host):
            return self.mc("exec", host, "cat", "/proc/sys/kernel/random/boot_id")
        first = boot_id("a")
        self.assertRegex(first, "^[0-9a-f-]{36}\n$")
        with open("/proc/sys/kernel/random/boot_id") as f:
            self.assertEqual(len({first, boot_id("b"), f.read()}), 3)
        self.mc("kill", "a")
        self.mc("start", "a")
        self.assertNotEqual(boot_id("a"), first)

    def reaches(self, host, other):
        """Whether a connection gets an answer at once, if only that nobody listens there."""
        code = ("import socket,sys\ns=socket.socket()\ns.settimeout(0.3)\n"
                "try: s.connect((sys.argv[1], 9))\nexcept ConnectionRefusedError: print('refused')\nexcept OSError: print('none')")
        return self.mc("exec", host, sys.executable, "-c", code, other).strip() == "refused"

    def until_reaches(self, host, other):
        """A cable takes a moment to be known."""
        deadline = time.monotonic() + 60
        while not self.reaches(host, other):
            self.assertLess(time.monotonic(), deadline, f"{host} reaches {other}")

    def test_an_unplugged_host_hears_nobody_until_it_is_plugged_in(self):
        self.until_reaches("a", "b")
        self.mc("unplug", "b")
        self.assertFalse(self.reaches("a", "b"))
        self.assertEqual(self.rows()["b"]["link"], "down")
        self.mc("kill", "b")
        self.mc("start", "b")
        self.assertFalse(self.reaches("a", "b"))   # a restart is not a plug
        self.mc("plug", "b")
        self.until_reaches("a", "b")

    def test_nothing_of_it_is_seen_outside(self):
        links = subprocess.run(["ip", "link"], capture_output=True, text=True).stdout
        self.assertNotIn("port0", links)
        with open("/proc/mounts") as f:
            self.assertNotIn(self.dir, f.read())


if __name__ == "__main__":
    unittest.main(verbosity=2)
