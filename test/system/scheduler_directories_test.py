"""Scheduler objects and their schedulers, started by hand: directories, ports, and how one begins and ends."""
import os
import shutil
import socket
import stat
import unittest

from partitions_test import ManagedTest
from private_cluster import procs

NOT_ON_DEFAULT = "Operation is not permitted on default scheduler"
NO_LOG = "Unable to change the sched_log directory"
NOT_VALID = "PBS failed validation checks for sched_priv directory"
NO_PRIV = "Unable to change the sched_priv directory"


class SchedulersTest(ManagedTest):
    start_schedulers = False

    def machine(self):
        return self.cluster.machines[self.cluster.server]

    def create(self, name, partition="P1"):
        self.set(f"create sched {name}")
        if partition:
            self.set(f"set sched {name} partition = {partition}")

    def make(self, name, partition="P1"):
        """An object, its directories and its certificate."""
        self.create(name, partition)
        self.machine().habitat(f"sched:{name}")
        self.cluster.enrol(os.path.join(self.home(), f"sched_priv_{name}", "daemon.pem"), "--scheduler", name)

    def begin(self, name, *options):
        """(exit status, what it printed); a scheduler that began runs in the background."""
        path = os.path.join(self.top, f"{name}.out")
        with open(path, "w") as out:
            status = self.machine().launch([self.machine().program("pbs_sched"), "-I", name, *options], out)
        with open(path) as f:
            return status, f.read()

    def started(self, name, *options):
        self.assertEqual(self.begin(name, *options), (0, ""))
        return self.until_state_of(name, "idle")

    def until_state_of(self, name, state):
        def there():
            shown = self.listed("sched " + name)
            return shown if shown["state"] == state else None
        return self.until(there, lambda: f"{name} is {state}: {self.listed('sched ' + name)}")

    def until_shows(self, name, **wanted):
        def there():
            shown = self.listed("sched " + name)
            return all(shown.get(key) == value for key, value in wanted.items())
        self.until(there, lambda: f"{name} shows {wanted}: {self.listed('sched ' + name)}")

    def pids(self, name):
        return procs.daemons("pbs_sched", self.cluster.layout.conf(self.cluster.server), name)

    def until_gone(self, name):
        self.until(lambda: not self.pids(name), f"{name} has ended")

    def log_of(self, directory):
        text = ""
        for file in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
            with open(os.path.join(directory, file), errors="replace") as f:
                text += f.read()
        return text

    def until_log_says(self, directory, line):
        self.until(lambda: line in self.log_of(directory), lambda: f"{line}: {self.log_of(directory)}")

    def directory(self, name, mode):
        path = os.path.join(self.top, name)
        os.mkdir(path)
        os.chmod(path, mode)
        return path


class objects(SchedulersTest):
    def test_the_default_one_keeps_its_place(self):      # MS-47, MS-48, MS-37
        for change in "partition=P1", "sched_priv=/tmp", "sched_priv = /tmp", "sched_log=/tmp", "sched_host=federer", "sched_port=15099", "port=15099":
            self.refused(f"set sched default {change}", 119, 15223, NOT_ON_DEFAULT)
        self.until_logged(f";Sched;default;{NOT_ON_DEFAULT}\n")
        done = self.qmgr("set sched sched_priv=/tmp")      # without a name it is meant, too
        self.assertEqual((done.status, NOT_ON_DEFAULT in done.err), (119, True), done)

    def test_names_are_short_and_new(self):      # MS-04
        self.set("create sched sc1")
        self.refused("create sched sc1", 107, 15211, "Scheduler already exists")
        self.refused("create sched default", 107, 15211, "Scheduler already exists")
        self.set("create sched abcdefghijklmno")
        self.refused("create sched abcdefghijklmnop", 108, 15212, "Scheduler name is too long")
        for verb in "set sched nosuch scheduling=1", "delete sched nosuch":
            self.refused(verb, 109, 15213, "Unknown Scheduler")

    def test_without_a_name_the_default_one_is_meant(self):      # MS-21, MS-25
        self.set("create sched sc1")
        self.set("set sched default job_sort_formula_threshold = 5")
        self.assertEqual(self.listed("sched default")["job_sort_formula_threshold"], "5")
        self.set("set sched job_sort_formula_threshold = 6")
        self.assertEqual(self.listed("sched default")["job_sort_formula_threshold"], "6")
        self.set("set sched scheduling = 0")
        self.assertEqual([self.listed("sched " + name)["scheduling"] for name in ("default", "sc1")], ["False", "False"])
        self.set("set sched scheduling = 1")
        self.assertEqual([self.listed("sched " + name)["scheduling"] for name in ("default", "sc1")], ["True", "False"])

    def test_its_directories_are_those_of_the_home(self):      # MS-23, MS-09, MS-11, MS-15, MS-27, MS-28
        shown = self.listed("sched")
        log, older, priv = (os.path.join(self.home(), name) for name in ("sched_log", "sched_logs", "sched_priv"))
        self.assertEqual((shown["sched_log"], shown["sched_priv"]), (log, priv))
        self.assertEqual(os.path.realpath(older), os.path.realpath(log))
        self.assertEqual((stat.S_IMODE(os.stat(log).st_mode), stat.S_IMODE(os.stat(priv).st_mode)), (0o755, 0o750))
        self.until_log_says(log, ";Connected to the server\n")

    def test_two_have_no_directory_together(self):      # MS-13, MS-17, MS-18
        self.set("create sched sc1")
        self.set("create sched sc2")
        for name in "sched_priv_sc1", "sched_priv":
            self.refused(f"set sched sc2 sched_priv={self.home()}/{name}", 112, 15216, "Another scheduler has same value for its sched_priv directory")
        for name in "sched_log_sc1", "sched_logs_sc1", "sched_log":
            self.refused(f"set sched sc2 sched_log={self.home()}/{name}", 111, 15215, "Another scheduler has same value for its sched_log directory")

    def test_a_new_one_is_in_no_partition(self):      # MS-05
        self.set("create sched sc1")
        self.assertEqual(self.listed("sched sc1")["partition"], "None")
        printed = self.sure("qmgr", "-c", "print sched sc1")
        self.assertIn("\nset sched sc1 partition = None\n", printed)
        self.set("delete sched sc1")
        for line in printed.splitlines():
            if line.startswith(("create", "set")):
                self.set(line)
        self.assertEqual(self.listed("sched sc1")["partition"], "None")

    def test_what_has_no_effect_is_named_in_the_servers_log(self):
        self.set("create sched sc1 opt_backfill_fuzzy=high")
        self.set("set sched sc1 throughput_mode = False")
        self.set("set sched sc1 job_run_wait = runjob_hook")      # its default
        self.until_logged("opt_backfill_fuzzy has no effect: there is no fuzzy backfilling in this release")
        self.until_logged("throughput_mode has no effect: there is no waiting for a run within a cycle in this release")
        self.assertNotIn("job_run_wait has no effect", self.server_log())
        self.set("set server rpp_retry = 12")
        self.until_logged("rpp_retry has no effect: there is no RPP in this release")
        self.set("set queue workq checkpoint_min = 5")
        self.until_logged("checkpoint_min has no effect: there is no least time between checkpoints in this release")


