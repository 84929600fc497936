#!/usr/bin/env python3
"""Makes the golden logs of this version: plays a session on a mini-cluster of two hosts in which as much happens as a short session can
hold, and keeps the logs of its server and its MoMs in test/golden-logs/VERSION, with what pbs_audit says of them. A copy of the server's
log that was damaged and salvaged, and one that lost its end, are kept besides. As root; three minutes.

usage: make_golden_logs.py           then look at what `git diff --stat test/golden-logs` says
"""
import glob
import json
import os
import re
import shutil
import sys
import tarfile
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "system")]
import golden_logs_test  # noqa: E402  found by the path above

# Jobs keep paths and variables of whoever submits them: the programs run from a copy, so that the logs name no place of the checkout.
EXEC = os.path.join(tempfile.mkdtemp(prefix="annals.golden.", dir="/tmp"), "pbs")
shutil.copytree(golden_logs_test.STAGE, EXEC, symlinks=True)
os.chmod(os.path.dirname(EXEC), 0o755)
os.environ.clear()
os.environ.update(ANNALS_STAGE=EXEC, PATH="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", HOME="/root", LC_ALL="C", SHELL="/bin/sh")
from private_cluster import STAGE, ClusterTest, signal  # noqa: E402

KEPT = re.compile(r"CURRENT|IDENTITY|MANIFEST-\d+|OPTIONS-\d+|\d+\.(log|sst)")     # of RocksDB's files
WIDE = ["-l", "select=2:ncpus=1:mem=10mb", "-l", "place=scatter"]


def every_event():
    """JobQueued ... as the schema has them."""
    for path in glob.glob(os.path.join(HERE, "..", "..", "events", "schema", "event", "*.capnp")):
        with open(path) as f:
            for kind, union in re.findall(r"struct (\w+)Event \{\s*union \{\n(.*?)\n  \}", f.read(), re.S):
                yield from (kind + name[0].upper() + name[1:] for name in re.findall(r"^    (\w+) +@", union, re.M))


