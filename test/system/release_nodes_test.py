"""pbs_release_nodes on three hosts with several vnodes each (docs/design/0039-ramp-down.md): the examples of the design document, daemons
that are killed on the way, and the books of phases."""
import concurrent.futures
import os
import re
import sys
import unittest

from mom_hooks import MomHookTest
from private_cluster import STAGE

VNODES = {
    "borg": "borg: resources_available.ncpus = 0\nborg: resources_available.mem = 0kb\n" +
            "".join(f"borg[{i}]: resources_available.ncpus = 1\nborg[{i}]: resources_available.mem = 1048576kb\n" for i in range(3)),
    "federer": "federer: resources_available.ncpus = 1\nfederer: resources_available.mem = 1048576kb\n" +
               "".join(f"federer[{i}]: resources_available.ncpus = 1\nfederer[{i}]: resources_available.mem = 1048576kb\n" for i in range(2)),
    "lendl": "lendl: resources_available.ncpus = 2\nlendl: resources_available.mem = 2097152kb\n",
}


class a_job_gives_vnodes_back(MomHookTest):
    hosts = ["borg", "federer", "lendl"]
    vnodes = VNODES

    def setUp(self):
        super().setUp()
        self.go = os.path.join(self.work, "go")

    def submit_wide(self, *more, script="", place="scatter"):
        """The job of the seed's example 1; its program ends when there is a file `go`."""
        id = self.submit("-N", "ramp", "-j", "oe", "-S", "/bin/sh", "-l", "select=ncpus=3:mem=2gb+ncpus=3:mem=2gb+ncpus=2:mem=2gb",
                         "-l", "place=" + place, *more,
                         input=f"export PATH={STAGE}/bin:$PATH\ncd {self.work}\n{script}\nwhile [ ! -e {self.go} ]; do sleep 0.05; done\n")
        self.until_running(id)
        return id

    def released(self, id, *names):
        done = self.run_command("pbs_release_nodes", "-j", id, *names)
        self.assertEqual((done.status, done.out, done.err), (0, "", ""))

    def vnode_is(self, name, *lines):
        self.until(lambda: all(line in self.vnode(name) for line in lines), lambda: f"{name} has {lines}: {self.vnode(name)}")

    def cpus_in_use(self):
        """The server's, and the queue's."""
        return [re.search(r"resources_assigned.ncpus = (\d+)", self.sure("qstat", how)).group(1) for how in ("-Bf", "-Qf")]

    def end(self, id):
        open(self.go, "w").close()
        job = self.until_state(id, "F")
        self.assertEqual(job["Exit_status"], "0")
        for host in self.hosts:
            self.until_free(host)
        return job

    def output(self, id):
        with open(os.path.join(self.work, f"ramp.o{id.split('.')[0]}")) as f:
            return f.read()

    def fields(self, id, letter):
        return [dict(f.split("=", 1) for f in rest.split()) for l, of, rest in self.accounting() if of == id and l == letter]

    # RD-01, RD-08, RD-10, RD-11, RD-13, RD-14, RD-16, RD-20, RD-22, RD-26 to RD-29, RD-32, RD-42, RD-74 to RD-77, RD-79 to RD-84, RD-87
    def test_vnodes_are_released_and_accounted_for_by_phases(self):
        self.mom_hook("note", "execjob_epilogue,execjob_end", self.script())
        id = self.submit_wide(script="while [ ! -e again ]; do sleep 0.05; done\n"
                                     "pbsdsh -- /bin/sh -c 'echo on $(cat $PBS_NODEFILE | sort -u)'\ntouch spread")
        before = self.job(id)
        self.assertEqual(before["exec_vnode"].count("+"), 6, before)
        self.released(id, "federer[1]", "lendl")
        job = self.job(id)
        self.assertEqual(job["Resource_List.ncpus"], "5")
        self.assertEqual(job["Resource_List.nodect"], "2")
        self.assertEqual(job["Resource_List.mem"], "4194304kb")
        self.assertEqual(job["Resource_List.select"], job["schedselect"])
        self.assertNotIn("federer[1]", job["exec_vnode"])
        self.vnode_is("lendl", "resources_assigned.ncpus = 0", "state = free")                         # RD-26
        self.until_said("execjob_epilogue lendl", "execjob_end lendl")                                # RD-27
        self.assertIn(f"{id}/", self.vnode("federer[1]"))                                             # RD-28, RD-29
        self.assertIn("resources_assigned.ncpus = 1", self.vnode("federer[1]"))
        self.assertEqual(self.cpus_in_use(), ["6", "6"])
        for line in f"clearing job {id} from node lendl", f"deallocating 2 cpu(s) from job {id}":     # RD-88, RD-89
            self.until_logged(f";0100;Server@server;Node;lendl;{line}\n")
        self.until_mom_logged("lendl", f"0080;pbs_mom;Job;{id};DELETE_JOB2 received\n")         # RD-86
        self.until(lambda: f"Job;{id};lendl;cput=" in self.mom_log("borg"), "the first host says what it used")
        self.until(lambda: f"Job;{id};updated nodes info" in self.mom_log("federer"), "federer knows")
        node_file = os.path.join(self.home("borg"), "aux", id)
        self.until(lambda: "lendl" not in open(node_file).read(), lambda: f"the node file: {open(node_file).read()}")   # RD-16
        open(os.path.join(self.work, "again"), "w").close()
        self.until(lambda: os.path.exists(os.path.join(self.work, "spread")), "pbsdsh is through")
        self.released(id, "federer", "federer[0]")
        self.vnode_is("federer[1]", "resources_assigned.ncpus = 0", "state = free")
        self.assertEqual(self.cpus_in_use(), ["3", "3"])
        self.assertEqual(self.job(id)["exec_host"].split("/")[0], "borg")
        self.end(id)
        self.assertIn("on borg federer\non borg federer\n", self.output(id))                         # RD-18
        self.until_recorded(id, "SucuceE", among="SuceE")
        first, second = self.fields(id, "u")
        whole = self.fields(id, "E")[0]
        self.assertEqual(first["exec_vnode"], before["exec_vnode"])
        self.assertEqual(whole["exec_vnode"], before["exec_vnode"])
        self.assertEqual(whole["Resource_List.ncpus"], "8")
        self.assertEqual(second["Resource_List.ncpus"], "5")
        self.assertEqual([c["Resource_List.ncpus"] for c in self.fields(id, "c")], ["5", "3"])
        seconds = lambda t: sum(int(n) * f for n, f in zip(t.split(":"), (3600, 60, 1)))
        for time in "resources_used.walltime", "resources_used.cput":                                 # RD-84
            parts = [seconds(r[time]) for r in (first, second, self.fields(id, "e")[0])]
            self.assertEqual(sum(parts), seconds(whole[time]), time)

    def test_all_of_them_are_released_inside_the_job(self):                                            # RD-04, RD-06, RD-15
        id = self.submit_wide(script="while [ ! -e now ]; do sleep 0.05; done\npbs_release_nodes -a; echo status $?")
        open(os.path.join(self.work, "now"), "w").close()
        for name in "federer", "federer[0]", "federer[1]", "lendl":
            self.vnode_is(name, "state = free", "resources_assigned.ncpus = 0")
        job = self.job(id)
        self.assertEqual((job["Resource_List.nodect"], job["Resource_List.ncpus"], job["Resource_List.mem"]), ("1", "3", "2097152kb"))
        self.end(id)
        self.assertEqual(self.output(id), "status 0\n")

    def test_the_first_words_of_a_program_may_be_a_release(self):                                      # RD-06
        id = self.submit_wide(script="pbs_release_nodes lendl; echo status $?")
        self.vnode_is("lendl", "state = free", "resources_assigned.ncpus = 0")
        self.end(id)
        self.assertEqual(self.output(id), "status 0\n")

    def test_the_node_file_is_new_when_the_command_returns(self):                                      # RD-16
        show = "sort -u $PBS_NODEFILE | tr '\\n' ' '; echo\n"
        id = self.submit_wide(script="pbs_release_nodes lendl; " + show + "pbs_release_nodes federer 'federer[0]' 'federer[1]'; " + show +
                                     "touch released")
        self.until(lambda: os.path.exists(os.path.join(self.work, "released")), "both are released")
        self.end(id)
        self.assertEqual(self.output(id), "borg federer \nborg \n")

    def test_what_was_used_until_a_release_is_billed_with_it(self):                                    # RD-74, RD-77
        burn = "import time; end = time.process_time() + 1.5\nwhile time.process_time() < end: pass"
        with open(os.path.join(self.work, "burn.py"), "w") as f:
            f.write(burn)
        self.mom_hook("bill", "execjob_prologue", "import pbs\npbs.event().job.resources_used['mem'] = pbs.size('4mb')\n")
        id = self.submit_wide(script=f"pbsdsh -n 2 -- {sys.executable} {self.work}/burn.py; touch burnt")
        self.until(lambda: os.path.exists(os.path.join(self.work, "burnt")), "a task on lendl has used its time")
        self.released(id, "lendl")
        self.released(id, "-a")
        self.end(id)
        self.until_recorded(id, "SucuceE", among="SuceE")
        first, second = self.fields(id, "u")
        last, whole = self.fields(id, "e")[0], self.fields(id, "E")[0]
        self.assertIn(first["resources_used.cput"], ("00:00:01", "00:00:02"))
        self.assertIn(second["resources_used.cput"], ("00:00:00", "00:00:01"))
        self.assertEqual([r["resources_used.ncpus"] for r in (first, second, last)], ["8", "6", "3"])
        mb = lambda size: int(size[:-2]) / {"kb": 1024, "mb": 1}[size[-2:]]
        self.assertEqual([mb(r["resources_used.mem"]) for r in (first, second, last)], [12, 8, 4])
        seconds = lambda t: sum(int(n) * f for n, f in zip(t.split(":"), (3600, 60, 1)))
        for time in "resources_used.walltime", "resources_used.cput":
            self.assertEqual(sum(seconds(r[time]) for r in (first, second, last)), seconds(whole[time]), time)

    def test_exclusive_vnodes_stay_so_until_their_host_goes(self):                                     # RD-30, RD-31
        id = self.submit_wide(place="scatter:excl")
        self.released(id, "federer[1]")
        self.vnode_is("federer[1]", "state = job-exclusive", f"jobs = {id}")
        self.released(id, "federer", "federer[0]")
        for name in "federer", "federer[0]", "federer[1]":
            self.vnode_is(name, "state = free", "resources_assigned.ncpus = 0")
        self.end(id)

    def test_what_can_not_be_released_is_refused(self):                                                # RD-35, RD-44, RD-47, RD-48
        id = self.submit_wide()
        for names, said in ((["borg[0]"], "Can't free 'borg[0]' since it's on a primary execution host"),
                            (["lendl", "nosuch"], "node(s) requested to be released not part of the job: nosuch")):
            done = self.run_command("pbs_release_nodes", "-j", id, *names)
            self.assertEqual((done.status, done.err), (15010 % 256, f"pbs_release_nodes: {said}\n"))
            self.until_logged(f";0100;Server@server;Job;{id};{said}\n")
        if os.geteuid() == 0:                                                                          # RD-02, RD-45, RD-46
            done = self.run_command("pbs_release_nodes", "-j", id, "lendl", user="nobody")
            self.assertEqual((done.status, done.err), (15007 % 256, "pbs_release_nodes: Unauthorized Request\n"))
            self.until_logged(f";0020;Server@server;Job;{id};Unauthorized Request, request type: 90, Object: Job, Name: {id}, "
                              "request from: nobody@")
        self.sure("qsig", "-s", "suspend", id)
        self.until_state(id, "S")
        done = self.run_command("pbs_release_nodes", "-j", id, "lendl")
        self.assertEqual((done.status, done.err), (15016 % 256, "pbs_release_nodes: Request invalid for state of job\n"))
        self.sure("qsig", "-s", "resume", id)
        self.until_state(id, "R")
        self.end(id)

    def test_daemons_die_on_the_way(self):                                                             # RD-34, RD-42
        gate = self.gate()
        self.mom_hook("slow", "execjob_epilogue", "import pbs\nif pbs.get_local_nodename() == 'lendl':\n    " + gate.pass_it() + "\n", alarm="600")
        id = self.submit_wide()
        self.kill_daemon("pbs_mom", "borg")
        self.released(id, "lendl")                     # its first host is away
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.start_daemon("pbs_mom", "borg")
        self.until_answers()
        self.until(lambda: f"Job;{id};DELETE_JOB2 received" in self.mom_log("lendl"), "lendl is asked to leave")
        self.assertIn(f"{id}/", self.vnode("lendl"))   # until it is clean
        self.kill_daemon("pbs_mom", "borg")
        self.kill_daemon("pbs_server")
        self.kill_daemon("pbs_mom", "lendl")
        self.start_daemon("pbs_mom", "lendl")
        self.start_daemon("pbs_mom", "borg")
        self.start_daemon("pbs_server")
        self.until_answers()
        gate.open()
        self.vnode_is("lendl", "state = free", "resources_assigned.ncpus = 0")
        self.assertEqual(self.job(id)["Resource_List.nodect"], "2")
        self.end(id)
        self.until_recorded(id, "SuceE", among="SuceE")

    def test_a_task_that_writes_goes_with_its_host(self):                                              # RD-26
        lines = os.path.join(self.work, "lines")
        status = os.path.join(self.work, "status")
        id = self.submit_wide(script=f"(pbsdsh -n 2 -- /bin/sh -c 'while :; do echo still; sleep 0.01; done' > {lines}; echo $? > {status}) &")
        self.until(lambda: os.path.exists(lines) and "still" in open(lines).read(), "the task on lendl writes")
        self.released(id, "lendl")
        self.vnode_is("lendl", "state = free", "resources_assigned.ncpus = 0")
        self.until(lambda: os.path.exists(status) and open(status).read(), "pbsdsh hears of the end of its task")
        self.end(id)
        self.until_recorded(id, "SuceE", among="SuceE")

    def test_hooks_of_a_host_hear_that_it_has_less(self):                                              # RD-25
        self.mom_hook("less", "execjob_resize", self.script(says="' '.join(sorted(e.vnode_list))"))
        id = self.submit_wide()
        heard = lambda: [line for line in self.lines() if line.startswith("execjob_resize")]
        self.released(id, "federer[1]", "lendl")
        self.until_said("execjob_resize federer federer federer[0]")
        # A MoM that dies before it has written down that a hook ran has it run again.
        mom_log = os.path.join(self.home("federer"), "mom_priv", "log")
        self.until(lambda: "PartResized" in self.run_command("pbs_audit", "--log", mom_log, "log").out, "the MoM knows that its hook ran")
        self.kill_daemon("pbs_mom", "federer")
        self.released(id, "federer[0]")
        self.start_daemon("pbs_mom", "federer")
        self.until_said("execjob_resize federer federer")
        self.released(id, "federer")
        self.vnode_is("federer", "state = free", "resources_assigned.ncpus = 0")
        self.end(id)
        self.assertEqual(len(heard()), 2, heard())     # once for each, and not for what was released as a whole

    def test_a_host_that_is_down_is_free_when_it_is_back(self):                                        # RD-20
        id = self.submit_wide()
        self.kill_daemon("pbs_mom", "lendl")
        self.released(id, "lendl")
        self.assertEqual(self.job(id)["Resource_List.nodect"], "2")
        self.until(lambda: f"{id}/" in self.vnode("lendl"), "nobody knows whether the job is gone from there")
        self.start_daemon("pbs_mom", "lendl")
        self.vnode_is("lendl", "state = free", "resources_assigned.ncpus = 0")
        self.end(id)
        self.until_recorded(id, "SuceE", among="SuceE")

    def test_vnodes_are_released_while_the_job_ends(self):
        said = {(0, ""), (15016 % 256, "pbs_release_nodes: Request invalid for state of job\n"), (15139 % 256, "pbs_release_nodes: Job has finished\n")}
        for names in ["lendl"], ["-a"], ["federer", "lendl"]:
            id = self.submit_wide()
            with concurrent.futures.ThreadPoolExecutor(2) as two:
                ends = two.submit(lambda: open(self.go, "w").close())
                released = two.submit(self.run_command, "pbs_release_nodes", "-j", id, *names)
            ends.result()
            done = released.result()
            self.assertIn((done.status, done.err), said)
            self.end(id)
            self.until_recorded(id, "SE" if done.status else "SuceE", among="SuceE")
            os.remove(self.go)

    def test_of_two_at_once_one_releases(self):                                                        # RD-47
        id = self.submit_wide()
        with concurrent.futures.ThreadPoolExecutor(2) as clients:
            both = list(clients.map(lambda _: self.run_command("pbs_release_nodes", "-j", id, "lendl"), range(2)))
        self.assertEqual(sorted((done.status, done.err) for done in both),
                         [(0, ""), (15010 % 256, "pbs_release_nodes: node(s) requested to be released not part of the job: lendl\n")])
        self.vnode_is("lendl", "state = free", "resources_assigned.ncpus = 0")
        self.end(id)
        self.until_recorded(id, "SuceE", among="SuceE")

    def test_another_run_has_everything_again(self):                                                   # RD-19, RD-34
        id = self.submit_wide()
        before = self.job(id)
        self.released(id, "-a")
        self.sure("qhold", id)
        self.sure("qrerun", id)
        job = self.until_state(id, "H")
        for shown in "Resource_List.select", "schedselect", "Resource_List.ncpus", "Resource_List.nodect", "Resource_List.mem":
            self.assertEqual(job[shown], before[shown])
        self.sure("qdel", id)


if __name__ == "__main__":
    unittest.main()
