"""Processes of this machine, read from /proc: who they are and what belongs to a host.

A process is remembered as [pid, start time], since a pid alone may soon be somebody else's.
"""
import os
import signal
import time


def text_of(pid, name):
    """The bytes of the file below /proc/PID; an OSError when the process has gone.

    Whoever looks for one process reads those of all others too: without buffers that takes half the time."""
    fd = os.open(f"/proc/{pid}/{name}", os.O_RDONLY)
    try:
        text = b""
        while piece := os.read(fd, 1 << 16):
            text += piece
        return text
    finally:
        os.close(fd)


def comm_of(pid):
    """At most 15 bytes: one read gives them all."""
    fd = os.open(f"/proc/{pid}/comm", os.O_RDONLY)
    try:
        return os.read(fd, 64).rstrip(b"\n")
    finally:
        os.close(fd)


def stat_of(pid):
    """(parent, start time) of a process; None when there is none or it is only waiting to be collected.

    A process whose first thread has ended is there as long as another one is: its files and ports are still open."""
    try:
        fields = text_of(pid, "stat").rpartition(b")")[2].split()
    except OSError:
        return None
    threads = int(fields[17])
    return None if fields[0] in (b"Z", b"X") and threads <= 1 else (int(fields[1]), int(fields[19]))


def start_time(pid):
    """In clock ticks since boot; None when it is not there."""
    found = stat_of(pid)
    return found and found[1]


def remember(pid):
    return [pid, start_time(pid)]


def alive(process):
    return bool(process) and process[1] is not None and start_time(process[0]) == process[1]


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def parent(pid):
    try:
        return int(text_of(pid, "stat").rpartition(b")")[2].split()[1])
    except OSError:
        return None


def threads(pid):
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def children(pid):
    """As the kernel lists them: one may be missing while another one ends, unless all stand still."""
    found = set()
    for thread in threads(pid):
        try:
            found.update(map(int, text_of(pid, f"task/{thread}/children").split()))
        except OSError:
            pass      # it has gone
    return found


def descendants(roots):
    """All living processes below these pids, the roots not included."""
    found, waiting = set(), list(roots)
    while waiting:
        new = {pid for pid in children(waiting.pop()) - found if stat_of(pid)}
        found |= new
        waiting += new
    return found


def in_pid_namespace_of(pid):
    """All processes in the pid namespace of this one, itself not included."""
    try:
        wanted = os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return set()
    found = set()
    for other in all_pids():
        try:
            if other != pid and os.readlink(f"/proc/{other}/ns/pid") == wanted and start_time(other) is not None:
                found.add(other)
        except OSError:
            pass
    return found


def daemons(name, conf, named=None):
    """Pids of the daemon `name` that was started with PBS_CONF_FILE=conf, eldest first.

    named: only the scheduler of this name (pbs_sched -I).
    """
    found = [pid for _, pid, arguments in daemons_named((name,), conf) if named is None or scheduler_name(arguments) == named]
    return sorted(found, key=lambda pid: start_time(pid) or 0)


def daemons_named(names, conf):
    """(name, pid, arguments) of all that run with PBS_CONF_FILE=conf; one look at all processes of this machine."""
    found = []
    names = {name.encode(): name for name in names}
    for pid in all_pids():
        try:
            comm = comm_of(pid)
            if comm not in names:
                continue
            environment = text_of(pid, "environ").split(b"\0")
            arguments = text_of(pid, "cmdline").split(b"\0")
        except OSError:
            continue
        if b"PBS_CONF_FILE=" + conf.encode() in environment and start_time(pid) is not None:
            found.append((names[comm], pid, arguments))
    return found


def scheduler_name(arguments):
    for i, argument in enumerate(arguments):
        if argument == b"-I" and i + 1 < len(arguments):
            return arguments[i + 1].decode()
        if argument.startswith(b"-I") and len(argument) > 2:
            return argument[2:].decode()
    return "default"


def send(pids, which):
    for pid in pids:
        try:
            os.kill(pid, which)
        except ProcessLookupError:
            pass


def has_threads(pid):
    """A daemon has some; who starts one and waits until it is ready has none."""
    return len(threads(pid)) > 1


def own(pids):
    """Of processes with the name of a daemon those that are one: neither who starts one and waits until it is ready, nor what one has
    just forked, which has its name until it becomes a mailer or shepherd."""
    above = {pid: parent(pid) for pid in pids}
    starters, forked = set(), set()
    for pid in pids:
        upper = above[pid]
        if upper in above and not has_threads(upper):
            starters.add(upper)
        while upper in above and not has_threads(upper):
            upper = above[upper]
        if upper in above:
            forked.add(pid)
    return [pid for pid in pids if pid not in starters | forked]


def kill_daemon(find):
    """SIGKILL to the daemon that find() names, and not to what it has just forked: that has its name until it becomes a mailer or shepherd."""
    forked = set()

    def own():
        pids = set(find())
        forked.update(pid for pid in pids if parent(pid) in pids and has_threads(parent(pid)))
        return pids - forked
    kill_all(own)


def kill_all(find, deadline_s=180):
    """SIGKILL to all that find() names, until it names none and those are gone. They are stopped first, so that none can fork away."""
    deadline = time.monotonic() + deadline_s
    killed = {}
    while True:
        victims = set(find())
        killed.update({pid: start_time(pid) for pid in victims})
        if not any(alive([pid, started]) for pid, started in killed.items()):
            return
        stopped = set()
        while victims - stopped:      # what was forked before its parent stopped shows up in the next look
            send(victims - stopped, signal.SIGSTOP)
            stopped |= victims
            victims = set(find())
        send(stopped, signal.SIGKILL)
        if time.monotonic() > deadline:
            raise RuntimeError(f"processes survive SIGKILL: {sorted(killed)}")
        time.sleep(0.01)
