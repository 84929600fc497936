#!/usr/bin/env python3
"""Whether docs/compatibility is true: each name that PBS has is tried on a running cluster, and does what its row says.

usage: compatibility_test.py              tries all, and compares the pages
       compatibility_test.py --write      makes the pages in docs/compatibility, and their index in docs/compatibility.md
A part: compatibility_test.py EveryName.test_does_what_its_row_says with ANNALS_NAMES="server queue".
"""
import grp
import os
import pwd
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import effects   # noqa: E402  found by the path above
import pages     # noqa: E402
import sections  # noqa: E402

if __name__ == "__main__" and "--write" in sys.argv:     # needs no built tree
    sys.exit(pages.write(sections.read()))
import tries     # noqa: E402
from private_cluster import ClusterTest, STAGE  # noqa: E402  found by the path that tries.py adds

# Run by a job on a, b: what pbsdsh and the like do in a job, one file for each.
IN_A_JOB = """cd {directory}
export PATH={stage}/bin:$PATH PBS_CONF_FILE={conf}
pbsdsh -c 1 -- /bin/echo x > c
pbsdsh -n 0 -- /bin/echo x > n
pbsdsh -h b -- /bin/echo x > h
pbsdsh -s -- /bin/echo x > s
pbsdsh -o -- /bin/echo x > o
pbsdsh -v -- /bin/echo x > v 2>&1
pbsdsh -u -- /bin/echo x > u
pbs_tmrsh -n -l {user} b /bin/echo x > tmrsh
echo read there | pbs_tmrsh b cat > tmrsh_input
echo kept here | (pbs_tmrsh b true; cat) >> tmrsh_input
pbs_attach -s /bin/echo x > attach_s
pbs_attach -P /bin/echo x > attach_P
pbs_attach -j $PBS_JOBID /bin/echo x > attach_j
pbs_attach -m 15003 /bin/echo x > attach_m 2> attach_m_said
touch all
"""


class Pages(unittest.TestCase):
    def test_rows_are_whole(self):
        wrong = [text for section in sections.read() for text in section.wrong]
        self.assertFalse(wrong, "\n".join(wrong))

    def test_are_those_of_the_rows(self):
        old = pages.out_of_date(sections.read())
        self.assertFalse(old, "not up to date (test/conformance/compatibility/compatibility_test.py --write makes them): " + ", ".join(old))


class LinesOfEffects(unittest.TestCase):
    """What names/effects.lst may say."""
    FILES = {"a_test.cpp": """struct fixture { std::string helped = "Priority"; };
BOOST_AUTO_TEST_CASE(of_max_run) {
  run("max_run");
}
BOOST_AUTO_TEST_CASE(short_one) { run("started"); }
BOOST_FIXTURE_TEST_CASE(of_others, fixture) {
  run("max_run_soft");
}
""", "a_test.py": """class A:
    def test_enabled(self):
        if self.x:

            self.set("enabled")

    def helper(self):
        self.submit("-a", 5)

    def test_other(self):
        self.set("-W", "depend=after")
"""}
    ROWS = ("max_run", "max_run_soft", "Priority", "started", "enabled", "qsub -a", "qsub -W depend=", "qsub -W block=true")

    def why(self, name, path, case, **of_row):
        row = sections.Row([name, of_row.pop("verdict", "works")], "")
        vars(row).update(of_row)
        others = [sections.Row([other, "works"], "") for other in self.ROWS if other != name]
        with tempfile.TemporaryDirectory() as root:
            for file, text in self.FILES.items():
                with open(os.path.join(root, file), "w") as f:
                    f.write(text)
            return effects.is_wrong(root, [row, *others] if name in self.ROWS else others, name, path, case)

    def test_a_case_that_has_the_name_is_taken(self):
        for name, path, case in (("max_run", "a_test.cpp", "of_max_run"), ("max_run_soft", "a_test.cpp", "of_others"),
                                 ("Priority", "a_test.cpp", "of_max_run"), ("started", "a_test.cpp", "short_one"),
                                 ("enabled", "a_test.py", "test_enabled"), ("qsub -a", "a_test.py", "test_enabled"),
                                 ("qsub -W depend=", "a_test.py", "test_other")):
            self.assertIsNone(self.why(name, path, case), name)

    def test_what_is_not_there_is_refused(self):
        for name, path, case, of_row, why in (
                ("max_running", "a_test.cpp", "of_max_run", {}, "there is no such row"),
                ("max_run", "b_test.cpp", "of_max_run", {}, "there is no file b_test.cpp"),
                ("max_run", "a_test.cpp", "of_max", {}, "a_test.cpp has no case of_max"),
                ("enabled", "a_test.py", "test_enable", {}, "a_test.py has no case test_enable"),
                ("max_run", "a_test.cpp", "of_others", {}, "neither of_others nor a helper in a_test.cpp has the word max_run"),
                ("enabled", "a_test.py", "test_other", {}, "neither test_other nor a helper in a_test.py has the word enabled"),
                ("qsub -W block=true", "a_test.py", "test_other", {}, "neither test_other nor a helper in a_test.py has the word block"),
                ("max_run", "a_test.cpp", "of_max_run", {"verdict": "no effect"}, "its row says no effect"),
                ("max_run", "a_test.cpp", "of_max_run", {"also": "a_test.py"}, "it is in shown_by.lst too, which it needs no more"),
                ("max_run", "a_test.cpp", "of_max_run", {"effect": ("a_test.cpp", "x")}, "its effect is shown already")):
            self.assertEqual(self.why(name, path, case, **of_row), why)


