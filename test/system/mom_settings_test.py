"""Settings of a MoM: what lines of mom_priv/config change for jobs, hooks and vnodes, at the start and at HUP."""
import os
import pwd
import re
import subprocess
import unittest

from mom_hooks import MomHookTest
from private_cluster import rest, signal, stands_still

NAMESPACES = os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "--uts", "--pid", "--net", "--fork", "true"],
                                                  capture_output=True).returncode == 0


class MomSettingsTest(MomHookTest):
    hosts = ["a"]

    def set_in_mom(self, *lines, host="a"):
        """These lines besides those that the mini-cluster wrote; until the MoM has read them."""
        path = os.path.join(self.home(host), "mom_priv", "config")
        if not hasattr(self, "first_lines"):
            with open(path) as f:
                self.first_lines = f.read() + "$logevent 0xffff\n"
        with open(path, "w") as f:
            f.write("".join([self.first_lines, *(line + "\n" for line in lines), "$end_of_settings\n"]))
        said = "unknown setting $end_of_settings"
        before = self.mom_log(host).count(said)
        os.kill(self.daemon_pids("pbs_mom", host)[0], signal.SIGHUP)
        self.until(lambda: self.mom_log(host).count(said) > before, "the MoM has read its settings")


class rejected_scripts(MomSettingsTest):      # $reject_root_scripts
    TEXT = "mom not accepting remote hook files or root job scripts"

    @unittest.skipIf(os.geteuid() != 0, "only root has jobs of root")
    def test_a_job_of_root_waits_in_its_queue_until_the_host_takes_it(self):
        self.set_in_mom("$reject_root_scripts true")
        self.sure("qmgr", "-c", "set server scheduling = False")      # it is tried once: after 21 times it would be held, and say that
        id = self.submit("--", "/bin/true")
        self.sure("qrun", "-H", "a", id)
        self.until(lambda: self.TEXT in self.mom_log("a"), "the MoM refuses it")
        self.until(lambda: self.TEXT in self.job(id).get("comment", ""), lambda: f"the job says why: {self.job(id)}")
        self.until_state(id, "Q")
        self.set_in_mom()
        self.sure("qmgr", "-c", "set server scheduling = True")
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")

    def test_hooks_stay_as_they_are(self):
        self.mom_hook("h", "execjob_begin", self.script(says="'first'"))
        self.set_in_mom("$reject_root_scripts true")
        self.sure("qmgr", "-c", f"import hook h application/x-python default {self.file('other.py', self.script(says=repr('second')))}")
        self.until(lambda: f";Hook;h;{self.TEXT}\n" in self.mom_log("a"), "the MoM refuses the script")
        self.set_in_mom("$reject_root_scripts false")
        self.until(lambda: "second" in self.file_of_hook("h.PY"), "it takes it now")

    def file_of_hook(self, name):
        with open(os.path.join(self.home("a"), "mom_priv", "hooks", name)) as f:
            return f.read()


class time_of_a_host(MomSettingsTest):      # $cputmult, $wallmult
    BURN = "import time\nwhile time.process_time() < 1.2: pass\n"

    def test_what_is_used_counts_as_the_host_says(self):
        self.set_in_mom("$cputmult 60", "$wallmult 3600")
        id = self.submit("-l", "walltime=100:00:00", "--", "/usr/bin/python3", "-c", self.BURN)
        job = self.until_state(id, "F")
        self.assertEqual(job["Exit_status"], "0")
        self.assertGreaterEqual(job["resources_used.cput"], "00:01:00")
        self.assertGreaterEqual(int(job["resources_used.walltime"].split(":")[0]), 1)
        self.until(lambda: any(of == id and letter == "E" and f"resources_used.cput={job['resources_used.cput']}" in rest
                               for letter, of, rest in self.accounting()), "its record says so too")

    def test_limits_are_in_the_same_time(self):
        self.set_in_mom("$cputmult 1000", "$wallmult 1000")
        late = self.submit("-l", "walltime=00:15:00", "--", "/bin/sleep", "1000")
        busy = self.submit("-l", "cput=00:15:00", "--", "/bin/sh", "-c", "while :; do :; done")
        self.assertEqual(self.until_state(late, "F")["Exit_status"], "-29")
        self.assertIn(self.until_state(busy, "F")["Exit_status"], ("-28", str(256 + signal.SIGXCPU), str(256 + signal.SIGKILL)))


