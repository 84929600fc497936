"""A command at a terminal of its own, somebody who types, and what the terminal shows: blocks of a transcript with a screen.

    text                     what is shown, up to where
    [typed: exit\\r]          this is typed, behind the line above; what follows goes on in that line
    [sent: TERM]             the command gets this signal
    [root: qdel $(qselect)]  that user does this meanwhile
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

from .world import Trouble, become, environment_of

ROWS, COLUMNS = 30, 100
DEADLINE_S = 120
MARK = re.compile(r"\[(\w+): (.*)\]\Z")
TIOCGPTN = 0x80045430   # Python has no name for it
JOB = re.compile(r"qsub: waiting for job (\d+)\.\w+ to start\n")


def parts(screen):
    """[(text, what is done behind it: (kind, what) or None)]"""
    found, lines = [], []
    for line in screen:
        mark = MARK.match(line)
        if mark:
            found.append(("\n".join(lines), (mark[1], mark[2])))
            lines = []
        else:
            lines.append(line)
    return [*found, ("\n".join(lines), None)]


def shown(screen):
    return "".join(text for text, _ in parts(screen))


class Sitting:
    def __init__(self, cluster, ids, block, outcome):
        self.cluster, self.ids, self.block, self.outcome = cluster, ids, block, outcome
        self.raw, self.typed, self.status, self.looked_at = b"", None, None, 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
                become(block.user)
                os.execve("/bin/bash", ["bash", "-c", ids.to_run(block.command)], {**environment_of(block.user), "TERM": "xterm"})
            finally:
                os._exit(127)

    def screen(self):
        """With the transcript's number of the job, once qsub has said its own."""
        text = self.raw.decode(errors="replace").replace("\r\n", "\n")
        there, here = JOB.search(shown(self.block.screen)), JOB.search(text)
        if there and here:
            self.ids.learn(there[1], here[1])
        return self.ids.to_transcript(text)

    def until_job(self):
        self.until(lambda: JOB.search(self.screen()), "qsub waits for its job")

    def play(self):
        """Does what is done there, each thing when the screen shows what stands before it."""
        for text, act in parts(self.block.screen):
            if act:
                last = text.rstrip("\n").rpartition("\n")[2] + text[len(text.rstrip("\n")):]
                self.until(lambda: self.screen()[self.looked_at:].endswith(last), f"the screen ends with {last!r}")
                self.act(*act)
        self.until(self.ended, "the end")

    def act(self, kind, what):
        self.looked_at = len(self.screen())
        if kind == "typed":
            self.until(lambda: self.unread() == 0, "what was typed before is read")
            if self.typed == r"fg\r":   # nothing on the screen says when qsub has the terminal again
                self.until(lambda: not self.echoes(), "what is typed goes to the job alone")
            self.typed = what
            os.write(self.fd, what.encode().decode("unicode_escape").encode())
        elif kind == "sent":
            os.kill(self.pid, getattr(signal, "SIG" + what))
        else:
            self.cluster.sure(self.ids.to_run(what), kind)

    def echoes(self):
        """The terminal itself shows what is typed."""
        return termios.tcgetattr(self.fd)[3] & termios.ECHO

    def unread(self):
        """How much of what was typed nobody has read: Ctrl-C would take it away."""
        number = struct.unpack("i", fcntl.ioctl(self.fd, TIOCGPTN, bytes(4)))[0]
        slave = os.open(f"/dev/pts/{number}", os.O_RDONLY | os.O_NOCTTY)
        try:
            return struct.unpack("i", fcntl.ioctl(slave, termios.FIONREAD, bytes(4)))[0]
        finally:
            os.close(slave)

    def ended(self):
        done, status = os.waitpid(self.pid, os.WNOHANG)
        if done:
            self.status = os.waitstatus_to_exitcode(status)
            while self.read():
                pass
        return done

    def until(self, true, what):
        deadline = time.monotonic() + DEADLINE_S
        while not true():
            if time.monotonic() > deadline:
                raise Trouble(f"not after {DEADLINE_S} s: {what}; the screen: {self.screen()!r}")
            if not self.read():
                time.sleep(0.02)

    def read(self):
        """False: nothing is there to be read."""
        if not select.select([self.fd], [], [], 0)[0]:
            return False
        try:
            more = os.read(self.fd, 65536)
        except OSError:   # nobody has the terminal open
            return False
        self.raw += more
        return bool(more)

    def leave(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
