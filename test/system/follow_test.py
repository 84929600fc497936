"""A follower: a host that has a copy of the server's log, and answers from it. docs/design/0069-the-feed.md."""
import json
import os
import re
import shutil
import signal
import subprocess
import unittest

from checkpointed import change_head
from network_test import NAMESPACES
from private_cluster import COMMAND_DEADLINE_S, ClusterTest, Done, attributes, rest


class with_a_follower(ClusterTest):
    hosts = ["a"]       # it runs jobs, and follows

    def setUp(self):
        super().setUp()
        self.portal = self.cluster.machines["a"]
        self.portal.habitat("follow")
        self.pem = os.path.join(self.home("a"), "follow_priv", "daemon.pem")
        self.cluster.enrol(self.pem, "--follower", "a")
        self.portal.start_daemon("pbs_follow")
        self.manage("set server managers = root@*")     # whoever asks on the follower's host is root of that host
        self.until_level()
        self.at_rest[self.dir] = rest.looks_at(self.dir)

    def there(self, *command, input="", reads_from="follower"):
        """Typed on the follower's host."""
        process = subprocess.run(self.portal.inside(list(command)), env={**self.portal.environment(), "PBS_READ_FROM": reads_from},
                                 input=input, capture_output=True, text=True, timeout=COMMAND_DEADLINE_S)
        done = Done(process)
        self.looks.add(command, done.status, done.out, done.err)
        return done

    def sure_there(self, *command, **how):
        done = self.there(*command, **how)
        self.assertEqual(done.status, 0, f"{' '.join(command)}: {done}")
        return done.out

    def standing(self):
        """What the follower says of itself; "" while it has nothing."""
        done = self.there("qstat", "-Bf")
        return attributes(done.out).get("follower", "") if done.status == 0 else ""

    def until_level(self):
        self.until(lambda: self.standing().endswith(", 0 events and 0 s behind server server"), lambda: f"the follower is level: {self.standing()}")

    def until_equal(self, *command):
        """The follower is told of a commit behind who asked for it."""
        both = lambda: (self.sure_there(*command), self.sure(*command))
        self.until(lambda: len(set(both())) == 1, lambda: f"{' '.join(command)} is answered alike: {both()}")

    def follow_log(self):
        return self.log("follow_logs", "a")


