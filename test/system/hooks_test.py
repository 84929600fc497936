"""Site hooks in real daemons: they change and refuse requests, they run on hosts, and what they did is in the log."""
import json
import os
import subprocess
import unittest

from private_cluster import COMMAND_DEADLINE_S, ClusterTest


class HookTest(ClusterTest):
    def hook(self, name, event, script, config=None, **settings):
        chosen = "".join(f",{k}={v}" for k, v in settings.items())
        self.sure("qmgr", "-c", f'create hook {name} event="{event}"{chosen}')
        if config is not None:
            file = self.file(name + (".json" if config.startswith("{") else ".txt"), config)
            self.sure("qmgr", "-c", f"import hook {name} application/x-config default {file}")
        self.sure("qmgr", "-c", f"import hook {name} application/x-python default {self.file(name + '.py', script)}")

    def file(self, name, text):
        """Whole from the first moment on: jobs may be reading one that is written anew."""
        path = os.path.join(self.work, name)
        with open(path + ".new", "w") as f:
            f.write(text)
        os.replace(path + ".new", path)
        return path

    def until_hooks_are_on(self, host, *files):
        directory = os.path.join(self.home(host), "mom_priv", "hooks")
        self.until(lambda: all(os.path.exists(os.path.join(directory, f)) for f in files), f"{files} are on {host}")


