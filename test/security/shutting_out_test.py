"""A user who takes all connections, leaves frames half said, begins handshakes without end and sends what is too large shuts out nobody but
himself; the logs say so. (test/system/crowd_test.py has each connection's limit; here all is done at once.)

Processes may have 256 open files: an ordinary user 64 connections to the server; TCP peers without a certificate 8 places together,
and 8 those that call from a port of root.
"""
import os
import resource
import select
import socket
import struct
import threading
import unittest

from hostile import DEADLINE_S, LONG, Attacker, HostileTest, call_as_daemon, needs_capnp, needs_two_users

FILES = 256
CONNECTIONS, HANDSHAKES = FILES // 4, FILES // 64      # of one user, of one address
MB = 1 << 20


def setUpModule():
    # A hard limit that was lowered stays: this process is for these tests alone.
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


def half_frames(path):
    """Work of an attacker: connections, each with the beginning of a frame, until one more is turned away. He tells how many there are,
    and what he was told."""
    def work(tell):
        held = []
        while True:
            s = socket.socket(socket.AF_UNIX)
            s.connect(path)
            if select.select([s], [], [], 0 if len(held) < CONNECTIONS else DEADLINE_S)[0]:
                tell([len(held), s.recv(65536).decode(errors="replace")])
                s.close()
                break
            s.sendall(struct.pack("<I", MB) + b"\0" * 100)
            held.append(s)
        for s in held:          # until each is cut off
            s.settimeout(DEADLINE_S)
            try:
                while s.recv(65536):
                    pass
            except OSError:
                pass
            s.close()
        tell("all cut off")
    return work


def frames_too_large(path):
    """Work: frames of 20 MB, of which 1 MB comes; tells what is answered."""
    def work(tell):
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(DEADLINE_S)
            s.connect(path)
            said = b""
            try:
                s.sendall(struct.pack("<I", 20 * MB) + b"x" * MB)
                while piece := s.recv(65536):
                    said += piece
            except OSError:
                pass
            tell(said.decode(errors="replace"))
    return work


def endless_handshakes(address, source, number=2 * HANDSHAKES):
    """Work: so many TLS handshakes at a time that are begun and go no further, for ever. Tells when the first was cut off."""
    def begin():
        while True:
            try:
                with socket.socket() as s:
                    s.settimeout(DEADLINE_S)
                    s.bind((source, 0))
                    s.connect(address)
                    s.sendall(b"\x16\x03\x01\x02\x00\x01")
                    s.recv(1)
            except OSError:
                pass
            yield

    def work(tell):
        told = threading.Event()

        def keep():
            for _ in begin():
                if not told.is_set():
                    told.set()
                    tell("cut off")
        threads = [threading.Thread(target=keep, daemon=True) for _ in range(number)]
        for thread in threads:
            thread.start()
    return work


@needs_two_users
class one_user_against_all(HostileTest):
    hosts = ["a", "b"]

    def mom_address(self, number):
        return self.cluster.address(number), self.cluster.info["port"] + number

    def attack(self, work, name="nobody"):
        return Attacker(self, self.person(name), work)

    def everybody_is_served(self):
        self.sure("qstat", "-B")
        self.sure("qstat", "-B", **self.person("daemon"))
        for host in self.hosts:
            id = self.submit("-l", f"select=1:host={host}", "--", "/bin/true")
            self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")

    def test_all_at_once(self):
        halves = self.attack(half_frames(self.server_socket()))
        at_moms = [self.attack(half_frames_of_mom(os.path.join(self.home(host), "mom_priv", "tm.sock"))) for host in self.hosts]
        large = self.attack(frames_too_large(self.server_socket()), "daemon")
        elsewhere = "127.99.99.99"
        knocking = [self.attack(endless_handshakes(address, elsewhere))
                    for address in (self.server_address(), self.mom_address(1), self.mom_address(2))]
        self.assertIn(f"a frame of {20 * MB} bytes is larger than the limit of {4 * MB}", large.said())
        number, told = halves.said()
        self.assertEqual(number, CONNECTIONS)
        # A user who is new is called by his number while his name is still asked for.
        self.assertRegex(told, rf"user (nobody|\d+): too many connections \(limit {CONNECTIONS}\)")
        for host in at_moms:
            self.assertGreater(host.said(), 1)
        self.everybody_is_served()
        # Daemons that come anew find their places.
        for daemon, host in ("pbs_mom", "a"), ("pbs_sched", "server"):
            self.kill_daemon(daemon, host)
            self.start_daemon(daemon, host)
        self.until_free("a")
        self.everybody_is_served()
        self.assertEqual([k.said() for k in knocking], ["cut off"] * 3)
        for line in (f"turned away: too many connections (limit {CONNECTIONS})",
                     f"a frame of {20 * MB} bytes is larger than the limit of {4 * MB}",
                     f"{elsewhere} turned away: too many TLS handshakes at once (limit {HANDSHAKES})",
                     "no TLS handshake within 10 s"):
            self.until_logged(line)
        self.until(lambda: "turned away: too many" in self.mom_log("a"), lambda: f"the MoM says so, too: {self.mom_log('a')}")
        if LONG:
            self.assertEqual(halves.said(), "all cut off")
            self.until_logged("a frame was not whole within 30 s")
            self.sure("qstat", "-B", **self.person("nobody"))
        self.everybody_is_served()

    @needs_capnp
    def test_handshakes_from_the_hosts_own_address(self):
        """A user of a host has its address, not the ports of its root: its MoM gets in, as others do."""
        for source in "127.99.99.99", "127.0.0.1":
            attacker = self.attack(endless_handshakes(self.server_address(), source))
            self.until_logged(f"{source} turned away: too many TLS handshakes at once (limit ")
            if source == "127.99.99.99":
                self.call_as_mom()
            self.kill_daemon("pbs_mom", "a")
            self.until(lambda: "down" in self.cluster.nodes()["a"]["state"], self.cluster.nodes)
            self.start_daemon("pbs_mom", "a")
            self.until_free("a")
            attacker.end()

    def call_as_mom(self):
        """Whoever has a certificate is greeted."""
        bundle = os.path.join(self.home("a"), "mom_priv", "daemon.pem")
        with call_as_daemon(bundle, self.top, self.server_address(), "FromMom", "ToMom") as caller:
            self.assertEqual(caller.bytes(4), b"\0\0\0\0")


def half_frames_of_mom(path):
    """As half_frames, of a MoM, whose limit is another."""
    def work(tell):
        held = []
        for _ in range(FILES - 20):
            s = socket.socket(socket.AF_UNIX)
            s.connect(path)
            try:
                s.sendall(struct.pack("<I", MB // 4) + b"\0" * 100)
            except OSError:
                continue        # turned away already
            held.append(s)
        tell(len(held))
        return held
    return work


if __name__ == "__main__":
    unittest.main(verbosity=2)
