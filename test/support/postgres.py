"""A PostgreSQL server of a test's own: a directory with its files and its socket, and no port. It ends with the test."""
import glob
import os
import pwd
import shutil
import subprocess
import tempfile
import time

DEADLINE_S = 180


def programs():
    """The directory with those of the newest one that is installed; None: there is none, or nobody who may run it."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    if not found or os.geteuid() == 0 and not has_user():
        return None
    return os.path.dirname(found[-1])


def has_user():
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return None


class Server:
    def __init__(self):
        self.bin = programs()
        self.top = tempfile.mkdtemp(prefix="annals.pg.", dir="/tmp")
        self.user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        if self.user:
            shutil.chown(self.top, "postgres", "postgres")
        os.chmod(self.top, 0o711)
        data = os.path.join(self.top, "data")
        subprocess.run([f"{self.bin}/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"], cwd=self.top,
                       check=True, capture_output=True, timeout=DEADLINE_S, **self.user)
        self.process = subprocess.Popen([f"{self.bin}/postgres", "-D", data, "-k", self.top, "-c", "listen_addresses=", "-c", "fsync=off"],
                                        cwd=self.top, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.user)
        deadline = time.monotonic() + DEADLINE_S
        while subprocess.run([f"{self.bin}/pg_isready", "-q", "-h", self.top]).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("postgres does not start")
            time.sleep(0.05)

    def environment(self):
        """For its programs and for libpq, where the address names no host."""
        return {"PGHOST": self.top, "PGUSER": "postgres", "PATH": f"{self.bin}:{os.environ['PATH']}"}

    def remove(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.top, True)
