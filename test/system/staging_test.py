"""Files come to a job before it starts and go from it when it has ended; what can't be copied is told and kept.

The host "store" is no host at all: in the place of scp stands a program that keeps its files in a directory, writes down
what it was asked, and fails as long as a file "refuse" is there.
"""
import glob
import os
import re
import stat
import unittest

from private_cluster import ClusterTest, wait_gone

RETRIES_DEADLINE_S = 180      # four tries take half a minute of it

SCP = """#!/bin/sh
echo "$*" >> {top}/asked
[ -e {top}/refuse ] && {{ echo "ssh: connect to host store port 22: No route to host" >&2; exit 255; }}
while [ "${{1#-}}" != "$1" ]; do shift; done
n=$#
while [ $n -gt 0 ]; do w=$1; shift; n=$((n-1)); case $w in *@store:*) w={top}/store${{w#*@store:}};; esac; set -- "$@" "$w"; done
exec cp -rp "$@"
"""


class staging(ClusterTest):
    hosts = ["a", "b"]

    def before_up(self):
        self.store = os.path.join(self.top, "store")
        os.makedirs(os.path.join(self.store, "back"))
        # Where jobs' private directories lie; output comes back to where qsub ran; "store" is reached by scp only.
        for host in self.hosts:
            config = os.path.join(self.dir, "hosts", host, "home", "mom_priv", "config")
            os.makedirs(os.path.dirname(config))
            with open(config, "w") as f:
                f.write(f"$restrict_user_maxsysid 999\n$jobdir_root {self.work}\n$usecp near:/data {self.work}\n$usecp server:/ /\n")

    def setUp(self):
        super().setUp()
        self.scp = os.path.join(self.top, "scp")
        self.copy_with(self.scp, SCP.format(top=self.top))

    def write(self, path, text):
        with open(path, "w") as f:
            f.write(text)

    def read(self, path):
        with open(path) as f:
            return f.read()

    def asked(self):
        return self.read(f"{self.top}/asked").splitlines()

    def sandboxes(self, id):
        return glob.glob(f"{self.work}/pbs.{id}.x8z.*")

    def staged_submit(self, *arguments):
        return self.submit("-l", "select=1:ncpus=1:host=a", "-W", "sandbox=PRIVATE", "-j", "oe", "-o", f"{self.work}/out", *arguments)

    def test_files_come_before_a_job_and_go_after_it(self):
        self.write(f"{self.store}/si.txt", "data\n")
        os.mkdir(f"{self.store}/sdir")
        self.write(f"{self.store}/sdir/a", "a\n")
        self.write(f"{self.work}/near.txt", "near\n")
        id = self.staged_submit("-W", "stagein=in.txt@store:/si.txt,ind@store:/sdir,near@near:/data/near.txt",
                                "-W", "stageout=res.txt@store:/back/res.txt,*.dat@store:/back", "--", "/bin/sh", "-c",
                                "cat in.txt near; ls ind; pwd; echo res > res.txt; echo 2 > x.dat; echo 3 > y.dat")
        self.until_state(id, "F")
        job = self.job(id)
        self.assertEqual((job["Exit_status"], job["Stageout_status"], job["substate"], job["run_count"]), ("0", "1", "92", "1"))
        self.assertRegex(self.read(f"{self.work}/out"), f"^data\nnear\na\n{self.work}/pbs[.]{id}[.]x8z[.][0-9A-F]{{8}}\n$")
        self.assertEqual({name: self.read(f"{self.store}/back/{name}") for name in os.listdir(f"{self.store}/back")},
                         {"res.txt": "res\n", "x.dat": "2\n", "y.dat": "3\n"})
        self.until(lambda: not self.sandboxes(id), "its directory is gone")
        self.assertTrue(os.path.exists(f"{self.work}/near.txt"))
        notes = self.log("mom_logs", "a")
        for way in "in", "out":
            self.assertRegex(notes, rf";{id};Staged 3/3 items {way} over \d+:\d\d:\d\d")
        self.assertTrue(all(words.startswith("-Brvp ") for words in self.asked()))
        story = self.audit("job", id)
        self.assertIn("3 of 3 files staged in", story)

    def test_a_job_whose_files_do_not_come_waits_for_half_an_hour(self):
        id = self.staged_submit("-W", "stagein=in@near:/data/no/such", "--", "/bin/true")
        self.until(lambda: (self.job(id) or {}).get("substate") == "15", lambda: f"files are on their way: {self.job(id)}")
        self.until_state(id, "W", RETRIES_DEADLINE_S)
        job = self.job(id)
        self.assertEqual(job["substate"], "37")
        self.assertIn("Execution_Time", job)
        for name in ("Exit_status", "comment", "run_count", "exec_vnode"):
            self.assertNotIn(name, job)
        self.until_recorded(id, "Q")
        self.until_mom_logged("a", f"Unable to copy file in from {self.work}/no/such")
        self.until_mom_logged("a", "status=1, try=4")
        self.until_logged("Stage In of files failed")
        self.until(lambda: not self.sandboxes(id), "its directory is gone")
        # Whoever can't wait says so, and the next try finds the file.
        os.mkdir(f"{self.work}/no")
        self.write(f"{self.work}/no/such", "here now\n")
        self.sure("qalter", "-a", "200001010000", id)
        self.until_state(id, "F")
        self.assertEqual(self.job(id)["run_count"], "1")

    def test_an_array_says_which_file_did_not_come(self):
        id = self.staged_submit("-J", "1-2", "-W", "stagein=in@near:/data/no/such", "--", "/bin/true")
        self.until(lambda: "its files could not be copied" in self.job(id).get("comment", ""), lambda: self.job(id), RETRIES_DEADLINE_S)
        self.assertRegex(self.job(id)["comment"],
                         f"^Subjob [12] requeued, its files could not be copied: Unable to copy file in from {self.work}/no/such; .*"
                         "No such file or directory; not tried again before [0-9/]+ [0-9:]+$")
        self.sure("qdel", id)

    def test_a_mom_killed_while_files_come_brings_them_and_starts_the_job_once(self):
        self.write(f"{self.store}/si", "x\n")
        os.mkfifo(f"{self.top}/hold")
        with open(self.scp) as f:
            usual = f.read()
        self.write(self.scp, f"#!/bin/sh\necho $$ > {self.top}/pid\nexec cat {self.top}/hold\n")
        id = self.staged_submit("-W", "stagein=in@store:/si", "--", "/bin/sh", "-c", f"cat in; echo >> {self.work}/starts")
        pid = int(self.until(lambda: os.path.exists(f"{self.top}/pid") and self.read(f"{self.top}/pid").strip(), "it copies"))
        self.kill_daemon("pbs_mom", "a")
        self.write(self.scp, usual)
        self.start_daemon("pbs_mom", "a")
        self.until_state(id, "F")
        self.assertEqual(self.read(f"{self.work}/out"), "x\n")
        self.assertEqual(self.read(f"{self.work}/starts"), "\n")
        self.assertTrue(wait_gone([pid]), "the first copying ended")

    def test_a_job_deleted_while_files_come_leaves_nothing(self):
        os.mkfifo(f"{self.top}/hold")
        self.write(self.scp, f"#!/bin/sh\necho $$ > {self.top}/pid\nexec cat {self.top}/hold\n")
        id = self.staged_submit("-W", "stagein=in@store:/si", "--", "/bin/true")
        pid = int(self.until(lambda: os.path.exists(f"{self.top}/pid") and self.read(f"{self.top}/pid").strip(), "it copies"))
        self.sure("qdel", id)
        self.until_state(id, "F")
        self.assertTrue(wait_gone([pid]), "the copying ended")
        self.until(lambda: not self.sandboxes(id), "its directory is gone")
        self.until_free("a")

    def test_results_and_output_that_can_not_go_are_kept_and_told(self):
        self.write(f"{self.top}/refuse", "")
        id = self.submit("-l", "select=1:ncpus=1:host=a", "-W", "sandbox=PRIVATE", "-W", "stageout=res@store:/back/res", "-o", "192.0.2.1:/out",
                         "-e", f"{self.work}/err", "--", "/bin/sh", "-c", "echo precious; echo res > res")
        self.until_state(id, "F", RETRIES_DEADLINE_S)
        job = self.job(id)
        self.assertEqual((job["Exit_status"], job["Stageout_status"], job["substate"]), ("0", "0", "92"))
        kept = f"{self.home('a')}/undelivered/{id}.OU"
        self.assertEqual(self.read(kept), "precious\n")
        self.assertEqual(stat.S_IMODE(os.stat(kept).st_mode), 0o600)
        self.assertEqual(self.read(f"{self.work}/err"), "")
        self.assertEqual(self.read(f"{self.sandboxes(id)[0]}/res"), "res\n")
        notes = self.log("mom_logs", "a")
        for line in ("Job files not copied:---->>>>", ">>> error from copy", "ssh: connect to host store port 22: No route to host",
                     ">>> end error output", f"Output retained on that host in: {kept}", "Unable to copy file res to store:/back/res"):
            self.assertIn(f";{id};{line}\n", notes)
        self.assertTrue(re.search(f";{id};Staged 1/3 items out over 0:[0-9]{{2}}:[0-9]{{2}}", notes), notes)
        self.until_logged(f";000d;Server@server;Job;{id};Post job file processing error; job {id} on host a\n")
        self.assertEqual(len([words for words in self.asked() if words.endswith(":/back/res")]), 4)

    def test_a_wide_job_has_its_files_on_its_first_host_before_the_others_are_asked(self):
        self.write(f"{self.store}/si", "x\n")
        id = self.submit("-l", "select=1:ncpus=1:host=a+1:ncpus=1:host=b", "-l", "place=scatter", "-W", f"stagein={self.work}/in@store:/si",
                         "-W", f"stageout={self.work}/in@store:/back/in", "-o", f"{self.work}/out", "-e", f"{self.work}/err",
                         "--", "/bin/cat", f"{self.work}/in")
        self.until_state(id, "F")
        self.assertEqual(self.job(id)["Exit_status"], "0")
        self.assertEqual(self.read(f"{self.store}/back/in"), "x\n")
        story = self.audit("job", id)
        self.assertLess(story.index("files staged in"), story.index("asked to join"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
