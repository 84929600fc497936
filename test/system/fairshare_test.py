"""Fairshare: jobs start by shares, usage is exact whatever is killed, and pbsfs shows, changes and explains it."""
import os
import re
import unittest

from private_cluster import ClusterTest, signal

GROUPS = "science 50 root 60\narts 51 root 40\nbio 60 science 30\nchem 61 science 70\nmusic 62 arts 100\n"
ROW = re.compile(r"(?m)^(\S+) *: Grp: (-?\d+) +cgrp: (-?\d+) +Shares: (-?\d+) +Usage: (\d+) +Perc: +(-?[\d.]+)%$")


class SharedTest(ClusterTest):
    # Anybody may name any account, so one user is as good as many.
    settings = {"fair_share": "true ALL", "fairshare_entity": "Account_Name", "fairshare_usage_res": "ncpus*walltime"}

    def setUp(self):
        super().setUp()
        self.share("default", GROUPS, self.settings)

    def priv(self, scheduler="default"):
        return os.path.join(self.home(), "sched_priv" if scheduler == "default" else "sched_priv_" + scheduler)

    def share(self, scheduler, groups, settings):
        with open(os.path.join(self.priv(scheduler), "resource_group"), "w") as f:
            f.write(groups)
        path = os.path.join(self.priv(scheduler), "sched_config")
        with open(path) as f:
            lines = [line for line in f if line.split(":")[0].lstrip("#") not in settings]
        with open(path, "w") as f:
            f.writelines(lines + [f"{name}: {value}\n" for name, value in settings.items()])
        if scheduler != "default":
            return
        os.kill(self.daemon_pids("pbs_sched")[0], signal.SIGHUP)
        self.until(lambda: settings["fairshare_usage_res"] in self.audit("log"), "the server knows how to count")

    def usages(self, *of):
        return {name: int(usage) for name, _, _, _, usage, _ in ROW.findall(self.sure("pbsfs", *of))}

    def usage(self, entity):
        """With all its digits."""
        return float(re.search(r"has used (\S+)", self.sure("pbsfs", "--why", entity))[1])

    def fails(self, text, *command):
        done = self.run_command(*command)
        self.assertEqual((done.status, done.out, done.err), (1, "", text), command)

    def run_to_end(self, account, program, ncpus=2):
        id = self.submit("-A", account, "-l", f"select=1:ncpus={ncpus}", "--", *program)
        self.until_state(id, "F")
        return id

    def worth(self, id):
        """ncpus*walltime, as the job shows what it used."""
        job = self.job(id)
        hours, minutes, seconds = map(int, job["resources_used.walltime"].split(":"))
        return int(job["resources_used.ncpus"]) * (hours * 3600 + minutes * 60 + seconds)


class order_of_starts(SharedTest):
    def test_who_had_least_of_his_share_starts_first(self):       # MS-107, MS-113
        self.sure("qmgr", "-c", "set node a resources_available.ncpus = 1")
        for entity, usage in ("bio", 60), ("chem", 70), ("music", 200):
            self.sure("pbsfs", "-s", entity, str(usage))
        self.sure("qmgr", "-c", "set server scheduling = False")
        submitted = {account: self.submit("-A", account, "--", "/bin/true") for account in ("nobody", "music", "bio", "chem")}
        self.sure("qmgr", "-c", "set server scheduling = True")
        for id in submitted.values():
            self.until_state(id, "F")
            self.until_recorded(id, "S", "S")
        started = [id for letter, id, _ in self.accounting() if letter == "S"]
        # arts has had 201/0.4, science 131/0.6; of its members chem 70/0.42, bio 60/0.18. Who has no share comes last.
        self.assertEqual(started, [submitted[account] for account in ("chem", "bio", "music", "nobody")])

    def test_who_has_no_share_may_be_kept_from_running(self):
        self.share("default", GROUPS, {**self.settings, "fairshare_enforce_no_shares": "True", "fairshare_usage_res": "cput*1"})
        id = self.submit("-A", "nobody", "--", "/bin/true")
        self.until(lambda: self.job(id).get("comment") == "Can Never Run: Job has zero shares for fairshare", lambda: self.job(id))
        self.assertEqual(self.job(id)["job_state"], "Q")


