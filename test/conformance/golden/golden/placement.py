"""The placement transcript: a case is one submission, one scheduling cycle, and where the job went.

Each case compares the job's attributes, the node file, the vnodes in use and, for a job that can't run, the
scheduler's log lines about it; or the error when the submission is refused. Commands between the cases are typed too.
"""
import glob
import re
from dataclasses import dataclass, field

from .blocks_run import take
from .normal import Ids, normal
from .report import Outcome, differences
from .world import HOME, Cluster

CASE = re.compile(r"## (P\S+) ?(.*)\Z")
TYPED = re.compile(r"(\w+)@\w+\$ (.*)\Z")
STATUS = re.compile(r"\[exit (\d+)\]\Z")
ID = re.compile(r"\d+\.\w+\Z")
SHOWN = ("comment", "exec_host", "exec_vnode", "job_state", "schedselect")


@dataclass
class Step:
    name: str                     # of the case; empty: a command in between
    user: str
    command: str
    lines: list = field(default_factory=list)
    status: int = 0


def parse(text):
    steps, name, current = [], "", None
    for line in text.split("\n"):
        case, typed, status = CASE.match(line), TYPED.match(line), STATUS.match(line)
        if case:
            name, current = case[1], None
        elif line.startswith("## "):
            name, current = "", None
        elif typed:
            current = Step(name if typed[2].startswith("qsub") else "", typed[1], typed[2])
            name = ""
            steps.append(current)
        elif status and current:
            current.status, current = int(status[1]), None
        elif current and line:
            current.lines.append(line)
    return steps


def run(text, scene):
    cluster = Cluster(scene.hosts)
    cluster.start()
    take(scene.steps, cluster, Ids(scene.hosts[0]))
    outcomes, commands = [], 0
    for step in parse(text):
        if step.name and step.name == scene.until:
            break
        if step.name:
            outcomes.append(Outcome(step.name, step.command, attempt(cluster, step)))
        else:
            commands += 1
            done = cluster.type(step.user, step.command)
            expected = "".join(line + "\n" for line in step.lines)
            outcomes.append(Outcome(f"c{commands}", step.command, differences("exit status", step.status, done.returncode)
                                    + differences("stdout", expected, done.stdout)))
    return outcomes


def attempt(cluster, step):
    done = cluster.type(step.user, step.command)
    if not ID.match(done.stdout.strip()):
        here = [f"stderr: {line}" for line in done.stderr.splitlines()]
        return differences("exit status", step.status, done.returncode) + compare(step.lines, here)
    job = done.stdout.strip()
    try:
        here = after_one_cycle(cluster, job, any(line.startswith("  sched: ") for line in step.lines))
    finally:
        cluster.sure("qmgr -c 'set server scheduling=False'")
        cluster.type("root", f"qdel {job}")
        cluster.until(lambda: cluster.type("root", f"qstat {job}").returncode != 0, f"{job} has gone")
    theirs = step.lines[0] if step.lines and ID.match(step.lines[0]) else "nothing"
    return compare([line.replace(theirs, "ID") for line in step.lines], [line.replace(job, "ID") for line in here])


def compare(theirs, here):
    return differences("case", settled(theirs), settled(here))


def settled(lines):
    """A comment is one text before the job's start is confirmed and another after."""
    return normal("".join(line + "\n" for line in lines)).replace("Job was sent for execution at", "Job run at")


def after_one_cycle(cluster, job, with_log):
    cluster.sure("qmgr -c 'set server scheduling=True'")
    cluster.until(lambda: decided(attributes(cluster, job)), f"{job} was considered and, if it runs, started")
    cluster.sure("qmgr -c 'set server scheduling=False'")
    shown = attributes(cluster, job)
    lines = [job]
    lines += [f"  {name} = {value}" for name, value in sorted(shown.items())
              if name.startswith("Resource_List.") or name in SHOWN]
    if shown["job_state"] == "R":
        lines.append("  nodefile = " + node_file(cluster, job, shown))
    if with_log:
        lines += ["  sched: " + line for line in log_lines(job)]
    lines.append(("  nodes: " + " ".join(vnodes_in_use(cluster))).rstrip(" ") if vnodes_in_use(cluster) else "  nodes: ")
    return lines


def decided(shown):
    return shown.get("substate") == "42" or (shown.get("job_state") == "Q" and "comment" in shown)


def attributes(cluster, job):
    text = cluster.sure(f"qstat -f {job}").replace("\n\t", "")
    return dict(re.findall(r"(?m)^    (\S+) = (.*)$", text))


def node_file(cluster, job, shown):
    host = re.split(r"[/:+]", shown["exec_host"])[0]
    home = HOME if host == cluster.hosts[0] else f"{HOME}_{host}"
    with open(f"{home}/aux/{job}") as f:
        return f.read().rstrip("\n").replace("\n", " ")


def log_lines(job):
    """class;type;object;text of the scheduler's lines about the job, the same once."""
    seen = []
    for path in sorted(glob.glob(f"{HOME}/sched_logs/*")):
        with open(path, errors="replace") as f:
            for line in f:
                fields = line.rstrip("\n").split(";", 1)
                if f";{job};" in line and len(fields) == 2 and fields[1] not in seen:
                    seen.append(fields[1])
    return seen


def vnodes_in_use(cluster):
    text = cluster.sure("pbsnodes -av")
    used = []
    for block in text.split("\n\n"):
        name = block.strip().split("\n")[0]
        values = dict(re.findall(r"(?m)^     (\S+) = (.*)$", block))
        if "jobs" in values:
            used.append(f"{name}{{{values['state']} jobs={values['jobs'].replace(', ', ',')} "
                        f"an={values['resources_assigned.ncpus']} am={values['resources_assigned.mem']}}}")
    return used
