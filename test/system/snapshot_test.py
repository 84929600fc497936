"""pbs_snapshot of a real cluster whose names can be told apart: what is in it, what is not, and that no name is left where none is wanted."""
import glob
import json
import os
import stat
import subprocess
import tarfile
import unittest

from private_cluster import DEADLINE_S, STAGE, ClusterTest

SNAPSHOT = os.path.join(STAGE, "sbin", "pbs_snapshot")
SSH = """#!/bin/sh
# stands for ssh: the "host" is one of the mini-cluster's
while [ "$1" != -- ]; do shift; done
case $2 in
  no*) echo "ssh: Could not resolve hostname $2" >&2; exit 255 ;;
  *) PBS_CONF_FILE=%s/$2/pbs.conf exec sh -c "$3" ;;
esac
"""
SUDO = """#!/bin/sh
# stands for sudo: says that it was asked
[ "$1" = -n ] && shift
echo "$*" >> %s
exec "$@"
"""
HOOK = "import pbs\n# written by quaggahand\npbs.logmsg(pbs.LOG_DEBUG, 'quaggahand was here')\n"
# Of the users' and administrators' own making below; no part of it may be in an obfuscated snapshot.
NAMES = ("kudumom", "okapiq", "zebrajob", "tapirproj", "serowacct", "bongolic", "gnuvalue", "lemurhook", "ibexman", "indriword", "hyraxsecret",
         "quaggahand", "dikdikdir", "eland.example", "gaurfile")


