"""A host of its own for packages: this machine's files under a layer that keeps what is written, so that dpkg finds its database and
its dependencies there and changes nothing here. Own mounts, processes, network and name. Needs root."""
import os
import shutil
import subprocess

NAME = "borg"
USER, UID = "alice", 4711
DEADLINE_S = 300      # for installing packages with daemons that are stopped and started, on a machine that is busy

# As the first process of the host. What is mounted below / is not seen there, systemd's /run neither: nobody runs it.
FURNISH = """set -e
top=$1 packages=$2
mount -t tmpfs tmpfs "$top"
mkdir "$top/upper" "$top/work" "$top/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$top/upper,workdir=$top/work" "$top/root"
cd "$top/root"
mkdir -p dev proc run tmp opt var/spool packages
mount --rbind /dev dev
mount -t proc proc proc
for d in run tmp var/spool home; do mkdir -p "$d"; mount -t tmpfs -o mode=755 tmpfs "$d"; done
chmod 1777 tmp
mount --bind "$packages" packages
rm -rf etc/pbs.conf* etc/profile.d/pbs.* opt/pbs var/lib/annals usr/sbin/policy-rc.d
hostname "$3"
ip link set lo up
printf '127.0.0.1 %s localhost\\n' "$3" > etc/hosts
sed -i "/^$4:/d" etc/passwd etc/group
printf '%s:x:%s:%s::/home/%s:/bin/bash\\n' "$4" "$5" "$5" "$4" >> etc/passwd
printf '%s:x:%s:\\n' "$4" "$5" >> etc/group
install -d -o "$5" -g "$5" "home/$4"
echo ready
exec /usr/bin/python3 -c 'import signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); sys.stdin.read()'
"""


class NoHost(Exception):
    """This machine can't have one; the reason."""


class Host:
    def __init__(self, top, packages):
        self.root = os.path.join(top, "root")
        lacking = [program for program in ("unshare", "nsenter", "ip", "hostname") if not shutil.which(program)]
        if lacking:
            raise NoHost(f"needs {', '.join(lacking)}")
        os.makedirs(top)
        self.init = subprocess.Popen(["unshare", "--mount", "--propagation", "private", "--pid", "--net", "--uts", "--ipc", "--fork", "--kill-child",
                                      "sh", "-c", FURNISH, "sh", top, packages, NAME, USER, str(UID)],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.init.stdout.readline() != "ready\n":
            said = self.init.communicate()[1].strip()
            raise NoHost(f"needs overlay mounts and namespaces: {said}")
        with open(f"/proc/{self.init.pid}/task/{self.init.pid}/children") as f:
            self.first = f.read().split()[0]

    def remove(self):
        """With its first process end all others, and its mounts."""
        self.init.communicate()

    def run(self, *command, user=None, **environment):
        who = ["--userspec", f"{user}:{user}"] if user else []
        home = f"/home/{user}" if user else "/root"
        variables = {"PATH": "/opt/pbs/bin:/opt/pbs/sbin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home, "LC_ALL": "C.UTF-8",
                     "DEBIAN_FRONTEND": "noninteractive", **environment}
        return subprocess.run(["nsenter", "-t", self.first, "-m", "-u", "-n", "-i", "-p", "chroot", *who, self.root,
                               "env", "-i", "-C", home if user else "/", *(f"{k}={v}" for k, v in variables.items()), *command],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE_S)

    def text(self, path):
        """Of a file; nothing where there is none."""
        return self.run("cat", path).stdout

    def has(self, path):
        return self.run("test", "-e", path).returncode == 0
