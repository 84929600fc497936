"""The environment of a job on several hosts, of its program and of its tasks on each of them, and the node file there. Issue item
"Node file and environment"; pbs guide: job environment (18), node file (6.5), TM (20.1)."""
import os
import re
import unittest

from private_cluster import ClusterTest, STAGE

# What PBS sets, and what depends on the program or task: pbs guide 18, and the transcript job_environment.
ALWAYS = {"ENVIRONMENT", "HOME", "LOGNAME", "NCPUS", "OMP_NUM_THREADS", "PATH", "PBS_ENVIRONMENT", "PBS_EXEC", "PBS_JOBCOOKIE", "PBS_JOBDIR",
          "PBS_JOBID", "PBS_JOBNAME", "PBS_MOMPORT", "PBS_NODEFILE", "PBS_NODENUM", "PBS_O_HOME", "PBS_O_HOST",
          "PBS_O_INTERACTIVE_AUTH_METHOD", "PBS_O_INTERACTIVE_ENCRYPT_METHOD", "PBS_O_LOGNAME", "PBS_O_PATH", "PBS_O_QUEUE",
          "PBS_O_SYSTEM", "PBS_O_WORKDIR", "PBS_QUEUE", "PBS_TASKNUM", "SHELL", "TMPDIR", "USER"}
OF_THE_SUBMITTER = {"PBS_O_LANG", "PBS_O_SHELL", "PBS_O_MAIL", "PBS_O_TZ"}      # if they have them
NOT_OF_TASKS = {"PBS_NODEFILE", "PBS_NODENUM", "PBS_TASKNUM", "PATH", "TMPDIR"}     # else they have the program's, less its profile's


