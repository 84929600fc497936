"""Commands in jobs on hosts that are not the server's (docs/design/0038-commands-of-jobs.md): they act as the job's user, through the MoM of
their host, for as long as the job's program runs, and for nobody else."""
import os
import pwd
import random
import socket
import struct
import subprocess
import unittest

from private_cluster import COMMAND_DEADLINE_S, STAGE, ClusterTest

NAMESPACES = os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "--uts", "--pid", "--net", "--fork", "true"],
                                                  capture_output=True).returncode == 0
WIDE = ["-l", "select=2:ncpus=1", "-l", "place=scatter"]


class JobsCommandTest(ClusterTest):
    hosts = ["a", "b"]

    def file(self, name):
        return os.path.join(self.work, name)

    def text_of(self, name):
        """Of a file that a job makes whole; None while it is not there."""
        try:
            with open(self.file(name)) as f:
                return f.read()
        except FileNotFoundError:
            return None

    def until_text(self, name):
        self.until(lambda: self.text_of(name) is not None, f"the job writes {name}")
        return self.text_of(name)

    def head(self, host):
        """What a script does first: the commands and the host's own pbs.conf. NAME=... is written whole by `put NAME`."""
        return (f"export PATH={STAGE}/bin:$PATH PBS_CONF_FILE={self.cluster.layout.conf(host)}\ncd {self.work}\n"
                "put() { cat > .$1.$$; mv .$1.$$ $1; }\n"
                "wait_for() { while [ ! -e $1 ]; do sleep 0.05; done; }\n")

    def start(self, script, host="b", *arguments):
        arguments = arguments or ["-l", f"select=1:host={host}"]
        return self.submit("-S", "/bin/sh", "-N", "own", *arguments, input=self.head(host) + script)

    def as_job(self, id, cookie, *command, host="b", user=None, **variables):
        """A process that is not the job's, with the variables of one."""
        environment = {**self.environment(), "PBS_CONF_FILE": self.cluster.layout.conf(host), "PBS_JOBID": id,
                       "PBS_JOBCOOKIE": cookie, **variables}
        how = {}
        if user:
            how = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        done = subprocess.run(command, env=environment, cwd=self.work, capture_output=True, text=True,
                              timeout=COMMAND_DEADLINE_S, stdin=subprocess.DEVNULL, **how)
        return done.returncode, done.stdout, done.stderr

    def end(self, *names):
        for name in names:
            open(self.file(name), "w").close()


