"""The recipe of reliable startup on five hosts (reliable_startup_test.py), with a host that fails: in every way, at every moment of a
start and after it, and whatever failures the job bears. And with daemons that die, and users who end or rerun the job, meanwhile.
docs/design/0033-allocations-and-holdings.md, 0037-failures-that-a-job-bears.md."""
import json
import os
import re
import subprocess
import unittest

from mom_hooks import Gate, MomHookTest
from network_test import NAMESPACES
from private_cluster import STAGE, procs
from site_hooks_test import script_of
from wide_jobs import WideJobTest

MOM, SERVER = "pbs_mom", "pbs_server"
HOSTS = ["borg", "federer", "lendl", "agassi", "sampras"]
VICTIM = "federer"
REPLACED = ["borg", "lendl", "agassi"]          # what the recipe keeps when the victim has failed
FIRST = ["borg", "federer", "agassi"]           # and when nobody has
ASKED = "ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+1:ncpus=1:mem=3gb"
PRUNED = "1:" + ASKED
PADDED = "1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb"
PARTS = {"borg": "(borg:ncpus=3:mem=1048576kb)", "federer": "(federer:ncpus=2:mem=2097152kb)", "lendl": "(lendl:ncpus=2:mem=2097152kb)",
         "agassi": "(agassi:ncpus=1:mem=3145728kb)", "sampras": "(sampras:ncpus=1:mem=3145728kb)"}

# Where a job is when the victim fails, and what of the start the victim has failed in then.
MOMENTS = {
    "joining": "JOIN_JOB",                      # its execjob_begin hook has not ended there
    "joined": "IM_EXEC_PROLOGUE",               # there, but not yet on sampras
    "launching": "IM_EXEC_PROLOGUE",            # its execjob_prologue hook has not ended there
    "running": None,
}
# What becomes of the job when the victim fails before its program was started, and when it fails while that runs (RS-02 to RS-05).
OUTCOMES = {
    "none": ("retried", "retried"),
    "job_start": ("pruned", "retried"),
    "all": ("pruned", "goes on"),
}
SISCOMM, HOOK_REJECTED = 15059, 15169
# A host that is well has as long as the launch delay for its execjob_prologue hook.
SHORT_WAITS = "$sister_join_job_alarm 1\n$job_launch_delay 15\n$max_check_poll 1\n"


