"""Hooks of hosts: which vnodes and resources they make, what becomes of their hosts when they fail, and what they say of the jobs there.
pbs guide: hooks (19); docs/design/0023-hooks.md."""
import os
import pwd
import re
import unittest

from mom_hooks import MomHookTest
from private_cluster import signal, wait_gone


class hooks_of_several_hosts(MomHookTest):
    hosts = ["a", "b"]

    def restart_mom(self, host):
        self.kill_daemon("pbs_mom", host)
        self.start_daemon("pbs_mom", host)

    def test_a_startup_hook_that_names_another_hosts_vnode_takes_nothing(self):
        self.mom_hook("s", "exechost_startup", "import pbs\nv = pbs.event().vnode_list\n"
                      "for name in ('b', 'shared'):\n"
                      "    if name not in v:\n"
                      "        v[name] = pbs.vnode(name)\n"
                      "        v[name].resources_available['ncpus'] = 3\n")
        self.sure("qmgr", "-c", "create node shared Mom=a")
        for host in self.hosts:
            self.restart_mom(host)
        # Both hosts are up although both name "shared", which is a's; "b" is b's.
        for host in self.hosts:
            self.until_free(host)
        self.until(lambda: "state = free" in self.vnode("shared"), lambda: self.vnode("shared"))
        self.assertIn("Mom = b\n", self.vnode("b"))
        self.assertIn("resources_available.ncpus = 64", self.vnode("b"))
        self.until(lambda: "Node;b;is a vnode of host b; what host a says of it is ignored" in self.server_log(), "it is told")
        self.until_logged("Node;shared;is a vnode of host a; what host b says of it is ignored")
        self.assertEqual(self.until_state(self.submit("-l", "select=1:vnode=shared", "--", "/bin/true"), "F")["Exit_status"], "0")


