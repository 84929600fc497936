"""Hooks on the hosts of jobs that span hosts: which run where, what they may refuse and set, and what restarts make of them.
pbs guide: hooks (19); docs/design/0023-hooks.md."""
import os
import subprocess
import time
import unittest

from mom_hooks import ENDED, STARTED, WIDE, MomHookTest
from private_cluster import STAGE, procs, signal, stands_still, wait_gone


class hooks_of_wide_jobs(MomHookTest):
    def test_each_event_runs_on_the_hosts_where_it_should(self):      # RS-123
        self.mom_hook("h", f"{STARTED},{ENDED}", self.script(
            says="'%s %s' % (e.job.in_ms_mom(), '+'.join(sorted(e.vnode_list)))"))
        id = self.submit(*WIDE, "--", "/bin/true")
        primary, *sisters = self.hosts_of(self.until_state(id, "F") and id)
        expected = [f"execjob_{e} {primary} True a+b+c" for e in ("begin", "prologue", "launch", "epilogue", "end")]
        for host in sisters:
            expected += [f"execjob_{e} {host} False {host}" for e in ("begin", "prologue", "epilogue", "end")]
        self.until_said(*expected)
        self.assertEqual(sorted(self.lines()), sorted(expected))
        # In the order of the job's life: no host joins before the primary's hooks let it, none leaves before the end.
        order = self.lines()
        self.assertEqual(order[0], expected[0])
        self.assertLess(max(order.index(f"execjob_begin {h} False {h}") for h in sisters), order.index(expected[1]))
        self.assertLess(max(order.index(f"execjob_prologue {h} False {h}") for h in sisters), order.index(expected[2]))
        self.until(lambda: self.audit("hook", id).count("execjob_epilogue") == 3, "every run is in the server's log")
        self.until_mom_logged(primary, f"0008;pbs_mom;Job;{id};no active tasks\n")      # as PBS says it behind such hooks

    def test_the_sites_scripts_run_only_where_no_hook_of_their_event_does(self):
        ran = os.path.join(self.work, "ran")
        for host in self.hosts:
            for name in ("prologue", "epilogue"):
                path = os.path.join(self.home(host), "mom_priv", name)
                with open(path, "w", opener=lambda p, flags: os.open(p, flags, 0o755)) as f:
                    f.write(f"#!/bin/sh\necho {name} >> {ran}\n")

        def scripts():
            id = self.submit("--", "/bin/true")
            self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
            if not os.path.exists(ran):
                return []
            with open(ran) as f:
                lines = f.read().split()
            os.remove(ran)
            return lines
        self.assertEqual(scripts(), ["prologue", "epilogue"])
        for event, left in (("execjob_prologue", ["epilogue"]), ("execjob_epilogue", ["prologue"]), ("execjob_prologue,execjob_epilogue", []),
                            ("execjob_end", ["prologue", "epilogue"])):
            self.mom_hook("h", event, "import pbs\n")
            self.assertEqual(scripts(), left, event)
            self.sure("qmgr", "-c", "delete hook h")
            for host in self.hosts:
                there = os.path.join(self.home(host), "mom_priv", "hooks", "h.PY")
                self.until(lambda: not os.path.exists(there), f"the hook is gone from {host}")

    def test_the_resource_site_reaches_hooks_on_every_host(self):      # RS-113
        self.hook("q", "queuejob", "import pbs\nj = pbs.event().job\nj.Resource_List['site'] = str(j.Resource_List['site']) + '+' + str(j.Resource_List['select'])\n")
        self.mom_hook("h", f"{STARTED},{ENDED}", self.script(says="e.job.Resource_List['site']"))
        id = self.submit("-l", "site=red", *WIDE, "--", "/bin/true")
        primary, *sisters = self.hosts_of(self.until_state(id, "F") and id)
        site = "red+3:ncpus=1"
        self.assertEqual(self.job(id)["Resource_List.site"], site)
        expected = [f"execjob_{e} {primary} {site}" for e in ("begin", "prologue", "launch", "epilogue", "end")]
        expected += [f"execjob_{e} {host} {site}" for e in ("begin", "prologue", "epilogue", "end") for host in sisters]
        self.until_said(*expected)

    def test_a_hook_sees_what_its_host_knows_of_the_vnodes(self):
        self.mom_hook("h", "execjob_begin", self.script(
            says="sorted((v.name, v.resources_assigned['ncpus'], v.resources_available['ncpus'] is not None) for v in e.vnode_list.values())"))
        id = self.submit("-l", "select=2:ncpus=2", "-l", "place=scatter", "--", "/bin/true")
        primary, other = self.hosts_of(self.until_state(id, "F") and id)
        self.assertEqual(sorted(self.lines()), sorted([f"execjob_begin {primary} {sorted([(primary, 2, True), (other, 2, False)])}",
                                                       f"execjob_begin {other} {[(other, 2, True)]}"]))

    def test_a_sisters_hook_refuses_the_join(self):      # RS-14
        self.mom_hook("h", "execjob_begin,execjob_abort,execjob_end", self.script(
            "if name == 'execjob_begin' and host == 'b':\n    e.job.Hold_Types = pbs.hold_types('s')\n    e.reject('no on b')\n"))
        id = self.submit("-l", "select=1:ncpus=1:host=a+1:ncpus=1:host=b+1:ncpus=1:host=c", "--", "/bin/true")
        self.until_state(id, "H")
        for host in self.hosts:
            self.until_free(host)
        self.until(lambda: "no on b" in self.audit("hook", id), "the verdict is in the server's log")
        self.until_mom_logged("a", f"0008;pbs_mom;Job;{id};job_start_error 15169 from node b could not JOIN_JOB successfully\n")
        self.until_mom_logged("a", f"0008;pbs_mom;Job;{id};hook h: no on b\n")
        self.until_mom_logged("b", f"0008;pbs_mom;Job;{id};no on b\n")
        # What had begun is told that it came to nothing; where it was refused nothing had begun.
        self.until_said("execjob_abort a", "execjob_end a")
        self.assertNotIn("execjob_abort b", self.lines())

    def test_the_pauses_between_starts_that_a_hook_refuses_grow(self):
        self.mom_hook("bad", "execjob_launch", "import pbs\npbs.event().reject('no scratch')\n")
        began = time.monotonic()
        id = self.submit("-l", "select=1:ncpus=1:host=a", "--", "/bin/true")
        self.until(lambda: self.job(id).get("run_count") == "3" and "not tried again" in self.job(id).get("comment", ""),
                   lambda: f"it is started again: {self.job(id)}")
        self.assertGreater(time.monotonic() - began, 3)           # 1 s and 2 s between the three
        job = self.job(id)
        self.assertEqual((job["job_state"], job["Exit_status"]), ("Q", "-16"))
        self.assertRegex(job["comment"], r"^Job requeued, not started on a: hook bad: no scratch; not tried again before \d\d/\d\d/\d{4} [0-9:]{8}$")
        self.assertIn(f"waits in queue workq.\n  {job['comment']}\n", self.sure("qstat", "--why", id))
        self.sure("qmgr", "-c", "set hook bad enabled = False")
        self.sure("qrun", id)                                     # whoever has mended it need not wait
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")

    def test_a_sisters_hook_deletes_the_job(self):
        self.mom_hook("h", "execjob_begin", "import pbs\ne = pbs.event()\n"
                      "if pbs.get_local_nodename() == 'c':\n    e.job.delete()\n    e.reject('never')\n")
        id = self.submit(*WIDE, "--", "/bin/true")
        job = self.until_state(id, "F")
        self.assertLess(int(job["Exit_status"]), 0)

    def test_a_start_that_fails_is_told_on_every_host(self):      # RS-69, RS-71
        self.mom_hook("h", f"execjob_launch,{ENDED}", self.script(
            "if name == 'execjob_launch':\n    e.job.Hold_Types = pbs.hold_types('s')\n    e.reject('not today')\n"))
        id = self.submit(*WIDE, "--", "/bin/true")
        self.until_state(id, "H")
        self.until_said(*(f"{e} {h}" for e in ("execjob_abort", "execjob_end") for h in self.hosts))
        self.assertFalse([line for line in self.lines() if line.startswith("execjob_epilogue")])
        primary = self.lines()[0].split()[1]
        for host in self.hosts:
            if host != primary:
                self.until(lambda host=host: f";Job;{id};ABORT_JOB received\n" in self.mom_log(host), "the sister is told")

    def test_a_health_check_takes_a_sister_out_of_service(self):      # RS-67
        scripts = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "hooks-runtime", "site_hooks", "scripts")
        with open(os.path.join(scripts, "health_check.py")) as f:
            source = f.read()
        sick = os.path.join(self.work, "sick.sh")
        with open(sick, "w") as f:
            f.write(f'echo "bad disk on $(basename $(dirname $PWD))"; [ ! -e {self.work}/b_is_sick ]\n')
        open(os.path.join(self.work, "b_is_sick"), "w").close()
        self.mom_hook("health", "execjob_begin", "import pbs\nif pbs.get_local_nodename() != 'b': pbs.event().accept()\n" + source,
                      config=f"/bin/sh {sick}\n")
        id = self.submit("-l", "select=1:ncpus=1:host=a+1:ncpus=1:host=b", "--", "/bin/true")
        self.until(lambda: "offlined by health check: bad disk" in self.vnode("b"), "the host is out of service, and it is said why")
        self.until(lambda: "state = offline" in self.vnode("b"), lambda: self.vnode("b"))
        self.until(lambda: self.job(id)["job_state"] == "Q", "the job waits for the host")
        # Of each run that it refused the host itself says so, and may do it after the job has gone back: the last one counts.
        runs = int(self.job(id)["run_count"])
        self.until(lambda: self.audit("hook", id).count("bad disk") >= runs, lambda: f"{runs} times: {self.audit('hook', id)}")
        os.unlink(os.path.join(self.work, "b_is_sick"))
        self.sure("qmgr", "-c", "set node b state = free")
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")

    def test_fail_action_takes_a_sister_offline(self):
        self.mom_hook("h", "execjob_begin", "import pbs\nif pbs.get_local_nodename() == 'c':\n    raise ValueError('oops')\n",
                      fail_action="offline_vnodes")
        id = self.submit(*WIDE, "--", "/bin/true")
        self.until(lambda: "offlined by hook 'h' due to hook error" in self.vnode("c"), "the host is offline")
        self.until_mom_logged("c", "execjob_begin hook 'h' encountered an exception, request rejected")
        self.sure("qdel", "-W", "force", id)

    def test_suspend_and_resume_are_told_on_every_host(self):
        self.mom_hook("h", "execjob_postsuspend,execjob_preresume,execjob_preterm", self.script())
        began = os.path.join(self.work, "began")      # with a task beside the program, which is told with it
        id = self.submit("-S", "/bin/sh", *WIDE, input=f"{STAGE}/bin/pbsdsh -n 0 -- /bin/sh -c ': > {began}; exec sleep 1000'\n")
        self.until(lambda: os.path.exists(began), "the task runs")
        self.until_running(id)
        self.sure("qsig", "-s", "suspend", id)
        self.until_said(*(f"execjob_postsuspend {h}" for h in self.hosts))
        self.sure("qsig", "-s", "resume", id)
        self.until_said(*(f"execjob_preresume {h}" for h in self.hosts))
        primary = self.hosts_of(id)[0]
        self.sure("qdel", id)
        self.until_state(id, "F")
        self.assertEqual(sorted(self.lines()), [f"execjob_{e} {h}" for e in ("postsuspend", "preresume") for h in self.hosts] + [f"execjob_preterm {primary}"])

    def test_a_sister_that_was_away_catches_up_before_it_joins(self):
        self.kill_daemon("pbs_mom", "c")
        self.mom_hook("h", "execjob_begin", self.script(), hosts=["a", "b"])
        id = self.submit(*WIDE, "--", "/bin/true")
        self.start_daemon("pbs_mom", "c")
        self.until_state(id, "F")
        self.assertEqual(sorted(self.lines()), [f"execjob_begin {h}" for h in self.hosts])

    def test_hooks_that_have_run_are_not_run_again_by_a_restart(self):
        gate = self.gate()
        self.mom_hook("h", STARTED, self.script(f"if name == 'execjob_prologue':\n    {gate.pass_it()}\n"), alarm=120)
        id = self.submit(*WIDE, "--", "/bin/true")
        primary = self.hosts_of(id)[0]
        self.until_said(f"execjob_prologue {primary}")
        self.kill_daemon("pbs_mom", primary)
        gate.open()
        self.start_daemon("pbs_mom", primary)
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        begun = [line for line in self.lines() if "begin" in line]
        self.assertEqual(sorted(begun), [f"execjob_begin {h}" for h in self.hosts])
        self.assertEqual(self.lines().count(f"execjob_launch {primary}"), 1)