class RecipeTest(MomHookTest, WideJobTest):
    """A job's name says at which moment it is to be met, and which failures it bears."""
    hosts = HOSTS

    def setUp(self):
        super().setUp()
        for host in HOSTS:
            self.sure("qmgr", "-c", f"set node {host} resources_available.mem = 100gb")
            with open(self.config_of(host), "a") as f:
                f.write("$logevent 0xffffffff\n")
            self.read_settings_again(host)
        self.the_gate = self.gate()
        self.at_home = self.file("at_home", "basename $(dirname $(dirname $(dirname $PBS_NODEFILE)))\n")      # .../NAME/home/aux/JOB
        self.hook("submit", "queuejob", script_of("reliable_submit.py").replace('"job_start"', 'j.Job_Name.split("-")[1]'))
        for event in "execjob_begin", "execjob_prologue":      # two hooks, since a host runs only some scripts of one hook at a time
            self.mom_hook(event, event, self.trouble_script(), alarm=600)
        self.mom_hook("launch", "execjob_launch", self.launch_script())

    def trouble_script(self):
        return self.script(f"path = os.path.join({self.work!r}, '.'.join([name, host, e.job.Job_Name]))\n"
                           "if os.path.exists(path):\n"
                           "    with open(path) as f:\n        what = f.read()\n"
                           f"    {self.the_gate.pass_it()}\n"
                           "    if what == 'refuse':\n        e.reject('not on ' + host)\n", says="e.job.Job_Name")

    def launch_script(self):
        return script_of("reliable_launch.py")

    def config_of(self, host):
        return os.path.join(self.home(host), "mom_priv", "config")

    def configure(self, lines):
        """What waits then waits so long."""
        with open(self.config_of("borg")) as f:
            before = f.read()
        with open(self.config_of("borg"), "w") as f:
            f.write(before.removesuffix(SHORT_WAITS) + lines)
        self.read_settings_again("borg")

    def path(self, name):
        return os.path.join(self.work, name)

    def text_of(self, name):
        if not os.path.exists(self.path(name)):
            return ""
        with open(self.path(name)) as f:
            return f.read()

    def trouble(self, event, host, job, what="wait"):
        """The hook waits at the gate on that host, for that job, and refuses then."""
        self.file(f"{event}.{host}.{job}", what)

    def no_more_trouble(self):
        for name in os.listdir(self.work):
            if name.startswith(("execjob_begin.", "execjob_prologue.")):
                os.remove(self.path(name))

    # ---- the job ---------------------------------------------------------------------------------------------------

    def submit_recipe(self, name):
        """Its program says what it sees of its hosts, and ends when it is told to."""
        program = (f"export PATH={STAGE}/bin:$PATH\ncd {self.work}\necho begun >> {name}.begun\n"
                   "look() {\n  n=0 by_number= by_name=\n  for h in $(cat $PBS_NODEFILE); do\n"
                   f"    by_number=\"$by_number$(pbsdsh -n $n /bin/sh {self.at_home}) \"\n"
                   f"    by_name=\"$by_name$(pbs_tmrsh $h /bin/sh {self.at_home}) \"\n    n=$((n+1))\n  done\n"
                   f"  echo \"$(tr '\\n' ' ' < $PBS_NODEFILE)| $by_number| $by_name\" >> {name}.saw\n}}\n"
                   f"while [ -e {name}.hold ]; do sleep 0.1; done\nlook\nwhile [ ! -e {name}.go ]; do sleep 0.2; done\nif [ -e {name}.again ]; then look; fi\n")
        id = self.submit("-h", "-N", name, "-j", "oe", "-S", "/bin/sh", "-l", "select=" + ASKED, "-l", "place=scatter", input=program)
        self.check_padded(id)
        self.sure("qrls", id)      # it may be let go of spare hosts at once
        return id

    def check_padded(self, id):      # RS-114, RS-130
        job = self.job(id)
        self.assertEqual([job[a] for a in ("Resource_List.select", "schedselect", "Resource_List.site")], [PADDED, PADDED, ASKED])
        self.assertEqual([job["Resource_List." + r] for r in ("ncpus", "mem", "nodect")], ["9", "11gb", "5"])

    def check_shown(self, id, hosts):      # RS-35, RS-88, RS-115, RS-121
        job = self.job(id)
        self.assertEqual(job["exec_vnode"], "+".join(PARTS[host] for host in hosts))
        self.assertEqual(self.hosts_of(id), hosts)
        if hosts == HOSTS:
            return self.check_padded(id)
        self.assertEqual([job[a] for a in ("Resource_List.select", "schedselect", "Resource_List.site")], [PRUNED, PRUNED, ASKED])
        self.assertEqual([job["Resource_List." + r] for r in ("ncpus", "mem", "nodect")], ["6", "6gb", "3"])

    def check_seen(self, name, *looks):
        """Its program has seen these hosts each time that it looked, and reached each of them (RS-116 to RS-118)."""
        self.assertEqual(self.text_of(name + ".saw"), "".join(" | ".join([" ".join(hosts)] * 3) + " \n" for hosts in looks), self.spooled())

    def spooled(self):
        """What jobs wrote on the first host, as far as they run."""
        spool = os.path.join(self.home("borg"), "spool")
        texts = []
        for name in sorted(os.listdir(spool)):
            with open(os.path.join(spool, name), errors="replace") as f:
                texts.append(f"{name}: {f.read()}")
        return "\n".join(texts)

    def until_seen(self, name, id, *runs):
        self.until(lambda: self.text_of(name + ".saw").count("\n") >= len(runs),
                   lambda: f"{name} has run: {self.text_of(name + '.saw')} {self.job(id)}")
        self.check_seen(name, *runs)
        self.assertEqual(self.text_of(name + ".begun"), "begun\n" * len(runs))
        self.until_running(id)

    def let_end(self, name):
        open(self.path(name + ".go"), "w").close()

    def check_end(self, name, id, letters):
        self.let_end(name)
        job = self.until_state(id, "F")
        self.assertEqual((job["Exit_status"], job["run_count"]), ("0", str(letters.count("S"))), job)
        self.until_recorded(id, letters, among="SsRED")      # RS-37, RS-38

    # ---- its hosts -------------------------------------------------------------------------------------------------

    def jobs_on(self, host):
        node = json.loads(self.sure("pbsnodes", "-a", "-F", "json"))["nodes"][host]
        return {job.split("/")[0] for job in node.get("jobs", [])}

    def until_joined(self, id, hosts):
        self.until_told_of_start(id, hosts, r"(first host|\d+\.\d+ s) ")

    def until_told_of_start(self, id, hosts, row):
        found = lambda: {host for host in hosts if re.search(rf"\n  {host} +{row}", self.audit("startup", id))}
        self.until(lambda: found() == set(hosts), lambda: f"{hosts}, {row}: {self.audit('startup', id)}")

    def check_nothing_is_left(self, ids):      # RS-89, RS-120, RS-125
        for host in HOSTS:
            self.until_free(host)
            self.until(lambda host=host: not self.jobs_on(host), lambda host=host: f"{host} has nothing: {self.jobs_on(host)}")
            self.assertIn("resources_assigned.ncpus = 0\n", self.vnode(host))
            node_files = [self.node_file(host, id) for id in ids]
            self.until(lambda files=node_files: not any(map(os.path.exists, files)), f"the node files are gone from {host}")
            spool = os.path.join(self.home(host), "spool")
            self.until(lambda: not os.listdir(spool), lambda: f"the spool of {host} is empty: {os.listdir(spool)}")
        self.until(lambda: not self.processes_of(ids), lambda: f"no process is left: {self.processes_of(ids)}")

    def processes_of(self, ids):
        found = []
        for pid in procs.all_pids():
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    words = f.read().split(b"\0")
            except OSError:
                continue
            if any(b"PBS_JOBID=" + id.encode() in words for id in ids) and os.fsencode(f"PBS_O_WORKDIR={self.work}") in words:
                found.append(pid)
        return found


