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

    def test_pools(self):
        """Block U19 of a real PBS's transcript. That a pool in use can be deleted there is not copied."""
        self.qmgr("create resource lic type=long,flag=nh")
        self.qmgr("create resource lic2 type=string,flag=h")
        self.qmgr("set node b resources_available.lic=5")
        self.qmgr("set node a resources_available.lic=@b")
        hop = "invalid multi-level indirect reference for resource: lic"
        for node, value, status, text, code in (
                ("a", "lic=@nosuch", 214, "Unknown node ", 15062), ("c", "lic=@a", 8, hop, 15112), ("b", "lic=@c", 8, hop, 15112),
                ("b", "lic=@b", 8, hop, 15112), ("a", "lic2=@b", 9, "indirect target undefined on node for resource: lic2", 15113),
                ("a", "ncpus=@b", 166, "Illegal attribute or resource value resources_available.ncpus", 15014),
                ("a", "mem=@b", 166, "Illegal attribute or resource value resources_available.mem", 15014)):
            self.refused(f"set node {node} resources_available.{value}", status, node, text, code)
        self.refused("unset node b resources_available.lic", 179, "b", "Cannot delete busy object", 15027)
        self.refused("delete node b", 179, "b", "Cannot delete busy object", 15027)
        self.qmgr("set node b resources_available.lic=7")
        self.qmgr("delete node @default")
        self.assertEqual(self.run_command("pbsnodes", "-a").out, "")
        self.qmgr("delete resource lic")



if __name__ == "__main__":
    unittest.main(verbosity=2)
