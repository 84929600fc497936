"""What is done with jobs by hand, while daemons die: signals arrive, suspended jobs stay suspended, moved ones stay moved."""
import os
import unittest

from private_cluster import ClusterTest, stands_still


class by_hand(ClusterTest):
    hosts = ["a"]

    def script(self):
        """Writes a line for each USR1 and tells when it is ready for the first."""
        path = os.path.join(self.work, "script")
        with open(path, "w") as f:
            f.write("trap 'echo got it >> %s/signals' USR1\necho ready > %s/signals\nwhile :; do sleep 0.05; done\n" % (self.work, self.work))
        return path

    def signals(self):
        try:
            with open(os.path.join(self.work, "signals")) as f:
                return f.read().splitlines()
        except FileNotFoundError:
            return []

    def running(self):
        self.sure("qmgr", "-c", "set server acl_roots = root")
        id = self.submit("-l", "walltime=01:00:00", "--", "/bin/sh", self.script())
        self.until_running(id)
        self.until(lambda: self.signals() == ["ready"], "the script runs")
        return id

    def processes(self):
        """Every process that runs the script."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if b"PBS_O_WORKDIR=" + self.work.encode() in f.read():
                        found.append(pid)
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                pass
        return found

    def all_stand_still(self):
        processes = self.processes()
        return processes and all(map(stands_still, processes))

    def test_a_signal_for_a_host_whose_mom_is_dead_arrives_when_it_is_back(self):
        id = self.running()
        self.kill_daemon("pbs_mom", "a")
        self.sure("qsig", "-s", "USR1", id)
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: "got it" in self.signals(), "the signal is there")
        self.sure("qdel", "-W", "force", id)

    def test_a_suspended_job_stays_so_whatever_dies_and_goes_on_when_told(self):
        id = self.running()
        self.sure("qsig", "-s", "suspend", id)
        self.until(self.all_stand_still, "every process stands still")
        self.kill_daemon("pbs_server")
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_server")
        self.start_daemon("pbs_mom", "a")
        self.until_answers()
        self.until_free("a")
        self.assertEqual(self.job(id)["job_state"], "S")
        self.assertTrue(self.all_stand_still())
        self.sure("qsig", "-s", "resume", id)
        self.until(lambda: not any(map(stands_still, self.processes())), "every process goes on")
        self.sure("qsig", "-s", "suspend", id)
        self.sure("qdel", id)
        self.until_state(id, "F")
        self.until_recorded(id, "QSzrzDE")

    def test_a_job_runs_again_by_force_although_its_host_is_gone(self):
        id = self.running()
        self.sure("qmgr", "-c", "set server scheduling = False")
        self.kill_daemon("pbs_mom", "a")
        self.sure("qrerun", "-W", "force", id)
        self.assertEqual(self.job(id)["job_state"], "Q")
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: not self.processes(), "its processes are gone")
        self.sure("qdel", id)


if __name__ == "__main__":
    unittest.main()
