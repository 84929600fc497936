"""Jobs that bear the failure of other hosts (tolerate_node_failures): hooks that refuse, MoMs that stand still, hosts that lose the
job, each with none, job_start and all. docs/design/0037-failures-that-a-job-bears.md."""
import os
import re
import shutil
import unittest

from mom_hooks import MomHookTest
from private_cluster import STAGE, signal
from wide_jobs import WIDE, WideJobTest

MOM = "pbs_mom"
ON_ALL = ["-l", "select=1:ncpus=1:host=a+1:ncpus=1:host=b+1:ncpus=1:host=c"]


def tolerant(value):
    return ["-W", "tolerate_node_failures=" + value]


class hosts_that_do_not_join(MomHookTest):
    def check_free(self):
        for host in self.hosts:
            self.until_free(host)

    def test_a_hook_that_refuses_on_another_host_does_not_keep_the_job_from_running(self):   # RS-03, RS-04, RS-12 to RS-14
        self.mom_hook("h", "execjob_begin", "import pbs\nif pbs.get_local_nodename() == 'b':\n    pbs.event().reject('no on b')\n")
        for value in "all", "job_start":
            id = self.submit(*tolerant(value), *ON_ALL, "--", "/bin/true")
            job = self.until_state(id, "F")
            self.assertEqual((job["Exit_status"], job["run_count"], job["tolerate_node_failures"]), ("0", "1", value), job)
            lines = [f"0008;pbs_mom;Job;{id};job_start_error 15169 from node b could not JOIN_JOB successfully\n",
                     f"0008;pbs_mom;Job;{id};ignoring error from b as job is tolerant of node failures\n",
                     f"0080;pbs_mom;Job;{id};ignoring error as job is tolerant of node failures\n"]
            self.until_mom_logged("a", lines[-1])
            log = self.mom_log("a")
            at = [log.find(line) for line in lines]
            self.assertTrue(-1 < at[0] < at[1] < at[2], (at, log))
            self.check_free()
        for none in [], tolerant("none"):                                                     # RS-02, RS-05
            id = self.submit(*none, *ON_ALL, "--", "/bin/true")
            self.until(lambda: f"{id};job_start_error 15169 from node b" in self.mom_log("a"), "the start fails")
            self.assertNotIn(f"{id};ignoring error", self.mom_log("a"))
            self.sure("qdel", id)
            self.until_state(id, "F")
            self.check_free()

    def test_the_log_says_who_joined_and_which_host_spoils_starts(self):
        self.mom_hook("h", "execjob_begin", "import pbs\nif pbs.get_local_nodename() == 'b':\n    pbs.event().reject('no on b')\n")
        id = self.submit(*tolerant("all"), *ON_ALL, "--", "/bin/true")
        self.until_state(id, "F")
        told = self.sure("pbs_audit", "startup", id)
        self.assertRegex(told, rf"^job {re.escape(id)}\nrun 1  from .* on 3 hosts, tolerate_node_failures=all: "
                               r"started after \d+\.\d{3} s, 1 failure borne, exit status 0\n")
        self.assertRegex(told, r"\n  a +first host( +-){4}\n")
        self.assertRegex(told, r"\n  b +no +- +\d+\.\d{3} s +- +\d+\.\d{3} s  before the program started, borne, code 15169: .*no on b")
        self.assertRegex(told, r"\n  c +\d+\.\d{3} s +- +- +- +\d+\.\d{3} s\n")
        self.assertRegex(self.sure("pbs_audit", "hosts"), rf"^host .*\nb +1 +1 +0  .*  {re.escape(id)} run 1, code 15169: .*no on b.*\n$")
        self.assertRegex(self.sure("pbs_audit", "hosts", "--all", "--since", "1h"), r"\na +1 +0 +0\nc +1 +0 +0\n$")
        alone = self.submit("-l", "select=1:ncpus=1:host=c", "--", "/bin/true")
        self.until_state(alone, "F")
        self.assertRegex(self.sure("pbs_audit", "startup", alone), r"\nrun 1  from .* on c: started after \d+\.\d{3} s, exit status 0\n$")
        none = self.submit(*ON_ALL, "--", "/bin/true")
        self.until(lambda: "run 2 " in self.audit("startup", none), "it is started again")
        self.assertRegex(self.audit("startup", none), r"\nrun 1  from .*: did not start, code -16 .*: job_start_error 15169 from node b ")

    def test_hooks_are_shown_what_has_failed(self):                                           # RS-64 to RS-67
        self.mom_hook("no", "execjob_begin", "import pbs\nif pbs.get_local_nodename() != 'a':\n    pbs.event().reject('no')\n")
        self.mom_hook("h", "execjob_prologue,execjob_launch", self.script(
            "for v in e.vnode_list_fail.values():\n"
            "    if name == 'execjob_launch' and v.name == 'b':\n        v.state = pbs.ND_OFFLINE\n",
            says="sorted((v, str(e.vnode_list_fail[v].resources_assigned['ncpus'])) for v in e.vnode_list_fail)"))
        id = self.submit(*tolerant("all"), *ON_ALL, "--", "/bin/true")
        self.until_state(id, "F")
        failed = "[('b', '1'), ('c', '1')]"
        self.assertEqual(self.lines(), [f"execjob_prologue a {failed}", f"execjob_launch a {failed}"])
        self.until(lambda: "offline" in self.vnode("b"), "b is offline")
        self.assertNotIn("offline", self.vnode("c"))

    def test_a_prologue_that_refuses_on_another_host_is_shown_to_the_launch(self):             # RS-14, RS-65, RS-123
        self.mom_hook("no", "execjob_prologue", "import pbs\nif pbs.get_local_nodename() == 'b':\n    pbs.event().reject('no on b')\n")
        self.mom_hook("h", "execjob_launch", self.script(says="sorted(e.vnode_list_fail)"))
        for value in "all", "job_start":
            id = self.submit(*tolerant(value), *ON_ALL, "--", "/bin/true")
            self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
            self.assertEqual(self.lines()[-1], "execjob_launch a ['b']")
            lines = [f"0008;pbs_mom;Job;{id};job_start_error 15169 from node b could not IM_EXEC_PROLOGUE successfully\n",
                     f"0008;pbs_mom;Job;{id};ignoring error from b as job is tolerant of node failures\n"]
            self.until_mom_logged("a", lines[-1])
            at = [self.mom_log("a").find(line) for line in lines]
            self.assertTrue(-1 < at[0] < at[1], (at, self.mom_log("a")))
            told = self.audit("startup", id)
            self.assertRegex(told, r"\n  b +\d+\.\d{3} s +- +\d+\.\d{3} s +- +\d+\.\d{3} s  before the program started, borne")
            self.assertRegex(told, r"\n  c +\d+\.\d{3} s +\d+\.\d{3} s +- +- +\d+\.\d{3} s\n")  # its prologue hooks let the job pass
            self.check_free()

    def test_a_prologue_that_takes_too_long_is_not_waited_for(self):                           # RS-55, RS-59, RS-61, RS-63
        gate = self.gate()
        config = os.path.join(self.home("a"), "mom_priv", "config")
        with open(config, "a") as f:
            f.write("$job_launch_delay 600\n$logevent 0xffffffff\n")
        self.kill_daemon(MOM, "a")
        self.start_daemon(MOM, "a")
        self.until_free("a")
        self.until_mom_logged("a", "0002;pbs_mom;Svr;job_launch_delay;600\n")
        self.mom_hook("slow", "execjob_prologue", self.script(f"if host == 'c':\n    {gate.pass_it()}\n"), alarm=600)
        self.mom_hook("h", "execjob_launch", self.script(says="sorted(e.vnode_list_fail)"))
        id = self.submit(*tolerant("job_start"), *ON_ALL, "--", "/bin/true")
        self.until_said("execjob_prologue c")
        self.until(lambda: re.search(r"\n  b( +\d+\.\d+ s){2} ", self.audit("startup", id)), "b has let it pass")
        with open(config, "a") as f:
            f.write("$job_launch_delay 1\n")      # that is over: whoever is late has been so for as long as the machine wanted
        self.read_settings_again("a")
        self.until_said("execjob_launch a ['c']")
        for line in ("waiting up to 600 secs ($job_launch_delay) for mom hosts status and prologue hooks ack",
                     "not all prologue hooks to sister moms completed, but job will proceed to execute",
                     "job_start_error 15059 from node c could not IM_EXEC_PROLOGUE successfully"):
            self.until_mom_logged("a", f"{id};{line}\n")
        gate.open()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        self.check_free()

    def test_a_job_that_waits_for_prologues_can_be_killed_and_rerun(self):                     # RS-15, RS-130
        gate = self.gate()
        self.mom_hook("slow", "execjob_prologue", self.script(f"if host == 'c':\n    {gate.pass_it()}\n"), alarm=600)
        id = self.submit(*tolerant("all"), *ON_ALL, "--", "/bin/true")
        self.until_said("execjob_prologue c")
        self.assertEqual((self.job(id)["job_state"], self.job(id)["substate"]), ("R", "41"))
        self.sure("qrerun", id)
        gate.open()
        job = self.until_state(id, "F")
        self.assertEqual((job["Exit_status"], job["run_count"]), ("0", "2"), job)
        self.check_free()

    def test_a_hook_of_the_first_host_is_not_borne(self):                                     # RS-124
        self.mom_hook("h", "execjob_prologue", "import pbs\ne = pbs.event()\ne.job.delete()\ne.reject('never')\n")
        id = self.submit(*tolerant("all"), *ON_ALL, "--", "/bin/true")
        self.assertLess(int(self.until_state(id, "F")["Exit_status"]), 0)
        self.assertNotIn("tolerant of node failures", self.mom_log("a"))


