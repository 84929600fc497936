"""Interactive jobs (docs/design/0059-interactive-jobs.md): what the user of a real terminal sees, and what is left when connections,
daemons or the user are gone."""
import os
import pwd
import re
import signal
import subprocess
import time
import unittest

from at_another_time import AtAnotherTime
from private_cluster import STAGE
from screen import InteractiveTest, Screen

NAMESPACES = os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "--uts", "--pid", "--net", "--fork", "true"],
                                                  capture_output=True).returncode == 0


class a_session(InteractiveTest):
    def test_the_job_has_the_users_terminal(self):  # RD-17
        s = self.sit()
        self.assertTrue(self.ask(s, "tty").startswith("/dev/pts/"))
        self.assertEqual(self.ask(s, "stty size"), "30 100\n")
        self.assertEqual(self.ask(s, "echo $TERM $PBS_ENVIRONMENT $0"), "xterm PBS_INTERACTIVE -sh\n")
        self.assertEqual(self.ask(s, "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo yes"), "yes\n")
        job = self.job(s.id)
        self.assertEqual((job["interactive"], job["Rerunable"], job["Job_Name"]), ("True", "False", "STDIN"))
        s.line("exit 3")
        self.finish(s, "3")
        self.assertEqual(os.listdir(self.work), [])      # no output files

    def test_keys_send_signals_and_the_shell_has_job_control(self):
        s = self.sit()
        tty = self.ask(s, "tty").strip()
        s.line("sleep 1000")
        self.until(lambda: "sleep" in self.foreground(tty), "sleep has the terminal")
        s.type("\x03")
        s.line("rc=$?")
        self.assertEqual(self.ask(s, "echo $rc"), "130\n")
        s.line("sleep 1000")
        self.until(lambda: "sleep" in self.foreground(tty), "sleep has the terminal")
        s.type("\x1a")
        self.assertIn("Stopped", self.ask(s, "jobs"))
        s.line("fg")
        self.until(lambda: "sleep" in self.foreground(tty), "sleep has the terminal again")
        s.type("\x03")
        s.line("exit 0")
        self.finish(s)

    def foreground(self, tty):
        """Names of the processes that have this terminal."""
        out = subprocess.run(["ps", "-t", tty, "-o", "pgid=,tpgid=,comm="], capture_output=True, text=True).stdout
        return [name for group, front, name in (line.split(None, 2) for line in out.splitlines()) if group == front]

    def test_the_window_changes_its_size(self):
        s = self.sit()
        self.assertEqual(self.ask(s, "stty size"), "30 100\n")
        s.resize(40, 120)
        self.until(lambda: self.ask(s, "stty size") == "40 120\n", "the job knows the size")
        s.line("exit")
        self.finish(s)

    def test_a_program_in_place_of_a_shell(self):
        s = Screen(self, "qsub", "-I", "--", "/bin/echo", "hello", "world")
        s.id = s.expect(r"waiting for job (\S+) to start")
        self.finish(s)
        self.assertEqual(s.text, f"qsub: waiting for job {s.id} to start\r\nqsub: job {s.id} ready\r\n\r\nhello world\r\n\r\n"
                                 f"qsub: job {s.id} completed\r\n")
        s = Screen(self, "qsub", "-I", "--", "/nosuch")
        s.id = s.expect(r"waiting for job (\S+) to start")
        self.finish(s, "254")
        self.assertIn("exec of /nosuch failed with error: No such file or directory\r\n", s.text)

    def test_of_a_script_only_the_directives_count(self):
        with open(os.path.join(self.work, "d.sh"), "w") as f:
            f.write("#!/bin/sh\n#PBS -I -N fromscript -S /bin/sh\n#PBS -l ncpus=2\necho no\n")
        s = Screen(self, "qsub", "d.sh")
        s.id = s.expect(r"waiting for job (\S+) to start")
        s.expect("ready")
        self.assertEqual(self.ask(s, "echo $PBS_JOBNAME $NCPUS"), "fromscript 2\n")
        s.line("exit")
        self.finish(s)
        done = self.run_command("qsub", "d.sh")
        self.assertEqual((done.status, done.err), (1, "qsub:\tstandard input and output must be a terminal for\n"
                                                      "\tinteractive job submission\n"))

    def test_a_tilde_at_the_start_of_a_line_ends_it(self):
        s = self.sit()
        s.type("~.")
        self.assertEqual(s.ended(), 0)
        self.assertIn(f"qsub: job {s.id} completed", s.text)
        self.ended_job(s.id)

    def test_a_tilde_with_the_suspend_key_stops_qsub(self):
        s = Screen(self, "sh", "-i", environment={"PS1": "outer> "})
        s.expect("outer> ")
        s.line("qsub -I -S /bin/sh")
        s.expect("ready\r\n\r\n")
        self.ask(s, "PS1='$ '; PS2=")
        s.type("~\x1a")
        s.expect("Stopped")
        s.line("fg")
        self.ask(s, "echo back")
        s.line("exit")
        s.expect("completed\r\nouter> ")
        s.line("exit $?")
        self.assertEqual(s.ended(), 0)

    def test_qsub_is_not_stopped_where_nobody_could_continue_it(self):
        s = self.sit()
        s.type("~\x1a")
        self.assertEqual(self.ask(s, "echo here"), "here\n")
        s.line("exit")
        self.finish(s)

    def test_messages_of_operators_and_limits_are_on_the_screen(self):
        s = self.sit("-l", "walltime=1:00:00")
        self.until_running(s.id)
        self.sure("qmsg", "-E", "hello from outside", s.id)
        s.expect("hello from outside")
        self.sure("qdel", s.id)
        self.assertEqual(s.ended(), 0)
        self.assertIn(f"qsub: job {s.id} completed", s.text)
        # Not walltime, which counts before its user is there. Each of these ends at the limit, and the shell does not: all together exceed it.
        s = self.sit("-l", "cput=1")
        s.line("for n in 1 2 3 4; do (while :; do :; done) & done")
        s.expect(r"=>> PBS: job killed: cput \d+ exceeded limit 1")
        self.assertEqual(s.ended(), 0)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_it_is_another_users(self):
        user = pwd.getpwnam("daemon")       # whose home is there everywhere
        s = Screen(self, "setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "qsub", "-I", "--",
                   "/bin/sh", "-c", "id -un; ls -l $(tty) | cut -d' ' -f3; read answer")
        s.id = s.expect(r"waiting for job (\S+) to start")
        s.expect(f"ready\r\n\r\n{user.pw_name}\r\n{user.pw_name}\r\n")
        s.line("done")
        self.finish(s)

    def test_it_may_come_through_a_routing_queue(self):
        self.sure("qmgr", "-c", "create queue rq queue_type=r, enabled=t, started=f, route_destinations=workq")
        s = self.sit("-q", "rq", begun=False)
        self.assertEqual(self.job(s.id)["queue"], "rq")
        self.sure("qmgr", "-c", "set queue rq started=True")
        s.expect("ready\r\n\r\n")
        self.assertEqual(self.ask(s, "echo here"), "here\n")
        self.assertEqual(self.job(s.id)["queue"], "workq")
        s.line("exit")
        self.finish(s)

    def test_it_is_not_rerun(self):
        s = self.sit()
        self.until_running(s.id)
        self.sure("qalter", "-r", "y", s.id)
        for force in (), ("-W", "force"):
            done = self.run_command("qrerun", *force, s.id)
            self.assertEqual((done.status, done.err), (190, f"qrerun: job is not rerunnable {s.id}\n"))
        s.line("exit")
        self.finish(s)

    def test_a_hook_keeps_them_out(self):
        with open(os.path.join(self.work, "hook.py"), "w") as f:
            f.write("import pbs\ne = pbs.event()\nif e.job.interactive:\n    e.reject('no interactive jobs here')\n")
        self.sure("qmgr", "-c", "create hook q event=queuejob")
        self.sure("qmgr", "-c", "import hook q application/x-python default hook.py")
        s = Screen(self, "qsub", "-I")
        self.assertEqual(s.ended(), 65, s.text)
        self.assertEqual(s.text, "qsub: no interactive jobs here\r\n")