class Cell:
    def __init__(self, moment, tolerates, id=None):
        self.moment, self.tolerates, self.id = moment, tolerates, id
        self.name = f"{moment}-{tolerates}"
        self.outcome = OUTCOMES[tolerates][moment == "running"]

    def first_hosts(self):
        return HOSTS if self.tolerates == "none" else FIRST

    def letters(self):
        started = "S" if self.tolerates == "none" else "Ss"
        if self.outcome == "retried":
            return (started if self.moment == "running" else "S") + "R" + started + "E"
        return started + "E"


class FailureTest(RecipeTest):
    """One host fails once, and with it a job at each moment and of each tolerance."""

    def submit_cells(self, moments, refuses):
        cells = [Cell(moment, tolerates) for moment in moments for tolerates in OUTCOMES]
        what = "refuse" if refuses else "wait"
        for cell in cells:
            if cell.moment == "joining":
                self.trouble("execjob_begin", VICTIM, cell.name, what)
            if cell.moment == "joined":
                self.trouble("execjob_begin", "sampras", cell.name)
            if cell.moment == "launching":
                self.trouble("execjob_prologue", VICTIM, cell.name, what)
            cell.id = self.submit_recipe(cell.name)
        for cell in cells:
            self.until_moment(cell)
        return cells

    def until_moment(self, cell):
        if cell.moment == "joining":
            self.until_said(f"execjob_begin {VICTIM} {cell.name}")
            self.until_joined(cell.id, [host for host in HOSTS if host != VICTIM])
        if cell.moment == "joined":
            self.until_said(f"execjob_begin sampras {cell.name}")
            self.until_joined(cell.id, HOSTS[:-1])
        if cell.moment == "launching":
            self.until_said(*(f"execjob_prologue {host} {cell.name}" for host in HOSTS))
        if cell.moment == "running":
            self.until_seen(cell.name, cell.id, cell.first_hosts())
            self.check_shown(cell.id, cell.first_hosts())
        else:
            self.assertEqual((self.job(cell.id)["job_state"], self.job(cell.id)["substate"]), ("R", "41"))      # RS-15
            self.check_shown(cell.id, HOSTS)

    def wait_no_longer(self, cells):
        """Alarms count from when the waits began; so that no healthy host is late they are set when it is there."""
        well = [host for host in HOSTS[1:] if host != VICTIM]
        for cell in cells:
            if cell.moment == "joined":
                self.until_joined(cell.id, HOSTS)
            if cell.moment in ("joined", "launching"):      # what the execjob_prologue hooks of these have said the first host has heard
                self.until_told_of_start(cell.id, well, r"\d+\.\d+ s +\d+\.\d+ s ")
        self.configure(SHORT_WAITS)

    def until_noticed(self, cell, code):      # RS-12 to RS-14
        log = lambda: self.mom_log("borg")
        if cell.moment != "running":
            error = f"0008;pbs_mom;Job;{cell.id};job_start_error {code} from node {VICTIM} could not {MOMENTS[cell.moment]} successfully\n"
            self.until(lambda: error in log(), f"{cell.name}: {error}")
        if cell.outcome == "retried":
            if cell.moment == "running":
                self.until(lambda: f"{cell.id};lost communication with {VICTIM}, killing job" in log(), f"{cell.name} is killed")
            return self.assertNotIn(f"{cell.id};ignoring", log())
        lines = {"pruned": [f"0008;pbs_mom;Job;{cell.id};ignoring error from {VICTIM} as job is tolerant of node failures\n",
                            f"0080;pbs_mom;Job;{cell.id};ignoring error as job is tolerant of node failures\n"],
                 "goes on": [f"0400;pbs_mom;Job;{cell.id};ignoring lost communication with {VICTIM} as job is tolerant of node failures\n",
                             f"0080;pbs_mom;Job;{cell.id};ignoring error as job is tolerant of node failures\n"]}
        self.until(lambda: all(line in log() for line in lines[cell.outcome]), f"{cell.name}: {lines[cell.outcome]}")

    def check_meanwhile(self, cell):
        """While the victim is still away."""
        hosts = REPLACED if cell.outcome == "pruned" else FIRST
        self.until_seen(cell.name, cell.id, hosts)
        self.check_shown(cell.id, hosts)
        for host in HOSTS:
            if host in hosts:
                self.assertIn(cell.id, self.jobs_on(host))
            elif host != VICTIM:      # RS-125
                self.until(lambda host=host: cell.id not in self.jobs_on(host), f"{cell.name}: {host} is let go")

    def check_afterwards(self, cell):
        if cell.outcome == "retried":
            job = self.until_state(cell.id, "Q")
            self.assertEqual((job["run_count"], "exec_vnode" in job), ("1", False), job)
            self.check_padded(cell.id)
        elif cell.outcome == "pruned":
            self.until(lambda: cell.id not in self.jobs_on(VICTIM), f"{cell.name}: {VICTIM} is let go")
            self.check_end(cell.name, cell.id, cell.letters())
        else:
            self.assertEqual(self.job(cell.id)["substate"], "42")
            self.check_shown(cell.id, FIRST)
            self.assertIn(cell.id, self.jobs_on(VICTIM))
            self.file(cell.name + ".again", "")
            self.check_end(cell.name, cell.id, cell.letters())
            self.check_seen(cell.name, FIRST, FIRST)      # it has never been away

    def check_retried(self, cell):
        hosts = cell.first_hosts()
        self.until_seen(cell.name, cell.id, *([hosts] * (2 if cell.moment == "running" else 1)))
        self.check_shown(cell.id, hosts)
        self.check_end(cell.name, cell.id, cell.letters())

    def in_each(self, cells, check, *arguments, outcomes=("retried", "pruned", "goes on")):
        for cell in cells:
            if cell.outcome in outcomes:
                with self.subTest(moment=cell.moment, tolerates=cell.tolerates, check=check.__name__):
                    check(cell, *arguments)

    def check_failure(self, moments, fail=None, restore=None, code=SISCOMM):
        cells = self.submit_cells(moments, refuses=fail is None)
        self.sure("qmgr", "-c", "set server scheduling = false")      # who is queued again waits
        if fail:
            fail()
        self.the_gate.open()
        if fail:
            self.wait_no_longer(cells)
        self.in_each(cells, self.until_noticed, code)
        self.in_each(cells, self.check_meanwhile, outcomes=("pruned", "goes on"))
        self.until(lambda: "offline" in self.vnode(VICTIM), f"{VICTIM} is offline")      # RS-67
        if restore:
            restore()
        self.until_free_of_trouble(VICTIM)
        self.sure("pbsnodes", "-r", VICTIM)
        self.in_each(cells, self.check_afterwards)
        self.no_more_trouble()
        self.configure("")
        self.sure("qmgr", "-c", "set server scheduling = true")
        self.in_each(cells, self.check_retried, outcomes=("retried",))
        self.check_nothing_is_left([cell.id for cell in cells])


