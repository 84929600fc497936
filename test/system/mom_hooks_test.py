"""Hooks on the hosts of jobs that span hosts: which run where, what they may refuse and set, and what restarts make of them.
pbs guide: hooks (19); docs/design/0023-hooks.md."""
import os
import pwd
import re
import subprocess
import unittest

from hooks_test import HookTest
from private_cluster import STAGE, procs, signal, stands_still, wait_gone

WIDE = ["-l", "select=3:ncpus=1", "-l", "place=scatter"]
STARTED = "execjob_begin,execjob_prologue,execjob_launch"
ENDED = "execjob_epilogue,execjob_end,execjob_abort"


class MomHookTest(HookTest):
    hosts = ["a", "b", "c"]

    def setUp(self):
        super().setUp()
        self.said = os.path.join(self.work, "said")
        open(self.said, "w").close()
        os.chmod(self.said, 0o666)

    def script(self, then="", says="''"):
        """A script that notes that it ran, where, and whatever else, then goes on."""
        return ("import os, pbs\n"
                "e, host = pbs.event(), pbs.get_local_nodename()\n"
                "def note(text):\n"
                f"    with open({self.said!r}, 'a') as f:\n"
                "        f.write(text + '\\n')\n"
                "name = [n for n in dir(pbs) if n.startswith('HOOK_EVENT_') and getattr(pbs, n) == e.type][0][11:].lower()\n"
                f"note((name + ' ' + host + ' ' + str({says})).strip())\n" + then)

    def mom_hook(self, name, event, script, config=None, hosts=None, **settings):
        """On every host before it returns."""
        self.hook(name, event, script, config, **settings)
        for host in hosts or self.hosts:
            self.until_hooks_are_on(host, name + ".HK", name + ".PY")

    def lines(self):
        with open(self.said) as f:
            return f.read().splitlines()

    def until_said(self, *lines):
        self.until(lambda: set(lines) <= set(self.lines()), lambda: f"{lines}: {self.lines()}")

    def vnode(self, name):
        return self.run_command("pbsnodes", name).out


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
        self.assertIn(f"0008;pbs_mom;Job;{id};job_start_error 15169 from node b could not JOIN_JOB successfully\n", self.mom_log("a"))
        self.assertIn(f"0008;pbs_mom;Job;{id};no on b\n", self.mom_log("a"))
        self.assertIn(f"0008;pbs_mom;Job;{id};no on b\n", self.mom_log("b"))
        # What had begun is told that it came to nothing; where it was refused nothing had begun.
        self.until_said("execjob_abort a", "execjob_end a")
        self.assertNotIn("execjob_abort b", self.lines())

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
        self.until(lambda: "offline" in self.vnode("b"), "the host is out of service")
        self.assertIn("offlined by health check: bad disk", self.vnode("b"))
        self.until(lambda: self.job(id)["job_state"] == "Q", "the job waits for the host")
        os.unlink(os.path.join(self.work, "b_is_sick"))
        self.sure("qmgr", "-c", "set node b state = free")
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")

    def test_fail_action_takes_a_sister_offline(self):
        self.mom_hook("h", "execjob_begin", "import pbs\nif pbs.get_local_nodename() == 'c':\n    raise ValueError('oops')\n",
                      fail_action="offline_vnodes")
        id = self.submit(*WIDE, "--", "/bin/true")
        self.until(lambda: "offlined by hook 'h' due to hook error" in self.vnode("c"), "the host is offline")
        self.assertIn("execjob_begin hook 'h' encountered an exception, request rejected", self.mom_log("c"))
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
        go = os.path.join(self.work, "go")
        self.mom_hook("h", STARTED, self.script(
            f"import time\nwhile name == 'execjob_prologue' and not os.path.exists({go!r}):\n    time.sleep(0.05)\n"), alarm=120)
        id = self.submit(*WIDE, "--", "/bin/true")
        primary = self.until(lambda: self.job(id).get("exec_host"), "it has hosts") and self.hosts_of(id)[0]
        self.until_said(f"execjob_prologue {primary}")
        self.kill_daemon("pbs_mom", primary)
        open(go, "w").close()
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

    def refuse_on_the_second_host(self):
        self.mom_hook("h", "execjob_prologue", "import pbs\ne = pbs.event()\nif not e.job.in_ms_mom(): e.reject('no tasks here')\n")

    def test_a_sisters_prologue_refuses_the_start(self):                       # RS-14, RS-123
        self.refuse_on_the_second_host()
        id = self.submit(*self.both, "--", "/bin/true")
        primary, sister = self.until(lambda: self.job(id).get("exec_host"), "it has hosts") and self.hosts_of(id)
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
        go, program = os.path.join(self.work, "go"), os.path.join(self.work, "sleeper")
        os.symlink("/bin/sleep", program)
        self.sure("qmgr", "-c", "set server acl_roots = root")
        self.mom_hook("h", "execjob_launch", self.script(
            f"import time\nwhile e.progname == {program!r} and not os.path.exists({go!r}):\n    time.sleep(0.05)\n", says="e.progname"), alarm=120)
        id = self.submit("-S", "/bin/sh", *self.both, input=f"{STAGE}/bin/pbsdsh -n 1 -- {program} 1000\n")
        sister = self.until(lambda: self.job(id).get("exec_host"), "it has hosts") and self.hosts_of(id)[1]
        self.until_said(f"execjob_launch {sister} {program}")
        self.until_running(id)
        self.sure("qsig", "-s", "suspend", id)
        self.assertEqual(self.job(id)["job_state"], "S")
        self.until(lambda: all(map(stands_still, self.pids_of(f"{STAGE}/bin/pbsdsh"))), "what ran on the first host stands still")
        meanwhile(sister)
        open(go, "w").close()
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
    """A tolerant job whose third host's MoM stands still: how long it is waited for is in the log of the first."""

    def check_waits(self, seconds):
        procs.send(self.daemon_pids("pbs_mom", "c"), signal.SIGSTOP)
        try:
            id = self.submit("-W", "tolerate_node_failures=job_start", "-l", "select=1:ncpus=1:host=a+1:ncpus=1:host=b+1:ncpus=1:host=c",
                             "--", "/bin/true")
            waited = f";Job;{id};sister_join_job_alarm wait time "
            told = self.until(lambda: [line for line in self.mom_log("a").splitlines() if waited in line], "the wait is over")
        finally:
            procs.send(self.daemon_pids("pbs_mom", "c"), signal.SIGCONT)
        self.assertEqual([line.split(waited)[1] for line in told], [f"{seconds} secs exceeded"])
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        for host in self.hosts:
            self.until_free(host)

    def set_hook(self, name, attribute, value, *shown, gone=()):
        self.sure("qmgr", "-c", f"set hook {name} {attribute} = {value}")
        for host in self.hosts:
            self.until(lambda host=host: set(shown) <= set(self.settings(host, name)) and not set(gone) & set(self.settings(host, name)),
                       lambda host=host: f"{attribute} is on {host}: {self.settings(host, name)}")

    def settings(self, host, hook):
        with open(os.path.join(self.home(host), "mom_priv", "hooks", hook + ".HK")) as f:
            return f.read().splitlines()

    def test_they_are_waited_for_as_long_as_execjob_begin_hooks_may_take(self):      # RS-47
        self.mom_hook("one", "execjob_begin", "pass\n", alarm=1)
        self.mom_hook("two", "execjob_begin,execjob_end", "pass\n", alarm=2, order=2)
        self.mom_hook("other", "execjob_prologue", "pass\n", alarm=40)
        self.check_waits(3)
        self.set_hook("two", "alarm", 4, "alarm=4")
        self.check_waits(5)
        self.set_hook("two", "enabled", False, "enabled=false")
        self.check_waits(1)
        self.set_hook("two", "enabled", True, gone=["enabled=false"])
        self.sure("qmgr", "-c", "delete hook one")
        for host in self.hosts:
            self.until(lambda host=host: not os.path.exists(os.path.join(self.home(host), "mom_priv", "hooks", "one.HK")), "it is gone")
        self.check_waits(4)

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
        self.check_waits(2)


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
        for host in self.hosts:
            self.restart_mom(host)
        # Both hosts are up although both name "shared", which is the first one's; "b" is b's.
        for host in self.hosts:
            self.until_free(host)
        self.until(lambda: "state = free" in self.vnode("shared"), lambda: self.vnode("shared"))
        self.assertIn("Mom = b\n", self.vnode("b"))
        self.assertIn("resources_available.ncpus = 64", self.vnode("b"))
        self.until(lambda: "Node;b;is a vnode of host b; what host a says of it is ignored" in self.server_log(), "it is told")
        self.until_logged("Node;shared;is a vnode of host ")
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
                      "v.resources_available['foo_i'] += 1\nv.state = pbs.ND_OFFLINE\n", freq=1)
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
        self.assertIn("exechost_periodic", self.audit("hook", bad))
        for id in good, again:
            self.sure("qdel", "-W", "force", id)

    def test_a_run_on_a_host_can_be_repeated(self):
        self.sure("qmgr", "-c", "create resource watts type=long,flag=h")
        self.mom_hook("e", "execjob_end", "import pbs\npbs.event().job.resources_used['watts'] = {'a': 17}[pbs.get_local_nodename()]\n")
        self.until_state(self.submit("--", "/bin/true"), "F")
        told = self.until(lambda: (lambda text: text if "HookRan" in text else None)(self.audit("hook", "e")), "the run is written down")
        records = re.findall(r"#(\d+)", told)
        self.assertEqual(len(records), 2, told)         # what it set, and that it ran
        for sequence in records:
            self.assertEqual(self.audit("hook", "--rerun", sequence), "e at execjob_end\n    the same: accepted\n")

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
        for field in 'words="two words"', 'quoted="{"eight":8}"', "word=one", "watts=42":
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
        self.assertIn(";Hook;r;r requested for host to be rebooted\n", self.mom_log("a"))
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
        self.until_free("a")
        self.assertNotIn("offlined by hook", self.vnode("a"))

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
        self.assertIn("exechost_periodic", self.audit("hook", id))
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
        self.assertIn("what hook 'u' set of vnodes is not done: it ran as the job's owner", self.mom_log("a"))
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
        self.assertEqual(self.job(id)["job_state"], "S")
        open(os.path.join(self.work, "let_go"), "w").close()
        self.sure("qsig", "-s", "resume", id)
        self.until_running(id)
        self.sure("qdel", "-W", "force", id)


if __name__ == "__main__":
    unittest.main(verbosity=2)
