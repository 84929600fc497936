"""The placement transcript: a case is one submission, one scheduling cycle, and where the job went.

Each case compares the job's attributes, the node file, the vnodes in use and, for a job that can't run, the
scheduler's log lines about it; or the error when the submission is refused. Commands between the cases are typed too.

Jobs run beside a case where the transcript says so: in a line before it, or because its vnodes in use name others. Of these it does not
say what they asked for; they get what they had.
"""
import ast
import glob
import re
from dataclasses import dataclass, field

from .blocks_run import take
from .normal import Ids, normal
from .report import Outcome, differences
from .world import HOME, Cluster, Trouble

CASE = re.compile(r"## (P\S+) ?(.*)\Z")
TYPED = re.compile(r"(\w+)@\w+\$ (.*)\Z")
STATUS = re.compile(r"\[exit (\d+)\]\Z")
BESIDE = re.compile(r"# background job of (\w+): (qsub .*) -> (\S+)")
CONFIG = re.compile(r"# sched_config set to shipped \+ (\{.*\}); HUP\Z")
ID = re.compile(r"\d+\.\w+\Z")
IN_USE = re.compile(r"(\S+)\{(\S+) jobs=(\S+) an=\d+ am=(\d+)kb\}")
SHIPPED_CONFIG = "/opt/pbs/etc/pbs_sched_config"
SHOWN = ("comment", "exec_host", "exec_vnode", "job_state", "schedselect")


@dataclass
class Step:
    name: str                     # of the case; empty: a command in between
    user: str
    command: str
    lines: list = field(default_factory=list)
    status: int = 0
    beside: list = field(default_factory=list)      # (user, command, the transcript's id)
    config: dict = None                             # what sched_config has besides what is shipped; None: as before


def parse(text):
    steps, name, current, beside, config = [], "", None, [], None
    for line in text.split("\n"):
        if found := BESIDE.match(line):
            beside.append(found.groups())
            current = None
            continue
        if found := CONFIG.match(line):
            config, current = ast.literal_eval(found[1]), None
            continue
        case, typed, status = CASE.match(line), TYPED.match(line), STATUS.match(line)
        if case:
            name, current = case[1], None
        elif line.startswith(("## ", "### ")):
            name, current = "", None
        elif typed:
            current = Step(name if typed[2].startswith("qsub") else "", typed[1], typed[2])
            if current.name:
                current.beside, current.config, beside, config = beside, config, [], None
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
    outcomes, commands, own = [], 0, set()
    for step in parse(text):
        if step.name:
            outcomes.append(Outcome(step.name, step.command, attempt(cluster, step, scene.configs.get(step.name, step.config), own)))
            own.add(step.lines[0] if step.lines else "")
        else:
            commands += 1
            done = cluster.type(step.user, step.command)
            expected = "".join(line + "\n" for line in step.lines)
            here = (done.stdout + "".join(f"stderr: {line}\n" for line in done.stderr.splitlines())).rstrip("\n") + "\n"
            outcomes.append(Outcome(f"c{commands}", step.command, differences("exit status", step.status, done.returncode)
                                    + differences("output", expected.rstrip("\n") + "\n", here)))
    return outcomes


def attempt(cluster, step, config, own):
    """`own`: the transcript's ids of the cases before."""
    if config is not None:
        configure(cluster, config)
    others = {}      # the transcript's ids of the jobs beside it -> this run's
    try:
        for user, command, id in step.beside:
            others[id] = put_beside(cluster, user, command)
        shown = vnodes_shown(step)
        for id in set(others) - set(shown):
            delete(cluster, others.pop(id))
        for id, command in shown.items():
            if id not in others:
                others[id] = put_beside(cluster, "pbsuser" if id in own else "pbsuser1", command)
        return case(cluster, step, others)
    except Trouble as trouble:
        return [f"  {line}" for line in str(trouble).split("\n")]
    finally:
        for job in others.values():
            delete(cluster, job)


