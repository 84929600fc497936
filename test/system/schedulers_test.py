"""The server starts its schedulers, here and on other hosts, starts them again when they end, and ends them with qterm -s."""
import os
import time
import unittest

from private_cluster import ClusterTest, DEADLINE_S, Trouble, attributes, procs, signal, wait_gone


class SchedulersTest(ClusterTest):
    def qmgr(self, *commands):
        for command in commands:
            self.sure("qmgr", "-c", command)

    def listed(self, name):
        return attributes(self.sure("qmgr", "-c", f"list sched {name}"))

    def pids(self, name="default", host="server"):
        return procs.daemons("pbs_sched", self.cluster.layout.conf(host), name)

    def every_scheduler(self):
        return [pid for host in ["server", *self.hosts] for pid in procs.daemons("pbs_sched", self.cluster.layout.conf(host))]

    def until_idle(self, name="default", host="server"):
        """Until it is connected; its pid."""
        def the_one():
            if self.listed(name)["state"] == "down":      # first: who starts one has its name, and is gone when it is connected
                return None
            pids = self.pids(name, host)
            return pids[0] if len(pids) == 1 else None
        return self.until(the_one, lambda: f"{name} runs on {host}: {self.listed(name)}, {self.pids(name, host)}: {self.server_log()[-2000:]}")

    def second(self, name="s1", **more):
        self.qmgr(f"create sched {name}", f"set sched {name} partition = P_{name}",
                  *(f"set sched {name} {key} = {value}" for key, value in more.items()), f"set sched {name} scheduling = 1")

    def a_job_runs(self):
        self.assertEqual(self.until_state(self.submit("--", "/bin/true"), "F")["Exit_status"], "0")


class on_the_servers_host(SchedulersTest):
    def test_the_server_starts_the_default_one(self):      # MS-22, MS-86
        pid = self.until_idle()
        self.assertEqual(self.listed("default")["sched_host"], "server")
        self.assertNotEqual(os.getsid(pid), os.getsid(self.daemon_pids("pbs_server")[0]))
        names = set()
        for fd in os.listdir(f"/proc/{pid}/fd"):
            try:
                names.add(os.readlink(f"/proc/{pid}/fd/{fd}"))
            except OSError:
                pass
        self.assertFalse([name for name in names if "server_priv" in name or "server_logs" in name], "it has no file of the server")
        self.a_job_runs()

    def test_one_that_does_not_schedule_is_not_waited_for(self):
        pid = self.until_idle()
        self.qmgr("set server scheduling = False")
        self.cluster.kill("server")          # first: it may start one that dies just then
        procs.send([pid], signal.SIGKILL)
        wait_gone([pid])
        self.cluster.start("server")
        with self.assertRaisesRegex(Trouble, "when its `scheduling` is True"):
            self.cluster.start("sched")
        self.qmgr("set server scheduling = True")
        self.cluster.start("sched")
        self.a_job_runs()

    def test_one_that_is_killed_in_a_cycle_is_back_and_places_jobs(self):      # MS-42, MS-86
        self.a_job_runs()
        pid = self.until_idle()
        procs.send([pid], signal.SIGSTOP)
        id = self.submit("--", "/bin/true")      # the server asks for a cycle
        self.until(lambda: self.listed("default")["state"] in ("scheduling", "idle"), "it is not down")
        began = time.monotonic()
        procs.send([pid], signal.SIGKILL)
        self.until_state(id, "F")
        print(f"killed, started again, and the job is over: {time.monotonic() - began:.2f} s")
        self.assertNotEqual(self.until_idle(), pid)
        self.until_logged("scheduler disconnected")

    def test_it_outlives_a_server_that_is_killed_and_is_found_again(self):      # MS-86
        pid = self.until_idle()
        self.second()
        second = self.until_idle("s1")
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.a_job_runs()
        self.assertEqual((self.until_idle(), self.until_idle("s1")), (pid, second))

    def test_what_died_with_the_server_is_started_with_it(self):
        self.second()
        pids = [self.until_idle(), self.until_idle("s1")]
        self.kill_daemon("pbs_server")
        procs.send(pids, signal.SIGKILL)
        self.assertTrue(wait_gone(pids))
        self.start_daemon("pbs_server")
        self.until_answers()
        self.assertFalse({self.until_idle(), self.until_idle("s1")} & set(pids))
        self.a_job_runs()

    def test_further_ones_are_started_when_they_are_turned_on(self):      # MS-05, MS-11, MS-15, MS-20, MS-49, MS-86
        self.qmgr("create sched s1", "set sched s1 partition = P1")
        self.assertEqual(self.pids("s1"), [])
        self.qmgr("set sched s1 scheduling = 1")
        pid = self.until_idle("s1")
        self.assertEqual(self.listed("s1")["sched_host"], "server")
        home = self.home()
        self.assertEqual(os.stat(f"{home}/sched_priv_s1").st_mode & 0o777, 0o750)
        self.assertEqual(os.stat(f"{home}/sched_log_s1").st_mode & 0o777, 0o755)
        self.assertEqual(os.stat(f"{home}/sched_priv_s1/daemon.pem").st_mode & 0o777, 0o600)
        self.second("s2")
        self.until_idle("s2")
        self.qmgr("set sched s1 scheduling = 0")
        self.a_job_runs()
        self.assertEqual(self.until_idle("s1"), pid, "it stays, and does nothing")
        procs.send([pid], signal.SIGKILL)
        self.until(lambda: self.listed("s1")["state"] == "down", "it is down")
        self.a_job_runs()
        self.assertEqual(self.pids("s1"), [], "nobody starts it")
        self.qmgr("set sched s1 scheduling = 1")
        self.until_idle("s1")
        missing = "Scheduler does not contain a partition"      # MS-49
        self.qmgr("create sched s3", "set sched s3 scheduling = 1")
        self.until(lambda: self.listed("s3").get("comment") == missing, lambda: self.listed("s3"))
        self.until_logged(f"scheduler not started: pbs_sched: {missing}")
        logs = f"{home}/sched_log_s3"
        with open(os.path.join(logs, sorted(os.listdir(logs))[-1])) as log:
            self.assertIn(f";{missing}\n", log.read())
        self.qmgr("set sched s3 partition = P3")
        self.until_idle("s3")
        self.assertNotIn("comment", self.listed("s3"))

    def test_one_whose_object_is_deleted_ends(self):
        self.second()
        pid = self.until_idle("s1")
        self.qmgr("delete sched s1")
        self.assertTrue(wait_gone([pid]))
        self.assertEqual(len(self.every_scheduler()), 1)

    def test_a_directory_that_is_not_there_is_said_and_turns_it_off(self):      # MS-14, MS-52
        self.second(sched_priv=f"{self.top}/nowhere")
        self.until(lambda: self.listed("s1").get("comment") == "PBS failed validation checks for sched_priv directory", "it says why")
        self.assertEqual((self.listed("s1")["scheduling"], self.listed("s1")["state"]), ("False", "down"))
        self.assertFalse(os.path.exists(f"{self.top}/nowhere"))
        self.qmgr(f"set sched s1 sched_priv = {self.home()}/sched_priv_s1", "set sched s1 scheduling = 1")
        self.until_idle("s1")

    def test_one_that_hangs_is_replaced(self):      # MS-42
        pid = self.until_idle()
        procs.send([pid], signal.SIGSTOP)
        self.until(lambda: self.listed("default")["state"] == "down", "its heartbeat is missed")
        self.assertTrue(wait_gone([pid], 2 * DEADLINE_S))
        self.until_idle()
        self.a_job_runs()

    def test_one_that_cannot_live_needs_attention(self):      # MS-10
        for ends in range(3):
            pid = self.until_idle()
            procs.send([pid], signal.SIGKILL)
            wait_gone([pid])
        self.until(lambda: self.listed("default").get("comment") == "NEEDS_ATTENTION", lambda: self.listed("default"))
        self.until_idle()

    def test_qterm_leaves_them_and_qterm_s_ends_them(self):      # MS-96
        self.second()
        pids = [self.until_idle(), self.until_idle("s1")]
        self.sure("qterm")
        self.until(lambda: not self.daemon_pids("pbs_server"), "the server has gone")
        self.assertEqual(sorted(self.every_scheduler()), sorted(pids))
        for how in (["-s"], ["-s", "-t", "immediate"]):
            self.start_daemon("pbs_server")
            self.until_answers()
            pids = [self.until_idle(), self.until_idle("s1")]
            self.sure("qterm", *how)
            self.until(lambda: not self.daemon_pids("pbs_server"), "the server has gone")
            self.assertTrue(wait_gone(pids))
            self.assertEqual(self.every_scheduler(), [])
        self.start_daemon("pbs_server")
        self.until_idle("s1")
        self.assertNotIn("comment", self.listed("s1"))


