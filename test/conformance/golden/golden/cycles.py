"""What a scheduling cycle did, as the transcripts of the scheduler show it below the last command before it:

      sched: 0040;pbs_sched;Job;534.p1;Job run     what was said of a job (classes 0040 and 0100; each line counts once)
      order: 534.p1 536.p1                         the jobs that it ran, in its order
      534.p1: state=R substate=42 comment=...      what became of a job

Only what the transcript shows there is compared. Scheduling is on until all of it is there.
"""
import glob
import re

from .normal import normal
from .report import differences
from .world import HOME, Trouble

SAID = re.compile(r"(?:0040|0100);pbs_sched;Job;([^;]+);(.*)\Z")
RUN = re.compile(r"0040;pbs_sched;Job;([^;]+);Job run\Z")
SHOWN = re.compile(r"estimated\.|Resource_List\.(?:\w*walltime)\Z")
DEADLINE_S = 60   # a busy machine takes its time; only what is expected to fail waits so long


def compare(cluster, ids, lines):
    """The differences of what a cycle does now and these lines of a transcript."""
    begin, expected = len(log()), settled(lines).replace("substate=41", "substate=42")

    def here():
        return settled(lines_now(cluster, ids, lines, begin))
    cluster.sure("qmgr -c 'set server scheduling=True'")
    try:
        cluster.until(lambda: here() == expected, "the cycle of the transcript", DEADLINE_S)
    except Trouble:
        pass                      # what there is then is shown
    finally:
        cluster.sure("qmgr -c 'set server scheduling=False'")
    return differences("cycle", expected, here())


def settled(lines):
    """Without what differs in no two runs alike: dates, how far a start has come, lines that say the same again."""
    text, seen = "", set()
    for line in lines:
        if line.startswith("  sched: ") and (not SAID.match(line[9:]) or line in seen):
            continue
        seen.add(line)
        text += line.rstrip() + "\n"
    text = normal(text).replace("Job was sent for execution at", "Job run at")
    return re.sub(r"(duration=|min_walltime=.* Resource_List\.walltime=)(?:00:5[89]:\d\d|01:00:00)", r"\1<nearly an hour>", text)


def lines_now(cluster, ids, lines, begin):
    said = [line.split(";", 1)[1] for line in log()[begin:] if ";" in line]
    out, ran = [], [found[1] for found in map(RUN.match, said) if found]
    if any(line.startswith("  sched: ") for line in lines):
        out += ["  sched: " + line for line in said]
    if any(line.startswith("  order:") for line in lines):
        out.append("  order: " + " ".join(ran))
    out = ids.to_transcript("".join(line + "\n" for line in out)).splitlines()
    return out + [of_job(cluster, ids, line.split(":")[0].strip()) for line in lines if ": state=" in line]


def of_job(cluster, ids, job):
    text = cluster.type("root", "qstat -fw " + ids.to_run(job)).stdout
    values = dict(re.findall(r"(?m)^    (\S+) = (.*)$", text))
    shown = [f"state={values.get('job_state')}", f"substate={values.get('substate')}", f"comment={values.get('comment')}"]
    if "exec_vnode" in values:
        shown.append(f"exec_vnode={values['exec_vnode']}")
    shown += [f"{name}={value}" for name, value in values.items() if SHOWN.match(name)]
    return ids.to_transcript(f"  {job}: " + " ".join(shown))


def log():
    lines = []
    for path in sorted(glob.glob(f"{HOME}/sched_logs/*")):
        with open(path, errors="replace") as f:
            lines += f.read().splitlines()
    return lines
