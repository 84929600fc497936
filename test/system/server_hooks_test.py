"""Site hooks of the server's events in real daemons: what each sees, may change and refuse, and that none is forgotten when the
server dies."""
import json
import os
import pwd
import re
import time
import unittest

from hooks_test import HookTest


class ServerHookTest(HookTest):
    def runs(self, of, event):
        """What the log tells of the runs of a hook (or at a job) at one event: one text a run."""
        told = re.split(r"(?m)^    (?=\S)", self.audit("hook", of))
        return [t for t in told if f" at {event} " in t]

    def until_run(self, of, event, says=""):
        return self.until(lambda: [r for r in self.runs(of, event) if says in r], f"{of} ran at {event} and said {says!r}")

    def node(self, name="a"):
        return json.loads(self.sure("pbsnodes", "-a", "-F", "json"))["nodes"][name]


class hooks_of_reservations(ServerHookTest):
    def setUp(self):
        super().setUp()
        self.sure("qmgr", "-c", "set server acl_roots = root")
        self.sure("qmgr", "-c", "set node a resources_available.ncpus = 4")

    def reserve(self, name, start, lasts, *more):
        at = time.strftime("%Y%m%d%H%M.%S", time.localtime(time.time() + start))
        return self.run_command("pbs_rsub", "-N", name, "-R", at, "-D", str(lasts), "-l", "select=1:ncpus=2", *more)

    def shown(self, id):
        return self.run_command("pbs_rstat", "-f", id).out

    def test_they_change_and_refuse_what_is_asked_for(self):
        self.hook("s", "resvsub", "import pbs\ne = pbs.event()\nr = e.resv\n"
                  "if r.Reserve_Name == 'no':\n    e.reject('no way')\n"
                  "r.Reserve_Name = 'by-s'\nr.reserve_end = r.reserve_end + 60\nr.Resource_List['select'] = pbs.select('1:ncpus=1')\n")
        self.hook("m", "modifyresv", "import pbs\ne = pbs.event()\n"
                  "if e.resv.Reserve_Name == 'no':\n    e.reject('not %s' % e.resv_o.Reserve_Name)\n"
                  "e.resv.Reserve_Name = str(e.resv.Reserve_Name) + '-m'\n")
        done = self.reserve("no", 600, 60)
        self.assertEqual((done.status, done.err), (65, "pbs_rsub: no way\n"))
        id = self.reserve("mine", 600, 60, "-I", "20").out.split()[0]
        shown = self.shown(id)
        for line in "Reserve_Name = by-s", "reserve_duration = 120", "Resource_List.ncpus = 1":
            self.assertIn(line, shown)
        done = self.run_command("pbs_ralter", "-N", "no", id)
        self.assertEqual((done.status, done.err), (65, "pbs_ralter: not by-s\n"))
        self.sure("pbs_ralter", "-N", "other", id)
        self.assertIn("Reserve_Name = other-m", self.shown(id))
        self.assertIn("accepted", self.audit("hook", "s"))

    def test_they_see_and_set_how_long_one_is(self):
        self.hook("s", "resvsub", "import pbs\ne = pbs.event()\nr = e.resv\n"
                  "pbs.logmsg(pbs.LOG_DEBUG, 'asked %d %d' % (r.reserve_duration, r.Resource_List['walltime']))\n"
                  "if r.Reserve_Name == 'a':\n    r.Resource_List['walltime'] = pbs.duration(300)\n"
                  "if r.Reserve_Name == 'b':\n    r.reserve_duration = 300\n")
        for name in "ab":
            id = self.reserve(name, 600, 60, "-I", "20").out.split()[0]
            self.assertIn("reserve_duration = 300\n", self.shown(id))
        self.assertEqual(len(self.until_run("s", "resvsub", "asked 60 60")), 2)

    def test_what_happens_to_one_is_looked_at_even_when_the_server_dies(self):
        for event in "resv_confirm", "resv_begin", "resv_end":
            self.hook(event.replace("_", ""), event, "import pbs\ne = pbs.event()\nr = e.resv\n"
                      "pbs.logmsg(pbs.LOG_DEBUG, 'saw %s %s %s' % (r.resvid, r.reserve_state, r.resv_nodes))\ne.reject('no way')\n")
        id = self.reserve("mine", 30, 10, "-I", "20").out.split()[0]
        self.until_run("resvconfirm", "resv_confirm", f"saw {id} 2 (a:ncpus=2)")
        self.until_run("resvbegin", "resv_begin", f"saw {id} 5 (a:ncpus=2)")
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_run("resvend", "resv_end", f"saw {id} 5 (a:ncpus=2)")
        self.until(lambda: not self.shown(id), lambda: self.shown(id))