class on_other_hosts(SchedulersTest):
    hosts = ["a", "b"]

    def test_the_mom_of_its_host_starts_it(self):      # MS-06, MS-30, MS-86
        self.second(sched_host="b")
        done = self.run_command("qmgr", "-c", "set sched s1 sched_host = nosuchhost")
        self.assertIn("unknown host: nosuchhost is neither a node nor the server's host\n", done.err)
        pid = self.until_idle("s1", "b")
        self.assertEqual((self.listed("s1")["sched_host"], self.pids("s1")), ("b", []))
        self.kill_daemon("pbs_mom", "b")      # it outlives that, too
        self.start_daemon("pbs_mom", "b")
        self.until_free("b")
        self.assertEqual(self.until_idle("s1", "b"), pid)
        procs.send([pid], signal.SIGKILL)
        wait_gone([pid])
        self.assertNotEqual(self.until_idle("s1", "b"), pid)
        self.qmgr("set sched s1 sched_host = a")
        pid = self.until_idle("s1", "a")
        self.until(lambda: self.pids("s1", "b") == [], "the one on b has ended")
        self.sure("qterm", "-s")
        self.until(lambda: not self.daemon_pids("pbs_server"), "the server has gone")
        self.assertTrue(wait_gone([pid]))
        self.assertEqual(self.every_scheduler(), [])

    def test_when_its_host_is_lost_it_runs_on_the_servers_until_somebody_wants_it_back(self):      # MS-59, MS-60
        self.second(sched_host="b")
        self.until_idle("s1", "b")
        self.cluster.kill("b")
        here = self.until_idle("s1")
        self.assertEqual(self.listed("s1")["sched_host"], "server")
        self.cluster.start("b")
        self.until_free("b")
        self.assertEqual(self.until_idle("s1"), here, "it stays")
        self.qmgr("set sched s1 sched_host = b")
        self.until_idle("s1", "b")
        self.assertTrue(wait_gone([here]))


class started_by_hand(SchedulersTest):
    start_schedulers = False

    def test_a_server_that_was_told_to_starts_none(self):
        self.assertIn("start_schedulers is off", self.server_log())
        pid = self.until_idle()
        self.a_job_runs()
        procs.send([pid], signal.SIGKILL)
        self.until(lambda: self.listed("default")["state"] == "down", "it is down")
        self.second()
        later = self.submit("--", "/bin/true")
        self.assertEqual(self.every_scheduler(), [])
        self.start_daemon("pbs_sched")
        self.until_state(later, "F")


if __name__ == "__main__":
    unittest.main(verbosity=2)
