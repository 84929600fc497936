"""A host of the cluster: something that can be booted, run commands, be killed, paused and unplugged.

namespaced.py makes it of namespaces (root), plain.py of ordinary processes. What both do alike is here. A host keeps
what runs it in state.json; everything else about it is on its disk and survives a kill.
"""
import json
import os
import signal
import subprocess

from . import procs
from .layout import Trouble, write_file

# What a daemon needs of the caller's environment. PBS_* must not pass: it would win over the host's pbs.conf.
PASSED_ON = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "LOGNAME", "TZ", "USER",
             "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")
START_DEADLINE_S = 120


class Machine:
    def __init__(self, layout, name, exec_dir):
        self.layout, self.name, self.exec_dir = layout, name, exec_dir
        self.more_environment = {}      # for tests: what everything that is started here has besides
        try:
            with open(layout.state_file(name)) as f:
                self.state = json.load(f)
        except FileNotFoundError:
            self.state = {}

    def save(self):
        write_file(self.layout.state_file(self.name), json.dumps(self.state) + "\n")

    def environment(self):
        kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        return {**kept, "PBS_CONF_FILE": self.layout.conf(self.name), "SHELL": "/bin/sh",
                "PATH": f"{self.exec_dir}/bin:{self.exec_dir}/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                **self.more_environment}

    def program(self, name):
        for folder in ("sbin", "bin", "libexec"):
            path = os.path.join(self.exec_dir, folder, name)
            if os.access(path, os.X_OK):
                return path
        raise Trouble(f"{name} is not installed in {self.exec_dir}")

    def run(self, *command, check=True, timeout=60):
        """Runs a command in the host; its stdout. Not 0 is Trouble with what it said."""
        try:
            done = subprocess.run(self.inside(list(command)), env=self.environment(), stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Trouble(f"{self.name}: {' '.join(command)}: no answer in {timeout} s") from None
        if check and done.returncode != 0:
            raise Trouble(f"{self.name}: {' '.join(command)} failed ({done.returncode}): "
                          f"{(done.stderr or done.stdout).strip()}")
        return done.stdout

    def habitat(self, *parts):
        self.run(self.program("pbs_habitat"), *parts)

    def start_daemon(self, name, *arguments):
        """Returns when the daemon is ready (it detaches itself then). Already running is fine."""
        if procs.daemons(name, self.layout.conf(self.name), "default" if name == "pbs_sched" else None):
            return
        self.launch_daemon(name, *arguments)

    def launch_daemon(self, name, *arguments):
        """As start_daemon, when it is known not to run."""
        output = self.layout.output(self.name, name)
        with open(output, "a") as out:
            status = self.launch([self.program(name), *arguments], out)
        if status != 0:
            raise Trouble(f"{self.name}: {name} did not start ({status})\n{tail(output)}{self.log_tail(name)}")

    def log_tail(self, daemon):
        folder = os.path.join(self.layout.home(self.name), daemon.removeprefix("pbs_") + "_logs")
        try:
            newest = max(os.listdir(folder))
        except (OSError, ValueError):
            return ""
        return tail(os.path.join(folder, newest))

    def send(self, which):
        procs.send(self.pids(), which)

    def pause(self):
        self.send(signal.SIGSTOP)

    def resume(self):
        self.send(signal.SIGCONT)


def tail(path, lines=20):
    try:
        with open(path, errors="replace") as f:
            last = f.read().splitlines()[-lines:]
    except OSError:
        return ""
    return "".join(f"  {os.path.basename(os.path.dirname(path))}/{os.path.basename(path)}: {line}\n" for line in last)
