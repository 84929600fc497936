"""The recipe of the design document on five hosts: a job that asks for spare hosts, hosts that fail while it starts, and a launch hook that
lets go of what is not needed (docs/design/0033-allocations-and-holdings.md, 0037-failures-that-a-job-bears.md)."""
import os
import unittest

from mom_hooks import MomHookTest
from private_cluster import STAGE
from site_hooks_test import script_of

SELECT = "ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+1:ncpus=1:mem=3gb"
PADDED = "1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb"


class a_job_with_spare_hosts(MomHookTest):
    hosts = ["borg", "federer", "lendl", "agassi", "sampras"]

    def setUp(self):
        super().setUp()
        cpus = {"borg": 3, "federer": 2, "lendl": 2, "agassi": 1, "sampras": 1}
        for host, ncpus in cpus.items():
            self.sure("qmgr", "-c", f"set node {host} resources_available.ncpus = {ncpus}")
            self.sure("qmgr", "-c", f"set node {host} resources_available.mem = 3gb")
        self.hook("submit", "queuejob", script_of("reliable_submit.py"))

    def spoil(self, *hosts):
        self.mom_hook("spoil", "execjob_begin", f"import pbs\nif pbs.get_local_nodename() in {hosts!r}:\n    pbs.event().reject('not here')\n")

    def submit_padded(self, script, place="scatter", *more):
        id = self.submit(*more, "-h", "-N", "reliable", "-j", "oe", "-S", "/bin/sh", "-l", "select=" + SELECT, "-l", "place=" + place,
                         input=f"export PATH={STAGE}/bin:$PATH\ncd {self.work}\n{script}\n")
        job = self.job(id)                                                                     # RS-114, RS-121
        self.assertEqual((job["Resource_List.select"], job["schedselect"], job["tolerate_node_failures"]), (PADDED, PADDED, "job_start"))
        self.assertEqual([job["Resource_List." + r] for r in ("ncpus", "mem", "nodect", "site")], ["9", "11gb", "5", SELECT])
        return id

    def output(self, id):
        with open(os.path.join(self.work, f"reliable.o{id.split('.')[0]}")) as f:
            return f.read()

    def hosts_in_use(self):
        return [host for host in self.hosts if f"{host}/" in self.vnode(host) or "job" in self.vnode(host).split("resources_available")[0]]

    def test_it_goes_on_with_what_was_asked_for(self):      # RS-35, RS-88, RS-89, RS-95, RS-96, RS-111, RS-115 to RS-121, RS-125
        self.spoil("federer", "sampras")
        self.mom_hook("launch", "execjob_launch", script_of("reliable_launch.py").replace("v.state = pbs.ND_OFFLINE", "pass"))
        go = os.path.join(self.work, "go")
        id = self.submit_padded("cat $PBS_NODEFILE\nfor n in 0 1 2; do pbsdsh -n $n -- /bin/sh -c 'echo $PBS_NODENUM'; done\n"
                                "for h in $(cat $PBS_NODEFILE); do pbs_tmrsh $h cat $PBS_NODEFILE | wc -l; done\n"
                                f"while [ ! -e {go} ]; do sleep 0.05; done", place="scatter:excl")
        self.sure("qrls", id)
        self.until(lambda: self.job(id).get("substate") == "42", lambda: f"its program runs: {self.job(id)}")
        job = self.job(id)
        pruned = "1:ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+1:ncpus=1:mem=3gb"
        self.assertEqual(job["exec_vnode"], "(borg:ncpus=3:mem=1048576kb)+(lendl:ncpus=2:mem=2097152kb)+(agassi:ncpus=1:mem=3145728kb)")
        self.assertEqual(self.hosts_of(id), ["borg", "lendl", "agassi"])
        self.assertEqual((job["schedselect"], job["Resource_List.select"]), (pruned, pruned))
        self.assertEqual([job["Resource_List." + r] for r in ("ncpus", "mem", "nodect", "site")], ["6", "6gb", "3", SELECT])
        for host in "federer", "sampras":                                                      # RS-120, RS-125
            self.until(lambda host=host: "state = free" in self.vnode(host), lambda host=host: f"{host} is free: {self.vnode(host)}")
        for host in "borg", "lendl", "agassi":
            self.assertIn("state = job-exclusive", self.vnode(host))
        log = self.mom_log("borg")
        for line in "pruned from exec_vnode=", "pruned to exec_vnode=", "pruned to exec_node=", "pruned from schedselect=", "pruned to schedselect=":
            self.assertIn(f"0008;pbs_mom;Job;{id};{line}", log)
        for host in "lendl", "agassi":                                                         # RS-107
            self.until_mom_logged(host, f"0008;pbs_mom;Job;{id};updated nodes info\n")
        open(go, "w").close()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        self.assertEqual(self.output(id), "borg\nlendl\nagassi\n0\n1\n2\n3\n3\n3\n")
        self.until_recorded(id, "SsE", among="SsE")                                            # RS-37
        for host in self.hosts:
            self.until_free(host)

    def test_spare_hosts_that_are_not_needed_are_let_go(self):
        self.mom_hook("launch", "execjob_launch", script_of("reliable_launch.py"))
        id = self.submit_padded("cat $PBS_NODEFILE")
        self.sure("qrls", id)
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        self.assertEqual(len(self.output(id).split()), 3)
        for host in self.hosts:
            self.until_free(host)

    def test_too_few_hosts_hold_it_with_what_it_asked_for_first(self):                         # RS-85, RS-90, RS-99 to RS-101, RS-130
        self.spoil("agassi", "sampras")
        self.mom_hook("launch", "execjob_launch", script_of("reliable_launch.py").replace("v.state = pbs.ND_OFFLINE", "pass"))
        id = self.submit_padded("echo never")
        self.sure("qrls", id)
        job = self.until_state(id, "H")
        self.assertEqual((job["Resource_List.select"], job["Resource_List.ncpus"]), (PADDED, "9"))
        log = self.mom_log("borg")
        for line in "could not satisfy select chunk (", "NEED chunks for keep_select (", "HAVE chunks from job's exec_vnode ":
            self.assertIn(f"0100;pbs_mom;Job;{id};{line}", log)
        for host in self.hosts:
            self.until_free(host)

    def test_a_run_after_it_begins_with_the_spare_hosts_again(self):                           # RS-130
        self.spoil("federer")
        self.mom_hook("launch", "execjob_launch", script_of("reliable_launch.py").replace("v.state = pbs.ND_OFFLINE", "pass"))
        id = self.submit_padded("sleep 1000")
        self.sure("qrls", id)
        self.until(lambda: self.job(id).get("substate") == "42", lambda: f"its program runs: {self.job(id)}")
        self.assertEqual(self.job(id)["Resource_List.ncpus"], "6")
        self.sure("qhold", id)
        self.sure("qrerun", id)
        job = self.until_state(id, "H")
        self.assertEqual((job["Resource_List.select"], job["schedselect"], job["Resource_List.ncpus"], job["Resource_List.nodect"]),
                         (PADDED, PADDED, "9", "5"))
        for host in self.hosts:
            self.until_free(host)

    def test_each_subjob_of_an_array_is_reduced_by_itself(self):                               # RS-126
        self.mom_hook("spoil", "execjob_begin", "import pbs\nfailing = {'1': ('federer', 'sampras'), '2': ('lendl', 'agassi')}\n"
                      "if pbs.get_local_nodename() in failing[pbs.event().job.id.split('[')[1][0]]:\n"
                      "    pbs.event().reject('not here')\n")
        self.mom_hook("launch", "execjob_launch", script_of("reliable_launch.py").replace("v.state = pbs.ND_OFFLINE", "pass"))
        id = self.submit_padded("cat $PBS_NODEFILE", "scatter", "-J", "1-2")
        self.sure("qrls", id)
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        kept = {"1": ["borg", "lendl", "agassi"], "2": ["borg", "federer", "sampras"]}
        for index, hosts in kept.items():
            subjob = id.replace("[]", f"[{index}]")
            self.assertEqual(self.job(subjob)["Resource_List.ncpus"], "6")
            with open(os.path.join(self.work, f"reliable.o{id.split('[')[0]}.{index}")) as f:
                self.assertEqual(f.read().split(), hosts)
            self.until_recorded(subjob, "SsE", among="SsE")
        self.assertEqual(self.job(id)["Resource_List.ncpus"], "9")                              # what it asks for
        for host in self.hosts:
            self.until_free(host)

    def submit_rjselect(self):
        self.sure("qmgr", "-c", "set hook submit enabled = false")
        return self.submit("-N", "reliable", "-j", "oe", "-S", "/bin/sh", "-l", "select=" + SELECT, "-l", "rjselect=" + PADDED,
                           "-l", "place=scatter", input="sleep 1000\n")

    def test_with_rjselect_it_is_reduced_without_a_hook(self):                                 # RS-26, RS-28, RS-41
        self.spoil("federer")
        self.sure("qmgr", "-c", "set server scheduling = false")
        id = self.submit_rjselect()
        before = self.job(id)
        self.assertEqual((before["schedselect"], before["Resource_List.ncpus"]), (PADDED, "9"))
        self.sure("qmgr", "-c", "set server scheduling = true")
        self.until(lambda: self.job(id).get("substate") == "42", lambda: f"its program runs: {self.job(id)}")
        job = self.job(id)
        self.assertEqual(self.hosts_of(id), ["borg", "lendl", "agassi"])
        self.assertEqual((job["Resource_List.ncpus"], job["Resource_List.nodect"]), ("6", "3"))
        for shown in "select", "rjselect", "select_requested":
            self.assertEqual(job["Resource_List." + shown], before["Resource_List." + shown])
        delay = f"0100;pbs_mom;Job;{id};job reliable startup job_launch_delay=30 secs"         # RS-62
        for line in "", ": before prologue", ": before launch", ": waiting on job update acks from sister moms":
            self.assertEqual(self.mom_log("borg").count(delay + line + "\n"), 1, line)
        self.sure("qdel", "-W", "force", id)

    def test_with_rjselect_and_too_few_hosts_it_is_tried_again(self):                          # RS-29, RS-106
        self.spoil("federer", "lendl")
        id = self.submit_rjselect()
        self.until(lambda: f"0001;pbs_mom;Job;{id};job not started, Retry 3\n" in self.mom_log("borg"), "it is given up")
        self.until(lambda: int(self.job(id).get("run_count", "0")) > 1, "it is tried again")
        for line in ("could not satisfy the original select chunk (ncpus=2 mem=2gb) with first available chunk mem=3145728kb ncpus=1",
                     "job node_list_fail: node federer", "job node_list_fail: node lendl", "job node_list: node agassi",
                     "job node_list:_good node borg"):                                          # RS-103 to RS-105
            self.until_mom_logged("borg", f"0080;pbs_mom;Job;{id};{line}\n")
        self.sure("qdel", "-W", "force", id)


if __name__ == "__main__":
    unittest.main(verbosity=2)
