#!/usr/bin/python3
"""usage: hook_fields_run.py [--show]

Every attribute of every object in every hook event, as hook_fields_recording.txt has it: the recording's own hook dumps them, the recording's
commands raise the events, and what is written is compared. A difference stands in hook_fields_differences.txt with its reason; one that is
not there fails, and so does one there that is no difference any more. Needs root (77: skipped). --show prints all differences.
"""
import fnmatch
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from golden import fields, world  # noqa: E402  found by the path above

DUMPS = "/var/tmp/ev"
SANDBOX = '{"annals_sandbox": {"writable_paths": ["/var/tmp"], "processes": true}}'


def read(*path):
    with open(os.path.join(HERE, *path)) as f:
        return f.read()


def raise_the_events(cluster, recording):
    """As E0 and E0b of the recording; a command waits until what it needs is there."""
    world.write("/root/dump.py", recording.hook)
    world.write("/root/sandbox.json", SANDBOX)
    os.makedirs(DUMPS)
    os.chmod(DUMPS, 0o1777)
    sure, until = cluster.sure, cluster.until
    sure("qmgr -c 'set server job_history_enable=True'")
    sure("qmgr -c 'create queue q2 queue_type=execution,enabled=True,started=True'")
    sure("qmgr -c 'set node vm resources_available.ncpus=2'")
    for name, events in recording.hooks.items():
        sure(f"qmgr -c 'create hook {name} event=\"{events}\"'")
        if "periodic" in events:
            sure(f"qmgr -c 'set hook {name} freq=5'")
        sure(f"qmgr -c 'import hook {name} application/x-python default /root/dump.py'")
        sure(f"qmgr -c 'import hook {name} application/x-config default /root/sandbox.json'")

    def dumped(event, number=0):
        return os.path.exists(f"{DUMPS}/{event}.{number}")

    def saw_a_job():
        return any("job_list[" in read(path) for path in glob.glob(f"{DUMPS}/EXECHOST_PERIODIC.*"))

    def state(job, what):
        return what in cluster.type("root", f"qstat -xf {job}").stdout
    until(lambda: dumped("PERIODIC"), "the periodic hook has run")
    until(lambda: dumped("EXECHOST_PERIODIC"), "the host has its hooks, and its periodic hook has run without a job")
    first = sure("qsub -h -v A=1 -N ev1 -l walltime=100 -- /bin/sleep 5", "pbsuser").strip()
    sure(f"qalter -N ev2 -l walltime=200 {first}", "pbsuser")
    sure(f"qmove q2 {first}")
    sure(f"qrls {first}", "pbsuser")
    until(lambda: state(first, "substate = 42"), "the job runs")
    sure(f"setsid sleep 100 & P=$!; until [ $(ps -o sess= -p $P) = $P ]; do sleep 0.01; done; pbs_attach -j {first} -p $P; S=$?; kill $P; exit $S", "pbsuser")
    sure(f"qsig -s suspend {first}")
    until(lambda: state(first, "job_state = S"), "it is suspended")
    sure(f"qsig -s resume {first}")
    until(saw_a_job, "the host's periodic hook has run beside a job")
    until(lambda: state(first, "job_state = F"), "it has ended")
    second = sure("qsub -- /bin/sleep 100", "pbsuser").strip()
    until(lambda: state(second, "substate = 42"), "the next one runs")
    sure(f"qdel {second}", "pbsuser")
    until(lambda: dumped("EXECJOB_PRETERM"), "a hook heard of the kill")
    when = "-R $(date -d '+8 seconds' +%Y%m%d%H%M.%S) -E $(date -d '+16 seconds' +%Y%m%d%H%M.%S)"
    reservation = sure(f"pbs_rsub -N rv {when} -l select=1:ncpus=1", "pbsuser").split()[0]
    until(lambda: dumped("RESV_CONFIRM"), "the reservation is confirmed")
    sure(f"pbs_ralter -N rw {reservation}", "pbsuser")
    sure("pbsnodes -C hello vm")
    sure("pbsnodes -C '' vm")
    sure("qmgr -c 's s comment=hi'")
    sure("qmgr -c 'unset s comment'")
    sure("kill -HUP $(cat /var/spool/pbs/mom_priv/mom.lock)")
    until(lambda: dumped("EXECHOST_STARTUP"), "the MoM has begun again")
    third = sure("qsub -l select=1:ncpus=1 -W stagein=/nosuch@vm:/nosuch/x -- /bin/true", "pbsuser").strip()
    until(lambda: dumped("RESV_END"), "the reservation is over")
    sure(f"qdel -W force {third}")


def read_differences(text):
    """Lines `EVENT OBJECT.ATTRIBUTE reason` with * and ? in the first two: (pattern, reason)."""
    rules = []
    for line in text.split("\n"):
        if line.strip() and not line.startswith("#"):
            event, name, reason = line.split(None, 2)
            rules.append((f"{event} {name}", reason))
    return rules


def compare(recording, show):
    cluster = world.Cluster(["vm"])
    cluster.start()
    raise_the_events(cluster, recording)
    ours = fields.dumps_in(DUMPS)
    rules, used, bad = read_differences(read("hook_fields_differences.txt")), set(), []
    for name, difference in fields.differences(recording.blocks, ours):
        found = [i for i, (pattern, _) in enumerate(rules) if fnmatch.fnmatchcase(name, re.sub(r"\[", "[[]", pattern))]
        used.update(found)
        if show or not found:
            print(f"{name}: {difference}" + (f"   ({rules[found[0]][1]})" if found else ""))
        if not found:
            bad.append(name)
    bad += [pattern for i, (pattern, _) in enumerate(rules) if i not in used and not print(f"no difference any more: {pattern}")]
    print(f"hook_fields: {sum(map(len, recording.blocks.values()))} objects of {len(recording.blocks)} events, {len(bad)} unexpected")
    if bad:
        print(world.story(), file=sys.stderr)
    return 1 if bad else 0


def main():
    recording = fields.Recording(read("hook_fields_recording.txt"))
    stage = os.environ.get("ANNALS_STAGE") or os.path.join(HERE, "..", "..", "..", "build", "stage")
    status = world.enter(["vm"], os.path.realpath(stage), lambda: compare(recording, "--show" in sys.argv))
    if status is None:
        print("skipped: needs root and namespaces")
        return 77
    return status


sys.exit(main())
