"""Where everything of a cluster lies: all of it below one directory D.

D/cluster.json          what the cluster is: its hosts, how they are made, ports and addresses; written once by `up`
D/lock                  held while a command changes the cluster
D/etc/hosts             every host by name
D/hosts/NAME/pbs.conf   the host's configuration (PBS_CONF_FILE)
D/hosts/NAME/home       its PBS_HOME
D/hosts/NAME/tmp        where jobs have their TMPDIR, in a plain cluster
D/hosts/NAME/state.json what runs it just now: see machine.py
D/hosts/NAME/NAME.out   what a daemon of it printed
D/hosts/NAME/boot_id    which boot of the host this is, where hosts have namespaces
D/client.conf           PBS_CONF_FILE for commands typed outside the hosts
"""
import fcntl
import json
import os
import re
import shutil

# A Unix socket's path has at most 107 characters (sun_path); the longest is .../home/run/server.sock.
SOCKET_PATH_MAX = 107
HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?\Z")
RESERVED_NAMES = ("sched",)   # `kill sched` means the scheduler
HOSTS_MAX = 200               # addresses of one cluster: x.y.z.1 to x.y.z.250, with room to spare


class Trouble(Exception):
    """Something the user should read; the message is whole."""


class Layout:
    def __init__(self, directory):
        self.dir = os.path.abspath(directory)

    def host_dir(self, host):
        return os.path.join(self.dir, "hosts", host)

    def home(self, host):
        return os.path.join(self.host_dir(host), "home")

    def conf(self, host):
        return os.path.join(self.host_dir(host), "pbs.conf")

    def tmp(self, host):
        return os.path.join(self.host_dir(host), "tmp")

    def state_file(self, host):
        return os.path.join(self.host_dir(host), "state.json")

    def boot_id(self, host):
        return os.path.join(self.host_dir(host), "boot_id")

    def output(self, host, daemon):
        return os.path.join(self.host_dir(host), daemon + ".out")

    @property
    def description(self):
        return os.path.join(self.dir, "cluster.json")

    @property
    def hosts_file(self):
        return os.path.join(self.dir, "etc", "hosts")

    @property
    def client_conf(self):
        return os.path.join(self.dir, "client.conf")

    def exists(self):
        return os.path.exists(self.description)

    def load(self):
        try:
            with open(self.description) as f:
                return json.load(f)
        except FileNotFoundError:
            raise Trouble(f"no cluster in {self.dir} (pbs_minicluster up --dir {self.dir} makes one)") from None

    def save(self, description):
        os.makedirs(self.dir, exist_ok=True)
        write_file(self.description, json.dumps(description, indent=2) + "\n")

    def lock(self):
        """Held until the returned file is closed. One command at a time changes a cluster."""
        os.makedirs(self.dir, exist_ok=True)
        # Not inherited (Python's default): a daemon started under the lock doesn't keep it.
        handle = open(os.path.join(self.dir, "lock"), "w")
        fcntl.flock(handle, fcntl.LOCK_EX)
        return handle

    def remove(self):
        """Removes what `up` made, and the directory itself if nothing else is in it."""
        for name in ("hosts", "etc"):
            shutil.rmtree(os.path.join(self.dir, name), ignore_errors=True)
        for name in ("client.conf", "lock", "switch.json", "cluster.json"):
            try:
                os.unlink(os.path.join(self.dir, name))
            except FileNotFoundError:
                pass
        try:
            os.rmdir(self.dir)
        except OSError:
            pass   # somebody else's files are in it


def check_names(server, hosts):
    for name in [server, *hosts]:
        if not HOST_NAME.match(name) or name in RESERVED_NAMES:
            raise Trouble(f"not a name for a host: {name!r}")
    if len(set(hosts)) != len(hosts):
        raise Trouble("a host is named twice")
    if len(hosts) > HOSTS_MAX:
        raise Trouble(f"at most {HOSTS_MAX} hosts")


def check_length(layout, server):
    path = os.path.join(layout.home(server), "run", "server.sock")
    if len(path) > SOCKET_PATH_MAX:
        raise Trouble(f"{layout.dir} is too long a path: {path} has {len(path)} characters, "
                      f"a socket's path may have {SOCKET_PATH_MAX}")


def write_file(path, text, mode=0o644):
    """All or nothing, so that a killed command leaves no half file."""
    fresh = path + ".new"
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as f:
        f.write(text)
    os.rename(fresh, path)
