"""A host made of namespaces: its own hostname, mounts, process table and network. Needs root.

Every host is a process (the `init` of its pid namespace, a sleep) that holds its namespaces; they go when it goes, so
nothing can be left behind. A cable (veth) joins each to a bridge in one more network namespace, the switch, which has
no uplink: nothing that happens here leaves the machine, and clusters side by side don't see each other.
"""
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import uuid

from . import procs
from .layout import Trouble, write_file
from .machine import START_DEADLINE_S, Machine
from .plain import read_status

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x04000000, 0x20000000, 0x40000000  # <sched.h>


class NamespacedMachine(Machine):
    has_link = True

    def __init__(self, layout, name, exec_dir, number, switch):
        super().__init__(layout, name, exec_dir)
        self.number, self.switch = number, switch

    @property
    def init(self):
        return self.state["init"][0] if procs.alive(self.state.get("init")) else None

    def inside(self, command):
        if self.init is None:
            raise Trouble(f"host {self.name} is down")
        return ["nsenter", "-t", str(self.init), "-m", "-u", "-n", "-p", f"--wdns={os.getcwd()}", "--", *command]

    def booted(self):
        return self.init is not None

    def boot(self):
        if self.booted():
            return
        pid = hold_namespaces(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWPID | CLONE_NEWNET,
                              f"pbs_minicluster: {self.name}", lambda: self.furnish())
        self.state["init"] = procs.remember(pid)
        self.save()
        self.plug_cable(pid)

    def furnish(self):
        """Runs as the first process of the host, before anything else is there."""
        etc = os.path.join(self.layout.dir, "etc")
        call("mount", "--make-rprivate", "/")
        call("mount", "-t", "proc", "proc", "/proc")
        call("mount", "--bind", os.path.join(etc, "hosts"), "/etc/hosts")
        call("mount", "--bind", os.path.join(etc, "nsswitch.conf"), "/etc/nsswitch.conf")
        if os.path.isdir("/etc/profile.d"):     # nowhere to put it otherwise
            call("mount", "--bind", os.path.join(etc, "profile.d"), "/etc/profile.d")
        # By it programs know whether they are on one machine, and a MoM whether its machine was started anew.
        write_file(self.layout.boot_id(self.name), f"{uuid.uuid4()}\n")
        call("mount", "--bind", self.layout.boot_id(self.name), "/proc/sys/kernel/random/boot_id")
        socket.sethostname(self.name)
        call("ip", "link", "set", "lo", "up")

    def plug_cable(self, pid):
        # The cable of an earlier life is gone with its namespace, but the kernel takes its time to notice.
        port, net = f"port{self.number}", self.switch.network()
        call(*net, "ip", "link", "del", port, check=False)
        call(*net, "ip", "link", "add", port, "type", "veth", "peer", "name", "eth0",
             "address", hardware_address(self.number), "netns", str(pid))
        call(*net, "ip", "link", "set", port, "master", "br0", "up")
        mine = ["nsenter", "-t", str(pid), "-n"]
        call(*mine, "ip", "addr", "add", f"{address(self.number)}/16", "dev", "eth0")
        if self.state.get("link", "up") == "up":
            call(*mine, "ip", "link", "set", "eth0", "up")

    def launch(self, command, out):
        done = subprocess.run(self.inside(command), env=self.environment(), stdin=subprocess.DEVNULL,
                              stdout=out, stderr=out, timeout=START_DEADLINE_S)
        return done.returncode

    def pids(self):
        return procs.in_pid_namespace_of(self.init) if self.init else set()

    def kill(self):
        """With its init the kernel kills all that is in the pid namespace."""
        inside = self.pids()
        init = self.init
        if init is not None:
            procs.kill_all(lambda: [init] if procs.start_time(init) is not None else [])
            procs.kill_all(lambda: [pid for pid in inside if procs.start_time(pid) is not None and is_kept(pid)])
        self.state.pop("init", None)
        self.save()

    def set_link(self, up):
        if self.init is None:
            raise Trouble(f"host {self.name} is down")
        call("nsenter", "-t", str(self.init), "-n", "ip", "link", "set", "eth0", "up" if up else "down")
        self.state["link"] = "up" if up else "down"
        self.save()


