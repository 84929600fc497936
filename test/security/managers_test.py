"""What a manager who is not root can't do: have root's daemons execute what he likes, or write where he likes. And what root has set is not
executed when others could change it."""
import os
import pwd
import re
import unittest

from hostile import HostileTest, needs_two_users

CLOSED = "Cannot set attribute, read only or insufficient permission  "
# What names a program or a directory to daemons that are root's: object -> attributes.
FOR_ROOT = {"server": ["mailer", "cred_renew_tool", "acl_roots"], "sched sc1": ["sched_priv", "sched_log", "sched_user"]}


@needs_two_users
class what_root_executes(HostileTest):
    hosts = ["a"]

    def setUp(self):
        super().setUp()
        self.manager = self.person("nobody")
        self.sure("qmgr", "-c", "set server managers += nobody@*")
        self.mark = os.path.join(self.top, "ran")
        self.evil = os.path.join(self.work, "evil")
        self.sure("qmgr", "-c", "set server acl_roots = root")

    def qmgr(self, command):
        """By the manager."""
        return self.run_command("qmgr", "-c", command, **self.manager)

    def script(self, owner="root", mode=0o755):
        """It says that it was executed."""
        with open(self.evil, "w") as f:
            f.write(f"#!/bin/sh\ntouch {self.mark}\necho 1\n")
        os.chmod(self.evil, mode)
        os.chown(self.evil, pwd.getpwnam(owner).pw_uid, -1)
        return self.evil

    def sends_mail(self):
        self.until_state(self.submit("-m", "be", "--", "/bin/true"), "F")

    def test_a_manager_does_not_name_it(self):
        self.script("nobody")
        self.assertEqual(self.qmgr("set server comment = managed").status, 0)
        self.assertEqual(self.qmgr("create sched sc1 partition = P1").status, 0)
        before = {what: self.sure("qmgr", "-c", "list " + what) for what in FOR_ROOT}
        for what, attributes in FOR_ROOT.items():
            name = what.split()[1] if " " in what else ""
            for attribute in attributes:
                for command in f"set {what} {attribute} = {self.evil}", f"unset {what} {attribute}":
                    done = self.qmgr(command)
                    said = f"qmgr obj={name} svr=default: {CLOSED}{attribute}\nqmgr: Error (15003) returned from server\n"
                    self.assertEqual((done.status, done.out, done.err), (155, "", said), command)
        done = self.qmgr(f"create sched sc2 sched_priv = {self.work}")
        self.assertEqual((done.status, CLOSED + "sched_priv" in done.err), (155, True), done)
        for name in "a/../../../x", "x/y":
            self.assertEqual(self.qmgr(f"create sched {name}").status, 15172 % 256)
        done = self.qmgr("set server mail_from = -oQ/tmp")
        self.assertEqual(done.status, 15014 % 256, done)
        self.assertIn("is unauthorized to access hooks data", self.qmgr("create hook h").err)
        self.assertEqual({what: self.sure("qmgr", "-c", "list " + what) for what in FOR_ROOT}, before)
        self.sends_mail()
        self.assertFalse(os.path.exists(self.mark))

    def test_a_mailer_that_somebody_else_may_change_is_not_executed(self):
        for owner, mode, why in ("nobody", 0o755, f"{self.evil} belongs to user {pwd.getpwnam('nobody').pw_uid}"), \
                                ("root", 0o775, f"{self.evil} may be written by others"):
            self.sure("qmgr", "-c", f"set server mailer = {self.script(owner, mode)}")
            self.sends_mail()
            self.until_logged(why)
            self.kill_daemon("pbs_server")      # trouble with mailers is told of once a minute
            self.start_daemon("pbs_server")
            self.until_answers()
        self.assertFalse(os.path.exists(self.mark))

    def test_a_scheduler_executes_nothing_that_somebody_else_may_name(self):
        config = os.path.join(self.home(), "sched_priv", "sched_config")
        self.script()
        self.sure("qmgr", "-c", "create resource lic type=long")
        with open(config) as f:
            text = re.sub(r'(?m)^(resources: ".*)"', r'\1, lic"', f.read())
        with open(config, "w") as f:
            f.write(text + f'server_dyn_res: "lic !{self.evil}"\n')
        os.chown(config, pwd.getpwnam("nobody").pw_uid, -1)
        self.kill_daemon("pbs_sched")
        said = f"{config} belongs to user {pwd.getpwnam('nobody').pw_uid}: no program that it names is run"
        self.until(lambda: said in self.log("sched_logs"), lambda: f"{said}: {self.log('sched_logs')}")
        self.assertFalse(os.path.exists(self.mark))
        os.chown(config, 0, 0)
        self.submit("-l", "lic=1", "--", "/bin/true")
        self.until(lambda: os.path.exists(self.mark), "root's own is executed")


if __name__ == "__main__":
    unittest.main(verbosity=2)
