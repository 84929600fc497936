"""Jobs that ask for spare chunks (select_reliable_startup, rjselect): who may, what becomes of the request, and which failures such a job
bears. docs/design/0037-failures-that-a-job-bears.md."""
import os
import pwd
import unittest

from hooks_test import HookTest
from mom_hooks import MomHookTest

SELECT = "ncpus=3:mem=1gb+ncpus=2:mem=2gb+ncpus=1:mem=3gb"
PADDED = "ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb"
REFUSED = {"select_reliable_startup": "Only PBS managers and operators are allowed to set 'select_reliable_startup'",
           "rjselect": "not allowed to set 'rjselect' unless PBS operator or manager"}


def user(name):
    account = pwd.getpwnam(name)
    return dict(user=account.pw_uid, group=account.pw_gid, extra_groups=[])


class who_may_ask_for_spare_chunks(HookTest):
    def check_padded(self, id, name):
        job = self.job(id)
        padded = "1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb"
        found = {r: job[f"Resource_List.{r}"] for r in ("mem", "ncpus", "nodect", "select", "select_requested", name)}
        self.assertEqual(found, {"mem": "11gb", "ncpus": "9", "nodect": "5", "select": SELECT if name == "rjselect" else padded,
                                 "select_requested": "1:ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+1:ncpus=1:mem=3gb", name: found[name]})
        self.assertNotIn("tolerate_node_failures", job)
        self.assertIn(f"    schedselect = {padded}\n", self.sure("qstat", "-f", id).replace("\n\t", ""))

    @unittest.skipUnless(os.geteuid() == 0, "only root can be two users")
    def test_operators_do_and_others_are_told_that_they_may_not(self):                        # RS-02, RS-20 to RS-24, RS-26, RS-31
        script = self.file("script", f"#PBS -l select={SELECT}\n#PBS -l rjselect={PADDED}\ntrue\n")
        alone = self.submit("-h", "-l", "select=" + SELECT, "--", "/bin/true", **user("nobody"))
        for name, text in REFUSED.items():
            done = self.run_command("qsub", "-l", f"{name}={PADDED}", "--", "/bin/true", **user("nobody"))
            self.assertEqual((done.status, done.err), (15007 % 256, f"qsub: {text}\n"))
            done = self.run_command("qalter", "-l", f"{name}={PADDED}", alone, **user("nobody"))
            self.assertEqual(done.err, f"qalter: {text} {alone}\n")
        done = self.run_command("qsub", script, **user("nobody"))
        self.assertEqual(done.err, f"qsub: {REFUSED['rjselect']}\n")
        self.sure("qmgr", "-c", "set server operators = nobody@*")
        for name in REFUSED:
            self.check_padded(self.submit("-h", "-l", f"select={SELECT},{name}={PADDED}", "--", "/bin/true", **user("nobody")), name)
            altered = self.submit("-h", "-l", "select=" + SELECT, "--", "/bin/true", **user("nobody"))
            self.sure("qalter", "-l", f"{name}={PADDED}", altered, **user("nobody"))
            self.check_padded(altered, name)
            self.sure("qalter", "-l", f"{name}=", altered, **user("nobody"))
            self.assertEqual(self.job(altered)["Resource_List.ncpus"], "6")
            self.assertNotIn("Resource_List.select_requested", self.job(altered))
        self.check_padded(self.submit("-h", script, **user("nobody")), "rjselect")
        done = self.run_command("qalter", "-l", "select_requested=1:ncpus=1", alone)
        self.assertIn("Cannot set attribute, read only or insufficient permission", done.err)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be two users")
    def test_hooks_do_for_whoever_asks(self):                                                 # RS-20, RS-21
        self.hook("q", "queuejob", "import pbs\ne = pbs.event()\n"
                  "newsel = e.job.Resource_List['select'].increment_chunks({0: 0, 1: 1, 2: 1})\n"
                  "e.job.Resource_List['select_reliable_startup'] = newsel\n")
        ask = ["-h", "-l", "select=" + SELECT]
        self.check_padded(self.submit(*ask, "--", "/bin/true", **user("nobody")), "select_reliable_startup")
        done = self.run_command("qsub", *ask, "-l", f"rjselect={PADDED}", "--", "/bin/true", **user("nobody"))
        self.assertEqual(done.err, f"qsub: {REFUSED['rjselect']}\n")
        self.sure("qmgr", "-c", "set hook q enabled = false")
        self.hook("m", "modifyjob", "import pbs\n"
                  f"pbs.event().job.Resource_List['rjselect'] = pbs.select('{PADDED}')\n")
        id = self.submit(*ask, "--", "/bin/true", **user("nobody"))
        self.sure("qalter", "-N", "other", id, **user("nobody"))
        self.check_padded(id, "rjselect")


class jobs_with_spare_chunks(MomHookTest):
    def submit_padded(self, name, *more):
        return self.submit("-l", f"select=1:ncpus=1:host=a+1:ncpus=1,{name}=1:ncpus=1:host=a+2:ncpus=1", "-l", "place=scatter", *more,
                           "--", "/bin/true")

    def test_they_are_given_them_and_bear_failures(self):                                     # RS-24 to RS-27, RS-33, RS-36
        self.mom_hook("s", "execjob_launch", self.script(
            says="e.job.select_requested == e.job.Resource_List['select_requested'] and e.job.select_requested"))
        self.mom_hook("h", "execjob_begin", "import pbs\nif pbs.get_local_nodename() == 'b':\n    pbs.event().reject('no on b')\n")
        for name, word, hosts in ("select_reliable_startup", "all", ["a", "b", "c"]), ("rjselect", "job_start", ["a", "c"]):      # RS-28
            id = self.submit_padded(name)
            job = self.until_state(id, "F")
            self.assertEqual((job["Exit_status"], job["run_count"]), ("0", "1"), job)
            self.assertEqual(sorted(self.hosts_of(id)), hosts)
            self.until_mom_logged("a", f"{id};ignoring error from b as job is tolerant of node failures")
            self.assertIn(f" on 3 hosts, tolerate_node_failures={word} by {name}: started", self.sure("pbs_audit", "startup", id))
            self.assertEqual(self.lines().pop(), "execjob_launch a 1:ncpus=1:host=a+1:ncpus=1")
            for host in self.hosts:
                self.until_free(host)
        id = self.submit_padded("rjselect", "-W", "tolerate_node_failures=none")
        self.until(lambda: f"{id};job_start_error 15169 from node b" in self.mom_log("a"), "the start fails")
        self.assertNotIn(f"{id};ignoring error", self.mom_log("a"))
        self.sure("qdel", id)


if __name__ == "__main__":
    unittest.main()
