"""Lines of the daemons' logs that site tools and test frameworks wait for (pbs guide: logs)."""
import os
import re
import unittest

from private_cluster import ClusterTest


class log_lines(ClusterTest):
    def until_lines(self, log, *patterns):
        """All of them, in this order; each is a whole line without its time."""
        whole = re.compile(".*".join(rf"^[^;]*;{p}$" for p in patterns), re.MULTILINE | re.DOTALL)
        self.until(lambda: whole.search(log()), lambda: f"{patterns} in\n{log()[-4000:]}")

    def until_server(self, *patterns):
        self.until_lines(self.server_log, *patterns)

    def until_mom(self, *patterns):
        self.until_lines(lambda: self.mom_log("a"), *patterns)

    def test_requests_and_refusals(self):
        me = r"[^ ;]+@[^ ;]+"
        id = self.submit("-h", "--", "/bin/true")
        self.until_server(rf"0100;Server@server;Req;;Type 1 request received from {me}, sock=\d+")
        self.assertNotEqual(self.run_command("qdel", "9999.server").status, 0)
        self.until_server(rf"0100;Server@server;Req;;Type 100 request received from {me}, sock=\d+",
                          r"0080;Server@server;Job;9999\.server;Unknown Job Id",
                          rf"0080;Server@server;Req;req_reject;Reject reply code=15001, aux=0, type=100, from {me}")
        self.assertNotEqual(self.run_command("qmgr", "-c", "set queue workq nosuch = 1").status, 0)
        self.until_server(rf"0080;Server@server;Req;req_reject;Reject reply code=15002, aux=0, type=9, from {me}")
        self.sure("qmgr", "-c", "set server log_events = 8")
        # Lines of requests are written a moment after they came, in their order with all others.
        last = self.submit("-h", "--", "/bin/true")
        self.until_server(rf"0008;Server@server;Job;{re.escape(last)};Job Queued .*")
        before = len(self.server_log())
        self.sure("qstat", id)
        self.sure("qrls", id)
        self.until_state(id, "F")
        self.assertNotIn(";Req;", self.server_log()[before:])
        self.sure("qmgr", "-c", "unset server log_events")

    def test_resources_come_and_go(self):
        me, hooks_know = r"[^ ;]+@[^ ;]+", "Restarting Python interpreter as resourcedef file has changed."
        self.sure("qmgr", "-c", "create resource rr type=long, flag=hn")
        self.until_server(rf"0004;Server@server;Resc;rr;created at request of {me}", r"0004;Server@server;Resc;rr;attributes set: flag = hn",
                          r"0004;Server@server;Resc;rr;attributes set: type = long", rf"0100;Server@server;Hook;mgr_resource_create;{hooks_know}")
        self.sure("qmgr", "-c", "set resource rr flag=h")
        self.until_server(r"0004;Server@server;Resc;rr;attributes set: flag = h", rf"0100;Server@server;Hook;mgr_resource_set;{hooks_know}")
        self.sure("qmgr", "-c", "delete resource rr")
        self.until_server(rf"0004;Server@server;Resc;rr;deleted at request of {me}", rf"0100;Server@server;Hook;mgr_resource_delete;{hooks_know}")

    def test_what_is_recovered_at_a_start(self):
        held = self.submit("-h", "--", "/bin/true")
        self.cluster.kill("server")
        before = self.server_log().count("Recovered queue workq")
        self.cluster.start("server")
        self.until(lambda: self.server_log().count("Recovered queue workq") > before, "the queue is recovered")
        self.until_server(r"0086;Server@server;Svr;Server@server;Recovered queue workq",
                          rf"0086;Server@server;Job;{re.escape(held)};Requeueing job, substate: 20 Requeued in queue: workq",
                          r"0002;Server@server;Svr;Server@server;Recovered \d+ jobs", r"0002;.*Server pid = \d+ ready.*")
        self.sure("qdel", held)

    def test_a_job_at_its_mom(self):
        id = self.submit("--", "/bin/sh", "-c", f"trap 'exit 0' USR1; touch {self.work}/ready; while :; do sleep 0.1; done")
        self.until(lambda: os.path.exists(f"{self.work}/ready"), "the program waits for the signal")
        self.until_running(id)
        self.sure("qsig", "-s", "SIGUSR1", id)
        self.until_state(id, "F")
        job = rf"pbs_mom;Job;{re.escape(id)}"
        self.until_mom(rf"0008;{job};Started, pid = \d+", rf"0080;{job};signal job request received", rf"0004;{job};signal job with SIGUSR1",
                       rf"0080;{job};task 00000001 terminated", rf"0008;{job};Terminated", rf"0100;{job};task 00000001 cput=\d\d:\d\d:\d\d",
                       rf"0100;{job};a cput=\d\d:\d\d:\d\d mem=\d+kb", rf"0100;{job};Obit sent", rf"0080;{job};delete job request received")

    def test_a_job_that_is_deleted_is_killed(self):
        id = self.submit("--", "/bin/sleep", "1000")
        self.until_running(id)
        self.sure("qdel", id)
        self.until_state(id, "F")
        self.until_mom(rf"0008;pbs_mom;Job;{re.escape(id)};kill_job", rf"0100;pbs_mom;Job;{re.escape(id)};Obit sent")


if __name__ == "__main__":
    unittest.main()
