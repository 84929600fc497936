"""A log that was lost, in whole or in part, is noticed by whoever knows more than it: the server does not start, or stops, and
says what is missing. Nothing is ever complained of after an orderly stop or a crash."""
import glob
import json
import os
import re
import shutil
import subprocess
import unittest

from private_cluster import ClusterTest, Done, Trouble

SERVER, MOM = "pbs_server", "pbs_mom"
REFUSED = "The server does not start"


class LostLogTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.priv = os.path.join(self.home(), "server_priv")
        self.server_log_directory = os.path.join(self.priv, "log")
        self.mark = os.path.join(self.priv, "log.mark")

    def marked(self):
        with open(self.mark) as f:
            return int(f.read().split()[3])

    def last_record(self):
        return json.loads(self.audit("log", "-n", "1", "--json").splitlines()[-1])["sequence"]

    def until_marked(self, sequence):
        self.until(lambda: self.marked() >= sequence, lambda: f"the mark knows {sequence}, it knows {self.marked()}")

    def held_jobs(self, n):
        return [self.submit("-h", "--", "/bin/true") for _ in range(n)]

    def stop_server(self):
        self.sure("qterm")
        self.until(lambda: not self.daemon_pids(SERVER), "the server has gone")

    def refused(self, *texts, arguments=()):
        with self.assertRaises(Trouble) as caught:
            self.start_server(*arguments)
        self.assertEqual(self.daemon_pids(SERVER), [])
        for text in texts:
            self.assertIn(text, str(caught.exception))
            self.assertIn(text, self.server_log())

    def start_server(self, *arguments):
        self.cluster.machines["server"].start_daemon(SERVER, *arguments)

    def complaints(self):
        return [line for line in self.server_log().splitlines() if re.search("missing|not what it was|is a copy", line)]


