"""The cluster and what can be done with it. docs/howto and the man page pbs_minicluster(8) say what each command means."""
import json
import os
import signal
import subprocess
import threading
import time

from . import addresses, cgroups, procs
from .layout import Layout, Trouble, check_length, check_names, write_file
from .plain import PlainMachine

FREE_DEADLINE_S = 120
CLIENT_DEADLINE_S = 60
SCHEDULER_DEADLINE_S = 60
POLL_S = 0.02
FIRST_USAGE_MS = 50      # who looks at a job of a trial cluster sees at once that it runs
AT_ONCE_MAX = 8      # processes that are waited for together
# Hosts share this machine's files: a job's output is copied into place, never sent to the host where qsub ran.
MOM_CONFIG = "$restrict_user_maxsysid 999\n$usecp *:/ /\n"


class Cluster:
    def __init__(self, directory):
        self.layout = Layout(directory)
        self.info = self.layout.load()
        self.server = self.info["server"]
        self.hosts = self.info["hosts"]                # those that run jobs
        self.switch = None if self.plain else namespaced().Switch(self.layout)
        self.machines = {name: self.machine(name, number) for number, name in enumerate(self.everywhere())}

    @property
    def plain(self):
        return self.info["kind"] == "plain"

    def everywhere(self):
        return [self.server] + [host for host in self.hosts if host != self.server]

    def machine(self, name, number):
        if self.plain:
            return PlainMachine(self.layout, name, self.info["exec"])
        return namespaced().NamespacedMachine(self.layout, name, self.info["exec"], number, self.switch)

    # ---- up ----------------------------------------------------------------------------------------------------

    def up(self):
        """Makes run what does not run. The first time it also makes the disks, the nodes and their certificates."""
        fresh = {name for name in self.everywhere() if not os.path.exists(self.layout.conf(name))}
        self.write_files()
        if self.switch:
            self.switch.boot()
        for machine in self.machines.values():
            machine.boot()

        def start(daemon, host):
            """A host that is fresh runs none: a look at all processes of this machine is saved."""
            machine = self.machines[host]
            (machine.launch_daemon if host in fresh else machine.start_daemon)(daemon)

        start("pbs_server", self.server)
        self.enrol_hosts({} if self.server in fresh else self.nodes())
        at_once(lambda host: start("pbs_mom", host), self.hosts)
        self.await_scheduler()
        self.wait_until_free()

    def write_files(self):
        os.makedirs(os.path.join(self.layout.dir, "etc"), exist_ok=True)
        if not self.plain:
            namespaced().write_nsswitch(self.layout)
            namespaced().write_profiles(self.layout, self.info["exec"])
        lines = ["127.0.0.1 localhost"]
        for number, name in enumerate(self.everywhere()):
            lines.append(f"{self.address(number)} {name}")
        write_file(self.layout.hosts_file, "\n".join(lines) + "\n")
        for name in self.everywhere():
            os.makedirs(self.layout.home(name), exist_ok=True)
            os.makedirs(self.layout.tmp(name), exist_ok=True)
            os.chmod(self.layout.tmp(name), 0o1777)
            write_file(self.layout.conf(name), self.pbs_conf(name))
            if not os.path.exists(os.path.join(self.layout.home(name), "annals.conf")):
                write_file(os.path.join(self.layout.home(name), "annals.conf"), self.annals_conf(name))
            if name in self.hosts:
                config = os.path.join(self.layout.home(name), "mom_priv", "config")
                if not os.path.exists(config):
                    os.makedirs(os.path.dirname(config), exist_ok=True)
                    # Plain hosts share /var/tmp with this machine: what is left in a directory of their own goes when the cluster does.
                    write_file(config, MOM_CONFIG + (f"$tmpdir {self.layout.tmp(name)}\n" if self.plain else ""))
        at_once(self.habitat, self.everywhere())
        write_file(self.layout.client_conf, self.pbs_conf(self.server, client=True))

    def address(self, number):
        if self.plain:
            return f"{self.info['net']}.{number + 1}"
        return namespaced().address(number)

    def pbs_conf(self, name, client=False):
        on_server, runs_jobs = name == self.server, name in self.hosts
        lines = [f"PBS_SERVER={self.server}", f"PBS_EXEC={self.info['exec']}", f"PBS_HOME={self.layout.home(name)}",
                 f"PBS_BATCH_SERVICE_PORT={self.info['port']}"]
        if self.plain:      # each plain host has an address of its own, but all share this machine's ports
            lines.append(f"PBS_MOM_SERVICE_PORT={self.info['port'] + 1}")
        if client:      # who types commands outside the hosts does so on the server's host
            lines.append(f"PBS_LEAF_NAME={name}")
        else:
            lines += [f"PBS_START_SERVER={int(on_server)}", "PBS_START_COMM=0",
                      f"PBS_START_MOM={int(runs_jobs)}",
                      f"PBS_LEAF_NAME={name}", f"PBS_MOM_NODE_NAME={name}"]
            if self.plain:      # names of plain hosts are known to nobody but the cluster
                lines.append(f"PBS_SERVER_HOST_NAME={self.address(0)}")
        return "\n".join(lines) + "\n"

    def annals_conf(self, name):
        server = self.address(0)
        lines = [f"server_address = {server}"]
        if name == self.server:
            lines += [f"listen_address = {server}", f"hosts_file = {self.layout.hosts_file}"]
            if not self.info.get("start_schedulers", True):
                lines.append("start_schedulers = off")
        if self.plain and name in self.hosts:
            lines.append(f"mom_address = {self.address(self.everywhere().index(name))}")
        if name in self.hosts:
            lines.append(f"first_usage_ms = {FIRST_USAGE_MS}")
        return "\n".join(lines) + "\n"

    def habitat(self, name):
        parts = (["server", "sched"] if name == self.server else []) + (["mom"] if name in self.hosts else [])
        environment = self.machines[name].environment()
        done = subprocess.run([self.machines[name].program("pbs_habitat"), *parts], env=environment,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise Trouble(done.stderr.strip())

    def enrol_hosts(self, known):
        """Gives each host its certificate and the server its node, once. known: the nodes that it has."""
        bundles = {host: os.path.join(self.layout.home(host), "mom_priv", "daemon.pem") for host in self.hosts}
        lines = [f"create node {host}" for host in self.hosts if host not in known]
        if not known and os.geteuid() == 0:
            # PBS refuses jobs of root unless told otherwise, and whoever tries out a cluster as root is root.
            lines.insert(0, "set server acl_roots = root@*")
        if lines:
            self.client("qmgr", "-a", input="\n".join(lines) + "\n")
        at_once(lambda host: self.enrol(bundles[host], host), [host for host in self.hosts if not os.path.exists(bundles[host])])

    def enrol(self, bundle, *who):
        machine = self.machines[self.server]
        write_file(bundle, machine.run(machine.program("pbs_enroll"), *who), mode=0o600)

    def wait_until_free(self):
        deadline = time.monotonic() + FREE_DEADLINE_S
        while True:
            nodes = self.nodes()
            late = {host: nodes.get(host, {}).get("state", "unknown to the server") for host in self.hosts}
            late = {host: state for host, state in late.items() if not usable(state)}
            if not late:
                return
            if time.monotonic() > deadline:
                logs = self.machines[self.server].log_tail("pbs_server")
                logs += "".join(self.machines[host].log_tail("pbs_mom") for host in late)
                said = ", ".join(f"{host} is {state}" for host, state in late.items())
                raise Trouble(f"after {FREE_DEADLINE_S} s {said}\n{logs}")
            time.sleep(POLL_S)

    # ---- the server seen from outside ----------------------------------------------------------------------------

    def client(self, command, *arguments, input=""):
        machine = self.machines[self.server]
        environment = {**machine.environment(), "PBS_CONF_FILE": self.layout.client_conf}
        try:
            done = subprocess.run([machine.program(command), *arguments], env=environment, input=input,
                                  capture_output=True, text=True, timeout=CLIENT_DEADLINE_S)
        except subprocess.TimeoutExpired:
            raise Trouble(f"{command} {' '.join(arguments)}: no answer in {CLIENT_DEADLINE_S} s\n"
                          f"{machine.log_tail('pbs_server')}") from None
        if done.returncode != 0:
            raise Trouble(f"{command} {' '.join(arguments)} failed ({done.returncode}): {done.stderr.strip()}")
        return done.stdout

    def nodes(self):
        """The server's nodes by name; none when it has none yet."""
        try:
            return json.loads(self.client("pbsnodes", "-a", "-F", "json")).get("nodes", {})
        except (Trouble, json.JSONDecodeError) as error:
            if not self.daemon_pids("server"):
                raise Trouble(f"the server has gone\n{self.machines[self.server].log_tail('pbs_server')}") from error
            return {}

    # ---- daemons and hosts -----------------------------------------------------------------------------------

    def start_server(self):
        self.machines[self.server].start_daemon("pbs_server")

    def await_scheduler(self):
        """The server starts it, and again whenever it has ended. One that starts none leaves that to us. Until it is alone: who starts it
        has its name for a moment longer than it takes to be connected, and a second one ends when it finds the lock taken."""
        if not self.info.get("start_schedulers", True):
            self.machines[self.server].start_daemon("pbs_sched")
            return
        deadline = time.monotonic() + SCHEDULER_DEADLINE_S
        while True:
            running = procs.daemons_named(("pbs_server", "pbs_sched"), self.layout.conf(self.server))
            if not any(name == "pbs_server" for name, _, _ in running):
                raise Trouble("the server starts the scheduler, and does not run")
            said = self.client("qmgr", "-c", "list sched default scheduling,state")
            if "scheduling = False" in said:
                return      # the server leaves those alone that do not schedule
            schedulers = [pid for name, pid, arguments in running if name == "pbs_sched" and procs.scheduler_name(arguments) == "default"]
            if len(schedulers) == 1 and "state = down" not in said:
                return
            if time.monotonic() > deadline:
                raise Trouble(f"after {SCHEDULER_DEADLINE_S} s the scheduler is down\n{self.machines[self.server].log_tail('pbs_server')}")
            time.sleep(POLL_S)

    def daemon_pids(self, target):
        if target == "sched":
            return procs.daemons("pbs_sched", self.layout.conf(self.server), "default")
        return procs.daemons("pbs_server", self.layout.conf(self.server))

    def host(self, target):
        """The machine that a target means, or None for the daemons `server` and `sched`."""
        name = target.removeprefix("host:")
        if target in ("server", "sched"):
            return None
        if name not in self.machines:
            raise Trouble(f"no host {name} in this cluster: it has {', '.join(self.everywhere())}")
        return self.machines[name]

    def kill(self, target):
        machine = self.host(target)
        if machine:
            self.power_off(machine)
        else:
            pids = self.daemon_pids(target)
            procs.kill_daemon(lambda: alive_of(pids) if target == "sched" else self.daemon_pids(target))

    def power_off(self, machine):
        home = self.layout.home(machine.name)
        cgroups.thaw(machine.name, home)
        machine.kill()
        cgroups.remove(machine.name, home)

    def start(self, target):
        machine = self.host(target)
        name = machine.name if machine else self.server
        if self.switch:
            self.switch.boot()
        self.machines[name].boot()
        if target == "server" or (machine and name == self.server):
            self.start_server()
        if target == "sched" or (machine and name == self.server):
            self.await_scheduler()
        if target == "sched" and not self.daemon_pids("sched"):
            raise Trouble("the server starts the scheduler when its `scheduling` is True")
        if machine and name in self.hosts:
            machine.start_daemon("pbs_mom")

    def pause(self, target):
        self.signal(target, signal.SIGSTOP)

    def resume(self, target):
        self.signal(target, signal.SIGCONT)

    def signal(self, target, which):
        machine = self.host(target)
        pids = machine.pids() if machine else self.daemon_pids(target)
        if not pids:
            raise Trouble(f"{target} does not run")
        procs.send(pids, which)

    def set_link(self, target, up):
        """The scheduler has no cable of its own: it is on the server's host."""
        if target == "sched":
            raise Trouble(f"the scheduler is on the server's host: {'plug' if up else 'unplug'} server means both")
        (self.host(target) or self.machines[self.server]).set_link(up)

    def down(self):
        for machine in self.machines.values():
            self.power_off(machine)
        if self.switch:
            self.switch.kill()

    # ---- what there is -------------------------------------------------------------------------------------------

    def status(self):
        """One row per daemon: name, what it is, how it is, pid, link."""
        rows = []
        for what in ("server", "sched"):
            rows.append(self.row(what, "server" if what == "server" else "scheduler", self.server, self.daemon_pids(what)))
        for host in self.hosts:
            name = f"host:{host}" if host in ("server", "sched") else host
            rows.append(self.row(name, "host", host, procs.daemons("pbs_mom", self.layout.conf(host))))
        return rows

    def row(self, name, kind, host, pids):
        machine = self.machines[host]
        link = "-" if not machine.has_link else machine.state.get("link", "up") if machine.booted() else "down"
        pids = procs.own(pids)
        state = "down" if not pids else "paused" if stopped(pids[0]) else "running"
        return {"name": name, "kind": kind, "state": state, "pid": pids[0] if pids else None, "link": link}


def at_once(do, things):
    """do(each of them); what the first one raises that fails, when all are done. Threads of our own: the module concurrent.futures takes a
    third of the time that all others take to load."""
    things, failed = list(enumerate(things)), {}
    waiting = iter(things)

    def work():
        for number, thing in waiting:      # each is given to one thread
            try:
                do(thing)
            except BaseException as error:
                failed[number] = error

    others = [threading.Thread(target=work) for _ in range(min(len(things), AT_ONCE_MAX) - 1)]
    for thread in others:
        thread.start()
    work()
    for thread in others:
        thread.join()
    if failed:
        raise failed[min(failed)]


def namespaced():
    """The module, which a plain cluster does without: what it needs takes long to load."""
    from . import namespaced as module
    return module


def usable(state):
    return all(word in ("free", "job-busy", "job-exclusive", "offline") for word in state.split(","))


def alive_of(pids):
    """Those of them that still run: a scheduler that was killed is started again at once, and the new one is to live."""
    return [pid for pid in pids if procs.start_time(pid) is not None]


def stopped(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as f:
            return f.read().rpartition(b")")[2].split()[0] == b"T"
    except OSError:
        return False


def describe(directory, server, hosts, exec_dir, plain, start_schedulers=True):
    """Writes down what a new cluster is to be. start_schedulers: the server does (annals.conf), and again when one was killed."""
    layout = Layout(directory)
    check_names(server, hosts)
    check_length(layout, server)
    net, port = addresses.choose() if plain else (None, 15001)
    layout.save({"kind": "plain" if plain else "namespaces", "server": server, "hosts": hosts, "exec": exec_dir,
                 "net": net, "port": port, "start_schedulers": start_schedulers})
