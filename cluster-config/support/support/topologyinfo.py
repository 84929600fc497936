"""pbs_topologyinfo: how many processor sockets hosts have, from the files that the server keeps of what their MoMs say.

Texts and exit statuses are those of PBS.
"""
import json
import optparse
import os
import subprocess
import sys

from .installation import Installation, Trouble

USAGE = """ pbs_topologyinfo.py [ -a -s ]
\tpbs_topologyinfo.py -s node1 [ node2 ... ]"""
NO_NODES = "max/map failed: max() arg is an empty sequence"


def options():
    known = optparse.OptionParser(prog="pbs_topologyinfo.py", usage=USAGE)
    known.add_option("-a", "--all", action="store_true", help="report on all nodes")
    known.add_option("-s", "--sockets", action="store_true", help="report node socket count")
    known.add_option("-l", "--license", action="store_true", help="report license count")
    return known


def vnodes_of_server(here):
    """A file may be left of a host that is no node any more."""
    asked = subprocess.run([os.path.join(here.exec, "bin", "pbsnodes"), "-av", "-F", "json"], capture_output=True, text=True)
    if asked.returncode:
        raise Trouble(asked.stderr.strip() or "pbsnodes failed")
    return json.loads(asked.stdout)["nodes"]


class Topology:
    def __init__(self, here):
        self.directory = os.path.join(here.home, "server_priv", "topology")
        try:
            files = os.listdir(self.directory)
        except OSError as error:
            raise Trouble(f"{self.directory}: {error.strerror}") from None
        self.hosts = sorted(set(files) & set(vnodes_of_server(here)))

    def sockets(self, host):
        """None: its MoM has not said."""
        if host not in self.hosts:
            return None
        with open(os.path.join(self.directory, host), encoding="ascii") as f:
            return int(f.read())


def report(given, names):
    here = Topology(Installation())
    names = here.hosts if given.all else names
    if not names:
        print(NO_NODES)
        return
    width = max(map(len, names))
    for name in names:
        sockets = here.sockets(name)
        if sockets is None:
            print(f"no socket information available for node {name}")
        else:
            print(f"{name:<{width}} {sockets if given.sockets else 0}")    # there are no licences


def main(words):
    given, names = options().parse_args(words)
    if not given.sockets and not given.license:
        return 1
    try:
        report(given, names)
    except (Trouble, OSError) as trouble:
        print(f"pbs_topologyinfo: {trouble}", file=sys.stderr)
        return 1
    return 0
