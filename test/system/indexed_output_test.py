"""Arrays that keep the output of all subjobs of a host in one file: all of it is read back, whatever is killed meanwhile.
docs/design/0065-indexed-output.md."""
import glob
import os
import unittest

from private_cluster import ClusterTest

SUBJOBS = 50


class indexed_output(ClusterTest):
    hosts = ["a", "b"]
    SCRIPT = "echo out $PBS_ARRAY_INDEX\necho err $PBS_ARRAY_INDEX >&2\n"

    def array(self, *options, indices=f"1-{SUBJOBS}", script=SCRIPT):
        # Few at once on each host, so that both are used.
        return self.submit("-N", "arr", "-S", "/bin/sh", "-l", "select=1:ncpus=16", "-J", indices, "-W", "indexed_output=true", *options,
                           input=script)

    @staticmethod
    def subjob(array, index):
        return array.replace("[]", f"[{index}]")

    def base(self, array):
        return os.path.join(self.work, "arr.o" + array.split("[")[0])

    def files(self):
        return sorted(os.path.basename(path) for path in glob.glob(os.path.join(self.work, "arr.*")))

    def printed(self, *words):
        return self.sure("pbs_output", *words)

    def said(self, *words):
        """Its exit status and what it said of the error."""
        done = self.run_command("pbs_output", *words)
        return done.status, done.err

    def check_all(self, array, indices=range(1, SUBJOBS + 1)):
        for index in indices:
            self.assertEqual(self.printed(self.subjob(array, index)), f"out {index}\n")
            self.assertEqual(self.printed("-e", self.subjob(array, index)), f"err {index}\n")

    def test_without_a_history_it_is_read_while_the_server_knows_the_array_and_then_by_its_file(self):
        self.sure("qmgr", "-c", "set server job_history_enable = False")
        go = os.path.join(self.work, "go")
        array = self.submit("-J", "1-2", "-W", "indexed_output=true", "-N", "arr", "-S", "/bin/sh",
                            input=f"while [ $PBS_ARRAY_INDEX = 2 -a ! -e {go} ]; do sleep 0.05; done; echo out $PBS_ARRAY_INDEX\n")
        self.until(lambda: self.run_command("pbs_output", self.subjob(array, 1)).out == "out 1\n", "the first is read back")
        open(go, "w").close()
        self.until(lambda: self.run_command("qstat", array).status != 0, "the array is gone")
        status, why = self.said(self.subjob(array, 2))
        self.assertEqual(status, 1)
        self.assertIn("with -f FILE the file is read without the server", why)
        self.until(lambda: self.run_command("pbs_output", "-f", self.base(array), "2").out == "out 2\n", "the second is read by its file")

    def test_the_output_of_each_subjob_is_read_back(self):
        array = self.array()
        self.assertEqual(self.job(array)["indexed_output"], "True")
        self.until_state(array, "F")
        name = os.path.basename(self.base(array))
        self.assertEqual(self.files(), [f"{name}.{host}{end}" for host in self.hosts for end in ("", ".index")])
        self.check_all(array)
        self.assertEqual(self.printed("-f", self.base(array), "7"), "out 7\n")
        self.assertEqual(self.printed("-e", "-f", self.base(array), "7"), "err 7\n")
        listed = [line.split() for line in self.printed("-l", array).splitlines()]
        self.assertEqual(len(listed), 2 * SUBJOBS)
        number = array.split("[")[0]
        self.assertIn([f"{number}[7]", "1", "o", str(len("out 7\n"))], listed)
        by_name = [self.printed("-l", "-f", f"{self.base(array)}.{host}").splitlines() for host in self.hosts]
        self.assertEqual(sum(map(len, by_name)), 2 * SUBJOBS)
        self.assertTrue(all(by_name))
        status, error = self.said("-f", self.base(array), str(SUBJOBS + 1))
        self.assertEqual((status, error), (1, f"pbs_output: no standard output of subjob {SUBJOBS + 1} in {self.base(array)}\n"))

    def test_streams_that_are_joined_are_one_record(self):
        array = self.array("-j", "oe", indices="1-3")
        self.until_state(array, "F")
        for words in ([], ["-e"]):
            self.assertEqual(self.printed(*words, self.subjob(array, 2)), "out 2\nerr 2\n")
        self.assertEqual(len(self.printed("-l", array).splitlines()), 3)

    def test_output_that_cannot_be_shared_has_files_of_its_own(self):
        array = self.array("-h", indices="1-3")
        for host in self.hosts:
            os.mkdir(f"{self.base(array)}.{host}")
        self.sure("qrls", array)
        self.until_state(array, "F")
        number = array.split("[")[0]
        for index in range(1, 4):
            with open(f"{self.base(array)}.{index}") as f:
                self.assertEqual(f.read(), f"out {index}\n")
            self.assertTrue(os.path.exists(os.path.join(self.work, f"arr.e{number}.{index}")))
        self.check_all(array, range(1, 4))

    def test_nothing_is_lost_when_moms_are_killed(self):
        go = os.path.join(self.work, "go")
        array = self.array(script=self.SCRIPT + f"while [ ! -e {go}.$((PBS_ARRAY_INDEX / 10)) ]; do sleep 0.05; done\n")
        for group in range(SUBJOBS // 10 + 1):
            self.until(lambda: self.counts(array)[1] > 0 or self.in_state(array, "F"), lambda: f"some run: {self.job(array)}")
            open(f"{go}.{group}", "w").close()
            for host in self.hosts:
                self.kill_daemon("pbs_mom", host)
                self.start_daemon("pbs_mom", host)
            for host in self.hosts:
                self.until_free(host)
        self.until_state(array, "F")
        self.check_all(array)

    def counts(self, array):
        """Queued, Running, Exiting, Expired."""
        return tuple(int(part.split(":")[1]) for part in self.job(array)["array_state_count"].split())

    def test_what_makes_no_sense_is_refused(self):
        for words in (["--", "/bin/true"], ["-J", "1-2", "-k", "oe", "--", "/bin/true"], ["-J", "1-2", "-k", "od", "--", "/bin/true"]):
            done = self.run_command("qsub", "-W", "indexed_output=true", *words)
            self.assertNotEqual(done.status, 0, f"{words}: {done}")
            self.assertTrue(done.err.startswith("qsub: "), done)
        plain = self.submit("--", "/bin/true")
        self.assertEqual(self.said(plain), (1, f"pbs_output: {plain} is no subjob\n"))
        array = self.submit("-h", "-J", "1-2", "--", "/bin/true")
        self.assertEqual(self.said(self.subjob(array, 1)),
                         (1, f"pbs_output: {self.subjob(array, 1)} has files of its own: it was submitted without indexed_output\n"))
        indexed = self.array("-h", indices="1-2")
        self.assertEqual(self.said(self.subjob(indexed, 1)),
                         (1, f"pbs_output: no standard output of {self.subjob(indexed, 1)} in {self.base(indexed)}.*\n"))
        self.assertNotEqual(self.run_command("qalter", "-k", "oe", indexed).status, 0)
        self.assertEqual(self.said()[0], 2)
        self.assertEqual(self.said("-l", "-e", array)[0], 2)


if __name__ == "__main__":
    unittest.main()
