"""pbs_report beside a server that lives: from its log and from a database the same sums, those of the accounting files
(docs/design/0071-reports.md)."""
import collections
import csv
import io
import json
import os
import unittest

from private_cluster import ClusterTest


def seconds(duration):
    hours, minutes, rest = duration.split(":")
    return 3600 * int(hours) + 60 * int(minutes) + int(rest)


class reported_use(ClusterTest):
    hosts = ["a", "b"]

    def setUp(self):
        super().setUp()
        self.log_directory = os.path.join(self.home(), "server_priv", "log")

    def at(self, name):
        return os.path.join(self.home(), name)

    def run_jobs(self):
        ids = [self.submit("-P", "thesis", "-l", "select=2:ncpus=1", "-l", "place=scatter", "--", "/bin/true"),
               self.submit("-A", "a <b>&\"c\"", "--", "/bin/false")]
        rerun = self.submit("--", "/bin/sleep", "1000")
        self.until_running(rerun)
        self.sure("qrerun", rerun)
        self.until_running(rerun)
        self.sure("qdel", rerun)
        for id in [*ids, rerun]:
            self.until_state(id, "F")
            self.until(lambda id=id: any(letter == "E" and job == id for letter, job, _ in self.accounting()), f"{id} has its E record")

    def written(self):
        """Project -> runs, walltime, core time and cpu time of its records."""
        sums = collections.defaultdict(lambda: [0, 0, 0, 0])
        for letter, _, text in self.accounting():
            fields = dict(field.split("=", 1) for field in text.split() if "=" in field)
            if letter not in "ER" or "exec_host" not in fields:
                continue
            walltime = seconds(fields["resources_used.walltime"])
            for i, more in enumerate([1, walltime, int(fields["resources_used.ncpus"]) * walltime, seconds(fields["resources_used.cput"])]):
                sums[fields["project"]][i] += more
        return sums

    def test_sums_are_those_of_accounting_from_each_source(self):
        self.run_jobs()
        self.sure("pbs_export", "-q", "--log", self.log_directory, self.at("jobs.db"))
        told = json.loads(self.sure("pbs_report", "--by", "project", "--format", "json", self.at("jobs.db")))
        self.assertEqual({row["project"]: [row[name] for name in ("runs", "walltime_s", "core_s", "cput_s")] for row in told["rows"]},
                         dict(self.written()))
        self.assertEqual(json.loads(self.sure("pbs_report", "--by", "project", "--format", "json", self.log_directory)), told)
        self.assertEqual(json.loads(self.sure("pbs_report", "--by", "project", "--format", "json")), told)
        self.assertEqual(json.loads(self.sure("pbs_report", "--to", "1h", "--format", "json"))["all"]["runs"], 0)

    def test_each_form_has_what_users_wrote_as_text(self):
        self.run_jobs()
        name = "a <b>&\"c\""
        self.assertIn(name, self.sure("pbs_report", "--by", "account"))
        table = list(csv.DictReader(io.StringIO(self.sure("pbs_report", "--by", "account", "--format", "csv"))))
        self.assertIn(name, [row["account"] for row in table])
        page = self.sure("pbs_report", "--by", "account", "--format", "html", "--title", "<i>")
        self.assertIn("a &lt;b&gt;&amp;&quot;c&quot;", page)
        self.assertIn("<h1>&lt;i&gt;</h1>", page)

    def test_what_is_wrong_is_named(self):
        with open(self.at("rates.conf"), "w", encoding="utf-8") as file:
            file.write("currency EUR 2\nprice ncpus 0,02\n")
        done = self.run_command("pbs_report", "--rates", self.at("rates.conf"))
        self.assertEqual(done.status, 2)
        self.assertEqual(done.err, f"pbs_report: {self.at('rates.conf')}: line 2: \"0,02\": an amount is at most 6 digits, "
                                   "and behind a point at most 9, as 0.02\n")
        self.assertEqual(self.run_command("pbs_report", "--rates", self.at("nothing")).status, 2)
        done = self.run_command("pbs_report", "--by", "shoe")
        self.assertEqual(done.status, 2)
        self.assertIn("\"shoe\"", done.err)
        done = self.run_command("sh", "-c", "pbs_report > /dev/full")
        self.assertEqual((done.status, done.err), (1, "pbs_report: standard output: No space left on device\n"))
        done = self.run_command("pbs_report", self.at("nothing.db"))
        self.assertEqual(done.status, 3)
        self.assertRegex(done.err, r"\Apbs_report: .*nothing\.db: .+\n\Z")


if __name__ == "__main__":
    unittest.main()
