"""Where PBS is on this host: pbs.conf, the environment over it, and the tree that this program lies in."""
import os
import re

VARIABLES = ("PBS_HOME", "PBS_EXEC", "PBS_START_SERVER", "PBS_START_MOM", "PBS_START_SCHED", "PBS_START_COMM", "PBS_START_FOLLOW")


class Trouble(Exception):
    """Said to the person who typed the command; exit status 1."""


class Installation:
    def __init__(self):
        self.conf_file = os.environ.get("PBS_CONF_FILE") or "/etc/pbs.conf"
        self.keys = {}
        try:
            with open(self.conf_file, encoding="utf-8", errors="replace") as f:
                for key, value in re.findall(r"(?m)^\s*(\w+)\s*=\s*(.*?)\s*$", f.read()):
                    self.keys[key] = value.strip('"')
        except OSError as error:
            if os.environ.get("PBS_CONF_FILE"):
                raise Trouble(f"PBS_CONF_FILE names {self.conf_file}, which can't be read: {error.strerror}") from None
        # This file is in lib/python/support of the tree, wherever that was installed.
        self.exec = os.path.abspath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", ".."))
        self.home = self.value("PBS_HOME", "/var/spool/pbs")
        self.mom_home = self.value("PBS_MOM_HOME", self.home)
        self.host = self.value("PBS_LEAF_NAME", os.uname().nodename)

    def value(self, key, default=""):
        return os.environ.get(key) or self.keys.get(key) or default

    def starts(self, what):
        return self.value(f"PBS_START_{what}", "0") not in ("0", "")

    def has(self, what):
        """Whether the host has this part's home, or is to have it."""
        home = self.mom_home if what == "MOM" else self.home
        return self.starts(what) or os.path.isdir(os.path.join(home, {"MOM": "mom_priv", "SCHED": "sched_priv"}[what]))

    def has_server(self):
        # pbs_comm's lock file stands in server_priv too
        return self.starts("SERVER") or os.path.isdir(os.path.join(self.home, "server_priv", "ca"))

    def schedulers(self):
        """Names of the scheduler objects besides the default one that have a directory here."""
        try:
            names = os.listdir(self.home)
        except OSError:
            return []
        return sorted(n.removeprefix("sched_priv_") for n in names if n.startswith("sched_priv_") and len(n) > len("sched_priv_"))

    def package_of(self, part):
        """The program without which the package of this part of pbs_habitat's is not installed."""
        return "pbs_mom" if part == "mom" else "pbs_comm" if part == "comm" else "pbs_follow" if part == "follow" else "pbs_sched" if part.startswith("sched") else "pbs_server"

    def missing_daemons(self):
        """Programs that pbs.conf starts here, though their package is not installed."""
        wanted = (("SERVER", "pbs_server"), ("MOM", "pbs_mom"), ("COMM", "pbs_comm"), ("FOLLOW", "pbs_follow"))
        return [os.path.join(self.exec, "sbin", name) for key, name in wanted if self.starts(key) and self.program(name) is None]

    def installed_parts(self):
        return [part for part in self.parts() if self.program(self.package_of(part))]

    def parts(self):
        """As pbs_habitat calls them."""
        found = ["server"] if self.has_server() else []
        if self.has("SCHED") or "server" in found:
            found += ["sched"] + [f"sched:{name}" for name in self.schedulers()]
        if self.has("MOM"):
            found += ["mom"]
        return found + [part for part in ("comm", "follow") if self.starts(part.upper())]

    def program(self, name):
        """Its path in the tree, or nothing."""
        for folder in ("bin", "sbin", "libexec"):
            path = os.path.join(self.exec, folder, name)
            if os.path.exists(path):
                return path
        return None

    def version(self):
        """What tools are told: the setting of annals.conf, else that of the tree."""
        try:
            with open(os.path.join(self.home, "annals.conf"), encoding="utf-8", errors="replace") as f:
                said = re.findall(r"(?m)^\s*pbs_version\s*=\s*(.*?)\s*$", f.read())
        except OSError:
            said = []
        try:
            with open(os.path.join(self.exec, "etc", "pbs_version"), encoding="utf-8") as f:
                return said[-1] if said and said[-1] else f.read().strip()
        except OSError:
            return "unknown"