class hosts_that_are_lost(WideJobTest):
    def configure(self, host, line):
        path = os.path.join(self.home(host), "mom_priv", "config")
        with open(path, "a") as f:
            f.write(line + "\n")
        self.kill_daemon(MOM, host)
        self.start_daemon(MOM, host)
        self.until_free(host)

    def lose_the_job(self, host):
        """As a host that was installed anew: nothing of the job is there, or known."""
        self.kill_daemon(MOM, host)
        shutil.rmtree(os.path.join(self.home(host), "mom_priv", "log"))
        os.remove(os.path.join(self.home(host), "mom_priv", "log_uuid"))
        self.start_daemon(MOM, host)

    def runs(self, id):
        """A start that fails counts too: where a host is not back in time there is one more."""
        return int(self.job(id)["run_count"])

    def start_tolerant(self, value, exit_status):
        go = os.path.join(self.work, f"go{exit_status}")
        script = f"while [ ! -e {go} ]; do sleep 0.05; done\ncat $PBS_NODEFILE\nexit {exit_status}\n"
        id = self.submit(*tolerant(value), "-j", "oe", "-S", "/bin/sh", *WIDE, input=script)
        self.until(lambda: (self.job(id)["job_state"], self.job(id)["substate"]) == ("R", "42"), "its program runs")
        return id, go

    def test_who_stands_still_is_waited_for_as_long_as_the_alarm_says(self):                  # RS-45, RS-51
        self.configure("a", "$sister_join_job_alarm 2")
        self.addCleanup(self.go_on, MOM, "c")
        id = self.submit_beside_silence("c", *tolerant("job_start"), *ON_ALL, "--", "/bin/true")
        self.until_mom_logged("a", "0002;pbs_mom;Svr;sister_join_job_alarm;2\n")           # RS-49
        self.until(lambda: f"0080;pbs_mom;Job;{id};job waiting up to 2 secs ($sister_join_job_alarm) for all sister moms to join\n"
                           f"" in self.mom_log("a"), "what it waits for is told")               # RS-53
        self.until(lambda: f"{id};sister_join_job_alarm wait time 2 secs exceeded" in self.mom_log("a"), "the wait is over")
        self.until(lambda: f"0008;pbs_mom;Job;{id};job_start_error 15059 from node c could not JOIN_JOB successfully\n"
                           f"" in self.mom_log("a"), "c is missed")
        self.until(lambda: f"{id};task 00000001 terminated" in self.mom_log("a"), "its program has run")
        self.go_on(MOM, "c")
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        for host in self.hosts:
            self.until_free(host)

    def test_with_all_a_host_that_loses_the_job_later_does_not_end_it(self):                  # RS-03
        id, go = self.start_tolerant("all", 5)
        primary, sister, _ = self.hosts_of(id)
        self.lose_the_job(sister)
        self.until(lambda: f"{id};ignoring error as job is tolerant of node failures" in self.mom_log(primary), "the loss is borne")
        self.until_free_of_trouble(sister)
        self.kill_daemon(MOM, primary)                                                        # what it bore it goes on bearing
        self.start_daemon(MOM, primary)
        self.assertEqual(self.job(id)["job_state"], "R")
        open(go, "w").close()
        job = self.until_state(id, "F")
        self.assertEqual((job["Exit_status"], job["run_count"]), ("5", "1"), job)
        for host in self.hosts:
            self.until_free(host)

    def said(self, name):
        path = os.path.join(self.work, name)
        self.until(lambda: os.path.exists(path), f"{name} is there")
        with open(path) as f:
            return f.read().strip()

    def test_with_all_who_waits_for_a_task_on_a_lost_host_is_told(self):                      # RS-03, RS-25
        script = (f"export PATH={STAGE}/bin:$PATH\ncd {self.work}\nhost=$(uniq $PBS_NODEFILE | sed -n 2p)\n"
                  "tell() { echo \"$2 $(cat why.$1)\" > $1.new; mv $1.new $1; }\n"
                  f"(pbsdsh -h $host /bin/sh -c 'cd {self.work}; echo $$ > pid.new; mv pid.new pid; exec sleep 1000' 2> why.end; tell end $?) &\n"
                  f"(pbsdsh -h $host /bin/sh -c ': > {self.work}/other; exec sleep 1000' 2> why.killed & echo $! > caller; wait $!; tell killed $?) &\n"
                  "while [ ! -e dead ]; do sleep 0.05; done\npbs_tmrsh -n $host true 2> why.begin; tell begin $?\nwait\n")
        id = self.submit(*tolerant("all"), "-S", "/bin/sh", *WIDE, input=script)
        task, _, caller = int(self.said("pid")), self.said("other"), int(self.said("caller"))
        host = self.hosts_of(id)[1]
        self.kill_daemon(MOM, host)
        open(os.path.join(self.work, "dead"), "w").close()
        os.kill(caller, signal.SIGTERM)
        lost = f"lost communication with {host}"
        self.assertEqual(self.said("killed").splitlines()[-1], f"pbsdsh: error on signal: {lost}")
        self.assertEqual(self.said("end"), f"1 pbsdsh: error on obit: {lost}")
        self.assertEqual(self.said("begin"), f"255 pbs_tmrsh: {lost}")
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        self.start_daemon(MOM, host)
        self.until(lambda: not os.path.exists(f"/proc/{task}"), "what was given up is killed")
        for each in self.hosts:
            self.until_free(each)

    def test_with_job_start_it_does(self):                                                    # RS-04
        id, go = self.start_tolerant("job_start", 6)
        sister = self.hosts_of(id)[1]
        self.lose_the_job(sister)
        self.until(lambda: self.runs(id) >= 2, lambda: f"it runs again: {self.job(id)}")
        open(go, "w").close()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "6")

    def test_what_is_altered_while_it_runs_counts_from_the_next_run_on(self):                 # RS-06, RS-08
        id, go = self.start_tolerant("all", 7)
        self.sure("qalter", *tolerant("none"), id)
        self.assertEqual(self.job(id)["tolerate_node_failures"], "none")
        sister = self.hosts_of(id)[1]
        self.lose_the_job(sister)
        self.until(lambda: f"{id};ignoring error as job is tolerant of node failures" in self.mom_log(self.hosts_of(id)[0]), "it is borne")
        self.assertEqual(self.job(id)["job_state"], "R")
        self.until_free_of_trouble(sister)
        self.sure("qrerun", id)
        self.until(lambda: self.runs(id) >= 2, "it runs again")
        self.until(lambda: self.job(id).get("substate") == "42", "its program runs")
        runs = self.runs(id)
        self.lose_the_job(self.hosts_of(id)[1])
        self.until(lambda: self.runs(id) > runs, "it is queued again")
        open(go, "w").close()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "7")


if __name__ == "__main__":
    unittest.main(verbosity=2)
