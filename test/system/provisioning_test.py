"""Vnodes get the environment that a job asks for, by the site's hook, also when the server dies meanwhile (docs/design/0052)."""
import json
import os
import unittest

from hooks_test import HookTest

# Begins each run with a line in `begun`, and goes on when `go` is there; `bad` can't be installed.
SCRIPT = """
import os, pbs, time
e = pbs.event()
with open('{work}/begun', 'a') as f:
    f.write('%s %s\\n' % (e.vnode, e.aoe))
while not os.path.exists('{work}/go'):
    time.sleep(0.05)
if e.aoe == 'bad':
    e.reject('no image')
e.accept()
"""


class provisioning(HookTest):
    hosts = ["a", "b"]

    def setUp(self):
        super().setUp()
        for host in self.hosts:
            self.until_free(host)
            for value in 'resources_available.aoe = "red,blue,bad"', "current_aoe = red", "provision_enable = True":
                self.sure("qmgr", "-c", f"set node {host} {value}")
        self.hook("prov", "provision", SCRIPT.format(work=self.work), alarm=300)
        self.until(lambda: "provision_enable = True" in self.sure("qmgr", "-c", "list server"), "the server provisions")

    def node(self, name):
        return json.loads(self.sure("pbsnodes", "-a", "-F", "json"))["nodes"][name]

    def begun(self):
        path = os.path.join(self.work, "begun")
        return open(path).read().split("\n")[:-1] if os.path.exists(path) else []

    def asks(self, aoe, *more):
        return self.submit("-l", f"select=1:ncpus=1:aoe={aoe}", *more, "--", "/bin/sleep", "1000")

    def test_a_job_gets_its_environment_though_the_server_dies(self):
        has_it = self.asks("red")
        self.until_running(has_it)
        self.assertEqual(self.begun(), [])
        id = self.asks("blue")
        self.until(self.begun, "the hook runs")
        vnode = self.begun()[0].split()[0]
        self.assertEqual(self.begun(), [f"{vnode} blue"])
        self.assertEqual(self.job(id)["substate"], "71")
        self.assertEqual(self.node(vnode)["state"], "provisioning,job-exclusive")
        done = self.run_command("qmgr", "-c", f"set node {vnode} current_aoe = red")
        self.assertIn("Cannot modify attribute while vnode is provisioning", done.err)
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.until(lambda: len(self.begun()) == 2, "the hook runs once more")
        self.file("go", "")
        self.until(lambda: self.job(id).get("substate") == "42", lambda: self.job(id))
        self.assertEqual(self.node(vnode)["current_aoe"], "blue")
        self.until_recorded(id, "QPpS")

    def test_a_vnode_that_fails_goes_offline_and_the_job_waits(self):
        self.file("go", "")
        id = self.asks("bad", "-l", "walltime=1:00")
        self.until(lambda: all(self.node(n)["state"] == "offline" for n in self.hosts), lambda: [self.node(n) for n in self.hosts])
        self.assertIn("no image", self.node("a")["comment"])
        self.assertNotIn("current_aoe", self.node("a"))
        self.until_state(id, "Q")
        self.assertIn("no image", self.audit("hook", "prov"))


if __name__ == "__main__":
    unittest.main()
