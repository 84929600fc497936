"""pbs_probe against a home that pbs_habitat made: what it finds wrong, what it mends, and its usage."""
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import unittest

from minicluster_test import ROOT, make_prefix

USAGE = ("Usage: pbs_probe [ -fv ]\n       pbs_probe --version\n\tno option - run in 'report' mode\n\t-f        - run in 'fix' mode\n"
         "\t-v        - show hierarchy examined\n\t--version - show version and exit\n")


class an_installation_that_is_looked_at(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="probe")
        self.addCleanup(shutil.rmtree, self.top, True)
        self.exec, self.home, self.conf = (os.path.join(self.top, name) for name in ("pbs", "home", "pbs.conf"))
        make_prefix(self.exec)
        support = os.path.join(ROOT, "cluster-config", "support")
        shutil.copy(os.path.join(support, "pbs_probe"), os.path.join(self.exec, "sbin"))
        shutil.copytree(os.path.join(support, "support"), os.path.join(self.exec, "lib/python/support"),
                        ignore=shutil.ignore_patterns("__pycache__"))
        for folder in "include", "share":
            os.mkdir(os.path.join(self.exec, folder))
        for where, _, names in os.walk(self.exec):
            os.chmod(where, 0o755)
            for name in names:
                os.chmod(os.path.join(where, name), 0o755 if os.path.basename(where) in ("bin", "sbin", "libexec") else 0o644)
        with open(self.conf, "w") as f:
            f.write(f"PBS_EXEC={self.exec}\nPBS_HOME={self.home}\nPBS_START_SERVER=1\nPBS_START_MOM=1\n")
        self.run_program("libexec/pbs_habitat", "server", "sched", "sched:night", "mom")

    def run_program(self, name, *arguments, **how):
        return subprocess.run([os.path.join(self.exec, name), *arguments], capture_output=True, text=True, timeout=60,
                              env={"PATH": os.environ["PATH"], "PBS_CONF_FILE": self.conf}, **how)

    def probe(self, *arguments):
        done = self.run_program("sbin/pbs_probe", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return done.stdout

    def path(self, name):
        return os.path.join(self.home, name)

    def mode(self, path):
        return stat.S_IMODE(os.stat(path).st_mode)

    def test_nothing_is_wrong_with_what_habitat_made(self):
        said = self.probe()
        self.assertIn("====== System Information =======", said)
        self.assertNotIn("Problems", said)

    def test_wrong_modes_are_found_and_mended(self):
        wrong = {self.path("server_priv"): (0o777, 0o750), self.path("sched_priv_night"): (0o755, 0o750),
                 self.path("mom_priv/config"): (0o666, 0o644), self.path("undelivered"): (0o777, 0o1777),
                 os.path.join(self.exec, "bin/qmgr"): (0o4755, 0o755), os.path.join(self.exec, "etc/pbs_version"): (0o622, 0o644)}
        for path, (now, _) in wrong.items():
            os.chmod(path, now)
        said = self.probe()
        for path in wrong:
            self.assertIn(f"{path}\n(", said)
        self.assertEqual({p: self.mode(p) for p in wrong}, {p: now for p, (now, _) in wrong.items()})    # only looked at
        self.assertRegex(said, r"server_priv\n\(drwxrwxrwx , \S+ , \S+\) needs to be \(drwxr-x--- , ")
        said = self.probe("-f")
        self.assertIn("\nserver_priv: corrected permissions\n", said)
        self.assertIn("\nbin/qmgr: corrected permissions\n", said)
        self.assertEqual({p: self.mode(p) for p in wrong}, {p: right for p, (_, right) in wrong.items()})
        self.assertNotIn("Problems", self.probe())

    def test_keys_are_for_their_owner_only(self):
        key = self.path("mom_priv/daemon.pem")
        self.assertNotIn("daemon.pem", self.probe())      # it may be missing
        with open(key, "w") as f:
            f.write("a key\n")
        os.chmod(key, 0o644)
        self.assertIn(f"{key}\n(-rw-r--r-- ", self.probe("-f"))
        self.assertEqual(self.mode(key), 0o600)

    def test_what_is_missing_is_made(self):
        os.rmdir(self.path("checkpoint"))
        os.remove(self.path("sched_priv/holidays"))
        said = self.probe()
        self.assertIn(f"{self.path('checkpoint')}, No such file or directory", said)
        self.assertFalse(os.path.exists(self.path("checkpoint")))
        self.assertIn(f"{self.path('sched_priv/holidays')}: made", self.probe("-f"))
        self.assertEqual(self.mode(self.path("checkpoint")), 0o700)
        self.assertNotIn("Problems", self.probe())

    def test_a_home_that_is_not_mounted_is_not_made(self):
        os.rename(self.home, self.home + ".disk")
        os.mkdir(self.home)
        done = self.run_program("sbin/pbs_probe", "-f")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Is its file system not mounted", done.stderr)
        self.assertEqual(os.listdir(self.home), [])

    def test_a_program_that_has_a_page_is_to_be_there(self):
        os.makedirs(os.path.join(self.exec, "share/man/man8"), 0o755)
        page = os.path.join(self.exec, "share/man/man8/pbs_other.8")
        with open(page, "w"):
            os.chmod(page, 0o644)
        self.assertIn(f"{self.exec}/sbin/pbs_other, No such file or directory", self.probe())

    def test_packages_that_are_not_installed_are_not_missed(self):
        os.rmdir(os.path.join(self.exec, "include"))      # the headers'
        self.assertNotIn("Problems", self.probe())
        os.makedirs(os.path.join(self.exec, "share/man/man3"), 0o755)
        page = os.path.join(self.exec, "share/man/man3/pbs_connect.3")
        with open(page, "w"):
            os.chmod(page, 0o644)
        self.assertIn(f"{self.exec}/include, No such file or directory", self.probe())
        os.mkdir(os.path.join(self.exec, "include"), 0o755)
        # A host without the server's package that is to start one: the program is what is missing, not the home.
        for name in "pbs_server", "pbs_sched", "pbs_comm":
            os.remove(os.path.join(self.exec, "sbin", name))
        shutil.rmtree(self.path("server_priv"))
        said = self.probe()
        self.assertIn(f"{self.exec}/sbin/pbs_server, No such file or directory", said)
        self.assertNotIn("server_priv", said)
        with open(self.conf, "a") as f:
            f.write("PBS_START_SERVER=0\n")
        self.assertNotIn("Problems", self.probe())
        # Commands alone.
        os.remove(os.path.join(self.exec, "sbin", "pbs_mom"))
        os.remove(os.path.join(self.exec, "libexec", "pbs_habitat"))
        with open(self.conf, "a") as f:
            f.write("PBS_START_MOM=0\n")
        self.assertNotIn("Problems", self.probe())

    def test_owners_are_found_and_mended(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to give files away")
        os.chown(self.path("server_priv"), 1, 1000)
        self.assertIn(f"(drwxr-x--- , {pwd.getpwuid(1).pw_name} , ", self.probe())
        self.assertIn("server_priv: corrected ownership", self.probe("-f"))
        self.assertEqual((os.stat(self.path("server_priv")).st_uid, os.stat(self.path("server_priv")).st_gid), (0, 0))

    def test_who_may_not(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to be somebody else")
        os.chmod(self.top, 0o755)
        nobody = pwd.getpwnam("nobody")
        done = self.run_program("sbin/pbs_probe", user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", "User nobody not authorized to use pbs_probe\n"))

    def test_the_hierarchy_is_shown(self):
        said = self.probe("-v")
        self.assertIn(f"PBS_HOME: {self.home}\nPBS_EXEC: {self.exec}\nPBS_START_SERVER: 1\n", said)
        self.assertRegex(said, r"(?m)^mom_priv/jobs +\(drwxr-x--x, ")
        self.assertRegex(said, r"(?m)^bin/qmgr +\(-rwxr-xr-x, ")

    def test_options(self):
        for arguments, said in ((["-c"], USAGE), (["-x"], "pbs_probe: invalid option -- 'x'\n" + USAGE),
                                (["--help"], "pbs_probe: invalid option -- '-'\n" + USAGE), (["word"], USAGE)):
            done = self.run_program("sbin/pbs_probe", *arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", said), arguments)
        self.assertEqual(self.run_program("sbin/pbs_probe", "--version").stdout, "pbs_version = 0\n")
        with open(os.path.join(self.home, "annals.conf"), "w") as f:
            f.write("pbs_version = 20.0.1\n")
        self.assertEqual(self.run_program("sbin/pbs_probe", "--version").stdout, "pbs_version = 20.0.1\n")


if __name__ == "__main__":
    unittest.main()