class commands_of_a_job(JobsCommandTest):
    def test_it_sees_alters_and_deletes_itself_and_submits_another(self):
        self.sure("qmgr", "-c", "set queue workq kill_delay = 1000")
        id = self.start("""
qstat -f $PBS_JOBID | put shown
qalter -N renamed $PBS_JOBID; echo $? | put altered
echo 'exit 7' | qsub -N child -l select=1:host=a -S /bin/sh -h -o $PWD/child.o -e $PWD/child.e | put child
trap '' TERM      # what writes `deleted` is not to be ended by the deletion, and the script waits for its own end
qdel $PBS_JOBID; echo $? | put deleted
sleep 1000
""")
        self.assertEqual(self.until_text("deleted"), "0\n")
        self.sure("qsig", "-s", "KILL", id)      # who ignores TERM is not waited for so long
        job = self.until_state(id, "F")
        self.assertIn(f"Job Id: {id}", self.until_text("shown"))
        self.assertEqual(self.until_text("altered"), "0\n")
        self.assertEqual(job["Job_Name"], "renamed")
        self.assertEqual(job["Exit_status"], "271")
        child = self.job(self.text_of("child").strip())
        user = pwd.getpwuid(os.geteuid()).pw_name
        self.assertEqual(child["Job_Owner"], f"{user}@b")
        self.assertEqual(child["Submit_Host"], "b")
        self.assertEqual(child["euser"], user)
        self.sure("qrls", self.text_of("child").strip())      # typed on the server's host, by the same user
        self.assertEqual(self.until_state(self.text_of("child").strip(), "F")["Exit_status"], "7")

    def test_without_a_configuration_the_job_says_where_its_server_is(self):
        id = self.start("PBS_CONF_FILE=/none qstat $PBS_JOBID > out 2>&1; mv out shown; PBS_DEFAULT=other qstat > out 2>&1; mv out other\n")
        self.until_state(id, "F")
        self.assertIn(id, self.text_of("shown"))
        self.assertNotIn(id, self.text_of("other"))
        self.assertIn("cannot connect to server other", self.text_of("other"))

    def test_a_new_output_path_of_a_running_job_counts_at_its_end(self):
        id = self.start("""
trap 'echo | put signalled' CONT
qalter -o $PWD/moved $PBS_JOBID; echo $? | put altered
qsig -s CONT $PBS_JOBID      # its host is told of one after the other
wait_for signalled
echo written
""", "b", "-l", "select=1:host=b", "-o", self.file("first"))
        job = self.until_state(id, "F")
        self.assertEqual(self.text_of("altered"), "0\n")
        self.assertTrue(job["Output_Path"].endswith(":" + self.file("moved")), job["Output_Path"])
        self.assertEqual(self.text_of("moved"), "written\n")
        self.assertIsNone(self.text_of("first"))

    def test_a_task_on_another_host_may_ask_too(self):
        id = self.start(f"""
pbsdsh -n 1 /bin/sh -c 'PBS_CONF_FILE=/none {STAGE}/bin/qstat $PBS_JOBID > {self.work}/out 2>&1; mv {self.work}/out {self.work}/shown'
""", "a", *WIDE)
        self.until_state(id, "F")
        self.assertIn(id, self.text_of("shown"))

    def test_a_large_script_and_a_long_answer(self):
        id = self.start("""
(echo 'exit 3'; head -c 300000 /dev/zero | tr '\\0' '#') > large
qsub -N large -l select=1:host=a -S /bin/sh -o $PWD/l.o -e $PWD/l.e large | put child
qstat -xf | put all
""")
        self.until_state(id, "F")
        self.assertEqual(self.until_state(self.text_of("child").strip(), "F")["Exit_status"], "3")
        self.assertIn(f"Job Id: {id}", self.text_of("all"))

    def test_the_cookie_is_worth_nothing_to_another_user_or_host_and_dies_with_the_run(self):
        id = self.start("echo $PBS_JOBCOOKIE | put cookie$PBS_JOBID.$(($(ls cookie* 2>/dev/null | wc -l) + 1))\nwait_for go\n", "b", "-r", "y",
                        "-l", "select=1:host=b")
        cookie = self.until_text(f"cookie{id}.1").strip()
        status, out, _ = self.as_job(id, cookie, "qstat", id)
        self.assertEqual(status, 0)
        self.assertIn(id, out)
        status, _, err = self.as_job(id, cookie, "qstat", id, host="a")
        self.assertNotEqual(status, 0)
        self.assertIn(f"no run of job {id} with this PBS_JOBCOOKIE is on host a", err)
        for wrong in (cookie[:-1], cookie + "0", "0" * len(cookie), ""):
            status, _, err = self.as_job(id, wrong, "qstat", id)
            self.assertNotEqual(status, 0, err)
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            status, out, err = self.as_job(id, cookie, "qdel", id, user=nobody)
            self.assertNotEqual(status, 0)
            self.assertIn(f"job {id} is not of user nobody", err)
            self.assertEqual(self.job(id)["job_state"], "R")
            self.assertRegex(self.mom_log("b"), r"a command of user nobody \(pid \d+\) refused: job \S+ is not of user nobody")
        self.sure("qrerun", id)
        again = self.until_text(f"cookie{id}.2").strip()
        self.assertNotEqual(again, cookie)
        status, _, err = self.as_job(id, cookie, "qdel", id)
        self.assertNotEqual(status, 0)
        self.assertIn("with this PBS_JOBCOOKIE is on host b", err)
        self.assertEqual(self.as_job(id, again, "qstat", id)[0], 0)
        self.end("go")
        self.until_state(id, "F")
        status, _, err = self.as_job(id, again, "qstat", id)
        self.assertNotEqual(status, 0)
        self.assertIn("with this PBS_JOBCOOKIE is on host b", err)

    def test_a_server_that_is_restarted_answers_after_it(self):
        """The command waits for it, as on the server's host, and nothing is done twice."""
        id = self.start("qstat > /dev/null; echo | put begun; wait_for killed\nqstat $PBS_JOBID > out 2>&1; mv out down\n"
                        "echo 'sleep 1000' > child.sh; (wait_for back; for i in 1 2 3; do qsub -h -S /bin/sh child.sh; done) > out 2>&1; mv out ids\n")
        self.until_text("begun")
        self.kill_daemon("pbs_server")
        self.end("killed")
        self.assertIn("b can't reach the server", self.until_text("down"))
        self.start_daemon("pbs_server")
        self.until_answers()
        self.until_free("b")
        self.end("back")
        ids = self.until_text("ids").split()
        self.assertEqual(len(set(ids)), 3, ids)
        self.until_state(id, "F")
        self.assertEqual(len([j for j in self.jobs() if j != id]), 3)

    def test_a_mom_that_is_restarted_goes_on_handing_on(self):
        id = self.start("qstat > /dev/null; echo | put begun; wait_for back\nqstat $PBS_JOBID > out 2>&1; mv out shown\n")
        self.until_text("begun")
        self.kill_daemon("pbs_mom", "b")
        self.start_daemon("pbs_mom", "b")
        self.until_free("b")
        self.end("back")
        self.until_state(id, "F")
        self.assertIn(id, self.text_of("shown"))

    def test_a_crowd_of_commands_is_answered(self):
        id = self.start("for i in $(seq 60); do (qstat $PBS_JOBID > /dev/null 2>> errors; echo $? >> status) & done; wait; mv status statuses\n")
        self.until_state(id, "F", 240)
        self.assertEqual(self.text_of("statuses").split(), ["0"] * 60, self.text_of("errors"))

    def test_garbage_on_the_mom_s_socket_ends_its_connection_only(self):
        id = self.start("wait_for go\nqstat $PBS_JOBID > out 2>&1; mv out shown\n")
        self.until_running(id)
        path = os.path.join(self.home("b"), "mom_priv", "commands.sock")
        chance = random.Random(38)
        for size in (0, 8, 64, 4096, 1 << 16, (4 << 20) + 8, 0xfffffff8, 7):
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(path)
                s.settimeout(60)
                body = chance.randbytes(min(size, 1 << 16))
                try:
                    s.sendall(struct.pack("<I", size) + body)
                    s.shutdown(socket.SHUT_WR)
                    while s.recv(65536):
                        pass
                except OSError:      # closed while we still write
                    pass
        self.end("go")
        self.until_state(id, "F")
        self.assertIn(id, self.text_of("shown"))


@unittest.skipUnless(NAMESPACES, "hosts with networks of their own need root")
class commands_on_real_hosts(JobsCommandTest):
    """Nothing of the server is on the job's host, but the way of its MoM."""
    plain = False

    def test_the_job_deletes_itself(self):
        id = self.start("""
ls $(sed -n 's/^PBS_HOME=//p' $PBS_CONF_FILE)/run/server.sock > out 2>&1; mv out socket
qstat -f $PBS_JOBID | put shown
qdel $PBS_JOBID; echo $? | put deleted
sleep 1000
""")
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "271")
        self.assertIn("No such file", self.until_text("socket"))
        self.assertIn("exec_host = b/0", self.text_of("shown"))

    def test_a_host_that_is_cut_off_says_so(self):
        id = self.start("wait_for cut; qstat > out 2>&1; mv out shown; wait_for back; qstat $PBS_JOBID > out 2>&1; mv out again\n")
        self.until_running(id)
        self.cluster.set_link("b", False)
        self.end("cut")
        self.assertIn("host b can't reach the server", self.until_text("shown"))
        self.cluster.set_link("b", True)
        self.until_free("b")
        self.end("back")
        self.until_state(id, "F")
        self.assertIn(id, self.text_of("again"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