class a_host_fails(FailureTest):
    """RS-02 to RS-05, RS-45, RS-46, RS-55, RS-65, RS-88, RS-89, RS-111, RS-123 in each cell."""

    def test_it_loses_its_power(self):
        self.check_failure(MOMENTS, lambda: self.cluster.kill(VICTIM), lambda: self.cluster.start(VICTIM))

    def test_it_stands_still(self):
        self.check_failure(MOMENTS, lambda: self.stop(MOM, VICTIM), lambda: self.go_on(MOM, VICTIM))

    def test_its_hooks_refuse(self):
        self.check_failure(["joining", "launching"], code=HOOK_REJECTED)


@unittest.skipUnless(NAMESPACES, "hosts with networks of their own need root")
class a_host_is_cut_off(FailureTest):
    plain = False

    def test_it_is_cut_off(self):
        self.check_failure(MOMENTS, lambda: self.cluster.set_link(VICTIM, False), lambda: self.cluster.set_link(VICTIM, True))


class HeldAtLaunchTest(RecipeTest):
    """The launch hook waits, for the program only, at a gate of the job's own, if it has one; then it lets go of hosts."""

    def launch_script(self):
        return (self.script("gate = os.path.join(%r, 'gate.' + e.job.Job_Name)\n"
                            "if 'PBS_NODEFILE' in e.env and os.path.exists(gate):\n    open(gate).close()\n" % self.work,
                            says="e.job.Job_Name if 'PBS_NODEFILE' in e.env else 'task'")
                + script_of("reliable_launch.py").replace("v.state = pbs.ND_OFFLINE", "pass"))

    def gate_of(self, name):
        gate = Gate(self.path("gate." + name))
        self.addCleanup(gate.open)
        return gate