class load_of_a_host(MomSettingsTest):      # $ideal_load, $max_load
    """The load itself is the machine's: it is some number above 0 and below a million, which is all that these tests need."""
    hosts = ["a", "b"]

    def until_host_is(self, state):
        self.until(lambda: f"     state = {state}\n" in self.vnode("a"), lambda: f"{state}: {self.vnode('a')}")

    def test_a_busy_host_gets_no_more_jobs_until_it_is_idle_enough(self):
        running = self.submit("-l", "select=1:host=a", "--", "/bin/sleep", "1000")
        self.until_running(running)
        self.set_in_mom("$ideal_load 0", "$max_load 0")
        self.until_host_is("busy")
        self.until_mom_logged("a", ";Node;a;busy: the load is ")
        waiting = self.submit("-l", "select=1:host=a", "--", "/bin/true")
        self.until(lambda: self.job(waiting).get("comment", "").startswith("Not Running"), lambda: self.job(waiting))
        elsewhere = self.submit("-l", "select=1", "--", "/bin/true")
        self.assertEqual(self.hosts_of_finished(elsewhere), ["b"])
        self.assertEqual(self.job(running)["job_state"], "R")       # what runs goes on
        self.kill_daemon("pbs_server")                              # the log knows it
        self.start_daemon("pbs_server")
        self.until_answers()
        self.until_host_is("busy")
        by_hand = lambda: self.run_command("qrun", "-H", "a", waiting)     # who knows better may do so
        self.until(lambda: by_hand().status == 0, by_hand)
        self.assertEqual(self.until_state(waiting, "F")["Exit_status"], "0")
        last = self.submit("-l", "select=1:host=a", "--", "/bin/true")
        self.set_in_mom("$ideal_load 1000000", "$max_load 2000000")
        self.until_host_is("free")
        self.assertEqual(self.until_state(last, "F")["Exit_status"], "0")

    def waiting_for(self, go, *options):
        """A job that runs until the file is there."""
        id = self.submit(*options, "--", "/bin/sh", "-c", f"until [ -e {self.work}/{go} ]; do sleep 0.1; done")
        self.until_running(id)
        return id

    def stands_still(self, id):
        return stands_still(self.job(id)["session_id"])

    def test_a_load_that_suspends_stops_jobs_until_it_is_gone(self):
        on_a, on_b = self.waiting_for("go", "-l", "select=1:host=a"), self.waiting_for("go", "-l", "select=1:host=b")
        wide = self.waiting_for("go", "-l", "select=1:host=b+1:host=a", "-l", "place=scatter")
        unwanted = self.waiting_for("never", "-l", "select=1:host=a")
        stopped = (on_a, wide, unwanted)
        self.set_in_mom("$ideal_load 0", "$max_load 0 suspend")
        for id in stopped:
            self.assertEqual(self.until_state(id, "U")["substate"], "43")
            self.until(lambda: self.stands_still(id), f"{id} stands still")
        self.until_host_is("busy")
        self.assertEqual(self.job(on_b)["job_state"], "R")
        self.until_logged(f";Job;{on_a};suspended for the load of host a\n")
        self.assertIn("is suspended for the load of host a", self.audit("job", on_a))
        self.assertEqual(sorted(self.sure("qselect", "-s", "U").split()), sorted(stopped))
        self.assertEqual(self.run_command("qsig", "-s", "resume", on_a).status, 168)     # 15016: nobody suspended it
        self.kill_daemon("pbs_server")
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.until_host_is("busy")
        for id in stopped:
            self.assertEqual(self.job(id)["job_state"], "U")
            self.assertTrue(self.stands_still(id))
        self.sure("qsig", "-s", "suspend", on_a)
        self.until_state(on_a, "S")
        self.sure("qdel", unwanted)
        self.assertEqual(self.until_state(unwanted, "F")["substate"], "91")
        self.set_in_mom("$ideal_load 1000000", "$max_load 2000000 suspend")
        self.until_state(wide, "R")
        self.until(lambda: not self.stands_still(wide), "it goes on")
        self.assertTrue(self.stands_still(on_a))     # until who suspended it says so
        self.assertEqual(self.job(on_a)["job_state"], "S")
        self.sure("qsig", "-s", "resume", on_a)
        with open(os.path.join(self.work, "go"), "w"):
            pass
        for id in (on_a, on_b, wide):
            self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")

    def hosts_of_finished(self, id):
        return [chunk.split("/")[0] for chunk in self.until_state(id, "F")["exec_host"].split("+")]


