"""pbs_export beside a server that lives, with kills of both: rows are those of the accounting files, and of an export from nothing
(docs/design/0070-exports.md)."""
import csv
import datetime
import gzip
import os
import pathlib
import random
import re
import sqlite3
import subprocess
import unittest

from private_cluster import STAGE, ClusterTest

EXPORT = os.path.join(STAGE, "sbin", "pbs_export")


def rows(file):
    """Table -> its rows, in the order of their keys."""
    base = sqlite3.connect(file)
    try:
        names = [name for name, in base.execute("select name from sqlite_master where type = 'table' and name <> 'export_position'")]
        return {name: sorted(map(repr, base.execute(f"select * from {name}"))) for name in names}
    finally:
        base.close()


def ask(file, query):
    base = sqlite3.connect(file)
    try:
        return base.execute(query).fetchall()
    finally:
        base.close()


def seconds(moment):
    return int(datetime.datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp())


class exported_accounting(ClusterTest):
    hosts = ["a", "b"]

    def setUp(self):
        super().setUp()
        self.log_directory = os.path.join(self.home(), "server_priv", "log")
        self.running = None
        self.addCleanup(self.end_follower)

    def at(self, name):
        return os.path.join(self.home(), name)

    def killed_environment(self):
        """Of those that are killed: what a reader of the log has for itself lies where it goes with the cluster."""
        os.makedirs(self.at("scratch"), exist_ok=True)
        return {**self.environment(), "TMPDIR": self.at("scratch")}

    def export(self, *arguments):
        return self.sure("pbs_export", "--log", self.log_directory, *arguments)

    def begin_follower(self):
        self.end_follower()
        self.running = subprocess.Popen([EXPORT, "--log", self.log_directory, "-q", "-f", self.at("followed.db")],
                                        env=self.killed_environment(), cwd=self.home())

    def end_follower(self, signal="kill"):
        if self.running:
            getattr(self.running, signal)()
            self.running.wait()
            self.running = None

    def run_jobs(self):
        """Some that end well and badly, on one host and two, rerun, suspended, deleted, of an array."""
        ids = [self.submit("-l", "select=2:ncpus=1", "-l", "place=scatter", "--", "/bin/true"), self.submit("--", "/bin/false")]
        rerun = self.submit("--", "/bin/sleep", "1000")
        self.until_running(rerun)
        self.sure("qsig", "-s", "suspend", rerun)
        self.until_state(rerun, "S")
        self.sure("qsig", "-s", "resume", rerun)
        self.until_state(rerun, "R")
        self.sure("qrerun", rerun)
        self.until_running(rerun)
        self.sure("qdel", rerun)
        array = self.submit("-J", "1-3", "--", "/bin/true")
        waiting = self.submit("-h", "--", "/bin/true")
        self.sure("qalter", "-l", "walltime=00:10:00", waiting)
        for id in [*ids, rerun, array]:
            self.until_state(id, "F")
        self.until_recorded(array, "QSE")

    def until_followed(self):
        last = int(re.search(r"up to record (\d+)", self.export(self.at("other.db"))).group(1))

        def is_there():
            try:
                return ask(self.at("followed.db"), "select sequence from export_position")[0][0] >= last
            except (sqlite3.OperationalError, IndexError):
                return False
        self.until(is_there, "the follower is where the log is")

    def test_rows_are_whole_after_kills_and_as_accounting_has_them(self):
        for _ in range(3):
            self.begin_follower()
            self.run_jobs()
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.begin_follower()
        self.run_jobs()
        self.until_followed()
        self.end_follower("terminate")
        self.export(self.at("whole.db"))
        self.export(self.at("followed.db"))
        self.assertEqual(rows(self.at("followed.db")), rows(self.at("whole.db")))
        self.as_in_accounting(self.at("whole.db"))
        self.export("--rebuild", self.at("followed.db"))
        self.assertEqual(rows(self.at("followed.db")), rows(self.at("whole.db")))

    def as_in_accounting(self, file):
        """Each E and R of a run is a row, and each row one of these."""
        over = ask(file, "select count(*) from runs where closed_at is not null")[0][0]
        self.until(lambda: len(list(self.ended_runs())) >= over, "accounting is as far as the rows")
        told = sorted((id, fields["Exit_status"], int(fields["start"]), int(fields["end"]), fields["exec_host"], fields["user"])
                      for letter, id, fields in self.ended_runs())
        exported = sorted((id, str(status), seconds(start), seconds(end), host, user) for id, status, start, end, host, user in ask(
            file, "select job_id, exit_status, started_at, ended_at, exec_host, user_name from runs where closed_at is not null"))
        self.assertGreater(len(told), 10)
        self.assertEqual(exported, told)
        self.assertEqual(ask(file, "select count(*) from suspensions")[0][0], 4)
        self.assertEqual(ask(file, "select count(*) from arrays where ended_at is not null and ended = 3")[0][0], 4)

    def ended_runs(self):
        for letter, id, text in self.accounting():
            fields = dict(field.split("=", 1) for field in text.split() if "=" in field)
            if letter in "ER" and "exec_host" in fields:
                yield letter, id, fields

    def test_files_have_each_run_once_whatever_is_killed(self):
        self.run_jobs()
        directory = self.at("files")
        choice = random.Random(1)
        for _ in range(20):
            one = subprocess.Popen([EXPORT, "--log", self.log_directory, "-q", "--format", "csv", "--gzip", directory],
                                   env=self.killed_environment())
            try:
                one.wait(timeout=choice.random() * 0.1)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        self.export("--format", "csv", "--gzip", directory)
        keys = []
        for name in os.listdir(os.path.join(directory, "runs")):
            with gzip.open(os.path.join(directory, "runs", name), "rt", newline="") as file:
                keys += [(row["job_id"], row["run"]) for row in csv.DictReader(file)]
        self.assertEqual(len(keys), len(set(keys)))
        self.until(lambda: len(list(self.ended_runs())) == len(keys), "accounting has as many runs as the files")

    def test_a_target_that_takes_no_rows_is_told_of_once_and_once_when_it_does(self):
        self.run_jobs()
        directory = self.at("files")
        self.export("--format", "csv", directory)
        runs, jobs = os.path.join(directory, "runs"), os.path.join(directory, "jobs")
        jobs = os.path.join(jobs, max(os.listdir(jobs)))
        os.rename(runs, self.at("runs"))
        os.symlink("runs", runs)    # the directory can be opened, and these rows have no place in it
        with open(self.at("said"), "w+", encoding="utf-8") as said:
            self.running = subprocess.Popen([EXPORT, "--log", self.log_directory, "-q", "-f", "--format", "csv", directory],
                                            env=self.killed_environment(), stderr=said)
            self.until_state(self.submit("--", "/bin/true"), "F")
            self.until(lambda: os.path.getsize(self.at("said")) > 0, "it says that it can't write")
            size = os.path.getsize(jobs)
            for _ in range(2):
                with open(jobs, "a", encoding="utf-8") as file:
                    file.write("more\n")
                self.until(lambda: os.path.getsize(jobs) == size, "it has opened the files again, and cut them")
            os.unlink(runs)
            os.rename(self.at("runs"), runs)
            before = self.rows_of(runs)
            self.until(lambda: self.rows_of(runs) > before, "the row is there")
            self.until(lambda: "there again" in pathlib.Path(self.at("said")).read_text(encoding="utf-8"), "it says so")
            self.end_follower("terminate")
            said.seek(0)
            self.assertRegex(said.read(), r"\Apbs_export: .*/runs: .*: trying again every 5 s\npbs_export: .*/files is there again\n\Z")

    @staticmethod
    def rows_of(directory):
        return sum(file.read_text(encoding="utf-8").count("\n") for file in pathlib.Path(directory).iterdir())

    def test_what_can_t_be_done_is_said(self):
        done = self.run_command("pbs_export", "--log", self.at("nothing"), self.at("x.db"))
        self.assertEqual(done.status, 3)
        done = self.run_command("pbs_export", "--log", self.log_directory, "/nonexistent/x.db")
        self.assertEqual(done.status, 1)
        self.assertRegex(done.err, r"\Apbs_export: /nonexistent/x.db: .+\n\Z")
        self.assertEqual(self.run_command("pbs_export", "--gzip", self.at("x.db")).status, 2)
        self.assertEqual(self.run_command("pbs_export", "--rebuild", "-f", self.at("x.db")).status, 2)


if __name__ == "__main__":
    unittest.main()