class a_follower(with_a_follower):
    QUESTIONS = [("qstat",), ("qstat", "-f"), ("qstat", "-x"), ("qstat", "-Q"), ("qstat", "-Qf"), ("qselect", "-x"), ("pbsnodes", "-av"),
                 ("pbs_rstat",), ("qmgr", "-c", "print server"), ("qmgr", "-c", "list sched"), ("qmgr", "-c", "list node @default")]

    def test_its_answers_are_the_servers_also_through_kills(self):
        held = self.submit("-h", "-N", "held", "--", "/bin/true")
        ended = self.submit("-o", "/dev/null", "-j", "oe", "--", "/bin/true")
        self.until_state(ended, "F")
        self.manage("create queue night queue_type=e", "set server comment = first")
        for question in self.QUESTIONS:
            self.until_equal(*question)
        self.until_equal("qstat", "--at", "#10", "-Q")
        self.assertIn("  from follower a, 0 events", self.sure_there("qstat", "-B"))

        self.kill_daemon("pbs_follow", "a")
        done = self.there("qstat")
        self.assertEqual(done.status, 255, done)
        self.assertRegex(done.err, r"\AThis host's pbs_follow can't be asked: connect to /.*/run/follower.sock: Connection refused "
                                   r"\(PBS_READ_FROM=server asks the server\)\n")
        self.sure("qalter", "-N", "renamed", held)
        self.start_daemon("pbs_follow", "a")
        self.until_equal("qstat", "-f", held)
        self.assertRegex(self.follow_log(), r"follows the log of server server behind record [1-9]")

        self.kill_daemon("pbs_server")
        self.until(lambda: "server server is not there since" in self.standing(), lambda: f"the server is missed: {self.standing()}")
        self.assertIn("renamed", self.sure_there("qstat", "-f", held))
        self.start_daemon("pbs_server")
        self.until_answers()
        self.manage("set server comment = second")
        self.until(lambda: attributes(self.sure_there("qstat", "-Bf")).get("comment") == "second", "it follows again")
        self.until_level()
        for question in ("qstat", "-f"), ("pbsnodes", "-av"):
            self.until_equal(*question)

        verified = self.run_command("pbs_audit", "--log", os.path.join(self.home("a"), "follow_priv", "log"), "verify")
        self.assertEqual(verified.status, 0, verified)
        self.assertRegex(verified.out, r": sound: \d+ records, 0 blobs, .*; this log is a follower's copy, and only the server's has scripts")

    def test_what_changes_something_goes_to_the_server(self):
        self.portal.habitat("comm")
        self.cluster.enrol(os.path.join(self.home("a"), "server_priv", "comm", "server.pem"), "--login", "a")
        self.portal.start_daemon("pbs_comm")
        self.at_rest[self.dir] = rest.looks_at(self.dir)
        id = self.sure_there("qsub", "-h", "--", "/bin/true").strip()
        self.until(lambda: self.there("qstat", id).status == 0, "the follower knows the job")
        self.sure_there("qalter", "-N", "renamed", id)
        self.until(lambda: "renamed" in self.sure_there("qstat", "-f", id), "and its new name")
        self.assertNotIn("follower", self.sure_there("qstat", "-Bf", reads_from="server"))
        self.sure_there("qdel", id)
        # One who asks the follower to change something is told whom to ask.
        conf = os.path.join(self.home("a"), "annals.conf")
        with open(conf, "a") as f:
            f.write(f"server_socket = {self.home('a')}/run/follower.sock\n")
        done = self.there("qmgr", "-c", "set server comment = mine")
        self.assertEqual(done.status, 15029 % 256, done)
        self.assertIn("This is a follower, which changes nothing and waits for nothing: ask server server", done.err)

    def fails_to_start(self, why):
        process = subprocess.run(self.portal.inside(["pbs_follow", "-N"]), env=self.portal.environment(), capture_output=True, text=True,
                                 timeout=COMMAND_DEADLINE_S)
        self.assertEqual(process.returncode, 1, process)
        self.assertIn(why, process.stderr)
        self.assertIn(why, self.follow_log())

    def test_a_certificate_for_something_else_opens_nothing(self):
        self.kill_daemon("pbs_follow", "a")
        os.remove(self.pem)
        self.cluster.enrol(self.pem, "a")
        self.fails_to_start("daemon.pem: is for mom a, and not for a follower (pbs_enroll --follower makes one)")

    def test_a_certificate_that_others_may_read_or_that_has_no_key_opens_nothing(self):
        self.kill_daemon("pbs_follow", "a")
        os.chmod(self.pem, 0o644)
        self.fails_to_start("daemon.pem: others may read this private key (chmod 600 helps)")
        os.chmod(self.pem, 0o600)
        with open(self.pem) as f:
            without_key = f.read().split("-----BEGIN PRIVATE KEY")[0]
        with open(self.pem, "w") as f:
            f.write(without_key)
        self.fails_to_start("daemon.pem: holds no private key")

    def test_usage_errors_have_status_2(self):
        for words in ("-e", "banana"), ("-e", "-1"), ("--checkpoint", "-N"), ("--checkpoint", "now"), ("now",):
            done = self.there("pbs_follow", *words)
            self.assertEqual(done.status, 2, f"{words}: {done}")
            self.assertIn("usage: pbs_follow [-e mask][-N]", done.err)

    def test_a_damaged_copy_is_named_and_what_to_do(self):
        self.kill_daemon("pbs_follow", "a")
        with open(os.path.join(self.home("a"), "follow_priv", "log", "CURRENT"), "w") as f:
            f.write("nothing")
        self.fails_to_start("follow_priv/log: opening: Corruption: ")
        self.fails_to_start("Remove the directory to follow the log from its beginning.")