class hooks_of_tasks(MomHookTest):
    hosts = ["a", "b"]
    both = ["-l", "select=2:ncpus=1", "-l", "place=scatter"]

    def run_script(self, script):
        id = self.submit("-N", "tasks", "-j", "oe", "-S", "/bin/sh", *self.both, input=f"export PATH={STAGE}/bin:$PATH\ncd {self.work}\n{script}\n")
        self.until_state(id, "F")
        with open(os.path.join(self.work, f"tasks.o{id.split('.')[0]}")) as f:
            return id, f.read()

    def test_a_task_has_its_hosts_prologue_once_and_a_launch_each(self):       # RS-129
        self.mom_hook("h", "execjob_prologue,execjob_launch", self.script(
            "if name == 'execjob_launch':\n"
            "    e.env['FROM_HOOK'] = host\n"
            "    if e.progname == '/bin/no': e.reject('not this one')\n",
            says="'%s %s' % (e.job.in_ms_mom(), name == 'execjob_launch' and 'PBS_NODEFILE' in e.env)"))
        id, out = self.run_script("for n in 0 1 1; do pbsdsh -n $n -- /bin/sh -c 'echo $FROM_HOOK $(cat $PBS_NODEFILE | wc -l)'; done; "
                                  "pbsdsh -n 1 -- /bin/no; echo $?")
        primary, sister = self.hosts_of(id)
        self.assertEqual(out.splitlines()[:3], [f"{primary} 2", f"{sister} 2", f"{sister} 2"], out)
        self.assertNotEqual(out.splitlines()[-1], "0")
        self.assertEqual(sorted(self.lines()[:2]), [f"execjob_prologue {primary} True False", f"execjob_prologue {sister} False False"])
        self.assertEqual(self.lines()[2:], [f"execjob_launch {primary} True True", f"execjob_launch {primary} True False",
                                            *[f"execjob_launch {sister} False False"] * 3])

    def test_a_task_has_the_variables_of_hooks_on_its_host_and_on_the_first(self):
        self.mom_hook("h", "execjob_begin,execjob_prologue", self.script(
            "e.job.Variable_List[name.upper()] = host\n", says="e.job.Variable_List.get('EXECJOB_BEGIN')"))
        id, out = self.run_script("env; pbsdsh -n 1 -- /usr/bin/env")
        primary, sister = self.hosts_of(id)
        self.assertEqual([line for line in out.splitlines() if line.startswith("EXECJOB_")],
                         [f"EXECJOB_BEGIN={primary}", f"EXECJOB_PROLOGUE={primary}",
                          f"EXECJOB_BEGIN={sister}", f"EXECJOB_PROLOGUE={sister}"], out)
        self.assertEqual(sorted(self.lines()), sorted([f"execjob_begin {primary} None", f"execjob_begin {sister} {primary}",
                                                       f"execjob_prologue {primary} {primary}", f"execjob_prologue {sister} {sister}"]))

    def refuse_on_the_second_host(self):
        self.mom_hook("h", "execjob_prologue", "import pbs\ne = pbs.event()\nif not e.job.in_ms_mom(): e.reject('no tasks here')\n")

    def test_a_sisters_prologue_refuses_the_start(self):                       # RS-14, RS-123
        self.refuse_on_the_second_host()
        id = self.submit(*self.both, "--", "/bin/true")
        primary, sister = self.hosts_of(id)
        why = f"0008;pbs_mom;Job;{id};job_start_error 15169 from node {sister} could not IM_EXEC_PROLOGUE successfully\n"
        self.until(lambda: why in self.mom_log(primary), lambda: why)
        self.assertNotIn(f"{id};task 00000001 started", self.mom_log(primary))
        self.sure("qdel", id)
        self.until_state(id, "F")
        for host in self.hosts:
            self.until_free(host)

    def test_where_that_is_borne_no_task_runs_there(self):                     # RS-03
        self.refuse_on_the_second_host()
        id = self.submit("-W", "tolerate_node_failures=all", "-N", "tasks", "-j", "oe", "-S", "/bin/sh", *self.both, input=(
            f"export PATH={STAGE}/bin:$PATH\ncd {self.work}\npbsdsh -n 1 -- /bin/echo ran; pbsdsh -n 0 -- /bin/echo ran; echo $?\n"))
        self.until_state(id, "F")
        with open(os.path.join(self.work, f"tasks.o{id.split('.')[0]}")) as f:
            out = f.read()
        self.assertEqual(out.splitlines().count("ran"), 1, out)
        self.assertEqual(out.splitlines()[-2:], ["ran", "0"], out)

    def begin_task_while_suspended(self, meanwhile=lambda sister: None):
        """A task on the second host that is let start by its hook when its job is suspended already; checks that it stands still
        until the job goes on, and answers its pid."""
        gate, program = self.gate(), os.path.join(self.work, "sleeper")
        os.symlink("/bin/sleep", program)
        self.sure("qmgr", "-c", "set server acl_roots = root")
        self.mom_hook("h", "execjob_launch", self.script(f"if e.progname == {program!r}:\n    {gate.pass_it()}\n", says="e.progname"), alarm=120)
        id = self.submit("-S", "/bin/sh", *self.both, input=f"{STAGE}/bin/pbsdsh -n 1 -- {program} 1000\n")
        sister = self.hosts_of(id)[1]
        self.until_said(f"execjob_launch {sister} {program}")
        self.until_running(id)
        self.sure("qsig", "-s", "suspend", id)
        self.assertEqual(self.job(id)["job_state"], "S")
        self.until(lambda: all(map(stands_still, self.pids_of(f"{STAGE}/bin/pbsdsh"))), "what ran on the first host stands still")
        meanwhile(sister)
        gate.open()
        pid, = self.until(lambda: self.pids_of(program), "the task starts")
        self.until(lambda: stands_still(pid), "the task stands still too")
        self.sure("qsig", "-s", "resume", id)
        self.until(lambda: not stands_still(pid), "it goes on")
        self.sure("qdel", id)
        self.until_state(id, "F")
        self.assertTrue(wait_gone([pid]))

    def pids_of(self, program):
        """Of the processes of this cluster's jobs that run it."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as f, open(f"/proc/{pid}/environ", "rb") as g:
                    if f.read().split(b"\0")[0] == program.encode() and self.work.encode() in g.read():
                        found.append(int(pid))
            except OSError:
                pass
        return found

    def test_a_task_that_starts_while_its_job_is_suspended_stands_still(self):
        self.begin_task_while_suspended()

    def test_a_task_that_starts_after_its_mom_was_killed_stands_still_with_its_job(self):
        def restart(sister):
            self.kill_daemon("pbs_mom", sister)
            self.start_daemon("pbs_mom", sister)
        self.begin_task_while_suspended(restart)

    def attach(self, host, id, session):
        environment = {**self.environment(), "PBS_CONF_FILE": self.cluster.layout.conf(host)}
        return subprocess.run(["pbs_attach", "-j", id, "-p", str(session.pid)], env=environment, capture_output=True, text=True, timeout=60)

    def test_a_session_is_attached_if_its_hooks_agree(self):
        self.mom_hook("h", "execjob_attach", self.script(f"if os.path.exists({self.work!r} + '/no'): e.reject('stay out')\n", says="e.pid"))
        id = self.submit(*self.both, "--", "/bin/sleep", "1000")
        self.until_running(id)
        session = subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True)
        self.addCleanup(session.wait)
        self.addCleanup(session.kill)
        no = os.path.join(self.work, "no")
        open(no, "w").close()
        refused = self.attach("b", id, session)
        self.assertEqual((refused.returncode, "stay out" in refused.stderr), (1, True), refused)
        os.unlink(no)
        self.assertEqual(self.attach("b", id, session).returncode, 0)
        self.assertEqual(self.lines(), [f"execjob_attach b {session.pid}"] * 2)
        self.sure("qdel", "-W", "force", id)


class hooks_and_hosts_that_do_not_join(MomHookTest):
    """How long the first host of a tolerant job waits for the others is in its log, when it asks them and when it has waited in vain."""

    def submit_tolerant(self):
        return self.submit("-W", "tolerate_node_failures=job_start", "-l", "select=1:ncpus=1:host=a+1:ncpus=1:host=b+1:ncpus=1:host=c",
                           "--", "/bin/true")

    def until_said_of_waits(self, id, text):
        """Once."""
        said = lambda: [line for line in self.mom_log("a").splitlines() if f";Job;{id};{text}" in line]
        self.assertEqual(len(self.until(said, lambda: f"the MoM of a logs {text}: {self.mom_log('a')[-2000:]}")), 1)

    def check_end(self, id):
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        for host in self.hosts:
            self.until_free(host)

    def check_waits(self, seconds):
        """So long at most: all join."""
        id = self.submit_tolerant()
        self.check_end(id)
        self.until_said_of_waits(id, f"job waiting up to {seconds} secs ($sister_join_job_alarm) for all sister moms to join")

    def gate_before_sisters(self, alarm):
        """A hook that has the job wait on its first host before the others are asked."""
        gate = self.gate()
        self.mom_hook("late", "execjob_begin", self.script(f"if host == 'a':\n    {gate.pass_it()}\n"), alarm=alarm)
        return gate

    def check_waits_in_vain(self, gate, seconds):
        """For the third host, whose MoM stands still. Not before the job is placed: a host that is silent for long is down, and gets none."""
        id = self.submit_tolerant()
        self.until_said("execjob_begin a")
        procs.send(self.daemon_pids("pbs_mom", "c"), signal.SIGSTOP)
        try:
            gate.open()
            self.until_said_of_waits(id, f"sister_join_job_alarm wait time {seconds} secs exceeded")
        finally:
            procs.send(self.daemon_pids("pbs_mom", "c"), signal.SIGCONT)
        self.check_end(id)

    def set_hook(self, name, attribute, value, *shown, gone=()):
        self.sure("qmgr", "-c", f"set hook {name} {attribute} = {value}")
        for host in self.hosts:
            self.until(lambda host=host: set(shown) <= set(self.settings(host, name)) and not set(gone) & set(self.settings(host, name)),
                       lambda host=host: f"{attribute} is on {host}: {self.settings(host, name)}")

    def settings(self, host, hook):
        with open(os.path.join(self.home(host), "mom_priv", "hooks", hook + ".HK")) as f:
            return f.read().splitlines()

    def test_they_are_waited_for_as_long_as_execjob_begin_hooks_may_take(self):      # RS-47
        # Alarms that no hook comes near, however busy its host is.
        self.mom_hook("one", "execjob_begin", "pass\n", alarm=30)
        self.mom_hook("two", "execjob_begin,execjob_end", "pass\n", alarm=60, order=2)
        self.mom_hook("other", "execjob_prologue", "pass\n", alarm=400)
        self.check_waits(90)
        self.set_hook("two", "alarm", 80, "alarm=80")
        self.check_waits(110)
        self.set_hook("two", "enabled", False, "enabled=false")
        self.check_waits(30)
        self.set_hook("two", "enabled", True, gone=["enabled=false"])
        self.sure("qmgr", "-c", "delete hook one")
        for host in self.hosts:
            self.until(lambda host=host: not os.path.exists(os.path.join(self.home(host), "mom_priv", "hooks", "one.HK")), "it is gone")
        self.check_waits(80)
        self.set_hook("two", "enabled", False, "enabled=false")
        self.check_waits_in_vain(self.gate_before_sisters(alarm=6), 6)      # after 10 s without a word it would have failed for that

    def test_a_wrong_sister_join_job_alarm_is_reported_and_the_one_before_stays(self):      # RS-54
        def configure(value):
            with open(os.path.join(self.home("a"), "mom_priv", "config"), "w") as f:
                f.write(f"$sister_join_job_alarm {value}\n")
        configure(2)
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")
        self.until_free("a")
        for value in "soon", "0", "-1":
            configure(value)
            os.kill(self.daemon_pids("pbs_mom", "a")[0], signal.SIGHUP)
            told = f";Fil;config;line 1: bad value for $sister_join_job_alarm: $sister_join_job_alarm {value}\n"
            self.until(lambda: told in self.mom_log("a"), lambda: f"{told}: {self.mom_log('a')}")
        self.check_waits_in_vain(self.gate_before_sisters(alarm=600), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
