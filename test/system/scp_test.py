"""Files between hosts that share nothing, by scp as the job's owner: what comes before a job, what goes after it, its output, and a
host that does not answer at first. Issue item "Stage-in/out and output delivery"; docs/design/0025-staging.md; pbs guide: 17.

Each host has a directory of its own and an sshd; owner, keys and accounts are made here and seen by nobody else."""
import os
import re
import shutil
import subprocess
import unittest

from private_cluster import ClusterTest, with_mounts_of_our_own

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin")
NAMESPACES = os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "--uts", "--pid", "--net", "--fork", "true"],
                                                  capture_output=True).returncode == 0
UID = 41001
SSHD_CONFIG = """HostKey {top}/hostkey
AuthorizedKeysFile {top}/authorized
AddressFamily inet
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
Subsystem sftp internal-sftp
"""
SSH_CONFIG = """BatchMode yes
IdentityFile {top}/home/.ssh/key
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
"""


@unittest.skipUnless(NAMESPACES, "hosts with networks of their own need root")
@unittest.skipUnless(SSHD, "no sshd (Debian: openssh-server)")
class files_between_hosts(ClusterTest):
    plain = False
    hosts = ["a", "b"]

    def before_up(self):
        if not with_mounts_of_our_own():
            self.skipTest("this root may not mount")
        self.data, self.home_of_owner = os.path.join(self.top, "data"), os.path.join(self.top, "home")
        os.mkdir(self.data)
        os.makedirs(f"{self.home_of_owner}/.ssh", mode=0o700)
        for key in (f"{self.top}/hostkey", f"{self.home_of_owner}/.ssh/key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        shutil.copy(f"{self.home_of_owner}/.ssh/key.pub", f"{self.top}/authorized")
        self.write(f"{self.home_of_owner}/.ssh/config", SSH_CONFIG.format(top=self.top))
        self.write(f"{self.top}/sshd_config", SSHD_CONFIG.format(top=self.top))
        subprocess.run(["chown", "-R", f"{UID}:{UID}", self.home_of_owner, self.work], check=True)
        # Accounts and sshd's directory as this test and its hosts see them.
        for name, line in (("passwd", f"carrier:x:{UID}:{UID}::{self.home_of_owner}:/bin/sh"), ("group", f"carrier:x:{UID}:")):
            with open(f"/etc/{name}") as f:
                self.write(f"{self.top}/{name}", "".join(l for l in f if not l.startswith("carrier:")) + line + "\n")
            self.mount(f"/etc/{name}", "--bind", f"{self.top}/{name}")
        self.mount("/run", "-t", "tmpfs", "tmpfs")
        os.mkdir("/run/sshd", 0o755)
        for host in self.hosts:              # without $usecp: another host's files are reached by scp only
            config = os.path.join(self.dir, "hosts", host, "home", "mom_priv", "config")
            os.makedirs(os.path.dirname(config))
            self.write(config, "$restrict_user_maxsysid 999\n")

    def setUp(self):
        super().setUp()
        for host in ["server", *self.hosts]:
            self.on(host, "mount", "-t", "tmpfs", "-o", f"mode=0700,uid={UID},gid={UID}", "tmpfs", self.data)

    def mount(self, where, *what):
        subprocess.run(["mount", *what, where], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", where], check=True)

    def write(self, path, text):
        with open(path, "w") as f:
            f.write(text)

    def on(self, host, *command):
        return self.cluster.machines[host].run(*command)

    def answer_ssh(self, *hosts):
        for host in hosts:
            self.on(host, SSHD, "-f", f"{self.top}/sshd_config")
            # It goes to the background first: until something listens at port 22.
            self.until(lambda: re.search(r"(?m)^ *\d+: 00000000:0016 \S+ 0A ", self.on(host, "cat", "/proc/net/tcp")), f"{host} answers")

    def put(self, host, name, text):
        self.on(host, "sh", "-c", f"printf '{text}' > {self.data}/{name} && chown {UID}:{UID} {self.data}/{name}")

    def files_on(self, host):
        """name -> (owner, content) below the host's directory."""
        names = self.on(host, "find", self.data, "-type", "f").split()
        return {os.path.relpath(n, self.data): (int(self.on(host, "stat", "-c", "%u", n)), self.on(host, "cat", n)) for n in names}

    def submit_as_owner(self, *arguments, script):
        return self.submit("-N", "far", "-l", "select=1:ncpus=1:host=a", "-S", "/bin/sh", *arguments, input=script,
                           user=UID, group=UID, extra_groups=[])

    def test_files_come_and_go(self):
        self.answer_ssh("server", "b")
        self.put("b", "in.txt", "from b\\n")
        self.on("server", "install", "-d", "-o", str(UID), f"{self.data}/tree", f"{self.data}/back")
        self.put("server", "tree/leaf", "from server\\n")
        d = self.data
        id = self.submit_as_owner("-W", f"stagein={d}/in@b:{d}/in.txt,{d}/tree@server:{d}/tree",
                                  "-W", f"stageout={d}/res*@server:{d}/back,{d}/one@b:{d}/renamed",
                                  "-o", f"server:{d}/out", "-e", f"b:{d}/err",
                                  script=f"cd {d} && cat in tree/leaf && id -un >&2 && echo 1 > res1 && echo 2 > res2 && echo one > one\n")
        job = self.until_state(id, "F")
        self.assertEqual((job["Exit_status"], job["Stageout_status"], job["substate"], job["run_count"]), ("0", "1", "92", "1"), job)
        self.assertEqual(self.files_on("server"), {"tree/leaf": (UID, "from server\n"), "out": (UID, "from b\nfrom server\n"),
                                                   "back/res1": (UID, "1\n"), "back/res2": (UID, "2\n")})
        self.assertEqual(self.files_on("b"), {"in.txt": (UID, "from b\n"), "err": (UID, "carrier\n"), "renamed": (UID, "one\n")})
        # Trees stay (docs/compatibility.md); the rest is gone from the job's host.
        self.assertEqual(self.files_on("a"), {"tree/leaf": (UID, "from server\n")})
        self.until_mom_logged("a", f"{id};Staged 2/2 items in over")
        self.assertRegex(self.mom_log("a"), f"{id};Staged [0-9]+/[0-9]+ items out over")
        self.assertEqual(os.listdir(os.path.join(self.home("a"), "undelivered")), [])

    def test_output_goes_to_where_qsub_ran_as_soon_as_that_host_answers(self):
        id = self.submit_as_owner(script="echo well\n")
        self.until_state(id, "E")
        self.answer_ssh("server")
        job = self.until_state(id, "F")
        self.assertEqual(job["Exit_status"], "0")
        with open(os.path.join(self.work, f"far.o{id.split('.')[0]}")) as f:      # the work directory is seen by all
            self.assertEqual(f.read(), "well\n")
        self.assertEqual(os.listdir(os.path.join(self.home("a"), "undelivered")), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
