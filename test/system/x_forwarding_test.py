"""qsub -X (docs/design/0059-interactive-jobs.md): X programs of an interactive job reach their user's display, and nobody else does. The X
server is a small one that looks at cookies and echoes; xauth is one that notes what it is told."""
import os
import re
import signal
import socket
import struct
import tempfile
import threading
import unittest

from private_cluster import STAGE
from screen import InteractiveTest, Screen

KIND, REAL = b"MIT-MAGIC-COOKIE-1", bytes(range(16))

XAUTH = """#!/bin/sh
case $1 in
  list) echo "desk/unix:7  MIT-MAGIC-COOKIE-1  ${REAL_COOKIE-%s}" ;;
  *) cat >> "$XAUTH_NOTES" ;;
esac
""" % REAL.hex()

# An X program: shows a cookie, is let in or not, and has so many bytes echoed.
PROGRAM = """import os, re, socket, struct, sys, threading
number = int(re.match(r"localhost:(\\d+)[.]0$", os.environ["DISPLAY"])[1])
size, cookie = int(sys.argv[1]), bytes.fromhex(sys.argv[2] if len(sys.argv) > 2 else open(os.environ["XAUTH_NOTES"]).read().split()[-1])
x = socket.create_connection(("localhost", 6000 + number))
kind = b"MIT-MAGIC-COOKIE-1"
x.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, len(kind), len(cookie)) + kind + b"\\0\\0" + cookie)
if x.recv(1) != b"\\1":
    sys.exit(print("refused") or 1)
if size < 0:
    print("inside", flush=True)
    sys.exit(print("closed" if not x.recv(1) else "more") or 0)
sent = os.urandom(size)
threading.Thread(target=lambda: x.sendall(sent)).start()
got = b""
while len(got) < size:
    more = x.recv(65536)
    if not more:
        sys.exit(print("lost after", len(got)) or 1)
    got += more
print("echoed", len(got), got == sent)
"""