class a_session_that_waits(AtAnotherTime, InteractiveTest):
    def test_it_may_wait_for_a_reservation(self):
        start = self.clock.now() + 300      # which is to be ahead when the scheduler looks
        when = time.strftime("%Y%m%d%H%M.%S", time.localtime(start))
        id = self.sure("pbs_rsub", "-I", "60", "-R", when, "-D", "3600", "-l", "select=1:ncpus=1").split()[0]
        s = Screen(self, "qsub", "-I", "-S", "/bin/sh", "-q", id.split(".")[0])
        s.id = s.expect(r"qsub: waiting for job (\S+) to start\r\n")
        self.go_on_to(start, id)
        s.expect("ready\r\n\r\n")
        self.ask(s, "echo here")
        s.line("exit 2")
        self.finish(s, "2")


class while_it_waits(InteractiveTest):
    question = r"Do you wish to terminate the job and exit \(y\|\[n\]\)\? "

    def test_it_asks_whether_the_job_is_to_be_deleted(self):
        s = self.sit("-h", begun=False)
        for times, answer in (1, "n"), (2, ""):
            s.type("\x03")
            s.expect(self.question, times)
            s.type(answer + "\n")
            s.expect(self.question + answer + "\r\n")
            self.until(lambda: s.unread() == 0, "qsub has the answer")     # or the next key would take it away
        s.type("\x1a")
        s.expect("Sorry, you cannot suspend qsub until the job is started\r\n")
        s.type("\x03")
        s.expect(self.question, 3)
        s.type("maybe\n")
        s.expect("yes or no please\r\n")
        self.assertEqual(self.job(s.id)["job_state"], "H")
        s.type("y\n")
        self.assertEqual(s.ended(), 0)
        self.assertTrue(s.text.endswith(f"Job {s.id} is being deleted\r\n"), s.text)
        self.until_state(s.id, "F")

    def test_it_hears_that_the_job_was_deleted(self):
        s = self.sit("-h", begun=False)
        self.sure("qdel", s.id)
        self.assertEqual(s.ended(), 1)
        self.assertTrue(s.text.endswith(f"qsub: job {s.id} apparently deleted\r\n"), s.text)

    def test_its_job_is_deleted_when_qsub_is_killed(self):
        s = self.sit("-h", begun=False)
        os.kill(s.pid, signal.SIGKILL)
        self.until_state(s.id, "F")

    def test_the_server_may_be_restarted(self):
        s = self.sit("-h", begun=False)
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.until_free("a")
        self.sure("qrls", s.id)
        s.expect("ready\r\n\r\n")
        self.assertEqual(self.ask(s, "echo here"), "here\n")
        s.line("exit")
        self.finish(s)