class EveryName(ClusterTest):
    hosts = ["a", "b", "c"]

    def check_rest(self, directory):
        """Rows leave jobs, hooks and settings that keep daemons at work."""

    def test_does_what_its_row_says(self):
        only = os.environ.get("ANNALS_NAMES", "").split()
        variables, failures = {}, []
        for section in sections.read():
            if only and section.file not in only:
                continue
            began = time.monotonic()
            variables = variables or self.day()
            failures += tries.KINDS[section.keys["kind"]](self, section, variables).run()
            print(f"{section.file}: {len(section.rows)} rows, {time.monotonic() - began:.1f} s", file=sys.stderr)
        if failures:
            raise AssertionError("\n".join([f"{len(failures)} rows are not as they say:", *failures]))

    def day(self):
        """Jobs in every state, and what else the command lines of the rows name."""
        self.write("script.sh", "echo x\n")
        self.write("hook.py", "import pbs\n")
        self.write("hook.json", "{}\n")
        self.write("bad.qmgr", "foo\n")
        self.write("vnode_definitions", "$configversion 2\na[9]: resources_available.ncpus = 1\n")
        self.sure("qmgr", "-c", "create queue idleq queue_type = Execution")
        user = pwd.getpwuid(os.geteuid()).pw_name
        at = lambda hours: time.strftime("%Y%m%d%H%M", time.localtime(time.time() + hours * 3600))
        held = lambda *options: self.submit("-h", *options, "--", "/bin/true")
        jobs = {"HELD": held("-W", "depend=after:" + held()), "HELD_TOO": held(), "MOVED": held("-l", "walltime=60"),
                "ARRAY": held("-J", "1-3"),
                "SCRIPTED": self.submit("-h", "script.sh"), **self.running(user)}
        return {**jobs, "RESV": self.reserved(at(100), "ncpus=1"), "RESV_WIDE": self.reserved(at(100), "select=2:ncpus=1"),
                "SOON": at(50), "SOONER": at(90), "LATER": at(200), "FAR": f"-R {at(1000)} -D 60",
                "WHEN": f"-R {at(300)} -D 60", "STAGE": STAGE, "PBS_TZID": "Europe/Berlin", "W": self.work,
                "USER_NAME": user, "GROUP": grp.getgrgid(os.getegid()).gr_name, "SERVER_HOME": self.home(),
                "MOM_HOME": self.home("a"), "MOM_CONF": self.cluster.layout.conf("a"), "IN_JOB": os.path.join(self.work, "in_job"),
                "PBS_CONF_FILE": self.cluster.layout.conf("server")}

    def reserved(self, start, wanted):
        id = self.sure("pbs_rsub", "-R", start, "-D", "3600", "-l", wanted).split()[0]
        self.until(lambda: "RESV_CONFIRMED" in self.sure("pbs_rstat", "-f", id), f"{id} is confirmed")
        return id

    def running(self, user):
        """Jobs that run or have run, by the names that rows have for them."""
        directory = os.path.join(self.work, "in_job")
        os.mkdir(directory, 0o777)
        self.write("in_job.sh", IN_A_JOB.format(directory=directory, user=user, stage=STAGE, conf=self.cluster.layout.conf("a")))
        sleeper = lambda *options: self.submit(*options, "--", "/bin/sleep", "1000")
        wide = lambda: sleeper("-l", "select=3:ncpus=1", "-l", "place=scatter")
        jobs = {"DONE": self.submit("--", "/bin/true"), "RUNNING": sleeper(), "RUNNING_BOUNDED": sleeper("-l", "walltime=1000"),
                "RUNNING_BOUNDED_TOO": sleeper("-l", "walltime=1000"),
                "RERUN": sleeper(), "RERUN_FORCE": sleeper(), **{f"WIDE_{letter}": wide() for letter in "ABCD"}}
        inside = self.submit("-l", "select=2:ncpus=1", "-l", "place=scatter", "-S", "/bin/sh", "in_job.sh")
        array = self.submit("-J", "1-2", "--", "/bin/sleep", "1000")
        for name, id in jobs.items():
            self.until_running(id) if name != "DONE" else self.until_state(id, "F")
        jobs["SUBJOB"] = array.replace("[]", "[1]")
        self.until_running(jobs["SUBJOB"])
        self.until(lambda: os.path.exists(os.path.join(directory, "all")), lambda: f"{inside} has done its work: {self.job(inside)}")
        return jobs

    def write(self, name, text):
        with open(os.path.join(self.work, name), "w") as f:
            f.write(text)


if __name__ == "__main__":
    unittest.main()
