"""Requests that are wrong, or odd, or no requests at all: a clear answer, the right exit code, and the daemons live on."""
import os
import pwd
import random
import socket
import struct
import unittest

from private_cluster import ClusterTest

MB = 1 << 20


class DaemonsLiveOn(ClusterTest):
    def setUp(self):
        super().setUp()
        self.daemons = self.every_daemon()

    def tearDown(self):
        # A child that pbs_mom has just made has its name until it becomes another program.
        self.until(lambda: self.every_daemon() == self.daemons, "the daemons live on, and they alone")
        self.sure("qstat", "-B")

    def every_daemon(self):
        return [self.daemon_pids("pbs_server"), self.daemon_pids("pbs_sched"), self.daemon_pids("pbs_mom", "a")]


class odd_requests(DaemonsLiveOn):
    def refused(self, status, text, *command, **how):
        done = self.run_command(*command, **how)
        self.assertEqual(done.status, status, done)
        self.assertIn(text, done.err)
        self.assertEqual(done.out, "")

    def script(self, text):
        path = os.path.join(self.work, "script")
        with open(path, "w") as f:
            f.write(text)
        return path

    def test_a_script_of_0_bytes_is_a_job_that_does_nothing(self):
        id = self.submit("-S", "/bin/sh", self.script(""))
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")

    def test_a_script_of_50_megabytes_runs_to_its_end(self):
        line = "# " + "x" * 97 + "\n"
        id = self.submit("-S", "/bin/sh", self.script("#!/bin/sh\n" + line * (50 * MB // len(line)) + "exit 5\n"))
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "5")

    def test_a_job_name_of_300_characters_is_refused(self):
        self.refused(2, "qsub: Job name is too long", "qsub", "-N", "n" * 300, "--", "/bin/true")
        self.submit("-N", "n" * 230, "--", "/bin/true")

    def test_a_malformed_select_is_refused_and_the_reason_told(self):
        for select, status, text in (("bogus", 166, "qsub: Illegal attribute or resource value Resource_List.select"),
                                     ("1:ncpus=x", 166, "qsub: Illegal attribute or resource value select.ncpus"),
                                     ("1:nosuchres=3", 187, "qsub: Unknown resource: nosuchres"),
                                     ("0:ncpus=1", 166, "qsub: Illegal attribute or resource value"),
                                     ("1:ncpus=1+", 166, "qsub: "), ("", 166, "qsub: "),
                                     ("1:ncpus=" + "9" * 400, 166, "qsub: ")):
            with self.subTest(select=select[:40]):
                self.refused(status, text, "qsub", "-l", "select=" + select, "--", "/bin/true")

    def test_an_unknown_user_is_refused(self):
        self.refused(175, "Bad UID for job execution", "qsub", "-u", "nosuchuser", "--", "/bin/true")

    @unittest.skipUnless(os.geteuid() == 0, "only root can become a user without a name")
    def test_a_user_without_an_account_is_refused(self):
        done = self.run_command("qsub", "--", "/bin/true", user=54321, group=54321, extra_groups=[])
        self.assertEqual(done.status, 175, done)
        self.assertEqual(done.err, "qsub: Bad UID for job execution\n")

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_a_user_who_is_not_on_the_servers_list_is_turned_away(self):
        self.sure("qmgr", "-c", "set server acl_user_enable = True, acl_users = someone")
        account = pwd.getpwnam("nobody")
        nobody = dict(user=account.pw_uid, group=account.pw_gid, extra_groups=[])
        for command in ("qstat",), ("qstat", "-B"), ("qselect",), ("qdel", "1"), ("pbsnodes", "-a"), ("qsub", "--", "/bin/true"), ("qmgr", "-c", "list server"):
            done = self.run_command(*command, **nobody)
            with self.subTest(command=command):
                self.assertNotEqual(done.status, 0)
                self.assertEqual(done.out, "")
                self.assertIn("Unauthorized Request", done.err)
        self.sure("qstat", "-B")
        self.sure("qmgr", "-c", "set server acl_users += nobody")
        self.sure("qstat", "-B", **nobody)
        self.sure("qsub", "-h", "--", "/bin/true", **nobody)

    def test_an_unknown_job_queue_and_node_are_named(self):
        self.refused(153, "qdel: Unknown Job Id 99999.server", "qdel", "99999")
        self.refused(170, "qsub: Unknown queue", "qsub", "-q", "nosuch", "--", "/bin/true")
        self.refused(1, "Node: nosuch,  Error: Unknown node", "pbsnodes", "nosuch")


class garbage(DaemonsLiveOn):
    """Bytes that are no frames, to every socket. The bytes come from a fixed seed: a failure repeats itself."""

    def test_the_daemons_answer_as_before(self):
        id = self.submit("--", "/bin/sleep", "1000")
        self.until_running(id)
        for bytes in self.garbage():
            self.throw(socket.AF_UNIX, os.path.join(self.home(), "run", "server.sock"), bytes)
            self.throw(socket.AF_UNIX, os.path.join(self.home("a"), "mom_priv", "tm.sock"), bytes)
            self.throw(socket.AF_INET, (self.cluster.address(0), self.cluster.info["port"]), bytes)
            self.throw(socket.AF_INET, (self.cluster.address(1), self.cluster.info["port"] + 1), bytes)
        self.assertEqual(self.job(id)["job_state"], "R")
        self.assertEqual(self.until_state(self.submit("--", "/bin/true"), "F")["Exit_status"], "0")
        self.sure("qdel", id)
        self.until_state(id, "F")

    def garbage(self):
        chance = random.Random(1)
        yield b""
        yield b"\0"
        yield b"GET / HTTP/1.0\r\n\r\n"
        yield struct.pack("<I", 0xffffffff)                           # the longest frame, announced only
        yield struct.pack("<I", 1 << 30) + b"x" * 4096
        yield struct.pack("<I", 8) + b"\xff" * 8                      # a frame with a nonsense segment table
        yield struct.pack("<I", 16) + struct.pack("<IIQ", 0, 1, 0xfffffffffffffffc)   # a pointer to nowhere
        yield struct.pack("<I", 0) * 1000                             # heartbeats
        for _ in range(200):
            yield chance.randbytes(chance.randrange(1, 3000))
            body = chance.randbytes(8 * chance.randrange(1, 200))
            yield struct.pack("<I", len(body)) + body
            yield struct.pack("<I", len(body) + 8) + struct.pack("<II", 0, len(body) // 8) + body

    def throw(self, family, address, bytes):
        """Says it, says no more, and waits for the peer to hang up or to say nothing either."""
        with socket.socket(family) as s:
            s.settimeout(5)
            s.connect(address)      # somebody must listen
            try:
                s.sendall(bytes)
                s.shutdown(socket.SHUT_WR)
                while s.recv(65536):
                    pass
            except OSError:
                pass   # it hung up first: as good


if __name__ == "__main__":
    unittest.main(verbosity=2)
