"""Scheduler objects, partitions of nodes and queues, and what begins a scheduling cycle."""
import json
import os
import pwd
import re
import shutil
import time
import unittest

from private_cluster import ClusterTest, attributes, procs, signal

READ_ONLY = "Cannot set attribute, read only or insufficient permission  "
UNAUTHORIZED = "Unauthorized Request "


class ManagedTest(ClusterTest):
    def qmgr(self, command, **who):
        return self.run_command("qmgr", "-c", command, **who)

    def set(self, command, **who):
        """What a manager may do."""
        done = self.qmgr(command, **who)
        self.assertEqual((done.status, done.out, done.err), (0, "", ""), command)

    def refused(self, command, status, code, text, **who):
        done = self.qmgr(command, **who)
        name = command.split()[2]
        self.assertEqual((done.status, done.out, done.err),
                         (status, "", f"qmgr obj={name} svr=default: {text}\nqmgr: Error ({code}) returned from server\n"), command)

    def listed(self, what, **who):
        """The attributes that `list` shows."""
        done = self.qmgr("list " + what, **who)
        self.assertEqual((done.status, done.err), (0, ""), done)
        return attributes(done.out)

    def schedulers(self):
        return re.findall(r"(?m)^Sched (\S+)$", self.sure("qmgr", "-c", "list sched"))

    def restart_server(self):
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()

    def as_nobody(self):
        """Who neither submitted anything nor manages anything, until he is told to."""
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        account = pwd.getpwnam("nobody")
        return dict(user=account.pw_uid, group=account.pw_gid, extra_groups=[])


class scheduler_objects(ManagedTest):
    def test_only_managers_make_one(self):      # MS-02
        nobody = self.as_nobody()
        self.refused("create sched scx", 159, 15007, UNAUTHORIZED, **nobody)
        self.set("set server operators = nobody@*")
        self.refused("create sched scx", 159, 15007, UNAUTHORIZED, **nobody)
        self.assertEqual(self.schedulers(), ["default"])
        self.set("set server managers += nobody@*")
        self.set("create sched scx", **nobody)
        self.set("create sched scy")
        self.assertEqual(self.schedulers(), ["default", "scx", "scy"])

    def test_without_a_name_none_is_made_and_none_deleted(self):      # MS-03
        self.set("create sched multi_sched_1")
        for command, place in ("c sched", 7), ("create sched partition=P1", 13), ("d sched", 7), ("delete sched", 12):
            done = self.qmgr(command)
            self.assertEqual((done.status, done.out, done.err), (3, "", f"qmgr: Syntax error\n{command}\n{' ' * place}^\n"))
        self.assertEqual(self.schedulers(), ["default", "multi_sched_1"])

    def test_a_new_one_does_not_schedule_until_it_is_told_to(self):      # MS-01, MS-05, MS-20
        self.set("create sched multi_sched_1")
        shown = self.listed("sched multi_sched_1")
        directories = [os.path.join(self.home(), name) for name in ("sched_priv_multi_sched_1", "sched_log_multi_sched_1")]
        self.assertEqual([shown[name] for name in ("sched_priv", "sched_log", "scheduling", "scheduler_iteration", "state")],
                         [*directories, "False", "600", "down"])
        self.set("set sched multi_sched_1 scheduling = 1")
        self.assertEqual(self.listed("sched multi_sched_1")["scheduling"], "True")
        self.restart_server()
        self.assertEqual(self.listed("sched multi_sched_1")["scheduling"], "True")

    def test_managers_say_where_it_runs_and_what_they_think_of_it(self):      # MS-10, MS-12, MS-16, MS-30
        nobody = self.as_nobody()
        self.set("create node federer")
        self.set("create sched sc1")
        told = {"comment": "NEEDS_ATTENTION", "sched_priv": "/var/spool/pbs/sched_priv_1", "sched_log": "/var/spool/pbs/sched_log",
                "sched_host": "federer"}
        for name, value in told.items():
            self.refused(f"set sched sc1 {name}={value}", 159, 15007, UNAUTHORIZED, **nobody)
            self.set(f"set sched sc1 {name}={value}")
        self.restart_server()
        for who in {}, nobody:
            shown = self.listed("sched sc1", **who)
            self.assertEqual({name: shown[name] for name in told}, told)
        self.set("set sched sc1 comment = 'READY_TO_USE, since noon'")
        self.assertEqual(self.listed("sched sc1")["comment"], "READY_TO_USE, since noon")
        self.set("unset sched sc1 comment")
        self.assertNotIn("comment", self.listed("sched sc1"))

    def test_the_default_one_is_idle_on_the_servers_host(self):      # MS-22, MS-30, MS-45
        shown = self.until(lambda: (lambda s: s if s["state"] == "idle" else None)(self.listed("sched")), "it is idle")
        self.assertEqual(shown["sched_host"], "server")
        self.assertEqual((shown["scheduling"], self.listed("server")["scheduling"]), ("True", "True"))

    def mirrored(self, name, value):
        """The server and the default scheduler show this."""
        self.until(lambda: {self.listed(what).get(name) for what in ("server", "sched default")} == {value}, f"{name} is {value} on both")

    def test_scheduling_is_the_same_on_the_server_and_the_default_scheduler(self):      # MS-26, MS-66
        self.set("set sched default scheduling = false")
        self.mirrored("scheduling", "False")
        id = self.submit("--", "/bin/true")
        self.restart_server()
        self.assertEqual(self.job(id)["job_state"], "Q")
        self.set("set server scheduling = true")
        self.until_state(id, "F")
        self.mirrored("scheduling", "True")
        self.set("set sched default scheduler_iteration = 90")
        self.mirrored("scheduler_iteration", "90")
        self.set("set server scheduler_iteration = 100")
        self.mirrored("scheduler_iteration", "100")

    def test_its_state_is_set_by_the_server_alone(self):      # MS-32
        self.set("create sched sc1")
        for name, state in ("sc1", "down"), ("default", "idle"):
            for command in "set sched {} state = idle", "set sched {} state = scheduling", "unset sched {} state":
                self.refused(command.format(name), 155, 15003, READ_ONLY + "state")
            self.until(lambda: self.listed("sched " + name)["state"] == state, f"{name} is {state}")


