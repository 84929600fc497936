"""qmgr: what is in use stays, what is printed can be read again, and lines typed at a terminal."""
import os
import re
import unittest

from private_cluster import ClusterTest

RETURNED = "qmgr: Error ({}) returned from server\n"


class Manager(ClusterTest):
    def qmgr(self, command, status=0, error=""):
        """A command that is done, or refused in these words."""
        done = self.run_command("qmgr", "-c", command)
        self.assertEqual((done.status, done.err), (status, error), command)
        return done.out

    def refused(self, command, status, object, text, code):
        self.qmgr(command, status, f"qmgr obj={object} svr=default: {text}\n" + RETURNED.format(code))


class what_is_in_use(Manager):
    hosts = ["a", "b", "c"]

    def test_a_queue_that_a_vnode_serves_stays(self):
        """Block U11 of a real PBS's transcript."""
        self.qmgr("create queue q2 queue_type=e,enabled=t,started=t")
        self.qmgr("set node a queue=q2")
        self.refused("delete queue q2", 179, "q2", "Cannot delete busy object", 15027)
        self.qmgr("unset node a queue")
        self.qmgr("delete queue q2")



if __name__ == "__main__":
    unittest.main(verbosity=2)
