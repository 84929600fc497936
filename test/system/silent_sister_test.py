"""What is done by hand to a job one of whose hosts does not answer: its MoM stands still, its processes go on. Issue items "Suspend,
resume, signal, rerun, delete" and "Failures"; pbs guide: 11.3; docs/design/0020-jobs-across-hosts.md, 0021-by-hand.md."""
import os
import subprocess
import unittest

from private_cluster import DEADLINE_S, STAGE
from wide_jobs import WIDE, WideJobTest

MOM = "pbs_mom"


class by_hand_with_a_silent_sister(WideJobTest):
    def silence_a_sister(self, id):
        """From now on. Some twenty seconds later the primary gives up one that it waits for."""
        sister = self.hosts_of(id)[1]
        self.stop(MOM, sister)
        self.addCleanup(self.go_on, MOM, sister)
        return sister

    def start_with_silent_sister(self, exit_status):
        id, go = self.start_job(exit_status)
        return id, go, self.silence_a_sister(id)

    def says_nothing(self, *command):
        done = self.run_command(*command)
        self.assertEqual((done.status, done.out, done.err), (0, "", ""), command)

    def nothing_is_left(self, id):
        for host in self.hosts:
            self.until_free(host)
            self.until(lambda host=host: not os.path.exists(self.node_file(host, id)), f"the node file is gone from {host}")
        after = self.submit(*WIDE, "--", "/bin/true")
        self.assertEqual(self.until_state(after, "F")["Exit_status"], "0")

    def test_signals_suspension_and_holds_do_not_wait_for_it(self):
        id, go, sister = self.start_with_silent_sister(1)
        self.says_nothing("qsig", "-s", "CONT", id)
        self.says_nothing("qmsg", "-O", "a word", id)
        self.says_nothing("qsig", "-s", "suspend", id)
        self.assertEqual((self.job(id)["job_state"], self.job(id)["substate"]), ("S", "43"))
        self.says_nothing("qsig", "-s", "resume", id)
        self.until_running(id)
        self.says_nothing("qhold", id)                    # of a running job: kept for when it is queued again
        self.assertEqual((self.job(id)["job_state"], self.job(id)["Hold_Types"]), ("R", "u"))
        self.says_nothing("qrls", id)
        self.go_on(MOM, sister)
        open(go, "w").close()
        self.check_end(id, 1)
        with open(os.path.join(self.work, f"wide1.o{id.split('.')[0]}")) as f:
            self.assertIn("a word\n", f.read())

    def test_a_deletion_waits_for_it_and_a_forced_one_does_not(self):
        id, _ = self.start_job(2)
        primary = self.hosts_of(id)[0]
        sister = self.silence_a_sister(id)
        self.says_nothing("qdel", id)
        self.until(lambda: f"{id};task 00000001 terminated" in self.mom_log(primary), "its program is killed")
        self.assertEqual(self.job(id)["job_state"], "R")  # its end is told when all hosts have told theirs
        self.says_nothing("qdel", "-W", "force", id)
        job = self.until_state(id, "F")
        self.assertEqual(job["substate"], "91", job)
        self.check_runs(id, job, 1)
        self.go_on(MOM, sister)
        self.nothing_is_left(id)

    def test_a_rerun_waits_for_it_as_long_as_is_set(self):
        id, go = self.start_job(4)
        self.sure("qmgr", "-c", "set server job_requeue_timeout = 1")
        self.sure("qmgr", "-c", "set server scheduling = False")
        sister = self.silence_a_sister(id)
        done = self.run_command("qrerun", id)
        self.assertEqual((done.status, done.err), (163, f"qrerun: Response timed out. Job rerun request still in progress for {id}\n"))
        self.assertEqual((self.job(id)["job_state"], self.job(id)["substate"]), ("R", "60"))
        self.sure("qmgr", "-c", "set server job_requeue_timeout = 300")
        asked = self.server_log().count("Type 14 request received")
        again = subprocess.Popen([f"{STAGE}/bin/qrerun", id], env=self.environment())
        self.until(lambda: self.server_log().count("Type 14 request received") > asked, "it is asked once more")
        self.go_on(MOM, sister)
        self.assertEqual(again.wait(DEADLINE_S), 0)        # it is queued again before the answer
        self.assertEqual(self.job(id)["job_state"], "Q")
        self.sure("qdel", id)
        self.until_state(id, "F")

    def test_a_forced_rerun_does_not_wait_for_it(self):
        id, go, sister = self.start_with_silent_sister(3)
        self.says_nothing("qrerun", "-W", "force", id)
        self.until(lambda: "R" in [letter for letter, of, _ in self.accounting() if of == id], "it was taken back")
        self.go_on(MOM, sister)
        self.until(lambda: int(self.job(id)["run_count"]) >= 2, lambda: f"it runs again: {self.job(id)}")
        self.until_running(id)
        open(go, "w").close()
        job = self.until_state(id, "F")
        self.assertEqual(job["Exit_status"], "3", job)
        self.nothing_is_left(id)


if __name__ == "__main__":
    unittest.main(verbosity=2)