class hooks_of_hosts(MomHookTest):
    hosts = ["a"]

    def test_a_startup_hook_makes_vnodes_and_resources(self):      # RU-06, RU-07
        self.mom_hook("s", "exechost_startup", "import pbs\nv = pbs.event().vnode_list\n"
                      "for i in range(2):\n"
                      "    name = '%s_%d' % (pbs.get_local_nodename(), i)\n"
                      "    v[name] = pbs.vnode(name)\n"
                      "    r = v[name].resources_available\n"
                      "    r['ncpus'], r['mem'], r['foo_i'], r['foo_str'] = 3, pbs.size('4gb'), 7, 'seventyseven'\n")
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: "resources_available.foo_i = 7" in self.vnode("a_1"), lambda: self.vnode("a_1"))
        self.until(lambda: "state = free" in self.vnode("a_1"), lambda: self.vnode("a_1"))
        self.assertIn("resources_available.ncpus = 3", self.vnode("a_0"))
        self.assertIn("resources_available.host = a", self.vnode("a_0"))
        made = self.until(lambda: (lambda text: text if "foo_str" in text and "foo_i" in text else None)(self.sure("qmgr", "-c", "print resource")), "resources")
        self.assertIn("set resource foo_i type = long\n", made)
        self.assertIn("set resource foo_str type = string\n", made)
        id = self.submit("-l", "select=1:ncpus=2:vnode=a_1", "--", "/bin/true")
        self.assertEqual(self.until_state(id, "F")["exec_vnode"], "(a_1:ncpus=2)")
        # Later hooks see them with what was made, and change them (RS-70).
        self.mom_hook("e", "execjob_end", "import pbs\nv = pbs.event().vnode_list['a_1']\n"
                      "v.comment = 'held %s of %s' % (v.resources_assigned['ncpus'], v.resources_available['ncpus'])\n")
        self.submit("-l", "select=1:ncpus=2:vnode=a_1", "--", "/bin/true")
        self.until(lambda: "comment = held 2 of 3" in self.vnode("a_1"), lambda: self.vnode("a_1"))
        self.mom_hook("p", "exechost_periodic", "import pbs\nv = pbs.event().vnode_list['a_0']\n"
                      "if v.resources_available['foo_i'] == 7:\n    v.resources_available['foo_i'] += 1\nv.state = pbs.ND_OFFLINE\n", freq=1)
        self.until(lambda: "state = offline" in self.vnode("a_0"), lambda: self.vnode("a_0"))
        self.assertIn("resources_available.foo_i = 8", self.vnode("a_0"))
        self.sure("qmgr", "-c", "delete hook p")
        # They are still there when the hook has run again, and gone when it makes them no more.
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: "state = free" in self.vnode("a_1"), lambda: self.vnode("a_1"))
        self.sure("qmgr", "-c", f"import hook s application/x-python default {self.file('none.py', 'pass')}")
        self.until(lambda: os.path.getsize(os.path.join(self.home("a"), "mom_priv", "hooks", "s.PY")) == 4, "the new script is there")
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: "Stale" in self.vnode("a_1"), lambda: self.vnode("a_1"))

    def test_a_periodic_hook_deletes_and_reruns_jobs(self):       # pbs guide: job_list, job.rerun(), job.delete()
        self.mom_hook("p", "exechost_periodic", "import pbs\n"
                      "for j in pbs.event().job_list.values():\n"
                      "    if j.Job_Name == 'bad': j.delete()\n"
                      "    if j.Job_Name == 'again' and j.run_count == 1: j.rerun()\n", freq=1)
        good, again, bad = (self.submit("-N", name, "--", "/bin/sleep", "1000") for name in ("good", "again", "bad"))
        self.until_state(bad, "F")
        self.until(lambda: self.job(again)["run_count"] == "2", lambda: f"it runs again: {self.job(again)}")
        self.until_running(again)
        self.assertEqual((self.job(good)["job_state"], self.job(good)["run_count"]), ("R", "1"))
        self.until(lambda: "exechost_periodic" in self.audit("hook", bad), "the run of the hook is written down")
        for id in good, again:
            self.sure("qdel", "-W", "force", id)

    def test_a_run_on_a_host_can_be_repeated(self):
        self.sure("qmgr", "-c", "create resource watts type=long,flag=h")
        self.mom_hook("e", "execjob_end", "import pbs\npbs.event().job.resources_used['watts'] = {'a': 17}[pbs.get_local_nodename()]\n")
        self.until_state(self.submit("--", "/bin/true"), "F")
        told = self.until(lambda: (lambda text: text if "HookRan" in text else None)(self.audit("hook", "e")), "the run is written down")
        records = re.findall(r"#(\d+)", told)
        self.assertEqual(len(records), 1, told)
        for sequence in records:
            self.assertEqual(self.audit("hook", "--rerun", sequence), "e at execjob_end\n    the same: accepted\n")

    def test_a_hook_asks_the_server(self):       # pbs guide: pbs.server()
        self.sure("qmgr", "-c", "set node a comment = known")
        self.mom_hook("q", "execjob_begin", self.script(
            says="(s.name, s.vnode('a').comment, s.vnode('nowhere'), [v.name for v in s.vnodes()], s.queue('workq').enabled, s.job(e.job.id).Job_Name,"
                 " [j.id == e.job.id for j in s.jobs()], 'SECRET' in e.job.Variable_List, 'SECRET' in s.job(e.job.id).Variable_List)")
            .replace("e, host =", "s = pbs.server()\ne, host ="))
        id = self.submit("-N", "asked", "-v", "SECRET=1", "--", "/bin/true")
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        name = id.split(".", 1)[1]
        self.until_said(f"execjob_begin a {(name, 'known', None, ['a'], 1, 'asked', [True], True, False)}")

    def test_a_startup_hook_asks_the_server(self):      # of a MoM that has just begun
        self.sure("qmgr", "-c", "set node a comment = known")
        self.mom_hook("s", "exechost_startup", self.script(says="(pbs.server().name, pbs.server().vnode('a').comment)"))
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")
        name = self.submit("-h", "--", "/bin/true").split(".", 1)[1]
        self.until_said(f"exechost_startup a {(name, 'known')}")

    def test_a_hook_hears_that_the_server_is_out_of_reach(self):
        self.mom_hook("q", "execjob_epilogue", self.script(
            "try:\n    note(str(pbs.server().vnode('a')))\nexcept RuntimeError as why:\n    note(str(why))\n"))
        gate = self.gate()
        id = self.submit("--", "/bin/sh", "-c", f": < {gate.path}")
        self.until_running(id)
        self.kill_daemon("pbs_server")
        self.until(lambda: "lost the server" in self.mom_log("a"), "the MoM knows")
        gate.open()
        self.until_said("the server is out of this host's reach")
        self.start_daemon("pbs_server")
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")

    def record(self, letter, id):
        """Its fields, once accounting has it."""
        found = lambda: [rest for of, job, rest in self.accounting() if (of, job) == (letter, id)]
        return self.until(found, lambda: f"the {letter} record of {id} is there: {self.accounting()}")[-1]

    def test_what_a_hook_says_was_used_stands_in_quotes_where_it_must(self):      # RU-14
        for name, kind in ("words", "string"), ("quoted", "string"), ("word", "string"), ("watts", "long"):
            self.sure("qmgr", "-c", f"create resource {name} type={kind},flag=h")
        self.mom_hook("e", "execjob_epilogue", "import pbs\nu = pbs.event().job.resources_used\n"
                      "u['words'], u['quoted'], u['word'], u['watts'] = 'two words', '{\"eight\":8}', 'one', 42\n")
        id = self.submit("--", "/bin/true")
        job = self.until_state(id, "F")
        self.assertEqual((job["resources_used.words"], job["resources_used.quoted"]), ("two words", '{"eight":8}'))
        fields = " " + self.record("E", id)
        for field in 'words="two words"', """quoted='{"eight":8}'""", "word=one", "watts=42":
            self.assertIn(f" resources_used.{field} ", fields)

    def test_of_what_two_hooks_say_was_used_the_last_counts(self):      # RU-20
        for name in "watts", "volts", "amps":
            self.sure("qmgr", "-c", f"create resource {name} type=long,flag=h")
        self.mom_hook("p", "execjob_prologue", "import pbs\nu = pbs.event().job.resources_used\nu['watts'], u['volts'] = 3, 4\n")
        self.mom_hook("e1", "execjob_epilogue", self.script("u['watts'], u['amps'] = 5, 6\n", says="u['watts']").replace(
            "def note", "u = e.job.resources_used\ndef note"), order=1)
        self.mom_hook("e2", "execjob_epilogue", "import pbs\npbs.event().job.resources_used['amps'] = 7\n", order=2)
        id = self.submit("--", "/bin/true")
        job = self.until_state(id, "F")
        self.assertEqual([job[f"resources_used.{name}"] for name in ("watts", "volts", "amps")], ["5", "4", "7"])
        self.assertEqual(self.lines(), ["execjob_epilogue a 3"])
        fields = " " + self.record("E", id)
        for field in "watts=5", "volts=4", "amps=7":
            self.assertIn(f" resources_used.{field} ", fields)

    def test_a_hook_that_says_what_was_used_leaves_walltime_alone(self):      # RU-21
        self.sure("qmgr", "-c", "create resource watts type=long,flag=h")
        self.mom_hook("h", "execjob_prologue,execjob_epilogue", "import pbs\nu = pbs.event().job.resources_used\n"
                      "u['watts'], u['cput'] = 3, pbs.duration(7)\n")
        id = self.submit("--", "/bin/sleep", "2")
        job = self.until_state(id, "F")
        self.assertEqual((job["resources_used.watts"], job["resources_used.cput"]), ("3", "00:00:07"))
        self.assertRegex(job["resources_used.walltime"], "^00:00:0[1-9]$|^00:00:[1-5]")
        self.assertIn(f" resources_used.walltime={job['resources_used.walltime']} ", self.record("E", id))

    def test_an_epilogue_hook_asks_for_another_run(self):
        self.mom_hook("e", "execjob_epilogue", self.script("if e.job.run_count == 1: e.job.rerun()\n", says="e.job.run_count"))
        id = self.submit("--", "/bin/true")
        job = self.until_state(id, "F")
        self.assertEqual((job["run_count"], job["Exit_status"]), ("2", "0"))
        self.assertEqual(self.lines(), ["execjob_epilogue a 1", "execjob_epilogue a 2"])
        self.until(lambda: [r for r in self.accounting() if r[0] == "R"], "the R record is there")
        self.assertIn("Exit_status=-18", [r[2] for r in self.accounting() if r[0] == "R" and r[1] == id][0])

    def test_a_hook_orders_a_reboot_when_it_is_over(self):       # pbs guide: pbs.reboot()
        done = os.path.join(self.work, "rebooted")
        script = f"import pbs\npbs.reboot('echo $PPID > {done}')\npbs.event().reject('never')\n"
        self.mom_hook("r", "execjob_epilogue", script)
        self.mom_hook("u", "execjob_epilogue", script.replace("rebooted", "by_the_owner"), user="pbsuser")
        id = self.submit("--", "/bin/true")
        self.until(lambda: os.path.exists(done), "the command ran")
        self.until_state(id, "F")
        self.until_mom_logged("a", ";Hook;r;r requested for host to be rebooted\n")
        self.until(lambda: self.audit("hook", "u"), "the other ran too")
        self.assertFalse(os.path.exists(os.path.join(self.work, "by_the_owner")))

    def test_resources_that_a_startup_hook_names_get_the_type_of_the_value(self):     # RU-06, RS-68
        self.sure("qmgr", "-c", "create resource stra type=string_array,flag=h")
        self.mom_hook("s", "exechost_startup", "import pbs\nr = pbs.event().vnode_list[pbs.get_local_nodename()].resources_available\n"
                      "r['foo_i'], r['foo_f'], r['foo_str'], r['stra'] = 7, 5.0, 'seventyseven', 'pears'\n"
                      "r['foo_b'], r['foo_size'] = True, pbs.size('3gb')\n")
        # HUP is enough: the MoM reads its files again.
        os.kill(self.daemon_pids("pbs_mom", "a")[0], signal.SIGHUP)
        self.until(lambda: "resources_available.foo_size = 3gb" in self.vnode("a"), lambda: self.vnode("a"))
        for shown in ("foo_b = True", "foo_f = 5", "foo_i = 7", "foo_str = seventyseven", "stra = pears"):
            self.assertIn(f"resources_available.{shown}", self.vnode("a"))
        made = self.sure("qmgr", "-c", "print resource")
        for name, kind in (("foo_i", "long"), ("foo_f", "float"), ("foo_str", "string"), ("foo_b", "boolean"), ("foo_size", "size")):
            self.assertIn(f"set resource {name} type = {kind}\n", made)
        self.until_logged(";Node;a;Updated vnode a's attribute resources_available.foo_i=7 per mom hook request\n")

    def test_a_startup_hook_that_recovers_brings_its_host_back(self):
        self.mom_hook("s", "exechost_startup", "raise ValueError('no disk')\n", fail_action="'offline_vnodes,clear_vnodes_upon_recovery'")
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: "offlined by hook 's' due to hook error" in self.vnode("a"), lambda: self.vnode("a"))
        self.sure("qmgr", "-c", f"import hook s application/x-python default {self.file('well.py', 'pass')}")
        self.until(lambda: os.path.getsize(os.path.join(self.home("a"), "mom_priv", "hooks", "s.PY")) == 4, "the new script is there")
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: "state = free" in self.vnode("a") and "offlined by hook" not in self.vnode("a"), lambda: self.vnode("a"))

    def test_fail_action_takes_every_vnode_of_the_host(self):       # pbs guide: fail_action
        broken = os.path.join(self.work, "broken")
        self.mom_hook("m", "exechost_startup", "import pbs\nv = pbs.event().vnode_list\n"
                      "for name in 'a_0', 'a_1':\n    v[name] = pbs.vnode(name)\n    v[name].resources_available['ncpus'] = 2\n", order=1)
        self.mom_hook("s", "exechost_startup", f"import os\nif os.path.exists({broken!r}): raise ValueError('no disk')\n", order=2,
                      fail_action="'offline_vnodes,clear_vnodes_upon_recovery'")
        hup = lambda: os.kill(self.daemon_pids("pbs_mom", "a")[0], signal.SIGHUP)
        hup()
        for name in "a", "a_0", "a_1":
            self.until(lambda: "state = free" in self.vnode(name), lambda: self.vnode(name))
        open(broken, "w").close()
        hup()
        for name in "a", "a_0", "a_1":
            self.until(lambda: "comment = offlined by hook 's' due to hook error" in self.vnode(name), lambda: self.vnode(name))
            self.assertIn("state = offline", self.vnode(name))
        os.unlink(broken)
        hup()
        for name in "a", "a_0", "a_1":
            self.until(lambda: "state = free" in self.vnode(name), lambda: self.vnode(name))
        # Nothing is known of that any more: what somebody takes out of service now stays out.
        self.sure("qmgr", "-c", "set node a_0 state = offline")
        hup()
        self.until(lambda: len([r for r in self.audit("hook", "s").split("\n") if " at exechost_startup accepted" in r]) >= 3, "it ran again")
        self.assertIn("state = offline", self.vnode("a_0"))

    def test_a_periodic_hook_accounts_for_running_jobs(self):      # RU-04, RU-22
        self.sure("qmgr", "-c", "create resource watts type=long,flag=h")
        self.mom_hook("p", "exechost_periodic", "import pbs\n"
                      "for j in pbs.event().job_list.values():\n"
                      "    if j.resources_used['walltime'] is not None:\n"
                      "        j.resources_used['watts'] = 17\n", freq=1)
        id = self.submit("--", "/bin/sleep", "1000")
        self.until(lambda: (self.job(id) or {}).get("resources_used.watts") == "17", lambda: f"it is accounted: {self.job(id)}")
        self.until(lambda: "exechost_periodic" in self.audit("hook", id), "the run of the hook is written down")
        # A MoM that is new to the job accounts for it too.
        self.kill_daemon("pbs_mom", "a")
        self.sure("qmgr", "-c", f"import hook p application/x-python default {self.file('more.py', 'import pbs' + chr(10) + 'for j in pbs.event().job_list.values(): j.resources_used[' + repr('watts') + '] = 18' + chr(10))}")
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: self.job(id).get("resources_used.watts") == "18", lambda: f"it is accounted: {self.job(id)}")
        self.sure("qdel", "-W", "force", id)

    def test_user_pbsuser_runs_as_the_jobs_owner(self):
        self.mom_hook("u", "execjob_prologue,execjob_epilogue,execjob_preterm", self.script(
            "e.vnode_list['a'].state = pbs.ND_OFFLINE\n", says="os.getuid()"), user="pbsuser")
        id = self.submit("--", "/bin/sleep", "1000")
        self.until_running(id)
        uid = pwd.getpwnam(self.job(id)["Job_Owner"].split("@")[0]).pw_uid
        self.sure("qdel", id)
        self.until_said(*(f"execjob_{e} a {uid}" for e in ("prologue", "preterm", "epilogue")))
        # The owner is not believed about the host.
        self.until(lambda: "execjob_epilogue accepted" in self.audit("hook", "u"), "the server was told")
        self.until_mom_logged("a", "what hook 'u' set of vnodes is not done: it ran as the job's owner")
        self.assertIn("state = free", self.vnode("a"))

    def test_preterm_may_keep_a_job(self):
        self.mom_hook("k", "execjob_preterm", self.script(f"if not os.path.exists({self.work!r} + '/let_go'):\n    e.reject('it stays')\n"))
        id = self.submit("--", "/bin/sleep", "1000")
        self.until_running(id)
        self.sure("qdel", id)
        self.until_said("execjob_preterm a")
        self.until(lambda: "it stays" in self.audit("hook", id), "the verdict is in the server's log")
        pids = [int(self.job(id)["session_id"])]
        self.assertFalse(wait_gone(pids, 0))
        open(os.path.join(self.work, "let_go"), "w").close()
        self.sure("qdel", "-W", "force", id)
        self.assertTrue(wait_gone(pids))

    def test_a_hook_keeps_a_job_suspended(self):
        self.mom_hook("k", "execjob_preresume", self.script(f"if not os.path.exists({self.work!r} + '/let_go'):\n    e.reject('it stays')\n"))
        id = self.submit("--", "/bin/sleep", "1000")
        self.until_running(id)
        self.sure("qsig", "-s", "suspend", id)
        self.until_state(id, "S")
        self.sure("qsig", "-s", "resume", id)
        self.until(lambda: "it stays" in self.audit("hook", id), "the verdict is in the server's log")
        self.until_state(id, "S")
        open(os.path.join(self.work, "let_go"), "w").close()
        self.sure("qsig", "-s", "resume", id)
        self.until_running(id)
        self.sure("qdel", "-W", "force", id)


if __name__ == "__main__":
    unittest.main(verbosity=2)
