"""qmgr: what is in use stays, what is printed can be read again, and lines typed at a terminal."""
import os
import pwd
import re
import shutil
import termios
import time
import unittest

from private_cluster import STAGE, ClusterTest, mini
from screen import Screen

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
        self.busy("set resource fa type=string", "fa")
        self.busy("set resource fa flag=h", "fa")
        self.busy("unset resource fa flag", "fa")
        self.qmgr("set resource fa type=long,flag=nh")
        self.assertEqual(self.qmgr("list resource fa"), "Resource fa\n    type = long\n    flag = hn\n\n")
        self.sure("qdel", job)
        self.until_state(job, "F")
        self.busy("delete resource fa", "fa")
        self.sure("qdel", "-x", job)
        self.refused("set resource fa type=string", 166, "fa", "Erroneous to have flag 'n', 'f', or 'q' on resource \"fa\" which is type string, "
                     "string_array, or boolean.", 15014)
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
        later = time.strftime("%Y%m%d%H%M", time.localtime(time.time() + 7200))
        reservation = self.sure("pbs_rsub", "-I", "60", "-R", later, "-D", "10", "-l", "select=1:ncpus=1:fa=1").split()[0]
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
        for name, text in (("bad.exe", "{} contains an invalid suffix, should be one of: .ini .json .py .txt .xml"),
                           ("bad.json", "Failed to validate config file, hook 'h1' config file not overwritten"),
                           ("bad.py", "Failed to validate config file, hook 'h1' config file not overwritten")):
            config = os.path.join(self.work, name)
            with open(config, "w") as f:
                f.write("{")
            self.qmgr(f"import hook h1 application/x-config default {config}", 32,
                      f"qmgr obj=h1 svr=default: {text.format(config)}\nqmgr: hook error returned from server\n")
        self.qmgr("export hook h1 application/x-foo default", 32, "qmgr obj=h1 svr=default: "
                  "<content-type> must be application/x-python or application/x-config\nqmgr: hook error returned from server\n")
        self.qmgr("list pbshook nosuch", 1, "qmgr obj=nosuch svr=default: hook not found\nqmgr: hook error returned from server\n")
        self.refused("create pbshook x", 156, "x", "Invalid request", 15004)
        self.refused("delete pbshook h1", 156, "h1", "Invalid request", 15004)


SITE = r"""
create resource lic type=long,flag=nhq
create resource color type=string,flag=h
create resource words type=string_array,flag=h
create resource speed type=float,flag=qr
create resource room type=size,flag=hni
create resource ready type=boolean,flag=h
create resource plain
create queue q1 queue_type=e,enabled=t,started=t
set queue q1 max_run = "[u:PBS_GENERIC=5],[u:bob=2],[g:staff=3],[o:PBS_ALL=10]"
set queue q1 max_run_res.lic = "[u:PBS_GENERIC=3]"
set queue q1 max_run_res_soft.ncpus = "[o:PBS_ALL=30],[u:bob=2]"
set queue q1 resources_max.walltime=10:00:00, resources_min.ncpus=1, resources_default.mem=1gb, default_chunk.color=red
set queue q1 resources_default.place="scatter:excl"
set queue q1 acl_users = "bob,alice@*,+carl,-dave"
set queue q1 acl_hosts = "*.example.com,n1", acl_host_enable = f
set queue q1 Priority = 50, kill_delay = 30, node_group_key = color, partition = p1
create queue rq queue_type=route,route_destinations="q1,workq",enabled=t
set queue rq route_held_jobs=true, route_retry_time=40
create queue untyped
create queue inp1 queue_type=e,partition=p1
set server default_qsub_arguments = "-l walltime=100 -W umask=22"
set server comment = 'it is "quoted", here'
set server managers = "root@*,adm@n1.example.com"
set server operators = "op@*"
set server resources_default.place = free
set server resources_available.lic = 50
set server max_run_res.mem = "[u:PBS_GENERIC=4gb]"
set server max_run = "[p:proj=2],[u:bob=4]"
set server job_history_duration=48:00:00
set server job_sort_formula = "ncpus*2 + walltime/3600"
set server node_group_key = "color,words"
set server eligible_time_enable = true
set server default_queue = q1
set server scheduler_iteration = 300
set server restrict_res_to_release_on_suspend = "ncpus,lic"
set node a resources_available.color = "dark red"
set node a resources_available.words = "a,b,c"
set node b resources_available.lic = 4
set node a resources_available.lic = @b
set node b resources_available.room = 4gb, resources_available.ready=true
set node a comment = "it's a comment, with commas; # and more"
set node b queue = q1
set node b state = offline
set node b partition = p1
set node a Priority = 7, no_multinode_jobs = true, resv_enable = false
create sched s1
set sched s1 partition = p1, comment = "second one", job_sort_formula_threshold = 3
set sched default job_sort_formula_threshold = 2, sched_cycle_length = 00:10:00, only_explicit_psets = true
set sched default preempt_prio = "express_queue, normal_jobs, server_softlimits+fairshare"
set sched default preempt_order = "SCR 80 SR 50 R"
set sched default comment = "it's the default"
create hook h1 event="queuejob,modifyjob",alarm=20,order=3
import hook h1 application/x-python default h.py
import hook h1 application/x-config default h.json
create hook h2 event="execjob_begin,exechost_startup",fail_action="offline_vnodes,clear_vnodes_upon_recovery"
create hook h3
create hook h4 event=periodic,freq=33,enabled=f,debug=t
create hook h5 event=execjob_prologue,user=pbsuser
"""

