"""A private cluster whose clock a test sets ahead, for what would be waited for otherwise."""
import unittest

from moved_clock import COMPILER, MovedClock
from private_cluster import ClusterTest


@unittest.skipUnless(COMPILER, "no C compiler, to build what moves the clock of daemons")
class AtAnotherTime(ClusterTest):
    def before_up(self):
        self.clock = MovedClock(self.top)

    def before_start(self):
        for machine in self.cluster.machines.values():
            machine.more_environment = self.clock.environment()

    def environment(self):
        return {**super().environment(), **self.clock.environment()}

    def go_on_to(self, when, reservation):
        """It is that time now, or later. A reservation that waits for it looks at the clock when something about it changes: its name does."""
        self.clock.go_on_to(when)
        self.sure("pbs_ralter", "-N", f"at_{int(when)}", reservation)
