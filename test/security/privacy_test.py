"""What a user's job carries is for him and the managers: others see that the job is there."""
import json
import unittest

from hostile import HostileTest, needs_two_users

# Each holds something of the word: its environment, its arguments and the secret of X forwarding.
PRIVATE = ["Variable_List", "Submit_arguments", "argument_list", "forward_x11_cookie"]
SEEN_BY_OTHERS = {"argument_list"}       # the words of a program are on its host's process list, too


@needs_two_users
class what_others_see(HostileTest):
    hosts = ["a"]

    def setUp(self):
        super().setUp()
        self.id = self.sure("qsub", "-h", "-v", "TOKEN=7f3d9c", "-W", "forward_x11_cookie=7f3d9c", "--", "/bin/echo", "7f3d9c",
                            **self.person("nobody")).strip()

    def attributes(self, **who):
        return json.loads(self.sure("qstat", "-f", "-F", "json", self.id, **who))["Jobs"][self.id]

    def seen_by(self, name):
        return {attribute for attribute, value in self.attributes(**self.person(name)).items() if "7f3d9c" in json.dumps(value)}

    def test_the_owner_sees_it(self):
        self.assertEqual(self.seen_by("nobody"), set(PRIVATE))

    def test_others_do_not(self):
        self.assertEqual(self.attributes(**self.person("daemon"))["job_state"], "H")
        self.assertEqual(self.seen_by("daemon"), SEEN_BY_OTHERS)
        self.sure("qmgr", "-c", "set server show_other_variables = True")
        self.assertEqual(self.seen_by("daemon"), set(PRIVATE), "as PBS shows it")

    def test_nobody_sees_jobs_of_others_when_the_server_says_so(self):
        self.sure("qmgr", "-c", "set server query_other_jobs = False")
        for command in ("qstat", "-f", self.id), ("qstat", "-f", "-F", "json"), ("qselect",), ("qstat", "-x", "-f"):
            done = self.run_command(*command, **self.person("daemon"))
            self.assertNotIn("7f3d9c", done.out + done.err, command)
        self.assertEqual(self.sure("qselect", **self.person("daemon")), "")

    def test_logs_do_not_tell(self):
        """Logs and accounting are for all to read."""
        self.sure("qalter", "-W", "forward_x11_cookie=8e4b1d", self.id)
        self.until_recorded(self.id, "Qa")
        told = {letter for letter, _, rest in self.accounting() if "7f3d9c" in rest or "8e4b1d" in rest}
        self.assertNotIn("7f3d9c", self.server_log() + self.mom_log("a"))
        self.assertEqual(told, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
