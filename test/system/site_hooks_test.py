"""Hooks as sites have them (the scripts of test/unit/hooks-runtime/site_hooks), and hooks that sites should not have, in real
daemons. pbs guide: hooks (19); docs/design/0019-hook-workers.md."""
import grp
import json
import os
import pwd
import subprocess
import unittest

from mom_hooks import MomHookTest
from private_cluster import wait_gone

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "hooks-runtime", "site_hooks", "scripts")


def script_of(name):
    with open(os.path.join(SCRIPTS, name)) as f:
        return f.read()


class SiteHookTest(MomHookTest):
    hosts = ["a"]


class hooks_that_sites_use(SiteHookTest):
    def test_a_default_project_by_group(self):
        group = grp.getgrgid(os.getegid()).gr_name
        self.hook("project", "queuejob", script_of("default_project.py"), config=json.dumps({"projects": {group: "P-17"}}))
        self.assertEqual(self.job(self.submit("-h", "--", "/bin/true"))["project"], "P-17")
        self.assertEqual(self.job(self.submit("-h", "-W", f"group_list={group}", "--", "/bin/true"))["project"], "P-17")
        self.assertEqual(self.job(self.submit("-h", "-P", "mine", "--", "/bin/true"))["project"], "mine")
        self.sure("qmgr", "-c", f"import hook project application/x-config default {self.file('none.json', json.dumps({'projects': {}}))}")
        self.assertEqual(self.run_command("qsub", "--", "/bin/true").err, f"qsub: no project for group {group}; use -P\n")

    def test_limits_by_the_time_of_day(self):
        for queue in "night", "interactive":
            self.sure("qmgr", "-c", f"create queue {queue} queue_type=execution,enabled=true,started=true")
        self.hook("limits", "queuejob", script_of("limits_by_time.py"))
        day, evening = "TEST_HOUR=10", "TEST_HOUR=22"
        long = ["-l", "walltime=02:00:00"]
        moved = self.job(self.submit("-h", "-v", day, *long, "--", "/bin/true"))
        self.assertEqual((moved["queue"], moved["Resource_List.walltime"]), ("night", "02:00:00"))
        self.assertEqual(self.job(self.submit("-h", "-v", evening, *long, "--", "/bin/true"))["queue"], "workq")
        self.assertEqual(self.job(self.submit("-h", "-v", day, "--", "/bin/true"))["Resource_List.walltime"], "00:30:00")
        refused = self.run_command("qsub", "-v", day, *long, "-q", "interactive", "--", "/bin/true")
        self.assertEqual(refused.err, "qsub: at most one hour between 8 and 18\n")

    def test_accounting_by_the_clock_adds_to_what_it_set_before(self):      # RU-04, RU-22
        before = self.memory_kb()
        self.mom_hook("usage", "exechost_periodic", script_of("accounting.py"), freq=1)
        id = self.submit("-l", "select=1:ncpus=2", "--", "/bin/sleep", "1000")
        self.until(lambda: self.minutes(id) >= 6, lambda: f"three runs are added up: {self.job(id)}")
        job = self.job(id)
        self.assertEqual(job["resources_used.cpupercent"], "200")
        self.assertEqual(self.memory_kb(), before - 512 * 1024, "the hook took its share of the host's memory")
        self.sure("qdel", "-W", "force", id)
        self.until_state(id, "F")
        record = self.until(lambda: next((r[2] for r in self.accounting() if r[0] == "E" and r[1] == id), None), "the E record")
        self.assertIn("resources_used.cpupercent=200", record)

    def memory_kb(self):
        node = json.loads(self.sure("pbsnodes", "-a", "-F", "json"))["nodes"]["a"]
        return int(node["resources_available"]["mem"].removesuffix("kb"))

    def minutes(self, id):
        used = (self.job(id) or {}).get("resources_used.cput", "00:00:00").split(":")
        return int(used[0]) * 60 + int(used[1])

    def test_a_launch_hook_that_releases_nodes_leaves_a_job_alone_that_tolerates_nothing(self):      # RS-65, RS-94
        self.mom_hook("launch", "execjob_launch", "import pbs\npbs.logmsg(pbs.LOG_DEBUG, 'failed: %s' % pbs.event().vnode_list_fail)\n"
                      + script_of("reliable_launch.py"))
        id = self.submit("-l", "select=1:ncpus=1", "-l", "site=ncpus=1", "--", "/bin/true")
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        log = self.mom_log("a")
        self.assertIn("failed: {}", log)
        self.assertIn(f"Job;{id};no nodes released as job does not tolerate node failures", log)
        self.assertIn("pj.exec_vnode=(a:ncpus=1)", log)

    @unittest.skipUnless(os.geteuid() == 0, "only root can submit as another user")
    def test_user_pbsuser_is_the_jobs_owner_and_not_the_daemons_user(self):
        owner = next((u for u in pwd.getpwall() if u.pw_uid > 0 and u.pw_gid > 0 and os.path.isdir(u.pw_dir)), None)
        if not owner:
            self.skipTest("no other user has a home directory here")
        private = self.file("private", "secret\n")
        os.chmod(private, 0o600)
        self.mom_hook("u", "execjob_prologue,execjob_epilogue", self.script(
            says="'%d %d %s' % (os.getuid(), os.geteuid(), os.access(" + repr(private) + ", os.R_OK))"), user="pbsuser")
        self.mom_hook("r", "execjob_begin", self.script(says="os.getuid()"))
        done = self.run_command("qsub", "-o", "/dev/null", "-e", "/dev/null", "--", "/bin/true",
                                user=owner.pw_uid, group=owner.pw_gid, extra_groups=[])
        self.assertEqual(done.status, 0, done)
        id = done.out.strip()
        self.until_state(id, "F")
        self.assertEqual(self.job(id)["Job_Owner"].split("@")[0], owner.pw_name)
        who = f"{owner.pw_uid} {owner.pw_uid} False"
        self.until_said("execjob_begin a 0", f"execjob_prologue a {who}", f"execjob_epilogue a {who}")