class partitions(ManagedTest):
    def test_operators_set_that_of_a_node_and_all_see_it(self):      # MS-71
        nobody = self.as_nobody()
        self.assertNotIn("partition", self.listed("node a"))
        self.refused("set node a partition = P1", 159, 15007, UNAUTHORIZED, **nobody)
        self.assertNotIn("partition", self.listed("node a"))
        self.set("set node a partition = P1")
        self.set("set server operators = nobody@*")
        self.set("set node a partition = P2", **nobody)
        self.set("unset server operators")
        for who in {}, nobody:
            self.assertEqual(self.listed("node a", **who)["partition"], "P2")
            self.assertIn("\n     partition = P2\n", self.sure("pbsnodes", "a", **who))
        self.restart_server()
        self.assertEqual(self.listed("node a")["partition"], "P2")

    def test_managers_set_that_of_a_queue_and_all_see_it(self):      # MS-80
        nobody = self.as_nobody()
        self.refused("set queue workq partition = P1", 159, 15007, UNAUTHORIZED, **nobody)
        self.set("set server operators = nobody@*")
        self.refused("set queue workq partition = P1", 155, 15003, READ_ONLY + "partition", **nobody)
        self.assertNotIn("partition", self.listed("queue workq"))
        self.set("set server managers += nobody@*")
        self.set("set queue workq partition = P1", **nobody)
        self.set("unset server operators")
        self.set("set server managers -= nobody@*")
        for who in {}, nobody:
            self.assertEqual(self.listed("queue workq", **who)["partition"], "P1")
            self.assertEqual(attributes(self.sure("qstat", "-Qf", "workq", **who))["partition"], "P1")

    def test_that_of_a_queue_may_come_before_its_type(self):      # MS-84
        self.set("create queue q1")
        self.set("set queue q1 partition = P1")
        self.assertNotIn("queue_type", self.listed("queue q1"))
        self.set("set queue q1 queue_type = execution")
        shown = self.listed("queue q1")
        self.assertEqual((shown["partition"], shown["queue_type"]), ("P1", "Execution"))


