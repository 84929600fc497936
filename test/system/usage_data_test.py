"""What jobs used on each host as data, and how much of what they were given: pbs_audit usage and efficiency
(docs/design/0035-usage-per-host.md)."""
import csv
import io
import json
import os
import shutil
import unittest

from mom_hooks import MomHookTest
from private_cluster import STAGE

BURN = "/usr/bin/perl -e 'do { $i++ for 1..100000 } while (times)[0] < 1.2'"


class usage_as_data(MomHookTest):
    hosts = ["a", "b"]

    def say(self, *arguments, log=None):
        """What pbs_audit prints, which must end well."""
        return self.sure("pbs_audit", "--log", log or os.path.join(self.home(), "server_priv", "log"), *arguments)

    def rows(self, id):
        """Of its CSV, host -> rows."""
        found = {}
        for row in csv.DictReader(io.StringIO(self.say("usage", id, "--csv"))):
            found.setdefault(row["host"], []).append(row)
        return found

    def run_a_job(self):
        """On both hosts; each burns some cpu, and hooks say there what it used besides."""
        self.sure("qmgr", "-c", "create resource watts type=float,flag=h")
        self.sure("qmgr", "-c", "create resource rack type=string,flag=h")
        self.mom_hook("e", "execjob_epilogue", "import pbs\nu, here = pbs.event().job.resources_used, pbs.get_local_nodename()\n"
                      "u['watts'] = {'a': 17.5, 'b': 5.0}[here]\nu['rack'] = 'it is ' + here\n")
        id = self.submit("-l", "select=2:ncpus=1:mem=1gb", "-l", "place=scatter", "-l", "walltime=00:10:00", "-S", "/bin/sh",
                         input=f"{STAGE}/bin/pbsdsh -- {BURN}\n")
        self.until_state(id, "F")
        return id

    def all_said(self, id, log=None):
        forms = [("usage", id), ("usage", id, "--by", "host"), ("usage", id, "--json"), ("usage", id, "--by", "host", "--json"),
                 ("usage", id, "--csv"), ("usage", id, "--plot"), ("efficiency",), ("efficiency", "--json"), ("efficiency", "--csv")]
        return [self.say(*form, log=log) for form in forms]

    def test_users_see_how_efficient_their_own_jobs_were(self):
        id = self.submit("-l", "select=1:ncpus=1:mem=1gb", "-l", "walltime=00:10:00", "-S", "/bin/sh", input=BURN + "\n")
        self.until_state(id, "F")
        told = json.loads(self.sure("pbs_efficiency", "-F", "json"))["Efficiency"][id]
        audit, = json.loads(self.say("efficiency", id, "--json"))["runs"]
        self.assertEqual([told[name] for name in ("cput", "ncpus", "walltime", "mem_kb", "mem_asked_kb", "walltime_asked")],
                         [audit[name] for name in ("cput", "ncpus", "walltime", "memKb", "memAskedKb", "walltimeAsked")])
        self.assertEqual(told.get("cpu_percent"), audit.get("cpuPercent"))
        self.assertRegex(self.sure("pbs_efficiency", id), rf"\Ajob .*\n{id} .*\nall +1 .*\n\Z")

    def test_each_host_has_what_was_measured_and_what_hooks_set_there(self):      # RU-01, RU-10
        id = self.run_a_job()
        rows = self.rows(id)
        self.assertEqual(set(rows), {"a", "b"})
        for host, watts in ("a", "17.5"), ("b", "5"):
            last = rows[host][-1]
            self.assertEqual((last["job"], last["run"], last["watts"], last["rack"]), (id, "1", watts, f"it is {host}"))
            self.assertGreaterEqual(int(last["cput"]), 1, last)
        told = json.loads(self.say("usage", id, "--by", "host", "--json"))
        for host in told["runs"][0]["hosts"]:
            used = host["samples"][-1]["used"]
            self.assertEqual({name: str(value) for name, value in used.items() if name in ("cput", "mem", "rack")},
                             {name: rows[host["host"]][-1][name] for name in ("cput", "mem", "rack")})
        table = self.say("usage", id, "--by", "host")
        for word in "watts", "rack", "it is a", "it is b", "all hosts: ":
            self.assertIn(word, table)
        self.assertNotIn("watts", self.say("usage", id))

    def test_it_is_drawn_and_words_are_not(self):
        id = self.run_a_job()
        drawn = self.say("usage", id, "--plot", "--resource", "cput,watts").splitlines()
        self.assertEqual([line.split()[0] for line in drawn if line.startswith("    ")].count("b"), 2, drawn)
        self.assertTrue(all(len(line) == 80 for line in drawn if line.startswith("    ")), drawn)
        log = os.path.join(self.home(), "server_priv", "log")
        refused = self.run_command("pbs_audit", "--log", log, "usage", id, "--plot", "--resource", "rack")
        self.assertEqual((refused.status, refused.out), (2, ""))
        self.assertIn("words can't be drawn: rack=it is ", refused.err)
        unknown = self.run_command("pbs_audit", "--log", log, "usage", id, "--csv", "--resource", "volts")
        self.assertEqual((unknown.status, unknown.out, unknown.err), (1, "", f"pbs_audit: job {id} has no value of volts\n"))

    def test_a_run_is_compared_with_what_it_was_given_and_asked_for(self):
        id = self.run_a_job()
        running = self.submit("-l", "select=1:ncpus=1", "-S", "/bin/sh", input="exec sleep 1000\n")
        self.until_running(running)
        told = json.loads(self.say("efficiency", "--json"))
        self.assertEqual([run["job"] for run in told["runs"]], [id, running])
        ended, goes_on = told["runs"]
        self.assertEqual((ended["ncpus"], ended["memAskedKb"], ended["walltimeAsked"]), (2, 2 << 20, 600))
        self.assertGreaterEqual(ended["cput"], 2)
        self.assertEqual(ended["cput"], int(sum(int(c) * n for c, n in zip(self.job(id)["resources_used.cput"].split(":"), (3600, 60, 1)))))
        self.assertNotIn("endedNs", goes_on)
        self.assertNotIn("memPercent", goes_on)
        self.assertEqual(told["all"]["runs"], 2)
        self.assertIn(f"\n{running} ", self.say("efficiency", running))
        self.assertEqual(self.say("efficiency", "--user", "nobody-else"), "no run\n")
        self.assertEqual(self.say("efficiency", "--queue", "workq", "--csv").count(id), 1)
        self.assertNotIn(running, self.say("efficiency", "--until", str(ended["endedNs"] // 10**9 - 3600)))
        self.assertNotIn(id, self.say("efficiency", "--since", str(ended["endedNs"] // 10**9 + 3600)))
        self.sure("qdel", "-W", "force", running)

    def test_what_is_rebuilt_from_the_log_is_the_same_byte_for_byte(self):
        id = self.run_a_job()
        live = self.all_said(id)
        self.kill_daemon("pbs_server")
        copy = os.path.join(self.work, "copy")
        shutil.copytree(os.path.join(self.home(), "server_priv", "log"), copy)
        self.assertEqual(self.all_said(id, log=copy), live)
        self.start_daemon("pbs_server")
        self.until_answers()
        self.assertEqual(self.all_said(id), live)


if __name__ == "__main__":
    unittest.main()
