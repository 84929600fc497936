"""Hosts with names, networks and process tables of their own (root): one that is cut off is down, its job goes on, and all is
well when it is back; one that lost its power comes back without its jobs, those on several hosts too."""
import os
import shutil
import subprocess
import unittest

from private_cluster import STAGE, ClusterTest
from wide_jobs import WIDE, WideJobTest

NAMESPACES = os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "--uts", "--pid", "--net", "--fork", "true"],
                                                  capture_output=True).returncode == 0


@unittest.skipUnless(NAMESPACES, "hosts with networks of their own need root")
class a_cut_off_host(ClusterTest):
    plain = False
    hosts = ["a", "b"]

    def state(self, host):
        done = self.run_command("qmgr", "-c", f"list node {host} state")
        return done.out.partition("state = ")[2].strip()

    def test_its_job_goes_on_and_is_reported_when_it_is_back(self):
        go = os.path.join(self.work, "go")
        id = self.submit("-l", "select=1:host=b", "-S", "/bin/sh",
                         input=f"while [ ! -e {go} ]; do sleep 0.05; done\nuname -n > {self.work}/ran_on\nexit 9\n")
        self.until_running(id)
        self.cluster.set_link("b", False)
        self.until(lambda: "down" in self.state("b"), "the server misses b")
        self.assertEqual(self.state("a"), "free")
        elsewhere = self.submit("--", "/bin/true")
        self.assertEqual(self.until_state(elsewhere, "F")["exec_host"], "a/0")
        open(go, "w").close()
        self.until(lambda: os.path.exists(os.path.join(self.work, "ran_on")), "the job ends unheard")
        self.assertEqual(self.job(id)["job_state"], "R")
        self.cluster.set_link("b", True)
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "9")
        self.until_free("b")
        with open(os.path.join(self.work, "ran_on")) as f:
            self.assertEqual(f.read(), "b\n")

    def test_a_host_that_lost_its_power_comes_back_without_its_job(self):
        id = self.submit("-l", "select=1:host=b", "-r", "y", "--", "/bin/sleep", "1000")
        self.until_running(id)
        self.cluster.kill("b")
        self.until(lambda: "down" in self.state("b"), "the server misses b")
        self.cluster.start("b")
        self.until_free("b")
        # The program is gone with its host; nobody knows how far it came, so it is run again.
        self.until(lambda: (self.job(id) or {}).get("run_count") == "2", lambda: f"job {id} runs again: {self.job(id)}")
        self.until_running(id)
        self.sure("qdel", id)
        self.until_state(id, "F")


@unittest.skipUnless(NAMESPACES, "hosts with networks of their own need root")
class a_job_on_three_real_hosts(WideJobTest):
    plain = False

    def state(self, host):
        return self.run_command("qmgr", "-c", f"list node {host} state").out.partition("state = ")[2].strip()

    def text_of(self, name):
        """Of a file in the work directory; nothing if it is not there."""
        path = os.path.join(self.work, name)
        if not os.path.exists(path):
            return ""
        with open(path) as f:
            return f.read()

    def test_a_sister_is_cut_off_and_back(self):
        id, go = self.start_job(1)
        primary, sister, _ = self.hosts_of(id)
        self.cluster.set_link(sister, False)
        self.until(lambda: "down" in self.state(sister), "the server misses it")
        self.until(lambda: f"im_eof, lost communication with {sister}, not killing job yet" in self.mom_log(primary), "so does the primary")
        self.cluster.set_link(sister, True)
        self.until_free_of_trouble(sister)
        open(go, "w").close()
        self.check_end(id, 1)

    def test_a_sister_that_is_cut_off_at_the_end_gives_the_job_up_when_it_is_back(self):
        id, go = self.start_job(2)
        _, sister, _ = self.hosts_of(id)
        self.cluster.set_link(sister, False)
        self.until(lambda: "down" in self.state(sister), "the server misses it")
        open(go, "w").close()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "2")
        self.assertTrue(os.path.exists(self.node_file(sister, id)))
        self.cluster.set_link(sister, True)
        self.check_end(id, 2)
        self.until_mom_logged(sister, f"{id};the server no longer knows this run of the job: killed")

    def test_a_sister_loses_its_power_while_its_task_writes(self):
        """What the task wrote comes, then its end; the job goes on."""
        id = self.submit("-N", "wide4", "-j", "oe", "-S", "/bin/sh", *WIDE,
                         input=f"cd {self.work}\n{STAGE}/bin/pbsdsh -n 2 /bin/sh -c 'echo first; exec sleep 1000' > asked\n"
                               "echo $? > status\nexit 4\n")
        self.until(lambda: self.text_of("asked") == "first\n", "the task has begun")
        primary, sister, _ = self.hosts_of(id)
        self.cluster.kill(sister)
        self.until(lambda: f"im_eof, lost communication with {sister}, not killing job yet" in self.mom_log(primary), "the primary misses it")
        self.assertEqual(self.text_of("status"), "")
        self.cluster.start(sister)
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "4")
        self.assertEqual(self.text_of("asked"), "first\n")
        self.assertNotEqual(int(self.text_of("status")), 0)
        for host in self.hosts:
            self.until_free(host)
            self.until(lambda host=host: not os.path.exists(self.node_file(host, id)), f"the node file is gone from {host}")

    def end_unheard(self, id, go, exit_status):
        """The program ends while the server can't hear of it."""
        open(go, "w").close()
        self.until_program_ends(exit_status)
        self.assertEqual(self.job(id)["job_state"], "R")

    def test_a_primary_is_cut_off_at_the_end_and_back(self):
        id, go = self.start_job(5)
        primary, *sisters = self.hosts_of(id)
        self.cluster.set_link(primary, False)
        self.until(lambda: "down" in self.state(primary), "the server misses it")
        self.end_unheard(id, go, 5)
        for sister in sisters:
            self.assertTrue(os.path.exists(self.node_file(sister, id)))
        self.cluster.set_link(primary, True)
        self.check_end(id, 5)

    def test_the_server_is_cut_off_while_the_job_ends(self):
        id, go = self.start_job(6)
        self.cluster.set_link("server", False)
        for host in self.hosts:
            self.until(lambda host=host: "down" in self.state(host), f"the server misses {host}")
        self.end_unheard(id, go, 6)
        self.cluster.set_link("server", True)
        self.check_end(id, 6)

    def test_the_servers_host_loses_its_power_while_the_job_ends(self):
        id, go = self.start_job(7)
        self.cluster.kill("host:server")
        open(go, "w").close()
        self.until_program_ends(7)
        self.cluster.start("host:server")
        self.until_answers()
        self.check_end(id, 7)

    def test_a_primary_loses_its_power(self):
        id, go = self.start_job(3)
        primary = self.hosts_of(id)[0]
        self.cluster.kill(primary)
        self.until(lambda: "down" in self.state(primary), "the server misses it")
        self.cluster.start(primary)
        self.until(lambda: self.job(id)["run_count"] == "2", lambda: f"the job runs again: {self.job(id)}")
        self.until_running(id)
        open(go, "w").close()
        self.check_end(id, 3, run_count="2")



