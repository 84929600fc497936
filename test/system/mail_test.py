"""Mail by a real mailer program: what it gets, that nobody waits for it, and that a server that is killed sends each mail once."""
import contextlib
import glob
import os
import time
import unittest

from private_cluster import ClusterTest


class mail(ClusterTest):
    hosts = ["a"]

    def setUp(self):
        super().setUp()
        self.sent = os.path.join(self.top, "sent")
        os.mkdir(self.sent)
        self.mailer = self.make_mailer("")
        self.sure("qmgr", "-c", f"set server mailer = {self.mailer}")

    def make_mailer(self, before):
        """A program that keeps each mail as a file: its arguments a line, then what it read. `before`: what it does first."""
        path = os.path.join(self.top, "mailer")
        with open(path + ".new", "w") as f:
            f.write(f'#!/bin/sh\n{before}\nnew=$(mktemp {self.sent}/part.XXXXXX)\n'
                    f'{{ echo "$# $1 $2 [$3]"; cat; }} > "$new"\nmv "$new" "{self.sent}/mail.${{new##*.}}"\n')
        os.chmod(path + ".new", 0o755)
        os.rename(path + ".new", path)
        return path

    def mails(self, about=""):
        """Those about a job or reservation, as (arguments, text), in the order in which they came."""
        found = []
        for path in sorted(glob.glob(os.path.join(self.sent, "mail.*")), key=lambda p: os.stat(p).st_mtime_ns):
            with open(path) as f:
                arguments, text = f.read().split("\n", 1)
            if f"Id: {about}" in text:
                found.append((arguments, text))
        return found

    def bodies(self, id):
        return [text.split("\n", 5)[5] for _, text in self.mails(id)]

    def until_mailed(self, id, count):
        self.until(lambda: len(self.mails(id)) >= count, lambda: f"{count} mails about {id}: {self.mails(id)}")
        return self.bodies(id)

    def test_a_job_is_told_of_as_its_options_say(self):
        self.sure("qmgr", "-c", "set server mail_from = pbsadmin@example.com")
        id = self.submit("-m", "abe", "-M", "x@y.org,z", "-N", "told", "--", "/bin/true")
        silent = self.submit("-m", "n", "--", "/bin/true")
        begun, ended = sorted(self.until_mailed(id, 2))       # mailers run beside each other
        self.until_state(silent, "F")
        self.assertEqual(begun, "Begun execution\n")
        self.assertRegex(ended, r"\AExecution terminated\nExit_status=0\nresources_used.cpupercent=\d+\nresources_used.cput=00:00:\d\d\n"
                                r"resources_used.mem=\d+kb\nresources_used.ncpus=1\nresources_used.vmem=\d+kb\n"
                                r"resources_used.walltime=00:00:\d\d\n\Z")
        [(arguments, text)] = [mail for mail in self.mails(id) if mail[1].endswith(begun)]
        self.assertEqual(arguments, "3 -f pbsadmin@example.com [x@y.org z ]")
        self.assertEqual(text, f"To: x@y.org z \nSubject: PBS JOB {id}\n\nPBS Job Id: {id}\nJob Name:   told\nBegun execution\n")
        again = self.submit("-m", "b", "--", "/bin/true")
        self.until_mailed(again, 1)
        self.assertEqual((len(self.mails(id)), self.mails(silent)), (2, []))

    def test_where_the_site_wants_it_the_mail_of_the_end_says_what_pbs_efficiency_says(self):
        self.sure("qmgr", "-c", "set server mail_efficiency = t")
        self.assertIn("\n    mail_efficiency = True\n", self.sure("qmgr", "-c", "list server"))
        id = self.submit("-m", "e", "-l", "walltime=60", "--", "/bin/true")
        self.until_state(id, "F")
        [ended] = self.until_mailed(id, 1)
        usage, _, efficiency = ended.partition("\n\n")
        self.assertRegex(usage, r"\AExecution terminated\nExit_status=0\n(resources_used\.\w+=\S+\n?)+\Z")
        self.assertEqual(efficiency, self.sure("pbs_efficiency", id))
        self.sure("qmgr", "-c", "unset server mail_efficiency")
        [ended] = self.until_mailed(self.submit("-m", "e", "--", "/bin/true"), 1)
        self.assertNotIn("\n\n", ended)

    def test_a_reservation_is_told_of(self):
        start = time.strftime("%Y%m%d%H%M.%S", time.localtime(time.time() + 600))
        id = self.sure("pbs_rsub", "-m", "abce", "-R", start, "-D", "60", "-l", "select=1:ncpus=1").split()[0]
        self.assertEqual(self.until_mailed(id, 1), ["Reservation transitioned from state UNCONFIRMED to CONFIRMED\n"])
        self.sure("pbs_rdel", id)
        self.assertRegex(self.until_mailed(id, 2)[1], r"\AReservation removed\nRequesting party: \S+@\S+\n\Z")
        self.assertIn(f"\nSubject: PBS RESERVATION {id}\n\nPBS Reservation Id: {id}\nReservation Name:   NULL\n", self.mails(id)[0][1])

    def test_a_mailer_that_is_missing_is_told_of_and_nobody_waits_for_one_that_hangs(self):
        self.sure("qmgr", "-c", "set server mailer = /nosuch/mailer")
        self.until_state(self.submit("-m", "be", "--", "/bin/true"), "F")
        self.until_logged("mail not sent: /nosuch/mailer for ")
        self.make_mailer("sleep 1000")
        self.sure("qmgr", "-c", f"set server mailer = {self.mailer}")
        self.until_state(self.submit("-m", "be", "--", "/bin/true"), "F")
        self.end_sleepers()

    def end_sleepers(self):
        for pid in self.mailers():
            with contextlib.suppress(ProcessLookupError):      # a child that is just beginning
                os.killpg(pid, 9)       # it has a session of its own

    def mailers(self):
        """Processes of this test's mailer, and its children."""
        found = []
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(path) as f:
                    words = f.read().split("\0")
            except OSError:
                continue
            if self.mailer in words:
                found.append(int(path.split("/")[2]))
        return found

    # At any moment: while mails are begun, run, wait for their turn, or have just been committed.
    def test_a_server_that_is_killed_again_and_again_sends_each_mail_once(self):
        gate = os.path.join(self.top, "gate")
        self.make_mailer(f"while ! test -e {gate}; do sleep 0.1; done")
        jobs = []
        for _ in range(4):
            jobs += [self.submit("-m", "be", "--", "/bin/true") for _ in range(8)]
            self.kill_daemon("pbs_server")
            self.start_daemon("pbs_server")
            self.until_answers()
        self.kill_daemon("pbs_server")
        open(gate, "w").close()
        self.start_daemon("pbs_server")
        self.until_answers()
        for id in jobs:
            self.until_mailed(id, 2)
        last = self.submit("-m", "b", "--", "/bin/true")
        self.until_mailed(last, 1)
        self.until(lambda: not self.mailers(), "the mailers have ended")
        for id in jobs:
            self.assertEqual(sorted(body.split("\n")[0] for body in self.bodies(id)), ["Begun execution", "Execution terminated"], id)


if __name__ == "__main__":
    unittest.main()