class Switch:
    """The network namespace with the bridge that all cables of a cluster end in."""

    def __init__(self, layout):
        self.path = os.path.join(layout.dir, "switch.json")
        try:
            with open(self.path) as f:
                self.process = json.load(f)
        except FileNotFoundError:
            self.process = None

    def network(self):
        if not procs.alive(self.process):
            raise Trouble("the cluster's network is gone (was the machine restarted?): pbs_minicluster up brings it back")
        return ["nsenter", "-t", str(self.process[0]), "-n"]

    def boot(self):
        if procs.alive(self.process):
            return
        pid = hold_namespaces(CLONE_NEWNET, "pbs_minicluster: network", lambda: None)
        self.process = procs.remember(pid)
        write_file(self.path, json.dumps(self.process) + "\n")
        call(*self.network(), "ip", "link", "add", "br0", "type", "bridge")
        call(*self.network(), "ip", "link", "set", "br0", "up")

    def kill(self):
        if procs.alive(self.process):
            pid = self.process[0]
            procs.kill_all(lambda: [pid] if procs.start_time(pid) is not None else [])


def is_kept(pid):
    """Still of another pid namespace than ours: a pid seen before the kill may be somebody else's by now."""
    try:
        return os.readlink(f"/proc/{pid}/ns/pid") != os.readlink("/proc/self/ns/pid")
    except OSError:
        return False


def address(number):
    return f"10.86.{number // 250}.{number % 250 + 1}"


def hardware_address(number):
    """The same in every life of a host, as a real card's: the other hosts remember it."""
    return f"02:00:00:56:{number >> 8:02x}:{number & 255:02x}"


def call(*command, check=True):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if check and done.returncode != 0:
        raise Trouble(f"{' '.join(command)}: {done.stderr.strip()}")


def write_nsswitch(layout):
    """The machine's, except that host names come from the hosts file alone: there is nobody else to ask."""
    try:
        with open("/etc/nsswitch.conf") as f:
            text = f.read()
    except OSError:
        text = "passwd: files\ngroup: files\nshadow: files\n"
    text = re.sub(r"(?m)^hosts:.*\n?", "", text) + "hosts: files\n"
    write_file(os.path.join(layout.dir, "etc", "nsswitch.conf"), text)


def write_profiles(layout, pbs_exec):
    """The machine's, with that of PBS as a package would link it: login shells of jobs find its commands."""
    ours = os.path.join(layout.dir, "etc", "profile.d")
    shutil.rmtree(ours, ignore_errors=True)
    if os.path.isdir("/etc/profile.d"):
        shutil.copytree("/etc/profile.d", ours, symlinks=True)
    os.makedirs(ours, exist_ok=True)
    script = os.path.join(pbs_exec, "etc", "pbs.sh")
    if os.path.exists(script):      # programs that were copied elsewhere may come without it
        shutil.copy(script, ours)


def hold_namespaces(flags, title, furnish):
    """Makes a process with new namespaces, runs furnish() in it, and leaves it asleep. Its pid, as seen from here."""
    ready, told = os.pipe()
    pid_read, pid_write = os.pipe()
    helper = os.fork()
    if helper == 0:
        in_helper(flags, title, furnish, told, pid_write)
    os.close(told)
    os.close(pid_write)
    os.waitpid(helper, 0)
    with open(pid_read) as f:
        pid = f.readline().strip()
    with open(ready) as f:
        said = f.read().strip()
    if said != "ready":
        raise Trouble(f"{title}: {said or 'no namespaces'}")
    return int(pid)


def in_helper(flags, title, furnish, told, pid_write):
    """Never returns. The pid namespace begins with the next child, so there are two forks."""
    try:
        os.setsid()
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(flags) != 0:
            raise Trouble(f"can't make namespaces: {os.strerror(ctypes.get_errno())} (--plain does without)")
        child = os.fork()
        if child:
            os.write(pid_write, f"{child}\n".encode())
            os._exit(0)
        furnish()
        null = os.open("/dev/null", os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        # An ignored SIGCHLD survives exec: the kernel collects orphans, which is all that an init must do here.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.chdir("/")
        os.write(told, b"ready")
        os.set_inheritable(told, False)
        os.execvp("sleep", [title, "infinity"])
    except BaseException as error:   # a forked copy of the caller must not go on as the caller
        os.write(told, str(error).encode())
        os._exit(1)