@unittest.skipUnless(NAMESPACES, "hosts with networks of their own need root")
class tasks_on_real_hosts(ClusterTest):
    plain = False
    hosts = ["a", "b", "c"]

    def run_job(self, script, *options):
        script = f"export PATH={STAGE}/bin:$PATH\ncd {self.work}\n{script}\n"
        id = self.submit("-N", "tasks", "-j", "oe", "-S", "/bin/sh", *options, "-l", "place=scatter", input=script)
        job = self.until_state(id, "F")
        with open(os.path.join(self.work, f"tasks.o{id.split('.')[0]}")) as f:
            out = f.read()
        self.assertEqual(job["Exit_status"], "0", out)
        return out

    def test_pbs_tmrsh_takes_addresses(self):
        rsh = f"{STAGE}/bin/pbs_tmrsh"
        out = self.run_job(f"""
for h in $(cat $PBS_NODEFILE); do
  address=$(getent ahostsv4 $h | sed -n '1s/ .*//p')
  pbs_tmrsh $address 'echo $PBS_NODENUM $(cat /proc/sys/kernel/random/boot_id) > {self.work}/boot.$PBS_NODENUM; uname -n'
  pbsdsh -h $address /bin/uname -n
  pbs_tmrsh $h "PBS_NODENUM=0 {rsh} localhost uname -n; {rsh} ::ffff:$address uname -n"
done
cut -d' ' -f2 boot.* | sort -u | wc -l
pbs_tmrsh 10.86.0.200 true || echo $?
""", "-l", "select=3:ncpus=1")
        lines = out.splitlines()
        self.assertEqual(sorted(lines[:12:4]), ["a", "b", "c"], out)
        for at in range(0, 12, 4):
            self.assertEqual(lines[at:at + 4], [lines[at]] * 4, out)
        self.assertEqual([lines[12], lines[-1]], ["3", "255"], out)

    def test_mpich_needs_no_setting(self):
        mpicc, mpiexec = shutil.which("mpicc.mpich"), shutil.which("mpiexec.hydra") or shutil.which("mpiexec.mpich")
        if not mpicc or not mpiexec:
            self.skipTest("MPICH is not installed (Debian: mpich)")
        program = os.path.join(self.work, "ranks")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tm", "ranks.c")
        subprocess.run([mpicc, "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-o", program, source], check=True)
        out = self.run_job(f"{mpiexec} -launcher ssh -launcher-exec {STAGE}/bin/pbs_tmrsh -f $PBS_NODEFILE {program} || true",
                           "-l", "select=3:ncpus=2:mpiprocs=2")
        # What ranks.c says of MPI_Finalize may end mpiexec with words and a status of its own.
        ranks = sorted(line.split(",")[0] for line in out.splitlines() if line.startswith("rank "))
        self.assertEqual(ranks, [f"rank {rank} of 6" for rank in range(6)], out)
        self.assertEqual(out.count("sum 15"), 6, out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
