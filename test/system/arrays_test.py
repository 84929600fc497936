"""Job arrays, as users see them, while server and MoM are killed: each subjob runs once, what is deleted does not run, what is rerun does
again. docs/design/0057-job-arrays.md; pbs guide, "job arrays"."""
import collections
import os
import unittest

from private_cluster import ClusterTest, rest

SUBJOBS = 40
AT_ONCE = 8


def subjob(array, index):
    """An id of the array's: "12[3].server", "12[3-5].server"."""
    return array.replace("[]", f"[{index}]")


class arrays(ClusterTest):
    # Its index is in the file `ran` for each start. Then it waits for a file with its index, or that of its group, or for all.
    SCRIPT = """cd {work}
echo $PBS_ARRAY_INDEX >> ran
while [ ! -e go ] && [ ! -e go.$PBS_ARRAY_INDEX ] && [ ! -e go.group.$(((PBS_ARRAY_INDEX - 1) / {at_once})) ]; do sleep 0.05; done
"""

    def array(self, indices, *options, text=""):
        script = self.SCRIPT.format(work=self.work, at_once=AT_ONCE) + text
        return self.submit("-N", "arr", "-S", "/bin/sh", "-J", indices, *options, input=script)

    def go(self, what=""):
        open(os.path.join(self.work, "go" + what), "w").close()

    def ran(self):
        """The index of each start, sorted."""
        try:
            with open(os.path.join(self.work, "ran")) as f:
                return sorted(int(line) for line in f)
        except FileNotFoundError:
            return []

    def until_ran(self, *indices):
        self.until(lambda: self.ran() == sorted(indices), lambda: f"{sorted(indices)} have begun, it is {self.ran()}")

    def until_all_run(self, array, *indices):
        """By the MoM's word, which comes later than that of their scripts: what is asked for now is recorded behind their starts."""
        for index in indices:
            self.until_running(subjob(array, index))

    def counts(self, array):
        """Queued, Running, Exiting, Expired."""
        return tuple(int(part.split(":")[1]) for part in self.job(array)["array_state_count"].split())

    def until_counts(self, array, *counts):
        self.until(lambda: self.counts(array) == counts, lambda: f"{array} has {counts}: {self.job(array)}")

    def start(self, *daemons):
        for daemon, host in daemons:
            self.start_daemon(daemon, host)
        self.until_answers()

    def kill(self, *daemons):
        for daemon, host in daemons:
            self.kill_daemon(daemon, host)

    def a_cycle_passes(self):
        """What could be started then would have been."""
        self.until_state(self.submit("--", "/bin/true"), "F")

    # ---- running -------------------------------------------------------------------------------------------------

    def test_the_host_rests_when_an_array_is_over_and_its_shepherds_have_gone_home(self):
        array = self.submit("-J", "1-20", "-o", "/dev/null", "-e", "/dev/null", "--", "/bin/true")
        self.until_state(array, "F")

        def at_home():
            mom = rest.looks_at(self.dir)["pbs_mom of a"]
            return len(mom.children) == len(mom.zombies)
        self.until(at_home, "all shepherds have ended")      # what is at rest after each test has no living child to allow for

    def test_each_subjob_runs_once_though_server_and_mom_are_killed(self):
        array = self.array(f"1-{SUBJOBS}%{AT_ONCE}")
        server, mom = ("pbs_server", "server"), ("pbs_mom", "a")
        for group, killed in enumerate(((server,), (mom,), (server, mom), (), ())):
            begun = (group + 1) * AT_ONCE
            self.until_ran(*range(1, begun + 1))
            self.until_counts(array, SUBJOBS - begun, AT_ONCE, 0, begun - AT_ONCE)
            self.kill(*killed)
            self.go(f".group.{group}")
            self.start(*killed)
        ended = self.until_state(array, "F")
        self.assertEqual(ended["Exit_status"], "0", ended)
        self.assertEqual(ended["array_indices_remaining"], "-")
        self.assertEqual(self.ran(), list(range(1, SUBJOBS + 1)))
        self.until_recorded(array, "QSE")
        for index in range(1, SUBJOBS + 1):
            self.until_recorded(subjob(array, index), "SE")
            job = self.job(subjob(array, index))
            self.assertEqual((job["job_state"], job["Exit_status"], job["run_count"]), ("F", "0", "1"), job)
        letters = collections.Counter(letter for letter, _, _ in self.accounting())
        self.assertEqual((letters["Q"], letters["S"], letters["E"]), (1, SUBJOBS + 1, SUBJOBS + 1))

    def test_environment_and_names_of_output(self):
        array = self.array("2-5:3", text="echo $PBS_ARRAY_ID $PBS_ARRAY_INDEX $PBS_JOBID\necho error >&2\n")
        os.mkdir(os.path.join(self.work, "out"))
        into = self.array("1-2", "-j", "oe", "-o", "out/", text="echo $PBS_ARRAY_INDEX\necho error >&2\n")
        named = self.array("1-2", "-j", "oe", "-o", "x_^array_index^.out", text="echo $PBS_ARRAY_INDEX\n")
        self.go()
        for id in array, into, named:
            self.until_state(id, "F")
        number = array.split("[")[0]
        files = {f"arr.o{number}.{index}": f"{array} {index} {subjob(array, index)}\n" for index in (2, 5)}
        files |= {f"arr.e{number}.{index}": "error\n" for index in (2, 5)}
        files |= {f"out/{subjob(into, index)}.OU": f"{index}\nerror\n" for index in (1, 2)}
        files |= {f"x_{index}.out": f"{index}\n" for index in (1, 2)}
        for name, content in files.items():
            with open(os.path.join(self.work, name)) as f:
                self.assertEqual(f.read(), content, name)
        self.assertTrue(self.job(array)["Output_Path"].endswith(f"/arr.o{number}.^array_index^"))
        self.assertTrue(self.job(subjob(array, 5))["Output_Path"].endswith(f"/arr.o{number}.5"))

    def test_a_waiting_qsub_ends_with_the_array(self):
        for text, status in ("exit 0\n", 0), ("exit $((PBS_ARRAY_INDEX - 1))\n", 1):
            done = self.run_command("qsub", "-S", "/bin/sh", "-W", "block=true", "-J", "1-2", input=text)
            self.assertEqual(done.status, status, done)
            self.assertEqual(self.job(done.out.strip())["Exit_status"], str(status))

    def test_a_job_waits_for_the_whole_array(self):
        array = self.array("1-2")
        after = self.submit("-W", f"depend=afterok:{array}", "--", "/bin/true")
        self.until_ran(1, 2)
        self.go(".1")
        self.until_state(subjob(array, 1), "X")
        self.assertEqual(self.job(after)["job_state"], "H")
        self.go()
        self.assertEqual(self.until_state(after, "F")["Exit_status"], "0")

    def test_sizes(self):
        self.sure("qmgr", "-c", "set server max_array_size = 3")
        done = self.run_command("qsub", "-J", "1-4", "--", "/bin/true")
        self.assertEqual((done.status, done.err), (3, "qsub: Array job exceeds server or queue size limit\n"))
        self.until_state(self.submit("-J", "1-7:3", "--", "/bin/true"), "F")

    # ---- what is asked of arrays ---------------------------------------------------------------------------------

    def test_a_range_and_the_whole_are_deleted(self):
        array = self.array("1-10%3")
        self.until_ran(1, 2, 3)
        self.until_all_run(array, 1, 2, 3)
        self.sure("qdel", subjob(array, "2-5"))
        self.until_ran(1, 2, 3, 6, 7)
        self.until_all_run(array, 6, 7)
        self.until_counts(array, 3, 3, 0, 4)
        self.assertEqual(self.job(array)["array_indices_remaining"], "8-10")
        finished = "Request invalid for finished array subjob"
        for index, status, text in (2, 55, finished), (4, 55, finished), (99, 156, "Invalid request"):
            done = self.run_command("qdel", subjob(array, index))
            self.assertEqual((done.status, done.err), (status, f"qdel: {text} {subjob(array, index)}\n"))
        self.kill_daemon("pbs_server")
        self.start(("pbs_server", "server"))
        self.sure("qdel", array)
        self.kill_daemon("pbs_server")
        self.start(("pbs_server", "server"))
        ended = self.until_state(array, "F")
        self.assertEqual((ended["Exit_status"], ended["substate"]), ("1", "91"), ended)
        self.assertTrue(ended["comment"].endswith(" and terminated"), ended)
        self.assertEqual(self.ran(), [1, 2, 3, 6, 7])
        for index in 1, 2, 3, 6, 7:
            self.assertEqual(self.job(subjob(array, index))["Exit_status"], "271")
            self.until_recorded(subjob(array, index), "SDE")
        self.until_recorded(array, "QSDE")

    def test_one_subjob_is_run_again(self):
        array = self.array("1-3")
        self.until_ran(1, 2, 3)
        self.until_all_run(array, 1, 2, 3)
        self.sure("qrerun", subjob(array, 2))
        self.until_ran(1, 2, 2, 3)
        self.go()
        self.assertEqual(self.until_state(array, "F")["Exit_status"], "0")
        self.assertEqual(self.ran(), [1, 2, 2, 3])
        self.assertEqual([self.job(subjob(array, index))["run_count"] for index in (1, 2, 3)], ["1", "2", "1"])

    def test_a_subjob_runs_its_own_script_whose_name_a_shell_could_take_for_a_pattern(self):
        open(os.path.join(self.work, "said"), "w").close()
        self.submit("-h", "--", "/bin/true")
        array = self.submit("-h", "-J", "1-2", "-S", "/bin/sh", input=f"echo array $PBS_JOBID >> {self.work}/said\n")
        other = None
        while other is None or not other.startswith("11."):      # 1[1].server.SC is a pattern for 11.server.SC
            other = self.submit("-S", "/bin/sh", input=f"echo other $PBS_JOBID >> {self.work}/said\n"
                                                       f"until [ -e {self.work}/go ]; do sleep 0.05; done\n")
        self.until_running(other)
        self.sure("qrls", array)
        self.until(lambda: open(os.path.join(self.work, "said")).read().count("array") == 2,
                   lambda: "both subjobs have run their script: " + open(os.path.join(self.work, "said")).read())
        self.go()
        self.until_state(array, "F")

    def test_of_the_whole_those_are_run_again_that_run(self):
        array = self.array("1-3", text="exit $PBS_ARRAY_INDEX\n")
        self.until_ran(1, 2, 3)
        self.until_all_run(array, 2, 3)
        self.go(".1")
        self.until_state(subjob(array, 1), "X")
        os.unlink(os.path.join(self.work, "go.1"))
        self.sure("qrerun", array)
        self.kill_daemon("pbs_server")
        self.start(("pbs_server", "server"))
        self.until_ran(1, 2, 2, 3, 3)
        self.go()
        self.assertEqual(self.until_state(array, "F")["Exit_status"], "1")
        self.assertEqual(self.ran(), [1, 2, 2, 3, 3])
        for index, runs in (1, "1"), (2, "2"), (3, "2"):
            job = self.job(subjob(array, index))
            self.assertEqual((job["Exit_status"], job["run_count"]), (str(index), runs), job)

    def test_a_held_array_begins_no_subjob(self):
        array = self.array("1-4%2", "-h")
        self.assertEqual(self.job(array)["job_state"], "H")
        self.a_cycle_passes()
        self.assertEqual(self.ran(), [])
        self.sure("qrls", array)
        self.until_ran(1, 2)
        self.assertEqual(self.job(array)["job_state"], "B")
        self.sure("qhold", array)
        self.go()
        self.until_counts(array, 2, 0, 0, 2)
        self.a_cycle_passes()
        self.assertEqual((self.ran(), self.job(array)["job_state"]), ([1, 2], "H"))
        for command in "qhold", "qrls":
            done = self.run_command(command, subjob(array, 3))
            self.assertEqual((done.status, done.err), (156, f"{command}: Invalid request {subjob(array, 3)}\n"))
        self.sure("qrls", array)
        self.assertEqual(self.until_state(array, "F")["Exit_status"], "0")
        self.assertEqual(self.ran(), [1, 2, 3, 4])

    def test_how_many_run_at_once_can_be_altered(self):
        array = self.array("1-6%1")
        self.until_ran(1)
        self.a_cycle_passes()
        self.assertEqual(self.ran(), [1])
        self.sure("qalter", "-W", "max_run_subjobs=3", array)
        self.until_ran(1, 2, 3)
        self.sure("qalter", "-W", "max_run_subjobs=0", array)
        self.go()
        self.until_counts(array, 3, 0, 0, 3)
        self.a_cycle_passes()
        self.assertEqual((self.ran(), self.job(array)["job_state"]), ([1, 2, 3], "B"))
        self.sure("qalter", "-W", "max_run_subjobs=6", array)
        self.assertEqual(self.until_state(array, "F")["Exit_status"], "0")
        done = self.run_command("qalter", "-W", "max_run_subjobs=", self.array("1-2", "-h"))
        self.assertEqual(done.status, 166, done)


if __name__ == "__main__":
    unittest.main(verbosity=2)
