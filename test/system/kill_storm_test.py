"""A storm of kills of all daemons over a mix of all that users do with jobs: nothing acknowledged is lost, nothing runs twice.

Clients submit jobs with small and large scripts, arrays, jobs that wait for others, jobs into a routing queue and held ones, and
delete, rerun, signal, alter, move, hold and release them. What they do and who is killed follow from a seed, which is printed and is the
same each time; ANNALS_SEED sets another one (the machine's own timing stays as it is). A job writes one line when it begins and one when it
ends, with the number of its run, into a file of its own. The server makes checkpoints all the time, and starts from the last one.

ctest runs a short storm. When runs, arrays or dependencies change, run long ones by hand: ANNALS_STORM=10 means ten times as many
steps and kills. A long one has a new seed each time.

usage: ANNALS_STAGE=$PWD/build/stage [ANNALS_STORM=n] [ANNALS_SEED=n] python3 test/system/kill_storm_test.py
"""
import collections
import concurrent.futures
import glob
import itertools
import os
import random
import re
import threading
import time
import unittest

from checkpointed import CheckpointTest
from private_cluster import DEADLINE_S, attributes, procs, signal, wait_gone

TIMES = int(os.environ.get("ANNALS_STORM") or 1)
CLIENTS, STEPS = 4, 40 * TIMES
KILLS_BESIDE_CLIENTS, KILLS_AFTER = 26 * TIMES, 6 * TIMES
SEED_OF_SHORT_STORM = 5  # all kinds of jobs, requests and kills come several times
CPUS = 12                # of each host: jobs wait for room, too
NOTHING = ["nothing"]
LARGE = 80 << 10         # a script that goes ahead of its job
CANNOT_CONNECT = (160, 162, 255)
NOT_YET = "Job rerun request still in progress"    # the order stands
SERVER, SCHEDULER = ("pbs_server", "server"), ("pbs_sched", "server")
DAEMONS = [SERVER, SCHEDULER, ("pbs_mom", "a"), ("pbs_mom", "b")]

# In place of a login shell, which would do what the user's own profile says: that may take long.
SHELL = "#!/bin/sh\nexec /bin/sh\n"
# Of its ancestors this shell comes first, if that was not killed meanwhile, then the shepherd, whose argument ends with ".run". That is the
# first of the runs that it has in turn; the file that it has open is of this one: "JOB.RUN.run".
SCRIPT = """#!/bin/sh
above=$PPID
while run=$(tr '\\0' ' ' < /proc/$above/cmdline) && [ "$run" = "${{run%.run *}}" ]; do read -r _ _ _ above _ < /proc/$above/stat; done
run=$(ls -l /proc/$above/fd | tr ' ' '\\n' | grep -F "/jobs/$PBS_JOBID.")
[ -n "$run" ] || exit 1
run=${{run%.run}}
line="$PBS_JOBID ${{run##*.}}"
read -r now _ < /proc/uptime
echo "begin $line $now" >> {file}$PBS_ARRAY_INDEX
while [ ! -e {gate} ] && [ ! -e {open} ]; do sleep 0.05; done
read -r now _ < /proc/uptime
echo "end $line $now" >> {file}$PBS_ARRAY_INDEX
exit {status}
"""

# What users may be told of a job that is not, or no longer, as they thought.
REFUSAL = r"^q\w+: (Request invalid for (state of job|finished array subjob)|Job has finished|Invalid request)( \S+)?\n$"

MET_BY = {"afterok": lambda status: status == "0", "afternotok": lambda status: status != "0", "afterany": lambda status: True}


class Submitted:
    """What a client knows of a job that qsub has printed the id of."""

    def __init__(self, name, status, array=None, waits_for=(), queue="workq", held=False):
        self.name, self.status, self.array, self.waits_for, self.queue = name, status, array, waits_for, queue
        self.held = held
        self.id = None
        self.asked = []        # (what, its argument, "taken", "refused" or "unsure": the server was lost)

    def outcomes(self, *whats):
        return {outcome for what, _, outcome in self.asked if what in whats}

    def part(self, index):
        return self.id.replace("[]", f"[{index}]")


