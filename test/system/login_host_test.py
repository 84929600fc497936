"""Commands on a login host, where no server is: its pbs_comm hands them on. docs/design/0063-login-hosts.md."""
import concurrent.futures
import contextlib
import glob
import os
import pwd
import subprocess
import unittest

from network_test import NAMESPACES
from private_cluster import COMMAND_DEADLINE_S, ClusterTest, Done, attributes, mini, rest


class a_login_host(ClusterTest):
    hosts = ["a", "l"]       # jobs may run on both; people log in to l

    def setUp(self):
        super().setUp()
        self.login = self.cluster.machines["l"]
        self.user = pwd.getpwuid(os.geteuid()).pw_name
        self.login.habitat("comm")
        self.enroll("--login", "l")
        self.login.start_daemon("pbs_comm")
        self.at_rest[self.dir] = rest.looks_at(self.dir)

    def enroll(self, *who):
        self.cluster.enrol(os.path.join(self.home("l"), "server_priv", "comm", "server.pem"), *who)

    def start_there(self, *command, **how):
        typed = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', self.work, *command]
        return subprocess.Popen(self.login.inside(typed), env=self.login.environment(), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.PIPE, **how)

    def there(self, *command, input=""):
        process = self.start_there(*command)
        out, err = process.communicate(input, timeout=COMMAND_DEADLINE_S)
        process.stdout, process.stderr = out, err
        self.looks.add(command, process.returncode, out, err)
        return Done(process)

    def sure_there(self, *command, **how):
        done = self.there(*command, **how)
        self.assertEqual(done.status, 0, f"{' '.join(command)}: {done}")
        return done.out

    def lines(self):
        """How many connections the login host's pbs_comm has to the server."""
        pid, = self.daemon_pids("pbs_comm", "l")
        sockets = set()
        for descriptor in glob.glob(f"/proc/{pid}/fd/*"):
            with contextlib.suppress(FileNotFoundError):
                sockets.add(os.readlink(descriptor))
        rows = []
        for table in "tcp", "tcp6":
            with contextlib.suppress(FileNotFoundError), open(f"/proc/{pid}/net/{table}") as f:
                rows += [line.split() for line in f][1:]
        return sum(row[3] == "01" and f"socket:[{row[9]}]" in sockets for row in rows)      # 01: established

    def comm_log(self):
        return self.log("comm_logs", "l")

    def test_a_job_of_a_login_host_is_as_any(self):
        id = self.sure_there("qsub", "-S", "/bin/sh", "-N", "far", "-j", "oe", "-l", "select=1:host=a", input="echo $PBS_O_HOST\n").strip()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        job = self.job(id)
        self.assertEqual((job["Job_Owner"], job["Submit_Host"]), (f"{self.user}@l", "l"))
        with open(os.path.join(self.work, f"far.o{id.split('.')[0]}")) as f:
            self.assertTrue(f.read().strip())
        self.until_recorded(id, "Q", "Q")
        self.assertIn("commands of this host's users go to server server", self.comm_log())

    def test_every_daemon_rests_for_seconds_when_a_job_is_over(self):
        """After each test for a moment only: what is done now and then is seen here."""
        id = self.sure_there("qsub", "-o", "/dev/null", "-j", "oe", "--", "/bin/true").strip()
        self.until_state(id, "F")
        self.assertLessEqual({"pbs_server of server", "pbs_sched default of server", "pbs_mom of a", "pbs_mom of l", "pbs_comm of l"},
                             set(self.at_rest[self.dir]))
        self.assertEqual(rest.until_rest(self.dir, self.at_rest[self.dir], window_s=5), "")

    def test_what_a_user_may_here_he_may_there(self):
        id = self.submit("-h", "--", "/bin/true")
        self.assertEqual(attributes(self.sure_there("qstat", "-f", id))["job_state"], "H")
        self.sure_there("qalter", "-N", "other", id)
        self.sure_there("qrls", id)
        self.assertEqual(self.until_state(id, "F")["Job_Name"], "other")
        far = self.sure_there("qsub", "-h", "--", "/bin/true").strip()
        self.sure("qdel", far)
        self.assertIn("server", self.sure_there("qstat", "-B"))

    def test_large_scripts_go_ahead_in_pieces(self):
        script = "#" * 300_000 + "\necho well\n"
        id = self.sure_there("qsub", "-N", "large", "-S", "/bin/sh", input=script).strip()
        self.until_state(id, "F")
        with open(os.path.join(self.work, f"large.o{id.split('.')[0]}")) as f:
            self.assertEqual(f.read(), "well\n")

    def test_commands_outlive_their_pbs_comm_and_the_server(self):
        id = self.submit("-h", "--", "/bin/sh", "-c", "exit 7")
        waiting = self.start_there("qsub", "-W", "block=true", "-W", f"depend=afterany:{id}", "--", "/bin/sh", "-c", "exit 9")
        self.addCleanup(waiting.kill)
        self.until(lambda: len(self.jobs()) == 2, "both are there")
        for daemon, host in ("pbs_comm", "l"), ("pbs_server", "server"):
            self.kill_daemon(daemon, host)
            self.start_daemon(daemon, host)
        self.until_answers()
        self.sure_there("qrls", id)
        out, err = waiting.communicate(timeout=COMMAND_DEADLINE_S)
        self.assertEqual(waiting.returncode, 9, (out, err))
        self.assertEqual(len(self.jobs()), 2)

    def test_a_command_leaves_its_connection_to_the_next(self):
        commands = 10
        for _ in range(commands):
            self.sure_there("qstat")
        # Some that have just ended may still be about to leave theirs.
        self.assertIn(self.lines(), range(1, commands))

    def test_a_server_that_was_restarted_is_reached_at_once(self):
        self.sure_there("qstat")
        self.assertGreaterEqual(self.lines(), 1)
        for _ in range(3):
            self.kill_daemon("pbs_server")
            self.start_daemon("pbs_server")
            self.until_answers()
            done = self.there("qsub", "-h", "--", "/bin/true")
            self.assertEqual((done.status, done.err), (0, ""), done)
        self.assertEqual(len(self.jobs()), 3)

    def test_connections_that_wait_leave_room_for_others(self):
        descriptors = 512                # half of 512/16 may wait, and one host has half of these: 8
        self.kill_daemon("pbs_server")
        server = self.cluster.machines["server"]
        with open(os.path.join(self.top, "pbs_server.out"), "a") as out:
            self.assertEqual(server.launch(["prlimit", f"--nofile={descriptors}:{descriptors}", server.program("pbs_server")], out), 0)
        self.until_answers()
        # More than may wait, and fewer than the 16 that one user may have at a time: who is turned away comes again for a few seconds only.
        with concurrent.futures.ThreadPoolExecutor(12) as crowd:
            for done in list(crowd.map(lambda _: self.there("qsub", "-h", "--", "/bin/true"), range(30))):
                self.assertEqual((done.status, done.err), (0, ""), done)
        self.until(lambda: 1 <= self.lines() <= descriptors // 64, lambda: f"few wait: {self.lines()}")
        self.sure_there("qstat")
        self.sure("qstat")
        self.assertEqual(len(self.jobs()), 30)

    @unittest.skipUnless(os.geteuid() == 0, "two users need root")
    def test_a_connection_serves_each_user_as_himself(self):
        account = pwd.getpwnam("nobody")
        nobody = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
        first = self.sure_there("qsub", "-h", "--", "/bin/true").strip()
        other = self.sure_there(*nobody, "qsub", "-h", "--", "/bin/true").strip()
        self.assertEqual([self.job(id)["Job_Owner"] for id in (first, other)], [f"{self.user}@l", "nobody@l"])
        self.assertEqual(self.there(*nobody, "qdel", first).status, 15007 % 256)
        self.sure_there("qdel", first)
        self.assertEqual(self.there("qdel", other).status, 15007 % 256)

    def test_what_is_missing_is_said(self):
        self.kill_daemon("pbs_comm", "l")
        done = self.there("qstat")
        self.assertEqual(done.status, 255, done)
        self.assertRegex(done.err, r"\AThis host's pbs_comm can't be asked: connect to /.*/comm/server.sock: Connection refused\n"
                                   r"qstat: cannot connect to server server \(errno=15010\)\n\Z")
        self.start_daemon("pbs_comm", "l")
        self.sure_there("qstat")
        self.kill_daemon("pbs_server")
        done = self.there("qstat")
        self.assertEqual(done.status, 255, done)
        self.assertRegex(done.err, r"\Ahost \S+ can't reach the server: connect to .*: Connection refused\n"
                                   r"qstat: cannot connect to server server \(errno=15010\)\n\Z")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.sure_there("qstat")

    def test_a_host_that_another_authority_enrolled_is_nobody(self):
        self.kill_daemon("pbs_comm", "l")
        self.enroll("l")                # a MoM's certificate
        self.start_daemon_fails("is for mom l, and not for a login host")
        other = os.path.join(self.top, "other")
        os.makedirs(os.path.join(other, "server_priv"))
        environment = {**self.cluster.machines["server"].environment(), "PBS_HOME": other}
        pem = subprocess.run(["pbs_enroll", "--login", "l"], env=environment, capture_output=True, text=True, check=True).stdout
        mini.write_file(os.path.join(self.home("l"), "server_priv", "comm", "server.pem"), pem, mode=0o600)
        self.start_daemon("pbs_comm", "l")
        done = self.there("qstat")
        self.assertEqual(done.status, 255, done)
        self.assertIn("can't reach the server", done.err)
        self.assertIn("certificate verify failed", done.err)

    def start_daemon_fails(self, why):
        process = subprocess.run(self.login.inside(["pbs_comm", "-N"]), env=self.login.environment(), capture_output=True, text=True,
                                 timeout=COMMAND_DEADLINE_S)
        self.assertEqual(process.returncode, 1, process)
        self.assertIn(why, process.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "who is root here and nobody there needs root")
    def test_root_of_a_login_host_is_no_manager(self):
        done = self.there("qmgr", "-c", "set server comment = mine")
        self.assertEqual(done.status, 15007 % 256, done)
        self.sure("qmgr", "-c", "set server managers = root@l")
        self.sure_there("qmgr", "-c", "set server comment = mine")
        self.assertEqual(attributes(self.sure("qstat", "-Bf"))["comment"], "mine")

    def test_lists_of_hosts_count(self):
        self.sure("qmgr", "-c", "set server acl_host_enable = True")
        done = self.there("qsub", "--", "/bin/true")
        self.assertEqual(done.status, 15007 % 256, done)
        self.sure("qmgr", "-c", "set server acl_hosts = l")
        self.sure_there("qsub", "--", "/bin/true")


@unittest.skipUnless(NAMESPACES, "hosts with networks of their own need root")
class a_login_host_of_its_own(a_login_host):
    plain = False

    def test_a_network_that_is_cut_for_a_moment_is_waited_for(self):
        id = self.submit("-h", "--", "/bin/true")
        waiting = self.start_there("qsub", "-W", "block=true", "-W", f"depend=afterany:{id}", "--", "/bin/sh", "-c", "exit 9")
        self.addCleanup(waiting.kill)
        self.until(lambda: len(self.jobs()) == 2, "both are there")
        self.cluster.set_link("l", False)
        self.until(lambda: "peer silent" in self.comm_log() or "down" in self.sure("pbsnodes", "l"), "the server misses l")
        self.cluster.set_link("l", True)
        self.sure("qrls", id)
        out, err = waiting.communicate(timeout=COMMAND_DEADLINE_S)
        self.assertEqual(waiting.returncode, 9, (out, err))


if __name__ == "__main__":
    unittest.main(verbosity=2)