NOT_AGAIN = "".join(f"qmgr obj={name} svr=default: {text}\n" + RETURNED.format(code)
                    for name, text, code in (("workq", "Queue already exists", 15025), ("a", "Node name already exists", 15066),
                                             ("b", "Node name already exists", 15066), ("default", "Scheduler already exists", 15211),
                                             ("", "Cannot set attribute, read only or insufficient permission  state", 15003)))


class what_is_printed(Manager):
    hosts = ["a", "b"]

    def printed(self):
        """As it is when the scheduler rests."""
        text = "".join(self.qmgr(f"print {what}") for what in ("server", "node @default", "sched", "hook"))
        return text.replace("set sched state = scheduling\n", "set sched state = idle\n")

    def test_makes_the_same_site_again(self):
        for name, text in ("h.py", "import pbs\npbs.event().accept()\n"), ("h.json", '{"a": [1, 2]}\n'):
            with open(os.path.join(self.work, name), "w") as f:
                f.write(text)
        made = self.run_command("qmgr", input=SITE)
        self.assertEqual((made.status, made.err), (0, ""))
        before = self.printed()
        self.assertLess(before.index("set node b resources_available.lic = 4"), before.index("set node a resources_available.lic = @b"))
        self.cluster.down()
        shutil.rmtree(self.dir)
        mini.describe(self.dir, "server", self.hosts, STAGE, plain=self.plain)
        self.cluster.up()
        self.assertNotEqual(self.printed(), before)
        read = self.run_command("qmgr", input=before)
        self.assertEqual(read.status, 0, read)
        self.assertEqual(read.err, NOT_AGAIN)
        self.assertEqual(self.printed(), before)