class hooks_that_sites_should_not_have(SiteHookTest):
    def pids_said(self):
        return [int(line.split()[2]) for line in self.lines()]

    def test_a_server_that_is_killed_while_a_hook_runs_leaves_no_worker_and_queues_once(self):
        gate = self.gate()
        self.hook("q", "queuejob", self.script(gate.pass_it(), says="os.getpid()")
                  .replace("pbs.get_local_nodename()", "'server'"), config=json.dumps({"annals_sandbox": {"writable_paths": [self.work]}}),
                  alarm=600)
        qsub = subprocess.Popen(["qsub", "-h", "--", "/bin/true"], env=self.environment(), cwd=self.work, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        self.until(self.lines, "the hook runs")
        self.kill_daemon("pbs_server")
        self.assertTrue(wait_gone(self.pids_said()), "its worker is gone with the server")
        gate.open()
        self.start_daemon("pbs_server")
        out, err = qsub.communicate(timeout=120)
        self.until_answers()
        self.assertEqual(qsub.returncode, 0, err)
        self.assertEqual(list(self.jobs()), [out.strip()])

    def test_a_mom_that_is_killed_while_a_hook_runs_leaves_no_worker_and_runs_it_again(self):
        gate = self.gate()
        self.mom_hook("b", "execjob_begin", self.script(gate.pass_it(), says="os.getpid()"), alarm=600)
        id = self.submit("--", "/bin/true")
        self.until(self.lines, "the hook runs")
        self.kill_daemon("pbs_mom", "a")
        self.assertTrue(wait_gone(self.pids_said()), "its worker is gone with the MoM")
        gate.open()
        self.start_daemon("pbs_mom", "a")
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        self.assertEqual(len(self.lines()), 2)

    def test_hostile_hooks_of_the_server_refuse_and_the_server_goes_on(self):
        exception = "qsub: request rejected as filter hook 'q' encountered an exception. Please inform Admin\n"
        alarm = "qsub: request rejected as filter hook 'q' got an alarm call. Please inform Admin\n"
        for script, told in (("import ctypes\nctypes.string_at(0)\n", exception), ("import os\nos._exit(0)\n", exception),
                             ("import os\nos.closerange(0, 4096)\n", exception), ("import os\nos.write(3, b'x' * 4096)\n", exception),
                             ("x = 'a' * (1 << 40)\n", exception), ("import os\nos.fork()\n", exception),
                             ("import socket\nsocket.socket()\n", exception),
                             ("import pbs\nwhile True:\n    try: pbs.event().accept()\n    except: pass\n", alarm)):
            with self.subTest(script=script):
                self.hook("q", "queuejob", script, alarm=1 if told == alarm else 60)
                self.assertEqual(self.run_command("qsub", "--", "/bin/true").err, told)
                self.sure("qmgr", "-c", "delete hook q")
        self.until_state(self.submit("--", "/bin/true"), "F")
        self.assertEqual(len(self.jobs()), 1)

    def test_hostile_hooks_of_a_host_stop_the_job_and_the_mom_goes_on(self):
        scripts = {"segfault": "import ctypes\nctypes.string_at(0)\n", "exit": "import os\nos._exit(0)\n",
                   "files": "import os\nos.closerange(0, 4096)\n", "pipe": "import os\nos.write(3, b'x' * 4096)\n",
                   "memory": "x = 'a' * (1 << 40)\n", "forks": "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n",
                   "catches": "while True:\n    try: pbs.event().accept()\n    except: pass\n"}
        chosen = "".join(f"if pbs.event().job.Job_Name == {name!r}: exec({script!r})\n" for name, script in scripts.items())
        pids = self.daemon_pids("pbs_mom", "a")
        self.mom_hook("h", "execjob_begin", "import pbs\n" + chosen, alarm=2)
        for name in scripts:
            with self.subTest(script=name):
                id = self.submit("-N", name, "--", "/bin/true")
                self.until(lambda: " at execjob_begin " in self.audit("hook", id), "the run is written down")
                self.sure("qdel", "-W", "force", id)
                self.until_state(id, "F")
        self.assertEqual(self.until_state(self.submit("-N", "good", "--", "/bin/true"), "F")["Exit_status"], "0")
        # A child that pbs_mom has just made has its name until it becomes another program.
        self.until(lambda: self.daemon_pids("pbs_mom", "a") == pids, "it is the same MoM")


if __name__ == "__main__":
    unittest.main(verbosity=2)