class Client:
    """Takes steps that follow from its seed and from what it was answered."""

    def __init__(self, test, number, chance):
        self.test, self.number, self.chance = test, number, chance
        self.jobs, self.unsure, self.refusals = [], [], []
        self.names = 0

    def work(self):
        kinds = ["small"] * 5 + ["large"] * 3 + ["array"] * 3 + ["dependent"] * 5 + ["routed"] * 3 + ["held"] * 2 + ["ask"] * 14
        for _ in range(STEPS):
            kind = self.chance.choice(kinds)
            if kind == "ask" and self.jobs:
                self.ask_something(self.chance.choice(self.jobs[-16:]))
            else:
                self.submit(kind)
            self.test.change(steps=1)
        for job in self.jobs:
            self.release(job)

    # ---- submitting ----------------------------------------------------------------------------------------------

    def submit(self, kind):
        options, more, status = [], {}, self.chance.choice(["0", "0", "0", "3"])
        if kind == "array":
            first, most = self.chance.randrange(5), self.chance.randrange(1, 5)
            more["array"] = (range(first, first + self.chance.randrange(3, 13)), most)
            options = ["-J", f"{first}-{more['array'][0][-1]}%{most}"]
            status = self.chance.choice(["0", "0", "$((PBS_ARRAY_INDEX % 2))"])
        elif kind == "dependent" and self.jobs:
            others = self.chance.sample(self.jobs[-8:], min(len(self.jobs[-8:]), self.chance.randrange(1, 3)))
            more["waits_for"] = [(self.chance.choice(sorted(MET_BY)), other) for other in others]
            options = ["-W", "depend=" + ",".join(f"{how}:{other.id}" for how, other in more["waits_for"])]
        elif kind == "routed":
            walltime, more["queue"] = self.chance.choice([("00:30:00", "short"), ("02:00:00", "long")])
            options = ["-q", "rq", "-l", "walltime=" + walltime]
        elif kind == "held":
            options, more["held"] = ["-h"], True
        gate = self.test.gate(self.test.rounds + self.chance.randrange(8))
        filler = "# " + "x" * 77 + "\n"
        while True:
            job = Submitted(f"c{self.number}n{self.names}", status, **more)
            self.names += 1
            script = SCRIPT.format(file=self.test.file_of(job.name), gate=gate, open=self.test.gate("all"), status=status)
            if kind == "large":
                script += filler * (LARGE // len(filler))
            done = self.test.run_command("qsub", "-N", job.name, "-S", self.test.shell, "-j", "oe", "-o", "/dev/null", *options,
                                         input=script)
            if done.status not in CANNOT_CONNECT:
                break
            self.unsure.append(job)
            self.test.until_server_is_back()
        self.test.assertEqual(done.status, 0, done)
        job.id = done.out.strip()
        self.jobs.append(job)

    def release(self, job):
        if job.held or job.outcomes("hold"):
            self.ask(job, "release", None, "qrls", job.id)

    # ---- what is asked of jobs -----------------------------------------------------------------------------------

    def ask_something(self, job):
        what = self.chance.choice(["delete", "rerun", "signal", "suspend", "alter", "move", "hold"])
        if what in ("delete", "rerun"):
            command = {"delete": "qdel", "rerun": "qrerun"}[what]
            whom, id = self.some_of(job) if job.array else (None, job.id)
            self.ask(job, what, whom, command, id)
        elif what == "signal":
            self.ask(job, what, None, "qsig", "-s", "CONT", job.id)
        elif what == "suspend":
            self.ask(job, what, None, "qsig", "-s", "suspend", job.id)
            self.ask(job, "resume", None, "qsig", "-s", "resume", job.id)
        elif what == "alter":
            priority = str(self.chance.randrange(1, 1000))
            self.ask(job, what, priority, "qalter", "-p", priority, job.id)
        elif what == "move":
            queue = self.chance.choice(["workq", "long"])
            self.ask(job, what, queue, "qmove", queue, job.id)
        else:
            self.ask(job, what, None, "qhold", job.id)

    def some_of(self, array):
        """All of its indices, one or a few, and the id of them."""
        indices = array.array[0]
        at = self.chance.randrange(len(indices))
        some = self.chance.choice([indices, indices[at:at + 1], indices[at:at + 3]])
        return some, array.part("" if some == indices else f"{some[0]}-{some[-1]}" if len(some) > 1 else some[0])

    def ask(self, job, what, argument, *command):
        outcome = None
        while not outcome:
            done = self.test.run_command(*command)
            if done.status in CANNOT_CONNECT:
                job.asked.append((what, argument, "unsure"))
                self.test.until_server_is_back()
            else:
                outcome = "refused" if done.status and NOT_YET not in done.err else "taken"
        if outcome == "refused":
            self.refusals.append(done.err)
        job.asked.append((what, argument, outcome))


class a_kill_storm(CheckpointTest):
    hosts = ["a", "b"]
    settings = "checkpoint_interval = 1\ncheckpoint_records = 50\n"       # most starts of the server are from a checkpoint

    def setUp(self):
        super().setUp()
        os.mkdir(os.path.join(self.work, "ran"))
        self.shell = os.path.join(self.top, "sh")
        with open(self.shell, "w") as f:
            f.write(SHELL)
        os.chmod(self.shell, 0o755)
        self.sure("qmgr", "-c", "set server job_requeue_timeout = 1")
        for host in self.hosts:
            self.sure("qmgr", "-c", f"set node {host} resources_available.ncpus = {CPUS}")
        self.sure("qmgr", "-c", "create queue short queue_type=e, enabled=t, started=t, resources_max.walltime=01:00:00")
        self.sure("qmgr", "-c", "create queue long queue_type=e, enabled=t, started=t")
        self.sure("qmgr", "-c", "create queue rq queue_type=r, enabled=t, started=t, route_destinations='short,long', route_retry_time=1")
        self.changed = threading.Condition()
        self.steps, self.rounds, self.server_is_there, self.given_up = 0, 0, True, False

    # ---- for the clients, from their threads ---------------------------------------------------------------------

    def file_of(self, name):
        return os.path.join(self.work, "ran", name + ".")

    def gate(self, number):
        return os.path.join(self.work, f"gate.{number}")

    def change(self, steps=0, **words):
        with self.changed:
            self.steps += steps
            self.__dict__.update(words)
            self.changed.notify_all()

    def until_server_is_back(self):
        with self.changed:
            self.changed.wait_for(lambda: self.server_is_there or self.given_up)
            self.assertFalse(self.given_up, "the storm has ended early")

    # ---- the storm -----------------------------------------------------------------------------------------------

    def test_nothing_acknowledged_is_lost_and_nothing_runs_twice(self):
        seed = int(os.environ.get("ANNALS_SEED") or (SEED_OF_SHORT_STORM if TIMES == 1 else random.SystemRandom().randrange(1 << 32)))
        print(f"ANNALS_SEED={seed}", flush=True)
        self.chance = random.Random(seed)
        clients = [Client(self, number, random.Random(f"{seed} {number}")) for number in range(CLIENTS)]
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            working = [pool.submit(client.work) for client in clients]
            for w in working:
                w.add_done_callback(lambda _: self.change())
            try:
                self.kill_beside(working)
            except BaseException:
                self.change(given_up=True)
                raise
            for w in working:
                w.result()
        self.kill_while_jobs_end()
        self.know_what_was_taken_after_all([(client, job) for client in clients for job in client.unsure])
        jobs = [job for client in clients for job in client.jobs]
        self.end_what_waits_for_ever(jobs)
        self.check(jobs, {refusal for client in clients for refusal in client.refusals})

    def kill_beside(self, clients):
        """At random numbers of steps that clients have taken."""
        moments = sorted(self.chance.randrange(CLIENTS * STEPS) for _ in range(KILLS_BESIDE_CLIENTS))
        kills = 0
        while kills < KILLS_BESIDE_CLIENTS:
            with self.changed:
                came = self.changed.wait_for(lambda: self.steps >= moments[kills] or all(c.done() for c in clients), DEADLINE_S)
            self.assertTrue(came, "clients get on")
            kills += self.kill_some()

    def kill_while_jobs_end(self):
        self.open_gate("all")
        kills = 0
        while kills < KILLS_AFTER:
            lines = self.lines_written() + self.chance.randrange(1, 8)
            self.until(lambda: self.lines_written() >= lines or not self.sure("qselect", "-s", "QRSEB"), "jobs begin and end")
            kills += self.kill_some()

    def kill_some(self):
        """How many were killed; they run again."""
        victims = self.chance.sample(DAEMONS, self.chance.choice([1, 1, 1, 2, 2, 3, 4]))
        if SCHEDULER in victims:                     # the server starts one whenever there is none; dead it would not
            self.until(lambda: self.daemon_pids(*SCHEDULER), "a scheduler runs")
            victims.sort(key=lambda victim: victim != SCHEDULER)
        time.sleep(self.chance.random() * 0.05)      # not a wait for anything: the moment within what goes on
        for victim in victims:
            if victim == SERVER:
                self.change(server_is_there=False)
            self.kill_alone(*victim)
        for victim in self.chance.sample(victims, len(victims)):
            if victim != SCHEDULER:
                self.start_daemon(*victim)
            if victim == SERVER:
                self.change(server_is_there=True)
        self.open_gate(self.rounds)
        self.rounds += 1
        return len(victims)

    def kill_alone(self, daemon, host):
        """And not its child that is to become a shepherd: until then it has the daemon's name, and would pass for one that runs."""
        if (daemon, host) == SCHEDULER:              # it may just be making itself a daemon, and the next one may soon run
            pids = self.until(lambda: self.daemon_pids(daemon, host)[:1], "a scheduler runs")
            procs.send(pids, signal.SIGKILL)
            self.assertTrue(wait_gone(pids), "a scheduler survives SIGKILL")
            return
        pids = self.daemon_pids(daemon, host)[:1]
        self.assertTrue(pids, f"{daemon} runs")
        os.kill(pids[0], signal.SIGKILL)
        self.until(lambda: not self.daemon_pids(daemon, host), f"{daemon} is gone")

    def open_gate(self, number):
        open(self.gate(number), "w").close()

    def unfinished(self):
        return self.sure("qselect").split()

    def lines_written(self):
        return sum(map(len, self.all_files()))

    def all_files(self, name="*"):
        """The lines of each job, or of those with this name."""
        found = []
        for path in glob.glob(self.file_of(name) + "*"):
            with open(path) as f:
                found.append(f.read().splitlines())
        return found

    # ---- until it is over ----------------------------------------------------------------------------------------

    def know_what_was_taken_after_all(self, unsure):
        """Of jobs whose qsub could not say so; from now on they count like the others."""
        ids = {job["Job_Name"]: id for id, job in self.jobs().items()}
        for client, job in unsure:
            if job.name in ids:
                job.id = ids[job.name]
                client.jobs.append(job)
                client.release(job)

    def end_what_waits_for_ever(self, jobs):
        """Who waits for a job that was deleted before it ran is held (docs/design/0054-dependencies.md), until we delete it."""
        jobs = {job.id: job for job in jobs}
        while left := self.until(lambda: self.all_that_is_left_waits(jobs), self.what_is_left):
            if left == NOTHING:
                return
            for id in left:
                self.sure("qdel", id)
                jobs[id].asked.append(("delete", None, "taken"))

    def what_is_left(self):
        runs = self.sure("qselect", "-T", "-s", "RSE").split()
        return "\n".join(["all that is left waits", self.sure("qstat", "-tf"), *(self.audit("job", id) for id in runs)])

    def all_that_is_left_waits(self, jobs):
        left = self.unfinished()
        if not left:
            return NOTHING
        # Of an array that was deleted before it began the exit status is 2; that of a run that was queued again is negative, and stays.
        never_runs = lambda other: other.id in left or re.match("2|-", self.job(other.id).get("Exit_status", "2"))
        waits = lambda job: any(never_runs(other) for _, other in job.waits_for)
        return left if all(self.job(id)["job_state"] == "H" and waits(jobs[id]) for id in left) else []

    # ---- what must be true then ----------------------------------------------------------------------------------

    def check(self, jobs, refusals):
        for refusal in refusals:
            self.assertRegex(refusal, REFUSAL)
        self.history, self.lines = self.all_of_history(), self.all_lines()
        self.until_recorded(self.submit("--", "/bin/true"), "QSE")      # what came before is recorded by then
        self.records = collections.defaultdict(list)                    # id -> [(letter, place)]
        for place, (letter, id, _) in enumerate(self.accounting()):
            self.records[id].append((letter, place))
        self.assertEqual(len({job.id for job in jobs}), len(jobs), "an id was given twice")
        arrays_and_jobs = {id for id in self.history if not re.search(r"\[\d", id)}
        self.assertEqual(arrays_and_jobs, {job.id for job in jobs}, "just these are known")
        for job in jobs:
            with self.subTest(job=job.id, asked=job.asked):
                self.check_job(job)
        self.check_start_from_checkpoint()
        self.check_logs()

    def all_of_history(self):
        found = {}
        for block in re.split(r"(?m)^Job Id: ", self.sure("qstat", "-xtf"))[1:]:
            found[block.split("\n", 1)[0]] = attributes(block)
        return found

    def all_lines(self):
        """id -> run -> {"begin" or "end": when}."""
        found = collections.defaultdict(lambda: collections.defaultdict(dict))
        for what, id, run, now in map(str.split, itertools.chain(*self.all_files())):
            self.assertNotIn(what, found[id][int(run)], f"{id} did this twice in run {run}")
            found[id][int(run)][what] = float(now)
        return found

    def check_job(self, job):
        shown = self.history[job.id]
        self.assertEqual((shown["job_state"], shown["Job_Name"]), ("F", job.name))
        own = {job.part(index) for index in job.array[0]} if job.array else {job.id}
        self.assertLessEqual({line.split()[1] for line in itertools.chain(*self.all_files(job.name))}, own, "who was given its script")
        if job.array:
            self.check_array(job, shown)
        else:
            self.check_runs(job.id, shown, job.status, job.outcomes("delete"), job.outcomes("rerun"), job.waits_for)
        self.check_what_was_asked(job, shown)
        self.check_dependent(job, shown)

    def check_runs(self, id, shown, status, deleted, rerun, waits_for=()):
        """Of a job or a subjob. Each of its runs ended once: in record E, or in R when it was queued again."""
        runs, again, ends = self.lines[id], len(self.places(id, "R")), len(self.places(id, "E"))
        count = int(shown.get("run_count", again))   # a subjob that is queued again is a number in its array's set
        self.assertEqual((again + ends, min(1, ends)), (count, ends), shown)
        self.assertLessEqual(max(runs, default=0), count)
        if not rerun & {"taken", "unsure"}:
            self.assertLessEqual(len(runs), 1, f"{id} ran again, which nobody asked for: {dict(runs)}")
        if not deleted & {"taken", "unsure"} and not waits_for:
            self.assertEqual((ends, shown["Exit_status"]), (1, status), shown)
        if ends and shown["Exit_status"] == status:
            self.assertEqual(sorted(runs[count]), ["begin", "end"])

    def check_array(self, job, shown):
        indices, most = job.array
        deleted = {i for what, whom, outcome in job.asked if what == "delete" and outcome != "refused" for i in whom}
        rerun = {i for what, whom, outcome in job.asked if what == "rerun" and outcome != "refused" for i in whom}
        statuses = set()
        for index in indices:
            id = job.part(index)
            part = self.history.get(id, {})
            status = str(index % 2) if "INDEX" in job.status else job.status
            self.check_runs(id, part, status, {"taken"} if index in deleted else set(), {"taken"} if index in rerun else set())
            statuses.add(part.get("Exit_status") if self.places(id, "E") else None)
        began = any(self.places(job.part(index), "S") for index in indices)
        self.assertEqual([letter for letter, _ in self.records[job.id] if letter in "SE"], ["S", "E"] if began else [], shown)
        self.assertEqual({id for id in self.lines if id.startswith(job.id.split("]")[0])} - set(map(job.part, indices)), set())
        if not deleted:
            self.assertEqual(shown["Exit_status"], str(int(statuses != {"0"})))
        if not deleted | rerun:
            self.check_how_many_ran_at_once([self.lines[job.part(index)] for index in indices], most)

    def check_how_many_ran_at_once(self, parts, most):
        moments = sorted((when, what == "begin") for runs in parts for run in runs.values() for what, when in run.items())
        running = 0
        for _, begins in moments:
            running += 1 if begins else -1
            self.assertLessEqual(running, most, moments)

    def check_what_was_asked(self, job, shown):
        letters = [letter for letter, _ in self.records[job.id]]
        deleted = job.outcomes("delete")
        if any(what == "delete" and outcome == "taken" and whom in (None, job.array and job.array[0]) for what, whom, outcome in job.asked):
            self.assertIn("D", letters)
        if deleted <= {"refused"}:
            self.assertNotIn("D", letters)
        for what, attribute, value in ("alter", "Priority", "0"), ("move", "queue", job.queue):
            asked = [(argument, outcome) for asked, argument, outcome in job.asked if asked == what]
            if any(outcome == "unsure" for _, outcome in asked):
                continue
            for argument, outcome in asked:
                value = argument if outcome == "taken" else value
            self.assertEqual(shown[attribute], value)

    def check_dependent(self, job, shown):
        began = min((run["begin"] for run in self.lines[job.id].values()), default=float("inf"))
        started = self.places(job.id, "S")[:1]
        for _, other in job.waits_for if started else ():
            others = [other.id] if not other.array else [other.part(index) for index in other.array[0]]
            ends = [run["end"] for id in others for run in self.lines[id].values() if "end" in run]
            self.assertLessEqual(max(ends, default=0), began, f"it ran before {other.id} had ended")
            self.assertLess(self.places(other.id, "EAD")[-1:], started, f"it ran before {other.id} had ended")
        if not job.waits_for or job.outcomes("delete") & {"taken", "unsure"}:
            return
        met = [self.is_met(job, how, other) for how, other in job.waits_for]
        if False in met:
            self.assertEqual((self.end_of(job), self.places(job.id, "S")), ("rejected", []), met)
        else:
            self.assertEqual(set(met), {True}, "it was deleted by nobody")
            self.assertEqual(self.end_of(job), job.status)

    def is_met(self, job, how, other):
        """None: never. What was deleted before it ran keeps those waiting that were there already."""
        end = self.end_of(other)
        return None if end == "deleted" and self.places(job.id, "Q") < self.places(other.id, "D") else MET_BY[how](end)

    def end_of(self, job):
        """Its exit status, if it ran; "rejected" if what it waited for has failed."""
        return self.history[job.id]["Exit_status"] if self.places(job.id, "E") else "rejected" if self.places(job.id, "A") else "deleted"

    def places(self, id, letters):
        return [place for letter, place in self.records[id] if letter in letters]

    def check_start_from_checkpoint(self):
        self.until(lambda: self.last_checkpoint() > 0, lambda: f"there is a checkpoint: {self.status()}")
        self.assertIn("the start went on from the checkpoint of record ", self.restart())
        history = self.all_of_history()
        self.assertEqual({id: history.get(id) for id in self.history}, self.history)
        self.assertNotIn("the checkpoint is not used", self.server_log())

    def check_logs(self):
        done = self.run_command("pbs_audit", "--log", os.path.join(self.home(), "server_priv", "log"), "accounting", "--check")
        self.assertEqual(done.status, 0, done)
        self.kill_daemon("pbs_server")
        for host in self.hosts:
            self.kill_daemon("pbs_mom", host)
        for home, priv in [(self.home(), "server_priv")] + [(self.home(host), "mom_priv") for host in self.hosts]:
            done = self.run_command("pbs_audit", "--log", os.path.join(home, priv, "log"), "verify")
            self.assertEqual(done.status, 0, done)
        hosts = os.path.join(self.dir, "hosts", "*")
        for path in itertools.chain(*(glob.glob(os.path.join(hosts, said)) for said in ("*.out", "home/*_logs/*", "home/*_priv/*_out"))):
            with open(path, errors="replace") as f:
                self.assertNotRegex(f.read(), "broken invariant|terminate called|Sanitizer", path)


if __name__ == "__main__":
    unittest.main(verbosity=2)
