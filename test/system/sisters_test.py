"""Jobs that span hosts (docs/design/0020-jobs-across-hosts.md): join, run and leave on real daemons, and kill -9 of each party.
Issue items "Join and leave", "Node file and environment" and "Failures"; pbs guide: 6.5, 17, 18."""
import glob
import os
import unittest

from private_cluster import ClusterTest

WIDE = ["-l", "select=3:ncpus=1:mpiprocs=2", "-l", "place=scatter"]


class a_job_on_three_hosts(ClusterTest):
    hosts = ["a", "b", "c"]

    def start_job(self, exit_status=0):
        """A job on all hosts that says where it runs and ends when it is told to. Its id and the file that ends it."""
        go = os.path.join(self.work, f"go{exit_status}")
        script = (f"cd {self.work}\necho started >> runs{exit_status}\ncat $PBS_NODEFILE\necho $PBS_NODENUM $PBS_TASKNUM\n"
                  f"while [ ! -e {go} ]; do sleep 0.05; done\nexit {exit_status}\n")
        id = self.submit("-N", f"wide{exit_status}", "-j", "oe", "-S", "/bin/sh", *WIDE, input=script)
        self.until(lambda: self.job(id).get("job_state") == "R" and os.path.exists(os.path.join(self.work, f"runs{exit_status}")),
                   f"{id} runs")
        return id, go

    def hosts_of(self, id):
        """Primary first."""
        return [chunk.split("/")[0] for chunk in self.job(id)["exec_host"].split("+")]

    def node_file(self, host, id):
        return os.path.join(self.home(host), "aux", id)

    def log_of(self, host):
        text = ""
        for path in glob.glob(os.path.join(self.home(host), "mom_logs", "*")):
            with open(path) as f:
                text += f.read()
        return text

    def check_end(self, id, exit_status, run_count="1"):
        job = self.until_state(id, "F")
        self.assertEqual(job["Exit_status"], str(exit_status), job)
        self.assertEqual(job["run_count"], run_count, job)
        with open(os.path.join(self.work, f"runs{exit_status}")) as f:
            self.assertEqual(f.read(), "started\n" * int(run_count))
        for host in self.hosts:
            self.until_free(host)
            self.until(lambda host=host: not os.path.exists(self.node_file(host, id)), f"the node file is gone from {host}")

    def test_every_host_joins_and_leaves(self):
        id, go = self.start_job()
        primary, *sisters = self.hosts_of(id)
        expected = "".join(f"{host}\n{host}\n" for host in [primary, *sisters])
        for host in self.hosts:
            with open(self.node_file(host, id)) as f:
                self.assertEqual(f.read(), expected)
        for number, host in enumerate(sisters, 1):
            self.assertIn(f";Job;{id};JOIN_JOB as node {number}\n", self.log_of(host))
        open(go, "w").close()
        self.check_end(id, 0)
        with open(os.path.join(self.work, f"wide0.o{id.split('.')[0]}")) as f:
            self.assertEqual(f.read(), expected + "0 1\n")
        for host in sisters:
            log = self.log_of(host)
            self.assertIn(f";Job;{id};KILL_JOB received\n", log)
            self.assertIn(f";Job;{id};DELETE_JOB received\n", log)

    def test_a_sisters_mom_is_killed_while_the_job_runs(self):
        id, go = self.start_job(3)
        primary, sister, _ = self.hosts_of(id)
        self.kill_daemon("pbs_mom", sister)
        self.until(lambda: f"im_eof, lost communication with {sister}, not killing job yet" in self.log_of(primary), "the primary notes it")
        self.start_daemon("pbs_mom", sister)
        self.until_free_of_trouble(sister)
        open(go, "w").close()
        self.check_end(id, 3)

    def until_free_of_trouble(self, host):
        self.until(lambda: "down" not in self.sure("pbsnodes", host), f"{host} is up")

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
        self.assertIn("the server no longer knows this run of the job: killed", self.log_of(sister))
        self.until_free(sister)

    def test_the_join_outlasts_each_partys_death(self):
        """All are killed as soon as the job is on its way; whoever is back goes on where it was."""
        for round, victims in enumerate([["b"], ["a", "c"], ["server"], ["a", "b", "c", "server"]]):
            id = self.submit("-N", "join", *WIDE, "--", "/bin/true")
            for victim in victims:
                self.kill_daemon("pbs_server" if victim == "server" else "pbs_mom", victim)
            for victim in victims:
                self.start_daemon("pbs_server" if victim == "server" else "pbs_mom", victim)
            self.until_answers()
            self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
            for host in self.hosts:
                self.until_free(host)
                self.until(lambda host=host: not os.path.exists(self.node_file(host, id)), f"the node file is gone from {host}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