def vnodes_shown(step):
    """The jobs beside the case that its vnodes in use name, with what they had."""
    last = step.lines[-1] if step.lines else ""
    own, parts, place = step.lines[0] if step.lines else "", {}, {}
    for vnode, state, slots, mem in IN_USE.findall(last.removeprefix("  nodes: ")):
        on = [slot.split("/")[0] for slot in slots.split(",")]
        for id in sorted(set(on) - {own}):
            alone = set(on) == {id} and mem != "0"
            parts.setdefault(id, []).append(f"1:ncpus={on.count(id)}" + (f":mem={mem}kb" if alone else "") + f":vnode={vnode}")
            place[id] = " -l place=excl" if state == "job-exclusive" else ""
    return {id: f"qsub -l select={'+'.join(of)}{place[id]}" for id, of in parts.items()}


def put_beside(cluster, user, command):
    job = cluster.sure(f"{command} -- /bin/sleep 1000", user).strip()
    one_cycle(cluster, lambda: attributes(cluster, job).get("substate") == "42", f"{job} runs beside a case")
    return job


def delete(cluster, job):
    cluster.type("root", f"qdel {job}")
    cluster.until(lambda: cluster.type("root", f"qstat {job}").returncode != 0, f"{job} has gone")


def configure(cluster, settings):
    """Lines of these names take the place of those that are shipped."""
    lines = [f"{name}: {value}" for name, values in settings.items() for value in ([values] if isinstance(values, str) else values)]
    with open(SHIPPED_CONFIG) as f:
        kept = [line for line in f.read().split("\n") if line.split(":")[0] not in settings]
    with open(f"{HOME}/sched_priv/sched_config", "w") as f:
        f.write("\n".join(kept + lines) + "\n")

    def said():
        return sum(open(path).read().count("Updating scheduler attributes") for path in glob.glob(f"{HOME}/sched_logs/*"))
    before = said()
    cluster.sure(f"kill -HUP $(cat {HOME}/sched_priv/sched.lock)")
    cluster.until(lambda: said() > before, "the scheduler has read its sched_config")


def case(cluster, step, others):
    done = cluster.type(step.user, step.command)
    if not ID.match(done.stdout.strip()):
        here = [f"stderr: {line}" for line in done.stderr.splitlines()]
        return differences("exit status", step.status, done.returncode) + compare(step.lines, here)
    job = done.stdout.strip()
    try:
        here = after_one_cycle(cluster, job, any(line.startswith("  sched: ") for line in step.lines))
    finally:
        delete(cluster, job)
    theirs = step.lines[0] if step.lines and ID.match(step.lines[0]) else "nothing"
    back = {there: id for id, there in others.items()}
    here = [re.sub(r"\d+\.\w+", lambda m: back.get(m[0], m[0]), line.replace(job, "ID")) for line in here]
    return compare([line.replace(theirs, "ID") for line in step.lines], here)


def compare(theirs, here):
    return differences("case", settled(theirs), settled(here))


def settled(lines):
    """A comment is one text before the job's start is confirmed and another after."""
    return normal("".join(line + "\n" for line in lines)).replace("Job was sent for execution at", "Job run at")


def one_cycle(cluster, done, what):
    cluster.sure("qmgr -c 'set server scheduling=True'")
    try:
        cluster.until(done, what)
    finally:
        cluster.sure("qmgr -c 'set server scheduling=False'")


def after_one_cycle(cluster, job, with_log):
    one_cycle(cluster, lambda: decided(attributes(cluster, job)), f"{job} was considered and, if it runs, started")
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
        if "jobs" in values or values.get("state", "free") != "free":
            jobs = f" jobs={values['jobs'].replace(', ', ',')}" if "jobs" in values else ""
            used.append(f"{name}{{{values['state']}{jobs} an={values.get('resources_assigned.ncpus', '0')} "
                        f"am={values.get('resources_assigned.mem', '0kb').removesuffix('kb')}kb}}")
    return used