class hooks_of_requests(ServerHookTest):
    @unittest.skipUnless(os.geteuid() == 0, "only root can be two users")
    def test_hooks_set_of_a_job_what_managers_may_whoever_asks(self):
        who = pwd.getpwnam("nobody")
        nobody = dict(user=who.pw_uid, group=who.pw_gid, extra_groups=[])
        self.hook("q", "queuejob", "import pbs\ne = pbs.event()\ne.job.comment = 'by q'\ne.job.topjob_ineligible = True\n")
        self.hook("m", "modifyjob", "import pbs\npbs.event().job.comment = 'by m'\n")
        id = self.submit("-h", "--", "/bin/true", **nobody)
        job = self.job(id)
        self.assertEqual((job["comment"], job["topjob_ineligible"]), ("by q", "True"))
        self.sure("qalter", "-p", "5", id, **nobody)
        self.assertEqual(self.job(id)["comment"], "by m")

    def test_movejob_refuses_one_queue_and_turns_another_aside(self):
        for queue in "closed", "full", "spare":
            self.sure("qmgr", "-c", f"create queue {queue} queue_type=execution,enabled=true,started=false")
        self.hook("v", "movejob", "import pbs\ne = pbs.event()\n"
                  "if e.job.queue.name == 'closed':\n    e.reject('%s is closed to jobs of %s' % (e.job.queue.name, e.src_queue.name))\n"
                  "if e.job.queue.name == 'full':\n    e.job.queue = pbs.server().queue('spare')\n")
        id = self.submit("-h", "--", "/bin/true")
        done = self.run_command("qmove", "closed", id)
        self.assertEqual(done.err, f"qmove: closed is closed to jobs of workq {id}\n")
        self.sure("qmove", "full", id)
        self.assertEqual(self.job(id)["queue"], "spare")
        self.assertIn(f"job {id} queue: full -> spare", self.audit("hook", id))

    def test_management_sees_what_qmgr_asked_and_refuses_nothing(self):
        self.hook("m", "management", "import pbs, time\ne = pbs.event()\nm = e.management\n"
                  "names = ['%s.%s=%s' % (a.name, a.resource, a.value) for a in m.attribs]\n"
                  "pbs.logmsg(pbs.LOG_DEBUG, 'asked: %s %s %s %s' % (m.cmd, m.objtype, m.objname, names))\n"
                  "pbs.logmsg(pbs.LOG_DEBUG, 'just now: %s' % (abs(time.time() - m.request_time) < 600))\n"
                  "pbs.logmsg(pbs.LOG_DEBUG, '%s: %s %s %s' % (m.objname, m.reply_code, m.reply_choice, m.reply_text))\n"
                  "e.reject('hands off ' + m.objname)\n")
        def seen(text):
            self.until(lambda: text in self.audit("hook", "m"), lambda: f"{text}: {self.audit('hook', 'm')}")
        self.sure("qmgr", "-c", "set queue workq resources_max.ncpus += 4")
        self.assertIn("resources_max.ncpus = 4", self.sure("qmgr", "-c", "list queue workq"))
        seen("asked: 2 1 workq ['resources_max.ncpus=4']")
        seen("just now: True")
        seen("workq: 0 1 None")
        self.assertIn("Unknown queue", self.run_command("qmgr", "-c", "set queue nosuch enabled = True").err)
        seen("nosuch: 15018 7 Unknown queue")
        seen("rejected")
        self.sure("qmgr", "-c", "delete hook m")                   # its own, too

    def test_a_management_hook_that_hangs_keeps_nobody_waiting(self):
        self.hook("m", "management", "import time\ntime.sleep(1000)\n")
        self.sure("qmgr", "-c", "set hook m alarm = 1000")
        self.sure("qmgr", "-c", "set server comment = hello")
        self.sure("qmgr", "-c", "delete hook m")

    def until_it_cycles(self, event, change):
        """A cycle that is wanted for something else already is not begun twice: asked again until one is begun for the hook."""
        self.hook("h", event, "import pbs\npbs.server().scheduler_restart_cycle()\n")
        def begun():
            change()
            return "a hook asks for it" in self.audit("log", "--kind", "SchedulerCycleBegan")
        self.until(begun, f"a {event} hook got its cycle")

    def test_a_management_hook_may_ask_for_a_cycle(self):
        self.until_it_cycles("management", lambda: self.sure("qmgr", "-c", "set server comment = hello"))

    def test_a_modifyvnode_hook_may_ask_for_a_cycle(self):
        self.until_it_cycles("modifyvnode", lambda: (self.sure("pbsnodes", "-o", "a"), self.sure("pbsnodes", "-r", "a")))

    def test_a_runjob_hook_that_rejects_may_change_the_job(self):
        self.hook("r", "runjob", "import pbs\ne = pbs.event()\ne.job.project = 'late'\ne.reject('come back')\n")
        id = self.submit("--", "/bin/true")
        self.until(lambda: self.job(id).get("comment") == "Not Running: PBS Error: come back", lambda: f"the comment: {self.job(id)}")
        self.assertEqual(self.job(id)["project"], "late")
        self.assertIn(f"job {id} project: _pbs_project_default -> late", self.audit("hook", id))

    def test_what_a_rejected_job_would_have_taken_is_for_the_next(self):
        self.sure("qmgr", "-c", "set node a resources_available.ncpus = 2")
        self.hook("r", "runjob", "import pbs\ne = pbs.event()\nif e.job.Job_Name == 'big':\n    e.reject('no license')\n")
        self.sure("qmgr", "-c", "set server scheduling=false")
        big = self.submit("-N", "big", "-l", "select=1:ncpus=2", "--", "/bin/true")
        small = self.submit("-N", "small", "-l", "select=1:ncpus=1", "--", "/bin/true")
        self.sure("qmgr", "-c", "set server scheduling=true")
        self.until_state(small, "F")
        self.assertEqual((self.job(big)["job_state"], self.job(big)["comment"]), ("Q", "Not Running: PBS Error: no license"))

    def test_a_runjob_hook_counts_the_jobs_that_it_let_run(self):
        self.sure("qmgr", "-c", "set node a resources_available.ncpus = 4")
        self.hook("r", "runjob", "import pbs\ne = pbs.event()\n"
                  "if [j for j in pbs.server().jobs() if j.job_state == pbs.JOB_STATE_RUNNING]:\n    e.reject('one at a time')\n")
        self.sure("qmgr", "-c", "set server scheduling=false")
        first, *others = [self.submit("-l", "select=1:ncpus=1", "--", "/bin/sleep", "1000") for _ in range(4)]
        self.sure("qmgr", "-c", "set server scheduling=true")
        self.until(lambda: all("one at a time" in self.job(id).get("comment", "") for id in others),
                   lambda: f"the others are rejected: {[self.job(id) for id in others]}")
        self.assertEqual([self.job(id)["job_state"] for id in [first, *others]], ["R", "Q", "Q", "Q"])
        self.sure("qdel", first)
        self.until_state(first, "F")

    def test_a_runjob_hook_is_asked_of_runs_by_hand(self):
        self.sure("qmgr", "-c", "set server scheduling=false")
        self.hook("r", "runjob", "import pbs\ne = pbs.event()\npbs.logmsg(pbs.LOG_DEBUG, 'asked by %s' % e.requestor)\n"
                  "if e.job.Job_Name == 'wait':\n    e.reject('not on %s' % e.job.exec_vnode)\n")
        for how, where in ([], "(a:ncpus=1)"), (["-H", "a"], "a:ncpus=1"):
            id = self.submit("-N", "wait", "--", "/bin/true")
            done = self.run_command("qrun", *how, id)
            self.assertEqual(done.err, f"qrun: Not Running: PBS Error: not on {where} {id}\n")
            self.assertEqual((self.job(id)["job_state"], self.job(id)["comment"]), ("Q", f"Not Running: PBS Error: not on {where}"))
        id = self.submit("-N", "go", "--", "/bin/true")
        self.sure("qrun", "-H", "a", id)
        self.until_state(id, "F")
        told = self.audit("hook", id)
        self.assertIn("r at runjob accepted", told)
        self.assertIn(f"asked by {self.job(id)['Job_Owner'].split('@')[0]}", told)

    def test_a_rejection_that_sets_the_same_again_is_written_once(self):
        """Else the job has changed, and there is a cycle for it, and so for ever."""
        self.hook("r", "runjob", "import pbs\ne = pbs.event()\ne.job.project = 'late'\ne.job.Output_Path = '/tmp/o'\n"
                  "e.job.Resource_List['mem'] = '1024mb'\ne.job.Variable_List['ADDED'] = 'x'\ne.reject('come back')\n")
        id = self.submit("--", "/bin/true")
        self.until(lambda: self.job(id)["project"] == "late", lambda: f"its project: {self.job(id)}")
        for i in range(3):
            cycles = self.audit("log", "--kind", "SchedulerCycleBegan").count("\n")
            self.sure("qmgr", "-c", f"set server comment = {i}")
            self.until(lambda: self.audit("log", "--kind", "SchedulerCycleBegan").count("\n") > cycles, "a new cycle")
        self.assertEqual(self.audit("log", "--job", id, "--kind", "JobAltered").count("\n"), 1)

    def test_a_job_runs_with_what_a_runjob_hook_set(self):
        out = os.path.join(self.work, "other.out")
        self.hook("r", "runjob", f"import pbs\nj = pbs.event().job\nj.Output_Path = '{out}'\nj.Variable_List['ADDED'] = 'by r'\n"
                  "j.Resource_List['walltime'] = 77\nj.project = 'lost'\n")
        id = self.submit("-j", "oe", "--", "/bin/sh", "-c", "echo $ADDED $PBS_O_QUEUE")
        self.until_state(id, "F")
        with open(out) as f:
            self.assertEqual(f.read(), "by r workq\n")
        job = self.job(id)
        self.assertEqual((job["Resource_List.walltime"], job["project"]), ("00:01:17", "_pbs_project_default"))
        told = self.audit("hook", id)
        self.assertIn("Resource_List.walltime", told)
        self.assertIn("project is not set, it holds only with reject", told)

    def test_a_runjob_hook_that_rejects_may_take_a_vnode_out_of_service(self):
        self.hook("r", "runjob", "import pbs\ne = pbs.event()\nfor name in e.vnode_list.keys():\n"
                  "    e.vnode_list[name].state = pbs.ND_OFFLINE\ne.reject('not there')\n")
        id = self.submit("--", "/bin/true")
        self.until(lambda: self.node()["state"] == "offline", lambda: f"the vnode is offline: {self.node()}")
        self.assertEqual(self.job(id)["job_state"], "Q")
        self.until(lambda: "vnode_list a state" in self.audit("hook", id), lambda: self.audit("hook", id))

    def test_a_runjob_hook_may_take_a_vnode_of_the_server_out_of_service(self):     # pbs guide: pbs.server().vnode()
        self.hook("r", "runjob", "import pbs\ne = pbs.event()\nfor chunk in e.job.exec_vnode.chunks:\n"
                  "    pbs.server().vnode(chunk.vnode_name).state = pbs.ND_OFFLINE\ne.reject('not there')\n")
        self.submit("--", "/bin/true")
        self.until(lambda: self.node()["state"] == "offline", lambda: f"the vnode is offline: {self.node()}")
        self.until(lambda: "vnode_list a state" in self.audit("hook", "r"), lambda: self.audit("hook", "r"))

    def test_what_the_server_shows_of_jobs_is_not_to_be_written(self):
        id = self.submit("-h", "--", "/bin/true")
        self.hook("t", "periodic", "import pbs\nfor j in pbs.server().jobs():\n    j.Priority = 5\n", freq=1)
        self.until(lambda: "attribute 'Priority' is part of a readonly object" in self.audit("hook", "t"), "it is refused")
        self.assertEqual(self.job(id)["Priority"], "0")

    def test_a_periodic_hook_changes_the_vnodes_that_the_server_gives(self):
        self.hook("t", "periodic", "import pbs\nfor v in pbs.server().vnodes():\n    v.comment = 'looked at'\n", freq=1)
        self.until(lambda: self.node().get("comment") == "looked at", lambda: f"the comment: {self.node()}")

    def test_a_hook_that_is_turned_off_does_not_run(self):
        self.hook("q", "queuejob", "import pbs\npbs.event().reject('no')\n", enabled="false")
        self.submit("-h", "--", "/bin/true")
        self.sure("qmgr", "-c", "set hook q enabled=true")
        self.assertEqual(self.run_command("qsub", "--", "/bin/true").err, "qsub: no\n")
        self.sure("qmgr", "-c", "set hook q event = modifyjob")
        self.submit("-h", "--", "/bin/true")

    def test_the_first_of_several_that_rejects_ends_the_request(self):
        self.hook("third", "modifyjob", "import pbs\npbs.logmsg(pbs.LOG_DEBUG, 'never')\n", order=3)
        self.hook("second", "modifyjob", "import pbs\ne = pbs.event()\ne.reject('%s will not do' % e.job.Account_Name)\n", order=2)
        self.hook("first", "modifyjob", "import pbs\npbs.event().job.Account_Name = 'changed'\n", order=1)
        id = self.submit("-h", "--", "/bin/true")
        self.assertIn("changed will not do", self.run_command("qalter", "-A", "mine", id).err)
        told = self.audit("hook", id)
        self.assertIn("first at modifyjob accepted", told)
        self.assertIn("second at modifyjob rejected", told)
        self.assertEqual(self.audit("hook", "third"), "")
        self.assertNotIn("Account_Name", self.job(id))

    def test_a_run_can_be_repeated_with_the_script_of_today(self):
        self.hook("q", "queuejob", "import pbs\npbs.event().job.Account_Name = 'before'\n")
        id = self.submit("-h", "--", "/bin/true")
        sequence = re.search(r"#(\d+)", self.audit("hook", id)).group(1)
        self.assertIn("the same: accepted", self.audit("hook", "--rerun", sequence))
        again = self.file("again.py", "import pbs\npbs.event().job.Account_Name = 'after'\n")
        self.sure("qmgr", "-c", f"import hook q application/x-python default {again}")
        told = self.audit("hook", "--rerun", sequence)
        self.assertIn("- job Account_Name: (unset) -> before", told)
        self.assertIn("+ job Account_Name: (unset) -> after", told)
        self.assertEqual(self.job(id)["Account_Name"], "before")


