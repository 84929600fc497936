"""Whether the daemons of a cluster rest: who has nothing to do uses hardly any processor, has collected its dead children, and has no
more descriptors and threads than when the cluster was new. Read from /proc; what may grow all the same is in ALLOWED below.
"""
import collections
import os
import re
import time

DAEMONS = ("pbs_server", "pbs_sched", "pbs_mom", "pbs_comm", "pbs_follow")
SHARE_MAX = 0.01        # of a core
LINES_MAX = 64          # commands at once that a test gives on a login host
WINDOW_S = 0.2          # of one measurement. The kernel counts nanoseconds, and who is never idle uses a hundred times what is allowed
DEADLINE_S = 60          # a storm's last accounting records, on a machine that is busy


def read(path):
    """Without buffers: a look reads hundreds of files."""
    fd, text = os.open(path, os.O_RDONLY), b""
    try:
        while piece := os.read(fd, 1 << 16):
            text += piece
    finally:
        os.close(fd)
    return text.decode(errors="replace")


def line(path):
    """Of a file with one line: one read gives all of it."""
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 4096).decode(errors="replace").rstrip("\n")
    finally:
        os.close(fd)


def stat_of(path):
    """(name, state, parent, start time, processor ticks), or None."""
    try:
        head, _, rest = line(f"{path}/stat").rpartition(")")
    except OSError:
        return None
    fields = rest.split()
    return head.partition("(")[2], fields[0], int(fields[1]), int(fields[19]), int(fields[11]) + int(fields[12])


def name_of(path):
    """Of a process or thread: quicker than with all that stat_of tells."""
    try:
        return line(f"{path}/comm")
    except OSError:
        return "?"


def stats_of(pids):
    """pid -> stat_of."""
    found = {pid: stat_of(f"/proc/{pid}") for pid in pids}
    return {pid: stat for pid, stat in found.items() if stat}


def daemons():
    """pid -> stat_of, of everything on this machine that has the name of one."""
    return stats_of([int(pid) for pid in os.listdir("/proc") if pid.isdigit() and name_of(f"/proc/{pid}") in DAEMONS])


def children(pid, threads):
    """pid -> stat_of, with the dead that nobody has collected."""
    found = []
    for thread in threads:
        try:
            found += map(int, read(f"/proc/{pid}/task/{thread}/children").split())
        except OSError:
            pass      # it has gone
    return stats_of(found)


