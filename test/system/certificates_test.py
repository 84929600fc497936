"""Certificates end: what goes on then, and how they are exchanged. docs/administrator.md, "Rotate certificates"; docs/design/0003-links.md."""
import os
import shutil
import subprocess
import tempfile
import time
import unittest

from private_cluster import ClusterTest

OPENSSL = shutil.which("openssl")
CONFIGURATION = """
[ca]
default_ca = it
[it]
database = {dir}/index
new_certs_dir = {dir}
certificate = {ca}/ca.pem
private_key = {ca}/ca.key
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
O = supplied
OU = optional
CN = supplied
[daemon]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth,clientAuth
subjectAltName = URI:annals:{kind}/{name},DNS:{name}
authorityKeyIdentifier = keyid
[authority]
basicConstraints = critical,CA:TRUE,pathlen:0
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
"""


def openssl(*arguments):
    done = subprocess.run([OPENSSL, *arguments], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def moment(seconds):
    return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(seconds))


def text_of(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


class WithCertificates(ClusterTest):
    def setUp(self):
        if not OPENSSL:
            self.skipTest("openssl is not here")
        super().setUp()

    # ---- certificates as pbs_enroll makes them, but for the time they hold

    def write(self, path, text):
        with open(path + ".new", "w", encoding="utf-8", opener=lambda p, flags: os.open(p, flags, 0o600)) as f:
            f.write(text)
        os.replace(path + ".new", path)

    def signed(self, kind, name, ends, of_an_authority=False, key=None):
        """(certificate, key), PEM texts."""
        ca = os.path.join(self.home(), "server_priv", "ca")
        with tempfile.TemporaryDirectory(dir=self.top) as at:
            self.write(f"{at}/configuration", CONFIGURATION.format(dir=at, ca=ca, kind=kind, name=name))
            self.write(f"{at}/index", "")
            if key:
                self.write(f"{at}/key", key)
            else:
                openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", f"{at}/key")
            subject = "/O=annals/CN=annals cluster CA" if of_an_authority else f"/O=annals/OU={kind}/CN={name}"
            openssl("req", "-new", "-key", f"{at}/key", "-subj", subject, "-out", f"{at}/request")
            openssl("ca", "-config", f"{at}/configuration", "-batch", "-notext", "-in", f"{at}/request", "-out", f"{at}/certificate",
                    "-extensions", "authority" if of_an_authority else "daemon", "-startdate", moment(time.time() - 86400),
                    "-enddate", moment(ends), *(["-selfsign", "-keyfile", f"{at}/key"] if of_an_authority else []))
            return text_of(f"{at}/certificate"), text_of(f"{at}/key")

    def bundle(self, kind, name, ends):
        return text_of(os.path.join(self.home(), "server_priv", "ca", "ca.pem")) + "".join(self.signed(kind, name, ends))

    # ---- daemons and jobs

    def of_mom(self, host="a"):
        return os.path.join(self.home(host), "mom_priv", "daemon.pem")

    def of_server(self):
        return os.path.join(self.home(), "server_priv", "daemon.pem")

    def again(self, daemon, host="server"):
        self.kill_daemon(daemon, host)
        self.start_daemon(daemon, host)

    def enroll(self, host="a"):
        self.write(self.of_mom(host), self.sure("pbs_enroll", host))

    def with_one_that_ends(self, use, are_up):
        """use(ends) starts daemons with a certificate that ends at this time; are_up() when all have shown it to each other. It ends soon; on a
        busy machine it may do so before they are up, and they get another one that holds longer. Until it has ended."""
        for holds_s in (3, 6, 12, 24, 48, 96):
            ends = time.time() + holds_s
            use(ends)
            self.until(lambda: are_up() or time.time() > ends, "they are up, or the certificate has ended")
            if are_up():
                return self.until(lambda: time.time() > ends + 1, "the certificate has ended")
        self.fail(f"not up with a certificate that holds {holds_s} s")

    def said_hello(self, host):
        """So often."""
        return self.server_log().count(f";Node;{host};Hello from MoM")

    def until_down(self, host="a"):
        self.until(lambda: "down" in self.sure("pbsnodes", "-l"), f"{host} is down")

    def until_said(self, log, host, what, after=0):
        """Behind so many characters of the log."""
        self.until(lambda: what in self.log(log, host)[after:], lambda: f"{log} of {host} say {what}: {self.log(log, host)[-2000:]}")

    def long_job(self, *arguments):
        id = self.submit("-N", "long", *arguments, input=f"while [ ! -e {self.work}/go ]; do sleep 0.05; done; echo lived\n")
        self.until_running(id)
        return id

    def ends_well(self, id):
        open(os.path.join(self.work, "go"), "w").close()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")
        with open(os.path.join(self.work, "long.o" + id.split(".")[0])) as f:
            self.assertEqual(f.read(), "lived\n")
        self.until_recorded(id, "QSE", "QSER")


class certificates(WithCertificates):
    hosts = ["a"]

    def test_a_host_gets_another_one_while_a_job_runs_there(self):
        id, before = self.long_job(), text_of(self.of_mom())
        self.enroll()
        self.assertNotEqual(text_of(self.of_mom()), before)
        self.again("pbs_mom", "a")
        self.until_free("a")
        self.assertEqual(self.job(id)["job_state"], "R")
        self.ends_well(id)

    def test_a_host_whose_certificate_has_ended_is_down_and_its_jobs_go_on(self):
        id = self.long_job()
        self.write(self.of_mom(), self.bundle("mom", "a", time.time() - 60))
        self.again("pbs_mom", "a")
        self.until_down()
        self.until_said("server_logs", "server", "certificate has expired")
        self.assertEqual(self.job(id)["job_state"], "R")
        self.enroll()
        self.again("pbs_mom", "a")
        self.until_free("a")
        self.ends_well(id)

    def test_a_connection_outlives_the_certificate_and_a_new_one_is_refused(self):
        before = 0

        def use(ends):
            nonlocal before
            self.kill_daemon("pbs_mom", "a")
            before = self.said_hello("a")
            self.write(self.of_mom(), self.bundle("mom", "a", ends))
            self.start_daemon("pbs_mom", "a")
        self.with_one_that_ends(use, lambda: self.said_hello("a") > before)
        self.until_free("a")
        id, log = self.long_job(), len(self.server_log())
        self.again("pbs_server")
        self.until_answers()
        self.until_down()
        self.until_said("server_logs", "server", "certificate has expired", log)
        self.enroll()
        self.again("pbs_mom", "a")
        self.until_free("a")
        self.ends_well(id)

    def test_hosts_refuse_a_server_whose_certificate_has_ended(self):
        id = self.long_job()
        self.kill_daemon("pbs_server")
        self.write(self.of_server(), self.bundle("server", "server", time.time() - 60))
        self.start_daemon("pbs_server")
        self.until_said("mom_logs", "a", "certificate has expired")
        self.until_down()
        self.kill_daemon("pbs_server")
        os.remove(self.of_server())
        self.start_daemon("pbs_server")
        self.until_free("a")
        self.ends_well(id)

    def test_a_scheduler_gets_another_one_at_each_start(self):
        path = os.path.join(self.home(), "sched_priv", "daemon.pem")
        before = text_of(path)
        self.write(path, self.bundle("scheduler", "default", time.time() - 60))
        self.kill_daemon("pbs_sched")
        self.start_daemon("pbs_sched")
        self.assertNotEqual(text_of(path), before)
        self.submit("-W", "block=true", "--", "/bin/true")

    def test_an_authority_that_has_ended_is_replaced(self):
        id, priv = self.long_job(), os.path.join(self.home(), "server_priv")
        key = text_of(os.path.join(priv, "ca", "ca.key"))
        old, _ = self.signed("", "", time.time() - 60, of_an_authority=True, key=key)
        self.write(os.path.join(priv, "ca", "ca.pem"), old)
        self.enroll()
        self.again("pbs_mom", "a")
        self.until_down()
        self.until_said("mom_logs", "a", "certificate has expired")
        self.kill_daemon("pbs_server")
        shutil.rmtree(os.path.join(priv, "ca"))
        os.remove(self.of_server())
        self.start_daemon("pbs_server")
        self.until_answers()
        self.enroll()
        self.again("pbs_mom", "a")
        self.until_free("a")
        self.ends_well(id)


class a_server_whose_certificate_ends(WithCertificates):
    hosts = ["a", "b"]

    def on_both(self):
        return self.submit("-l", "select=2:ncpus=1", "-l", "place=scatter", "--", "/bin/true")

    def until_both_are_free(self):
        for host in self.hosts:
            self.until_free(host)

    def test_it_starts_jobs_on_one_host_only_until_it_has_another_one(self):
        before = {}

        def use(ends):
            self.kill_daemon("pbs_server")
            before.update({host: self.said_hello(host) for host in self.hosts})
            self.write(self.of_server(), self.bundle("server", "server", ends))
            self.start_daemon("pbs_server")

        def are_up():
            """The scheduler too."""
            return all(self.said_hello(host) > count for host, count in before.items()) and \
                "state = down" not in self.sure("qmgr", "-c", "list sched default state")
        self.with_one_that_ends(use, are_up)
        self.until_both_are_free()
        self.submit("-W", "block=true", "--", "/bin/true")
        id = self.on_both()
        self.until_logged("the ticket is forged: not a certificate of this cluster: certificate has expired")
        self.sure("qdel", id)
        self.kill_daemon("pbs_server")
        os.remove(self.of_server())
        self.start_daemon("pbs_server")
        self.until_both_are_free()
        self.assertEqual(self.until_state(self.on_both(), "F")["Exit_status"], "0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