class at_a_terminal(Manager):
    def sit(self, *command, **how):
        screen = Screen(self, *(command or ("qmgr",)), environment={"HOME": self.work, **how})
        self.prompted(screen)
        return screen

    def prompted(self, screen, prompt="Qmgr: "):
        """Until a line can be typed: the terminal gives what is typed at once, and does not echo it. What was printed before."""
        said = screen.expect(rf"(?sm)\A(.*)^{prompt}\Z")
        self.until(lambda: not termios.tcgetattr(screen.fd)[3] & termios.ICANON, "the line is edited")
        screen.text = ""
        return said.replace("\r\n", "\n")

    def type(self, screen, text, prompt="Qmgr: "):
        """What is printed from there to the next prompt, the line as it was typed too."""
        screen.type(text)
        return self.prompted(screen, prompt)

    def leave(self, screen, typed, status=0):
        screen.type(typed)
        self.assertEqual(screen.ended(), status, screen.text)

    def remembered(self):
        with open(os.path.join(self.work, ".pbs_qmgr_history")) as f:
            return f.read().splitlines()

    STARTED = "Queue workq\n    started = True\n\n"

    def test_a_line_is_edited(self):
        screen = self.sit()
        self.assertTrue(self.type(screen, "list queue workx\x7fq Prio\x17started\r").endswith(self.STARTED))      # the x goes, then a word
        self.assertTrue(self.type(screen, "queue workq started, Priority\x1b\x7f\x7f\x7f\x01list \r").endswith(self.STARTED))     # to the start
        self.leave(screen, "quit\r")
        self.assertEqual(self.remembered(), ["list queue workq started", "quit"])

    def test_earlier_lines_are_fetched_also_in_the_next_sitting(self):
        screen = self.sit()
        self.assertTrue(self.type(screen, "list queue workq started\r").endswith(self.STARTED))
        self.type(screen, "create queue \\\r", prompt="> ")
        self.type(screen, "q2 queue_type=e\r")
        for _ in range(2):
            said = self.type(screen, "create queue q3 queue_type=e\r")
        self.assertIn("qmgr obj=q3 svr=default: Queue already exists", said)
        lines = ["list queue workq started", "create queue q2 queue_type=e", "create queue q3 queue_type=e", "history"]
        self.assertTrue(self.type(screen, "history\r").endswith("".join(f"    {i}  {line}\n" for i, line in enumerate(lines, 1))))
        self.leave(screen, "\x04")
        self.assertTrue(screen.text.endswith("\r\n"))
        self.assertEqual(self.remembered(), lines)

        screen = self.sit()
        self.assertTrue(self.type(screen, "\x1b[A" * 4 + "\r").endswith(self.STARTED))      # the arrow key
        self.assertIn("qmgr obj=q2 svr=default: Queue already exists", self.type(screen, "!2\r"))
        self.assertTrue(self.type(screen, "!77\r").endswith("qmgr: no such command in the history: !77\n"))
        self.assertTrue(self.type(screen, "hist 2\r").endswith("    6  create queue q2 queue_type=e\n    7  hist 2\n"))
        self.assertTrue(self.type(screen, "history x\r").endswith("qmgr: not a number of commands: x\n"))
        self.assertTrue(self.type(screen, "\x12workq\x1b\x05\r").endswith(self.STARTED))     # looked for, found, taken
        self.leave(screen, "q\r")

    def test_one_that_can_not_write_its_history_says_so(self):
        for directory in os.path.join(self.work, ".pbs_qmgr_history"), self.spool_file():
            os.mkdir(directory)
        screen = Screen(self, "qmgr", environment={"HOME": self.work})
        said = self.prompted(screen)
        self.assertIn(f"{self.work}/.pbs_qmgr_history: Is a directory\n", said)
        self.assertIn("qmgr: commands are not remembered for the next time\n", said)
        self.assertTrue(self.type(screen, "list queue workq started\r").endswith(self.STARTED))
        self.assertTrue(self.type(screen, "history 1\r").endswith("    2  history 1\n"))
        self.leave(screen, "exit\r")

    def spool_file(self):
        return os.path.join(self.home(), "spool", ".pbs_qmgr_history_" + pwd.getpwuid(os.getuid()).pw_name)

    def test_a_home_that_can_not_be_written_leaves_it_to_the_spool(self):
        screen = self.sit(HOME="/nosuchdirectory")
        self.leave(screen, "exit\r")
        with open(self.spool_file()) as f:
            self.assertEqual(f.read(), "exit\n")

    def test_the_end_of_a_sitting_leaves_the_terminal_as_it_was(self):
        for typed in "\x04", "quit\r", "list\x03":
            screen = self.sit("/bin/sh", "-c", "stty > before; trap '' INT; (trap - INT; exec qmgr); stty > after; cmp before after && echo same")
            self.leave(screen, typed)
            self.assertTrue(screen.text.endswith("same\r\n"), screen.text)

    def test_what_is_piped_is_not_remembered(self):
        done = self.run_command("qmgr", input="list queue workq started\nhistory\n")
        self.assertEqual(done.out, "Max open servers: 49\nQueue workq\n    started = True\n\n")
        self.assertFalse(os.path.exists(os.path.join(self.work, ".pbs_qmgr_history")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
