"""Vnode definition files: a MoM with several vnodes, from `pbs_mom -s` to the jobs on them, over HUP and restarts."""
import json
import os
import re
import signal
import subprocess

from mom_hooks import MomHookTest
from private_cluster import DEADLINE_S, ClusterTest, Done

THREE = ("$configversion 2\n"
         "a: resources_available.ncpus = 0\n"
         "a: resources_available.mem = 0\n"
         "a[0]: resources_available.ncpus = 2\n"
         "a[0]: resources_available.mem = 2gb\n"
         "a[0]: sharing = default_excl\n"
         "a[1]: resources_available.ncpus = 3\n"
         "a[1]: resources_available.mem = 3gb\n"
         "a[1]: sharing = force_excl\n"
         "a[2]: resources_available.ncpus = 4\n"
         "a[2]: sharing = ignore_excl\n")


class VnodeTest(ClusterTest):
    def shown(self):
        """name -> attributes of all vnodes, in pbsnodes' order."""
        done = self.run_command("pbsnodes", "-av", "-F", "json")
        return json.loads(done.out)["nodes"] if done.status == 0 else {}

    def states(self):
        return {name: v["state"] for name, v in self.shown().items()}

    def until_states(self, **wanted):
        self.until(lambda: self.states() == wanted, lambda: f"{wanted}: {self.states()}")

    def amounts(self, vnode, *resources):
        available = self.shown()[vnode]["resources_available"]
        return tuple(available.get(r) for r in resources)

    def mom_s(self, *arguments, **how):
        machine = self.cluster.machines["a"]
        return Done(subprocess.run([machine.program("pbs_mom"), "-s", *arguments], env=machine.environment(), cwd=self.work,
                                   stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE_S, **how))

    def defined(self, text, verb="insert", name="one"):
        path = os.path.join(self.work, "definitions")
        with open(path, "w") as f:
            f.write(text)
        done = self.mom_s(verb, name, path)
        self.assertEqual((done.status, done.out), (0, ""), done)
        return done.err

    def hellos(self):
        return self.server_log().count("Hello from MoM")

    def hang_up(self):
        os.kill(self.daemon_pids("pbs_mom", "a")[0], signal.SIGHUP)

    def restart_mom(self):
        self.kill_daemon("pbs_mom", "a")
        self.start_mom()

    def start_mom(self):
        """Until the server has heard what it has: for a moment its vnodes were in the state in which the one before it left them."""
        hellos = self.hellos()
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: self.hellos() > hellos, "the MoM has told what it has")


