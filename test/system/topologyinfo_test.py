"""pbs_topologyinfo tells the sockets that the hosts' kernels count; texts and exit statuses as in the transcript of the administrators' commands."""
import glob
import os
import stat
import unittest

from private_cluster import ClusterTest

USAGE = "Usage:  pbs_topologyinfo.py [ -a -s ]\n\tpbs_topologyinfo.py -s node1 [ node2 ... ]\n\n"
HELP = USAGE + """Options:
  -h, --help     show this help message and exit
  -a, --all      report on all nodes
  -s, --sockets  report node socket count
  -l, --license  report license count
"""
HOOK = """import pbs
e = pbs.event()
e.vnode_list[pbs.get_local_nodename()].resources_available["mem"] = pbs.size("1gb")
"""


def sockets():
    packages = set()
    for path in glob.glob("/sys/devices/system/cpu/cpu*/topology/physical_package_id"):
        with open(path) as f:
            packages.add(f.read())
    return len(packages)


class topologyinfo(ClusterTest):
    hosts = ["a", "bravo", "c"]
    vnodes = {"c": "c: sockets = 77\nc[0]: resources_available.ncpus = 1\n"}

    def setUp(self):
        if not sockets():
            self.skipTest("the kernel does not tell the sockets")
        super().setUp()

    def says(self, *words, status=0):
        done = self.run_command("pbs_topologyinfo", *words)
        self.assertEqual(done.status, status, done)
        return done.out

    def test_the_sockets_of_each_host(self):
        n = sockets()
        self.assertEqual(self.says("-as"), f"a     {n}\nbravo {n}\nc     {n}\n")
        self.assertEqual(self.says("-a", "-s", "a"), self.says("-as"))
        self.assertEqual(self.says("-s", "a"), f"a {n}\n")
        self.assertEqual(self.says("-l", "a"), "a 0\n")
        self.assertEqual(self.says("-s", "nosuch", "a"), f"no socket information available for node nosuch\na      {n}\n")
        self.assertEqual(self.says("-s", "c[0]"), "no socket information available for node c[0]\n")
        self.assertEqual(self.says("-s"), "max/map failed: max() arg is an empty sequence\n")
        for words in ([], ["-a"], ["a"]):
            self.assertEqual(self.says(*words, status=1), "")
        self.assertEqual(self.says("-h"), HELP)
        refused = self.run_command("pbs_topologyinfo", "--version")
        self.assertEqual((refused.status, refused.out, refused.err), (2, "", USAGE + "pbs_topologyinfo.py: error: no such option: --version\n"))
        directory = os.path.join(self.home("server"), "server_priv", "topology")
        self.assertEqual([stat.S_IMODE(os.stat(path).st_mode) for path in (directory, os.path.join(directory, "a"))], [0o700, 0o400])
        self.sure("qmgr", "-c", "delete node a")
        self.assertEqual(self.says("-as"), f"bravo {n}\nc     {n}\n")
        self.assertEqual(self.says("-s", "a"), "no socket information available for node a\n")

    def test_also_when_hooks_describe_the_host(self):
        path = os.path.join(self.work, "hook.py")
        with open(path, "w") as f:
            f.write(HOOK)
        for line in ("create hook describes event=exechost_startup", f"import hook describes application/x-python default {path}"):
            self.sure("qmgr", "-c", line)
        files = [os.path.join(self.home("a"), "mom_priv", "hooks", "describes" + end) for end in (".HK", ".PY")]
        self.until(lambda: all(os.path.exists(f) for f in files), "a has the hook")
        self.kill_daemon("pbs_mom", "a")
        os.unlink(os.path.join(self.home("server"), "server_priv", "topology", "a"))
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: "resources_available.mem = 1gb" in self.sure("pbsnodes", "a"), lambda: f"the hook's memory: {self.sure('pbsnodes', 'a')}")
        self.assertEqual(self.says("-s", "a"), f"a {sockets()}\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