class a_snapshot(ClusterTest):
    hosts = ["kudumom1", "kudumom2"]

    def setUp(self):
        super().setUp()
        self.out = os.path.join(self.top, "out")
        os.mkdir(self.out)
        self.tools = os.path.join(self.top, "tools")
        os.mkdir(self.tools)

    def tool(self, name, text):
        with open(os.path.join(self.tools, name), "w") as f:
            f.write(text)
        os.chmod(f.name, 0o755)

    def environment(self, host="server"):
        """As on the host of that name."""
        return {**super().environment(), "PBS_CONF_FILE": self.cluster.layout.conf(host),
                "PATH": f"{self.top}/tools:{super().environment()['PATH']}"}

    def take(self, *options, host="server"):
        """(what it prints, file -> text) of a new snapshot."""
        before = set(glob.glob(f"{self.out}/*.tgz"))
        done = subprocess.run([SNAPSHOT, "-o", self.out, *options], env=self.environment(host), cwd=self.work, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=DEADLINE_S)
        self.assertEqual(done.returncode, 0, done)
        [path] = set(glob.glob(f"{self.out}/*.tgz")) - before
        self.assertEqual(done.stdout.splitlines()[0], f"Snapshot available at: {path}")
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path, "rb") as f:
            return done, self.read(f)

    def read(self, file):
        found, top = {}, None
        with tarfile.open(fileobj=file) as tar:
            for member in tar:
                self.assertEqual((member.uid, member.gid, member.uname, member.gname), (0, 0, "", ""))
                top = top or member.name
                self.assertRegex(member.name, rf"^{top}(/|$)")
                if member.isfile():
                    found[os.path.relpath(member.name, top)] = tar.extractfile(member).read().decode()
        return found

    def fill(self):
        """Telling names wherever a site has some; a job that ended and one that waits."""
        self.sure("qmgr", input=f"""create queue okapiq
set queue okapiq queue_type = Execution, enabled = True, started = True
set server managers += ibexman@*.eland.example
create resource bongolic type = string_array, flag = h
set node kudumom1 resources_available.bongolic = "gnuvalue,gnuvalue2"
set node kudumom2 comment = "indriword broke it"
set server comment = "ask indriword"
create hook lemurhook
set hook lemurhook event = queuejob
""")
        for name, kind, text in (("hook.py", "x-python", HOOK), ("hook.json", "x-config", '{"password": "hyraxsecret"}')):
            with open(os.path.join(self.work, name), "w") as f:
                f.write(text)
            self.sure("qmgr", "-c", f"import hook lemurhook application/{kind} default {f.name}")
        folder = os.path.join(self.work, "dikdikdir")
        os.mkdir(folder, 0o777)
        given = ["-q", "okapiq", "-P", "tapirproj", "-A", "serowacct", "-M", "ibexman@mail.eland.example", "-v", "SECRET=hyraxsecret",
                 "-o", f"{folder}/gaurfile", "-j", "oe"]
        ended = self.submit("-N", "zebrajob", *given, "-l", "select=1:ncpus=1:bongolic=gnuvalue", "--", "/bin/echo", "hyraxsecret")
        self.until_recorded(ended, "QSE")
        self.submit("-N", "zebrajob2", "-h", *given, "--", "/bin/true")
        self.until_logged("job name = zebrajob2")
        self.until_logged("quaggahand was here")
        return ended

    def test_what_is_in_it_and_what_never_is(self):
        id = self.fill()
        with open(os.path.join(self.home(), "annals.conf"), "a") as f:
            f.write("# password = hyraxsecret\n")
        _, found = self.take()
        self.assertIn("    Job_Name = zebrajob\n", found["job/qstat_xf.out"])
        self.assertIn("server_host = server", found["server/qstat_Bf.out"])
        self.assertIn("create queue okapiq", found["server/qmgr_pq.out"])
        self.assertIn("     Mom = kudumom1\n", found["node/pbsnodes_va.out"])
        self.assertIn("create resource bongolic", found["server/qmgr_pr.out"])
        self.assertIn("Sched default", found["scheduler/qmgr_lsched.out"])
        self.assertIn("PBS_HOME=", found["pbs.conf"])
        self.assertIn("quaggahand", found["hook/lemurhook.py"])
        self.assertIn("sound", found["annals/audit_verify.out"])
        self.assertIn("last record", found["annals/audit_status.out"])
        self.assertIn("no core files\n", found["core_file_bt/core_files.out"])
        self.assertIn("daemon.pem", found["server_priv/files.out"])
        self.assertIn("System Information", found["system/pbs_probe_v.out"])
        self.assertIn(f";E;{id};", self.of_day(found, "server_priv/accounting"))
        self.assertTrue([n for n in found if n.startswith("server_logs/2")] and [n for n in found if n.startswith("sched_logs/2")], list(found))
        self.assertIn("no MoM on this host", found["pbs_snapshot.log"])
        for name, text in found.items():
            self.assertNotIn("PRIVATE KEY", text, name)
            self.assertNotIn("SECRET=hyraxsecret", text, name)
            self.assertNotIn("password = hyraxsecret", text, name)
            self.assertNotRegex(name, r"\.(pem|key|CF)$|/log/|/mail/|/users/|\.sst$")

    def test_obfuscated_none_of_the_names_is_left(self):
        self.fill()
        self.tool("ssh", SSH % os.path.join(self.dir, "hosts"))
        done, found = self.take("--obfuscate", "--additional-hosts=kudumom1,kudumom2")
        self.assertIn(f"{self.out}/obfuscate.map", done.stdout)
        for name, text in found.items():
            for original in NAMES:
                self.assertNotIn(original, f"{name}\n{text}", name)
            self.assertNotRegex(text, r"[@.]server\b", name)
            self.assertNotIn(self.top, text, name)
        with open(os.path.join(self.out, "obfuscate.map")) as f:
            words = {name: word for pairs in json.load(f).values() for name, word in pairs.items()}
        # The same word in what commands print, in logs and accounting, and in what came from other hosts.
        job, host = words["zebrajob"], words["kudumom1"]
        self.assertIn(f"    Job_Name = {job}\n", found["job/qstat_xf.out"])
        self.assertIn(f"jobname={job} queue={words['okapiq']} ", self.of_day(found, "server_priv/accounting"))
        self.assertIn(f"job name = {job}, queue = {words['okapiq']}", self.of_day(found, "server_logs"))
        self.assertIn(f"     Mom = {host}\n", found["node/pbsnodes_va.out"])
        self.assertIn(f"PBS_LEAF_NAME={host}\n", found[f"{host}_snapshot/pbs.conf"])
        of_moms = "".join(self.of_day(found, f"{words[name]}_snapshot/mom_logs") for name in self.hosts)
        self.assertIn(f".{words['server']};", of_moms)
        # What is not a name can still be read.
        self.assertIn("    job_state = ", found["job/qstat_xf.out"])
        self.assertIn(";Starting Scheduling Cycle", self.of_day(found, "sched_logs"))

    def of_day(self, found, folder):
        """And of the day before, should it be midnight."""
        return "".join(text for name, text in found.items() if os.path.dirname(name) == folder)

    def test_the_same_map_serves_later_snapshots(self):
        self.submit("-N", "zebrajob", "-h", "--", "/bin/true")
        map = os.path.join(self.top, "map")
        self.take("--obfuscate", f"--map={map}", "--basic")
        with open(map) as f:
            first = json.load(f)
        self.submit("-N", "zebrajob3", "-h", "--", "/bin/true")
        _, found = self.take("--obfuscate", f"--map={map}", "--basic")
        with open(map) as f:
            second = json.load(f)
        self.assertEqual(second["job"]["zebrajob"], first["job"]["zebrajob"])
        self.assertIn(f"Job_Name = {second['job']['zebrajob3']}\n", found["job/qstat_f.out"])
        self.assertEqual(os.listdir(self.out).count("obfuscate.map"), 0)

    def test_with_the_server_down(self):
        self.fill()
        self.kill_daemon("pbs_server")
        done, found = self.take()
        self.assertIn("the server does not answer", done.stderr)
        self.assertIn("job/qstat_f.out is missing: qstat -f needs the server", found["pbs_snapshot.log"])
        self.assertNotIn("job/qstat_f.out", found)
        self.assertIn("zebrajob", self.of_day(found, "server_logs"))
        self.assertRegex(found["annals/audit_replay.out"], r"job +1\.server +H ")
        self.assertIn("sched_priv/sched_config", found)
        # Where nothing but files tells of names they are hidden too.
        _, found = self.take("--obfuscate")
        for name, text in found.items():
            for original in NAMES:
                self.assertNotIn(original, f"{name}\n{text}", name)

    def test_on_a_host_that_has_only_a_mom(self):
        id = self.fill()
        _, found = self.take(host=self.hosts_of(id)[0])
        self.assertIn(f";{id};Started, pid", self.of_day(found, "mom_logs"))
        self.assertIn("mom_priv/config", found)
        self.assertIn("last record", found["annals/mom_audit_status.out"])
        self.assertIn("no server on this host", found["pbs_snapshot.log"])
        self.assertFalse([name for name in found if name.startswith(("server_priv", "server_logs", "sched"))])
        self.assertFalse([name for name in found if name.endswith(".pem")])

    def test_days_and_basic(self):
        for folder in "server_logs", "server_priv/accounting":
            with open(os.path.join(self.home(), folder, "20200102"), "w") as f:
                f.write("01/02/2020 00:00:00;an old line\n")
        _, found = self.take()
        self.assertFalse([name for name in found if name.endswith("/20200102")])
        _, found = self.take("--daemon-logs=0", "--accounting-logs=36500")
        self.assertIn("server_priv/accounting/20200102", found)
        self.assertFalse([name for name in found if "_logs" in name])
        self.assertIn("server_logs: 0 days were asked for", found["pbs_snapshot.log"])
        _, found = self.take("--basic")
        self.assertIn("job/qstat_f.out", found)
        self.assertFalse([name for name in found if "_logs/" in name or "accounting" in name or name.startswith("system")])

    def test_other_hosts(self):
        self.tool("ssh", SSH % os.path.join(self.dir, "hosts"))
        done, found = self.take("--basic", "--additional-hosts=kudumom1,nowhere")
        self.assertIn("PBS_LEAF_NAME=kudumom1", found["kudumom1_snapshot/pbs.conf"])
        self.assertIn("kudumom1_snapshot/pbs_snapshot.log", found)
        self.assertIn("nowhere_snapshot is missing: no snapshot of nowhere: ssh: Could not resolve hostname nowhere", done.stderr)
        self.assertIn("nowhere_snapshot is missing", found["pbs_snapshot.log"])
        _, found = self.take("--basic", "-H", "kudumom2")
        self.assertIn("PBS_LEAF_NAME=kudumom2", found["pbs.conf"])
        done = subprocess.run([SNAPSHOT, "-o", self.out, "-H", "nowhere"], env=self.environment(), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no snapshot of nowhere", done.stderr)

    def test_by_sudo(self):
        if os.geteuid() == 0:
            self.skipTest("root needs no sudo")
        asked = os.path.join(self.top, "asked")
        self.tool("sudo", SUDO % asked)
        _, found = self.take("--basic", "--with-sudo")
        self.assertIn("PBS_LEAF_NAME=server", found["pbs.conf"])
        with open(asked) as f:
            self.assertIn(f"{SNAPSHOT} -o - ", f.read())

    def test_to_standard_output(self):
        with open(os.path.join(self.top, "tgz"), "w+b") as f:
            done = subprocess.run([SNAPSHOT, "-o", "-", "--basic"], env=self.environment(), stdout=f, stderr=subprocess.PIPE, timeout=DEADLINE_S)
            self.assertEqual(done.returncode, 0, done)
            f.seek(0)
            self.assertIn("pbs.conf", self.read(f))

    def test_nothing_is_left_behind(self):
        self.take("--basic")
        self.assertEqual([name for name in os.listdir(self.out) if not name.endswith(".tgz")], [])


class its_options(unittest.TestCase):
    def call(self, *options):
        return subprocess.run([SNAPSHOT, *options], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
                              env={"PATH": os.environ["PATH"], "PBS_HOME": "/dev/null/none"})

    def test_bad_ones(self):
        for options, said in (((), "-o is needed"), (("-o", "/tmp", "--foo"), "--foo"), (("-o", "/tmp", "--daemon-logs=x"), "not a number of days"),
                              (("-o", "/tmp", "--accounting-logs=-1"), "not a number of days"), (("-o", "/tmp", "-l", "LOUD"), "LOUD"),
                              (("-o", "/tmp", "--map=/tmp/m"), "--map goes with --obfuscate"), (("-o", "/tmp", "-H", "-x"), "expected one argument"),
                              (("-o", "/tmp", "--additional-hosts=a;b"), "not the name of a host"), (("-o", "-", "--obfuscate"), "needs --map"),
                              (("-o", "/tmp", "--datastore"), "--datastore: there is no database"), (("-d", "/x"), "-d: there are no PBS diag"),
                              (("-o", "/tmp", "word"), "word")):
            done = self.call(*options)
            self.assertEqual((done.returncode, done.stdout), (2, ""), options)
            self.assertIn("usage: pbs_snapshot", done.stderr)
            self.assertIn(said, done.stderr, options)

    def test_a_directory_that_is_not_there(self):
        done = self.call("-o", "/nosuch")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", "pbs_snapshot: /nosuch: there is no such directory\n"))

    def test_help_and_version(self):
        self.assertIn("--additional-hosts", self.call("--help").stdout)
        self.assertRegex(self.call("--version").stdout, r"^pbs_version = \S+\n$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
