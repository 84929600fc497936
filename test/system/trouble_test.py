"""The world's troubles: a full disk, directories that can't be written, wrong permissions, a port that is taken, a damaged
log. Reads are answered where they can be, the message says what to do, and nothing is lost."""
import base64
import fcntl
import glob
import os
import socket
import subprocess
import threading
import unittest

from private_cluster import ClusterTest, Trouble, with_mounts_of_our_own

MOUNTS = with_mounts_of_our_own()


class a_full_disk(ClusterTest):
    def before_up(self):
        if not MOUNTS:
            self.skipTest("a small file system for the server needs root")
        home = os.path.join(self.dir, "hosts", "server", "home")
        os.makedirs(home)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m,mode=755", "tmpfs", home], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", home])
        self.filler = os.path.join(home, "filler")

    def fill(self):
        with open(self.filler, "wb", buffering=0) as f:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while True:
                        f.write(b"x" * size)
                except OSError:
                    pass

    def test_writes_are_refused_reads_are_answered_and_work_resumes(self):
        kept = self.submit("-h", "--", "/bin/true")
        pids = self.daemon_pids("pbs_server")
        self.fill()
        # The log may have room left in a file it has already made: at some point it has none.
        refused = self.until(self.one_refusal, "a submission is refused")
        self.assertTrue(refused.err.startswith("qsub: "), refused)
        self.assertEqual(self.job(kept)["job_state"], "H")
        self.sure("pbsnodes", "-a")
        os.unlink(self.filler)
        self.until(lambda: self.run_command("qsub", "-h", "--", "/bin/true").status == 0, "work resumes")
        self.sure("qrls", kept)
        self.assertEqual(self.until_state(kept, "F")["Exit_status"], "0")
        self.assertEqual(self.daemon_pids("pbs_server"), pids)

    def one_refusal(self):
        """Each submission is large and can't be compressed, so that a log file's spare room is soon used up."""
        done = self.run_command("qsub", "-h", "-S", "/bin/sh", input="#" + base64.b64encode(os.urandom(45000)).decode())
        return done if done.status != 0 else None


class what_stops_the_server(ClusterTest):
    def stopped_with(self, *texts):
        """The server does not start, says why, and its exit status is not 0."""
        with self.assertRaises(Trouble) as caught:
            self.start_daemon("pbs_server")
        self.assertEqual(self.daemon_pids("pbs_server"), [])
        for text in texts:
            self.assertIn(text, str(caught.exception))

    def starts_again(self, id):
        self.start_daemon("pbs_server")
        self.assertEqual(self.job(id)["job_state"], "H")

    def held_job(self):
        return self.submit("-h", "--", "/bin/true")

    def test_its_port_is_taken(self):
        id = self.held_job()
        self.kill_daemon("pbs_server")
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind((self.cluster.address(0), self.cluster.info["port"]))
            taken.listen()
            self.stopped_with(f":{self.cluster.info['port']}", "in use")
        self.starts_again(id)

    def test_another_server_runs(self):
        done = self.run_command("env", f"PBS_CONF_FILE={self.cluster.layout.conf('server')}", "pbs_server")
        self.assertNotEqual(done.status, 0)
        self.assertIn("another server running", done.out + done.err)
        self.sure("qstat", "-B")

    def test_the_one_before_is_not_quite_gone(self):
        id = self.held_job()
        self.kill_daemon("pbs_server")
        path = os.path.join(self.home(), "server_priv", "server.lock")
        with open(path) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            threading.Thread(target=lambda: (self.until(lambda: self.others_with(path), "the server waits for its lock"),
                                             fcntl.flock(lock, fcntl.LOCK_UN)), daemon=True).start()
            self.starts_again(id)

    @staticmethod
    def others_with(path):
        """Processes beside this one that have it open."""
        found = set()
        for link in glob.glob("/proc/[0-9]*/fd/*"):
            try:
                if os.readlink(link) == os.path.realpath(path):
                    found.add(int(link.split("/")[2]))
            except OSError:
                pass
        return found - {os.getpid()}

    def test_its_key_may_be_read_by_others(self):
        id = self.held_job()
        self.kill_daemon("pbs_server")
        pem = os.path.join(self.home(), "server_priv", "daemon.pem")
        os.chmod(pem, 0o644)
        self.stopped_with("daemon.pem")
        os.chmod(pem, 0o600)
        self.starts_again(id)

    def test_its_log_can_not_be_written(self):
        log = os.path.join(self.home(), "server_priv", "log")
        id = self.held_job()
        self.kill_daemon("pbs_server")
        if os.geteuid() == 0:
            if not MOUNTS:
                self.skipTest("root writes everywhere, and mounting is not allowed here")
            subprocess.run(["mount", "--bind", log, log], check=True)
            subprocess.run(["mount", "-o", "remount,bind,ro", log], check=True)
            undo = lambda: subprocess.run(["umount", "-l", log], check=True)  # noqa: E731
        else:
            os.chmod(log, 0o500)
            undo = lambda: os.chmod(log, 0o700)  # noqa: E731
        try:
            self.stopped_with("server_priv/log")
        finally:
            undo()
        self.starts_again(id)

    def test_a_damaged_log_is_located_and_the_message_says_what_to_run(self):
        self.held_job()
        self.kill_daemon("pbs_server")
        self.damage()
        self.stopped_with("pbs_audit verify")

    def damage(self):
        """One flipped bit in the middle of what is stored."""
        files = [path for path in glob.glob(os.path.join(self.home(), "server_priv", "log", "**"), recursive=True)
                 if path.endswith((".log", ".sst")) and os.path.getsize(path) > 0]
        path = max(files, key=os.path.getsize)
        with open(path, "r+b") as f:
            f.seek(os.path.getsize(path) // 2)
            byte = f.read(1)
            f.seek(-1, os.SEEK_CUR)
            f.write(bytes([byte[0] ^ 0x10]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
