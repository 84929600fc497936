"""Checkpoints: when they are made, and that a start from one serves what a start serves that has read the whole log
(docs/design/0068-checkpoints.md). Damaged ones: test/durability/checkpoints_test.py."""
import fcntl
import os
import random
import stat
import subprocess
import time
import unittest

from checkpointed import FILES, CheckpointTest, change_head


class a_start(CheckpointTest):
    def check_starts(self, made, *moments):
        """From the checkpoint, twice, and then without it."""
        live, lines = self.told(*moments), self.accounting_files()
        for _ in range(2):
            self.assertIn(f"the start went on from the checkpoint of record {made}\n", self.restart())
            self.assertEqual(self.told(*moments), live)
        os.rename(self.checkpoint(), self.checkpoint() + ".aside")
        self.assertNotIn("checkpoint", self.restart())
        self.assertEqual(self.told(*moments), live)
        self.assertEqual(self.accounting_files(), lines)
        os.rename(self.checkpoint() + ".aside", self.checkpoint())

    def test_from_a_checkpoint_tells_what_one_without_it_tells(self):
        self.manage("create queue other queue_type=e, enabled=t, started=t, Priority=7", "set server comment = first")
        finished = [self.finish() for _ in range(3)]
        array = self.submit("-J", "1-4", "--", "/bin/true")
        self.until_state(array, "F")
        held = self.submit("-h", "--", "/bin/true")
        self.submit("-q", "other", "-a", "203001010000", "--", "/bin/true")
        self.submit("-W", f"depend=afterok:{held}", "--", "/bin/true")
        runs_on = self.submit("-S", "/bin/sh", input=f"until [ -e {self.work}/go ]; do sleep 0.1; done; exit 3\n")
        self.until_running(runs_on)
        made = self.make_checkpoint()
        with open(os.path.join(self.work, "go"), "w"):
            pass
        self.until_state(runs_on, "F")
        self.until_recorded(runs_on, "QSE")
        self.finish()
        self.sure("qdel", "-x", finished[0])
        self.sure("qalter", "-p", "5", held)
        self.manage("set server comment = second", "set queue other Priority = 8")
        self.let_nothing_happen()
        self.until_books_have_all()
        self.assertEqual(self.job(runs_on)["Exit_status"], "3")
        self.assertIsNone(self.job(finished[0]))
        self.check_starts(made, made - 5, made, self.last_record())

    def test_of_jobs_that_ran_over_it_serves_them_to_their_end(self):
        id = self.submit("-S", "/bin/sh", input=f"until [ -e {self.work}/go ]; do sleep 0.1; done; exit 4\n")
        self.until_running(id)
        self.make_checkpoint()
        self.assertIn("the start went on from the checkpoint", self.restart())
        with open(os.path.join(self.work, "go"), "w"):
            pass
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "4")
        self.until_recorded(id, "QSE")
        self.finish()

    def test_knows_no_more_of_jobs_that_were_forgotten(self):
        finished = [self.finish() for _ in range(3)]
        self.make_checkpoint()
        self.assertIn("the start went on from the checkpoint", self.restart())
        self.assertEqual(self.job(finished[1])["Exit_status"], "0")       # its row is read where the maker wrote it
        self.manage("set server job_history_duration = 00:00:01")
        self.until(lambda: all(self.job(id) is None for id in finished), "their history ends")
        for _ in range(3):                                                # the rounds that give their room back
            made = self.make_checkpoint()
            self.assertIn(f"the start went on from the checkpoint of record {made}\n", self.restart())
            self.assertEqual([self.job(id) for id in finished], [None] * 3)


class a_server(CheckpointTest):
    settings = "checkpoint_interval = 1\ncheckpoint_records = 20\n"

    def test_makes_checkpoints_while_it_works(self):
        for _ in range(2):
            enough = self.last_checkpoint() + 20
            for _ in range(25):
                self.submit("-h", "--", "/bin/true")
            self.until(lambda: self.last_checkpoint() >= enough, lambda: f"a checkpoint of {enough}: {self.status()}")
        self.assertRegex(self.audit("status"), r"last checkpoint +#\d+, made .*; \d+ records came after it\n")
        modes = {name: stat.S_IMODE(os.stat(self.checkpoint(name)).st_mode) for name in FILES}
        self.assertEqual(modes, dict.fromkeys(FILES, 0o600))
        self.assertEqual(stat.S_IMODE(os.stat(self.checkpoint()).st_mode), 0o700)
        self.assertNotIn("no checkpoint is made", self.server_log())
        self.assertIn("the start went on from the checkpoint", self.restart())

    def test_says_once_why_it_makes_none(self):
        with open(self.checkpoint(), "w"):       # it is in the way
            pass
        for _ in range(25):
            self.submit("-h", "--", "/bin/true")
        self.until_logged("no checkpoint is made: ")
        os.remove(self.checkpoint())
        self.until(lambda: self.last_checkpoint() > 0, "the next round makes one")
        self.assertEqual(self.server_log().count("no checkpoint is made: "), 1)


