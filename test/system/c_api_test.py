"""The C interface (libpbs): small C programs, compiled against what is installed, talk to a real cluster."""
import os
import shutil
import subprocess
import tempfile
import unittest

from private_cluster import ClusterTest, STAGE, wait_gone

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "c_api")
PROGRAMS = ("connections", "submission", "requests", "selection", "status", "management", "reservations", "arrays", "attribute_errors", "vnodes")


class c_programs(ClusterTest):
    @classmethod
    def setUpClass(cls):
        cls.compiler = shutil.which("cc") or shutil.which("gcc")
        if not cls.compiler:
            raise unittest.SkipTest("no C compiler")
        super().setUpClass()
        cls.programs = tempfile.mkdtemp(prefix="annals.", dir="/tmp")
        cls.addClassCleanup(shutil.rmtree, cls.programs)
        for name in PROGRAMS:
            subprocess.run([cls.compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{STAGE}/include", "-o", os.path.join(cls.programs, name),
                            os.path.join(SOURCES, name + ".c"), f"-L{STAGE}/lib", "-lpbs", f"-Wl,-rpath,{STAGE}/lib", "-pthread"],
                           check=True)

    def setUp(self):
        super().setUp()
        self.sure("qmgr", "-c", "set server acl_roots = root")

    def program(self, name):
        return os.path.join(self.programs, name)

    def call(self, *words):
        return self.sure(self.program("requests"), *words).strip()

    def script(self):
        path = os.path.join(self.work, "script")
        with open(path, "w") as f:
            f.write("#!/bin/sh\nsleep 1000\n")
        return path

    def submitted(self, queue="cq"):
        return self.sure(self.program("submission"), self.script(), queue).strip()

    def test_connections_and_errors(self):
        self.sure(self.program("connections"))

    def test_objects_are_managed_listed_and_selected(self):
        source, copy = (os.path.join(self.work, name) for name in ("hook.py", "copy.py"))
        with open(source, "w") as f:
            f.write("import pbs\npbs.event().accept()\n")
        self.sure(self.program("management"), source, copy)
        self.assertEqual(read(copy), read(source))
        id = self.submitted()
        self.until_running(id)
        self.assertEqual(self.job(id)["Job_Name"], "from_c")
        self.sure(self.program("status"), id, "cq", "a")
        held = self.submitted()
        self.until_running(held)
        self.assertEqual(self.call("hold", held), "0")
        self.sure("qmgr", "-c", "set server scheduling = False")
        self.call("rerun", held)
        self.until_state(held, "H")
        self.sure(self.program("selection"), "cq", held)
        server = self.daemon_pids("pbs_server")
        self.sure(self.program("management"), "stop")
        self.assertTrue(wait_gone(server), "the server ends")

    def test_reservations(self):
        self.sure(self.program("reservations"), "a")

    def test_arrays(self):
        self.sure("qmgr", "-c", "set server scheduling = False")
        self.sure(self.program("arrays"))

    def test_which_attribute_was_wrong(self):
        self.sure("qmgr", "-c", "set server scheduling = False")
        self.sure(self.program("attribute_errors"), self.submitted("workq"))

    def test_vnodes_are_counted(self):
        self.sure(self.program("vnodes"), "1", "0", "0", "0")
        id = self.submit("-l", "select=1:ncpus=1", "-l", "place=excl", "--", "/bin/sleep", "1000")
        self.until_running(id)
        self.sure(self.program("vnodes"), "0", "1", "0", "0")
        self.sure("pbsnodes", "-o", "a")
        self.sure(self.program("vnodes"), "0", "0", "0", "1")
        self.sure("pbsnodes", "-r", "a")
        self.sure("qdel", "-W", "force", id)
        self.until_free("a")
        self.sure(self.program("vnodes"), "1", "0", "0", "0")

    def test_every_call_for_a_job(self):
        self.sure("qmgr", "-c", "set server scheduling = False")
        self.sure("qmgr", "-c", "create queue cq queue_type=e,enabled=True,started=True")
        id, other = self.submitted("workq"), self.submitted("workq")
        self.assertEqual(self.call("alter", id, "Priority", "7"), "0")
        self.assertEqual(self.call("alter_resource", id, "walltime", "00:20:00"), "0")
        self.assertEqual(self.call("alter", id, "nosuch", "7").split()[0], "15002")
        self.assertEqual(self.call("hold", id), "0")
        self.assertEqual(self.job(id)["job_state"], "H")
        self.assertEqual(self.call("hold", id, "x").split()[0], "15004")
        self.assertEqual(self.call("rls", id, "u"), "0")
        self.assertEqual(self.call("move", id, "cq"), "0")
        self.assertEqual(self.job(id)["queue"], "cq")
        self.assertEqual(self.call("move", id, "nosuch"), "15018 Unknown queue")
        ranks = self.job(id)["queue_rank"], self.job(other)["queue_rank"]
        self.assertEqual(self.call("order", id, other), "0")
        self.assertEqual((self.job(other)["queue_rank"], self.job(id)["queue_rank"]), ranks)
        self.assertEqual(self.call("sig", id, "USR1").split()[0], "15016")
        self.assertEqual(self.call("run", id), "0")
        self.assertEqual(self.call("asyrun", other, "a"), "0")
        self.until_running(id)
        self.until_running(other)
        self.assertEqual(self.call("msg", id, "hello", "3"), "0")
        self.assertEqual(self.call("sig", id, "suspend"), "0")
        self.assertEqual(self.job(id)["job_state"], "S")
        self.assertEqual(self.call("sig", id, "resume"), "0")
        self.assertEqual(self.call("rerun", id), "0")
        self.until_state(id, "Q")
        self.assertEqual(self.call("del", other, "force"), "0")
        self.until_state(other, "F")
        self.assertEqual(self.call("del", other).split()[0], "15139")
        self.assertEqual(self.call("del", other, "deletehist"), "0")
        self.assertIsNone(self.job(other))
        self.assertEqual(self.call("del", id), "0")
        one, two = self.submitted("workq"), self.submitted("workq")
        self.call("dellist", one, two, "deletehist")
        self.assertEqual((self.job(one), self.job(two)), (None, None))

    def test_link_lines_for_pbs_name_other_archives(self):
        """-llog and -lnet stand beside -lpbs in what is configured for PBS; a call of PBS's own daemons is named by the linker."""
        program = os.path.join(self.top, "linked")

        def link(call):
            source = f"int pbs_disconnect(int); int log_event(void); int main(void) {{ return {call}; }}\n"
            return subprocess.run([self.compiler, "-x", "c", "-", "-o", program, f"-L{STAGE}/lib", "-lpbs", "-llog", "-lutil", "-lnet",
                                   f"-Wl,-rpath,{STAGE}/lib"], input=source, capture_output=True, text=True)
        linked = link("pbs_disconnect(-1) == 0")
        self.assertEqual((linked.returncode, linked.stderr), (0, ""))
        self.sure(program)
        refused = link("log_event()")
        self.assertNotEqual(refused.returncode, 0)
        self.assertRegex(refused.stderr, "undefined.*log_event")

    def test_nothing_but_the_interface_is_visible(self):
        if not shutil.which("nm"):
            self.skipTest("no nm")
        symbols = subprocess.run(["nm", "-D", "--defined-only", f"{STAGE}/lib/libpbs.so"], capture_output=True, text=True, check=True).stdout
        names = [line.split()[-1] for line in symbols.splitlines()]
        self.assertIn("pbs_connect", names)
        self.assertIn("tm_init", names)
        others = ["__pbs_errno_location", "__pbs_server_location", "pbse_to_txt"]
        self.assertEqual(sorted(n for n in names if not n.startswith(("pbs_", "tm_"))), others)

        # Of the code that it needs none is CAF's or RocksDB's, neither in other libraries nor within.
        needed = subprocess.run(["readelf", "-d", f"{STAGE}/lib/libpbs.so"], capture_output=True, text=True, check=True).stdout
        self.assertIn("(NEEDED)", needed)
        within = subprocess.run(["nm", "-C", f"{STAGE}/lib/libpbs.so"], capture_output=True, text=True, check=True).stdout
        self.assertIn("client::session::call", within)
        for word in ("caf", "rocksdb"):
            self.assertNotIn(f"lib{word}", needed)
            self.assertNotIn(f"{word}::", within)


def read(path):
    with open(path) as f:
        return f.read()


if __name__ == "__main__":
    unittest.main()