class by_hand(SchedulersTest):
    def test_one_begins_listens_and_is_there_once(self):      # MS-06, MS-07, MS-31, MS-57, MS-30, MS-88
        self.make("sc1")
        shown = self.started("sc1")
        port = int(shown["sched_port"])
        self.assertGreaterEqual(port, 15050)
        self.assertEqual(shown["sched_host"], "server")
        with socket.create_connection((self.cluster.address(0), port), timeout=60) as caller:
            self.assertEqual(caller.recv(1), b"")      # it says nothing and lets go
        self.assertEqual(self.begin("sc1"), (1, "pbs_sched: another scheduler running\n"))
        self.assertEqual(len(self.pids("sc1")), 1)
        # Another one can't have its port, and is told which; with one of its own it begins.
        self.make("sc2", "P2")
        self.assertEqual(self.begin("sc2", "-S", str(port)), (1, f"pbs_sched: port {port}: Address already in use\n"))
        self.assertNotEqual(self.started("sc2")["sched_port"], str(port))
        self.assertNotIn("sched_port", self.listed("sched default"))
        # Where it is told to, while it runs.
        other = str(port + 500)
        self.set(f"set sched sc1 port = {other}")
        self.assertEqual(self.listed("sched sc1")["sched_port"], other)
        def listens():
            with socket.socket() as caller:
                return caller.connect_ex((self.cluster.address(0), int(other))) == 0
        self.until(listens, f"sc1 listens at {other}")
        # While the server is gone it is told there that it may be back (MS-88).
        logs = os.path.join(self.home(), "sched_log_sc1")
        self.kill_daemon("pbs_server")
        self.until_log_says(logs, ";Disconnected from the server: ")
        def is_called():
            listens()
            return ";Called by the server\n" in self.log_of(logs)
        self.until(is_called, lambda: f"sc1 is called: {self.log_of(logs)}")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.until_state_of("sc1", "idle")

    def test_one_that_has_no_files_yet_needs_no_step_by_hand(self):
        self.create("sc1")
        self.started("sc1")
        priv = os.path.join(self.home(), "sched_priv_sc1")
        self.assertEqual(stat.S_IMODE(os.stat(priv).st_mode), 0o750)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(priv, "daemon.pem")).st_mode), 0o600)
        # When it ends nobody is named in its lock; when it can't begin neither.
        self.set("unset sched sc1 partition")
        self.until_gone("sc1")
        self.assertEqual(os.path.getsize(os.path.join(priv, "sched.lock")), 0)
        self.assertEqual(self.begin("sc1"), (1, "pbs_sched: Scheduler does not contain a partition\n"))
        self.assertEqual(os.path.getsize(os.path.join(priv, "sched.lock")), 0)

    def test_one_without_an_object_or_a_partition_does_not_begin(self):      # MS-03, MS-49, MS-56
        self.assertEqual(self.begin("sc9"), (1, "pbs_sched: Unable to retrieve the scheduler attributes from server: Unknown Scheduler sc9\n"))
        self.make("sc1", partition=None)
        self.assertEqual(self.begin("sc1"), (1, "pbs_sched: Scheduler does not contain a partition\n"))
        self.assertIn(";Scheduler does not contain a partition\n", self.log_of(os.path.join(self.home(), "sched_log_sc1")))
        self.assertEqual(self.listed("sched sc1")["state"], "down")

    def test_one_whose_partition_is_taken_away_ends(self):      # MS-55, MS-42
        self.make("sc1")
        self.started("sc1")
        self.set("unset sched sc1 partition")
        self.until_gone("sc1")
        self.until_log_says(os.path.join(self.home(), "sched_log_sc1"), ";Scheduler does not contain a partition\n")
        self.assertNotIn("partition", self.until_state_of("sc1", "down"))

    def test_one_whose_object_is_deleted_ends(self):
        self.make("sc1")
        self.started("sc1")
        self.set("delete sched sc1")
        self.until_gone("sc1")

    def test_its_log_goes_where_its_object_says(self):      # MS-16, MS-19, MS-50, MS-53, MS-58
        self.make("sc1")
        self.set("set sched sc1 log_events = 4095")
        self.set("set sched sc1 scheduling = True")
        self.started("sc1")
        self.set("set sched sc1 sched_log = /nosuchdir")
        self.until_shows("sc1", comment=NO_LOG, scheduling="False", sched_log="/nosuchdir")
        self.until_log_says(os.path.join(self.home(), "sched_log_sc1"), "/nosuchdir")
        self.assertEqual(len(self.pids("sc1")), 1)
        logs = self.directory("logs", 0o755)
        self.set(f"set sched sc1 sched_log = {logs}")
        self.until_shows("sc1", comment=None, scheduling="False", sched_log=logs)
        for line in f"Scheduler log directory is changed to {logs}", f"scheduler log directory is changed to {logs}":
            self.until_log_says(logs, f";{line}\n")
        self.set("set sched sc1 scheduling = True")
        self.until_log_says(logs, ";Leaving Scheduling Cycle\n")

    def test_its_priv_directory_is_where_its_object_says(self):      # MS-11, MS-12, MS-14, MS-51, MS-52, MS-54, MS-58
        self.make("sc1")
        self.set("set sched sc1 log_events = 4095")
        self.started("sc1")
        old, logs = (os.path.join(self.home(), f"sched_{what}_sc1") for what in ("priv", "log"))
        priv = self.directory("priv", 0o750)
        for bad in "/nosuchdir", priv:      # it is not there; it is empty
            self.set("set sched sc1 scheduling = True")
            self.set(f"set sched sc1 sched_priv = {bad}")
            self.until_shows("sc1", comment=NOT_VALID, scheduling="False", sched_priv=bad)
            self.until_log_says(logs, f";PBS failed validation checks for directory {bad}\n")
        # One that somebody else works in.
        self.make("sc2", "P2")
        self.started("sc2")
        taken = os.path.join(self.top, "taken")
        os.symlink(os.path.join(self.home(), "sched_priv_sc2"), taken)
        self.set(f"set sched sc1 sched_priv = {taken}")
        self.until_shows("sc1", comment=NO_PRIV, scheduling="False")
        # Put in order and turned on again it is used, without another word.
        self.set(f"set sched sc1 sched_priv = {priv}")
        self.until_shows("sc1", comment=NOT_VALID)
        shutil.copy(os.path.join(old, "sched_config"), priv)
        self.set("set sched sc1 scheduling = True")
        self.until_shows("sc1", comment=None, scheduling="True")
        for line in f"Scheduler priv directory is changed to {priv}", f"scheduler priv directory has changed to {priv}":
            self.until_log_says(logs, f";{line}\n")
        # The old one is not needed any more, not for the next start either.
        procs.kill_all(lambda: self.pids("sc1"))
        self.until_state_of("sc1", "down")
        shutil.rmtree(old)
        self.started("sc1")
        with open(os.path.join(priv, "sched.lock")) as f:
            self.assertEqual([int(f.read())], self.pids("sc1"))

    def test_one_that_begins_in_a_bad_directory_says_so_and_ends(self):      # MS-14, MS-51, MS-52
        self.make("sc1")
        self.set("set sched sc1 scheduling = True")
        priv = os.path.join(self.home(), "sched_priv_sc1")
        os.chmod(priv, 0o777)
        status, said = self.begin("sc1")
        self.assertEqual((status, said), (1, f"pbs_sched: PBS failed validation checks for directory {priv}: its mode is 777\n"))
        self.until_shows("sc1", comment=NOT_VALID, scheduling="False", state="down")
        os.chmod(priv, 0o750)
        self.started("sc1")
        self.until(lambda: "comment" not in self.listed("sched sc1"), "sc1 has no comment any more")


if __name__ == "__main__":
    unittest.main(verbosity=2)