class a_server(LostLogTest):
    def test_neither_orderly_stops_nor_kills_are_complained_of(self):
        for round in range(3):
            self.held_jobs(5)
            self.stop_server()
            with open(self.mark) as f:
                self.assertTrue(f.read().startswith("annals-log 1 "))
            self.start_server()
            self.held_jobs(5)
            self.kill_daemon(SERVER)
            self.start_server()
        self.until_free("a")
        self.assertEqual(self.complaints(), [])
        self.assertEqual(len(self.jobs()), 30)

    def test_the_log_is_gone(self):
        jobs = self.held_jobs(3)
        self.stop_server()
        known = self.marked()
        aside = self.server_log_directory + ".aside"
        os.rename(self.server_log_directory, aside)
        self.refused(f"server_priv/log.mark knows record {known}, there is no log: {known} records are missing", REFUSED)
        self.assertFalse(os.path.exists(self.server_log_directory))        # nothing is made where a disk may come back
        os.mkdir(self.server_log_directory)
        self.refused("there is no log", REFUSED)
        os.rmdir(self.server_log_directory)
        os.rename(aside, self.server_log_directory)
        self.start_server()
        self.assertEqual(self.job(jobs[0])["job_state"], "H")

    def test_a_loss_that_is_accepted_never_gives_a_number_again(self):
        jobs = self.held_jobs(3)
        self.stop_server()
        known = self.marked()
        shutil.rmtree(self.server_log_directory)
        self.start_server("--accept-loss")
        self.sure("qmgr", "-c", "set server acl_roots = root@*")       # with the log went its settings
        first = int(self.submit("-h", "--", "/bin/true").split(".")[0])
        self.assertGreater(first, max(int(id.split(".")[0]) for id in jobs))
        self.assertIn("LogLossAccepted", self.audit("log", "--kind", "log"))
        self.assertEqual(self.run_command("pbs_audit", "--log", self.server_log_directory, "verify").status, 0)
        self.until_marked(known + 1)
        self.stop_server()
        self.start_server()                    # said once
        self.assertEqual(int(self.submit("-h", "--", "/bin/true").split(".")[0]), first + 1)

    def test_an_older_copy_of_the_log_is_told_from_the_log(self):
        self.held_jobs(2)
        self.stop_server()
        copy = self.server_log_directory + ".copy"
        shutil.copytree(self.server_log_directory, copy)
        self.start_server()
        lost = self.held_jobs(4)
        self.stop_server()
        known = self.marked()
        shutil.rmtree(self.server_log_directory)
        os.rename(copy, self.server_log_directory)
        self.refused(f"server_priv/log.mark knows record {known}, the log ends with record", REFUSED)
        self.start_server("--accept-loss")
        self.until_logged("the loss of part of the log was accepted by ")
        self.assertIn("scheduling = False", self.sure("qmgr", "-c", "list server"))
        again = int(self.submit("-h", "--", "/bin/true").split(".")[0])
        self.assertGreater(again, max(int(id.split(".")[0]) for id in lost))
        self.assertEqual(self.run_command("pbs_audit", "--log", self.server_log_directory, "verify").status, 0)

    def test_a_newest_file_that_was_deleted_loses_nothing_unnoticed(self):
        self.held_jobs(20)
        self.until_marked(self.last_record())
        self.kill_daemon(SERVER)
        jobs = self.marked()
        for pattern in ("*.log", "*.sst"):
            whole = self.server_log_directory + ".whole"
            shutil.copytree(self.server_log_directory, whole)
            files = [f for f in glob.glob(os.path.join(self.server_log_directory, pattern)) if os.path.getsize(f) > 0]
            if files:
                os.remove(max(files, key=os.path.getmtime))
                with self.assertRaises(Trouble):
                    self.start_server()
                self.assertEqual(self.daemon_pids(SERVER), [])
            shutil.rmtree(self.server_log_directory)
            os.rename(whole, self.server_log_directory)
        self.start_server()
        self.assertGreaterEqual(self.last_record(), jobs)

    def test_a_home_that_was_put_back_unchanged_goes_on_when_its_hosts_agree(self):
        last = int(self.held_jobs(1)[0].split(".")[0])
        self.stop_server()
        copy = self.priv + ".copy"
        shutil.copytree(self.priv, copy, symlinks=True)
        shutil.rmtree(self.priv)
        os.rename(copy, self.priv)
        self.start_server()
        self.assertEqual(int(self.submit("-h", "--", "/bin/true").split(".")[0]), last + 1)
        self.assertRegex(self.server_log(), "the log is a copy, or its mark is gone: jobs and changes wait for the word of 1 host, 10 s at most")
        self.assertIn("the log is taken as whole: 1 of 1 hosts have said what they know", self.server_log())
        self.until_marked(self.last_record())
        self.kill_daemon(SERVER)
        self.start_server()
        self.assertEqual(int(self.submit("-h", "--", "/bin/true").split(".")[0]), last + 2)
        self.assertEqual(len(self.complaints()), 1)         # once: its mark is its own again

    def test_a_mark_that_was_damaged_is_said_and_removed_by_hand(self):
        self.stop_server()
        with open(self.mark, "r+b") as f:
            f.seek(50)
            f.write(b"x")
        self.refused("log.mark is no mark of a log, or was damaged")
        os.remove(self.mark)
        self.start_server()
        self.until_logged("log.mark is missing")

    def test_a_home_is_made_only_where_it_is_asked_for(self):
        nowhere = os.path.join(self.top, "nowhere")
        conf = self.cluster.layout.conf("server")
        for program in (SERVER, MOM, "pbs_sched"):
            done = self.at(conf, program, "-d", nowhere)
            self.assertEqual(done.status, 1, done)
            self.assertIn(f"PBS_HOME {nowhere} does not exist", done.err)
            done = self.at(nowhere + ".conf", program)
            self.assertEqual(done.status, 1, done)
            self.assertIn(f"PBS_CONF_FILE names {nowhere}.conf, which can't be read", done.err)
        self.assertEqual(glob.glob(nowhere + "*"), [])
        self.stop_server()
        done = self.at(conf, SERVER, "-t", "create")
        self.assertEqual(done.status, 1, done)
        self.assertIn("-t create makes a new cluster only where none was", done.err)
        for type in ("hot", "cold", "updatedb", "tepid"):
            done = self.at(conf, SERVER, "-t", type)
            self.assertEqual(done.status, 2, done)
            self.assertIn(f"pbs_server: -t {type}: ", done.err)
        for words in ("-e", "banana"), ("-e", "-1"), ("-p", "0"), ("-p", "65536"):
            done = self.at(conf, SERVER, *words)
            self.assertEqual(done.status, 2, f"{words}: {done}")
        for path in (self.server_log_directory, os.path.join(self.priv, "views"), os.path.join(self.priv, "accounting")):
            shutil.rmtree(path, ignore_errors=True)
        os.remove(self.mark)
        done = self.at(conf, SERVER)
        self.assertEqual(done.status, 1, done)
        self.assertIn("nothing says that this home is new", done.err)
        self.start_server("-t", "create")
        self.assertEqual(self.sure("qstat"), "")

    def at(self, conf, *command):
        environment = {**self.environment(), "PBS_CONF_FILE": conf}
        return Done(subprocess.run(command, env=environment, cwd=self.work, capture_output=True, text=True,
                                   stdin=subprocess.DEVNULL, timeout=120))


