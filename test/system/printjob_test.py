"""printjob on a cluster: jobs that wait, run and have ended, subjobs, and scripts while the server is down."""
import os
import unittest

from private_cluster import ClusterTest

RULE = "-" * 51
SCRIPT = "#!/bin/sh\n#PBS -N scr\nsleep 1000\n"


class jobs_as_the_server_knows_them(ClusterTest):
    def dump(self, id):
        """The lines above the attributes, and the attributes."""
        head, rows = self.sure("printjob", id).split("--attributes--\n")
        return head, dict(row.split(" = ", 1) for row in rows.splitlines())

    def test_it_follows_a_job_until_it_has_ended(self):
        id = self.submit("-h", "-l", "walltime=50", input=SCRIPT)
        head, rows = self.dump(id)
        self.assertEqual(head, f"{RULE}\njobid:\t{id}\n{RULE}\nstate:\t\t0x2\nsubstate:\t0x14 (20)\nstime:\t\t0\nobittime:\t0\n"
                               "file base:\t\nqueue:\t\tworkq\nunion type exec:\n\texits\t0\n")
        self.assertEqual(rows["Hold_Types"], "u")
        self.assertEqual(rows["Resource_List.walltime"], "00:00:50")
        self.assertRegex(rows["ctime"], r"^\d+$")
        self.assertEqual(list(rows), sorted(rows, key=lambda name: (len(name), name)))
        self.assertEqual(self.sure("printjob", "-a", id), head)
        self.sure("qrls", id)
        self.until_running(id)
        head, rows = self.dump(id)
        self.assertIn("\nstate:\t\t0x4\n", head)
        self.assertIn("exec_vnode", rows)
        self.sure("qdel", id)
        self.until_state(id, "F")
        head, rows = self.dump(id)
        self.assertIn("\nstate:\t\t0x9\n", head)
        self.assertIn(f"\n\texits\t{rows['Exit_status']}\n", head)

    def test_a_subjob_is_there_when_it_has_begun(self):
        array = self.submit("-J", "1-3", "-h", input=SCRIPT)
        first = array.replace("[]", "[1]")
        done = self.run_command("printjob", first)
        self.assertEqual((done.status, done.err), (1, f"Job {first} not found\n"))
        self.assertIn("array_indices_submitted", self.dump(array)[1])
        self.sure("qrls", array)
        self.until_running(first)
        self.assertEqual(self.dump(first)[1]["array_index"], "1")

    def test_scripts_are_there_while_the_server_is_down(self):
        ids = [self.submit("-h", input=SCRIPT), self.submit("-h", "--", "/bin/true"), self.submit("-h", input="# " + "x" * 300_000 + "\n")]
        whole = f"{RULE}\nJobscript for jobid:{ids[0]}\n{RULE}\n{SCRIPT} \n"
        self.assertEqual(self.sure("printjob", "-s", ids[0]), whole)
        self.kill_daemon("pbs_server")
        self.assertEqual(self.sure("printjob", "-s", ids[0]), whole)
        self.assertIn("x" * 300_000, self.sure("printjob", "-s", ids[2]))
        done = self.run_command("printjob", "-s", ids[1])
        self.assertEqual((done.status, done.err), (1, f"printjob: job {ids[1]} has no script\n"))
        self.assertNotEqual(self.run_command("printjob", ids[0]).status, 0)

    @unittest.skipUnless(os.geteuid() == 0, "to become another user needs root")
    def test_it_is_for_root(self):
        for words in (["1"], ["--version"], ["-Z"]):
            done = self.run_command("printjob", *words, user=65534, group=65534, extra_groups=[])
            self.assertEqual((done.status, done.out, done.err), (1, "", "printjob must be run by root\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