class a_daemon_dies(HeldAtLaunchTest):
    """RS-125, RS-130: the program is started once, on the hosts that were kept, whoever dies before."""
    PARTIES = {"primary": (MOM, "borg"), "server": (SERVER, "server")}

    def check_party(self, moment, party, meet):
        name = f"{moment}{party}-job_start"
        gate = self.gate_of(name)
        self.trouble("execjob_begin", VICTIM, name, "refuse")
        id = self.submit_recipe(name)
        self.until_said(f"execjob_launch borg {name}")
        self.check_shown(id, HOSTS)
        meet(id, gate, *self.PARTIES[party])
        self.until_seen(name, id, REPLACED)
        self.check_shown(id, REPLACED)
        self.check_end(name, id, "SsE")
        self.check_seen(name, REPLACED)
        self.check_nothing_is_left([id])

    def kill_and_start(self, daemon, host):
        self.kill_daemon(daemon, host)
        self.start_daemon(daemon, host)
        self.until_answers()

    def die_at_the_gate(self, _, gate, daemon, host):
        self.kill_and_start(daemon, host)
        gate.open()

    def die_after_the_prune(self, id, gate, daemon, host):
        """Before the program, or just after it has begun: that asks for its hosts when everybody is back."""
        hold = self.file(self.job(id)["Job_Name"] + ".hold", "")
        gate.open()
        self.until(lambda: f"{id};pruned to exec_vnode=" in self.mom_log("borg"), "hosts are let go")
        self.kill_and_start(daemon, host)
        os.remove(hold)

    def test_before_the_program(self):
        self.the_gate.open()
        for party in self.PARTIES:
            for moment, meet in (("during", self.die_at_the_gate), ("after", self.die_after_the_prune)):
                with self.subTest(party, moment=moment):
                    self.check_party(moment, party, meet)
            # Only a hook that had not ended is asked again.
            self.assertEqual(self.lines().count(f"execjob_launch borg after{party}-job_start"), 1)