class environment(ClusterTest):
    hosts = ["a", "b", "c"]

    def environment(self):
        return {**super().environment(), "LOGNAME": "typist", "HOME": self.work}

    def variables(self, path):
        with open(path) as f:
            return dict(line.split("=", 1) for line in f.read().split("\0") if line)

    def lines(self, path):
        with open(path) as f:
            return f.read().splitlines()

    def run_job(self, select, script, *arguments):
        """The job's id, when it has ended well, and its hosts in order."""
        id = self.submit("-N", "environ", "-j", "oe", "-S", "/bin/sh", "-l", select, "-l", "place=scatter", *arguments,
                         input=f"cd {self.work}\n{script}\n")
        job = self.until_state(id, "F")
        with open(os.path.join(self.work, "environ.o" + id.split(".")[0])) as f:
            self.assertEqual(job["Exit_status"], "0", f"{job}\n{f.read()}")
        return id, [chunk.split("/")[0] for chunk in job["exec_host"].split("+")]

    def check(self, env, id, node, task):
        self.assertEqual(ALWAYS - set(env), set())
        self.assertEqual({name for name in env if name.startswith("PBS_")} - OF_THE_SUBMITTER - ALWAYS, {"PBS_ACCOUNT"})
        self.assertRegex(env["PBS_JOBCOOKIE"], "^[0-9A-F]{32}$")
        expected = {"PBS_JOBID": id, "PBS_JOBNAME": "environ", "PBS_QUEUE": "workq", "PBS_O_QUEUE": "workq", "PBS_ACCOUNT": "myacc",
                    "PBS_ENVIRONMENT": "PBS_BATCH", "ENVIRONMENT": "BATCH", "PBS_MOMPORT": "15003", "FOO": "bar,baz", "NCPUS": "3",
                    "OMP_NUM_THREADS": "3", "PBS_NODENUM": str(node), "PBS_TASKNUM": str(task), "SHELL": "/bin/sh",
                    "PBS_JOBDIR": env["HOME"], "PBS_O_WORKDIR": self.work}
        self.assertEqual({name: env.get(name) for name in expected}, expected)
        self.assertRegex(os.path.basename(env["TMPDIR"]), f"^pbs[.]{id}[.][0-9a-f]{{8}}-[0-9A-F]{{8}}$")
        self.assertEqual((env["PBS_O_LOGNAME"], env["PBS_O_HOME"], env["USER"]), ("typist", self.work, env["LOGNAME"]))

    def test_of_the_program_and_of_tasks_on_each_host(self):      # RS-127
        look = f"'cat /proc/self/environ > {self.work}/env.$PBS_NODENUM; cp $PBS_NODEFILE {self.work}/nodes.$PBS_NODENUM; test -d $TMPDIR'"
        id, hosts = self.run_job("select=1:ncpus=2:mpiprocs=2:ompthreads=3+1:ncpus=0+1:ncpus=1",
                                 f"cat /proc/self/environ > env.program\ncp $PBS_NODEFILE nodes.program\ntest -d $TMPDIR &&\n"
                                 f"{STAGE}/bin/pbsdsh -s /bin/sh -c {look}", "-A", "myacc", "-v", 'FOO="bar,baz"')
        first, _, third = hosts
        program = self.variables(f"{self.work}/env.program")
        self.check(program, id, 0, 1)
        tasks = {node: self.variables(f"{self.work}/env.{node}") for node in (0, 1, 2)}
        for node, env in tasks.items():                   # in their order, by node file lines
            self.check(env, id, node, node + 2)
            same = ALWAYS - NOT_OF_TASKS
            self.assertEqual({n: env[n] for n in same}, {n: program[n] for n in same})
            self.assertEqual(env["PATH"], f"/bin:/usr/bin:{STAGE}/bin")      # of pbs_environment, and PBS's own
            self.assertEqual(env["PBS_EXEC"], STAGE)
        for who in ("program", 0, 1, 2):                  # mpiprocs lines each; none for ncpus=0
            self.assertEqual(self.lines(f"{self.work}/nodes.{who}"), [first, first, third])
        self.assertEqual(tasks[2]["PBS_NODEFILE"], os.path.join(self.home(third), "aux", id))
        self.assertEqual(program["PBS_NODEFILE"], os.path.join(self.home(first), "aux", id))

    def test_the_node_file_is_there_for_all_and_goes_with_the_job(self):
        """pbs guide 1.2: on every host, mode 644; also where a chunk has no cpus."""
        go = os.path.join(self.work, "go")
        id = self.submit("-S", "/bin/sh", "-l", "select=2:ncpus=1:mpiprocs=3+1:ncpus=0:mpiprocs=0", "-l", "place=scatter",
                         input=f"while [ ! -e {go} ]; do sleep 0.05; done\n")
        self.until_running(id)
        hosts = [chunk.split("/")[0] for chunk in self.job(id)["exec_host"].split("+")]
        paths = [os.path.join(self.home(host), "aux", id) for host in self.hosts]
        for path in paths:
            self.assertEqual(self.lines(path), [hosts[0]] * 3 + [hosts[1]] * 3)
            self.assertEqual(os.stat(path).st_mode & 0o7777, 0o644)
        open(go, "w").close()
        self.until_state(id, "F")
        for path in paths:
            self.until(lambda path=path: not os.path.exists(path), f"{path} is gone")

    def test_a_cookie_is_another_one_each_time(self):
        """Nobody can tell a job's cookie from its id and run: the task manager takes it for the job's word."""
        cookies = set()
        for n in range(3):
            self.run_job("select=1:ncpus=1", f"echo $PBS_JOBCOOKIE > cookie.{n}")
            cookies.update(self.lines(f"{self.work}/cookie.{n}"))
        id = self.submit("-N", "environ", "-r", "y", "-S", "/bin/sh", "-l", "select=1:ncpus=1",
                         input=f"echo $PBS_JOBCOOKIE >> {self.work}/runs\nwhile [ ! -e {self.work}/go ]; do sleep 0.05; done\n")
        runs = lambda: self.lines(f"{self.work}/runs") if os.path.exists(f"{self.work}/runs") else []
        self.until(lambda: len(runs()) == 1, "it runs")
        self.until_running(id)
        self.sure("qrerun", id)
        self.until(lambda: len(runs()) == 2, "it runs again")
        open(f"{self.work}/go", "w").close()
        self.until_state(id, "F")
        cookies.update(runs())
        self.assertEqual(len(cookies), 5)
        for cookie in cookies:
            self.assertRegex(cookie, re.compile("^[0-9A-F]{32}$"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
