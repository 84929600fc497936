"""The feed of the log. A follower's certificate opens the feed and nothing else, and no other opens it. What has one and asks for what is not
there, asks a million times, reads nothing or sends garbage harms nobody else. And a follower believes no record that was changed on its way,
says which, and keeps what it had.
"""
import json
import os
import random
import re
import socket
import ssl
import struct
import sys
import threading
import unittest

from frames import Caller, framed, message
from hostile import DEADLINE_S, HostileTest, call_as_daemon, context_of, needs_capnp
from follow_test import with_a_follower

PROTOCOL = "annals feed 1"
LOG_MB, JOB_KB = 40, 100
MEMORY_MB = 64          # what an attacker may cost: 8 MB that wait for it, what TLS and the store keep for reading, and some
ACKNOWLEDGEMENTS, BLOCK = 1_000_000, 10_000
WORDS_OF_GARBAGE = 60


def hello(sequence=0, **more):
    return {"hello": {"protocol": PROTOCOL, "sequence": sequence, **more}}


class feed_test(with_a_follower, HostileTest):
    """The follower's own process is not there at first: its certificate is in other hands."""

    def setUp(self):
        super().setUp()
        self.kill_daemon("pbs_follow", "a")

    def call(self, bundle=None):
        caller = call_as_daemon(bundle or self.pem, self.top, self.server_address(), "FromFollower", "ToFollower")
        self.addCleanup(caller.close)
        return caller

    def until_fed(self, caller, last):
        """The records that come up to that one."""
        records = []
        while not records or len(records) < last:
            records += [bytes(r) for r in caller.hear()["records"].get("records", [])]
        return records

    def last_record(self):
        return json.loads(self.audit("log", "-n", "1", "--json").splitlines()[-1])["sequence"]

    def until_closed(self, caller):
        """What is heard before the end."""
        said = []
        with self.assertRaises((EOFError, OSError)):
            while True:
                said.append(caller.hear())
        return said