class a_host_fails_while_the_launch_hook_runs(HeldAtLaunchTest):
    """The hook would keep it: nobody knows yet. It is not there when it is asked, and a spare host stays in its place."""

    def check_failure(self, fail, restore):      # RS-02 to RS-05, RS-28, RS-55, RS-65
        self.the_gate.open()
        names = [f"launched-{tolerates}" for tolerates in OUTCOMES]
        gates = [self.gate_of(name) for name in names]
        ids = {name: self.submit_recipe(name) for name in names}
        self.until_said(*(f"execjob_launch borg {name}" for name in names))
        self.sure("qmgr", "-c", "set server scheduling = false")
        fail()
        for gate in gates:
            gate.open()
        none = names[0]
        for name in names[1:]:
            self.until_seen(name, ids[name], REPLACED)
            self.check_shown(ids[name], REPLACED)
        error = f"0008;pbs_mom;Job;{ids[none]};job_start_error {SISCOMM} from node {VICTIM} could not IM_EXEC_PROLOGUE successfully\n"
        self.until_mom_logged("borg", error)
        self.assertEqual(self.text_of(none + ".begun"), "")
        restore()
        self.until_free_of_trouble(VICTIM)
        self.until_state(ids[none], "Q")
        self.sure("qmgr", "-c", "set server scheduling = true")
        self.until_seen(none, ids[none], HOSTS)
        self.check_end(none, ids[none], "SRSE")
        for name in names[1:]:
            self.check_end(name, ids[name], "SsE")
        self.check_nothing_is_left(ids.values())

    def test_it_loses_its_power(self):
        self.check_failure(lambda: self.cluster.kill(VICTIM), lambda: self.cluster.start(VICTIM))

    def test_it_stands_still(self):
        self.check_failure(lambda: self.stop(MOM, VICTIM), lambda: self.go_on(MOM, VICTIM))


class by_hand(HeldAtLaunchTest):
    """What users do while a job waits for the victim's execjob_prologue, and while its execjob_launch hook runs."""

    def setUp(self):
        super().setUp()
        self.gates = [self.the_gate]

    def submit_held(self, deed):
        in_prologue, in_launch = (f"{moment}{deed}-job_start" for moment in ("prologue", "launch"))
        self.trouble("execjob_prologue", VICTIM, in_prologue)
        self.gates.append(self.gate_of(in_launch))
        ids = {name: self.submit_recipe(name) for name in (in_prologue, in_launch)}
        self.until_said(f"execjob_prologue {VICTIM} {in_prologue}", f"execjob_launch borg {in_launch}")
        for name, id in ids.items():
            self.assertEqual((self.job(id)["job_state"], self.job(id)["substate"], self.text_of(name + ".begun")), ("R", "41", ""))
        return ids

    def check_not_run(self, id, name, letters):
        """Nor are hosts let go of any more."""
        self.until_recorded(id, letters, among="SsRE")
        self.assertEqual(self.text_of(name + ".begun"), "")

    def test_it_is_deleted_or_rerun_before_its_program(self):      # RS-15, RS-130
        deleted, rerun = self.submit_held("qdel"), self.submit_held("qrerun")
        self.sure("qmgr", "-c", "set server scheduling = false")
        self.sure("qdel", *deleted.values())
        self.sure("qrerun", *rerun.values())
        for id in [*deleted.values(), *rerun.values()]:      # a hook that ends before its run has heard of it may let go of hosts
            self.until(lambda id=id: f"Job;{id};kill_job" in self.mom_log("lendl"), lambda: self.mom_log("lendl"))
        for gate in self.gates:
            gate.open()
        for name, id in deleted.items():
            self.assertEqual(self.until_state(id, "F")["Exit_status"], "271")
            self.check_not_run(id, name, "SE")
        for name, id in rerun.items():
            self.until_state(id, "Q")
            self.check_padded(id)
            self.check_not_run(id, name, "SR")
        self.sure("qmgr", "-c", "set server scheduling = true")
        for name, id in rerun.items():
            self.until_seen(name, id, FIRST)
            self.check_shown(id, FIRST)
            self.check_end(name, id, "SRSsE")
        self.check_nothing_is_left([*deleted.values(), *rerun.values()])

    def test_sessions_are_attached_on_hosts_that_were_kept(self):      # RS-119
        id = self.submit_recipe("attach-all")
        self.until_seen("attach-all", id, FIRST)
        for host in HOSTS:
            if host not in FIRST:
                self.until(lambda host=host: id not in self.jobs_on(host), f"{host} is let go")
            environment = {**self.environment(), "PBS_CONF_FILE": self.cluster.layout.conf(host)}
            done = subprocess.run(["pbs_attach", "-j", id, "echo", "attached"], env=environment, start_new_session=True,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            expected = (0, "attached\n", "") if host in FIRST else (1, "", "pbs_attach: no such job on this host\n")
            self.assertEqual((done.returncode, done.stdout, done.stderr), expected, host)
        self.check_end("attach-all", id, "SsE")
        self.check_nothing_is_left([id])


if __name__ == "__main__":
    unittest.main(verbosity=2)
