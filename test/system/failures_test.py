"""Who fails while a job spans hosts: daemons that are killed or stand still in each phase of its life, hosts that are given up
and come back, a MoM without its memory. docs/design/0020-jobs-across-hosts.md."""
import os
import shutil
import unittest

from wide_jobs import WideJobTest

MOM, SERVER = "pbs_mom", "pbs_server"
GIVEN_UP = "the server no longer knows this run of the job: killed"


class each_party_fails(WideJobTest):
    def test_who_stands_still_goes_on_where_it_was(self):
        for exit_status, victim in enumerate(["primary", "sister", "server"]):
            id, go = self.start_job(exit_status)
            primary, sister, _ = self.hosts_of(id)
            who = {"primary": (MOM, primary), "sister": (MOM, sister), "server": (SERVER, "server")}[victim]
            self.stop(*who)
            open(go, "w").close()
            self.until_program_ends(exit_status)
            self.go_on(*who)
            self.until_answers()
            self.check_end(id, exit_status)

    def test_who_stands_still_while_the_hosts_join(self):      # RS-15
        # A sister, until another has joined and the job still waits.
        id = self.submit_that_joins("c")
        self.go_on(MOM, "c")
        self.check_joined(id)
        # The primary, until the last sister is back and has done something else meanwhile.
        id = self.submit_that_joins("c")
        primary = self.hosts_of(id)[0]
        self.stop(MOM, primary)
        self.go_on(MOM, "c")
        self.until_state(self.submit("-l", "select=1:ncpus=1:host=c", "--", "/bin/true"), "F")
        self.assertEqual(self.job(id)["substate"], "41")
        self.go_on(MOM, primary)
        self.check_joined(id)
        # The server, until the program has run without it.
        id = self.submit_that_joins("c")
        self.stop(SERVER)
        self.go_on(MOM, "c")
        self.until(lambda: os.path.exists(os.path.join(self.work, "joined")), "the program runs")
        self.go_on(SERVER)
        self.until_answers()
        self.check_joined(id)

    def test_primary_and_server_die_while_the_job_ends(self):
        """A sister stands still, so that the job can't leave before they are back."""
        id, go = self.start_job(7)
        primary, sister, _ = self.hosts_of(id)
        self.stop(MOM, sister)
        open(go, "w").close()
        self.until_program_ends(7)
        self.kill_daemon(MOM, primary)
        self.kill_daemon(SERVER)
        self.start_daemon(SERVER)
        self.start_daemon(MOM, primary)
        self.go_on(MOM, sister)
        self.until_answers()
        self.check_end(id, 7)

    def test_a_primary_that_is_away_too_long_is_given_up(self):
        """pbs guide: node_fail_requeue. Its program goes on until it hears of that."""
        id, go = self.start_job(8)
        primary, sister, _ = self.hosts_of(id)
        self.kill_daemon(MOM, primary)
        self.sure("qmgr", "-c", "set server node_fail_requeue = 1")
        self.until_state(id, "Q")
        self.sure("qmgr", "-c", "set server node_fail_requeue = 310")     # a host that stands still for some seconds is not given up
        self.until(lambda: GIVEN_UP in self.mom_log(sister), "the sister ends what was given up")
        self.start_daemon(MOM, primary)
        self.until(lambda: f"{id};{GIVEN_UP}" in self.mom_log(primary), "the primary ends what was given up")
        self.until_second_run(id)
        open(go, "w").close()
        self.check_end(id, 8, run_count="2")

    def test_a_primary_without_its_memory_leaves_nothing_running(self):
        id, go = self.start_job(9)
        primary = self.hosts_of(id)[0]
        self.kill_daemon(MOM, primary)
        shutil.rmtree(os.path.join(self.home(primary), "mom_priv", "log"))
        os.remove(os.path.join(self.home(primary), "mom_priv", "log_uuid"))
        self.start_daemon(MOM, primary)
        self.until_second_run(id)
        open(go, "w").close()
        self.check_end(id, 9, run_count="2")


if __name__ == "__main__":
    unittest.main(verbosity=2)