@unittest.skipUnless(NAMESPACES, "hosts with networks of their own need root")
class a_follower_on_a_network_of_its_own(with_a_follower):
    plain = False

    def test_a_link_that_was_cut_is_waited_for(self):
        self.cluster.set_link("a", False)
        self.until(lambda: "server server is not there since" in self.standing(), lambda: f"the server is missed: {self.standing()}")
        self.manage("set server comment = meanwhile")
        self.assertNotIn("meanwhile", self.sure_there("qstat", "-Bf"))
        behind = re.search(r"is not there since (\d+) s: (.*)", self.standing())
        self.assertTrue(behind, self.standing())
        self.cluster.set_link("a", True)
        self.until(lambda: attributes(self.sure_there("qstat", "-Bf")).get("comment") == "meanwhile", "it follows again")
        self.until_level()
        self.until_free("a")


class a_follower_of_a_log_that_was_exchanged(with_a_follower):
    """It keeps what it has, answers from it, and says what to do."""
    DO_THIS = "; to follow it from the beginning, end pbs_follow, remove its log and start it again"

    def setUp(self):
        super().setUp()
        self.server_log_directory = os.path.join(self.home(), "server_priv", "log")
        self.copy = os.path.join(self.home("a"), "follow_priv", "log")

    def stop_server(self):
        self.sure("qterm")
        self.until(lambda: not self.daemon_pids("pbs_server"), "the server has gone")

    def until_refused(self, why):
        pattern = re.compile(rf"a, up to record \d+ and no further: server server refuses: {why}{self.DO_THIS}")
        self.until(lambda: pattern.fullmatch(self.standing()), lambda: f"the follower is refused: {self.standing()}")
        self.until(lambda: re.search(rf"follows no more: server server refuses: {why}{self.DO_THIS}", self.follow_log()), self.follow_log)
        self.until(lambda: re.search(rf"the follower on a is refused: {why}", self.server_log()), self.server_log)

    def forget_all_but_certificates(self):
        """Whatever in the server's home knows of its log, too."""
        priv = os.path.dirname(self.server_log_directory)
        for name in set(os.listdir(priv)) - {"ca", "daemon.pem"}:
            path = os.path.join(priv, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        self.cluster.habitat("server")

    def begin_anew(self):
        self.kill_daemon("pbs_follow", "a")
        shutil.rmtree(self.copy)
        self.start_daemon("pbs_follow", "a")
        self.until_level()

    def test_the_servers_log_was_put_back_from_a_backup(self):
        self.submit("-h", "--", "/bin/true")
        self.stop_server()
        backup = self.server_log_directory + ".backup"
        shutil.copytree(self.server_log_directory, backup)
        self.start_daemon("pbs_server")
        self.until_answers()
        lost = self.submit("-h", "-N", "lost", "--", "/bin/true")
        self.until(lambda: self.there("qstat", lost).status == 0, "the follower knows the job")
        self.stop_server()
        shutil.rmtree(self.server_log_directory)
        os.rename(backup, self.server_log_directory)
        self.cluster.machines["server"].start_daemon("pbs_server", "--accept-loss")
        self.until_answers()
        self.until_refused(r"the copy ends with (record \d+, which the log does not have|another record \d+ than the log has: one of the two was "
                           r"changed, or put back from a backup and went on by itself)")
        self.assertIn("lost", self.sure_there("qstat", "-f", lost))
        self.assertEqual(self.run_command("qstat", lost).status, 153)
        self.begin_anew()
        self.until_equal("qstat", "-f")

    def test_the_server_has_another_log(self):
        held = self.submit("-h", "--", "/bin/true")
        self.until(lambda: self.there("qstat", held).status == 0, "the follower knows the job")
        self.kill_daemon("pbs_mom", "a")       # it would tell the server of what it has lost
        self.stop_server()
        self.forget_all_but_certificates()
        self.cluster.machines["server"].start_daemon("pbs_server", "-t", "create")
        self.until_answers()
        self.until_refused("the copy is of log [0-9a-f]{32}, and this is log [0-9a-f]{32}")
        self.sure_there("qstat", held)
        self.begin_anew()
        self.until_equal("qstat", "-Q")


class its_checkpoints(with_a_follower):
    """A start of the follower goes on from the last one; its log says so, or why not."""
    SETTINGS = "checkpoint_interval = 86400\ncheckpoint_records = 20\n"   # only at an orderly stop

    def setUp(self):
        super().setUp()
        self.stop()
        with open(os.path.join(self.home("a"), "annals.conf"), "a") as f:
            f.write(self.SETTINGS)
        for _ in range(25):
            self.submit("-h", "--", "/bin/true")
        ended = self.submit("-o", "/dev/null", "-j", "oe", "--", "/bin/true")
        self.until_state(ended, "F")

    def priv(self, *names):
        return os.path.join(self.home("a"), "follow_priv", *names)

    def stop(self):
        """In an orderly way."""
        for pid in self.daemon_pids("pbs_follow", "a"):
            os.kill(pid, signal.SIGTERM)
        self.until(lambda: not self.daemon_pids("pbs_follow", "a"), "the follower has gone")

    def start(self):
        """What its log says from then on."""
        before = len(self.follow_log())
        self.start_daemon("pbs_follow", "a")
        self.until_level()
        for question in ("qselect", "-x"), ("qstat", "-Q"), ("qmgr", "-c", "print server"):
            self.until_equal(*question)
        return self.follow_log()[before:]

    def last(self):
        """The record that the last checkpoint is of, as pbs_audit says; 0: there is none."""
        status = self.run_command("pbs_audit", "--log", self.priv("log"), "status", "--json")
        return json.loads(status.out).get("checkpoint", {"sequence": 0})["sequence"]

    def test_one_is_made_at_a_stop_and_used_by_the_next_start(self):
        self.assertIn("there is no checkpoint\n", self.start())
        self.assertEqual(self.last(), 0)
        self.stop()
        made = self.last()
        self.assertGreaterEqual(made, 20)
        self.submit("-h", "--", "/bin/true")
        self.assertIn(f"the start went on from the checkpoint of record {made}\n", self.start())
        status = self.run_command("pbs_audit", "--log", self.priv("log"), "status")
        self.assertRegex(status.out, r"last checkpoint +#%d, made .*; \d+ records came after it\n" % made)

    def test_one_that_is_no_good_is_not_used(self):
        self.start()
        self.stop()
        for change, why in [(lambda head: head.update(program=head["program"] + b"+"), "another program made it"),
                            (lambda head: head["hash"].reverse(), "it is of another log"),
                            (lambda head: head.update(sequence=head["sequence"] + 1_000_000), "the log ends before it")]:
            with self.subTest(why):
                self.assertGreater(self.last(), 0)
                change_head(self.priv("checkpoint", "state"), change)
                said = self.start()
                self.assertIn(f"the checkpoint is not used: {why}\n", said)
                self.assertRegex(said, r"the start reads the whole copy, \d+ records\n")
                self.stop()              # which makes one anew
        os.truncate(self.priv("checkpoint", "state"), 100)
        self.assertIn("the checkpoint is not used: its checksum is wrong\n", self.start())

    def test_one_can_be_made_by_hand(self):
        self.start()
        done = subprocess.run(self.portal.inside(["pbs_follow", "--checkpoint"]), env=self.portal.environment(), capture_output=True, text=True,
                              timeout=COMMAND_DEADLINE_S)
        self.assertRegex(done.stdout, r"\Acheckpoint of record \d+\n\Z", done)
        made = self.last()
        self.kill_daemon("pbs_follow", "a")
        self.assertIn(f"the start went on from the checkpoint of record {made}\n", self.start())


if __name__ == "__main__":
    unittest.main(verbosity=2)