@needs_capnp
class who_has_a_followers_certificate(feed_test):
    def tearDown(self):
        self.sure("qstat", "-B")
        self.start_daemon("pbs_follow", "a")
        self.until_level()

    def grow_log(self):
        """Until it has LOG_MB, in records of JOB_KB."""
        for _ in range(LOG_MB * 1000 // JOB_KB):
            self.submit("-h", "-v", "A=" + "x" * JOB_KB * 1000, "--", "/bin/true")

    def memory_mb(self):
        with open(f"/proc/{self.daemon_pids('pbs_server')[0]}/status") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1)) / 1024

    def heartbeats(self, caller):
        """As one has to send them that wants to be thought alive; until the connection is closed."""
        ended = threading.Event()
        self.addCleanup(ended.set)

        def beat():
            while not ended.wait(1):
                try:
                    caller.heartbeat()
                except OSError:
                    return
        threading.Thread(target=beat, daemon=True).start()

    def test_other_certificates_open_no_feed_and_this_one_opens_nothing_else(self):
        self.kill_daemon("pbs_mom", "a")
        mom = self.call(os.path.join(self.home("a"), "mom_priv", "daemon.pem"))
        mom.say(hello())
        self.assertFalse([word for word in self.until_closed(mom) if "records" in word])
        self.start_daemon("pbs_mom", "a")

        evil = self.call()
        evil.sends = "FromMom"
        evil.say({"hello": {"host": "a", "version": "evil 1.0", "logUuid": b"\x07" * 16, "port": 1, "vnodes": [{"name": "a"}]}})
        said = self.until_closed(evil)
        self.assertEqual(len(said), 1, said)
        self.assertIn("is no pbs_follow of this release", said[0]["refused"]["text"])
        evil = self.call()
        evil.sends = "Request"
        evil.say({"id": 1, "queueJob": {"submitHost": "a"}})
        self.assertFalse([word for word in self.until_closed(evil) if "records" in word])
        at_mom = call_as_daemon(self.pem, self.top, (self.cluster.address(1), self.cluster.info["port"] + 1), "FromMom", "ToMom")
        self.addCleanup(at_mom.close)
        with self.assertRaises((EOFError, OSError)):
            at_mom.hear()
        self.until_free("a")
        self.assertNotIn("evil", self.sure("pbsnodes", "-av"))

    def test_a_position_that_the_log_does_not_have_is_refused(self):
        last = self.last_record()
        for sequence, more, why in ((last + 1000, {}, f"the copy goes up to record {last + 1000}, and the log ends with record "),
                                    (2**64 - 1, {}, "the copy goes up to record 18446744073709551615, and the log ends with record "),
                                    (last, {}, f"the copy ends with another record {last} than the log has"),
                                    (last, {"head": b"\0" * 32}, f"the copy ends with another record {last} than the log has"),
                                    (last, {"head": b"\0" * 100_000}, f"the copy ends with another record {last} than the log has"),
                                    (0, {"logUuid": b"\7" * 16}, "the copy is of log 0707"),
                                    (0, {"logUuid": b"\7" * 100_000}, "what the copy says of its log is no identity")):
            evil = self.call()
            evil.say(hello(sequence, **more))
            said = self.until_closed(evil)
            self.assertEqual(len(said), 1, said)
            self.assertTrue(said[0]["refused"]["text"].startswith(why), said)
            self.assertTrue(said[0]["refused"]["forGood"], said)
        self.until_logged("the follower on a is refused: what the copy says of its log is no identity")
        self.assertNotIn("07" * 1000, self.server_log())

    def test_one_that_acknowledges_a_million_times_costs_nothing(self):
        evil = self.call()
        evil.say(hello())
        self.until_fed(evil, self.last_record())
        before = self.memory_mb()
        block = framed(message("FromFollower", {"taken": 1})) * BLOCK
        sender = threading.Thread(target=lambda: [evil.socket.sendall(block) for _ in range(ACKNOWLEDGEMENTS // BLOCK)])
        sender.start()
        while sender.is_alive():
            self.sure("qstat", "-B")
        sender.join()
        evil.say({"taken": 2**63})
        said = self.until_closed(evil)
        self.assertEqual(said[-1]["refused"]["text"], f"it says that it has record {2**63}, which it was not sent", said)
        self.assertLess(self.memory_mb() - before, MEMORY_MB)

    def test_one_that_reads_nothing_costs_little_whatever_it_acknowledges(self):
        self.grow_log()
        last = self.last_record()
        before = self.memory_mb()
        silent = self.call()
        self.heartbeats(silent)
        silent.say(hello())
        self.until_logged("the follower on a reads the log behind record 0")
        for _ in range(20):
            self.submit("-h", "--", "/bin/true")
        self.assertLess(self.memory_mb() - before, MEMORY_MB)

        liar = self.call()
        self.heartbeats(liar)
        liar.say(hello())
        self.until_logged("the follower on a is refused: another one has come from its host")
        for sequence in range(1, last, 10):
            try:
                liar.say({"taken": sequence})
            except OSError:
                break
        # With too much waiting for it the server reads no acknowledgement either, and hears nothing of it any more.
        gone = re.compile(r"the follower on a is gone, behind record \d+: peer silent")

        def ended():
            self.sure("qstat", "-B")
            self.assertLess(self.memory_mb() - before, MEMORY_MB)
            return gone.search(self.server_log())
        self.until(ended, lambda: f"the liar is not waited for: {self.server_log()[-1000:]}")

    def test_garbage_ends_its_connection(self):
        seed = int(os.environ.get("ANNALS_SEED", 0)) or random.SystemRandom().randrange(1, 2**32)
        print(f"ANNALS_SEED={seed}", file=sys.stderr)
        draw = random.Random(seed)
        sound = message("FromFollower", hello(1, logUuid=b"\7" * 16, head=b"\0" * 32))
        for n in range(WORDS_OF_GARBAGE):
            evil = self.call()
            body = bytearray(sound)
            for _ in range(draw.randrange(1, 8)):
                body[draw.randrange(len(body))] ^= 1 << draw.randrange(8)
            evil.socket.sendall((draw.randbytes(draw.randrange(1, 4000)), framed(draw.randbytes(8 * draw.randrange(1, 500))), framed(bytes(body)),
                                 framed(bytes(body[:8 * draw.randrange(1, len(body) // 8)])))[n % 4])
            evil.close()
        self.sure("qstat", "-B")
        self.assertEqual(len(self.daemon_pids("pbs_server")), 1)


# ---- what comes to a follower was changed ----------------------------------------------------------------------------------------------

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def flipped(record, at):
    return record[:at] + bytes([record[at] ^ 4]) + record[at + 1:]


def resealed(record, at):
    """Changed, and with a checksum that is right (events/log/record.hpp)."""
    changed = flipped(record, at)
    return struct.pack("<I", crc32c(changed[4:])) + changed[4:]


@needs_capnp
class a_follower_that_is_sent_something_else(feed_test):
    """In the server's place something with the server's certificate, which has its log."""

    def setUp(self):
        super().setUp()
        self.level = self.last_record()
        for n in range(12):
            self.submit("-h", "-N", f"job{n}", "--", "/bin/true")
        last = self.last_record()
        caller = self.call()
        caller.say(hello())
        self.log_records = self.until_fed(caller, last)
        caller.close()
        self.kill_daemon("pbs_server")
        self.listening = socket.create_server(self.server_address(), reuse_port=False)
        self.addCleanup(self.listening.close)
        self.listening.settimeout(DEADLINE_S)
        self.context = context_of(os.path.join(self.home(), "server_priv", "daemon.pem"), self.top, ssl.PROTOCOL_TLS_SERVER)

    def accept(self):
        """The connection of the follower, and up to which record it has the log; others that call are not heard."""
        while True:
            try:
                caller = Caller(self.context.wrap_socket(self.listening.accept()[0], server_side=True), "ToFollower", "FromFollower")
                caller.heartbeat()
                word = caller.hear()
            except (EOFError, OSError, ValueError):
                continue
            if word.get("hello", {}).get("protocol") == PROTOCOL:
                self.addCleanup(caller.close)
                return caller, int(word["hello"]["sequence"])
            caller.close()

    def records(self, first, last):
        return self.log_records[first - 1:last]

    def send(self, caller, records):
        caller.say({"records": {"records": records, "last": len(self.log_records)}})

    def started(self):
        self.start_daemon("pbs_follow", "a")
        return self.accept()

    def no_further(self, sequence, why):
        said = f"a, up to record {sequence} and no further: what server server sent can't be believed: {why}"
        self.until(lambda: self.standing() == said, lambda: f"the follower says {said}: {self.standing()}")
        self.assertIn("from follower " + said, re.sub(r"\s+", " ", self.sure_there("qstat", "-B")))
        self.until(lambda: f"follows no more: what server server sent can't be believed: {why}" in self.follow_log(), self.follow_log)
        self.kill_daemon("pbs_follow", "a")

    def level_with_server(self):
        self.listening.close()
        self.start_daemon("pbs_server")
        self.until_answers()
        self.start_daemon("pbs_follow", "a")
        self.until_level()
        self.until_equal("qstat", "-f")
        copy = self.run_command("pbs_audit", "--log", os.path.join(self.home("a"), "follow_priv", "log"), "verify")
        self.assertEqual(copy.status, 0, copy)

    def test_what_was_changed_or_is_missing_is_named_and_not_believed(self):
        server, has = self.started()
        next_ = has + 1
        self.assertLessEqual(next_ + 8, len(self.log_records))
        for bad, why in ((flipped(self.log_records[next_], 100), "what came behind record {before}: wrong checksum"),
                         (flipped(self.log_records[next_], 1), "what came behind record {before}: wrong checksum"),
                         (flipped(self.log_records[next_], 8), "what came behind record {before}: wrong checksum"),
                         (resealed(self.log_records[next_], 8), "record {it}: its chain hash does not match record {before}"),
                         (self.log_records[next_ + 1], "record {after} came, and not record {it}"),
                         (self.log_records[0], "record 1 came, and not record {it}"),
                         (b"", "what came behind record {before}: ")):
            self.send(server, self.records(has + 1, next_) + [bad] + self.records(next_ + 2, next_ + 3))
            if why.endswith(": "):
                why += self.until(lambda: (re.search(rf"no further: .* behind record {next_}: (.*)", self.standing()) or [None, None])[1], self.standing)
            self.no_further(next_, why.format(before=next_, it=next_ + 1, after=next_ + 2))
            server.close()
            server, has = self.started()
            self.assertEqual(has, next_)
            next_ = has
        server.close()
        self.kill_daemon("pbs_follow", "a")
        self.level_with_server()

    def test_a_change_with_a_right_checksum_shows_at_the_next_record_and_at_the_server(self):
        server, has = self.started()
        text = self.log_records[has].rfind(b"job")
        self.assertGreater(text, 40)
        self.send(server, [resealed(self.log_records[has], text)] + self.records(has + 2, has + 2))
        self.no_further(has + 1, f"record {has + 2}: its chain hash does not match record {has + 1}")
        server.close()
        self.listening.close()
        self.start_daemon("pbs_server")
        self.until_answers()
        self.start_daemon("pbs_follow", "a")
        why = f"server server refuses: the copy ends with another record {has + 1} than the log has"
        self.until(lambda: why in self.standing(), self.standing)
        self.assertIn("to follow it from the beginning, end pbs_follow, remove its log and start it again", self.standing())

    def test_a_feed_that_stops_in_the_middle_goes_on_later(self):
        server, has = self.started()
        self.send(server, self.records(has + 1, has + 2))
        while "taken" not in (word := server.hear()) or int(word["taken"]) < has + 2:
            pass
        frame = framed(message("ToFollower", {"records": {"records": self.records(has + 3, has + 5), "last": len(self.log_records)}}))
        server.socket.sendall(frame[:len(frame) * 2 // 3])
        server.close()
        self.until(lambda: "closed by the peer in the middle of a frame" in self.follow_log(), self.follow_log)
        server, again = self.accept()
        self.assertEqual(again, has + 2)
        server.close()
        self.kill_daemon("pbs_follow", "a")
        self.level_with_server()


if __name__ == "__main__":
    unittest.main(verbosity=2)
