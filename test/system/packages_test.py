"""The Debian packages, from cpack to purge, on hosts of their own: docs/design/0060-packages.md."""
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from package_host import NAME, USER, Host, NoHost
from private_cluster import DEADLINE_S, STAGE, failures

BUILD = os.path.dirname(STAGE)
PACKAGES = ("client", "execution", "server", "devel")
UNITS = os.path.join(STAGE, "lib", "systemd", "system")
INIT = "/opt/pbs/libexec/pbs_init.d"
HOME = "/var/spool/pbs"


def why_not():
    lacking = [program for program in ("cpack", "dpkg", "dpkg-deb", "dpkg-shlibdeps", "file") if not shutil.which(program)]
    if lacking:
        return f"needs {', '.join(lacking)}"
    if not os.path.exists(os.path.join(BUILD, "CPackConfig.cmake")):
        return f"{BUILD} was not configured with packages"
    return None if os.geteuid() == 0 else "needs root, to install packages"


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * DEADLINE_S)
    if done.returncode:
        raise AssertionError(f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


@unittest.skipIf(why_not(), why_not())
class packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp(prefix="annals.", dir="/tmp")
        cls.addClassCleanup(shutil.rmtree, cls.top, True)
        cls.first, cls.second = os.path.join(cls.top, "debs", "1"), os.path.join(cls.top, "debs", "2")
        call("cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", cls.first, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none")
        cls.version = call("dpkg-deb", "-f", cls.deb("server"), "Version").strip()
        cls.higher = cls.version + "+1"
        cls.make_higher_version(cls.second, *PACKAGES[:3])

    @classmethod
    def deb(cls, package, directory=None):
        names = [n for n in os.listdir(directory or cls.first) if n.startswith(f"annals-{package}_") and n.endswith(".deb")]
        assert len(names) == 1, names
        return os.path.join(directory or cls.first, names[0])

    @classmethod
    def make_higher_version(cls, directory, *names, preinst=None):
        """The same files, as a release would bring them that changes nothing."""
        os.makedirs(directory, exist_ok=True)
        for package in names:
            tree = os.path.join(cls.top, "tree")
            call("dpkg-deb", "-R", cls.deb(package), tree)
            control = os.path.join(tree, "DEBIAN", "control")
            with open(control) as f:
                text = f.read()
            with open(control, "w") as f:
                f.write(text.replace(f"Version: {cls.version}\n", f"Version: {cls.higher}\n").replace(f"(= {cls.version})", f"(= {cls.higher})"))
            if preinst:
                with open(os.path.join(tree, "DEBIAN", "preinst"), "w") as f:
                    f.write(preinst)
                os.chmod(f.name, 0o755)
            call("dpkg-deb", "-Znone", "-b", tree, os.path.join(directory, f"annals-{package}_{cls.higher}.deb"))
            shutil.rmtree(tree)

    # ---- on the host

    def new_host(self):
        try:
            self.host = Host(os.path.join(self.top, self.id().rsplit(".", 1)[1]), os.path.join(self.top, "debs"))
        except NoHost as reason:
            self.skipTest(str(reason))
        self.addCleanup(self.host.remove)
        self.looks = failures.Looks()
        self.addCleanup(failures.tell_if_failed, self, self.looks.text, self.logs)

    def sure(self, *command, **how):
        done = self.host.run(*command, **how)
        self.looks.add(command, done.returncode, done.stdout, done.stderr)
        self.assertEqual(done.returncode, 0, f"{' '.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout

    def logs(self):
        return self.host.run("sh", "-c", f"tail -v -n {failures.LOG_LINES_MAX} {HOME}/*_log*/2* {HOME}/*_priv/*_out 2>/dev/null").stdout

    def install(self, *names, directory=None, **environment):
        inside = ["/packages/" + os.path.relpath(self.deb(p, directory), os.path.join(self.top, "debs")) for p in names]
        return self.sure("dpkg", "-i", *inside, **environment)

    def conf(self):
        return dict(line.split("=", 1) for line in self.host.text("/etc/pbs.conf").splitlines() if re.match(r"[A-Z_]+=", line))

    def starts(self):
        conf = self.conf()
        return conf["PBS_SERVER"], conf["PBS_START_SERVER"], conf["PBS_START_MOM"]

    def until(self, true, what):
        deadline = time.monotonic() + DEADLINE_S
        while not true():
            if time.monotonic() > deadline:
                self.fail(f"not after {DEADLINE_S} s: {what}")
            time.sleep(0.05)

    def daemons(self):
        """By name, those that run: their pids."""
        said = self.sure("sh", "-c", "for p in /proc/[0-9]*; do read -r name < $p/comm && echo $name ${p#/proc/}; done 2>/dev/null; :")
        return dict(line.split() for line in said.splitlines() if re.match("pbs_(server|sched|mom|comm) ", line))

    def user(self, *command):
        return self.sure(*command, user=USER).strip()

    def attributes(self, job):
        return dict(re.findall(r"(?m)^    (\w+) = (.*)$", self.user("qstat", "-xf", job)))

    # ---- what happens to them

    def test_a_host_from_installation_to_purge(self):
        self.new_host()
        self.a_package_after_another_makes_pbs_conf()
        self.daemons_start_and_run_a_users_job()
        self.an_upgrade_that_fails_starts_the_server_again()
        self.an_upgrade_leaves_jobs_and_history()
        self.removal_keeps_what_the_site_has()
        self.purge_says_what_it_leaves()

    def a_package_after_another_makes_pbs_conf(self):
        self.assertIn("annals-client: write the name of the server's host into /etc/pbs.conf", self.install("client"))
        self.assertEqual(self.starts(), ("CHANGE_THIS", "0", "0"))
        self.install("server", "execution")
        self.assertEqual(self.starts(), (NAME, "1", "0"))
        home = "pbs_environment pbs_version run sched_log sched_logs sched_priv server_logs server_priv"
        self.assertEqual(self.sure("ls", HOME).split(), home.split())
        self.assertEqual(self.daemons(), {})
        for unit in "annals-server", "annals-comm", "annals-mom":
            self.assertTrue(self.host.has(f"/etc/systemd/system/multi-user.target.wants/{unit}.service"), unit)
        said = self.user("bash", "-l", "-i", "-c", "command -v qstat; complete -p qstat")
        self.assertEqual(said, "/opt/pbs/bin/qstat\ncomplete -F __annals_complete qstat")
        self.assertTrue(self.host.has("/usr/share/zsh/vendor-completions/_annals"))

    def daemons_start_and_run_a_users_job(self):
        self.sure("sed", "-i", "s/^PBS_START_MOM=0/PBS_START_MOM=1/", "/etc/pbs.conf")
        self.edited = self.host.text("/etc/pbs.conf")
        self.assertEqual(self.sure(INIT, "start"), "Starting PBS\nPBS server\nPBS mom\nPBS sched\n")
        self.sure("qmgr", "-c", "set server job_history_enable = True")
        self.first_job = self.user("qsub", "-W", "block=true", "-j", "oe", "-o", "out", "--", "/usr/bin/id", "-un")
        self.assertEqual(self.host.text(f"/home/{USER}/out"), USER + "\n")
        self.long_job = self.user("qsub", "-j", "oe", "-o", "out2", "--", "/bin/sh", "-c", "until [ -e go ]; do sleep 0.1; done; echo $$")
        self.until(lambda: self.attributes(self.long_job).get("substate") == "42", "the job runs")
        self.session = self.attributes(self.long_job)["session_id"]

    def an_upgrade_that_fails_starts_the_server_again(self):
        before = self.daemons()
        bad = os.path.join(self.top, "debs", "bad")
        self.make_higher_version(bad, "server", preinst="#!/bin/sh\nexit 1\n")
        done = self.host.run("dpkg", "-i", "/packages/bad/" + os.path.basename(self.deb("server", bad)))
        self.assertNotEqual(done.returncode, 0)
        after = self.daemons()
        self.assertEqual((set(after), after["pbs_mom"]), (set(before), before["pbs_mom"]))
        self.assertNotEqual(after["pbs_server"], before["pbs_server"])
        self.assertEqual(self.attributes(self.long_job)["job_state"], "R")

    def an_upgrade_leaves_jobs_and_history(self):
        before = self.daemons()
        self.assertEqual(set(before), {"pbs_server", "pbs_sched", "pbs_mom"})
        self.install("client", "execution", "server", directory=self.second)
        self.assertEqual(self.host.text("/etc/pbs.conf"), self.edited)
        after = self.daemons()
        self.assertEqual(set(after), set(before))
        self.assertFalse(set(after.values()) & set(before.values()), "all were started anew")
        self.assertEqual(self.attributes(self.first_job)["job_state"], "F")
        job = self.attributes(self.long_job)
        self.assertEqual((job["job_state"], job["session_id"], job["run_count"]), ("R", self.session, "1"))
        self.sure("kill", "-0", self.session)
        self.sure("touch", f"/home/{USER}/go")
        self.until(lambda: self.attributes(self.long_job)["job_state"] == "F", "the job ends")
        self.assertEqual(self.attributes(self.long_job)["Exit_status"], "0")
        self.assertTrue(self.host.text(f"/home/{USER}/out2").strip().isdigit())

    def removal_keeps_what_the_site_has(self):
        said = self.sure("dpkg", "-r", "annals-server", "annals-execution", "annals-client")
        self.assertIn(f"annals-server: the daemons are stopped and running jobs go on; {HOME} stays as it is\n", said)
        self.assertEqual(self.daemons(), {})
        self.assertEqual([path for path in ("/opt/pbs", "/etc/profile.d/pbs.sh") if self.host.has(path)], [])
        self.assertEqual(self.host.text("/etc/pbs.conf"), self.edited)
        self.install("client", "execution", "server", directory=self.second)
        self.assertEqual((self.host.text("/etc/pbs.conf"), self.daemons()), (self.edited, {}))
        self.sure(INIT, "start")
        self.assertEqual(self.attributes(self.long_job)["Exit_status"], "0")

    def purge_says_what_it_leaves(self):
        said = self.sure("dpkg", "-P", "annals-server", "annals-execution", "annals-client")
        self.assertIn(f"annals-server: left: {HOME}/server_priv and what is beside it; rm -r {HOME} ends the history of its jobs\n", said)
        self.assertIn("annals-client: left: /etc/pbs.conf.homes", said)
        self.assertEqual(self.daemons(), {})
        self.assertTrue(self.host.has(f"{HOME}/server_priv/log") and self.host.has(f"{HOME}/mom_priv/log"))
        left = self.sure("sh", "-c", "ls -d /etc/pbs.conf* /var/lib/annals /etc/systemd/system/*/annals-* /opt/pbs /run/annals/* 2>/dev/null; :")
        self.assertEqual(left, "/etc/pbs.conf.homes\n")

    def test_an_execution_host_and_files_that_were_there_before(self):
        self.new_host()
        self.install("client", "execution", PBS_SERVER="federer")
        self.assertEqual(self.starts(), ("federer", "0", "1"))
        self.assertTrue(self.host.has(f"{HOME}/mom_priv/config"))
        said = self.install("server")
        self.assertIn("annals-server: no server starts here: /etc/pbs.conf has PBS_SERVER=federer and no PBS_START_SERVER=1\n", said)
        self.assertEqual((self.starts(), self.host.has(f"{HOME}/server_priv")), (("federer", "0", "1"), False))
        self.sure("dpkg", "-P", "annals-server", "annals-execution", "annals-client")
        self.sure("rm", "-r", HOME, "/etc/pbs.conf.homes")

        self.sure("sh", "-c", "printf 'PBS_SERVER=lendl\\nPBS_EXEC=/opt/pbs\\nPBS_HOME=/var/spool/mine\\n' > /etc/pbs.conf")
        before = self.host.text("/etc/pbs.conf")
        self.assertIn("annals-server: /etc/pbs.conf stays as it is\n", self.install("client", "execution", "server"))
        self.assertEqual(self.host.text("/etc/pbs.conf"), before)
        self.assertEqual((self.host.has("/var/spool/mine"), self.host.has(HOME)), (False, False))
        said = self.sure("dpkg", "-P", "annals-server", "annals-execution", "annals-client")
        self.assertIn("annals-client: left: /etc/pbs.conf, which no package made\n", said)
        self.assertEqual(self.host.text("/etc/pbs.conf"), before)

    def test_where_systemd_runs_its_units_are_stopped_and_started(self):
        """By what systemctl and deb-systemd-invoke are told: there is no systemd here."""
        self.new_host()
        self.sure("sh", "-c", "mkdir -p /run/systemd/system; cd /usr/bin; for p in systemctl deb-systemd-invoke; do rm -f $p; "
                              "printf '#!/bin/sh\\necho ${0##*/} $* >> /told\\n' > $p; chmod 755 $p; done")
        self.install("client", "execution")
        self.install("client", "execution", directory=self.second)
        self.sure("dpkg", "-r", "annals-execution")
        said = [line for line in self.host.text("/told").splitlines() if not re.match("systemctl .*(preset|daemon-reload)", line)]
        active, stop, start = "systemctl -q is-active annals-mom.service", *(f"deb-systemd-invoke {w} annals-mom.service" for w in ("stop", "start"))
        self.assertEqual(said, [active, stop, start, active, stop])

    # ---- what is in them

    def test_all_that_is_installed_is_in_one_of_them(self):
        tree = os.path.join(self.top, "installed")
        call("cmake", "--install", BUILD, "--prefix", tree)
        installed = {"/opt/pbs/" + os.path.relpath(os.path.join(d, n), tree) for d, _, names in os.walk(tree) for n in names}
        shutil.rmtree(tree)
        packed = [path for p in PACKAGES for path in self.files_of(p)]
        self.assertEqual(len(packed), len(set(packed)), "a file is in two packages")
        outside = {"/etc/profile.d/pbs.sh", "/etc/profile.d/pbs.csh", "/usr/share/zsh/vendor-completions/_annals",
                   *(f"/lib/systemd/system/annals-{name}.service" for name in ("server", "comm", "follow", "export", "mom"))}
        units = {p for p in installed if p.startswith("/opt/pbs/lib/systemd/")}
        self.assertEqual({p for p in packed if not p.startswith("/usr/share/doc/annals-")}, (installed - units) | outside)

    def files_of(self, package):
        for line in call("dpkg-deb", "-c", self.deb(package)).splitlines():
            mode, owner, _, _, _, path = line.split(None, 5)
            self.assertEqual(owner, "root/root", line)
            self.assertNotRegex(mode, "^.{3}[sS]|^.{6}[sS]|^[^l].{7}w", line)
            if not mode.startswith("d"):
                yield path.split(" -> ")[0].lstrip(".")

    def test_they_depend_on_each_other_and_on_what_their_programs_load(self):
        depends = {p: call("dpkg-deb", "-f", self.deb(p), "Depends") for p in PACKAGES}
        for package, on in (("server", "execution"), ("execution", "client"), ("devel", "client")):
            self.assertIn(f"annals-{on} (= {self.version})", depends[package])
        for package in PACKAGES[:3]:
            self.assertRegex(depends[package], r"\blibc6 \(>= ")
        self.assertRegex(depends["execution"], r"\blibpython3")
        self.assertNotRegex(depends["client"], r"\blibpython3|\blibrocksdb|\blibcaf")


class service_units(unittest.TestCase):
    def test_systemd_understands_them(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("needs systemd-analyze")
        units = [os.path.join(UNITS, n) for n in sorted(os.listdir(UNITS))]
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, timeout=DEADLINE_S)
        self.assertEqual([line for line in done.stderr.splitlines() if "annals-" in line], [])
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