class CycleTest(ManagedTest):
    """Nothing begins a cycle by the way: scheduler_iteration is longer than any wait of a test."""

    def cycles(self):
        """Of the server's log: ["Began", number, ...] or ["Ended", number, ...], in their order."""
        lines = self.audit("log", "--kind", "SchedulerCycleBegan,SchedulerCycleEnded").splitlines()
        return [re.search(r"SchedulerCycle(Began|Ended) .* cycle (\d+): (.*)", line).groups() for line in lines]

    def begun(self):
        return self.log("sched_logs").count(";Starting Scheduling Cycle\n")

    def until_one_more(self, before, why):
        self.until(lambda: self.begun() > before, f"a cycle begins: {why}")


class cycles(CycleTest):
    def why_it_waits(self, id):
        return self.until(lambda: self.job(id).get("comment", "").startswith("Not Running"), lambda: f"{id} was tried: {self.job(id)}")

    def test_what_begins_one(self):      # MS-89
        self.assertEqual(self.listed("server")["scheduler_iteration"], "600")
        self.set("set node a resources_available.ncpus = 2")
        # A job is queued, whether it can run or not.
        before = self.begun()
        first = self.submit("-l", "ncpus=2", "--", "/bin/sleep", "1000")
        self.until_running(first)
        self.until_one_more(before, "a job was queued")
        second = self.submit("-l", "ncpus=2", "--", "/bin/sleep", "1000")
        self.why_it_waits(second)
        # A job ends.
        before = self.begun()
        self.sure("qdel", first)
        self.until_running(second)
        self.until_one_more(before, "a job ended")
        # scheduling becomes True.
        self.set("set server scheduling = False")
        third = self.submit("-l", "ncpus=2", "--", "/bin/sleep", "1000")
        self.sure("qdel", second)
        self.until_state(second, "F")
        self.assertEqual(self.job(third)["job_state"], "Q")
        before = self.begun()
        self.set("set server scheduling = True")
        self.until_running(third)
        self.until_one_more(before, "scheduling is on")
        # scheduler_iteration is over: from now on, and after a restart.
        self.set("set server scheduler_iteration = 1")
        by_itself = lambda: [c for c in self.cycles() if c[0] == "Began" and c[2] == "scheduling iteration"]
        self.until(lambda: len(by_itself()) >= 2, lambda: f"cycles begin by themselves: {self.cycles()}")
        self.restart_server()
        before = len(by_itself())
        self.until(lambda: len(by_itself()) > before + 1, lambda: f"cycles begin by themselves: {self.cycles()}")
        self.set("set server scheduling = False")      # no cycle at all begins now
        self.sure("qdel", third)