class vnodes_of_files(VnodeTest):
    hosts = ["a"]

    def setUp(self):
        super().setUp()
        self.sure("qmgr", "-c", "unset node a resources_available.ncpus")
        self.hang_up()       # what the MoM measures comes back
        self.until(lambda: self.amounts("a", "ncpus") != (None,), self.shown)

    def test_files_are_kept_by_name(self):       # transcript vnode_definitions V1 to V4, V14
        directory = os.path.join(self.home("a"), "mom_priv", "config.d")
        self.assertEqual(repr(self.mom_s("list")), "exit 0, stdout '', stderr ''")
        self.assertFalse(os.path.exists(directory))
        for wrong in [], ["foo"], ["show"], ["insert"], ["insert", "a"], ["insert", "a", "b", "c"], ["remove"], ["list", "x"], ["replace", "x"]:
            done = self.mom_s(*wrong)
            self.assertEqual((done.status, done.out), (1, ""), done)
            self.assertIn("Usage: pbs_mom [-C chkdirectory]", done.err)
        self.assertTrue(self.mom_s().err.startswith("pbs_mom: option requires an argument -- 's'\nUsage: "))
        self.assertEqual(self.defined(THREE), "")
        self.assertEqual(self.mom_s("list").out, "one\n")
        self.assertEqual(self.mom_s("show", "one").out, THREE)
        self.assertEqual(os.stat(os.path.join(directory, "one")).st_mode & 0o7777, 0o600)
        path = os.path.join(self.work, "definitions")
        for wrong, said in ((["insert", "one", path], "config.d/one: File exists"), (["insert", "x", "/nosuch"], "/nosuch: No such file or directory"),
                            (["show", "x"], "config.d/x: No such file or directory"), (["remove", "x"], "config.d/x: No such file or directory"),
                            (["replace", "x", path], "config.d/x: No such file or directory"),
                            (["insert", "PBSx", path], "bad name of a vnode definition file: PBSx"), (["insert", "a/b", path], "bad name")):
            done = self.mom_s(*wrong)
            self.assertEqual((done.status, done.out), (1, ""), done)
            self.assertIn(said, done.err)
        self.assertEqual(self.defined("$configversion 2\n", "replace"), "")
        self.assertEqual(self.mom_s("show", "one").out, "$configversion 2\n")
        self.assertEqual(repr(self.mom_s("remove", "one")), "exit 0, stdout '', stderr ''")
        self.assertEqual(self.mom_s("list").out, "")

    def test_a_plain_user_has_none(self):        # V3
        if os.geteuid() != 0:
            self.skipTest("needs root")
        for arguments in ["list"], ["insert", "a", "/etc/hosts"]:
            done = self.mom_s(*arguments, user=65534)
            self.assertEqual((done.status, done.out, done.err), (1, "", "pbs_mom: Must be run as root\n"))

    def test_more_vnodes_than_a_host_may_have_are_refused_and_said(self):
        self.sure("qmgr", "-c", "set server max_vnodes_per_host = 3")
        self.defined(THREE)
        self.hang_up()
        refused = "host a tells 4 vnodes and would have 4: max_vnodes_per_host allows 3; its vnodes stay as they were"
        self.until_mom_logged("a", f"Node;a;the server takes no vnodes from this host: {refused}\n")
        self.until_logged(f"Node;a;{refused}\n")
        self.until(lambda: self.shown()["a"].get("comment") == f"vnodes refused: {refused}", self.shown)
        self.assertEqual(self.states(), {"a": "free"})
        self.assertIn("HostVnodesRefused", self.audit("log", "--kind", "host"))
        self.sure("qmgr", "-c", "set server max_vnodes_per_host = 4")
        self.hang_up()
        self.until(lambda: set(self.states().values()) == {"free"} and len(self.shown()) == 4, self.states)
        self.assertNotIn("comment", self.shown()["a"])

    def test_vnodes_come_with_hup_and_go_with_a_restart(self):       # V4 to V9, V13
        measured = self.amounts("a", "ncpus", "mem")
        self.defined(THREE)
        self.assertEqual(list(self.shown()), ["a"])
        self.hang_up()
        self.until(lambda: len(self.shown()) == 4, self.shown)
        self.assertEqual(list(self.shown()), ["a", "a[0]", "a[1]", "a[2]"])
        self.until(lambda: set(self.states().values()) == {"free"}, self.states)
        self.assertEqual(self.amounts("a", "ncpus", "mem"), (0, "0b"))
        self.assertEqual([self.shown()[n]["sharing"] for n in self.shown()], ["default_shared", "default_excl", "force_excl", "ignore_excl"])
        one = self.sure("pbsnodes", "-v", "a[0]")
        for line in ("Mom = a\n", "resources_available.arch = linux\n", "resources_available.host = a\n", "resources_available.mem = 2gb\n",
                     "resources_available.ncpus = 2\n", "resources_available.vnode = a[0]\n", "in_multivnode_host = 1\n", "license = l\n"):
            self.assertIn(f"     {line}", one)
        self.assertNotIn("pcpus", one)
        for text in ("Node;a;autocreated vnode a[2]\n", "Node;a;Mom reporting 4 vnodes as of "):
            self.until_logged(text)
        self.until_mom_logged("a", f"parse_config;file {self.home('a')}/mom_priv/config.d/one\n")
        self.restart_mom()
        self.until(lambda: set(self.states().values()) == {"free"}, self.states)
        # A vnode less, other values: HUP adds and changes, a restart takes away.
        self.defined("$configversion 2\na: resources_available.ncpus = 1\na[0]: resources_available.ncpus = 5\na[1]: resources_available.ncpus = 3\n",
                     "replace")
        self.hang_up()
        self.until(lambda: self.amounts("a[0]", "ncpus") == (5,), self.shown)
        self.until(lambda: set(self.states().values()) == {"free"}, self.states)
        self.assertEqual(self.shown()["a[0]"]["sharing"], "default_excl")
        self.restart_mom()
        self.until(lambda: self.states().get("a[2]") == "Stale", self.states)
        self.until(lambda: self.states() == {"a": "free", "a[0]": "free", "a[1]": "free", "a[2]": "Stale"}, self.states)
        self.assertEqual(self.shown()["a[0]"]["sharing"], "default_shared")
        self.assertEqual((self.amounts("a", "ncpus"), self.amounts("a[1]", "ncpus", "mem")), ((1,), (3, "3gb")))
        self.until_logged("Node;a;vnode a[2] is stale\n")
        id = self.submit("-l", "select=1:ncpus=1:vnode=a[2]", "--", "/bin/true")
        self.until(lambda: "vnode (a[2] !=" in self.job(id).get("comment", ""), lambda: self.job(id))
        self.sure("qdel", id)
        # A host goes when its other vnodes are gone; one that is defined comes back.
        refused = self.run_command("qmgr", "-c", "delete node a")
        self.assertEqual((refused.status, refused.err), (179, "qmgr obj=a svr=default: Cannot delete busy object\nqmgr: Error (15027) returned from server\n"))
        self.sure("qmgr", "-c", "delete node a[2],a[1]")
        self.assertEqual(list(self.shown()), ["a", "a[0]"])
        self.hang_up()
        self.until(lambda: list(self.shown()) == ["a", "a[0]", "a[1]"], self.states)
        self.assertEqual(self.mom_s("remove", "one").status, 0)
        self.restart_mom()
        self.until(lambda: self.states() == {"a": "free", "a[0]": "Stale", "a[1]": "Stale"}, self.states)
        self.assertEqual(self.amounts("a", "ncpus", "mem"), measured)
        self.sure("qmgr", "-c", "delete node @default")
        self.assertEqual(self.sure("pbsnodes", "-av"), "")

    def test_what_is_wrong_is_told_and_changes_nothing(self):        # V14, V14b
        self.defined(THREE)
        self.restart_mom()
        self.until(lambda: list(self.states().values()) == ["free"] * 4, self.states)
        config_d = os.path.join(self.home("a"), "mom_priv", "config.d")
        for text, warned, logged in (
                ("$configversion 2\nthis is nonsense\n", f"{config_d}/bad, line 2: missing ':'",
                 ["System error:  (15010) in vn_parse_stream, line 2:  missing ':'\n",
                  f"config_versionhandler, error(s) parsing vnode definitions file {config_d}/bad\n"]),
                ("$configversion 3\na: resources_available.ncpus = 1\n", f"{config_d}/bad, line 1: $configversion 3: value is out of range (min 2, max 2)",
                 ["config_verscheck, $configversion value is out of range (min 2, max 2) - will treat as old-style\n",
                  f"parse_config, {config_d}/bad[1] command \"$configversion 3\" failed, aborting\n"]),
                ("$configversion 2\na[3]: sharing = force_exclhost\n", "It is erroneous to mix sharing=force_exclhost for vnode a[3]",
                 ["Node;initialize;It is erroneous to mix sharing=force_exclhost for vnode a[3] with sharing=<unset> which is set for "
                  "other vnodes on host a\n"])):
            self.assertIn(warned, self.defined(text, name="bad"))
            self.hang_up()
            for line in logged:
                self.until(lambda: line in self.mom_log("a"), lambda: f"{line}: {self.mom_log('a')[-2000:]}")
            self.assertEqual(self.states(), {"a": "free", "a[0]": "free", "a[1]": "free", "a[2]": "free"})
            # Nobody knows what the host has: a MoM does not start with such a file.
            self.kill_daemon("pbs_mom", "a")
            machine = self.cluster.machines["a"]
            done = subprocess.run([machine.program("pbs_mom")], env=machine.environment(), capture_output=True, text=True,
                                  timeout=DEADLINE_S)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"pbs_mom: {warned}", done.stderr)
            self.assertEqual(self.mom_s("remove", "bad").status, 0)
            self.start_mom()
            self.until(lambda: set(self.states().values()) == {"free"}, self.states)

    def test_an_attribute_that_is_none_is_left_out(self):            # V14: b1, b4 to b8
        warned = self.defined("$configversion 2\na[0]: nosuchattr = 1\na[0]: resources_available.nosuchres = 1\na[0]: resources_available.ncpus = abc\n"
                              "a[0]: sharing = maybe\na[0]: Priority = 7\na[0]: resources_available.lic = 3\nother: resources_available.ncpus = 3\n")
        self.sure("qmgr", "-c", "create node other Mom=a")
        for attribute in ("nosuchattr", "resources_available.ncpus", "sharing"):
            self.assertIn(f"config.d/one, vnode a[0]: {attribute} has no effect: ", warned)
        self.assertNotIn("nosuchres", warned)      # which may be a resource of the site: the server knows
        self.assertIn("no $configversion 2: settings of a file in config.d have no effect", self.defined("$usecp *:/ /\n", name="two"))
        self.sure("qmgr", "-c", "create resource lic type=long,flag=nh")
        self.hang_up()
        self.until(lambda: set(self.states()) == {"a", "a[0]", "other"}, self.states)
        self.assertEqual(self.amounts("other", "ncpus"), (3,))
        self.assertEqual((self.shown()["a[0]"]["Priority"], self.shown()["a[0]"]["sharing"]), (7, "default_shared"))
        self.assertEqual(self.amounts("a[0]", "ncpus", "lic", "nosuchres"), (None, 3, None))
        for line in ("0002;Server@server;Node;a;unknown attribute nosuchattr in update for vnode a[0]\n",
                     "0080;Server@server;Resc;Server@server;Error creating resource\n",
                     "0004;Server@server;Node;a;error: resource nosuchres for vnode a[0] cannot be defined\n",
                     "0002;Server@server;Node;a;Error 15014 decoding resource ncpus in update for vnode a[0]\n",
                     "0001;Server@server;Svr;Server@server;Illegal value for node (15067) in set_attr_generic, decode of sharing failed\n",
                     "0002;Server@server;Node;a;Error 15067 decoding attribute sharing in update for vnode a[0]\n"):
            self.until_logged(line)
        self.until_mom_logged("a", "no $configversion 2")


