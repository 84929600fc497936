"""What the tests of this folder share: the cluster of test/system, people who are not root, processes that do harm, certificates, and
marks for what is known to be wrong.

usage of each: ANNALS_STAGE=$PWD/build/stage python3 test/security/hosts_test.py [--long] [Class.test]
"""
import contextlib
import functools
import json
import os
import pwd
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
from private_cluster import DEADLINE_S, STAGE, ClusterTest, mini  # noqa: E402  found by the path above
from frames import CAPNP, Caller  # noqa: E402

ROOT = os.geteuid() == 0
LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")

needs_two_users = unittest.skipUnless(ROOT, "only root can be two users")
needs_capnp = unittest.skipUnless(CAPNP, "the program capnp is not installed (Debian: capnproto)")


class HostileTest(ClusterTest):
    def person(self, name):
        """For run_command and Attacker: who a process is."""
        account = pwd.getpwnam(name)
        return dict(user=account.pw_uid, group=account.pw_gid, extra_groups=[])

    def server_socket(self):
        return os.path.join(self.home(), "run", "server.sock")

    def server_address(self):
        return self.cluster.address(0), self.cluster.info["port"]

    @contextlib.contextmanager
    def known_to_be_wrong(self, what, today):
        """What is asserted inside does not hold yet: it fails with a message in which `today` is found. The test fails when it holds: then
        this mark has to go, and what is inside stays."""
        try:
            yield
        except self.failureException as failure:
            self.assertRegex(str(failure), today)
            print(f"known to be wrong: {what}", file=sys.stderr)
            return
        self.fail(f"this is right now, take its mark away: {what}")


class BesideOthersTest(HostileTest):
    """Host b is of a queue in which one user may submit, who is not the one that does harm: nobody else takes its processors."""
    hosts = ["a", "b"]

    def setUp(self):
        super().setUp()
        os.chmod(self.work, 0o777)       # jobs' output, whoever they are of
        for line in ("create queue own queue_type=e,enabled=True,started=True,acl_user_enable=True,acl_users=daemon", "set node b queue=own"):
            self.sure("qmgr", "-c", line)

    def job_of_another(self, timeout):
        """How long it took from its submission to its end."""
        begun = time.monotonic()
        id = self.submit("-q", "own", "-l", "select=1:ncpus=1", "-W", "block=true", "--", "/bin/true", timeout=timeout, **self.person("daemon"))
        self.assertRegex(id, r"^\d+\.")
        return time.monotonic() - begun


class Attacker:
    """A process of somebody else that does work(tell) and keeps what that returns until it is ended; `said` is what it told."""

    def __init__(self, test, person, work):
        answers, says = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setgroups(person["extra_groups"])
                os.setgid(person["group"])
                os.setuid(person["user"])
                kept = work(lambda what: os.write(says, json.dumps(what).encode() + b"\n"))
                while kept is not self:      # what it holds stays open
                    signal.pause()
            finally:
                os._exit(0)
        os.close(says)
        self.answers = os.fdopen(answers)
        test.addCleanup(self.end)

    def said(self):
        line = self.answers.readline()
        if not line:
            raise EOFError("the attacker has ended")
        return json.loads(line)

    def end(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.answers.close()
            self.pid = None


# ---- daemons' certificates ------------------------------------------------------------------------------------------------------------

def blocks(text, what):
    return re.findall(rf"-----BEGIN {what}-----.*?-----END {what}-----\n", text, re.S)


@functools.cache      # openssl takes long to start, and the certificates of a test are few
def is_of_authority(certificate):
    with_ca = subprocess.run(["openssl", "x509", "-noout", "-subject"], input=certificate, text=True, capture_output=True, check=True)
    return "cluster CA" in with_ca.stdout


def context_of(bundle, directory, side):
    """TLS as the daemon with this daemon.pem speaks it."""
    with open(bundle) as f:
        text = f.read()
    certificates = blocks(text, "CERTIFICATE")
    own = os.path.join(directory, "own.pem")
    with open(os.open(own, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:
        f.write("".join([c for c in certificates if not is_of_authority(c)] + blocks(text, "PRIVATE KEY")))
    context = ssl.SSLContext(side)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE if side == ssl.PROTOCOL_TLS_CLIENT else ssl.CERT_REQUIRED
    context.load_verify_locations(cadata="".join(c for c in certificates if is_of_authority(c)))
    context.load_cert_chain(own)
    return context


def call_as_daemon(bundle, directory, address, sends, hears):
    context = context_of(bundle, directory, ssl.PROTOCOL_TLS_CLIENT)
    return Caller(context.wrap_socket(socket.create_connection(address, timeout=DEADLINE_S)), sends, hears)


__all__ = ["Attacker", "Caller", "DEADLINE_S", "HostileTest", "LONG", "ROOT", "STAGE", "call_as_daemon", "context_of", "mini",
           "needs_capnp", "needs_two_users"]