class a_cycle_that_is_late(CycleTest):
    start_schedulers = False      # the server would replace a scheduler that is silent for long

    def test_the_next_one_waits_for_the_one_before(self):      # MS-91
        self.until_running(self.submit("--", "/bin/sleep", "1000"))
        self.until(lambda: self.cycles()[-1][0] == "Ended", "its cycle is over")
        scheduler = self.daemon_pids("pbs_sched")
        procs.send(scheduler, signal.SIGSTOP)
        try:
            before = len(self.cycles())
            ids = [self.submit("--", "/bin/sleep", "1000") for _ in range(4)]
            jobs = self.jobs()
            self.assertEqual({jobs[id]["job_state"] for id in ids}, {"Q"})
        finally:
            procs.send(scheduler, signal.SIGCONT)
        for id in ids:
            self.until_running(id)
        told = self.until(lambda: (lambda c: c if c[-1][0] == "Ended" else None)(self.cycles()), "the last cycle is over")
        # One that the first of them began, and one for all that came meanwhile. None began in another.
        self.assertEqual([what for what, *_ in told], ["Began", "Ended"] * (len(told) // 2))
        self.assertEqual([number for _, number, _ in told[::2]], [number for _, number, _ in told[1::2]])
        self.assertLessEqual(len(told) - before, 2 * 2, told)
        for id in ids:
            self.sure("qdel", id)


class ManyTest(ManagedTest):
    """The default scheduler and s1, which has partition P1 with queue q1."""
    hosts = ["a", "b"]

    def setUp(self):
        super().setUp()
        self.set("create sched s1 partition=P1")
        self.set("create queue q1 queue_type=execution, enabled=true, started=true, partition=P1")

    def private_directories(self, name):
        """sched_priv of a scheduler, with its certificate and with a sched_config, and its sched_log."""
        priv, default = os.path.join(self.home(), "sched_priv_" + name), os.path.join(self.home(), "sched_priv")
        os.makedirs(priv, 0o750, exist_ok=True)
        os.makedirs(os.path.join(self.home(), "sched_log_" + name), exist_ok=True)
        config = os.path.join(priv, "sched_config")
        if not os.path.exists(config):      # who runs there already may be reading it
            shutil.copy(os.path.join(default, "sched_config"), config)
        bundle = os.path.join(priv, "daemon.pem")
        if not os.path.exists(bundle):
            self.cluster.enrol(bundle, "--scheduler", name)

    def start_scheduler(self, name):
        """By hand, unless the server was quicker."""
        self.private_directories(name)
        machine = self.cluster.machines["server"]
        if not procs.daemons("pbs_sched", self.cluster.layout.conf("server"), name):
            machine.run(machine.program("pbs_sched"), "-I", name, check=False)
        self.until_scheduler(name)

    def until_scheduler(self, name, state="idle"):
        self.until(lambda: self.listed("sched " + name)["state"] == state, lambda: f"{name} is {state}: {self.listed('sched ' + name)}")

    def pids(self, name):
        return procs.daemons("pbs_sched", self.cluster.layout.conf("server"), name)

    def kill(self, name):
        self.assertTrue(self.pids(name))
        procs.kill_all(lambda: self.pids(name))

    def turn_on(self):
        """s1 runs and schedules, with node b."""
        self.set("set node b partition = P1")
        self.start_scheduler("s1")
        self.set("set sched s1 scheduling = True")


class several_schedulers(ManyTest):
    def test_each_places_the_jobs_of_its_partition_on_its_vnodes(self):      # MS-29, MS-35, MS-38, MS-72, MS-73, MS-77, MS-81
        self.turn_on()
        self.set("create queue q1b queue_type=execution, enabled=true, started=true, partition=P1")
        jobs = {queue: [self.submit("-q", queue, "-l", "ncpus=1", "--", "/bin/sleep", "1000") for _ in range(3)] for queue in ("workq", "q1", "q1b")}
        for queue, ids in jobs.items():
            for id in ids:
                self.until_running(id)
                self.assertEqual(self.hosts_of(id), ["a" if queue == "workq" else "b"], (queue, id))
        self.assertEqual(self.listed("sched s1")["partition"], "P1")
        # A job that needs a vnode of another partition waits.
        alone = self.submit("-q", "q1", "-l", "select=vnode=a", "--", "/bin/true")
        self.until(lambda: self.job(alone).get("comment", "").startswith(("Not Running", "Can Never Run")), "it was tried")
        for ids in jobs.values():
            self.sure("qdel", *ids)
        self.sure("qdel", alone)

    def test_a_partition_without_a_scheduler_runs_nothing(self):      # MS-36
        self.set("set node b partition = P1")
        id = self.submit("-q", "q1", "--", "/bin/true")
        for other in [self.submit("-q", "workq", "--", "/bin/true") for _ in range(3)]:
            self.until_state(other, "F")
            self.assertEqual(self.job(other)["exec_host"].split("/")[0], "a")
        self.assertEqual(self.job(id)["job_state"], "Q")
        self.turn_on()
        self.until_state(id, "F")
        # And one that has lost its partition runs nothing either.
        self.set("unset sched s1 partition")
        id = self.submit("-q", "q1", "--", "/bin/true")
        other = self.submit("-q", "workq", "--", "/bin/true")
        self.until_state(other, "F")
        self.assertEqual(self.job(id)["job_state"], "Q")

    def test_jobs_go_where_their_queue_goes_and_runs_stay(self):
        self.turn_on()
        stays = self.submit("-q", "q1", "--", "/bin/sleep", "1000")
        self.until_running(stays)
        self.set("set sched s1 scheduling = False")
        waits, moved = (self.submit("-q", "q1", "--", "/bin/sleep", "1000") for _ in range(2))
        self.sure("qmove", "workq", moved)
        self.until_running(moved)
        self.assertEqual(self.hosts_of(moved), ["a"])
        self.set("unset queue q1 partition")
        self.until_running(waits)
        self.assertEqual(self.hosts_of(waits), ["a"])
        self.assertEqual((self.hosts_of(stays), self.job(stays)["job_state"]), (["b"], "R"))
        for id in stays, waits, moved:
            self.sure("qdel", id)

    def test_qrun_places_no_job_in_another_partition(self):
        self.turn_on()
        self.set("set sched s1 scheduling = False")
        id = self.submit("-q", "q1", "--", "/bin/sleep", "1000")
        done = self.run_command("qrun", "-H", "a", id)
        self.assertEqual((done.status, done.err), (2, f"qrun: Node a is in no partition, and the job's queue is not {id}\n"))
        self.assertEqual(self.job(id)["job_state"], "Q")
        self.sure("qrun", id)
        self.until_running(id)
        self.assertEqual(self.hosts_of(id), ["b"])
        self.sure("qdel", id)

    def test_a_scheduler_that_is_gone_delays_nobody(self):      # MS-67, MS-68, MS-90
        self.turn_on()
        self.set("set sched s1 scheduling = False")      # nobody starts it again meanwhile
        self.kill("s1")
        self.until_scheduler("s1", "down")
        for id in [self.submit("--", "/bin/true") for _ in range(3)]:
            self.until_state(id, "F")
        id = self.submit("-q", "q1", "--", "/bin/true")
        done = self.run_command("qrun", id)
        self.assertEqual((done.status, done.err), (2, f"qrun: Could not contact Scheduler {id}\n"))
        for text in f"job {id}", "partition [P1]", "partition P1":
            self.until_logged(f";Unable to reach scheduler associated with {text}\n")
        self.assertIn("\n  Scheduler s1 of partition P1 is turned off.\n", self.sure("qstat", "--why", id))
        self.set("create queue q9 queue_type=execution, enabled=true, started=true, partition=P9")
        nobodys = self.submit("-q", "q9", "--", "/bin/true")
        for text in "partition [P9]", "partition P9":
            self.until_logged(f";Unable to reach scheduler associated with {text}\n")
        self.assertIn("\n  No scheduler has partition P9, in which queue q9 is.\n", self.sure("qstat", "--why", nobodys))
        self.sure("qdel", nobodys)
        self.set("set sched s1 scheduling = True")
        self.start_scheduler("s1")
        self.until_state(id, "F")
        self.until_scheduler("default")

    def test_a_second_process_takes_nothing_from_the_first(self):
        """With the certificate of another."""
        self.set("create sched s9 partition=P9")
        priv = os.path.join(self.home(), "sched_priv_s9")
        self.private_directories("s9")
        shutil.copy(os.path.join(self.home(), "sched_priv", "daemon.pem"), priv)      # the default scheduler's
        machine = self.cluster.machines["server"]
        with self.assertRaisesRegex(Exception, "the certificate is that of scheduler default, not of s9"):
            machine.run(machine.program("pbs_sched"), "-I", "s9")
        self.until_state(self.submit("--", "/bin/true"), "F")
        self.until_scheduler("default")

    def test_who_comes_twice_is_turned_away(self):      # 15230
        self.turn_on()
        elsewhere = os.path.join(self.top, "elsewhere")      # as on another host: no lock file keeps it away
        os.makedirs(os.path.join(elsewhere, "sched_log_s1"))
        shutil.copytree(os.path.join(self.home(), "sched_priv_s1"), os.path.join(elsewhere, "sched_priv_s1"),
                        ignore=shutil.ignore_patterns("sched.lock", "sched_out"))
        if os.path.exists(os.path.join(self.home(), "annals.conf")):
            shutil.copy(os.path.join(self.home(), "annals.conf"), elsewhere)
        first = self.pids("s1")
        machine = self.cluster.machines["server"]
        machine.run(machine.program("pbs_sched"), "-I", "s1", "-d", elsewhere)
        second = set(self.pids("s1")) - set(first)
        log = os.path.join(elsewhere, "sched_log_s1")
        said = lambda: "".join(open(os.path.join(log, name)).read() for name in os.listdir(log))
        self.until(lambda: "Scheduler already connected (15230)" in said(), said)
        self.until_state(self.submit("-q", "q1", "--", "/bin/true"), "F")
        self.until_scheduler("s1")
        # When the first is gone the second has its place.
        procs.kill_all(lambda: [pid for pid in self.pids("s1") if pid in first])
        self.until_state(self.submit("-q", "q1", "--", "/bin/true"), "F")
        self.assertTrue(second)


class a_scheduler_that_nobody_replaces(ManyTest):
    start_schedulers = False

    def test_one_that_stands_still_delays_nobody(self):      # MS-91
        self.turn_on()
        pids = self.pids("s1")
        procs.send(pids, signal.SIGSTOP)
        try:
            id = self.submit("-q", "q1", "--", "/bin/true")
            for other in [self.submit("--", "/bin/true") for _ in range(5)]:
                self.until_state(other, "F")
            self.assertEqual(self.job(id)["job_state"], "Q")
        finally:
            procs.send(pids, signal.SIGCONT)
        self.until_state(id, "F")


class cycles_of_several(ManyTest):
    def records(self, kind, name):
        lines = self.audit("log", "--kind", kind, "--json").splitlines()
        return [record for record in map(json.loads, lines) if record["name"] == name]

    def begun(self, scheduler):
        """(number, why) of its cycles."""
        return [(record["event"]["number"], record["event"]["trigger"]) for record in self.records("SchedulerCycleBegan", scheduler)]

    def until_a_cycle_knows(self, scheduler, kind, name):
        """The last record of this kind and name, so that nothing up to there lets another one begin; all cycles by then."""
        wanted = self.records(kind, name)[-1]["sequence"]
        self.until(lambda: any(record["event"]["viewSequence"] >= wanted for record in self.records("SchedulerCycleBegan", scheduler)),
                   lambda: f"a cycle of {scheduler} knows {kind} of {name}: {self.begun(scheduler)}")
        return self.begun(scheduler)

    def begun_by_now(self, scheduler, queue):
        """With all that has happened in its partition."""
        id = self.submit("-q", queue, "--", "/bin/true")
        self.until_state(id, "F")
        return self.until_a_cycle_knows(scheduler, "JobEnded", id)

    def test_a_cycle_begins_in_the_partition_where_something_happened(self):      # MS-89, MS-90
        self.turn_on()
        self.until_scheduler("s1")
        before = self.begun_by_now("default", "workq")
        for _ in range(3):
            self.until_state(self.submit("-q", "q1", "--", "/bin/true"), "F")
        self.assertEqual(self.begun("default"), before)
        before = self.begun_by_now("s1", "q1")
        for _ in range(3):
            self.until_state(self.submit("--", "/bin/true"), "F")
        self.assertEqual(self.begun("s1"), before)
        self.assertTrue(before)

    def test_each_has_its_own_iteration(self):      # MS-89
        self.turn_on()
        self.set("set sched s1 scheduler_iteration = 1")
        by_itself = lambda name: sum(why == "scheduling iteration" for _, why in self.begun(name))
        self.until(lambda: by_itself("s1") >= 2, lambda: f"cycles begin by themselves: {self.begun('s1')}")
        self.assertEqual(by_itself("default"), 0)

    def submitted_while_s1_gathers(self):
        """What cycles it had before, and the jobs. It gathers longer where a busy machine has not submitted all in time."""
        for gathers_s in (3, 6, 12, 24, 48, 96):
            self.set(f"set sched s1 job_accumulation_time = {gathers_s}")
            before, began = self.until_a_cycle_knows("s1", "SchedulerChanged", "s1"), time.monotonic()
            ids = [self.submit("-q", "q1", "--", "/bin/sleep", "1000") for _ in range(3)]
            self.until_state(self.submit("--", "/bin/true"), "F")      # the other one does not wait
            then = self.begun("s1")
            if time.monotonic() - began < gathers_s:
                self.assertEqual(then, before)
                return before, ids
            self.sure("qdel", *ids)
        self.fail(f"not submitted in {gathers_s} s")

    def test_job_accumulation_time_gathers_jobs(self):      # MS-33, MS-92
        self.turn_on()
        self.until_scheduler("s1")
        before, ids = self.submitted_while_s1_gathers()
        for id in ids:
            self.until_running(id)
        self.assertEqual([why for _, why in self.begun("s1")[len(before):]], ["new job"])
        for id in ids:
            self.sure("qdel", id)


class what_partitions_may_be(ManyTest):
    def test_of_schedulers(self):      # MS-29, MS-35, MS-37, MS-39, MS-40, MS-105
        self.set("create sched s2")
        self.refused("set sched s2 partition = P1", 120, 15224, "Partition P1 is already associated with scheduler s1.")
        self.refused("create sched s3 partition=P1", 120, 15224, "Partition P1 is already associated with scheduler s1.")
        self.assertEqual(self.schedulers(), ["default", "s1", "s2"])
        self.set("set sched s1 partition = P1")
        self.refused("set sched s1 partition += P2", 166, 15014, "Illegal attribute or resource value")
        self.refused("set sched s1 partition = 'P1,P2'", 166, 15014, "Illegal attribute or resource value")
        self.set("set sched s2 partition += P2")
        self.assertEqual([self.listed("sched " + name)["partition"] for name in ("default", "s1", "s2")], ["pbs-default", "P1", "P2"])
        self.set("delete sched s1")
        self.set("set sched s2 partition = P1")
        for what in "sched s2", "queue q1", "node a":
            self.refused(f"set {what} partition = pbs-default", 124, 15228, "Default partition name is not allowed")
        for what in "queue q1", "node a":      # the word stands for none
            self.set(f"set {what} partition = P1")
            self.set(f"set {what} partition = None")
            self.assertNotIn("partition", self.listed(what))
        self.set("set queue q1 partition = P1")

    def test_of_nodes_and_queues(self):      # MS-74, MS-75, MS-76
        self.set("create queue q2 queue_type=execution, enabled=true, started=true, partition=P2")
        self.set("set node a partition = P1")
        for queue in "q2", "workq":
            self.refused(f"set node a queue = {queue}", 116, 15220, "Partition P1 is not part of queue for node")
        self.set("set node a queue = q1")
        self.refused("set node a partition = P2", 115, 15219, "Queue q1 is not part of partition for node")
        self.refused("set queue q1 partition = P2", 117, 15221, "Invalid partition in queue")
        self.refused("unset queue q1 partition", 117, 15221, "Invalid partition in queue")
        self.set("set node b queue = q2")
        self.refused("set node b partition = P1", 115, 15219, "Queue q2 is not part of partition for node")
        self.set("set node b partition = P2")
        self.assertEqual((self.listed("queue q1")["partition"], self.listed("node b")["partition"]), ("P1", "P2"))

    def test_of_routing_queues(self):      # MS-82, MS-83
        self.set("create queue rq queue_type=route, route_destinations=workq")
        self.refused("set queue rq partition = P1", 113, 15217, "Cannot assign a partition to route queue")
        self.refused("set queue q1 queue_type = route", 114, 15218, "Route queues are incompatible with the partition attribute queue_type")

    def test_of_a_node_with_jobs(self):      # MS-78
        id = self.submit("-l", "select=vnode=a", "--", "/bin/sleep", "1000")
        self.until_running(id)
        self.refused("set node a partition = P1", 123, 15227, "Node is busy")
        self.sure("qdel", id)
        self.until_state(id, "F")
        self.set("set node a partition = P1")


if __name__ == "__main__":
    unittest.main(verbosity=2)