class server_hooks(HookTest):
    def test_a_queuejob_hook_changes_what_is_submitted(self):
        self.hook("q", "queuejob", "import pbs\n"
                  "e = pbs.event()\n"
                  "e.job.Resource_List['walltime'] = pbs.duration('00:05:00')\n"
                  "e.job.project = 'physics'\n"
                  "e.accept()\n")
        id = self.submit("-h", "--", "/bin/true")
        job = self.job(id)
        self.assertEqual((job["Resource_List.walltime"], job["project"]), ("00:05:00", "physics"))
        # What it changed stands in the log, with what was there before.
        told = self.audit("hook", id)
        self.assertIn("queuejob", told)
        self.assertIn("Resource_List.walltime", told)
        self.assertIn("accepted", told)

    def test_a_hook_imports_what_pbs_has_beside_its_module(self):
        self.hook("q", "queuejob", "import sys, pbs, pbs_ifl\nassert sys.path[-1].endswith('/lib/python/altair'), sys.path\n"
                  "pbs.event().job.project = pbs_ifl.ATTR_N\n")
        self.assertEqual(self.job(self.submit("-h", "--", "/bin/true"))["project"], "Job_Name")

    def test_a_rejection_is_told_to_the_client_and_nothing_is_queued(self):
        self.hook("q", "queuejob", "import pbs\npbs.event().reject('not today')\n")
        done = self.run_command("qsub", "--", "/bin/true")
        self.assertEqual((done.status, done.err), (65, "qsub: not today\n"))
        self.assertEqual(self.jobs(), {})
        self.assertIn("not today", self.audit("hook", "q"))

    def test_an_exception_refuses_in_pbs_words(self):      # golden: hooks.txt
        self.hook("q", "queuejob", "raise ValueError('oops')\n")
        done = self.run_command("qsub", "--", "/bin/true")
        self.assertEqual((done.status, done.err),
                         (32, "qsub: request rejected as filter hook 'q' encountered an exception. Please inform Admin\n"))

    def test_a_hook_that_hangs_is_killed_and_stops_nobody_else(self):
        self.hook("q", "queuejob", "import pbs, time\n"
                  "if pbs.event().job.Job_Name == 'slow':\n    pbs.logmsg(pbs.LOG_WARNING, 'begins to wait')\n    time.sleep(1000)\n",
                  alarm=20)
        slow = subprocess.Popen(["qsub", "-N", "slow", "--", "/bin/true"], env=self.environment(), cwd=self.work,
                                stderr=subprocess.PIPE, text=True)
        self.submit("-h", "-N", "quick", "--", "/bin/true")
        self.assertEqual(slow.communicate(timeout=COMMAND_DEADLINE_S)[1],
                         "qsub: request rejected as filter hook 'q' got an alarm call. Please inform Admin\n")
        self.until_logged(";Hook;Server@server;begins to wait\n")      # what it logged before it was killed

    def test_hooks_run_in_their_order_and_see_what_was_changed(self):
        self.hook("second", "queuejob", "import pbs\nj = pbs.event().job\nj.Account_Name = str(j.Account_Name) + 'b'\n", order=2)
        self.hook("first", "queuejob", "import pbs\npbs.event().job.Account_Name = 'a'\n", order=1)
        self.assertEqual(self.job(self.submit("-h", "--", "/bin/true"))["Account_Name"], "ab")

    def test_modifyjob_sees_the_job_and_what_is_asked(self):
        self.hook("m", "modifyjob", "import pbs\ne = pbs.event()\n"
                  "if e.job_o.Job_Name == 'mine' and e.job.Priority is not None:\n    e.reject('priority of %s stays' % e.job.id)\n")
        id = self.submit("-h", "-N", "mine", "--", "/bin/true")
        done = self.run_command("qalter", "-p", "5", id)
        self.assertIn(f"priority of {id} stays", done.err)
        self.sure("qalter", "-A", "acc", id)
        self.assertEqual(self.job(id)["Priority"], "0")

    def test_a_runjob_hook_keeps_a_job_waiting_and_says_why(self):
        self.hook("r", "runjob", "import pbs\ne = pbs.event()\nif e.job.Job_Name == 'wait':\n    e.reject('not now')\n")
        id = self.submit("-N", "wait", "--", "/bin/true")
        self.until(lambda: "not now" in (self.job(id) or {}).get("comment", ""), lambda: f"a comment: {self.job(id)}")
        self.assertEqual(self.job(id)["job_state"], "Q")
        self.until_state(self.submit("-N", "go", "--", "/bin/true"), "F")

    def test_the_server_can_be_asked(self):
        self.hook("q", "queuejob", "import pbs\ns = pbs.server()\n"
                  "pbs.event().job.Account_Name = '%s %d' % (s.queue('workq').enabled, len(list(s.vnodes())))\n")
        self.assertEqual(self.job(self.submit("-h", "--", "/bin/true"))["Account_Name"], "1 1")

    def test_a_script_that_does_not_compile_is_refused(self):
        self.sure("qmgr", "-c", "create hook h event=queuejob")
        bad = self.file("bad.py", "def (:\n")
        done = self.run_command("qmgr", "-c", f"import hook h application/x-python default {bad}")
        self.assertEqual((done.status, done.err), (32, "qmgr obj=h svr=default: Failed to compile script, hook 'h' contents not "
                                                   "overwritten\nqmgr: hook error returned from server\n"))

    def test_hooks_come_back_after_a_restart_and_from_their_own_print(self):
        self.hook("q", "queuejob", "import pbs\npbs.event().job.Account_Name = 'x'\n", config='{"a": 1}\n', order=7)
        printed = self.sure("qmgr", "-c", "print hook")
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.assertEqual(self.sure("qmgr", "-c", "print hook"), printed)
        self.sure("qmgr", "-c", "delete hook q")
        self.sure("qmgr", input=printed)
        self.assertEqual(self.sure("qmgr", "-c", "print hook"), printed)
        self.assertEqual(self.job(self.submit("-h", "--", "/bin/true"))["Account_Name"], "x")

    def test_the_short_forms_of_qmgr_do_what_the_long_ones_do(self):      # RS-112, RU-07
        script = "import pbs\npbs.event().job.Account_Name = 'x'\n"
        self.file("qjob.py", script)
        self.file("a launch.json", "{}\n")
        qmgr = lambda command: self.sure("qmgr", "-c", command)
        for command in ("c h qjob event=queuejob", "i h qjob application/x-python default qjob.py", "s h qjob order=5,alarm=10",
                        "s h qjob event+=modifyjob", "c h launch event=execjob_launch",
                        'i h launch application/x-config default "a launch.json"'):
            self.assertEqual(qmgr(command), "")
        self.assertEqual(self.job(self.submit("-h", "--", "/bin/true"))["Account_Name"], "x")
        self.assertIn("    event = queuejob,modifyjob\n    user = pbsadmin\n    alarm = 10\n    order = 5\n", qmgr("l h qjob"))
        for brief, full in ("l h", "list hook"), ("p h", "print hook"), ("l h launch event", "list hook launch event"):
            self.assertEqual(qmgr(brief), qmgr(full))
        self.assertEqual(qmgr("e h qjob application/x-python default"), script)
        qmgr("e h qjob application/x-python default 'a copy.py'")
        with open(os.path.join(self.work, "a copy.py")) as f:
            self.assertEqual(f.read(), script)
        qmgr("u h qjob order")
        self.assertIn("    order = 1\n", qmgr("l h qjob"))
        self.sure("qmgr", input="s h qjob enabled=f; d h launch\nd h qjob\n")
        self.assertEqual(qmgr("l h"), "")

    def test_the_files_are_where_site_tools_look(self):
        self.hook("q", "queuejob,modifyjob", "pass\n", config="{}\n", order=5)
        directory = os.path.join(self.home(), "server_priv", "hooks")
        self.until(lambda: os.path.exists(os.path.join(directory, "q.PY")), "the script is there")
        with open(os.path.join(directory, "q.HK")) as f:
            self.assertEqual(f.read(), "hook_name=q\nevent=queuejob,modifyjob\norder=5\n")
        self.sure("qmgr", "-c", "delete hook q")
        self.until(lambda: not os.path.exists(os.path.join(directory, "q.HK")), "the files are gone")


