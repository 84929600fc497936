"""A host has a certificate of its own name. With it, it speaks for itself: not for another host, nor for the server, and of the cluster's
settings it changes none."""
import hashlib
import json
import os
import socket
import ssl
import unittest

from hostile import DEADLINE_S, HostileTest, call_as_daemon, context_of, needs_capnp

EVIL_VERSION = "evil 1.0"


@needs_capnp
class a_host_with_its_own_certificate(HostileTest):
    """n1's root is hostile: its MoM is gone, and what has its certificate says what it likes."""
    hosts = ["n1", "n2"]

    def setUp(self):
        super().setUp()
        self.go = os.path.join(self.work, "go")

    def tearDown(self):
        self.sure("qstat", "-B")
        self.assertEqual(self.cluster.nodes()["n2"]["Mom"], "n2")

    def bundle(self, host):
        return os.path.join(self.home(host), "mom_priv", "daemon.pem")

    def become_hostile(self):
        """A connection with the certificate of n1, whose MoM says nothing any more."""
        self.kill_daemon("pbs_mom", "n1")
        caller = call_as_daemon(self.bundle("n1"), self.top, self.server_address(), "FromMom", "ToMom")
        self.addCleanup(caller.close)
        return caller

    def hello(self, host, vnode, **more):
        cpus = [{"name": "resources_available", "resource": "ncpus", "value": "7777"}]
        return {"hello": {"host": host, "version": EVIL_VERSION, "logUuid": b"\x07" * 16, "port": 1,
                          "vnodes": [{"name": vnode, "attributes": cpus}], **more}}

    def welcome(self, caller):
        """What comes until the welcome, which is the answer to a hello."""
        said = []
        while not said or "welcome" not in said[-1]:
            said.append(caller.hear())
        return said

    def until_heard(self, caller):
        """What was said on the connection has been taken: its answer to something said later has come."""
        caller.say({"wantBlob": {"hash": b"\x01" * 32}})
        while "blob" not in (said := caller.hear()):
            pass
        return said

    def all_vnodes(self):
        return json.loads(self.sure("pbsnodes", "-av", "-F", "json"))["nodes"]

    def node(self, name):
        return self.all_vnodes()[name]

    def script(self, comment="#"):
        return f"{comment}\nuntil [ -e {self.go} ]; do sleep 0.05; done\nexit 3\n"

    def job_on_n2(self, script=None):
        id = self.submit("-l", "select=1:host=n2", "-S", "/bin/sh", input=script or self.script())
        self.until_running(id)
        return id

    def ref(self, id):
        """Of the first run of a job."""
        for line in self.audit("log", "--kind", "job", "--json").splitlines():
            record = json.loads(line)
            if record["kind"] == "JobAssigned" and record["name"].startswith(id.split(".")[0] + "."):
                return {"jobSerial": record["stream"], "run": 1, "job": id}
        self.fail(f"{id} has been assigned")

    # ---- whose name it says --------------------------------------------------------------------------------------

    def test_a_hello_with_a_vnode_of_another_host_changes_nothing_there(self):
        id = self.job_on_n2()
        before = self.node("n2")
        evil = self.become_hostile()
        evil.say(self.hello("n1", "n2"))      # a vnode of its name
        self.welcome(evil)
        self.until_heard(evil)
        self.assertEqual(self.node("n2"), before)
        self.until_logged("is a vnode of host n2; what host n1 says of it is ignored")
        open(self.go, "w").close()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "3")

    def test_names_of_hosts_that_are_not_there_yet_are_not_its_own(self):
        self.sure("qmgr", "-c", "create node gpu Mom=n1")
        self.assertEqual((self.node("gpu")["Mom"], self.node("gpu")["state"]), ("n1", "Stale"))
        evil = self.become_hostile()
        names = ["n1", "n3", "n3[0]", "n1-a", "n10", "n1[0]", "n1_a", "gpu"]
        hello = self.hello("n1", "n1")
        hello["hello"]["vnodes"] = [{"name": name} for name in names]
        evil.say(hello)
        self.welcome(evil)
        self.until(lambda: self.node("gpu")["state"] == "free", self.all_vnodes)
        self.assertEqual(sorted(self.all_vnodes()), ["gpu", "n1", "n1[0]", "n1_a", "n2"])
        for refused in ("n3", "n3[0]", "n1-a", "n10"):
            self.until_logged(f"Node;{refused};host n1 may not name a vnode so: allowed are n1[...] and what a manager creates: "
                              f"qmgr -c 'create node {refused} Mom=n1'")
        self.sure("qmgr", "-c", "create node n3")
        self.assertEqual(self.node("n3")["Mom"], "n3")
        done = self.run_command("qmgr", "-c", "create node 127.0.0.1")   # whoever calls from there
        why = "an address is no host's name here: create the node by the name in its host's certificate (pbs_enroll)"
        self.assertEqual((done.status, done.err), (214, f"qmgr obj=127.0.0.1 svr=default: Unknown node 127.0.0.1: {why}\n"
                                                        "qmgr: Error (15062) returned from server\n"), done)
        self.assertNotIn("127.0.0.1", self.all_vnodes())
        for name, more in ("n2", ""), ("gpu", ": gpu is a vnode of host n1"), ("n1[0]", ": n1[0] is a vnode of host n1"):
            done = self.run_command("qmgr", "-c", f"create node {name}")
            self.assertEqual((done.status, done.err), (218, f"qmgr obj={name} svr=default: Node name already exists{more}\n"
                                                           "qmgr: Error (15066) returned from server\n"), done)
        self.sure("qmgr", "-c", "delete node gpu")
        self.sure("qmgr", "-c", "create node gpu")
        self.assertEqual(self.node("gpu")["Mom"], "gpu")

    def test_a_hello_in_the_name_of_another_host_is_refused(self):
        evil = self.become_hostile()
        evil.say(self.hello("n2", "n1"))
        with self.assertRaises((EOFError, OSError)):
            self.welcome(evil)
            self.until_heard(evil)
        self.until_logged("the certificate is of host n1, and it says that it is n2")

    def test_who_is_no_node_is_turned_away(self):
        self.sure("qmgr", "-c", "delete node n1")
        with self.assertRaises((EOFError, OSError)):
            evil = self.become_hostile()
            evil.say(self.hello("n1", "n1"))
            self.welcome(evil)
        self.until_logged("host n1 is no node of this cluster")

    def test_certificates_of_another_authority_open_nothing(self):
        foreign = os.path.join(self.top, "foreign.pem")
        self.make_certificate(foreign)
        for address in (self.server_address(), (self.cluster.address(1), self.cluster.info["port"] + 1)):
            with self.assertRaises((EOFError, OSError)):
                call_as_daemon(foreign, self.top, address, "FromMom", "ToMom").hear()
        self.until_logged("TLS handshake failed: certificate verify failed")
        self.until(lambda: "TLS handshake failed: certificate verify failed" in self.mom_log("n1"), "n1 says so, too")

    def make_certificate(self, bundle):
        """One that says it is n2's, by an authority of our own."""
        ca, key, own, request, names = (os.path.join(self.top, name) for name in ("ca.pem", "ca.key", "own.pem", "own.csr", "names"))
        with open(names, "w") as f:
            f.write("subjectAltName=URI:annals:mom/n2\n")
        openssl = lambda *arguments: self.sure("openssl", *arguments)
        new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        openssl("req", "-x509", *new_key, "-keyout", key, "-out", ca, "-subj", "/O=annals/CN=annals cluster CA")
        openssl("req", *new_key, "-keyout", own + ".key", "-out", request, "-subj", "/O=annals/OU=mom/CN=n2")
        openssl("x509", "-req", "-in", request, "-CA", ca, "-CAkey", key, "-CAcreateserial", "-extfile", names, "-out", own)
        with open(bundle, "w") as out:
            for path in (ca, own, own + ".key"):
                with open(path) as f:
                    out.write(f.read())

    def test_a_host_can_not_pose_as_the_server(self):
        """n2's MoM calls the server's address, where now n1 answers."""
        self.kill_daemon("pbs_server")
        context = context_of(self.bundle("n1"), self.top, ssl.PROTOCOL_TLS_SERVER)
        with socket.create_server(self.server_address()) as listening:
            listening.settimeout(DEADLINE_S)
            for _ in range(4):
                connected, _ = listening.accept()
                with connected:
                    connected.settimeout(DEADLINE_S)
                    self.assertEqual(self.first_bytes(context, connected), b"")
        self.until(lambda: "the peer is mom n1, not server" in self.mom_log("n2"), lambda: f"n2 says why: {self.mom_log('n2')[-1500:]}")
        self.start_daemon("pbs_server")
        for host in self.hosts:
            self.until_free(host)

    def first_bytes(self, context, connected):
        """What the peer says behind the handshake, when it was greeted as a listener greets."""
        try:
            with context.wrap_socket(connected, server_side=True) as tls:
                tls.sendall(b"\0\0\0\0")
                return tls.recv(4096).lstrip(b"\0")
        except OSError:
            return b""

    # ---- what is others' -------------------------------------------------------------------------------------------

    def test_runs_of_another_host_are_not_its_own(self):
        id = self.job_on_n2()
        ref = self.ref(id)
        evil = self.become_hostile()
        evil.say(self.hello("n1", "n1"))
        self.welcome(evil)
        for report in ({"runExited": {"ref": ref, "exitStatus": 0}}, {"runLeft": {"ref": ref, "delivered": True}},
                       {"runRefused": {"ref": ref, "code": 1, "text": "no"}}, {"signalDone": {"ref": ref}},
                       {"runUsage": {"ref": ref, "hosts": [{"host": "n2", "usage": {"resources": [{"resource": "cput", "value": "99:00:00"}]}}]}},
                       {"hookReport": {"ref": ref, "position": 1, "run": {"hook": "h", "event": "execjob_epilogue"}, "delete": True,
                                       "jobChanges": [{"name": "Account_Name", "value": "evil"}]}}):
            evil.say(report)
        self.until_heard(evil)
        job = self.job(id)
        self.assertEqual((job["job_state"], job.get("Account_Name")), ("R", None), job)
        self.assertNotEqual(job.get("resources_used.cput"), "99:00:00")
        open(self.go, "w").close()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "3")
        self.until_recorded(id, "QSE")

    def test_scripts_and_users_of_another_host_are_not_its_own(self):
        script = self.script("# " + "x" * (100 << 10))
        id = self.job_on_n2(script)
        ref = self.ref(id)
        evil = self.become_hostile()
        evil.say(self.hello("n1", "n1"))
        self.welcome(evil)
        hash = hashlib.sha256(script.encode()).digest()
        for wanted in (ref, {}, {**ref, "run": 2}):
            evil.say({"wantBlob": {"hash": hash, "ref": wanted}})
            while "blob" not in (said := evil.hear()):
                pass
            self.assertEqual((said["blob"]["missing"], said["blob"].get("data", [])), (True, []), wanted)
        self.until_logged(f"asked for a script that is not of a run it has ({id}); not sent")
        as_user = call_as_daemon(self.bundle("n1"), self.top, self.server_address(), "FromMom", "Reply")
        self.addCleanup(as_user.close)
        as_user.say({"commandOf": ref})
        said = as_user.hear()
        self.assertIn(f"job {id} does not run on host n1", said["rejected"]["text"])
        as_user.sends = "Request"
        with self.assertRaises((EOFError, OSError)):
            as_user.say({"id": 1, "commandId": b"\x01" * 16, "deleteJob": {"job": id}})
            while "done" not in as_user.hear():
                pass
        self.assertEqual(self.job(id)["job_state"], "R")
        open(self.go, "w").close()
        self.until_state(id, "F")

    def test_vnodes_of_another_host_are_not_its_own(self):
        before = self.node("n2")
        evil = self.become_hostile()
        evil.say(self.hello("n1", "n1"))
        self.welcome(evil)
        changes = [{"name": "comment", "value": "evil"}, {"name": "state", "value": "offline"},
                   {"name": "resources_available", "resource": "ncpus", "value": "1"}]
        evil.say(self.report("exechost_periodic", 1, vnodes=[{"vnode": "n2", "changes": changes}]))
        self.until_heard(evil)
        self.assertEqual(self.node("n2"), before)
        self.until_logged("n1 may not change n2 by a hook; not done")

    # ---- the cluster's settings --------------------------------------------------------------------------------------

    def report(self, event, position, **more):
        return {"hookReport": {"ref": {}, "position": position, "run": {"hook": "no_such_hook", "event": event}, **more}}

    def resources(self):
        return self.sure("qmgr", "-c", "print resource")

    def test_resources_are_made_by_startup_hooks_alone(self):
        evil = self.become_hostile()
        evil.say(self.hello("n1", "n1"))
        self.welcome(evil)
        for position, event in enumerate(("exechost_periodic", "execjob_begin", "queuejob", "no such event"), 1):
            evil.say(self.report(event, position, resources=[{"name": "evil", "type": "long", "flags": "h"}]))
        self.until_heard(evil)
        self.assertEqual(self.resources(), "")

    def test_a_hook_that_is_not_there_makes_no_resource(self):
        evil = self.become_hostile()
        evil.say(self.hello("n1", "n1"))
        self.welcome(evil)
        evil.say(self.report("exechost_startup", 1, resources=[{"name": "evil", "type": "long", "flags": "h"}]))
        self.until_heard(evil)
        self.assertEqual(self.resources(), "")
        self.until_logged("n1 may not change resources by a hook; not done")


if __name__ == "__main__":
    unittest.main(verbosity=2)
