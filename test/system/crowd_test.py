"""A user who takes all connections he can get, sends half frames or too much: he is told why, and everybody else is served.

All processes may have 256 open files, so that limits are met soon: 64 connections of one user, 32 of root;
of a MoM, 48 for tasks and 8 for commands of jobs.
"""
import ast
import os
import pwd
import re
import resource
import select
import socket
import struct
import unittest

from private_cluster import DEADLINE_S, STAGE, ClusterTest

FILES = 256
MB = 1 << 20


def setUpModule():
    # A hard limit that was lowered stays: this process is for these tests alone.
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES // 2, FILES))


class Hog:
    """A process of a user that opens connections until one is turned away, and keeps them until it is ended."""

    def __init__(self, path, account, most):
        self.most = most
        answers, says = os.pipe()
        ended, self.go_on = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self.go_on)
                os.setgroups([])
                os.setgid(account.pw_gid)
                os.setuid(account.pw_uid)
                os.write(says, repr(self.take_all(path)).encode())
                os.close(says)
                os.read(ended, 1)
            finally:
                os._exit(0)
        os.close(says)
        os.close(ended)
        with os.fdopen(answers) as f:
            self.number, self.told = ast.literal_eval(f.read())

    def take_all(self, path):
        self.held = []
        while True:
            s = socket.socket(socket.AF_UNIX)
            s.connect(path)
            # Who is let in hears nothing; the one who is not is told at once.
            if select.select([s], [], [], 0 if len(self.held) < self.most else DEADLINE_S)[0]:
                with s:
                    return len(self.held), s.recv(65536)
            self.held.append(s)

    def end(self):
        if self.pid:
            os.close(self.go_on)
            os.waitpid(self.pid, 0)
            self.pid = None


class crowds(ClusterTest):
    def socket_path(self):
        return os.path.join(self.home(), "run", "server.sock")

    def connections(self, path):
        """Sockets of whoever listens there that somebody has connected to."""
        connected = "03"
        with open("/proc/net/unix") as f:
            return sum(line.split()[5] == connected for line in f if line.rstrip().endswith(" " + path))

    def hog(self, path, most):
        hog = Hog(path, pwd.getpwnam("nobody"), most)
        self.addCleanup(hog.end)
        return hog

    @unittest.skipUnless(os.geteuid() == 0, "only root can be two users")
    def test_one_user_does_not_shut_out_others(self):
        account = pwd.getpwnam("nobody")
        nobody = dict(user=account.pw_uid, group=account.pw_gid, extra_groups=[])
        # From here on the server knows his name: a user who is new is told his number while his name is still asked for.
        self.sure("qstat", "-B", **nobody)
        self.until(lambda: self.connections(self.socket_path()) == 0, "the server has let go of that connection")
        hog = self.hog(self.socket_path(), FILES // 4)
        self.assertEqual(hog.number, FILES // 4)
        self.assertIn(b"user nobody: too many connections (limit 64)", hog.told)
        # Everybody else is served, and a second user would be.
        self.sure("qstat", "-B")
        self.assertEqual(self.until_state(self.submit("--", "/bin/true"), "F")["Exit_status"], "0")
        other = dict(user=54321, group=54321, extra_groups=[])
        self.sure("qstat", "-B", **other)
        # His own commands say why.
        done = self.run_command("qselect", **nobody)
        self.assertEqual(done.status, 185, done)
        self.assertEqual(done.err, "user nobody: too many connections (limit 64)\nqselect: cannot connect to server server (errno=15033)\n")
        self.until_logged("user nobody turned away: too many connections (limit 64)")
        hog.end()
        self.until(lambda: self.run_command("qstat", "-B", **nobody).status == 0, "he is served again")

    @unittest.skipUnless(os.geteuid() == 0, "only root can be two users")
    def test_nor_from_the_mom(self):
        for name, limit in (("tm.sock", FILES * 3 // 16), ("commands.sock", FILES // 32)):
            hog = self.hog(os.path.join(self.home("a"), "mom_priv", name), limit)
            self.assertEqual(hog.number, limit, name)
            # His name may still be asked for.
            self.assertRegex(hog.told, rf"user (nobody|\d+): too many connections \(limit {limit}\)".encode())
        # A job of somebody else speaks to its MoM, and through it to the server.
        for words in (["pbsdsh", "/bin/true"], ["qstat", "-B"]):
            command = os.path.join(STAGE, "bin", words[0])
            id = self.submit("--", "/usr/bin/env", f"PBS_CONF_FILE={self.cluster.layout.conf('a')}", command, *words[1:])
            self.assertEqual(self.until_state(id, "F")["Exit_status"], "0", words)
        self.until(lambda: re.search(r"user (nobody|\d+) turned away: too many connections", self.mom_log("a")), "the MoM logs it")

    def test_jobs_have_the_files_that_the_mom_was_started_with(self):
        out = os.path.join(self.work, "out")
        self.until_state(self.submit("-S", "/bin/sh", "-o", out, "-j", "oe", input="ulimit -S -n; ulimit -H -n\n"), "F")
        with open(out) as f:
            soft, hard = f.read().split()
        self.assertEqual((soft, hard), (str(FILES // 2), str(FILES)))
        for daemon, host in (("pbs_server", "server"), ("pbs_mom", "a")):
            pid = self.daemon_pids(daemon, host)[0]
            with open(f"/proc/{pid}/limits") as f:
                limits = next(line.split() for line in f if line.startswith("Max open files"))
            self.assertEqual(limits[3:5], [str(FILES)] * 2, f"{daemon} has raised its own")

    def test_a_hook_of_20_megabytes_is_refused_and_both_sizes_are_told(self):
        path = os.path.join(self.work, "hook.py")
        with open(path, "w") as f:
            f.write("#" * (20 * MB))
        self.sure("qmgr", "-c", "create hook h")
        done = self.run_command("qmgr", "-c", f"import hook h application/x-python default {path}")
        self.assertNotEqual(done.status, 0)
        self.assertIn(f"a hook's content can have at most {MB} bytes, {path} has {20 * MB}", done.err)
        self.assertNotIn("Connection refused", done.err)

    def test_a_frame_above_the_limit_is_answered(self):
        for path, limit in ((self.socket_path(), 4 * MB), (os.path.join(self.home("a"), "mom_priv", "tm.sock"), MB // 2)):
            with socket.socket(socket.AF_UNIX) as s:
                s.settimeout(DEADLINE_S)
                s.connect(path)
                said = b""
                try:
                    s.sendall(struct.pack("<I", 20 * MB) + b"x" * MB)
                except BrokenPipeError:
                    pass     # the answer is there: nobody waits long for the rest
                while piece := s.recv(65536):
                    said += piece
            self.assertIn(f"a frame of {20 * MB} bytes is larger than the limit of {limit}".encode(), said)
        self.until_logged(f"a frame of {20 * MB} bytes is larger than the limit of {4 * MB}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