class what_a_mom_knows(LostLogTest):
    def told(self):
        path = os.path.join(self.home("a"), "mom_priv", "server_log.mark")
        if not os.path.exists(path):
            return 0
        with open(path, "rb") as f:
            return int(re.search(rb"annals-log 1 \w+ (\d+) ", f.read()).group(1))

    def restore_backup(self):
        """The whole home of the server as it was, then a job that the backup does not know runs."""
        self.stop_server()
        backup = self.home() + ".backup"
        shutil.copytree(self.home(), backup, symlinks=True, ignore=lambda d, names: [n for n in names if n.endswith(".sock")])
        self.start_server()
        self.until_free("a")
        go = os.path.join(self.work, "go")
        id = self.submit("--", "/bin/sh", "-c", f"until [ -e {go} ]; do sleep 0.1; done; exit 7")
        self.until_running(id)
        self.until_marked(self.last_record())
        known = self.marked()
        self.until(lambda: self.told() >= known, lambda: f"the MoM was told {known}, it was told {self.told()}")
        self.kill_daemon(SERVER)
        self.kill_daemon("pbs_sched")         # it has files of this home open
        shutil.rmtree(self.home())
        os.rename(backup, self.home())
        return id, go

    def test_a_restored_backup_is_noticed_and_its_runs_are_kept(self):
        id, go = self.restore_backup()
        self.start_server()                                    # nothing on this host knows better
        self.until(lambda: not self.daemon_pids(SERVER), "the MoM's word stops the server")
        self.assertRegex(self.server_log(), r"host a knows record \d+, the log ends with record \d+: \d+ records are missing")
        self.refused("a MoM (server_priv/log.witness) knows record", REFUSED)
        self.start_server("--accept-loss")
        self.until_logged(f"runs job {id} (run 1), of which the log knows nothing")
        listed = lambda: self.sure("pbsnodes", "-l").strip()
        self.until(lambda: listed().endswith("down node down: it runs jobs of which the log knows nothing"), listed)
        self.assertGreater(int(self.submit("-h", "--", "/bin/true").split(".")[0]), int(id.split(".")[0]))
        open(go, "w").close()
        self.until_logged(f"job {id}, of which the log knows nothing, has ended with exit status 7")
        self.until_free("a")
        self.sure("qmgr", "-c", "set server scheduling = true")
        self.until_state(self.submit("--", "/bin/true"), "F")

    def test_a_restored_backup_gives_no_number_again(self):
        id, go = self.restore_backup()
        self.start_server()
        asking = subprocess.Popen(["qsub", "-h", "--", "/bin/true"], env=self.environment(), cwd=self.work, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(asking.kill)
        self.until(lambda: not self.daemon_pids(SERVER), "the MoM's word stops the server")
        self.start_server("--accept-loss")
        given = asking.communicate()[0].split()          # it failed, or asked again
        given += [self.submit("-h", "--", "/bin/true")]
        for other in given:
            self.assertGreater(int(other.split(".")[0]), int(id.split(".")[0]))
        open(go, "w").close()
        self.until_free("a")

    def test_runs_of_a_lost_part_are_ended_when_the_administrator_says_so(self):
        id, go = self.restore_backup()
        self.start_server()
        self.until(lambda: not self.daemon_pids(SERVER), "the MoM's word stops the server")
        self.start_server("--accept-loss", "--discard-unknown-runs")
        self.until_free("a")
        self.assertNotIn("of which the log knows nothing", self.server_log())

    def test_a_mom_says_that_its_own_log_was_lost(self):
        id = self.submit("--", "/bin/true")
        self.until_state(id, "F")
        mark = os.path.join(self.home("a"), "mom_priv", "log.mark")
        self.until(lambda: os.path.exists(mark), "the MoM keeps a mark")
        self.kill_daemon(MOM, "a")
        self.start_daemon(MOM, "a")
        self.until_free("a")
        self.assertNotIn("is not what it was", self.mom_log("a"))
        self.kill_daemon(MOM, "a")
        shutil.rmtree(os.path.join(self.home("a"), "mom_priv", "log"))
        self.start_daemon(MOM, "a")
        self.assertRegex(self.mom_log("a"), r"mom_priv/log.mark knows record \d+, the log is empty: \d+ records are missing")
        self.until_state(self.submit("--", "/bin/true"), "F")


if __name__ == "__main__":
    unittest.main(verbosity=2)
