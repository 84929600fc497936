"""Jobs that span hosts (docs/design/0020-jobs-across-hosts.md): join, run and leave on real daemons, and kill -9 of each party.
pbs guide: 6.5, 17, 18."""
import os
import unittest

from wide_jobs import WideJobTest


class a_job_on_three_hosts(WideJobTest):
    def test_every_host_joins_and_leaves(self):      # RS-116
        id, go = self.start_job()
        primary, *sisters = self.hosts_of(id)
        expected = "".join(f"{host}\n{host}\n" for host in [primary, *sisters])
        for host in self.hosts:
            with open(self.node_file(host, id)) as f:
                self.assertEqual(f.read(), expected)
        for number, host in enumerate(sisters, 1):
            self.until_mom_logged(host, f";Job;{id};JOIN_JOB as node {number}\n")
        open(go, "w").close()
        self.check_end(id, 0)
        with open(os.path.join(self.work, f"wide0.o{id.split('.')[0]}")) as f:
            self.assertEqual(f.read(), expected + "0 1\n")
        for host in sisters:
            self.until_mom_logged(host, f";Job;{id};KILL_JOB received\n")
            self.until_mom_logged(host, f";Job;{id};DELETE_JOB received\n")

    def test_a_sisters_mom_is_killed_while_the_job_runs(self):
        id, go = self.start_job(3)
        primary, sister, _ = self.hosts_of(id)
        self.kill_daemon("pbs_mom", sister)
        self.until(lambda: f"im_eof, lost communication with {sister}, not killing job yet" in self.mom_log(primary), "the primary notes it")
        self.start_daemon("pbs_mom", sister)
        self.until_free_of_trouble(sister)
        open(go, "w").close()
        self.check_end(id, 3)

    def test_the_primarys_mom_is_killed_while_the_job_runs(self):
        id, go = self.start_job(4)
        primary = self.hosts_of(id)[0]
        self.kill_daemon("pbs_mom", primary)
        self.start_daemon("pbs_mom", primary)
        self.until_free_of_trouble(primary)
        open(go, "w").close()
        self.check_end(id, 4)

    def test_the_server_is_killed_while_the_job_runs(self):
        id, go = self.start_job(5)
        self.kill_daemon("pbs_server")
        open(go, "w").close()
        self.start_daemon("pbs_server")
        self.until_answers()
        self.check_end(id, 5)

    def test_a_host_that_comes_back_ends_what_was_given_up(self):
        id, go = self.start_job(6)
        primary, sister, _ = self.hosts_of(id)
        self.kill_daemon("pbs_mom", sister)
        self.sure("qdel", id)
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "271")
        self.assertTrue(os.path.exists(self.node_file(sister, id)))
        self.start_daemon("pbs_mom", sister)
        self.until(lambda: not os.path.exists(self.node_file(sister, id)), "the host cleans up")
        self.until_mom_logged(sister, "the server no longer knows this run of the job: killed")
        self.until_free(sister)

    def test_the_join_outlasts_each_partys_death(self):
        """All are killed while one host has not joined; whoever is back goes on where it was."""
        for absent, victims in (("c", ["b"]), ("b", ["a", "c"]), ("b", ["server"]), ("c", ["a", "b", "c", "server"])):
            id = self.submit_that_joins(absent)
            for victim in victims:
                self.kill_daemon("pbs_server" if victim == "server" else "pbs_mom", victim)
            for victim in victims:
                self.start_daemon("pbs_server" if victim == "server" else "pbs_mom", victim)
            if absent not in victims:
                self.go_on("pbs_mom", absent)
            self.until_answers()
            self.check_joined(id)
            for host in self.hosts:
                self.until_free(host)
                self.until(lambda host=host: not os.path.exists(self.node_file(host, id)), f"the node file is gone from {host}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