class what_is_lost_comes_back(InteractiveTest):
    hosts = ["a", "b"]
    # More than is kept on the way.
    numbers = 100000

    def count(self, screen):
        """Begins to print numbers, so that one that is lost or comes twice is seen."""
        self.ask(screen, "stty -echo")
        screen.line(f"i=0; while [ $i -lt {self.numbers} ]; do i=$((i+1)); echo n$i; done")
        screen.expect("n100\r\n")

    def counted(self, screen):
        screen.expect(f"n{self.numbers}\r\n")
        self.assertEqual([int(n) for n in re.findall(r"(?m)\bn(\d+)\r$", screen.text)], list(range(1, self.numbers + 1)))

    def test_a_mom_that_is_killed_and_started(self):
        s = self.sit(host="b")
        self.count(s)
        self.kill_daemon("pbs_mom", "b")
        s.type("echo ty")     # while nobody is there
        self.start_daemon("pbs_mom", "b")
        self.counted(s)
        s.type("ped\r")
        s.expect("typed\r\n")
        s.line("exit 4")
        self.finish(s, "4")

    def test_a_server_that_is_killed_and_started(self):
        s = self.sit(host="b")
        self.count(s)
        self.kill_daemon("pbs_server")
        s.type("echo ty")
        self.start_daemon("pbs_server")
        self.counted(s)
        s.type("ped\r")
        s.expect("typed\r\n")
        s.line("exit 4")
        self.finish(s, "4")

    def test_the_job_ends_while_its_mom_is_away(self):
        s = self.sit(host="b")
        shell = int(self.ask(s, "echo $$"))
        self.until_running(s.id)
        go = os.path.join(self.work, "go")
        s.line(f"while [ ! -e {go} ]; do sleep 0.1; done; exit 5")
        s.expect("exit 5\r\n")
        self.kill_daemon("pbs_mom", "b")
        open(go, "w").close()
        self.until(lambda: not os.path.exists(f"/proc/{shell}"), "the shell has ended")
        self.start_daemon("pbs_mom", "b")
        self.finish(s, "5")

    def test_a_qsub_that_is_killed_takes_its_job_along(self):
        s = self.sit(host="b")
        self.until_running(s.id)
        os.kill(s.pid, signal.SIGKILL)
        self.until_state(s.id, "F")

    def test_in_a_job_on_another_host(self):
        s = self.sit(host="b")
        s.line(f"exec env PATH={STAGE}/bin:$PATH PBS_CONF_FILE={self.cluster.layout.conf('b')} qsub -I -S /bin/sh -l select=1:host=a")
        inner = s.expect(r"qsub: waiting for job (\S+) to start\r\n", 2)
        s.expect("ready\r\n\r\n", 2)
        self.assertEqual(self.ask(s, "echo $PBS_JOBID"), inner + "\n")
        s.line("exit 6")
        s.expect(f"qsub: job {re.escape(inner)} completed\r\n")
        self.finish(s, "0")
        self.assertEqual(self.ended_job(inner)["Exit_status"], "6")


@unittest.skipUnless(NAMESPACES, "hosts with networks of their own need root")
class a_network_that_is_cut(InteractiveTest):
    hosts = ["a", "b"]
    plain = False

    def test_the_session_survives(self):
        s = self.sit(host="b")
        self.until_running(s.id)
        s.line("while [ ! -e " + os.path.join(self.work, "go") + " ]; do sleep 0.1; done; echo 'af'ter")
        self.cluster.set_link("b", False)
        s.expect("is out of reach, waiting for it")
        open(os.path.join(self.work, "go"), "w").close()
        self.cluster.set_link("b", True)
        s.expect("can be reached again")
        s.expect("after\r\n")
        self.assertEqual(self.ask(s, "echo here"), "here\n")
        s.line("exit 7")
        self.finish(s, "7")


if __name__ == "__main__":
    unittest.main(verbosity=2)
