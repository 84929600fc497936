"""A client that asks a million things and reads no answer: the server reads no more of it than it has in hand, so its memory stays small and
others are served; when the client reads, all its answers come, in order. One that waits for the end of a job a hundred thousand times is
refused beyond a limit, and is heard all the while.
"""
import os
import select
import socket
import struct
import threading
import unittest

from frames import Word, framed, message
from hostile import DEADLINE_S, ROOT, Caller, HostileTest, needs_capnp

REQUESTS = 1_000_000
BLOCK = 10_000          # requests that are sent with one call
WAITS, WAITS_MAX = 100_000, 10_000      # limits::end_waits_max has places for two such users
MEMORY_MB = 64
QUIET_S = 3             # nothing is read for so long: nothing will be
ID = 4 + 16             # where a request's number stands in its frame: behind length, segment table and root pointer


def in_blocks(request, number):
    """The frames of requests 1 to `number`, a block at a time."""
    one = framed(message("Request", {"id": 1, **request}))
    assert one[ID:ID + 8] == struct.pack("<Q", 1)
    for first in range(1, number + 1, BLOCK):
        block = bytearray(one * BLOCK)
        for i in range(BLOCK):
            struct.pack_into("<Q", block, i * len(one) + ID, first + i)
        yield block


class Asking:
    """Sends requests as long as the server reads them."""

    def __init__(self, path, request, number):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.blocks = in_blocks(request, number)
        self.left = memoryview(b"")

    def close(self):
        self.socket.close()

    def send_until_nothing_is_read(self):
        """False: all was read."""
        self.socket.setblocking(False)
        while self.left or self.next():
            if not select.select([], [self.socket], [], QUIET_S)[1]:
                return True
            try:
                self.left = self.left[self.socket.send(self.left):]
            except BlockingIOError:
                pass
        return False

    def next(self):
        self.left = memoryview(next(self.blocks, b""))
        return len(self.left) > 0

    def send_the_rest(self):
        self.socket.settimeout(DEADLINE_S)
        while self.left or self.next():
            self.socket.sendall(self.left)
            self.left = memoryview(b"")

    def answers(self):
        """The bodies of what comes, one after the other."""
        self.socket.settimeout(DEADLINE_S)
        read = b""
        while piece := self.socket.recv(1 << 20):
            read += piece
            at = 0
            while at + 4 <= len(read) and at + 4 + (length := int.from_bytes(read[at:at + 4], "little")) <= len(read):
                yield read[at + 4:at + 4 + length]
                at += 4 + length
            read = read[at:]


@needs_capnp
class a_client_that_does_not_read(HostileTest):
    def asking(self, request, number):
        asking = Asking(self.server_socket(), request, number)
        self.addCleanup(asking.close)
        return asking

    def peak_mb(self):
        """Of the server's memory, since its start."""
        [pid] = self.daemon_pids("pbs_server")
        with open(f"/proc/{pid}/status") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1024

    def another_is_served(self):
        self.sure("qstat", "-B", **(self.person("daemon") if ROOT else {}))

    def all_answers_come(self, asking, number):
        rest = threading.Thread(target=asking.send_the_rest, daemon=True)
        rest.start()
        answers = asking.answers()
        for expected in range(1, number + 1):
            body = next(answers)
            self.assertEqual(struct.unpack_from("<Q", body, 16)[0], expected)
        rest.join()

    def test_a_million_requests(self):
        self.another_is_served()
        before = self.peak_mb()
        asking = self.asking({"hello": {}}, REQUESTS)
        self.assertTrue(asking.send_until_nothing_is_read(), "the server has read a million requests whose answers nobody reads")
        self.another_is_served()
        self.assertLess(self.peak_mb() - before, MEMORY_MB)
        self.all_answers_come(asking, REQUESTS)
        self.assertLess(self.peak_mb() - before, MEMORY_MB)

    def test_waits_for_the_end_of_a_job(self):
        """They are no requests in hand: a client with many is heard. The number of them is limited."""
        id = self.submit("-h", "--", "/bin/true")
        before = self.peak_mb()
        asking = self.asking({"waitJob": {"job": id}}, WAITS)
        rest = threading.Thread(target=asking.send_the_rest, daemon=True)
        rest.start()
        answers = asking.answers()
        for expected in range(WAITS_MAX + 1, WAITS + 1):
            body = next(answers)
            self.assertEqual(struct.unpack_from("<Q", body, 16)[0], expected)
        self.assertIn(f"waits for the ends of too many jobs at once (limit {WAITS_MAX})".encode(), body)
        rest.join()
        asking.socket.sendall(framed(message("Request", {"id": WAITS + 1, "hello": {}})))
        self.assertEqual(struct.unpack_from("<Q", next(answers), 16)[0], WAITS + 1)
        self.another_is_served()
        self.assertLess(self.peak_mb() - before, MEMORY_MB)
        asking.close()
        # Who is gone waits no longer: his places are free.
        with Caller.unix(self.server_socket()) as caller:
            def waits():
                caller.say({"id": 1, "waitJob": {"job": id}})
                first = caller.ask({"id": 2, "stat": {"kind": Word("server")}})     # answered by the same actor, and so in order
                return first["id"] == "2" or not caller.hear()
            self.until(waits, "there is a place to wait for the job's end")
            self.sure("qdel", id)
            self.assertIn("jobEnded", caller.hear())


if __name__ == "__main__":
    unittest.main(verbosity=2)