def thread_ns(path):
    """Nanoseconds of processor; ticks where the kernel does not count these."""
    try:
        return int(line(f"{path}/schedstat").split()[0])
    except OSError:
        stat = stat_of(path)
        return stat[4] * (10 ** 9 // os.sysconf("SC_CLK_TCK")) if stat else 0


def listed(path):
    try:
        return os.listdir(path)
    except OSError:
        return []


TCP_STATES = ("", "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT", "CLOSE", "CLOSE_WAIT", "LAST_ACK", "LISTEN",
              "CLOSING")


def address(words):
    """Of /proc/net/tcp: "0100007F:3A99"."""
    number, port = words.split(":")
    return ".".join(str(byte) for byte in bytes.fromhex(number)[::-1]) + f":{int(port, 16)}"


def sockets(pid):
    """What the link of a socket leads to -> what it is, as far as the process's network tells."""
    found = {}
    try:
        for line in read(f"/proc/{pid}/net/tcp").splitlines()[1:]:
            fields = line.split()
            found[f"socket:[{fields[9]}]"] = f"tcp {address(fields[1])} {address(fields[2])} {TCP_STATES[int(fields[3], 16)]}"
        for line in read(f"/proc/{pid}/net/unix").splitlines()[1:]:
            fields = line.split()
            found[f"socket:[{fields[6]}]"] = f"unix {fields[7] if len(fields) > 7 else '-'}"
    except OSError:
        pass
    return found


NUMBER = re.compile("[0-9]+")
DECORATION = re.compile(r"anon_inode:|[][]|:\[[0-9]+\]")


class Look:
    """A daemon at one moment. `name` is the same after a restart: "pbs_mom of a". One that is only compared with a later one is brief:
    it does not tell what the threads are called, nor of descriptors."""

    def __init__(self, pid, name, home, stat, threads, brief=False):
        self.pid, self.name, self.home = pid, name, home
        self.start = stat[3]
        self.stopped = stat[1] in "Tt"
        self.children = children(pid, threads)
        self.zombies = {child: stat[0] for child, stat in self.children.items() if stat[1] == "Z"}
        self.ns = {tid: thread_ns(f"/proc/{pid}/task/{tid}") for tid in threads}
        self.threads = {} if brief else {tid: name_of(f"/proc/{pid}/task/{tid}") for tid in threads}
        self.waited_for = set()      # processes, by a pidfd
        self.descriptors = {} if brief else dict(filter(None, map(self.descriptor, listed(f"/proc/{pid}/fd"))))

    def descriptor(self, fd):
        try:
            link = os.readlink(f"/proc/{self.pid}/fd/{fd}")
        except OSError:
            return None
        return fd, (self.kind(fd, link), link)

    def kind(self, fd, link):
        if "pidfd" in link:
            try:
                of = re.search(r"(?m)^Pid:\t(-?[0-9]+)$", read(f"/proc/{self.pid}/fdinfo/{fd}"))
            except OSError:
                of = None
            if of and of[1] == "-1":
                return "pidfd of a process that is gone"
            self.waited_for.add(of and of[1])
            return "pidfd"
        if link.startswith("/"):
            return NUMBER.sub("#", link.replace(self.home, "PBS_HOME"))
        return DECORATION.sub("", link)

    def kinds(self):
        return collections.Counter(kind for kind, _ in self.descriptors.values())

    def thread_names(self):
        return collections.Counter(self.threads.values())


# ---- all daemons of a cluster

def hosts_of(directory):
    return [(host, f"{directory}/hosts/{host}/pbs.conf") for host in sorted(listed(f"{directory}/hosts"))]


of_others = collections.defaultdict(set)      # directory -> (pid, start time) of daemons that are not of the cluster there


def looks_at(directory, brief=False):
    """What runs of the cluster in this directory (minicluster/layout.py)."""
    named, confs, found = daemons(), {conf: host for host, conf in hosts_of(directory)}, []
    others = of_others[directory]
    for pid in sorted(named):
        if (pid, named[pid][3]) in others:
            continue
        try:
            environment = read(f"/proc/{pid}/environ").split("\0")
            words = read(f"/proc/{pid}/cmdline").split("\0")
        except OSError:
            continue
        host = next((host for conf, host in confs.items() if f"PBS_CONF_FILE={conf}" in environment), None)
        # Who was just forked has the name of its daemon until it becomes another program, and who starts one has no threads.
        name, state, parent, start, _ = named[pid]
        threads = listed(f"/proc/{pid}/task") if host is not None else []
        if host is None and len(listed(f"/proc/{pid}/task")) > 1:
            others.add((pid, start))
        if state == "Z" or parent in named or len(threads) < 2:
            continue
        which = f" {scheduler_of(words)}" if name == "pbs_sched" else ""
        found.append(Look(pid, f"{name}{which} of {host}", f"{directory}/hosts/{host}/home", named[pid], threads, brief))
    return {look.name: look for look in found}


def scheduler_of(words):
    for word, following in zip(words, words[1:] + [""]):
        if word.startswith("-I"):
            return word[2:] or following
    return "default"


# ---- what may be more than before --------------------------------------------------------------------------------

def up_to(number):
    return lambda look, others: number


def own_children(look, others):
    return len(look.children) - len(look.zombies)


def waited_for(look, others):
    return len(look.waited_for)


def known_runs(look, others):
    return sum(name.endswith(".run") for name in listed(f"{look.home}/mom_priv/jobs"))


def files_of_the_log(look, others):
    return sum(len(listed(f"{look.home}/{part}_priv/log")) for part in ("server", "mom", "follow"))


def of_its_thread(look, others):
    return 3 * look.thread_names()["loop.outputs"]


def lines_of_login_hosts(look, others):
    return sum(other.kinds()["socket"] for other in others.values() if other.name.startswith("pbs_comm "))


def further_schedulers(look, others):
    return max(0, sum(name.startswith("pbs_sched ") for name in others) - 1)


# (daemon, kind, how many more, why). Of each kind no more than the daemon keeps on purpose; a file that is deleted is of another kind.
ALLOWED_DESCRIPTORS = [
    ("pbs_server|pbs_mom", "pidfd", waited_for, "one for each process that lives: workers of hooks, shepherds"),
    ("pbs_server|pbs_mom", "socket", own_children, "to each of these: orders of a worker, the next run of a kept shepherd"),
    ("pbs_mom", r"PBS_HOME/mom_priv/jobs/\S*\.run", known_runs, "the journal of each run that has not been forgotten"),
    ("pbs_mom", "inotify|eventpoll|eventfd", of_its_thread, "of the thread that follows the output of tasks, one of each"),
    ("pbs_comm", "socket", up_to(LINES_MAX), "a line to the server waits idle_line_s for the next command; there are as many as commands at once"),
    ("pbs_server", "socket", lines_of_login_hosts, "the other ends of these"),
    ("pbs_server", "socket", further_schedulers, "one to each scheduler; when the cluster was new there was the default one"),
    ("pbs_server|pbs_mom|pbs_follow", r"PBS_HOME/(server|mom|follow)_priv/log/\S*", files_of_the_log, "RocksDB opens each table that it has"),
    ("pbs_server|pbs_follow", r"PBS_HOME/(server|follow)_priv/checkpoint/(history|past)( \(deleted\))?", up_to(2), "rows of finished jobs, after a start from a checkpoint"),
    ("pbs_server", "PBS_HOME/server_priv/accounting/#", up_to(1), "the file of the day, from its first record on"),
]
# Each is made when it is needed first, and stays.
ALLOWED_THREADS = [
    ("pbs_.*", "log.flush", up_to(1), "writes lines that may wait"),
    ("pbs_mom", "pbs_mom", up_to(1), "Asio's, which looks up hosts, and which has no name; the MoM dials from two pools, one of which has by then"),
    ("pbs_comm", "pbs_comm", up_to(1), "the same, of the one pool that dials"),
    ("pbs_follow", "pbs_follow", up_to(1), "the same"),
    ("pbs_server", "help.names", up_to(4), "group_lookup_threads_max"),
    ("pbs_server|pbs_mom", "help.starts", up_to(4), "scheduler_starts_at_once"),
    ("pbs_server", "help.signatures", up_to(1), "signs orders in the order in which they come"),
    ("pbs_server", "help.reading", up_to(1), "reads blobs of the log"),
    ("pbs_server", "help.hellos", up_to(1), "reads what the log has of what MoMs say"),
    ("pbs_server", "help.calendars", up_to(1), "expands rules of standing reservations"),
    ("pbs_mom", "help.attach", up_to(1), "looks up the session of who wants to be a task"),
    ("pbs_mom", "help.reports", up_to(1), "writes what hooks did into the outbox"),
    ("pbs_mom", "help.files", up_to(1), "reads what tasks write, and removes checkpoints"),
    ("pbs_server|pbs_mom", "hook.pool", up_to(1), "from the first hook on"),
    ("pbs_mom", "loop.outputs", up_to(1), "from the first task on"),
    ("pbs_server|pbs_mom", "log.writer", up_to(1), "RocksDB's, which the writer starts after the disk was full"),
]


def more(now, before, allowed, look, others):
    """What is more than before, less what is allowed."""
    extra = now - before
    if not extra:
        return extra
    for daemon, pattern, most, _ in allowed:
        if re.fullmatch(daemon, look.name.split()[0]):
            room = most(look, others)
            for kind in [kind for kind in extra if re.fullmatch(pattern, kind)]:
                taken = min(room, extra[kind])
                room -= taken
                extra[kind] -= taken
    return +extra


def more_threads(look, before, others):
    """A thread has its daemon's name until it gives itself its own, for a while on a busy machine: that makes none more."""
    now, then, daemon = look.thread_names(), before.thread_names(), look.name.split()[0]
    extra, named_since = more(now, then, ALLOWED_THREADS, look, others), then[daemon] - now[daemon]
    for name in extra:
        taken = min(max(named_since, 0), extra[name])
        named_since -= taken
        extra[name] -= taken
    return +extra


class Trouble:
    """What keeps a daemon from resting, between two looks."""

    def __init__(self, first, second, before, seconds, others):
        self.look, self.seconds = second, seconds
        self.used = {tid: ns - first.ns.get(tid, 0) for tid, ns in second.ns.items() if ns > first.ns.get(tid, 0)}
        self.busy = sum(self.used.values()) > SHARE_MAX * seconds * 10 ** 9
        self.zombies = {pid: name for pid, name in second.zombies.items() if pid in first.zombies}
        self.descriptors = more(second.kinds(), before.kinds(), ALLOWED_DESCRIPTORS, second, others) if before else {}
        self.threads = more_threads(second, before, others) if before else {}

    def __bool__(self):
        return bool(self.busy or self.zombies or self.descriptors or self.threads)

    def __str__(self):
        text = f"{self.look.name} (pid {self.look.pid}) does not rest:\n"
        if self.busy:
            text += f"  used {sum(self.used.values()) / 10 ** 6:.1f} ms of {self.seconds * 1000:.0f} ms, its threads:\n"
            text += "".join(self.thread(tid) for tid in sorted(self.used, key=self.used.get, reverse=True))
        for pid, name in self.zombies.items():
            text += f"  zombie {pid} ({name})\n"
        known = sockets(self.look.pid) if self.descriptors else {}
        for kind, count in self.descriptors.items():
            links = sorted(f"{fd} -> {link} {known.get(link, '')}".rstrip()
                           for fd, (of, link) in self.look.descriptors.items() if of == kind)
            text += f"  {count} more {kind} than before: {', '.join(links)}\n"
        for name, count in self.threads.items():
            text += f"  {count} more threads {name} than before\n"
        return text

    def thread(self, tid):
        path = f"/proc/{self.look.pid}/task/{tid}"
        stat, wchan = stat_of(path), "?"
        try:
            wchan = read(f"{path}/wchan")
        except OSError:
            pass
        state = stat[1] if stat else "gone"
        return f"    {tid} {self.look.threads[tid]}: {self.used[tid] / 10 ** 6:.1f} ms, state {state}, wchan {wchan}\n"


def until_rest(directory, before, deadline_s=DEADLINE_S, window_s=WINDOW_S):
    """Until all daemons of the cluster that run, and are not stopped, have rested for one window together; or what kept them, as a text.

    before: what looks_at() saw when the cluster was new; who was not there then is compared with nothing.
    """
    deadline, first, began = time.monotonic() + deadline_s, looks_at(directory, brief=True), time.monotonic()
    while True:
        time.sleep(window_s)
        second, now = looks_at(directory), time.monotonic()
        awake = {name: look for name, look in second.items() if not look.stopped}
        fresh = [look.name for name, look in awake.items() if name not in first or first[name].start != look.start]
        troubles = [Trouble(first[name], look, before.get(name), now - began, awake) for name, look in awake.items() if name not in fresh]
        if not any(troubles) and not fresh:
            return ""
        if now > deadline:
            return "".join(map(str, filter(None, troubles))) + "".join(f"{name} was just started\n" for name in fresh)
        first, began = second, now