class an_orderly_end(CheckpointTest):
    settings = "checkpoint_interval = 86400\ncheckpoint_records = 20\n"

    def work_and_end(self):
        for _ in range(25):
            self.submit("-h", "--", "/bin/true")
        self.until_books_have_all()
        self.sure("qterm")
        self.until(lambda: not self.daemon_pids("pbs_server"), "the server has gone")

    def test_makes_one(self):
        self.assertEqual(self.last_checkpoint(), 0)
        self.work_and_end()
        made = self.last_checkpoint()
        self.assertGreaterEqual(made, 20)
        self.assertIn(f"the start went on from the checkpoint of record {made}\n", self.start_server())

    def test_leaves_the_checkpoint_of_the_program_that_comes_next(self):
        self.make_checkpoint()
        change_head(self.checkpoint("state"), lambda head: head.update(program=head["program"][::-1] + b"+"))
        with open(self.checkpoint("state"), "rb") as f:
            before = f.read()
        self.work_and_end()
        with open(self.checkpoint("state"), "rb") as f:
            self.assertEqual(f.read(), before)
        self.assertIn("the checkpoint is not used: another program made it", self.start_server())
        self.work_and_end()                      # it was there when this server started
        self.assertNotIn("not used", self.start_server())


class settings_that_are_none(CheckpointTest):
    settings = "checkpoint_interval = soon\ncheckpoint_records = 0\n"

    def test_are_told(self):
        log = self.server_log()
        self.assertIn("checkpoint_interval: not a number from 0 to 86400: soon; it is 900\n", log)
        self.assertIn("checkpoint_records: not a number from 1 to 100000000: 0; it is 10000\n", log)


class by_hand(CheckpointTest):
    def test_one_is_made_beside_a_server_and_without_one(self):
        first = self.make_checkpoint()
        for _ in range(5):
            self.submit("-h", "--", "/bin/true")
        self.until_books_have_all()
        self.kill_daemon("pbs_server")
        done = self.by_hand()
        self.assertEqual(done.status, 0, done)
        self.assertGreater(self.last_checkpoint(), first)
        self.assertEqual(sorted(os.listdir(self.checkpoint())), FILES)
        self.assertIn(f"the start went on from the checkpoint of record {self.last_checkpoint()}\n", self.start_server())

    def test_two_are_not_made_at_a_time(self):
        made = self.make_checkpoint()
        with open(self.checkpoint("lock"), "r+") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            f.truncate()
            f.write(f"{os.getpid()}\n")
            f.flush()
            done = self.by_hand()
        self.assertEqual((done.status, done.out, done.err), (1, "", f"another process makes a checkpoint in {self.checkpoint()}\n"))
        self.assertEqual(self.last_checkpoint(), made)

    def test_nothing_is_made_where_no_server_was(self):
        nowhere = os.path.join(self.top, "nowhere")
        done = self.run_command("pbs_server", "-d", nowhere, "--checkpoint")
        self.assertEqual(done.status, 1, done)
        self.assertIn("No such file or directory", done.err)
        self.assertFalse(os.path.exists(nowhere))

    def test_one_that_is_killed_in_the_middle_leaves_what_the_next_one_goes_on_from(self):
        chance = random.Random(4)
        ids = [self.finish()]
        for _ in range(12):
            ids.append(self.submit("--", "/bin/true"))
            maker = subprocess.Popen(["pbs_server", "-d", self.home(), "--checkpoint"], env=self.environment(), cwd=self.work,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.random() * 0.1)      # not a wait for anything: the moment within what it does
            maker.kill()
            maker.wait()
        for id in ids:
            self.until_state(id, "F")
            self.until_recorded(id, "QSE")
        made = self.make_checkpoint()
        self.assertEqual(sorted(os.listdir(self.checkpoint())), FILES)
        self.let_nothing_happen()
        live = self.told()
        self.assertIn(f"the start went on from the checkpoint of record {made}\n", self.restart())
        self.assertEqual(self.told(), live)


if __name__ == "__main__":
    unittest.main(verbosity=2)