class host_hooks(HookTest):
    def test_execjob_begin_can_refuse_and_hold(self):        # RS-71
        self.hook("b", "execjob_begin", "import pbs\ne = pbs.event()\n"
                  "if e.job.Job_Name == 'bad':\n    e.job.Hold_Types = pbs.hold_types('s')\n    e.reject('no')\n")
        self.until_hooks_are_on("a", "b.HK", "b.PY")
        bad = self.submit("-N", "bad", "--", "/bin/true")
        self.until_state(bad, "H")
        self.assertEqual(self.job(bad)["Hold_Types"], "s")
        self.until_state(self.submit("-N", "good", "--", "/bin/true"), "F")
        self.until(lambda: "execjob_begin" in self.audit("hook", bad), "the verdict is in the log")

    def test_the_job_has_the_variables_that_hooks_set_before_it(self):
        self.hook("b", "execjob_begin", "import pbs\nv = pbs.event().job.Variable_List\n"
                  "v['NEW'] = 'v,1'\nv['A'] = None\nv['B'] = 'changed'\n")
        self.hook("p", "execjob_prologue", "import pbs\nv = pbs.event().job.Variable_List\n"
                  "v['SEEN'] = v['B'] + v['NEW']\ndel v['B']\n")
        self.until_hooks_are_on("a", "b.HK", "b.PY", "p.HK", "p.PY")
        out = os.path.join(self.work, "out")
        id = self.submit("-o", out, "-j", "oe", "-v", "A=1,B=2,C=3", "--", "/usr/bin/env")
        variables = self.job(id)["Variable_List"]
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        with open(out) as f:
            self.assertEqual([line for line in f.read().splitlines() if line.split("=")[0] in ("A", "B", "C", "NEW", "SEEN")],
                             ["C=3", "NEW=v,1", "SEEN=changedv,1"])
        self.assertEqual(self.job(id)["Variable_List"], variables)      # of the host, not of the job

    def test_a_launch_hook_changes_the_environment(self):
        self.hook("l", "execjob_launch", "import pbs\npbs.event().env['FROM_HOOK'] = 'yes'\n")
        self.until_hooks_are_on("a", "l.PY")
        out = os.path.join(self.work, "out")
        id = self.submit("-o", out, "-j", "oe", "--", "/bin/sh", "-c", "echo value=$FROM_HOOK")
        self.until_state(id, "F")
        with open(out) as f:
            self.assertEqual(f.read(), "value=yes\n")

    def test_an_epilogue_hook_says_what_the_job_used(self):      # RU-04, RU-01, RU-05
        self.sure("qmgr", "-c", "create resource watts type=long,flag=h")
        self.hook("e", "execjob_epilogue", "import pbs\nj = pbs.event().job\nj.resources_used['watts'] = 42\n"
                  "j.resources_used['cput'] = pbs.duration(7)\n")
        self.until_hooks_are_on("a", "e.PY")
        id = self.submit("--", "/bin/true")
        self.until_state(id, "F")
        job = self.job(id)
        self.assertEqual((job.get("resources_used.watts"), job.get("resources_used.cput")), ("42", "00:00:07"))
        self.until(lambda: [r for r in self.accounting() if r[0] == "E" and r[1] == id], "the E record is there")
        self.assertIn("resources_used.watts=42", [r for r in self.accounting() if r[0] == "E" and r[1] == id][0][2])

    def test_a_startup_hook_makes_a_resource(self):          # RU-06, RU-07
        self.hook("s", "exechost_startup", "import pbs\nn = pbs.get_local_nodename()\n"
                  "pbs.event().vnode_list[n].resources_available['foo_i'] = 7\n")
        self.until_hooks_are_on("a", "s.PY")
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: "resources_available.foo_i = 7" in self.run_command("pbsnodes", "-a").out, "the vnode has it")
        self.assertIn("set resource foo_i type = long\nset resource foo_i flag = h\n", self.sure("qmgr", "-c", "print resource"))

    def test_a_periodic_hook_offlines_its_host(self):
        self.hook("p", "exechost_periodic", "import pbs\nn = pbs.get_local_nodename()\n"
                  "pbs.event().vnode_list[n].state = pbs.ND_OFFLINE\n", freq=1)
        self.until(lambda: json.loads(self.run_command("pbsnodes", "-a", "-F", "json").out)["nodes"]["a"]["state"] == "offline",
                   "the host is offline")

    def test_a_mom_that_was_away_catches_up_before_it_runs_a_job(self):
        self.kill_daemon("pbs_mom", "a")
        self.hook("b", "execjob_begin", "import pbs\npbs.event().reject('caught up')\n")
        id = self.submit("--", "/bin/true")
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: "caught up" in self.audit("hook", "b"), "the hook ran")
        self.assertNotEqual(self.job(id)["job_state"], "F")
        self.sure("qdel", "-W", "force", id)


if __name__ == "__main__":
    unittest.main()
