"""Scheduler objects, partitions of nodes and queues, and what begins a scheduling cycle."""
import os
import pwd
import re
import socket
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
        self.assertEqual(shown["sched_host"], socket.gethostname().split(".")[0])      # where this plain cluster runs
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


class cycles(ManagedTest):
    """Nothing begins a cycle by the way: scheduler_iteration is longer than any wait of a test."""

    def cycles(self):
        """Of the server's log: ["Began", number, ...] or ["Ended", number, ...], in their order."""
        lines = self.audit("log", "--kind", "SchedulerCycleBegan,SchedulerCycleEnded").splitlines()
        return [re.search(r"SchedulerCycle(Began|Ended) .* cycle (\d+): (.*)", line).groups() for line in lines]

    def begun(self):
        return self.log("sched_logs").count(";Starting Scheduling Cycle\n")

    def until_one_more(self, before, why):
        self.until(lambda: self.begun() > before, f"a cycle begins: {why}")

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

    def test_the_next_one_waits_for_the_one_before(self):      # MS-91
        self.submit("--", "/bin/sleep", "1000")
        self.until(lambda: self.cycles() and self.cycles()[-1][0] == "Ended", "a cycle is over")
        scheduler = self.daemon_pids("pbs_sched")
        procs.send(scheduler, signal.SIGSTOP)
        try:
            before = len(self.cycles())
            ids = [self.submit("--", "/bin/sleep", "1000") for _ in range(8)]
            self.assertEqual({self.job(id)["job_state"] for id in ids}, {"Q"})
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