class hooks_that_look_on(ServerHookTest):
    def test_postqueuejob_sees_the_queued_job_and_may_name_its_project(self):
        self.hook("p", "postqueuejob", "import pbs\ne = pbs.event()\n"
                  "e.job.project = 'of %s' % e.job.id\npbs.logjobmsg(e.job.id, 'seen in %s' % e.job.queue.name)\n")
        id = self.submit("-h", "--", "/bin/true")
        self.until(lambda: self.job(id)["project"] == f"of {id}", lambda: f"its project: {self.job(id)}")
        self.until_run("p", "postqueuejob", "seen in workq")

    def test_what_postqueuejob_sets_holds_and_is_logged(self):      # golden: hook_events.txt H2
        self.hook("p", "postqueuejob", "import pbs\nj = pbs.event().job\n"
                  "j.Hold_Types += pbs.hold_types('o')\nj.project = 'prj'\n"
                  "j.Variable_List['NEW'] = 'v1'\nj.Variable_List['A'] = None\n"
                  "j.Resource_List['walltime'] = 300\nj.Resource_List['cput'] = None\n")
        id = self.submit("-h", "-v", "A=1,B=2", "-l", "cput=50", "--", "/bin/true")
        self.until(lambda: self.job(id)["project"] == "prj", lambda: f"its project: {self.job(id)}")
        job = self.job(id)
        self.assertEqual((sorted(job["Hold_Types"]), job["Resource_List.walltime"]), (["o", "u"], "00:05:00"))
        self.assertNotIn("Resource_List.cput", job)
        self.assertNotIn("A=1", job["Variable_List"])
        self.assertIn("NEW=v1", job["Variable_List"])
        self.assertRegex(job["comment"], r"^Job held by 'p' hook on \w+ \w+ +\d+ [\d:]+ \d+$")
        set_by_p = lambda: re.findall(rf";Job;{re.escape(id)};('p' hook set job's .*)\n", self.server_log())
        self.until(lambda: len(set_by_p()) == 5, set_by_p)
        self.assertIn("'p' hook set job's project = prj", set_by_p())
        self.assertIn("'p' hook set job's Resource_List.cput = ", set_by_p())

    def test_a_job_that_postqueuejob_holds_does_not_run(self):
        self.hook("p", "postqueuejob", "import pbs\npbs.event().job.Hold_Types = pbs.hold_types('s')\n")
        for id in [self.submit("--", "/bin/true") for _ in range(3)]:
            self.until_state(id, "H")
            self.assertIn("s", self.job(id)["Hold_Types"])

    def test_what_postqueuejob_may_not_set_is_told(self):
        self.hook("p", "postqueuejob", "import pbs\nj = pbs.event().job\nj.project = 'prj'\nj.Resource_List['ncpus'] = 2\n"
                  "j.Resource_List['select'] = pbs.select('1:ncpus=1')\n")
        id = self.submit("-h", "--", "/bin/true")
        self.until_logged(f";Hook;p;what hook 'p' set of job {id} does not hold: ")
        self.assertEqual((self.job(id)["Resource_List.ncpus"], self.job(id)["project"]), ("1", "_pbs_project_default"))

    def test_a_rejection_of_what_has_happened_is_logged_only(self):
        self.hook("p", "postqueuejob", "import pbs\npbs.event().reject('too late')\n")
        id = self.submit("-h", "--", "/bin/true")
        self.until_run("p", "postqueuejob", "rejected")
        self.assertEqual(self.job(id)["job_state"], "H")

    def test_jobobit_sees_how_the_job_ended(self):
        self.hook("o", "jobobit", "import pbs\nj = pbs.event().job\npbs.logjobmsg(j.id, 'ended with %s' % j.Exit_status)\n")
        id = self.submit("--", "/bin/sh", "-c", "exit 7")
        self.until_state(id, "F")
        self.until_run("o", "jobobit", "ended with 7")

    def test_modifyvnode_sees_the_vnode_before_and_after(self):
        self.hook("w", "modifyvnode", "import pbs\ne = pbs.event()\n"
                  "pbs.logmsg(pbs.LOG_DEBUG, '%s: %d then %d' % (e.vnode.name, e.vnode_o.state, e.vnode.state))\n")
        self.sure("pbsnodes", "-o", "a")
        self.until_run("w", "modifyvnode", "a: 0 then 1")
        self.kill_daemon("pbs_mom", "a")
        self.until(lambda: len(self.runs("w", "modifyvnode")) >= 2, "it saw the host go down")

    def test_periodic_sees_all_vnodes_and_jobs_and_changes_vnodes(self):
        self.hook("t", "periodic", "import pbs\ne = pbs.event()\n"
                  "for name in e.vnode_list.keys():\n"
                  "    e.vnode_list[name].comment = 'holds %d jobs' % len(list(pbs.server().jobs()))\n", freq=1)
        self.submit("-h", "--", "/bin/true")
        self.until(lambda: self.node().get("comment") == "holds 1 jobs", lambda: f"the comment: {self.node()}")
        self.until_run("t", "periodic", "holds 1 jobs")

    def test_a_look_outlives_the_server(self):
        """The job is on disk, its hook still runs, the server dies: the hook runs again and what it wants is done once."""
        wait = self.file("wait", "")
        self.hook("p", "postqueuejob", "import os, pbs, time\ne = pbs.event()\n"
                  f"while os.path.exists({wait!r}):\n    time.sleep(0.05)\ne.job.project = 'p%s' % e.job.id\n", alarm=60)
        id = self.submit("-h", "--", "/bin/true")
        self.kill_daemon("pbs_server")
        os.unlink(wait)
        self.start_daemon("pbs_server")
        self.until_answers()
        self.until(lambda: self.job(id)["project"] == f"p{id}", lambda: f"its project: {self.job(id)}")
        self.until_run("p", "postqueuejob", "accepted")
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.submit("-h", "--", "/bin/true")
        self.until(lambda: len(re.findall(r"HookRan", self.audit("hook", "p"))) == 2, "one run a job is written down")


if __name__ == "__main__":
    unittest.main()