class jobs_on_vnodes(VnodeTest):
    hosts = ["a"]
    vnodes = {"a": THREE.split("\n", 1)[1]}

    def test_jobs_run_on_them_over_restarts(self):       # V7, V8
        self.until(lambda: list(self.states().values()) == ["free"] * 4, self.states)
        ids = [self.submit("-l", f"select=1:ncpus=1:vnode=a[{i}]", "--", "/bin/sleep", "1000") for i in range(3)]
        for i, id in enumerate(ids):
            self.until_running(id)
            self.assertEqual((self.job(id)["exec_vnode"], self.job(id)["exec_host"]), (f"(a[{i}]:ncpus=1)", f"a/{i}"))
        self.assertEqual(list(self.states().values()), ["free", "job-exclusive", "job-exclusive", "free"])
        whole = self.submit("-l", "select=1:ncpus=5", "--", "/bin/true")       # no vnode has five; two of them have, when they are free
        # Nothing of this changes when the server or the MoM is started again, or reads its files again.
        before = self.shown()
        for again in (lambda: (self.kill_daemon("pbs_server"), self.start_daemon("pbs_server"), self.until_answers()), self.restart_mom, self.hang_up):
            hellos = self.hellos()
            again()
            self.until(lambda: self.hellos() > hellos, "the MoM has told what it has")
            self.until(lambda: [v["state"] for v in self.shown().values()] == [v["state"] for v in before.values()], self.states)
            self.assertEqual([v.get("jobs") for v in self.shown().values()], [v.get("jobs") for v in before.values()])
            self.assertEqual([v["resources_available"] for v in self.shown().values()], [v["resources_available"] for v in before.values()])
        for id in ids:
            self.assertEqual(self.job(id)["run_count"], "1")
            self.sure("qdel", id)
            self.until_state(id, "F")
        self.assertEqual(self.until_state(whole, "F")["Exit_status"], "0")
        self.assertGreater(len(re.findall(r"a\[", self.job(whole)["exec_vnode"])), 1)
        # As one host: sums, and what differs.
        host = self.sure("pbsnodes", "a")
        for line in ("resources_available.ncpus = 9\n", "resources_available.mem = 5242880kb\n", "resources_available.vnode = <various>\n", "sharing = <various>\n"):
            self.assertIn(line, host)
        self.assertEqual(self.run_command("pbsnodes", "-o", "a[1]").err, "Error marking node a[1] - Unknown node \n")
        self.sure("pbsnodes", "-o", "a")
        self.assertEqual(set(self.states().values()), {"offline"})

    def test_what_an_administrator_sets_wins(self):      # V11
        self.sure("qmgr", "-c", "set node a[0] resources_available.ncpus=9")
        self.sure("qmgr", "-c", "set node a[0] comment=mine")
        self.assertEqual(self.run_command("qmgr", "-c", "set node a[0] sharing=force_excl").status, 155)
        came = lambda: self.server_log().count("Mom reporting 4 vnodes")
        before = came()
        self.restart_mom()
        self.until(lambda: came() > before and list(self.states().values()) == ["free"] * 4, self.states)
        self.assertEqual((self.amounts("a[0]", "ncpus"), self.shown()["a[0]"]["comment"]), ((9,), "mine"))
        self.sure("qmgr", "-c", "unset node a[0] resources_available.ncpus")
        self.restart_mom()
        self.until(lambda: self.amounts("a[0]", "ncpus") == (2,), self.shown)


class vnodes_of_files_and_hooks(VnodeTest, MomHookTest):
    hosts = ["a"]

    def test_a_startup_hook_sets_what_a_file_has_just_defined(self):
        self.mom_hook("s", "exechost_startup", "import pbs\nv = pbs.event().vnode_list\n"
                      "if 'a[0]' in v:\n"
                      "    v['a[0]'].resources_available['mem'] = pbs.size('7gb')\n")
        self.defined(THREE)
        self.hang_up()
        mem = lambda: self.shown().get("a[0]", {}).get("resources_available", {}).get("mem")
        self.until(lambda: mem() == "7gb", self.shown)
