"""The machine of a transcript: its host name, its users, /opt/pbs, /var/spool/pbs, in namespaces of their own. Needs root.

enter() moves this process into it; nothing of it is seen outside, and it goes when this process goes. In it the
cluster is started as a site starts it: pbs.conf, pbs_enroll, the init script.
"""
import ctypes
import glob
import json
import os
import re
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from datetime import datetime, timezone

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "support"))
import failures  # noqa: E402  found by the path above
from moved_clock import MovedClock  # noqa: E402
from pauses import pause_after  # noqa: E402

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = (
    0x00020000, 0x04000000, 0x08000000, 0x20000000, 0x40000000)   # <sched.h>
PR_SET_PDEATHSIG = 1   # <linux/prctl.h>
USERS = {"pbsuser": 61001, "pbsuser1": 61002, "pbsuser2": 61003, "pbsoper": 61004, "pbsmgr": 61005}
GROUP, GROUP_ID = "tstgrp00", 61000
PATH = "/opt/pbs/bin:/opt/pbs/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
HOME = "/var/spool/pbs"
HOUR_THERE = 9   # when a run begins, whatever its zone: dates that are given as hours and minutes (qsub -a 2359) stay on one side of it all day
COMMAND_DEADLINE_S = 120
WAIT_DEADLINE_S = 120


LOOKS = failures.Looks()     # of whatever is typed in it


class Trouble(Exception):
    pass


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Trouble(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def enter(hosts, stage, main):
    """Runs main() in a machine called hosts[0] that also answers to the other names; its exit status."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0 or libc.unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET) != 0:
        return None
    init = os.fork()
    if init == 0:
        os._exit(guarded(lambda: be_init(hosts, stage, main)))
    return os.waitstatus_to_exitcode(os.waitpid(init, 0)[1])


def guarded(run):
    """A forked copy of this program must end here, whatever happens."""
    try:
        status = run()
        sys.stdout.flush()
        return status
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return 1


def be_init(hosts, stage, main):
    """Process 1 of the new machine: collects orphans; its end, which is also that of its parent, ends all processes in it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    furnish(hosts, stage)
    child = os.fork()
    if child == 0:
        os._exit(guarded(main))
    while True:
        pid, status = os.wait()
        if pid == child:
            return os.waitstatus_to_exitcode(status)


def furnish(hosts, stage):
    call("mount", "--make-rprivate", "/")
    call("mount", "-t", "proc", "proc", "/proc")
    socket.sethostname(hosts[0])
    call("ip", "link", "set", "lo", "up")
    call("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/opt")
    shutil.copytree("/etc", "/opt/etc", symlinks=True, ignore_dangling_symlinks=True)
    call("mount", "--bind", "/opt/etc", "/etc")
    os.mkdir("/opt/pbs")
    call("mount", "--bind", stage, "/opt/pbs")
    for place, mode in (("/home", "755"), ("/var/spool", "755"), ("/var/mail", "1777"), ("/var/tmp", "1777")):
        os.makedirs(place, exist_ok=True)
        call("mount", "-t", "tmpfs", "-o", f"mode={mode}", "tmpfs", place)
    write_etc(hosts)
    call("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/tmp")   # last: the stage may lie below it
    os.chdir("/")


def address_of(number):
    return f"10.85.0.{number}"


def write_etc(hosts):
    names = ["127.0.0.1 localhost"]
    for number, host in enumerate(hosts, 1):
        call("ip", "addr", "add", f"{address_of(number)}/32", "dev", "lo")
        names.append(f"{address_of(number)} {host}")
    write("/etc/hosts", "\n".join(names) + "\n")
    set_zone()
    write("/etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files\n")
    append("/etc/group", f"{GROUP}:x:{GROUP_ID}:\n")
    for user, uid in USERS.items():
        append("/etc/passwd", f"{user}:x:{uid}:{GROUP_ID}::/home/{user}:/bin/bash\n")
        append("/etc/shadow", f"{user}:*:20000:0:99999:7:::\n")
        os.mkdir(f"/home/{user}", 0o755)
        os.chown(f"/home/{user}", uid, GROUP_ID)


def set_zone():
    """Far from midnight: a zone in which it is HOUR_THERE o'clock now, and which is called UTC as that of the transcripts."""
    east_s = ((HOUR_THERE - datetime.now(timezone.utc).hour + 12) % 24 - 12) * 3600
    # tzfile(5): no changes and one kind of time, twice, and the rule for later years, in which the sign says how far west it is.
    block = b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, 0, 1, 4) + struct.pack(">lBB", east_s, 0, 0) + b"UTC\0"
    if os.path.lexists("/etc/localtime"):
        os.remove("/etc/localtime")   # what it may lead to is not of this machine
    with open("/etc/localtime", "wb") as f:
        f.write(block + block + f"\nUTC{-east_s // 3600}\n".encode())
    os.environ.pop("TZ", None)
    time.tzset()


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def append(path, text):
    with open(path, "a") as f:
        f.write(text)


# Matches a command that a shell would hand on as it stands: words, and texts between quotes.
PLAIN = re.compile(r"""(?:[\w./:=+,@%\[\] -]|'[^']*'|"[^"$`\\]*")+""")