@unittest.skipUnless(NAMESPACES, "needs hosts with processes and users of their own")
class users_without_jobs(MomSettingsTest):      # $restrict_user
    """Only where a host has a PID namespace: users of the machine that runs the test are not to be hit."""
    plain = False
    ON = ("$restrict_user true", "$restrict_user_maxsysid 0")

    def process_of(self, user):
        account = pwd.getpwnam(user)
        process = subprocess.Popen(self.cluster.machines["a"].inside(
            ["setpriv", "--reuid", str(account.pw_uid), "--regid", str(account.pw_gid), "--clear-groups", "sleep", "1000"]),
            stdin=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def until_ended(self, process, whose):
        self.until(lambda: process.poll() is not None, f"the process of {whose} is ended")
        self.until(lambda: re.search(rf";Svr;restrict_user;killed process \d+ of {whose}, who has no job here\n", self.mom_log("a")), "the log says so")

    def until_looked(self):
        self.until_ended(self.process_of("nobody"), "nobody")

    def job_of_daemon(self):
        account = pwd.getpwnam("daemon")
        id = self.submit("-S", "/bin/sh", "-N", "here", input="sleep 1000\n", user=account.pw_uid, group=account.pw_gid, extra_groups=[])
        self.until_running(id)
        return id

    def test_processes_of_who_has_no_job_on_the_host_are_ended(self):
        roots, guest = self.process_of("root"), self.process_of("daemon")
        self.set_in_mom(*self.ON)
        self.until_ended(guest, "daemon")
        id = self.job_of_daemon()
        guest = self.process_of("daemon")
        self.until_looked()
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")
        self.until_free("a")
        self.until_looked()
        self.assertEqual((roots.poll(), guest.poll(), self.job(id)["job_state"]), (None, None, "R"))
        self.sure("qdel", id)
        self.until_ended(guest, "daemon")
        self.assertIsNone(roots.poll())

    def test_users_that_are_excepted_stay(self):
        guest = self.process_of("daemon")
        self.set_in_mom(*self.ON, "$restrict_user_exceptions root,daemon")
        self.until_looked()
        self.assertIsNone(guest.poll())


class first_usage(MomSettingsTest):      # annals.conf: first_usage_ms
    hosts = ["a", "b"]

    def tell_after(self, host, value):
        path = os.path.join(self.home(host), "annals.conf")
        with open(path) as f:
            lines = [line for line in f if not line.startswith("first_usage_ms")]
        with open(path, "w") as f:
            f.writelines([*lines, f"first_usage_ms = {value}\n"])
        self.kill_daemon("pbs_mom", host)
        self.start_daemon("pbs_mom", host)
        self.until_free(host)

    def long_job(self, host):
        """Until its program runs."""
        runs = os.path.join(self.work, "runs." + host)
        id = self.submit("-l", f"select=1:host={host}", "--", "/bin/sh", "-c", f"touch {runs}; exec sleep 1000")
        self.until(lambda: os.path.exists(runs), f"{id} runs")
        return id

    def test_a_host_tells_it_when_the_setting_says(self):
        self.tell_after("a", 60000)
        self.tell_after("b", 0)
        late, soon = self.long_job("a"), self.long_job("b")
        self.until_running(soon)
        self.assertEqual(self.job(late)["substate"], "41")

    def test_what_is_no_time_is_told_and_changes_nothing(self):
        for host, value in (("a", "soon"), ("b", "60001")):
            self.tell_after(host, value)
            self.until_mom_logged(host, f"first_usage_ms: not a number from 0 to 60000: {value}; it is 1000")
        self.until_running(self.long_job("a"))


class options_of_a_mom(MomSettingsTest):      # -c, -C, -L, -M, -S
    def mom(self, *options):
        return self.run_command("env", f"PBS_CONF_FILE={self.cluster.layout.conf('a')}", "pbs_mom", *options)

    def test_settings_and_log_lie_elsewhere(self):
        log = os.path.join(self.top, "mom.log")
        priv = os.path.join(self.home("a"), "mom_priv")
        with open(os.path.join(priv, "config")) as f:
            where_output_goes = f.read()
        with open(os.path.join(priv, "other"), "w") as f:
            f.write(where_output_goes + "$logevent 0xffff\n$settings_of_other\n")
        self.kill_daemon("pbs_mom", "a")
        before = self.mom_log("a")
        self.cluster.machines["a"].start_daemon("pbs_mom", "-c", "other", "-L", log)
        self.until_free("a")
        self.at_rest[self.dir] = rest.looks_at(self.dir)     # of this MoM, whose log is elsewhere
        with open(log) as f:
            text = f.read()
        self.assertIn("unknown setting $settings_of_other", text)
        self.assertEqual(self.mom_log("a"), before)
        self.assertEqual(self.until_state(self.submit("--", "/bin/true"), "F")["Exit_status"], "0")

    def test_what_makes_no_sense_is_refused(self):
        for letter, value in (("L", "mom.log"), ("M", "0"), ("M", "x"), ("S", "70000"), ("C", ""), ("c", "")):
            done = self.mom(f"-{letter}", value)
            self.assertEqual((done.status, done.err.split("\n")[0]), (2, f"pbs_mom: illegal -{letter} value"))
        done = self.run_command("pbs_server", "-L", "server.log")
        self.assertEqual((done.status, done.err.split("\n")[0]), (2, "pbs_server: illegal -L value"))
        done = self.mom("-c", "nowhere")
        self.assertEqual(done.status, 1)
        self.assertIn("cannot read ", done.err)
        self.assertIn("mom_priv/nowhere", done.err)


if __name__ == "__main__":
    unittest.main()