class XServer:
    """Echoes to who shows the cookie that it wants."""

    def __init__(self, test, listener, cookie=REAL):
        self.cookie, self.listener = cookie, listener
        self.let_in, self.left, self.shown = 0, 0, []
        self.held = threading.Event()     # while it is not set nothing is read
        self.held.set()
        listener.listen()
        server = threading.Thread(target=self.serve)
        test.addCleanup(server.join)
        test.addCleanup(listener.shutdown, socket.SHUT_RDWR)   # which wakes it; a descriptor that is only closed may become another test's
        server.start()

    def serve(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return self.listener.close()
            threading.Thread(target=self.talk, args=(client,), daemon=True).start()

    def talk(self, client):
        with client:
            header = client.recv(12, socket.MSG_WAITALL)
            if len(header) < 12:
                return                        # it left without a word
            lengths = struct.unpack("<HH", header[6:10])
            text = client.recv(sum((n + 3) // 4 * 4 for n in lengths), socket.MSG_WAITALL) if any(lengths) else b""
            self.shown.append(text)
            if text != (KIND + b"\0\0" + self.cookie if self.cookie else b""):
                return client.sendall(b"\0")
            self.let_in += 1
            client.sendall(b"\1")
            while self.held.wait():
                more = client.recv(65536)
                if not more:
                    self.left += 1
                    return
                client.sendall(more)


class XTest(InteractiveTest):
    def setUp(self):
        super().setUp()
        self.tools = os.path.join(self.top, "tools")
        os.mkdir(self.tools)
        self.notes = os.path.join(self.top, "notes")
        self.program = os.path.join(self.top, "program.py")
        for path, text in (os.path.join(self.tools, "xauth"), XAUTH), (self.program, PROGRAM):
            with open(path, "w") as f:
                f.write(text)
            os.chmod(path, 0o755)
        self.path = f"{self.tools}:{os.environ['PATH']}"

    def display_on_tcp(self):
        for number in range(200, 1000):
            listener = socket.socket()
            try:
                listener.bind(("127.0.0.1", 6000 + number))
                return listener, f"localhost:{number}.0"
            except OSError:
                listener.close()
        self.fail("no port is free")

    def sit_with_x(self, display, *arguments, host="a", **environment):
        return self.sit("-X", "-v", f"PATH={self.path},XAUTH_NOTES={self.notes}", *arguments, host=host,
                        environment={"DISPLAY": display, "PATH": f"{STAGE}/bin:{self.path}", **environment})

    def run_program(self, s, size, *cookie):
        return self.ask(s, f"python3 {self.program} {size} {' '.join(cookie)}")


class a_display(XTest):
    def test_programs_of_the_job_reach_it(self):
        listener, display = self.display_on_tcp()
        x = XServer(self, listener)
        s = self.sit_with_x(display)
        there = self.ask(s, "echo $DISPLAY").strip()
        self.assertRegex(there, r"^localhost:\d+\.0$")
        self.assertEqual(self.run_program(s, 300000), "echoed 300000 True\n")
        self.assertEqual(x.shown, [KIND + b"\0\0" + REAL])     # the user's own, which the job does not have
        with open(self.notes) as f:
            told = f.read()
        number = re.match(r"localhost:(\d+)", there)[1]
        made = re.fullmatch(rf"add unix:{number} MIT-MAGIC-COOKIE-1 ([0-9a-f]{{32}})\n", told)[1]
        self.nobody_reads(made)
        self.nobody_reads(REAL.hex())
        s.line("exit")
        self.finish(s)

    def nobody_reads(self, cookie):
        """Neither in what is said of the job nor in any file of the cluster."""
        self.assertNotIn(cookie, self.sure("qstat", "-f"))
        for folder, _, names in os.walk(self.dir):
            for name in names:
                path = os.path.join(folder, name)
                if not os.path.isfile(path):
                    continue
                try:
                    with open(path, "rb") as f:
                        bytes_there = f.read()
                except FileNotFoundError:      # removed meanwhile
                    continue
                self.assertNotIn(cookie.encode(), bytes_there, path)
                self.assertNotIn(bytes.fromhex(cookie), bytes_there, path)

    def make_socket_directory(self):
        """As X servers make it: for everybody, who may not remove what others have there."""
        if not os.path.exists("/tmp/.X11-unix"):
            os.mkdir("/tmp/.X11-unix")
            os.chmod("/tmp/.X11-unix", 0o1777)
        if not os.access("/tmp/.X11-unix", os.W_OK):
            self.skipTest("/tmp/.X11-unix is not for everybody")

    def test_it_may_be_that_of_this_host(self):
        self.make_socket_directory()
        number = next(n for n in range(200, 1000) if not os.path.exists(f"/tmp/.X11-unix/X{n}"))
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"/tmp/.X11-unix/X{number}")
        self.addCleanup(os.unlink, f"/tmp/.X11-unix/X{number}")
        XServer(self, listener)
        s = self.sit_with_x(f":{number}")
        self.assertEqual(self.run_program(s, 1000), "echoed 1000 True\n")
        s.line("exit")
        self.finish(s)

    def test_it_may_let_its_user_in_without_a_cookie(self):
        listener, display = self.display_on_tcp()
        XServer(self, listener, cookie=b"")
        s = self.sit_with_x(display, REAL_COOKIE="")
        self.assertEqual(self.run_program(s, 1000), "echoed 1000 True\n")
        s.line("exit")
        self.finish(s)

    def test_who_has_not_the_cookie_does_not_reach_it(self):
        listener, display = self.display_on_tcp()
        x = XServer(self, listener)
        s = self.sit_with_x(display)
        self.assertEqual(self.run_program(s, 10, REAL.hex()), "refused\n")
        self.assertEqual(self.run_program(s, 10), "echoed 10 True\n")
        self.assertEqual((x.let_in, [text for text in x.shown if text]), (1, [KIND + b"\0\0" + REAL]))
        s.line("exit")
        self.finish(s)

    def test_a_display_that_is_not_there_refuses(self):
        listener, display = self.display_on_tcp()      # nobody listens there, and nobody else can
        self.addCleanup(listener.close)
        s = self.sit_with_x(display)
        self.assertEqual(self.run_program(s, 10), "refused\n")
        s.line("exit")
        self.finish(s)

    def test_programs_use_it_side_by_side(self):
        listener, display = self.display_on_tcp()
        x = XServer(self, listener)
        s = self.sit_with_x(display)
        out = os.path.join(self.top, "out")
        self.ask(s, f"for i in 1 2 3 4; do python3 {self.program} 1000000 > {out}$i & done")
        self.ask(s, "wait")
        for i in "1234":
            with open(out + i) as f:
                self.assertEqual(f.read(), "echoed 1000000 True\n")
        # One that the X server does not read keeps neither the terminal nor its successors waiting.
        x.held.clear()
        s.line(f"python3 {self.program} 1000000 > {out}5 &")
        self.until(lambda: x.let_in == 5, "it has been let in")
        self.assertEqual(self.ask(s, "echo here"), "here\n")
        x.held.set()
        self.ask(s, "wait")
        with open(out + "5") as f:
            self.assertEqual(f.read(), "echoed 1000000 True\n")
        s.line("exit")
        self.finish(s)

    def test_it_is_closed_with_the_session(self):
        listener, display = self.display_on_tcp()
        x = XServer(self, listener)
        s = self.sit_with_x(display)
        s.line(f"python3 {self.program} -1")
        s.expect("inside\r\n")
        os.kill(s.pid, signal.SIGTERM)
        self.until(lambda: x.left == 1, "it is closed")
        self.ended_job(s.id)


class what_is_refused(XTest):
    def test_it_needs_a_display_an_interactive_job_and_xauth(self):
        usage = "usage: qsub "
        for arguments, environment, said in ((("-X", "--", "/bin/true"), {}, "qsub: DISPLAY not set\n" + usage),
                                             (("-X", "--", "/bin/true"), {"DISPLAY": ":0"}, "qsub: -X is for interactive jobs only\n" + usage)):
            done = self.run_command("env", *[f"{k}={v}" for k, v in environment.items()], "qsub", *arguments)
            self.assertEqual((done.status, done.err[:len(said)]), (2, said))
        for display, path, arguments, status, said in (
                (":0", f"{STAGE}/bin", (), 1, "qsub: can't run xauth: No such file or directory\r\n"),
                ("nowhere", None, (), 1, "qsub: DISPLAY is not the name of an X display: nowhere\r\n"),
                (":0", None, ("-v", "A=b,DISPLAY"), 2, "qsub: -X cannot be used with -v DISPLAY\r\n")):
            s = Screen(self, f"{STAGE}/bin/qsub", "-I", "-X", *arguments, environment={"DISPLAY": display, "PATH": path or self.path})
            self.assertEqual((s.ended(), s.text[:len(said)]), (status, said))
        self.assertEqual(self.sure("qselect"), "")


class what_is_lost_comes_back(XTest):
    hosts = ["a", "b"]

    def test_a_mom_and_a_server_that_are_killed_and_started(self):
        listener, display = self.display_on_tcp()
        x = XServer(self, listener)
        s = self.sit_with_x(display, host="b")
        self.until_running(s.id)
        for daemon in ("pbs_mom", "b"), ("pbs_server",):
            out = tempfile.mktemp(dir=self.top)
            x.held.clear()
            before = x.let_in
            s.line(f"python3 {self.program} 2000000 > {out} &")
            self.until(lambda: x.let_in == before + 1, lambda: f"{x.let_in} programs, {x.shown}, {s.shown()!r}")
            self.kill_daemon(*daemon)
            x.held.set()
            self.start_daemon(*daemon)
            self.until(lambda: os.path.exists(out) and open(out).read() == "echoed 2000000 True\n", f"{daemon[0]} is back")
        self.ask(s, "wait")
        s.line("exit")
        self.finish(s)


if __name__ == "__main__":
    unittest.main(verbosity=2)
