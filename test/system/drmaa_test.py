"""DRMAA 1.0 for C (libdrmaa): the cases of drmaa/conformance.c, compiled against what is installed, on a real cluster."""
import ctypes
import os
import re
import shutil
import subprocess
import unittest

from private_cluster import ClusterTest, STAGE

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "drmaa", "conformance.c")
ALONE = ("given", "no_history")       # tests of their own look at more
CALLS = 36


def source():
    with open(SOURCE) as f:
        return f.read()


class conformance(ClusterTest):
    def setUp(self):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            self.skipTest("no C compiler")
        super().setUp()
        self.program = os.path.join(self.top, "conformance")
        subprocess.run([compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{STAGE}/include", "-o", self.program, SOURCE,
                        f"-L{STAGE}/lib", "-ldrmaa", f"-Wl,-rpath,{STAGE}/lib", "-pthread"], check=True)
        self.sure("qmgr", "-c", "set server acl_roots = root")

    def case(self, name):
        return self.sure(self.program, name, self.work).strip()

    def test_every_case(self):
        table = source().split("all_cases[] = {", 1)[1]
        names = [n for n in re.findall(r'\{"(\w+)", \1\}', table) if n not in ALONE]
        self.assertGreater(len(names), 15)
        for name in names:
            with self.subTest(name):
                self.case(name)

    def test_attributes_of_a_template_are_those_of_the_job(self):
        job = self.job(self.case("given"))
        self.assertEqual((job["Job_Name"], job["Mail_Points"], job["Account_Name"]), ("given", "n", "some account"))
        self.assertEqual((job["Resource_List.walltime"], job["Resource_List.select"]), ("00:10:00", "1:ncpus=2"))

    def test_a_server_without_history_is_refused(self):
        self.sure("qmgr", "-c", "set server job_history_enable = False")
        self.case("no_history")

    def test_every_call_of_the_header_is_there_and_nothing_else(self):
        with open(os.path.join(STAGE, "include", "drmaa.h")) as f:
            calls = set(re.findall(r"\b(drmaa_\w+)\(", f.read()))
        self.assertEqual(len(calls), CALLS)
        library = ctypes.CDLL(os.path.join(STAGE, "lib", "libdrmaa.so.1"))
        self.assertEqual([c for c in sorted(calls) if not hasattr(library, c)], [])
        symbols = subprocess.run(["nm", "-D", "--defined-only", f"{STAGE}/lib/libdrmaa.so"], capture_output=True, text=True, check=True).stdout
        self.assertEqual({line.split()[-1] for line in symbols.splitlines()}, calls)


if __name__ == "__main__":
    unittest.main()
