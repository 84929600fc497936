"""Vnodes of other hosts are free while a job's files are staged out (release_nodes_on_stageout).

The host "store" is no host: a program that waits at a gate stands in the place of scp, so that stage-out lasts as long as a test wants.
"""
import os
import unittest

from mom_hooks import MomHookTest

SCP = """#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
: < {gate}
exec cp -rp "$1" {store}
"""
WIDE = ["-l", "select=ncpus=1+ncpus=1+ncpus=2", "-l", "place=scatter", "-k", "oe"]


class a_job_that_stages_out(MomHookTest):
    def before_up(self):
        for host in self.hosts:              # "store" is reached by scp only
            config = os.path.join(self.dir, "hosts", host, "home", "mom_priv", "config")
            os.makedirs(os.path.dirname(config))
            with open(config, "w") as f:
                f.write("$restrict_user_maxsysid 999\n$usecp server:/ /\n")

    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.work, "store")
        os.makedirs(self.store)
        self.way_out = self.gate()
        self.copy_with(os.path.join(self.top, "scp"), SCP.format(gate=self.way_out.path, store=self.store))

    def submit_wide(self, *more):
        return self.submit(*WIDE, *more, "--", "/bin/sh", "-c", f"echo result > {self.work}/result")

    def with_results(self, *more):
        return self.submit_wide("-W", f"stageout={self.work}/result@store:/back/result", *more)

    def stages_out(self, id, hosts=1):
        """It has so many then."""
        there = lambda: (self.job(id) or {}).get("job_state") == "E" and self.job(id)["Resource_List.nodect"] == str(hosts)
        self.until(there, lambda: f"{id} stages out on {hosts} hosts: {self.job(id)}")
        return self.job(id)

    def vnode_is_free(self, name):
        self.until(lambda: "resources_assigned.ncpus = 0" in self.vnode(name), lambda: f"{name} is free: {self.vnode(name)}")

    def end(self, id):
        self.way_out.open()
        job = self.until_state(id, "F")
        self.assertEqual((job["Exit_status"], job["Stageout_status"]), ("0", "1"))
        self.assertEqual(os.listdir(self.store), ["result"])
        for host in self.hosts:
            self.until_free(host)

    def test_other_hosts_are_free_while_files_go(self):                                  # RD-63, RD-64, RD-85
        id = self.with_results("-W", "release_nodes_on_stageout=true")
        job = self.stages_out(id)
        self.assertEqual(job["release_nodes_on_stageout"], "True")
        self.assertEqual((job["Resource_List.ncpus"], job["Resource_List.nodect"], job["Resource_List.select"]), ("1", "1", "1:ncpus=1"))
        self.assertEqual(job["schedselect"], "1:ncpus=1")
        first, *others = [host for host in self.hosts if f"({host}:" in job["exec_vnode"]]
        self.assertEqual((job["exec_vnode"], others), (f"({first}:ncpus=1)", []))
        gone = [host for host in self.hosts if host != first]
        node_file = os.path.join(self.home(first), "aux", id)
        self.until(lambda: open(node_file).read() == first + "\n", lambda: f"{first} alone is in the node file: {open(node_file).read()}")
        for host in gone:
            self.until_mom_logged(host, f";Job;{id};DELETE_JOB2 received\n")
            self.vnode_is_free(host)
            self.until_logged(f";0100;Server@server;Node;{host};clearing job {id} from node {host}\n")
        other = self.submit("-l", "select=2:ncpus=64", "-l", "place=scatter", "--", "/bin/true")      # has them at once
        self.assertEqual(self.until_state(other, "F")["Exit_status"], "0")
        self.kill_daemon("pbs_server")                                                   # it knows so afterwards, too
        self.kill_daemon("pbs_mom", first)
        self.start_daemon("pbs_server")
        self.start_daemon("pbs_mom", first)
        self.until_answers()
        self.assertEqual(self.job(id)["exec_vnode"], f"({first}:ncpus=1)")
        self.end(id)
        self.assertEqual(self.job(id)["Resource_List.ncpus"], "1")                       # as PBS shows it
        self.until_recorded(id, "SuceE", among="SuceE")
        records = {letter: rest for letter, of, rest in self.accounting() if of == id}
        for letter, ncpus in ("S", 4), ("u", 4), ("c", 1), ("e", 1), ("E", 4):
            self.assertIn(f" Resource_List.ncpus={ncpus} ", records[letter])
        self.assertIn("stages its files out with", self.audit("job", id))

    def test_without_files_it_does_nothing(self):                                        # RD-66, RD-71
        self.way_out.open()
        done = self.run_command("qsub", *WIDE, "-W", "release_nodes_on_stageout=maybe", "--", "/bin/true")
        self.assertEqual((done.status, done.err.splitlines()[0]), (2, "qsub: illegal -W value"))
        id = self.submit_wide("-W", "release_nodes_on_stageout=true")
        self.assertEqual(self.until_state(id, "F")["Resource_List.ncpus"], "4")
        self.until_recorded(id, "SE", among="SuceE")

    def test_a_default_argument_and_qalter_and_hooks_set_it(self):                       # RD-65, RD-69, RD-70, RD-72
        self.hook("sets", "queuejob,modifyjob", "import pbs\nj = pbs.event().job\n"
                  "if j.Job_Name == 'hooked' or j.Priority == 7:\n    j.release_nodes_on_stageout = True\n")
        self.sure("qmgr", "-c", "set server default_qsub_arguments = '-Wrelease_nodes_on_stageout=true'")
        id = self.submit_wide("-h")
        self.assertEqual(self.job(id)["release_nodes_on_stageout"], "True")
        self.sure("qmgr", "-c", "unset server default_qsub_arguments")
        hooked, altered = self.submit_wide("-h", "-N", "hooked"), self.submit_wide("-h")
        self.assertEqual(self.job(hooked)["release_nodes_on_stageout"], "True")
        self.assertNotIn("release_nodes_on_stageout", self.job(altered))
        self.sure("qalter", "-p", "7", altered)
        self.assertEqual(self.job(altered)["release_nodes_on_stageout"], "True")
        self.sure("qalter", "-W", "release_nodes_on_stageout=false", altered)
        self.assertEqual(self.job(altered)["release_nodes_on_stageout"], "False")
        self.way_out.open()
        for held in id, hooked, altered:
            self.sure("qdel", held)

    def test_a_running_job_is_told_with_qalter(self):                                    # RD-70
        go = os.path.join(self.work, "go")
        id = self.submit(*WIDE, "-W", f"stageout={self.work}/result@store:/back/result", "--", "/bin/sh", "-c",
                         f"echo result > {self.work}/result; while [ ! -e {go} ]; do sleep 0.05; done")
        self.until_running(id)
        self.sure("qalter", "-W", "release_nodes_on_stageout=True", id)
        open(go, "w").close()
        first = self.stages_out(id)["exec_host"].split("/")[0]
        node_file = os.path.join(self.home(first), "aux", id)
        self.until(lambda: open(node_file).read() == first + "\n", lambda: f"{first} alone is in the node file: {open(node_file).read()}")
        self.end(id)

    def test_vnodes_of_cray_hosts_stay(self):                                            # RD-67
        for host in self.hosts:
            self.sure("qmgr", "-c", f"set node {host} resources_available.vntype = cray_compute")
        id = self.with_results("-W", "release_nodes_on_stageout=true")
        first = self.stages_out(id, hosts=3)["exec_host"].split("/")[0]
        with open(os.path.join(self.home(first), "aux", id)) as f:
            self.assertEqual(len(f.read().split()), 3)
        self.end(id)
        self.until_recorded(id, "SE", among="SuceE")


if __name__ == "__main__":
    unittest.main()
