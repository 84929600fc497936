"""Tasks of a job (docs/design/0022-task-manager.md): the task manager's C interface, pbsdsh, pbs_tmrsh, pbs_attach and an MPI on
real daemons. pbs guide: 20.1, pbsdsh, pbs_tmrsh, pbs_attach; RS-117, RS-118, RS-119."""
import os
import shutil
import socket
import struct
import subprocess
import unittest

from private_cluster import DEADLINE_S, STAGE, ClusterTest, signal

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tm")
WIDE = ["-l", "select=3:ncpus=1", "-l", "place=scatter"]


class tasks(ClusterTest):
    hosts = ["a", "b", "c"]

    def run_job(self, script, *arguments, exit_status=0):
        """Runs the script on all hosts; its standard output and error, and the hosts in the order of their nodes."""
        # A login shell's profile may set another PATH.
        script = f"export PATH={STAGE}/bin:$PATH\ncd {self.work}\n{script}\n"
        id = self.submit("-N", "tasks", "-S", "/bin/sh", *(arguments or WIDE), input=script)
        job = self.until_state(id, "F")
        number = id.split(".")[0]
        out, err = (self.read(os.path.join(self.work, f"tasks.{letter}{number}")) for letter in "oe")
        self.assertEqual(job["Exit_status"], str(exit_status), f"{job}\n{out}\n{err}")
        return out, err, [chunk.split("/")[0] for chunk in job["exec_host"].split("+")]

    def read(self, path):
        with open(path) as f:
            return f.read()

    def node_file(self, host, id):
        return os.path.join(self.home(host), "aux", id)

    def compile(self, name, *options, compiler=None):
        compiler = compiler or shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            self.skipTest("no C compiler")
        program = os.path.join(self.work, name)
        subprocess.run([compiler, "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-o", program,
                        os.path.join(SOURCES, name + ".c"), *options], check=True)
        return program

    def compile_tm(self, name):
        return self.compile(name, "-Werror", f"-I{STAGE}/include", f"-L{STAGE}/lib", "-lpbs", f"-Wl,-rpath,{STAGE}/lib")

    def spool_is_empty(self):
        for host in self.hosts:
            spool = os.path.join(self.home(host), "spool")
            self.until(lambda: not os.listdir(spool), lambda: f"nothing is left on {host}: {os.listdir(spool)}")

    def test_the_c_interface(self):
        """tm_spawn, tm_obit, tm_kill, tm_taskinfo, tm_rescinfo; what tasks write goes to the job's output."""
        out, err, _ = self.run_job(self.compile_tm("tasks"))
        says = sorted(line for line in out.splitlines() if "says" in line)
        self.assertEqual(says, [f"task {n + 2} of node {n} says hello" for n in range(3)])
        self.assertIn("all tasks are done\n", out)
        self.assertIn("exec of /no/such/program failed", err)
        self.spool_is_empty()

    def test_values_between_tasks(self):
        out, _, _ = self.run_job(self.compile_tm("values"))
        self.assertEqual(out, "the values came\n")

    def test_pbsdsh(self):
        """RS-117: on one node, on all in their order, on the first ones, once on each host, and the worst end counts."""
        where = "'basename $(dirname $(dirname $(dirname $PBS_NODEFILE)))'"
        out, err, hosts = self.run_job(f"""
for n in 0 1 2; do pbsdsh -n $n /bin/sh -c {where}; done; echo --
pbsdsh -s /bin/sh -c {where}; echo --
pbsdsh -c 2 -s /bin/sh -c {where}; echo --
pbsdsh -h c /bin/sh -c {where}; echo --
pbsdsh -- /bin/sh -c 'echo $PBS_NODENUM' | sort; echo --
pbsdsh -v -n 2 /bin/sh -c 'echo to errors >&2; exit 3'; echo $?
pbsdsh -n 3 true; echo $?
pbsdsh -h nowhere true; echo $?
""")
        parts = out.split("--\n")
        where = [f"{host}\n" for host in hosts]
        self.assertEqual(parts[0], "".join(where))
        self.assertEqual(parts[1], "".join(where))
        self.assertEqual(parts[2], "".join(where[:2]))
        self.assertEqual(parts[3], "c\n")
        self.assertEqual(parts[4], "0\n1\n2\n")
        self.assertEqual(parts[5], "3\n1\n1\n")
        self.assertIn("to errors\n", err)
        self.assertRegex(err, r"pbsdsh: task 0x[0-9A-F]{8} exit status 3\n")
        self.spool_is_empty()

    def test_pbsdsh_over_slots_and_hosts(self):
        slots = ["-l", "select=3:ncpus=2:mpiprocs=2", "-l", "place=scatter"]
        out, _, _ = self.run_job("pbsdsh -- /bin/sh -c 'echo $PBS_NODENUM' | sort; echo --; pbsdsh -u -- /bin/sh -c 'echo $PBS_NODENUM' | sort",
                                 *slots)
        self.assertEqual(out, "0\n1\n2\n3\n4\n5\n--\n0\n2\n4\n")

    def test_output_is_whole_and_comes_before_the_end(self):
        """Some megabytes from each host at once, with NULs, to who asked and to the job's output."""
        size = 3_000_000
        write = f"'head -c {size} /dev/zero | tr \"\\\\000\" x; head -c 10 /dev/zero; echo end'"
        out, _, _ = self.run_job(f"""
pbsdsh -- /bin/sh -c {write} > asked; wc -c < asked
for h in $(cat $PBS_NODEFILE); do pbs_tmrsh $h cat {self.work}/asked | cmp - asked || echo differs; done
pbsdsh -o -- /bin/sh -c {write}'; : > {self.work}/done.$PBS_NODENUM'
while [ ! -e done.0 -o ! -e done.1 -o ! -e done.2 ]; do sleep 0.05; done
""")
        first, rest = out.split("\n", 1)
        self.assertEqual(first, str(3 * (size + 14)))
        self.assertEqual((rest.count("x"), rest.count("\0"), rest.count("end\n")), (3 * size, 30, 3), rest[:100])
        self.spool_is_empty()

    def test_pbs_tmrsh(self):
        """RS-118: output, errors and exit status come back, from each host and from a task to another host."""
        out, err, hosts = self.run_job(f"""
for h in $(cat $PBS_NODEFILE); do pbs_tmrsh $h 'echo $PBS_NODENUM; echo "error $PBS_NODENUM" >&2'; done
pbs_tmrsh -n $(sed -n 2p $PBS_NODEFILE) exit 7; echo $?
pbs_tmrsh $(sed -n 3p $PBS_NODEFILE) kill -9 '$$'; echo $?
second=$(sed -n 2p $PBS_NODEFILE) third=$(sed -n 3p $PBS_NODEFILE)
pbs_tmrsh $second -n "{STAGE}/bin/pbs_tmrsh $third 'echo through two; exit 5'"; echo $?
pbs_tmrsh nowhere true; echo $?
pbs_tmrsh -l nobody $second true; echo $?
PBS_JOBCOOKIE=0 pbs_tmrsh $second true; echo $?
pbs_tmrsh; echo $?
""")
        self.assertEqual(out, "0\n1\n2\n7\n137\nthrough two\n5\n255\n255\n255\n255\n")
        for number in range(3):
            self.assertIn(f"error {number}\n", err)
        self.assertIn("pbs_tmrsh: host \"nowhere\" is not a node in job <", err)
        self.assertIn("usage: pbs_tmrsh", err)
        self.spool_is_empty()

    def test_pbs_tmrsh_in_the_place_of_ssh(self):
        """Options of launchers and localhost; a loop over hosts keeps its input."""
        out, _, hosts = self.run_job(f"""
for h in $(cat $PBS_NODEFILE); do pbs_tmrsh -nxq -T -o StrictHostKeyChecking=no -p 22 $h "{STAGE}/bin/pbs_tmrsh localhost 'echo \\$PBS_NODENUM'"; done
while read h; do pbs_tmrsh -x $(id -un)@$h 'echo $PBS_NODENUM'; done < $PBS_NODEFILE
tail -n 1 $PBS_NODEFILE | (pbs_tmrsh 127.0.0.1 cat; cat)
pbs_tmrsh -o User=nobody $(tail -n 1 $PBS_NODEFILE) true; echo $?
""")
        self.assertEqual(out, f"0\n1\n2\n0\n1\n2\n{hosts[-1]}\n255\n")

    def test_input_of_pbs_tmrsh(self):
        """A pipe and a file, small, large and more than is wanted; -n: there is none."""
        out, err, hosts = self.run_job(f"""
here=$(head -n 1 $PBS_NODEFILE) there=$(tail -n 1 $PBS_NODEFILE)
echo word | pbs_tmrsh $there 'cat; echo end'
head -c 3000000 /dev/urandom > data
for h in $here $there; do
  tar c data | pbs_tmrsh -x $h 'cd {self.work} && mkdir $PBS_NODENUM && tar x -C $PBS_NODENUM'; echo $?
  n=$(pbs_tmrsh $h 'echo $PBS_NODENUM'); cmp data $n/data
done
head -c 10000000 /dev/urandom > large
pbs_tmrsh $there cat < large | cmp - large && cat large | pbs_tmrsh $there cat | cmp - large; echo $?
pbs_tmrsh $there 'read a; exec 0<&-; sleep 0.2; echo $a' < $PBS_NODEFILE
head -c 9000000 /dev/zero | pbs_tmrsh $there 'head -c 2 | wc -c; exit 7'; echo $?
head -c 9000000 /dev/zero | pbs_tmrsh $there 'read a; kill -9 $$'; echo $?
pbs_tmrsh $there 'cat; echo none' < /dev/null
echo lost | pbs_tmrsh -n $there 'cat; echo none'
echo lost | pbs_tmrsh --input $there -xn 'cat; echo none'
echo none | PBS_NODENUM=x pbs_tmrsh $there true; echo $?
echo lost | PBS_NODENUM=x pbs_tmrsh $there cat; echo $?
echo lost | PBS_NODENUM=x pbs_tmrsh --input $there true; echo $?
echo through | pbs_tmrsh $there "cat | {STAGE}/bin/pbs_tmrsh $here cat"
echo at once | pbs_tmrsh --input $there cat
""")
        self.assertEqual(out.split("\n"), ["word", "end", "0", "0", "0", hosts[0], "2", "7", "137", "none", "none", "none", "0", "255", "255",
                                           "through", "at once", ""], err)
        self.assertIn("pbs_tmrsh: the input of the program is not whole, it is killed: which host of the job pbs_tmrsh runs on can't be told", err)
        self.assertIn("pbs_tmrsh: which host of the job this is can't be told, so it can have no input", err)
        self.spool_is_empty()

    def test_input_is_fetched_when_the_program_waits_for_it(self):
        """A loop over hosts keeps its list, from a pipe and from a file, as long as no command in it reads; nobody waits for a silent pipe."""
        select = "import select, sys; select.select([sys.stdin], [], []); print(sys.stdin.read().strip())"
        out, err, hosts = self.run_job(f"""
there=$(tail -n 1 $PBS_NODEFILE)
sort -u $PBS_NODEFILE | while read h; do pbs_tmrsh $h echo $h; done
while read h; do pbs_tmrsh $h 'sleep 0.3; true < /dev/null; echo $PBS_NODENUM'; done < $PBS_NODEFILE
sort -u $PBS_NODEFILE | while read h; do pbs_tmrsh $h cat; done
echo selected | pbs_tmrsh $there 'python3 -c "{select}"'
(while [ ! -e go ]; do sleep 0.05; done; echo late) | pbs_tmrsh $there 'cd {self.work}; : > go; cat'
echo kept | pbs_tmrsh $there 'cd {self.work}; : > begun; while [ ! -e reads ]; do sleep 0.05; done; cat' &
while [ ! -e begun ]; do sleep 0.05; done; : > reads; wait
mkfifo silent; exec 9<> silent
for n in 1 2 3; do pbs_tmrsh $there 'echo task $PBS_TASKNUM' <&9; done
pbs_tmrsh $there 'exec 0<&-; echo no input' <&9
""")
        lines = out.split("\n")
        self.assertEqual(lines[:10], [*sorted(hosts), "0", "1", "2", *sorted(hosts)[1:], "selected", "late"], err)
        self.assertEqual(lines[10:11] + lines[14:], ["kept", "no input", ""], out)
        first = int(lines[11].split()[1])
        self.assertEqual(lines[11:14], [f"task {number}" for number in range(first, first + 3)])    # no second task
        self.spool_is_empty()

    def test_the_end_of_a_mom_is_not_taken_for_the_end_of_input(self):
        go = os.path.join(self.work, "go")
        script = (f"export PATH={STAGE}/bin:$PATH\ncd {self.work}\n(echo first; while [ ! -e {go} ]; do sleep 0.05; done; echo last) |\n"
                  f"pbs_tmrsh $(tail -n 1 $PBS_NODEFILE) 'cd {self.work}; echo $$ > pid; cat > got; echo whole >> got'; echo $? > status\n")
        id = self.submit("-N", "tasks", "-S", "/bin/sh", *WIDE, input=script)
        got = os.path.join(self.work, "got")
        self.until(lambda: os.path.exists(got) and self.read(got) == "first\n", "the task reads")
        host = self.hosts_of(id)[-1]
        self.kill_daemon("pbs_mom", host)
        pid = int(self.read(os.path.join(self.work, "pid")))
        self.until(lambda: not os.path.exists(f"/proc/{pid}"), "the program is killed")
        self.start_daemon("pbs_mom", host)
        open(go, "w").close()
        self.until_state(id, "F")
        self.assertEqual(self.read(os.path.join(self.work, "status")), "255\n")
        self.assertEqual(self.read(got), "first\n")

    def test_a_killed_pbsdsh_ends_its_tasks(self):
        out, err, _ = self.run_job("""
: > says
pbsdsh -- /bin/sh -c 'echo here; exec sleep 1000' >> says &
while [ $(wc -l < says) != 3 ]; do sleep 0.05; done
kill $!; wait $!; echo $?
""")
        self.assertEqual(out, "143\n")
        self.assertEqual(err.count("pbsdsh: killing task 0x"), 3)

    def test_a_sisters_mom_dies_while_a_task_writes(self):
        """Nothing is lost and nothing comes twice, whoever asked is on another host."""
        go = os.path.join(self.work, "go")
        script = (f"export PATH={STAGE}/bin:$PATH\ncd {self.work}\n"
                  f"pbsdsh -n 1 /bin/sh -c 'echo first; while [ ! -e {go} ]; do sleep 0.05; done; seq 1 20000; exit 4' > asked; echo $?\n")
        id = self.submit("-N", "tasks", "-S", "/bin/sh", *WIDE, input=script)
        asked = os.path.join(self.work, "asked")
        self.until(lambda: os.path.exists(asked) and self.read(asked) == "first\n", "the task has begun")
        sister = self.hosts_of(id)[1]
        self.kill_daemon("pbs_mom", sister)
        open(go, "w").close()
        self.start_daemon("pbs_mom", sister)
        self.until_state(id, "F")
        self.assertEqual(self.read(os.path.join(self.work, f"tasks.o{id.split('.')[0]}")), "4\n")
        self.assertEqual(self.read(asked), "first\n" + "".join(f"{n}\n" for n in range(1, 20001)))

    def test_the_primarys_mom_is_dead_while_tasks_write(self):
        """Tasks write on, and all of it is in the job's output."""
        at = lambda name: os.path.join(self.work, name)
        writer = f"'echo node $PBS_NODENUM; while [ ! -e {at('go')} ]; do sleep 0.05; done; seq -f \"$PBS_NODENUM %g\" 1 9000; : > {at('done')}.$PBS_NODENUM'"
        script = (f"export PATH={STAGE}/bin:$PATH\ncd {self.work}\npbsdsh -o -- /bin/sh -c {writer}\n: > begun\n"
                  "while [ ! -e done.0 -o ! -e done.1 -o ! -e done.2 ]; do sleep 0.05; done\n")
        id = self.submit("-N", "tasks", "-S", "/bin/sh", *WIDE, input=script)
        self.until(lambda: os.path.exists(at("begun")), "the tasks have begun")
        primary = self.hosts_of(id)[0]
        output = os.path.join(self.home(primary), "spool", f"{id}.OU")
        self.until(lambda: self.read(output).count("node") == 3, "their first words are in the job's output")
        self.kill_daemon("pbs_mom", primary)
        open(at("go"), "w").close()
        self.until(lambda: all(os.path.exists(at(f"done.{n}")) for n in range(3)), "they have written")
        self.start_daemon("pbs_mom", primary)
        self.until_state(id, "F")
        lines = self.read(at(f"tasks.o{id.split('.')[0]}")).splitlines()
        for node in range(3):
            self.assertEqual([line for line in lines if line.startswith(f"{node} ")], [f"{node} {n}" for n in range(1, 9001)])
        self.spool_is_empty()

    def on_host(self, host, *command):
        """As typed on that host, outside of any job: started in a session of its own."""
        environment = {**self.environment(), "PBS_CONF_FILE": self.cluster.layout.conf(host)}
        process = subprocess.Popen(command, env=environment, cwd=self.work, start_new_session=True, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end_session, process)
        return process

    @staticmethod
    def end_session(process):
        if process.returncode is None:         # what it has begun would keep its output open
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def test_attached_sessions_end_with_their_job(self):
        """RS-119: on each host; their processes are the job's, are counted in its usage and die with it."""
        program = self.compile_tm("attach")
        go = os.path.join(self.work, "go")
        id = self.submit("-S", "/bin/sh", *WIDE, input=f"while [ ! -e {go} ]; do sleep 0.05; done\n")
        self.until_running(id)
        burn = "/usr/bin/python3 -S -c 'import time\nwhile time.process_time() < 1.1: pass\ntime.sleep(1000)' & echo began; wait"
        attached = [self.on_host(host, f"{STAGE}/bin/pbs_attach", "-j", id, "/bin/sh", "-c", burn) for host in self.hosts]
        for process in attached:
            self.assertEqual(process.stdout.readline(), "began\n")
        other, by_c = self.on_host("b", "/bin/sleep", "1000"), self.on_host("c", "/bin/sleep", "1000")
        self.assertEqual(self.on_host("b", f"{STAGE}/bin/pbs_attach", "-j", id, "-p", str(other.pid)).wait(), 0)
        caller = self.on_host("c", program, id, str(by_c.pid))
        out, err = caller.communicate(timeout=DEADLINE_S)
        self.assertEqual((caller.returncode, err), (0, ""))
        self.assertGreater(int(out), 1)        # 1 is the job's program
        self.until(lambda: self.job(id).get("resources_used.cput", "00:00:00") >= "00:00:03", lambda: f"their use is counted: {self.job(id)}")
        open(go, "w").close()
        job = self.until_state(id, "F")
        self.assertEqual(job["Exit_status"], "0")
        for process in [*attached, other, by_c]:
            process.wait(DEADLINE_S)
            self.assertNotEqual(process.returncode, 0)

    def test_what_may_not_be_attached(self):
        go = os.path.join(self.work, "go")
        id = self.submit("-S", "/bin/sh", *WIDE, input=f"while [ ! -e {go} ]; do sleep 0.05; done\n")
        self.until_running(id)
        attach = f"{STAGE}/bin/pbs_attach"
        for words, said in ((["-j", id, "-p", "4194305"], "no such process"),
                            (["-j", "99.server", "true"], "no such job on this host"),
                            (["-j", id, "-p", self.job(id)["session_id"]], "the process belongs to a job"),
                            (["-j", id, "-p", "x"], "no process id: x")):
            process = self.on_host("a", attach, *words)
            self.assertEqual((process.wait(), process.stderr.read()), (1, f"pbs_attach: {said}\n"), words)
        process = self.on_host("a", attach, "true")
        self.assertEqual(process.wait(), 2)
        other = self.on_host("b", "/bin/sleep", "1000")
        twice = [self.on_host("b", attach, "-j", id, "-p", str(other.pid)) for _ in range(2)]
        self.assertEqual(sorted(process.wait() for process in twice), [0, 1])
        self.assertIn("pbs_attach: the session is attached already\n", [process.stderr.read() for process in twice])
        self.assertEqual(self.on_host("b", attach, "-j", id, "/bin/sh", "-c", f"{attach} -j {id} /bin/sh -c 'exit 9'").wait(), 9)
        self.assertEqual(self.on_host("a", attach, "-s", "-j", id, "/bin/sh", "-c", "exit 6").wait(), 6)
        open(go, "w").close()
        self.until_state(id, "F")

    def test_hostile_callers_harm_nobody(self):
        """Garbage is told why and ends its connection; silent ones, half requests and requests for other jobs cost nobody anything."""
        go = os.path.join(self.work, "go")
        id = self.submit("-N", "tasks", "-S", "/bin/sh", *WIDE, input=f"while [ ! -e {go} ]; do sleep 0.05; done\n{STAGE}/bin/pbsdsh echo well\n")
        self.until_running(id)
        path = os.path.join(self.home("a"), "mom_priv", "tm.sock")
        callers = []
        for n in range(300):
            caller = socket.socket(socket.AF_UNIX)
            self.addCleanup(caller.close)
            caller.settimeout(DEADLINE_S)
            caller.connect(path)
            callers.append(caller)
            if n % 3 == 0:
                caller.sendall(b"\xff" * 4096)
            if n % 3 == 1:
                caller.sendall(struct.pack("<I", 1 << 20) + b"\0" * 100)
        for caller in callers[::3]:
            self.assertIn(b"a frame of 4294967295 bytes is larger than the limit", self.rest_of(caller))
        open(go, "w").close()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        self.assertEqual(self.read(os.path.join(self.work, f"tasks.o{id.split('.')[0]}")), "well\n" * 3)

    def rest_of(self, caller):
        """All that still comes before the end of the connection."""
        said = b""
        try:
            while data := caller.recv(4096):
                said += data
        except ConnectionResetError:
            pass
        return said

    def test_mpich(self):
        """Hydra starts a proxy on each host with pbs_tmrsh; the ranks find each other."""
        mpicc, mpiexec = shutil.which("mpicc.mpich"), shutil.which("mpiexec.hydra") or shutil.which("mpiexec.mpich")
        if not mpicc or not mpiexec:
            self.skipTest("MPICH is not installed (Debian: mpich)")
        program = self.compile("ranks", compiler=mpicc)
        # Ranks have the variables of their host's task, not those of mpiexec.
        out, err, hosts = self.run_job(
            f"{mpiexec} -launcher ssh -launcher-exec {STAGE}/bin/pbs_tmrsh -f $PBS_NODEFILE -iface lo -genvlist PATH {program} || true",
            "-l", "select=3:ncpus=2:mpiprocs=2", "-l", "place=scatter")
        # What ranks.c says of MPI_Finalize may end mpiexec with words and a status of its own.
        ranks = sorted(line for line in out.splitlines() if line.startswith("rank "))
        self.assertEqual(ranks, [f"rank {rank} of 6, node {rank // 2 * 2}, sum 15" for rank in range(6)], err)
        self.spool_is_empty()


if __name__ == "__main__":
    unittest.main(verbosity=2)
