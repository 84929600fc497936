"""A plain host: processes of this machine, for ordinary users and wherever namespaces are not to be had.

It has no hostname, no network and no /proc of its own. Its daemons know its name from pbs.conf and the server's
loopback address from annals.conf; a keeper (keeper.py) per started daemon holds its processes together.
"""
import os

from . import keeper, procs
from .layout import Trouble
from .machine import START_DEADLINE_S, Machine

DAEMONS = ("pbs_server", "pbs_sched", "pbs_mom", "pbs_comm", "pbs_follow")


class PlainMachine(Machine):
    has_link = False

    def inside(self, command):
        return command

    def keepers(self):
        return [one[0] for one in self.state.get("keepers", []) if procs.alive(one)]

    def booted(self):
        return bool(self.pids())

    def boot(self):
        # Forget keepers that have nothing left to keep; the others may hold jobs of a killed MoM.
        idle = [pid for pid in self.keepers() if not procs.descendants([pid])]
        procs.kill_all(lambda: [pid for pid in idle if procs.start_time(pid) is not None])
        self.state["keepers"] = [procs.remember(pid) for pid in self.keepers()]
        self.save()

    def launch(self, command, out):
        ready, told = os.pipe()
        begin, begun = os.pipe()
        pid = keeper.fork(f"pbs_minicluster: {self.name}", command, self.environment(), out.fileno(), begin, told)
        os.close(told)
        os.close(begin)
        # Written down before anything runs: whatever happens, `down` finds it.
        self.state.setdefault("keepers", []).append(procs.remember(pid))
        self.save()
        os.write(begun, b"\n")
        os.close(begun)
        return read_status(ready, f"{self.name}: {os.path.basename(command[0])}")

    def pids(self):
        """With daemons that somebody started by hand, and the schedulers of those: nobody keeps them."""
        by_hand = [pid for _, pid, _ in procs.daemons_named(DAEMONS, self.layout.conf(self.name))]
        return procs.descendants(self.keepers()) | set(by_hand) | procs.descendants(by_hand)

    def kill(self):
        procs.kill_all(lambda: procs.descendants(self.keepers()))      # most, found without a look at every process of this machine
        procs.kill_all(self.pids)
        procs.kill_all(self.keepers)
        self.state["keepers"] = []
        self.save()

    def set_link(self, up):
        raise Trouble(f"{self.name} is a plain host: it shares this machine's network and has no link to take down "
                      "(use pause, or make the cluster as root without --plain)")


def read_status(fd, what):
    """The number that a helper process writes on fd when it is done; -1 when it died without a word."""
    import select
    with open(fd, "rb") as told:
        if not select.select([told], [], [], START_DEADLINE_S)[0]:
            raise Trouble(f"{what}: not ready after {START_DEADLINE_S} s")
        line = told.readline().strip()
    return int(line) if line else -1
