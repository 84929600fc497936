"""docs/administrator.md is true: its steps are taken on two hosts that have nothing yet, and print what the page says.

Blocks fenced with ```console are run in order (test/support/page_steps.py). `borg# `, `n1# ` and `alice$ ` before a command say where it is
typed. /opt/pbs, /etc/pbs.conf and /var/spool/pbs stand for the host's own places. A command that only looks is asked again until it says
what the page says.

`administrator_test.py --show` prints the blocks with what the commands print now.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from private_cluster import COMMAND_DEADLINE_S, DEADLINE_S, STAGE, ClusterTest, mini, procs
from page_steps import fits, steps

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "administrator.md")
PROMPT = r"borg#|n1#|alice\$"
LOOKS = ("pbsnodes", "qstat", "pbs_audit", "tracejob", "grep", "ls", "qselect", "qmgr -c 'list", "pbs_rstat")


class the_page(ClusterTest):
    show = False

    def setUp(self):
        """Two hosts with nothing but their pbs.conf, and the addresses of this private site."""
        self.top = tempfile.mkdtemp(prefix="annals.", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.top, True)
        os.chmod(self.top, 0o755)
        self.work = os.path.join(self.top, "work")
        os.mkdir(self.work, 0o777)
        self.dir = os.path.join(self.top, "c")
        mini.describe(self.dir, "borg", ["n1"], STAGE, plain=True)
        self.cluster = mini.Cluster(self.dir)
        self.addCleanup(self.cluster.down)
        self.addCleanup(procs.kill_all, self.started_by_the_page)
        self.addCleanup(self.tell_if_failed)
        self.expect_rest(self.dir)
        self.cluster.habitat = lambda name: None         # the page does it
        self.cluster.write_files()
        for machine in self.cluster.machines.values():
            machine.boot()

    def started_by_the_page(self):
        """Daemons that the init script started, with their jobs: the cluster knows only what it started itself."""
        found = [pid for name in self.cluster.machines for daemon in ("pbs_server", "pbs_mom", "pbs_sched", "pbs_comm")
                 for pid in procs.daemons(daemon, self.cluster.layout.conf(name))]
        return set(found) | procs.descendants(found)

    def test_its_steps_print_what_it_says(self):
        with open(PAGE, encoding="utf-8") as f:
            taken = steps(f.read(), PROMPT)
        self.assertGreater(len(taken), 80)
        for number, prompt, command, expected in taken:
            if "openssl " in command and not shutil.which("openssl"):
                continue
            said = self.run_step(prompt, command, expected)
            if self.show:
                print(f"{prompt} {command}\n{said}", end="", flush=True)
            elif not fits(expected, said):
                self.fail(f"docs/administrator.md:{number}: {command}\nprints\n{said}\nthe page says\n{expected}")

    def run_step(self, prompt, command, expected):
        deadline = time.monotonic() + (2 if self.show else DEADLINE_S)
        while True:
            said = self.run_at("n1" if prompt == "n1#" else "borg", command)
            if fits(expected, said) or not command.startswith(LOOKS) or time.monotonic() > deadline:
                if "create node" in command:
                    self.suit_this_machine()
                return said
            time.sleep(0.1)

    def suit_this_machine(self):
        """alice may be root here, and there may be one cpu."""
        self.sure("qmgr", "-c", "set node n1 resources_available.ncpus = 8")
        if os.geteuid() == 0:
            self.sure("qmgr", "-c", "set server acl_roots = root")

    def run_at(self, host, command):
        """What it prints, in the words of the page."""
        here = {"/var/spool/pbs": self.home(host), "/etc/pbs.conf": self.cluster.layout.conf(host), "/opt/pbs": STAGE}
        for theirs, ours in here.items():
            command = command.replace(theirs, ours)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PBS")}
        environment = {**kept, "PBS_CONF_FILE": self.cluster.layout.conf(host),
                       "PATH": f"{STAGE}/bin:{STAGE}/sbin:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-c", command], env=environment, cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, stdin=subprocess.DEVNULL, timeout=COMMAND_DEADLINE_S)
        said = done.stdout
        for theirs, ours in here.items():
            said = said.replace(ours, theirs)
        return said


if __name__ == "__main__":
    if "--show" in sys.argv:
        sys.argv.remove("--show")
        the_page.show = True
    unittest.main(verbosity=2)