class counted_usage(SharedTest):
    def test_usage_is_exact_whatever_is_killed(self):     # MS-107
        self.assertEqual(self.usages(), {"TREEROOT": 1, "science": 1, "arts": 1, "bio": 1, "chem": 1, "music": 1, "unknown": 1})
        first = self.run_to_end("bio", ["/bin/sleep", "2"])
        self.assertGreater(self.worth(first), 0)
        self.assertEqual(self.usage("bio"), 1 + self.worth(first))
        second = self.submit("-A", "bio", "-l", "select=1:ncpus=3", "--", "/bin/sleep", "3")
        self.until_running(second)
        for daemon in "pbs_sched", "pbs_server":
            self.kill_daemon(daemon)
        for daemon in "pbs_server", "pbs_sched":
            self.start_daemon(daemon)
        self.until_answers()
        self.until_state(second, "F")
        self.assertEqual(self.usage("bio"), 1 + self.worth(first) + self.worth(second))
        self.sure("pbsfs", "-d")
        half = (1 + self.worth(first) + self.worth(second)) / 2
        self.assertEqual(self.usage("bio"), half)
        before = self.sure("pbsfs")
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.assertEqual(self.sure("pbsfs"), before)
        self.assertEqual(self.usage("bio"), half)

    def test_why_names_the_jobs_and_adds_up(self):
        self.sure("pbsfs", "-s", "music", "100")
        id = self.run_to_end("music", ["/bin/sleep", "2"])
        self.run_to_end("bio", ["/bin/sleep", "1"])
        self.sure("pbsfs", "-d")
        rows = re.findall(r"(?m)^(?:\S+ \S+|-|together) +(?:(\S+) +)?(\S+)(?:  (.*))?$",
                          self.sure("pbsfs", "--why", "music").split("Job\n", 1)[1])
        *parts, together = rows
        self.assertEqual([(used, left) for used, left, _ in parts], [("100", "50"), (str(self.worth(id)), f"{self.worth(id) / 2:g}")])
        self.assertTrue(parts[0][2].startswith("set by "), parts)
        self.assertEqual(parts[1][2], id)
        self.assertEqual(float(together[1]), self.usage("music"))
        self.assertEqual(sum(float(left) for _, left, _ in parts), self.usage("music"))

    def test_who_left_resource_group_stays_until_it_is_trimmed(self):
        self.sure("pbsfs", "-s", "bio", "60")
        self.sure("pbsfs", "-s", "music", "20")
        with open(os.path.join(self.priv(), "resource_group"), "w") as f:
            f.write("arts 51 root 40\nmusic 62 arts 100\n")
        self.assertEqual(self.usages(), {"TREEROOT": 81, "arts": 21, "music": 20, "unknown": 61, "bio": 60})
        self.sure("pbsfs", "-e")
        self.assertEqual(self.usages(), {"TREEROOT": 21, "arts": 21, "music": 20, "unknown": 1})


class other_schedulers(SharedTest):
    def test_each_has_a_usage_of_its_own(self):       # MS-107, MS-108, MS-113
        self.sure("qmgr", "-c", "create sched s2")
        os.makedirs(self.priv("s2"), exist_ok=True)
        with open(os.path.join(self.priv("s2"), "resource_group"), "w") as f:
            f.write("user2 70 root 10\nbio 71 root 10\n")
        self.sure("pbsfs", "-s", "bio", "10")
        self.sure("pbsfs", "-I", "s2", "-s", "user2", "20")
        self.assertEqual(self.usages("-I", "s2"), {"TREEROOT": 21, "bio": 1, "user2": 20, "unknown": 1})
        self.assertEqual(self.usages("-I", "default"), self.usages())
        self.assertEqual(self.usages()["bio"], 10)
        self.assertIn("usage\t\t\t: 20 (cput)\n", self.sure("pbsfs", "-I", "s2", "-g", "user2"))

    def test_what_is_not_there_is_named(self):        # MS-109 to MS-112
        self.fails("Scheduler nosuch does not exist\n", "pbsfs", "-I", "nosuch")
        self.fails("Fairshare Entity nosuch does not exist.\n", "pbsfs", "-g", "nosuch")
        self.sure("qmgr", "-c", "create sched s2")
        self.sure("qmgr", "-c", f"set sched s2 sched_priv = {self.top}/nowhere")
        self.fails("Unable to access fairshare data: No such file or directory\n", "pbsfs", "-I", "s2")
        self.sure("qmgr", "-c", "unset sched s2 sched_priv")
        self.fails("Unable to access fairshare data: No such file or directory\n", "pbsfs", "-I", "s2")      # that of its name
        self.kill_daemon("pbs_server")
        self.fails("Can't connect to the server\n", "pbsfs")
        self.fails("Can't connect to the server\n", "pbsfs", "-s", "bio", "1")

    def test_it_is_for_managers(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        done = self.run_command("pbsfs", "-t", user="nobody", group="nogroup", extra_groups=[])
        self.assertEqual((done.status, done.out, done.err),
                         (1, "", "pbsfs: Must be run by PBS_DAEMON_SERVICE_USER if set or root if not set\n: Success\n"))


if __name__ == "__main__":
    unittest.main()
