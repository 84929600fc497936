"""Runs the blocks of a transcript one after the other and compares what each prints."""
import re
import time

from . import afterwards, cycles, mails, mixture, records, sleepers
from . import scene as scenes
from . import transcript as transcripts
from .normal import Ids, normal
from .report import Outcome, differences
from .sitting import Sitting, shown
from .world import Cluster, Trouble, pause_after

# Commands that this PBS does not have yet; blocks that use them are not run. Whoever adds one takes it out here.
LATER = {"pbs_remsh"}
JOB_ID = re.compile(r"(?m)\A(\d+)(?:\[\])?\.\w+$")
RESERVATION_ID = re.compile(r"\A[RSM](\d+)\.\w+ ")
SETTLED_S = 5


def run(text, scene):
    cluster = Cluster(scene.hosts, scene.moves_clock())
    if scene.asleep:
        sleepers.put_in_place()
    cluster.start()
    ids = Ids(scene.hosts[0], cluster.now)
    take(scene.steps, cluster, ids)
    outcomes, mailbox, sitting = [], mails.Mailbox(cluster, ids), None

    def compare_what_follows(block, found):
        """What a block leads to is looked at when the next command is about to be typed: the steps before that may have to come first."""
        if scene.accounting and block.records:
            found += records.compare(cluster, ids, block.records)
        if block.mails:
            found += mailbox.compare(block.mails)
    last = None
    for number, block in enumerate(transcripts.read(scenes.reread(text, scene)), 1):
        if number not in scene.without and not LATER & set(re.split(r"[\s;|]+", block.command)):
            outcome = Outcome(str(number), block.command, attempt(lambda: take(scene.before.get(number, []), cluster, ids)))
            outcomes.append(outcome)
            if last:
                compare_what_follows(*last)
            if block.screen is not None:
                sitting = sit_down(cluster, ids, block, number, outcome)
            elif not outcome.differences:
                outcome.differences += compare_settled(cluster, block, ids, scene)
            if scene.cycles and block.cycle:
                outcome.differences += cycles.compare(cluster, ids, block.cycle)
            last = block, outcome.differences
        if sitting and number == sitting.block.last:
            sitting = rise(sitting)
    if last:
        compare_what_follows(*last)
    if rest := mailbox.rest():
        outcomes.append(Outcome("end", "mail that the transcript does not have", rest))
    return outcomes


def take(steps, cluster, ids):
    for step in steps:
        if step[0] == "run":
            said = cluster.sure(ids.to_run(step[2]), step[1])
            if step[3] is not None:
                ids.learn(step[3], JOB_ID.match(said)[1])
        elif step[0] == "next":
            skip_to(cluster, step[1])
        elif step[0] == "clock":
            ids.set_clock(step[1], cluster.now())
        elif step[0] == "ahead":
            go_ahead(cluster, step[1], ids.to_run(step[2]))
        elif step[0] == "await":
            await_text(cluster, ids, step[1:])
        else:
            job = ids.to_run(f"{step[1]}.{cluster.hosts[0]}")
            if step[0] == "end":
                cluster.until(lambda: sleepers.wake(job), f"job {job} sleeps")
            else:
                await_line(cluster, job, step[2])


def skip_to(cluster, number):
    while True:
        job = JOB_ID.match(cluster.sure("qsub -h -N filler -- /bin/true", "pbsuser"))
        cluster.sure(f"qdel {job[0]}")
        if int(job[1]) + 1 >= number:
            return


def go_ahead(cluster, seconds, reservation):
    """A reservation that waits for its time looks at the clock when something about it changes, or is said again: its name is."""
    name = re.search(r"(?m)^Reserve_Name = (.*)$", cluster.sure(f"pbs_rstat -f {reservation}"))[1]
    cluster.clock.set_ahead(cluster.clock.ahead + seconds)
    cluster.sure(f"pbs_ralter -N {name} {reservation}")


def await_line(cluster, job, expression):
    """Also a job that the server has forgotten: it says so on stderr ("Unknown Job Id")."""
    def there():
        done = cluster.type("root", f"qstat -xf {job} || qstat -f {job}")   # -x fails while history is off
        return re.search(expression, done.stdout + done.stderr)
    cluster.until(there, f"job {job}: {expression}")


def await_text(cluster, ids, step):
    """The expression has the transcript's ids."""
    user, command, expression = step

    def there():
        done = cluster.type(user, ids.to_run(command))
        return re.search(expression, ids.to_transcript(done.stdout + done.stderr), re.MULTILINE)
    cluster.until(there, f"{command}: {expression}")


def attempt(step, when="before this block"):
    """The differences that a step makes when it fails: the later blocks still get their turn."""
    try:
        step()
        return []
    except Trouble as trouble:
        return [f"  {line}" for line in f"{when}: {trouble}".split("\n")]


def sit_down(cluster, ids, block, number, outcome):
    sitting = Sitting(cluster, ids, block, outcome)
    if block.last > number:
        outcome.differences += attempt(sitting.until_job)   # the next blocks are about it
    return sitting


def rise(sitting):
    """Everything is done at the terminal; nobody sits there any more."""
    found, block = sitting.outcome.differences, sitting.block
    found += attempt(sitting.play, "at the terminal")
    sitting.leave()
    found += differences("exit status", block.status, sitting.status)
    found += differences("screen", *(normal(text).rstrip("\n") for text in (shown(block.screen), sitting.screen())))


def compare(cluster, block, ids, mixed):
    done = cluster.type(block.user, ids.to_run(block.command), block.stdin)
    for command, form in (("qsub", JOB_ID), ("pbs_rsub", RESERVATION_ID)):
        expected_id, here = form.match(block.stdout), form.match(done.stdout)
        if expected_id and here and command in block.command:
            ids.learn(expected_id[1], here[1])
    found, texts = [], [("stdout", block.stdout, done.stdout)]
    if block.status is not None:
        found += differences("exit status", block.status, done.returncode)
        texts.append(("stderr", block.stderr, done.stderr))
    texts = [(what, normal(expected), normal(ids.to_transcript(actual))) for what, expected, actual in texts]
    if mixed:
        recorded, *here = texts[0][1], *(actual for _, _, actual in texts)
        texts = [("output", recorded, mixture.as_recorded(recorded, *here))]
    for what, *pair in texts:
        found += differences(what, *(pair if block.whole else [text.rstrip("\n") for text in pair]))
    if block.after is not None:
        found += differences("afterwards", normal(block.after), normal(afterwards.seen(cluster, block.command)))
    return found


def compare_settled(cluster, block, ids, scene):
    """A block that only looks is typed again while something is under way, such as a cycle."""
    found, begun = compare(cluster, block, ids, scene.mixed), time.monotonic()
    while found and scene.settles and re.search(scene.settles, block.command) and (waited := time.monotonic() - begun) < SETTLED_S:
        time.sleep(pause_after(waited))
        found = compare(cluster, block, ids, scene.mixed)
    return found
