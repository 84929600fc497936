"""Hooks in real daemons write where they may, and reach no memory of their daemon."""
import ctypes
import errno
import json
import os
import sys
import unittest

from hooks_test import HookTest
from private_cluster import STAGE

LANDLOCK_CREATE_RULESET = 444      # the same number on every machine
WITHOUT_LANDLOCK = "--without-landlock"


def landlock():
    """Its version; 0: the kernel has none."""
    create_ruleset_version = 1
    return max(0, ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), create_ruleset_version))


def take_landlock_away():
    """From this process and all that it starts: as on a kernel without it, the call is not implemented."""
    seccomp = ctypes.CDLL("libseccomp.so.2")
    seccomp.seccomp_init.restype = ctypes.c_void_p
    allow, not_implemented = 0x7fff0000, 0x00050000 | errno.ENOSYS       # SCMP_ACT_ALLOW, SCMP_ACT_ERRNO()
    rules = ctypes.c_void_p(seccomp.seccomp_init(allow))
    if seccomp.seccomp_rule_add(rules, not_implemented, LANDLOCK_CREATE_RULESET, 0) != 0 or seccomp.seccomp_load(rules) != 0:
        raise OSError("no filter")


class confined_server_hooks(HookTest):
    def setUp(self):
        super().setUp()
        self.site = os.path.join(self.top, "cron.d")
        os.mkdir(self.site)
        self.scratch = os.path.join(self.home(), "server_priv", "hooks", "scratch")

    def refused(self):
        done = self.run_command("qsub", "-h", "--", "/bin/true")
        self.assertEqual((done.status, done.err),
                         (32, "qsub: request rejected as filter hook 'q' encountered an exception. Please inform Admin\n"))

    def configure(self, **rules):
        config = self.file("q.json", json.dumps({"annals_sandbox": rules}))
        self.sure("qmgr", "-c", f"import hook q application/x-config default {config}")

    def test_a_hook_that_may_use_the_network_and_start_programs_runs_commands_of_pbs(self):
        self.hook("q", "queuejob", "import os, pbs, subprocess\n"
                  "done = subprocess.run([os.path.join(pbs.pbs_conf['PBS_EXEC'], 'bin', 'qstat'), '-B'], capture_output=True, text=True)\n"
                  "pbs.event().job.Account_Name = 'qstat %d%s' % (done.returncode, done.stderr)\n")
        self.configure(network=True, processes=True)
        id = self.submit("-h", "--", "/bin/true")
        self.assertEqual(self.job(id)["Account_Name"], "qstat 0")

    def test_a_hook_writes_to_its_scratch_directory_and_nowhere_else(self):
        self.hook("q", "queuejob", "import os, pbs\nopen('note', 'w').write('x')\n"
                  "pbs.event().job.Account_Name = '%s %s' % (os.getcwd(), os.environ['TMPDIR'])\n")
        told = self.job(self.submit("-h", "--", "/bin/true"))["Account_Name"].split()
        self.assertEqual(told[0], told[1])
        self.assertEqual(os.path.dirname(told[0]), os.path.realpath(self.scratch))
        self.kill_daemon("pbs_server")
        self.until(lambda: os.listdir(self.scratch) == [], lambda: f"nothing is left: {os.listdir(self.scratch)}")

    @unittest.skipUnless(landlock(), "this kernel has no Landlock")
    def test_what_else_it_writes_to_stands_in_its_configuration(self):
        path = os.path.join(self.site, "job")
        self.hook("q", "queuejob", f"open('{path}', 'w').write('x')\n")
        self.refused()
        self.assertEqual(os.listdir(self.site), [])
        self.until(lambda: any(path in line and ("Permission denied" in line or "Read-only file system" in line)
                               for line in self.server_log().splitlines()), "the log says why")
        self.configure(writable_paths=[self.site])
        self.submit("-h", "--", "/bin/true")
        self.assertEqual(os.listdir(self.site), ["job"])
        self.configure(writable_paths=[self.site + "/none"])
        self.refused()
        self.until_logged(f"annals_sandbox: writable_paths: {self.site}/none: No such file or directory")
        self.configure(writable_paths=["cron.d"])
        self.refused()
        self.until_logged("annals_sandbox: writable_paths: cron.d: not an absolute path")

    def test_a_program_that_is_refused_is_told_with_the_setting_that_allows_it(self):
        self.hook("q", "queuejob", "import os, pbs\npbs.event().job.Account_Name = str(os.system('/bin/true'))\n")
        line = "hook q may not start program '/bin/true': {\"annals_sandbox\": {\"processes\": true}} in its configuration allows it"
        self.assertNotEqual(self.job(self.submit("-h", "--", "/bin/true"))["Account_Name"], "0")
        self.until_logged(line)
        self.assertIn(line, self.audit("hook", "q"))
        self.configure(processes=True)
        self.assertEqual(self.job(self.submit("-h", "--", "/bin/true"))["Account_Name"], "0")
        self.assertEqual(self.server_log().count(line), 1)

    def test_the_server_says_so_where_the_kernel_has_no_landlock(self):
        said = "this kernel has no Landlock"
        self.assertEqual(said in self.server_log(), not landlock())
        self.kill_daemon("pbs_server")
        before = self.server_log().count(said)
        with open(self.cluster.layout.output("server", "pbs_server"), "a") as out:
            status = self.cluster.machines["server"].launch(
                [sys.executable, "-B", os.path.abspath(__file__), WITHOUT_LANDLOCK, os.path.join(STAGE, "sbin", "pbs_server")], out)
        self.assertEqual(status, 0)
        self.until_answers()
        self.until(lambda: self.server_log().count(said) == before + 1, lambda: f"it says so once: {self.server_log()[-2000:]}")
        self.hook("q", "queuejob", f"open('{self.site}/job', 'w')\n")
        if os.getuid() == 0:       # who is not may have no mounts of its own
            self.refused()


class confined_host_hooks(HookTest):
    @unittest.skipUnless(landlock() or os.getuid() == 0, "this kernel has no Landlock")
    def test_a_hook_reaches_no_memory_of_its_mom(self):
        mom = self.daemon_pids("pbs_mom", "a")[0]
        script = (f"import os, pbs\ne = pbs.event()\ntry:\n    open('/proc/{mom}/mem', 'rb')\n"
                  "    e.reject('it reads memory')\nexcept PermissionError as wrong:\n    pbs.logmsg(pbs.LOG_WARNING, str(wrong))\n"
                  f"open('{self.work}/of_hook', 'w').write('x')\n")
        self.hook("b", "execjob_begin", script)
        self.until_hooks_are_on("a", "b.PY")
        self.until_state(self.submit("--", "/bin/true"), "F")
        self.until_mom_logged("a", f"Permission denied: '/proc/{mom}/mem'")
        self.assertTrue(os.path.exists(os.path.join(self.work, "of_hook")))


if __name__ == "__main__":
    if sys.argv[1:2] == [WITHOUT_LANDLOCK]:
        take_landlock_away()
        os.execv(sys.argv[2], sys.argv[2:])
    unittest.main()
