"""A cluster of three hosts and a job that takes all of them, for tests of what their deaths and silences do to it."""
import os

from private_cluster import ClusterTest, procs, signal

WIDE = ["-l", "select=3:ncpus=1:mpiprocs=2", "-l", "place=scatter"]


class WideJobTest(ClusterTest):
    hosts = ["a", "b", "c"]

    def setUp(self):
        super().setUp()
        self.failed_starts = {}      # of jobs of start_job, since a host stood still for ten seconds: whoever slowed it down

    def start_job(self, exit_status=0):
        """A job on all hosts that says where it runs and ends when it is told to. Its id and the file that ends it."""
        go = os.path.join(self.work, f"go{exit_status}")
        script = (f"cd {self.work}\necho started >> runs{exit_status}\ncat $PBS_NODEFILE\necho $PBS_NODENUM $PBS_TASKNUM\n"
                  f"while [ ! -e {go} ]; do sleep 0.05; done\ntouch ended{exit_status}\nexit {exit_status}\n")
        id = self.submit("-N", f"wide{exit_status}", "-j", "oe", "-S", "/bin/sh", *WIDE, input=script)
        self.until_running(id)      # by the primary's word, which may come long after the program's first one
        self.until(lambda: os.path.exists(os.path.join(self.work, f"runs{exit_status}")), f"{id} runs")
        self.failed_starts[id] = int(self.job(id)["run_count"]) - 1
        return id, go

    def submit_that_joins(self, absent):
        """A job whose hosts have begun to join and can't all have joined, since the sister `absent` stands still until go_on()."""
        id = self.submit_beside_silence(absent, "-N", "join", *WIDE, "--", "/bin/sh", "-c", f"echo ran >> {self.work}/joined")
        sisters = self.hosts_of(id)[1:]
        self.assertIn(absent, sisters)
        for host in sisters:
            if host != absent:
                self.until(lambda host=host: f";Job;{id};JOIN_JOB as node" in self.mom_log(host), f"{host} joins")
        return id

    def submit_beside_silence(self, silent, *arguments):
        """A job that is sent to its hosts while the MoM of one of them stands still. Its id.

        The server takes a host for down that is silent for ten seconds, and sends it nothing any more. If nothing was sent by then the job is
        held until the host is back, and the host stands still anew."""
        id = self.submit("-h", *arguments)
        down = lambda: "down" in self.sure("pbsnodes", silent)
        while True:
            self.stop("pbs_mom", silent)
            self.sure("qrls", id)
            self.until(lambda: "run_count" in self.job(id) or down(), lambda: f"{id} is sent: {self.job(id)}")
            if "run_count" in self.job(id):
                return id
            self.sure("qhold", id)
            self.go_on("pbs_mom", silent)
            self.until_free(silent)

    def check_joined(self, id):
        """It has run, once."""
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        path = os.path.join(self.work, "joined")
        with open(path) as f:
            self.assertEqual(f.read(), "ran\n")
        os.remove(path)

    def node_file(self, host, id):
        return os.path.join(self.home(host), "aux", id)

    def check_end(self, id, exit_status, run_count="1"):
        job = self.until_state(id, "F")
        self.assertEqual(job["Exit_status"], str(exit_status), job)
        with open(os.path.join(self.work, f"runs{exit_status}")) as f:
            self.assertEqual(f.read(), "started\n" * int(run_count))
        self.check_runs(id, job, int(run_count))
        for host in self.hosts:
            self.until_free(host)
            self.until(lambda host=host: not os.path.exists(self.node_file(host, id)), f"the node file is gone from {host}")

    def until_second_run(self, id):
        """Its program runs anew."""
        self.until(lambda: int(self.job(id)["run_count"]) >= self.failed_starts[id] + 2, lambda: f"{id} runs again: {self.job(id)}")
        self.until_running(id)
        self.failed_starts[id] = int(self.job(id)["run_count"]) - 2

    def check_runs(self, id, job, count):
        """It was started so often, besides starts that failed, and is recorded so."""
        starts = self.failed_starts[id] + count
        self.assertEqual(job["run_count"], str(starts), job)
        self.until_recorded(id, "SR" * (starts - 1) + "SE", among="SRE")

    def until_program_ends(self, exit_status):
        """Whoever hears of it: the job's program has come to its end."""
        self.until(lambda: os.path.exists(os.path.join(self.work, f"ended{exit_status}")), "the program ends")

    def stop(self, daemon, host="server"):
        """SIGSTOP; until go_on()."""
        procs.send(self.daemon_pids(daemon, host), signal.SIGSTOP)

    def go_on(self, daemon, host="server"):
        procs.send(self.daemon_pids(daemon, host), signal.SIGCONT)

    def until_free_of_trouble(self, host):
        self.until(lambda: "down" not in self.sure("pbsnodes", host), f"{host} is up")