class session(ClusterTest):
    hosts = ["a", "b"]

    def qmgr(self, *directives):
        for directive in directives:
            self.sure("qmgr", "-c", directive)

    def log_of(self, host):
        return os.path.join(self.home(host), "server_priv" if host == "server" else "mom_priv", "log")

    def file(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, 0o755)
        return path

    def hook(self, name, event, script, **settings):
        chosen = "".join(f",{k}={v}" for k, v in settings.items())
        self.qmgr(f'create hook {name} event="{event}"{chosen}',
                  f"import hook {name} application/x-config default {self.file(name + '.json', json.dumps({'of': name}))}",
                  f"import hook {name} application/x-python default {self.file(name + '.py', script)}")

    def test_session(self):
        self.settings()
        self.hooks()
        self.one_host()
        self.by_hand()
        self.wide()
        self.trouble()
        self.logs()

    # ---- the acts ------------------------------------------------------------------------------------------------

    def settings(self):
        self.qmgr("set server acl_roots = root@*", "set server comment = golden", "create resource licences type=long,flag=q",
                  "set resource licences flag=h", "create resource gone type=string", "delete resource gone",
                  "create queue other queue_type=e", "set queue other enabled=True,started=True,Priority=7", "create queue gone queue_type=e",
                  "delete queue gone", "set node a comment = first", "create node absent", "delete node absent",
                  "create sched extra", "set sched extra comment = second", "delete sched extra")
        self.sure("pbsnodes", "-C", "by hand", "-o", "b")
        self.sure("pbsnodes", "-C", "", "-r", "b")

    def hooks(self):
        self.hook("names", "queuejob", "import pbs\ne = pbs.event()\ne.job.project = e.job.project or 'misc'\n"
                  "if e.job.Job_Name == 'refused':\n    e.reject('not this one')\n")
        self.hook("alters", "modifyjob", "import pbs\npbs.event().job.Account_Name = 'altered'\n", order=2)
        self.hook("runs", "runjob", "import pbs\ne = pbs.event()\n"
                  "if e.job.Job_Name == 'norun':\n    e.job.Hold_Types = pbs.hold_types('s')\n    e.reject('does not run')\n")
        self.hook("begins", "execjob_begin,execjob_prologue,execjob_launch,execjob_epilogue,execjob_end",
                  "import pbs\ne = pbs.event()\npbs.logmsg(pbs.LOG_DEBUG, 'hook of a host')\n"
                  "if e.type == pbs.HOOK_EVENT_EXECJOB_LAUNCH:\n    e.env['GOLDEN'] = 'yes'\n"
                  "if e.type == pbs.HOOK_EVENT_EXECJOB_BEGIN and e.job.Job_Name == 'nobegin' and not e.job.in_ms_mom():\n"
                  "    e.job.Hold_Types = pbs.hold_types('s')\n    e.reject('not here')\n")
        self.hook("vnodes", "exechost_startup", "import pbs\nv = pbs.event().vnode_list\nn = pbs.get_local_nodename()\n"
                  "v[n + '_0'] = pbs.vnode(n + '_0')\nv[n + '_0'].resources_available['ncpus'] = 2\n")
        self.hook("gone", "queuejob", "import pbs\n", enabled="False")
        self.qmgr("delete hook gone")
        for host in self.hosts:
            directory = os.path.join(self.home(host), "mom_priv", "hooks")
            self.until(lambda: {"begins.HK", "begins.PY", "vnodes.HK", "vnodes.PY"} <= set(os.listdir(directory) if os.path.isdir(directory) else []), f"hooks are on {host}")
            self.kill_daemon("pbs_mom", host)
            self.start_daemon("pbs_mom", host)
            self.until_free(host)
        self.until(lambda: "b_0" in self.sure("pbsnodes", "-av"), "the vnodes are there")

    def one_host(self):
        script = "echo $GOLDEN; exit 3\n"
        id = self.submit("-N", "plain", "-l", "ncpus=1,mem=10mb,walltime=5:00", "-S", "/bin/sh", input=script)
        self.until_state(id, "F")
        self.until_recorded(id, "QSE")
        self.assertNotEqual(self.run_command("qsub", "-N", "refused", "--", "/bin/true").status, 0)
        norun = self.submit("-N", "norun", "--", "/bin/true")
        self.until_state(norun, "H")
        large = self.submit("-N", "large", "-l", "ncpus=5000", "--", "/bin/true")
        self.until(lambda: "comment" in self.job(large), "the scheduler says why it does not run")
        data = self.file("in.txt", "data\n")
        staged = self.submit("-N", "staged", "-W", f"sandbox=PRIVATE", "-W", f"stagein=in.txt@server:{data}",
                             "-W", f"stageout=out.txt@server:{self.work}/out.txt", "-S", "/bin/sh", input="cat in.txt > out.txt\n")
        self.until_state(staged, "F")
        waits = self.submit("-N", "nofile", "-W", f"stagein=in.txt@server:{self.work}/nothing", "--", "/bin/true")
        self.until_state(waits, "W", 180)
        later = self.submit("-N", "later", "-a", self.sure("date", "-d", "+3 seconds", "+%Y%m%d%H%M.%S").strip(), "--", "/bin/true")
        self.until_state(later, "F")
        big = self.file("big.sh", "#!/bin/sh\nexit 0\n" + "# a long comment that goes on and on\n" * 4000)    # a script in pieces
        self.until_state(self.submit("-N", "big", big), "F")
        self.sure("qdel", norun, large, waits)

    def by_hand(self):
        held = self.submit("-N", "held", "-h", "--", "/bin/true")
        self.sure("qhold", "-h", "o", held)
        self.sure("qalter", "-p", "5", "-l", "walltime=1:00", held)
        self.sure("qmove", "other", held)
        second = self.submit("-N", "second", "-h", "-q", "other", "--", "/bin/true")
        self.sure("qorder", held, second)
        self.sure("qrls", "-h", "ou", held)
        self.until_state(held, "F")
        self.sure("qdel", second)
        id = self.submit("-N", "steered", "-l", "ncpus=1,walltime=1:00:00", "--", "/bin/sh", "-c", "trap : USR1; while :; do sleep 0.2; done")
        self.until_running(id)
        self.sure("qmsg", "-O", "a word", id)
        self.sure("qsig", "-s", "USR1", id)
        self.sure("qsig", "-s", "suspend", id)
        self.until_state(id, "S")
        self.sure("qsig", "-s", "resume", id)
        self.until_running(id)
        self.sure("qsig", "-s", "admin-suspend", id)
        self.until_state(id, "S")
        self.sure("qsig", "-s", "admin-resume", id)
        self.until_running(id)
        self.sure("qrerun", id)
        self.until(lambda: self.job(id)["run_count"] == "2", "it runs again")
        self.until_running(id)
        self.sure("qdel", id)
        self.until_state(id, "F")
        self.resumed_later()
        forced = self.submit("-N", "forced", "--", "/bin/sleep", "1000")
        self.until_running(forced)
        self.sure("qdel", "-W", "force", forced)

    def resumed_later(self):
        """It waits for the cpus that another job has got."""
        first, second = (self.submit("-N", name, "-l", "select=1:ncpus=60:host=a", "--", "/bin/sleep", "1000") for name in ("first", "taker"))
        self.until_running(first)
        self.sure("qsig", "-s", "suspend", first)
        self.until_running(second)
        self.sure("qsig", "-s", "resume", first)
        self.until(lambda: "JobResumeWanted" in self.audit("log", "--kind", "JobResumeWanted"), "it waits")
        self.sure("qdel", second)
        self.until_running(first)
        self.sure("qdel", first)
        self.until_state(first, "F")

    def wide(self):
        script = (f"export PATH={STAGE}/bin:$PATH\npbsdsh -- /bin/sh -c 'echo $PBS_NODENUM'\npbsdsh -n 1 /no/such/program\n"
                  f"pbs_tmrsh b /bin/true\nexit 0\n")
        self.until_state(self.submit("-N", "wide", *WIDE, "-S", "/bin/sh", input=script), "F")
        refused = self.submit("-N", "nobegin", *WIDE, "--", "/bin/true")
        self.until_state(refused, "H")
        self.sure("qdel", refused)
        id = self.submit("-N", "paused", *WIDE, "--", "/bin/sleep", "1000")
        self.until_running(id)
        self.sure("qsig", "-s", "suspend", id)
        self.until_state(id, "S")
        self.sure("qsig", "-s", "resume", id)
        self.until_running(id)
        self.sure("qdel", id)
        self.until_state(id, "F")

    def trouble(self):
        id = self.submit("-N", "survivor", "-r", "y", *WIDE, "--", "/bin/sh", "-c", f"while [ ! -e {self.work}/go ]; do sleep 0.1; done")
        self.until_running(id)
        for daemon, host in (("pbs_server", "server"), ("pbs_mom", "a"), ("pbs_mom", "b"), ("pbs_sched", "server")):
            self.kill_daemon(daemon, host)
            self.start_daemon(daemon, host)
        self.until_answers()
        self.file("go", "")
        self.until_state(id, "F")
        self.qmgr("set server node_fail_requeue = 1")
        lost = self.submit("-N", "lost", "-l", "select=1:host=b", "--", "/bin/sleep", "1000")
        self.until_running(lost)
        self.kill_daemon("pbs_mom", "b")
        self.until(lambda: self.job(lost)["job_state"] in "QH", "it is queued again")
        self.sure("qhold", lost)
        self.start_daemon("pbs_mom", "b")
        self.until_free("b")
        self.sure("qdel", lost)
        running = self.submit("-N", "unfinished", "--", "/bin/sleep", "1000")
        self.until_running(running)

    # ---- the logs ------------------------------------------------------------------------------------------------

    def stop_server(self):
        self.sure("qterm")
        self.until(lambda: not self.daemon_pids("pbs_server"), "the server has gone")

    def logs(self):
        self.stop_server()
        kept = {"server": self.copy("server")}
        self.start_daemon("pbs_server")
        self.until_answers()
        self.submit("-N", "forgotten", "-h", "--", "/bin/true")
        self.qmgr("set server job_history_duration = 00:00:01")
        self.until(lambda: "JobForgotten" in self.audit("log", "--kind", "JobForgotten"), "history ends", 180)
        self.stop_server()
        kept["server_later"] = self.copy("server")
        shutil.rmtree(self.log_of("server"))          # the log lost its end
        shutil.copytree(kept["server"], self.log_of("server"))
        os.chmod(self.log_of("server"), 0o700)
        self.cluster.machines["server"].start_daemon("pbs_server", "--accept-loss")
        self.until_answers()
        self.submit("-N", "after", "-h", "--", "/bin/true")
        self.stop_server()
        kept["server_after_loss"] = self.copy("server")
        kept["server_salvaged"] = self.salvaged(kept["server"])
        for host in self.hosts:
            for pid in self.daemon_pids("pbs_mom", host):
                os.kill(pid, signal.SIGTERM)
            self.until(lambda: not self.daemon_pids("pbs_mom", host), "the MoM has gone")
            kept[f"mom_{host}"] = self.copy(host)
        self.keep(kept)

    def copy(self, host):
        to = os.path.join(self.top, f"{host}.{len(os.listdir(self.top))}")
        shutil.copytree(self.log_of(host), to)
        return to

    def salvaged(self, log):
        damaged = os.path.join(self.top, "damaged")
        shutil.copytree(log, damaged)
        file = max(glob.glob(damaged + "/*.sst") + glob.glob(damaged + "/*.log"), key=os.path.getsize)
        with open(file, "r+b") as f:
            f.seek(os.path.getsize(file) // 2)
            byte = f.read(1)
            f.seek(-1, os.SEEK_CUR)
            f.write(bytes([byte[0] ^ 0x10]))
        to = os.path.join(self.top, "salvaged")
        self.run_command("pbs_audit", "salvage", damaged, to)
        return to

    def keep(self, logs):
        version = self.sure("pbs_audit", "--version").split()[-1]
        folder = os.path.join(HERE, version)
        os.makedirs(folder, exist_ok=True)
        with tarfile.open(os.path.join(folder, "logs.tar.xz"), "w:xz") as packed:
            for name, directory in sorted(logs.items()):
                for file in sorted(filter(KEPT.fullmatch, os.listdir(directory))):
                    packed.add(os.path.join(directory, file), f"{name}/{file}", filter=of_nobody)
        golden_logs_test.record(version)
        seen = set()
        for path in glob.glob(folder + "/*.records.txt"):
            with open(path) as f:
                seen.update(re.findall(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b", f.read()))
        print("events that are in no golden log:", *sorted(set(every_event()) - seen), file=sys.stderr)


def of_nobody(entry):
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    try:
        unittest.main(verbosity=2)
    finally:
        shutil.rmtree(os.path.dirname(EXEC))
