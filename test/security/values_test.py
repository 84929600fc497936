"""What a command checks before it sends it, the server checks too: wrong values of a job's attributes by frames that no command makes, by
qalter, and by hooks."""
import os
import time
import unittest

from hostile import Caller, HostileTest, needs_capnp

BAD_VALUE = (15014, "Illegal attribute or resource value")
WRONG = {
    "Job_Name": ["a b", "a/b", "../a", "a@b", "a[1]", "a\n", "\x1b[31m", "n" * 231],
    "umask": ["-1", "7x", "0x1f", "9" * 30],
    "Shell_Path_List": ["sh", "bin/sh@a", "/bin/sh,/bin/csh", "/bin/sh@"],
    "User_List": ["nobody,daemon", "@a", "nobody@", "a\x1bb", "a\n"],
    "Mail_Users": ["@borg.org", "a@", "a b", "a\nb", "a\x1b[31m@b", "a\udcff@b"],
    "Checkpoint": ["c=0", "often"],
    "Join_Path": ["both"],
    "Keep_Files": ["d"],
    "Mail_Points": ["x"],
    "Priority": ["1024"],
    "Remove_Files": ["all"],
    "Rerunable": ["maybe"],
    "stagein": ["here"],
    "tolerate_node_failures": ["some"],
    "run_count": ["-1"],
}
OF_RESERVATIONS = {
    "Reserve_Name": ["", "a b", "../a", "a\n", "\x1b[31m", "n" * 231],
    "Mail_Users": WRONG["Mail_Users"],
    "Mail_Points": ["x", "", "a\n"],
}
AT_CREATION = {"interactive": ["maybe", "2"], "block": ["maybe"]}


class Client(Caller):
    def request(self, **what):
        return self.ask({"id": 1, "commandId": os.urandom(16), "sentAtNs": time.time_ns(), **what})

    def submit(self, name, value):
        attributes = [{"name": "Hold_Types", "value": "u"}, {"name": name, "value": value}]
        return self.request(queueJob={"attributes": attributes, "hasScript": False})

    def reserve(self, name, value):
        begins = int(time.time()) + 3600
        values = {"reserve_start": str(begins), "reserve_end": str(begins + 60), name: value}
        return self.request(submitReservation={"attributes": [{"name": n, "value": v} for n, v in values.items()]})

    def alter_reservation(self, id, name, value):
        return self.request(alterReservation={"reservation": id, "changes": [{"name": name, "value": value}]})

    def alter(self, job, name, value):
        return self.request(alterJob={"job": job, "changes": [{"name": name, "value": value}]})


@needs_capnp
class wrong_values(HostileTest):
    hosts = ["a"]

    def setUp(self):
        super().setUp()
        self.client = Client.unix(self.server_socket())
        self.addCleanup(self.client.close)

    def is_refused(self, reply):
        said = reply.get("rejected", {})
        self.assertEqual((said.get("code"), said.get("text", "").split(" Resource")[0].strip()), BAD_VALUE, reply)

    def test_no_job_comes_with_one(self):
        for name, values in {**WRONG, **AT_CREATION}.items():
            for value in values:
                with self.subTest(name=name, value=value[:40]):
                    self.is_refused(self.client.submit(name, value))
        self.assertEqual(self.sure("qselect"), "")

    def test_no_job_is_altered_to_one(self):
        id = self.submit("-h", "--", "/bin/true")
        before = {name: self.job(id).get(name) for name in WRONG}
        for name, values in WRONG.items():
            for value in values:
                with self.subTest(name=name, value=value[:40]):
                    self.is_refused(self.client.alter(id, name, value))
        self.assertEqual({name: self.job(id).get(name) for name in WRONG}, before)

    def test_no_reservation_has_one(self):
        id = self.sure("pbs_rsub", "-R", time.strftime("%H%M", time.localtime(time.time() + 3600)), "-D", "60").split()[0]
        self.until(lambda: "RESV_CONFIRMED" in self.sure("pbs_rstat", "-f", id), "it is confirmed")
        before = self.sure("pbs_rstat", "-f")
        for name, values in OF_RESERVATIONS.items():
            for value in values:
                with self.subTest(name=name, value=value[:40]):
                    self.is_refused(self.client.reserve(name, value))
                    if value:       # empty: unset
                        self.is_refused(self.client.alter_reservation(id, name, value))
        self.assertEqual(self.sure("pbs_rstat", "-f"), before)
        self.assertIn("reservation", self.client.alter_reservation(id, "Reserve_Name", "good"))
        self.assertIn("Reserve_Name = good\n", self.sure("pbs_rstat", "-f"))

    def test_qalter_says_what_is_illegal(self):
        id = self.submit("-h", "--", "/bin/true")
        for letter, value in (("N", "a b"), ("S", "sh"), ("M", "@b"), ("u", "nobody@")):
            done = self.run_command("qalter", f"-{letter}", value, id)
            self.assertEqual((done.status, done.err.split("\n")[0]), (2, f"qalter: illegal -{letter} value"))
        done = self.run_command("qalter", "-W", "umask=7x", id)
        self.assertEqual((done.status, done.err), (BAD_VALUE[0] % 256, f"qalter: {BAD_VALUE[1]} {id}\n"))

    def test_what_follows_from_the_request_is_not_what_it_says(self):
        self.assertIn("done", self.client.submit("Submit_Host", "elsewhere"))
        id = self.sure("qselect").strip()
        self.assertNotIn("elsewhere", self.job(id)["Submit_Host"])
        self.is_refused(self.client.alter(id, "interactive", "True"))

    def test_no_hook_makes_one(self):
        path = os.path.join(self.work, "hook.py")
        with open(path, "w") as f:
            f.write("import pbs\ne = pbs.event()\n"
                    "if e.job.Account_Name is not None:\n    e.job.Shell_Path_List = e.job.Account_Name\n")
        self.sure("qmgr", "-c", 'create hook h event="queuejob,modifyjob"')
        self.sure("qmgr", "-c", f"import hook h application/x-python default {path}")
        done = self.run_command("qsub", "-h", "-A", "sh", "--", "/bin/true")
        self.assertEqual((done.status, "encountered an exception" in done.err), (32, True), done)
        self.until_logged("BadAttributeValueError: input value sh not of the right format for 'Shell_Path_List'")
        id = self.submit("-h", "-A", "/bin/sh", "--", "/bin/true")
        self.assertEqual(self.job(id)["Shell_Path_List"], "/bin/sh")
        self.assertEqual(self.run_command("qalter", "-A", "sh", id).status, 32)


if __name__ == "__main__":
    unittest.main()