def words_of(command):
    """The program to execute, with its arguments. A command of PBS with plain words needs no shell, whose start takes as long as the command."""
    words = shlex.split(command) if PLAIN.fullmatch(command) else []
    return words if words and os.path.isfile(f"/opt/pbs/bin/{words[0]}") else ["/bin/bash", "-c", command]


def home_of(user):
    return "/root" if user == "root" else f"/home/{user}"


def environment_of(user):
    return {"PATH": PATH, "HOME": home_of(user), "USER": user, "LOGNAME": user, "SHELL": "/bin/bash",
            "LANG": "C.UTF-8", "MAIL": f"/var/mail/{user}"}


def become(user):
    """This process is the user's from here on, in their home directory."""
    if user != "root":
        os.setgroups([])
        os.setgid(GROUP_ID)
        os.setuid(USERS[user])
    os.chdir(home_of(user))


def story():
    """What to read when the cluster did not do what it should."""
    return LOOKS.text() + failures.log_ends(sorted(glob.glob(f"{HOME}*")))


# ---- in it -------------------------------------------------------------------------------------------------------

class Cluster:
    """The server's host hosts[0] runs jobs too; the others have a MoM each, with a PBS_HOME of their own."""

    def __init__(self, hosts, moves_clock=False):
        """moves_clock: its clock can be set ahead, by `clock`."""
        self.hosts = hosts
        self.clock = MovedClock("/opt") if moves_clock else None

    def now(self):
        return datetime.fromtimestamp(self.clock.now() if self.clock else time.time())

    def of_clock(self):
        return self.clock.environment() if self.clock else {}

    def start(self):
        self.write_conf("/etc/pbs.conf", self.hosts[0], HOME)
        self.init_script(PBS_START_MOM="0")
        for host in self.hosts:
            home = HOME if host == self.hosts[0] else f"{HOME}_{host}"
            conf = "/etc/pbs.conf" if host == self.hosts[0] else f"/etc/pbs.conf.{host}"
            if host != self.hosts[0]:
                self.write_conf(conf, host, home)
            self.sure(f"PBS_CONF_FILE={conf} /opt/pbs/libexec/pbs_habitat mom")
            self.sure(f"umask 077; pbs_enroll {host} > {home}/mom_priv/daemon.pem")
            self.sure(f"qmgr -c 'create node {host}'")
            self.sure(f"PBS_CONF_FILE={conf} pbs_mom")
        self.init_script()
        self.until(self.all_free, "every node is free")

    def write_conf(self, path, host, home):
        server = host == self.hosts[0]
        write(path, f"PBS_EXEC=/opt/pbs\nPBS_SERVER={self.hosts[0]}\nPBS_START_SERVER={int(server)}\n"
                    f"PBS_START_COMM=0\nPBS_START_MOM=1\nPBS_HOME={home}\n"
                    f"PBS_SCP=/usr/bin/scp\n"
                    + ("" if server else f"PBS_MOM_NODE_NAME={host}\nPBS_LEAF_NAME={host}\n"))
        os.makedirs(home, mode=0o755, exist_ok=True)
        # Each MoM hears at its own address, and says at once that a job runs.
        write(f"{home}/annals.conf", f"mom_address = {address_of(self.hosts.index(host) + 1)}\nfirst_usage_ms = 50\n")

    def init_script(self, **environment):
        done = subprocess.run(["/opt/pbs/libexec/pbs_init.d", "start"], env={"PATH": PATH, **self.of_clock(), **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=COMMAND_DEADLINE_S)
        if done.returncode != 0:
            raise Trouble(f"the daemons don't start: {done.stdout}{done.stderr}\n{story()}")

    def all_free(self):
        done = self.type("root", "pbsnodes -a -F json")
        try:
            nodes = json.loads(done.stdout)["nodes"]
        except (ValueError, KeyError):
            return False
        return all(nodes.get(host, {}).get("state") == "free" for host in self.hosts)

    def type(self, user, command, given=""):
        """What a user types in their home directory, on a terminal that says nothing, or with a text to read."""
        identity = {} if user == "root" else {"user": USERS[user], "group": GROUP_ID, "extra_groups": []}
        reads = {"input": given} if given else {"stdin": subprocess.DEVNULL}
        try:
            done = subprocess.run(words_of(command), env={**environment_of(user), **self.of_clock()}, cwd=home_of(user), **reads,
                                  capture_output=True, text=True, errors="backslashreplace", timeout=COMMAND_DEADLINE_S,
                                  **identity)
        except subprocess.TimeoutExpired:
            done = subprocess.CompletedProcess(command, -1, "", f"no end after {COMMAND_DEADLINE_S} s\n")
        LOOKS.add(command, done.returncode, done.stdout, done.stderr)
        return done

    def sure(self, command, user="root"):
        done = self.type(user, command)
        if done.returncode != 0:
            raise Trouble(f"{user}: {command}: exit {done.returncode}: {done.stderr}{done.stdout}")
        return done.stdout

    def until(self, true, what, deadline_s=WAIT_DEADLINE_S):
        begun = time.monotonic()
        while not true():
            waited = time.monotonic() - begun
            if waited > deadline_s:
                raise Trouble(f"not after {deadline_s} s: {what}\n{LOOKS.text()}")
            time.sleep(pause_after(waited))

    def stop(self):
        """Only for a next start in the same machine; otherwise everything ends with it."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            if int(pid) not in (1, os.getpid()):
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except ProcessLookupError:
                    pass
