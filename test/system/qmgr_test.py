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

    def busy(self, command, resource):
        self.refused(command, 70, resource, "Resource busy on job", 15174)

    def test_a_resource_that_jobs_ask_for_stays_as_it_is(self):
        """Block U12 of a real PBS's transcript."""
        self.qmgr("create resource fa type=long,flag=nh")
        self.qmgr("create resource fe type=long")
        job = self.submit("-h", "-l", "select=1:ncpus=1:fa=2", "--", "/bin/true")
        self.busy("delete resource fa", "fa")
        self.busy("set resource fa type=float", "fa")
        self.busy("set resource fa flag=h", "fa")
        self.busy("unset resource fa flag", "fa")
        self.qmgr("set resource fa type=long,flag=nh")
        self.assertEqual(self.qmgr("list resource fa"), "Resource fa\n    type = long\n    flag = hn\n\n")
        self.sure("qdel", job)
        self.until_state(job, "F")
        self.busy("delete resource fa", "fa")
        self.sure("qdel", "-x", job)
        self.qmgr("delete resource fa")
        job = self.submit("-h", "-l", "fe=1", "--", "/bin/true")
        self.busy("delete resource fe", "fe")
        self.sure("qalter", "-l", "fe=2", job)
        self.busy("delete resource fe", "fe")
        self.sure("qdel", "-x", job)
        self.qmgr("delete resource fe")

    def test_a_resource_that_a_reservation_asks_for_stays_as_it_is(self):
        self.qmgr("create resource fa type=long,flag=nh")
        self.qmgr("set node a resources_available.fa = 4")
        reservation = self.sure("pbs_rsub", "-I", "60", "-R", "2359", "-D", "10", "-l", "select=1:ncpus=1:fa=1").split()[0]
        self.refused("delete resource fa", 70, "fa", "Resource busy on reservation", 15174)
        self.sure("pbs_rdel", reservation)
        self.until(lambda: not self.sure("pbs_rstat", "-B"), "the reservation is gone")
        self.qmgr("delete resource fa")

    def test_what_is_set_of_a_resource_goes_with_it(self):
        for resource in "fc", "fd":
            self.qmgr(f"create resource {resource} type=long,flag=nh")
            self.qmgr(f"set queue workq resources_max.{resource} = 3")
            self.qmgr(f"set server resources_default.{resource} = 3, resources_available.{resource} = 7")
            self.qmgr(f"set node a resources_available.{resource} = 5")
            self.qmgr(f"set node b resources_available.{resource} = @a")
        self.qmgr("delete resource fc")
        shown = self.qmgr("print server") + self.qmgr("print node @default") + self.sure("pbsnodes", "-av")
        self.assertNotIn("fc", shown)
        self.assertEqual(len(re.findall(r"resource.*\.fd = ", shown)), 7, shown)
        self.qmgr("create resource fc type=string,flag=h")
        self.assertNotIn(".fc", self.qmgr("print server") + self.qmgr("print node @default"))
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.assertNotIn(".fc", self.qmgr("print server") + self.qmgr("print node @default"))

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

    def test_hooks_are_refused_in_pbs_words(self):
        """Blocks U17 and G6 of a real PBS's transcripts, as far as model tests don't have them."""
        self.qmgr("create hook h1")
        script = os.path.join(self.work, "h.py")
        with open(script, "w") as f:
            f.write("pass\n")
        for command, text in (("set hook h1 user=pbsuser", "Can't set hook user value to 'pbsuser': hook event must contain at least "
                               "execjob_prologue,execjob_epilogue,execjob_preterm"),
                              (f"import hook h1 text/plain default {script}",
                               "<content-type> must be application/x-python or application/x-config"),
                              (f"import hook h1 application/x-python foo {script}", "<content-encoding> must be 'default' or 'base64'")):
            self.qmgr(command, 32, f"qmgr obj=h1 svr=default: {text}\nqmgr: hook error returned from server\n")
        self.qmgr("list pbshook nosuch", 1, "qmgr obj=nosuch svr=default: hook not found\nqmgr: hook error returned from server\n")
        self.refused("create pbshook x", 156, "x", "Invalid request", 15004)
        self.refused("delete pbshook h1", 156, "h1", "Invalid request", 15004)


if __name__ == "__main__":
    unittest.main(verbosity=2)
